"""Rules, one file each: the stem `tdlNNN_short_name` is the identity of a rule."""
