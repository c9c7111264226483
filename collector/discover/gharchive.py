"""GH Archive: every public push to a branch of the producer, hour by hour. The channel without a cap and without a token.
An hour is a gzip file of one event per line, local or downloaded. It is read as a stream; only lines that hold the name of
such a branch are parsed. Since 2025-10-07 a push has only repository_id, push_id, ref, head and before; the ref was there
before as well. Pushes of refs outside refs/heads are probably no events, so repositories with one ref per checkpoint are
found here only by their older branch.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from collector.checkpoints.entire import BRANCHES, PREFIXES, is_on_server
from collector.discover.channel import Channel, ChannelContext, DiscoverOptions, DryRunStep, searching
from collector.discover.discovery_log import Cursor, DiscoveryHit
from collector.errors import WhoWroteError
from collector.github.transport import Unreachable
from collector.json_values import identifier

NAME = "gharchive"
ORDER = 40
PUBLIC_ARCHIVE = "https://data.gharchive.org"
QUERY = f"events on {BRANCHES}*"
BLOCK = 1 << 20
LONGEST_LINE = 32 << 20
MOST_BYTES = 4 << 30
HOUR_BYTES = 28_000_000  # of a compressed hour, as measured in 2026
PATIENCE = 3600.0  # seconds for one hour's file
TRIES = 4
PUBLISHED_AFTER = timedelta(hours=2)
_NEEDLES = tuple(f'"{name}'.encode() for name in (BRANCHES, *PREFIXES))


class Damaged(ValueError):
    """The file ends early or holds something that is not gzip."""


@dataclass(slots=True)
class HourReading:
    """What an hour's file gave."""

    hits: dict[str, DiscoveryHit] = field(default_factory=dict)
    bad_lines: int = 0
    bytes: int = 0
    damage: str | None = None


# --- the stream -------------------------------------------------------------------------------------------------------


def read_hour(chunks: Iterable[bytes]) -> HourReading:
    """Repositories that a file's events name. Memory does not depend on its size. Errors of `chunks` itself pass."""
    reading = HourReading()
    try:
        for line in candidate_lines(_counted(chunks, reading), reading):
            _take(line, reading)
    except Damaged as error:
        reading.damage = str(error)
    return reading


def _counted(chunks: Iterable[bytes], reading: HourReading) -> Iterator[bytes]:
    for chunk in chunks:
        reading.bytes += len(chunk)
        yield chunk


def candidate_lines(chunks: Iterable[bytes], reading: HourReading) -> Iterator[bytes]:
    """Lines that hold the name of a branch of the producer. Raises Damaged, after all lines that could be read."""
    rest = b""
    for block in _inflated(chunks):
        block = rest + block
        end = block.rfind(b"\n") + 1
        if any(needle in block for needle in _NEEDLES):
            for line in block[:end].split(b"\n"):
                if any(needle in line for needle in _NEEDLES):
                    yield line
        rest = block[end:]
        if len(rest) > LONGEST_LINE:
            reading.bad_lines += 1
            rest = b""
    if any(needle in rest for needle in _NEEDLES):
        yield rest


