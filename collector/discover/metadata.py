"""What the server knows about candidates: GraphQL for 50 at a time, partial answers kept; without a token REST, one by one.

Fields and the settings of the producer, which may name another repository as the place of the checkpoints.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from collector.checkpoints.entire import SETTINGS
from collector.discover.channel import ChannelContext
from collector.discover.names import checkpoint_remote, valid_name
from collector.github.client import GitHubError, NotFound, Refused
from collector.github.transport import Unreachable
from collector.text import printable

BATCH = 50
MOST_IN_VAIN = 8  # requests in a row that give nothing: one bad repository among 50 costs six
_FIELDS = f"""fragment F on Repository {{ databaseId nameWithOwner stargazerCount forkCount isFork
parent {{ nameWithOwner }} isArchived licenseInfo {{ spdxId }} primaryLanguage {{ name }} diskUsage createdAt pushedAt
object(expression: "HEAD:{SETTINGS}") {{ ... on Blob {{ text }} }} }}"""

Found = tuple[int, dict[str, Any] | None]  # candidate, columns; None: the server knows no such repository


class NoMetadata(GitHubError):
    """Candidates that the server gave no metadata of, and did not say that they are not there."""


def ask_graphql(context: ChannelContext, rows: Sequence[Mapping[str, Any]]) -> Iterator[Found]:
    """Columns for each row that could be answered.

    Raises NoMetadata at the end for those that could not; LimitReached, BadToken, Unreachable.
    """
    asking = _Asking(context)
    for at in range(0, len(rows), BATCH):
        context.progress("metadata", at, len(rows))
        yield from asking.batch(rows[at : at + BATCH])
    asking.conclude()


@dataclass(slots=True)
class _Asking:
    """Batches, cut in halves where the server fails: one repository may be what it fails at. Not endlessly: it may fail at all."""

    context: ChannelContext
    in_vain: int = 0  # requests in a row that gave nothing
    unanswered: list[str] = field(default_factory=list)
    problem: str = ""

    def batch(self, rows: Sequence[Mapping[str, Any]]) -> Iterator[Found]:
        if self.in_vain >= MOST_IN_VAIN:
            self.unanswered += [row["full_name"] for row in rows]
            return
        try:
            answer = self.context.github.graphql(repository_query([row["full_name"] for row in rows]))
        except (Refused, Unreachable) as error:
            if isinstance(error, Unreachable) and not error.answered:
                raise
            self.problem = str(error)
            yield from self._smaller(rows)
            return
        failed: list[Mapping[str, Any]] = []
        for number, row in enumerate(rows):
            value, problem = answer.data.get(f"r{number}"), answer.errors.get(f"r{number}")
            if isinstance(value, dict):
                yield row["id"], from_graphql(value, row["server"])
            elif problem is not None and problem[0] == "NOT_FOUND":
                yield row["id"], None
            else:  # another error, one that names no repository, or none at all: nothing is known
                self.problem = (problem or answer.errors.get("") or ("", "no answer and no error"))[1]
                failed.append(row)
        if len(failed) == len(rows):
            yield from self._smaller(rows)
            return
        self.in_vain = 0
        if failed:
            yield from self.batch(failed)

    def _smaller(self, rows: Sequence[Mapping[str, Any]]) -> Iterator[Found]:
        self.in_vain += 1
        middle = len(rows) // 2
        if not middle:
            self.unanswered.append(rows[0]["full_name"])
            return
        yield from self.batch(rows[:middle])
        yield from self.batch(rows[middle:])

    def conclude(self) -> None:
        if self.unanswered:
            count = len(self.unanswered)
            raise NoMetadata(
                f"{count} candidates have no metadata, for example {self.unanswered[0]}: {self.problem}",
                "Run it again later: they are asked for again",
            )


def repository_query(names: Sequence[str]) -> str:
    """GraphQL for the metadata of repositories, under the aliases r0, r1 …"""
    parts = []
    for number, full_name in enumerate(names):
        owner, _, name = full_name.partition("/")
        parts.append(f"r{number}: repository(owner: {json.dumps(owner)}, name: {json.dumps(name)}) {{ ...F }}")
    return "{ " + " ".join(parts) + " }\n" + _FIELDS


def ask_rest(context: ChannelContext, rows: Sequence[Mapping[str, Any]]) -> Iterator[Found]:
    """The same by REST: a request each, a second for the settings of those without checkpoints; answers are cached."""
    asking = _Asking(context)
    for number, row in enumerate(rows):
        context.progress("metadata", number, len(rows))
        try:
            value = context.github.get(f"/repos/{row['full_name']}").value
        except NotFound:
            yield row["id"], None
            continue
        except Refused as error:
            asking.problem = str(error)
            asking.unanswered.append(row["full_name"])
            continue
        if isinstance(value, dict):
            columns = from_rest(value)
            if not row["confirmed"]:
                columns["checkpoint_remote"] = remote_of(_rest_settings(context, row["full_name"]), row["server"])
            yield row["id"], columns
    asking.conclude()


def _rest_settings(context: ChannelContext, name: str) -> str:
    try:
        return decoded(context.github.get(f"/repos/{name}/contents/{SETTINGS}").value)
    except (NotFound, Refused):
        return ""


def decoded(value: Any) -> str:
    """The text of a file from an answer that holds it in base64; "" when it does not."""
    content = value.get("content") if isinstance(value, dict) else None
    try:
        return base64.b64decode(content, validate=False).decode("utf-8", "replace") if isinstance(content, str) else ""
    except (binascii.Error, ValueError):
        return ""


# --- answers to columns -----------------------------------------------------------------------------------------------


def from_graphql(value: Mapping[str, Any], server: str) -> dict[str, Any]:
    settings = _inner(value, "object", "text")
    columns = {
        "github_id": value.get("databaseId"),
        "stars": value.get("stargazerCount"),
        "forks": value.get("forkCount"),
        "is_fork": value.get("isFork"),
        "fork_of": _inner(value, "parent", "nameWithOwner"),
        "archived": value.get("isArchived"),
        "licence": _inner(value, "licenseInfo", "spdxId"),
        "language": _inner(value, "primaryLanguage", "name"),
        "size_kb": value.get("diskUsage"),
        "created_at": value.get("createdAt"),
        "pushed_at": value.get("pushedAt"),
        "checkpoint_remote": remote_of(settings, server) if isinstance(settings, str) else None,
    }
    return cleaned(columns) | {"now_called": _name(value.get("nameWithOwner")), "not_said": _unsaid(value, "licenseInfo")}


def from_rest(value: Mapping[str, Any]) -> dict[str, Any]:
    columns = {
        "github_id": value.get("id"),
        "stars": value.get("stargazers_count"),
        "forks": value.get("forks_count"),
        "is_fork": value.get("fork"),
        "fork_of": _inner(value, "parent", "full_name"),
        "archived": value.get("archived"),
        "licence": _inner(value, "license", "spdx_id"),
        "language": value.get("language"),
        "size_kb": value.get("size"),
        "created_at": value.get("created_at"),
        "pushed_at": value.get("pushed_at"),
    }
    return cleaned(columns) | {"now_called": _name(value.get("full_name")), "not_said": _unsaid(value, "license")}


def _unsaid(value: Mapping[str, Any], licence: str) -> str | None:
    """A licence that is null is none; a missing field says nothing."""
    return None if licence in value else "licence"


def remote_of(settings: str, server: str) -> str | None:
    """The repository that holds the checkpoints, as `candidates` names it, from the text of the settings."""
    found = checkpoint_remote(settings, server)
    return None if found is None else found.name if found.server == server else "/".join(found)


def _inner(value: Mapping[str, Any], key: str, inner: str) -> Any:
    found = value.get(key)
    return found.get(inner) if isinstance(found, dict) else None


def _name(value: Any) -> str | None:
    return valid_name(value) if isinstance(value, str) else None


def cleaned(columns: dict[str, Any]) -> dict[str, Any]:
    """Only what each column of `candidates` is for, and a terminal can show: anything else that a server says is not known."""
    return {name: _of_its_kind(name, value) for name, value in columns.items()}


def _of_its_kind(name: str, value: Any) -> int | str | None:
    if name in ("is_fork", "archived"):
        return int(value) if isinstance(value, bool) else None
    if name in ("github_id", "stars", "forks", "size_kb"):
        return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62 else None
    return printable(value)[:200] if isinstance(value, str) else None
