"""What happens to verdicts once every commit was compared with the worktrees: passes over all commits, in a fixed order. Pure.

`conclude` leaves some lines without an author, and gives others to a person because nobody else is left. Each pass settles one kind
of them. The order matters: people are confirmed after notes of typing were read, edits get only lines that no person keeps, and a
declaration of the commit comes last, because any record tells more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from attribution.authorship.agent_text import first_times
from attribution.authorship.applied_edits import applied_edits, attribute_to_edits
from attribution.authorship.conclude import CommitVerdict, declare
from attribution.authorship.rewritten import add_rewritten
from attribution.authorship.run_data import Replayed, RunInputs
from attribution.authorship.texts import DiffTexts
from attribution.authorship.tools import by_tools
from attribution.authorship.typing_seen import TypingRecord, testify, typed_lines
from attribution.authorship.witness import PersonLines, confirm, doubt_near_holes, person_lines


@dataclass(frozen=True, slots=True)
class Verdicts:
    """The verdicts on all commits, and what they rest on. Passes change the verdicts."""

    evidence: RunInputs
    replayed: Replayed
    texts: DiffTexts
    typing: Sequence[TypingRecord]  # notes of tools that watched a person type
    by_commit: Mapping[str, CommitVerdict]


def note_sessions(verdicts: Verdicts) -> None:
    """Notes on each verdict the sessions that its commit names."""
    ids = verdicts.evidence.sessions.ids
    for sha, verdict in verdicts.by_commit.items():
        link = verdicts.evidence.links[sha]
        if link.resolved:
            verdict.named = {ids[key] for key in link.sessions if key in ids}


def give_typed_lines_to_people(verdicts: Verdicts) -> None:
    """Lines without an author that a tool saw a person type become that person's, to be confirmed by the next pass."""
    history = verdicts.evidence.history
    times = {commit.sha: commit.author_time for commit in history.commits}
    for sha, typed in typed_lines(verdicts.typing, history).items():
        parents = verdicts.evidence.links[sha].commit.parents
        since = max((times.get(parent, 0.0) for parent in parents), default=0.0)
        testify(verdicts.by_commit[sha], typed, since, verdicts.texts)


def confirm_people(verdicts: Verdicts) -> None:
    """A person's lines stay a person's only with a witness; the others become unknown, with the reason."""
    evidence = verdicts.evidence
    lines = {commit.sha: _lines_of_people(verdicts, commit.sha, commit.author_time) for commit in evidence.history.commits}
    all_lines = [line for several in lines.values() for line in several]
    agents = (text for session in evidence.sessions.edits for text in session.produced)
    produced = first_times({text for line in all_lines for text in (*line.bare, *line.novel)}, agents)
    add_rewritten(produced, all_lines, verdicts.replayed.edits)
    unrecorded = evidence.unrecorded_agents()
    for commit in evidence.history.commits:
        confirm(commit, verdicts.by_commit[commit.sha], lines[commit.sha], produced, unrecorded)


def _lines_of_people(verdicts: Verdicts, sha: str, author_time: float) -> list[PersonLines]:
    elsewhere = partial(verdicts.texts.elsewhere, moment=author_time)
    return list(person_lines(verdicts.by_commit[sha], verdicts.texts, elsewhere))


def give_lines_to_edits(verdicts: Verdicts) -> None:
    """Lines that the replay lost track of go to an applied edit of that file that holds them."""
    edits = applied_edits(verdicts.replayed.edits, verdicts.replayed.timelines)
    for commit in verdicts.evidence.history.commits:
        attribute_to_edits(commit, verdicts.by_commit[commit.sha], edits, verdicts.texts)


def doubt_people_near_holes(verdicts: Verdicts) -> None:
    """Where many lines of recorded sessions are still without an author, likely people of that day become unknown."""
    commits = verdicts.evidence.history.commits
    doubt_near_holes([(commit, verdicts.by_commit[commit.sha]) for commit in commits])


def declare_the_rest(verdicts: Verdicts) -> None:
    """Lines without an author become declared where their commit names an agent."""
    for commit in verdicts.evidence.history.commits:
        declare(verdicts.by_commit[commit.sha], commit)


def give_files_to_tools(verdicts: Verdicts) -> None:
    """Lines of lock files, generated files and the like go to the program that writes them, unless an agent's edit wrote them."""
    for verdict in verdicts.by_commit.values():
        by_tools(verdict)


PASSES: tuple[Callable[[Verdicts], None], ...] = (
    note_sessions,
    give_typed_lines_to_people,
    confirm_people,
    give_lines_to_edits,
    doubt_people_near_holes,
    declare_the_rest,
    give_files_to_tools,
)


def settle(verdicts: Verdicts) -> None:
    """Runs all passes."""
    for change in PASSES:
        change(verdicts)
