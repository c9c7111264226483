"""Rules as rows: what each is for, and how often it was right. Pure but for the reading of rule files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attribution.weaknesses.rules.rulesets import Rule, RuleSet, RulesUnusable


def rows(rules: RuleSet, measured: Mapping[str, Mapping[str, Sequence[int]]]) -> list[dict[str, Any]]:
    """A row per rule. Shares are None where nothing was counted."""
    return [_row(rule, measured.get(rule.id, {})) for rule in rules.rules]


def _row(rule: Rule, counts: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    right, missed, wrong = counts.get("annotated", (0, 0, 0))
    planted_right, planted_wrong = counts.get("planted", (0, 0))
    read_right, read_wrong = counts.get("read", (0, 0))
    return {
        "rule": rule.id,
        "cwe": " ".join(rule.cwes),
        "tier": rule.tier or "",
        "confidence": rule.confidence,
        "severity": rule.severity,
        "languages": " ".join(rule.said),
        "precision": _share(right, right + wrong),
        "recall": _share(right, right + missed),
        "planted_found": planted_right,
        "planted_wrong": planted_wrong,
        "read": read_right + read_wrong,
        "read_true": read_right,
        "message": rule.message,
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def find(rules: RuleSet, name: str) -> Rule:
    """The rule of this id, or the only one whose id ends in the name. Raises RulesUnusable."""
    found = [r for r in rules.rules if r.id == name] or [r for r in rules.rules if r.id.endswith("." + name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise RulesUnusable(f"{len(found)} rules are called {name}", "Name one of: " + ", ".join(r.id for r in found[:12]))
    raise RulesUnusable(f"there is no rule {name}", "attribute rules lists them")
