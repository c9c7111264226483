"""What an earlier run concluded from records that are gone since: it stays.

Each function is called within the transaction that replaces the conclusions of a repository.
"""

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from attribution.authorship.run_data import Judged
from attribution.authorship.span_lines import spans_of, verdicts_by_line
from attribution.authorship.verdicts import CallRef, SightingPair, Verdict
from attribution.stages.line_rows import ORIGIN
from collector.json_values import Numbers, Row
from collector.local.model import LocalSessions
from collector.model import Commit
from collector.runtime.stages import RunContext
from collector.storage.store import Store, iso, utc_now
from collector.text import timestamp
from collector.vocabulary.lines import Author, Evidence, Reason

_GONE = "SELECT id FROM sessions WHERE repo_id = ?1 AND gone_since IS NOT NULL"
_LINKS = (
    "SELECT c.commit_sha, x.* FROM commit_sessions x JOIN commits c ON c.id = x.commit_id WHERE"
    f" c.repo_id = ?1 AND x.session_id IN ({_GONE})"
)
# numbers of sessions change when databases are merged
_VALUES = ", ".join(f"o.{name}" for name in ORIGIN).replace("o.session_id", "x.key")
# the commits that are not among those of ?2, and where sessions are gone all of them
_PUT_ASIDE = f"""
INSERT INTO gone_commits
SELECT c.repo_id, c.commit_sha, c.label, c.author_at, ?3, json_group_object(f.path, json(f.lines))
FROM commits c JOIN (SELECT f.commit_id, f.path, json_group_array(json_array(
    s.start_line, s.end_line, {_VALUES})) AS lines
  FROM commit_files f JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id
    LEFT JOIN sessions x ON x.id = o.session_id
  WHERE o.repo_id = ?1 GROUP BY f.id) f ON f.commit_id = c.id
WHERE c.repo_id = ?1
  AND (EXISTS ({_GONE}) OR c.commit_sha NOT IN (SELECT value FROM json_each(?2))) GROUP BY c.id
"""
_ANY = (
    f"SELECT EXISTS ({_GONE}) OR EXISTS (SELECT 1 FROM commits WHERE repo_id = ?1 AND commit_sha"
    " NOT IN (SELECT value FROM json_each(?2)))"
)
_SESSION = ORIGIN.index("session_id")
_STILL = "repo_id = ?1 AND commit_sha IN (SELECT value FROM json_each(?2))"


class Earlier(NamedTuple):
    """What the database has from earlier runs."""

    gone: Collection[int]  # numbers of the sessions of which no record is left
    # commit of this run -> path -> first line, last line, values of `ORIGIN`
    files: Mapping[str, Mapping[str, Sequence[Sequence[Any]]]]
    links: Sequence[Row]  # of `commit_sessions`, to the sessions that are gone, by `commit_sha`


def put_aside(store: Store, repo_id: int, commits: Sequence[Commit]) -> Earlier:
    """Keeps what was known of commits that the history has no more, and returns what was known of
    others where this run may know less: sessions are gone, or the commit was made again.
    """
    shas = {commit.sha: iso(commit.author_time) for commit in commits}
    still = repo_id, json.dumps([*shas])
    if store.value(_ANY, still):
        store.connection.execute(_PUT_ASIDE, (*still, utc_now()))
    rows = store.rows("SELECT * FROM gone_commits WHERE repo_id = ?", (repo_id,))
    store.connection.execute(f"DELETE FROM gone_commits WHERE {_STILL}", still)
    times = Counter(shas.values()) + Counter(
        row["author_at"] for row in rows if row["commit_sha"] not in shas
    )
    # made again: of one author time there is one commit that is gone and one that is there
    again = {at: sha for sha, at in shas.items() if times[at] == 2}
    now = {
        sha: sha if sha in shas else again[row["author_at"]]
        for row in rows
        if (sha := row["commit_sha"]) in shas or row["author_at"] in again
    }
    links = store.rows(_LINKS, (repo_id,))
    return Earlier(
        store.column(_GONE, (repo_id,)),
        {now[sha]: json.loads(r["files"]) for r in rows if (sha := r["commit_sha"]) in now},
        [row | {"commit_sha": now.get(row["commit_sha"], "")} for row in links],
    )


