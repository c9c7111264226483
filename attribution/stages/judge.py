"""Asks a model about the sessions of a repository: what is known is not asked again, each answer is kept at once.

An answer is stored in one transaction with the labels taken from it. Stopping at any moment loses at most the answers under way.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from attribution.judge.labels import Invalid, parsed, schema, schema_hash
from attribution.judge.model import ModelFailed
from attribution.judge.prompts import Request, requests
from attribution.judge.run import JudgeModel, JudgeOptions, JudgeRun
from attribution.outcomes.conversation import conversation_of
from attribution.queries.judge import list_price, stored_answers
from attribution.queries.recorded_sessions import recorded_sessions
from collector.errors import WhoWroteError
from collector.git.repository import GitRepo
from collector.model import Problem
from collector.runtime.progress import Progress
from collector.runtime.stages import clear_problems
from collector.storage.store import Store, iso
from collector.text import printable

ATTEMPTS = 3
MAX_JOBS = 8
_GIVE_UP = 3  # failures one after the other after which the model is not asked any more
_STAGE = "judge"


# --- before -----------------------------------------------------------------------------------------------------------


def all_requests(
    store: Store, clones: Iterable[tuple[int, GitRepo]], questions: Sequence[str], session: int | None, progress: Progress
) -> list[Request]:
    """Every question about the sessions of these repositories, latest session first."""
    found: list[Request] = []
    for repo_id, repo in clones:
        sessions = recorded_sessions(store, repo, repo_id)
        for number, one in enumerate(reversed(sessions)):
            progress("reading sessions", number, len(sessions))
            read = one.read() if session is None or one.session_id == session else None
            if read is not None:
                found.extend(requests(one.session_id, conversation_of(read), questions))
    return found


# --- the run ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Result:
    request: Request
    output: dict[str, Any] | None
    problem: str  # why there is none
    failed: bool  # the model could not be asked
    attempts: int
    input_tokens: int | None
    output_tokens: int | None


def run(store: Store, asked: Sequence[Request], options: JudgeOptions, progress: Progress) -> JudgeRun:
    """Asks what is not known yet and stores the labels of all. Raises WhoWroteError when a limit is set without a price."""
    model, done = options.model.name, JudgeRun()
    priced = list_price(model, options.prices, 0, 0) is not None
    if options.max_usd is not None and not priced:
        raise WhoWroteError(
            f"the price of {model} is unknown, so --max-cost cannot be enforced", "Provide a price table: --prices FILE"
        )
    same: dict[str, list[Request]] = {}
    for request in asked:
        same.setdefault(request.input_hash, []).append(request)
    known = stored_answers(store, model, asked)
    done.known = sum(len(same[key]) for key in same if key in known)
    with store.transaction():
        for key in same.keys() & known.keys():
            output = json.loads(store.value("SELECT output FROM judgements WHERE id = ?", (known[key],)))
            for request in same[key]:
                done.labels += _write_labels(store, model, request, output, known[key])
    new = [requests_[0] for key, requests_ in same.items() if key not in known]
    if priced:
        done.usd = 0.0
    for number, result in enumerate(_results(new, options, done), 1):
        progress("asking", number, len(new))
        _store(store, result, same[result.request.input_hash], options, done)
    return done


def _results(new: Sequence[Request], options: JudgeOptions, done: JudgeRun) -> Iterator[_Result]:
    """Results as they come, a few questions under way at a time."""
    row, waiting = 0, list(reversed(new))
    jobs = max(1, min(options.jobs, MAX_JOBS))
    with ThreadPoolExecutor(jobs) as pool:
        running: set[Future[_Result]] = set()
        ahead = 0.0  # estimated cost of what is under way
        while waiting or running:
            while waiting and len(running) < jobs:
                price = _expected(waiting[-1], options)
                if options.max_usd is not None and (done.usd or 0.0) + ahead + price > options.max_usd:
                    done.stopped = f"the limit of {options.max_usd:.2f} USD is reached; {len(waiting)} questions remain"
                    waiting.clear()
                    break
                ahead += price
                running.add(pool.submit(_ask, options.model, waiting.pop()))
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                result = future.result()
                ahead -= _expected(result.request, options)
                row = row + 1 if result.failed else 0
                yield result
            if row >= _GIVE_UP and waiting:
                done.stopped = f"the model failed {row} times in a row; {len(waiting)} questions remain"
                waiting.clear()


def _expected(request: Request, options: JudgeOptions) -> float:
    """Estimated cost of one question; 0 when the price is not known."""
    return list_price(options.model.name, options.prices, request.input_tokens, request.output_tokens) or 0.0


def _ask(model: JudgeModel, request: Request) -> _Result:
    """Asks until an answer is valid, at most ATTEMPTS times. What was wrong is said in our words: an answer is never sent back."""
    wanted, used = schema(request.question), [0, 0]
    system = (
        request.system if model.has_schemas else f"{request.system}\n\nThe answer must fit this JSON schema:\n{json.dumps(wanted)}"
    )
    counted, problem, prompt = True, "", request.prompt
    for attempt in range(1, ATTEMPTS + 1):
        try:
            answer = model.ask(system, prompt, wanted)
        except ModelFailed as error:
            return _Result(request, None, str(error), True, attempt, used[0] if counted else None, used[1] if counted else None)
        counted = counted and answer.input_tokens is not None and answer.output_tokens is not None
        used = [used[0] + (answer.input_tokens or 0), used[1] + (answer.output_tokens or 0)]
        tokens = (used[0], used[1]) if counted else (None, None)
        try:
            return _Result(request, parsed(request.question, request.turns, answer.text), "", False, attempt, *tokens)
        except Invalid as error:
            problem = str(error)
            prompt = f"{request.prompt}\n\nAn answer to this was not valid: {problem}. Answer with valid JSON and nothing else."
    return _Result(request, None, problem, False, ATTEMPTS, *tokens)


# --- rows -------------------------------------------------------------------------------------------------------------

_JUDGEMENT = (
    "id", "model", "prompt", "prompt_version", "schema_hash", "input_hash", "output", "attempts", "input_tokens", "output_tokens",
    "cost_usd", "at",
)  # fmt: skip
_LABEL = ("session_id", "turn_index", "label", "value", "number", "model", "prompt_version", "judgement_id")


def _store(store: Store, result: _Result, same: Sequence[Request], options: JudgeOptions, done: JudgeRun) -> None:
    """Stores an answer with its labels for every session that has this question, or why there is none."""
    request, question, model = result.request, result.request.question, options.model.name
    counted = result.input_tokens is not None and result.output_tokens is not None
    tokens_in = result.input_tokens if counted else request.input_tokens * result.attempts
    tokens_out = result.output_tokens if counted else request.output_tokens * result.attempts
    usd = list_price(model, options.prices, tokens_in or 0, tokens_out or 0)
    done.usd = None if usd is None or done.usd is None else done.usd + usd
    done.input_tokens += result.input_tokens or 0
    done.output_tokens += result.output_tokens or 0
    subject = f"{question.name} {request.input_hash}"
    with store.transaction():
        clear_problems(store, None, (_STAGE,), subject)
        if result.output is None:
            done.failed, done.invalid = done.failed + result.failed, done.invalid + (not result.failed)
            # A failure is shown and not stored: it holds what a service said. Only its kind is.
            done.failures.append(result.problem)
            code, detail = ("model_failed", result.problem.split(":")[0]) if result.failed else ("invalid_answer", result.problem)
            repo = store.value("SELECT repo_id FROM sessions WHERE id = ?", (request.session_id,))
            store.add_problems(repo, [Problem(_STAGE, subject, code, detail)])
            return
        number = store.next_id("judgements")
        text = printable(json.dumps(result.output, ensure_ascii=False))
        at = iso(datetime.now(UTC).timestamp())
        store.insert(
            "judgements",
            _JUDGEMENT,
            [(
                number, model, question.name, question.version, schema_hash(question), request.input_hash, text, result.attempts,
                result.input_tokens, result.output_tokens, usd if counted else None, at,
            )],
        )  # fmt: skip
        for one in same:
            done.labels += _write_labels(store, model, one, result.output, number)
    done.answered += 1


def _write_labels(store: Store, model: str, request: Request, output: dict[str, Any], judgement: int) -> int:
    """The labels of an answer; returns how many. Call within a transaction."""
    question = request.question
    rows = [(turn, name, value) for turn, name, value in _values(request, output)]
    names = sorted({name for _, name, _ in rows})
    marks = ", ".join("?" * len(names))
    turns = ", ".join(str(int(turn)) for turn in {turn for turn, _, _ in rows})
    store.connection.execute(
        f"DELETE FROM judge_labels WHERE session_id = ? AND model = ? AND prompt_version = ? AND label IN ({marks}) "
        f"AND turn_index IN ({turns})",
        (request.session_id, model, question.version, *names),
    )
    stored = [
        (request.session_id, turn, name, value if isinstance(value, str) else None, None if isinstance(value, str) else value)
        for turn, name, value in rows
    ]
    store.insert("judge_labels", _LABEL, ((*row, model, question.version, judgement) for row in stored))
    return len(stored)


def _values(request: Request, output: dict[str, Any]) -> Iterator[tuple[int, str, Any]]:
    """(turn or 0, label, value) of an answer."""
    names = [label.name for label in request.question.labels]
    if request.question.per_turn:
        yield from ((entry["turn"], name, entry[name]) for entry in output["turns"] for name in names)
        return
    yield from ((0, name, output[name]) for name in names)
    if "files_needed" not in output:
        return
    needed = output["files_needed"]
    yield 0, "scope_drift", round(request.files / needed, 3) if needed and request.files else None
