"""Small histories whose regions and outcomes are known because they were made so: built,
attributed, compared.

Each case says what a person who made it knows; nothing of it is computed by the program.
`benchmarks/accuracy.py` counts them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attribution.authorship.options import AttributeOptions
from attribution.lineage.requests import HistoryRequest
from attribution.stages import survival as chronicle
from attribution.stages.history import follow_history as follow
from attribution.stages.lines import attribute_repo
from collector.git.repository import GitRepo
from collector.json_values import JsonObject
from collector.runtime.stages import RunContext
from collector.storage.store import Store
from support.builder import World
from support.builder.model import Commit
from support.builder.session import Session
from support.invariants import broken_checks

APP = (
    "def total(rows):\n    return sum(rows)\n\n\ndef first(rows):\n    return rows[0]\n\n\ndef"
    " last(rows):\n    return rows[-1]\n"
)
MEAN = "def mean(rows):\n    return total(rows) / len(rows)\n"
MEDIAN = "def median(rows):\n    ordered = sorted(rows)\n    return ordered[len(ordered) // 2]\n"


@dataclass(slots=True)
class Truth:
    """What is known of a case. Regions: by session, the sorted (convergence or "" for edited
    once, rounds) of each.
    """

    world: World
    features: dict[str, JsonObject] = field(default_factory=dict)  # session -> column -> value
    regions: dict[str, list[tuple[str, int]]] = field(default_factory=dict)
    # commit -> whether it was reverted later
    reverted: dict[str, bool] = field(default_factory=dict)


Case = Callable[[World], Truth]
CASES: dict[str, Case] = {}


def case(make: Case) -> Case:
    CASES[make.__name__] = make
    return make


@dataclass(frozen=True, slots=True)
class Answer:
    question: str
    expected: Any
    said: Any


def answers(make: Case, directory: Path) -> list[Answer]:
    """Builds one case, attributes it, follows its lines: what was asked, what is true, what the
    program says.
    """
    world = World("orchard")
    world.human_write("app.py", APP)
    world.commit("Start by hand")
    truth = make(world)
    path = world.build(directory / "repo")
    with Store(directory / "out.db") as store:
        done = attribute_repo(store, path, AttributeOptions())
        repo = GitRepo(path)
        follow(RunContext(store, repo, done.repo_id), repo.default_branch().sha, HistoryRequest())
        chronicle.fill_survival(store, done.repo_id)
        assert not broken_checks(store)
        return _said(store, truth)


def _said(store: Store, truth: Truth) -> list[Answer]:
    found = []
    for key, expected in truth.features.items():
        (row,) = store.rows(
            "SELECT f.* FROM session_features f JOIN sessions s ON s.id = f.session_id WHERE"
            " s.key = ?",
            (key,),
        )
        found += [
            Answer(name, value, json.loads(row[name]) if isinstance(value, list) else row[name])
            for name, value in expected.items()
        ]
    for key, regions in truth.regions.items():
        rows = store.rows(
            "SELECT g.convergence, g.rounds FROM regions g JOIN sessions s ON s.id = g.session_id"
            " WHERE s.key = ?",
            (key,),
        )
        said = sorted((row["convergence"] or "", row["rounds"]) for row in rows)
        found.append(Answer("regions", sorted(regions), said))
    for sha, reverted in truth.reverted.items():
        (row,) = store.rows(
            "SELECT reverted_by IS NOT NULL AS it FROM history_commits WHERE commit_sha = ?", (sha,)
        )
        found.append(Answer("reverted_later", reverted, bool(row["it"])))
    return found


def _work(world: World, prompt: str = "Please help", **more: Any) -> Session:
    return world.session(**more, prompt=prompt)


def _taken(world: World, session: Session) -> Commit:
    session.end_turn()
    return world.commit("Take it", [session])


def _left(world: World, session: Session) -> None:
    """The session ends and something else is committed with its checkpoint."""
    session.end_turn()
    world.human_write("notes.md", "Nothing.\n")
    world.commit("Notes", [session], paths=["notes.md"])


def _truth(world: World, session: Session, **features: Any) -> Truth:
    """Features of one session."""
    return Truth(world, {session.id: features})


def _edit_app(
    world: World, regions: list[tuple[str, int]], *edits: tuple[str, str], **features: Any
) -> Truth:
    """A session that makes these edits in `app.py`, all of which are committed."""
    one = _work(world)
    for old, new in edits:
        one.edit("app.py", old, new)
    _taken(world, one)
    return Truth(world, {one.id: features}, {one.id: regions})


# --- which edits are one region -------------------------------------------------------------------


@case
def one_edit_one_region(world: World) -> Truth:
    return _edit_app(
        world,
        [("", 1)],
        ("return sum(rows)", "return sum(rows or [0])"),
        region_count=1,
        region_re_edit_count=0,
    )


@case
def two_functions_two_regions(world: World) -> Truth:
    return _edit_app(
        world,
        [("", 1), ("", 1)],
        ("return sum(rows)", "return sum(rows or [0])"),
        ("return rows[-1]", "return rows[-1] if rows else None"),
        region_count=2,
        region_re_edit_count=0,
    )


@case
def lines_above_do_not_matter(world: World) -> Truth:
    return _edit_app(
        world,
        [("", 1), ("converging", 2)],
        ("return rows[-1]", "return rows[-1] if rows else None"),
        ("def total(rows):\n", "import math\n\n\ndef total(rows):\n"),
        ("return rows[-1] if rows else None", "return rows[len(rows) - 1] if rows else 0"),
        region_re_edit_count=1,
    )


@case
def inserting_inside_joins(world: World) -> Truth:
    return _edit_app(
        world,
        [("converging", 2)],
        ("    return rows[-1]\n", "    return rows[-1]\n\n\n" + MEDIAN),
        ("    ordered = sorted(rows)\n", "    ordered = sorted(rows)\n    assert ordered\n"),
    )


@case
def inserting_below_does_not_join(world: World) -> Truth:
    return _edit_app(
        world,
        [("", 1), ("", 1)],
        ("    return rows[-1]\n", "    return rows[-1]\n\n\n" + MEAN),
        (
            "    return total(rows) / len(rows)\n",
            "    return total(rows) / len(rows)\n\n\n" + MEDIAN,
        ),
    )


@case
def a_wider_edit_joins_two_places(world: World) -> Truth:
    return _edit_app(
        world,
        [("expanding", 3)],
        ("    return sum(rows)\n", "    return sum(rows or [0])\n"),
        ("    return rows[0]\n", "    return rows[0] if rows else None\n"),
        (
            "    return sum(rows or [0])\n\n\ndef first(rows):\n"
            "    return rows[0] if rows else None\n",
            "    pass\n",
        ),
        region_count=1,
    )


@case
def what_was_removed_comes_back_to_its_place(world: World) -> Truth:
    one = _work(world)
    one.edit("app.py", "def first(rows):\n    return rows[0]\n\n\n", "")
    one.edit(
        "app.py", "def last(rows):\n", "def first(rows):\n    return rows[0]\n\n\ndef last(rows):\n"
    )
    _left(world, one)
    truth = {"changes_reverted": 1, "reverted_by": "agent", "output_applied": 0}
    return Truth(world, {one.id: truth}, {one.id: [("oscillating", 2)]})


@case
def back_to_what_another_session_wrote(world: World) -> Truth:
    one = _work(world)
    one.edit("app.py", "return rows[-1]", "return rows[-2]")
    _taken(world, one)
    world.wait(4_000)
    two = _work(world)
    two.edit("app.py", "return rows[-2]", "return rows[-3]")
    two.edit("app.py", "return rows[-3]", "return rows[-2]")
    _left(world, two)
    truth = {"changes_reverted": 1, "reverted_by": "agent", "prior_sessions_same_region": 1}
    return Truth(world, {two.id: truth}, {one.id: [("", 1)], two.id: [("oscillating", 2)]})


@case
def a_new_file_is_one_region(world: World) -> Truth:
    one = _work(world)
    one.write("stats.py", MEAN)
    one.edit("stats.py", "len(rows)", "max(len(rows), 1)")
    _taken(world, one)
    return Truth(world, {one.id: {"region_count": 1}}, {one.id: [("converging", 2)]})


# --- how a region develops ------------------------------------------------------------------------


@case
def smaller_and_smaller(world: World) -> Truth:
    return _edit_app(
        world,
        [("converging", 3)],
        ("    return rows[-1]\n", "    a = 1\n    b = 2\n    c = 3\n    return a\n"),
        ("    a = 1\n    b = 2\n", "    a = 10\n    b = 20\n"),
        ("    a = 10\n", "    a = 100\n"),
        region_edit_convergence=["converging"],
    )


@case
def larger_and_larger(world: World) -> Truth:
    return _edit_app(
        world,
        [("expanding", 3)],
        ("    return rows[-1]\n", "    return rows[-2]\n"),
        ("    return rows[-2]\n", "    a = 1\n    return a\n"),
        ("    a = 1\n    return a\n", "    d = 4\n    e = 5\n    f = 6\n    return f\n"),
        region_edit_convergence=["expanding"],
    )


@case
def there_and_back_and_there(world: World) -> Truth:
    return _edit_app(
        world,
        [("oscillating", 3)],
        ("return rows[-1]", "return rows[-2]"),
        ("return rows[-2]", "return rows[-3]"),
        ("return rows[-3]", "return rows[-2]"),
        region_edit_convergence=["oscillating"],
        changes_reverted=0,
    )


@case
def only_the_layout_comes_back(world: World) -> Truth:
    return _edit_app(
        world,
        [("oscillating", 2)],
        ("return rows[-1]", "return rows[-2]"),
        ("return rows[-2]", "return  rows[ -1 ]"),
    )


@case
def the_same_size_twice(world: World) -> Truth:
    return _edit_app(
        world,
        [("converging", 2)],
        ("return rows[-1]", "return rows[-2]"),
        ("return rows[-2]", "return rows[-3]"),
    )


@case
def up_and_down_without_a_trend(world: World) -> Truth:
    return _edit_app(
        world,
        [("oscillating", 4)],
        ("    return rows[-1]\n", "    return rows[-2]\n"),  # 2 lines
        ("    return rows[-2]\n", "    a = 1\n    return a\n"),  # 3
        ("    a = 1\n    return a\n", "    return rows[-3]\n"),  # 3
        ("    return rows[-3]\n", "    return rows[-4]\n"),  # 2
    )


# --- taken over -----------------------------------------------------------------------------------


@case
def all_of_it_is_committed(world: World) -> Truth:
    one = _work(world)
    one.write("stats.py", MEAN)
    _taken(world, one)
    return _truth(
        world,
        one,
        output_applied=1,
        output_applied_fraction=1.0,
        session_outcome="accepted",
        touched_files=["stats.py"],
    )


@case
def half_of_it_is_committed(world: World) -> Truth:
    one = _work(world)
    one.write("a.py", "alpha = 1\nbeta = 2\n")
    one.write("b.py", "gamma = 3\ndelta = 4\n")
    one.end_turn()
    world.commit("Only a", [one], paths=["a.py"])
    world.human_remove("b.py")
    world.human_write("notes.md", "No b.\n")
    world.commit("Without b", [one])
    truth = {
        "output_applied": 1,
        "output_applied_fraction": 0.5,
        "touched_files": ["a.py", "b.py"],
        "diff_lines": 4,
    }
    truth |= {"localized_correct_file": 1}
    return Truth(world, {one.id: truth})


@case
def none_of_it_is_committed(world: World) -> Truth:
    one = _work(world)
    one.write("stats.py", MEAN)
    _left(world, one)
    return _truth(
        world, one, output_applied=0, changes_reverted=0, session_outcome="abandoned_mid_session"
    )


@case
def nothing_was_written(world: World) -> Truth:
    one = _work(world, "What does total do?")
    one.read("app.py")
    _left(world, one)
    return _truth(
        world,
        one,
        output_applied=None,
        changes_reverted=None,
        reverted_lines=None,
        region_count=None,
    )


@case
def committed_by_the_next_session(world: World) -> Truth:
    one = _work(world)
    one.write("stats.py", MEAN)
    one.end_turn()
    world.wait(300)
    two = _work(world, "Commit what is there")
    two.read("stats.py")
    two.end_turn()
    world.commit("Both", [one, two])
    return Truth(
        world,
        {
            one.id: {"output_applied": 1, "session_outcome": "accepted"},
            two.id: {"output_applied": None},
        },
    )


def _on_another_branch(
    world: World, *files: tuple[str, str], prompt: str = "Please help"
) -> tuple[Session, Commit]:
    """A session whose work is committed on `feature` alone, and a later commit on the main
    branch.
    """
    world.branch_off("feature")
    one = _work(world, prompt)
    for path, text in files:
        one.write(path, text)
    commit = _taken(world, one)
    world.switch("main")
    world.human_write("notes.md", "Nothing.\n")
    world.commit("Notes")
    return one, commit


@case
def committed_on_another_branch(world: World) -> Truth:
    one, commit = _on_another_branch(world, ("stats.py", MEAN))
    truth = {
        "output_applied": 1,
        "output_applied_fraction": 1.0,
        "output_applied_elsewhere": commit.sha,
    }
    return Truth(
        world,
        {one.id: truth | {"landed_lines": 2, "landed_share": 1.0, "session_outcome": "accepted"}},
    )


@case
def committed_in_a_pull_request_and_its_branch_is_gone(world: World) -> Truth:
    one, commit = _on_another_branch(world, ("stats.py", MEAN + "\n\n" + MEDIAN))
    world.ref("refs/pull/7/head", commit)
    del world.history.refs["refs/heads/feature"]
    return _truth(
        world, one, output_applied_fraction=1.0, landed_lines=5, session_outcome="accepted"
    )


@case
def brackets_of_another_branch_come_with_their_lines(world: World) -> Truth:
    text = (
        "const total = sumOfAllRows({\n  rows,\n});\nconst mean = meanOfAllRows({\n  rows,\n});\n"
    )
    one, _ = _on_another_branch(world, ("stats.ts", text))
    return _truth(world, one, landed_lines=6, landed_share=1.0)


@case
def two_commits_of_another_branch_have_equal_lines(world: World) -> Truth:
    world.branch_off("feature")
    one = _work(world)
    one.write("stats.ts", "const total = sumOfAllRows({\n  rows,\n});\n")
    _taken(world, one)
    one.edit("stats.ts", "const total", "const mean = meanOfAllRows({\n  rows,\n});\nconst total")
    _taken(world, one)
    world.switch("main")
    world.squash("feature", "Totals")
    return _truth(world, one, landed_lines=6, landed_share=1.0)


@case
def a_later_session_writes_over_what_a_branch_has(world: World) -> Truth:
    world.branch_off("feature")
    one = _work(world)
    one.write("stats.py", MEAN)
    _taken(world, one)
    two = _work(world)
    two.write("stats.py", MEDIAN, overwrite=True)
    _taken(world, two)
    world.switch("main")
    world.human_write("notes.md", "Nothing.\n")
    world.commit("Notes")
    return Truth(
        world,
        {
            one.id: {"landed_lines": 2, "landed_share": 1.0},
            two.id: {"landed_lines": 3, "landed_share": 1.0},
        },
    )


@case
def common_lines_of_another_branch_are_not_the_sessions(world: World) -> Truth:
    one = _work(world)
    one.write("stats.py", "import os\nvalue = compute_the_mean_of(rows)\n")
    _left(world, one)
    world.branch_off("other")
    world.human_write("stats.py", "import os\nvalue = compute_something_else(rows)\n")
    world.commit("Other work")
    world.switch("main")
    return _truth(world, one, output_applied=0, landed_lines=0, output_applied_fraction=0.0)


@case
def a_branch_that_had_the_text_before_is_not_the_sessions(world: World) -> Truth:
    world.branch_off("other")
    world.human_write("stats.py", MEAN)
    world.commit("Mean")
    world.switch("main")
    world.wait(600)
    one = _work(world)
    one.write("stats.py", MEAN)
    _left(world, one)
    return _truth(world, one, landed_lines=0, session_outcome="abandoned_mid_session")


@case
def text_written_twice_and_committed_once_has_landed_once(world: World) -> Truth:
    one = _work(world)
    one.write("stats.py", MEAN)
    one.write("stats.py", "\n".join(MEDIAN.splitlines()[::-1]) + "\n", overwrite=True)
    one.write("stats.py", MEAN, overwrite=True)
    _taken(world, one)
    return _truth(world, one, landed_lines=2, output_applied_fraction=1.0)


@case
def lines_that_a_formatter_joined_have_landed(world: World) -> Truth:
    one = _work(world)
    one.write(
        "both.py",
        "def both(a, b):\n    if (\n        a and\n        b\n    ):\n        return 1\n   "
        " return 0\n",
    )
    one.end_turn()
    world.human_write(
        "both.py", "def both(a, b):\n    if a and b:\n        return 1\n    return 0\n"
    )
    world.commit("Both", [one])
    return _truth(
        world,
        one,
        landed_lines=7,
        landed_share=1.0,
        output_applied_fraction=1.0,
        session_outcome="accepted",
    )


@case
def a_line_of_many_is_committed(world: World) -> Truth:
    one = _work(world)
    one.write("a.py", "alpha = 1\n")
    one.write("b.py", MEAN + "\n\n" + MEDIAN)
    one.end_turn()
    world.commit("Only a", [one], paths=["a.py"])
    world.human_remove("b.py")
    world.human_write("notes.md", "No b.\n")
    world.commit("Without b", [one])
    return _truth(
        world, one, output_applied=1, landed_lines=1, session_outcome="abandoned_mid_session"
    )


@case
def a_later_commit_takes_it_back(world: World) -> Truth:
    one = _work(world)
    one.write("stats.py", MEAN)
    commit = _taken(world, one)
    world.human_remove("stats.py")
    world.commit(f'Revert "Take it"\n\nThis reverts commit {commit.sha}.')
    truth = {
        "reverted_later_lines": 2,
        "output_applied": 1,
        "session_outcome": "explicitly_rejected",
    }
    return Truth(world, {one.id: truth}, reverted={commit.sha: True})


# --- undone ---------------------------------------------------------------------------------------


@case
def one_place_of_many_that_goes_back_is_not_reverted(world: World) -> Truth:
    one = _work(world)
    one.edit("app.py", "return sum(rows)", "return sum(rows or [0])")
    one.edit("app.py", "return rows[-1]", "return rows[-1] if rows else None")
    one.edit(
        "app.py",
        "    return rows[0]\n",
        "    if not rows:\n        return None\n    return rows[0]\n",
    )
    one.edit("app.py", "return sum(rows or [0])", "return sum(rows)")
    _taken(world, one)
    return _truth(world, one, changes_reverted=0, reverted_lines=0, reverted_by=None)


@case
def the_agent_takes_it_back(world: World) -> Truth:
    one = _work(world)
    one.edit(
        "app.py",
        "    return sum(rows)\n",
        "    print(rows)\n    print(len(rows))\n    return sum(rows)\n",
    )
    one.edit("app.py", "    print(rows)\n    print(len(rows))\n", "")
    _left(world, one)
    return Truth(
        world,
        {one.id: {"changes_reverted": 1, "reverted_lines": 2, "reverted_by": "agent"}},
        {one.id: [("oscillating", 2)]},
    )


@case
def the_user_takes_it_back(world: World) -> Truth:
    one = _work(world)
    one.edit(
        "app.py",
        "    return sum(rows)\n",
        "    total = 0\n    for row in rows:\n        total += row\n    return total\n",
    )
    one.end_turn()
    world.human_write("app.py", APP)
    one.prompt("Rather add a module")
    one.read("app.py")
    one.write("stats.py", "x = 1\n")
    _taken(world, one)
    return _truth(
        world,
        one,
        changes_reverted=1,
        reverted_lines=4,
        reverted_by="human",
        session_outcome="explicitly_rejected",
    )


@case
def a_command_takes_it_back(world: World) -> Truth:
    one = _work(world)
    one.edit("app.py", "return sum(rows)", "return sum(rows or [0])")
    one.bash("git restore app.py", lambda shell: shell.write("app.py", APP), blunt=True)
    _left(world, one)
    return _truth(world, one, changes_reverted=1, reverted_by="agent")


@case
def a_reset_after_the_commit_takes_nothing_back(world: World) -> Truth:
    one = _work(world)
    one.edit("app.py", "return sum(rows)", "return sum(rows or [0])")
    one.git_commit("Guard")
    one.bash("git reset --hard HEAD")
    one.end_turn()
    world.human_write("notes.md", "Done.\n")
    world.commit("Notes", [one])
    return _truth(world, one, changes_reverted=0, reverted_by=None, output_applied=1)


@case
def a_stash_taken_back_undoes_nothing(world: World) -> Truth:
    one = _work(world)
    one.edit("app.py", "return sum(rows)", "return sum(rows or [0])")
    one.bash("git stash")
    one.bash("git stash pop")
    _taken(world, one)
    return _truth(world, one, changes_reverted=0, output_applied=1)


@case
def writing_it_another_way_undoes_nothing(world: World) -> Truth:
    one = _work(world)
    one.edit(
        "app.py",
        "    return sum(rows)\n",
        "    result = 0\n    for row in rows:\n        result += row\n    return result\n",
    )
    one.edit(
        "app.py",
        "    result = 0\n    for row in rows:\n        result += row\n    return result\n",
        "    return fsum(rows)\n",
    )
    _taken(world, one)
    return _truth(world, one, changes_reverted=0, reverted_lines=0)


@case
def a_new_file_written_anew_undoes_nothing(world: World) -> Truth:
    one = _work(world)
    one.write("plan.md", "# Plan\n\n- dig\n- plant\n- water\n- wait\n")
    one.bash("rm plan.md", lambda shell: shell.remove("plan.md"), exact=True)
    one.write("plan.md", "# Another plan\n\n- buy apples\n")
    _taken(world, one)
    return _truth(world, one, changes_reverted=0, output_applied=1)


@case
def one_file_of_two_goes_back(world: World) -> Truth:
    one = _work(world)
    one.write("stats.py", MEAN + "\n\n" + MEDIAN)
    one.edit("app.py", "return sum(rows)", "return sum(rows or [0])")
    one.edit("app.py", "return sum(rows or [0])", "return sum(rows)")
    _taken(world, one)
    return _truth(
        world,
        one,
        changes_reverted=1,
        reverted_lines=1,
        reverted_by="agent",
        session_outcome="accepted",
    )


# --- the end of a session, and what comes after ---------------------------------------------------


@case
def the_last_word_refuses(world: World) -> Truth:
    one = _work(world)
    one.write("stats.py", MEAN)
    one.end_turn()
    one.prompt("No, this is wrong. Forget it.")
    _left(world, one)
    return _truth(world, one, session_outcome="explicitly_rejected", output_applied=0)


@case
def the_last_word_welcomes(world: World) -> Truth:
    one = _work(world)
    one.write("stats.py", MEAN)
    one.end_turn()
    one.prompt("Perfect, thanks!")
    _left(world, one)
    return _truth(world, one, session_outcome="accepted", output_applied=0)


@case
def started_again_at_once(world: World) -> Truth:
    one = _work(world)
    one.write("stats.py", MEAN)
    _left(world, one)
    world.wait(600)
    two = _work(world, "Once more, from the start")
    two.write("stats.py", MEDIAN, overwrite=True)
    _taken(world, two)
    pause = round(two.log.records[0].at - one.log.records[-1].at, 3)
    before = {
        "session_outcome": "restarted_same_task",
        "prior_sessions_same_repo": 0,
        "session_reopened_within_s": pause,
    }
    return Truth(
        world,
        {one.id: before, two.id: {"session_outcome": "accepted", "prior_sessions_same_repo": 1}},
    )


@case
def another_task_soon_after(world: World) -> Truth:
    one = _work(world)
    one.write("stats.py", MEAN)
    _left(world, one)
    world.wait(600)
    two = _work(world, "Something else")
    two.edit("app.py", "return sum(rows)", "return sum(rows or [0])")
    two.end_turn()
    world.commit("Guard", [two], paths=["app.py"])
    return Truth(
        world,
        {
            one.id: {"session_outcome": "abandoned_mid_session"},
            two.id: {"session_reopened_within_s": None},
        },
    )


@case
def the_next_day_but_one(world: World) -> Truth:
    one = _work(world)
    one.write("stats.py", MEAN)
    _taken(world, one)
    world.wait(90_000)
    two = _work(world)
    two.write("more.py", MEDIAN)
    _taken(world, two)
    return Truth(
        world,
        {one.id: {"session_reopened_within_s": None}, two.id: {"prior_sessions_same_repo": 1}},
    )


@case
def changing_what_another_session_wrote(world: World) -> Truth:
    one = _work(world)
    one.write("stats.py", MEAN)
    _taken(world, one)
    world.wait(4_000)
    two = _work(world)
    two.edit("stats.py", "total(rows) / len(rows)", "total(rows) / max(len(rows), 1)")
    _taken(world, two)
    world.wait(4_000)
    three = _work(world)
    three.edit("app.py", "return sum(rows)", "return sum(rows or [0])")
    _taken(world, three)
    return Truth(
        world,
        {
            one.id: {"prior_sessions_same_region": 0},
            two.id: {"prior_sessions_same_region": 1},
            three.id: {"prior_sessions_same_region": 0, "prior_sessions_same_repo": 2},
        },
    )


@case
def changing_it_in_another_worktree(world: World) -> Truth:
    one = _work(world)
    one.write("stats.py", MEAN)
    _taken(world, one)
    world.wait(4_000)
    two = _work(world, cwd="/home/ada/elsewhere/orchard")
    two.edit("stats.py", "total(rows) / len(rows)", "total(rows) / max(len(rows), 1)")
    _taken(world, two)
    return _truth(world, two, prior_sessions_same_region=0, output_applied=1)


# --- reverted later -------------------------------------------------------------------------------


@case
def reverted_by_a_later_commit(world: World) -> Truth:
    one = _work(world)
    one.edit("app.py", "return sum(rows)", "return sum(rows or [0])")
    taken = _taken(world, one)
    world.wait(4_000)
    world.human_revert(taken)
    back = world.commit(f'Revert "Take it"\n\nThis reverts commit {taken.sha}.\n')
    # what comes after the session is no revert of the session
    truth = {"output_applied": 1, "changes_reverted": 0}
    return Truth(world, {one.id: truth}, reverted={taken.sha: True, back.sha: False})


@case
def changed_by_a_later_commit(world: World) -> Truth:
    one = _work(world)
    one.edit("app.py", "return sum(rows)", "return sum(rows or [0])")
    taken = _taken(world, one)
    world.wait(4_000)
    world.human_write("app.py", APP.replace("return sum(rows)", "raise NotImplementedError"))
    world.commit("Another way")
    return Truth(world, {one.id: {"output_applied": 1}}, reverted={taken.sha: False})
