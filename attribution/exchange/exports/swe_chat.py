"""SWE-chat's tables (arXiv 2604.20779, release v2) under its own table and column names, so that
its notebook reads our data.

A column we cannot fill is null, such as identities at GitHub, and labels where no language model
was asked. Line counts of sessions and commits are ours, not the vendor's; a session is summed over
all its checkpoints. The rows are made in `swe_chat.sql`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from attribution.exchange.exports import ExportRequest, ExportResult
from collector.json_values import Row, get_dict, load_json, parse_json
from collector.runtime.version import install_command
from collector.storage.store import Store
from collector.storage.tablefiles import Column, Columns, has_parquet, write_csv, write_parquet
from collector.vocabulary import sql_list
from collector.vocabulary.agents import label_of

NAME = "swe-chat"
LABEL = "SWE-chat tables"
GIVES = "a directory with its six tables, as Parquet or CSV"

_TOOLS = {
    "research": (
        "Read",
        "Grep",
        "Glob",
        "WebFetch",
        "WebSearch",
        "read_file",
        "grep",
        "glob",
        "list_directory",
    ),
    "action": ("Write", "Edit", "NotebookEdit", "Bash", "write_file", "edit_file", "run_command"),
    "writes": ("Write", "Edit", "write_file", "edit_file"),
    "orchestration": (
        "Task",
        "Agent",
        "TodoWrite",
        "TaskCreate",
        "TaskUpdate",
        "Skill",
        "EnterPlanMode",
        "ExitPlanMode",
    ),
}
_SHELL = frozenset(
    {
        "bash",
        "run_shell_command",
        "exec_command",
        "exec",
        "shell_command",
        "powershell",
        "execute",
        "shell",
    }
)
_PATH_KEYS = ("file_path", "filePath", "path", "notebook_path")


"""Column of the release -> value."""

Labels = Mapping[tuple[str, int, str], str | float]
"""(session, turn, label) -> what the judge that answered last said."""


def write(request: ExportRequest) -> ExportResult:
    return write_tables(request, tables())


def write_tables(request: ExportRequest, every: Mapping[str, ExportTable]) -> ExportResult:
    """A file for each table, as Parquet if it can be."""
    parquet = has_parquet()
    ending, writer = (".parquet", write_parquet) if parquet else (".csv", write_csv)
    request.out.mkdir(parents=True, exist_ok=True)
    result = ExportResult()
    labels = _labels(request.store)
    for number, (name, table) in enumerate(every.items()):
        request.progress("writing tables", number, len(every))
        path = request.out / f"{name}{ending}"
        rows = (
            row
            for repo in request.repos
            for row in _rows(request.store, name, table.select, repo, labels)
        )
        result.rows[name] = writer(path, table.columns, _in_order(rows, table.columns))
        result.files.append(path)
    if not parquet:
        result.notes.append(f"CSV, because pyarrow is not installed: {install_command('parquet')}")
    return result


def _in_order(rows: Iterable[Row], columns: Columns) -> Iterator[Sequence[Any]]:
    for row in rows:
        values = ((row.get(column.name), column.kind) for column in columns)
        yield [
            bool(value) if kind == "bool" and value is not None else value for value, kind in values
        ]


class ExportTable(NamedTuple):
    """A table of the release, or of the data set."""

    columns: Columns
    select: str  # of its rows


@cache
def tables(file: str = "swe_chat.sql") -> dict[str, ExportTable]:
    """The tables of the release by name, or those of another file in its form."""
    text = resources.files("attribution.exchange.exports").joinpath(file).read_text("utf-8")
    parts = re.split(r"^-- table (\w+)\n((?:-- .*\n)+)", text, flags=re.MULTILINE)
    tools = {name: sql_list(names) for name, names in _TOOLS.items()}
    return {
        name: ExportTable(
            [_column(word) for word in columns.replace("--", "").split()], select.format(**tools)
        )
        for name, columns, select in zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    }


def _column(word: str) -> Column:
    name, _, kind = word.partition(":")
    return Column(name, kind or "str")


def _labels(store: Store) -> Labels:
    rows = store.rows(_LATEST) if store.has("judge_labels") else []
    return {(row["key"], row["turn_index"], row["label"]): row["value"] for row in rows}


_LATEST = """
SELECT s.key, l.turn_index, l.label, COALESCE(l.value, l.number) AS value
FROM judge_labels l JOIN sessions s ON s.id = l.session_id
WHERE COALESCE(l.value, l.number) IS NOT NULL AND (l.model, l.prompt_version) = (
  SELECT l.model, l.prompt_version FROM judge_labels l JOIN judgements j ON j.id = l.judgement_id
  GROUP BY l.model, l.prompt_version ORDER BY MAX(j.at) DESC, l.model LIMIT 1)
