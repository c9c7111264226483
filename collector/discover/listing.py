"""A list: names in a file or on stdin, all repositories of an organisation or a user, the repositories of another database."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from collector.discover.channel import Channel, ChannelContext, Coverage, DryRunStep, Scope
from collector.discover.discovery_log import DiscoveryHit
from collector.discover.owned import read_owner
from collector.discover.tables import names_of, record_all
from collector.errors import WhoWroteError
from collector.storage.store import NameInDatabase, names_in_database
from collector.text import printable

NAME = "listing"
ORDER = 5
MOST_BYTES = 256 << 20


def run(context: ChannelContext) -> None:
    for where, data in _texts(context):
        _run_text(context, where, data)
    for path in context.request.databases:
        _run_names(context, f"database {path.name}", names_in_database(path))
    for owner in context.request.owners:
        read_owner(context, NAME, owner)


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


def _run_text(context: ChannelContext, where: str, data: bytes) -> None:
    found, bad = names_of(data, context.discovery_log.server)
    if bad:
        some = ", ".join(printable(word[:80]) for word in bad[:3]) + (", …" if len(bad) > 3 else "")
        context.tell(f"{where}: skipped, neither owner/name nor a repository URL (https://HOST/…): {some} ({len(bad)} in all)")
    names = [DiscoveryHit(name, f"line {number}", server=server) for number, server, name in found]
    record_all(context, NAME, where, f"{where} {hashlib.sha256(data).hexdigest()[:12]}", names)


def _run_names(context: ChannelContext, where: str, names: list[NameInDatabase]) -> None:
    text = "\n".join(f"{server}/{name}" for server, name in names)
    hits = [DiscoveryHit(name, "a row of the database", server=server or None) for server, name in names]
    record_all(context, NAME, where, f"{where} {hashlib.sha256(text.encode()).hexdigest()[:12]}", hits)


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
    Scope.NOTHING,
    Coverage(None, None, "as good as the list"),
    run,
    plan,
    usual=lambda options: options.names_repositories,
)
