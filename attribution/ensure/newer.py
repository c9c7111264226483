"""Lines of commits that are newer than what was attributed, worked out for one file at once.

The same functions decide as in a run, on the commits and sessions that concern the file. Nothing is
stored; a run settles it. What only a run can tell, which reads everything, stays without an answer.
"""

import json
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import replace
from typing import Any

from attribution.authorship.printed_diffs import FilesRead
from attribution.authorship.session_edits import SessionEdits
from attribution.authorship.verdicts import Span, Verdict
from attribution.queries.open_repo import OpenRepo
from attribution.queries.recorded_sessions import stored_now
from attribution.queries.verdicts import AskedNow, AttributedLines, LineAttribution, NewerLines
from attribution.stages.judging import VERSION, judge, read_inputs, replay
from attribution.stages.line_rows import ORIGIN, origin_values
from attribution.stages.sessions import peek_sessions
from collector.checkpoints.statements import checkpoint_ids, declared_agent
from collector.labels import as_typed
from collector.load import SessionFiles, session_files, session_run
from collector.model import Commit
from collector.runtime.progress import no_progress
from collector.runtime.stages import RunContext
from collector.storage.retention import FULL
from collector.storage.store import iso
from collector.text import printable
from collector.vocabulary.agents import slug_of
from collector.vocabulary.lines import Author, Evidence, Reason

# seconds before the first of the commits from which on everything that agents did is read
_RECENT = 3 * 86_400.0
# More than this takes as long as a run.
_LABEL = 80  # characters
_MOST_COMMITS, _MOST_FILES, _MOST_CHANGES = 100, 30, 300

_CHANGES = """
SELECT DISTINCT c.commit_sha, COALESCE(f.old_path, '') AS old_path FROM commits c
  JOIN commit_files f ON f.commit_id = c.id
WHERE c.repo_id = ? AND f.path IN (SELECT value FROM json_each(?))
"""
# `concerned`: 1 for a session that edited one of the files, did something lately, or named one and
# is linked to a commit of them or went on after the last.
_SESSIONS = """
WITH paths AS (SELECT value AS path FROM json_each(?3)), names AS (SELECT value AS word
  FROM json_each(?4)),
  changes AS (SELECT id, author_at FROM commits WHERE repo_id = ?1 AND commit_sha IN (SELECT value
  FROM json_each(?5)))
SELECT s.key, s.id, s.label, COALESCE(s.agent, '') AS agent, COALESCE(s.model, '') AS model,
  s.ended_at >= ?2
  OR EXISTS (SELECT 1 FROM edits e WHERE e.session_id = s.id AND e.path IN (SELECT path FROM paths))
  OR (s.ended_at >= (SELECT COALESCE(MAX(author_at), '') FROM changes WHERE author_at < ?2)
      OR EXISTS (SELECT 1 FROM commit_sessions x WHERE x.session_id = s.id
        AND x.commit_id IN (SELECT id FROM changes)))
    AND EXISTS (SELECT 1 FROM tool_calls t, names WHERE t.session_id = s.id
      AND instr(COALESCE(t.command, t.input), word))
  AS concerned
FROM sessions s WHERE s.repo_id = ?1
"""


def answer_newer(opened: OpenRepo, path: str, asked: Collection[str]) -> NewerLines:
    """The verdicts on lines that some of the newer commits added to a file, as far as they can
    be told without a run.
    """
    store, repo = opened.store, opened.repo
    head = opened.pending or opened.tip
    waiting = [sha for sha in (*opened.newer, opened.pending) if sha]
    newer = [commit for sha in waiting if (commit := repo.commit(sha)) is not None]
    paths, earlier = (
        _files_and_commits(opened, path, newer, asked)
        if len(newer) <= _MOST_COMMITS
        else (set(), set())
    )
    if (
        not 0 < len(paths) <= _MOST_FILES
        or len(earlier) > _MOST_CHANGES
        or not store.policy.keeps(FULL)
    ):
        return {}
    since = min(commit.author_time for commit in newer) - _RECENT
    words = {name.rpartition("/")[2] for name in paths}
    values = (
        opened.repo_id,
        iso(since),
        *(json.dumps(sorted(several)) for several in (paths, words, earlier)),
    )
    sessions = {row["key"]: row for row in store.rows(_SESSIONS, values)}
    context = RunContext(store, repo, opened.repo_id, no_progress)
    checkpoints, local = stored_now(store, repo, opened.repo_id)
    named = {name for commit in newer for name in checkpoint_ids(commit.message)}
    due = {
        record.session_id
        for checkpoint in checkpoints
        if checkpoint.id in named
        for record in checkpoint.sessions
    }
    files = [
        item
        for item in session_files(checkpoints, local)
        if _is_due(context, item, sessions) or item.key in due
    ]
    ids = {key: row["id"] for key, row in sessions.items()}
    read = peek_sessions(context, files, ids, VERSION)
    if read is None:
        return {}
    only = FilesRead({*earlier, *waiting}, paths, since, asked, read.shared)
    evidence = read_inputs(context, head, read, checkpoints, only)
    judged = judge(repo, evidence, replay(context, evidence, local, only), only)
    return {
        (sha, printable(file.change.path)): _answers(
            spans if sha != opened.pending else _agents(spans),
            evidence.links[sha].commit,
            sessions,
            {session.session_id: session for session in read.edits},
        )
        for sha in asked
        for file, spans in judged.verdicts[sha].files
    }


