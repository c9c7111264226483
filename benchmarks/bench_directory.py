"""Commands over whole databases: one merged database against the directory of databases that it was made of.

    python benchmarks/bench_directory.py [--copies N] DATABASE ...

Each DATABASE, which must hold one repository, is copied as often as said, each copy under another name. Everything is a process of
its own, CPU seconds (user and system), one run each; the files that a command writes must be the same for both. The copy of the
directory in the cache is made by the first command.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from pages import table  # noqa: E402
from processes import run_ours  # noqa: E402

from collector.storage.store import Store  # noqa: E402

COMMANDS = (
    ("grades", "--json"),
    ("study", "--out"),
    ("report", "--html"),
    ("report", "--by", "month,agent", "--html"),
)


def multiplied(databases: list[Path], copies: int, place: Path) -> list[Path]:
    """Copies with repositories of other names and no addresses, so that none is taken for another."""
    made = []
    for number, database in enumerate(databases):
        for copy in range(copies):
            file = place / f"{number}-{copy}.db"
            shutil.copyfile(database, file)
            with closing(Store(file)) as store, store.transaction() as connection:
                connection.execute("UPDATE repos SET name = ?, url = NULL", (f"bench/{number}-{copy}",))
            made.append(file)
    return made


def measured(command: tuple[str, ...], db: Path, out: Path, cache: Path) -> tuple[str, bytes]:
    """(seconds, what was written) of one command."""
    words = [*command, out] if command[-1] in ("--out", "--html") else list(command)
    spent = run_ours(["attribute", *words, "--db", db], {"XDG_CACHE_HOME": str(cache)})
    files = sorted(out.iterdir()) if out.is_dir() else [out] if out.exists() else []
    return f"{spent.seconds:.2f}", b"".join(file.read_bytes() for file in files)


def compared(shards: list[Path], place: Path, cache: Path) -> list[list[str]]:
    merged = place / "merged.db"
    rows = [["made ready", f"{run_ours(['collect', 'merge', *shards, '-o', merged]).seconds:.2f}"]]
    rows[0].append(measured(COMMANDS[0], shards[0].parent, place / "none", cache)[0])
    for number, command in enumerate(COMMANDS):
        ours, theirs = ((place / f"{form}-{number}") for form in ("merged", "directory"))
        alone, written = measured(command, merged, ours, cache)
        together, same = measured(command, shards[0].parent, theirs, cache)
        if written != same:
            raise SystemExit(f"{' '.join(command)}: the merged database and the directory differ")
        rows.append([f"`{' '.join(command)}`", alone, together])
    os.utime(shards[0])
    rows.append(["after one changed: `grades`", "", measured(COMMANDS[0], shards[0].parent, place / "none", cache)[0]])
    copy = sum(file.stat().st_size for file in (cache / "whowrote" / "corpora").iterdir())
    rows.append(
        ["MB", f"{merged.stat().st_size / 1e6:.0f}", f"{sum(s.stat().st_size for s in shards) / 1e6:.0f} + {copy / 1e6:.0f}"]
    )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--work", type=Path, help="where the copies are made")
    parser.add_argument("databases", nargs="+", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.work) as name:
        place = Path(name)
        (place / "shards").mkdir()
        shards = multiplied(given.databases, given.copies, place / "shards")
        rows = compared(shards, place, place / "cache")
    print(f"{len(shards)} databases\n\n{table(['command', 'merged database', 'directory'], rows)}\n")


if __name__ == "__main__":
    main()
