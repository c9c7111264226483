"""GH Archive and OpenDigger: public pushes to a branch of the producer, hour by hour, as far as the
archives caught them.

No token is needed and no search caps the results, but the archives have only a part of all events:
GH Archive 10 to 20 % since 2025-05-23. OpenDigger keeps an archive of the same form since
2026-09-06, which is read from then on; how much it misses is not known. An hour is a gzip file of
one event per line, local or downloaded. It is read as a stream; only lines that hold the name of
such a branch are parsed. Since 2025-10-07 a push has only repository_id, push_id, ref, head and
before; the ref was there before as well. Pushes of refs outside refs/heads are probably no events,
so repositories with one ref per checkpoint are found here only by their older branch.
"""

import gzip
import math
import tempfile
import zlib
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, BinaryIO

from collector.checkpoints.entire import BRANCHES, PREFIXES, is_on_server
from collector.discovery.channels.channel import (
    Channel,
    ChannelContext,
    Cursor,
    DiscoveryHit,
    is_search_wanted,
)
from collector.discovery.github.transport import Unreachable
from collector.discovery.words import CursorState
from collector.errors import WhoWroteError
from collector.json_values import get, get_str, identifier, load_json
from collector.limits import ARCHIVE_BYTES, EVENT_BYTES

NAME = "gharchive"
ORDER = 40
GH_ARCHIVE = "https://data.gharchive.org"
OPEN_DIGGER = "https://gharchive.open-digger.cn"
OPEN_DIGGER_SINCE = datetime(2026, 9, 6, tzinfo=UTC)
MOST_FAILED = 5  # hours in a row that cannot be read: then the archive is not there
QUERY = f"events on {BRANCHES}*"
PATIENCE = 3600.0  # seconds for one hour's file
TRIES = 4
PUBLISHED_AFTER = timedelta(hours=2)
_NEEDLES = tuple(f'"{name}'.encode() for name in (BRANCHES, *PREFIXES))


@dataclass
class HourReading:
    """What an hour's file gave."""

    hits: dict[str, DiscoveryHit] = field(default_factory=dict)
    bad_lines: int = 0
    damage: str | None = None


def read_hour(packed: BinaryIO) -> HourReading:
    """Repositories that a file's events name. Memory does not depend on its size."""
    reading = HourReading()
    with gzip.GzipFile(fileobj=packed) as file:
        try:
            for line in iter(lambda: file.readline(EVENT_BYTES), b""):
                if any(needle in line for needle in _NEEDLES):
                    _take(line, reading)
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            reading.damage = f"not gzip, or damaged: {error}"
    return reading


def _take(line: bytes, reading: HourReading) -> None:
    try:
        hit = hit_of(load_json(line))
    except (ValueError, RecursionError):
        reading.bad_lines += 1
        return
    if hit is not None:
        first = reading.hits.get(hit.full_name)
        reading.hits[hit.full_name] = hit if first is None else replace(first, hits=first.hits + 1)


def hit_of(event: Any) -> DiscoveryHit | None:
    """The repository of an event that made or moved a branch of the producer; both generations
    of payloads.
    """
    kind = get_str(event, "type")
    name = get_str(event, "repo", "name")
    ref = get_str(event, "payload", "ref")
    if kind not in ("PushEvent", "CreateEvent") or event.get("public") is False or not name:
        return None
    if get_str(event, "payload", "ref_type") not in ("", "branch"):
        return None
    if kind == "CreateEvent" and not ref.startswith("refs/"):
        ref = f"refs/heads/{ref}"
    if not is_on_server(ref):
        return None
    number = get(event, "repo", "id") or get(event, "payload", "repository_id")
    what = "push" if kind == "PushEvent" else "create"
    evidence = f"{what} {ref} {get(event, 'payload', 'head') or ''} {event.get('created_at') or ''}"
    return DiscoveryHit(name, " ".join(evidence.split()), identifier(number))


def hour_name(hour: datetime) -> str:
    """`2026-03-01-7`: the hour has no leading zero."""
    return f"{hour:%Y-%m-%d}-{hour.hour}"


def _key(hour: datetime) -> str:
    return f"{hour:%Y-%m-%d-%H}"  # sorts as time does


def _is_address(archive: str) -> bool:
    return archive.startswith(("http://", "https://"))


def hours(context: ChannelContext) -> list[datetime]:
    """The hours asked for, by default from the last one read until now.

    Raises WhoWroteError when there is no beginning.
    """
    request = context.request
    if (
        request.archive
        and not _is_address(request.archive)
        and request.since is None
        and request.until is None
    ):
        return _hours_in(Path(request.archive))
    done = [
        cursor.slice
        for cursor in context.log.cursors(NAME, QUERY)
        if cursor.state == CursorState.DONE
    ]
    since = request.since or (
        datetime.strptime(max(done), "%Y-%m-%d-%H").replace(tzinfo=UTC) if done else None
    )
    if since is None:
        raise WhoWroteError(
            "gharchive needs a start date",
            "Set one, for example --since 2026-02-01; each hour is a file of about 28 MB",
        )
    first = since.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    until = request.until or context.now() - PUBLISHED_AFTER
    return [
        first + timedelta(hours=n) for n in range(math.ceil((until - first) / timedelta(hours=1)))
    ]


