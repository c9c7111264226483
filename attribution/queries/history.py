"""The life of one line, as `attribute history FILE:LINE` tells it: born, renamed, moved, reformatted, ended or alive."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from attribution.lineage.git_blame import Introduction
from attribution.lineage.introduced import renames
from attribution.queries.blame import blame
from attribution.queries.moves import MoveHistories
from attribution.queries.open_repo import OpenRepo
from attribution.queries.verdicts import Attributions, LineAttribution
from collector.text import decode, printable, split_lines


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a commit did to the line."""

    what: str  # born | renamed | whitespace | reformatted | moved | merged (arrived on the main line) | ended | alive
    sha: str
    at: str  # author time
    subject: str
    path: str
    line: int | None
    who: str = ""  # author of the commit
    detail: str = ""


@dataclass(slots=True)
class LineHistoryReport:
    name: str
    path: str
    line: int
    sha: str
    text: str
    said: LineAttribution  # who wrote it first
    events: list[Event]
    days: float | None = None  # from birth to death, or to the tip
    actor: str = ""  # who ended it; "" while it is alive
    actor_session: str = ""
    cause: str = ""
    replaced_by: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def data(self) -> dict[str, Any]:
        return {
            "repo": self.name, "path": self.path, "line": self.line, "at_commit": self.sha, "text": self.text, **self.said.row(),
            "age_days": self.days, "ended_by": self.actor, "ended_by_session": self.actor_session, "cause": self.cause,
            "replaced_by": self.replaced_by, "events": [asdict(e) for e in self.events], "notes": self.notes,
        }  # fmt: skip

    def rows(self) -> list[dict[str, Any]]:
        return [asdict(e) for e in self.events]


def line_history(where: OpenRepo, file: str, number: int, commit: str = "") -> LineHistoryReport:
    """A line of a file of a commit (default: the tip), from its first commit to its last. Raises UnknownBranch, WhoWroteError."""
    story = blame(where, file, commit, [number])
    line = story.lines[0]
    teller = _Teller(where)
    end = line.birth
    journey = teller.journeys.of(end)
    first = journey.first if journey is not None else end
    notes = list(story.notes)
    if journey is not None and first is None:
        notes.append("its first commit is older than the window; with --full the whole history is followed")
    events = [teller.event("born", first)] if first is not None else []
    if journey is not None:
        events += [teller.event(t.how, Introduction(t.sha, t.path, t.line)) for t in journey.travels]
    events += [
        teller.event("renamed", at, f"from {before}") for at, before in reversed(renames(where.repo, story.sha, story.path, end))
    ]
    found = LineHistoryReport(
        story.name,
        story.path,
        number,
        story.sha,
        line.text,
        teller.verdicts.said(first) if first else LineAttribution(),
        events,
        notes=notes,
    )
    if first is not None:
        teller.ending(found, first)
    return found


class _Teller:
    """Looks up commits and fates of one repository."""

    def __init__(self, where: OpenRepo) -> None:
        self.where = where
        self.verdicts = Attributions(where)
        self.journeys = MoveHistories(where.store, where.repo_id)

    def event(self, what: str, at: Introduction, detail: str = "") -> Event:
        commit = self.where.repo.commit(at.sha)
        known = self.where.store.rows(
            "SELECT author_at FROM history_commits WHERE repo_id = ? AND commit_sha = ?", (self.where.repo_id, at.sha)
        )
        ref = self.verdicts.commit(at.sha)
        time = known[0]["author_at"] if known else ref.author_at if ref else ""
        return Event(
            what, at.sha, time, commit.subject if commit else "", at.path, at.line or None,
            commit.author_name if commit else "", detail,
        )  # fmt: skip

    def ending(self, story: LineHistoryReport, first: Introduction) -> None:
        """Adds the death, or that the line is alive at the tip."""
        rows = self.where.store.rows(_LIFE, (self.where.repo_id, first.sha, printable(first.path), first.line))
        if not rows:
            story.notes.append("the window begins after this line was written; with --full the whole history is followed")
            return
        r = rows[0]
        story.days = r["days"]
        if r["death_sha"] is None:
            story.events.append(
                self.event("alive", Introduction(self.where.head, story.path if story.sha == self.where.head else "", 0))
            )
            return
        story.cause, story.actor, story.actor_session = r["cause"], r["actor"] or "unknown", r["session"] or ""
        place = Introduction(r["death_sha"], r["into_path"] or "", r["into_start"] or 0)
        story.events.append(self.event("ended", place, r["cause"].replace("_", " ")))
        if r["gone_sha"] and r["gone_sha"] != r["death_sha"]:
            story.events.append(self.event("merged", Introduction(r["gone_sha"], "", 0), "its end reached the main line"))
        story.replaced_by = self._lines(r)

    def _lines(self, r: dict[str, Any], most: int = 6) -> list[str]:
        """The first of the lines that came in its place."""
        if r["into_path"] is None or r["into_end"] < r["into_start"]:
            return []
        oid = self.where.repo.file_at(r["death_sha"], r["into_path"])
        data = self.where.repo.blob(oid) if oid else None
        lines = split_lines(data or b"")[r["into_start"] - 1 : r["into_end"]]
        return [decode(line) for line in lines[:most]] + ([f"… {len(lines) - most} more"] if len(lines) > most else [])


_LIFE = """
SELECT l.cause, l.into_path, l.into_start, l.into_end, d.commit_sha AS death_sha, g.commit_sha AS gone_sha, t.actor,
  s.label AS session, max(0, julianday(COALESCE(d.author_at, tip.author_at)) - julianday(b.author_at)) AS days
FROM history_commits b JOIN line_lives l ON l.birth = b.id LEFT JOIN history_commits d ON d.id = l.death
LEFT JOIN history_commits g ON g.id = l.gone_from_main LEFT JOIN line_fates t ON t.repo_id = l.repo_id AND t.life = l.origin
LEFT JOIN sessions s ON s.id = t.actor_session_id JOIN tip_states ts ON ts.repo_id = l.repo_id
JOIN history_commits tip ON tip.repo_id = l.repo_id AND tip.commit_sha = ts.tip_sha
WHERE b.repo_id = ? AND b.commit_sha = ? AND l.path = ? AND ? BETWEEN l.start_line AND l.end_line
"""
