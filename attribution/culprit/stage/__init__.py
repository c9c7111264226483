"""Stores what the fixes of a repository repaired."""
