"""Statistics that know nothing of git: intervals, survival curves, plots."""
