"""Asks a model about the sessions of a database: what was answered before is not asked again, each
answer is stored at once.

An answer is stored in one transaction with the labels taken from it. Stopping at any moment loses
at most the answers under way.
"""

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from attribution.evaluation.conversation import conversation_of
from attribution.evaluation.failure_modes.stage import fill_failure_modes
from attribution.evaluation.judge.labels import USUAL, InvalidAnswer, parse_answer, schema
from attribution.evaluation.judge.prompts import Request, requests
from attribution.evaluation.judge.queries import (
    Judge,
    Validation,
    compare_with_people,
    list_price,
    stored_answers,
    stored_labels,
)
from attribution.evaluation.models import ModelAnswer, ModelFailed
from attribution.features.prices import Prices
from attribution.queries.recorded_sessions import recorded_sessions
from attribution.queries.repositories import all_repositories, known_clones
from attribution.queries.sessions import find_session
from collector.errors import WhoWroteError
from collector.groups import group_pairs
from collector.json_values import JsonObject
from collector.model import Problem
from collector.runtime.locks import writing_database
from collector.runtime.progress import Progress
from collector.runtime.stages import clear_problems
from collector.storage.store import Store, utc_now
from collector.text import count_of, printable

ATTEMPTS = 3
_GIVE_UP = 3  # failures one after the other after which the model is not asked any more
_STAGE = "judge"
_TURN_LABELS = ("intent", "pushback")  # labels that are also columns of turn_outcomes


class JudgeModel(Protocol):
    """What is asked: a model of llm, or one of a test."""

    name: str
    has_schemas: bool

    def ask(self, system: str, prompt: str, schema: JsonObject) -> ModelAnswer: ...


class JudgeOptions(NamedTuple):
    """Who is asked, and within what limits."""

    model: JudgeModel
    prices: Prices
    jobs: int = 2  # questions under way at the same time
    max_usd: float | None = None

    def price(self, input_tokens: int, output_tokens: int) -> float | None:
        """USD at list prices; None when the price of the model is not known."""
        return list_price(self.model.name, self.prices, input_tokens, output_tokens)


@dataclass(slots=True)
class JudgeRun:
    answered: int = 0
    known: int = 0
    invalid: int = 0
    failed: int = 0
    labels: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = None
    stopped: str = ""  # why, when questions are left
    failure: str = ""  # the last one


def judge_requests(
    store: Store,
    repo: int | None,
    progress: Progress,
    questions: Sequence[str] = USUAL,
    session: str = "",
    limit: int | None = None,
) -> tuple[list[Request], list[str]]:
    """(questions about the sessions of one repository or of all, latest session first; a note for
    each clone that is gone).

    `session`: key of one session, or the beginning of it; `limit`: only this number of sessions.
    Raises WhoWroteError when nothing is to be asked.
    """
    only = find_session(store, session, repo) if session else None
    clones, notes = known_clones(store, repo)
    by_session = {}
    for repo_id, _, clone in clones:
        sessions = recorded_sessions(store, clone, repo_id)
        for number, recorded in enumerate(reversed(sessions)):
            progress("reading sessions", number, len(sessions))
            content = recorded.read() if only in (None, recorded.session_id) else None
            new = (
                list(requests(recorded.session_id, conversation_of(content), questions))
                if content is not None
                else []
            )
            if new:
                by_session[recorded.session_id] = new
    chosen = list(by_session.values())[:limit]
    if not chosen:
        raise WhoWroteError(
            "no session has a conversation to judge", "List the sessions with: whowrote sessions"
        )
    return [request for of_session in chosen for request in of_session], notes


def run_judge(
    store: Store,
    repo: int | None,
    requests: Sequence[Request],
    options: JudgeOptions,
    progress: Progress,
) -> JudgeRun:
    """Asks what is not known yet, then decides what depends on labels again.

    Raises WhoWroteError for a limit without a price.
    """
    with writing_database(store, progress):
        try:
            return ask_all(store, requests, options, progress)
        finally:
            for row in all_repositories(store, repo):
                with store.transaction():
                    fill_failure_modes(store, row.id)
                    fill_turn_labels(store, row.id)


