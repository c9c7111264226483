"""Walks a directory of results of evaluation runs and reads what it recognises.

The directory is strangers' data: symbolic links are not followed, only regular files are opened,
sizes are bounded, and whatever cannot be read becomes a problem.

Records of the same attempt become one: what knows most is believed, and patches go to the attempts
they belong to.
"""

import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from attribution.evaluation.attempts import (
    Reader,
    fields,
    harbor,
    readers,
    swe_bench,
    trial_files,
)
from attribution.evaluation.attempts.model import RESULT, SUMMARY, Attempt, Document, plain_model
from collector.agents.machine.files import head
from collector.errors import WhoWroteError
from collector.groups import group_pairs
from collector.json_values import JsonObject, get_dict, load_json, parse_json
from collector.limits import RESULT_BYTES, RESULT_FILES
from collector.model import Problem
from collector.runtime.progress import Progress, no_progress
from collector.text import count_of, file_name, printable

_MOST_LINES = 200_000
_MOST_CONTEXT = 2_000_000
_TEXT = ("utf-8-sig", "replace")  # bytes that are not UTF-8 are replaced
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
        raise WhoWroteError(
            f"{root} is not a directory",
            "Use the directory that contains the results of evaluation runs",
        )
    return _Scan(root.resolve()).run(progress)


class _Scan:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.result = ScannedAttempts()
        self.contexts: dict[Path, JsonObject] = {}  # file -> content
        self.readers: list[Reader] = readers()

    def run(self, progress: Progress) -> ScannedAttempts:
        records = []
        for number, (source, path) in enumerate(self._files()):
            if number >= RESULT_FILES:
                self._problem(
                    source, "too_many_files", f"only the first {RESULT_FILES:,} files were read"
                )
                break
            progress("reading results", number, 0)
            text = self._whole(source, path)
            if text is None:
                continue
            new = (
                self._lines(source, path, text)
                if source.endswith(".jsonl")
                else self._json(source, path, text)
            )
            unnamed = sum(not attempt.instance for attempt in new)
            if unnamed:
                self._problem(
                    source, "no_instance", f"no task is named by {count_of(unnamed, 'result')}"
                )
            self.result.recognised += len(new) > unnamed
            records += [attempt for attempt in new if attempt.instance]
        self.result.attempts, problems = merged_attempts(records)
        self.result.problems += problems
        return self.result

    def _files(self) -> Iterator[tuple[str, Path]]:
        """(relative path, path) of files by suffix, a directory's own before those below it."""
        for name, below, files in os.walk(self.root, followlinks=False):
            below.sort()
            for file in [*sorted(f for f in files if f.endswith(_SUFFIXES)), *below]:
                path = Path(name) / file
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

    def _context(self, folder: Path, name: str) -> JsonObject:
        """The nearest file of that name in a directory or above it."""
        path = folder / name
        if path not in self.contexts:
            # no JSON: a problem when its turn comes
            self.contexts[path] = get_dict(parse_json(_text(path, _MOST_CONTEXT)))
        if self.contexts[path] or folder == self.root:
            return self.contexts[path]
        return self._context(folder.parent, name)

    def _document(self, source: str, path: Path, value: Any) -> Document:
        folder = path.parent
        return Document(
            printable(source),
            tuple(printable(part) for part in folder.parts[1:]),
            printable(path.name),
            value,
            lambda name: (
                _text(folder / name, RESULT_BYTES) if self._is_inside(folder / name) else None
            ),
            lambda name, up: self._context(
                folder.parent if up and folder != self.root else folder, name
            ),
        )

    def _whole(self, source: str, path: Path) -> str | None:
        try:
            data = head(path, RESULT_BYTES + 1)
        except OSError as error:
            self._problem(source, "unreadable", str(error.strerror))
            return None
        if len(data) > RESULT_BYTES:
            self._problem(source, "too_large", f"at most {RESULT_BYTES:,} bytes are read")
            return None
        return data.decode(*_TEXT)

    def _problem(self, source: str, code: str, detail: str) -> None:
        self.result.problems.append(Problem(STAGE, printable(source), code, detail))
        self.result.sources.add(printable(source))

    def _json(self, source: str, path: Path, text: str) -> list[Attempt]:
        try:
            value = load_json(text)
        except (ValueError, RecursionError) as error:
            self._problem(source, "malformed_json", "empty" if not text.strip() else str(error))
            return []
        document = self._document(source, path, value)
        attempts = self._attempts(document)
        if attempts is None:
            # Harbor's totals of what the trials say themselves
            is_job = isinstance(value, dict) and "n_total_trials" in value
            if path.name in swe_bench.REPORT_NAMES and not is_job:
                self._problem(
                    source,
                    "unknown_shape",
                    f"keys: {', '.join(sorted(map(str, get_dict(value)))[:12])}",
                )
            return []
        # What a trial printed or recorded completes its result; of several attempts nothing tells
        # which one it was.
        if len(attempts) == 1 and attempts[0].strength == RESULT:
            printed = filter(None, map(document.sibling, trial_files.PRINTED))
            _complete(attempts[0], trial_files.printed_columns(next(printed, "")))
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
            self._problem(source, "malformed_lines", f"not valid results: {count_of(bad, 'line')}")
        return attempts

    def _attempts(self, document: Document) -> list[Attempt] | None:
        """What the first reader says that knows the document; None: no reader does."""
        attempts = next(
            (a for reader in self.readers if (a := reader.read(document)) is not None), None
        )
        for attempt in attempts or ():
            duration = fields.seconds_between(
                attempt.values.get("started_at"), attempt.values.get("finished_at")
            )
            _complete(attempt, {"wall_time_s": duration})
        return attempts


