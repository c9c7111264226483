"""REUSE 3.3: the `REUSE.toml` of the commit, with tables that name the agents of files as
contributors.

No licence or holder is added. Of several tables for a file the last one alone counts, so each of
ours repeats what the last one before says.
"""

import json
import re
import tomllib
from collections import defaultdict
from collections.abc import Sequence

from attribution.exchange.exports import ExportRequest, ExportResult
from attribution.exchange.exports.statement import write_statement
from collector.errors import WhoWroteError
from collector.json_values import Row
from collector.limits import WILDCARDS

NAME = "reuse"
LABEL = "REUSE 3.3"
GIVES = "`REUSE.toml` with agents as contributors"
COMMIT = "/whowrote/commit"

_BEGIN = "# Written by whowrote data export reuse, which replaces all that follows.\n"
_CONTRIBUTORS = "SPDX-FileContributor"
_SIGNS = re.compile(r"\\(.)|(\*{2,}/?)|(\*)|(.)", re.DOTALL)  # of a path of a table
_KEPT = re.compile(r"(?!path$)[\w-]+", re.ASCII)


def write(request: ExportRequest) -> ExportResult:
    return write_statement(request, render)


def render(statement: Row) -> str:
    """Raises WhoWroteError where the commit keeps licences in a way that excludes our tables."""
    clone = statement["git"]
    commit = statement["commit"]
    if clone.file_at(commit, ".reuse/dep5"):
        raise WhoWroteError(
            "the repository has .reuse/dep5, and a REUSE.toml may not stand beside it",
            "Convert it first: reuse convert-dep5",
        )
    own = clone.content(clone.file_at(commit, "REUSE.toml") or "") or b"version = 1\n"
    try:
        text = own.decode().partition(_BEGIN)[0].rstrip() + "\n\n"
        text += _BEGIN + _tables(statement, tomllib.loads(text).get("annotations", []))
        tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise WhoWroteError(
            f"nothing can be added to the REUSE.toml of the repository: {error}",
            "It must be TOML whose tables are [[annotations]]",
        ) from error
    return text


def _tables(statement: Row, earlier: Sequence[Row]) -> str:
    """A table about the statement, and one for all files that the same is said of."""
    paths = defaultdict(list)
    for file in statement["files"]:
        if file["agents"] and file["path"] == file["name"]:  # TOML has no other bytes
            said = _last_of(earlier, file["path"])
            names = _texts(said.get(_CONTRIBUTORS, [])) + [each["agent"] for each in file["agents"]]
            table = _lines({**said, _CONTRIBUTORS: list(dict.fromkeys(names))})
            paths[table].append(re.sub(r"([*\\])", r"\\\1", file["path"]))
    about = {name: statement[name] for name in ("commit", "rows_sha256", "timestamp")}
    tables = [
        f"\n[[annotations]]\n{_lines({'path': names})}{table}" for table, names in paths.items()
    ]
    return f"[whowrote]\n{_lines(about)}{''.join(tables)}"


def _last_of(tables: Sequence[Row], path: str) -> Row:
    """What the last table for a file says beside its paths; {} where there is none."""
    for table in reversed(tables):
        for pattern in _texts(table.get("path", [])):
            if len(re.findall(r"\*+", pattern)) > WILDCARDS:
                raise ValueError(f"too many stars in {pattern}")
            if re.fullmatch(_SIGNS.sub(_regex, pattern), path, re.DOTALL):
                return {key: table[key] for key in table if _KEPT.fullmatch(key)}
    return {}


def _regex(sign: re.Match[str]) -> str:
    escaped, deep, star, other = sign.groups()
    return ".*" if deep else "[^/]*" if star else re.escape(escaped or other)


def _texts(value: object) -> list[str]:
    return list(map(str, value if isinstance(value, list) else [value]))


def _lines(values: Row) -> str:
    """As TOML, whose texts are those of JSON but for one character."""
    lines = (
        f"{key} = {json.dumps(value, ensure_ascii=False, default=str)}\n"
        for key, value in values.items()
    )
    return "".join(lines).replace("\x7f", "\\u007f")