def ask_all(
    store: Store, requests: Sequence[Request], options: JudgeOptions, progress: Progress
) -> JudgeRun:
    """Asks what is not known yet and stores the labels of all.

    Raises WhoWroteError when a limit is set without a price.
    """
    run = JudgeRun(usd=options.price(0, 0))
    if options.max_usd is not None and run.usd is None:
        raise WhoWroteError(
            f"the price of {options.model.name} is unknown, so --max-cost cannot be enforced",
            "Choose a price table for the database with: whowrote sessions --prices FILE",
        )
    by_hash = group_pairs((request.input_hash, request) for request in requests)
    answers = stored_answers(store, options.model.name, requests)
    with store.transaction():
        for key in by_hash.keys() & answers.keys():
            output = json.loads(
                store.value("SELECT output FROM judgements WHERE id = ?", (answers[key],))
            )
            run.known += len(by_hash[key])
            run.labels += _write_labels(
                store, options.model.name, by_hash[key], output, answers[key]
            )
    new = [same[0] for key, same in by_hash.items() if key not in answers]
    for number, result in enumerate(_results(new, options, run), 1):
        progress("asking", number, len(new))
        _store(store, result, by_hash[result.request.input_hash], options, run)
    return run


class _Result(NamedTuple):
    request: Request
    attempts: int
    tokens: tuple[int, int] | None  # in and out, of all attempts; None when the model does not say
    output: JsonObject | None = None
    problem: str = ""  # why there is no output
    failed: bool = False  # the model could not be asked


def _results(new: Sequence[Request], options: JudgeOptions, run: JudgeRun) -> Iterator[_Result]:
    """Results as they come, a few questions under way at a time."""
    failures = 0
    waiting = list(new)
    with ThreadPoolExecutor(options.jobs) as pool:
        while waiting:
            batch = _affordable(waiting[: options.jobs], options, run.usd or 0.0)
            del waiting[: len(batch)]
            for result in pool.map(partial(_ask, options.model), batch):
                failures = failures + 1 if result.failed else 0
                yield result
            if not batch:
                run.stopped = (
                    f"the limit of {options.max_usd:.2f} USD is reached;"
                    f" {count_of(len(waiting), 'question')} left"
                )
                return
            if failures >= _GIVE_UP and waiting:
                run.stopped = (
                    f"the model failed {failures} times in a row;"
                    f" {count_of(len(waiting), 'question')} left"
                )
                return


def _affordable(requests: Sequence[Request], options: JudgeOptions, spent: float) -> list[Request]:
    """The first requests whose estimated cost does not exceed the limit."""
    batch = []
    for request in requests:
        spent += options.price(request.input_tokens, request.output_tokens) or 0.0
        if options.max_usd is not None and spent > options.max_usd:
            break
        batch.append(request)
    return batch


def _ask(model: JudgeModel, request: Request) -> _Result:
    """Asks until an answer is valid, at most ATTEMPTS times.

    What was wrong is said in our words: an answer is never sent back.
    """
    form = schema(request.question)
    in_words = (
        ""
        if model.has_schemas
        else f"\n\nThe answer must fit this JSON schema:\n{json.dumps(form)}"
    )
    tokens: tuple[int, int] | None = (0, 0)
    problem = ""
    prompt = request.prompt
    for attempt in range(1, ATTEMPTS + 1):
        try:
            answer = model.ask(request.system + in_words, prompt, form)
        except ModelFailed as error:
            return _Result(request, attempt, tokens, problem=str(error), failed=True)
        if tokens is None or answer.input_tokens is None or answer.output_tokens is None:
            tokens = None
        else:
            tokens = (tokens[0] + answer.input_tokens, tokens[1] + answer.output_tokens)
        try:
            return _Result(
                request, attempt, tokens, parse_answer(request.question, request.turns, answer.text)
            )
        except InvalidAnswer as error:
            problem = str(error)
            prompt = (
                f"{request.prompt}\n\nAn answer to this was not valid: {problem}. Answer with valid"
                " JSON and nothing else."
            )
    return _Result(request, ATTEMPTS, tokens, problem=problem)


_JUDGEMENT = (
    "id, model, prompt, prompt_version, input_hash, output, attempts, input_tokens, "
    "output_tokens, cost_usd, at"
)
_LABEL = "session_id, turn_index, label, model, prompt_version, value, number, judgement_id"
_VALIDATION = ("label", "class", "tp", "fp", "fn", "tn", "sensitivity", "specificity", "kappa")


