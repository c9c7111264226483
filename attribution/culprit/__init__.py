"""From a repair back to the commit, the author and the prompt that introduced what it repaired.

A plug-in.
"""
