"""Which commits name which checkpoints, and when a worktree is compared with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest

from attribution.authorship.case import SECOND, SLACK
from attribution.authorship.commit_calls import CommitCall
from attribution.authorship.links import (
    ChangedPaths,
    MethodConfidence,
    add_imports,
    add_own,
    commit_probes,
    link_by_trailer,
    since,
)
from attribution.authorship.own_commits import OwnCommit
from attribution.authorship.replay import ReplayStep
from attribution.authorship.session_edits import SessionEdits
from attribution.authorship.timeline import Timeline
from attribution.authorship.verdicts import CallRef
from attribution.authorship.worktrees import CommitProbe
from collector.checkpoints.statements import automation, checkpoint_ids, declared_agent
from collector.model import Checkpoint, Commit, Edit, SessionRecord
from collector.vocabulary.sessions import CheckpointStore

A = "a1b2c3d4e5f6"
B = "0123456789ab"
ULID = "01JZXW8Q5T9N3M4K7R2V6Y0ABC"
AT = 1_000_000.0
DAY = 86_400.0


def _commit(
    message: str = "m",
    at: float = AT,
    sha: str = "c1",
    parents: Sequence[str] = (),
    later: float = 0.0,
) -> Commit:
    return Commit(
        sha,
        tuple(parents),
        "t",
        "Ada",
        "ada@example.com",
        at,
        "Ada",
        "ada@example.com",
        at + later,
        message,
    )


def _named(*keys: str) -> str:
    return "Title\n\n" + "\n".join(f"Entire-Checkpoint: {key}" for key in keys) + "\n"


def _commit_for(*keys: str) -> Commit:
    return _commit(_named(*keys))


def _checkpoint(key: str, *sessions: str, at: float | None = AT + 2) -> Checkpoint:
    return Checkpoint(
        key,
        CheckpointStore.V1,
        "r",
        sessions=tuple(SessionRecord(key, i, s, s, created_at=at) for i, s in enumerate(sessions)),
    )


# --- messages -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "ids"),
    [
        (f"Title\n\nEntire-Checkpoint: {A}\n", [A]),
        (f"Title\n\nEntire-Checkpoint: {A}", [A]),
        (f"Entire-Checkpoint: {A}", [A]),
        (f"Title\n\nEntire-Checkpoint:{A}\nSigned-off-by: x\n", [A]),
        (f"Title\r\n\r\nEntire-Checkpoint: {A}\r\n", [A]),
        # Squashes put trailers in the middle, quote them and indent them.
        (
            (
                f"Title (#3)\n\n* one\n\nEntire-Checkpoint: {A}\n\n* two\n\n  Entire-Checkpoint:"
                f" {B}\n\n---------\n\nCo-authored-by: x"
            ),
            [A, B],
        ),
        (f"> Entire-Checkpoint: {A}\n", [A]),
        (_named(B, A, B), [B, A]),
        (f"Title\n\nEntire-Checkpoint: {ULID}\nEntire-Checkpoint: {A}\n", [ULID, A]),
        (f"x Entire-Checkpoint: {A} y", [A]),
        # Prose and broken ids name nothing.
        ("Adds the Entire-Checkpoint: trailer to commits", []),
        ("Entire-Checkpoint: \nnothing", []),
        (f"Entire-Checkpoint: {A}0", []),
        (f"Entire-Checkpoint: {A[:-1]}", []),
        (f"Entire-Checkpoint: {A.upper()}", []),
        (f"Entire-Checkpoint: {ULID.lower()}", []),
        (f"Entire-Checkpoint: {ULID}X", []),
        (f"Entire-Checkpoint: {ULID[:-1]}", []),
        (f"Entire-Checkpoint: 8{ULID[1:]}", []),
        (f"Entire-Checkpoint: {A}, {B}", []),
        (f"entire-checkpoint: {A}", []),
        (f"see {A}", []),
        ("", []),
    ],
)
def test_ids_are_found_anywhere_in_the_message_and_nowhere_else(
    message: str, ids: list[str]
) -> None:
    assert checkpoint_ids(message) == ids


def test_id_must_not_be_taken_from_the_next_line_of_prose() -> None:
    assert checkpoint_ids("Entire-Checkpoint:\n\nabcdefabcdef0 is no id") == []


def test_195_ids_of_one_squash_are_all_kept() -> None:
    keys = [f"{n:012x}" for n in range(195)]
    assert checkpoint_ids(_named(*keys)) == keys


@pytest.mark.parametrize(
    ("message", "name", "email", "declared"),
    [
        (
            "m\n\nCo-Authored-By: Claude Opus 4.6 <noreply@anthropic.com>",
            "Ada",
            "a@b",
            ("claude-code", "Claude Opus 4.6"),
        ),
        ("m\n\nCo-authored-by: Claude <noreply@anthropic.com>", "Ada", "a@b", ("claude-code", "")),
        (
            "m\n\n* x\n\n  co-authored-by: Cursor <cursoragent@cursor.com>\n\nmore",
            "Ada",
            "a@b",
            ("cursor", ""),
        ),
        ("m\n\nGenerated-by: codex <noreply@openai.com>", "Ada", "a@b", ("codex", "")),
        (
            "m",
            "copilot-swe-agent[bot]",
            "198982749+Copilot@users.noreply.github.com",
            ("copilot-coding-agent", ""),
        ),
        (
            "m\n\nCo-authored-by: Copilot <223556219+Copilot@users.noreply.github.com>",
            "Ada",
            "a@b",
            ("copilot-cli", ""),
        ),
        (
            "m\n\nCo-authored-by: Copilot <175728472+Copilot@users.noreply.github.com>",
            "Ada",
            "a@b",
            ("copilot", ""),
        ),
        (
            "m",
            "factory-droid[bot]",
            "1+factory-droid[bot]@users.noreply.github.com",
            ("factory-droid", ""),
        ),
        (
            "m",
            "google-labs-jules[bot]",
            "1+google-labs-jules[bot]@users.noreply.github.com",
            ("jules", ""),
        ),
        ("aider: add tests", "Ada", "a@b", ("aider", "")),
        ("m", "Ada (aider)", "a@b", ("aider", "")),
        (
            "m\n\nCo-authored-by: aider (openai/o3) <aider@aider.chat>",
            "Ada",
            "a@b",
            ("aider", "openai/o3"),
        ),
        (
            "m\n\nCo-authored-by: aider (gpt-4o) <noreply@aider.chat>",
            "Ada",
            "a@b",
            ("aider", "gpt-4o"),
        ),
        ("m\n\nCo-authored-by: Bob <bob@example.com>", "Ada", "a@b", None),
        ("I talked to noreply@anthropic.com about this", "Ada", "a@b", None),
        ("Fix aider: it crashed", "Ada", "a@b", None),
        ("m", "Claude Monet", "claude@example.com", None),
    ],
)
def test_agents_are_declared_by_trailers_and_accounts_only(
    message: str, name: str, email: str, declared: tuple[str, str] | None
) -> None:
    commit = Commit("c", (), "t", name, email, AT, name, email, AT, message)
    found = declared_agent(commit)
    assert (found and (found.agent, found.model)) == declared


@pytest.mark.parametrize(
    ("name", "email", "bot"),
    [
        ("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com", True),
        ("renovate", "bot@renovateapp.com", True),
        ("GitHub Actions", "github-actions[bot]@users.noreply.github.com", True),
        ("Abbot", "abbot@example.com", False),
        ("Codex CLI", "codex-bot@example.com", False),
        ("copilot-swe-agent[bot]", "198982749+Copilot@users.noreply.github.com", False),
        ("pyup-bot", "github-bot@pyup.io", True),
        ("Travis CI", "builds@travis-ci.org", True),
        ("Weblate", "noreply@weblate.org", True),
        ("Ana Travis", "ana.travis@example.com", False),
        ("Ada", "ada@example.com", False),
        ("Renovated Houses Ltd", "x@example.com", False),
    ],
)
def test_automation_is_told_by_its_account(name: str, email: str, bot: bool) -> None:
    assert (
        automation(Commit("c", (), "t", name, email, AT, name, email, AT, "m")) is not None
    ) == bot


# --- links ----------------------------------------------------------------------------------------


def test_commit_is_linked_to_every_session_of_every_checkpoint_it_names() -> None:
    found = link_by_trailer(
        [_commit_for(A, B)], [_checkpoint(A, "s1", "s2"), _checkpoint(B, "s2", "s3")]
    )["c1"]
    assert found.named == (A, B)
    assert found.sessions == ["s1", "s2", "s3"]
    assert found.is_resolved and not found.incomplete


def test_one_id_on_several_commits_links_them_all() -> None:
    commits = [_commit(_named(A), sha="c1"), _commit(_named(A), sha="c2")]
    found = link_by_trailer(commits, [_checkpoint(A, "s1")])
    assert [found[sha].sessions for sha in ("c1", "c2")] == [["s1"], ["s1"]]


def test_id_without_a_checkpoint_leaves_the_link_incomplete() -> None:
    found = link_by_trailer([_commit_for(A, B)], [_checkpoint(B, "s1")])["c1"]
    assert (found.is_resolved, found.incomplete, found.sessions) == (True, True, ["s1"])
    lost = link_by_trailer([_commit_for(A)], [])["c1"]
    assert (lost.is_resolved, lost.incomplete) == (False, True)


@pytest.mark.parametrize(
    ("parents", "squashed", "message", "linked"),
    [
        (["p"], AT, "Title", True),
        (["p0"], AT, "Title", True),  # the target has moved on
        (["other"], AT, "Title", False),  # a branch of several commits
        (["p", "q"], AT, "Title", False),
        (["p"], AT - 3600, "Title", False),  # an ordinary commit of a branch
        (["p"], AT + 10, "Title", False),
        (["p"], AT, _named(B), False),  # it names its own
    ],
)
def test_a_squash_whose_only_trailer_stands_on_its_merge(
    parents: list[str], squashed: float, message: str, linked: bool
) -> None:
    base = [_commit(sha="p0", at=AT - 200), _commit(sha="p", parents=["p0"], at=AT - 100)]
    squash = _commit(message, squashed, "s", parents)
    merge = _commit(_named(A), AT + 1, "m", ["p", "s"])
    links = link_by_trailer([*base, squash, merge], [_checkpoint(A, "s1")])
    assert (links["s"].sessions == ["s1"]) == linked
    assert links["m"].sessions == ["s1"]
    assert links["s"].method_of("s1").confidence == (0.95 if linked else 1.0)


def test_commit_without_ids_is_linked_to_nothing() -> None:
    found = link_by_trailer(
        [_commit("prose about an Entire-Checkpoint: trailer")], [_checkpoint(A, "s1")]
    )["c1"]
    assert (found.named, found.is_resolved, found.incomplete) == ((), False, False)


@pytest.mark.parametrize(
    ("parents", "expected"),
    [
        ((), 0.0),
        ((AT - 50,), AT - 50),
        ((AT - 50, AT - 20), AT - 20),
        ((AT + 50,), 0.0),
        ((AT + 50, AT - 9), AT - 9),
    ],
)
def test_changes_date_from_the_latest_parent_that_is_not_later(
    parents: tuple[float, ...], expected: float
) -> None:
    assert (
        since(_commit(), [_commit(at=at, sha=f"p{n}") for n, at in enumerate(parents)]) == expected
    )


# --- moments --------------------------------------------------------------------------------------


def _line(
    root: str, steps: Iterable[tuple[str, float]] = (), email: str = "ada@example.com"
) -> Timeline:
    line = Timeline(root, emails={email})
    for n, (path, at) in enumerate(steps):
        line.steps.append(ReplayStep(at, n, path, Edit(path, "edit"), CallRef(1, f"c{n}", 1, at)))
    return line


def _looks(
    commit: Commit,
    checkpoints: Sequence[Checkpoint] = (),
    *,
    roots: dict[str, set[str]] | None = None,
    lines: Sequence[Timeline] = (),
    touched: Iterable[str] = ("a.py",),
    parents: Sequence[Commit] = (),
) -> dict[str, list[CommitProbe]]:
    links = link_by_trailer([*parents, commit], checkpoints)
    only = {commit.sha: links[commit.sha]}
    commits = {c.sha: c for c in (*parents, commit)}
    timelines = {line.root: line for line in lines or [_line("/w")]}
    return commit_probes(
        only, commits, roots or {"s1": {"/w"}}, timelines, ChangedPaths({commit.sha: set(touched)})
    )


def test_ordinary_commit_is_looked_at_once_when_it_was_made() -> None:
    parent = _commit(at=AT - 100, sha="p")
    found = _looks(_commit(_named(A), parents=["p"]), [_checkpoint(A, "s1")], parents=[parent])
    assert found == {
        "/w": [CommitProbe(AT + SLACK, "c1", AT - 100, here=True, authored=AT + SLACK)]
    }


def test_commit_shows_a_worktree_only_when_it_can_have_been_made_nowhere_else() -> None:
    two = _looks(
        _commit_for(A),
        [_checkpoint(A, "s1")],
        roots={"s1": {"/w", "/v"}},
        lines=[_line("/w"), _line("/v")],
    )
    rebased = _looks(_commit(_named(A), later=3600), [_checkpoint(A, "s1")])
    assert [
        look.here
        for one in (two, rebased)
        for commit_probes in one.values()
        for look in commit_probes
    ] == [False] * 3


def test_every_worktree_of_its_sessions_is_looked_at() -> None:
    roots = {"s1": {"/w", "/other"}, "s2": {"/third"}, "s3": {"/unrelated"}}
    lines = [_line(root) for root in ("/w", "/other", "/third", "/unrelated")]
    found = _looks(_commit_for(A), [_checkpoint(A, "s1", "s2")], roots=roots, lines=lines)
    assert sorted(found) == ["/other", "/third", "/w"]


def test_rebased_commit_is_redone() -> None:
    ((look,),) = _looks(_commit(_named(A), later=3600), [_checkpoint(A, "s1")]).values()
    assert (look.at, look.redone, look.main) == (AT + SLACK, True, True)


def test_committer_a_minute_late_is_no_rebase() -> None:
    ((look,),) = _looks(_commit(_named(A), later=60), [_checkpoint(A, "s1")]).values()
    assert not look.redone


def test_amended_commit_is_looked_at_when_it_got_its_last_content() -> None:
    """It keeps its author time; the checkpoint is stored after the amending."""
    amended = AT + 600
    found = _looks(_commit(_named(A), later=598), [_checkpoint(A, "s1", at=amended)])["/w"]
    main = [look for look in found if look.main]
    assert [(look.at, look.redone) for look in main] == [(amended, False)]
    # its first content counts too
    assert [(look.at, look.main) for look in found if not look.main] == [(AT + SLACK, False)]


def test_commit_amended_without_a_new_checkpoint_is_also_looked_at_when_it_was_amended() -> None:
    checkpoint = _checkpoint(A, "s1", at=AT - 5)

    def moments(*steps: tuple[str, float]) -> list[tuple[float, bool]]:
        found = _looks(_commit(_named(A), later=598), [checkpoint], lines=[_line("/w", steps)])[
            "/w"
        ]
        return [(look.at, look.main) for look in found]

    assert moments(("a.py", AT - 50), ("a.py", AT + 300)) == [
        (AT + SLACK, True),
        (AT + 598 + SLACK, False),
    ]
    # a rebase: nobody worked on its files in between
    assert (
        moments(("a.py", AT - 50))
        == moments(("b.py", AT + 300))
        == moments(("a.py", AT + 900))
        == [(AT + SLACK, True)]
    )


def test_commit_whose_checkpoint_is_absent_is_its_sessions_that_printed_its_id() -> None:
    commit = _commit(_named(B), sha="abcdef0123456789")
    links = link_by_trailer([commit], known := [_checkpoint(A, "s1")])
    made = CommitCall(CallRef(1, "c", 1, AT), AT, "git commit", ("abcdef0",), ())
    add_own(links, {commit.sha: OwnCommit("s1", made, True)}, known)
    found = links[commit.sha]
    assert (found.sessions, found.incomplete, found.named) == (["s1"], True, (B,))
    assert found.method_of("s1").method == "made_by_call"


@pytest.mark.parametrize(
    ("started", "moment"),
    [
        (AT + 0.6, AT + 0.6),  # git cut off what the session has
        (AT - 2.0, AT),
        (AT + 1.2, AT),  # another second: nothing was cut off
        (AT - 0.4, AT),
        (0.0, AT),  # an agent that records no times
        (AT + 300.4, AT + 303.4),  # another clock
    ],
)
def test_what_a_session_did_in_the_second_of_its_commit_was_before_the_commit(
    started: float, moment: float
) -> None:
    commit = _commit("Done", sha="abcdef0123456789")
    made = CommitCall(
        CallRef(1, "c", 1, started + 3 if started else AT), started, "git commit", ("abcdef0",), ()
    )
    on_clock = OwnCommit("s1", made, True).on_its_clock(commit)
    assert (
        on_clock.author_time == pytest.approx(moment) and on_clock.commit_time >= commit.commit_time
    )


@pytest.mark.parametrize(
    ("started", "ended", "sha", "linked"),
    [
        (AT - 600, AT + 600, "abcdef0123456789", True),
        (AT - 600, AT, "abcdef0123456789", True),
        (AT - 900, AT - 600, "abcdef0123456789", False),  # HEAD when the session was imported
        (AT + 600, AT + 900, "abcdef0123456789", False),
        (AT - 600, AT + 600, "", False),
        (AT - 600, AT + 600, "0123456789abcdef", False),  # not of this history
    ],
)
def test_imported_session_has_the_commit_it_names_if_it_was_made_meanwhile(
    started: float, ended: float, sha: str, linked: bool
) -> None:
    commit = _commit("By an agent", sha="abcdef0123456789")
    (record,) = _checkpoint(A, "s1").sessions
    known = [
        Checkpoint(
            A,
            CheckpointStore.V1,
            "r",
            sessions=(replace(record, commit_sha=sha, strategy="import"),),
        )
    ]
    links = link_by_trailer([commit], known)
    add_imports(links, [SessionEdits(1, "s1", "/w", ("/w",), started, ended)], known)
    assert links[commit.sha].sessions == (["s1"] if linked else [])
    assert not linked or links[commit.sha].method_of("s1") == MethodConfidence("imported", 0.95)


def test_checkpoint_stored_long_after_the_fact_moves_no_moment() -> None:
    """A backfill: the committer time, which an amend renews, lies long before."""
    found = _looks(_commit_for(A), [_checkpoint(A, "s1", at=AT + 30 * DAY)])["/w"]
    assert [(look.at, look.main, look.redone) for look in found] == [(AT + SLACK, True, False)]


def test_squash_is_also_looked_at_when_its_checkpoints_were_stored() -> None:
    checkpoints = [_checkpoint(A, "s1", at=AT - 7200), _checkpoint(B, "s1", at=AT - 3600)]
    found = _looks(_commit_for(A, B), checkpoints)["/w"]
    assert [(look.at, look.main, look.redone) for look in found] == [
        (AT + SLACK, True, False),
        (AT - 7200, False, True),
        (AT - 3600, False, True),
    ]


def test_checkpoint_stored_just_before_its_commit_makes_no_squash() -> None:
    assert len(_looks(_commit_for(A), [_checkpoint(A, "s1", at=AT - 59)])["/w"]) == 1


def test_huge_squash_is_looked_at_in_its_last_moments_only() -> None:
    keys = [f"{n:012x}" for n in range(100)]
    checkpoints = [_checkpoint(key, "s1", at=AT - 10_000 + 10 * n) for n, key in enumerate(keys)]
    found = _looks(_commit_for(*keys), checkpoints)["/w"]
    assert len(found) == 13
    assert min(look.at for look in found) == AT - 10_000 + 10 * 88


def test_checkpoint_without_a_time_is_no_moment() -> None:
    assert len(_looks(_commit_for(A), [_checkpoint(A, "s1", at=None)])["/w"]) == 1


def test_commit_that_names_only_lost_checkpoints_is_still_looked_at_like_one_without_trailer() -> (
    None
):
    found = _looks(_commit_for(A), lines=[_line("/w", [("a.py", AT - 10)])])
    assert [look.linked for look in found["/w"]] == [False]


@pytest.mark.parametrize(
    ("path", "worked_at", "email", "seen"),
    [
        ("a.py", AT - 10, "ada@example.com", True),
        ("a.py", AT - 3 * DAY + 60, "ada@example.com", True),
        ("a.py", AT + SLACK, "ada@example.com", True),
        ("a.py", AT - 3 * DAY - 60, "ada@example.com", False),  # too long ago
        ("a.py", AT + SLACK + 1, "ada@example.com", False),  # after the commit
        ("b.py", AT - 10, "ada@example.com", False),  # another file
        ("a.py", AT - 10, "bob@example.com", False),  # another developer
    ],
)
def test_without_a_trailer_recent_work_on_the_same_files_by_the_same_person_counts(
    path: str, worked_at: float, email: str, seen: bool
) -> None:
    found = _looks(_commit(), lines=[_line("/w", [(path, worked_at)], email)])
    assert bool(found) == seen
    if seen:
        probe = CommitProbe(AT + SLACK, "c1", 0.0, linked=False)
        # what was done in those seconds may have come before the commit or after it
        also = [replace(probe, at=AT + SECOND, main=False)] if worked_at > AT else []
        assert found == {"/w": [probe, *also]}


def test_merge_without_a_trailer_is_looked_at_like_any_commit() -> None:
    """Somebody committed the conflict that the agent resolved."""
    parents = [_commit(at=AT - 9, sha="p"), _commit(at=AT - 8, sha="q")]
    merge = _commit(parents=["p", "q"])
    ((look,),) = _looks(merge, lines=[_line("/w", [("a.py", AT - 10)])], parents=parents).values()
    assert (look.since, look.linked) == (AT - 8, False)
