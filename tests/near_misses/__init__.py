"""Correct code that is close to a bug, by what it is close with."""
