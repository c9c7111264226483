"""Which call an id means. Some gateways number the calls of each turn from 0, so that an id comes
again for another call; copies of a transcript repeat an id for the same one. Pure.
"""

import re
from collections import defaultdict
from typing import NamedTuple

from collector.json_values import Moment, Numbers, Texts, to_json

# an id that no two calls have by chance
RANDOM_ID = re.compile(r"(?=(?:[^0-9A-Z]*[0-9A-Z]){6})[\w-]{16,}")


class CallText(NamedTuple):
    """What a call says."""

    name: str
    arguments: object
    agent_id: str = ""


class CallIds:
    """The key of each call: its id, with `~2` behind it for the second call of that id."""

    def __init__(self) -> None:
        self._keys: dict[str, list[str]] = defaultdict(list)
        self._known: dict[tuple[str, ...], str] = {}
        self._orders: Numbers = {}
        self._agents: Texts = {}
        # calls without a result in the copy that is read, first ones first
        self._waiting: dict[str, list[str]] = defaultdict(list)
        self._answered: set[str] = set()
        self._last_answer = 0

    def called(self, call_id: str, said: CallText, time: Moment, order: int) -> str:
        """The key of a call that a record has; `order`: the number of that record."""
        if RANDOM_ID.fullmatch(call_id):
            return call_id
        moment = (call_id, str(time)) if time is not None else ()
        text = (call_id, said.name, to_json(said.arguments))
        key = self._same_moment(moment, text, order) or self._same_text(text, time)
        if not key:
            number = len(self._keys[call_id]) + 1
            key = call_id if number == 1 else f"{call_id}~{number}"
            self._keys[call_id].append(key)
        self._known.setdefault(moment, key)
        self._known[text] = key
        self._orders.setdefault(key, order)
        self._agents.setdefault(key, said.agent_id)
        self._wait(call_id, key)
        return key

    def _same_moment(self, moment: tuple[str, ...], text: tuple[str, ...], order: int) -> str:
        """A call is recorded again with more of its arguments; two of one record are two calls."""
        key = self._known.get(moment, "") if moment else ""
        is_beside = self._orders.get(key) == order and self._known.get(text) != key
        if is_beside:
            return ""
        return key

    def _same_text(self, text: tuple[str, ...], time: Moment) -> str:
        """The request and the start of a call have each a time; one that has ended does not start
        again.
        """
        key = self._known.get(text, "")
        if key in self._answered and time is not None:
            return ""
        return key

    def _wait(self, call_id: str, key: str) -> None:
        """What was called before the last answer or prompt is no longer waiting."""
        waiting = self._waiting[call_id]
        if waiting and self._orders[waiting[-1]] < self._last_answer:
            waiting.clear()
        if key not in waiting:
            waiting.append(key)

    def go_on(self, order: int) -> None:
        """A result or a prompt came: what is called next belongs to another response."""
        self._last_answer = order

    def current(self, call_id: str, agent_id: str = "") -> str:
        """The key of the call that a record about this id means, of a subagent if it has one."""
        keys = self._waiting.get(call_id) or self._keys.get(call_id, [call_id])[-1:]
        for key in keys:
            if self._agents.get(key) == agent_id:
                return key
        return keys[0]

    def answered(self, call_id: str, order: int, agent_id: str = "") -> str:
        """The key of the call that a result belongs to."""
        key = self.current(call_id, agent_id)
        if key in self._waiting.get(call_id, ()):
            self._waiting[call_id].remove(key)
        self._answered.add(key)
        self.go_on(order)
        return key
