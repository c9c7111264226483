"""The command of the plug-in: `init`."""
