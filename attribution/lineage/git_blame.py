"""Runs `git blame` in a scratch directory of our own."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from collector.git.diff_tree import unquote
from collector.git.program import ScratchGit
from collector.json_values import Texts
from collector.text import decode


class Introduction(NamedTuple):
    """The commit that added a line, and where the line stood there."""

    sha: str
    path: str
    line: int  # 1-based


class Ignored(NamedTuple):
    """What does not count as having added a line."""

    space: bool = False  # a commit that only changed spaces in it (`-w`)
    revisions: frozenset[str] = frozenset()  # these commits, where a line was there before


NOTHING = Ignored()


def blame(
    git: ScratchGit,
    commits: str,
    path: str,
    lines: Sequence[int] = (),
    ignored: Ignored = NOTHING,
    settings: Sequence[str] = (),
) -> list[Introduction]:
    """Where the lines of a file were added, in the order of the file: all of them, or those with
    the given numbers.

    `commits` is a commit id, or a range that ends in one: the lines of its beginning count as added
    there. `settings` are git's, beside ours. Raises GitFailed, also where the clone lacks an object
    that git has to look at.
    """
    ranges = [option for first, last in _rows(lines) for option in ("-L", f"{first},{last}")]
    revisions = [f"--ignore-rev={sha}" for sha in sorted(ignored.revisions)]
    options = ["--porcelain", *(["-w"] if ignored.space else []), *revisions, *ranges]
    return list(_parse(git.output(["blame", *options, commits, "--", path], settings=settings)))


def _rows(lines: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(first, last) of each row of consecutive numbers."""
    numbers = sorted(set(lines))
    start = 0
    for index, number in enumerate(numbers):
        if index + 1 == len(numbers) or numbers[index + 1] != number + 1:
            yield numbers[start], number
            start = index + 1


def _parse(data: bytes) -> Iterator[Introduction]:
    """A header `sha original final [count]`, notes (only the first time a commit is named), then
    the text after a tab.
    """
    names: Texts = {}
    header: list[str] = []
    for line in data.split(b"\n"):
        if line.startswith(b"\t"):
            sha = header[0]
            yield Introduction(sha, names.get(sha, ""), int(header[1]))
            header = []
        elif not header:
            header = line.decode("ascii").split(" ") if line else []
        elif line.startswith(b"filename "):
            names[header[0]] = decode(unquote(line[9:]))
