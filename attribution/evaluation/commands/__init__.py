"""The commands of this plug-in, a file per subject."""
