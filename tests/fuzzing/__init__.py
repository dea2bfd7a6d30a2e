"""Damaged and unusual sources, at random: whatever they are, the analysis ends, says why, and says the same again."""
