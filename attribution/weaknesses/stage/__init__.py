"""Writes the findings of a repository."""
