"""The commands of `whowrote collect` that find, mirror and load repositories."""