def _complete(attempt: Attempt, values: JsonObject) -> None:
    """What else is known of an attempt, where its result does not say it."""
    attempt.values |= {
        name: value for name, value in values.items() if attempt.values.get(name) is None
    }


def _text(path: Path, most: int) -> str | None:
    """A regular file of bounded size; None for anything else."""
    try:
        data = head(path, most + 1)
    except OSError:
        return None
    return data.decode(*_TEXT) if len(data) <= most else None


# --- records of the same attempt ------------------------------------------------------------------


STAGE = "attempts"


def merged_attempts(records: Sequence[Attempt]) -> tuple[list[Attempt], list[Problem]]:
    """(one for each attempt, where records disagree or cannot be assigned).

    Changes the names of records.
    """
    _resolve_aliases(records)
    _adopt(records)
    problems = []
    strong: dict[str, Attempt] = {}
    for record in sorted((r for r in records if r.strength >= SUMMARY), key=lambda r: r.strength):
        known = strong.get(record.key)
        if known is not None:
            rewards = {known.values.get("reward"), record.values.get("reward")} - {None}
            if len(rewards) > 1:
                detail = f"{record.instance}: {known.source} has a different reward"
                problems.append(Problem(STAGE, record.source, "results_disagree", detail))
        strong[record.key] = record if known is None else _merge(known, record)
    alone, ambiguous = _assign([r for r in records if r.strength < SUMMARY], strong)
    for source, number in ambiguous.items():
        detail = f"several runs could have made {count_of(number, 'patch')}"
        problems.append(Problem(STAGE, source, "prediction_ambiguous", detail))
    return [*strong.values(), *alone], problems


def _merge(known: Attempt, better: Attempt) -> Attempt:
    """Both records of one attempt; where both know something the better one is believed."""
    return replace(
        better,
        values={**known.values, **{k: v for k, v in better.values.items() if v is not None}},
        treatment={**known.treatment, **better.treatment},
        tests=better.tests or known.tests,
        extra={**known.extra, **better.extra},
        patch=known.patch if better.patch is None else better.patch,
        model=better.model or known.model,
        agent=better.agent or known.agent,
        dataset=better.dataset or known.dataset,
    )


