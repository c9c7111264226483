"""Every line of a branch from its birth to its death or to the tip: the walk (`walk`), what it notes (`lives`), how it is kept."""
