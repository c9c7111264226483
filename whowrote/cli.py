"""The command `whowrote`; `git whowrote` is the same."""

from __future__ import annotations

from attribution.start import main

__all__ = ["main"]
