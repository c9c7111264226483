"""Walks a directory of results of evaluation runs and reads what it recognises.

The directory is strangers' data: symbolic links are not followed, only regular files are opened, sizes are bounded, and whatever
cannot be read becomes a problem.
"""

from __future__ import annotations

import json
import os
import stat
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from collector.attempts import Reader, harbor, readers, stdout, swe_bench, terminal_bench, trial_transcripts
from collector.attempts.model import RESULT, SUMMARY, Attempt, Document, plain_model
from collector.attempts.values import dictionary
from collector.errors import WhoWroteError
from collector.model import Problem
from collector.runtime.progress import Progress, no_progress
from collector.text import printable

STAGE = "attempts"
MOST_BYTES = 64_000_000  # of one file
MOST_FILES = 200_000
_MOST_LINES = 200_000
_CONTEXTS = (terminal_bench.CONTEXT, harbor.CONTEXT)
_MOST_CONTEXT = 2_000_000
_SUFFIXES = (".json", ".traj")
_TRIALS = (harbor.NAME, terminal_bench.NAME)  # harnesses with a directory for each trial


@dataclass(slots=True)
class AttemptsFound:
    """What a directory holds: attempts, each once."""

    attempts: list[Attempt] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    sources: set[str] = field(default_factory=set)  # files that were looked at
    recognised: int = 0  # files with attempts
    records: int = 0  # before those of the same attempt were put together


def scan(root: Path, tell: Progress = no_progress) -> AttemptsFound:
    """Every attempt below a directory. Raises WhoWroteError when it is none."""
    if not root.is_dir():
        raise WhoWroteError(f"{root} is not a directory", "Use the directory that contains the results of evaluation runs")
    return _Scan(root.resolve()).run(tell)


