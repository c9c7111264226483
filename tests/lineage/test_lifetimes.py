"""The stored history: rows of constructed histories, going on from a save, windows, gaps, and
who ended a line.
"""

from __future__ import annotations

import random
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.answers import pick
from support.histories import Build, random_history, text, with_lost_version, words

from attribution.authorship.options import AttributeOptions
from attribution.lineage import reverts
from attribution.lineage.fates import AuthoredSpan, CommitVerdicts, LineFate, StoredLifetime, fates
from attribution.lineage.model import Fingerprint
from attribution.lineage.requests import HistoryRequest, HistoryUpdate
from attribution.queries import survival as lifetimes
from attribution.queries.checks import checks
from attribution.stages import survival as chronicle
from attribution.stages.history import follow_history, parent_before_first, stored_history
from attribution.stages.lines import attribute_repo
from attribution.stats.comparison import compare
from collector.git.repository import GitRepo
from collector.json_values import RowValues
from collector.runtime.stages import RunContext
from collector.storage.store import Store

EXACT = HistoryRequest(full=True, keep=False)
LOOSE = HistoryRequest(full=True, keep=True)
CLAUDE = "\n\nCo-Authored-By: Claude Opus 4.6 <noreply@anthropic.com>"


class Shop:
    """One database and what was done to it."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.store = Store(directory / "lives.db")

    def follow(self, build: Build, tip: str, wanted: HistoryRequest = LOOSE) -> HistoryUpdate:
        """Attributes up to `tip` and follows its lines; every promise of the database must hold."""
        repo = GitRepo(build.where)
        done = attribute_repo(self.store, build.where, AttributeOptions(branch=build.sha[tip]))
        updated = follow_history(RunContext(self.store, repo, done.repo_id), build.sha[tip], wanted)
        chronicle.fill_survival(self.store, done.repo_id)
        assert [(c.name, c.rows) for c in checks(self.store) if c.broken] == []
        return updated

    def rows(self, sql: str, *parameters: Any) -> list[RowValues]:
        return list(self.store.connection.execute(sql, parameters))

    def lives(self) -> set[RowValues]:
        return set(self.rows(_LIVES))

    def everything(self) -> dict[str, list[RowValues]]:
        """All that must not depend on the way the tip was reached."""
        return {name: sorted(self.rows(sql), key=repr) for name, sql in _ALL.items()}

    def ended(self, build: Build) -> set[tuple[str, str, int, str, str]]:
        """(born in, path, first line, ended by, cause)."""
        return {
            (build.name[b], path, line, build.name[d], cause)
            for b, path, line, _, d, cause, *_ in self.lives()
            if d
        }


_LIVES = """
SELECT b.commit_sha, l.path, l.start_line, l.end_line, d.commit_sha, l.cause, g.commit_sha,
  l.nonblank, l.blank_lines, l.kind,
  l.at_merge, l.into_path, l.into_start, l.into_end, b.reverted_by IS NOT NULL FROM line_lifetimes l