def _store(
    store: Store, result: _Result, same: Sequence[Request], options: JudgeOptions, run: JudgeRun
) -> None:
    """Stores an answer with its labels for every session that has this question, or why there is
    none.
    """
    request = result.request
    question = result.request.question
    model = options.model.name
    estimate = (request.input_tokens * result.attempts, request.output_tokens * result.attempts)
    usd = options.price(*(result.tokens or estimate))
    run.usd = None if usd is None or run.usd is None else run.usd + usd
    tokens = result.tokens or (None, None)
    run.input_tokens += tokens[0] or 0
    run.output_tokens += tokens[1] or 0
    subject = f"{question.name} {request.input_hash}"
    with store.transaction():
        clear_problems(store, None, (_STAGE,), subject)
        if result.output is None:
            run.failed += result.failed
            run.invalid += not result.failed
            # A failure is shown and not stored: it holds what a service said. Only its kind is.
            run.failure = result.problem
            code, detail = (
                ("model_failed", result.problem.split(":")[0])
                if result.failed
                else ("invalid_answer", result.problem)
            )
            repo = store.value("SELECT repo_id FROM sessions WHERE id = ?", (request.session_id,))
            store.add_problems(repo, [Problem(_STAGE, subject, code, detail)])
            return
        number = store.next_id("judgements")
        row = (
            number,
            model,
            question.name,
            question.version,
            request.input_hash,
            printable(json.dumps(result.output, ensure_ascii=False)),
            result.attempts,
            *tokens,
            usd if result.tokens else None,
            utc_now(),
        )
        store.insert("judgements", _JUDGEMENT, [row])
        run.labels += _write_labels(store, model, same, result.output, number)
    run.answered += 1


def _write_labels(
    store: Store, model: str, same: Sequence[Request], output: JsonObject, judgement: int
) -> int:
    """The labels of an answer, for all sessions with this question; returns how many.

    Call within a transaction.
    """
    rows = [
        (
            request.session_id,
            turn,
            name,
            model,
            request.question.version,
            value if isinstance(value, str) else None,
            None if isinstance(value, str) else value,
            judgement,
        )
        for request in same
        for turn, name, value in _values(request, output)
    ]
    store.connection.executemany(
        "DELETE FROM judge_labels WHERE session_id = ? AND turn_index = ? AND label = ? AND model ="
        " ? AND prompt_version = ?",
        [row[:5] for row in rows],
    )
    store.insert("judge_labels", _LABEL, rows)
    return len(rows)


def _values(request: Request, output: JsonObject) -> Iterator[tuple[int, str, Any]]:
    """(turn or 0, label, value) of an answer."""
    for entry in output["turns"] if request.question.per_turn else [{**output, "turn": 0}]:
        yield from (
            (entry["turn"], label.name, entry[label.name]) for label in request.question.labels
        )
    if "files_needed" in output:
        needed = output["files_needed"]
        yield (
            0,
            "scope_drift",
            round(request.files / needed, 3) if needed and request.files else None,
        )


def fill_turn_labels(store: Store, repo_id: int) -> None:
    """Columns of `turn_outcomes`: labels of the judge that answered last.

    Call within a transaction.
    """
    for label in _TURN_LABELS:
        store.connection.execute(
            f"UPDATE turn_outcomes SET {label} = NULL WHERE repo_id = ?", (repo_id,)
        )
        store.connection.execute(
            f"UPDATE turn_outcomes SET {label} = l.value FROM latest_labels l WHERE l.label = ? AND"
            " turn_outcomes.repo_id = ? AND l.session_id = turn_outcomes.session_id AND"
            " l.turn_index = turn_outcomes.turn_index",
            (label, repo_id),
        )


def validate(store: Store, path: Path, judge: Judge) -> Validation:
    """Compares a judge's labels with people's and stores how well they agree.

    Raises WhoWroteError when the file is not a CSV.
    """
    result = compare_with_people(path, stored_labels(store, judge))
    classes = [row for row in result.rows if "tp" in row]
    now = utc_now()
    with store.transaction() as connection:
        connection.executemany(
            "DELETE FROM judge_validations WHERE model = ? AND prompt_version = ? AND label = ?",
            {(*judge, row["label"]) for row in classes},
        )
        rows = [(*judge, *(row[name] for name in _VALIDATION), now) for row in classes]
        store.insert("judge_validations", ("model", "prompt_version", *_VALIDATION, "at"), rows)
    return result
