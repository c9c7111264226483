"""Single findings: lists, one in its context, samples for review, and what people say of them."""

import itertools
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from attribution.queries.repositories import clone_at
from attribution.queries.sessions import prompt_of
from attribution.weaknesses.words import (
    Confidence,
    FindingStatus,
    ReviewVerdict,
    severity_named,
    severity_word,
)
from collector.errors import WhoWroteError
from collector.git.repository import GitRepo
from collector.json_values import Row, Texts
from collector.storage.store import Store, utc_now
from collector.storage.views import Table, read_view
from collector.text import command_line, decode, printable, split_lines

HEADLINE = (Confidence.HIGH, Confidence.MEDIUM)
_WORST_FIRST = (
    "repo_id, alive_at_head DESC, CASE severity WHEN 'ERROR' THEN 0 WHEN 'WARNING' THEN 1 ELSE 2"
    " END, CASE confidence WHEN 'HIGH' THEN 0 WHEN 'MEDIUM' THEN 1 ELSE 2 END, id"
)
_AROUND = 6  # lines before and after a finding
_SHORTEST = 4  # characters of the beginning of a fingerprint that name a finding


@dataclass(frozen=True, slots=True)
class FindingFilter:
    """Which findings. None or empty: all."""

    cwe: str | None = None  # with or without CWE-
    author: str | None = None  # class
    alive: bool = False
    confidence: tuple[str, ...] = ()
    # name of COLUMNS -> value; without a status: introduced
    only: Texts = field(default_factory=dict)
    # a revision of the clone: only findings of commits that it does not have
    since: str | None = None


COLUMNS = {
    "agent": "agent",
    "model": "model",
    "place": "place",
    "rule": "rule_id",
    "severity": "severity",
    "status": "status",
}
"""What findings can be chosen by: as users call it -> column of `finding_list`. The status `all`
stands for every one.
"""


def not_scanned(store: Store) -> WhoWroteError:
    return WhoWroteError(
        f"nothing in {store.path} has been scanned yet",
        "Scan with: " + command_line("whowrote", "findings", "scan", "PATH", "--db", store.path),
    )


def findings(store: Store, repo: int | None, wanted: FindingFilter) -> Table:
    """Findings by repository, the worst first.

    Raises WhoWroteError when nothing was scanned, or `since` is unknown.
    """
    if not store.value("SELECT COUNT(*) FROM rule_sets"):
        raise not_scanned(store)
    chosen = {"status": str(FindingStatus.INTRODUCED), **wanted.only}
    chosen |= (
        {"severity": severity_named(chosen["severity"]) or chosen["severity"]}
        if "severity" in chosen
        else {}
    )
    only = {
        "repo_id": repo,
        "class": wanted.author or None,
        **{COLUMNS[name]: value for name, value in chosen.items() if value != "all"},
        "cwe": f"CWE-{wanted.cwe.upper().removeprefix('CWE-')}" if wanted.cwe else None,
        "confidence": wanted.confidence or None,
        "alive_at_head": 1 if wanted.alive else None,
    }
    table = read_view(store, "finding_list", only, _WORST_FIRST)
    for row in table.rows:
        row["severity"] = severity_word(row["severity"])
    if wanted.since:
        new = {
            number: _commits_since(store, number, wanted.since)
            for number in {row["repo_id"] for row in table.rows}
        }
        table.rows = [row for row in table.rows if row["commit_sha"] in new[row["repo_id"]]]
    return table


def introduced_findings(store: Store) -> list[Table]:
    """All that commits introduced."""
    return [findings(store, None, FindingFilter())]


def _commits_since(store: Store, repo_id: int, revision: str) -> set[str]:
    """Commits of the attributed branch that a revision does not have.

    Raises WhoWroteError without the clone or the revision.
    """
    (row,) = store.rows("SELECT path, head_sha FROM repos WHERE id = ?", (repo_id,))
    repo = clone_at(row["path"])
    if repo is None:
        raise WhoWroteError(
            f"the clone at {row['path']} is gone",
            "Attribute it where it is now: whowrote repo PATH",
        )
    return {
        commit.sha for commit in repo.history_of([row["head_sha"]], [repo.resolve(revision).sha])
    }


def sample(rows: Iterable[Row], count: int) -> list[Row]:
    """`count` findings, chosen in turn from each stratum (repository, tier, class of the
    author), within it from each rule.
    """
    shuffled = list(rows)
    random.Random(1).shuffle(shuffled)
    varied = _sort_by_turn(shuffled, lambda row: (*_stratum(row), row["rule_id"]))
    return _sort_by_turn(varied, _stratum)[:count]


