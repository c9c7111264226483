"""The plug-in of the servers, which has commands and nothing else that the core asks for."""

from collector.hooks import Plugin

PLUGIN = Plugin()
