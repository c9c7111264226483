"""A file, line by line or in blocks of lines that came the same way, each with the verdict on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from attribution.lineage.introduced import introductions
from attribution.queries.moves import MoveHistories, MoveHistory
from attribution.queries.open_repo import SHORT, LineRange, OpenRepo, file_in
from attribution.queries.turns import prompt_of
from attribution.queries.verdicts import Attributions, CommitRef, LineAttribution
from collector.errors import UnknownBranch, WhoWroteError
from collector.text import decode, is_binary, split_lines

if TYPE_CHECKING:
    from attribution.lineage.git_blame import Introduction
    from collector.storage.store import Store


@dataclass(frozen=True, slots=True)
class BlameLine:
    line: int
    text: str
    introduced: Introduction
    commit: CommitRef | None  # None when the attributed history does not have it
    attribution: LineAttribution
    moved: MoveHistory | None = None  # where git blame stops but the line is older, when its history is stored

    def data(self) -> dict[str, Any]:
        """Plain values, for --json and --csv."""
        return {
            "line": self.line, "commit": self.introduced.sha, "path_then": self.introduced.path,
            "line_then": self.introduced.line, **self.attribution.data(),
            "git_author": self.commit.author_name if self.commit else "", **self._place_before_moves(), "text": self.text,
        }  # fmt: skip

    def _place_before_moves(self) -> dict[str, Any]:
        first = self.moved.first if self.moved else self.introduced
        sha, path, line = (first.sha, first.path, first.line) if first else ("", "", None)
        moves = self.moved.words() if self.moved else ""
        return {"first_commit": sha, "first_path": path, "first_line": line, "moves": moves}


@dataclass(slots=True)
class FileBlame:
    """Every line of a file of a commit with the verdict on it."""

    name: str
    path: str
    sha: str
    branch: str
    lines: list[BlameLine]
    texts: list[str]  # of all lines, also when only some were asked for
    notes: list[str]


def blame(
    opened: OpenRepo, file: str, commit: str = "", only: LineRange | Sequence[int] = (), ignore_space: bool = False
) -> FileBlame:
    """The file at a commit (default: the tip), all lines or only some. Raises UnknownBranch, WhoWroteError.

    `ignore_space`: a commit that only changed spaces in a line did not add it.
    """
    sha = opened.repo.resolve(commit).sha if commit else opened.head
    path, data = file_in(opened, sha, file)
    if is_binary(data):
        raise WhoWroteError(f"{path} is a binary file and has no lines", "Inspect its commits with: whowrote log --show COMMIT")
    texts = [decode(line) for line in split_lines(data)]
    only = only.within(len(texts)) if isinstance(only, LineRange) else only
    missing = next((n for n in only if not 1 <= n <= len(texts)), None)
    if missing is not None:
        raise UnknownBranch(f"{path} has no line {missing} in {sha[:SHORT]}", f"It has {len(texts)} lines")
    attributions, moves = Attributions(opened), MoveHistories(opened.store, opened.repo_id)
    introduced = introductions(opened.repo, sha, path, len(texts), only, ignore_space)
    lines = [
        BlameLine(
            number, texts[number - 1], origin, attributions.commit(origin.sha), attributions.of_line(origin), moves.of(origin)
        )
        for number, origin in sorted(introduced.items())
    ]
    return FileBlame(opened.name, path, sha, opened.branch if sha == opened.head else "", lines, texts, list(opened.notes))


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive lines that came the same way."""

    start: int
    end: int
    first: BlameLine
    prompt: str  # of the turn that wrote them

    def data(self) -> dict[str, Any]:
        """Plain values, for --json and --csv: what the lines of the block have in common."""
        left_out = ("line", "line_then", "first_line", "text", "similarity")
        values = {name: value for name, value in self.first.data().items() if name not in left_out}
        return {"start_line": self.start, "end_line": self.end, **values, "prompt": self.prompt}


def blocks(opened: OpenRepo, file: FileBlame) -> list[Block]:
    """The lines of a file put together: same commit, author, evidence and turn."""
    groups: list[list[BlameLine]] = []
    for line in file.lines:
        if groups and _same(groups[-1][-1], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [Block(g[0].line, g[-1].line, g[0], _prompt(opened.store, g[0])) for g in groups]


def _same(a: BlameLine, b: BlameLine) -> bool:
    def key(line: BlameLine) -> tuple[object, ...]:
        of = line.attribution
        return line.introduced.sha, of.kind, of.how, of.evidence, of.reason, of.session_id, of.turn

    return b.line == a.line + 1 and key(a) == key(b)


def _prompt(store: Store, line: BlameLine) -> str:
    return prompt_of(store, line.attribution.session_id, line.attribution.turn)
