"""Rows of the findings of a repository: who wrote their lines, what became of them, and what the
rates are counted over.

A span of a commit is a row too: start_line, end_line, nonblank, author, class, reason, session_id,
turn_index, call_id, model, and the agent of the session.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from attribution.weaknesses.rules.rulesets import RuleSet
from attribution.weaknesses.scan.engine import Engine
from attribution.weaknesses.scan.source import CachedScan, ScanPlan, Side, Text
from attribution.weaknesses.track.tracker import Instance, Tracker, VersionFinding
from attribution.weaknesses.words import SCANNED, FindingStatus, FixHow, Mixture, ScanStatus
from collector.files import git_patterns
from collector.files.analysed import ANALYSED
from collector.groups import group_pairs, only
from collector.json_values import Row
from collector.runtime.stages import RunContext, digest
from collector.storage.store import Store
from collector.text import printable, split_lines
from collector.vocabulary.lines import Author, FilePlace, LineClass, line_class_sql

_LEFT_OUT = frozenset(FilePlace) - frozenset(ANALYSED)
_MISSING = CachedScan(ScanStatus.MISSING, frozenset())


@dataclass(slots=True)
class ScanResult:
    """A scanned history and what became of its findings."""

    rules: RuleSet
    engine: Engine
    plan: ScanPlan
    scans: dict[Text, CachedScan] = field(default_factory=dict)
    findings: Mapping[Text, tuple[VersionFinding, ...]] = field(default_factory=dict)
    tracker: Tracker = field(default_factory=lambda: Tracker({}))

    def scan_of(self, text: Text) -> CachedScan:
        """What the scanner said of a text."""
        return self.scans.get(text, _MISSING)


def write(context: RunContext, result: ScanResult) -> None:
    """Everything about one repository, again. Call within a transaction."""
    store = context.store
    repo_id = context.repo_id
    store.connection.execute("DELETE FROM findings WHERE repo_id = ?", (repo_id,))
    store.connection.execute(
        "DELETE FROM scan_files WHERE file_id IN (SELECT f.id FROM commit_files f JOIN commits c ON"
        " c.id = f.commit_id WHERE c.repo_id = ?)",
        (repo_id,),
    )
    rule_set = _rule_set(store, result.rules, result.engine.name)
    builder = _Rows(context, rule_set, result)
    store.insert_rows("scan_files", builder.scan_files())
    store.insert_rows(
        "findings",
        [
            row
            for instance in result.tracker.instances
            if (row := builder.finding(instance)) is not None
        ],
    )
    _fill_turns(store, repo_id)
    store.connection.execute(
        "DELETE FROM rule_sets WHERE id <> ? "
        "AND id NOT IN (SELECT rule_set_id FROM scan_files UNION SELECT rule_set_id FROM findings)",
        (rule_set,),
    )


def _rule_set(store: Store, rules: RuleSet, engine: str) -> int:
    """Number of the set; its row and those of its rules are made when they are new."""
    existing = store.value(
        "SELECT id FROM rule_sets WHERE hash = ? AND engine = ?", (rules.sha256, engine)
    )
    if existing is not None:
        return int(existing)
    number = store.next_id("rule_sets")
    about = {"hash": rules.sha256, "engine": engine, "name": rules.name, "rules": len(rules.rules)}
    store.insert_rows(
        "rule_sets", [{"id": number, **about, "languages": " ".join(sorted(rules.languages))}]
    )
    store.insert_rows(
        "scan_rules",
        [
            {
                "rule_set_id": number,
                "rule_id": r.id,
                "cwe": r.cwe or None,
                "cwes": json.dumps(r.names),
                "owasp": json.dumps(r.owasp),
                "severity": r.severity or None,
                "confidence": r.confidence or None,
                "tier": r.tier or None,
                "message": r.message,
                "languages": " ".join(sorted(r.languages)),
            }
            for r in rules.rules
        ],
    )
    return number


class _Rows:
    """Files and findings of one repository as rows: column -> value."""

    def __init__(self, context: RunContext, rule_set: int, result: ScanResult) -> None:
        store = context.store
        repo_id = context.repo_id
        self._store = store
        self._repo = context.repo
        self._repo_id = repo_id
        self._rule_set = rule_set
        self._result = result
        # (commit, path as in the database) -> the version of the file in it
        self._sides = {
            (step.commit.sha, printable(pair.new.path)): pair.new
            for step in result.plan.steps
            for side in step.sides
            for pair in side
            if pair.new is not None
        }
        commits = store.rows(
            "SELECT id, commit_sha, declared_agent FROM commits WHERE repo_id = ?", (repo_id,)
        )
        self._commits = {
            row["commit_sha"]: (int(row["id"]), row["declared_agent"]) for row in commits
        }
        self._spans: dict[str, dict[str, list[Row]]] = {}
        self._sessions = group_pairs(
            (row["commit_id"], row["session_id"])
            for row in store.rows(
                "SELECT s.commit_id, s.session_id FROM commit_sessions s JOIN commits c ON c.id ="
                " s.commit_id WHERE c.repo_id = ?",
                (repo_id,),
            )
        )

    def scan_files(self) -> list[Row]:
        files = self._store.rows(
            "SELECT f.id, c.commit_sha, f.path FROM commit_files f JOIN commits c ON c.id ="
            " f.commit_id WHERE c.repo_id = ? AND f.lines_added > 0",
            (self._repo_id,),
        )
        return [
            {
                "file_id": row["id"],
                "rule_set_id": self._rule_set,
                **self._scan_of(self._sides.get((row["commit_sha"], row["path"]))),
            }
            for row in files
        ]

    def _scan_of(self, side: Side | None) -> Row:
        """Place, language, status, whether it was scanned."""
        if side is None:
            return {
                "place": FilePlace.SOURCE,
                "language": "other",
                "status": ScanStatus.MISSING,
                "scanned": 0,
            }
        place: str = side.place
        if place in _LEFT_OUT:
            status: str = ScanStatus.LEFT_OUT
        elif not self._result.rules.covers(side.kind.language):
            status = ScanStatus.UNSUPPORTED
        else:
            status = self._result.scan_of(side.text).status
            if status in _LEFT_OUT:
                place = status
                status = ScanStatus.LEFT_OUT
        return {
            "place": place,
            "language": side.kind.language,
            "status": status,
            "scanned": int(status in SCANNED),
        }

    def finding(self, instance: Instance) -> Row | None:
        """None when the commit is not among the attributed ones, or the version is not there."""
        path = printable(instance.path)
        side = self._sides.get((instance.sha, path))
        if instance.sha not in self._commits or side is None:
            return None
        commit_id, declared = self._commits[instance.sha]
        hit = instance.hit
        rule = self._result.rules.by_id[instance.hit.rule]
        ignore = self._result.plan.ignore
        authors = authors_of(
            self._spans_of(instance.sha).get(path, ()),
            hit.start,
            hit.end,
            self._blank_lines(side),
            declared,
        )
        head_path, head_line = instance.head or (None, None)
        is_uncertain = instance.status == FindingStatus.UNCERTAIN
        return {
            "repo_id": self._repo_id,
            "rule_set_id": self._rule_set,
            "fingerprint": fingerprint(instance),
            "label": f"{rule.cwe or hit.rule} {path}:{hit.start}"[:200],
            "rule_id": hit.rule,
            "cwe": rule.cwe or None,
            "owasp": rule.owasp[0] if rule.owasp else None,
            "severity": rule.severity or None,
            "confidence": rule.confidence or None,
            "tier": rule.tier or None,
            "status": (
                instance.status
                if authors["added_lines"] or is_uncertain
                else FindingStatus.SURFACED
            ),
            "commit_id": commit_id,
            "commit_sha": instance.sha,
            "path": path,
            "start_line": hit.start,
            "end_line": hit.end,
            "text_hash": hit.text,
            "occurrence": instance.occurrence,
            "language": side.kind.language,
            "place": side.place,
            **authors,
            "suppressed": int(hit.suppressed),
            "ignored": int(bool(ignore) and git_patterns.is_ignored(instance.path, ignore)),
            **self._end(instance),
            "moves": instance.moves,
            "rewords": instance.rewords,
            "alive_at_head": int(instance.head is not None),
            "head_path": printable(head_path) if head_path is not None else None,
            "head_line": head_line,
        }

    def _blank_lines(self, side: Side) -> list[int]:
        texts = split_lines(self._repo.content(side.blob))
        return [number for number, text in enumerate(texts, 1) if not text.strip()]

    def _end(self, instance: Instance) -> Row:
        end = dict.fromkeys(
            ("fixed_by", "fixed_sha", "fixed_how", "fixed_author", "fixed_session_id")
        )
        fix = instance.fix
        if fix is None:
            return end
        end |= {"fixed_sha": fix.sha, "fixed_how": fix.how, "fixed_author": Author.UNKNOWN}
        commit_id = self._commits.get(fix.sha, (None, None))[0]
        if commit_id is None:
            return end
        files = self._spans_of(fix.sha)
        here = files.get(printable(fix.path), []) if fix.how != FixHow.FILE_DELETED else []
        every = [span for spans in files.values() for span in spans]
        author, session = ended_by(here, fix.lines, every, self._sessions[commit_id])
        return end | {"fixed_by": commit_id, "fixed_author": author, "fixed_session_id": session}

    def _spans_of(self, sha: str) -> dict[str, list[Row]]:
        """Path -> spans of a commit."""
        if sha not in self._spans:
            files = group_pairs(
                (row["path"], row) for row in self._store.rows(_SPANS, (self._commits[sha][0],))
            )
            self._spans[sha] = dict(files)
        return self._spans[sha]


_SPANS = f"""
SELECT f.path, s.start_line, s.end_line, s.nonblank, o.author, {line_class_sql("o")} AS class,
  o.reason, o.session_id, o.turn_index, o.call_id, COALESCE(o.model, n.model) AS model,
  COALESCE(n.agent, n.agent_label) AS agent
