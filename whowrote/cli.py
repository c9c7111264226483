"""The command `whowrote`; `git whowrote` is the same."""

from attribution.start import main

__all__ = ["main"]
