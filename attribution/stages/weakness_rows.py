"""Rows of the findings of a repository: who wrote their lines, what became of them, and what the rates are counted over."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from attribution.stages.turn_outcomes import fill_turn_findings
from attribution.weaknesses.rules.rulesets import RuleSet
from attribution.weaknesses.scan import exclude
from attribution.weaknesses.scan.cache import CachedScan
from attribution.weaknesses.scan.source import ScanPlan, Side, Text
from attribution.weaknesses.track.authors import FindingLines, OriginSpan, ended_by, written
from attribution.weaknesses.track.tracker import Instance, Tracker
from collector.files import git_patterns
from collector.runtime.stages import RunContext, digest
from collector.storage.store import Store
from collector.text import printable as shown
from collector.text import split_lines

_SEEN = ("ok", "partial")


@dataclass(frozen=True, slots=True)
class ScanResult:
    """A scanned history and what became of its findings."""

    rules: RuleSet
    engine: str
    plan: ScanPlan
    known: Mapping[Text, CachedScan]  # what the scanner said of each text
    tracker: Tracker


def write(context: RunContext, result: ScanResult) -> None:
    """Everything about one repository, again. Call within a transaction."""
    store, repo_id = context.store, context.repo_id
    store.connection.execute("DELETE FROM findings WHERE repo_id = ?", (repo_id,))
    store.connection.execute(
        "DELETE FROM scan_files WHERE file_id IN (SELECT f.id FROM commit_files f JOIN commits c ON c.id = f.commit_id "
        "WHERE c.repo_id = ?)",
        (repo_id,),
    )
    rule_set = _rule_set(store, result.rules, result.engine)
    rows = _Rows(context, rule_set, result)
    rows.scan_files()
    store.insert("findings", COLUMNS, (row for one in result.tracker.instances if (row := rows.finding(one)) is not None))
    fill_turn_findings(store, repo_id)
    store.connection.execute(
        "DELETE FROM rule_sets WHERE id <> ? "
        "AND id NOT IN (SELECT rule_set_id FROM scan_files UNION SELECT rule_set_id FROM findings)",
        (rule_set,),
    )


def _rule_set(store: Store, rules: RuleSet, engine: str) -> int:
    """Number of the set; its row and those of its rules are made when they are new."""
    found = store.value("SELECT id FROM rule_sets WHERE hash = ? AND engine = ?", (rules.sha256, engine))
    if found is not None:
        return int(found)
    number = store.next_id("rule_sets")
    languages = " ".join(sorted(rules.languages))
    store.insert(
        "rule_sets",
        ("id", "hash", "engine", "name", "rules", "languages"),
        [(number, rules.sha256, engine, rules.name, len(rules.rules), languages)],
    )
    columns = ("rule_set_id", "rule_id", "cwe", "cwes", "owasp", "severity", "confidence", "tier", "message", "languages")
    store.insert(
        "scan_rules",
        columns,
        (
            (
                number, r.id, r.cwe or None, json.dumps(r.names), json.dumps(r.owasp), r.severity or None, r.confidence or None,
                r.tier or None, r.message, " ".join(sorted(r.languages)),
            )
            for r in rules.rules
        ),
    )  # fmt: skip
    return number


def sides_of(found: ScanPlan) -> dict[tuple[str, str], Side]:
    """(commit, path as in the database) -> the version of the file in it."""
    return {
        (step.commit.sha, shown(pair.new.path)): pair.new
        for step in found.steps
        for side in step.sides or ()
        for pair in side
        if pair.new is not None
    }


COLUMNS = (
    "repo_id", "rule_set_id", "fingerprint", "label", "rule_id", "cwe", "owasp", "severity", "confidence", "tier", "status",
    "commit_id", "commit_sha", "path", "start_line", "end_line", "text_hash", "occurrence", "language", "place", "author",
    "author_class", "reason", "added_lines", "agent_lines", "human_lines", "unknown_lines", "session_id", "turn_index", "call_id",
    "agent", "model", "suppressed", "ignored", "fixed_by", "fixed_sha", "fixed_how", "fixed_author", "fixed_session_id", "moves",
    "rewords", "alive_at_head", "head_path", "head_line",
)  # fmt: skip


class _Rows:
    """Files and findings of one repository as rows."""

    def __init__(self, context: RunContext, rule_set: int, result: ScanResult) -> None:
        store, repo_id = context.store, context.repo_id
        self._store, self._repo, self._repo_id = store, context.repo, repo_id
        self._rule_set, self._rules, self._known, self._ignore = rule_set, result.rules, result.known, result.plan.ignore
        self._sides = sides_of(result.plan)
        commits = store.rows("SELECT id, commit_sha, declared_agent FROM commits WHERE repo_id = ?", (repo_id,))
        self._commits = {r["commit_sha"]: (int(r["id"]), r["declared_agent"]) for r in commits}
        self._spans: dict[str, dict[str, list[OriginSpan]]] = {}
        self._sessions: dict[int, list[int]] = defaultdict(list)
        for r in store.rows(
            "SELECT s.commit_id, s.session_id FROM commit_sessions s JOIN commits c ON c.id = s.commit_id WHERE c.repo_id = ?",
            (repo_id,),
        ):
            self._sessions[r["commit_id"]].append(r["session_id"])

    # --- denominators ---------------------------------------------------------------------------------------------

    def scan_files(self) -> None:
        files = self._store.rows(
            "SELECT f.id, c.commit_sha, f.path FROM commit_files f JOIN commits c ON c.id = f.commit_id "
            "WHERE c.repo_id = ? AND f.lines_added > 0",
            (self._repo_id,),
        )
        rows = ((r["id"], self._rule_set, *self._scanned(self._sides.get((r["commit_sha"], r["path"])))) for r in files)
        self._store.insert("scan_files", ("file_id", "rule_set_id", "place", "language", "status", "scanned"), rows)

    def _scanned(self, side: Side | None) -> tuple[str, str, str, int]:
        """Place, language, status, whether it was scanned."""
        if side is None:
            return exclude.SOURCE, "other", "missing", 0
        place, language = side.place, side.kind.language
        if place in exclude.LEFT_OUT:
            return place, language, "left_out", 0
        if not self._rules.covers(language):
            return place, language, "unsupported", 0
        one = self._known.get((side.blob, side.kind.suffix))
        status = one.status if one is not None else "missing"
        if status in exclude.LEFT_OUT:
            return status, language, "left_out", 0
        return place, language, status, int(status in _SEEN)

    # --- findings -------------------------------------------------------------------------------------------------

    def finding(self, instance: Instance) -> tuple[Any, ...] | None:
        """None when the commit is not among the attributed ones, or the version is not there."""
        path = shown(instance.path)
        side = self._sides.get((instance.sha, path))
        if instance.sha not in self._commits or side is None:
            return None
        commit_id, declared = self._commits[instance.sha]
        hit, rule = instance.hit, self._rules.by_id[instance.hit.rule]
        by = self._written(instance, side)
        main = by.main
        agent = main.agent if main is not None and main.author == "agent" and main.session is not None else None
        return (
            self._repo_id, self._rule_set, fingerprint(instance), f"{rule.cwe or hit.rule} {path}:{hit.start}"[:200], hit.rule,
            rule.cwe or None, rule.owasp[0] if rule.owasp else None, rule.severity or None, rule.confidence or None,
            rule.tier or None,
            instance.status if by.added else "surfaced",
            commit_id, instance.sha, path, hit.start, hit.end, hit.text, instance.occurrence, side.kind.language, side.place,
            by.author, by.author_class, by.reason, by.added, by.agent, by.human, by.unknown,
            *((main.session, main.turn, main.call) if main is not None else (None, None, None)),
            agent or (declared if by.author_class == "declared" else None), main.model if main is not None else None,
            int(hit.suppressed), int(bool(self._ignore) and git_patterns.ignored(instance.path, self._ignore)),
            *self._fixed(instance), instance.moves, instance.rewords,
            int(instance.head is not None),
            *((shown(instance.head[0]), instance.head[1]) if instance.head else (None, None)),
        )  # fmt: skip

    def _written(self, instance: Instance, side: Side) -> FindingLines:
        start, end = instance.hit.start, instance.hit.end
        lines = split_lines(self._repo.blob(side.blob) or b"")
        blank = [n for n in range(start, end + 1) if n > len(lines) or not lines[n - 1].strip()]
        return written(self._of(instance.sha).get(shown(instance.path), ()), start, end, blank)

    def _fixed(self, instance: Instance) -> tuple[Any, ...]:
        """fixed_by, fixed_sha, fixed_how, fixed_author, fixed_session_id."""
        if not instance.fixed_sha:
            return (None,) * 5
        commit_id = self._commits.get(instance.fixed_sha, (None, None))[0]
        if commit_id is None:
            return None, instance.fixed_sha, instance.fixed_how, "unknown", None
        files = self._of(instance.fixed_sha)
        here = files.get(shown(instance.fixed_path), []) if instance.fixed_how != "file_deleted" else []
        every = [span for spans in files.values() for span in spans]
        author, session = ended_by(here, instance.fixed_lines, every, self._sessions.get(commit_id, []))
        return commit_id, instance.fixed_sha, instance.fixed_how, author, session

    def _of(self, sha: str) -> dict[str, list[OriginSpan]]:
        """Path -> spans of a commit."""
        if sha not in self._spans:
            files: dict[str, list[OriginSpan]] = defaultdict(list)
            for path, span in self._read(self._commits[sha][0]):
                files[path].append(span)
            self._spans[sha] = dict(files)
        return self._spans[sha]

    def _read(self, commit_id: int) -> Iterator[tuple[str, OriginSpan]]:
        for r in self._store.rows(
            "SELECT f.path, s.start_line, s.end_line, s.nonblank, o.author, o.evidence, o.reason, o.session_id, o.turn_index, "
            "o.call_id, COALESCE(o.model, n.model) AS model, COALESCE(n.agent, n.agent_label) AS agent FROM commit_files f "
            "JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id LEFT JOIN sessions n ON n.id = o.session_id "
            "WHERE f.commit_id = ? ORDER BY f.id, s.start_line",
            (commit_id,),
        ):
            yield r["path"], OriginSpan(*(r[k] for k in r if k != "path"))


def fingerprint(one: Instance) -> str:
    """The same for the same finding in every database."""
    return digest(one.sha, one.path, one.hit.rule, one.hit.text, str(one.occurrence))
