"""Rules tried on annotated files: what each finds of what it should, and what it hits that it should not.

Annotations are comments on the line before: `ruleid: ID` and `ok: ID` as semgrep has them (`todoruleid:` and `todook:` say what a
rule cannot do yet and are passed over), or `VULN: NAME` and `SAFE: NAME` of our own files, where NAME is the end of an id or a CWE.
A rule is judged in the files that name it; there every line that is not annotated is one it should not hit. A CWE is found by any
rule of it or of its family.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from attribution.weaknesses.rules.annotated import Annotation, related, wishes
from attribution.weaknesses.rules.languages import OTHER, kind_of
from attribution.weaknesses.rules.rulesets import Rule, RuleSet
from attribution.weaknesses.scan.engine import Engine, RuleMatch, Target, scan
from collector.errors import WhoWroteError
from collector.text import decode

_LARGEST = 1_000_000  # bytes of a file


class NothingToTry(WhoWroteError):
    """No annotated file, or no rule that one of them names."""


@dataclass(slots=True)
class Tried:
    """One rule, or one CWE that files name instead."""

    name: str
    found: int = 0
    missed: int = 0
    wrong: int = 0
    places: list[str] = field(default_factory=list)  # of those that are not right: path:line and what is wrong


@dataclass(slots=True)
class Trial:
    tried: list[Tried]
    untried: list[str]  # rules that no file names
    unknown: list[str]  # names in files that no rule has
    failed: list[str]  # files that were not scanned

    @property
    def passed(self) -> bool:
        return not (self.unknown or self.failed or any(one.missed or one.wrong for one in self.tried))


def annotated_files(paths: Iterable[Path]) -> list[Path]:
    """Files with annotations: those named, and all in the directories named. Raises NothingToTry."""
    found = [
        file for path in paths for file in (sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path])
    ]  # fmt: skip
    some = [file for file in dict.fromkeys(found) if file.stat().st_size <= _LARGEST and any(wishes(decode(file.read_bytes())))]
    if not some:
        raise NothingToTry(
            "no annotated files found",
            "Write a comment `ruleid: ID` before each line that rule ID must find, `ok: ID` before safe ones",
        )
    return some


def try_rules(engine: Engine, rules: RuleSet, files: Sequence[Path], complain: Callable[[str], None]) -> Trial:
    """One run over all files. Raises EngineMissing, EngineFailed, NothingToTry."""
    texts = {path: path.read_bytes() for path in files}
    targets = {path: target for path, data in texts.items() if (target := _target(path, data)) is not None}
    scanned = {one.target.blob: one for part in scan(engine, rules, targets.values(), complain=complain) for one in part}
    trial = Trial([], [], [], [str(path) for path in files if path not in targets])
    counts: dict[str, Tried] = {}
    for path, target in targets.items():
        done = scanned[target.blob]
        if done.status in ("failed", "timeout"):
            trial.failed.append(str(path))
            continue
        _judge(path, decode(texts[path]), _rules_of(rules, path, texts[path]), done.matches, counts, trial)
    trial.tried = [counts[name] for name in sorted(counts)]
    if not trial.tried:
        raise NothingToTry(
            "these files do not name any of the rules", f"They name: {', '.join(trial.unknown[:8]) or 'none'}; see: attribute rules"
        )
    trial.untried = [rule.id for rule in rules.rules if rule.id not in counts]
    return trial


def _target(path: Path, data: bytes) -> Target | None:
    kind = kind_of(path.as_posix(), data[:200])
    return None if kind is OTHER else Target(hashlib.sha256(str(path).encode()).hexdigest(), kind.suffix, data)


def _rules_of(rules: RuleSet, path: Path, data: bytes) -> Mapping[str, Rule]:
    language = kind_of(path.as_posix(), data[:200]).language
    return {name: rules.by_id[name] for name in rules.of_language(language)}


def _judge(
    path: Path, text: str, rules: Mapping[str, Rule], matches: Sequence[RuleMatch], counts: dict[str, Tried], trial: Trial
) -> None:
    """Counts what was found in one file."""
    wanted: set[tuple[str, int]] = set()
    safe: set[tuple[str, int]] = set()
    for mark in wishes(text):
        for name in _names(mark, rules, trial, path):
            (wanted if mark.vulnerable else safe).add((name, mark.line))
    named = {name for name, _ in wanted | safe}
    got = {(m.rule, m.start_line) for m in matches} | {
        (cwe, line)
        for cwe, line in wanted | safe
        if cwe.startswith("CWE-")
        for m in matches
        if m.start_line <= line <= m.end_line and related(rules[m.rule].cwe, cwe)
    }
    for name, line in sorted(wanted | {tried for tried in got if tried[0] in named}):
        tried = counts.setdefault(name, Tried(name))
        if (name, line) not in got:
            tried.missed += 1
            tried.places.append(f"{path}:{line} missed")
        elif (name, line) in wanted:
            tried.found += 1
        else:
            tried.wrong += 1
            tried.places.append(f"{path}:{line} {'safe, but reported' if (name, line) in safe else 'reported, but not annotated'}")
    for name in named:
        counts.setdefault(name, Tried(name))


def _names(mark: Annotation, rules: Mapping[str, Rule], trial: Trial, path: Path) -> list[str]:
    found = []
    for name in mark.names:
        if name.startswith("CWE-"):
            found.append(name)
            continue
        full = [rule for rule in rules if rule == name] or [rule for rule in rules if rule.endswith("." + name)]
        if len(full) == 1:
            found += full
        else:
            trial.unknown.append(f"{path}:{mark.line - 1} {name}")
    return found
