"""Conclusions into rows.

Every function is called within the transaction that replaces the repository's conclusions.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attribution.authorship.agent_text import lines_without_layout, without_layout
from attribution.authorship.diffs import FileDiff
from attribution.authorship.links import BY_CALL, CommitLinks, since
from attribution.authorship.replay import StepOutcome
from attribution.authorship.run_data import Judged, Replayed
from attribution.authorship.session_edits import SessionEdits, telling_lines
from attribution.authorship.texts import DiffTexts
from attribution.authorship.timeline import EditFate
from attribution.authorship.verdicts import CommitVerdict, Span, Verdict
from attribution.stats.accuracy import MeasuredTier, confidence_of
from collector.model import Commit, Problem
from collector.storage.store import Store, iso
from collector.text import count_of
from collector.text import printable as shown
from collector.vocabulary.lines import HEADLINE, Author, Evidence, How, coding_mode, line_class

_CHANGED_LATER = frozenset({How.REFORMATTED, How.MOVED, How.EDITED})
_LISTED = 100  # files of a commit that have a problem each; of more there is one row
_TOGETHER = 1000  # commits whose rows are held at once: a history has millions of spans
FATES = (
    "survived",
    "self_overwritten",
    "human_overwritten",
    "human_deleted",
    "reformatted",
    "not_committed",
    "unexplained",
)


def clear(store: Store, repo_id: int) -> None:
    """Empties what is concluded; the commits' rows were replaced before, and their files and
    links with them.
    """
    execute = store.connection.execute
    of_repo = "SELECT id FROM sessions WHERE repo_id = ? AND gone_since IS NULL"
    for table in ("edits", "session_stats", "commit_sessions"):
        execute(f"DELETE FROM {table} WHERE session_id IN ({of_repo})", (repo_id,))
    execute(
        "DELETE FROM vendor_checks WHERE checkpoint_session_id IN (SELECT cs.id FROM"
        " checkpoint_sessions cs JOIN checkpoints c ON c.id = cs.checkpoint_id WHERE c.repo_id"
        " = ?)",
        (repo_id,),
    )
    # All but the last are filled again when survival is asked for; they point to origins.
    for table in ("line_fates", "deletions", "survival", "tip_files", "origins"):
        execute(f"DELETE FROM {table} WHERE repo_id = ?", (repo_id,))


# --- lines ----------------------------------------------------------------------------------------


def lines(store: Store, repo_id: int, numbers: Mapping[str, int], judged: Judged) -> None:
    """commit_files, origins and spans, and the totals of each commit."""
    origins = _Origins(store, repo_id)
    file_numbers = itertools.count(store.next_id("commit_files"))
    commits = iter(numbers.items())
    while several := list(itertools.islice(commits, _TOGETHER)):
        _lines_of(store, several, judged, origins, file_numbers)


def _lines_of(
    store: Store,
    commits: Iterable[tuple[str, int]],
    judged: Judged,
    origins: _Origins,
    file_numbers: Iterator[int],
) -> None:
    file_rows: list[tuple[Any, ...]] = []
    span_rows: list[tuple[int, ...]] = []
    commit_rows: list[tuple[int | None, ...]] = []
    for sha, number in commits:
        added = deleted = 0
        for file, spans in judged.verdicts[sha].files:
            file_number = next(file_numbers)
            file_rows.append(_file_row(file_number, number, file, spans))
            span_rows.extend(
                (file_number, s.start, s.end, s.nonblank, origins.number(s.verdict)) for s in spans
            )
            added += file.lines_added
            deleted += file.deleted
        files = judged.evidence.history.diffs[sha].files
        commit_rows.append((None if files is None else len(files), added, deleted, number))
    origins.write()
    store.insert("commit_files", _FILE, file_rows)
    store.insert("spans", ("file_id", "start_line", "end_line", "nonblank", "origin_id"), span_rows)
    store.connection.executemany(
        "UPDATE commits SET files = ?, lines_added = ?, lines_deleted = ? WHERE id = ?", commit_rows
    )


_FILE = (
    "id",
    "commit_id",
    "path",
    "old_path",
    "status",
    "content",
    "kind",
    "lines_added",
    "lines_deleted",
    "agent_lines",
    "declared_lines",
    "human_lines",
    "likely_human_lines",
    "tool_lines",
    "unknown_lines",
    "agent_edited_lines",
    "nonblank_lines",
)


def _file_row(number: int, commit: int, file: FileDiff, spans: Sequence[Span]) -> tuple[Any, ...]:
    count: Counter[str] = Counter()
    for span in spans:
        length = span.end - span.start + 1
        count[line_class(span.verdict.author, span.verdict.evidence, "")] += length
        count["nonblank"] += span.nonblank
        if span.verdict.how == How.EDITED:
            count["edited"] += length
    change = file.change
    old_path = shown(change.old_path) if change.status == "R" else None
    return (
        number,
        commit,
        shown(change.path),
        old_path,
        change.status,
        file.content,
        file.kind,
        file.lines_added,
        file.deleted,
        *(
            count[name]
            for name in (
                "agent",
                "declared",
                "human",
                "likely_human",
                "tool",
                "unknown",
                "edited",
                "nonblank",
            )
        ),
    )


ORIGIN = (
    "author",
    "how",
    "evidence",
    "reason",
    "session_id",
    "turn_index",
    "call_id",
    "model",
    "edited_by",
    "similarity",
    "tool",
    "run_by",
    "witness",
    "seen_without_at",
    "seen_with_at",
)


def origin_values(verdict: Verdict) -> tuple[Any, ...]:
    """The values of the columns of `origins` behind its numbers."""
    # of an unknown line: the call that may have done it
    call = verdict.call if verdict.author != Author.HUMAN else None
    witness = verdict.witness
    return (
        verdict.author,
        verdict.how,
        verdict.evidence,
        verdict.reason,
        call.session_id if call else None,
        call.turn if call else None,
        (shown(call.call_id) or None) if call else None,
        verdict.model or (call.model or None if call else None),
        verdict.edited_by or None,
        verdict.similarity,
        shown(verdict.tool) or None,
        verdict.run_by or None,
        witness.kind if witness else None,
        iso(witness.without) if witness else None,
        iso(witness.seen) if witness else None,
    )


class _Origins:
    """Numbers of distinct (author, how, evidence, source) in one repository."""

    def __init__(self, store: Store, repo_id: int) -> None:
        self._store = store
        self._repo_id = repo_id
        self._first = store.next_id("origins")
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._written = 0

    def number(self, verdict: Verdict) -> int:
        return self._numbers.setdefault(origin_values(verdict), self._first + len(self._numbers))

    def write(self) -> None:
        """Those that are not yet in the database."""
        new = itertools.islice(self._numbers.items(), self._written, None)
        self._store.insert(
            "origins",
            ("id", "repo_id", *ORIGIN),
            ((number, self._repo_id, *key) for key, number in new),
        )
        self._written = len(self._numbers)


# --- edits and sessions ---------------------------------------------------------------------------

_EDIT = (
    "session_id",
    "call_id",
    "turn_index",
    "at",
    "path",
    "root",
    "op",
    "by_shell",
    "outcome",
    "detail",
    "lines_added",
    "lines_removed",
)


def edits(store: Store, replayed: Replayed) -> None:
    """Every edit call with what became of it."""
    outcomes = replayed.outcomes()
    store.insert(
        "edits", _EDIT, (_edit_row(fate, outcomes.get(fate.edit_id)) for fate in replayed.edits)
    )


def _edit_row(fate: EditFate, result: StepOutcome | None) -> tuple[Any, ...]:
    raw = fate.raw
    applied = result if result is not None and result.applied and not fate.outcome else None
    outcome = fate.outcome or ("unmatched" if applied is None else "applied")
    detail = fate.detail if fate.outcome or result is None else result.why
    return (
        raw.call.session_id,
        shown(raw.call.call_id),
        raw.call.turn,
        iso(raw.at),
        shown(fate.path),
        shown(fate.root) or None,
        raw.edit.op,
        int(raw.edit.by_shell),
        outcome,
        detail or None,
        applied and applied.added,
        applied and applied.removed,
    )


def links(
    store: Store, repo_id: int, numbers: Mapping[str, int], result: Mapping[str, CommitLinks]
) -> None:
    """commit_checkpoint_links that no message of the commit itself gives."""
    existing = dict(
        store.connection.execute(
            "SELECT checkpoint_id, id FROM checkpoints WHERE repo_id = ?", (repo_id,)
        )
    )
    rows = (
        (number, key, existing.get(key), method, confidence)
        for sha, number in numbers.items()
        for key, (method, confidence) in result[sha].methods.items()
        # a call is of a session, not of one of its checkpoints
        if method not in ("trailer", BY_CALL)
    )
    store.insert(
        "commit_checkpoint_links",
        ("commit_id", "checkpoint_key", "checkpoint", "method", "confidence"),
        rows,
    )


def sessions(store: Store, numbers: Mapping[str, int], judged: Judged) -> None:
    """commit_sessions: the sessions a commit names and the ones whose calls wrote its lines."""
    fates = _fates_by(judged, lambda fate: (fate.sha, fate.session_id))
    ids = judged.evidence.sessions.ids
    links = judged.evidence.links
    recorded = judged.evidence.history.recorded
    rows = []
    for sha, number in numbers.items():
        verdict = judged.verdicts[sha]
        link = links[sha]
        behind = link.commit.commit_time - recorded.get(sha, link.commit).commit_time
        begin = since(
            link.commit, [links[parent].commit for parent in link.commit.parents if parent in links]
        )
        written, took_part = lines_by_session(verdict, begin, judged.texts)
        named = {ids[key]: key for key in link.sessions if key in ids}
        clean = len(named) == 1 and len(link.named) == 1 and not took_part - named.keys()
        by_text = (
            ("worktree", 0.9 * verdict.confidence)
            if link.is_resolved
            else (verdict.method, verdict.confidence)
        )
        for session in sorted(named.keys() | took_part):
            method, confidence = link.method_of(named[session]) if session in named else by_text
            rows.append(
                {
                    "commit_id": number,
                    "session_id": session,
                    "method": method,
                    "confidence": confidence,
                    "clean": int(clean),
                    "agent_lines": written[session],
                    **_fate_counts(fates[sha, session]),
                    "clock_behind": behind or None,
                }
            )
    store.insert_rows("commit_sessions", rows)


def _fate_counts(fates: Counter[str]) -> dict[str, int]:
    """Lines that agents produced, and what became of them."""
    produced = fates.total()
    return {
        "produced": produced,
        "final": produced - fates["self_overwritten"],
        **{name: fates[name] for name in FATES},
    }


def lines_by_session(
    verdict: CommitVerdict, begin: float, texts: DiffTexts
) -> tuple[Counter[int], set[int]]:
    """Session -> lines; and the sessions that took part.

    `begin`: time of the parent, with which older lines were there: to move, edit or reformat these
    is others' doing. A line that follows its neighbours shows nobody at work, and an older one only
    if it stands nowhere by chance.
    """
    count = Counter[int]()
    took_part = set[int]()
    for file, spans in verdict.files:
        for span in spans:
            call = span.verdict.call
            if span.verdict.author == Author.AGENT and call is not None:
                count[call.session_id] += span.nonblank
                shows_work = (
                    span.verdict.evidence != Evidence.INFERRED and call.session_id not in took_part
                )
                if shows_work and (call.at > begin or _is_telling(file, span, texts)):
                    took_part.add(call.session_id)
    return count, took_part


def _is_telling(file: FileDiff, span: Span, texts: DiffTexts) -> bool:
    """Whether a line of it is new and stands nowhere by chance: few files ever had it, and not
    this one in any layout before.
    """
    added = (
        texts.lines(file)[span.start - 1 : span.end]
        if span.verdict.how not in _CHANGED_LATER
        else ()
    )
    before = frozenset(lines_without_layout(texts.before(file))) if added else ()
    fresh = (line for line in telling_lines("\n".join(added)) if without_layout(line) not in before)
    return any(map(texts.history.rarity, fresh))


def _fates_by(judged: Judged, key: Any) -> dict[Any, Counter[str]]:
    """A line that a person replaced needs that person's line in its place, or in the file where
    no commit shows the place.
    """
    persons: dict[tuple[str, str], set[int]] = defaultdict(set)
    for sha, verdict in judged.verdicts.items():
        for file, spans in verdict.files:
            seen = (
                span
                for span in spans
                if span.verdict.is_persons and span.verdict.evidence == Evidence.OBSERVED
            )
            lines = {line - 1 for span in seen for line in span.lines}
            if lines:
                persons[sha, file.change.path] |= lines
    paths = {path for _, path in persons}
    result: dict[Any, Counter[str]] = defaultdict(Counter)
    for fate in (fate for run in judged.replayed.runs for fate in run.fates):
        is_unseen = fate.fate == "human_overwritten" and not (
            fate.path in paths
            if fate.place is None
            else persons.get((fate.sha, fate.path), set()).intersection(fate.place)
        )
        result[key(fate)]["unexplained" if is_unseen else fate.fate] += 1
    return result


def totals(store: Store, repo_id: int, judged: Judged) -> None:
    """session_stats over all commits of each session."""
    runs = judged.replayed.runs
    sessions_read = set(judged.evidence.sessions.ids.values())
    fates = _fates_by(judged, lambda fate: fate.session_id)
    lost = ("human_deleted", "not_committed", "unexplained")
    uncommitted = Counter(
        f.session_id for run in runs for f in run.fates if not f.sha and f.fate in lost
    )
    rows = []
    for row in store.rows(_TOTALS, (repo_id,)):
        session = row["session_id"]
        agent = row.pop("agent_code")
        human = row.pop("human_code")
        if session not in sessions_read:
            continue
        share = 100.0 * agent / (agent + human) if agent + human else None
        lines = _fate_counts(fates[session])
        rows.append(
            row
            | lines
            | {
                "agent_percentage": share,
                "coding_mode": coding_mode(share),
                "uncommitted": uncommitted[session],
                "coding_efficiency": (
                    lines["survived"] / lines["produced"] if lines["produced"] else None
                ),
                "survival_to_commit": (
                    lines["survived"] / lines["final"] if lines["final"] else None
                ),
            }
        )
    store.insert_rows("session_stats", rows)


_CLASSES = (
    "agent_lines",
    "declared_lines",
    "human_lines",
    "likely_human_lines",
    "tool_lines",
    "unknown_lines",
)
_OUTCOMES = ("applied", "tool_error", "rejected", "outside_repo", "unmatched")
_IN_CODE = "f.kind IN ({})".format(", ".join(f"'{kind}'" for kind in sorted(HEADLINE)))
# Lines by class of the commits that a session is linked to, those of source and test files, and
# what became of its edits.
_TOTALS = f"""
WITH own AS (SELECT id FROM sessions WHERE repo_id = ? AND gone_since IS NULL),
linked AS (
  SELECT cs.session_id, COUNT(DISTINCT cs.commit_id) AS commits, {
    ", ".join(f"SUM(f.{name}) AS {name}" for name in _CLASSES)
},
    {
    ", ".join(
        f"SUM(CASE WHEN {_IN_CODE} THEN f.{who}_lines END) AS {who}_code"
        for who in ("agent", "human")
    )
}
  FROM commit_sessions cs LEFT JOIN commit_files f ON f.commit_id = cs.commit_id
  WHERE cs.session_id IN own GROUP BY cs.session_id),
