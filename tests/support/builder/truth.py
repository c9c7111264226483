"""What can be known about each line a commit adds: the marks on the lines, seen through what the
stored transcripts tell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from collector.json_values import JsonObject
from collector.vocabulary.lines import Author, How
from support.builder.diffs import MAYBE, NEW, POSSIBLE, compare, merged
from support.builder.lines import File, Line, restyle
from support.builder.model import GRACE, Commit
from support.builder.session import Session

if TYPE_CHECKING:
    from support.builder.world import World

_COMMON = {
    "return nil",
    "import os",
    "return None",
    "else:",
    "pass",
    "return err",
    "if err != nil {",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an attribution may say about a line; the first author is the true one as far as it
    can be known.
    """

    authors: tuple[str, ...]
    hows: tuple[str, ...]
    session: str | None = None
    call: str | None = None
    flags: tuple[str, ...] = ()

    def also(self, other: Verdict) -> Verdict:
        """Either of the two."""
        authors = tuple(dict.fromkeys(self.authors + other.authors))
        hows = tuple(dict.fromkeys(self.hows + other.hows))
        same = self.session == other.session and self.call == other.call
        return replace(self, authors=authors, hows=hows, call=self.call if same else None)

    def entry(self, number: int, *flags: str) -> list[Any]:
        every = [*flags, *self.flags]
        if len(self.authors) > 1:
            every += ["ambiguous", "authors=" + "|".join(sorted(self.authors))]
        return [number, self.authors[0], list(self.hows), self.session, self.call, every]


def _unknown(reason: str) -> Verdict:
    return Verdict((Author.UNKNOWN,), (How.NONE,), flags=(f"reason={reason}",))


class Truth:
    """Turns the marks on the lines of a commit into what can be known about them from the
    repository.
    """

    def __init__(self, world: World) -> None:
        self._world = world

    def commit(self, commit: Commit) -> JsonObject:
        files = {}
        for path in sorted(commit.files):
            entries = self._file(commit, path)
            if entries:
                files[path] = entries
        subject = commit.node.message.split("\n", 1)[0]
        return {
            "sha": commit.sha,
            "subject": subject,
            "linked_sessions": self._linked(commit),
            "files": files,
        }

    def _linked(self, commit: Commit) -> list[str]:
        found = [s.id for name in commit.checkpoints for s in self._world.members.get(name, ())]
        return list(dict.fromkeys(found))

    # --- one file ---------------------------------------------------------------------------------

    def _file(self, commit: Commit, path: str) -> list[list[Any]]:
        new = commit.files[path]
        olds = [parent.files.get(path) for parent in commit.parents]
        if commit.parents and path in commit.renamed:
            olds[0] = commit.parents[0].files[commit.renamed[path]]
        if new in olds:
            return []
        changes = [compare(old or File(), new) for old in olds] or [compare(File(), new)]
        marks = [merged(states) for states in zip(*changes, strict=True)]
        verdicts = [
            self._verdict(line, commit) if mark else None
            for line, mark in zip(new.lines, marks, strict=True)
        ]
        _blur(new.keys(), marks, verdicts)
        self._newline_only(new, olds, marks, verdicts, commit)
        copies = Counter(line.text for line in new.lines)
        return [
            verdict.entry(
                i + 1,
                *_flags(marks[i], copies[new.lines[i].text] > 1 or _is_common(new.lines[i].text)),
            )
            for i, verdict in enumerate(verdicts)
            if verdict
        ]

    def _newline_only(
        self,
        new: File,
        olds: Sequence[File | None],
        marks: list[str],
        verdicts: list[Verdict | None],
        commit: Commit,
    ) -> None:
        """A last line that only got or lost its newline: git reports it, its text is nobody's
        work of this commit.
        """
        for i, verdict in enumerate(verdicts):
            if (
                verdict
                and marks[i] != POSSIBLE
                and any(old and new.lines[i] in old.lines[-1:] for old in olds)
            ):
                marks[i] = MAYBE
                neighbour = verdicts[i + 1] if i + 1 < len(verdicts) else None
                everyone = (
                    verdict.also(neighbour or verdict)
                    .also(self._by_human(new.lines[i], commit))
                    .also(_unknown("unexplained"))
                )
                verdicts[i] = everyone

    # --- one line ---------------------------------------------------------------------------------

    def _verdict(self, line: Line, commit: Commit) -> Verdict:
        if line.kind == "human":
            return self._by_human(line, commit)
        if line.kind == "agent":
            return self._by_agent(line, commit, ("exact",))
        if line.kind == "shell":
            return self._by_shell(line, commit)
        if line.kind == "hidden":
            return _unknown("invisible_subagent" if self._linked(commit) else "no_session")
        return self._derived(line, commit)

    def _by_human(self, line: Line, commit: Commit) -> Verdict:
        if commit.declared and not commit.checkpoints:
            return (
                Verdict((Author.DECLARED,), (How.DECLARED,))
                .also(_unknown("no_session"))
                .also(Verdict((Author.TOOL,), (How.NONE,)))
            )
        if not commit.checkpoints:
            return replace(
                _unknown("no_session"), flags=("reason=no_session", f"truth={_writer(line)}")
            )
        states = {self._state(self._world.sessions[name], commit) for name in self._linked(commit)}
        if commit.dangling or not states:
            states.add("absent")
        if states == {"absent"}:
            return _unknown("transcript_missing")
        human = Verdict((Author.HUMAN,), (How.NONE,))
        blind = any(line in commit.files[path].lines for path in commit.blind)
        if states != {"complete"} or commit.hidden or commit.blunt or blind:
            human = human.also(_unknown("unexplained"))
        if any(line in commit.files[path].lines for path in commit.blunt):
            human = human.also(Verdict((Author.AGENT,), (How.SHELL,)))
        return human

    def _state(self, session: Session, commit: Commit) -> str:
        """Whether the stored transcripts tell all that this session did before the commit."""
        if session.id not in self._world.stored:
            return "absent"
        before = {call for at, call, _ in session.changes if at <= commit.at + GRACE}
        return "complete" if before <= self._world.seen else "partial"

    def _by_agent(
        self, line: Line, commit: Commit, hows: tuple[str, ...], call: bool = True
    ) -> Verdict:
        linked = self._linked(commit)
        if line.call not in self._world.seen:
            missing = _unknown("transcript_missing" if commit.checkpoints else "no_session")
            others = {
                self._state(self._world.sessions[name], commit)
                for name in linked
                if name != line.session
            }
            return (
                missing.also(Verdict((Author.HUMAN,), (How.NONE,)))
                if "complete" in others
                else missing
            )
        found = Verdict((Author.AGENT,), hows, line.session, line.call if call else None)
        if line.session in linked:
            return found
        return found.also(self._by_human(line, commit)).also(_unknown("no_session"))

    def _by_shell(self, line: Line, commit: Commit) -> Verdict:
        if line.origin is None:
            found = self._by_agent(line, commit, ("shell", "exact") if line.exact else ("shell",))
            return found.also(_unknown("unexplained")) if line.blunt else found
        before = self._verdict(line.origin, commit)
        if before.authors[0] == "agent":
            return self._by_agent(line, commit, ("shell", "edited", "reformatted"), call=False)
        found = self._by_agent(line, commit, ("shell",))
        # only the style changed: still the words of whoever wrote them
        if restyle(line.text) == restyle(line.origin.text):
            found = found.also(replace(before, hows=("reformatted", "none")))
        return found.also(_unknown("unexplained")) if line.blunt else found

    def _derived(self, line: Line, commit: Commit) -> Verdict:
        """Lines made from others outside any session: touched up, reformatted, moved, brought
        back.
        """
        assert line.origin
        root = self._verdict(line.origin, commit)
        human = self._by_human(line, commit)
        old = any(
            line.origin in file.lines for parent in commit.parents for file in parent.files.values()
        )
        hows = {
            "tweak": ("edited",),
            "format": ("reformatted",),
            "move": (*root.hows, "moved"),
            "restore": ("none",),
        }[line.kind]
        if line.kind == "format" and "edited" in root.hows:
            hows = ("edited", "reformatted")
        if line.kind == "restore":
            return human.also(root).also(_unknown("unexplained"))
        if root.authors[0] == "agent":
            found = replace(root, hows=hows)
            return found.also(human).also(Verdict((Author.HUMAN,), (How.NONE,))) if old else found
        if line.kind == "tweak":
            return (
                human.also(root)
                if root.authors[0] == "unknown" and "human" in human.authors
                else human
            )
        same = replace(root, hows=tuple(dict.fromkeys((*root.hows, *hows, "none"))))
        return same.also(human).also(_unknown("unexplained")) if old else same


