"""Where in the repository a path of a transcript lies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.authorship.session_edits import SessionEdits, session_edits
from attribution.authorship.timeline import learn_roots
from attribution.authorship.worktree_roots import WorktreeRoots
from collector.model import Command, Edit, Session, Status, ToolCall
from collector.text import normal_path

KNOWN = frozenset(
    {"README.md", "src/app.py", "src/util/text.py", "docs/guide.md", "docs/README.md", "Makefile"}
)
W = "/home/ada/work/tally"


def _places(
    paths: Iterable[str], cwds: Sequence[str] = (), known: Iterable[str] = KNOWN
) -> WorktreeRoots:
    places = WorktreeRoots(frozenset(known))
    places.learn(paths, cwds)
    places.settle()
    return places


def test_directory_whose_files_the_repository_has_is_a_root() -> None:
    places = _places([f"{W}/src/app.py", f"{W}/docs/guide.md"])
    assert places.roots == (W,)
    assert places.place(f"{W}/src/app.py") == (W, "src/app.py")
    assert places.place(f"{W}/new/file.py") == (W, "new/file.py")


def test_working_directory_confirms_a_root_by_a_single_file() -> None:
    assert _places([f"{W}/README.md"], [W]).roots == (W,)
    assert _places([f"{W}/README.md"], [f"{W}/src"]).roots == (W,)
    assert _places([f"{W}/README.md"]).roots == ()


def test_an_editor_that_was_opened_above_the_worktree_names_it() -> None:
    places = _places([f"{W}/src/app.py", f"{W}/docs/guide.md"])
    assert places.place("tally/src/app.py") == (W, "src/app.py")
    assert places.place("src/app.py") == ("", "src/app.py")
    assert places.place("other/src/app.py") is None
    assert places.place("tally/notes.txt") is None  # the repository never had it
    # nobody says what is called so
    assert _places(["src/app.py"]).place("tally/src/app.py") is None


def test_a_link_leads_to_the_file_that_git_has() -> None:
    links = {"CLAUDE.md": "AGENTS.md", "lib": "packages/lib", "a": "b", "b": "a"}
    places = WorktreeRoots(frozenset({"AGENTS.md", "packages/lib/x.py"}), links)
    places.learn([f"{W}/AGENTS.md"], [W])
    places.settle()
    assert places.place(f"{W}/CLAUDE.md") == (W, "AGENTS.md")
    assert places.place(f"{W}/lib/x.py") == (W, "packages/lib/x.py")
    assert places.place(f"{W}/library/x.py") == (W, "library/x.py")
    assert places.place(f"{W}/a") is not None  # a circle ends


def test_two_files_of_usual_names_prove_no_root() -> None:
    assert _places(["/elsewhere/README.md", "/elsewhere/Makefile"]).roots == ()
    assert _places(["/elsewhere/README.md", "/elsewhere/src/app.py"]).roots == ("/elsewhere",)


def test_directory_inside_the_root_is_no_root_of_its_own() -> None:
    """`docs/README.md` ends like the repository's own README.md."""
    places = _places(
        [f"{W}/src/app.py", f"{W}/docs/guide.md", f"{W}/pkg/README.md", f"{W}/pkg/src/app.py"],
        [W, f"{W}/pkg"],
    )
    assert places.roots == (W,)
    assert places.place(f"{W}/pkg/README.md") == (W, "pkg/README.md")


def test_directory_above_the_root_is_no_root() -> None:
    paths = [f"{W}/src/app.py", f"{W}/docs/guide.md", f"{W}/README.md", "/home/ada/work/README.md"]
    places = _places(paths, [W, "/home/ada/work"])
    assert places.roots == (W,)
    assert places.place("/home/ada/work/README.md") is None


