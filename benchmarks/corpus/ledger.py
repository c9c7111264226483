"""Who wrote each line of every state of every file, and of every line that a commit adds.

Each line of a file keeps an identity of its own while others come and go, so that a line is told
from another with the same text. Every state that a file was seen in stays known by its text: a
commit is looked up there. A state that nobody was seen making, as a merge or `git add -p` makes
them, is put together from the states before it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import count
from typing import Any, NamedTuple

from lab.truth import split_lines

SIMILAR = 0.6  # share of a text that stays when its line was changed and not replaced
_HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
Git = Callable[..., str]


class Author(NamedTuple):
    """Who wrote a line: `who` is agent, person or tool."""

    who: str
    agent: str = ""
    start: int = -1  # number of the start of the agent
    call: str = ""  # the agent's id of the call
    how: str = ""  # a value of the axis `writes`, or what the person did
    run_by: str = ""  # who ran a tool: agent or person


PERSON = Author("person", how="typed")
BASE = Author("person", how="base")


class Line(NamedTuple):
    text: str
    author: Author
    number: int  # the line's own, over all states
    also: str = ""  # whose line this one was before it was changed, or whose text was pasted
    ambiguous: bool = False  # two lines of different authors may be this one


@dataclass
class Ledger:
    current: dict[str, list[Line]] = field(default_factory=dict)
    # path to text to lines, oldest first
    known: dict[str, dict[str, list[Line]]] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=count)
    # a person's lines that a session on record saw, after it had seen the file without
    seen: set[int] = field(default_factory=set)

    def text(self, path: str) -> str:
        """The current text, as far as bytes are characters (surrogateescape)."""
        for text, lines in reversed(self.known[path].items()):
            if lines is self.current[path]:
                return text
        raise KeyError(path)

    def _keep(self, path: str, text: str, lines: list[Line]) -> None:
        # a text that comes back is the same lines
        self.current[path] = self.known.setdefault(path, {}).setdefault(text, lines)

    def splice(
        self, path: str, text: str, author: Author, start: int, removed: int, also: str = ""
    ) -> None:
        """The file became `text` as the `removed` lines from index `start` on were replaced; all
        others stayed what they are.
        """
        before, after = self.current.get(path, []), split_lines(text)
        added = len(after) - len(before) + removed
        new = self.replaced(
            before[start : start + removed], after[start : start + added], author, also
        )
        self._keep(path, text, [*before[:start], *new, *before[start + removed :]])

    def replaced(
        self, old: Sequence[Line], texts: Sequence[str], author: Author, also: str = ""
    ) -> list[Line]:
        """Lines with these texts in the place of `old`: the same one where the text is, a
        changed one where it is alike.
        """
        lines: list[Line] = []
        matcher = SequenceMatcher(None, [line.text for line in old], texts, autojunk=False)
        for tag, first, last, new_first, new_last in matcher.get_opcodes():
            if tag == "equal":
                lines += old[first:last]
                continue
            free = list(old[first:last])
            for text in texts[new_first:new_last]:
                source = next((line for line in free if _alike(line.text, text)), None)
                if source is not None:
                    free.remove(source)
                changed = also or (
                    source.author.who if source and source.author.who != author.who else ""
                )
                lines.append(Line(text, author, next(self.numbers), changed))
        return lines

    def change(
        self,
        path: str,
        text: str | None,
        author: Author,
        edit: tuple[str, str] | None = None,
        also: str = "",
    ) -> None:
        """The file became `text`, or is gone; `edit` are old and new text of the edit that did
        it, whose place is certain; `also` is whose text it was.
        """
        if text is None:
            self.current.pop(path, None)
            return
        before = self.current.get(path, [])
        old_text = self.text(path) if path in self.current else ""
        place = edit_place(old_text, text, *edit) if edit else None
        if place is not None:
            self.splice(path, text, author, *place, also)
            return
        after = split_lines(text)
        if len(before) == len(after):  # each line is the one that stood there, as `sed` leaves them
            lines = [
                old if old.text == new else self.replaced([old], [new], author)[0]
                for old, new in zip(before, after, strict=True)
            ]
            if sum(old.text == new for old, new in zip(before, after, strict=True)) * 2 >= len(
                after
            ):
                self._keep(path, text, lines)
                return
        self._keep(path, text, self.replaced(before, after, author))

    def adopt(self, path: str, text: str, author: Author) -> None:
        """Git or somebody's hand in its work gave the file this text: lines come from states
        before, the rest is `author`'s.
        """
        self.current[path] = self.state(path, text, author)

    def state(self, path: str, text: str, author: Author = PERSON) -> list[Line]:
        states = self.known.setdefault(path, {})
        if text not in states:
            states[text] = self._derive(path, split_lines(text), author)
        return states[text]

    def _derive(self, path: str, texts: list[str], author: Author) -> list[Line]:
        """A state made of the lines of earlier ones, newest first; what is in none is new."""
        lines: list[Line | None] = [None] * len(texts)
        used: set[int] = set()
        for source in reversed(self.known.get(path, {}).values()):
            _take(lines, texts, [line for line in source if line.number not in used])
            used = {line.number for line in lines if line}
        owners: dict[str, set[str]] = {}
        for source in self.known.get(path, {}).values():
            for line in source:
                owners.setdefault(line.text, set()).add(line.author.who)
        made = [
            line or Line(text, author, next(self.numbers))
            for line, text in zip(lines, texts, strict=True)
        ]
        return [line._replace(ambiguous=len(owners.get(line.text, ())) > 1) for line in made]


def _take(lines: list[Line | None], texts: Sequence[str], source: Sequence[Line]) -> None:
    """Fills what is still open in `lines` with those of the source that have the text, in order."""
    matcher = SequenceMatcher(None, [line.text for line in source], texts, autojunk=False)
    for first, new_first, size in matcher.get_matching_blocks():
        for step in range(size):
            lines[new_first + step] = lines[new_first + step] or source[first + step]


def _alike(old: str, new: str) -> bool:
    return SequenceMatcher(None, old.strip(), new.strip(), autojunk=False).ratio() >= SIMILAR


def edit_place(before: str, after: str, old: str, new: str) -> tuple[int, int] | None:
    """Where an edit replaced lines: their first index and how many went. None if it is not what
    happened.
    """
    if "\r\n" in before:
        old, new = (
            old.replace("\r\n", "\n").replace("\n", "\r\n"),
            new.replace("\r\n", "\n").replace("\n", "\r\n"),
        )
    at = before.find(old) if old else -1
    if (
        at < 0
        or before[:at] + new + before[at + len(old) :] != after
        or (at and before[at - 1] != "\n")
    ):
        return None
    old_lines, new_lines = split_lines(old), split_lines(new) if new else []
    head = 0
    while head < min(len(old_lines), len(new_lines)) and old_lines[head] == new_lines[head]:
        head += 1
    tail = 0
    while (
        tail < min(len(old_lines), len(new_lines)) - head
        and old_lines[-1 - tail] == new_lines[-1 - tail]
    ):
        tail += 1
    return before.count("\n", 0, at) + head, len(old_lines) - head - tail


def added_lines(git: Git, commit: str, parents: Sequence[str]) -> dict[str, set[int]]:
    """Path to numbers of the lines that the commit adds: the ones that none of its parents has."""
    found: list[dict[str, set[int]]] = []
    for parent in parents or ["4b825dc642cb6eb9a060e54bf8d69288fbee4904"]:  # the empty tree
        rows: dict[str, set[int]] = {}
        path = ""
        for line in git(
            "-c", "core.quotepath=off", "diff", "--no-color", "--text", "-U0", "-M", parent, commit
        ).split("\n"):
            if line.startswith("+++ "):
                path = line[6:].rstrip("\t\r") if line.startswith("+++ b/") else ""
            elif path and (hunk := _HUNK.match(line)):
                first, size = int(hunk[1]), int(hunk[2] or 1)
                rows.setdefault(path, set()).update(range(first, first + size))
        found.append(rows)
    return {path: set.intersection(*(rows.get(path, set()) for rows in found)) for path in found[0]}


def truth_rows(
    ledger: Ledger, git: Git, on_record: Callable[[Author], bool]
) -> Iterator[dict[str, Any]]:
    """A row for each run of alike lines that a commit of HEAD's history adds.

    `on_record` says of an agent's call whether the transcripts in the home show it.
    """
    for line in git("rev-list", "HEAD", "--reverse", "--topo-order", "--parents").split("\n"):
        commit, *parents = line.split(" ")
        for path, numbers in sorted(added_lines(git, commit, parents).items()):
            if not numbers:
                continue
            lines = ledger.state(path, git("show", f"{commit}:{path}", whole=True))
            older = {
                line.number
                for parent in parents
                for line in _parent_state(ledger, git, parent, path)
            }
            rows = [
                (number, _facts(ledger, lines[number - 1], older, on_record))
                for number in sorted(numbers)
            ]
            yield from _runs(commit, path, rows)


def _parent_state(ledger: Ledger, git: Git, parent: str, path: str) -> list[Line]:
    listed = git("ls-tree", "--name-only", parent, "--", path)
    return ledger.state(path, git("show", f"{parent}:{path}", whole=True)) if listed else []


def _facts(
    ledger: Ledger, line: Line, older: set[int], on_record: Callable[[Author], bool]
) -> dict[str, Any]:
    author = line.author
    row: dict[str, Any] = {"author": author.who, "how": author.how}
    row |= {
        name: value
        for name, value in (("agent", author.agent), ("call", author.call), ("by", author.run_by))
        if value
    }
    row |= {"also": line.also} if line.also else {}
    row |= {"lost": True} if author.start >= 0 and not on_record(author) else {}
    row |= {"seen": True} if line.number in ledger.seen else {}
    row |= {"weak": True} if not any(sign.isalnum() for sign in line.text) else {}
    unclear = "ambiguous" if line.ambiguous else "shifted" if line.number in older else ""
    return row | ({"unclear": unclear} if unclear else {})


def _runs(
    commit: str, path: str, rows: Sequence[tuple[int, dict[str, Any]]]
) -> Iterator[dict[str, Any]]:
    first = 0
    for place in range(1, len(rows) + 1):
        if (
            place == len(rows)
            or rows[place][1] != rows[first][1]
            or rows[place][0] != rows[place - 1][0] + 1
        ):
            yield {
                "commit": commit,
                "path": path,
                "start": rows[first][0],
                "end": rows[place - 1][0],
                **rows[first][1],
            }
            first = place


def line_counts(rows: Iterable[dict[str, Any]]) -> Counter[str]:
    """Lines that are asked about, by author."""
    counts: Counter[str] = Counter()
    for row in (row for row in rows if not row.get("unclear")):
        counts[row["author"]] += row["end"] - row["start"] + 1
    return counts
