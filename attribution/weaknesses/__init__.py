"""Weaknesses in introduced code: the versions of files are scanned, and each finding gets a
commit, an author and a fate.
"""
