"""Findings as SARIF 2.1.0, the format that code hosts and editors read."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from attribution.queries.findings import Finding, ScanRule, rule_set, scan_rules
from attribution.queries.repositories import repository
from attribution.stats.accuracy import class_rates
from collector.storage.store import Store

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVEL = {"ERROR": "error", "WARNING": "warning", "INFO": "note"}


def sarif(store: Store, findings: Sequence[Finding], version: str) -> dict[str, Any]:
    """A log with one run for each repository and rule set; places are those of the commit that introduced the finding.

    `authorRates` of a run: how often the classes that results name as author are right, as blind readers found.
    """
    runs: dict[tuple[int, int], list[Finding]] = defaultdict(list)
    for finding in findings:
        runs[finding.repo_id, finding.rule_set_id].append(finding)
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [_run(store, repo_id, rules, of_run, version) for (repo_id, rules), of_run in sorted(runs.items())],
    }


def _run(store: Store, repo_id: int, rule_set_id: int, findings: Sequence[Finding], version: str) -> dict[str, Any]:
    repo, scanner, rules = repository(store, repo_id), rule_set(store, rule_set_id), scan_rules(store, rule_set_id)
    if repo is None or scanner is None:  # foreign keys: no finding is without them
        raise LookupError(f"finding of an unknown repository or rule set: {repo_id}, {rule_set_id}")
    position = {rule.rule_id: number for number, rule in enumerate(rules)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "whowrote",
                "version": version,
                "properties": {"scanner": scanner.engine, "ruleSet": scanner.hash},
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "properties": {"repository": repo.name, "authorRates": class_rates()},
        "columnKind": "utf16CodeUnits",
        "results": [_result(finding, position) for finding in findings],
    }
    if repo.url and "://" in repo.url:
        run["versionControlProvenance"] = [{"repositoryUri": repo.url, "revisionId": repo.head_sha}]
    return run


def _rule(rule: ScanRule) -> dict[str, Any]:
    return {
        "id": rule.rule_id,
        "shortDescription": {"text": rule.message or rule.rule_id},
        "defaultConfiguration": {"level": _LEVEL.get(rule.severity or "", "warning")},
        "properties": {"tags": ["security", *json.loads(rule.cwes)], "tier": rule.tier, "confidence": rule.confidence},
    }


def _result(finding: Finding, position: Mapping[str, int]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule_id,
        "ruleIndex": position[finding.rule_id],
        "level": _LEVEL.get(finding.severity or "", "warning"),
        "message": {"text": finding.message or finding.rule_id},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(finding.path)},
                    "region": {"startLine": finding.start_line, "endLine": finding.end_line},
                }
            }
        ],
        "partialFingerprints": {"whowrote/v1": finding.fingerprint},
        "baselineState": "unchanged" if finding.alive_at_head else "absent",
        "properties": {
            "commit": finding.commit_sha, "author": finding.author_class, "session": finding.session, "agent": finding.agent,
            "model": finding.model, "status": finding.status, "fixedBy": finding.fixed_sha,
        },
    }  # fmt: skip
    if finding.suppressed:
        result["suppressions"] = [{"kind": "inSource"}]
    return result


def _uri(path: str) -> str:
    """A relative reference: every special character of a path is escaped, so that no name is taken for a scheme or a query."""
    return quote(path, safe="/-._~")
