"""The histories of a corpus: where they are, how one is unpacked as a developer's home, and what a
program says of it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tarfile
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

CLONE = "shop"  # the clone's directory in the home
WAS_AT = f"/home/dev/{CLONE}"  # where the agents saw it
_PLACES = ("*/history.json", "*/*/history.json", "*/*/*/history.json")
CLASSES = ("agent", "person", "tool", "unknown")
Row = dict[str, Any]


@contextmanager
def open_corpus(path: Path) -> Iterator[Path]:
    """The directory of the histories in a directory or in a tar, which is unpacked for a while."""
    if not path.exists():
        raise ValueError(f"there is no {path}")
    with tempfile.TemporaryDirectory() as scratch:
        if path.is_file():
            try:
                with tarfile.open(path) as archive:
                    archive.extractall(scratch, filter="data")
            except (tarfile.TarError, EOFError) as error:
                raise ValueError(f"{path} is no whole tar: {error}") from error
            path = Path(scratch)
        found = (place for pattern in _PLACES for place in path.glob(pattern))
        first = next(found, None)
        if first is None:
            raise ValueError(f"{path} holds no histories")
        yield first.parent.parent


def histories(corpus: Path) -> list[Path]:
    return sorted(
        path.parent
        for path in corpus.glob("*/history.json")
        if not path.parent.name.endswith(".part")
    )


def about(history: Path) -> Row:
    """What was drawn for a history, and how many lines it has."""
    row: Row = json.loads((history / "history.json").read_text("utf-8"))
    return row


def rebuild_home(history: Path, home: Path) -> None:
    """The home of a history, with its databases built again; what is there already stays."""
    home.mkdir(exist_ok=True)
    if (history / "home").is_dir():  # a tar has no empty directories
        shutil.copytree(history / "home", home, dirs_exist_ok=True)
    for dump in home.rglob("*.db.sql"):
        with sqlite3.connect(dump.with_suffix("")) as database:
            database.executescript(dump.read_text("utf-8"))
        dump.unlink()


def unpack(history: Path, target: Path) -> Path:
    """The clone of a history in `target`/home/shop, with the transcripts in the home, one of them
    maybe in the clone; the clone.
    """
    clone = target / "home" / CLONE

    def git(*arguments: str) -> str:
        command = ["git", *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    git("clone", "-q", str(history / "repo.bundle"), str(clone))
    settings = {
        "user.name": "Dev",  # who works in it
        "user.email": "dev@lab.example",
        "remote.origin.url": f"{WAS_AT}.git",  # not beside the truth
    }
    for name, value in settings.items():
        git("-C", str(clone), "config", name, value)
    head = git("-C", str(clone), "branch", "--show-current").strip()
    listed = git("-C", str(clone), "for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes")
    for name in listed.split():
        if name not in ("HEAD", head):
            git("-C", str(clone), "branch", "-q", name, f"origin/{name}")
    rebuild_home(history, target / "home")
    return clone


def environment(home: Path) -> dict[str, str]:
    """The variables of a program that may know one history, and of this machine where programs
    are.
    """
    return {
        **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
        "LANG": "C.UTF-8",
        "USER": "dev",
        "GIT_CONFIG_NOSYSTEM": "1",
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "CLONE_WAS_AT": WAS_AT,
    }


@cache
def apart_from(hidden: Path) -> tuple[str, ...]:
    """What starts a program without a network, and without what a directory holds; empty where
    this machine cannot.
    """
    hide = ("sh", "-c", 'mount -t tmpfs hidden "$0" && exec "$@"', str(hidden.resolve()))
    for rights in ((), ("--map-root-user",)):
        words = ("unshare", *rights, "--net", "--mount", *hide)
        try:
            subprocess.run([*words, "true"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            continue
        return words
    return ()


def cpu_seconds() -> float:
    """What this process and the ended ones that it started have taken of the processors."""
    return sum(os.times()[:4])


def run_in(
    clone: Path, command: Sequence[str], seconds: float, accepted: Collection[int] = (0,)
) -> str:
    """What a command prints when it is started in a clone. RuntimeError when it ends with another
    status than those accepted, or takes longer.
    """
    with subprocess.Popen(
        command,
        cwd=clone,
        env=environment(clone.parent),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise RuntimeError(f"not done after {seconds:.0f} s") from None
    if process.returncode not in accepted:
        shown = err.decode("utf-8", "replace").strip()[-1000:]
        raise RuntimeError(f"ended with {process.returncode}: {shown}")
    return out.decode("utf-8", "surrogateescape")


def rows_of(path: Path) -> Iterator[Row]:
    """The objects of a file of JSON lines. ValueError where a line is none."""
    with path.open(encoding="utf-8") as lines:
        yield from _rows_in(lines, str(path))


def _rows_in(lines: Iterable[str], where: str) -> Iterator[Row]:
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line.strip() or "{}")
        except ValueError as error:
            raise ValueError(f"{where}, line {number}: {error}: {line[:100]}") from error
        if not isinstance(row, dict):
            raise ValueError(f"{where}, line {number} is no object: {line[:100]}")
        if row:
            yield row


def checked(row: Row) -> Row:
    """A row of a file of answers. ValueError where it is an answer that does not fit
    answers.schema.json.
    """
    first = row.get("start", row.get("line", ""))
    last = row.get("end", first)
    is_run = type(first) is type(last) is int and first <= last
    is_answer = row.get("class") in CLASSES and {"commit", "path"} <= row.keys()
    if not ("cpu_seconds" in row or (is_answer and is_run)):
        raise ValueError(f"this does not fit answers.schema.json: {row}")
    return row


def ask(history: Path, command: Sequence[str], seconds: float) -> list[Row]:
    """The answers that a command prints about a history, and the CPU seconds that it took."""
    with tempfile.TemporaryDirectory() as scratch:
        clone = unpack(history, Path(scratch))
        before = cpu_seconds()
        text = run_in(clone, [*apart_from(history.parent), *command], seconds)
        spent = cpu_seconds() - before
    rows = [checked(row) for row in _rows_in(text.splitlines(), "the command")]
    return [{"history": history.name, **row} for row in [*rows, {"cpu_seconds": round(spent, 2)}]]
