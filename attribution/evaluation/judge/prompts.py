"""What a model is asked: our words as system prompt, the conversation as bounded, marked data.

Pure but for reading our own words.

The conversation goes in as JSON lines between markers that name a hash of the data, so that no text
in it can end it. What looks like a credential is taken out (`collector/storage/redaction.py`).
"""

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from attribution.evaluation.conversation import CallSummary, Conversation, Exchange
from attribution.evaluation.judge.labels import QUESTIONS, Question
from collector.json_values import Row
from collector.storage.redaction import secrets_out
from collector.text import printable

MOST = 60_000  # characters of the data of one question
CHUNK = 40  # turns asked about in one question
# message, answer, actions per turn
_SIZES = ((1_800, 1_400, 12), (900, 700, 8), (450, 300, 5), (200, 120, 3), (120, 60, 2))
_FILES = 60
_TARGET = 120  # characters of a path or command
CHARACTERS_PER_TOKEN = 3.3  # of English with code; the estimate of a cost is on the high side


class Request(NamedTuple):
    """One question about one session, as it is sent."""

    session_id: int
    question: Question
    system: str
    prompt: str
    turns: tuple[int, ...]  # numbers asked about, or all of the session
    files: int  # changed in the session

    @property
    def input_hash(self) -> str:
        return hashlib.sha256(
            f"{self.system}\0{self.prompt}".encode("utf-8", "replace")
        ).hexdigest()[:32]

    @property
    def input_tokens(self) -> int:
        """Estimated."""
        return round((len(self.system) + len(self.prompt)) / CHARACTERS_PER_TOKEN) + 1

    @property
    def output_tokens(self) -> int:
        """Estimated."""
        return self.question.base_tokens + self.question.turn_tokens * len(self.turns)

    def row(self) -> Row:
        """What would be sent, word by word, as a row of a table."""
        return {
            "session_id": self.session_id,
            "question": self.question.name,
            "version": self.question.version,
            "turns": len(self.turns),
            "characters": len(self.system) + len(self.prompt),
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "input_hash": self.input_hash,
            "system": self.system,
            "prompt": self.prompt,
        }


@cache
def words(question: str) -> str:
    """Our own words of a question."""
    return (
        resources.files("attribution.evaluation.judge")
        .joinpath("prompts", f"{question}.md")
        .read_text("utf-8")
        .strip()
    )


def requests(
    session_id: int, conversation: Conversation, questions: Sequence[str]
) -> Iterator[Request]:
    """All questions about a session; none when nobody asked anything or the agent did nothing."""
    if not any(e.answered or e.actions for e in conversation.exchanges):
        return
    for name in questions:
        question = QUESTIONS[name]
        parts = _turn_parts(conversation) if question.per_turn else [_session_part(conversation)]
        for turns, lines in parts:
            yield Request(
                session_id,
                question,
                words(name),
                _marked_data(lines),
                turns,
                len(conversation.files),
            )


def _marked_data(lines: Sequence[str]) -> str:
    data = "\n".join(lines)
    code = hashlib.sha256(data.encode("utf-8", "replace")).hexdigest()[:16]
    return f"RECORD {code} BEGINS\n{data}\nRECORD {code} ENDS"


def _session_part(conversation: Conversation) -> tuple[tuple[int, ...], list[str]]:
    counts = Counter(action.kind for e in conversation.exchanges for action in e.actions)
    summary = {
        "turns": len(conversation.exchanges),
        "interrupted_by_user": conversation.interruptions,
        "files_changed": len(conversation.files),
        "files": [_short(path, _TARGET) for path in _relative(conversation.files)[:_FILES]],
        "calls": dict(counts.most_common()),
    }
    lines = _fit(conversation.exchanges, (), MOST - len(_line(summary)))
    return tuple(e.turn for e in conversation.exchanges), [_line(summary), *lines]