def _stratum(row: Row) -> tuple[str, ...]:
    return row["repo"], str(row["tier"] or row["confidence"]), row["class"]


def _sort_by_turn(rows: Iterable[Row], key: Callable[[Row], tuple[str, ...]]) -> list[Row]:
    """The first row of each key, then the second of each, and so on."""
    turns: defaultdict[tuple[str, ...], Iterator[int]] = defaultdict(itertools.count)
    return sorted(rows, key=lambda row: next(turns[key(row)]))


def context(store: Store, finding: Row) -> Row:
    """A finding with the lines around it, the number of the first, the prompt behind it and its
    reviews.
    """
    (lines,) = code_of([finding])
    first = max(1, finding["start_line"] - _AROUND)
    prompt = prompt_of(store, finding["session_id"], finding["turn_index"])
    return finding | {
        "lines": lines,
        "first_line": first,
        "prompt": prompt,
        "reviews": reviews_of(store, finding["fingerprint"]),
    }


def code_of(rows: Sequence[Row], around: int = _AROUND) -> list[list[str]]:
    """The lines of each finding and some around it, in the commit that introduced it; none where
    the clone is gone.
    """
    clones = {path: clone_at(path) for path in {row["clone"] for row in rows}}
    return [_lines_around(clones[row["clone"]], row, around) for row in rows]


def _lines_around(repo: GitRepo | None, row: Row, around: int) -> list[str]:
    oid = repo.file_at(row["commit_sha"], row["path"]) if repo is not None else None
    texts = split_lines((repo.blob(oid) if repo is not None and oid else b"") or b"")
    return [
        decode(text)
        for text in texts[max(0, row["start_line"] - 1 - around) : row["end_line"] + around]
    ]


def reviews_of(store: Store, fingerprint: str) -> list[Row]:
    """What reviewers say of a finding: reviewer, verdict, note, reviewed_at."""
    sql = (
        "SELECT reviewer, verdict, note, reviewed_at FROM finding_reviews WHERE fingerprint = ?"
        " ORDER BY reviewed_at, reviewer"
    )
    return store.rows(sql, (fingerprint,))


def is_refuted(finding: Row) -> bool:
    """Whether every reviewer of a finding calls it false; not when nobody read it."""
    return set((finding["verdicts"] or "").split()) == {ReviewVerdict.FALSE}


def finding_of(store: Store, fingerprint: str) -> Row:
    """The finding of this number, the `id` of CSV and JSON, or whose fingerprint begins so, four
    characters at least. Raises WhoWroteError when none does, or several do.
    """
    rows = findings(store, None, FindingFilter(only={"status": "all"})).rows
    fits = [
        row
        for row in rows
        if str(row["id"]) == fingerprint
        or (len(fingerprint) >= _SHORTEST and row["fingerprint"].startswith(fingerprint))
    ]
    if len(fits) != 1:
        many = f"{len(fits):,} findings have" if fits else "no finding has"
        raise WhoWroteError(
            f"{many} the id {fingerprint}, or a fingerprint that starts with it",
            "List them with: " + command_line("whowrote", "findings", "--db", store.path),
        )
    return fits[0]


def scanned_rule_sets(store: Store, repo: int | None = None) -> list[Row]:
    """The rules and the scanners that files of one repository, or of any, were scanned with."""
    return store.rows(
        "SELECT DISTINCT s.id, s.name, s.hash, s.engine, s.rules FROM rule_sets s JOIN scan_files n"
        " ON n.rule_set_id = s.id JOIN commit_files f ON f.id = n.file_id JOIN commits c ON c.id ="
        " f.commit_id WHERE ? IS NULL OR c.repo_id = ?",
        (repo, repo),
    )


# --- what people say, by the fingerprints of findings: kept when a repository is scanned again ----


def store_review(store: Store, finding: Row, reviewer: str, verdict: str, note: str) -> None:
    """The review of a row of `finding_list` by a person, made now; it replaces what the same
    person said of the finding before.
    """
    about = {
        name: finding[name] for name in ("fingerprint", "rule_id", "repo", "commit_sha", "path")
    }
    said = {
        "reviewer": printable(reviewer)[:100],
        "verdict": verdict,
        "note": printable(note)[:2000],
    }
    values = (
        about
        | said
        | {
            "line": finding["start_line"],
            "reviewed_at": utc_now(),
        }
    )
    with store.transaction() as connection:
        marks = ", ".join(f":{name}" for name in values)
        connection.execute(
            f"INSERT OR REPLACE INTO finding_reviews ({', '.join(values)}) VALUES ({marks})", values
        )
