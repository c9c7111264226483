"""Who may have changed a file between two moments at which its text is known."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attribution.authorship.case import AttributionWindow, CandidateAuthor
from attribution.authorship.session_edits import (
    Prompt,
    WorktreeAction,
    forget_stored_subagents,
    session_edits,
)
from attribution.authorship.verdicts import CallRef
from attribution.authorship.windows import AttributionWindows
from attribution.shell import effects
from collector.model import Session, Spawn, Status, ToolCall
from collector.vocabulary.lines import Author, How, Reason

ROOT = "/w"
F = "src/app.py"
HUMAN = CandidateAuthor(Author.HUMAN)


def _call(number: int = 1, at: float = 50.0) -> CallRef:
    return CallRef(7, f"c{number}", 1, at)


def _command(
    text: str, at: float = 50.0, until: float | None = None, number: int = 1, cwd: str = ROOT
) -> WorktreeAction:
    return WorktreeAction(
        at, at if until is None else until, _call(number, at), text, cwd, effects(text, cwd)
    )


def _unseen(reason: str, at: float = 50.0, until: float = 60.0) -> WorktreeAction:
    return WorktreeAction(at, until, _call(9, at), unseen=Reason(reason))


def _gaps(*actions: WorktreeAction) -> AttributionWindows:
    gaps = AttributionWindows(ROOT, list(actions))
    gaps.settle()
    return gaps


def _cause(
    *actions: WorktreeAction,
    path: str = F,
    layout: bool = False,
    after: float = 10.0,
    before: float = 100.0,
) -> str:
    found = _gaps(*actions).cause(AttributionWindow(path, after, before, layout))
    return found.author if not found.reason else f"{found.author} {found.reason}"


def _cause_of_command(
    text: str, at: float = 50.0, until: float | None = None, cwd: str = ROOT
) -> str:
    return _cause(_command(text, at, until, cwd=cwd))


def test_command_that_changes_a_file_in_place_did_not_make_it() -> None:
    """Of a file that is new as a whole and was never seen, `sed -i` explains some line at most;
    a write explains all.
    """
    sed, cat = _command("sed -i 's/a/b/' src/app.py"), _command("cat x y > src/app.py", number=2)
    assert _gaps(sed).cause(AttributionWindow(F, 10, 100, made=True)) == CandidateAuthor(
        Author.UNKNOWN, reason=Reason.BASE_UNKNOWN, call=_call()
    )
    assert _gaps(cat).cause(AttributionWindow(F, 10, 100, made=True)).author == Author.AGENT
    assert _gaps(sed).cause(AttributionWindow(F, 10, 100)).author == Author.AGENT
    copied = _gaps(_command("cat x > src/app.py")).cause(AttributionWindow(F, 10, 100, made=True))
    assert (copied.author, copied.reason) == (Author.UNKNOWN, Reason.BROUGHT_IN)


@pytest.mark.parametrize(
    ("text", "said"),
    {
        "tsx src/app.py": "unknown opaque_shell",  # it is run
        # it is read
        "bun -e \"parse(await Bun.file('src/app.py').text())\"": "unknown opaque_shell",
        "mytool save src/app.py": "unknown opaque_shell",
        "python3 break.py && mytool src/app.py": "unknown opaque_shell",
        (
            "python -c \"import json; print(json.load(open('src/app.py')))\"; ./x"
        ): "unknown opaque_shell",
        # it stands in what is replaced
        "sed -i 's|src/app.py|src/other.py|' \"$LIST\"; ./x": "unknown opaque_shell",
        "cp src/app.py $BACKUP && ./x": "unknown opaque_shell",  # what is copied stays as it is
        "./land.sh --output=docs/x.md --out 'src/app.py'": "agent",
        "pwsh -File ./land.ps1 -Force -Out 'src/app.py'": "agent",
        "python3 - $X <<'E'\np='src/app.py'; s=open(p).read(); open(p,'w').write(s)\nE": "agent",
        "mytool -o src/app.py": "agent",
    }.items(),
)
def test_program_nothing_is_known_of_did_it_only_if_it_says_that_it_writes(
    text: str, said: str
) -> None:
    assert _cause_of_command(text) == said


@pytest.mark.parametrize("part", ["open(", "> ", "-o ", "'", '"', "open(,", ">x "])
def test_commands_made_to_be_slow_are_answered(part: str) -> None:
    """Quadratic searches would take minutes for these."""
    assert _cause_of_command("./x src/app.py " + part * (200_000 // len(part))) in (
        "agent",
        "unknown opaque_shell",
        "human",
    )


# --- commands -------------------------------------------------------------------------------------


def test_where_nothing_happened_it_was_a_person() -> None:
    assert _gaps().cause(AttributionWindow(F, 10, 100)) == HUMAN


@pytest.mark.parametrize(
    "text",
    [
        "git status",
        "ls -la src",
        "cat src/app.py",
        "grep -n x src/app.py",
        "git commit -m x",
        "wc -l src/app.py",
    ],
)
def test_commands_that_only_look_explain_nothing(text: str) -> None:
    assert _cause_of_command(text) == "human"


@pytest.mark.parametrize(
    "text",
    [
        "sed -i 's/a/b/' src/app.py",
        "sed -i 's/a/b/' /w/src/app.py",
        "cd src && sed -i 's/a/b/' app.py",
        "echo x >> src/app.py",
        "perl -pi -e 's/a/b/' src/*.py",
    ],
)
def test_command_that_names_the_file_did_it(text: str) -> None:
    found = _gaps(_command(text)).cause(AttributionWindow(F, 10, 100))
    assert (found.author, found.how) == ("agent", "shell")
    assert found.call is not None and found.call.call_id == "c1"


@pytest.mark.parametrize(
    "text",
    [
        "sed -i 's/a/b/' src/other_server.py",
        "rm src/app_server.pyc",
        "npm install",
        "sed -i 's/a/b/' lib/app_server.py",
        "echo x >> /elsewhere/src/app_server.py",
        "echo x > app_server.py",
        "echo see src/app_server.py >> notes.txt",
    ],
)
def test_command_that_names_another_file_explains_nothing(text: str) -> None:
    assert _cause(_command(text), path="src/app_server.py") == "human"


@pytest.mark.parametrize(
    "text",
    [
        "rm src/app.py",
        "rm -rf src",
        "git rm -r src",
        "unlink src/app.py",
        "mv src/app.py /tmp/x.py",
        "mv src lib",
    ],
)
def test_a_command_that_takes_a_file_away_writes_none_of_what_stands_there_later(text: str) -> None:
    assert _cause_of_command(text) == "human"
    gone = _gaps(_command(text)).cause(AttributionWindow(F, 10, 100, gone=True))
    assert gone == CandidateAuthor(Author.AGENT, How.SHELL, call=_call())


@pytest.mark.parametrize(
    "text",
    ["mv lib/app.py src/app.py", "mv lib/app.py src", "rm src/app.py && cp lib/app.py src/app.py"],
)
def test_a_command_that_brings_a_file_to_its_place_did_not_write_its_text(text: str) -> None:
    """Of a text that the replay knows, it knows the author, whom this question is not about."""
    assert _cause_of_command(text) == "unknown brought_in"


def test_command_in_another_directory_names_another_file() -> None:
    assert _cause_of_command("sed -i 's/a/b/' app.py", cwd="/w/src") == "agent"
    assert _cause_of_command("sed -i 's/a/b/' app.py", cwd="/w/lib") == "human"


def test_directory_of_the_file_counts_as_naming_it() -> None:
    assert _cause(_command("ruff format src"), layout=True) == "tool"


@pytest.mark.parametrize(
    "text", ["ruff format .", "gofmt -w src/app.py", "prettier --write src", "black ."]
)
def test_formatter_explains_layout_and_nothing_else(text: str) -> None:
    assert _cause(_command(text), layout=True) == "tool"
    assert _cause_of_command(text) == "human formatter"  # which adds no word of its own


def test_what_could_have_done_anything_is_said_before_a_formatter() -> None:
    for actions in (
        (_command("black .", at=30.0), _command("./x.sh", at=60.0)),
        (_command("./x.sh", at=30.0), _command("black .", at=60.0)),
    ):
        assert _cause(*actions) == "unknown opaque_shell"


def test_a_task_that_is_only_called_a_formatter_need_not_be_one() -> None:
    assert _cause(_command("npm run lint"), layout=True) == "unknown formatter"
    assert _cause(_command("npx prettier --write ."), layout=True) == "tool"


def test_a_task_is_what_its_runner_printed() -> None:
    linted = replace(_command("npm run lint"), ran="eslint .")
    assert _cause(linted, layout=True) == "human"
    fixed = replace(_command("npm run lint"), ran="eslint --fix .")
    assert _cause(fixed, layout=True) == "tool"


def test_formatter_of_other_files_explains_nothing() -> None:
    assert _cause(_command("gofmt -w src/other.py"), layout=True) == "human"


def test_command_that_could_do_anything_leaves_it_open() -> None:
    assert _cause_of_command("./scripts/do-everything.sh") == "unknown opaque_shell"


def test_opaque_command_that_only_mentions_the_file_may_have_done_it() -> None:
    assert _cause_of_command("./scripts/rewrite.sh src/app.py") == "unknown opaque_shell"


def test_text_that_comes_from_git_is_nobodys_of_now() -> None:
    assert _cause_of_command("git stash pop") == "unknown git_operation"
    assert _cause_of_command("git pull --rebase") == "unknown git_operation"
    assert _cause_of_command("git checkout -- src/other.py") == "human"


def test_of_text_from_a_commit_the_commits_can_tell() -> None:
    assert _cause_of_command("git checkout -- src/app.py") == "human git_operation"
    assert _cause_of_command("git switch main") == "human git_operation"
    assert _cause_of_command("git reset --hard HEAD~1") == "human git_operation"
    switched, popped = (
        _command("git switch main", number=1),
        _command("git stash pop", at=60.0, number=2),
    )
    assert _cause(switched, popped) == "unknown git_operation"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("./scripts/do-everything.sh", "unknown opaque_shell"),
        ("npx prettier --write .", "human git_operation"),
    ],
)
def test_git_beside_a_program_leaves_it_open(command: str, said: str) -> None:
    other = _command(command, at=60.0, number=2)
    assert _cause(_command("git switch main", number=1), other) == said
    assert _cause(_command("git switch main", at=70.0, number=3), other) == said


def test_certain_cause_beats_uncertain_ones_whatever_their_order() -> None:
    opaque, named = (
        _command("./x.sh", at=60.0, number=2),
        _command("sed -i 's/a/b/' src/app.py", at=40.0, number=1),
    )
    assert _cause(opaque, named) == "agent"
    assert _cause(_command("./x.sh", at=30.0), named) == "agent"


def test_of_several_commands_the_last_did_it() -> None:
    gaps = _gaps(
        *(_command("sed -i 's/a/b/' src/app.py", at=float(at), number=at) for at in (20, 40, 30))
    )
    call = gaps.cause(AttributionWindow(F, 10, 100)).call
    assert call is not None and call.call_id == "c40"


def test_known_generators_did_what_they_name_only() -> None:
    assert _cause(_command("npm install left-pad"), path="package-lock.json") == "tool"
    assert _cause_of_command("npm install left-pad") == "human"


# --- what nobody saw ------------------------------------------------------------------------------


@pytest.mark.parametrize("reason", ["invisible_subagent", "transcript_missing"])
def test_what_nobody_saw_leaves_it_open(reason: str) -> None:
    assert _cause(_unseen(reason)) == f"unknown {reason}"
    assert _cause(_unseen(reason), layout=True) == f"unknown {reason}"


@pytest.mark.parametrize(
    ("stored", "hidden"),
    [
        ({}, True),
        ({"another": 300.0}, True),
        ({"child": 120.0}, True),  # the copy was made while it still worked
        ({"child": 299.0}, False),
    ],
)
def test_a_subagent_that_is_a_session_of_its_own_hides_nothing(
    stored: dict[str, float], hidden: bool
) -> None:
    spawn = Spawn("child", "build", visible=False)
    call = ToolCall("c", "task", 1, 100.0, 300.0, Status.OK, spawn=spawn)
    track = session_edits(
        Session("parent", "opencode", ("/w",), calls=(call,), started_at=90.0, ended_at=400.0), 1
    )
    forget_stored_subagents([track], stored)
    assert [action.unseen for action in track.actions] == (["invisible_subagent"] if hidden else [])


def test_command_that_names_the_file_beats_what_nobody_saw() -> None:
    assert (
        _cause(
            _unseen("invisible_subagent", 60, 70), _command("sed -i 's/a/b/' src/app.py", at=20.0)
        )
        == "agent"
    )


def test_lost_end_of_a_transcript_is_beaten_by_nothing() -> None:
    assert (
        _cause(
            _unseen("transcript_missing", 5, 90), _command("sed -i 's/a/b/' src/app.py", at=95.0)
        )
        == "unknown transcript_missing"
    )


# --- was anybody watching -------------------------------------------------------------------------


def _watched(
    *spans: tuple[float, float], after: float, before: float, last: bool, unseen: bool = False
) -> str:
    """Sessions in which something happened every ten minutes."""
    moments = [start + at for start, end in spans for at in range(0, int(end - start) + 1, 600)] + [
        end for _, end in spans
    ]
    gaps = AttributionWindows(ROOT, spans=list(spans), moments=moments)
    gaps.settle()
    found = gaps.cause(AttributionWindow(F, after, before, last=last, unseen=unseen))
    return found.author if not found.reason else f"{found.author} {found.reason}"


@pytest.mark.parametrize(
    ("spans", "said"),
    [
        ([(0.0, 10_000.0)], "human"),  # the session goes on after the commit
        ([(0.0, 9_500.0)], "human"),  # it ended a few minutes before
        ([(0.0, 9_400.0)], "human"),
        ([(0.0, 9_399.0)], "human uncaptured"),  # nobody was recorded for longer than that
        ([(10_001.0, 20_000.0)], "human uncaptured"),  # it began after the commit
        ([], "human uncaptured"),
        ([(0.0, 100.0), (9_000.0, 9_900.0)], "human"),
    ],
)
def test_before_a_commit_a_person_is_named_only_if_a_session_was_recorded_just_then(
    spans: list[tuple[float, float]], said: str
) -> None:
    assert _watched(*spans, after=50.0, before=10_000.0, last=True) == said


def test_session_that_was_idle_for_long_proves_nothing_although_it_goes_on_later() -> None:
    gaps = AttributionWindows(ROOT, spans=[(0.0, 90_000.0)], moments=[0.0, 100.0, 90_000.0])
    gaps.settle()
    unwatched = CandidateAuthor(Author.HUMAN, reason=Reason.UNCAPTURED, watched=False)
    assert gaps.cause(AttributionWindow(F, 50.0, 10_000.0, last=True)) == unwatched
    assert gaps.cause(AttributionWindow(F, 50.0, 1_800.0, last=True)) == HUMAN


@pytest.mark.parametrize(("end", "said"), [(9_880.0, "human"), (9_879.0, "human uncaptured")])
def test_of_a_file_no_session_touched_only_one_that_is_just_over_can_tell(
    end: float, said: str
) -> None:
    assert _watched((0.0, end), after=50.0, before=10_000.0, last=True, unseen=True) == said


@pytest.mark.parametrize(
    ("spans", "before", "said"),
    [
        ([], 1_900.0, "human"),  # half an hour between two events needs no witness
        ([], 1_901.0, "human uncaptured"),
        ([(0.0, 5_000.0)], 5_000.0, "human"),  # one session all along
        ([(0.0, 4_994.0)], 5_000.0, "human uncaptured"),
        ([(1_900.0, 5_000.0)], 5_000.0, "human"),  # it began within half an hour
        ([(1_901.0, 5_000.0)], 5_000.0, "human uncaptured"),
        ([(0.0, 2_000.0), (3_000.0, 5_000.0)], 5_000.0, "human uncaptured"),
    ],
)
def test_between_two_events_long_silence_may_hide_an_agent(
    spans: list[tuple[float, float]], before: float, said: str
) -> None:
    assert _watched(*spans, after=100.0, before=before, last=False) == said


def test_silence_takes_nothing_from_a_command_that_explains_the_change() -> None:
    assert _cause(_command("sed -i 's/a/b/' src/app.py"), before=100_000.0) == "agent"


# --- time -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "until", "inside"),
    [
        (20.0, 30.0, True),
        (5.0, 11.0, True),  # ends in the gap
        (5.0, 10.0, False),  # ended when the text was known
        (5.0, 200.0, True),  # all along
        (99.0, 200.0, True),  # begins in the gap
        (100.0, 200.0, False),  # began when the text was known again
        (1.0, 2.0, False),
        (150.0, 160.0, False),
    ],
)
def test_only_what_overlaps_the_gap_counts(at: float, until: float, inside: bool) -> None:
    assert (_cause(_unseen("invisible_subagent", at, until)) != "human") == inside


def test_long_action_is_found_behind_many_short_ones() -> None:
    """A server started in the background, and a hundred commands since."""
    short = [_command("ls", at=float(at)) for at in range(1, 100)]
    assert (
        _cause(_unseen("invisible_subagent", 0.5, 1000.0), *short, after=98.0)
        == "unknown invisible_subagent"
    )


_SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), max_size=12)


@given(spans=_SPANS, after=st.integers(0, 30), length=st.integers(1, 10))
def test_search_finds_exactly_the_actions_that_overlap(
    spans: list[tuple[int, int]], after: int, length: int
) -> None:
    actions = [
        WorktreeAction(float(at), float(at + lasts), _call(n))
        for n, (at, lasts) in enumerate(spans)
    ]
    found = _gaps(*actions).between(float(after), float(after + length))
    expected = {a.call.call_id for a in actions if a.at < after + length and a.until > after}
    assert {a.call.call_id for a in found} == expected
    assert [a.at for a in found] == sorted(a.at for a in found)


def _spawn(task: str, at: float = 50.0, until: float = 60.0) -> WorktreeAction:
    return WorktreeAction(at, until, _call(3, at), unseen=Reason.INVISIBLE_SUBAGENT, told=task)


_MADE = AttributionWindow(F, 10, 100, last=True, made=True, unseen=True)


@pytest.mark.parametrize(
    ("task", "made"),
    {
        "Create `src/app.py` with a main function.": True,
        "DELIVERABLES:\n1. `src/app.py` - the program\n2. `test/test_app.py`": True,
        "Extract the rules to `src/app.py` and link them.": True,
        "Create these:\n- src/app.py": True,
        (
            "Review what is not committed.\n## Uncommitted\n- `src/app.py` - new program of 274"
            " lines"
        ): False,
        "Read `src/app.py` first.": False,
        "This test loads what it needs from `src/app.py`.": False,
        "Files to convert:\n1. `src/app.py`": False,
        "The pull request added src/app.py": False,
        "Update the existing `src/app.py`": False,
        "Create `src/other.py` like `src/app.py`": False,
    }.items(),
)
def test_subagent_that_was_told_to_make_a_file(task: str, made: bool) -> None:
    """The calls of the subagent are not on record; that its task asks for the new file is."""
    found = _gaps(_spawn(task)).cause(_MADE)
    assert found == (
        CandidateAuthor(Author.AGENT, How.SUBAGENT, call=_call(3))
        if made
        else CandidateAuthor(Author.UNKNOWN, reason=Reason.INVISIBLE_SUBAGENT, call=_call(3))
    )


def test_file_that_the_user_named_or_that_was_there_before_is_not_the_subagents() -> None:
    spawn = _spawn("Create `src/app.py`.")
    named, seen = _gaps(spawn), _gaps(spawn)
    shown = _gaps(_command("git diff --cached src/app.py", at=40, number=2), spawn)
    named.prompts.append(Prompt(20, "finish src/app.py"))
    seen.existence[F].append((30, True))
    assert (
        named.cause(_MADE).author
        == seen.cause(_MADE).author
        == shown.cause(_MADE).author
        == Author.UNKNOWN
    )


@pytest.mark.parametrize(
    ("path", "before", "said"),
    [
        (F, 100.0, "human"),  # the recorder names other files only
        ("src/done.py", 100.0, "unknown invisible_subagent"),
        # git did not know it: only edit calls would have named it
        ("src/new.py", 100.0, "unknown invisible_subagent"),
        # committed while the subagent worked, perhaps by itself
        (F, 55.0, "unknown invisible_subagent"),
    ],
)
def test_files_that_the_recorder_names_narrow_what_a_subagent_hides(
    path: str, before: float, said: str
) -> None:
    gaps = _gaps(replace(_spawn("Do it"), files=frozenset({"src/done.py"})))
    gaps.tracked = lambda path, at: path != "src/new.py"
    found = gaps.cause(AttributionWindow(path, 10.0, before))
    assert " ".join(filter(None, (found.author, found.reason))) == said


@pytest.mark.parametrize(("files", "made"), [({F}, True), ({"src/b.py"}, False)])
def test_new_file_that_the_recorder_names_is_the_subagents(files: set[str], made: bool) -> None:
    found = _gaps(replace(_spawn("Do it"), files=frozenset(files))).cause(_MADE)
    assert (found.author, found.how) == (("agent", "subagent") if made else ("unknown", "none"))


@pytest.mark.parametrize(
    ("kind", "hides"), {"Explore": 0, "Plan": 0, "general-purpose": 1, "": 1}.items()
)
def test_a_subagent_that_can_only_look_hides_nothing(kind: str, hides: int) -> None:
    call = ToolCall(
        "c", "Agent", 1, 100.0, 300.0, Status.OK, spawn=Spawn("child", kind, visible=False)
    )
    session = Session(
        "parent", "claude-code", ("/w",), calls=(call,), started_at=90.0, ended_at=400.0
    )
    assert len(session_edits(session, 1).actions) == hides


def test_files_of_a_subagent_in_the_background_narrow_nothing() -> None:
    for asynchronous in (False, True):
        spawn = Spawn("child", "build", visible=False, asynchronous=asynchronous)
        call = ToolCall("c", "Agent", 1, 100.0, 300.0, Status.OK, spawn=spawn)
        session = Session(
            "parent", "claude-code", ("/w",), calls=(call,), started_at=90.0, ended_at=400.0
        )
        (action,) = session_edits(session, 1, (), {"c": frozenset({F})}).actions
        assert action.files == (None if asynchronous else {F})


def test_file_that_appeared_within_a_turn_is_of_what_ran_in_between() -> None:
    """Seen absent, then there, no prompt in between: the generator before the opaque command;
    nothing after the second sighting.
    """
    first, later = _command("./build", at=50), _command("./other", at=80, number=2)
    windows = _gaps(first, later)
    windows.existence[F].append((40, False))
    windows.existence[F].append((60, True))
    assert windows.cause(_MADE) == CandidateAuthor(Author.AGENT, How.SHELL, call=_call())
    generated = _gaps(first, _command("npm run codegen", at=55, number=2))
    generated.existence = windows.existence
    assert generated.cause(_MADE).author == Author.TOOL
    asked = _gaps(first, later)
    asked.existence = windows.existence
    asked.prompts.append(Prompt(45, "go on"))
    assert asked.cause(_MADE).reason == Reason.OPAQUE_SHELL
    unseen_before = _gaps(first, later)
    unseen_before.existence[F].append((60, True))
    assert unseen_before.cause(_MADE).reason == Reason.OPAQUE_SHELL


def test_loop_that_copies_files_into_directories_made_the_new_ones() -> None:
    """The names of the copies are not known: a new file there is one of them, and an older one
    may be.
    """
    loop = _command(
        'for l in de fr; do for f in en/*.txt; do cp "$f" "$l/$(basename $f)"; done; done'
    )
    made = AttributionWindow("de/a.txt", 10, 100, last=True, made=True, unseen=True)
    assert _gaps(loop).cause(made).author == Author.AGENT
    assert (
        _gaps(loop).cause(AttributionWindow("es/a.txt", 10, 100, made=True)).author == Author.HUMAN
    )
    assert _gaps(loop).cause(AttributionWindow("de/a.txt", 10, 100)).reason == Reason.BROUGHT_IN
    assert _gaps(_command("cp -r en/. de/")).cause(made).author == Author.AGENT


_TEXTS = [
    "",
    "ls",
    "sed -i 's/a/b/' src/app.py",
    "sed -i 's/a/b/' src/*.py",
    "echo x >> src/app.py",
    "rm -rf src",
    "prettier --write .",
    "npm run format",
    "ruff format src",
    "./x",
    "./x && git pull",
    "git checkout .",
    "git checkout -- src/app.py",
    "git stash pop",
    "python -c \"open('src/app.py', 'w')\"; ./x",
    "mytool -o src/app.py",
    "cargo new src --lib",
    "npm create vite .",
    "sed -i 's/a/b/' .",
    "cp -r lib/. src/",
    "mv app.py src",
    "python gen.py > $OUT; cat app.py",
    "bun i; sed -i 's/a/b/' \"$F\"",
]
_ACTS = st.lists(
    st.tuples(
        st.integers(0, 20), st.integers(0, 9), st.sampled_from(_TEXTS), st.sampled_from("uuf")
    ),
    max_size=14,
)


def _one_after_another(gaps: AttributionWindows, window: AttributionWindow) -> CandidateAuthor:
    """The answer when every action of the time is asked."""
    weaker, scripts = HUMAN, []
    for action in reversed(gaps.between(window.after, window.before)):
        answer = gaps.answer_of(action, window)
        if answer is not None and answer.scripts:
            scripts.append(answer)
        elif answer is not None and answer.author in (Author.AGENT, Author.TOOL):
            weaker = weaker if answer.fills_directory and _rank(weaker) else answer
            break
        elif answer is not None and (_rank(answer) > _rank(weaker) or weaker is HUMAN):
            weaker = answer
    if not scripts:
        return weaker
    return replace(
        scripts[0],
        scripts=tuple(script for answer in scripts for script in answer.scripts),
        otherwise=weaker,
    )


def _rank(answer: CandidateAuthor) -> int:
    if answer.author != Author.HUMAN:
        return 3
    return {Reason.GIT_OPERATION: 2, Reason.OPAQUE_SHELL: 1}.get(answer.reason, 0)


# the later one has another answer for this file
@example([(1, 0, "./x", "u"), (2, 0, _TEXTS[14], "u")], F, 0, 9, False)
@example([(1, 0, "./x", "u"), (2, 0, "git pull", "u"), (3, 0, "./x", "u")], F, 0, 9, False)
@given(
    _ACTS,
    st.sampled_from([F, "app.py", "src/sub/app.py", "lib/other.rs"]),
    st.integers(0, 20),
    st.integers(1, 12),
    st.booleans(),
)
def test_answer_is_that_of_all_actions_asked_one_after_another(
    acts: list[tuple[int, int, str, str]], path: str, after: int, length: int, layout: bool
) -> None:
    actions = []
    for number, (at, lasts, text, kind) in enumerate(acts):
        action = _command(text, float(at), float(at + lasts), number)
        if not text:
            files = frozenset({F}) if kind == "f" else None
            action = replace(action, unseen=Reason.INVISIBLE_SUBAGENT, files=files)
        actions.append(action)
    gaps, window = (
        _gaps(*actions),
        AttributionWindow(path, float(after), float(after + length), layout),
    )
    gaps.spans = [(0.0, 100.0)]
    assert gaps.cause(window) == _one_after_another(gaps, window)
