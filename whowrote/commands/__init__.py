"""The commands that `whowrote` has beside those of `attribute`; a file per subject, as in `attribution.commands`."""
