"""Pure: how long to wait before a request, and after an answer that says no.

GitHub counts requests per resource (core, search, code_search, graphql) and says so in x-ratelimit-* headers. Beside these primary
limits there are secondary ones, against bursts. Both come with 403, 429 or, from GraphQL, 200; its errors are of type RATE_LIMITED
or RATE_LIMIT, and x-ratelimit-remaining need not be 0 then. Git's own servers say in words that they limit. Where each answer is
reported: docs/discovery.md.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

from collector.json_values import get_list

FIRST_PAUSE = 60.0  # after a secondary limit without any other word
LONGEST_PAUSE = 3900.0  # resets come once an hour
SLACK = 1.0  # clocks differ
_EVERY = "*"  # secondary limits hold for all resources
_LIMIT_TYPES = ("RATE_LIMITED", "RATE_LIMIT")
_LIMIT_CODE = "graphql_rate_limit"
_SECONDARY = ("secondary rate limit", "abuse detection", "temporarily limiting some")
_PRIMARY = ("rate limit exceeded", "rate limit already exceeded", "rate-limited due to", "too many requests")
_SHORT = 20_000  # bytes: an answer that is only about a limit is not longer


@dataclass(slots=True)
class Budgets:
    """What each resource has left, as the server said last. Times are seconds since 1970. Several threads may share one.

    A resource is a part of GitHub's API, or a git server. Secondary limits of the API hold for all of its resources.
    """

    left: dict[str, int] = field(default_factory=dict)
    reset: dict[str, float] = field(default_factory=dict)
    strikes: dict[str, int] = field(default_factory=dict)  # limits in a row
    closed: dict[str, float] = field(default_factory=dict)  # until when
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, resource: str, headers: Mapping[str, str], now: float) -> None:
        """Takes over what an answer says about its resource. The reset is a time of the server's clock, `now` one of ours."""
        name = headers.get("x-ratelimit-resource", resource)
        left, reset = _number(headers.get("x-ratelimit-remaining")), _number(headers.get("x-ratelimit-reset"))
        if left is not None and reset is not None:
            self.left[name], self.reset[name] = int(left), reset - _server_time(headers, now) + now

    def wait_before(self, resource: str, now: float) -> float:
        """Seconds to wait before asking."""
        until = max(self.closed.get(resource, 0.0), self.closed.get(_EVERY, 0.0))
        if self.left.get(resource, 1) <= 0:
            until = max(until, self.reset.get(resource, 0.0) + SLACK)
        return max(0.0, until - now)

    def close(self, resource: str, kind: str, headers: Mapping[str, str], now: float) -> None:
        """After a limit, for as long as the server asks. A longer pause that another thread met stays."""
        is_server = "://" in resource
        scope = resource if is_server else _EVERY
        with self._lock:
            strikes = self.strikes.get(scope, 0)
            if is_server and self.closed.get(scope, 0.0) > now:  # another thread met the same limit: one pause, one strike
                strikes = max(0, strikes - 1)
            self.strikes[scope] = strikes + 1
            until = now + pause_after(kind, headers, now, strikes)
            names = (headers.get("x-ratelimit-resource", resource), resource) if kind == "primary" and not is_server else (scope,)
            for name in names:
                self.closed[name] = max(self.closed.get(name, 0.0), until)

    def reopen(self, resource: str, now: float) -> None:
        """After a good answer. One that was on its way when another thread met the limit ends no pause."""
        scope = resource if "://" in resource else _EVERY
        with self._lock:
            if self.closed.get(scope, 0.0) <= now:
                self.strikes.pop(scope, None)


def pause_after(kind: str, headers: Mapping[str, str], now: float, strikes: int) -> float:
    """Seconds to wait after a limit: as the server asks, else a minute, doubled for each of `strikes` limits before in a row."""
    after, reset = retry_after(headers, now), _number(headers.get("x-ratelimit-reset"))
    pause = FIRST_PAUSE * 2.0 ** min(strikes, 10)
    if after is not None:
        pause = after
    elif reset is not None and (kind == "primary" or headers.get("x-ratelimit-remaining") == "0"):
        left = reset - _server_time(headers, now) + SLACK
        pause = left if left > 0 else pause
    return min(max(pause, SLACK), LONGEST_PAUSE)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that `Retry-After` asks for, a number or a date; None when it does not say."""
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is None and text is not None and (moment := _date(text)) is not None:
        seconds = moment - _server_time(headers, now)
    return None if seconds is None else max(0.0, seconds)


def _server_time(headers: Mapping[str, str], now: float) -> float:
    """What the server's clock says; ours when it does not tell."""
    date = _date(headers.get("date", ""))
    return now if date is None else date


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def limit_kind(status: int, headers: Mapping[str, str], body: bytes) -> str | None:
    """`primary`, `secondary` or None: a 403 that is about permissions has neither the headers nor the words."""
    if status == 200:
        return _limit_in_words(body) if len(body) <= _SHORT else None
    if status not in (403, 429):
        return "secondary" if status == 503 and "retry-after" in headers else None
    text = message_of(body[:4000]).lower()
    if _has(text, _SECONDARY):
        return "secondary"
    if headers.get("x-ratelimit-remaining") == "0" or _has(text, _PRIMARY):
        return "primary"
    return "secondary" if status == 429 or "retry-after" in headers else None


def _has(text: str, phrases: Iterable[str]) -> bool:
    return any(phrase in text for phrase in phrases)


def _limit_in_words(body: bytes) -> str | None:
    """The limit that an answer with status 200 tells of instead of giving data: as JSON, or as git's ERR packet."""
    if not body.lstrip().startswith(b"{"):
        text = body[:2000].decode("utf-8", "replace").lower()
        return "secondary" if "err " in text and _has(text, (*_SECONDARY, *_PRIMARY)) else None
    value = json_object(body)
    if b"rate" not in body.lower() or value is None or _has_data(value):
        return None
    errors = [error for error in get_list(value, "errors") if isinstance(error, dict)]
    text = " ".join(str(part.get("message", "")) for part in (value, *errors)).lower()
    if _has(text, _SECONDARY):
        return "secondary"
    has_type = any(error.get("type") in _LIMIT_TYPES or error.get("code") == _LIMIT_CODE for error in errors)
    return "primary" if has_type or _has(text, _PRIMARY) else None


def _has_data(value: Mapping[str, Any]) -> bool:
    """Whether there is anything to read: results of a search, or one alias of GraphQL that is not null."""
    data = value.get("data")
    return "items" in value or (isinstance(data, dict) and any(alias is not None for alias in data.values()))


def is_limit_text(text: str) -> bool:
    """Whether the words that git prints are about a limit."""
    low = text.lower()
    return "returned error: 429" in low or _has(low, (*_SECONDARY, *_PRIMARY))


def json_object(body: bytes) -> dict[str, Any] | None:
    """The object that an answer is; None for anything else."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def message_of(body: bytes) -> str:
    """What an error says in its JSON, else its first characters."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return body[:1000].decode("utf-8", "replace")
    return str(value.get("message", ""))[:300] if isinstance(value, dict) else ""


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else None
    except ValueError:
        return None
    return number if number is not None and math.isfinite(number) else None
