"""What is stated of the files of a commit: who wrote which lines, and how we know. Read once for
every format.

`docs/statements.md` says what a row is and how the digest of all rows is made. A statement is plain
values by name, for the templates of formats (the JSON files beside it), which `fill` fills.
"""

import hashlib
import json
import os
import uuid
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib import resources
from itertools import accumulate
from typing import Any
from urllib.parse import quote

from attribution.exchange.exports import ExportRequest, ExportResult
from attribution.lineage.survival import BY_AGENTS
from attribution.queries.coverage import ATTRIBUTED
from attribution.queries.repositories import clone_at
from collector.errors import WhoWroteError
from collector.json_values import Row
from collector.runtime.version import version
from collector.storage.store import Store, iso
from collector.text import encode, from_utf_16, is_binary, printable, split_lines
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import LINE_CLASSES, line_class_sql

_OLDER = "older"
_ABOUT = """
WITH known AS (
  SELECT r.name AS repository, r.path AS clone, r.branch, t.tip_sha AS "commit",
    CASE WHEN r.url LIKE 'http%://%' OR r.url LIKE 'ssh://%' THEN r.url END AS url
  FROM repos r JOIN tip_states t ON t.repo_id = r.id WHERE r.id = ?
)
SELECT *, COALESCE('git+' || url || '@' || "commit", 'NOASSERTION') AS place FROM known
"""
_FILES = "SELECT id, path FROM tip_files WHERE repo_id = ? ORDER BY path, id"
_SPANS = f"""
SELECT t.start_line, t.end_line,
  CASE WHEN o.id IS NULL THEN t.end_line - t.start_line + 1 ELSE t.nonblank END AS text,
  b.commit_sha AS introduced, t.birth_path AS introduced_path, t.birth_line AS introduced_line,
  COALESCE({line_class_sql("o")}, '{_OLDER}') AS class,
  o.how, o.evidence, NULLIF(o.reason, '') AS reason, NULLIF(COALESCE(n.agent,
    CASE WHEN o.evidence = 'declared' THEN c.declared_agent END), '') AS agent,
  NULLIF(NULLIF(COALESCE(o.model, CASE WHEN o.author = 'agent' THEN n.model END), ''),
    c.declared_agent) AS model,
  n.key AS session, o.turn_index AS turn, o.tool, o.run_by, o.edited_by, o.witness
FROM tip_spans t LEFT JOIN origins o ON o.id = t.origin_id
LEFT JOIN sessions n ON n.id = o.session_id LEFT JOIN history_commits b ON b.id = t.birth
LEFT JOIN commits c ON c.repo_id = b.repo_id AND c.commit_sha = b.commit_sha
WHERE t.file_id = ? ORDER BY t.start_line
"""
_MEASURED = """
SELECT DISTINCT k.class, k.how, k.evidence, k.reason, k.measured_on, k.checked AS lines,
  k.checked - k.correct AS wrong, ROUND(1 - k.rate, 4) AS error_rate,
  ROUND(1 - k.high, 4) AS low, ROUND(1 - k.low, 4) AS high
FROM tip_files f JOIN tip_spans t ON t.file_id = f.id JOIN origins o ON o.id = t.origin_id
JOIN confidence k USING (author, how, evidence, reason)
WHERE f.repo_id = ? ORDER BY k.class, k.how, k.evidence, k.reason
"""


def write_statement(request: ExportRequest, render: Callable[[Row], str]) -> ExportResult:
    """The document about the one repository of the request."""
    statement = read_statement(request.store, request.repos[0])
    request.out.write_text(render(statement), "utf-8")
    left_out = statement["left_out"]
    note = f"files whose content is not in this clone, left out: {left_out}"
    counts = {"files": len(statement["files"]), "lines": statement["lines"]}
    return ExportResult([request.out], counts, [note] if left_out else [])


