"""Pure: how long to wait before a request, and after an answer that says no.

GitHub counts requests per resource (core, search, code_search, graphql) and says so in x-ratelimit-* headers. Beside these primary
limits there are secondary ones, against bursts. Both come with 403, 429 or, from GraphQL, 200; its errors are of type RATE_LIMITED
or RATE_LIMIT, and x-ratelimit-remaining need not be 0 then. Git's own servers say in words that they limit. Where each answer is
reported: docs/discovery.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

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
    """What each resource has left, as the server said last. Times are seconds since 1970."""

    left: dict[str, int] = field(default_factory=dict)
    reset: dict[str, float] = field(default_factory=dict)
    strikes: dict[str, int] = field(default_factory=dict)  # secondary limits in a row
    closed: dict[str, float] = field(default_factory=dict)  # until when

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

    def refused(self, resource: str, status: int, headers: Mapping[str, str], body: bytes, now: float) -> str | None:
        """After an answer that may be a limit: closes the resource for as long as it asks; which limit it was, None for none."""
        kind = limit_kind(status, headers, body)
        if kind is None:
            return None
        name = headers.get("x-ratelimit-resource", resource)
        strikes = self.strikes.get(_EVERY, 0)
        self.strikes[_EVERY] = strikes + 1
        until = now + pause_after(kind, headers, now, strikes)
        for each in (_EVERY,) if kind == "secondary" else (name, resource):
            self.closed[each] = max(self.closed.get(each, 0.0), until)
        return kind

    def answered(self) -> None:
        """After a good answer."""
        self.strikes.clear()


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
    told = _date(headers.get("date", ""))
    return now if told is None else told


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
        return None
    text = message_of(body).lower()
    if any(words in text for words in _SECONDARY):
        return "secondary"
    if headers.get("x-ratelimit-remaining") == "0" or any(words in text for words in _PRIMARY):
        return "primary"
    if status == 429 or "retry-after" in headers:
        return "secondary"
    return None


def _limit_in_words(body: bytes) -> str | None:
    """The limit that an answer with status 200 tells of instead of giving data."""
    if b"rate" not in body.lower() or not body.lstrip().startswith(b"{"):
        return None
    value = json_object(body)
    if value is None or _has_data(value):
        return None
    errors = [e for e in value.get("errors") or () if isinstance(e, dict)] if isinstance(value.get("errors"), list) else []
    text = " ".join(str(e.get("message", "")) for e in (value, *errors)).lower()
    if any(words in text for words in _SECONDARY):
        return "secondary"
    typed = any(e.get("type") in _LIMIT_TYPES or e.get("code") == _LIMIT_CODE for e in errors)
    return "primary" if typed or ((errors or "message" in value) and any(words in text for words in _PRIMARY)) else None


def _has_data(value: Mapping[str, Any]) -> bool:
    """Whether there is anything to read: results of a search, or one alias of GraphQL that is not null."""
    data = value.get("data")
    return "items" in value or (isinstance(data, dict) and any(found is not None for found in data.values()))


def git_limit(body: bytes) -> bool:
    """Whether a git server's ERR packet, sent with status 200, is about a limit."""
    text = body[:2000].lower()
    return b"err " in text and any(words.encode() in text for words in (*_SECONDARY, *_PRIMARY))


def is_limit_text(text: str) -> bool:
    """Whether the words that git prints are about a limit."""
    low = text.lower()
    return "returned error: 429" in low or any(words in low for words in (*_SECONDARY, *_PRIMARY))


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
