"""The command `whowrote`; `git whowrote` is the same."""

from __future__ import annotations

import sys
from pathlib import Path

from attribution.cli import cli


def main(name: str = "") -> None:
    """Runs the command under the name by which it was started."""
    cli(prog_name=name or ("git whowrote" if Path(sys.argv[0]).stem == "git-whowrote" else "whowrote"))