@pytest.mark.parametrize(
    "inside",
    [
        ".worktrees/topic",
        "worktrees/topic",
        ".worktree/topic",
        ".claude/worktrees/topic",
        ".tool/worktree/a/b",
    ],
)
def test_worktrees_below_the_main_one_are_roots_of_their_own(inside: str) -> None:
    inner = f"{W}/{inside}"
    places = _places(
        [f"{W}/src/app.py", f"{W}/docs/guide.md", f"{inner}/src/app.py", f"{inner}/README.md"],
        [W, inner],
    )
    assert set(places.roots) == {W, inner}
    assert places.place(f"{inner}/src/app.py") == (inner, "src/app.py")
    assert places.place(f"{W}/src/app.py") == (W, "src/app.py")


@pytest.mark.parametrize(
    ("inside", "is_root"),
    [(".claude/worktrees/a1", True), ("worktrees/x", True), ("vendor/copy", False)],
)
def test_one_file_shows_a_worktree_below_the_main_one_where_no_session_was_started(
    inside: str, is_root: bool
) -> None:
    """A subagent with a worktree of its own, of which the session that started it tells alone."""
    places = _places(
        [f"{W}/src/app.py", f"{W}/docs/guide.md", f"{W}/{inside}/src/util/text.py"], [W]
    )
    assert (f"{W}/{inside}" in places.roots) == is_root


def test_worktree_with_more_evidence_than_the_main_one_hides_it_not() -> None:
    inner = f"{W}/.worktrees/topic"
    files = ["src/app.py", "src/util/text.py", "docs/guide.md", "README.md"]
    places = _places(
        [*(f"{inner}/{file}" for file in files), f"{W}/src/app.py", f"{W}/docs/guide.md"],
        [W, inner],
    )
    assert set(places.roots) == {W, inner}


def test_two_clones_side_by_side_are_two_roots() -> None:
    other = "/home/ada/work/tally-2"
    places = _places(
        [f"{root}/{file}" for root in (W, other) for file in ("src/app.py", "docs/guide.md")],
        [W, other],
    )
    assert set(places.roots) == {W, other}
    assert places.place(f"{other}/src/app.py") == (other, "src/app.py")


def test_root_is_no_mere_beginning_of_a_name() -> None:
    places = _places([f"{W}/src/app.py"], [W])
    assert places.place(f"{W}-backup/src/app.py") is None
    assert places.root_of(W + "x") is None
    assert places.root_of(W) == W


@pytest.mark.parametrize(
    "path", ["/home/ada/.claude/plans/x.md", "/tmp/a.py", "/", W, "relative/unknown.py"]
)
def test_everything_else_is_outside(path: str) -> None:
    assert _places([f"{W}/src/app.py"], [W]).place(path) is None


def test_windows_paths_are_places_like_any_other() -> None:
    places = _places(["/c/Users/ada/tally/src/app.py"], ["/c/Users/ada/tally"])
    assert places.place("/c/Users/ada/tally/docs/new.md") == ("/c/Users/ada/tally", "docs/new.md")


def test_relative_path_is_seen_from_the_working_directory() -> None:
    places = _places([f"{W}/src/app.py"], [W])
    assert places.place("notes.txt", W) == (W, "notes.txt")
    assert places.place("text.py", f"{W}/src/util") == (W, "src/util/text.py")
    # the repository has it, seen from its top
    assert places.place("src/app.py", f"{W}/docs") == (W, "src/app.py")
    assert places.place("notes.txt", "/somewhere/else") is None


def test_relative_path_without_any_root_counts_only_when_the_repository_has_it() -> None:
    places = _places([], [])
    assert places.place("src/app.py") == ("", "src/app.py")
    assert places.place("unknown.py") is None


def test_files_never_committed_fall_back_to_the_usual_working_directory() -> None:
    places = WorktreeRoots(frozenset({"other.py"}))
    for _ in range(2):
        places.learn([f"{W}/draft.py"], [W])
    places.learn(["/x/draft.py"], ["/x/y"])
    places.settle()
    assert places.roots == (W,)


@pytest.mark.parametrize("cwd", ["/", "/home", ""])
def test_top_of_the_file_system_is_never_a_root(cwd: str) -> None:
    assert _places(["/home/ada/draft.py"], [cwd]).roots == ()


