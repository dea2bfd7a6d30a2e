"""Checking files: which files, with which settings, and what comes of each; and notebooks as programs."""
