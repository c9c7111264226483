"""How sessions and attempts went, as scores, and what may be compared."""
