"""The public repositories of an owner, an organisation or a user; and which owners a commit makes worth asking for."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from collector.discover.channel import ChannelContext
from collector.discover.discovery_log import Cursor, DiscoveryHit
from collector.discover.paging import repository_of
from collector.errors import WhoWroteError
from collector.github.client import NotFound, Page
from collector.vocabulary.corpus import CursorState

OWNERS = "owners"  # name of the channel that asks for the owners of what was found
_LOGIN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")


def owner_query(owner: str) -> str:
    return f"owner {owner}"


def author_cursors(item: dict[str, Any]) -> list[Cursor]:
    """The account that wrote a commit of a search; none for bots and for addresses without an account."""
    author = item.get("author")
    login = author.get("login") if isinstance(author, dict) and author.get("type") != "Bot" else None
    if not isinstance(login, str) or not _LOGIN.fullmatch(login) or login == "web-flow":
        return []
    return [Cursor(OWNERS, owner_query(login.lower()), owner_query(login.lower()))]


def read_owner(
    context: ChannelContext,
    channel: str,
    owner: str,
    wanted: Callable[[dict[str, Any]], bool] = lambda item: True,
    most: int | None = None,
) -> None:
    """All repositories of an owner that are `wanted`, the last pushed first; with `most`, after so many no further page is read.

    Raises WhoWroteError for an owner that is not there.
    """
    query = owner_query(owner)
    cursor = context.discovery_log.cursor(channel, query, query) or Cursor(channel, query, query)
    while cursor.state != CursorState.DONE and not context.enough():
        number = int(cursor.position or 1)
        context.progress(f"{channel}: {query}", cursor.found, 0)
        page = _owned(context, owner, number)
        items = [item for item in page.value if isinstance(item, dict)] if isinstance(page.value, list) else []
        found = [r for r in map(repository_of, filter(wanted, items)) if r is not None]
        read = cursor.found + len(items)
        cut = most is not None and page.next is not None and read >= most
        state = CursorState.DONE if cut or not page.next else CursorState.PART
        detail = f"the {read} repositories pushed to last" if cut else None
        after = replace(cursor, state=state, position=str(number + 1), found=read, detail=detail)
        context.new += context.discovery_log.record(cursor, after, [DiscoveryHit(name, query, number) for name, number in found])
        cursor = after


def _owned(context: ChannelContext, owner: str, number: int) -> Page:
    """A page of the repositories of a user or an organisation; both answer under /users."""
    order: dict[str, str | int] = {"per_page": 100, "page": number, "sort": "pushed", "direction": "desc"}
    for path, kind in ((f"/users/{owner}/repos", "owner"), (f"/orgs/{owner}/repos", "public")):
        try:
            return context.github.get(path, order | {"type": kind})
        except NotFound:
            continue
    raise WhoWroteError(f"no such organisation or user: {owner}", "Check --owner")
