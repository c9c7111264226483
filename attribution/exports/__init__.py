"""Findings in the format of code hosts."""
