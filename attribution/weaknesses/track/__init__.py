"""Findings followed through the history: which commit introduced each, who wrote it, what became
of it.
"""
