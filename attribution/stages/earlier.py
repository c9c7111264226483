"""What an earlier run concluded from records that are gone since: it stays.

Each function is called within the transaction that replaces the conclusions of a repository.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from attribution.authorship.run_data import Judged
from attribution.authorship.verdicts import (
    CallRef,
    SightingPair,
    Verdict,
    spans_of,
    verdicts_by_line,
)
from attribution.queries.survival import seconds
from attribution.stages.line_rows import ORIGIN
from collector.json_values import Numbers, Row
from collector.model import Commit
from collector.storage.store import Store, iso, utc_now
from collector.vocabulary.lines import Author, Evidence, How, Reason, RunBy, Witness

_Files = dict[str, list[Sequence[Any]]]
"""Path -> for consecutive added lines with the same verdict their number and the values of
`ORIGIN`.
"""


class Earlier(NamedTuple):
    """What the database has from earlier runs."""

    gone: Collection[int]  # numbers of the sessions of which no record is left
    files: Mapping[str, _Files]  # what was said of commits of this run
    links: Sequence[Row]  # of `commit_sessions`, to the sessions that are gone, by `commit_sha`


_GONE_SESSIONS = "SELECT id FROM sessions WHERE repo_id = ? AND gone_since IS NOT NULL"
_GONE_COMMITS = "SELECT commit_sha, label, author_at, files FROM gone_commits WHERE repo_id = ?"
_COMMITS = "SELECT commit_sha, label, author_at FROM commits WHERE repo_id = ?"
_LINKS = (
    "SELECT c.commit_sha, x.* FROM commit_sessions x JOIN commits c ON c.id = x.commit_id WHERE"
    f" c.repo_id = ?1 AND x.session_id IN ({_GONE_SESSIONS.replace('?', '?1')})"
)
_LINES = (
    f"SELECT c.commit_sha, f.path, s.end_line - s.start_line + 1, o.{', o.'.join(ORIGIN)} FROM"
    " commits c JOIN commit_files f ON f.commit_id = c.id JOIN spans s ON s.file_id = f.id JOIN"
    " origins o ON o.id = s.origin_id WHERE c.repo_id = ? AND c.commit_sha IN (SELECT value FROM"
    " json_each(?)) ORDER BY f.id, s.start_line"
)
_SESSION = ORIGIN.index("session_id")


def put_aside(store: Store, repo_id: int, commits: Sequence[Commit]) -> Earlier:
    """Keeps what was said of commits that the history has no more, and returns what was said of
    others where this run may know less: sessions are gone, or the commit was made anew.
    """
    gone = [row["id"] for row in store.rows(_GONE_SESSIONS, (repo_id,))]
    stored = {row["commit_sha"]: row for row in store.rows(_COMMITS, (repo_id,))}
    still = {commit.sha for commit in commits}
    left = stored.keys() - still
    said = _said(store, repo_id, stored if gone else left)
    rows = [
        (repo_id, sha, stored[sha]["label"], stored[sha]["author_at"], utc_now(), said[sha])
        for sha in left
    ]
    before = store.rows(_GONE_COMMITS, (repo_id,))
    stored |= {row["commit_sha"]: row for row in before}
    said |= {row["commit_sha"]: json.loads(row["files"]) for row in before}
    run = store.connection
    run.executemany(
        "INSERT INTO gone_commits VALUES (?, ?, ?, ?, ?, ?)",
        [(*row, json.dumps(files)) for *row, files in rows],
    )
    run.executemany(
        "DELETE FROM gone_commits WHERE repo_id = ? AND commit_sha = ?",
        [(repo_id, sha) for sha in still & said.keys()],
    )
    now = _made_anew([stored[sha] for sha in said.keys() - still], commits)
    now |= {sha: sha for sha in said.keys() & still}
    links = [
        row | {"commit_sha": now[row["commit_sha"]]}
        for row in store.rows(_LINKS, (repo_id,))
        if row["commit_sha"] in now
    ]
    return Earlier(gone, {now[sha]: said[sha] for sha in now}, links)


def _said(store: Store, repo_id: int, shas: Iterable[str]) -> dict[str, _Files]:
    said: dict[str, _Files] = {sha: {} for sha in shas}
    if said:
        for sha, path, *values in store.connection.execute(_LINES, (repo_id, json.dumps([*said]))):
            said[sha].setdefault(path, []).append(values)
    return said


def _made_anew(gone: Sequence[Row], commits: Sequence[Commit]) -> dict[str, str]:
    """Commit that is gone -> the one with its author time, where there is one of each."""
    old, new = [row["author_at"] for row in gone], [iso(c.author_time) for c in commits]
    shas = {at: commit.sha for at, commit in zip(new, commits, strict=True)}
    only = {at for at, count in Counter([*old, *new]).items() if count == 2}
    return {
        row["commit_sha"]: shas[at]
        for row, at in zip(gone, old, strict=True)
        if at in only and at in shas
    }


def keep(judged: Judged, earlier: Earlier) -> None:
    """Puts back what was said of lines where this run would know less, or a person where it did
    not.
    """
    known = frozenset(judged.evidence.sessions.ids.values())
    for sha in earlier.files.keys() & judged.verdicts.keys():
        for file, spans in judged.verdicts[sha].files:
            before = [
                _verdict(values)
                for count, *values in earlier.files[sha].get(file.change.path, ())
                for _ in range(count)
                if values[_SESSION] is None or values[_SESSION] in known
            ]
            now = verdicts_by_line(spans)
            if len(before) != len(now):
                continue
            kept = {
                line: old
                for (line, new), old in zip(sorted(now.items(), key=_line), before, strict=True)
                if _is_better(old, new, earlier.gone)
            }
            if kept:
                spans[:] = spans_of(now | kept, judged.texts.lines(file))


def _line(item: tuple[int, Verdict]) -> int:
    return item[0]


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


def _verdict(values: Sequence[Any]) -> Verdict:
    """What `origin_values` made these of."""
    row = dict(zip(ORIGIN, values, strict=True))
    call, witness = None, None
    if row["session_id"] is not None:
        call = CallRef(row["session_id"], row["call_id"] or "", row["turn_index"], 0.0)
    if row["witness"]:
        seen = [seconds(row[name] or "") or None for name in ("seen_without_at", "seen_with_at")]
        witness = SightingPair(Witness(row["witness"]), *seen)
    return Verdict(
        Author(row["author"]),
        How(row["how"]),
        Evidence(row["evidence"]),
        Reason(row["reason"]),
        call,
        RunBy(row["edited_by"]) if row["edited_by"] else None,
        row["similarity"],
        row["model"] or "",
        row["tool"] or "",
        RunBy(row["run_by"]) if row["run_by"] else None,
        witness,
    )


def link_again(store: Store, numbers: Numbers, earlier: Earlier) -> None:
    """The links of commits to sessions that are gone, with what became of their lines."""
    for link in earlier.links:
        row = {name: value for name, value in link.items() if name != "commit_sha"}
        row["commit_id"] = numbers.get(link["commit_sha"])
        if row["commit_id"] is not None:
            store.connection.execute(
                f"INSERT OR REPLACE INTO commit_sessions ({', '.join(row)}) VALUES"
                f" ({', '.join('?' * len(row))})",
                (*row.values(),),
            )