def _files_and_commits(
    opened: OpenRepo, path: str, newer: Sequence[Commit], asked: Container[str]
) -> tuple[set[str], set[str]]:
    """The file and the others of its newer commits, between which lines may have moved, under all
    their names.

    And the attributed commits that changed them.
    """
    changes = {commit.sha: opened.repo.changes(commit) or () for commit in newer}
    paths, waiting = (
        set[str](),
        {path}.union(*({c.path for c in files} for sha, files in changes.items() if sha in asked)),
    )
    commits = set[str]()
    while waiting and len(paths) <= _MOST_FILES:
        rows = opened.store.rows(_CHANGES, (opened.repo_id, json.dumps(sorted(waiting))))
        commits.update(row["commit_sha"] for row in rows)
        names = {
            change.old_path
            for files in changes.values()
            for change in files
            if change.path in waiting
        }
        paths |= waiting
        waiting = names.union(row["old_path"] for row in rows) - paths - {""}
    return paths, commits


def _is_due(context: RunContext, files: SessionFiles, sessions: dict[str, dict[str, Any]]) -> bool:
    """Whether a session has to be read: it concerns the question, or the database does not know
    it as it is now.
    """
    record, row = files.records[-1], sessions.get(files.key)
    if row is None:  # a number that no session of the database has
        new = {
            "key": files.key,
            "id": -len(sessions) - 1,
            "label": "",
            "agent": slug_of(record.agent_label),
            "model": record.model,
        }
        sessions[files.key] = new
    return row is None or bool(row["concerned"]) or not session_run(context, files).is_current


def _agents(spans: Sequence[Span]) -> list[Span]:
    """Of lines that are not committed: those that an agent or a tool is known to have written. No
    commit says anything of the others.
    """
    return [span for span in spans if span.verdict.author in (Author.AGENT, Author.TOOL)]


def _answers(
    spans: Sequence[Span],
    commit: Commit,
    sessions: Mapping[str, dict[str, Any]],
    edits: Mapping[int, SessionEdits],
) -> list[AttributedLines]:
    """What a run says as well.

    Before it names a person it asks all commits of the day, and all that agents ever wrote.
    """
    numbered = {row["id"]: row for row in sessions.values()}
    sure = [
        s
        for s in spans
        if not s.verdict.is_persons and s.verdict.reason is not Reason.TRANSCRIPT_NOT_STORED
    ]
    return [
        AttributedLines(
            span.start,
            span.end,
            replace(
                _attribution(span.verdict, commit, numbered),
                **_read_now(span.verdict, edits),
            ),
        )
        for span in sure
    ]


def _read_now(verdict: Verdict, sessions: Mapping[int, SessionEdits]) -> dict[str, Any]:
    """What the database does not have of a session that no run has read: prompt and edit."""
    call = verdict.call
    session = sessions.get(call.session_id) if call is not None else None
    if call is None or session is None:
        return {}
    said = dict(session.said)
    text = said.get(call.turn, "")
    at = next((prompt.at for prompt in session.prompts if prompt.text == text), None)
    edit = next((raw.edit for raw in session.edits if raw.call.call_id == call.call_id), None)
    asked = AskedNow(as_typed(text), iso(at) or "", edit, iso(call.at) or "")
    first = printable(as_typed(next(iter(said.values()), ""))).split("\n")[0]
    return {"asked": asked, "label": first[:_LABEL]} if call.session_id < 0 else {"asked": asked}


def _attribution(
    verdict: Verdict, commit: Commit, sessions: Mapping[int | None, dict[str, Any]]
) -> LineAttribution:
    """As the database would give it."""
    values = {
        name: value
        for name, value in zip(ORIGIN, origin_values(verdict), strict=True)
        if value is not None
    }
    turn, row = values.pop("turn_index", None), sessions.get(values.pop("session_id", None))
    declared = declared_agent(commit) if verdict.evidence is Evidence.DECLARED else None
    if row is not None:
        stored = row["id"] if row["id"] > 0 else None
        values = {
            **{name: row[name] for name in ("model", "label", "agent")},
            "session": row["key"],
            "session_id": stored,
            **values,
        }
    elif declared is not None:
        values["agent"] = declared.agent
    return LineAttribution(**values, turn=turn, provisional=True)
