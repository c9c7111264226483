"""Reads what fixes repaired."""
