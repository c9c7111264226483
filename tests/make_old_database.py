"""Keeps a database of this version of the schema, as text, for the tests of later versions.

    python tests/make_old_database.py

Writes tests/data/databases/vN.sql from fixtures/repos/example. Run it before SCHEMA_VERSION is raised, and never again for that N.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent.parent), str(Path(__file__).parent)]

from support.commands import clone, run  # noqa: E402

from collector.storage.store import APPLICATION_ID, SCHEMA_VERSION  # noqa: E402

CLONE = "/clone/example"  # stands for the place of the clone


def dump(folder: Path) -> str:
    """SQL that makes the database again."""
    repo, db = clone("example", folder), folder / "example.db"
    run("repo", repo, "--db", db, "--history", "-q")
    run("claims", repo, "--db", db)
    with contextlib.closing(sqlite3.connect(db)) as connection:
        lines = [f"PRAGMA application_id = {APPLICATION_ID};", f"PRAGMA user_version = {SCHEMA_VERSION};", *connection.iterdump()]
    return "\n".join(lines).replace(str(repo), CLONE) + "\n"


def main() -> None:
    target = Path(__file__).parent / "data" / "databases" / f"v{SCHEMA_VERSION}.sql"
    with tempfile.TemporaryDirectory() as folder:
        target.write_text(dump(Path(folder)), "utf-8")
    print(f"wrote {target}")


if __name__ == "__main__":
    main()
