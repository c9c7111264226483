"""Rules as rows: what each is for, and how often it was right. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attribution.weaknesses.rules.rulesets import Rule, RuleSet, RulesUnusable


def rule_row(rule: Rule, measured: Mapping[str, Mapping[str, Sequence[int]]]) -> dict[str, Any]:
    """A rule with its precision and recall on annotated code, what it found of planted weaknesses, and findings that people read.

    Shares are None where nothing was counted.
    """
    counts = measured.get(rule.id, {})
    right, missed, wrong = counts.get("annotated", (0, 0, 0))
    planted_found, planted_wrong = counts.get("planted", (0, 0))
    read_true, read_wrong = counts.get("read", (0, 0))
    return {
        "rule": rule.id,
        "cwe": " ".join(rule.cwes),
        "tier": rule.tier or "",
        "confidence": rule.confidence,
        "severity": rule.severity,
        "languages": " ".join(rule.languages_as_named),
        "precision": _share(right, right + wrong),
        "recall": _share(right, right + missed),
        "planted_found": planted_found,
        "planted_wrong": planted_wrong,
        "read": read_true + read_wrong,
        "read_true": read_true,
        "message": rule.message,
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def find_rule(rules: RuleSet, name: str) -> Rule:
    """The rule of this id, or the only one whose id ends in the name. Raises RulesUnusable."""
    matching = [r for r in rules.rules if r.id == name] or [r for r in rules.rules if r.id.endswith("." + name)]
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise RulesUnusable(f"{len(matching)} rules are called {name}", "Choose one of: " + ", ".join(r.id for r in matching[:12]))
    raise RulesUnusable(f"no such rule: {name}", "List the rules with: whowrote findings rules")
