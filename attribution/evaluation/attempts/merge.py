"""Records of the same attempt as one: what knows most is believed, and patches go to the attempts they belong to. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from attribution.evaluation.attempts import harbor, terminal_bench
from attribution.evaluation.attempts.model import RESULT, SUMMARY, Attempt, plain_model
from collector.model import Problem

STAGE = "attempts"
_TRIALS = (harbor.NAME, terminal_bench.NAME)  # harnesses with a directory for each trial


def merged_attempts(records: Sequence[Attempt]) -> tuple[list[Attempt], list[Problem]]:
    """(one for each attempt, where records disagree or cannot be assigned). Changes the names of records."""
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
        problems.append(Problem(STAGE, source, "prediction_ambiguous", f"{number} patches could belong to several runs"))
    return [*strong.values(), *alone], problems


def _merge(known: Attempt, better: Attempt) -> Attempt:
    """Both records of one attempt; where both know something the better one is believed."""
    return replace(
        better, values={**known.values, **{k: v for k, v in better.values.items() if v is not None}},
        treatment={**known.treatment, **better.treatment}, tests=better.tests or known.tests,
        extra={**known.extra, **better.extra}, patch=known.patch if better.patch is None else better.patch,
        model=better.model or known.model, agent=better.agent or known.agent, dataset=better.dataset or known.dataset,
    )  # fmt: skip


def _resolve_aliases(records: Sequence[Attempt]) -> None:
    """`MODEL.RUN.json`: where the model ends is known when the model or the run is named elsewhere; both may have dots."""
    named = [r for r in records if not r.alias and r.model]
    pairs = {f"{plain_model(r.model)}.{r.run}": (r.run, r.model) for r in named if r.run}
    models = sorted({plain_model(r.model) for r in named}, key=len, reverse=True)
    for record in records:
        if record.alias in pairs:
            record.run, record.model = pairs[record.alias]
        elif record.alias and (model := next((m for m in models if record.alias.startswith(m + ".")), "")):
            record.run, record.model = record.alias.removeprefix(model + "."), model


# --- reports inside a trial -------------------------------------------------------------------------------------------


def _adopt(records: Sequence[Attempt]) -> None:
    """Gives the report that one harness wrote inside the trial of another the name of that trial: it is of the same attempt.

    What the trial's own harness says is believed where both say something.
    """
    trials: dict[str, list[Attempt]] = defaultdict(list)
    for record in records:
        if record.harness in _TRIALS and record.strength == RESULT and record.directory:
            trials[record.directory].append(record)
    reported = Counter(record.source for record in records)
    for record in records:
        if record.harness not in _TRIALS and record.strength >= SUMMARY:
            outer = next((trials[directory] for directory in _parents(record.directory) if directory in trials), [])
            # Harbor's verifier writes its report about the one task of the trial, however it names that.
            of_verifier = bool(outer) and record.directory == f"{outer[0].directory}/verifier" and reported[record.source] == 1
            if len(outer) == 1 and (of_verifier or _is_same_task(outer[0], record)):
                _rename(record, outer[0])


def _parents(directory: str) -> Iterator[str]:
    """A directory and those above it."""
    while directory:
        yield directory
        directory = directory.rpartition("/")[0]


def _is_same_task(trial: Attempt, record: Attempt) -> bool:
    """Harbor may name a task with its data set: `swe-bench/django__django-1`."""
    return trial.instance.rpartition("/")[2].lower() == record.instance.lower()


def _rename(record: Attempt, trial: Attempt) -> None:
    for name in ("harness", "run", "instance", "trial", "agent", "model", "dataset"):
        setattr(record, name, getattr(trial, name))
    record.alias, record.strength = "", SUMMARY


# --- predictions and trajectories -------------------------------------------------------------------------------------


def _assign(weak: Sequence[Attempt], strong: Mapping[str, Attempt]) -> tuple[list[Attempt], Counter[str]]:
    """(records that belong to no attempt with a result, source -> number of patches that could belong to several)."""
    by_task: dict[tuple[str, str], list[Attempt]] = defaultdict(list)
    for attempt in strong.values():
        by_task[_task(attempt)].append(attempt)
    patches: dict[tuple[str, str], set[str]] = defaultdict(set)
    for record in weak:
        patches[_task(record)].add(record.patch or "")
    alone: dict[str, Attempt] = {}
    ambiguous: Counter[str] = Counter()
    for record in weak:
        targets = [strong[record.key]] if record.key in strong else by_task[_task(record)]
        if not targets:
            record = replace(record, trial=record.trial or record.source.rpartition("/")[2].partition(".")[0])
            alone[record.key] = record if record.key not in alone else _merge(alone[record.key], record)
        elif record.key not in strong and len(patches[_task(record)]) > 1:
            ambiguous[record.source] += any(target.patch is None for target in targets)
        else:
            for target in targets:
                _complete(target, record)
    return list(alone.values()), +ambiguous


def _task(attempt: Attempt) -> tuple[str, str]:
    return plain_model(attempt.model), attempt.instance


def _complete(target: Attempt, weak: Attempt) -> None:
    """Fills what is missing from a prediction or trajectory."""
    if target.patch is None:
        target.patch = weak.patch
    if "/" in weak.model and plain_model(weak.model) == target.model:
        target.model = weak.model  # as it was asked for
    for name, value in weak.values.items():
        if target.values.get(name) is None and name not in ("reward", "error"):
            target.values[name] = value
