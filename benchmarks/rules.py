"""How good are the rules? Writes attribution/weaknesses/rules/own/measured.json and docs/rules.md.

    python benchmarks/rules.py [--check]

Three measurements: the annotated test files (tests/data/rules), the planted programs (fixtures/planted), and findings in public
repositories that were read by hand (docs/rules-review.csv). `--check` only compares the page with what it is made of.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from support.semgrep_run import SEMGREP, findings, semgrep  # noqa: E402

from attribution.weaknesses.rules.annotated import AnnotatedFinding, marks, related  # noqa: E402
from attribution.weaknesses.rules.rulesets import Rule, own, weaknesses  # noqa: E402

RESULTS = ROOT / "attribution" / "weaknesses" / "rules" / "own" / "measured.json"
PAGE = ROOT / "docs" / "rules.md"
REVIEW = ROOT / "docs" / "rules-review.csv"
PLANTED = ROOT / "fixtures" / "planted"
ANNOTATED = ROOT / "tests" / "data" / "rules"
TIERS = ("taint", "built", "api")


def measure() -> dict[str, Any]:
    rules = own()
    by_id = {rule.id: rule for rule in rules.rules}
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        _lay(home / "code")
        result = semgrep([dict(rule.body) for rule in rules.rules], home / "code", home)
    found: dict[str, list[AnnotatedFinding]] = defaultdict(list)
    for one in findings(result):
        found[one.path].append(one)
    counts: dict[str, dict[str, list[int]]] = {name: {"annotated": [0, 0, 0], "planted": [0, 0]} for name in by_id}
    for path in _files(ANNOTATED):
        _annotated(path, found[_laid(path)], counts)
    planted = _Planted(by_id, counts)
    for path in _files(PLANTED):
        planted.add(path, found[_laid(path)])
    return {"semgrep": result["version"], "ruleset": rules.sha256, "rules": counts, "planted": planted.results()}


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


def _annotated(path: Path, found: Iterable[AnnotatedFinding], counts: Mapping[str, Mapping[str, list[int]]]) -> None:
    prefix = f"whowrote.{path.relative_to(ANNOTATED).parts[0]}."
    wanted = {(m.line, prefix + name) for m in marks(path.read_text("utf-8")) if m.vulnerable for name in m.names}
    got = {(one.start, one.rule) for one in found}
    for position, places in enumerate((wanted & got, wanted - got, got - wanted)):
        for _, rule in places:
            counts[rule]["annotated"][position] += 1


class _Planted:
    """Counts over the planted programs."""

    def __init__(self, rules: Mapping[str, Rule], counts: Mapping[str, Mapping[str, list[int]]]) -> None:
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
            hits = [f for f in found if f.start <= mark.line <= f.end and related(self._rules[f.rule].cwes[0], cwe)]
            for table in (self._languages[language], self._cwes[cwe]):
                _count(table, mark.vulnerable, bool(hits))
            for rule in {f.rule for f in hits}:
                self._counts[rule]["planted"][not mark.vulnerable] += 1
            for place, tier in enumerate(TIERS):  # a tier together with the stronger ones
                _count(self._tiers[tier], mark.vulnerable, any(self._rules[f.rule].tier in TIERS[: place + 1] for f in hits))
            if mark.vulnerable != bool(hits):
                (self._missed if mark.vulnerable else self._wrong).append([f"{language}/{name}", str(mark.line), cwe])

    def results(self) -> dict[str, Any]:
        return {
            "languages": dict(self._languages),
            "cwes": dict(self._cwes),
            "tiers": self._tiers,
            "missed": self._missed,
            "wrong": self._wrong,
        }


def _count(table: list[int], vulnerable: bool, hit: bool) -> None:
    """[found, vulnerable, wrong, safe]"""
    table[1 if vulnerable else 3] += 1
    if hit:
        table[0 if vulnerable else 2] += 1


# --- findings that were read ------------------------------------------------------------------------------------------


def read() -> list[dict[str, str]]:
    if not REVIEW.is_file():
        return []
    with REVIEW.open(encoding="utf-8", newline="") as source:
        return list(csv.DictReader(source))


def _with_reviews(results: dict[str, Any]) -> dict[str, Any]:
    for counts in results["rules"].values():
        counts.pop("read", None)
    for row in read():
        if row["rule"] in results["rules"]:
            results["rules"][row["rule"]].setdefault("read", [0, 0])[row["verdict"] != "true"] += 1
    return results


# --- the page ---------------------------------------------------------------------------------------------------------


def page(results: Mapping[str, Any]) -> str:
    rules = own().rules
    return (
        "\n".join([*_head(rules, results), *_planted(results["planted"]), *_review(rules), *_list(rules, results["rules"])]) + "\n"
    )


def _head(rules: Sequence[Rule], results: Mapping[str, Any]) -> list[str]:
    tiers = {tier: sum(rule.tier == tier for rule in rules) for tier in TIERS}
    languages = dict.fromkeys(rule.id.split(".")[1] for rule in rules)
    return [
        "# Rules for weaknesses",
        "",
        "<!-- Written by benchmarks/rules.py (`make accuracy`). -->",
        "",
        f"{len(rules)} rules of our own, written from the definitions of the CWEs and the documentation of the libraries, in semgrep's format:",
        ", ".join(f"{name} {sum(rule.id.split('.')[1] == name for rule in rules)}" for name in languages) + ".",
        f"Measured with semgrep {results['semgrep']}; sha256 of the set `{results['ruleset'][:16]}`.",
        "",
        "| tier | rules | what it means | confidence |",
        "|---|---|---|---|",
        f"| taint | {tiers['taint']} | something from a request, the command line or another stranger reaches a dangerous call | HIGH |",
        f"| built | {tiers['built']} | text that is put together reaches it, or a secret is where it should not be | MEDIUM |",
        f"| api | {tiers['api']} | the call or setting alone | LOW |",
        "",
        "`attribute rules` lists them, `attribute rules show ID` shows one, `attribute rules pull p/NAME` stores a pack of semgrep's registry for",
        "`--rules p/NAME`. A rule is a YAML entry in `attribution/weaknesses/rules/own` with `cwe`, `owasp`, `tier`, `confidence` and `literals`: strings of which",
        "every match has at least one in its file, so that files without any need not be scanned. Each rule has vulnerable and safe lines in",
        "`tests/data/rules`, and the tests ask for exactly the annotated findings there.",
        "",
        "What the rules cannot see: values that pass through other functions or files, frameworks they do not name, and whether a check that",
        "stands before a call is the right one. A finding of the tier api says that something is used, not that it does harm.",
        "",
        "What they leave out, because reading showed that it is hardly ever a weakness: parts of a command or statement that are constants, also",
        "through a name, a condition or a loop over a list of constants, or numbers; ids of commits in commands of git; commands and secrets in",
        "files of tests; MD5 and SHA-1 where the line or the function speaks of a sum, a cache or a file and of nothing secret; inputs of workflows",
        "with a list of values; words for people (echo, fenced blocks, cat <<EOF) in shell scripts. A rule that is seldom right is split:",
        "`sql-built`, `command-built` and `eval-built` want text that is put together (MEDIUM), `sql-structure`, `shell-command` and `eval-variable`",
        "a table, clause or command that a function is given as a whole (LOW).",
        "",
    ]


def _planted(planted: Mapping[str, Any]) -> list[str]:
    out = [
        "## Planted programs",
        "",
        "`fixtures/planted` was written before the rules, but by the same hand: take these numbers as an upper bound. A finding counts when its",
        "CWE, or one of its family, is the planted one and its lines hold the planted line.",
        "",
        "| language | found | planted | safe lines matched | safe lines |",
        "|---|---|---|---|---|",
    ]
    out += [f"| {name} | {a} | {b} | {c} | {d} |" for name, (a, b, c, d) in sorted(planted["languages"].items())]
    total = [sum(column) for column in zip(*planted["languages"].values(), strict=True)]
    out += [f"| all | {total[0]} ({total[0] / total[1]:.1%}) | {total[1]} | {total[2]} | {total[3]} |", ""]
    out += ["| tiers | found | planted | safe lines matched | safe lines |", "|---|---|---|---|---|"]
    for place, tier in enumerate(TIERS):
        a, b, c, d = planted["tiers"][tier]
        out.append(f"| {' + '.join(TIERS[: place + 1])} | {a} ({a / b:.1%}) | {b} | {c} | {d} |")
    out += ["", "| CWE | found | planted | safe lines matched | safe lines |", "|---|---|---|---|---|"]
    out += [
        f"| {name} | {a} | {b} | {c} | {d} |"
        for name, (a, b, c, d) in sorted(planted["cwes"].items(), key=lambda item: int(item[0][4:]))
    ]
    out += ["", "Not found: " + "; ".join(f"`{path}:{line}` {cwe}" for path, line, cwe in planted["missed"]) + "."]
    if planted["wrong"]:
        out += ["", "Safe, but matched: " + "; ".join(f"`{path}:{line}` {cwe}" for path, line, cwe in planted["wrong"]) + "."]
    return [*out, ""]


def _review(rules: Sequence[Rule]) -> list[str]:
    rows = read()
    if not rows:
        return []
    tier = {rule.id: rule.tier for rule in rules}
    out = [
        "## Findings read by hand",
        "",
        f"{len(rows)} findings at the tip of {len({row['repository'] for row in rows})} public repositories, read with the lines around them; the verdicts are in",
        "[rules-review.csv](rules-review.csv). `true` means that what the message says is so there; tests and examples count as they are.",
        "The rules were narrowed after a first reading of the same repositories, so these numbers are no independent estimate: before, 9 of 63",
        "findings of the tier built were true, and 126 of 193 of the tier api. None of PHP, Java or Ruby was among what was read, and of Rust one",
        "finding: for them only the annotated and planted programs speak. Of ten public lines each that join a table name to SQL in Java and a",
        "sort order in Ruby, none and one could be seen to take text from outside; such names are left out of `sql-built` there, as in Go.",
        "",
        "| tier | read | true | precision |",
        "|---|---|---|---|",
    ]
    for name in TIERS:
        verdicts = [row["verdict"] == "true" for row in rows if tier.get(row["rule"]) == name]
        if verdicts:
            out.append(f"| {name} | {len(verdicts)} | {sum(verdicts)} | {sum(verdicts) / len(verdicts):.0%} |")
    return [*out, ""]


def _list(rules: Sequence[Rule], counts: Mapping[str, Mapping[str, Sequence[int]]]) -> list[str]:
    about = weaknesses()
    out = [
        "## All rules",
        "",
        "Annotated: right / missed / wrong. Planted: right / wrong. Read: true / false.",
        "",
        "| rule | CWE | tier | literals | annotated | planted | read |",
        "|---|---|---|---|---|---|---|",
    ]
    for rule in rules:
        own_counts = counts.get(rule.id, {})
        cells = [" / ".join(map(str, own_counts[kind])) if kind in own_counts else "" for kind in ("annotated", "planted", "read")]
        literals = " ".join(f"`` {text} ``" if "`" in text else f"`{text}`" for text in rule.literals).replace("|", "\\|")
        out.append(f"| {rule.id.removeprefix('whowrote.')} | {rule.cwes[0]} | {rule.tier} | {literals} | {' | '.join(cells)} |")
    out += ["", "| CWE | name | in plain words |", "|---|---|---|"]
    return out + [f"| {cwe} | {entry['name']} | {entry['text']} |" for cwe, entry in about.items()]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare docs/rules.md with the numbers and rules")
    parser.add_argument("--page", action="store_true", help="only write docs/rules.md, from the stored numbers")
    options = parser.parse_args(arguments)
    if options.check:
        results = json.loads(RESULTS.read_text("utf-8"))
        if results["ruleset"] != own().sha256 or PAGE.read_text("utf-8") != page(_with_reviews(results)):
            print("docs/rules.md is not what the rules and their numbers say; run: python benchmarks/rules.py", file=sys.stderr)
            return 1
        return 0
    if options.page:
        PAGE.write_text(page(_with_reviews(json.loads(RESULTS.read_text("utf-8")))), "utf-8")
        return 0
    if SEMGREP is None:
        print("semgrep is not installed: the last numbers are kept", file=sys.stderr)
        return 0
    results = _with_reviews(measure())
    RESULTS.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", "utf-8")
    PAGE.write_text(page(results), "utf-8")
    print("\n".join(_planted(results["planted"])[:30]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
