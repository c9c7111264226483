"""What the server knows about candidates: GraphQL for 50 at a time, partial answers kept; without a
token REST, one by one.

GraphQL also gives the settings of the producer, which may name another repository as the place of
the checkpoints.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from collector.checkpoints.entire import SETTINGS
from collector.discovery.channels.channel import ChannelContext, checkpoint_remote, valid_name
from collector.discovery.github.client import GitHubError, NotFound, Refused
from collector.discovery.github.transport import Unreachable
from collector.discovery.records import records
from collector.json_values import JsonObject, get, get_str, identifier
from collector.text import count_of, printable

BATCH = 50
MOST_IN_VAIN = 8  # requests in a row that give nothing: one bad repository among 50 costs six
_SHOWN = [(record.name, place) for record in records().values() for place in record.places]
# alias -> record and path at the root
_PLACES = {f"record{number}": shown for number, shown in enumerate(_SHOWN)}
_OBJECTS = [
    f'{alias}: object(expression: "HEAD:{place}") {{ __typename }}'
    for alias, (_, place) in _PLACES.items()
]
_FIELDS = f"""fragment F on Repository {{ databaseId nameWithOwner stargazerCount forkCount isFork
parent {{ nameWithOwner }} isArchived licenseInfo {{ spdxId }} primaryLanguage {{ name }} diskUsage
createdAt pushedAt object(expression: "HEAD:{SETTINGS}") {{ ... on Blob {{ text }} }}
{" ".join(_OBJECTS)} }}"""
# Column of `candidates` -> where GraphQL has it, where REST has it.
_PATHS = {
    "github_id": (("databaseId",), ("id",)),
    "stars": (("stargazerCount",), ("stargazers_count",)),
    "forks": (("forkCount",), ("forks_count",)),
    "is_fork": (("isFork",), ("fork",)),
    "fork_of": (("parent", "nameWithOwner"), ("parent", "full_name")),
    "archived": (("isArchived",), ("archived",)),
    "licence": (("licenseInfo", "spdxId"), ("license", "spdx_id")),
    "language": (("primaryLanguage", "name"), ("language",)),
    "size_kb": (("diskUsage",), ("size",)),
    "created_at": (("createdAt",), ("created_at",)),
    "pushed_at": (("pushedAt",), ("pushed_at",)),
}
NO_LICENCE = "none"

# candidate, columns; None: the server knows no such repository
Answer = tuple[int, JsonObject | None]


class NoMetadata(GitHubError):
    """Candidates that the server gave no metadata of, and did not say that they are not there."""


def ask_graphql(context: ChannelContext, rows: Sequence[JsonObject]) -> Iterator[Answer]:
    """Columns for each row that could be answered.

    Raises NoMetadata at the end for those that could not; LimitReached, BadToken, Unreachable.
    """
    batches = _Batches(context)
    for start in range(0, len(rows), BATCH):
        context.progress("metadata", start, len(rows))
        yield from batches.ask(rows[start : start + BATCH])
    batches.conclude()


@dataclass
class _Batches:
    """Batches, cut in halves where the server fails: one repository may be what it fails at.

    Not endlessly: it may fail at all.
    """

    context: ChannelContext
    in_vain: int = 0  # requests in a row that gave nothing
    unanswered: list[str] = field(default_factory=list)
    problem: str = ""

    def ask(self, rows: Sequence[JsonObject]) -> Iterator[Answer]:
        if self.in_vain >= MOST_IN_VAIN:
            self.unanswered += [row["full_name"] for row in rows]
            return
        try:
            answer = self.context.github.graphql(
                repository_query([row["full_name"] for row in rows])
            )
        except (Refused, Unreachable) as error:
            if isinstance(error, Unreachable) and not error.answered:
                raise
            self.problem = str(error)
            yield from self._halves(rows)
            return
        failed = []
        for number, row in enumerate(rows):
            value = answer.data.get(f"r{number}")
            problem = answer.errors.get(f"r{number}")
            if isinstance(value, dict):
                yield row["id"], from_graphql(value, row["server"])
            elif problem is not None and problem[0] == "NOT_FOUND":
                yield row["id"], None
            else:  # another error, one that names no repository, or none at all: nothing is known
                self.problem = (problem or answer.errors.get("") or ("", "no answer and no error"))[
                    1
                ]
                failed.append(row)
        if len(failed) == len(rows):
            yield from self._halves(rows)
            return
        self.in_vain = 0
        if failed:
            yield from self.ask(failed)

    def _halves(self, rows: Sequence[JsonObject]) -> Iterator[Answer]:
        self.in_vain += 1
        middle = len(rows) // 2
        if not middle:
            self.unanswered.append(rows[0]["full_name"])
            return
        yield from self.ask(rows[:middle])
        yield from self.ask(rows[middle:])

    def conclude(self) -> None:
        if self.unanswered:
            count = len(self.unanswered)
            raise NoMetadata(
                f"no metadata of {count_of(count, 'candidate')}, for example {self.unanswered[0]}:"
                f" {self.problem}",
                "Run it again later: they are asked for again",
            )


def repository_query(names: Sequence[str]) -> str:
    """GraphQL for the metadata of repositories, under the aliases r0, r1 …"""
    parts = []
    for number, full_name in enumerate(names):
        owner, _, name = full_name.partition("/")
        parts.append(
            f"r{number}: repository(owner: {json.dumps(owner)}, name: {json.dumps(name)}) {{"
            " ...F }"
        )
    return "{ " + " ".join(parts) + " }\n" + _FIELDS


def ask_rest(context: ChannelContext, rows: Sequence[JsonObject]) -> Iterator[Answer]:
    """The same by REST, a request each, without the settings."""
    batches = _Batches(context)
    for number, row in enumerate(rows):
        context.progress("metadata", number, len(rows))
        try:
            value = context.github.get(f"/repos/{row['full_name']}").value
        except NotFound:
            yield row["id"], None
        except Refused as error:
            batches.problem = str(error)
            batches.unanswered.append(row["full_name"])
        else:
            if isinstance(value, dict):
                yield (
                    row["id"],
                    _columns(value, 1) | {"now_called": valid_name(get_str(value, "full_name"))},
                )
    batches.conclude()


def from_graphql(value: JsonObject, server: str) -> JsonObject:
    remote = checkpoint_remote(get_str(value, "object", "text"), server)
    name = None if remote is None else remote.name if remote.server == server else "/".join(remote)
    shown = sorted({record for alias, (record, _) in _PLACES.items() if value.get(alias)})
    return _columns(value, 0) | {
        "records": " ".join(shown) or None,
        "checkpoint_remote": name,
        "now_called": valid_name(get_str(value, "nameWithOwner")),
    }


def _columns(value: JsonObject, side: int) -> JsonObject:
    columns = {name: _check(name, get(value, *paths[side])) for name, paths in _PATHS.items()}
    licence = _PATHS["licence"][side][0]
    if licence in value and value[licence] is None:  # a missing field says nothing
        columns["licence"] = NO_LICENCE
    return columns


def _check(name: str, value: Any) -> int | str | None:
    """Only what a column is for, and a terminal can show: anything else that a server says is
    not known.
    """
    if name in ("is_fork", "archived"):
        if isinstance(value, bool):
            return int(value)
        return None
    if name in ("github_id", "stars", "forks", "size_kb"):
        if value == 0 and not isinstance(value, bool):
            return 0
        return identifier(value)
    if isinstance(value, str):
        return printable(value)[:200]
    return None
