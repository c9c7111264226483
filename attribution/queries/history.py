"""The history of one line for `whowrote why --history FILE:LINE`: introduced, renamed, moved,
reformatted, removed or present.
"""

from dataclasses import asdict, dataclass, field

from attribution.lineage.git_blame import Introduction
from attribution.lineage.introduced import renames
from attribution.queries.blame import blame
from attribution.queries.open_repo import OpenRepo
from attribution.queries.verdicts import NO_COMMIT, Attributions, LineAttribution, MoveHistories
from collector.json_values import Row
from collector.text import decode, printable, split_lines


@dataclass(frozen=True, slots=True)
class LineEvent:
    """Something that a commit did to the line."""

    # introduced, renamed, whitespace, reformatted, moved, removed, merged (the removal reached the
    # main line), present (at HEAD)
    what: str
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
    attribution: LineAttribution  # who wrote it first
    events: list[LineEvent]
    days: float | None = None  # from its first commit to its removal, or to HEAD
    actor: str = ""  # who removed it; "" while it is present
    actor_session: str = ""
    cause: str = ""
    replaced_by: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def data(self) -> Row:
        """Plain values, for --json."""
        return {
            "repo": self.name,
            "path": self.path,
            "line": self.line,
            "at_commit": self.sha,
            "text": self.text,
            **self.attribution.data(),
            "age_days": self.days,
            "removed_by": self.actor,
            "removed_by_session": self.actor_session,
            "cause": self.cause,
            "replaced_by": self.replaced_by,
            "events": [asdict(event) for event in self.events],
            "notes": self.notes,
        }


def is_followed(opened: OpenRepo) -> bool:
    """Whether the database has the history of the lines of a repository."""
    return (
        opened.store.value("SELECT 1 FROM tip_states WHERE repo_id = ?", (opened.repo_id,))
        is not None
    )


def line_history(opened: OpenRepo, file: str, number: int, commit: str = "") -> LineHistoryReport:
    """A line of a file of a commit (default: HEAD), from its first commit to its last.

    Raises UnknownBranch, WhoWroteError.
    """
    blamed = blame(opened, file, commit, [number])
    lookup = _Lookup(opened)
    introduced = blamed.lines[0].introduced
    if introduced.sha == NO_COMMIT:
        line = blamed.lines[0]
        return LineHistoryReport(
            blamed.name,
            blamed.path,
            number,
            blamed.sha,
            line.text,
            line.attribution,
            [],
            notes=blamed.notes,
        )
    moved = lookup.moves.of(introduced)
    first = moved.first if moved is not None else introduced
    notes = list(blamed.notes)
    if moved is not None and first is None:
        notes.append(
            "the line is older than the followed part of history; use --full to follow all of it"
        )
    renamed = renames(opened.repo, blamed.sha, blamed.path, introduced)
    events = [lookup.event("introduced", first)] if first is not None else []
    if moved is not None:
        events += [
            lookup.event(move.how, Introduction(move.sha, move.path, move.line))
            for move in moved.moves
        ]
    events += [
        lookup.event("renamed", rename.place, f"from {rename.before.path}")
        for rename in reversed(renamed)
    ]
    attribution = lookup.attributions.of_line(first) if first else LineAttribution()
    report = LineHistoryReport(
        blamed.name,
        blamed.path,
        number,
        blamed.sha,
        blamed.lines[0].text,
        attribution,
        events,
        notes=notes,
    )
    if first is not None:
        lookup.add_removal(report, first)
    return report


class _Lookup:
    """Commits and line lifetimes of one repository."""

    def __init__(self, opened: OpenRepo) -> None:
        self.where = opened
        self.attributions = Attributions(opened)
        self.moves = MoveHistories(opened.store, opened.repo_id)

    def event(self, what: str, introduction: Introduction, detail: str = "") -> LineEvent:
        commit = self.where.repo.commit(introduction.sha)
        followed_at = self.where.store.value(
            "SELECT author_at FROM history_commits WHERE repo_id = ? AND commit_sha = ?",
            (self.where.repo_id, introduction.sha),
        )
        ref = self.attributions.commit(introduction.sha)
        time = followed_at if followed_at is not None else ref.author_at if ref else ""
        return LineEvent(
            what,
            introduction.sha,
            time,
            commit.subject if commit else "",
            introduction.path,
            introduction.line or None,
            commit.author_name if commit else "",
            detail,
        )

    def add_removal(self, report: LineHistoryReport, first: Introduction) -> None:
        """Adds who removed the line, or that it is present at HEAD."""
        line = (self.where.repo_id, first.sha, printable(first.path), first.line)
        removal = next(iter(self.where.store.rows(_REMOVAL, line)), None)
        if removal is None:
            report.notes.append(
                "the line is older than the followed part of history; use --full to follow all"
                " of it"
            )
            return
        report.days = removal["days"]
        sha = removal["removed_sha"]
        left_main = removal["left_main_sha"]
        if sha is None:
            path = report.path if report.sha == self.where.head else ""
            report.events.append(self.event("present", Introduction(self.where.head, path, 0)))
            return
        report.cause, report.actor, report.actor_session = (
            removal["cause"],
            removal["actor"],
            removal["session"],
        )
        introduction = Introduction(sha, removal["into_path"] or "", removal["into_start"] or 0)
        report.events.append(self.event("removed", introduction, report.cause.replace("_", " ")))
        if left_main and left_main != sha:
            report.events.append(
                self.event(
                    "merged", Introduction(left_main, "", 0), "the removal reached the main line"
                )
            )
        report.replaced_by = self._replacement(
            sha, removal["into_path"], removal["into_start"], removal["into_end"]
        )

    def _replacement(
        self, sha: str, path: str | None, start: int | None, end: int | None
    ) -> list[str]:
        """The first of the lines that replaced it."""
        if path is None or start is None or end is None or end < start:
            return []
        oid = self.where.repo.file_at(sha, path)
        data = self.where.repo.blob(oid) if oid else None
        lines = split_lines(data or b"")[start - 1 : end]
        more = len(lines) - _SHOWN
        return [*map(decode, lines[:_SHOWN]), *([f"… {more} more"] if more > 0 else ())]


_SHOWN = 6  # lines that replaced another one
_REMOVAL = """
SELECT COALESCE(l.cause, '') AS cause, l.into_path, l.into_start, l.into_end,
  d.commit_sha AS removed_sha, g.commit_sha AS left_main_sha,
  COALESCE(t.actor, 'unknown') AS actor, COALESCE(s.label, '') AS session,
  max(0, julianday(COALESCE(d.author_at, tip.author_at)) - julianday(b.author_at)) AS days
FROM history_commits b JOIN line_lifetimes l ON l.birth = b.id
LEFT JOIN history_commits d ON d.id = l.death
LEFT JOIN history_commits g ON g.id = l.gone_from_main
LEFT JOIN line_fates t ON t.repo_id = l.repo_id AND t.life = l.origin
LEFT JOIN sessions s ON s.id = t.actor_session_id JOIN tip_states ts ON ts.repo_id = l.repo_id
JOIN history_commits tip ON tip.repo_id = l.repo_id AND tip.commit_sha = ts.tip_sha
WHERE b.repo_id = ? AND b.commit_sha = ? AND l.path = ? AND ? BETWEEN l.start_line AND l.end_line
"""
