"""GH Archive and OpenDigger: public pushes to a branch of the producer, hour by hour, as far as the archives caught them.

No token is needed and no search caps the results, but the archives have only a part of all events: GH Archive 10 to 20 % since
2025-05-23. OpenDigger keeps an archive of the same form since 2026-09-06; how much it misses is not known. From then on it is
read, and GH Archive where it has no file. An hour is a gzip file of one event per line, local or downloaded. It is read as a
stream; only lines that hold the name of such a branch are parsed. Since 2025-10-07 a push has only repository_id, push_id, ref,
head and before; the ref was there before as well. Pushes of refs outside refs/heads are probably no events, so repositories with
one ref per checkpoint are found here only by their older branch.
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
from collector.discover.channel import Channel, ChannelContext, Coverage, DiscoverOptions, DryRunStep, Scope, searching
from collector.discover.discovery_log import Cursor, DiscoveryHit
from collector.errors import DatabaseUnusable, WhoWroteError
from collector.github.transport import Unreachable
from collector.json_values import identifier
from collector.vocabulary.corpus import CursorState

NAME = "gharchive"
ORDER = 40
GH_ARCHIVE = "https://data.gharchive.org"
OPEN_DIGGER = "https://gharchive.open-digger.cn"
OPEN_DIGGER_SINCE = datetime(2026, 9, 6, tzinfo=UTC)
CAPTURED = (0.1, 0.2)  # share of all events that GH Archive has since 2025-05-23
MOST_FAILED = 5  # hours in a row that cannot be read: then the archive is not there
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


@dataclass(frozen=True, slots=True)
class Archive:
    """One archive; `places` are asked in order until one has the hour, none: the public ones."""

    query: str
    places: tuple[str, ...] = ()

    def at(self, hour: datetime) -> tuple[str, ...]:
        return self.places or ((OPEN_DIGGER, GH_ARCHIVE) if hour >= OPEN_DIGGER_SINCE else (GH_ARCHIVE,))

    def is_remote(self) -> bool:
        return not self.places or self.places[0].startswith(("http://", "https://"))


def archives(context: ChannelContext) -> list[Archive]:
    """The public ones as one, or each that was named."""
    given = context.request.archives
    if len(given) < 2:
        return [Archive(QUERY, given)]
    return [Archive(f"{QUERY} in {place}", (place,)) for place in given]


def hours(context: ChannelContext, archive: Archive) -> list[datetime]:
    """The hours asked for, by default from the last one read until now. Raises WhoWroteError when there is no beginning."""
    if not archive.is_remote() and context.request.since is None and context.request.until is None:
        return _hours_of(Path(archive.places[0]))
    read = [c.slice for c in context.discovery_log.cursors(NAME, archive.query) if c.state == CursorState.DONE]
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


def _open_hours(context: ChannelContext, archive: Archive) -> list[datetime]:
    """Missing hours are asked for again, they may have been published since; so are those that could not be read."""
    closed = {
        c.slice for c in context.discovery_log.cursors(NAME, archive.query) if c.state in (CursorState.DONE, CursorState.DAMAGED)
    }
    return [hour for hour in hours(context, archive) if _key(hour) not in closed]


def run(context: ChannelContext) -> None:
    failed: list[WhoWroteError] = []
    for archive in archives(context):
        failed += _run_archive(context, archive)
    if failed:
        more = f" (and {len(failed) - 1} more hours)" if len(failed) > 1 else ""
        raise WhoWroteError(f"{failed[0]}{more}", "The next run asks for these hours again")


def _run_archive(context: ChannelContext, archive: Archive) -> list[WhoWroteError]:
    """Reads all hours; one that cannot be read holds up none of the later ones. Returns what went wrong."""
    failed: list[WhoWroteError] = []
    waiting, in_a_row = _open_hours(context, archive), 0
    for number, hour in enumerate(waiting):
        if context.enough() or in_a_row == MOST_FAILED:
            break
        context.progress(f"gharchive: {hour_name(hour)}", number, len(waiting))
        key = _key(hour)
        cursor = context.discovery_log.cursor(NAME, archive.query, key) or Cursor(NAME, archive.query, key)
        try:
            reading = _read(context, archive, hour)
        except DatabaseUnusable:
            raise
        except WhoWroteError as error:
            failed.append(error)
            in_a_row += 1
            context.discovery_log.put([replace(cursor, state=CursorState.FAILED, detail=str(error))])
            continue
        in_a_row = 0
        _store(context, cursor, reading)
        if reading is not None and reading.damage:
            context.tell(f"gharchive {hour_name(hour)}: {reading.damage}; what was read before that is kept")
    return failed


def _store(context: ChannelContext, cursor: Cursor, reading: HourReading | None) -> None:
    if reading is None:
        context.discovery_log.put([replace(cursor, state=CursorState.MISSING, detail="no such file")])
        return
    notes = [reading.damage] if reading.damage else []
    if reading.bad_lines:
        notes.append(f"{reading.bad_lines} lines are not JSON")
    events = sum(hit.hits for hit in reading.hits.values())
    state = CursorState.DAMAGED if reading.damage else CursorState.DONE
    after = replace(cursor, state=state, found=events, detail="; ".join(notes) or None)
    context.new += context.discovery_log.record(cursor, after, reading.hits.values())


def _read(context: ChannelContext, archive: Archive, hour: datetime) -> HourReading | None:
    """The hour of the first place that has it; None when none has. Raises WhoWroteError when the last one cannot be read."""
    places = archive.at(hour)
    for place in places[:-1]:
        try:
            reading = _read_at(context, place, hour)
        except Unreachable:
            continue
        if reading is not None and reading.damage is None:
            return reading
    return _read_at(context, places[-1], hour)


def _read_at(context: ChannelContext, place: str, hour: datetime) -> HourReading | None:
    if place.startswith(("http://", "https://")):
        return _remote_hour(context, f"{place.rstrip('/')}/{hour_name(hour)}.json.gz")
    return _local_hour(Path(place) / f"{hour_name(hour)}.json.gz")


def _local_hour(path: Path) -> HourReading | None:
    try:
        with path.open("rb") as file:
            return read_hour(iter(lambda: file.read(BLOCK), b""))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WhoWroteError(
            f"{path} cannot be read: {error.strerror}", "Check the file and run the command again; it resumes here"
        ) from error


def _remote_hour(context: ChannelContext, url: str) -> HourReading | None:
    """Downloads and reads an hour, several times if it breaks off. None: the archive has none. Raises Unreachable."""
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
    steps = []
    for archive in archives(context):
        every, waiting = hours(context, archive), _open_hours(context, archive)
        requests = len(waiting) if archive.is_remote() else 0
        what = f"gharchive: {hour_name(every[0])} to {hour_name(every[-1])}" if every else "gharchive: no hours"
        note = "GH Archive has 10 to 20 % of the events since 2025-05-23"
        steps.append(DryRunStep(what, requests, "", requests * HOUR_BYTES, note, len(every) - len(waiting)))
    return steps


def _usual(options: DiscoverOptions) -> bool:
    return searching(options) and bool(options.since or options.archives)


def share_found(pushes: int, captured: float) -> float:
    """Share of repositories with so many pushes of checkpoints of which at least one was caught; pushes are caught by chance."""
    return 1 - (1 - captured) ** pushes


def _reasoning() -> str:
    parts = [f"{share_found(n, CAPTURED[0]):.0%} to {share_found(n, CAPTURED[1]):.0%} with {n} pushes" for n in (5, 20)]
    return (
        "GH Archive has 10 to 20 % of all events since 2025-05-23: of the repositories with one push of checkpoints in the hours "
        f"read, that share is found, {' and '.join(parts)}; what OpenDigger has, since 2026-09-06, is not known; refs outside "
        "refs/heads are probably no events"
    )


CHANNEL = Channel(
    NAME,
    "pushes in GH Archive and OpenDigger, a part of all; needs --since or --archive",
    False,
    Scope.EVENTS,
    Coverage(CAPTURED[0], None, _reasoning()),
    run,
    plan,
    _usual,
)