edited AS (
  SELECT session_id, COUNT(*) AS edits_seen, {
    ", ".join(f"SUM(outcome = '{name}') AS edits_{name}" for name in _OUTCOMES)
}
  FROM edits WHERE session_id IN own AND by_shell = 0 GROUP BY session_id)
SELECT own.id AS session_id, {
    ", ".join(
        f"COALESCE({name}, 0) AS {name}"
        for name in (
            "commits",
            *_CLASSES,
            "agent_code",
            "human_code",
            "edits_seen",
            *(f"edits_{name}" for name in _OUTCOMES),
        )
    )
}
FROM own LEFT JOIN linked ON linked.session_id = own.id LEFT JOIN edited
  ON edited.session_id = own.id ORDER BY own.id"""


# --- the producer's numbers -----------------------------------------------------------------------


def vendor(store: Store, repo_id: int) -> None:
    """The producer's percentage beside ours where a checkpoint sits on exactly one commit."""
    records = store.rows(
        "SELECT cs.id AS record, l.commit_id, cs.vendor_percentage AS claim, cs.vendor_agent_lines"
        " AS claimed_agent, cs.vendor_total_committed AS claimed_total, c.lines_added AS added,"
        " (SELECT COUNT(*) FROM checkpoint_sessions o WHERE o.checkpoint_id = cs.checkpoint_id) AS"
        " sessions, cs.transcript AS transcript, SUM(f.agent_lines) AS agent, SUM(f.human_lines) AS"
        " human, SUM(f.unknown_lines) AS unknown FROM checkpoint_sessions cs JOIN checkpoints k ON"
        " k.id = cs.checkpoint_id JOIN commit_checkpoint_links l ON l.checkpoint = k.id JOIN"
        " commits c ON c.id = l.commit_id LEFT JOIN commit_files f ON f.commit_id = c.id WHERE"
        " k.repo_id = ? AND cs.vendor_percentage IS NOT NULL AND l.method = 'trailer' AND (SELECT"
        " COUNT(*) FROM commit_checkpoint_links m WHERE m.checkpoint = k.id) = 1 AND (SELECT"
        " COUNT(*) FROM commit_checkpoint_links m WHERE m.commit_id = c.id) = 1 GROUP BY cs.id",
        (repo_id,),
    )
    rows = []
    for r in records:
        existing = (r["agent"] or 0) + (r["human"] or 0)
        ours = 100.0 * (r["agent"] or 0) / existing if existing else None
        rows.append(
            {
                "checkpoint_session_id": r["record"],
                "commit_id": r["commit_id"],
                "vendor_percentage": r["claim"],
                "our_percentage": ours,
                "disagreement": None if ours is None else ours - r["claim"],
                "disagreement_reason": _reason(r, ours),
            }
        )
    store.insert_rows("vendor_checks", rows)


