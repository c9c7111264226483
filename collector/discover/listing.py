"""A list: names in a file or on stdin, all repositories of an organisation or a user, the repositories of another database."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace

from collector.discover.channel import Channel, ChannelContext, DryRunStep
from collector.discover.discovery_log import Cursor, DiscoveryHit
from collector.discover.names import parse_name
from collector.discover.paging import repository_of
from collector.errors import WhoWroteError
from collector.github.client import NotFound, Page
from collector.storage.store import NameInDatabase, names_in_database
from collector.text import printable

NAME = "listing"
ORDER = 5
BATCH = 500  # names per transaction
MOST_BYTES = 256 << 20


def run(context: ChannelContext) -> None:
    for where, data in _texts(context):
        _run_text(context, where, data)
    for path in context.request.databases:
        _run_names(context, f"database {path.name}", names_in_database(path))
    for owner in context.request.owners:
        _run_owner(context, owner)


# --- texts ------------------------------------------------------------------------------------------------------------


def _texts(context: ChannelContext) -> Iterator[tuple[str, bytes]]:
    for path in context.request.lists:
        try:
            with path.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise WhoWroteError(f"the list {path} cannot be read: {error.strerror}", "Check --list") from error
        if len(data) > MOST_BYTES:
            raise WhoWroteError(f"the list {path} is larger than {MOST_BYTES >> 20} MiB", "Split it")
        yield f"file {path.name}", data
    yield from context.request.texts


def names_of(data: bytes, server: str) -> tuple[list[tuple[int, str, str]], list[str]]:
    """(line, server, name) of each line, and the words that are no name. The first column counts; `#` begins a comment."""
    found, bad = [], []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        words = line.partition("#")[0].replace(",", " ").replace('"', " ").split()
        if not words:
            continue
        parsed = parse_name(words[0], server)
        if parsed is None:
            bad.append(words[0])
        else:
            found.append((number, *parsed))
    return found, bad


def _run_text(context: ChannelContext, where: str, data: bytes) -> None:
    found, bad = names_of(data, context.discovery_log.server)
    if bad:
        some = ", ".join(printable(word[:80]) for word in bad[:3]) + (", …" if len(bad) > 3 else "")
        context.tell(f"{where}: skipped, neither owner/name nor a repository URL (https://HOST/…): {some} ({len(bad)} in all)")
    names = [DiscoveryHit(name, f"line {number}", server=server) for number, server, name in found]
    _run_hits(context, where, f"{where} {hashlib.sha256(data).hexdigest()[:12]}", names)


def _run_names(context: ChannelContext, where: str, names: list[NameInDatabase]) -> None:
    text = "\n".join(f"{server}/{name}" for server, name in names)
    hits = [DiscoveryHit(name, "a row of the database", server=server or None) for server, name in names]
    _run_hits(context, where, f"{where} {hashlib.sha256(text.encode()).hexdigest()[:12]}", hits)


def _run_hits(context: ChannelContext, query: str, slice: str, hits: list[DiscoveryHit]) -> None:
    """`slice` names the content: a list that grew is another slice."""
    cursor = context.discovery_log.cursor(NAME, query, slice) or Cursor(NAME, query, slice, total=len(hits))
    at = int(cursor.position or 0)
    while cursor.state != "done" and not context.enough():
        context.progress(f"listing: {query}", at, len(hits))
        end = (
            min(at + BATCH, len(hits))
            if context.request.limit is None
            else min(at + context.request.limit - context.new, len(hits))
        )
        after = replace(cursor, state="done" if end >= len(hits) else "part", position=str(end), found=end)
        context.new += context.discovery_log.record(cursor, after, hits[at:end])
        cursor, at = after, end


# --- owners -----------------------------------------------------------------------------------------------------------


def _run_owner(context: ChannelContext, owner: str) -> None:
    query = slice = f"owner {owner}"
    cursor = context.discovery_log.cursor(NAME, query, slice) or Cursor(NAME, query, slice)
    while cursor.state != "done" and not context.enough():
        number = int(cursor.position or 1)
        context.progress(f"listing: {query}", cursor.found, 0)
        page = _owned(context, owner, number)
        items = [item for item in page.value if isinstance(item, dict)] if isinstance(page.value, list) else []
        found = [r for r in map(repository_of, items) if r is not None]
        state = "part" if page.next else "done"
        after = replace(cursor, state=state, position=str(number + 1), found=cursor.found + len(items))
        context.new += context.discovery_log.record(cursor, after, [DiscoveryHit(name, query, number) for name, number in found])
        cursor = after


def _owned(context: ChannelContext, owner: str, number: int) -> Page:
    """A page of an organisation's repositories, or of a user's."""
    params: dict[str, str | int] = {"per_page": 100, "page": number, "type": "public"}
    try:
        return context.github.get(f"/orgs/{owner}/repos", params)
    except NotFound:
        params["type"] = "owner"
    try:
        return context.github.get(f"/users/{owner}/repos", params)
    except NotFound:
        raise WhoWroteError(f"no such organisation or user: {owner}", "Check --owner") from None


def plan(context: ChannelContext) -> list[DryRunStep]:
    steps = []
    for where, data in _texts(context):
        found, _ = names_of(data, context.discovery_log.server)
        steps.append(DryRunStep(f"listing: {where}, {len(found)} names", 0, names=len(found)))
    for path in context.request.databases:
        count = len(names_in_database(path))
        steps.append(DryRunStep(f"listing: database {path.name}, {count} names", 0, names=count))
    for owner in context.request.owners:
        steps.append(DryRunStep(f"listing: owner {owner}", 1, "core", 600_000, "plus one per 100 repositories"))
    return steps


CHANNEL = Channel(
    NAME,
    "what --list, --repo, --owner or --from-db names; the only one asked when they name something",
    False,
    run,
    plan,
    usual=lambda options: options.names_repositories,
    independent=False,
)
