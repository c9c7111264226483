"""The plug-in of the servers: it has commands, and needs no hooks."""