def _reason(row: Mapping[str, Any], ours: float | None) -> str:
    """Why the two percentages differ, in order of how certain the reason is."""
    if ours is None:
        return "transcript_missing" if row["unknown"] else "denominator"
    difference = abs(ours - row["claim"])
    tests = (
        ("none", difference == 0),
        ("rounding", difference < 1),
        ("transcript_missing", row["transcript"] != "present" or (row["unknown"] or 0) > 0),
        ("multi_session", row["sessions"] > 1),
        ("vendor_zero_but_lines_found", row["claim"] == 0),
        ("denominator", row["claimed_total"] is not None and row["claimed_total"] != row["added"]),
        ("window", row["claimed_agent"] is not None and row["claimed_agent"] != row["agent"]),
    )
    return next((name for name, holds in tests if holds), "unexplained")


# --- error rates ----------------------------------------------------------------------------------


def confidence(store: Store) -> None:
    """The error rates that this version ships, for every tier that a line of the database has."""
    store.connection.execute("DELETE FROM confidence")
    tiers = store.select(MeasuredTier, "SELECT DISTINCT author, how, evidence, reason FROM origins")
    columns = (
        "author",
        "how",
        "evidence",
        "reason",
        "class",
        "measured_on",
        "checked",
        "correct",
        "rate",
        "low",
        "high",
    )
    newest = ("newest_audit", "newest_checked", "newest_correct", "newest_rate")
    rows = (
        (
            *c.tier,
            c.tier.line_class,
            c.measured_on,
            *c.rate.data().values(),
            c.newest_audit or None,
            *[*c.newest.data().values()][:3],
        )
        for c in map(confidence_of, tiers)
    )
    store.insert("confidence", columns + newest, rows)


