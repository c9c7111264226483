"""The rule sets there are: ours (package data) and files. Reads, writes nothing.

A set is named by the sha256 of its rules as sorted JSON, so that the same rules have the same name
wherever they lie.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from attribution.weaknesses.rules.languages import rule_languages
from attribution.weaknesses.words import Confidence, RuleTier, severity_named, severity_word
from collector.errors import WhoWroteError
from collector.json_values import JsonObject, Texts
from collector.runtime.version import install_command

OWN = "own"
_HOME = Path(__file__).parent / OWN
_CWE = re.compile(r"\d{1,5}")
# Confidence of a rule that does not say, by its tier.
_TIERS = {
    RuleTier.TAINT: Confidence.HIGH,
    RuleTier.BUILT: Confidence.MEDIUM,
    RuleTier.API: Confidence.LOW,
}
_SUFFIXES = (".yaml", ".yml", ".json")
_FORMAT = "Rules are .yaml files in the format of semgrep"

RuleFile = tuple[str, bytes]
"""Name of a file of rules, and its content."""


class RulesUnusable(WhoWroteError):
    """Rules that are not there or cannot be read."""


class Rule(NamedTuple):
    """What a rule says of itself."""

    id: str
    cwes: tuple[str, ...]  # CWE-89
    names: tuple[str, ...]  # the same with their names, where the rule says them: CWE-89: …
    owasp: tuple[str, ...]
    tier: RuleTier | None  # None when it does not say
    confidence: str  # of our rules a Confidence; "" when it does not say
    severity: str
    languages_as_named: tuple[str, ...]
    languages: frozenset[str]  # the same as we name them; "*" for any
    message: str
    body: JsonObject

    @property
    def cwe(self) -> str:
        """The first; "" when it names none."""
        return self.cwes[0] if self.cwes else ""

    @property
    def strength(self) -> tuple[int, int]:
        """Stronger rules first: of several findings at one place with one CWE the first is kept."""
        return [*_TIERS, self.tier].index(self.tier), [*Confidence, self.confidence].index(
            self.confidence
        )


@dataclass(frozen=True)
class RuleSet:
    """Rules that go together, by their ids."""

    name: str
    rules: tuple[Rule, ...]

    @cached_property
    def by_id(self) -> Mapping[str, Rule]:
        return {rule.id: rule for rule in self.rules}

    @cached_property
    def text(self) -> str:
        """What the scanner is given: one file, sorted, so that it is the same for the same
        rules.
        """
        bodies = [dict(rule.body) for rule in self.rules]
        return json.dumps({"rules": bodies}, sort_keys=True, ensure_ascii=True, default=str)

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.text.encode("ascii")).hexdigest()

    @cached_property
    def languages(self) -> frozenset[str]:
        return frozenset(name for rule in self.rules for name in rule.languages)

    def covers(self, language: str) -> bool:
        """Whether some rule is for texts of the language; rules for any text alone do not make a
        language covered.
        """
        return language in self.languages


def files_of(names: Sequence[str]) -> list[RuleFile]:
    """The rule files that `--rules` names: `own`, files, directories; ours when it names none.

    Raises RulesUnusable.
    """
    files = []
    for name in names or (OWN,):
        files += (
            _own() if name == OWN else [(str(path), path.read_bytes()) for path in _paths(name)]
        )
    return files


def _own() -> list[RuleFile]:
    return [(path.name, path.read_bytes()) for path in sorted(_HOME.glob("*.yaml"))]


def fingerprint(files: Iterable[RuleFile]) -> str:
    """Hash of rule files, to see that nothing has changed without parsing them."""
    return hashlib.sha256(
        b"".join(sorted(hashlib.sha256(data).digest() for _, data in files))
    ).hexdigest()


def named(names: Sequence[str]) -> RuleSet:
    """The rules that `--rules` names, together. Raises RulesUnusable."""
    return load(files_of(names), " ".join(names) or OWN)


def load(files: Sequence[RuleFile], name: str) -> RuleSet:
    """All rules of some files. Raises RulesUnusable."""
    bodies: dict[str, JsonObject] = {}
    for file, data in files:
        for body in _parse(file, data):
            number = str(body["id"])
            if bodies.setdefault(number, body) != body:
                raise RulesUnusable(
                    f"{file}: two rules have the id {number}",
                    "Choose rules with distinct ids, or run them one by one",
                )
    return RuleSet(name, tuple(_rule(bodies[number]) for number in sorted(bodies)))


def measured() -> dict[str, dict[str, list[int]]]:
    """What was measured of our rules (benchmarks/rules.py): rule -> annotated, planted and read
    -> counts.
    """
    table: dict[str, dict[str, list[int]]] = json.loads(
        (_HOME / "measured.json").read_text("utf-8")
    )["rules"]
    return table


@cache
def reliable_rules() -> frozenset[str]:
    """Our rules that were right in four of five findings of what was measured, and in three at
    least, whatever confidence they state.
    """
    return frozenset(name for name, counts in measured().items() if _is_reliable(counts))


def _is_reliable(counts: Mapping[str, Sequence[int]]) -> bool:
    # annotated: right, missed, wrong; the others: right, wrong
    right = sum(each[0] for each in counts.values())
    wrong = sum(each[-1] for each in counts.values())
    return right >= 3 and right >= 4 * wrong


def rule_row(rule: Rule, counts: Mapping[str, Mapping[str, Sequence[int]]]) -> JsonObject:
    """A rule with its precision and recall on annotated code, what it found of planted weaknesses,
    and findings that people read.

    `counts`: as `measured` gives them. Shares are None where nothing was counted.
    """
    of_rule = counts.get(rule.id, {})
    right, missed, wrong = of_rule.get("annotated", (0, 0, 0))
    planted_found, planted_wrong = of_rule.get("planted", (0, 0))
    read_true, read_wrong = of_rule.get("read", (0, 0))
    return {
        "rule": rule.id,
        "cwe": " ".join(rule.cwes),
        "tier": rule.tier or "",
        "confidence": rule.confidence,
        "severity": severity_word(rule.severity),
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


def _paths(name: str) -> list[Path]:
    """A file, or the files of rules in a directory. Raises RulesUnusable."""
    path = Path(name)
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise RulesUnusable(
            f"no rules found at {name}", "Use a file or directory with rules, or own"
        )
    paths = sorted(p for p in path.rglob("*") if p.suffix in _SUFFIXES and p.is_file())
    if not paths:
        raise RulesUnusable(f"no rule files in {name}", _FORMAT)
    return paths


def _parse(file: str, data: bytes) -> list[JsonObject]:
    """The rules of a file. Raises RulesUnusable."""
    content = _json_or_yaml(file, data)
    rules = content.get("rules") if isinstance(content, dict) else None
    if not isinstance(rules, list):
        raise RulesUnusable(f"{file} has no rules", _FORMAT)
    bodies = [rule for rule in rules if isinstance(rule, dict)]
    if not all(body.get("id") and isinstance(body.get("languages"), list) for body in bodies):
        raise RulesUnusable(f"{file}: a rule has no id or no languages", _FORMAT)
    return bodies


def _json_or_yaml(file: str, data: bytes) -> Any:
    if file.endswith(".json"):
        try:
            return json.loads(data)
        except ValueError as error:
            raise RulesUnusable(
                f"{file} is not valid JSON: {error}", "Fix the file, or download it again"
            ) from error
    try:
        import yaml
    except ImportError as error:
        raise RulesUnusable(
            "rule files cannot be read without PyYAML",
            f"Install it with: {install_command('scan')}",
        ) from error
    try:
        return yaml.load(data, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise RulesUnusable(
            f"{file} is not valid YAML: {' '.join(str(error).split())[:200]}", "Fix the file"
        ) from error


def _rule(body: JsonObject) -> Rule:
    meta = body.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    tier = next((known for known in RuleTier if known == meta.get("tier")), None)
    severity = str(body.get("severity") or "")
    paths = body.get("paths")
    include = paths.get("include") if isinstance(paths, dict) else None
    cwes = _cwes(meta)
    return Rule(
        id=str(body["id"]),
        cwes=tuple(cwes),
        names=tuple(cwes.values()),
        owasp=_strings(meta.get("owasp")),
        tier=tier,
        confidence=str(meta.get("confidence") or (_TIERS[tier] if tier else "")).upper(),
        severity=severity_named(severity) or severity.upper(),
        languages_as_named=_strings(body["languages"]),
        languages=frozenset(rule_languages(_strings(body["languages"]), _strings(include))),
        message=" ".join(str(body.get("message") or "").split()),
        body=body,
    )


def _cwes(meta: JsonObject) -> Texts:
    """CWE-78 -> the same with its name.

    Sets write CWE-78, "CWE-78: …", cwe-23, a number alone, or the number in cwe_id.
    """
    names: Texts = {}
    for text in (
        text for key in ("cwe_id", "cwe", "CWE", "cwes") for text in _strings(meta.get(key))
    ):
        number = _CWE.search(text)
        if number:
            cwe = f"CWE-{int(number[0])}"
            name = text.partition(":")[2].strip()
            names[cwe] = f"{cwe}: {name}" if name else names.get(cwe, cwe)
    return names


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, list | tuple):
        return tuple(map(str, value))
    return () if value is None else (str(value),)
