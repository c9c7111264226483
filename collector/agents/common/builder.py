"""A session out of records that come in any order and in several copies: what all readers share."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from collector.agents.common.jsonl import MAX_DETAIL
from collector.agents.common.messages import PromptKind, classify, without_reminders
from collector.json_values import Moment, Numbers, get, get_int, get_str, time_of
from collector.labels import command_words, is_housekeeping
from collector.model import (
    AgentMessage,
    FileObservation,
    Problem,
    Session,
    SessionEvent,
    ToolCall,
    Turn,
    Usage,
)
from collector.text import normal_path, unique
from collector.vocabulary.sessions import Driver, TurnOrigin

_Event = TypeVar("_Event", ToolCall, AgentMessage, Usage, SessionEvent)
_TOKENS = ("input", "output", "cache_read", "cache_write", "cache_write_1h")
# what records call tokens; of names within names each part
_SPELLED = {
    "input": (
        "input",
        "inputTokens",
        "input_tokens",
        "prompt_tokens",
        "promptTokens",
        "promptTokenCount",
        "tokensIn",
        "input_other",
        "inputOther",
        "prompt",
    ),
    "output": (
        "output",
        "outputTokens",
        "output_tokens",
        "completion_tokens",
        "completionTokens",
        "candidatesTokenCount",
        "tokensOut",
        "completion",
    ),
    "cache_read": (
        "cacheRead",
        "cacheReadTokens",
        "cacheReads",
        "cachedReadTokens",
        "cachedInputTokens",
        "cachedContentTokenCount",
        "cached",
        "cache_read_tokens",
        "input_cache_read",
        "inputCacheRead",
        "cache.read",
        "prompt_tokens_details.cached_tokens",
    ),
    "cache_write": (
        "cacheWrite",
        "cacheWriteTokens",
        "cacheWrites",
        "cacheCreationTokens",
        "cache_write_tokens",
        "cache_creation_tokens",
        "input_cache_creation",
        "inputCacheCreation",
        "cache.write",
    ),
}
_ON_A_RUNNER = re.compile(
    r"/home/runner/work/|/github/workspace\b|/builds/[^/]+/[^/]+|/home/vsts/work/"
).match
_NOT_A_MODEL = "<synthetic>"  # texts that the agent's program writes in the model's name


class SessionBuilder:
    """What the copies of a transcript say, each event once by its key: the first occurrence counts.

    For each record call `begin`, then add what the record says. `build` puts everything in order of
    time and finds the turn of each event.
    """

    # False: messages, usage and events stay in the order in which they were read
    in_order_of_time = True

    def __init__(self, agent: str, session_id: str) -> None:
        self.agent = agent
        self.session_id = session_id
        self.parent_id = ""
        self.forked_from = ""
        self.problems: list[Problem] = []
        self.truncated_start = False
        # times of the records around lines that cannot be read
        self.torn: list[tuple[object, object]] = []
        self.order = 0  # number of the record that is being read
        self.record_ids: set[str] = set()
        # the working directory, model and mode that hold until the next record changes them
        self.cwd = ""
        self.model = ""
        self.mode = ""
        self.driver = Driver.UNKNOWN
        self.cwds: dict[str, None] = {}
        self.versions: dict[str, None] = {}
        self.branches: dict[str, None] = {}
        self.turns: dict[Hashable, tuple[int, Turn]] = {}
        self.messages: dict[Hashable, tuple[int, AgentMessage]] = {}
        self.usage: dict[str, tuple[int, Usage]] = {}
        self.events: dict[Hashable, tuple[int, SessionEvent]] = {}
        self.observations: dict[Hashable, FileObservation] = {}
        self.times: list[float] = []
        self.unknown_record_types: Numbers = {}

    def is_new(self, record_id: str) -> bool:
        """Whether no record had this id before; always when it has none."""
        if not record_id:
            return True
        existing = record_id in self.record_ids
        self.record_ids.add(record_id)
        return not existing

    def begin(self, time: Moment) -> None:
        """Begins a record: what is added next is later than what was added before."""
        self.order += 1
        if time is not None:
            self.times.append(time)

    def problem(self, code: str, detail: str) -> None:
        self.problems.append(Problem("transcripts", self.session_id, code, detail[:MAX_DETAIL]))

    def unknown_record_type(self, kind: object) -> None:
        """Counted, and reported once for each type."""
        name = str(kind)[:40]
        self.unknown_record_types[name] = self.unknown_record_types.get(name, 0) + 1

    # --- what a record says -----------------------------------------------------------------------

    def add_cwd(self, value: object) -> str:
        """A working directory, which holds from here on; "" when the value is not text."""
        cwd = _remember(self.cwds, value)
        if cwd:
            self.cwd = cwd
        return cwd

    def add_version(self, value: object) -> None:
        _remember(self.versions, value)

    def add_branch(self, value: object) -> None:
        _remember(self.branches, value)

    def use_model(self, model: str, time: Moment) -> None:
        """The model that answers from here on; "": the one before."""
        self.model = self.switched("model_change", self.model, model, time)

    def switched(self, kind: str, before: str, after: str, time: Moment) -> str:
        """The model or mode that holds from here on; a change is an event of this kind."""
        if before and after and before != after:
            self.add_event(kind, time, after)
        return after or before

    def add_turn(
        self,
        key: Hashable,
        time: Moment,
        text: str,
        origin: str = "prompt",
        turn_id: str = "",
    ) -> None:
        if text.strip():
            turn = Turn(0, time, text, origin, self.driver, turn_id)
            self.turns.setdefault(key, (self.order, turn))

    def add_user_text(self, key: Hashable, time: Moment, text: str, kind: PromptKind) -> None:
        """A text in the place of a user's: a turn, unless the harness put it there or it reports
        an interruption.
        """
        if kind is PromptKind.INTERRUPT:
            self.add_event("interrupt", time)
        elif kind is PromptKind.INJECTED:
            self.add_event("injected", time, text[:80])
        elif kind is PromptKind.USER_SHELL:
            self.add_event("user_shell", time, text)
        else:
            self.add_turn(key, time, text, kind.value)

    def add_prompt(self, key: Hashable, time: Moment, text: str, is_meta: bool = False) -> None:
        """A text in the place of a user's, as it stands in the record: what the harness added to
        it is taken out.
        """
        clean = without_reminders(text)
        self.add_user_text(key, time, clean, classify(clean, is_meta))

    def add_message(
        self, key: Hashable, time: Moment, kind: str, text: str, agent_id: str = ""
    ) -> None:
        self.messages.setdefault(key, (self.order, AgentMessage(time, 0, kind, text, agent_id)))

    def add_block(self, key: Hashable, time: Moment, block: object, agent_id: str = "") -> None:
        """A block of text or of reasoning in a response; any other kind is left to the reader."""
        kind = get(block, "type")
        if kind == "text":
            self.add_message(key, time, "text", get_str(block, "text"), agent_id)
        elif kind in ("thinking", "redacted_thinking"):
            self.add_message(key, time, "reasoning", get_str(block, "thinking"), agent_id)

    def use_tokens(
        self, key: str, time: Moment, input: int = 0, output: int = 0, **more: Any
    ) -> None:
        """Tokens of a response of the model that holds; `more` are fields of `Usage`. Nothing
        where there are none.
        """
        if input or output or more.get("cache_read") or more.get("cache_write"):
            self.add_usage(
                Usage(
                    key, time, 0, **{"model": self.model, "input": input, "output": output, **more}
                )
            )

    def count_tokens(
        self,
        key: str,
        time: Moment,
        tokens: object,
        cached_among_input: bool = True,
        **more: Any,
    ) -> None:
        """Tokens of a response as a record has them, whatever it calls them."""
        counted = {kind: _first_number(tokens, names) for kind, names in _SPELLED.items()}
        if cached_among_input:
            cached = counted["cache_read"] + counted["cache_write"]
            counted["input"] = max(0, counted["input"] - cached)
        self.use_tokens(key, time, **counted, **more)

    def add_usage(self, usage: Usage) -> None:
        """Tokens of a response, at the time of its first record.

        Streamed records repeat them with a growing output, and some lack the input: of each kind
        the most counts.
        """
        order, existing = self.usage.get(usage.message_id, (self.order, usage))
        most = {kind: max(getattr(existing, kind), getattr(usage, kind)) for kind in _TOKENS}
        largest = usage if usage.output > existing.output else existing
        self.usage[usage.message_id] = (order, replace(largest, at=existing.at, **most))

    def add_event(self, kind: str, time: Moment, detail: str = "", limit: int = MAX_DETAIL) -> None:
        self.events.setdefault(
            (kind, time, detail), (self.order, SessionEvent(kind, time, 0, detail[:limit]))
        )

    def add_observation(self, visited: FileObservation) -> None:
        if visited.path:
            self.observations.setdefault(
                (visited.path, visited.at, visited.start, hash(visited.text)), visited
            )

    def ordered_turns(self) -> list[tuple[int, Turn]]:
        """(number of its record, turn) in order of time."""
        return sorted(self.turns.values(), key=lambda pair: (pair[1].at or 0.0, pair[0]))

    def _turns_with_work(self, calls: Sequence[tuple[int, ToolCall]]) -> list[tuple[int, Turn]]:
        """The turns without the commands that the agent's program dealt with itself, which become
        events.

        A slash command is a turn when the model answered it, unless it only keeps house (`/exit`,
        `/clear`, `/model`). In a session that another one spawned no turn is a person's.
        """
        turns: list[tuple[int, Turn]] = []
        placement = _TurnFinder(ordered := self.ordered_turns())
        used = [
            (order, usage.at) for order, usage in self.usage.values() if usage.model != _NOT_A_MODEL
        ]
        answered = {
            placement.turn(at, order)
            for order, at in (*used, *((order, call.at) for order, call in calls))
        }
        for number, (order, turn) in enumerate(ordered, 1):
            if turn.origin == TurnOrigin.COMMAND and (
                number not in answered or is_housekeeping(turn.text)
            ):
                event = SessionEvent("command", turn.at, 0, command_words(turn.text)[:MAX_DETAIL])
                self.events.setdefault(("command", turn.at, turn.text), (order, event))
            else:
                origin = TurnOrigin.INJECTED if self.parent_id else turn.origin
                driver = Driver.CI if any(map(_ON_A_RUNNER, self.cwds)) else turn.driver
                turns.append(
                    (order, replace(turn, index=len(turns) + 1, origin=origin, driver=driver))
                )
        return turns

    def _most_frequent_driver(self, turns: Iterable[tuple[int, Turn]]) -> Driver:
        known = Counter(turn.driver for _, turn in turns if turn.driver is not Driver.UNKNOWN)
        if known:
            return known.most_common(1)[0][0]
        return self.driver

    def build(self, calls: Sequence[tuple[int, ToolCall]]) -> Session:
        """The session with these calls: (number of its record, call)."""
        turns = self._turns_with_work(calls)
        placement = _TurnFinder(turns)
        span = self._span(call for _, call in calls)
        for name, count in self.unknown_record_types.items():
            self.problem("unknown_record_type", f"{name}: {count}")
        return Session(
            id=self.session_id,
            agent=self.agent,
            cwds=unique(map(normal_path, self.cwds)),
            turns=tuple(turn for _, turn in turns),
            calls=placement.of(calls, sort=True),
            messages=placement.of(self.messages.values(), self.in_order_of_time),
            usage=placement.of(self.usage.values(), self.in_order_of_time),
            notices=tuple(
                sorted(self.observations.values(), key=lambda visited: visited.at or 0.0)
            ),
            marks=placement.of(self.events.values(), self.in_order_of_time),
            versions=tuple(self.versions),
            branches=tuple(self.branches),
            parent_id=self.parent_id,
            driver=self._most_frequent_driver(turns),
            forked_from=self.forked_from,
            started_at=min(span, default=None),
            ended_at=max(span, default=None),
            truncated_start=self.truncated_start,
            holes=tuple((time_of(a) or 0.0, time_of(b) or 0.0) for a, b in self.torn),
            problems=tuple(self.problems),
        )

    def _span(self, calls: Iterable[ToolCall]) -> list[float]:
        """Times at which something happened."""
        results = [time for call in calls for time in (call.at, call.done_at)]
        for store in (self.messages, self.usage, self.events):
            results.extend(event.at for _, event in store.values())
        return [*self.times, *(time for time in results if time is not None)]


def _remember(existing: dict[str, None], value: object) -> str:
    """The value if it is text, which is remembered in order of first appearance; else ""."""
    text = value if isinstance(value, str) else ""
    if text:
        existing.setdefault(text, None)
    return text


def _first_number(tokens: object, names: Iterable[str]) -> int:
    for name in names:
        if number := get_int(tokens, *name.split(".")):
            return number
    return 0


class _TurnFinder:
    """Which turn an event belongs to: the last one that began before it (0: before the first)."""

    def __init__(self, turns: list[tuple[int, Turn]]) -> None:
        self._orders = [order for order, _ in turns]
        self._times = [turn.at for _, turn in turns if turn.at is not None]
        self._timed = len(self._times) == len(turns)

    def turn(self, time: Moment, order: int) -> int:
        if time is not None and self._timed:
            return bisect_right(self._times, time)
        return bisect_right(self._orders, order)

    def of(self, events: Iterable[tuple[int, _Event]], sort: bool) -> tuple[_Event, ...]:
        """The events with their turns, in order of time; in the order read where a time is
        missing.
        """
        pairs = list(events)
        if sort:
            timed = all(event.at is not None for _, event in pairs)
            pairs.sort(key=lambda pair: (pair[1].at or 0.0 if timed else 0.0, pair[0]))
        for order, event in pairs:
            # nobody has it yet; a copy of each costs too much
            object.__setattr__(event, "turn", self.turn(event.at, order))
        return tuple(event for _, event in pairs)
