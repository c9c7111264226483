"""`make core`: the tests of the core, on a copy of the project without the directories of the
plug-ins.

A file of tests is left out when it names a plug-in or one of its commands, and so are the
directories of the plug-ins' own tests, of benchmarks and of the house. Arguments are passed to
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
LEFT_OUT = (
    *("culprit", "disclosure", "discovery", "evaluation", "exchange"),  # own
    *("servers", "setup", "weaknesses"),
    *("benchmarks", "house"),  # of the whole
)
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
    # run("report", "grades", ...), run(["run", ...], collect)
    command_of_plugin = rf'\(\[?\s*"(?:[a-z]+",\s*")?(?:{called})"'
    names_plugin = re.compile("|".join([*map(re.escape, PLUGINS), command_of_plugin]))
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
        for name in LEFT_OUT:
            shutil.rmtree(copy / "tests" / name)
        command = [sys.executable, "-m", "pytest", "-q", *sys.argv[1:]]
        return subprocess.run(
            command, cwd=copy, env={**os.environ, "PYTHONPATH": str(copy)}, check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
