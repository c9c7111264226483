"""The lines of the tip by author: the pure cutting, and the tables of built repositories against
their own files.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.answers import select
from support.builder import git
from support.commands import check, clone, run

from attribution.lineage.tip import Authors, TipPiece, WrittenLines, join_neighbours
from collector.json_values import Texts
from collector.storage.store import Store
from collector.vocabulary.lines import LINE_CLASSES

ONE = WrittenLines(1, 3, 7, 100, "a", 11)
TWO = WrittenLines(4, 2, 8, 101, "a", 1)
BLANK = [1, 0, 1, 0, 0, 0]


def cut(*rows: tuple[int, int]) -> list[TipPiece]:
    return join_neighbours(Authors([ONE, TWO], BLANK).pieces(rows))


def test_a_file_is_cut_where_the_author_changes() -> None:
    assert cut((1, 5)) == [TipPiece(1, 3, 2, ONE), TipPiece(4, 5, 2, TWO)]


def test_neighbours_that_follow_each_other_in_their_commit_are_one_piece() -> None:
    assert [(p.start, p.end, p.nonblank) for p in cut((1, 1), (2, 2))] == [(1, 3, 2)]


def test_lines_of_one_commit_in_another_order_stay_apart() -> None:
    assert [(p.start, p.end, p.written.line if p.written else 0) for p in cut((3, 1), (1, 2))] == [
        (1, 1, 13),
        (2, 3, 11),
    ]


def test_lines_from_before_the_window_are_one_piece_without_an_author() -> None:
    assert cut((0, 4), (0, 1), (5, 1)) == [
        TipPiece(1, 5, 0, None),
        TipPiece(6, 6, 1, TWO._replace(origin=5, lines=1, line=2)),
    ]


def test_origins_nobody_accounts_for_have_no_author() -> None:
    assert cut((5, 3)) == [
        TipPiece(1, 1, 1, TWO._replace(origin=5, lines=1, line=2)),
        TipPiece(2, 3, 0, None),
    ]


@pytest.mark.parametrize(
    "case", ["example", "rename_with_edit", "merge_with_own_lines", "no_final_newline", "odd_files"]
)
def test_the_tip_has_exactly_the_lines_of_its_files(case: str, tmp_path: Path, db: Path) -> None:
    """Files of text against git; every line has the author that the spans of its birth say."""
    repo = clone(case, tmp_path)
    run("survival", repo, "--no-curves", "--full", db=db)
    with Store(db) as store:
        files = store.rows("SELECT * FROM tip_files")
        assert files
        kinds: Texts = dict(select(store, "SELECT path, kind FROM commit_files ORDER BY commit_id"))
        assert all(f["kind"] == kinds.get(f["path"], f["kind"]) for f in files)
        for f in files:
            shown = git(repo, "show", f"HEAD:{f['path']}") if "\\" not in f["path"] else None
            if shown is not None and b"\0" not in shown:
                lines = shown.split(b"\n")
                assert f["lines"] == len(lines) - (lines[-1] == b"")
                with_text = sum(bool(line.strip()) for line in lines)
                classes = sum(f[n] for n in LINE_CLASSES)
                assert classes == with_text or (f["older"] and classes < with_text), f["path"]
            elif shown is not None:
                assert f["lines"] == f["older"] == sum(f[n] for n in LINE_CLASSES) == 0, (
                    "git counts lines in it, people do not"
                )
        wrong = store.rows(
            "SELECT t.* FROM tip_spans t JOIN origins o ON o.id = t.origin_id JOIN history_commits"
            " h ON h.id = t.birth JOIN commits c ON c.commit_sha = h.commit_sha WHERE NOT EXISTS"
            " (SELECT 1 FROM line_spans s WHERE s.commit_id = c.id AND s.author = o.author AND"
            " t.birth_line >= s.start_line AND t.birth_line + t.end_line - t.start_line <="
            " s.end_line)"
        )
        assert wrong == []
    check(db)
