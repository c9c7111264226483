"""Disclosure: what a project asks contributors to say about AI, and what the record shows of it."""

from attribution.hooks import Plugin

PLUGIN = Plugin()
