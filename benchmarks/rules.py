"""How good are the rules? Writes attribution/weaknesses/rules/own/measured.json and docs/rules.md.

    python benchmarks/rules.py [--check | --page]

Three measurements: the annotated test files (tests/data/rules), the planted programs
(fixtures/planted), and findings in public repositories that were checked by hand
(benchmarks/data/rules-review.csv). `--check` only tells whether the page is up to date.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
CWES = ROOT / "attribution" / "weaknesses" / "rules" / "own" / "cwe.json"
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "docs")]

from pages import fill, table  # noqa: E402
from support.annotated import AnnotatedFinding, marks, related  # noqa: E402
from support.semgrep_run import SEMGREP, findings, semgrep  # noqa: E402

from attribution.weaknesses.rules.rulesets import Rule, named  # noqa: E402

RESULTS = ROOT / "attribution" / "weaknesses" / "rules" / "own" / "measured.json"
PAGE = ROOT / "docs" / "rules.md"
REVIEW = ROOT / "benchmarks" / "data" / "rules-review.csv"
PLANTED = ROOT / "fixtures" / "planted"
ANNOTATED = ROOT / "tests" / "data" / "rules"
TIERS = ("taint", "built", "api")


def measure() -> dict[str, Any]:
    rules = named(())
    by_id = {rule.id: rule for rule in rules.rules}
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        _lay(home / "code")
        result = semgrep([dict(rule.body) for rule in rules.rules], home / "code", home)
    found: dict[str, list[AnnotatedFinding]] = defaultdict(list)
    for one in findings(result):
        found[one.path].append(one)
    counts: dict[str, dict[str, list[int]]] = {
        name: {"annotated": [0, 0, 0], "planted": [0, 0]} for name in by_id
    }
    for path in _files(ANNOTATED):
        _annotated(path, found[_laid(path)], counts)
    planted = _Planted(by_id, counts)
    for path in _files(PLANTED):
        planted.add(path, found[_laid(path)])
    return {
        "semgrep": result["version"],
        "ruleset": rules.sha256,
        "rules": counts,
        "planted": planted.results(),
    }


def _files(root: Path) -> list[Path]:
    return sorted(p for p in root.rglob("*") if p.is_file() and p.name != "README.md")


def _laid(path: Path) -> str:
    """Where a file lies for semgrep: rules for workflows ask for their directory."""
    root = PLANTED if path.is_relative_to(PLANTED) else ANNOTATED
    parts = path.relative_to(root).parts
    if root == PLANTED and parts[0] == "actions":
        parts = ("actions", ".github", "workflows", *parts[1:])
    return "/".join((root.name, *parts))


def _lay(where: Path) -> None:
    for path in (*_files(ANNOTATED), *_files(PLANTED)):
        target = where / _laid(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)


def _annotated(
    path: Path, found: Iterable[AnnotatedFinding], counts: Mapping[str, Mapping[str, list[int]]]
) -> None:
    prefix = f"whowrote.{path.relative_to(ANNOTATED).parts[0]}."
    wanted = {
        (m.line, prefix + name)
        for m in marks(path.read_text("utf-8"))
        if m.vulnerable
        for name in m.names
    }
    got = {(one.start, one.rule) for one in found}
    for position, places in enumerate((wanted & got, wanted - got, got - wanted)):
        for _, rule in places:
            counts[rule]["annotated"][position] += 1


class _Planted:
    """Counts over the planted programs."""

    def __init__(
        self, rules: Mapping[str, Rule], counts: Mapping[str, Mapping[str, list[int]]]
    ) -> None:
        self._rules = rules
        self._counts = counts
        self._languages: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        self._cwes: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        self._tiers: dict[str, list[int]] = {tier: [0, 0, 0, 0] for tier in TIERS}
        self._missed: list[list[str]] = []
        self._wrong: list[list[str]] = []

    def add(self, path: Path, found: Sequence[AnnotatedFinding]) -> None:
        language, name = path.relative_to(PLANTED).parts
        for mark in marks(path.read_text("utf-8")):
            cwe = mark.names[0]
            hits = [
                f
                for f in found
                if f.start <= mark.line <= f.end and related(self._rules[f.rule].cwes[0], cwe)
            ]
            for counts in (self._languages[language], self._cwes[cwe]):
                _count(counts, mark.vulnerable, bool(hits))
            for rule in {f.rule for f in hits}:
                self._counts[rule]["planted"][not mark.vulnerable] += 1
            for place, tier in enumerate(TIERS):  # a tier together with the stronger ones
                _count(
                    self._tiers[tier],
                    mark.vulnerable,
                    any(self._rules[f.rule].tier in TIERS[: place + 1] for f in hits),
                )
            if mark.vulnerable != bool(hits):
                (self._missed if mark.vulnerable else self._wrong).append(
                    [f"{language}/{name}", str(mark.line), cwe]
                )

    def results(self) -> dict[str, Any]:
        return {
            "languages": dict(self._languages),
            "cwes": dict(self._cwes),
            "tiers": self._tiers,
            "missed": self._missed,
            "wrong": self._wrong,
        }


def _count(counts: list[int], vulnerable: bool, hit: bool) -> None:
    """[found, vulnerable, wrong, safe]"""
    counts[1 if vulnerable else 3] += 1
    if hit:
        counts[0 if vulnerable else 2] += 1


# --- findings checked by hand ---------------------------------------------------------------------


def read() -> list[dict[str, str]]:
    with REVIEW.open(encoding="utf-8", newline="") as source:
        return list(csv.DictReader(source))


def _with_reviews(results: dict[str, Any]) -> dict[str, Any]:
    for counts in results["rules"].values():
        counts.pop("read", None)
    for row in read():
        if row["rule"] in results["rules"]:
            results["rules"][row["rule"]].setdefault("read", [0, 0])[row["verdict"] != "true"] += 1
    return results


# --- the page -------------------------------------------------------------------------------------


def page(results: Mapping[str, Any]) -> str:
    """docs/rules.md. The prose is in docs/templates/rules.md."""
    rules = named(()).rules
    languages = Counter(rule.id.split(".")[1] for rule in rules)
    rows = read()
    values: dict[str, object] = {
        "rules": len(rules),
        "languages": ", ".join(f"{name} {count}" for name, count in languages.items()),
        "semgrep": results["semgrep"],
        "ruleset": results["ruleset"][:16],
        "tiers": _tiers(rules),
        "checked": len(rows),
        "repositories": len({row["repository"] for row in rows}),
        "precision": _precision(rules, rows),
        "all_rules": _list(rules, results["rules"]),
        "cwes": table(
            ("CWE", "name", "in plain words"),
            [(cwe, e["name"], e["text"]) for cwe, e in json.loads(CWES.read_text("utf-8")).items()],
        ),
    }
    return fill("rules.md", values | _planted(results["planted"]))


_TIERS = {
    "taint": (
        "input from outside (a request, the command line, another party) reaches a dangerous call",
        "HIGH",
    ),
    "built": (
        "text that is put together reaches it, or a secret is where it should not be",
        "MEDIUM",
    ),
    "api": ("the call or setting alone", "LOW"),
}


def _tiers(rules: Sequence[Rule]) -> str:
    counts = Counter(str(rule.tier) for rule in rules if rule.tier is not None)
    return table(
        ("tier", "rules", "meaning", "confidence"),
        [(tier, counts[tier], *about) for tier, about in _TIERS.items()],
    )


_PLANTED = ("found", "planted", "safe lines matched", "safe lines")


def _planted(planted: Mapping[str, Any]) -> dict[str, object]:
    total = [sum(column) for column in zip(*planted["languages"].values(), strict=True)]
    languages = [(name, *counts) for name, counts in sorted(planted["languages"].items())]
    tiers = [
        (" + ".join(TIERS[: n + 1]), *_with_share(planted["tiers"][tier]))
        for n, tier in enumerate(TIERS)
    ]
    cwes = [
        (name, *counts)
        for name, counts in sorted(planted["cwes"].items(), key=lambda item: int(item[0][4:]))
    ]
    return {
        "planted_languages": table(
            ("language", *_PLANTED), [*languages, ("all", *_with_share(total))]
        ),
        "planted_tiers": table(("tiers", *_PLANTED), tiers),
        "planted_cwes": table(("CWE", *_PLANTED), cwes),
        "missed": _places(planted["missed"]),
        "wrong": _places(planted["wrong"]) or "none",
    }


def _with_share(counts: Sequence[int]) -> tuple[object, ...]:
    return f"{counts[0]} ({100 * counts[0] / counts[1]:.1f} %)", *counts[1:]


def _places(found: Iterable[Sequence[str]]) -> str:
    return "; ".join(f"`{path}:{line}` {cwe}" for path, line, cwe in found)


def _precision(rules: Sequence[Rule], rows: Sequence[Mapping[str, str]]) -> str:
    tier = {rule.id: rule.tier for rule in rules}
    cells = []
    for name in TIERS:
        verdicts = [row["verdict"] == "true" for row in rows if tier.get(row["rule"]) == name]
        if verdicts:
            cells.append(
                (name, len(verdicts), sum(verdicts), f"{100 * sum(verdicts) / len(verdicts):.0f} %")
            )
    return table(("tier", "checked", "true", "precision"), cells)


def _list(rules: Sequence[Rule], counts: Mapping[str, Mapping[str, Sequence[int]]]) -> str:
    rows: list[Sequence[object]] = []
    for rule in rules:
        own_counts = counts.get(rule.id, {})
        cells = [
            " / ".join(map(str, own_counts[kind])) if kind in own_counts else ""
            for kind in ("annotated", "planted", "read")
        ]
        rows.append((rule.id.removeprefix("whowrote."), rule.cwes[0], rule.tier, *cells))
    return table(("rule", "CWE", "tier", "annotated", "planted", "checked"), rows)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--check", action="store_true", help="only check that docs/rules.md is up to date"
    )
    parser.add_argument(
        "--page", action="store_true", help="only write docs/rules.md, from the stored numbers"
    )
    options = parser.parse_args(arguments)
    if options.check:
        results = json.loads(RESULTS.read_text("utf-8"))
        if results["ruleset"] != named(()).sha256 or PAGE.read_text("utf-8") != page(
            _with_reviews(results)
        ):
            print("docs/rules.md is out of date; run: python benchmarks/rules.py", file=sys.stderr)
            return 1
        return 0
    if options.page:
        PAGE.write_text(page(_with_reviews(json.loads(RESULTS.read_text("utf-8")))), "utf-8")
        return 0
    if SEMGREP is None:
        print("semgrep is not installed: the last numbers are kept", file=sys.stderr)
        return 0
    results = _with_reviews(measure())
    text = json.dumps(results, indent=1, sort_keys=True)
    rows = re.sub(r"\[[^\[\]{}]*\]", lambda row: " ".join(row[0].split()), text)  # a row a line
    RESULTS.write_text(rows + "\n", "utf-8")
    PAGE.write_text(page(results), "utf-8")
    print(_planted(results["planted"])["planted_languages"])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
