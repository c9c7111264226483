"""Compares what the program says about each line with what the builder knows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attribution.authorship.options import AttributeOptions
from attribution.stages.lines import attribute_repo
from collector.json_values import JsonObject, Numbers
from collector.local.model import LocalOptions
from collector.storage.store import Store
from collector.text import printable
from collector.vocabulary.lines import Author, How
from support import ROOT
from support.invariants import broken_checks

# A person's line that the history tells nothing else about: without a witness the program may not
# call it a person's.
WITHOUT_WITNESS = frozenset(
    {"agent_text", "base_unknown", "common_line", "formatter", "unexplained", "unobserved"}
)
REPOS = ROOT / "fixtures" / "repos"


@dataclass(frozen=True, slots=True)
class Line:
    """One added line as the program reports it."""

    author: str
    how: str
    evidence: str
    reason: str
    session: str
    call: str


Said = dict[str, dict[str, dict[int, Line]]]
"""Commit -> path -> line number -> what the program says."""


@dataclass(slots=True)
class Comparison:
    """Result over one history. `wrong`: statements that contradict the truth; `confusion`:
    (truth, said) -> lines.
    """

    wrong: list[str] = field(default_factory=list)
    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    hows: Counter[tuple[str, str]] = field(default_factory=Counter)


def program_lines(store: Store, repo_id: int) -> Said:
    """Commit -> path -> line number -> what the program says."""
    found: Said = {
        row["commit_sha"]: {}
        for row in store.rows("SELECT commit_sha FROM commits WHERE repo_id = ?", (repo_id,))
    }
    for row in store.rows(
        "SELECT l.*, s.key FROM line_spans l LEFT JOIN sessions s ON s.id = l.session_id WHERE"
        " l.repo_id = ?",
        (repo_id,),
    ):
        names = ("author", "how", "evidence", "reason", "key", "call_id")
        line = Line(*(row[name] or "" for name in names))
        file = found.setdefault(row["commit_sha"], {}).setdefault(row["path"], {})
        for number in range(row["start_line"], row["end_line"] + 1):
            file[number] = line
    return found


def run(
    repository: Path, database: Path, local: LocalOptions | None = None
) -> tuple[Said, dict[str, Numbers]]:
    """The program's lines and edit outcomes of one repository."""
    with Store(database) as store:
        done = attribute_repo(store, repository, AttributeOptions(local=local or LocalOptions()))
        assert not broken_checks(store)
        edits: dict[str, Numbers] = {}
        for row in store.rows(
            "SELECT s.key, e.outcome, COUNT(*) AS n FROM edits e JOIN sessions s ON s.id ="
            " e.session_id WHERE e.by_shell = 0 GROUP BY 1, 2"
        ):
            edits.setdefault(row["key"], {})[row["outcome"]] = row["n"]
        return program_lines(store, done.repo_id), edits


def compare(expected: JsonObject, said: Said) -> Comparison:
    """The builder's entries against the program's lines."""
    result = Comparison()
    for commit in expected["commits"]:
        if commit["sha"] not in said:
            continue  # on another branch than the attributed one
        files = said[commit["sha"]]
        entries_of = {_path(path): entries for path, entries in commit["files"].items()}
        for path in sorted(set(entries_of) | set(files)):
            entries = {e[0]: e for e in entries_of.get(path, ())}
            _compare_file(f"{commit['subject']!r} {path}", entries, files.get(path, {}), result)
    return result


def _path(path: str) -> str:
    """Undecodable bytes as the program shows them."""
    return printable(path.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape"))


def _compare_file(
    where: str, entries: dict[int, list[Any]], lines: dict[int, Line], result: Comparison
) -> None:
    for number, line in lines.items():
        if number not in entries:
            result.wrong.append(
                f"{where}:{number} reported as added, {line.author}, but is not new"
            )
    for number, (_, author, hows, session, call, flags) in entries.items():
        said = lines.get(number)
        if said is None:
            if not {"maybe", "possible"} & set(flags):
                result.wrong.append(f"{where}:{number} not reported as added")
            continue
        allowed = _flag(flags, "authors").split("|") if _flag(flags, "authors") else [author]
        truth = _flag(flags, "truth") or author
        allowed.append(truth)
        if "shell" in hows:
            # of a formatter or generator the agent ran it is the call that counts
            allowed.append("tool")
        if said.how == How.SUBAGENT and _flag(flags, "reason") == "invisible_subagent":
            allowed.append("agent")  # its task asks for the file
        if truth == "human" and said.reason in WITHOUT_WITNESS:
            allowed.append("unknown")
        named = "agent" if said.author == Author.TOOL and said.call else said.author
        result.confusion[named if said.author in allowed else truth, named] += 1
        result.hows[said.author, said.how] += 1
        for problem in _problems(said, allowed, hows, session, call, author):
            result.wrong.append(f"{where}:{number} {problem} {flags}")


def _problems(
    said: Line,
    allowed: list[str],
    hows: list[str],
    session: str | None,
    call: str | None,
    author: str,
) -> Iterator[str]:
    if said.author not in allowed:
        yield (
            f"is {'|'.join(allowed)}, said {said.author} ({said.how}, {said.evidence},"
            f" {said.reason})"
        )
    elif said.author == author == Author.AGENT:
        if said.how == How.REFORMATTED:
            # whose call it is, the writer's or the formatter's, is a matter of taste: both are
            # agents
            return
        if hows and said.how not in hows:
            yield f"how is {'|'.join(hows)}, said {said.how}"
        if session and said.session != session:
            yield f"session is {session}, said {said.session}"
        if call and said.call != call:
            yield f"call is {call}, said {said.call}"


def _flag(flags: list[str], name: str) -> str:
    return next((f.split("=", 1)[1] for f in flags if f.startswith(name + "=")), "")


def cases() -> list[str]:
    return sorted(p.parent.name for p in REPOS.glob("*/expected.json"))


def expected_of(case: str) -> JsonObject:
    value = json.loads((REPOS / case / "expected.json").read_text("utf-8"))
    assert isinstance(value, dict)
    return value
