"""Names of repositories in lists and tables that others made: one name per line, or a column of a CSV file of any dialect."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from collector.discover.channel import ChannelContext
from collector.discover.discovery_log import Cursor, DiscoveryHit
from collector.discover.names import parse_name
from collector.vocabulary.corpus import CursorState

BATCH = 500  # names per transaction
# Columns that hold a name or an address, as lists call them; without case, blanks and underscores. The first one counts.
COLUMNS = (
    "fullname", "namewithowner", "repofullname", "repositoryfullname", "reponame", "repositoryname", "repo", "repository",
    "githubrepo", "project", "slug", "cloneurl", "htmlurl", "repourl", "repositoryurl", "giturl", "githuburl", "origin", "url",
    "link",
)  # fmt: skip
_OWNER, _NAME = ("owner", "ownerlogin", "organization", "org", "user"), ("name", "repo", "repository", "reponame")
_DELIMITERS = ",;\t|"


class ListedName(NamedTuple):
    """A repository of a list."""

    line: int
    server: str
    name: str


def names_of(data: bytes, server: str) -> tuple[list[ListedName], list[str]]:
    """The repositories of a list, and the words that are none; `#` begins a comment.

    With a line of headings the column is found by its name, or by two, owner and name; else the first column counts.
    """
    lines = [line.partition("#")[0] for line in _text(data).splitlines()]
    delimiter = _delimiter(lines)
    rows = (
        list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True)) if delimiter else [line.split()[:1] for line in lines]
    )
    columns: tuple[int, ...] = (0,)
    found, bad = [], list[str]()
    begun = False
    for number, row in enumerate(rows, 1):
        cells = [cell.strip() for cell in row]
        if not any(cells):
            continue
        headings = () if begun else _headings(cells, server)
        begun = True
        if headings:
            columns = headings
            continue
        word = "/".join(cells[column] for column in columns if column < len(cells)).partition(" ")[0]
        parsed = parse_name(word, server)
        if parsed is None:
            bad.append(word)
        else:
            found.append(ListedName(number, *parsed))
    return found, bad


def _text(data: bytes) -> str:
    return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace")


def _delimiter(lines: Sequence[str]) -> str:
    """What separates columns: what the first lines have most of; "" for none."""
    first = [line for line in lines if line.strip()][:20]
    counts = {sign: sum(line.count(sign) for line in first) for sign in _DELIMITERS}
    best = max(counts, key=lambda sign: counts[sign])
    return best if counts[best] else ""


def _headings(cells: Sequence[str], server: str) -> tuple[int, ...]:
    """Numbers of the columns that name the repository; empty when the line is no heading."""
    plain = ["".join(c for c in cell.lower() if c.isalnum()) for cell in cells]
    if parse_name(cells[0], server) is not None:
        return ()
    whole = [name for name in COLUMNS if name in plain]
    owner, name = next((n for n in _OWNER if n in plain), ""), next((n for n in _NAME if n in plain), "")
    if owner and name and (not whole or whole[0] in _NAME):
        return plain.index(owner), plain.index(name)
    return (plain.index(whole[0]),) if whole else ()


def record_all(context: ChannelContext, channel: str, query: str, slice: str, hits: Sequence[DiscoveryHit]) -> None:
    """Stores the candidates of a list, some at a time. `slice` names the content: a list that grew is another slice."""
    cursor = context.discovery_log.cursor(channel, query, slice) or Cursor(channel, query, slice, total=len(hits))
    at = int(cursor.position or 0)
    while cursor.state != CursorState.DONE and not context.enough():
        context.progress(f"{channel}: {query}", at, len(hits))
        limit = BATCH if context.request.limit is None else context.request.limit - context.new
        end = min(at + limit, len(hits))
        state = CursorState.DONE if end >= len(hits) else CursorState.PART
        after = replace(cursor, state=state, position=str(end), found=end)
        context.new += context.discovery_log.record(cursor, after, hits[at:end])
        cursor, at = after, end
