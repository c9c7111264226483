"""Our results in the formats of others: one writer per format, found by its `NAME`.

A writer gives files below the place it is told, and nothing else; the analysed clone is never
written to.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Protocol, cast

from collector.json_values import Numbers, Row
from collector.plugins import modules_of
from collector.runtime.progress import Progress, no_progress
from collector.storage.store import Store
from collector.vocabulary.lines import Author, LineClass, line_class_sql


@dataclass(slots=True)
class ExportRequest:
    """What is to be written and where."""

    store: Store
    repos: list[int]
    out: Path
    tables: tuple[str, ...] = ()  # only these; () for all
    ref: str = ""  # the notes ref
    into: Path | None = None  # the repository that gets the notes
    progress: Progress = no_progress


@dataclass(slots=True)
class ExportResult:
    """What a writer did."""

    files: list[Path] = field(default_factory=list)
    rows: Numbers = field(default_factory=dict)  # records, lines, or rows by table
    notes: list[str] = field(default_factory=list)


class Export(Protocol):
    """The contract of a module in `attribution/exchange/exports/`."""

    NAME: str
    LABEL: str
    GIVES: str  # what it writes, for people
    # and where some of `--into`, `--ref` and `--table` mean something to it, OPTIONS: their names

    def write(self, request: ExportRequest) -> ExportResult: ...


def exports() -> list[Export]:
    return [cast(Export, module) for module in modules_of(__name__)]


Share = list[Row]
"""What one session wrote into one commit; without a session: what people did. Never empty."""

_SPANS = f"""
SELECT r.name AS repo, c.commit_sha AS "commit", c.author_at,
  trim(COALESCE(c.author_name, '') || ' <' || COALESCE(c.author_email, '') || '>') AS committer,
  COALESCE(n.key, '') AS session, COALESCE(n.agent, n.agent_label, '') AS agent,
  COALESCE(n.agent_version, '') AS agent_version, f.path, s.start_line, s.end_line,
  s.end_line - s.start_line + 1 AS lines, o.author, o.how, o.evidence, o.turn_index AS turn,
  COALESCE(o.model, CASE WHEN o.author = 'agent' THEN n.model END, '') AS model
FROM commits c JOIN repos r ON r.id = c.repo_id
JOIN commit_files f ON f.commit_id = c.id JOIN spans s ON s.file_id = f.id
JOIN origins o ON o.id = s.origin_id LEFT JOIN sessions n ON n.id = o.session_id
WHERE c.repo_id = ? AND f.content = 'text'
  AND {line_class_sql("o")} IN ('{LineClass.AGENT}', '{LineClass.HUMAN}')
ORDER BY c.position, n.key, f.path, s.start_line
"""


def commit_shares(store: Store, repo_id: int, people: bool = True) -> Iterator[Share]:
    """Commit by commit, session by session: lines that a recorded action wrote, and those of people
    with a witness.

    Lines that only a trailer gives to an agent, people's without a witness, those of tools and
    unknown ones are left out: the formats have no name for them, and none of them may pass for an
    agent's or a person's.
    """
    spans = (
        span for span in store.rows(_SPANS, (repo_id,)) if people or span["author"] != Author.HUMAN
    )
    for _, share in groupby(spans, lambda span: (span["commit"], span["session"])):
        yield list(share)


_UNSHARED = (
    LineClass.DECLARED,
    LineClass.LIKELY_HUMAN,
    LineClass.TOOL,
    LineClass.UNKNOWN,
    LineClass.UNDECLARED,
)


def left_out(store: Store, repos: Sequence[int]) -> list[str]:
    """A note on the added lines that are in no share, by class; none when there are no such
    lines.
    """
    among = ", ".join(map(str, repos)) or "NULL"
    sums = store.rows(
        f"SELECT class, SUM(lines) AS lines FROM line_spans WHERE repo_id IN ({among}) GROUP BY"
        " class"
    )
    lines = {row["class"]: row["lines"] for row in sums}
    parts = [f"{lines[name]:,} {name.replace('_', ' ')}" for name in _UNSHARED if lines.get(name)]
    return [f"lines left out: {', '.join(parts)}"] if parts else []
