"""A file, line by line or in blocks of lines that came the same way, each with the verdict on
it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from attribution.lineage.git_blame import NOTHING, Ignored, Introduction
from attribution.lineage.introduced import introductions
from attribution.queries.open_repo import (
    NOT_ASKED,
    SHORT,
    AnsweredAt,
    LineRange,
    OpenRepo,
    file_in,
    wait_for,
    with_changes,
)
from attribution.queries.sessions import prompt_of
from attribution.queries.verdicts import (
    NO_COMMIT,
    Attributions,
    CommitRef,
    LineAttribution,
    MoveHistories,
    MoveHistory,
)
from collector.errors import UnknownBranch, WhoWroteError
from collector.text import count_of, decode, is_binary, split_lines


@dataclass(frozen=True, slots=True)
class BlameLine:
    line: int
    text: str
    introduced: Introduction
    commit: CommitRef | None  # None when the attributed history does not have it
    attribution: LineAttribution
    # where git blame stops but the line is older, when its history is stored
    moved: MoveHistory | None = None
    at: AnsweredAt = NOT_ASKED

    def data(self) -> dict[str, Any]:
        """Plain values, for --json and --csv."""
        first = self.moved.first if self.moved else self.introduced
        return {
            "line": self.line,
            "commit": self.introduced.sha,
            "path_then": self.introduced.path,
            "line_then": self.introduced.line,
            **self.attribution.data(),
            "git_author": self.commit.author_name if self.commit else "",
            "first_commit": first.sha if first else "",
            "first_path": first.path if first else "",
            "first_line": first.line if first else None,
            "moves": self.moved.words() if self.moved else "",
            "text": self.text,
            "at_commit": self.at.commit,
            "commits_behind": self.at.behind,
        }


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
    opened: OpenRepo,
    file: str,
    commit: str = "",
    only: LineRange | Sequence[int] = (),
    ignored: Ignored = NOTHING,
) -> FileBlame:
    """The file at a commit, all lines or only some. Raises UnknownBranch, WhoWroteError.

    Without a commit: at the tip of the branch as it is now, with the changes of the working tree
    where the branch is checked out. `ignored`: what does not count as having added a line, beside
    the commits that the repository names.
    """
    sha = opened.repo.resolve(commit).sha if commit else with_changes(opened, file)
    if commit and sha != opened.tip:
        wait_for(opened, sha)
    sha, path, data = _file_of(opened, sha, file)
    if is_binary(data):
        raise WhoWroteError(
            f"{path} is a binary file and has no lines",
            "Inspect its commits with: whowrote log --show COMMIT",
        )
    texts = [decode(line) for line in split_lines(data)]
    only = only.within(len(texts)) if isinstance(only, LineRange) else only
    missing = next((n for n in only if not 1 <= n <= len(texts)), None)
    if missing is not None:
        raise UnknownBranch(
            f"{path} has no line {missing} in {_shown(opened, sha)[:SHORT]}",
            f"It has {count_of(len(texts), 'line')}",
        )
    few = sorted(only) if len(only) < len(texts) else ()
    origins = introductions(opened.repo, sha, path, len(texts), few, ignored) if texts else {}
    _complete(opened, origins.values())
    attributions = Attributions(opened)
    moves = MoveHistories(opened.store, opened.repo_id)
    at = AnsweredAt(_shown(opened, sha), len(opened.newer))
    lines = [
        BlameLine(
            number,
            texts[number - 1],
            _committed(opened, origin),
            _commit_of(opened, attributions, origin.sha),
            attributions.of_line(origin),
            moves.of(origin),
            at,
        )
        for number, origin in origins.items()
    ]
    sha = _shown(opened, sha)
    notes = list(opened.notes)
    if uncommitted := sum(line.introduced.sha == NO_COMMIT for line in lines):
        notes.append(f"+ {count_of(uncommitted, 'line')} not committed")
    if provisional := sum(line.attribution.provisional for line in lines):
        notes.append(
            f"worked out for this file only: {count_of(provisional, 'line')} of newer commits or"
            " not committed; whowrote repo settles what is committed"
        )
    branch = opened.branch if sha == opened.tip else ""
    return FileBlame(opened.name, path, sha, branch, lines, texts, notes)


def _file_of(opened: OpenRepo, sha: str, file: str) -> tuple[str, str, bytes]:
    """Commit, path and content; a file that only the working tree has lost is the one of HEAD."""
    try:
        return sha, *file_in(opened, sha, file)
    except UnknownBranch:
        if sha not in opened.unmade:
            raise
        path, data = file_in(opened, opened.tip, file)
    opened.notes.append(f"{path} is deleted here, which is not committed")
    return opened.tip, path, data


def _complete(opened: OpenRepo, origins: Iterable[Introduction]) -> None:
    """Works out the files of lines that no run has read."""
    waiting = {*opened.waiting}
    names = {origin.path for origin in origins if origin.sha in waiting}
    if names and opened.complete is not None:
        opened.complete(opened, names)


def _shown(opened: OpenRepo, sha: str) -> str:
    """The commit that was really made."""
    return opened.tip if sha in opened.unmade else sha


def _committed(opened: OpenRepo, origin: Introduction) -> Introduction:
    return origin._replace(sha=NO_COMMIT) if origin.sha in opened.unmade else origin


def _commit_of(opened: OpenRepo, known: Attributions, sha: str) -> CommitRef | None:
    return None if sha in opened.unmade else known.commit(sha)


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
    spans = ((group[0], group[-1], group[0].attribution) for group in groups)
    return [
        Block(a.line, b.line, a, prompt_of(opened.store, of.session_id, of.turn))
        for a, b, of in spans
    ]


def _same(a: BlameLine, b: BlameLine) -> bool:
    def key(line: BlameLine) -> tuple[object, ...]:
        of = line.attribution
        return line.introduced.sha, of.kind, of.how, of.evidence, of.reason, of.session_id, of.turn

    return b.line == a.line + 1 and key(a) == key(b)
