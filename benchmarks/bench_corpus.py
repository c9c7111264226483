"""Questions over many lines: the merged SQLite database against Parquet files read by DuckDB.

    pip install duckdb
    python benchmarks/bench_corpus.py DATABASE [--copies 1,10] [--work DIR]

DATABASE is an attributed one. Its tables of lines are copied as often as said, with other numbers, into one SQLite database with
its indexes, and into Parquet files, one per copy. Prints a line of JSON for each question: seconds by the clock and the largest
memory of a process that does nothing else, and whether both gave the same rows. The questions are like those of `attribute study`
and `attribute report`.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

# Table -> columns with numbers of rows, which differ from copy to copy.
TABLES = {
    "commits": ("id", "repo_id"),
    "commit_files": ("id", "commit_id"),
    "spans": ("file_id", "origin_id"),
    "origins": ("id", "session_id"),
    "sessions": ("id", "repo_id"),
}
STEP = 1 << 32
_JOINED = (
    "FROM spans p JOIN commit_files f ON f.id = p.file_id JOIN origins o ON o.id = p.origin_id JOIN commits c ON c.id = f.commit_id"
)
QUESTIONS = {
    "lines by evidence": f"SELECT o.author, o.how, o.evidence, o.reason, SUM(p.nonblank) {_JOINED} "
    "WHERE f.kind IN ('source', 'test') GROUP BY 1, 2, 3, 4",
    "lines by repository, month and author": f"SELECT c.repo_id, substr(c.author_at, 1, 7), o.author, SUM(p.nonblank) {_JOINED} "
    "GROUP BY 1, 2, 3",
    "agents' lines by model": f"SELECT s.model, COUNT(DISTINCT c.id), SUM(p.nonblank) {_JOINED} "
    "JOIN sessions s ON s.id = o.session_id GROUP BY 1",
    "sessions of one repository": "SELECT COUNT(*), SUM(tool_calls) FROM sessions "
    "WHERE repo_id = (SELECT MIN(repo_id) FROM sessions)",
}


def columns(run: Any, table: str) -> list[tuple[str, str]]:
    return [(row[0], row[1]) for row in run(f"SELECT name, type FROM pragma_table_info('{table}', 'source')")]


def build(source: Path, copies: int, database: Path, parquet: Path) -> int:
    """Writes both forms; returns the rows of one of them."""
    import pyarrow
    import pyarrow.parquet

    rows = 0
    types = {"INTEGER": pyarrow.int64(), "REAL": pyarrow.float64(), "TEXT": pyarrow.string()}
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        run = connection.execute
        run("PRAGMA journal_mode = OFF")
        run("ATTACH DATABASE ? AS source", (str(source),))
        for table, numbers in TABLES.items():
            (parquet / table).mkdir(parents=True)
            found = columns(run, table)
            run(run("SELECT sql FROM source.sqlite_master WHERE name = ?", (table,)).fetchone()[0])
            for copy in range(copies):
                picked = ", ".join(f'"{name}" + {copy * STEP}' if name in numbers else f'"{name}"' for name, _ in found)
                rows += run(f'INSERT INTO main."{table}" SELECT {picked} FROM source."{table}"').rowcount
                values = list(zip(*run(f'SELECT {picked} FROM source."{table}"').fetchall(), strict=True))
                arrays = [pyarrow.array(column, types[kind]) for column, (_, kind) in zip(values, found, strict=True)]
                made = pyarrow.Table.from_arrays(arrays, [name for name, _ in found])
                pyarrow.parquet.write_table(made, parquet / table / f"{copy}.parquet", compression="zstd")
            indexes = "SELECT sql FROM source.sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
            for (sql,) in run(indexes, (table,)).fetchall():
                run(sql)
    return rows


def answer(form: str, place: Path, question: str) -> list[Any]:
    if form == "sqlite":
        with closing(sqlite3.connect(place)) as connection:
            return connection.execute(QUESTIONS[question]).fetchall()
    import duckdb

    with duckdb.connect() as connection:
        for table in TABLES:
            connection.execute(f"CREATE VIEW {table} AS SELECT * FROM read_parquet('{place}/{table}/*.parquet')")
        return list(connection.execute(QUESTIONS[question]).fetchall())


def asked(form: str, place: Path, question: str) -> dict[str, Any]:
    """In a process of its own: seconds, memory in MB, the rows."""
    done = subprocess.run([sys.executable, __file__, "--ask", form, str(place), question], capture_output=True, check=True)
    return dict(json.loads(done.stdout))


def ask(form: str, place: str, question: str) -> None:
    began = time.monotonic()
    found = sorted(map(repr, answer(form, Path(place), question)))
    status = Path("/proc/self/status").read_text("ascii").splitlines()
    peak = next(int(line.split()[1]) >> 10 for line in status if line.startswith("VmHWM"))
    print(json.dumps({"seconds": round(time.monotonic() - began, 2), "MB": peak, "rows": found}))


def compare(source: Path, copies: int, folder: Path) -> None:
    database, parquet = folder / "merged.db", folder / "parquet"
    rows = build(source, copies, database, parquet)
    size = sum(file.stat().st_size for file in parquet.rglob("*.parquet"))
    print(
        json.dumps({"copies": copies, "rows": rows, "sqlite_MB": database.stat().st_size >> 20, "parquet_MB": size >> 20}),
        flush=True,
    )
    for question in QUESTIONS:
        one, other = asked("sqlite", database, question), asked("duckdb", parquet, question)
        same = one.pop("rows") == other.pop("rows")
        print(json.dumps({"question": question, "copies": copies, "sqlite": one, "duckdb": other, "same": same}), flush=True)


def main(arguments: Sequence[str]) -> None:
    if arguments[:1] == ["--ask"]:
        ask(*arguments[1:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", type=Path)
    parser.add_argument("--copies", default="1,10")
    parser.add_argument("--work", type=Path)
    given = parser.parse_args(arguments)
    for copies in map(int, given.copies.split(",")):
        with tempfile.TemporaryDirectory(dir=given.work) as folder:
            compare(given.database, copies, Path(folder))


if __name__ == "__main__":
    main(sys.argv[1:])