class _Scan:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.found = AttemptsFound()
        self.contexts: dict[str, dict[str, Mapping[str, Any]]] = {}  # directory -> file name -> content
        self.readers: list[Reader] = readers()

    def run(self, tell: Progress) -> AttemptsFound:
        read: list[Attempt] = []
        for number, (source, path) in enumerate(self._files()):
            if number >= MOST_FILES:
                self._problem(source, "too_many_files", f"only the first {MOST_FILES:,} files were read")
                break
            tell("reading results", number, 0)
            new = self._jsonl(source, path) if source.endswith(".jsonl") else self._json(source, path)
            self.found.recognised += bool(new)
            read += new
        self.found.records = len(read)
        self.found.attempts = self._together(read)
        return self.found

    # --- files ----------------------------------------------------------------------------------------------------------

    def _files(self) -> Iterator[tuple[str, Path]]:
        """(relative path, path) of files by suffix, a directory's own before those below it; contexts are taken on the way."""
        for folder, below, names in os.walk(self.root, followlinks=False):
            below.sort()
            where = Path(folder)
            relative = where.relative_to(self.root).as_posix()
            self._contexts(where, "" if relative == "." else relative, names)
            for name in sorted(names):
                if name.endswith((*_SUFFIXES, ".jsonl")):
                    path = where / name
                    source = path.relative_to(self.root).as_posix()
                    if self._regular(source, path):
                        self.found.sources.add(printable(source))
                        yield source, path
            for name in below:
                if (where / name).is_symlink() and not self._inside(where / name):
                    self._problem((where / name).relative_to(self.root).as_posix(), "symlink_outside", "not followed")

    def _regular(self, source: str, path: Path) -> bool:
        if path.is_symlink():
            if not self._inside(path):
                self._problem(source, "symlink_outside", "not followed")
            return False  # inside: the file itself is read where it is
        return path.is_file()

    def _inside(self, path: Path) -> bool:
        try:
            return path.resolve().is_relative_to(self.root)
        except (OSError, RuntimeError):
            return False

    def _contexts(self, where: Path, relative: str, names: list[str]) -> None:
        for name in _CONTEXTS:
            if name in names and (text := _text(where / name, _MOST_CONTEXT)) is not None:
                try:
                    self.contexts.setdefault(relative, {})[name] = dictionary(json.loads(text))
                except (ValueError, RecursionError):
                    continue  # told when its turn comes as a file

    def _context(self, where: str, name: str) -> Mapping[str, Any]:
        while True:
            if name in self.contexts.get(where, {}):
                return self.contexts[where][name]
            if not where:
                return {}
            where = where.rpartition("/")[0]

    def _document(self, source: str, path: Path, value: Any) -> Document:
        folders = tuple(printable(part) for part in path.parent.parts[1:])
        where = source.rpartition("/")[0]
        return Document(
            printable(source), folders, printable(path.name), value,
            lambda name: _text(path.parent / name, MOST_BYTES) if self._inside(path.parent / name) else None,
            lambda name: self._context(where, name),
        )  # fmt: skip

    def _problem(self, source: str, code: str, detail: str) -> None:
        self.found.problems.append(Problem(STAGE, printable(source), code, detail))
        self.found.sources.add(printable(source))

    # --- documents ------------------------------------------------------------------------------------------------------

    def _json(self, source: str, path: Path) -> list[Attempt]:
        text = self._whole(source, path)
        if text is None:
            return []
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            self._problem(source, "malformed_json", "empty" if not text.strip() else str(error))
            return []
        return self._read(source, path, value)

    def _read(self, source: str, path: Path, value: Any) -> list[Attempt]:
        document = self._document(source, path, value)
        for reader in self.readers:
            attempts = reader.read(document)
            if attempts is not None:
                _complete_printed(document, attempts)
                self._complete_recorded(path.parent, attempts)
                return self._named(source, attempts)
        if swe_bench.is_report_name(path.name) and not _is_summary(value):
            self._problem(source, "unknown_shape", f"keys: {', '.join(sorted(map(str, dictionary(value)))[:12])}")
        return []

    def _complete_recorded(self, trial: Path, attempts: list[Attempt]) -> None:
        """What the agent's transcript of a trial says, where the result does not; one transcript cannot be of several attempts."""
        if len(attempts) != 1 or attempts[0].strength != RESULT or not attempts[0].where:
            return
        values = attempts[0].values
        values |= {name: value for name, value in trial_transcripts.told(trial).items() if values.get(name) is None}

    def _named(self, source: str, attempts: list[Attempt]) -> list[Attempt]:
        named = [one for one in attempts if one.instance]
        if len(named) < len(attempts):
            self._problem(source, "no_instance", f"{len(attempts) - len(named)} results do not name a task")
        return named

    def _jsonl(self, source: str, path: Path) -> list[Attempt]:
        """A file whose first line is a result or a prediction; the lines of others are not ours."""
        text = self._whole(source, path)
        found: list[Attempt] = []
        bad = 0
        for number, line in enumerate((text or "").split("\n", _MOST_LINES)):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except (ValueError, RecursionError):
                bad += 1
                continue
            document = self._document(source, path, value)
            new = next((a for reader in self.readers if (a := reader.read(document)) is not None), None)
            if new is None and not found and not bad:
                return []
            if new is None or number >= _MOST_LINES:
                bad += 1
            else:
                found += self._named(source, new)
        if bad and found:
            self._problem(source, "malformed_lines", f"{bad} lines are not valid results")
        return found

    def _whole(self, source: str, path: Path) -> str | None:
        try:
            size = path.stat(follow_symlinks=False).st_size
        except OSError as error:
            self._problem(source, "unreadable", str(error.strerror))
            return None
        if size > MOST_BYTES:
            self._problem(source, "too_large", f"{size:,} bytes; at most {MOST_BYTES:,} are read")
            return None
        text = _text(path, MOST_BYTES)
        if text is None:
            self._problem(source, "unreadable", "cannot be opened")
        return text

    # --- one row for each attempt -----------------------------------------------------------------------------------------

    def _together(self, read: list[Attempt]) -> list[Attempt]:
        """Records of the same attempt as one, what knows most last; patches without a result go to the attempts they are of."""
        self._aliases(read)
        _adopt(read)
        strong: dict[str, Attempt] = {}
        for one in sorted((a for a in read if a.strength >= SUMMARY), key=lambda a: a.strength):
            known = strong.get(one.key)
            if known is not None and known.values.get("reward") != one.values.get("reward") and _both(known, one, "reward"):
                self._problem(one.source, "results_disagree", f"{one.instance}: {known.source} has a different reward")
            strong[one.key] = one if known is None else merged(known, one)
        return [*strong.values(), *self._weak([a for a in read if a.strength < SUMMARY], strong)]

    def _aliases(self, read: list[Attempt]) -> None:
        """`MODEL.RUN.json`: where the model ends is known when the model or the run is named elsewhere; both may have dots."""
        pairs = {f"{plain_model(a.model)}.{a.run}": a for a in read if not a.alias and a.model and a.run}
        models = sorted({plain_model(a.model) for a in read if not a.alias and a.model}, key=len, reverse=True)
        for one in read:
            if one.alias in pairs:
                one.run, one.model = pairs[one.alias].run, pairs[one.alias].model
            elif one.alias and (model := next((m for m in models if one.alias.startswith(m + ".")), "")):
                one.run, one.model = one.alias.removeprefix(model + "."), model

    def _weak(self, weak: list[Attempt], strong: Mapping[str, Attempt]) -> list[Attempt]:
        by_task: dict[tuple[str, str], list[Attempt]] = defaultdict(list)
        for attempt in strong.values():
            by_task[plain_model(attempt.model), attempt.instance].append(attempt)
        patches: dict[tuple[str, str], set[str]] = defaultdict(set)
        for attempt in weak:
            patches[plain_model(attempt.model), attempt.instance].add(attempt.patch or "")
        alone: dict[str, Attempt] = {}
        ambiguous: Counter[str] = Counter()
        for attempt in weak:
            task = plain_model(attempt.model), attempt.instance
            if attempt.key in strong:
                _complete(strong[attempt.key], attempt)
            elif not by_task[task]:
                attempt = replace(attempt, trial=attempt.trial or attempt.source.rpartition("/")[2].partition(".")[0])
                alone[attempt.key] = attempt if attempt.key not in alone else merged(alone[attempt.key], attempt)
            elif len(patches[task]) > 1:
                ambiguous[attempt.source] += any(a.patch is None for a in by_task[task])
            else:
                for target in by_task[task]:
                    _complete(target, attempt)
        for source, number in ambiguous.items():
            if number:
                self._problem(source, "prediction_ambiguous", f"{number} patches could belong to several runs")
        return list(alone.values())


