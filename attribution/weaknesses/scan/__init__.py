"""Scanning: which versions of which files, with which scanner, and what it said of each text."""
