"""Reads findings and their rates."""
