"""A disk that is full, fails or refuses a larger file: words that say so, nothing is lost, and
no advice to delete.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from support import ROOT
from support import local_layouts as layouts
from support.answers import column, value
from support.commands import analyse, check, clone, run
from support.local_clone import Clone

from collector.errors import (
    EXIT_DATABASE,
    EXIT_OK,
    EXIT_OUTPUT,
    EXIT_USAGE,
    DatabaseUnusable,
)
from collector.runtime import stages
from collector.storage.store import Store, _explain

SUPPORT = ROOT / "tests" / "support"
DELETES = re.compile(r"\b(delete|remove|rm)\b", re.IGNORECASE)
PROGRAM = """
import resource, sys
from attribution.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize("size", [2_000, 60_000, 200_000])
def test_a_file_that_may_not_grow_loses_nothing(tmp_path: Path, db: Path, size: int) -> None:
    one = clone("example", tmp_path)
    sound = tmp_path / "sound.db"
    command = [sys.executable, "-c", PROGRAM, str(size), "repo", str(one), "--db", str(db)]
    done = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert done.returncode in (EXIT_DATABASE, EXIT_OUTPUT), done.stderr
    assert not DELETES.search(done.stderr) and "internal error" not in done.stderr
    for path in (db, sound):
        analyse(one, path)
    run("data", "compare", db, sound)


def test_a_full_disk_loses_nothing(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = clone("example", tmp_path)
    sound = tmp_path / "sound.db"
    opened = Store._prepare

    def full(self: Store) -> None:
        opened(self)
        pages = self.value("PRAGMA page_count")
        self.connection.execute(f"PRAGMA max_page_count = {pages + 3}")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "_prepare", full)
        stopped = run("repo", one, code=EXIT_DATABASE, db=db)
    assert "no space left" in stopped.stderr and not DELETES.search(stopped.stderr)
    for path in (db, sound):
        analyse(one, path)
    run("data", "compare", db, sound)


SMALL_DISK = """
import os, subprocess, sys
disk, size, *command = sys.argv[1:]
def mount(*options):
    subprocess.run(["mount", *options, "none", disk], check=True)
mount("-t", "tmpfs", "-o", f"size={size}")
first = subprocess.run(command, capture_output=True, text=True)
mount("-o", "remount,size=64m")
second = subprocess.run(command, capture_output=True, text=True)
print(first.returncode, second.returncode, first.stderr, second.stderr)
subprocess.run(["cp", "-r", f"{disk}/.", f"{disk}.kept"], check=True)
"""


@pytest.mark.skipif(
    not shutil.which("unshare") or os.name != "posix" or os.geteuid() != 0,
    reason="needs the right to mount",
)
@pytest.mark.parametrize(
    ("arguments", "size"),
    [("repo {one}", 4_096), ("repo {one}", 327_680), ("survival {one} --no-curves", 450_560)],
)
def test_a_disk_that_is_really_full_loses_nothing(
    tmp_path: Path, db: Path, arguments: str, size: int
) -> None:
    """A file system of that size, from empty to nearly large enough; then a larger one, and the
    same command again.
    """
    if subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "none", str(tmp_path)], capture_output=True
    ).returncode:
        pytest.skip("no right to mount")
    one = clone("example", tmp_path)
    disk = tmp_path / "disk"
    sound = db
    disk.mkdir()
    (tmp_path / "disk.kept").mkdir()
    program = [sys.executable, "-c", "from attribution.cli import main; main()"]
    given = [*program, *arguments.format(one=one).split(), "--db", str(disk / "x.db")]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["unshare", "--mount", sys.executable, "-c", SMALL_DISK, str(disk), str(size), *given],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    first, second = done.stdout.split()[:2]
    assert first in ("0", str(EXIT_DATABASE)) and second == "0", done.stdout
    assert not DELETES.search(done.stdout) and "internal error" not in done.stdout
    assert first == "0" or "no space left" in done.stdout
    run(*arguments.format(one=one).split(), db=sound)
    run("data", "compare", tmp_path / "disk.kept" / "x.db", sound)


@pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("cc"), reason="needs a C compiler, and Linux"
)
@pytest.mark.parametrize("below", ["home", "clone/.git", "x.db"])
def test_a_read_that_fails_is_told_and_is_no_bug(tmp_path: Path, below: str) -> None:
    """Reads of transcripts, of git's files or of the database fail from the first or fifth one
    on, or never.
    """
    library = tmp_path / "failing.so"
    home = tmp_path / "home"
    one = Clone(tmp_path / "clone")
    db = tmp_path / "x.db"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-o", library, SUPPORT / "failing_reads.c", "-ldl"], check=True
    )
    work = one.session("0197f3a1-5d2c-7b4e-8f60-1a2b3c4d5e6f", prompt="Add a file")
    work.write("app.py", "total = 1\ncount = 2\n")
    one.commit("Add a program")
    for layout in (layouts.claude_code, layouts.codex):
        layout(home, work)
    program = [sys.executable, "-c", "from attribution.cli import main; main()"]
    command = [*program, "repo", str(one.path), "--transcripts", str(home), "--db", str(db)]
    told = {EXIT_USAGE, EXIT_DATABASE, EXIT_OUTPUT}
    failing = {
        "LD_PRELOAD": str(library),
        "FAILING_READS": str(tmp_path / below),
        "WHOWROTE_SESSIONS": "off",
    }
    ends = set()
    for after in (0, 4, 10_000):
        db.unlink(missing_ok=True)
        environment = os.environ | failing | {"PYTHONPATH": str(ROOT), "FAILING_AFTER": str(after)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode in {EXIT_OK, *told} and "internal error" not in done.stderr, (
            done.stderr
        )
        ends.add(done.returncode)
        assert (
            done.returncode in told
            or after == 10_000
            or below != "home"
            or "could not be read" in done.stderr
            or _problems(db)
        )
    assert EXIT_OK in ends and (below == "home" or ends & told)


def _problems(db: Path) -> list[Any]:
    return column(db, "SELECT code FROM problems")


@pytest.mark.parametrize(
    "text",
    [
        "disk I/O error",
        "database or disk is full",
        "database is locked",
        "attempt to write a readonly database",
        "unable to open database file",
        "file is not a database",
        "database disk image is malformed",
        "something new",
    ],
)
def test_no_message_advises_to_delete_a_file(db: Path, text: str) -> None:
    error = _explain(sqlite3.OperationalError(text), db)
    assert (
        isinstance(error, DatabaseUnusable)
        and error.hint
        and not DELETES.search(f"{error} {error.hint}")
    )


def _last_run(db: Path) -> int:
    return int(value(db, "SELECT MAX(rowid) FROM stage_runs"))


def test_a_clock_that_jumps_back_loses_nothing(
    tmp_path: Path, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Years back between two runs: what is done stays done, and what is new is done."""
    one = clone("example", tmp_path)
    two = clone("squash", tmp_path)
    sound = tmp_path / "sound.db"

    class Back(datetime):
        days = 0

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.now(tz) - timedelta(days=cls.days)

    analyse(one, db, "--history")
    monkeypatch.setattr(stages, "datetime", Back)
    Back.days = 4000
    assert Back.now(UTC).year < datetime.now(UTC).year
    for command in (
        ["repo", one],
        ["repo", two],
        ["survival", two, "--no-curves"],
        ["data", "claims", one],
    ):
        run(*command, db=db)
    with Store(db) as store, store.transaction() as connection:
        connection.execute("DELETE FROM stage_runs WHERE stage = 'lines'")
    run("db", db, "-q")
    Back.days = 8000
    before = _last_run(db)
    run("db", db, "-q")
    assert _last_run(db) == before
    for command in (["survival", one, "--no-curves"], ["survival", two, "--no-curves"]):
        run(*command, db=db)
    for command in (
        ["repo", one],
        ["repo", two],
        ["survival", one, "--no-curves"],
        ["survival", two, "--no-curves"],
        ["data", "claims", one],
    ):
        run(*command, db=sound)
    check(db)
    run("data", "compare", db, sound)