"""


def _rows(store: Store, table: str, select: str, repo_id: int, labels: Labels) -> Iterator[Row]:
    cursor = store.connection.execute(select, {"repo": repo_id})
    names = [column[0] for column in cursor.description]
    rows = (dict(zip(names, values, strict=True)) for values in cursor)
    complete = _COMPLETED.get(table)
    yield from rows if complete is None else complete(rows, labels)


# --- what needs more than SQL ---------------------------------------------------------------------


def _repositories(rows: Iterable[Row], labels: Labels) -> Iterator[Row]:
    """Domain and audience are what a judge said of most sessions."""
    for row in rows:
        keys = load_json(row["session_keys"])
        for column, name in (("repo_type_domain", "domain"), ("repo_type_audience", "audience")):
            said = Counter(
                value for key in keys if (value := _label(labels, key, 0, name)) is not None
            )
            row[column] = min(said, key=lambda value: (-said[value], str(value)), default=None)
        yield row


def _sessions(rows: Iterable[Row], labels: Labels) -> Iterator[Row]:
    for row in rows:
        key = row["session_id"]
        row |= {column: _label(labels, key, 0, *names) for column, names in _SESSION_LABELS.items()}
        yield row | {"agent": _agent(row)}


def _label(labels: Labels, session: str, turn: int, *names: str) -> str | float | None:
    """The first of these labels that a judge gave."""
    return next(
        (labels[session, turn, name] for name in names if (session, turn, name) in labels), None
    )


_SESSION_LABELS = {
    "user_persona": ("paper_persona", "persona"),
    "session_success": ("paper_success_score", "success_score"),
}
_TURN_LABELS = {"prompt_intent": "intent", "prompt_pushback": "pushback"}


def _agent(row: Row) -> str:
    return label_of(row["agent"] or "unknown")


def _conversations(rows: Iterable[Row], labels: Labels) -> Iterator[Row]:
    """Prompts, tool calls and answers in order, a session at a time, numbered within it."""
    session = ""
    number = 0
    prompts = 0
    for row in rows:
        if row["session_id"] != session:
            session = row["session_id"]
            number = 0
            prompts = 0
        row |= {"turn_id": f"{session}#{number}", "turn_number": number, "agent": _agent(row)}
        if row["content"] is not None:
            row["word_count"] = len(row["content"].split())
        if row["role"] == "user":
            row |= {
                column: _label(labels, session, row["turn_index"], name)
                for column, name in _TURN_LABELS.items()
            }
            row |= _prompt(row["content"], prompts)
            prompts += 1
        elif row["role"] == "tool_use":
            row |= _call(row)
        number += 1
        yield row


def _prompt(text: str, number: int) -> Row:
    return {
        "conversation_turn_number": float(number),
        "is_continuation": text.startswith("This session is being continued"),
        "is_first_turn": number == 0,
        "char_count": len(text),
    }


def _call(row: Row) -> Row:
    arguments = get_dict(parse_json(row["tool_input_json"]))
    program = re.match(r"\s*(\S+)", row["command"] or "")
    is_git = program is not None and program[1] in ("git", "gh")
    return {
        "file_path": next((str(arguments[key]) for key in _PATH_KEYS if arguments.get(key)), None),
        "pattern": str(arguments["pattern"]) if arguments.get("pattern") else None,
        "bash_category": (
            ("git" if is_git else "other") if row["tool_name"].lower() in _SHELL else None
        ),
    }


_COMPLETED: dict[str, Callable[[Iterable[Row], Labels], Iterator[Row]]] = {
    "repositories": _repositories,
    "sessions": _sessions,
    "conversations": _conversations,
}