JOIN history_commits b ON b.id = l.birth LEFT JOIN history_commits d ON d.id = l.death
LEFT JOIN history_commits g ON g.id = l.gone_from_main
"""
_ALL = {
    "lives": _LIVES,
    "moves": (
        "SELECT h.commit_sha, t.path, t.start_line, t.end_line, t.how FROM line_moves t JOIN"
        " history_commits h ON h.id = t.commit_id"
    ),
    "commits": (
        "SELECT h.commit_sha, p.commit_sha, l.commit_sha, r.commit_sha, h.lines_born, h.lines_gone,"
        " h.lines_came, h.lines_present, h.patch, h.inverse FROM history_commits h LEFT JOIN"
        " history_commits p ON p.id = h.first_parent LEFT JOIN history_commits l ON l.id = h.landed"
        " LEFT JOIN history_commits r ON r.id = h.reverts"
    ),
    "tip": "SELECT tip_sha, after_sha, lines, copies, commits FROM tip_states",
    "survival": (
        "SELECT grouping, name, author, unit, horizon, at_risk, share, low, high, enough FROM"
        " survival"
    ),
}


@pytest.fixture
def build(tmp_path: Path) -> Build:
    return Build(tmp_path / "repo.git")


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path / "db")


# --- rows -----------------------------------------------------------------------------------------


def test_a_life_from_birth_to_death(build: Build, shop: Shop) -> None:
    build.commit("one", {"f": ["a", "", "c", "d"]})
    build.commit("two", {"f": ["a", "", "C"]})
    build.done()
    assert shop.follow(build, "two").state == "new"
    one, two = pick(build.sha, "one", "two")
    assert shop.lives() == {
        (one, "f", 1, 2, None, None, None, 1, "2", "text", 0, None, None, None, 0),
        (one, "f", 3, 4, two, "modified", two, 2, None, "text", 0, "f", 3, 3, 0),
        (two, "f", 3, 3, None, None, None, 1, None, "text", 0, None, None, None, 0),
    }
    assert shop.rows("SELECT lines, youngest_days * 24, cause FROM deletions") == [
        (2, 1.0, "modified")
    ]


def test_lines_of_a_file_with_one_fate_are_one_record(build: Build, shop: Shop) -> None:
    lines = words(6)
    changed = [
        f"{line}, changed" if number in (2, 4) else line for number, line in enumerate(lines, 1)
    ]
    build.commit("one", {"f.py": [*lines], "g.py": words(2, "g")})
    build.commit("two", {"f.py": [*changed], "g.py": words(2, "g")})
    build.done()
    shop.follow(build, "two")
    found = [(r.path, r.birth, r.dead, r.lines) for r in lifetimes.records_of(shop.store, [1])]
    one, two = (
        shop.rows("SELECT id FROM history_commits WHERE commit_sha = ?", build.sha[name])[0][0]
        for name in ("one", "two")
    )
    assert found == [
        ("f.py", one, False, 4),
        ("f.py", one, True, 2),
        ("g.py", one, False, 2),
        ("f.py", two, False, 2),
    ]


def test_lines_that_travel_keep_their_life(build: Build, shop: Shop) -> None:
    block = ["def moved(argument):", "    return argument.something_long()", "", "}"]
    build.commit("one", {"a": [*block, *words(3, "a")], "b": words(3, "b")})
    build.commit(
        "two",
        {"a": words(3, "a"), "b": [*words(3, "b"), *(f"  {line}" for line in block)]},
    )
    build.done()
    shop.follow(build, "two")
    assert not shop.ended(build)
    assert shop.rows("SELECT path, start_line, end_line, how FROM line_moves") == [
        ("b", 4, 7, "moved")
    ]
    assert shop.follow(build, "two", EXACT).state == "again"
    assert {death[4] for death in shop.ended(build)} == {"deleted"}
    assert not shop.rows("SELECT 1 FROM line_moves")


def test_a_merge_with_lines_of_its_own_and_a_dropped_branch(build: Build, shop: Shop) -> None:
    build.commit("base", {"f": ["a", "b", "c"]})
    build.commit("left", {"f": ["a", "b", "c", "left"]})
    build.commit("right", {"f": ["right", "a", "b", "c"]}, "base")
    build.commit("merge", {"f": ["right", "a", "evil", "left"]}, "left right")
    build.done()
    shop.follow(build, "merge", EXACT)
    assert {(d[0], d[3], d[4]) for d in shop.ended(build)} == {("base", "merge", "merge")}
    assert shop.rows("SELECT actor, actor_how FROM line_fates WHERE actor IS NOT NULL") == [
        ("unknown", "none")
    ]
    assert shop.rows("SELECT end_line - start_line + 1 FROM line_lifetimes WHERE at_merge = 1") == [
        (1,)
    ]


def test_times_that_run_backwards_roots_and_empty_commits(build: Build, shop: Shop) -> None:
    build.commit("one", {"f": ["a"], "g": ["gone"]}, time=2_000_000_000)
    build.commit("root", {"h": ["h"]}, "", time=1_500_000_000)
    build.commit("nothing", {"f": ["a"], "g": ["gone"]}, "one", time=1_000_000_000)
    build.commit("join", {"f": ["a"], "h": ["h"]}, "nothing root", time=900_000_000)
    build.commit("two", {"f": ["b"], "h": ["h"]}, time=100)
    build.done()
    shop.follow(build, "two")
    assert all(
        r.days >= 0 and r.follow_days >= 0
        for r in lifetimes.records_of(shop.store, [1], every_kind=True)
    )
    assert {(d[0], d[3]) for d in shop.ended(build)} == {("one", "join"), ("one", "two")}


# --- commits that take others back ----------------------------------------------------------------


def test_reverts_by_message_and_by_patch(build: Build, shop: Shop) -> None:
    long = "a line that says enough to be known again"
    build.commit("base", {"f": ["a", "z"]})
    build.commit("feature", {"f": ["a", long, "z"]})
    build.commit("inverse", {"f": ["a", "z"]})
    build.commit("again", {"f": ["a", long, "z"]})
    build.done()
    shop.follow(build, "again")
    assert shop.ended(build) == {("feature", "f", 2, "inverse", "reverted")}
    found = shop.rows(
        "SELECT a.commit_sha, b.commit_sha FROM history_commits a JOIN history_commits b ON b.id ="
        " a.reverts ORDER BY a.number"
    )
    assert [(build.name[a], build.name[b]) for a, b in found] == [
        ("inverse", "feature"),
        ("again", "inverse"),
    ]
    assert shop.rows(
        "SELECT MIN(reverted_later), SUM(lines) FROM line_histories WHERE birth_sha = ?",
        build.sha["feature"],
    ) == [(1, 1)]


def test_a_merge_that_is_taken_back(build: Build, shop: Shop, tmp_path: Path) -> None:
    draft = Build(tmp_path / "draft.git")
    for one in (draft, build):
        one.commit("base", {"f": ["a"]}, "")
        one.commit("side", {"f": ["a"], "g": ["short"]}, "base")
        one.commit("main", {"f": ["a", "b"]}, "base")
        one.commit("merge", {"f": ["a", "b"], "g": ["short"]}, "main side")
    draft.done()
    message = (
        f"Revert it\n\nThis reverts commit {draft.sha['merge']}, reversing\nchanges made to"
        f" {draft.sha['main']}."
    )
    build.commit("back", {"f": ["a", "b"]}, "merge", message=message)
    build.done()
    shop.follow(build, "back")
    assert shop.ended(build) == {("side", "g", 1, "back", "reverted")}
    flagged = shop.rows("SELECT commit_sha FROM history_commits WHERE reverted_by IS NOT NULL")
    assert {build.name[sha] for (sha,) in flagged} == {"side", "merge"}


def test_which_messages_name_a_commit() -> None:
    assert (
        reverts.named_commit("Revert x\n\nThis reverts commit 0123456789abcdef.")
        == "0123456789abcdef"
    )
    assert (
        reverts.named_commit("This reverts commit 0123456 and\nThis reverts commit 89abcde") is None
    )
    assert reverts.named_commit("Reverts nothing") is None


def test_a_revert_that_was_reverted_takes_nothing_back() -> None:
    a, b, c, d = (letter * 40 for letter in "abcd")
    first = (a, "Add")
    second = (b, f"Revert\n\nThis reverts commit {a}.")
    assert reverts.taken_back([first, second]) == {a}
    assert reverts.taken_back([first, second, (c, f"Again\n\nThis reverts commit {b[:9]}.")]) == {b}
    assert reverts.taken_back([first, (d, "This reverts commit 1234567.")]) == set()


def test_inverse_patches_are_paired_with_the_latest() -> None:
    shas = ["a" * 40, "b" * 40, "c" * 40]
    patches = [(0, Fingerprint("p", "q")), (1, Fingerprint("q", "p")), (2, Fingerprint("p", "q"))]
    assert reverts.reverts({}, patches, shas, {}) == {1: 0, 2: 1}
    assert reverts.reverts({2: "a" * 8, 1: "f" * 8}, [], shas, {}) == {2: 0}


# --- again and again ------------------------------------------------------------------------------


def test_an_unchanged_history_is_not_followed_again(
    build: Build, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    build.commit("one", {"f": ["a"]})
    build.done()
    shop.follow(build, "one")
    monkeypatch.setattr(GitRepo, "open_scratch", lambda _: pytest.fail("the history is read"))
    monkeypatch.setattr(
        "attribution.stages.survival._spans", lambda *_: pytest.fail("the authors are read")
    )
    before = shop.store.connection.total_changes
    assert shop.follow(build, "one").state == "unchanged"
    assert shop.store.connection.total_changes == before


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("wanted", [EXACT, LOOSE], ids=["exact", "kept"])
def test_going_on_from_a_save_equals_starting_anew(
    build: Build, tmp_path: Path, seed: int, wanted: HistoryRequest
) -> None:
    tip = random_history(build, random.Random(300 + seed), 24)
    build.done()
    chain = subprocess.run(
        ["git", "-C", str(build.where), "rev-list", "--first-parent", "--reverse", build.sha[tip]],
        capture_output=True,
        check=True,
    )
    stops = [build.name[sha] for sha in chain.stdout.decode().split()]
    steps = Shop(tmp_path / "steps")
    anew = Shop(tmp_path / "anew")
    states = [steps.follow(build, name, wanted).state for name in [*stops[::3], tip]]
    assert states[0] == "new" and set(states[1:]) <= {"continued", "unchanged"}
    anew.follow(build, tip, wanted)
    assert steps.everything() == anew.everything()


def test_a_rewritten_branch_is_followed_anew(build: Build, tmp_path: Path) -> None:
    build.commit("base", {"f": ["a", "b", "c"]})
    build.commit("old", {"f": ["a", "b", "old"]})
    build.commit("new", {"f": ["a", "new", "c"]}, "base")
    build.done()
    moved = Shop(tmp_path / "moved")
    anew = Shop(tmp_path / "anew")
    moved.follow(build, "old")
    done = moved.follow(build, "new")
    assert done.state == "again" and "rewritten" in done.notes[0]
    anew.follow(build, "new")
    assert moved.everything() == anew.everything()


def test_new_verdicts_need_no_new_pass(
    build: Build, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    build.commit("one", {"f": ["a", "b"]})
    build.done()
    shop.follow(build, "one")
    shop.store.connection.execute("UPDATE stage_runs SET input_key = 'other' WHERE stage = 'lines'")
    shop.store.connection.execute("DELETE FROM line_fates")
    monkeypatch.setattr(
        "attribution.stages.history._walk", lambda *_: pytest.fail("the history is followed again")
    )
    chronicle.fill_survival(shop.store, 1)
    assert shop.rows("SELECT SUM(lines) FROM line_fates") == [(2,)]


def test_new_verdicts_leave_no_old_fates_behind(build: Build, shop: Shop) -> None:
    build.commit("one", {"f": ["a", "b"], "link": ("120000", b"f")})
    build.commit("two", {"f": ["a", "c"], "link": ("120000", b"f")})
    build.done()
    shop.follow(build, "one")
    attribute_repo(shop.store, build.where, AttributeOptions(branch=build.sha["two"]))
    assert [c.name for c in checks(shop.store) if c.broken] == []
    assert not shop.rows("SELECT 1 FROM line_fates UNION SELECT 1 FROM survival")
    assert shop.follow(build, "two").state == "continued"
    assert lifetimes.left_out(shop.store, [1]) == {"not_attributed": 1}


def test_going_on_without_new_commits_changes_nothing(build: Build, shop: Shop) -> None:
    tip = random_history(build, random.Random(400), 16)
    build.done()
    shop.follow(build, tip)
    before = shop.everything()
    shop.store.connection.execute("DELETE FROM stage_runs WHERE stage = 'history'")
    done = shop.follow(build, tip)
    assert (done.state, done.commits) == ("continued", 0)
    assert shop.everything() == before


def test_a_damaged_save_is_not_used(build: Build, shop: Shop) -> None:
    build.commit("one", {"f": ["a"]})
    build.commit("two", {"f": ["a", "b"]})
    build.done()
    shop.follow(build, "one")
    assert stored_history(shop.store, 1) is not None
    shop.store.connection.execute("UPDATE tip_states SET state = x'00'")
    assert stored_history(shop.store, 1) is None
    assert shop.follow(build, "two").state == "again"


# --- windows --------------------------------------------------------------------------------------


def windowed(build: Build) -> None:
    build.commit("c0", {"f": words(6)}, "")
    build.commit("c1", {"f": [*words(6), "one"]})
    build.commit("side", {"f": words(6), "g": ["by an agent"]}, "c0", message="side" + CLAUDE)
    build.commit("c2", {"f": [*words(5), "two", "one"]}, "c1")
    build.commit("merge", {"f": [*words(5), "two", "one"], "g": ["by an agent"]}, "c2 side")
    build.commit("c3", {"f": ["three", *words(5)[1:], "two"], "g": ["by an agent"]})
    build.done()


def test_the_window_begins_before_the_first_agent_reached_the_main_line(
    build: Build, shop: Shop
) -> None:
    windowed(build)
    done = shop.follow(build, "c3", HistoryRequest())
    assert done.after == build.sha["c2"]
    inside = {build.name[sha] for (sha,) in shop.rows("SELECT commit_sha FROM history_commits")}
    assert inside == {"side", "merge", "c3"}
    assert {(build.name[b], path) for b, path, *_ in shop.lives()} == {("side", "g"), ("c3", "f")}


def test_a_copy_of_lines_from_before_the_window_is_neither_born_nor_counted(
    build: Build, shop: Shop
) -> None:
    """One file becomes two: a rename and a new file for git's diff, two heirs for git's blame."""
    build.commit("c0", {"f": words(9), "h": ["h"]})
    build.commit(
        "c1",
        {"f": words(9), "h": ["h"], "g": ["by an agent"]},
        message="c1" + CLAUDE,
    )
    build.commit(
        "c2",
        {"a/f": words(9), "b/f": words(9), "h": ["h"], "g": ["by an agent"]},
    )
    build.done()
    done = shop.follow(build, "c2", HistoryRequest())
    assert done.after == build.sha["c0"]
    sql = (
        "SELECT f.status, f.lines_added FROM commits c JOIN commit_files f ON f.commit_id = c.id"
        " WHERE commit_sha = ? ORDER BY 1"
    )
    assert shop.rows(sql, build.sha["c2"]) == [("A", 9), ("R", 0)]
    assert shop.rows(
        "SELECT lines_born, lines_came FROM history_commits WHERE commit_sha = ?", build.sha["c2"]
    ) == [(0, 0)]


def test_the_whole_history_on_request(build: Build, tmp_path: Path) -> None:
    windowed(build)
    shop = Shop(tmp_path / "a")
    shop.follow(build, "c3", HistoryRequest())
    assert shop.follow(build, "c3", HistoryRequest(full=True)).state == "again"
    assert len(shop.rows("SELECT 1 FROM history_commits")) == 6
    assert shop.follow(build, "c3", HistoryRequest(full=None, keep=None)).state == "unchanged"


def test_without_any_agent_the_whole_history_is_followed(build: Build, shop: Shop) -> None:
    build.commit("one", {"f": ["a"]})
    build.commit("two", {"f": ["a", "b"]})
    build.done()
    done = shop.follow(build, "two", HistoryRequest())
    assert done.after == "" and "no commit names an agent" in done.notes[0]
    records = lifetimes.records_of(shop.store, [1], every_kind=True)
    assert {r.author for r in records} == {"undeclared"}
    assert compare(records, "human").excess_rework is None


def test_where_the_window_begins() -> None:
    parents = {"m3": ["m2", "s2"], "m2": ["m1"], "m1": ["m0"], "m0": [], "s2": ["s1"], "s1": ["m0"]}
    assert parent_before_first(parents, "m3", {"s1"}) == "m2"
    assert parent_before_first(parents, "m3", {"m1", "s1"}) == "m0"
    assert parent_before_first(parents, "m3", {"m0"}) == ""
    assert parent_before_first(parents, "m3", set()) == ""


# --- what a clone cannot show ---------------------------------------------------------------------


def test_missing_blobs_are_censored_and_counted(build: Build, shop: Shop) -> None:
    with_lost_version(build)
    shop.follow(build, "three", EXACT)
    assert shop.rows("SELECT code FROM problems WHERE stage = 'history'") == [
        ("missing_blob",),
        *[("file_unread",)] * 2,
    ]
    assert {cause for _, _, _, _, cause in shop.ended(build)} == {"unreadable"}
    records = lifetimes.records_of(shop.store, [1], every_kind=True)
    assert sum(r.lines for r in records if r.lost) == 2 and not any(r.dead for r in records)
    assert lifetimes.left_out(shop.store, [1]) == {"uncertain": 3}


def test_large_files_are_bounded_and_flagged(build: Build, shop: Shop) -> None:
    small = text(*words(3))
    big = text(*words(400))
    build.commit("one", {"f": ["a"], "generated": small})
    build.commit("two", {"f": ["a"], "generated": big})
    build.commit("three", {"f": ["a"], "generated": big + b"more\n"})
    build.commit("four", {"f": ["a"], "generated": small})
    build.done()
    shop.follow(build, "four", replace(LOOSE, max_file=1000))
    codes = shop.rows("SELECT code, detail FROM problems WHERE stage = 'history'")
    assert {code for code, _ in codes} == {"too_large", "file_unread"} and "bytes" in codes[0][1]
    assert {(d[1], d[4]) for d in shop.ended(build)} == {("generated", "unreadable")}
    assert sum(r.lines for r in lifetimes.records_of(shop.store, [1], every_kind=True)) == 4
    assert [life[1:4] for life in shop.lives() if life[0] == build.sha["four"]] == [
        ("generated", 1, 3)
    ]


# --- who wrote and who ended ----------------------------------------------------------------------


def life(origin: int, start: int, end: int, **more: Any) -> StoredLifetime:
    return StoredLifetime(
        origin,
        1,
        "f",
        start,
        end,
        more.get("blank", ()),
        more.get("death"),
        more.get("cause"),
        more.get("into"),
    )


def test_a_life_is_cut_where_its_author_changes() -> None:
    spans = {
        (1, "f"): [AuthoredSpan(1, 3, 2, 10, "agent", 7), AuthoredSpan(4, 4, 1, 11, "human", None)]
    }
    found = list(fates([life(100, 2, 6, blank=(3, 6))], CommitVerdicts(spans)))
    assert found == [
        LineFate(100, 100, 2, 1, 10, None, None, None),
        LineFate(102, 100, 1, 1, 11, None, None, None),
        LineFate(103, 100, 2, 1, None, None, None, None),
    ]


@pytest.mark.parametrize(
    ("spans", "actor"),
    [
        ([AuthoredSpan(1, 5, 5, 1, "agent", 7)], ("agent", 7, "replaced")),
        (
            [AuthoredSpan(1, 3, 3, 1, "agent", 7), AuthoredSpan(4, 5, 2, 2, "agent", 8)],
            ("agent", None, "replaced"),
        ),
        (
            [AuthoredSpan(1, 3, 3, 1, "agent", 7), AuthoredSpan(4, 5, 0, 2, "unknown", None)],
            ("agent", 7, "replaced"),
        ),
        (
            [AuthoredSpan(1, 3, 3, 1, "agent", 7), AuthoredSpan(4, 5, 2, 2, "human", None)],
            ("unknown", None, "none"),
        ),
        (
            [AuthoredSpan(2, 4, 3, 1, "human", None), AuthoredSpan(6, 9, 4, 2, "agent", 7)],
            ("human", None, "replaced"),
        ),
        ([AuthoredSpan(2, 4, 3, 1, "likely_human", None)], ("unknown", None, "none")),
        ([AuthoredSpan(1, 5, 5, 1, "unknown", None)], ("unknown", None, "none")),
        ([], ("unknown", None, "none")),
    ],
)
def test_whoever_wrote_what_came_instead_ended_the_line(
    spans: list[AuthoredSpan], actor: tuple[str, int | None, str]
) -> None:
    assert CommitVerdicts({(2, "f"): spans}).actor(2, ("f", 1, 5)) == actor


@pytest.mark.parametrize(
    ("sessions", "spans", "actor"),
    [
        ({7}, [], ("agent", 7, "file")),
        ({7}, [AuthoredSpan(1, 2, 2, 1, "agent", 7)], ("agent", 7, "file")),
        ({7}, [AuthoredSpan(1, 2, 2, 1, "agent", 8)], ("unknown", None, "none")),
        ({7}, [AuthoredSpan(1, 2, 2, 1, "human", None)], ("unknown", None, "none")),
        ({7, 8}, [], ("unknown", None, "none")),
        (set(), [], ("unknown", None, "none")),
    ],
)
def test_where_nothing_came_instead(
    sessions: set[int], spans: list[AuthoredSpan], actor: tuple[str, int | None, str]
) -> None:
    assert CommitVerdicts({(2, "f"): spans}, {(2, "f"): sessions}).actor(2, ("f", 3, 2)) == actor
