"""Which candidates are taken: what git and the server say about each, why one is left out, and
how many were missed.
"""
