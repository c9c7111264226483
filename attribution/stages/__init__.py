"""The only code that writes conclusions.

Each stage reads facts and what earlier stages concluded, and fills its tables.
"""
