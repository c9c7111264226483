"""Which lines a fix repaired, and where they came from."""
