"""A date is a witness: which commits are older than coding agents, and whose clock is not
believed.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from support.answers import analysed_store, pick
from support.histories import Build, words
from support.invariants import broken_checks

import whowrote
from attribution.authorship.dates import dated_commits
from collector.json_values import Texts
from collector.model import Commit
from collector.vocabulary.lines import Witness
from collector.vocabulary.releases import release_table, steps

COMPLETION = Witness.BEFORE_COMPLETION
AGENTS = Witness.BEFORE_AGENTS


def at(day: str) -> float:
    return datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()


def commit(name: str, day: str, *parents: str, committed: str = "") -> Commit:
    moments = at(day), at(committed or day)
    return Commit(
        name, parents, "", "Ana", "ana@x.org", moments[0], "Ana", "ana@x.org", moments[1], name
    )


def line_of(*days: str) -> list[Commit]:
    """A history without branches; commits are named by their number."""
    return [
        commit(str(number), day, *([str(number - 1)] if number else []))
        for number, day in enumerate(days)
    ]


def dated(commits: Sequence[Commit]) -> set[str]:
    return set(dated_commits(commits))


def test_each_step_has_its_own_witness_and_nothing_is_dated_after_the_last() -> None:
    history = line_of(
        "2015-03-01", "2021-06-28", "2021-06-29", "2023-03-31", "2023-04-01", "2026-01-01"
    )
    assert dated_commits(history) == {
        "0": COMPLETION,
        "1": COMPLETION,
        "2": AGENTS,
        "3": AGENTS,
    }


def test_no_step_is_later_than_the_first_release_of_its_sort() -> None:
    table = release_table()
    assert [step.witness for step in steps()] == [COMPLETION, AGENTS]
    for step in table["step"]:
        assert step["before"] <= min(
            row["date"] for row in table["release"] if row["sort"] == step["sort"]
        )
    assert all(row["source"].startswith("https://") for row in table["release"])


@pytest.mark.parametrize(
    ("authored", "committed"), [("2015-03-01", "2026-01-01"), ("2026-01-01", "2015-03-01")]
)
def test_the_later_of_the_two_dates_counts(authored: str, committed: str) -> None:
    assert not dated([commit("0", authored, committed=committed)])


def test_an_old_patch_that_is_applied_between_the_steps_has_the_later_step() -> None:
    assert dated_commits([commit("0", "2015-03-01", committed="2022-01-01")]) == {"0": AGENTS}


@pytest.mark.parametrize("day", ["1970-01-01", "1980-01-01"])
def test_a_clock_that_nobody_set_says_nothing_and_contradicts_nobody(day: str) -> None:
    assert dated(line_of("2012-01-01", day, "2014-01-01")) == {"0", "2"}


def test_an_author_without_a_clock_leaves_the_committers() -> None:
    assert dated([commit("0", "1970-01-01", committed="2014-01-01")]) == {"0"}


@pytest.mark.parametrize("forged", [1, 2, 3])
def test_commits_that_are_backdated_behind_young_ones_are_not_believed(forged: int) -> None:
    days = ["2025-01-01", "2025-02-01", *["2015-01-01"] * forged, "2025-03-01"]
    assert not dated(line_of(*days))


def test_a_commit_that_is_backdated_behind_old_ones_is_not_believed() -> None:
    days = [f"{year}-01-01" for year in range(2010, 2022)]
    history = line_of(*days, "2019-06-01", "2026-01-01")
    assert dated(history) == {str(number) for number in range(12)}


def test_of_two_commits_that_contradict_each_other_neither_is_believed() -> None:
    assert not dated(line_of("2020-05-01", "2018-05-01"))


def test_a_day_between_clocks_is_no_contradiction() -> None:
    assert dated(line_of("2018-05-02T11:00", "2018-05-01T12:00")) == {"0", "1"}


def test_a_commit_of_the_future_does_not_take_the_many_after_it_along() -> None:
    days = ["2012-01-01", "2035-01-01", *(f"2013-01-{day:02}" for day in range(1, 29))]
    assert dated(line_of(*days)) == {str(number) for number in range(30)} - {"1"}


def test_a_commit_ahead_among_old_ones_is_the_one_that_is_not_believed() -> None:
    days = ["2012-01-01", "2020-01-01", *(f"2013-01-{day:02}" for day in range(1, 29))]
    assert dated(line_of(*days)) == {str(number) for number in range(30)} - {"1"}


def test_a_rewritten_history_keeps_what_its_children_say() -> None:
    """Its first commits were made anew in 2025, the others kept their dates; some of them are
    out of order by months.
    """
    days = [f"201{year}-{month:02}-01" for year in range(2, 10) for month in range(1, 13)]
    days[40], days[60] = "2014-01-01", "1970-01-01"
    history = line_of("2025-01-09", "2025-01-09", *days)
    assert len(dated(history)) == len(days) - 2
    assert not dated(history) & {"0", "1"}


def test_an_old_branch_and_an_imported_history_that_are_merged_late_keep_their_dates() -> None:
    history = [
        commit("root", "2025-01-01"),
        commit("a", "2014-01-01"),
        commit("b", "2014-02-01", "a"),
        commit("merge", "2026-01-01", "root", "b"),
        commit("tip", "2026-01-02", "merge"),
    ]
    assert dated(history) == {"a", "b"}


@pytest.mark.parametrize("parents", [("old", "young"), ("young", "old")])
def test_a_merge_that_claims_to_be_older_than_a_parent_is_not_believed(
    parents: tuple[str, str],
) -> None:
    assert dated(
        [
            commit("old", "2014-01-01"),
            commit("young", "2025-01-01"),
            commit("m", "2015-01-01", *parents),
        ]
    ) == {"old"}


def _history(path: Path, *commits: tuple[int, Texts]) -> Path:
    """A clone; each commit adds a file for every path, with a message or an author of its own."""
    build, tree = Build(path), dict[str, Sequence[str]]()
    for number, (moment, more) in enumerate(commits):
        tree[more.get("path", f"f{number}.py")] = [*words(3, str(number)), "}", ""]
        build.commit(
            str(number),
            tree,
            time=moment,
            message=more.get("message", ""),
            author=more.get("author", ""),
        )
    build.done()
    subprocess.run(
        ["git", "-C", str(path), "symbolic-ref", "HEAD", f"refs/heads/x{len(commits)}"], check=True
    )
    return path


OLD, BETWEEN, NEW = int(at("2016-01-01")), int(at("2022-06-01")), int(at("2026-01-01"))


def _spans(path: Path) -> dict[str, set[tuple[str, str, str]]]:
    """Path of a file -> (class, evidence, witness) of its lines."""
    with analysed_store(path, path / "out.db") as store:
        assert not broken_checks(store)
        rows = store.rows(
            "SELECT path, class, evidence, COALESCE(witness, '') AS witness FROM line_spans"
        )
    result: dict[str, set[tuple[str, str, str]]] = {}
    for row in rows:
        result.setdefault(row["path"], set()).add(pick(row, "class", "evidence", "witness"))
    return result


FIRST = {("human", "dated", COMPLETION)}
SECOND = {("human", "dated", AGENTS)}


def test_a_history_without_any_session_is_dated(tmp_path: Path) -> None:
    path = _history(tmp_path / "r.git", (OLD, {}), (BETWEEN, {}), (NEW, {}))
    assert _spans(path) == {
        "f0.py": FIRST,
        "f1.py": SECOND,
        "f2.py": {("undeclared", "inferred", "")},
    }


@pytest.mark.parametrize(
    "name", ["poetry.lock", "dist/app.js", "vendor/lib.py", "app.min.js", "table.csv"]
)
def test_files_that_nobody_types_keep_their_tool_or_kind(tmp_path: Path, name: str) -> None:
    found = _spans(
        _history(tmp_path / "r.git", (OLD, {"path": name}), (OLD + 60, {"path": "docs/guide.md"}))
    )
    assert not any(evidence == "dated" for _, evidence, _ in found[name])
    assert found["docs/guide.md"] == FIRST


BOT = f"renovate[bot] <29139614+renovate[bot]@users.noreply.github.com> {OLD} +0000"


@pytest.mark.parametrize(
    "more",
    [
        {"author": BOT},
        {"message": "Fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>"},
        {"message": "Fix\n\nEntire-Checkpoint: a1b2c3d4e5f6"},
        {"author": f"Ana <ana@x.org> {NEW} +0000"},
    ],
    ids=["bot", "agent", "checkpoint", "authored later"],
)
def test_a_commit_that_says_something_else_is_not_dated(tmp_path: Path, more: Texts) -> None:
    found = _spans(_history(tmp_path / "r.git", (OLD, {}), (OLD + 60, more)))
    assert found["f0.py"] == FIRST
    assert not any(evidence == "dated" for _, evidence, _ in found["f1.py"])


def test_why_says_when_the_author_of_an_undeclared_line_first_gave_a_sign(tmp_path: Path) -> None:
    """Behind the last step a line stays undeclared; the first sign of its author decides
    nothing.
    """
    ana, ben = (f"{name} <{name}@x.org> {NEW} +0000" for name in ("Ana", "Ben"))
    declared = "Fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>"
    path = _history(
        tmp_path / "r.git",
        (OLD, {}),
        (NEW, {"author": ana}),
        (NEW + 60, {"author": ben}),
        (NEW + 120, {"author": ana.replace(str(NEW), str(NEW + 120)), "message": declared}),
    )
    _spans(path)
    with whowrote.open(path / "out.db") as database:
        told = {
            f"f{number}.py": " ".join(database.explain(f"f{number}.py", 1).evidence)
            for number in range(4)
        }
    assert "Ana first gave a sign of an agent here on 2026-01-01" in told["f1.py"]
    assert "Ben gave no sign of an agent in this history" in told["f2.py"]
    assert "2021-06-29" in told["f0.py"] and "sign" not in told["f0.py"] + told["f3.py"]
