"""What other producers say about who wrote lines: the nouns, and the helpers that all their
readers need. Pure.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from attribution.exchange.words import ClaimBasis, ClaimedAuthor, RecordState
from collector.agents.common.jsonl import values
from collector.git.ranges import HIGHEST, Ranges
from collector.json_values import first_of
from collector.model import Problem
from collector.text import normal_path

STAGE = "claims"
_MAX_DETAIL = 4000  # characters of unknown keys that are kept
_MAX_TEXT = 300
# Texts of sessions and prompts that some producers put into their records; they are never kept.
_PRIVATE = frozenset(
    {
        "messages",
        "prompts",
        "summary",
        "all_session_conversations",
        "text",
        "content",
        "evidence",
        "command",
    }
)


class Who(NamedTuple):
    """The author a producer names."""

    author: ClaimedAuthor
    tool: str = ""
    model: str = ""
    session: str = ""  # the producer's or agent's own id of the session or conversation
    person: str = ""  # who used the tool, or who typed
    detail: str = ""  # keys we do not know, JSON
    basis: ClaimBasis = ClaimBasis.NOT_SAID


class Claim(NamedTuple):
    """Lines of one file with one author. Without ranges it speaks of the whole commit."""

    path: str  # relative to the repository where that can be told
    ranges: Ranges  # as written: perhaps unsorted or overlapping
    who: Who
    key: str = ""  # the producer's own key of the entry
    recorded_path: str = ""  # as written
    dangling: bool = False  # the key names nobody in its record
    detail: str = ""  # keys we do not know, JSON


class ClaimRecord(NamedTuple):
    """One note, line of a file, or commit message: what one producer says about one commit."""

    producer: str
    format_version: str = ""
    tool_version: str = ""
    commit: str = ""  # commit it names; "" if it names none
    # the commit is the one that was checked out when the lines were written, not the one that holds
    # them
    before: bool = False
    base: str = ""  # commit the producer itself wrote down, when the note sits on one
    written_at: float | None = None
    state: RecordState = RecordState.READ
    entry: int = 0  # line of the file, when it holds several records
    claims: tuple[Claim, ...] = ()
    detail: str = ""
    problems: tuple[Problem, ...] = ()


class ClaimSource(NamedTuple):
    """Where bytes come from."""

    kind: str  # note | file | commit
    ref: str  # git ref, "" for a commit's message
    path: str  # path within the notes tree or the files, or the commit
    blob: str
    commit: str = ""  # commit the place names

    @property
    def subject(self) -> str:
        return f"{self.ref} {self.path}".strip()


class Producer(Protocol):
    """The contract of a module in `attribution/exchange/producers/`.

    Pure: bytes in, records out, never an exception for bad input.

    A module may also say where its claims are kept: `NOTES` (names below `refs/notes/`), `FOLDERS`
    (at the root of the tree). `trailers` reads commits, and has no `sniff`.
    """

    NAME: str
    LABEL: str
    FOUND: str  # where it is looked for, for people

    def sniff(self, source: ClaimSource, data: bytes) -> bool:
        """Whether the bytes are of this producer; by their shape, and by the place only where
        the shape says nothing.
        """
        ...

    def read(self, source: ClaimSource, data: bytes) -> list[ClaimRecord]: ...


@dataclass(slots=True)
class RecordBuilder:
    """Collects what one record says."""

    source: ClaimSource
    claims: list[Claim] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def problem(self, code: str, detail: str = "") -> None:
        self.problems.append(Problem(STAGE, self.source.subject, code, detail))

    def span(self, path: str, value: Any) -> Ranges:
        """The range of lines a JSON object gives; () and a problem when it gives none that can
        be.
        """
        first = first_of(value, "start_line")
        last = first_of(value, "end_line")
        if path and 0 < number(first) <= number(last):
            return ((number(first), number(last)),)
        self.problem("bad_ranges", f"{path}: {str(first)[:50]}-{str(last)[:50]}")
        return ()

    def record(self, producer: str, version: str, **more: Any) -> ClaimRecord:
        """All that was read; `more` are fields of the record."""
        claims = tuple(self.claims)
        problems = tuple(self.problems)
        return ClaimRecord(
            producer,
            version,
            **{"commit": self.source.commit, "claims": claims, "problems": problems} | more,
        )


def unread(
    producer: str,
    source: ClaimSource,
    state: RecordState,
    detail: str = "",
    version: str = "",
    entry: int = 0,
) -> ClaimRecord:
    """A record that says nothing but why it could not be used."""
    problem = Problem(STAGE, source.subject, state, detail)
    return ClaimRecord(
        producer, version, commit=source.commit, state=state, problems=(problem,), entry=entry
    )


def json_of(data: bytes) -> Any:
    """The first JSON value, None when there is none."""
    try:
        return next(values(data), None)
    except (ValueError, RecursionError):
        return None


def word(value: Any, *names: str) -> str:
    """The first of these keys that an object has, as a short text."""
    item = first_of(value, *names)
    if isinstance(item, bool) or not isinstance(item, str | int | float):
        return ""
    return str(item)[:_MAX_TEXT]


def number(value: Any) -> int:
    """A line number; 0 for anything else."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 11:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= HIGHEST:
        return value
    return 0


def others(value: Any, used: Iterable[str]) -> str:
    """Keys of a JSON object that were not used, as JSON; texts of sessions left out, and what is
    too long cut away.
    """
    if not isinstance(value, dict):
        return ""
    left = {
        str(k): v
        for k, v in value.items()
        if k not in used and k not in _PRIVATE and v not in (None, "", [], {})
    }
    while left:
        try:
            written = json.dumps(left, ensure_ascii=True, sort_keys=True)
        except (ValueError, RecursionError):
            return ""
        if len(written) <= _MAX_DETAIL:
            return written
        left.pop(max(left, key=lambda k: len(str(left[k]))))
    return ""


def plain_path(path: str) -> str:
    """`file://` and backslashes taken off; absolute where it was recorded so."""
    if path.startswith("file://"):
        path = path[7:]
        if path.startswith("/") and path[2:3] == ":":  # file:///c:/…
            path = path[1:]
    return normal_path(path)
