"""Weaknesses on pages: a page of their own, and parts of the pages of repositories, commits,
files and searches.
"""
