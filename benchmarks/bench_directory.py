"""Commands over many repositories: one merged database, the directory of databases that it was made of, and the same as columns.

    python benchmarks/bench_directory.py [--copies N] [--forms merged directory columns] DATABASE ...

Each DATABASE, which must hold one repository, is copied as often as said, each copy under another name. Everything is a process of
its own, one run each: CPU seconds (user and system), seconds by the clock and the peak of its memory. The files that a command
writes must be the same for all forms. The copy of the directory in the cache is made by the first command.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from pages import table  # noqa: E402
from processes import Spent, run_ours  # noqa: E402

from collector.storage.shard_list import shard_rows  # noqa: E402
from collector.storage.store import Store  # noqa: E402

MERGED, DIRECTORY, COLUMNS = FORMS = ("merged", "directory", "columns")
COMMANDS = (
    ("grades", "--json"),
    ("study", "--out"),
    ("survival", "--no-curves", "--json"),
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


def measured(command: tuple[str, ...], db: Path, out: Path, cache: Path) -> tuple[Spent, bytes]:
    """What one command took, and what it wrote."""
    words = [*command, out] if command[-1] in ("--out", "--html") else list(command)
    spent = run_ours(["attribute", *words, "--db", db], {"XDG_CACHE_HOME": str(cache)})
    files = sorted(out.iterdir()) if out.is_dir() else [out] if out.exists() else []
    return spent, b"".join(file.read_bytes() for file in files)


def made_ready(form: str, places: dict[str, Path], shards: list[Path], cache: Path) -> Spent:
    """What a form takes that is not there yet, or not up to date."""
    if form == MERGED:
        return run_ours(["collect", "merge", *shards, "-o", places[MERGED]])
    if form == DIRECTORY:
        return measured(COMMANDS[0], places[DIRECTORY], places[DIRECTORY] / "none", cache)[0]
    return run_ours(["collect", "columns", places[DIRECTORY], "--to", places[COLUMNS]])


def size(form: str, places: dict[str, Path], cache: Path) -> str:
    files = {MERGED: [places[MERGED]], DIRECTORY: sorted(places[DIRECTORY].glob("*.db"))}.get(form)
    text = f"{sum(f.stat().st_size for f in files or places[form].rglob('*') if f.is_file()) / 1e6:,.0f}"
    copies = cache / "whowrote" / "corpora"
    return f"{text} + {sum(f.stat().st_size for f in copies.iterdir()) / 1e6:,.0f}" if form == DIRECTORY else text


def shown(spent: Spent) -> str:
    return f"{spent.seconds:.1f} s, {spent.elapsed:.1f} s, {spent.memory / 1e3:,.0f} MB"


def compared(shards: list[Path], place: Path, forms: Sequence[str]) -> list[list[str]]:
    cache = place / "cache"
    places = {MERGED: place / "merged.db", DIRECTORY: shards[0].parent, COLUMNS: place / "columns"}
    rows = [["made ready", *(shown(made_ready(form, places, shards, cache)) for form in forms)]]
    for number, command in enumerate(COMMANDS):
        row, first = [f"`{' '.join(command)}`"], None
        for form in forms:
            spent, written = measured(command, places[form], place / f"{form}-{number}", cache)
            if first not in (None, written):
                raise SystemExit(f"{' '.join(command)}: {forms[0]} and {form} differ")
            row, first = [*row, shown(spent)], written
        rows.append(row)
    os.utime(shards[0])
    rows.append(["after one changed", *(shown(made_ready(form, places, shards[:1], cache)) for form in forms)])
    return [*rows, ["MB on the disk", *(size(form, places, cache) for form in forms)]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--work", type=Path, help="where the copies are made")
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=FORMS)
    parser.add_argument("databases", nargs="+", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.work) as name:
        place = Path(name)
        (place / "shards").mkdir()
        shards = multiplied(given.databases, given.copies, place / "shards")
        rows = compared(shards, place, given.forms)
        number = sum(row.rows for row in shard_rows(shards))
    print(f"{len(shards)} databases, {number:,} rows\n\n{table(['command', *given.forms], rows)}\n")


if __name__ == "__main__":
    main()
