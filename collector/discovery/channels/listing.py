"""A list: names in a file, on stdin or on the command line, and all repositories of an organisation
or a user.

A list has a name or an address in each line, also as a cell of a CSV file.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import replace

from collector.discovery.channels.channel import (
    Channel,
    ChannelContext,
    Cursor,
    DiscoveryHit,
    parse_name,
)
from collector.discovery.channels.paging import PER_PAGE, hit_of
from collector.discovery.github.client import NotFound, Page
from collector.discovery.words import CursorState
from collector.errors import WhoWroteError
from collector.json_values import objects
from collector.limits import LIST_BYTES
from collector.repository_names import public_url
from collector.text import printable

NAME = "listing"
ORDER = 5
_SEPARATORS = re.compile(r"[\s,;|]+")


def names_of(data: bytes, server: str) -> tuple[list[tuple[int, str, str]], list[str]]:
    """(line, server, name) of the repositories of a list, and the lines that name none; `#` begins
    a comment.

    The first name or address of a line counts, so that a CSV file is a list as well, with its
    headings as a line that names none.
    """
    text = data.decode(
        "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace"
    )
    names = []
    bad = []
    for number, line in enumerate(text.splitlines(), 1):
        words = [word.strip("\"'") for word in _SEPARATORS.split(line.partition("#")[0])]
        repository = next((parsed for word in words if (parsed := parse_name(word, server))), None)
        if repository is not None:
            names.append((number, *repository))
        elif any(words):
            bad.append(next(filter(None, words)))
    return names, bad


def _texts(context: ChannelContext) -> Iterator[tuple[str, bytes]]:
    """Source and content of each list."""
    for path in context.request.lists:
        try:
            with path.open("rb") as file:
                data = file.read(LIST_BYTES + 1)
        except OSError as error:
            raise WhoWroteError(
                f"the list {path} cannot be read: {error.strerror}", "Check --list"
            ) from error
        if len(data) > LIST_BYTES:
            raise WhoWroteError(
                f"the list {path} is larger than {LIST_BYTES >> 20} MiB", "Split it"
            )
        yield f"file {path.name}", data
    yield from context.request.texts


def _run_text(context: ChannelContext, source: str, data: bytes) -> None:
    """Stores the candidates of a list.

    The slice names its content: a list that grew is another slice.
    """
    names, bad = names_of(data, context.log.server)
    if bad:
        examples = ", ".join(printable(public_url(word)[:80]) for word in bad[:3]) + (
            ", …" if len(bad) > 3 else ""
        )
        context.tell(
            f"{source}: skipped, neither owner/name nor a repository URL (https://HOST/…):"
            f" {examples} ({len(bad)} in all)"
        )
    slice = f"{source} {hashlib.sha256(data).hexdigest()[:12]}"
    cursor = context.log.cursor(NAME, source, slice) or Cursor(
        NAME, source, slice, total=len(names)
    )
    if cursor.state != CursorState.DONE:
        hits = [
            DiscoveryHit(name, f"line {number}", server=server) for number, server, name in names
        ]
        context.new += context.log.record(
            cursor, replace(cursor, state=CursorState.DONE, found=len(hits)), hits
        )


def _run_owner(context: ChannelContext, owner: str) -> None:
    """All repositories of an owner, the last pushed first.

    Raises WhoWroteError for an owner that is not there.
    """
    query = f"owner {owner}"
    cursor = context.log.cursor(NAME, query, query) or Cursor(NAME, query, query)
    while cursor.state != CursorState.DONE:
        number = int(cursor.position or 1)
        context.progress(f"{NAME}: {query}", cursor.found, 0)
        page = _page_of_owner(context, owner, number)
        items = objects(page.value)
        state = CursorState.PART if page.has_next else CursorState.DONE
        after = replace(
            cursor, state=state, position=str(number + 1), found=cursor.found + len(items)
        )
        hits = [hit for item in items if (hit := hit_of(item, query)) is not None]
        context.new += context.log.record(cursor, after, hits)
        cursor = after


def _page_of_owner(context: ChannelContext, owner: str, number: int) -> Page:
    """A page of the repositories of a user or an organisation; both answer under /users."""
    order: dict[str, str | int] = {
        "per_page": PER_PAGE,
        "page": number,
        "sort": "pushed",
        "direction": "desc",
        "type": "owner",
    }
    try:
        return context.github.get(f"/users/{owner}/repos", order)
    except NotFound as error:
        raise WhoWroteError(f"no such organisation or user: {owner}", "Check --owner") from error


def run(context: ChannelContext) -> None:
    for source, data in _texts(context):
        _run_text(context, source, data)
    for owner in context.request.owners:
        _run_owner(context, owner)


CHANNEL = Channel(
    NAME,
    "what --list or --owner names; the only one asked when they name something",
    False,
    run,
    is_usual=lambda options: options.names_repositories,
)
