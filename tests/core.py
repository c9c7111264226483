"""`make core`: the tests of the core, on a copy of the project without the directories of the
plug-ins.

A file of tests is left out when it names a plug-in or one of its commands. Arguments are passed to
pytest.
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
PARTS = (
    "collector",
    "attribution",
    "whowrote",
    "tests",
    "fixtures",
    "docs",
    "benchmarks",
    "pyproject.toml",
)
TESTS = ("checkpoints", "files", "git", "lineage", "shell")
"""Directories that run when nothing is named: the quick ones."""
_TUPLE = re.compile(r"^[A-Z]+\b[^=\n]*= \(([^)]*)\)", re.MULTILINE)  # COMMANDS = (claims,)


def main() -> int:
    """Exit code of pytest."""
    sys.path.insert(0, str(ROOT))
    from collector.plugins import PLUGINS

    folders = [package.replace(".", "/") for package in PLUGINS]
    files = [file for folder in folders for file in (ROOT / folder / "commands").glob("*.py")]
    names = {
        name
        for file in files
        for names in _TUPLE.findall(file.read_text("utf-8"))
        for name in re.findall(r"\w+", names)
    }
    called = "|".join(name.rstrip("_").replace("_", "-") for name in names)
    names_plugin = re.compile(
        "|".join([*map(re.escape, PLUGINS), rf'\("(?:[a-z]+", ")?(?:{called})"'])
    )
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
        return subprocess.run(
            command, cwd=copy, env={**os.environ, "PYTHONPATH": str(copy)}, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
