"""How often are lost links found again? Hides the trailers of a branch and compares with what they
say.

Only repositories help whose branch has trailers: what is found with the trailers hidden must be
what they say. For the methods that need originals (pull refs, other branches) commits count that
have one; without refs (`alone`) every commit counts of which a named session wrote some line. A
line is right when it is given to the session that it is given to with the trailers.
"""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from attribution.authorship.case import SLACK
from attribution.authorship.commits import read_history
from attribution.authorship.options import AttributeOptions
from attribution.authorship.recover import originals_of
from attribution.stages.lines import attribute_repo
from collector.checkpoints.pull_requests import is_source, read_pull_requests
from collector.checkpoints.statements import checkpoint_ids
from collector.git.repository import GitRepo
from collector.model import Commit
from collector.storage.store import Store

# what content alone is compared with
NAMED = ("trailer", "same_patch_id", "trailer_in_pull_ref", "squash_by_number")


class Blind(GitRepo):
    """A clone whose branch has lost its trailers; `alone`: also its pull refs and other
    branches.
    """

    def __init__(self, path: str | Path, alone: bool = False) -> None:
        super().__init__(path)
        self._alone = alone

    def refs(self) -> dict[str, str]:
        found = super().refs()
        return {name: oid for name, oid in found.items() if not (self._alone and is_source(name))}

    def history(self, tip: str) -> Iterator[Commit]:
        for commit in super().history(tip):
            hidden = commit.message
            for key in checkpoint_ids(hidden):
                hidden = hidden.replace(key, "hidden")
            yield replace(commit, message=hidden)


def measure(path: Path, alone: bool = False) -> dict[str, dict[str, int]]:
    """Method -> counts of links and lines found and right; under "all" how many there were to find.

    With originals a link is a commit and an original; it is right when the commit's message names a
    checkpoint of the original. Without (`alone`) it is a commit and a session; it is right when the
    message names a checkpoint of the session.
    """
    with tempfile.TemporaryDirectory() as directory:
        truth = _run(GitRepo(path), Path(directory) / "true.db")
        found = _run(Blind(path, alone), Path(directory) / "blind.db")
    judged = {sha for (sha, _), method in truth.sessions.items() if method in NAMED}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    findable = _count_sessions(truth, found, counts) if alone else _count_originals(path, counts)
    commits = findable & judged
    by_commit = {sha: method for (sha, _), method in found.sessions.items()}
    for place, session in found.lines.items():
        if place[0] in commits:
            count = counts[by_commit.get(place[0], "")]
            count["lines"] += 1
            count["lines_right"] += truth.lines.get(place) == session
    wanted = {place: session for place, session in truth.lines.items() if place[0] in commits}
    counts["all"]["lines_findable"] += len(wanted)
    counts["all"]["lines_right"] += sum(
        1 for place, session in wanted.items() if found.lines.get(place) == session
    )
    return {method: dict(numbers) for method, numbers in sorted(counts.items())}


def _count_originals(path: Path, counts: dict[str, Counter[str]]) -> set[str]:
    """Counts links to original commits; returns the commits that have an original to find."""
    repo = GitRepo(path)
    head = repo.default_branch().sha
    proposals = read_pull_requests(repo, head)
    named = {c.sha: (c.author_time, set(checkpoint_ids(c.message))) for c in repo.history(head)}
    found = originals_of(repo, read_history(repo, list(Blind(path).history(head))), proposals)
    for sha, made in found.items():
        for original in made.originals:
            if named[sha][1]:
                counts[original.method]["links"] += 1
                counts[original.method]["links_right"] += bool(
                    named[sha][1] & set(checkpoint_ids(original.commit.message))
                )
    beside = {c.sha: c for p in proposals for c in p.commits}
    findable = set()
    for sha, (at, keys) in named.items():
        visible = (
            keys
            & {
                k
                for c in beside.values()
                if c.author_time <= at + SLACK
                for k in checkpoint_ids(c.message)
            }
            if keys
            else set()
        )
        got = (
            {k for o in found[sha].originals for k in checkpoint_ids(o.commit.message)}
            if sha in found
            else set()
        )
        counts["all"]["links_findable"] += len(visible)
        counts["all"]["links_right"] += len(visible & got)
        if visible:
            findable.add(sha)
    return findable


def _count_sessions(truth: Result, found: Result, counts: dict[str, Counter[str]]) -> set[str]:
    """Counts links to sessions that wrote lines; returns the commits that have one to find."""
    true = {
        pair for pair, method in truth.sessions.items() if method in NAMED and pair in truth.writers
    }
    judged = {sha for (sha, _), method in truth.sessions.items() if method in NAMED}
    for pair, method in found.sessions.items():
        if pair[0] in judged:
            counts[method]["links"] += 1
            counts[method]["links_right"] += pair in truth.sessions
    counts["all"]["links_findable"] += len(true)
    counts["all"]["links_right"] += len(true & found.sessions.keys())
    return {sha for sha, _ in true}


@dataclass(slots=True)
class Result:
    """What one run said: (commit, session) -> method; (commit, path, line) -> session."""

    sessions: dict[tuple[str, str], str]
    lines: dict[tuple[str, str, int], str]

    @property
    def writers(self) -> set[tuple[str, str]]:
        return {(place[0], session) for place, session in self.lines.items()}


def _run(repo: GitRepo, database: Path) -> Result:
    with Store(database) as store:
        attribute_repo(store, repo, AttributeOptions())
        sessions = {
            (row["sha"], row["key"]): str(row["method"])
            for row in store.rows(
                "SELECT c.commit_sha AS sha, s.key, l.method FROM commit_sessions l JOIN commits c"
                " ON c.id = l.commit_id JOIN sessions s ON s.id = l.session_id"
            )
        }
        return Result(sessions, dict(_agent_lines(store)))


def _agent_lines(store: Store) -> Iterator[tuple[tuple[str, str, int], str]]:
    for row in store.rows(
        "SELECT l.commit_sha AS sha, l.path, l.start_line AS a, l.end_line AS b, s.key FROM"
        " line_spans l JOIN sessions s ON s.id = l.session_id WHERE l.author = 'agent'"
    ):
        for number in range(row["a"], row["b"] + 1):
            yield (row["sha"], row["path"], number), row["key"]


def agents_of(store: Store) -> dict[str, dict[str, int]]:
    """Agent -> edits by outcome, sessions, and lines by evidence, over all repositories of a
    database.
    """
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for row in store.rows(
        "SELECT s.agent, e.outcome, COUNT(*) AS n FROM edits e JOIN sessions s ON s.id ="
        " e.session_id WHERE e.by_shell = 0 GROUP BY 1, 2"
    ):
        found[row["agent"]][row["outcome"]] = row["n"]
    for row in store.rows(
        "SELECT agent, COUNT(*) AS n FROM sessions WHERE agent IS NOT NULL GROUP BY 1"
    ):
        found[row["agent"]]["sessions"] = row["n"]
    for row in store.rows(
        "SELECT s.agent, l.evidence, SUM(l.lines) AS n FROM line_spans l JOIN sessions s ON s.id ="
        " l.session_id WHERE l.author = 'agent' AND s.agent IS NOT NULL GROUP BY 1, 2"
    ):
        found[row["agent"]][row["evidence"]] = row["n"]
    return {agent: dict(counts) for agent, counts in found.items()}


def summed(found: Iterable[Mapping[str, Mapping[str, int]]]) -> dict[str, dict[str, int]]:
    """Sums over repositories, by method or agent."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in found:
        for name, numbers in one.items():
            counts[name].update(numbers)
    return {name: dict(numbers) for name, numbers in sorted(counts.items())}
