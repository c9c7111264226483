"""Single findings: lists, one in its context, samples for review, and what people say of them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attribution.queries.turns import prompt_of
from attribution.weaknesses.words import Confidence, FindingStatus
from collector.errors import WhoWroteError
from collector.git.repository import GitRepo
from collector.storage.store import Store, iso
from collector.storage.views import Table, read_view
from collector.text import decode, printable, split_lines

HEADLINE = (Confidence.HIGH, Confidence.MEDIUM)
_AROUND = 6  # lines before and after a finding

Row = dict[str, Any]
"""A row of the view `finding_list`."""


@dataclass(frozen=True, slots=True)
class FindingFilter:
    """Which findings. None or empty: all."""

    cwe: str | None = None  # with or without CWE-
    author: str | None = None  # class
    status: str = FindingStatus.INTRODUCED  # or all
    rule: str | None = None
    place: str | None = None
    alive: bool = False
    confidence: tuple[str, ...] = ()


def not_scanned(store: Store) -> WhoWroteError:
    return WhoWroteError(
        f"nothing in {store.path} has been scanned yet", f"Scan with: whowrote findings scan PATH --db {store.path}"
    )


def findings(store: Store, repo: int | None, wanted: FindingFilter) -> Table:
    """Findings in order of repository and commit. Raises WhoWroteError when nothing was scanned."""
    if not store.value("SELECT COUNT(*) FROM rule_sets"):
        raise not_scanned(store)
    only = {
        "repo_id": repo,
        "author_class": wanted.author or None,
        "status": None if wanted.status == "all" else wanted.status,
        "rule_id": wanted.rule,
        "place": wanted.place,
        "cwe": f"CWE-{wanted.cwe.upper().removeprefix('CWE-')}" if wanted.cwe else None,
        "confidence": wanted.confidence or None,
        "alive_at_head": 1 if wanted.alive else None,
    }
    return read_view(store, "finding_list", only, "repo_id, id")


def sample(rows: Iterable[Row], count: int, seed: int = 1) -> list[Row]:
    """`count` findings, chosen in turn from each stratum (repository, tier, class of the author), within it from each rule."""
    generator = random.Random(seed)
    strata: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in rows:
        strata[row["repo"], str(row["tier"] or row["confidence"]), row["author_class"]].append(row)
    piles = [_shuffle_by_rule(strata[key], generator) for key in sorted(strata)]
    chosen: list[Row] = []
    while len(chosen) < count and any(piles):
        for pile in piles:
            if pile and len(chosen) < count:
                chosen.append(pile.pop())
    return chosen


def _shuffle_by_rule(rows: Iterable[Row], generator: random.Random) -> list[Row]:
    """Shuffled so that, from the end, each rule comes once before one comes twice."""
    rules: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        rules[row["rule_id"]].append(row)
    turns: list[tuple[int, float, Row]] = []
    for of_rule in rules.values():
        generator.shuffle(of_rule)
        turns += [(turn, generator.random(), row) for turn, row in enumerate(of_rule)]
    return [row for _, _, row in sorted(turns, key=lambda turn: turn[:2], reverse=True)]


def context(store: Store, finding: Row) -> Row:
    """A finding with the lines around it, the number of the first, and the prompt behind it; no lines when the clone is gone."""
    texts: Sequence[bytes] = ()
    first = max(1, finding["start_line"] - _AROUND)
    if finding["clone"] and Path(finding["clone"]).exists():
        repo = GitRepo(finding["clone"])
        oid = repo.file_at(finding["commit_sha"], finding["path"])
        texts = split_lines((repo.blob(oid) if oid else b"") or b"")[first - 1 : finding["end_line"] + _AROUND]
    prompt = prompt_of(store, finding["session_id"], finding["turn_index"])
    return finding | {"lines": [decode(text) for text in texts], "first_line": first, "prompt": prompt}


def scanned_rule_sets(store: Store, repo: int | None = None) -> list[Row]:
    """The rules and the scanners that files of one repository, or of any, were scanned with."""
    return store.rows(
        "SELECT DISTINCT s.id, s.name, s.hash, s.engine, s.rules FROM rule_sets s JOIN scan_files n ON n.rule_set_id = s.id "
        "JOIN commit_files f ON f.id = n.file_id JOIN commits c ON c.id = f.commit_id WHERE ? IS NULL OR c.repo_id = ?",
        (repo, repo),
    )


# --- what people say, by the fingerprints of findings: kept when a repository is scanned again -------------------------


def store_review(store: Store, finding: Row, reviewer: str, verdict: str, note: str) -> None:
    """The review of a row of `finding_list` by a person, made now; it replaces what the same person said of the finding before."""
    about = {name: finding[name] for name in ("fingerprint", "rule_id", "repo", "commit_sha", "path")}
    said = {"reviewer": printable(reviewer)[:100], "verdict": verdict, "note": printable(note)[:2000]}
    values = about | said | {"line": finding["start_line"], "reviewed_at": iso(datetime.now(UTC).timestamp())}
    with store.transaction() as connection:
        marks = ", ".join(f":{name}" for name in values)
        connection.execute(f"INSERT OR REPLACE INTO finding_reviews ({', '.join(values)}) VALUES ({marks})", values)
