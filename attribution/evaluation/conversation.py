"""A session as a conversation: what the user asked, what the agent answered and did, which plans it
made. Pure.

Embeddings and judges see this and nothing else of a session. Only what the user typed is the user's
text; approved plans are kept apart, everything that a harness puts in the user's mouth is left out
(`features.view`).
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from attribution.features.view import TYPED, SessionView, view_of, words_in
from collector.groups import group_pairs
from collector.json_values import get_dict, parse_json
from collector.model import Session, Status, ToolCall

FEWEST_WORDS = 4  # a message of fewer ("yes", "commit it") has no topic of its own
_STEP = re.compile(r"^[ \t]{0,6}(?:\d{1,2}[.)]|[-*•](?: \[[ xX]\])?|#{2,4})[ \t]+(\S.*)$", re.M)
_MOST_STEPS = 200


class CallSummary(NamedTuple):
    """A tool call in few words."""

    kind: str  # as in features.tools; the agent's own name of a tool that has no kind
    target: str  # path, or first line of a command
    failed: bool


class Exchange(NamedTuple):
    """A turn of the user and everything the main agent said and did until the next turn."""

    turn: int  # number in `turns`
    origin: str  # prompt, queued, plan, command
    asked: str
    answered: str
    actions: tuple[CallSummary, ...]
    last_words: str  # the agent's last text of the turn

    @property
    def is_typed(self) -> bool:
        return self.origin in TYPED

    @property
    def has_topic(self) -> bool:
        return self.origin in (*TYPED, "plan") and words_in(self.asked) >= FEWEST_WORDS


class Conversation(NamedTuple):
    exchanges: tuple[Exchange, ...]
    # steps of each recorded plan in order; a to-do list is recorded again when a step is done
    plans: tuple[tuple[str, ...], ...]
    files: tuple[str, ...] = ()  # paths that edit calls changed, subagents' included
    interruptions: int = 0

    @property
    def task(self) -> int | None:
        """Position of the exchange that says what the session is about: the first with a topic."""
        return next((i for i, e in enumerate(self.exchanges) if e.has_topic), None)


def conversation_of(session: Session) -> Conversation:
    view = view_of(session)
    messages = group_pairs(
        (message.turn, message.text.strip()) for message in view.spoken if message.text.strip()
    )
    done = group_pairs(
        (call.turn, _action(call, kind))
        for call, kind in zip(view.calls, view.categories, strict=True)
        if not call.agent_id
    )
    exchanges = tuple(
        Exchange(
            turn.index,
            turn.origin,
            turn.text.strip(),
            "\n\n".join(messages[turn.index]),
            tuple(done[turn.index]),
            messages[turn.index][-1] if messages[turn.index] else "",
        )
        for turn in view.user_turns
    )
    return Conversation(
        exchanges, _plans(view), tuple(sorted(view.touched)), len(view.interruptions)
    )


def _action(call: ToolCall, kind: str) -> CallSummary:
    if call.edits:
        target = call.edits[0].path
    elif call.command is not None:
        target = call.command.text.strip().split("\n", 1)[0]
    elif call.seen is not None:
        target = call.seen.path
    else:
        target = ""
    return CallSummary(
        call.name if kind in ("other", "mcp") else kind,
        target,
        call.status in (Status.ERROR, Status.REJECTED),
    )


def _plans(view: SessionView) -> tuple[tuple[str, ...], ...]:
    """Plans in order of time: approved plans, plans of a plan tool and to-do lists written as a
    whole.
    """
    plans = [(t.at or 0.0, _list_items(t.text)) for t in view.user_turns if t.origin == "plan"]
    for call, kind in zip(view.calls, view.categories, strict=True):
        if kind in ("plan", "todo") and not call.agent_id:
            plans.append((call.at or 0.0, tuple(_steps(call.input))))
    return tuple(
        steps[:_MOST_STEPS] for _, steps in sorted(plans, key=lambda plan: plan[0]) if steps
    )


def _steps(arguments: str) -> Iterator[str]:
    """Steps in the arguments of TodoWrite, update_plan, ExitPlanMode and the like; none of
    anything else.
    """
    content = get_dict(parse_json(arguments))
    if isinstance(content.get("plan"), str):
        yield from _list_items(content["plan"])
        return
    listed = content.get("todos", content.get("plan"))
    for entry in listed if isinstance(listed, list) else ():
        text = _entry(entry)
        if text:
            yield text


def _entry(entry: Any) -> str:
    if isinstance(entry, dict):
        entry = next(
            (
                entry[key]
                for key in ("content", "step", "description", "title")
                if isinstance(entry.get(key), str)
            ),
            "",
        )
    return entry.strip() if isinstance(entry, str) else ""


def _list_items(text: str) -> tuple[str, ...]:
    """Numbered and bulleted lines and headings of a plan in prose."""
    return tuple(step.strip() for step in _STEP.findall(text))
