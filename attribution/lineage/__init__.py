"""What became of every line of a branch: the walk over its history, how long lines live, who ends them, what is left at HEAD."""