def _resolve_aliases(records: Sequence[Attempt]) -> None:
    """`MODEL.RUN.json`: where the model ends is known when the model or the run is named
    elsewhere; both may have dots.
    """
    named = [r for r in records if not r.alias and r.model]
    pairs = {f"{plain_model(r.model)}.{r.run}": (r.run, r.model) for r in named if r.run}
    models = sorted({plain_model(r.model) for r in named}, key=len, reverse=True)
    for record in records:
        if record.alias in pairs:
            record.run, record.model = pairs[record.alias]
        elif record.alias and (
            model := next((m for m in models if record.alias.startswith(m + ".")), "")
        ):
            record.run = record.alias.removeprefix(model + ".")
            record.model = model


# --- reports inside a trial -----------------------------------------------------------------------


def _adopt(records: Sequence[Attempt]) -> None:
    """Gives the report that one harness wrote inside the trial of another the name of that trial:
    it is of the same attempt.

    What the trial's own harness says is believed where both say something.
    """
    trials = group_pairs(
        (record.directory, record)
        for record in records
        if record.harness == harbor.NAME and record.strength == RESULT and record.directory
    )
    reported = Counter(record.source for record in records)
    for record in records:
        if record.harness != harbor.NAME and record.strength >= SUMMARY:
            outer = next(
                (
                    trials[directory]
                    for directory in map(str, PurePosixPath(record.source).parents)
                    if directory in trials
                ),
                [],
            )
            # Harbor's verifier writes its report about the one task of the trial, however it names
            # that.
            of_verifier = (
                bool(outer)
                and record.directory == f"{outer[0].directory}/verifier"
                and reported[record.source] == 1
            )
            # And it may name a task with its data set: `swe-bench/django__django-1`.
            tasks = [file_name(trial.instance).lower() for trial in outer]
            if len(outer) == 1 and (of_verifier or tasks == [record.instance.lower()]):
                _rename(record, outer[0])


def _rename(record: Attempt, trial: Attempt) -> None:
    for name in ("harness", "run", "instance", "trial", "agent", "model", "dataset"):
        setattr(record, name, getattr(trial, name))
    record.alias = ""
    record.strength = SUMMARY


def _assign(
    weak: Sequence[Attempt], strong: Mapping[str, Attempt]
) -> tuple[list[Attempt], Counter[str]]:
    """(records that belong to no attempt with a result, source -> number of patches that could
    belong to several).
    """
    by_task = group_pairs((_task(attempt), attempt) for attempt in strong.values())
    patches = defaultdict(set)
    for record in weak:
        patches[_task(record)].add(record.patch or "")
    alone: dict[str, Attempt] = {}
    ambiguous: Counter[str] = Counter()
    for record in weak:
        targets = [strong[record.key]] if record.key in strong else by_task[_task(record)]
        if not targets:
            record = replace(
                record, trial=record.trial or file_name(record.source).partition(".")[0]
            )
            alone[record.key] = (
                record if record.key not in alone else _merge(alone[record.key], record)
            )
        elif record.key not in strong and len(patches[_task(record)]) > 1:
            ambiguous[record.source] += any(target.patch is None for target in targets)
        else:
            for target in targets:
                _fill_missing(target, record)
    return list(alone.values()), +ambiguous


def _task(attempt: Attempt) -> tuple[str, str]:
    return plain_model(attempt.model), attempt.instance


def _fill_missing(target: Attempt, weak: Attempt) -> None:
    """Fills what is missing from a prediction or trajectory."""
    if target.patch is None:
        target.patch = weak.patch
    if "/" in weak.model and plain_model(weak.model) == target.model:
        target.model = weak.model  # as it was asked for
    for name, value in weak.values.items():
        if target.values.get(name) is None and name not in ("reward", "error"):
            target.values[name] = value