def _adopt(read: list[Attempt]) -> None:
    """Gives the report that one harness wrote inside the trial of another the name of that trial: it is of the same attempt.

    What the trial's own harness says is believed where both say something.
    """
    trials: dict[str, list[Attempt]] = defaultdict(list)
    for one in read:
        if one.harness in _TRIALS and one.strength == RESULT and one.where:
            trials[one.where].append(one)
    reported = Counter(one.source for one in read)
    for one in read:
        if one.harness not in _TRIALS and one.strength >= SUMMARY:
            outer = next((trials[where] for where in _above(one.where) if where in trials), [])
            if len(outer) == 1 and (_same_task(outer[0], one) or (_of_verifier(outer[0], one) and reported[one.source] == 1)):
                _rename(one, outer[0])


def _above(where: str) -> Iterator[str]:
    """A directory and those above it."""
    while where:
        yield where
        where = where.rpartition("/")[0]


def _same_task(trial: Attempt, one: Attempt) -> bool:
    """Harbor may name a task with its data set: `swe-bench/django__django-1`."""
    return trial.instance.rpartition("/")[2].lower() == one.instance.lower()


def _of_verifier(trial: Attempt, one: Attempt) -> bool:
    """Harbor's verifier writes its report there, about the one task of the trial, however it names that."""
    return one.where == f"{trial.where}/verifier"


def _rename(one: Attempt, trial: Attempt) -> None:
    one.harness, one.run, one.instance, one.trial = trial.harness, trial.run, trial.instance, trial.trial
    one.agent, one.model, one.dataset, one.alias = trial.agent, trial.model, trial.dataset, ""
    one.strength = SUMMARY


def merged(known: Attempt, better: Attempt) -> Attempt:
    """Both records of one attempt; where both know something the better one is believed."""
    values = {**known.values, **{k: v for k, v in better.values.items() if v is not None}}
    return replace(
        better, values=values, treatment={**known.treatment, **better.treatment}, tests=better.tests or known.tests,
        extra={**known.extra, **better.extra}, patch=known.patch if better.patch is None else better.patch,
        model=better.model or known.model, agent=better.agent or known.agent, dataset=better.dataset or known.dataset,
    )  # fmt: skip


def _complete_printed(document: Document, attempts: list[Attempt]) -> None:
    """What the trial of a result printed, where the result does not say it; of several attempts nothing tells which one it was."""
    if len(attempts) != 1 or attempts[0].strength != RESULT:
        return
    printed = next((text for name in stdout.NAMES if (text := document.sibling(name)) is not None), "")
    for name, value in stdout.told(printed).items():
        if attempts[0].values.get(name) is None:
            attempts[0].values[name] = value


def _complete(target: Attempt, weak: Attempt) -> None:
    """Fills what is missing from a prediction or trajectory."""
    if target.patch is None:
        target.patch = weak.patch
    if "/" in weak.model and plain_model(weak.model) == target.model:
        target.model = weak.model  # as it was asked for
    for name, value in weak.values.items():
        if target.values.get(name) is None and name not in ("reward", "error"):
            target.values[name] = value


def _both(one: Attempt, other: Attempt, name: str) -> bool:
    return one.values.get(name) is not None and other.values.get(name) is not None


def _is_summary(value: object) -> bool:
    """Harbor's `result.json` of a whole job: totals of what the trials say themselves."""
    return isinstance(value, dict) and "n_total_trials" in value


def _text(path: Path, most: int) -> str | None:
    """A regular file of bounded size, undecodable bytes replaced; None for anything else."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            data = file.read(most + 1)
    except OSError:
        return None
    return data.decode("utf-8-sig", "replace") if len(data) <= most else None
