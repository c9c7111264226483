"""Runs semgrep over a directory of annotated code, offline and without its own opinions about
what to skip.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from collector.json_values import JsonObject
from support.annotated import AnnotatedFinding

SEMGREP = shutil.which(str(Path(sys.executable).parent / "semgrep")) or shutil.which("semgrep")
_OPTIONS = [
    *("--metrics=off", "--disable-version-check", "--json", "-q", "-j", "1", "--timeout", "30"),
    *("--disable-nosem", "--no-git-ignore", "--no-rewrite-rule-ids"),
]


def semgrep(rules: Sequence[object], directory: Path, home: Path) -> JsonObject:
    """What it printed. `home`: where it may write."""
    assert SEMGREP is not None
    (directory / ".semgrepignore").write_text("")  # else it skips what is called test
    (home / "rules.json").write_text(json.dumps({"rules": rules}))
    environment = {
        "PATH": f"{Path(SEMGREP).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "HOME": str(home),
        "SEMGREP_SEND_METRICS": "off",
        "SEMGREP_ENABLE_VERSION_CHECK": "0",
        "SEMGREP_SETTINGS_FILE": str(home / "settings.yml"),
        "SEMGREP_LOG_FILE": str(home / "log"),
    }
    command = [SEMGREP, "scan", *_OPTIONS, "--config", str(home / "rules.json"), "."]
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, check=False)
    result: JsonObject = json.loads(done.stdout)
    return result


def findings(result: JsonObject) -> list[AnnotatedFinding]:
    return [
        AnnotatedFinding(r["path"], r["start"]["line"], r["end"]["line"], r["check_id"])
        for r in result["results"]
    ]
