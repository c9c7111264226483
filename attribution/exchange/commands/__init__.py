"""The commands of the plug-in: `data claims` and `data export`."""
