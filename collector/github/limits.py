"""Pure: how long to wait before a request, and after an answer that says no.

GitHub counts requests per resource (core, search, code_search, graphql) and says so in x-ratelimit-* headers. Beside these primary
limits there are secondary ones, against bursts, which announce themselves by 403 or 429 only. Source: GitHub's page "Rate limits
for the REST API", as of 2026.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

# Requests allowed with a token, and without one, in how many seconds.
BUDGETS = {"core": (5000, 60, 3600), "search": (30, 10, 60), "code_search": (10, 0, 60), "graphql": (5000, 0, 3600)}
ANSWER_SECONDS = 0.5  # assumed
FIRST_PAUSE = 60.0  # after a secondary limit without any other word
LONGEST_PAUSE = 3900.0  # resets come once an hour
SLACK = 1.0  # clocks differ
_EVERY = "*"  # secondary limits hold for all resources


@dataclass(slots=True)
class Budgets:
    """What each resource has left, as the server said last. Times are seconds since 1970."""

    left: dict[str, int] = field(default_factory=dict)
    reset: dict[str, float] = field(default_factory=dict)
    strikes: dict[str, int] = field(default_factory=dict)  # secondary limits in a row
    closed: dict[str, float] = field(default_factory=dict)  # until when

    def note(self, resource: str, headers: Mapping[str, str]) -> None:
        """Takes over what an answer says about its resource."""
        name = headers.get("x-ratelimit-resource", resource)
        left, reset = _number(headers.get("x-ratelimit-remaining")), _number(headers.get("x-ratelimit-reset"))
        if left is not None and reset is not None:
            self.left[name], self.reset[name] = int(left), reset

    def wait_before(self, resource: str, now: float) -> float:
        """Seconds to wait before asking."""
        until = max(self.closed.get(resource, 0.0), self.closed.get(_EVERY, 0.0))
        if self.left.get(resource, 1) <= 0:
            until = max(until, self.reset.get(resource, 0.0) + SLACK)
        return max(0.0, until - now)

    def refused(self, resource: str, status: int, headers: Mapping[str, str], body: bytes, now: float) -> str | None:
        """After 403 or 429: closes the resource for as long as the answer asks; which limit it was, None for none."""
        kind = limit_kind(status, headers, body)
        if kind is None:
            return None
        name = headers.get("x-ratelimit-resource", resource)
        after, reset = _number(headers.get("retry-after")), _number(headers.get("x-ratelimit-reset"))
        if after is not None:
            pause = after
        elif headers.get("x-ratelimit-remaining") == "0" and reset is not None:
            pause = reset - now + SLACK
        else:
            pause = FIRST_PAUSE * 2 ** self.strikes.get(_EVERY, 0)
        if kind == "secondary":
            self.strikes[_EVERY] = self.strikes.get(_EVERY, 0) + 1
        until = now + min(max(pause, SLACK), LONGEST_PAUSE)
        for each in (_EVERY,) if kind == "secondary" else (name, resource):
            self.closed[each] = max(self.closed.get(each, 0.0), until)
        return kind

    def answered(self) -> None:
        """After a good answer."""
        self.strikes.clear()


def limit_kind(status: int, headers: Mapping[str, str], body: bytes) -> str | None:
    """`primary`, `secondary` or None: a 403 that is about permissions has neither the headers nor the words."""
    if status not in (403, 429):
        return None
    text = message_of(body).lower()
    if "secondary rate limit" in text or "abuse detection" in text:
        return "secondary"
    if headers.get("x-ratelimit-remaining") == "0" or "rate limit exceeded" in text:
        return "primary"
    if status == 429 or "retry-after" in headers:
        return "secondary"
    return None


def message_of(body: bytes) -> str:
    """What an error says in its JSON, else its first characters."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return body[:200].decode("utf-8", "replace")
    return str(value.get("message", ""))[:300] if isinstance(value, dict) else ""


def seconds_for(requests: int, resource: str, token: bool) -> float | None:
    """How long so many requests take: the windows that have to pass, and the answers. None: impossible without a token."""
    budget, window = BUDGETS[resource][0 if token else 1], BUDGETS[resource][2]
    if not budget:
        return None
    return max(0, -(-requests // budget) - 1) * window + requests * ANSWER_SECONDS


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else None
    except ValueError:
        return None
    return number if number is not None and math.isfinite(number) else None
