"""SARIF 2.1.0, the format of scanners, code hosts and editors: our findings written, and findings
of others with their authors.

A log of another scanner names files and lines of one commit; they are looked up there as `blame`
does, and nothing is stored. Such a log is hostile input.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote, unquote, urljoin, urlsplit

from attribution.queries.blame import BlameLine, blame
from attribution.queries.open_repo import OpenRepo
from attribution.queries.sessions import prompt_of
from attribution.stats.accuracy import class_rates
from attribution.weaknesses.queries.findings import is_refuted, reviews_of
from attribution.weaknesses.words import Confidence, Severity, severity_word
from collector.errors import WhoWroteError
from collector.git.repository import GitRepo
from collector.groups import group_pairs
from collector.json_values import Numbers, Row, get, get_list, get_str, load_json
from collector.limits import RESULT_BYTES
from collector.runtime.version import version
from collector.storage.store import Store
from collector.text import printable

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = ("note", "warning", "error")
_STEP = {"low": 0, "medium": 1, "high": 2}
# GitHub: high, medium, low
_SECURITY_SEVERITY = {Severity.ERROR: "8.0", Severity.WARNING: "5.5", Severity.INFO: "2.0"}
_LINES = 2_000  # of one finding that are looked up
_DEEPEST = 100  # directories of a path that are looked for


def sarif(store: Store, findings: Sequence[Row], prompts: bool = False) -> Row:
    """A log with one run for each repository and rule set; places are those of HEAD.

    `findings`: rows of `finding_list` that are present there; `prompts`: with the prompt behind
    each. `authorRates` of a run: how often the classes that results name as author are right, as
    blind readers found.
    """
    runs = group_pairs(
        ((finding["repo_id"], finding["rule_set_id"]), finding) for finding in findings
    )
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [_run(store, *key, runs[key], prompts) for key in sorted(runs)],
    }


def _run(
    store: Store, repo_id: int, rule_set_id: int, findings: Sequence[Row], prompts: bool
) -> Row:
    (repo,) = store.rows("SELECT name, url, head_sha FROM repos WHERE id = ?", (repo_id,))
    (scanner,) = store.rows("SELECT engine, hash FROM rule_sets WHERE id = ?", (rule_set_id,))
    rules = store.rows(
        "SELECT * FROM scan_rules WHERE rule_set_id = ? ORDER BY rule_id", (rule_set_id,)
    )
    position = {rule["rule_id"]: number for number, rule in enumerate(rules)}
    driver = {
        "name": "whowrote",
        "version": version(),
        "properties": {"scanner": scanner["engine"], "ruleSet": scanner["hash"]},
        "rules": [_rule(rule) for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "properties": {"repository": repo["name"], "authorRates": class_rates()},
        "columnKind": "utf16CodeUnits",
        "results": [_result(store, finding, position, prompts) for finding in findings],
    }
    if "://" in (repo["url"] or ""):
        run["versionControlProvenance"] = [
            {"repositoryUri": repo["url"], "revisionId": repo["head_sha"]}
        ]
    return run


def _rule(rule: Row) -> Row:
    return {
        "id": rule["rule_id"],
        "shortDescription": {"text": rule["message"] or rule["rule_id"]},
        "defaultConfiguration": {"level": _level(rule)},
        "properties": {
            "tags": ["security", *json.loads(rule["cwes"])],
            "tier": rule["tier"],
            "confidence": rule["confidence"],
            "precision": (rule["confidence"] or Confidence.LOW).lower(),
            "security-severity": _SECURITY_SEVERITY.get(rule["severity"], "5.5"),
        },
    }


def _level(rule: Row) -> str:
    """The severity of a rule or finding, one step lower where the rule's own confidence is low."""
    step = _STEP.get(severity_word(rule["severity"]) or "", 1)
    return _LEVELS[max(0, step - 1) if rule["confidence"] == Confidence.LOW else step]


def _result(store: Store, finding: Row, position: Numbers, prompts: bool) -> Row:
    first = finding["head_line"]
    region = {"startLine": first, "endLine": first + finding["end_line"] - finding["start_line"]}
    # no name is to be taken for a scheme or a query
    uri = quote(finding["head_path"], safe="/-._~")
    result = {
        "ruleId": finding["rule_id"],
        "ruleIndex": position[finding["rule_id"]],
        "level": _level(finding),
        "message": {"text": finding["message"] or finding["rule_id"]},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}],
        "partialFingerprints": {"whowrote/v1": finding["fingerprint"]},
        "properties": {
            "commit": finding["commit_sha"],
            "author": finding["class"],
            "session": finding["session"],
            "agent": finding["agent"],
            "model": finding["model"],
            "status": finding["status"],
            "confidence": finding["confidence"],
        },
    }
    if prompts and (prompt := prompt_of(store, finding["session_id"], finding["turn_index"])):
        result["properties"]["prompt"] = prompt
    if finding["suppressed"]:
        result["suppressions"] = [{"kind": "inSource"}]
    elif is_refuted(finding):
        notes = [
            f"{review['reviewer']}: {review['note']}"
            for review in reviews_of(store, finding["fingerprint"])
        ]
        result["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": "; ".join(notes)}
        ]
    return result