def keep(judged: Judged, earlier: Earlier) -> None:
    """Puts back what was known of lines where this run would know less, or a person where it did
    not.
    """
    ids = judged.evidence.sessions.ids
    for sha in earlier.files.keys() & judged.verdicts.keys():
        for file, spans in judged.verdicts[sha].files:
            known = earlier.files[sha].get(file.change.path, ())
            # most files have no line that anything was known of
            is_named = any(author != Author.UNKNOWN for _, _, author, *_ in known)
            if not (is_named or any(span.verdict.is_persons for span in spans)):
                continue
            before = [
                verdict
                for first, last, *values in sorted(known, key=_first_line)
                if values[_SESSION] is None or values[_SESSION] in ids
                for verdict in [_verdict(values, ids)] * (last - first + 1)
            ]
            now = dict(sorted(verdicts_by_line(spans).items(), key=_first_line))
            pairs = zip(now, before, strict=False) if len(now) == len(before) else ()
            kept = {line: old for line, old in pairs if _is_better(old, now[line], earlier.gone)}
            if kept:
                spans[:] = spans_of(now | kept, judged.texts.lines(file))


def _first_line(item: Sequence[Any]) -> int:
    return int(item[0])


def _is_better(old: Verdict, new: Verdict, gone: Collection[int]) -> bool:
    """Whether the earlier verdict is to stand."""
    if new.author == Author.AGENT and new.evidence != Evidence.DECLARED:
        return False
    if old.author == Author.AGENT and old.call is not None and old.call.session_id in gone:
        return True
    if new.is_persons:  # whoever is gone may have written it
        return not old.is_persons and bool(gone)
    is_decided = old.author != Author.UNKNOWN and old.evidence != Evidence.DECLARED
    return is_decided and new.reason == Reason.NO_SESSION


def _verdict(values: Sequence[Any], ids: Mapping[str, int]) -> Verdict:
    """What `origin_values` made these of; words as the database has them."""
    row = dict(zip(ORIGIN, values, strict=True))
    call = None
    witness = None
    if row["session_id"] is not None:
        number = ids[row["session_id"]]
        call = CallRef(number, row["call_id"] or "", row["turn_index"], 0.0)
    if row["witness"]:
        seen = [timestamp(row[name]) for name in ("seen_without_at", "seen_with_at")]
        witness = SightingPair(row["witness"], *seen)
    return Verdict(
        row["author"],
        row["how"],
        row["evidence"],
        row["reason"],
        call,
        row["edited_by"],
        row["similarity"],
        row["model"] or "",
        row["tool"] or "",
        row["run_by"],
        witness,
    )


def link_again(store: Store, numbers: Numbers, earlier: Earlier) -> None:
    """The links of commits to sessions that are gone, with what became of their lines."""
    for link in earlier.links:
        commit = numbers.get(link.pop("commit_sha"))
        if commit is not None:
            store.connection.execute(
                "DELETE FROM commit_sessions WHERE commit_id = ? AND session_id = ?",
                (commit, link["session_id"]),
            )
            store.insert_rows("commit_sessions", [link | {"commit_id": commit}])


_GONE_SESSIONS = (
    "SELECT started_at, ended_at FROM sessions WHERE repo_id = ? AND gone_since IS NOT NULL AND"
    " started_at IS NOT NULL AND ended_at IS NOT NULL"
)


def sessions_unread(context: RunContext, local: LocalSessions) -> list[tuple[float, float]]:
    """When sessions worked of which no record is left."""
    gone = context.store.rows(_GONE_SESSIONS, (context.repo_id,))
    unread = [
        (timestamp(row["started_at"]) or 0.0, timestamp(row["ended_at"]) or 0.0) for row in gone
    ]
    return unread + [(trace.begin, trace.end) for trace in local.traces]
