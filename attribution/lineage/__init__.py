"""The fate of every line of a branch: the walk over its history, how long lines live, who
removes them and what is left at HEAD.
"""
