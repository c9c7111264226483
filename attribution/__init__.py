"""Conclusions drawn from the facts: who wrote each line, how we know, what became of it."""
