"""Single findings: lists, samples for review, one in its context, and the rules behind them."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attribution.queries.turns import prompt_of
from collector.errors import WhoWroteError
from collector.git.repository import GitRepo
from collector.storage.store import Store, columns_of
from collector.text import decode, split_lines

_AROUND = 6


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A row of `findings`, which describes its columns."""

    id: int
    repo_id: int
    rule_set_id: int
    fingerprint: str
    label: str
    rule_id: str
    cwe: str | None
    owasp: str | None
    severity: str | None
    confidence: str | None
    tier: str | None
    status: str
    commit_id: int
    commit_sha: str
    path: str
    start_line: int
    end_line: int
    text_hash: str
    occurrence: int
    language: str
    place: str
    author: str
    author_class: str
    reason: str
    added_lines: int
    agent_lines: int
    human_lines: int
    unknown_lines: int
    session_id: int | None
    turn_index: int | None
    call_id: str | None
    agent: str | None
    model: str | None
    suppressed: int
    ignored: int
    fixed_by: int | None
    fixed_sha: str | None
    fixed_how: str | None
    fixed_author: str | None
    fixed_session_id: int | None
    moves: int
    rewords: int
    alive_at_head: int
    head_path: str | None
    head_line: int | None


@dataclass(frozen=True, slots=True)
class Finding(FindingRow):
    """A finding with what lists show beside it."""

    repo: str
    clone: str | None  # path of the clone when it was attributed
    session: str | None  # the agent's own id
    author_at: str  # of the commit
    message: str | None  # of the rule
    verdicts: str | None  # of reviewers, separated by blanks


@dataclass(frozen=True, slots=True)
class FindingFilter:
    """Which findings. Empty: all."""

    cwe: str = ""
    author: str = ""  # class
    status: str = "introduced"
    rule: str = ""
    place: str = ""
    alive: bool = False
    confidence: tuple[str, ...] = ()


def findings(store: Store, repo: int | None, wanted: FindingFilter) -> list[Finding]:
    """Findings in order of repository and commit. Raises WhoWroteError when nothing was scanned."""
    if not store.value("SELECT COUNT(*) FROM rule_sets"):
        raise WhoWroteError(f"nothing in {store.path} has been scanned yet", f"Scan with: whowrote scan PATH --db {store.path}")
    conditions: list[str] = ["(? IS NULL OR n.repo_id = ?)"]
    values: list[int | str | None] = [repo, repo]
    for column, value in (
        ("n.author_class", wanted.author), ("n.status", wanted.status), ("n.rule_id", wanted.rule), ("n.place", wanted.place),
    ):  # fmt: skip
        if value:
            conditions.append(f"{column} = ?")
            values.append(value)
    if wanted.cwe:
        conditions.append("n.cwe = ?")
        values.append(f"CWE-{wanted.cwe.upper().removeprefix('CWE-')}")
    if wanted.confidence:
        conditions.append(f"n.confidence IN ({','.join('?' * len(wanted.confidence))})")
        values += wanted.confidence
    if wanted.alive:
        conditions.append("n.alive_at_head = 1")
    return store.select(Finding, f"{_FINDINGS} WHERE {' AND '.join(conditions)} ORDER BY n.repo_id, n.id", values)


_FINDINGS = f"""
SELECT {columns_of(FindingRow, "n")}, r.name AS repo, r.path AS clone, s.key AS session, c.author_at, u.message,
  (SELECT group_concat(v.verdict, ' ') FROM finding_reviews v WHERE v.fingerprint = n.fingerprint) AS verdicts
FROM findings n JOIN repos r ON r.id = n.repo_id JOIN commits c ON c.id = n.commit_id
JOIN scan_rules u ON u.rule_set_id = n.rule_set_id AND u.rule_id = n.rule_id LEFT JOIN sessions s ON s.id = n.session_id
"""


