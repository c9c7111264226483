"""Findings of other scanners (SARIF 2.1.0) with who wrote the lines that they point to.

A log names files and lines of one commit; they are looked up there as `blame` does. Nothing is stored. The log is hostile input.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from attribution.queries.blame import BlameLine, blame
from collector.errors import WhoWroteError
from collector.json_values import get, get_list, get_str
from collector.text import printable

if TYPE_CHECKING:
    from attribution.queries.open_repo import OpenRepo

_MOST = 64 << 20  # bytes of a log
_LINES = 2_000  # of one finding that are looked up


class Result(NamedTuple):
    """A finding as the log has it."""

    scanner: str
    rule: str
    level: str
    message: str
    path: str  # from the top of the repository
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AuthoredResult:
    """A finding with who wrote most of its lines. `line_class` is "" where nobody can be looked up; `problem` says why."""

    scanner: str
    rule: str
    level: str
    path: str
    start_line: int
    end_line: int
    line_class: str
    evidence: str
    agent: str
    model: str
    session: str
    commit: str  # that introduced most of the lines
    message: str
    problem: str


def authored_results(where: OpenRepo, log: Path, commit: str = "") -> list[AuthoredResult]:
    """In the order of the log. `commit`: the one that was scanned, HEAD by default. Raises WhoWroteError for a log that is none."""
    results = list(read_sarif(log))
    wanted: dict[str, set[int]] = defaultdict(set)
    for one in results:
        wanted[one.path].update(range(one.start, one.end + 1))
    lines = {path: _lines(where, path, numbers, commit) for path, numbers in wanted.items()}
    return [_authored(one, *lines[one.path]) for one in results]


def _lines(where: OpenRepo, path: str, numbers: set[int], commit: str) -> tuple[dict[int, BlameLine], str]:
    """The lines that there are, and what is wrong with the file."""
    try:
        found = blame(where, path, commit)
    except WhoWroteError as error:  # no such file there, or a binary one
        return {}, str(error)
    return {line.line: line for line in found.lines if line.line in numbers}, ""


def _authored(one: Result, lines: dict[int, BlameLine], problem: str) -> AuthoredResult:
    known = [lines[n] for n in range(one.start, one.end + 1) if n in lines and lines[n].text.strip()]
    if not known:
        reason = problem or "the file has no such line"
        head = (one.scanner, one.rule, one.level, one.path, one.start, one.end)
        return AuthoredResult(*head, "", "", "", "", "", "", one.message, reason)
    count = Counter((line.attribution.kind, line.attribution.session_id) for line in known)
    most = max(count, key=lambda who: count[who])
    first = next(line for line in known if (line.attribution.kind, line.attribution.session_id) == most)
    of = first.attribution
    return AuthoredResult(
        one.scanner, one.rule, one.level, one.path, one.start, one.end, of.kind, of.evidence, of.agent, of.model, of.session,
        first.introduced.sha, one.message, "",
    )  # fmt: skip


def read_sarif(log: Path) -> Iterator[Result]:
    """Results with a place in a file. Raises WhoWroteError when the file is no SARIF log."""
    try:
        if log.stat().st_size > _MOST:
            raise WhoWroteError(f"{log} is larger than {_MOST >> 20} MB")
        value: Any = json.loads(log.read_bytes())
    except OSError as error:
        raise WhoWroteError(f"{log} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise WhoWroteError(f"{log} is not JSON: {error}") from error
    if not isinstance(get(value, "runs"), list):
        raise WhoWroteError(
            f"{log} is not a SARIF log: it has no runs", "CodeQL, Snyk, semgrep and others write one with an option"
        )
    for run in get_list(value, "runs"):
        scanner = printable(get_str(get(get(run, "tool"), "driver"), "name"))[:80]
        for result in get_list(run, "results"):
            yield from _places(scanner, result)


def _places(scanner: str, result: object) -> Iterator[Result]:
    """The first place of a result; others are steps on the way."""
    for location in get_list(result, "locations")[:1]:
        physical = get(location, "physicalLocation")
        path = _path(get_str(get(physical, "artifactLocation"), "uri"))
        start = get(get(physical, "region"), "startLine")
        end = get(get(physical, "region"), "endLine")
        if path and isinstance(start, int) and not isinstance(start, bool) and 0 < start < 10**8:
            last = end if isinstance(end, int) and start <= end < start + _LINES else start
            rule = get_str(result, "ruleId") or get_str(get(result, "rule"), "id")
            text = get_str(get(result, "message"), "text")
            level = printable(get_str(result, "level"))[:20] or "warning"
            yield Result(scanner, printable(rule)[:200], level, printable(text)[:500], path, start, last)


def _path(uri: str) -> str:
    """Below the top of the repository; "" for anything else: logs also hold absolute addresses of a build machine."""
    parts = urlsplit(uri)
    path = PurePosixPath(unquote(parts.path))
    if parts.scheme or parts.netloc or path.is_absolute() or ".." in path.parts:
        return ""
    return str(path) if path.parts else ""


def by_class(rows: Sequence[AuthoredResult]) -> dict[str, int]:
    """Class, "" for nobody -> findings."""
    return dict(Counter(row.line_class for row in rows).most_common())