def read_statement(store: Store, repo_id: int) -> Row:
    """Of the commit up to which the lines of the repository are followed.

    Raises WhoWroteError when the clone is not where it was.
    """
    about = next(iter(store.rows(_ABOUT, (repo_id,))), {})
    clone = clone_at(about.get("clone"))
    commit = clone.commit(about["commit"]) if clone else None
    if clone is None or commit is None:
        raise WhoWroteError("the clone is no longer where it was attributed", "Name it with PATH")
    followed = defaultdict(list)
    for row in store.rows(_FILES, (repo_id,)):
        followed[row["path"]].append(row["id"])
    digest = hashlib.sha256()
    files = []
    paths = sorted(clone.paths(commit.sha).items())
    for name, blob in paths:
        data = clone.raw_blob(blob)
        if data is not None:
            path = printable(name)
            known = store.rows(_SPANS, (followed[path].pop(0),)) if followed[path] else _whole(data)
            spans = [_values(span) for span in known]
            digest.update(b"".join(map(_canonical, (path, *spans))))
            id_ = hashlib.sha256(encode(name)).hexdigest()
            of_git = {"id": id_, "name": name, "path": path, "blob": blob}
            files.append(_contents(spans, data) | of_git)
    sums = sorted(file["sha1"] for file in files)
    return {
        **about,
        "purl": f"pkg:generic/{quote(about['repository'], safe='')}@{commit.sha}",
        "timestamp": _moment(commit.commit_time),
        "version": version(),
        "rows_sha256": digest.hexdigest(),
        "uuid": uuid.uuid5(uuid.NAMESPACE_URL, commit.sha + digest.hexdigest()),
        "verification": hashlib.sha1("".join(sums).encode()).hexdigest(),
        "measured": [{"row": _values(row)} for row in store.rows(_MEASURED, (repo_id,))],
        **_line_counts([span for file in files for span in file["spans"]]),
        "files": files,
        "git": clone,
        "left_out": len(paths) - len(files),
    }


def _contents(rows: Sequence[Row], data: bytes) -> Row:
    """What the content of a file and the rows of its lines say."""
    text = from_utf_16(data)
    ends = [0, *accumulate(len(line) + 1 for line in text.split(b"\n"))]
    ends[-1] = len(text)
    spans = [
        {
            "row": row,
            **row,
            "first_byte": ends[row["start_line"] - 1] + 1,
            "last_byte": ends[row["end_line"]],
        }
        for row in rows
    ]
    agents = {_agent(row) for row in rows if row["class"] in BY_AGENTS}
    return {
        "sha1": hashlib.sha1(data).hexdigest(),
        "sha256": hashlib.sha256(data).hexdigest(),
        **_line_counts(rows),
        "agents": [{"agent": name} for name in sorted(agents)],
        "spans": spans,
        "snippets": spans if text is data else [],  # of UTF-16 the bytes are others
    }


def _whole(data: bytes) -> list[Row]:
    """A file that is not followed: unchanged in the followed history, or too large."""
    last = len(split_lines(data))
    span = {"start_line": 1, "end_line": last, "text": last, "class": _OLDER}
    return [span] if last and not is_binary(data) else []


def _line_counts(spans: Sequence[Row]) -> Row:
    """Lines with text, and the classes that there are with their shares."""
    counts = dict.fromkeys((*LINE_CLASSES, _OLDER), 0)
    for span in spans:
        counts[span["class"]] += span["text"]
    lines = sum(counts.values())
    return {
        "lines": lines,
        "attributed": sum(counts[name] for name in ATTRIBUTED),
        "classes": [
            {"class": name, "lines": count, "share": round(count / lines, 4)}
            for name, count in counts.items()
            if count
        ],
    }


def _agent(span: Row) -> str:
    """For people: Claude Code (opus-4)."""
    model = f" ({span['model']})" if "model" in span else ""
    return label_of(span.get("agent", "unnamed agent")) + model


def _values(row: Row) -> Row:
    return {name: value for name, value in row.items() if value is not None}


def _canonical(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _moment(committed: float) -> str:
    """To the second; SOURCE_DATE_EPOCH comes first."""
    fixed = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(fixed) if fixed.isdecimal() else committed
    return (iso(seconds) or "1970-01-01T00:00:00")[:19] + "Z"


# --- templates ------------------------------------------------------------------------------------


def fill(template: Any, values: Row) -> Any:
    """A JSON template with values in place of `{name}`, and of `{"each": name, "of": template}` in
    a list what the template says of each item; `{"json": template}` is its text. What has no value
    is left out.
    """
    if isinstance(template, str):
        name = template[1:-1]
        return values[name] if name in values else template.format_map(values)
    if isinstance(template, dict):
        if "json" in template:
            return json.dumps(fill(template["json"], values), ensure_ascii=False)
        return _values({key: fill(inner, values) for key, inner in template.items()})
    if isinstance(template, list):
        return [item for part in template for item in _items(part, values)]
    return template


def _items(part: Any, values: Row) -> list[Any]:
    if "each" not in part:
        return [fill(part, values)]
    items = ({**values, **item} for item in values[part["each"]])
    return [filled for each in items for filled in _items(part["of"], each)]


def render_json(template: str, statement: Row) -> str:
    """A template beside the exports, filled."""
    text = resources.files("attribution.exchange.exports").joinpath(template).read_text("utf-8")
    return json.dumps(fill(json.loads(text), statement), ensure_ascii=False, indent=1) + "\n"
