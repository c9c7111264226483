"""The labels, the questions that ask for them, the JSON schema of an answer and its check. Pure.

A question has a version: when its words, a label or a class changes, raise it, and nothing judged
before counts as an answer.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from collector.json_values import JsonObject, load_json


class Label(NamedTuple):
    """What a model can say about a session or turn: one of `classes`, or without classes a
    number from `low` to `high`.
    """

    name: str
    meaning: str
    classes: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 1.0
    whole: bool = False  # only whole numbers
    certain: bool = False  # "cannot tell" (null) is not an answer


SESSION = (
    Label(
        "task_paraphrase_accuracy",
        "how well the agent's first restatement of the task says what the user asked; null if it"
        " restates nothing",
    ),
    Label(
        "plan_optimality",
        "the approach the agent began with, against the one that led to the result; null if nothing"
        " was to be planned",
        ("optimal", "suboptimal", "wrong_direction"),
    ),
    Label(
        "instruction_adherence",
        "whether the agent did what was asked, whatever the quality",
        ("full", "partial", "ignored", "contradicted"),
    ),
    Label(
        "conflation_turn",
        "number of the turn in which the agent began to work on what nobody had asked for; null if"
        " it never did",
        high=100_000,
        whole=True,
    ),
    Label(
        "files_needed",
        "how many files had to change at least; null if no file had to, or it cannot be told",
        low=1,
        high=10_000,
        whole=True,
    ),
    Label(
        "session_attribution",
        "why the session went as it went",
        (
            "correct_anticipation",
            "scope_conflation",
            "agent_misunderstood",
            "underspecified_prompt",
        ),
    ),
    Label(
        "persona",
        "how the user steers",
        ("expert_nitpicker", "vague_requester", "mind_changer", "other"),
    ),
    Label("success_score", "how well the user was served, 0 to 100", high=100, whole=True),
)
_SIGNS = ("positive", "mixed", "negative")
# What the paper on SWE-chat asks, as far as its prompts are known; the data set has domain and
# audience of repositories, not of sessions.
PAPER = (
    Label(
        "goal_completion",
        "whether each of the user's requests was resolved",
        ("resolved", "partial", "unresolved"),
    ),
    Label("final_state", "how the session ended", _SIGNS),
    Label("agent_efficiency", "whether the agent made steady progress", _SIGNS),
    Label(
        "code_quality",
        "whether code and commits seem correct and complete; null if none was produced",
        _SIGNS,
    ),
    Label("user_experience", "whether the user had to fight the agent", _SIGNS),
    Label("paper_success_score", "success as the paper weighs it, 0 to 100", high=100, whole=True),
    Label(
        "paper_persona",
        "how the user steers, by the paper's definitions",
        ("expert_nitpicker", "vague_requester", "mind_changer", "other"),
    ),
    Label(
        "domain",
        "what the software that was worked on is",
        ("application", "developer_tool", "other"),
    ),
    Label(
        "audience",
        "for whom that software is",
        ("developers", "end_users", "research", "education"),
    ),
)
TURN = (
    Label(
        "pushback",
        "what the message says about the work before it",
        (
            "correction",
            "rejection",
            "failure_report",
            "requirement_change",
            "pacing_complaint",
            "takeover",
            "none",
        ),
        certain=True,
    ),
    Label(
        "intent",
        "what kind of work the message asks for",
        ("understand", "create", "git", "debug", "refactor", "test", "connect", "other"),
        certain=True,
    ),
)
# Computed from an answer and the transcript: files changed / files_needed.
SCOPE_DRIFT = Label("scope_drift", "files changed / files_needed", high=10_000)
LABELS = {label.name: label for label in (*SESSION, SCOPE_DRIFT, *TURN, *PAPER)}


class Question(NamedTuple):
    """One call of the model: about a session, or about some of its turns."""

    name: str
    version: str
    labels: tuple[Label, ...]
    per_turn: bool
    base_tokens: int  # usual length of an answer, tokens
    turn_tokens: int  # and of each turn in it


# The labels of a model are shown by its version: one for all questions.
QUESTIONS = {
    "session": Question("session", "2", SESSION, False, 350, 0),
    "turns": Question("turns", "2", TURN, True, 20, 25),
    "paper": Question("paper", "2", PAPER, False, 300, 0),
}
USUAL = ("session", "turns")  # asked when no question is named
_NOTES = 600  # characters


def schema(question: Question) -> JsonObject:
    """JSON schema of an answer; every field is required, null says that it cannot be told."""
    fields = {label.name: _field(label) for label in question.labels}
    if not question.per_turn:
        return _object(
            {"notes": {"type": "string", "description": "evidence in a few words, first"}, **fields}
        )
    turn = _object({"turn": {"type": "integer", "description": "number of the turn"}, **fields})
    return _object({"turns": {"type": "array", "items": turn}})


def _object(fields: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _field(label: Label) -> JsonObject:
    kind = "string" if label.classes else "integer" if label.whole else "number"
    classes = [*label.classes, *(() if label.certain else (None,))]
    limits = {"enum": classes} if label.classes else {"minimum": label.low, "maximum": label.high}
    return {
        "type": kind if label.certain else [kind, "null"],
        "description": label.meaning,
        **limits,
    }


class InvalidAnswer(ValueError):
    """An answer that does not fit; the message says why and holds nothing of the answer."""


def parse_answer(question: Question, turns: Sequence[int], text: str) -> JsonObject:
    """The answer as checked values.

    `turns` are the numbers asked about, or those a session has. Raises InvalidAnswer.
    """
    answer = _json(text)
    _check("the answer", answer, schema(question))
    if question.per_turn:
        if [entry["turn"] for entry in answer["turns"]] != list(turns):
            raise InvalidAnswer(
                f"turns must have exactly the turns {', '.join(map(str, turns))}, in this order"
            )
        return dict(answer)
    if answer.get("conflation_turn") is not None and answer["conflation_turn"] not in turns:
        raise InvalidAnswer(
            "conflation_turn must be null or the number of a turn of the transcript"
        )
    return {**answer, "notes": answer["notes"][:_NOTES]}


def _json(text: str) -> Any:
    """The JSON value of an answer; a fence around it is forgiven, anything else is not."""
    inner = text.strip()
    if inner.startswith("```") and inner.endswith("```") and "\n" in inner:
        inner = inner.split("\n", 1)[1].removesuffix("```")
    try:
        return load_json(inner)
    except (ValueError, RecursionError) as error:
        raise InvalidAnswer("the answer is not JSON") from error


_TYPES = {
    "string": str,
    "integer": int,
    "number": int | float,
    "object": dict,
    "array": list,
    "null": type(None),
}


def _check(name: str, value: Any, form: JsonObject) -> None:
    """Raises InvalidAnswer where a value does not fit its part of the schema."""
    kinds = [form["type"]] if isinstance(form["type"], str) else form["type"]
    if isinstance(value, bool) or not any(isinstance(value, _TYPES[kind]) for kind in kinds):
        raise InvalidAnswer(f"{name} must be of type {' or '.join(kinds)}")
    if "enum" in form and value not in form["enum"]:
        raise InvalidAnswer(
            f"{name} must be one of {', '.join(word or 'null' for word in form['enum'])}"
        )
    if "minimum" in form and value is not None and not form["minimum"] <= value <= form["maximum"]:
        raise InvalidAnswer(f"{name} must be from {form['minimum']:g} to {form['maximum']:g}")
    if "properties" in form:
        if value.keys() != form["properties"].keys():
            raise InvalidAnswer(
                f"the fields of {name} must be exactly {', '.join(form['properties'])}"
            )
        for field, part in value.items():
            _check(field, part, form["properties"][field])
    for item in value if "items" in form else ():
        _check(f"each entry of {name}", item, form["items"])
