"""Which candidates are taken: what git and the server say about each, and why one is left out."""
