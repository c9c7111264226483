"""Rules as rows: what each is for, and how often it was right. Pure but for the reading of rule files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attribution.weaknesses.rules.rulesets import Rule, RuleSet, RulesUnusable


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule. Shares are None where nothing was counted."""

    rule: str
    cwe: str  # separated by blanks
    tier: str
    confidence: str
    severity: str
    languages: str  # separated by blanks
    precision: float | None  # on annotated code
    recall: float | None
    planted_found: int  # planted weaknesses
    planted_wrong: int
    read: int  # findings in public code that a person read
    read_true: int
    message: str


def rule_rows(rules: RuleSet, measured: Mapping[str, Mapping[str, Sequence[int]]]) -> list[RuleRow]:
    return [_row(rule, measured.get(rule.id, {})) for rule in rules.rules]


def _row(rule: Rule, counts: Mapping[str, Sequence[int]]) -> RuleRow:
    right, missed, wrong = counts.get("annotated", (0, 0, 0))
    planted_right, planted_wrong = counts.get("planted", (0, 0))
    read_right, read_wrong = counts.get("read", (0, 0))
    return RuleRow(
        rule.id, " ".join(rule.cwes), rule.tier or "", rule.confidence, rule.severity, " ".join(rule.said),
        _share(right, right + wrong), _share(right, right + missed), planted_right, planted_wrong, read_right + read_wrong,
        read_right, rule.message,
    )  # fmt: skip


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None


def find_rule(rules: RuleSet, name: str) -> Rule:
    """The rule of this id, or the only one whose id ends in the name. Raises RulesUnusable."""
    matching = [r for r in rules.rules if r.id == name] or [r for r in rules.rules if r.id.endswith("." + name)]
    if len(matching) == 1:
        return matching[0]
    if matching:
        raise RulesUnusable(f"{len(matching)} rules are called {name}", "Choose one of: " + ", ".join(r.id for r in matching[:12]))
    raise RulesUnusable(f"no such rule: {name}", "List the rules with: whowrote rules")