def test_the_longest_path_of_the_repository_decides() -> None:
    """`src/app.py` must not be taken for a root `src` with an `app.py`."""
    places = _places(
        [f"{W}/src/app.py", f"{W}/docs/guide.md"], [W], known=KNOWN | {"app.py", "guide.md"}
    )
    assert places.roots == (W,)
    assert places.place(f"{W}/src/app.py") == (W, "src/app.py")


def test_order_of_sessions_makes_no_difference() -> None:
    sessions = [
        ([f"{W}/src/app.py"], [W]),
        ([f"{W}/.worktrees/t/src/app.py", f"{W}/.worktrees/t/README.md"], [f"{W}/.worktrees/t"]),
        ([], ["/x"]),
    ]
    found = set()
    for order in (sessions, sessions[::-1]):
        places = WorktreeRoots(KNOWN)
        for paths, cwds in order:
            places.learn(paths, cwds)
        places.settle()
        found.add(places.roots)
    assert found == {(f"{W}/.worktrees/t", W)}


@given(
    st.lists(
        st.sampled_from(["a", "b", "src", "app.py", "README.md", "docs", "..", ""]), max_size=6
    )
)
def test_a_place_is_the_root_and_the_rest_of_the_path(parts: list[str]) -> None:
    places = _places([f"{W}/src/app.py", f"{W}/docs/guide.md"], [W])
    path = f"{W}/" + "/".join(part for part in parts if part)
    place = places.place(path)
    assert place is None or "/".join(place) == normal_path(path)


SHA = "1a2b3c4d5e6f70819203a4b5c6d7e8f901234567"


def _session(cwd: str, edited: str, command: str = "", made: tuple[str, ...] = ()) -> SessionEdits:
    """A session that edits one file and runs one command."""
    edit = ToolCall(
        "c1", "Write", 0, at=1.0, status=Status.OK, edits=(Edit(edited, "write", content="x\n"),)
    )
    shell = ToolCall(
        "c2", "Bash", 0, at=2.0, status=Status.OK, command=Command(command, cwd), commits=made
    )
    return session_edits(Session("s", "claude-code", cwds=(cwd,), calls=(edit, shell)), 1)


def _shown(session: SessionEdits, listed: Sequence[str] = ()) -> WorktreeRoots:
    places = WorktreeRoots(KNOWN)
    learn_roots(places, [_session(W, f"{W}/src/app.py"), session], listed, [SHA])
    return places


def test_a_clone_elsewhere_that_git_lists_does_not_hide_where_the_sessions_were() -> None:
    """Their files were never committed, so that nothing but the usual directory speaks for it."""
    places = WorktreeRoots(KNOWN)
    learn_roots(places, [_session(W, f"{W}/src/renamed_later.py")], ["/srv/mirrors/tally"], [SHA])
    assert places.place(f"{W}/src/renamed_later.py") == (W, "src/renamed_later.py")


FEATURE = "/home/ada/work/tally-feature"


@pytest.mark.parametrize(
    ("command", "made"),
    {
        f"cd {FEATURE} && git add -A && git commit -m c": (SHA[:7],),
        "git -C ../tally-feature commit -am c": (SHA[:9],),
        "cd ../tally-feature/src && git commit -am c": (SHA,),
        f"git worktree add {FEATURE} -b feature": (),
        "git worktree add -b feature ../tally-feature main && cd ../tally-feature && npm ci": (),
    }.items(),
)
def test_a_command_shows_a_worktree_beside_the_main_one(
    command: str, made: tuple[str, ...]
) -> None:
    """Its only file is one that many repositories have."""
    places = _shown(_session(W, f"{FEATURE}/README.md", command, made))
    assert places.place(f"{FEATURE}/README.md") == (FEATURE, "README.md")
    assert places.place(f"{W}/README.md") == (W, "README.md")


