"""Two databases are compared by what their rows say, not by the numbers they got."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.commands import analyse, clone, rows, run

from collector.errors import EXIT_CHECK_FAILED, DatabaseUnusable
from collector.storage.compare import compare

CASES = ("example", "human_between_edits")


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same repositories, attributed in one order and in the other."""
    folder = tmp_path_factory.mktemp("compare")
    clones = [clone(case, folder) for case in CASES]
    found = []
    for name, order in (("a.db", clones), ("b.db", clones[::-1])):
        for path in order:
            analyse(path, folder / name, "--history")
        found.append(folder / name)
    return found[0], found[1]


@contextlib.contextmanager
def _changed(path: Path, to: Path) -> Iterator[sqlite3.Connection]:
    """A copy that can be written to."""
    with (
        contextlib.closing(sqlite3.connect(path)) as source,
        contextlib.closing(sqlite3.connect(to)) as copy,
    ):
        source.backup(copy)
        yield copy
        copy.commit()


def test_the_order_of_the_repositories_does_not_matter(two: tuple[Path, Path]) -> None:
    with (
        contextlib.closing(sqlite3.connect(two[0])) as one,
        contextlib.closing(sqlite3.connect(two[1])) as other,
    ):
        numbered = "SELECT file_id, start_line, origin_id FROM spans ORDER BY 1, 2"
        assert one.execute(numbered).fetchall() != other.execute(numbered).fetchall()
        assert one.execute("SELECT COUNT(*) FROM spans").fetchone()[0] > 10
    result = run("data", "compare", *two)
    assert (result.exit_code, result.output[:6]) == (0, "equal:")


def test_what_a_row_points_to_is_part_of_what_it_says(two: tuple[Path, Path], db: Path) -> None:
    with _changed(two[0], db) as copy:
        number = copy.execute("SELECT origin_id FROM spans LIMIT 1").fetchone()[0]
        copy.execute("UPDATE origins SET model = 'another' WHERE id = ?", (number,))
    result = run("data", "compare", two[0], db, "--csv", code=EXIT_CHECK_FAILED)
    found = {row["table"]: int(row["only_first"]) for row in rows(result)}
    assert found["origins"] == 1 and found["spans"] >= 1 and found["line_fates"] >= 1
    assert found["commits"] == found["edits"] == found["stage_runs"] == 0
    shown = run("data", "compare", two[0], db, code=EXIT_CHECK_FAILED).output
    assert "+ origins: repo_id=" in shown


def test_a_table_that_is_missing_is_an_empty_one(two: tuple[Path, Path], db: Path) -> None:
    with _changed(two[0], db) as copy:
        copy.execute("DROP TABLE survival")
        copy.execute("DROP TABLE vendor_checks")
        copy.execute("ALTER TABLE problems ADD COLUMN further TEXT")
    found = {one.table: one for one in compare(two[0], db)}
    assert found["survival"].only_first > 0 and found["survival"].only_second == 0
    assert [name for name, one in found.items() if one.differs] == ["survival"]


def test_further_columns_are_named_and_not_compared(two: tuple[Path, Path], db: Path) -> None:
    with _changed(two[0], db) as copy:
        copy.execute("ALTER TABLE commits ADD COLUMN further TEXT")
        copy.execute("UPDATE commits SET further = id")
    found = {one.table: one for one in compare(two[0], db)}
    assert (found["commits"].columns_first, found["commits"].columns_second) == ("", "further")
    assert not any(one.differs for one in found.values())


def test_only_databases_of_ours_are_compared(
    two: tuple[Path, Path], tmp_path: Path, db: Path
) -> None:
    with contextlib.closing(sqlite3.connect(db)) as other:
        other.execute("CREATE TABLE notes (text)")
    with pytest.raises(DatabaseUnusable, match="another program"):
        compare(two[0], db)
    with pytest.raises(DatabaseUnusable, match="no database"):
        compare(two[0], tmp_path / "none.db")


def test_a_stage_may_follow_another_run_of_the_same_stage(
    two: tuple[Path, Path], tmp_path: Path
) -> None:
    """Its key names that run by its time; keys of the others say from which inputs."""
    for stage, exit_code in (("commit_quality", 0), ("claims", EXIT_CHECK_FAILED)):
        for name in ("c.db", "d.db"):
            with _changed(two[0], tmp_path / name) as copy:
                values = (stage, f"key of {name}")
                copy.execute(
                    "INSERT INTO stage_runs (repo_id, stage, subject, input_key, version,"
                    " finished_at, seconds, problems) VALUES (1, ?, '', ?, '1', '', 0, 0)",
                    values,
                )
        run("data", "compare", tmp_path / "c.db", tmp_path / "d.db", code=exit_code)
        (tmp_path / "c.db").unlink()
        (tmp_path / "d.db").unlink()
