"""What `make lab` is asked for is looked at before anything is installed."""

from __future__ import annotations

import subprocess
import sys

from support import ROOT


def test_an_agent_that_there_is_not_is_named() -> None:
    command = [sys.executable, "-m", "lab", "--agents", "nobody"]
    done = subprocess.run(
        command, cwd=ROOT / "benchmarks", capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "no agent is called nobody" in done.stderr
