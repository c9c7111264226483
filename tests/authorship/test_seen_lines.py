"""What was seen of a file tells who wrote its lines: between two sightings, before a program
ran, at a session's first look.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.answers import analysed_store
from support.builder import Session, World

from attribution.authorship.agent_text import without_layout
from attribution.authorship.sightings import (
    Appearance,
    FileEdit,
    Sighting,
    Version,
    appearances,
    edit_sightings,
    events_of,
    every_event,
)
from collector.model import Edit, Replacement

BASE = "import os\n\n\ndef first_thing():\n    return os.getcwd()\n"
HAND = (
    "\n\ndef persons_own_helper(length, width):\n    surface = length * width\n    return surface +"
    " 41\n"
)
OTHER = "def another_function_here():\n    return 1\n"


def _classes(world: World, tmp_path: Path, path: str = "nodes.py") -> list[str]:
    """The classes of the lines that the last commit adds to a file, each once, in order."""
    with analysed_store(world.build(tmp_path / "repo"), tmp_path / "out.db") as store:
        rows = store.rows(
            "SELECT * FROM line_spans WHERE path = ? AND commit_sha = ? ORDER BY start_line",
            (path, world.tips["main"].sha),
        )
    return list(
        dict.fromkeys(f"{row['class']} {row['witness'] or row['reason']}".strip() for row in rows)
    )


def _numbered(text: str, start: int = 1) -> str:
    return "".join(
        f"{number:6d}\t{line}\n"
        for number, line in enumerate(text.removesuffix("\n").split("\n"), start)
    )


def _diff(world: World) -> str:
    new = world.files["nodes.py"].text()
    added = "".join(f"+{line}\n" for line in new.removeprefix(BASE).removesuffix("\n").split("\n"))
    head = "diff --git a/nodes.py b/nodes.py\n--- a/nodes.py\n+++ b/nodes.py\n@@ -4,2 +4,7 @@\n"
    return f"{head} def first_thing():\n     return os.getcwd()\n{added}"


Look = Callable[[Session, World], object]
LOOKS: dict[str, Look] = {
    "read": lambda session, _: session.read("nodes.py"),
    "cat": lambda session, world: session.bash(
        "cat nodes.py", stdout=world.files["nodes.py"].text()
    ),
    "nl": lambda session, world: session.bash(
        "nl -ba nodes.py", stdout=_numbered(world.files["nodes.py"].text())
    ),
    "nl | sed": lambda s, world: s.bash(
        "nl -ba nodes.py | sed -n '1,90p'", stdout=_numbered(world.files["nodes.py"].text())
    ),
    "sed": lambda session, world: session.bash(
        "sed -n '1,40p' nodes.py", stdout=world.files["nodes.py"].text()
    ),
    "named in a prompt": lambda session, _: session.named_in_prompt("nodes.py"),
    "rules": lambda session, _: session.shown_as_rules("nodes.py"),
}
SECOND: dict[str, Look] = LOOKS | {
    "git diff": lambda session, world: session.bash("git diff", stdout=_diff(world)),
    "tail": lambda session, world: session.bash("tail -n 4 nodes.py", stdout=HAND[2:]),
    "notice": lambda session, _: session.outside_edit_notice("nodes.py"),
}


def _story(
    first: Look,
    second: Look,
    between: Look = lambda *_: None,
    after: Look = lambda *_: None,
    edits: bool = False,
) -> World:
    """An agent works on `x.py` and looks at `nodes.py` twice; in between a person adds a
    function to that.
    """
    world = World.holding("sightings", {"nodes.py": BASE, "x.py": "x = 1\n"})
    world.wait(3_000)
    session = world.session(prompt="Work on x.py")
    first(session, world)
    session.write("x.py", OTHER, overwrite=True)
    if edits:
        session.edit("nodes.py", "os.getcwd()", "os.getcwd() + '/x'")
    between(session, world)
    world.human_insert("nodes.py", HAND)
    world.wait(60)
    second(session, world)
    after(session, world)
    session.end_turn()
    world.commit("Work", [session])
    return world


@pytest.mark.parametrize("first", LOOKS)
@pytest.mark.parametrize("second", ["read", "cat", "git diff", "tail", "named in a prompt"])
def test_a_line_that_came_between_two_looks_is_a_persons(
    first: str, second: str, tmp_path: Path
) -> None:
    """The agent never edited the file."""
    assert _classes(_story(LOOKS[first], SECOND[second]), tmp_path) == ["human recorded"]


@pytest.mark.parametrize("name", ["docs/review.md", "docs/review.txt"])
def test_a_document_that_quotes_what_its_writer_had_read_is_not_where_the_code_comes_from(
    name: str, tmp_path: Path
) -> None:
    world = World.holding("review", {"nodes.py": BASE})
    world.wait(3_000)
    world.human_insert("nodes.py", HAND)
    world.wait(60)
    session = world.session(prompt="Review nodes.py")
    session.read("nodes.py")
    text = world.files["nodes.py"].text()
    session.write(name, f"# Review\n\n```python\n{text}more_of_it = another_call(1)\n```\n")
    session.end_turn()
    world.commit("Work", [session])
    assert _classes(world, tmp_path) == ["unknown common_line", "unknown agent_text"]


def _in_background(status: str) -> Look:
    """A program that may write any file was started in the background, and a notice says how it
    stands before the next look.
    """

    def run(session: Session, world: World) -> None:
        call = session._call(
            "Bash", {"command": "python tools/rebuild.py", "run_in_background": True}
        )
        session._done(call, "", {"stdout": "", "backgroundTaskId": "b1"})
        world.wait(20)
        ids = f"<task-id>b1</task-id>\n<tool-use-id>{call}</tool-use-id>"
        session.prompt(
            f"<task-notification>\n{ids}\n<status>{status}</status>\n</task-notification>"
        )
        session.read("nodes.py")

    return run


def test_what_ran_in_the_background_and_is_over_takes_no_witness_away(tmp_path: Path) -> None:
    assert _classes(
        _story(LOOKS["read"], SECOND["read"], between=_in_background("completed")), tmp_path
    ) == ["human recorded"]


def test_what_still_runs_in_the_background_may_have_written(tmp_path: Path) -> None:
    story = _story(LOOKS["read"], SECOND["read"], between=_in_background("running"))
    assert _classes(story, tmp_path) == ["unknown opaque_shell"]


def _commit_story(
    between: Look = lambda *_: None, wait: float = 60, work: bool = True, again: bool = False
) -> World:
    """A commit has the file without a function that a person adds and the agent reads; no
    session had looked at the file before.
    """
    world = World.holding("committed", {"nodes.py": BASE, "x.py": "x = 1\n"})
    world.wait(90_000)
    session = world.session(prompt="Work on x.py")
    if work:
        session.write("x.py", OTHER, overwrite=True)
    else:
        world.wait(90_000)
    world.human_write("nodes.py", BASE + "\n\nSIZE = 3\n")
    world.commit("A part", [session] if work else [])
    world.wait(wait)
    if again:
        session.end_turn()
        session = world.session(prompt="Go on with x.py")
    between(session, world)
    world.human_insert("nodes.py", HAND * 2)
    world.wait(60)
    session.read("nodes.py")
    (
        session.edit("x.py", "return 1", "return 11")
        if work
        else session.write("x.py", OTHER, overwrite=True)
    )
    session.end_turn()
    world.commit("Work", [session])
    return world


def test_a_line_that_came_between_a_commit_and_a_look_is_a_persons(tmp_path: Path) -> None:
    assert _classes(_commit_story(), tmp_path) == ["human recorded"]


@pytest.mark.parametrize(
    "story",
    [
        lambda: _commit_story(work=False),  # nobody was recorded when the commit was made
        lambda: _commit_story(wait=9_000),  # nor for hours after it
        lambda: _commit_story(again=True),  # the session that looks may have lost its beginning
        lambda: _commit_story(between=lambda session, _: session.bash("git pull")),
        lambda: _commit_story(
            between=lambda session, _: session.bash("node tasks/refresh.js nodes.py")
        ),
    ],
    ids=["unrecorded", "hours", "another", "pull", "script"],
)
def test_a_commit_is_no_sighting_where_something_else_may_have_written(
    story: Callable[[], World], tmp_path: Path
) -> None:
    assert "human recorded" not in _classes(story(), tmp_path)


def test_a_line_that_was_seen_before_a_commit_of_other_parts_is_not_new_afterwards() -> None:
    edges = (None, without_layout("return os.getcwd()"))
    seen, part = (
        Sighting(1.0, 0, "limit = 40\nreturn os.getcwd()", True),
        Sighting(2.0, -1, "return os.getcwd()", True, committed=True),
    )
    for events, committed in (((seen, part), None), ((part, seen), part)):
        appearance = Appearance(without_layout("limit = 40"), "limit = 40", edges)
        for event in events:
            appearance.pass_by(event)
        assert appearance.committed == committed


def test_a_notice_is_a_second_sighting_whatever_runs_afterwards(tmp_path: Path) -> None:
    world = _story(
        LOOKS["read"], SECOND["notice"], after=lambda session, _: session.bash("python nodes.py")
    )
    assert _classes(world, tmp_path) == ["human notice"]


@pytest.mark.parametrize(
    "between",
    [
        pytest.param(lambda session, _: session.bash("python tools/rebuild.py"), id="a program"),
        pytest.param(lambda session, _: session.bash("git stash pop"), id="git"),
        pytest.param(
            lambda session, _: session.bash("sed -i 's/a/b/' nodes.py"),
            id="a script that names the file",
        ),
        *(
            pytest.param(lambda session, _, text=text: session.bash(text), id=text)
            for text in (
                "find . -name '*.py' -exec sed -i 's/x/y/' {} +",
                "grep -rl x . | xargs sed -i 's/x/y/'",
                'echo x >> "$f"',
                "tar xf t.tar",
                "patch -p1 < x.diff",
                "cp -r ../template/. .",
                "rsync -a ../template/ .",
                "scp host:nodes.py .",
            )
        ),
    ],
)
def test_what_can_write_between_the_looks_leaves_no_witness(between: Look, tmp_path: Path) -> None:
    assert not any(
        text.startswith("human")
        for text in _classes(_story(LOOKS["read"], LOOKS["read"], between), tmp_path)
    )


def test_a_subagent_between_the_looks_leaves_no_witness(tmp_path: Path) -> None:
    def subagent(session: Session, _: World) -> None:
        with session.subagent("Write y.py", visible=False) as hidden:
            hidden.write("y.py", OTHER)

    assert not any(
        text.startswith("human")
        for text in _classes(_story(LOOKS["read"], LOOKS["read"], subagent), tmp_path)
    )


def test_half_a_day_between_the_looks_is_not_watched(tmp_path: Path) -> None:
    world = _story(LOOKS["read"], LOOKS["read"], lambda _, world: world.wait(40_000))
    assert "human recorded" not in _classes(world, tmp_path)


def test_what_a_formatter_found_there_is_not_the_formatters(tmp_path: Path) -> None:
    """Both looks come before it ran."""
    world = _story(
        LOOKS["read"],
        LOOKS["read"],
        after=lambda session, _: session.bash("uv run ruff check --fix ."),
    )
    assert _classes(world, tmp_path) == ["human recorded"]


def test_what_stood_in_a_file_before_the_agent_wrote_it_again_is_not_the_agents(
    tmp_path: Path,
) -> None:
    world = World.holding("again", {"a.py": "opening = 1\n"})
    session = world.session(prompt="Add a total")
    world.human_insert("a.py", "by_hand = gather_by_hand(7)\n")
    session.bash("cat a.py", stdout="opening = 1\nby_hand = gather_by_hand(7)")
    text = "opening = 1\nby_hand = gather_by_hand(7)\ntotal_of_all = combine(by_hand)\n"
    session.bash(
        f"cat > a.py <<'EOF'\n{text}EOF",
        lambda shell: shell.append("a.py", "total_of_all = combine(by_hand)\n"),
        exact=True,
    )
    session.end_turn()
    world.commit("Work", [session])
    classes = _classes(world, tmp_path, "a.py")
    assert classes[-1] == "agent"
    assert not classes[0].startswith("agent")


def test_what_stood_there_at_the_first_look_is_not_its_trailers(tmp_path: Path) -> None:
    world = World.holding("first", {"x.py": "x = 1\n"})
    world.human_write(
        "nodes.py",
        "TARGETS = [\n" + "".join(f"    'the target {number}',\n" for number in range(9)) + "]\n",
    )
    world.wait(7_000)
    session = world.session(prompt="Work on x.py")
    session.read("nodes.py")
    session.write("x.py", OTHER, overwrite=True)
    session.end_turn()
    world.commit("Work\n\nCo-Authored-By: Claude Opus 4.6 <noreply@anthropic.com>", [session])
    assert _classes(world, tmp_path) == ["unknown uncaptured"]


# --- tasks of subagents ---------------------------------------------------------------------------

CODE = HAND.strip("\n")


@pytest.mark.parametrize("later", [0, 9_000])
@pytest.mark.parametrize(
    ("task", "expected"),
    [
        (
            (
                "Implement task 1 in `nodes.py`.\n\nAdd at its"
                f" end:\n```python\n{CODE}\n```\nCommit when done."
            ),
            "agent subagent",
        ),
        (f"Update nodes.py:\n~~~~\n{CODE}\n~~~~\n", "agent subagent"),
        (
            "Apply to nodes.py:\n```diff\n@@ -9,1 +9,4 @@\n"
            + "".join(f"+{line}\n" for line in CODE.split("\n"))
            + "```\n",
            "agent subagent",
        ),
        # it names another file, holds other code, or has the code to look at
        (f"Add to edges.py:\n```python\n{CODE}\n```", "unknown"),
        (
            "Implement a helper in nodes.py:\n```python\ndef another():\n    return None\n```",
            "unknown",
        ),
        (
            f"Review this function of nodes.py, then fix its callers:\n```python\n{CODE}\n```",
            "unknown",
        ),
    ],
)
def test_code_in_the_task_of_a_subagent_is_its_own(
    task: str, expected: str, later: int, tmp_path: Path, db: Path
) -> None:
    """Nobody recorded its calls; the file stood before, and the commit may have been rebased."""
    world = World.holding("tasks", {"nodes.py": BASE})
    session = world.session(prompt="Go on with the plan")
    session.read("nodes.py")
    with session.subagent(task, visible=False) as hidden:
        hidden.edit("nodes.py", "    return os.getcwd()\n", "    return os.getcwd()\n" + HAND)
    session.end_turn()
    world.commit("Work", [session], later=later)
    with analysed_store(world.build(tmp_path / "repo"), db) as store:
        rows = store.rows(
            "SELECT * FROM line_spans WHERE path = 'nodes.py' AND commit_sha = ?",
            (world.tips["main"].sha,),
        )
    assert {f"{row['class']} {row['how']}".removesuffix(" none") for row in rows} == {expected}


# --- sightings ------------------------------------------------------------------------------------

VERSION = Version(["alpha = 1", "by_hand = 2", "omega = 9"], frozenset({1}))
OLD = frozenset({"alpha=1", "omega=9"})


def _seen(at: float, text: str, whole: bool = True, start: int = 1) -> Sighting:
    return Sighting(at, 0, text, whole, start)


def _appearance(*events: Sighting | FileEdit) -> tuple[float | None, float | None, bool]:
    """When the line was not there, when it was seen, and whether something may have written it
    in between.
    """
    found = appearances(events, VERSION, [1], OLD)[1]
    without, seen = (
        sighting.at if sighting is not None else None for sighting in (found.without, found.seen)
    )
    return without, seen, found.untold


WITH, WITHOUT = "alpha = 1\nby_hand = 2\nomega = 9\n", "alpha = 1\nomega = 9\n"


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([_seen(1, WITHOUT), _seen(2, WITH)], (1, 2, False)),
        ([_seen(1, WITH), _seen(2, WITHOUT), _seen(3, WITH), _seen(4, WITH)], (2, 3, False)),
        ([_seen(1, WITHOUT)], (1, None, False)),
        # a part shows that a line is absent only where both its neighbours stand beside each other
        ([_seen(1, WITHOUT, False, 7), _seen(2, WITH, False, 7)], (1, 2, False)),
        ([_seen(1, "alpha = 1", False), _seen(2, WITH)], (None, 2, False)),
        ([_seen(1, WITHOUT, False, 0), _seen(2, WITH)], (None, 2, False)),
        # in another layout it is neither there nor absent
        (
            [_seen(1, WITHOUT), _seen(2, "alpha = 1\nby_hand=2\nomega = 9\n"), _seen(3, WITH)],
            (1, 3, False),
        ),
        # another file of that name
        ([_seen(1, "other = 3\nnames = 4\n"), _seen(2, WITH)], (None, 2, False)),
        # two parts of one output
        ([_seen(2, WITHOUT, False), _seen(2, WITH, False)], (None, 2, False)),
        # an edit in between
        ([_seen(1, WITHOUT), FileEdit(2, 0, True), _seen(3, WITH)], (1, 3, False)),
        ([_seen(1, WITHOUT), FileEdit(2, 0, False), _seen(3, WITH)], (1, 3, True)),
        ([_seen(1, WITHOUT), _seen(2, WITH), FileEdit(3, 0, False)], (1, 2, False)),
    ],
)
def test_between_which_sightings_a_line_appeared(
    events: list[Sighting | FileEdit], expected: tuple[float | None, float | None, bool]
) -> None:
    assert _appearance(*events) == expected


def test_an_edit_shows_its_file() -> None:
    whole = Edit("a.py", "edit", (Replacement("b", "c"),), before="a\nb\n", before_known=True)
    assert list(edit_sightings(1.0, 2, whole)) == [
        Sighting(1.0, 2, "a\nb\n", True),
        FileEdit(1.0, 2, True),
        Sighting(1.0, 2, "a\nc\n", True),
    ]
    part = Edit("a.py", "edit", (Replacement("b", "c"),))
    assert list(edit_sightings(1.0, 2, part)) == [
        Sighting(1.0, 2, "b", False, 0),
        FileEdit(1.0, 2, True),
    ]
    moved = Edit("a.py", "move", new_path="b.py")
    assert list(edit_sightings(1.0, 2, moved)) == [FileEdit(1.0, 2, False)]


def test_sightings_before_the_last_whole_one_are_left_out() -> None:
    old, part, whole, new = _seen(1, WITH), _seen(2, WITH, False), _seen(3, WITHOUT), _seen(9, WITH)
    assert events_of(every_event([new, whole, part, old], ()), 5.0, 20.0) == [whole, new]
    assert events_of([old, part, whole, new], 5.0, 8.0) == [whole]