def sample(rows: Sequence[Finding], count: int, seed: int = 1) -> list[Finding]:
    """`count` findings, chosen in turn from each stratum (repository, tier, class of the author), within it from each rule."""
    generator = random.Random(seed)
    strata: dict[tuple[str, ...], list[Finding]] = defaultdict(list)
    for row in rows:
        strata[row.repo, str(row.tier or row.confidence), row.author_class].append(row)
    piles = [_by_rule(strata[key], generator) for key in sorted(strata)]
    chosen: list[Finding] = []
    while len(chosen) < count and any(piles):
        for pile in piles:
            if pile and len(chosen) < count:
                chosen.append(pile.pop())
    return chosen


def _by_rule(rows: Iterable[Finding], generator: random.Random) -> list[Finding]:
    """Shuffled so that, from the end, each rule comes once before one comes twice."""
    rules: dict[str, list[Finding]] = defaultdict(list)
    for row in rows:
        rules[row.rule_id].append(row)
    turns: list[tuple[int, float, Finding]] = []
    for of_rule in rules.values():
        generator.shuffle(of_rule)
        turns += [(turn, generator.random(), row) for turn, row in enumerate(of_rule)]
    return [row for _, _, row in sorted(turns, key=lambda turn: turn[:2], reverse=True)]


# --- in context -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FindingContext:
    """A finding with the lines around it and the prompt behind it."""

    finding: Finding
    first: int  # number of the first line
    lines: list[str]
    prompt: str

    def data(self) -> dict[str, Any]:
        """Plain values, for --json and --csv."""
        return {**asdict(self.finding), "lines": self.lines, "first_line": self.first, "prompt": self.prompt}


def context(store: Store, finding: Finding, repo: GitRepo | None = None) -> FindingContext:
    """Read from the clone; no lines when that is gone."""
    lines: list[str] = []
    first = max(1, finding.start_line - _AROUND)
    if repo is None and finding.clone and Path(finding.clone).exists():
        repo = GitRepo(finding.clone)
    if repo is not None:
        oid = repo.file_at(finding.commit_sha, finding.path)
        data = repo.blob(oid) if oid else None
        lines = [decode(line) for line in split_lines(data or b"")[first - 1 : finding.end_line + _AROUND]]
    return FindingContext(finding, first, lines, prompt_of(store, finding.session_id, finding.turn_index))


# --- rules ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScannedRuleSet:
    """A row of `rule_sets`: the rules and the scanner that a repository was scanned with."""

    id: int
    name: str
    hash: str
    engine: str
    rules: int


def scanned_rule_sets(store: Store, repo: int | None = None) -> list[ScannedRuleSet]:
    """Those that files of one repository, or of any, were scanned with."""
    return store.select(
        ScannedRuleSet,
        f"SELECT DISTINCT {columns_of(ScannedRuleSet, 's')} FROM rule_sets s JOIN scan_files n ON n.rule_set_id = s.id "
        "JOIN commit_files f ON f.id = n.file_id JOIN commits c ON c.id = f.commit_id WHERE ? IS NULL OR c.repo_id = ?",
        (repo, repo),
    )


def rule_set(store: Store, rule_set_id: int) -> ScannedRuleSet | None:
    sql = f"SELECT {columns_of(ScannedRuleSet, 's')} FROM rule_sets s WHERE s.id = ?"
    return store.select_one(ScannedRuleSet, sql, (rule_set_id,))


@dataclass(frozen=True, slots=True)
class ScanRule:
    """A row of `scan_rules`, which describes its columns."""

    rule_id: str
    cwes: str  # JSON
    severity: str | None
    confidence: str | None
    tier: str | None
    message: str | None


def scan_rules(store: Store, rule_set_id: int) -> list[ScanRule]:
    sql = f"SELECT {columns_of(ScanRule, 'u')} FROM scan_rules u WHERE u.rule_set_id = ? ORDER BY u.rule_id"
    return store.select(ScanRule, sql, (rule_set_id,))
