"""Single findings: lists, samples for review, one in its context, verdicts in and out, SARIF."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from collector.errors import WhoWroteError
from collector.git.repository import GitRepo
from collector.storage.store import Store
from collector.text import decode, split_lines

_AROUND = 6


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


def findings(store: Store, repo: int | None, wanted: FindingFilter) -> list[dict[str, Any]]:
    """Rows of findings with the names of repository, session and prompt. Raises WhoWroteError when nothing was scanned."""
    if not store.value("SELECT COUNT(*) FROM rule_sets"):
        raise WhoWroteError(f"nothing in {store.path} was scanned yet", f"Scan with: attribute scan PATH --db {store.path}")
    where, values = ["(? IS NULL OR n.repo_id = ?)"], [repo, repo]
    for column, value in (
        ("n.author_class", wanted.author), ("n.status", wanted.status), ("n.rule_id", wanted.rule), ("n.place", wanted.place),
    ):  # fmt: skip
        if value:
            where.append(f"{column} = ?")
            values.append(value)  # type: ignore[arg-type]
    if wanted.cwe:
        number = wanted.cwe.upper().removeprefix("CWE-")
        where.append("n.cwe = ?")
        values.append(f"CWE-{number}")  # type: ignore[arg-type]
    if wanted.confidence:
        where.append(f"n.confidence IN ({','.join('?' * len(wanted.confidence))})")
        values += wanted.confidence  # type: ignore[arg-type]
    if wanted.alive:
        where.append("n.alive_at_head = 1")
    return store.rows(_LIST + " WHERE " + " AND ".join(where) + " ORDER BY n.repo_id, n.id", values)


_LIST = """
SELECT n.*, r.name AS repo, r.path AS clone, s.key AS session, c.author_at, u.message,
  (SELECT group_concat(v.verdict, ' ') FROM finding_reviews v WHERE v.fingerprint = n.fingerprint) AS verdicts
FROM findings n JOIN repos r ON r.id = n.repo_id JOIN commits c ON c.id = n.commit_id
JOIN scan_rules u ON u.rule_set_id = n.rule_set_id AND u.rule_id = n.rule_id LEFT JOIN sessions s ON s.id = n.session_id
"""


def sample(rows: Sequence[dict[str, Any]], count: int, seed: int = 1) -> list[dict[str, Any]]:
    """So many findings, drawn in turn from each stratum (repository, tier, class of the author), within it from each rule."""
    generator = random.Random(seed)
    strata: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        strata[str(row["repo"]), str(row["tier"] or row["confidence"]), str(row["author_class"])].append(row)
    piles = []
    for key in sorted(strata):
        piles.append(_by_rule(strata[key], generator))
    chosen: list[dict[str, Any]] = []
    while len(chosen) < count and any(piles):
        for pile in piles:
            if pile and len(chosen) < count:
                chosen.append(pile.pop())
    return chosen


def _by_rule(rows: Iterable[dict[str, Any]], generator: random.Random) -> list[dict[str, Any]]:
    """Shuffled so that, from the end, each rule comes once before one comes twice."""
    rules: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        rules[str(row["rule_id"])].append(row)
    turns = []
    for some in rules.values():
        generator.shuffle(some)
        turns += [(turn, generator.random(), row) for turn, row in enumerate(some)]
    return [row for _, _, row in sorted(turns, key=lambda one: one[:2], reverse=True)]


# --- in context -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FindingContext:
    """A finding with the lines around it and the prompt behind it."""

    row: Mapping[str, Any]
    first: int  # number of the first line
    lines: list[str]
    prompt: str


def context(store: Store, row: Mapping[str, Any], repo: GitRepo | None = None) -> FindingContext:
    """Read from the clone; no lines when that is gone."""
    lines: list[str] = []
    first = max(1, row["start_line"] - _AROUND)
    if repo is None and row["clone"] and Path(row["clone"]).exists():
        repo = GitRepo(row["clone"])
    if repo is not None:
        oid = repo.file_at(row["commit_sha"], row["path"])
        data = repo.blob(oid) if oid else None
        lines = [decode(line) for line in split_lines(data or b"")[first - 1 : row["end_line"] + _AROUND]]
    prompt = store.value("SELECT prompt FROM turns WHERE session_id = ? AND turn_index = ?", (row["session_id"], row["turn_index"]))
    return FindingContext(row, first, lines, str(prompt or ""))


# --- SARIF ------------------------------------------------------------------------------------------------------------

_LEVEL = {"ERROR": "error", "WARNING": "warning", "INFO": "note"}
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(store: Store, rows: Sequence[Mapping[str, Any]], version: str) -> dict[str, Any]:
    """SARIF 2.1.0: one run for each repository and rule set; places are those of the commit that brought the finding in."""
    runs: dict[tuple[int, int], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        runs[row["repo_id"], row["rule_set_id"]].append(row)
    return {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [_run(store, repo, rule_set, some, version) for (repo, rule_set), some in sorted(runs.items())],
    }


def _run(store: Store, repo: int, rule_set: int, rows: Sequence[Mapping[str, Any]], version: str) -> dict[str, Any]:
    about = store.rows("SELECT name, url, head_sha FROM repos WHERE id = ?", (repo,))[0]
    scanner = store.rows("SELECT hash, engine FROM rule_sets WHERE id = ?", (rule_set,))[0]
    rules = store.rows("SELECT * FROM scan_rules WHERE rule_set_id = ? ORDER BY rule_id", (rule_set,))
    place = {rule["rule_id"]: number for number, rule in enumerate(rules)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "whowrote",
                "version": version,
                "properties": {"scanner": scanner["engine"], "ruleSet": scanner["hash"]},
                "rules": [_sarif_rule(rule) for rule in rules],
            }
        },
        "properties": {"repository": about["name"]},
        "columnKind": "utf16CodeUnits",
        "results": [_result(row, place) for row in rows],
    }
    if about["url"] and "://" in about["url"]:
        run["versionControlProvenance"] = [{"repositoryUri": about["url"], "revisionId": about["head_sha"]}]
    return run


def _sarif_rule(rule: Mapping[str, Any]) -> dict[str, Any]:
    cwes = json.loads(rule["cwes"])
    return {
        "id": rule["rule_id"],
        "shortDescription": {"text": rule["message"] or rule["rule_id"]},
        "defaultConfiguration": {"level": _LEVEL.get(rule["severity"] or "", "warning")},
        "properties": {"tags": ["security", *cwes], "tier": rule["tier"], "confidence": rule["confidence"]},
    }


def _result(row: Mapping[str, Any], place: Mapping[str, int]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": row["rule_id"],
        "ruleIndex": place[row["rule_id"]],
        "level": _LEVEL.get(row["severity"] or "", "warning"),
        "message": {"text": row["message"] or row["rule_id"]},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(row["path"])},
                    "region": {"startLine": row["start_line"], "endLine": row["end_line"]},
                }
            }
        ],
        "partialFingerprints": {"whowrote/v1": row["fingerprint"]},
        "baselineState": "unchanged" if row["alive_at_head"] else "absent",
        "properties": {
            "commit": row["commit_sha"], "author": row["author_class"], "session": row["session"], "agent": row["agent"],
            "model": row["model"], "status": row["status"], "fixedBy": row["fixed_sha"],
        },
    }  # fmt: skip
    if row["suppressed"]:
        result["suppressions"] = [{"kind": "inSource"}]
    return result


def _uri(path: str) -> str:
    """A relative reference: what is no plain character of a path is escaped, so that no name is taken for a scheme or a query."""
    from urllib.parse import quote

    return quote(path, safe="/-._~")