def _writer(line: Line) -> str:
    while line.origin:
        line = line.origin
    return "agent" if line.kind in ("agent", "shell", "hidden") else "human"


def _is_common(text: str) -> bool:
    """Whether so many files hold this line that it says nothing about who wrote it."""
    return len(re.sub(r"\W", "", text)) < 4 or text.strip() in _COMMON


def _flags(mark: str, common: bool) -> list[str]:
    return ([] if mark == NEW else [mark]) + (["common"] if common else [])


def _blur(keys: list[str], marks: list[str], verdicts: list[Verdict | None]) -> None:
    """Where a block could slide over an equal line of somebody else, both are right."""
    runs = _runs(verdicts)
    clear = list(verdicts)
    for start, end in runs:
        for i, j in _slides(keys, start, end):
            first = clear[i]
            second = clear[j]
            if first and second and first != second:
                verdicts[i] = first.also(second)
    for start, end in _gaps(marks):
        added = [
            verdict for i in range(start, end) if marks[i] != POSSIBLE and (verdict := clear[i])
        ]
        for i in range(start, end):
            here = verdicts[i]
            if marks[i] == POSSIBLE and here:
                verdicts[i] = reduce(Verdict.also, [*added, here, _unknown("unexplained")])


def _runs(verdicts: Sequence[Verdict | None]) -> list[tuple[int, int]]:
    edges = [
        i
        for i in range(len(verdicts) + 1)
        if i in (0, len(verdicts)) or verdicts[i] != verdicts[i - 1]
    ]
    return [(a, b) for a, b in pairwise(edges) if verdicts[a]]


def _slides(keys: list[str], start: int, end: int) -> Iterator[tuple[int, int]]:
    """(line of a neighbour, equal line of the block), both ways, for each line that could change
    sides.
    """
    size = end - start
    for step in range(1, size + 1):
        if start - step < 0 or keys[start - step] != keys[end - step]:
            break
        yield start - step, end - step
        yield end - step, start - step
    for step in range(size):
        if end + step >= len(keys) or keys[end + step] != keys[start + step]:
            break
        yield end + step, start + step
        yield start + step, end + step


def _gaps(marks: Sequence[str]) -> list[tuple[int, int]]:
    edges = [
        i
        for i in range(len(marks) + 1)
        if i in (0, len(marks)) or bool(marks[i]) != bool(marks[i - 1])
    ]
    return [(a, b) for a, b in pairwise(edges) if marks[a]]