# --- problems -------------------------------------------------------------------------------------


def problems(judged: Judged) -> list[Problem]:
    """What could not be judged, for the `problems` table."""
    result = []
    for sha, diff in judged.evidence.history.diffs.items():
        if diff.files is None:
            result.append(
                Problem("commits", sha, "tree_missing", "shallow boundary or partial clone")
            )
        for content in ("missing", "too_large"):
            paths = [file.change.path for file in diff.files or () if file.content == content]
            if len(paths) > _LISTED:
                paths = [f"{paths[0]} and {count_of(len(paths) - 1, 'more file')}"]
            result += [Problem("commits", sha, f"file_{content}", path) for path in paths]
    keys = {number: key for key, number in judged.evidence.sessions.ids.items()}
    for edit_id, outcome in judged.replayed.outcomes().items():
        if not outcome.applied:
            fate = judged.replayed.edits[edit_id]
            subject = f"{keys.get(fate.raw.call.session_id, '')}/{fate.raw.call.call_id}"
            result.append(
                Problem("lines", subject, "edit_unmatched", f"{outcome.why}: {fate.path}")
            )
    return [*result, *_unlinked_sessions(judged)]


def _unlinked_sessions(judged: Judged) -> Iterator[Problem]:
    """Sessions that made commits which the clone has, and are linked to none."""
    links = judged.evidence.links
    numbers = judged.evidence.sessions.ids
    linked = {numbers[key] for link in links.values() for key in link.sessions if key in numbers}
    linked |= {session for verdict in judged.verdicts.values() for session in verdict.sessions}
    for session in judged.evidence.sessions.edits:
        named = (
            [short for made in session.commits for short in made.printed]
            if session.session_id not in linked
            else []
        )
        commits = [
            commit
            for short in dict.fromkeys(named)
            if (commit := judged.texts.repo.commit(short)) is not None
        ]
        if commits:
            why = _why_unlinked(commits[0], links.get(commits[0].sha), session)
            yield Problem(
                "lines",
                session.key,
                "session_unlinked",
                f"made {len(commits)}, first {commits[0].sha[:9]}: {why}",
            )


def _why_unlinked(commit: Commit, link: CommitLinks | None, session: SessionEdits) -> str:
    if link is None:
        return "not on the attributed branch"
    if link.is_resolved:
        return f"linked to {', '.join(link.sessions[:2])}"
    if commit.is_merge:
        return "a merge"
    return "nothing that it wrote is in it" if session.edits else "it edited no file"
