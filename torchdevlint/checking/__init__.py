"""Checking files outside flake8: which files, with which settings, and what comes of each."""
