"""Walks a directory of results of evaluation runs and reads what it recognises.

The directory is strangers' data: symbolic links are not followed, only regular files are opened, sizes are bounded, and whatever
cannot be read becomes a problem.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attribution.evaluation.attempts import Reader, fields, readers, swe_bench, trial_files
from attribution.evaluation.attempts.merge import STAGE, merged_attempts
from attribution.evaluation.attempts.model import RESULT, Attempt, Document
from collector.agents.machine.files import head
from collector.errors import WhoWroteError
from collector.json_values import get_dict, load_json, parse_json
from collector.limits import RESULT_BYTES, RESULT_FILES
from collector.model import Problem
from collector.runtime.progress import Progress, no_progress
from collector.text import printable

_MOST_LINES = 200_000
_MOST_CONTEXT = 2_000_000
_SUFFIXES = (".json", ".traj", ".jsonl")


@dataclass(slots=True)
class ScannedAttempts:
    """What a directory holds: attempts, each once."""

    attempts: list[Attempt] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    sources: set[str] = field(default_factory=set)  # files that were looked at
    recognised: int = 0  # files with attempts


def scan(root: Path, progress: Progress = no_progress) -> ScannedAttempts:
    """Every attempt below a directory. Raises WhoWroteError when it is not a directory."""
    if not root.is_dir():
        raise WhoWroteError(f"{root} is not a directory", "Use the directory that contains the results of evaluation runs")
    return _Scan(root.resolve()).run(progress)


class _Scan:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.result = ScannedAttempts()
        self.contexts: dict[Path, Mapping[str, Any]] = {}  # file -> content
        self.readers: list[Reader] = readers()

    def run(self, progress: Progress) -> ScannedAttempts:
        records: list[Attempt] = []
        for number, (source, path) in enumerate(self._files()):
            if number >= RESULT_FILES:
                self._problem(source, "too_many_files", f"only the first {RESULT_FILES:,} files were read")
                break
            progress("reading results", number, 0)
            text = self._whole(source, path)
            if text is None:
                continue
            new = self._lines(source, path, text) if source.endswith(".jsonl") else self._json(source, path, text)
            unnamed = sum(not attempt.instance for attempt in new)
            if unnamed:
                self._problem(source, "no_instance", f"{unnamed} results do not name a task")
            self.result.recognised += len(new) > unnamed
            records += [attempt for attempt in new if attempt.instance]
        self.result.attempts, problems = merged_attempts(records)
        self.result.problems += problems
        return self.result

    # --- files ----------------------------------------------------------------------------------------------------------

    def _files(self) -> Iterator[tuple[str, Path]]:
        """(relative path, path) of files by suffix, a directory's own before those below it."""
        for name, below, files in os.walk(self.root, followlinks=False):
            below.sort()
            for path in (Path(name) / file for file in [*sorted(f for f in files if f.endswith(_SUFFIXES)), *below]):
                source = path.relative_to(self.root).as_posix()
                if path.is_symlink():  # one inside is read where it is
                    if not self._is_inside(path):
                        self._problem(source, "symlink_outside", "not followed")
                elif path.is_file():
                    self.result.sources.add(printable(source))
                    yield source, path

    def _is_inside(self, path: Path) -> bool:
        try:
            return path.resolve().is_relative_to(self.root)
        except (OSError, RuntimeError):
            return False

    def _context(self, folder: Path, name: str) -> Mapping[str, Any]:
        """The nearest file of that name in a directory or above it."""
        path = folder / name
        if path not in self.contexts:
            self.contexts[path] = get_dict(parse_json(_text(path, _MOST_CONTEXT)))  # no JSON: a problem when its turn comes
        return self.contexts[path] if self.contexts[path] or folder == self.root else self._context(folder.parent, name)

    def _document(self, source: str, path: Path, value: Any) -> Document:
        folder = path.parent
        return Document(
            printable(source), tuple(printable(part) for part in folder.parts[1:]), printable(path.name), value,
            lambda name: _text(folder / name, RESULT_BYTES) if self._is_inside(folder / name) else None,
            lambda name, up: self._context(folder.parent if up and folder != self.root else folder, name),
        )  # fmt: skip

    def _whole(self, source: str, path: Path) -> str | None:
        try:
            data = head(path, RESULT_BYTES + 1)
        except OSError as error:
            self._problem(source, "unreadable", str(error.strerror))
            return None
        if len(data) > RESULT_BYTES:
            self._problem(source, "too_large", f"at most {RESULT_BYTES:,} bytes are read")
            return None
        return _to_text(data)

    def _problem(self, source: str, code: str, detail: str) -> None:
        self.result.problems.append(Problem(STAGE, printable(source), code, detail))
        self.result.sources.add(printable(source))

    # --- documents ------------------------------------------------------------------------------------------------------

    def _json(self, source: str, path: Path, text: str) -> list[Attempt]:
        try:
            value = load_json(text)
        except (ValueError, RecursionError) as error:
            self._problem(source, "malformed_json", "empty" if not text.strip() else str(error))
            return []
        document = self._document(source, path, value)
        attempts = self._attempts(document)
        if attempts is None:
            is_job = isinstance(value, dict) and "n_total_trials" in value  # Harbor's totals of what the trials say themselves
            if path.name in swe_bench.REPORT_NAMES and not is_job:
                self._problem(source, "unknown_shape", f"keys: {', '.join(sorted(map(str, get_dict(value)))[:12])}")
            return []
        # What a trial printed or recorded completes its result; of several attempts nothing tells which one it was.
        if len(attempts) == 1 and attempts[0].strength == RESULT:
            printed = next((lines for name in trial_files.PRINTED if (lines := document.sibling(name)) is not None), "")
            _complete(attempts[0], trial_files.printed_columns(printed))
            if attempts[0].directory:
                _complete(attempts[0], trial_files.transcript_columns(path.parent))
        return attempts

    def _lines(self, source: str, path: Path, text: str) -> list[Attempt]:
        """A file whose first line is a result or a prediction; the lines of others are not ours."""
        attempts: list[Attempt] = []
        bad = 0
        for number, line in enumerate(text.split("\n", _MOST_LINES)):
            if not line.strip():
                continue
            try:
                value = load_json(line)
            except (ValueError, RecursionError):
                bad += 1
                continue
            new = self._attempts(self._document(source, path, value))
            if new is None and not attempts and not bad:
                return []
            if new is None or number >= _MOST_LINES:
                bad += 1
            else:
                attempts += new
        if bad and attempts:
            self._problem(source, "malformed_lines", f"{bad} lines are not valid results")
        return attempts

    def _attempts(self, document: Document) -> list[Attempt] | None:
        """What the first reader says that knows the document; None: no reader does."""
        attempts = next((a for reader in self.readers if (a := reader.read(document)) is not None), None)
        for attempt in attempts or ():
            duration = fields.seconds_between(attempt.values.get("started_at"), attempt.values.get("finished_at"))
            _complete(attempt, {"wall_time_s": duration})
        return attempts


def _complete(attempt: Attempt, values: Mapping[str, Any]) -> None:
    """What else is known of an attempt, where its result does not say it."""
    attempt.values |= {name: value for name, value in values.items() if attempt.values.get(name) is None}


def _text(path: Path, most: int) -> str | None:
    """A regular file of bounded size; None for anything else."""
    try:
        data = head(path, most + 1)
    except OSError:
        return None
    return _to_text(data) if len(data) <= most else None


def _to_text(data: bytes) -> str:
    """Bytes that are not UTF-8 are replaced."""
    return data.decode("utf-8-sig", "replace")
