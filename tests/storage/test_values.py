"""What enters a database can be stored, whatever other programs wrote."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from collector.storage.connection import LARGEST, OwnConnection, storable
from collector.text import printable

VALUES: Any = st.one_of(
    st.text(st.characters(exclude_categories=())),
    st.integers(),
    st.floats(),
    st.binary(),
    st.booleans(),
    st.none(),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(VALUES, VALUES), max_size=8))
@example([(10**30, "\ud800"), (1, "a"), (-(10**30), "b\udcff")])
def test_every_row_is_stored_once_and_in_order(rows: list[tuple[Any, Any]]) -> None:
    connection = sqlite3.connect(":memory:", factory=OwnConnection, isolation_level=None)
    connection.execute("CREATE TABLE t (n INTEGER PRIMARY KEY, a, b)")
    connection.executemany(
        "INSERT INTO t VALUES (?, ?, ?)", ((n, *row) for n, row in enumerate(rows))
    )
    for number, row in enumerate(rows):
        connection.execute(
            "INSERT INTO t VALUES (:n, :a, :b)", {"n": number + len(rows), "a": row[0], "b": row[1]}
        )
    stored = connection.execute("SELECT n, a, b FROM t ORDER BY n").fetchall()
    assert [n for n, *_ in stored] == list(range(2 * len(rows)))
    for _, *values in stored:
        for value in values:
            assert not isinstance(value, int) or abs(value) <= LARGEST + 1
            if isinstance(value, str):
                value.encode()
    connection.close()


def test_a_name_is_found_as_it_was_stored(db: Path) -> None:
    connection = sqlite3.connect(db, factory=OwnConnection, isolation_level=None)
    connection.execute("CREATE TABLE t (a)")
    connection.execute("INSERT INTO t VALUES (?)", ("r\udce9",))
    assert connection.execute("SELECT a FROM t WHERE a = ?", ("r\udce9",)).fetchall() == [
        (printable("r\udce9"),)
    ]
    connection.close()


def test_what_can_be_stored_stays_as_it_is() -> None:
    for value in ("ä\n", 7, -LARGEST, 1.5, b"\x00", None, True):
        assert storable(value) == value
