"""What the files of a repository are: kinds by path and text, and the patterns of git's own
files.
"""