def _hours_in(folder: Path) -> list[datetime]:
    hours = []
    for path in folder.glob("*.json.gz"):
        day, _, hour = path.name.removesuffix(".json.gz").rpartition("-")
        try:
            hours.append(datetime.strptime(f"{day} {hour}", "%Y-%m-%d %H").replace(tzinfo=UTC))
        except ValueError:
            continue  # another file
    return sorted(hours)


def run(context: ChannelContext) -> None:
    """Reads all hours; one that cannot be read holds up none of the later ones.

    Raises WhoWroteError at the end for those.

    Missing hours are asked for again by the next run, they may have been published since; so are
    those that could not be read.
    """
    closed = (CursorState.DONE, CursorState.DAMAGED)
    cursors = {cursor.slice: cursor for cursor in context.log.cursors(NAME, QUERY)}
    waiting = [
        hour
        for hour in hours(context)
        if (cursor := cursors.get(_key(hour))) is None or cursor.state not in closed
    ]
    failed = []
    in_a_row = 0
    for number, hour in enumerate(waiting):
        if in_a_row == MOST_FAILED:
            break
        context.progress(f"gharchive: {hour_name(hour)}", number, len(waiting))
        cursor = cursors.get(_key(hour)) or Cursor(NAME, QUERY, _key(hour))
        try:
            reading = _read(context, hour)
        except WhoWroteError as error:
            failed.append(error)
            in_a_row += 1
            context.log.put([replace(cursor, state=CursorState.FAILED, detail=str(error))])
            continue
        in_a_row = 0
        _store(context, cursor, reading)
        if reading is not None and reading.damage:
            context.tell(
                f"gharchive {hour_name(hour)}: {reading.damage}; what was read before that is kept"
            )
    if failed:
        more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
        raise WhoWroteError(f"{failed[0]}{more}", "The next run asks for these hours again")


def _store(context: ChannelContext, cursor: Cursor, reading: HourReading | None) -> None:
    if reading is None:
        context.log.put([replace(cursor, state=CursorState.MISSING, detail="no such file")])
        return
    notes = [reading.damage] if reading.damage else []
    if reading.bad_lines:
        notes.append(f"lines that are not JSON: {reading.bad_lines}")
    events = sum(hit.hits for hit in reading.hits.values())
    state = CursorState.DAMAGED if reading.damage else CursorState.DONE
    after = replace(cursor, state=state, found=events, detail="; ".join(notes) or None)
    context.new += context.log.record(cursor, after, reading.hits.values())


def _read(context: ChannelContext, hour: datetime) -> HourReading | None:
    """An hour; None when the archive has none. Raises WhoWroteError when it cannot be read."""
    archive = context.request.archive or (OPEN_DIGGER if hour >= OPEN_DIGGER_SINCE else GH_ARCHIVE)
    if _is_address(archive):
        return _remote_hour(context, f"{archive.rstrip('/')}/{hour_name(hour)}.json.gz")
    return _local_hour(Path(archive) / f"{hour_name(hour)}.json.gz")


def _local_hour(path: Path) -> HourReading | None:
    try:
        with path.open("rb") as file:
            return read_hour(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WhoWroteError(
            f"{path} cannot be read: {error.strerror}",
            "Check the file and run the command again; it resumes here",
        ) from error


def _remote_hour(context: ChannelContext, url: str) -> HourReading | None:
    """Downloads and reads an hour, several times if it breaks off.

    None: the archive has none. Raises Unreachable.
    """
    web = context.github.web
    clock = context.github.clock
    plain = {"Accept-Encoding": "identity"}
    for attempt in range(TRIES):
        try:
            request = web.stream("GET", url, plain, most=ARCHIVE_BYTES, patience=PATIENCE)
            with request as (answer, chunks), tempfile.TemporaryFile() as packed:
                if answer.status == 404:
                    return None
                if answer.status == 200:
                    packed.writelines(chunks)
                    packed.seek(0)
                    reading = read_hour(packed)
                    if reading.damage is None or attempt + 1 == TRIES:
                        return reading
                problem = Unreachable(f"{url} answered {answer.status}")
        except Unreachable as error:
            problem = error
        if attempt + 1 < TRIES:
            clock.sleep(2.0**attempt * (1 + clock.chance()))
    raise problem


ABOUT = "pushes in GH Archive and OpenDigger, a part of all; needs --since or --archive"
CHANNEL = Channel(
    NAME,
    ABOUT,
    False,
    run,
    lambda options: is_search_wanted(options) and bool(options.since or options.archive),
)
