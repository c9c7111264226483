"""`make core`: the tests of the core, on a copy of the project without the directories of the plug-ins.

A file of tests runs unless it names a plug-in, or what only one gives: a command, a table, a file of its rules. Arguments are
passed to pytest; by default every such file runs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PARTS = ("collector", "attribution", "whowrote", "tests", "fixtures", "docs", "pyproject.toml")
TESTS = ("authorship", "checkpoints", "features", "files", "git", "lineage", "local", "runtime", "shell", "transcripts")
"""What runs when nothing is named: directories of tests that use no plug-in. The slow ones are left to `make test`."""


def main() -> int:
    """Exit code of pytest."""
    sys.path.insert(0, str(ROOT))
    from collector.plugins import PLUGINS

    folders = [package.replace(".", "/") for package in PLUGINS]
    names_plugin = re.compile("|".join(re.escape(package) for package in PLUGINS))
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / "core"
        copy.mkdir()
        for part in PARTS:
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, copy / part)
        for folder in folders:
            shutil.rmtree(copy / folder)
        for test in (copy / "tests").rglob("test_*.py"):
            if names_plugin.search(test.read_text("utf-8")):
                test.unlink()
        tests = sys.argv[1:] or [f"tests/{name}" for name in TESTS]
        command = [sys.executable, "-m", "pytest", "-q", *tests]
        return subprocess.run(command, cwd=copy, env={**os.environ, "PYTHONPATH": str(copy)}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
