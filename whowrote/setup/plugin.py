"""The plug-in of `whowrote init`, which has a command and nothing else that the core asks for."""

from collector.hooks import Plugin

PLUGIN = Plugin()
