"""A file, line by line or in blocks of lines that came the same way, each with the verdict on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attribution.lineage.git_blame import Introduction
from attribution.lineage.introduced import introductions
from attribution.queries.moves import MoveHistories, MoveHistory
from attribution.queries.open_repo import SHORT, OpenRepo, file_in
from attribution.queries.verdicts import Attributions, CommitRef, LineAttribution
from collector.errors import UnknownBranch, WhoWroteError
from collector.storage.store import Store
from collector.text import decode, is_binary, split_lines


@dataclass(frozen=True, slots=True)
class BlameLine:
    line: int
    text: str
    birth: Introduction
    commit: CommitRef | None
    said: LineAttribution
    journey: MoveHistory | None = None  # where git blame stops but the line is older, when its history is stored

    def row(self) -> dict[str, Any]:
        """Plain values, for data."""
        return {
            "line": self.line, "commit": self.birth.sha, "path_then": self.birth.path, "line_then": self.birth.line,
            **self.said.row(), "git_author": self.commit.author_name if self.commit else "", **self._journey(), "text": self.text,
        }  # fmt: skip

    def _journey(self) -> dict[str, Any]:
        first = self.journey.first if self.journey else self.birth
        known = (first.sha, first.path, first.line) if first else ("", "", None)
        values = dict(zip(("first_commit", "first_path", "first_line"), known, strict=True))
        return values | {"travels": self.journey.words() if self.journey else ""}


@dataclass(slots=True)
class FileStory:
    """Every line of a file of a commit with the verdict on it."""

    name: str
    path: str
    sha: str
    branch: str
    lines: list[BlameLine]
    texts: list[str]  # of all lines, also when only some were asked for
    notes: list[str]


def blame(where: OpenRepo, file: str, commit: str = "", only: Sequence[int] = ()) -> FileStory:
    """The file at a commit (default: the tip), all lines or only some. Raises UnknownBranch, WhoWroteError."""
    sha = where.repo.resolve(commit)[1] if commit else where.head
    path, data = file_in(where, sha, file)
    if is_binary(data):
        raise WhoWroteError(f"{path} is a binary file: it has no lines", "Look at its commits with: attribute show COMMIT")
    texts = [decode(line) for line in split_lines(data)]
    missing = next((n for n in only if not 1 <= n <= len(texts)), None)
    if missing is not None:
        raise UnknownBranch(f"{path} has no line {missing} in {sha[:SHORT]}", f"It has {len(texts)} lines")
    verdicts = Attributions(where)
    found = introductions(where.repo, sha, path, len(texts), only)
    journeys = MoveHistories(where.store, where.repo_id)
    lines = [
        BlameLine(n, texts[n - 1], b, verdicts.commit(b.sha), verdicts.said(b), journeys.of(b)) for n, b in sorted(found.items())
    ]
    return FileStory(where.name, path, sha, where.branch if sha == where.head else "", lines, texts, list(where.notes))


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive lines that came the same way."""

    start: int
    end: int
    first: BlameLine
    prompt: str

    def row(self) -> dict[str, Any]:
        left_out = ("line", "line_then", "first_line", "text", "similarity")
        values = {k: v for k, v in self.first.row().items() if k not in left_out}
        return {"start_line": self.start, "end_line": self.end, **values, "prompt": self.prompt}


def blocks(where: OpenRepo, story: FileStory) -> list[Block]:
    """The lines of a file put together: same commit, author, evidence and turn."""
    groups: list[list[BlameLine]] = []
    for line in story.lines:
        if groups and _same(groups[-1][-1], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [Block(g[0].line, g[-1].line, g[0], _prompt_of(where.store, g[0].said)) for g in groups]


def _same(a: BlameLine, b: BlameLine) -> bool:
    def key(x: BlameLine) -> tuple[object, ...]:
        return x.birth.sha, x.said.kind, x.said.how, x.said.evidence, x.said.reason, x.said.session_id, x.said.turn

    return b.line == a.line + 1 and key(a) == key(b)


def _prompt_of(store: Store, said: LineAttribution) -> str:
    """What the user asked for in the turn that wrote the line."""
    found = store.value("SELECT prompt FROM turns WHERE session_id = ? AND turn_index = ?", (said.session_id, said.turn))
    return str(found or "")
