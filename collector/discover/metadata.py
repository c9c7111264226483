"""What the server knows about candidates: GraphQL for 50 at a time, partial answers kept; without a token REST, one by one.

Fields and the settings of the producer, which may name another repository as the place of the checkpoints.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from collector.checkpoints.entire import SETTINGS
from collector.discover.channel import ChannelContext
from collector.discover.names import checkpoint_remote, valid_name
from collector.github.client import NotFound, Refused
from collector.github.transport import Unreachable
from collector.text import printable

BATCH = 50
_FIELDS = f"""fragment F on Repository {{ databaseId nameWithOwner stargazerCount forkCount isFork
parent {{ nameWithOwner }} isArchived licenseInfo {{ spdxId }} primaryLanguage {{ name }} diskUsage createdAt pushedAt
object(expression: "HEAD:{SETTINGS}") {{ ... on Blob {{ text }} }} }}"""

Found = tuple[int, dict[str, Any] | None]  # candidate, columns; None: the server knows no such repository


def ask_graphql(context: ChannelContext, rows: Sequence[Mapping[str, Any]]) -> Iterator[Found]:
    """Columns for each row that could be answered; the others stay without metadata. Raises LimitReached, BadToken, Unreachable."""
    for at in range(0, len(rows), BATCH):
        context.progress("metadata", at, len(rows))
        yield from _batch(context, rows[at : at + BATCH])


def _batch(context: ChannelContext, rows: Sequence[Mapping[str, Any]]) -> Iterator[Found]:
    try:
        answer = context.github.graphql(_query(rows))
    except (Refused, Unreachable) as error:
        if isinstance(error, Unreachable) and not error.answered:
            raise
        if len(rows) == 1:
            context.tell(f"no metadata of {rows[0]['full_name']}: the server fails on it")
            return
        middle = len(rows) // 2  # one repository may be what the server fails at
        yield from _batch(context, rows[:middle])
        yield from _batch(context, rows[middle:])
        return
    failed: list[Mapping[str, Any]] = []
    for number, row in enumerate(rows):
        alias = f"r{number}"
        value, problem = answer.data.get(alias), answer.errors.get(alias)
        if isinstance(value, dict):
            yield row["id"], from_graphql(value, row["server"])
        elif problem is None or problem[0] == "NOT_FOUND":
            yield row["id"], None
        else:
            failed.append(row)
    if failed and len(failed) < len(rows):
        yield from _batch(context, failed)
    elif failed:
        context.tell(f"no metadata of {len(failed)} repositories, for example {failed[0]['full_name']}: the server fails on them")


def _query(rows: Sequence[Mapping[str, Any]]) -> str:
    parts = []
    for number, row in enumerate(rows):
        owner, _, name = row["full_name"].partition("/")
        parts.append(f"r{number}: repository(owner: {json.dumps(owner)}, name: {json.dumps(name)}) {{ ...F }}")
    return "{ " + " ".join(parts) + " }\n" + _FIELDS


def ask_rest(context: ChannelContext, rows: Sequence[Mapping[str, Any]]) -> Iterator[Found]:
    """The same by REST: a request each, a second for the settings of those without checkpoints; answers are cached."""
    for number, row in enumerate(rows):
        context.progress("metadata", number, len(rows))
        try:
            value = context.github.get(f"/repos/{row['full_name']}").value
        except NotFound:
            yield row["id"], None
            continue
        except Refused as error:
            context.tell(f"no metadata of {row['full_name']}: {error}")
            continue
        if isinstance(value, dict):
            columns = from_rest(value)
            if not row["confirmed"]:
                columns["checkpoint_remote"] = _remote(_rest_settings(context, row["full_name"]), row["server"])
            yield row["id"], columns


def _rest_settings(context: ChannelContext, name: str) -> str:
    try:
        value = context.github.get(f"/repos/{name}/contents/{SETTINGS}").value
    except (NotFound, Refused):
        return ""
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
        "checkpoint_remote": _remote(settings, server) if isinstance(settings, str) else None,
    }
    return _clean(columns) | {"now_called": _name(value.get("nameWithOwner"))}


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
    return _clean(columns) | {"now_called": _name(value.get("full_name"))}


def _remote(settings: str, server: str) -> str | None:
    found = checkpoint_remote(settings, server)
    return None if found is None else found.name if found.server == server else "/".join(found)


def _inner(value: Mapping[str, Any], key: str, inner: str) -> Any:
    found = value.get(key)
    return found.get(inner) if isinstance(found, dict) else None


def _name(value: Any) -> str | None:
    return valid_name(value) if isinstance(value, str) else None


def _clean(columns: dict[str, Any]) -> dict[str, Any]:
    """Only what SQLite can hold and a terminal can show."""
    return {name: _scalar(value) for name, value in columns.items()}


def _scalar(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value if abs(value) < 1 << 62 else None
    return printable(value)[:200] if isinstance(value, str) else None
