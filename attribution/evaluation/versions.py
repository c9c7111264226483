"""Versions of what is filled in whenever features change; raised when the values change."""

SCORES = 14
FAILURE_MODES = 4
