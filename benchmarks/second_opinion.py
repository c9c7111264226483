"""What does pydriller say about the same commits? Added and deleted lines, renames, changed
methods. Used by accuracy.py.

It shares no code with the program: git prints its diffs, GitPython parses them, lizard finds the
methods. Ours come from libgit2, from our copy of git's rename rules, and from patterns for the
heads of functions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pages import table

from attribution.authorship.commits import read_history
from attribution.authorship.diffs import FileDiff
from attribution.authorship.symbols import enclosing
from attribution.evaluation.maintainability.measure import FAILURES, open_repository
from collector.git.program import ScratchGit
from collector.git.repository import GitRepo
from collector.limits import SCANNED_BYTES
from collector.runtime import workers
from collector.runtime.workers import Task, TaskLimits
from collector.text import decode

_TOGETHER = 40
_LIMITS = TaskLimits(seconds=600, memory=2_000_000_000, attempts=1)


@dataclass(frozen=True, slots=True)
class Method:
    """A method of the version after the commit."""

    name: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class TheirFile:
    """A changed file as pydriller sees it."""

    path: str
    renamed_from: str
    added: tuple[int, ...]  # line numbers
    added_count: int
    deleted_count: int
    methods: tuple[Method, ...]  # that were changed


@dataclass(frozen=True, slots=True)
class TheirCommit:
    sha: str
    files: tuple[TheirFile, ...]
    error: str = ""


# --- their side, in worker processes --------------------------------------------------------------


def read(scratch: str, shas: Sequence[str]) -> list[TheirCommit]:
    """What pydriller says about commits; only for worker processes (see
    attribution/evaluation/maintainability/measure.py).
    """
    git = open_repository(scratch)
    return [_commit(git, sha) for sha in shas]


def _commit(git: Any, sha: str) -> TheirCommit:
    from git.exc import GitError, ODBError

    try:
        return TheirCommit(sha, tuple(_file(file) for file in git.get_commit(sha).modified_files))
    except (GitError, ODBError, ValueError) as error:
        return TheirCommit(sha, (), str(error).strip()[-200:] or "unreadable")


def _file(file: Any) -> TheirFile:
    lines = file.diff_parsed
    renamed = file.old_path if file.change_type.name == "RENAME" else ""
    numbers = tuple(number for number, _ in lines["added"])
    return TheirFile(
        file.new_path or file.old_path,
        renamed,
        numbers,
        file.added_lines,
        file.deleted_lines,
        tuple(_methods(file)),
    )


def _methods(file: Any) -> Iterator[Method]:
    if not file.language_supported or not file.new_path or len(file.content or b"") > SCANNED_BYTES:
        return
    try:
        now = {(m.long_name, m.start_line) for m in file.methods}
        changed = file.changed_methods
    except FAILURES:
        return
    for method in changed:
        # not one of the version before, of which it has no lines now
        if (method.long_name, method.start_line) in now:
            yield Method(method.name, method.start_line, method.end_line)


# --- the comparison -------------------------------------------------------------------------------


def second_opinion(path: Path, jobs: int = 2) -> dict[str, dict[str, int]]:
    """Counts for files, renames and methods of all ordinary commits of the branch of HEAD."""
    repo = GitRepo(path)
    commits = [c for c in repo.history(repo.default_branch()[1]) if len(c.parents) < 2]
    found: dict[str, Counter[str]] = {
        name: Counter() for name in ("commits", "files", "renames", "methods")
    }
    with repo.open_scratch() as git:
        portions = [
            [c.sha for c in commits[at : at + _TOGETHER]]
            for at in range(0, len(commits), _TOGETHER)
        ]
        tasks = [
            Task(str(number), (str(git.directory), portion))
            for number, portion in enumerate(portions)
        ]
        theirs = {
            one.sha: one
            for done in workers.run(read, tasks, jobs, _LIMITS)
            for one in done.value or ()
        }
        for commit in commits:
            other = theirs.get(commit.sha)
            ours = read_history(repo, [commit]).diffs[commit.sha].files
            if other is None or other.error or ours is None:
                found["commits"]["not_compared"] += 1
                continue
            found["commits"]["compared"] += 1
            for diff, file in _paired(ours, other.files):
                found["files"][_lines(git, commit.sha, diff, file)] += 1
                if rename := _rename(diff, file):
                    found["renames"][rename] += 1
                if diff is not None and file is not None and diff.content == "text":
                    found["methods"].update(_named(repo, diff, file))
    return {name: dict(sorted(counts.items())) for name, counts in found.items()}


def _paired(
    ours: Iterable[FileDiff], theirs: Iterable[TheirFile]
) -> Iterator[tuple[FileDiff | None, TheirFile | None]]:
    by_path = {file.path: file for file in theirs}
    for diff in ours:
        yield diff, by_path.pop(diff.change.path, None)
    for file in by_path.values():
        yield None, file


def _lines(git: ScratchGit, sha: str, diff: FileDiff | None, file: TheirFile | None) -> str:
    """Whether both say the same about the lines of a file, or why not."""
    if diff is None or file is None:
        return "only_theirs" if diff is None else "only_ours"
    if diff.content != "text":
        return "no_text" if not file.added_count + file.deleted_count else f"ours_{diff.content}"
    ours = (
        tuple(number + 1 for first, last, _ in diff.added for number in range(first, last)),
        diff.deleted,
    )
    theirs = file.added, file.deleted_count
    if ours == theirs and file.added_count == len(file.added):
        return "same"
    with_context = {lines: _changed(git, sha, diff, lines) for lines in (0, 3)}
    return "context" if (with_context[0], with_context[3]) == (ours, theirs) else "other"


def _changed(
    git: ScratchGit, sha: str, diff: FileDiff, context: int
) -> tuple[tuple[int, ...], int]:
    """(added lines, number of deleted ones) as git prints them with so many lines of context."""
    paths = {diff.change.path, diff.change.old_path}
    command = [
        "diff-tree",
        "--root",
        "--no-commit-id",
        "-r",
        "-M",
        "-p",
        f"-U{context}",
        sha,
        "--",
        *sorted(paths),
    ]
    added: list[int] = []
    deleted = at = 0
    for line in git.output(command).split(b"\n"):
        if head := re.match(rb"@@ -\d+(?:,\d+)? \+(\d+)", line):
            at = int(head[1])
        elif at and line[:1] in (b"+", b" "):
            added += [at] if line[:1] == b"+" else []
            at += 1
        elif at and line[:1] == b"-":
            deleted += 1
    return tuple(added), deleted


def _rename(diff: FileDiff | None, file: TheirFile | None) -> str:
    """ "" where nobody calls it a rename."""
    ours = diff.change.old_path if diff is not None and diff.change.status == "R" else ""
    theirs = file.renamed_from if file is not None else ""
    if ours and theirs:
        return "same" if ours == theirs else "other_source"
    return "only_ours" if ours else "only_theirs" if theirs else ""


# --- methods --------------------------------------------------------------------------------------


def _named(repo: GitRepo, diff: FileDiff, file: TheirFile) -> Iterator[str]:
    """For each changed method: whether a head at or above one of the added lines in it is the
    head of the method.
    """
    text = decode(repo.blob(diff.change.new or "") or b"")
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    for method in file.methods:
        lines = [number for number in file.added if method.first <= number <= method.last]
        if not lines:
            yield "nothing_added"
            continue
        heads = {
            enclosing(diff.change.path, text, starts[number])
            for number in lines
            if number < len(starts)
        }
        yield _reason(method, heads, text, starts)


def _reason(method: Method, heads: set[str], text: str, starts: Sequence[int]) -> str:
    name = re.split(r"::|\.|\s", method.name.strip())[-1]
    if "anonymous" in method.name or not re.search(r"\w", name):
        return "anonymous"
    if any(_has_name(head, name) for head in heads):
        return "same"
    inside = text[
        starts[min(method.first, len(starts)) - 1] : starts[min(method.last, len(starts) - 1)]
    ]
    if heads and all(head and head in inside for head in heads):
        return "inner_head"
    return "outer_head" if any(heads) else "no_head"


def _has_name(head: str, name: str) -> bool:
    """Whether the head is about that name; heads are cut, as in git."""
    last = re.split(r"\W", head)[-1]
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", head)) or (
        len(head) >= 79 and len(last) > 10 and name.startswith(last)
    )


# --- the page -------------------------------------------------------------------------------------

_REASONS = {
    (
        "files",
        "context",
    ): (
        "git picks other lines of equal text when it prints context, which pydriller asks for;"
        " blame and we do not"
    ),
    ("files", "ours_symlink"): "the target of a symbolic link, which is not a line of text to us",
    ("files", "ours_too_large"): "too large to be read by us",
    ("files", "only_theirs"): "a path that only pydriller names",
    ("files", "only_ours"): "a path that only we name",
    ("files", "other"): "not explained",
    ("renames", "only_ours"): "only we call it a rename",
    ("renames", "only_theirs"): "only pydriller calls it a rename",
    ("renames", "other_source"): "renamed from another file",
    (
        "methods",
        "anonymous",
    ): "lizard found a function without a name; ours is the named one around it",
    (
        "methods",
        "inner_head",
    ): "ours is a head inside the method: a nested function, class or type above the added lines",
    (
        "methods",
        "outer_head",
    ): (
        "ours is a head above the method; without a pattern for the language that is any line that"
        " begins with a letter"
    ),
    ("methods", "no_head"): "no line above looks like a head",
    ("methods", "nothing_added"): "lines were only deleted",
}
_UNNAMED = ("anonymous", "nothing_added")  # nothing that we could name
_UNREAD = ("no_text",)  # neither side has lines: binary files, modes, links of submodules


def texts(results: Mapping[str, dict[str, dict[str, int]]]) -> dict[str, object]:
    """The tables for docs/accuracy.md."""
    rows = []
    for name, found in sorted(results.items()):
        files = {reason: count for reason, count in found["files"].items() if reason not in _UNREAD}
        methods = {
            reason: count for reason, count in found["methods"].items() if reason not in _UNNAMED
        }
        cells = (_same(files), _same(found["renames"]), _same(methods))
        rows.append((name, f"{found['commits'].get('compared', 0):,}", *cells))
    header = (
        "repository",
        "commits",
        "files with the same lines",
        "same renames",
        "methods we name too",
    )
    total = {
        key: sum(found[key[0]].get(key[1], 0) for found in results.values()) for key in _REASONS
    }
    reasons = [
        (what, f"{total[what, why]:,}", text)
        for (what, why), text in _REASONS.items()
        if total[what, why]
    ]
    return {
        "second_opinion": table(header, rows),
        "second_opinion_reasons": table(("", "count", "difference"), reasons),
    }


def _same(counts: Mapping[str, int]) -> str:
    return f"{counts.get('same', 0):,} of {sum(counts.values()):,}" if counts else "none"