def _inflated(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Blocks of up to a megabyte, of one or several gzip members. Raises Damaged."""
    member = zlib.decompressobj(31)
    begun = False
    for chunk in chunks:
        data = chunk
        while data:
            begun = True
            try:
                yield member.decompress(data, BLOCK)
            except zlib.error as error:
                raise Damaged(f"not gzip, or damaged: {error}") from error
            data = member.unconsumed_tail
            if member.eof:
                data, member, begun = member.unused_data.lstrip(b"\0"), zlib.decompressobj(31), False
    if begun:
        raise Damaged("the file ends early")


def _take(line: bytes, reading: HourReading) -> None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        reading.bad_lines += 1
        return
    hit = hit_of(event)
    if hit is not None:
        known = reading.hits.get(hit.full_name)
        reading.hits[hit.full_name] = hit if known is None else replace(known, hits=known.hits + 1)


def hit_of(event: Any) -> DiscoveryHit | None:
    """The repository of an event that made or moved a branch of the producer; both generations of payloads."""
    if not isinstance(event, dict) or event.get("type") not in ("PushEvent", "CreateEvent") or event.get("public") is False:
        return None
    repo, payload = event.get("repo"), event.get("payload")
    if not isinstance(repo, dict) or not isinstance(payload, dict) or not isinstance(repo.get("name"), str):
        return None
    ref = payload.get("ref")
    if not isinstance(ref, str) or payload.get("ref_type", "branch") != "branch":
        return None
    if event["type"] == "CreateEvent" and not ref.startswith("refs/"):
        ref = f"refs/heads/{ref}"
    if not is_on_server(ref):
        return None
    number = repo.get("id", payload.get("repository_id"))
    what = "push" if event["type"] == "PushEvent" else "create"
    evidence = f"{what} {ref} {payload.get('head') or ''} {event.get('created_at') or ''}"
    return DiscoveryHit(repo["name"], " ".join(evidence.split()), identifier(number))


# --- hours ------------------------------------------------------------------------------------------------------------


def hour_name(hour: datetime) -> str:
    """`2026-03-01-7`: the hour has no leading zero."""
    return f"{hour:%Y-%m-%d}-{hour.hour}"


def _key(hour: datetime) -> str:
    return f"{hour:%Y-%m-%d-%H}"  # sorts as time does


def hours(context: ChannelContext) -> list[datetime]:
    """The hours asked for, by default from the last one read until now. Raises WhoWroteError when there is no beginning."""
    if not _remote(context) and context.request.since is None and context.request.until is None:
        return _hours_of(Path(_archive(context)))
    read = [c.slice for c in context.discovery_log.cursors(NAME, QUERY) if c.state == "done"]
    since = context.request.since
    if since is None and read:
        since = datetime.strptime(max(read), "%Y-%m-%d-%H").replace(tzinfo=UTC)
    if since is None:
        raise WhoWroteError(
            "gharchive needs a start date", "Set one, for example --since 2026-02-01; each hour is a file of about 28 MB"
        )
    hour = since.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    until = context.request.until or context.now() - PUBLISHED_AFTER
    found = []
    while hour < until:
        found.append(hour)
        hour += timedelta(hours=1)
    return found


def _hours_of(folder: Path) -> list[datetime]:
    found = []
    for path in folder.glob("*.json.gz"):
        day, _, hour = path.name.removesuffix(".json.gz").rpartition("-")
        try:
            found.append(datetime.strptime(f"{day} {hour}", "%Y-%m-%d %H").replace(tzinfo=UTC))
        except ValueError:
            continue  # another file
    return sorted(found)


def _archive(context: ChannelContext) -> str:
    return context.request.archive or PUBLIC_ARCHIVE


def _remote(context: ChannelContext) -> bool:
    return _archive(context).startswith(("http://", "https://"))


def _open_hours(context: ChannelContext) -> list[datetime]:
    """Missing hours are asked for again: they may have been published since."""
    closed = {c.slice for c in context.discovery_log.cursors(NAME, QUERY) if c.state in ("done", "damaged")}
    return [hour for hour in hours(context) if _key(hour) not in closed]


def run(context: ChannelContext) -> None:
    waiting = _open_hours(context)
    for number, hour in enumerate(waiting):
        if context.enough():
            return
        context.progress(f"gharchive: {hour_name(hour)}", number, len(waiting))
        cursor = context.discovery_log.cursor(NAME, QUERY, _key(hour)) or Cursor(NAME, QUERY, _key(hour))
        reading = _remote_hour(context, hour) if _remote(context) else _local_hour(context, hour)
        if reading is None:
            context.discovery_log.put([replace(cursor, state="missing", detail="no such file")])
            continue
        notes = [reading.damage] if reading.damage else []
        if reading.bad_lines:
            notes.append(f"{reading.bad_lines} lines are not JSON")
        events = sum(hit.hits for hit in reading.hits.values())
        after = replace(cursor, state="damaged" if reading.damage else "done", found=events, detail="; ".join(notes) or None)
        context.new += context.discovery_log.record(cursor, after, reading.hits.values())
        if reading.damage:
            context.tell(f"gharchive {hour_name(hour)}: {reading.damage}; what was read before that is kept")


def _local_hour(context: ChannelContext, hour: datetime) -> HourReading | None:
    path = Path(_archive(context)) / f"{hour_name(hour)}.json.gz"
    try:
        with path.open("rb") as file:
            return read_hour(iter(lambda: file.read(BLOCK), b""))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WhoWroteError(
            f"{path} cannot be read: {error.strerror}", "Check the file and run the command again; it resumes here"
        ) from error


def _remote_hour(context: ChannelContext, hour: datetime) -> HourReading | None:
    """Downloads and reads an hour, several times if it breaks off. None: the archive has none. Raises Unreachable."""
    url = f"{_archive(context).rstrip('/')}/{hour_name(hour)}.json.gz"
    for attempt in range(TRIES):
        try:
            with context.web.stream("GET", url, {"Accept-Encoding": "identity"}, most=MOST_BYTES, patience=PATIENCE) as (
                answer,
                chunks,
            ):
                if answer.status == 404:
                    return None
                if answer.status == 200:
                    reading = read_hour(chunks)
                    if reading.damage is None or attempt + 1 == TRIES:
                        return reading
                problem = Unreachable(f"{url} answered {answer.status}")
        except Unreachable as error:
            problem = error
        if attempt + 1 < TRIES:
            context.clock.sleep(2.0**attempt * (1 + context.clock.chance()))
    raise problem


def plan(context: ChannelContext) -> list[DryRunStep]:
    every, waiting = hours(context), _open_hours(context)
    size = len(waiting) * HOUR_BYTES if _remote(context) else 0
    what = f"gharchive: {hour_name(every[0])} to {hour_name(every[-1])}" if every else "gharchive: no hours"
    return [DryRunStep(what, len(waiting) if _remote(context) else 0, "", size, "", len(every) - len(waiting))]


def _usual(options: DiscoverOptions) -> bool:
    return searching(options) and bool(options.since or options.archive)


CHANNEL = Channel(NAME, "pushes in GH Archive; needs --since or --archive", False, run, plan, _usual)
