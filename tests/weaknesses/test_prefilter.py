"""Which rules are run on a text: what is read from patterns, and that no match is ever lost by it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.semgrep_run import SEMGREP, semgrep

from attribution.weaknesses.rules.annotated import marks
from attribution.weaknesses.rules.derive import need_of
from attribution.weaknesses.rules.expressions import of_regex
from attribution.weaknesses.rules.languages import kind_of
from attribution.weaknesses.rules.needs import NOTHING, Need
from attribution.weaknesses.rules.prefilter import Prefilter
from attribution.weaknesses.rules.rulesets import own

pytest.importorskip("yaml")

ROOT = Path(__file__).parent.parent.parent
FIXTURES = (ROOT / "tests" / "data" / "rules", ROOT / "fixtures" / "planted")


def passes(rule: dict[str, Any], text: str) -> bool:
    """Whether a rule for Go is run on a text."""
    need = need_of({"id": "r", "languages": ["go"], **rule})
    return Prefilter([("r", frozenset({"go"}), (), need)]).rules("go", text.encode()) == ("r",)


def test_literals_that_rules_name() -> None:
    def some(*rules: tuple[str, list[str]]) -> Prefilter:
        return Prefilter((str(n), frozenset({language}), words, NOTHING) for n, (language, words) in enumerate(rules))

    three = some(("python", ["eval("]), ("python", ["os.system"]), ("*", ["AKIA"]))
    assert three.rules("python", b"x = eval(1)") == ("0",)
    assert three.rules("python", b"os.system(eval(1), 'AKIA1')") == ("0", "1", "2")
    assert three.rules("python", b"x = evaluate(1)") == ()
    assert three.rules("go", b"eval( os.system") == ()
    assert three.rules("python", b"\xff\xfe eval(") == ("0",)
    assert some(("go", []), ("go", ["x"]), ("*", [])).rules("go", b"") == ("0", "2")
    assert some(("go", ["x"])).rules("python", b"x") == ()


def test_names_of_a_pattern_are_whole_words_outside_strings() -> None:
    rule = {"pattern": '$R.FormValue("name", func() { ... })'}
    assert passes(rule, "r.FormValue(x)")
    assert not passes(rule, "r.PostFormValue(x)")
    assert not passes(rule, "FormValues")
    assert passes({"pattern": "f(0o777, 1e5)"}, "f(0o777, 1e5)")


def test_taint_needs_a_source_and_a_sink() -> None:
    rule = {
        "mode": "taint",
        "pattern-sources": [{"pattern": "$R.FormValue(...)"}, {"patterns": [{"pattern": "os.Args"}]}],
        "pattern-sinks": [{"patterns": [{"pattern-either": [{"pattern": "exec.Command(...)"}, {"pattern": "system($X)"}]}]}],
        "pattern-sanitizers": [{"pattern": "quote($X)"}],
    }
    assert passes(rule, "system(os.Args)") and passes(rule, "exec.Command(r.FormValue())")
    assert not passes(rule, "exec.Command(quote())") and not passes(rule, "r.FormValue() exec")
    tied = [{"pattern": "system($X)", "requires": "A and not B"}]
    assert passes({**rule, "pattern-sinks": tied}, "system(1)")


@pytest.mark.parametrize(
    ("regex", "holds", "lacks"),
    [
        ("^(r|req|c\\.Request)$", ["r.x", "c.Request", "x(req)"], ["request", "c.x", "err"]),
        ("^(self\\.)?_?(log|logger)$", ["log", "self._logger", "_log"], ["blog", "logs"]),
        ("(?i)^.*(token|api_?key).*$", ["Tokens", "APIKEY", "api__key"], ["tok", "key"]),
        ("^(?!safe)(?=x).*exec+$", ["exec", "xexecc"], ["exe"]),
        ("^a{0,3}bc{2}d?$", ["bcd", "abc"], ["ac"]),
        ("^get|post$", ["getter", "post"], ["put"]),
        ("[xy]z", ["z"], ["x"]),
    ],
)
def test_regular_expressions_of_names(regex: str, holds: list[str], lacks: list[str]) -> None:
    rule = {"patterns": [{"pattern": "$X"}, {"metavariable-regex": {"metavariable": "$X", "regex": regex}}]}
    assert [passes(rule, text) for text in holds] == [True] * len(holds)
    assert [passes(rule, text) for text in lacks] == [False] * len(lacks)


@pytest.mark.parametrize("regex", ["", ".*", "^\\d+$", "(a|)", "(", "a)", "[", "(?x) a b", "(?P<n>a)", "\\Qa", "a**", "^a|b?$"])
def test_expressions_that_ask_for_nothing_or_are_not_understood(regex: str) -> None:
    assert of_regex(regex) == NOTHING


SQL = {
    "patterns": [
        {"pattern": '"$S" + $X'},
        {"metavariable-regex": {"metavariable": "$S", "regex": "(?is)^[\\s(]*(select|insert)\\s.*"}},
    ]
}


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ('"SELECT a" + x', True),
        ("`\n   select\n a` + x", True),
        ('"( insert into"', True),
        ('"SEL" + "ECT a" + x', True),
        ('"" + "select a" + x', True),
        ('a := "s"', True),
        ("// please select a row", False),
        ('"selected"', False),
        ('"would select a"', False),
    ],
)
def test_strings_that_begin_with_a_word_may_be_put_together(text: str, passed: bool) -> None:
    assert passes(SQL, text) == passed


def test_content_of_strings_is_not_asked_for_where_it_may_be_something_else() -> None:
    condition = SQL["patterns"][1]
    assert passes({"patterns": [{"pattern": "f($S)"}, {"pattern": 'f("$S")'}, condition]}, "f(g)")
    assert not passes({"patterns": [{"pattern-inside": "$Z = $S"}, {"pattern": '$Z + "$S"'}, condition]}, "select a")
    ruby = {**SQL, "languages": ["ruby"]}
    assert need_of(ruby) == NOTHING


def test_what_is_not_understood_asks_for_nothing() -> None:
    unknown: list[dict[str, Any]] = [
        {"pattern-regex": "abc"}, {"match": {"pattern": "f()"}}, {"mode": "join", "join": {}}, {"pattern-not": "f()"},
        {"languages": ["yaml"], "pattern": "a: b"}, {"languages": ["go", "generic"], "pattern": "f()"}, {"pattern": '"text"'},
        {"pattern-either": [{"pattern": "f()"}, {"pattern-regex": "x"}]}, {"pattern": "func $F(...) { return $X }"},
        {"metavariable-regex": {"metavariable": "$X", "regex": "abc", "constant-propagation": True}},
    ]  # fmt: skip
    needs: list[Need] = [need_of({"id": "r", "languages": ["go"], **rule}) for rule in unknown]
    assert needs == [NOTHING] * len(unknown)


def _pieces() -> list[tuple[str, str]]:
    """(name, text): every fixture, and the surroundings of every place in it that is marked as vulnerable."""
    found = []
    for root in FIXTURES:
        for path in sorted(p for p in root.rglob("*") if p.is_file() and p.name != "README.md"):
            name = path.relative_to(root).as_posix()
            if name.startswith("actions/"):
                name = f"{path.stem}/.github/workflows/{path.name}"
            text = path.read_text("utf-8")
            found.append((f"{root.name}/whole/{name}", text))
            lines = text.splitlines(keepends=True)
            head = [
                line
                for line in lines[:25]
                if "import" in line or "require" in line or line.startswith(("package", "<?php", "use "))
            ]
            for mark in marks(text):
                if mark.vulnerable:
                    around = lines[max(0, mark.line - 8) : mark.line + 5]
                    found.append((f"{root.name}/{mark.line}/{name}", "".join([*head, *around])))
    return found


@pytest.mark.skipif(SEMGREP is None, reason="semgrep is not installed")
def test_every_match_is_of_a_rule_that_would_have_been_run(tmp_path: Path) -> None:
    """Without the rest of its file a match has little more than itself that could have let its rule through."""
    rules, texts = own(), dict(_pieces())
    for name, text in texts.items():
        file = tmp_path / "code" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    found = semgrep([dict(rule.body) for rule in rules.rules], tmp_path / "code", tmp_path)["results"]
    run = {}
    for name, text in texts.items():
        path = name[max(0, name.find(".github/workflows/")) :]  # workflows count at the root only
        run[name] = rules.prefilter.rules(kind_of(path, text[:200].encode()).language, text.encode())
    lost = [(r["path"], r["check_id"]) for r in found if r["check_id"] not in run[r["path"]]]
    assert lost == []
    assert len({r["check_id"] for r in found}) == len(rules.rules) and len(found) > 1000
    assert json.dumps(found)