def _relative(paths: Sequence[str]) -> list[str]:
    """Paths below the directory they share: homes and user names are nobody's business."""
    split = [path.split("/") for path in paths]
    shared = 0
    if len(split) > 1:
        while all(len(parts) > shared + 1 and parts[shared] == split[0][shared] for parts in split):
            shared += 1
    else:
        shared = max(0, len(split[0]) - 3) if split else 0
    return ["/".join(parts[shared:]) for parts in split]


def _turn_parts(conversation: Conversation) -> Iterator[tuple[tuple[int, ...], list[str]]]:
    """Typed messages, `CHUNK` at a time, each part with the task and the turn before it as
    context.
    """
    exchanges = conversation.exchanges
    typed = [i for i, e in enumerate(exchanges) if e.is_typed]
    for start in range(0, len(typed), CHUNK):
        chunk = typed[start : start + CHUNK]
        first = chunk[0]
        last = chunk[-1]
        context = sorted(i for i in {conversation.task or 0, max(0, first - 1)} if i < first)
        part = [exchanges[i] for i in (*context, *range(first, last + 1))]
        turns = tuple(exchanges[i].turn for i in chunk)
        aside = frozenset(e.turn for e in part) - set(turns)
        head = _line({"asked_about": list(turns)})
        yield turns, [head, *_fit(part, aside, MOST - len(head))]


def _fit(exchanges: Sequence[Exchange], aside: Collection[int], room: int) -> list[str]:
    """Lines of turns within `room` characters: texts get shorter first, then turns in the middle
    are left out.
    """
    lines = []
    for sizes in _SIZES:
        lines = [_turn(e, sizes, e.turn in aside) for e in exchanges]
        if sum(map(len, lines)) + len(lines) <= room:
            return lines
    kept_first = 1
    kept_last = 0
    used = len(lines[0]) + 60
    while kept_first + kept_last < len(lines):
        last = kept_last <= 2 * kept_first  # the end says more than the beginning
        line = lines[-1 - kept_last] if last else lines[kept_first]
        if used + len(line) + 1 > room:
            break
        used += len(line) + 1
        kept_first, kept_last = (kept_first, kept_last + 1) if last else (kept_first + 1, kept_last)
    return [
        *lines[:kept_first],
        _line({"left_out": len(lines) - kept_first - kept_last}),
        *lines[len(lines) - kept_last :],
    ]


def _turn(exchange: Exchange, sizes: tuple[int, int, int], aside: bool) -> str:
    message, answer, most = sizes
    fields = {
        "turn": exchange.turn,
        "context": True if aside else None,
        "kind": exchange.origin,
        "user": _short(exchange.asked, message),
        "agent": _short(exchange.answered, answer, 1 / 3),  # the end says what was done
        "actions": _actions(exchange.actions, most),
    }
    return _line({name: value for name, value in fields.items() if value is not None})


def _actions(actions: Sequence[CallSummary], most: int) -> list[str]:
    """The first and the last actions of a turn; paths by their last two parts."""
    texts = [f"{a.kind} {_target(a)}{' (failed)' if a.failed else ''}".strip() for a in actions]
    if len(texts) <= most:
        return texts
    return [
        *texts[: most // 2],
        f"… {len(texts) - most} more …",
        *texts[len(texts) - (most - most // 2) :],
    ]


def _target(action: CallSummary) -> str:
    is_command = action.kind.startswith(("bash", "git"))
    target = secrets_out(action.target if is_command else "/".join(action.target.split("/")[-2:]))
    return target if len(target) <= _TARGET else target[: _TARGET - 1] + "…"


def _short(text: str, most: int, beginning: float = 2 / 3) -> str:
    """Beginning and end of a text without credentials, at most about `most` characters."""
    text = secrets_out(text)
    head = int(most * beginning)
    if len(text) <= most + 30:
        return text
    return f"{text[:head]} [… {len(text) - most} characters …] {text[len(text) - (most - head) :]}"


def _line(value: Row) -> str:
    """JSON on one line: line ends and control characters of a text stay inside it."""
    return json.dumps({k: _clean(v) for k, v in value.items()}, ensure_ascii=False)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    return [_clean(v) for v in value] if isinstance(value, list) else value