def authored_results(opened: OpenRepo, log: Path, commit: str = "") -> list[Row]:
    """Findings of another scanner with who wrote most of their lines, in the order of the log.

    `line_class` is "" where nobody can be looked up; `problem` says why. `commit`: the one that was
    scanned, HEAD by default. Raises WhoWroteError for a log that is none.
    """
    results = list(read_sarif(log))
    at = opened.repo.resolve(commit).sha if commit else opened.head
    place = cache(partial(_place, opened.repo, at))
    results = [row | {"path": path} for row in results if (path := place(row["path"]))]
    numbers: dict[str, set[int]] = defaultdict(set)
    for row in results:
        numbers[row["path"]].update(range(row["start_line"], row["end_line"] + 1))
    files = {path: _lines(opened, path, of_file, commit) for path, of_file in numbers.items()}
    return [_add_author(row, *files[row["path"]]) for row in results]


def _lines(
    opened: OpenRepo, path: str, numbers: set[int], commit: str
) -> tuple[dict[int, BlameLine], str]:
    """The lines that there are, and what is wrong with the file."""
    try:
        blamed = blame(opened, path, commit)
    except WhoWroteError as error:  # no such file there, or a binary one
        return {}, str(error)
    return {line.line: line for line in blamed.lines if line.line in numbers}, ""


def _add_author(row: Row, lines: dict[int, BlameLine], problem: str) -> Row:
    numbers = range(row["start_line"], row["end_line"] + 1)
    texts = [lines[n] for n in numbers if n in lines and lines[n].text.strip()]
    columns = ("line_class", "evidence", "agent", "model", "session", "commit")
    reported = {name: value for name, value in row.items() if name != "message"}
    message = row["message"]
    if not texts:
        problem = problem or "the file has no such line"
        return {**reported, **dict.fromkeys(columns, ""), "message": message, "problem": problem}
    count = Counter((line.attribution.kind, line.attribution.session_id) for line in texts)
    most = max(count, key=lambda who: count[who])
    first = next(
        line for line in texts if (line.attribution.kind, line.attribution.session_id) == most
    )
    of = first.attribution
    author = (of.kind, of.evidence, of.agent, of.model, of.session, first.introduced.sha)
    return {
        **reported,
        **dict(zip(columns, author, strict=True)),
        "message": message,
        "problem": "",
    }


def read_sarif(log: Path) -> Iterator[Row]:
    """Results with a place in a file. Raises WhoWroteError when the file is no SARIF log."""
    try:
        if log.stat().st_size > RESULT_BYTES:
            raise WhoWroteError(f"{log} is larger than {RESULT_BYTES >> 20} MB")
        value: Any = load_json(log.read_bytes())
    except OSError as error:
        raise WhoWroteError(f"{log} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise WhoWroteError(f"{log} is not JSON: {error}") from error
    if not isinstance(get(value, "runs"), list):
        raise WhoWroteError(
            f"{log} is not a SARIF log: it has no runs",
            "CodeQL, Snyk, semgrep and others write one with an option",
        )
    for run in get_list(value, "runs"):
        scanner = printable(get_str(get(run, "tool", "driver"), "name"))[:80]
        bases = get(run, "originalUriBaseIds")
        for result in get_list(run, "results"):
            yield from _places(scanner, result, bases)


def _places(scanner: str, result: object, bases: object) -> Iterator[Row]:
    """The first place of a result; others are steps on the way."""
    for location in get_list(result, "locations")[:1]:
        physical = get(location, "physicalLocation")
        artifact = get(physical, "artifactLocation")
        base = get_str(get(bases, get_str(artifact, "uriBaseId")), "uri")
        path = _path(urljoin(base, get_str(artifact, "uri")))
        start = get(physical, "region", "startLine")
        end = get(physical, "region", "endLine")
        if path and isinstance(start, int) and not isinstance(start, bool) and 0 < start < 10**8:
            yield {
                "scanner": scanner,
                "rule": printable(get_str(result, "ruleId") or get_str(result, "rule", "id"))[:200],
                "level": printable(get_str(result, "level"))[:20] or "warning",
                "path": path,
                "start_line": start,
                "end_line": (
                    end if isinstance(end, int) and start <= end < start + _LINES else start
                ),
                "message": printable(get_str(result, "message", "text"))[:500],
            }


def _path(uri: str) -> str:
    """Of a file, below the top of the repository or absolute; "" for anything else."""
    parts = urlsplit(uri)
    path = PurePosixPath(unquote(parts.path))
    if parts.scheme not in ("", "file") or ".." in path.parts:
        return ""
    return str(path) if path.parts else ""


def _place(repo: GitRepo, commit: str, path: str) -> str:
    """The path below the top of the repository: in this clone, or of a build machine, where it
    is the longest end of the path that the commit has, a directory and a name at least; "" for an
    absolute path without one.
    """
    if not path.startswith("/"):
        return path
    parts = PurePosixPath(path).parts
    top = repo.worktree()
    if top is not None and PurePosixPath(path).is_relative_to(top.as_posix()):
        return str(PurePosixPath(path).relative_to(top.as_posix()))
    ends = ("/".join(parts[n:]) for n in range(1, min(len(parts) - 1, _DEEPEST)))
    return next((end for end in ends if repo.file_at(commit, end) is not None), "")
