"""The rules: what they say of themselves, and what they find in annotated files, to the line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import ROOT
from support.annotated import differences, marks
from support.semgrep_run import SEMGREP, findings, semgrep

from attribution.cli import cli
from attribution.weaknesses.rules.rulesets import OWN, RulesUnusable, named
from collector.json_values import JsonObject

yaml = pytest.importorskip("yaml")

FILES = sorted((ROOT / "attribution" / "weaknesses" / "rules" / "own").glob("*.yaml"))
DATA = ROOT / "tests" / "data" / "rules"


def _rules() -> list[JsonObject]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times faster
    return [
        rule
        for file in FILES
        for rule in yaml.load(file.read_text("utf-8"), Loader=loader)["rules"]
    ]


RULES = _rules()
CWES = json.loads(
    (ROOT / "attribution" / "weaknesses" / "rules" / "own" / "cwe.json").read_text("utf-8")
)


def _prefix(path: Path) -> str:
    """Of the ids of the rules that a test file is for."""
    return f"whowrote.{path.relative_to(DATA).parts[0]}."


def _annotated() -> list[Path]:
    return sorted(p for p in DATA.rglob("*") if p.is_file())


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> JsonObject:
    """One run over all annotated files."""
    if SEMGREP is None:
        pytest.skip("semgrep is not installed")
    where = tmp_path_factory.mktemp("rules")
    shutil.copytree(DATA, where / "code")
    return semgrep(RULES, where / "code", where)


def test_every_rule_parses_and_ran(scanned: JsonObject) -> None:
    assert [error.get("message") or error for error in scanned["errors"]] == []


def test_findings_are_exactly_the_annotated_ones(scanned: JsonObject) -> None:
    found = findings(scanned)
    texts = [
        (p.relative_to(DATA).as_posix(), _prefix(p), p.read_text("utf-8")) for p in _annotated()
    ]
    assert len(found) > 100
    assert differences(texts, found) == []


def test_every_rule_has_two_vulnerable_and_two_safe_lines() -> None:
    counts: dict[str, list[int]] = {rule["id"]: [0, 0] for rule in RULES}
    for path in _annotated():
        for mark in marks(path.read_text("utf-8")):
            for name in mark.names:
                counts[_prefix(path) + name][not mark.vulnerable] += 1
    assert {name: two for name, two in counts.items() if min(two) < 2} == {}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule["id"]))
def test_rule_says_what_it_is_for(rule: JsonObject) -> None:
    meta = rule["metadata"]
    assert rule["id"].startswith("whowrote.")
    assert meta["confidence"] == {"taint": "HIGH", "built": "MEDIUM", "api": "LOW"}[meta["tier"]]
    for text in meta["cwe"]:
        number = text.partition(":")[0]
        assert text == f"{number}: {CWES[number]['name']}"
        assert meta["owasp"] == [CWES[number]["owasp"]]
    assert rule["severity"] in ("ERROR", "WARNING", "INFO")
    assert rule["message"].count(".") >= 1 and rule["message"].endswith(".")


def test_ids_are_unique() -> None:
    assert (
        len({rule["id"] for rule in RULES})
        == len(RULES)
        == sum(file.read_text("utf-8").count("\n  - id: ") for file in FILES)
    )


def test_ours_are_loaded_with_everything_they_say() -> None:
    found = named([])
    assert [rule.id for rule in found.rules] == sorted(rule["id"] for rule in RULES)
    assert {rule.tier for rule in found.rules} == {"taint", "built", "api"}
    assert all(rule.cwes and rule.message and rule.languages for rule in found.rules)
    assert {cwe for rule in found.rules for cwe in rule.cwes} == set(CWES)
    assert named([OWN]).sha256 == found.sha256 == named([]).sha256


FOREIGN = """
rules:
  - id: a
    languages: [python]
    severity: warning
    message: m
    pattern: f(...)
    metadata: {cwe_id: cwe-23, confidence: low}
  - {id: b, languages: [go], severity: ERROR, message: n, pattern: g(),
     metadata: {cwe: "CWE-78: commands"}}
"""


def test_other_rules_are_read_from_files_and_directories(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(FOREIGN)
    found = named([str(tmp_path)])
    assert [(r.id, r.cwes, r.confidence, r.severity, r.tier) for r in found.rules] == [
        ("a", ("CWE-23",), "LOW", "WARNING", None),
        ("b", ("CWE-78",), "", "ERROR", None),
    ]
    assert found.sha256 == named([str(tmp_path / "rules.yaml")]).sha256 != named([]).sha256
    assert len(named([OWN, str(tmp_path)]).rules) == len(RULES) + 2


@pytest.mark.parametrize(
    ("word", "severity"),
    {
        "CRITICAL": "ERROR",
        "High": "ERROR",
        "MEDIUM": "WARNING",
        "low": "INFO",
        "info": "INFO",
        "EXPERIMENT": "EXPERIMENT",
    }.items(),
)
def test_rules_of_others_name_severities_by_other_words(
    tmp_path: Path, word: str, severity: str
) -> None:
    (tmp_path / "rules.yaml").write_text(FOREIGN.replace("severity: ERROR", f"severity: {word}"))
    assert named([str(tmp_path)]).rules[1].severity == severity


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.yaml", "a: [", "is not valid YAML"),
        ("x.json", "{", "is not valid JSON"),
        ("x.yaml", "a: 1", "has no rules"),
        ("other.yaml", FOREIGN, "no rules found at"),
    ],
)
def test_bad_rule_files_end_in_words(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(RulesUnusable, match=message) as failed:
        named([str(tmp_path / name.replace("other", "x"))])
    assert failed.value.hint


def test_the_command_lists() -> None:
    run = CliRunner()
    listed = run.invoke(cli, ["findings", "rules", "--json", "--cwe", "CWE-89", "--language", "go"])
    assert {row["rule"] for row in json.loads(listed.stdout)} == {
        "whowrote.go.sql-tainted",
        "whowrote.go.sql-built",
    }
    assert all(row["precision"] == row["recall"] == 1.0 for row in json.loads(listed.stdout))
    assert (
        "whowrote.python.sql-built"
        in run.invoke(cli, ["findings", "rules", "--cwe", "cwe-89"]).stdout
    )
