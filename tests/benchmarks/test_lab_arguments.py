"""What `make lab` is asked for is looked at before anything is installed."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support import ROOT


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (["--agents", "nobody"], "no agent is called nobody"),
        (["--agents", "pi", "--scenarios", "none"], "no scenario is called none"),
    ],
)
def test_what_there_is_not_is_named(asked: list[str], answer: str) -> None:
    command = [sys.executable, "-m", "lab", *asked]
    done = subprocess.run(
        command, cwd=ROOT / "benchmarks", capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and answer in done.stderr