@pytest.mark.parametrize(
    ("command", "made"),
    {
        f"cd {FEATURE} && git commit -m c": ("7777777",),
        f"cd {FEATURE} && git commit -m c; cd {W} && git commit -m d": (SHA[:7],),
        "cd ../other && git worktree add ../tally-feature": (),
        f"cd {FEATURE} && git status": (),
        "cd $TREE && git commit -m c": (SHA[:7],),
        f"git worktree add $(mktemp -d) && git -C {FEATURE} log": (),
    }.items(),
    ids=[
        "another repository's commit",
        "one of two places",
        "a worktree of another repository",
        "no commit",
        "a variable",
        "in no known place",
    ],
)
def test_a_directory_beside_the_worktree_is_none_by_itself(
    command: str, made: tuple[str, ...]
) -> None:
    assert (
        _shown(_session(W, f"{FEATURE}/README.md", command, made)).place(f"{FEATURE}/README.md")
        is None
    )


def test_a_worktree_that_git_lists_is_one_wherever_it_is() -> None:
    inside, below = f"{W}/trees/feature", f"{W}/trees/feature/inner/again"
    places = _shown(_session(W, f"{inside}/README.md"), [inside, W, below])
    assert places.place(f"{inside}/new.py") == (inside, "new.py")
    assert places.place(f"{below}/README.md") == (below, "README.md")
    assert places.place(f"{W}/trees/other/new.py") == (W, "trees/other/new.py")


def test_a_directory_above_a_worktree_that_git_lists_is_none_for_one_file_of_a_usual_name() -> None:
    """A settings file in the home directory has the name of one in the repository."""
    for listed in ((), (W,)):
        places = WorktreeRoots(KNOWN | {".tool/settings.json"})
        learn_roots(
            places,
            [_session(W, f"{W}/src/app.py"), _session(W, "/home/ada/.tool/settings.json")],
            listed,
        )
        assert places.place("/home/ada/.tool/settings.json") is None


def test_a_commit_in_a_directory_without_known_files_makes_no_root_of_one_above() -> None:
    places = WorktreeRoots(KNOWN | {".tool/settings.json"})
    shown = _session(W, f"{W}/docs/guide.md", f"cd {FEATURE} && git commit -m c", (SHA[:7],))
    learn_roots(
        places,
        [_session(W, f"{W}/src/app.py"), shown, _session(W, "/home/ada/.tool/settings.json")],
        (),
        [SHA],
    )
    assert places.place("/home/ada/.tool/settings.json") is None
    assert places.place(f"{FEATURE}/new.py") == (FEATURE, "new.py")


@pytest.mark.parametrize(
    ("recorded", "other", "path"),
    [
        ("/c/Users/Ada/tally", "C:\\users\\ada\\tally\\src\\new.py", "src/new.py"),
        ("/c/Users/Ada/tally", "/mnt/c/Users/Ada/tally/src/New.py", "src/New.py"),
        ("/private/tmp/tally", "/tmp/tally/src/new.py", "src/new.py"),
        ("/home/caf\u00e9", "/home/cafe\u0301/src/n\u00e9.py", "src/n\u00e9.py"),
    ],
)
def test_a_worktree_has_several_names(recorded: str, other: str, path: str) -> None:
    places = _places([f"{recorded}/src/app.py"], [recorded])
    assert places.place(normal_path(other)) == (places.roots[0], path)


def test_a_decomposed_name_is_the_repositorys_own() -> None:
    known = {"docs/re\u0301sume\u0301.md", "src/app.py"}
    places = _places([f"{W}/docs/r\u00e9sum\u00e9.md", f"{W}/src/app.py"], [W], known)
    assert places.place(f"{W}/docs/r\u00e9sum\u00e9.md") == (W, "docs/re\u0301sume\u0301.md")


def test_a_file_in_somebodys_home_directory_is_outside() -> None:
    places = _places([f"{W}/src/app.py"], [W])
    assert places.place("~/.codex/auth.json", W) is None
    assert places.place("~notes", W) == (W, "~notes")
