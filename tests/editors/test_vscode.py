"""The extension for VS Code, run by node with a stand-in for the editor, asks the real program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.builder import commit_by_ada, git
from support.commands import clone

import whowrote
from attribution.demo import FILE

HERE = str(Path(__file__).parent)
ODD = 'birdlog/it\'s a "$(bird)".py'  # as it is, no shell takes it


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    "case", ["signs at lines of their class", "nothing without trust", "one message"]
)
def test_what_the_extension_shows(case: str, tmp_path: Path, db: Path) -> None:
    """cases.js has what is expected."""
    repo = clone("example", tmp_path, bare=False)
    git(repo, "checkout", "-q", "-f")
    git(repo, "mv", FILE, ODD)
    commit_by_ada(repo, "Rename")
    with whowrote.open(repo, db) as opened:
        kinds = [line.attribution.kind for line in opened.blame(ODD)]
    asked = {"file": str(repo / ODD), "python": sys.executable, "home": str(tmp_path)}
    command = ["node", f"{HERE}/cases.js", case, json.dumps({**asked, "kinds": kinds})]
    subprocess.run(command, env={**os.environ, "NODE_PATH": HERE}, check=True)
