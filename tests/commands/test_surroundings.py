"""Where the program runs: output that is closed or full, terminals that know ASCII alone, no
home; other formats of clones.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT
from support.builder import import_stream
from support.commands import analyse, check, run
from support.truth import REPOS

from collector.console.terminal import run_guarded
from collector.json_values import Texts

FULL = Path("/dev/full")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return import_stream(
        (REPOS / "example" / "history.fi").read_bytes(), tmp_path_factory.mktemp("r") / "r"
    )


def attribute(arguments: str, where: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A run of its own through a shell, which redirects; the environment is what is given alone."""
    program = f'"{sys.executable}" -c "from attribution.cli import main; main()"'
    given = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "XDG_DATA_HOME": str(where),
        **environment,
    }
    return subprocess.run(
        ["sh", "-c", f"{program} {arguments}"],
        env=given,
        cwd=where,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    "arguments", ["--help", "repo {clone} --db a.db", "repo {clone} --db a.db --json"]
)
def test_a_full_device_is_said_in_words(clone: Path, tmp_path: Path, arguments: str) -> None:
    done = attribute(f"{arguments.format(clone=clone)} > /dev/full", tmp_path)
    assert done.returncode == 74, done.stderr
    assert "cannot write the output: No space left on device" in done.stderr
    assert "internal error" not in done.stderr and "Exception ignored" not in done.stderr


@pytest.mark.parametrize(
    ("number", "advice"),
    {
        errno.EMFILE: "ulimit",
        errno.EROFS: "--db FILE",
        errno.ENOTDIR: "can be written",
        errno.EACCES: "permissions",
    }.items(),
)
def test_what_the_machine_refuses_is_no_bug(
    number: int, advice: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> None:
        raise OSError(number, os.strerror(number))

    assert run_guarded(refuse) == 74
    told = capsys.readouterr().err
    assert advice in told and os.strerror(number) in told and "internal error" not in told


@pytest.mark.skipif(sys.platform == "win32", reason="shells there close no streams")
@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("arguments", ["--help", "repo {clone} --db a.db"])
def test_closed_streams_are_no_error(
    clone: Path, tmp_path: Path, arguments: str, closed: str
) -> None:
    done = attribute(f"{arguments.format(clone=clone)} {closed}", tmp_path)
    # progress, where the machine is slow
    said = [line for line in done.stderr.splitlines() if "…" not in line]
    assert (done.returncode, done.stdout, said) == (0, "", [])
    if "--db" in arguments:
        check(tmp_path / "a.db")


@pytest.mark.parametrize(
    "environment",
    [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}],
)
def test_a_terminal_that_knows_ascii_alone(clone: Path, tmp_path: Path, environment: Texts) -> None:
    done = attribute(f'repo "{clone}" --db a.db', tmp_path, **environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert json.loads(attribute(f'repo "{clone}" --db a.db --json', tmp_path, **environment).stdout)


@pytest.mark.parametrize("home", [{}, {"HOME": ""}, {"HOME": "/nonexistent"}])
def test_nobodys_home(clone: Path, tmp_path: Path, home: Texts) -> None:
    done = attribute(f'repo "{clone}" --db a.db', tmp_path, **home)
    assert done.returncode == 0, done.stderr


def test_a_partial_clone_is_read(clone: Path, tmp_path: Path, db: Path) -> None:
    _with_extension(tmp_path / "r", clone, "partialClone", "origin")
    analyse(tmp_path / "r", db)


def test_what_cannot_be_read_is_named(clone: Path, tmp_path: Path, db: Path) -> None:
    _with_extension(tmp_path / "r", clone, "objectFormat", "sha512")
    done = run("repo", tmp_path / "r", code=2, db=db)
    assert "cannot be opened as a git repository" in done.output
    assert not (db).exists()


def test_a_clone_whose_ids_are_shorter_than_it_says_is_no_bug(
    clone: Path, tmp_path: Path, db: Path
) -> None:
    _with_extension(tmp_path / "r", clone, "objectFormat", "sha256")
    done = run("repo", tmp_path / "r", code=2, db=db)
    assert "HEAD points to no commit" in done.output


def _with_extension(copy: Path, clone: Path, name: str, value: str) -> None:
    subprocess.run(["git", "clone", "--quiet", "--mirror", str(clone), str(copy)], check=True)
    for key, setting in (("core.repositoryFormatVersion", "1"), (f"extensions.{name}", value)):
        subprocess.run(["git", "config", "--file", str(copy / "config"), key, setting], check=True)
