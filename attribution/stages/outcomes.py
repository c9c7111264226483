"""Regions, outcome and neighbours of sessions, once the commits are judged: their rows and the last
columns of their features.

Called within the transaction that replaces the repository's conclusions.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from attribution.authorship.case import AttributionWindow
from attribution.authorship.elsewhere import LandedElsewhere
from attribution.authorship.people import is_person
from attribution.authorship.replay import Change
from attribution.authorship.run_data import Replayed
from attribution.authorship.session_edits import SessionEdits
from attribution.authorship.timeline import Timeline
from attribution.authorship.worktrees import WorktreeRun
from attribution.features.nulls import REASONS, problem_rows
from attribution.outcomes.outcome import (
    Ending,
    Neighbours,
    UndoCommand,
    Undone,
    Visit,
    localized_correct_file,
    neighbours,
    reverter,
    session_outcome,
    undone,
)
from attribution.outcomes.regions import Region, Regions, regions_of
from attribution.stages import feature_rows
from collector.groups import group_pairs
from collector.json_values import Row, RowValues
from collector.model import Problem
from collector.storage.store import Store, iso
from collector.text import printable as shown
from collector.text import split_names
from collector.vocabulary.lines import Author

_MOST_TEXT = 20_000  # characters of a hunk that are kept


@dataclass(slots=True)
class _Session:
    """Everything gathered about a session over all its worktrees."""

    files: set[str] = field(default_factory=set)
    by_tool: bool = False
    # worktree and id of own lines that are there
    added: set[tuple[str, int]] = field(default_factory=set)
    # and of others' lines that it took away
    removed: set[tuple[str, int]] = field(default_factory=set)
    regions: list[Region] = field(default_factory=list)
    prior: set[int] = field(default_factory=set)
    undone: Undone = field(default_factory=Undone)


class AfterSessions(NamedTuple):
    """What commits tell beside the replay."""

    landed: Mapping[int, LandedElsewhere]  # by session
    reverted: Collection[str]  # commits that later ones say to revert


def fill_outcomes(
    store: Store,
    repo_id: int,
    sessions_edits: Sequence[SessionEdits],
    replayed: Replayed,
    after: AfterSessions | None = None,
) -> None:
    """Fills `regions`, `region_edits` and the columns of stage `repository` of
    `session_features`.
    """
    after = after or AfterSessions({}, ())
    for table in ("regions", "region_priors"):
        store.connection.execute(
            f"DELETE FROM {table} WHERE session_id IN (SELECT id FROM sessions WHERE repo_id = ?"
            " AND gone_since IS NULL)",
            (repo_id,),
        )
    stored = {row["id"]: row for row in store.rows(_STORED, (repo_id,))}
    ends = {edits.session_id: edits.ended for edits in sessions_edits}
    for session, row in stored.items():
        row["undos"] = json.loads(row["undos"] or "[]")
        row["ended"] = ends.get(session, 0.0)
    sessions: dict[int, _Session] = defaultdict(_Session)
    number = store.next_id("regions")
    for run in replayed.runs:
        regions = regions_of(run.changes)
        number = _write_regions(store, number, run, regions.regions)
        for change in run.changes:
            if change.call is not None:
                _count_net(sessions[change.call.session_id], run.root, change)
        _gather_regions(sessions, run, regions, replayed.timelines[run.root], stored)
    _gather_files(sessions, replayed)
    around = neighbours(
        Visit(t.session_id, t.started, t.ended, t.emails, frozenset(sessions[t.session_id].files))
        for t in sessions_edits
    )
    pairs = (
        (session, prior)
        for session, gathered in sorted(sessions.items())
        for prior in sorted(gathered.prior)
    )
    store.insert("region_priors", ("session_id", "prior_session_id"), pairs)
    for session, row in stored.items():
        row["elsewhere"] = after.landed.get(session, LandedElsewhere())
        row["reverted_later"] = sum(
            lines for sha, lines in json.loads(row["commits"]) if sha in after.reverted
        )
    feature_rows.update(
        store,
        (
            (id_, _values(sessions[id_], stored[id_], around.get(id_)))
            for id_ in (t.session_id for t in sessions_edits)
        ),
    )


def problems(store: Store, repo_id: int) -> list[Problem]:
    """A problem for each session and missing input, with the features that have no value without
    it.
    """
    return [
        Problem(
            "features",
            row["key"],
            "feature_null",
            f"{REASONS[row['reason']].text}: {row['features']}",
        )
        for row in store.rows(problem_rows(), (repo_id,))
    ]


def _gather_regions(
    sessions: dict[int, _Session],
    run: WorktreeRun,
    of_run: Regions,
    timeline: Timeline,
    stored: Mapping[int, Row],
) -> None:
    """Adds the regions of one worktree, and what was undone by the end of each session."""
    by_session = group_pairs((region.session_id, region) for region in of_run.regions)

    def cause(path: str, after: float, before: float) -> str:
        lost_to = timeline.windows.cause(AttributionWindow(path, after, before, gone=True))
        return (
            lost_to.author
            if lost_to.author != Author.HUMAN or is_person(lost_to)
            else Author.UNKNOWN
        )

    for session, regions in by_session.items():
        gathered = sessions[session]
        gathered.regions.extend(regions)
        gathered.prior |= of_run.prior.get(session, set())
        commands = [
            UndoCommand(undo["at"], undo["since"], frozenset(undo["paths"]), undo["by"])
            for undo in stored[session]["undos"]
        ]
        gathered.undone.add(
            undone(stored[session]["ended"], regions, run.changes, of_run.where, cause, commands)
        )


def _count_net(session: _Session, root: str, change: Change) -> None:
    for line in change.gone:
        is_own = (root, line) in session.added
        session.added.discard((root, line))
        if not is_own:
            session.removed.add((root, line))
    session.added.update((root, line) for line in change.fresh)


def _gather_files(sessions: dict[int, _Session], replayed: Replayed) -> None:
    outcomes = replayed.outcomes()
    for fate in replayed.edits:
        outcome = outcomes.get(fate.edit_id)
        if fate.outcome or outcome is None or not outcome.applied:
            continue
        gathered = sessions[fate.raw.call.session_id]
        gathered.files.add(fate.path)
        gathered.by_tool |= not fate.raw.edit.by_shell


# Values of sessions that are already in tables: fates, lines in commits, and the features of the
# transcript.
_STORED = """
SELECT s.id, t.produced, t.final, t.survived + t.reformatted AS survived,
  f.last_message_rejects AS rejects, f.last_message_accepts AS accepts,
  f.user_turn_count AS user_turns, f.ended_normally, f.agent_words, f.undo_commands AS undos,
  f.files_seen AS seen, s.started_at,
  COALESCE(SUM(s.parent_key IS NULL) OVER (ORDER BY s.started_at IS NULL, s.started_at, s.id
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS earlier,
  (SELECT SUM(cs.agent_lines) FROM commit_sessions cs WHERE cs.session_id = s.id) AS committed,
  (SELECT json_group_array(json_array(c.commit_sha, cs.agent_lines)) FROM commit_sessions cs
  JOIN commits c ON c.id = cs.commit_id
    WHERE cs.session_id = s.id) AS commits,
  EXISTS (SELECT 1 FROM origins o WHERE o.session_id = s.id AND o.author = 'agent'
    AND o.how = 'shell') AS shell,
  (SELECT json_group_array(DISTINCT c.path) FROM commit_sessions cs JOIN commit_files c
  ON c.commit_id = cs.commit_id
    WHERE cs.session_id = s.id) AS linked
FROM sessions s LEFT JOIN session_stats t ON t.session_id = s.id
LEFT JOIN session_features f ON f.session_id = s.id
WHERE s.repo_id = ?"""


def _values(session: _Session, stored: Row, around: Neighbours | None) -> Row:
    wrote = bool(stored["produced"] or stored["committed"])
    undos = stored["undos"]
    taken_back = session.undone.taken_back
    who = reverter(taken_back.by, undos) if taken_back.lines and wrote else None
    # Taking back one file of many refuses nothing: it must be half of the lines, or a command the
    # user typed.
    refused = who if session.undone.mostly or any(undo["by"] == who for undo in undos) else None
    elsewhere: LandedElsewhere = stored["elsewhere"]
    survived, committed, final = (stored[name] or 0 for name in ("survived", "committed", "final"))
    # Lines of commits that the replay does not follow to them, such as moved ones, count where it
    # follows none.
    landed = survived + elsewhere.lines or min(committed, stored["produced"] or 0)
    left = survived + elsewhere.left or min(committed, final)
    applied = landed + committed > 0 if wrote else None
    share = left / final if final else None
    answered = not wrote and stored["ended_normally"] == 1 and bool(stored["agent_words"])
    judged = stored["user_turns"] is not None and stored["user_turns"] > 0
    ending = Ending(
        share if share is not None else applied and 1.0,
        stored["reverted_later"] / committed if committed else 0.0,
        refused,
        stored["rejects"] == 1,
        stored["accepts"] == 1,
        around is not None and around.restarted,
        answered,
    )
    shaped = [r.convergence for r in session.regions if r.convergence]
    edited = bool(session.regions or session.files)
    return {
        "touched_files": sorted(map(shown, session.files)),
        "diff_lines": len(session.added) + len(session.removed) if session.files else None,
        "localized_correct_file": localized_correct_file(
            json.loads(stored["seen"] or "[]"), json.loads(stored["linked"]), session.files
        ),
        "bash_mediated_edits": int(not session.by_tool and bool(session.files or stored["shell"])),
        "output_applied": None if applied is None else int(applied),
        "output_applied_elsewhere": elsewhere.commit or None,
        "output_applied_fraction": share,
        "landed_lines": landed if wrote else None,
        "landed_share": landed / stored["produced"] if stored["produced"] else None,
        "changes_reverted": int(taken_back.lines > 0) if wrote else None,
        "reverted_lines": taken_back.lines if wrote else None,
        "reverted_by": who,
        "reverted_later_lines": stored["reverted_later"] if wrote else None,
        "session_outcome": session_outcome(ending) if judged else None,
        "session_reopened_within_s": around.reopened_within if around else None,
        "prior_sessions_same_repo": stored["earlier"] if stored["started_at"] else None,
        "region_count": len(session.regions) if edited else None,
        "region_re_edit_count": len(shaped) if edited else None,
        "region_edit_convergence": shaped if edited else None,
        "prior_sessions_same_region": len(session.prior) if edited else None,
    }


_REGION = (
    "id, session_id, path, root, start_line, end_line, hunks, rounds, convergence, returned_to, "
    "sizes, first_at, last_at"
)
_EDIT = (
    "region_id, session_id, round, call_id, turn_index, at, tool, start_line, end_line, "
    "lines_added, lines_removed, removed, added"
)


def _write_regions(store: Store, first: int, run: WorktreeRun, regions: Sequence[Region]) -> int:
    """Rows of the regions of one worktree; returns the next free number."""
    region_rows = []
    edits: list[tuple[RowValues, Change]] = []
    for number, region in enumerate(regions, first):
        start = run.changes[region.hunks[0]]
        last = run.changes[region.hunks[-1]]
        region_rows.append(
            (
                number,
                region.session_id,
                shown(region.path),
                shown(run.root),
                last.start,
                last.start + len(last.fresh) - 1,
                len(region.hunks),
                len(region.rounds),
                region.convergence or None,
                None if region.returned_to < 0 else region.returned_to,
                json.dumps(region.sizes),
                iso(start.at),
                iso(last.at),
            )
        )
        for round_, hunks in enumerate(region.rounds, 1):
            edits.extend(
                (_edit_row(number, round_, run.changes[n], len(region.rounds) > 1), run.changes[n])
                for n in hunks
            )
    store.insert("regions", _REGION, region_rows)
    symbols = {
        (row[0], row[3], row[7]): shown(change.symbol) for row, change in edits if change.symbol
    }
    tables = {
        "region_edits": (split_names(_EDIT), [row for row, _ in edits]),
        "region_symbols": (
            ("region_id", "call_id", "start_line", "symbol"),
            [(*key, name) for key, name in symbols.items()],
        ),
    }
    # a line of a key that was written whole, and is edited alone, does not look like one
    written = ("\n".join(change.new) for change in run.changes if _holds_key(change.new))
    for table, rows in store.policy.session_rows(tables, written).items():
        store.insert_kept(table, tables[table][0], rows)
    return first + len(regions)


def _holds_key(lines: Sequence[str]) -> bool:
    return any("PRIVATE KEY" in line or "Private-Lines" in line for line in lines)


def _edit_row(region: int, round_: int, change: Change, texts: bool) -> RowValues:
    call = change.call
    assert call is not None
    return (
        region,
        call.session_id,
        round_,
        shown(call.call_id),
        call.turn,
        iso(change.at),
        change.op,
        change.start,
        change.start + len(change.fresh) - 1,
        len(change.fresh),
        len(change.gone),
        shown("\n".join(change.old))[:_MOST_TEXT] if texts else None,
        shown("\n".join(change.new))[:_MOST_TEXT] if texts else None,
    )
