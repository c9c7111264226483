"""The version of this program, and where to report its bugs."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed

ISSUES = "https://github.com/whowrote/whowrote/issues"


def version(package: str = "whowrote") -> str:
    """Of the installed package, which hatch-vcs takes from the tag; "unknown" for a source tree that was never installed."""
    try:
        return installed(package)
    except PackageNotFoundError:
        return "unknown"
