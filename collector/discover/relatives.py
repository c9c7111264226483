"""Parents of confirmed forks, and with --forks the forks of confirmed repositories: most have the same checkpoint branches."""

from __future__ import annotations

from dataclasses import replace

from collector.discover.channel import Channel, ChannelContext, Coverage, DryRunStep, Scope
from collector.discover.discovery_log import Cursor, DiscoveryHit
from collector.discover.names import parse_name
from collector.discover.paging import repository_of
from collector.github.client import NotFound
from collector.vocabulary.corpus import CursorState

NAME = "relatives"
ORDER = 75
PARENTS, FORKS = "parents of confirmed forks", "forks of confirmed repositories"


def _with_forks(context: ChannelContext) -> list[str]:
    """Confirmed repositories whose forks were not read yet."""
    if not context.request.forks:
        return []
    closed = {c.slice for c in context.discovery_log.cursors(NAME, FORKS) if c.state == CursorState.DONE}
    rows = context.discovery_log.store.rows(
        "SELECT full_name FROM candidates WHERE server = ? AND confirmed = 1 AND forks > 0 AND exclusion IS NOT 'forgotten'"
        " ORDER BY id",
        (context.discovery_log.server,),
    )
    return [row["full_name"] for row in rows if row["full_name"] not in closed]


def run(context: ChannelContext) -> None:
    log = context.discovery_log
    for row in log.store.rows("SELECT server, full_name, fork_of FROM candidates WHERE confirmed = 1 AND fork_of IS NOT NULL"):
        parent = parse_name(row["fork_of"], row["server"])
        if parent is not None:
            context.new += log.name(
                NAME, PARENTS, row["full_name"], DiscoveryHit(parent.name, row["full_name"], server=parent.server)
            )
    for name in _with_forks(context):
        if context.enough():
            return
        _read_forks(context, name)


def _read_forks(context: ChannelContext, name: str) -> None:
    cursor = context.discovery_log.cursor(NAME, FORKS, name) or Cursor(NAME, FORKS, name)
    while cursor.state != CursorState.DONE:
        number = int(cursor.position or 1)
        try:
            page = context.github.get(f"/repos/{name}/forks", {"per_page": 100, "page": number, "sort": "newest"})
        except NotFound as error:
            context.discovery_log.put([replace(cursor, state=CursorState.DONE, detail=str(error))])
            return
        items = [item for item in page.value if isinstance(item, dict)] if isinstance(page.value, list) else []
        hits = [DiscoveryHit(r.name, f"fork of {name}", r.number) for r in map(repository_of, items) if r is not None]
        read = cursor.found + len(items)
        state = CursorState.PART if page.next and read < context.request.most_of_owner else CursorState.DONE
        after = replace(cursor, state=state, position=str(number + 1), found=read)
        context.new += context.discovery_log.record(cursor, after, hits)
        cursor = after


def plan(context: ChannelContext) -> list[DryRunStep]:
    count = len(_with_forks(context))
    return [
        DryRunStep(f"relatives: forks of {count} repositories", count, "core", count * 300_000, "plus one per further 100 forks")
    ]


CHANNEL = Channel(
    NAME,
    "parents of confirmed forks; with --forks, forks of confirmed repositories",
    False,
    Scope.NOTHING,
    Coverage(None, None, "finds copies of what other channels found"),
    run,
    plan,
    expands=True,
)