FROM commit_files f JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id
LEFT JOIN sessions n ON n.id = o.session_id WHERE f.commit_id = ? ORDER BY f.id, s.start_line
"""


def fingerprint(instance: Instance) -> str:
    """The same for the same finding in every database."""
    return digest(
        instance.sha, instance.path, instance.hit.rule, instance.hit.text, str(instance.occurrence)
    )


def _fill_turns(store: Store, repo_id: int) -> None:
    """Weaknesses that turns brought in and fixed."""
    store.connection.execute(
        "UPDATE turn_outcomes SET findings_fixed = 0, findings_introduced = (SELECT COUNT(*) FROM"
        " findings f WHERE f.session_id = turn_outcomes.session_id AND f.turn_index ="
        " turn_outcomes.turn_index AND f.status = 'introduced') WHERE repo_id = ?",
        (repo_id,),
    )
    # A fix is a turn's where no other turn of the session had edited the file by then.
    store.connection.execute(
        "UPDATE turn_outcomes SET findings_fixed = n.fixed FROM (SELECT session_id, turn_index,"
        " COUNT(*) AS fixed FROM (SELECT f.id, e.session_id, MIN(e.turn_index) AS turn_index FROM"
        " findings f JOIN commits c ON c.id = f.fixed_by JOIN edits e ON e.session_id ="
        " f.fixed_session_id AND e.path = f.path AND e.outcome = 'applied' AND (e.at IS NULL OR"
        " e.at <= c.author_at) WHERE f.repo_id = ? AND f.status = 'introduced' GROUP BY f.id,"
        " e.session_id HAVING COUNT(DISTINCT e.turn_index) = 1) GROUP BY session_id, turn_index) n"
        " WHERE n.session_id = turn_outcomes.session_id AND n.turn_index ="
        " turn_outcomes.turn_index",
        (repo_id,),
    )


def authors_of(
    spans: Iterable[Row],
    start: int,
    end: int,
    blank: Iterable[int] = (),
    declared: str | None = None,
) -> Row:
    """The columns of a finding about its added lines with text.

    The session is the one that wrote most of them.

    `start` to `end`: lines of the match; `blank`: those without text; `declared`: the agent that
    the commit declares.
    """
    empty = set(blank)
    counted = [
        (sum(n not in empty for n in _shared_lines(span, start, end)), span) for span in spans
    ]
    lines = [(count, span) for count, span in counted if count]
    authors = Counter[str]()
    classes = Counter[str]()
    for count, span in lines:
        authors[span["author"]] += count
        classes[span["class"]] += count
    reasons = {span["reason"]: count for count, span in lines if span["author"] == Author.UNKNOWN}
    _, most = max(
        lines, key=lambda pair: (pair[1]["author"] == Author.AGENT, pair[0]), default=(0, {})
    )
    is_of_agent = most.get("author") == Author.AGENT and most["session_id"] is not None
    return {
        "class": (single := _single(classes)),
        "reason": max(reasons, key=reasons.__getitem__, default=""),
        "added_lines": authors.total(),
        "agent_lines": authors[Author.AGENT],
        "human_lines": classes[LineClass.HUMAN],
        "unknown_lines": authors[Author.UNKNOWN],
        **{name: most.get(name) for name in ("session_id", "turn_index", "call_id", "model")},
        "agent": (
            (is_of_agent and most["agent"]) or (declared if single == LineClass.DECLARED else None)
        ),
    }


def _shared_lines(span: Row, start: int, end: int) -> range:
    return range(max(span["start_line"], start), min(span["end_line"], end) + 1)


def _single(names: Iterable[str]) -> str:
    distinct = set(names)
    return distinct.pop() if len(distinct) == 1 else Mixture.MIXED if distinct else Author.UNKNOWN


def ended_by(
    spans: Sequence[Row],
    path_lines: Sequence[tuple[int, int]],
    commit: Sequence[Row],
    sessions: Sequence[int],
) -> tuple[str, int | None]:
    """Who ended a finding, as class and session: the lines in its place, else all lines its commit
    added to the file, else to any.

    `spans`: of the file; `commit`: of all files; `sessions`: linked to the commit.
    """
    inside = [
        span for span in spans if any(_shared_lines(span, start, end) for start, end in path_lines)
    ]
    for candidates in (inside, spans, commit):
        telling = [span for span in candidates if span["nonblank"]]
        if telling:
            session_ids = {span["session_id"] for span in telling} - {None}
            return _single(span["class"] for span in telling), only(session_ids)
    return Mixture.NONE, only(sessions)
