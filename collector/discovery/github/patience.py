"""One request until it has an answer, of GitHub's API or a git server: waits at rate limits, tries
again what may pass.

GitHub counts requests per resource (core, search, code_search, graphql) and says so in
x-ratelimit-* headers. Beside these primary limits there are secondary ones, against bursts. Both
come with 403, 429 or, from GraphQL, 200; its errors are of type RATE_LIMITED or RATE_LIMIT, and
x-ratelimit-remaining need not be 0 then. Git's own servers say in words that they limit. Where each
answer is reported: docs/discovery.md.
"""

from __future__ import annotations

import math
import os
import random
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from collector.discovery.github.transport import HttpResponse, TooLarge, Unreachable, Web, plain_url
from collector.errors import WhoWroteError
from collector.json_values import (
    Moment,
    Numbers,
    Texts,
    get,
    get_dict,
    get_str,
    objects,
    parse_json,
)
from collector.limits import ANSWER_BYTES
from collector.runtime.bounds import current

FIRST_PAUSE = 60.0  # after a secondary limit without any other word
LONGEST_PAUSE = 3900.0  # resets come once an hour
SLACK = 1.0  # clocks differ
_EVERY = "*"  # secondary limits hold for all resources
_LIMIT_TYPES = ("RATE_LIMITED", "RATE_LIMIT")
_LIMIT_CODE = "graphql_rate_limit"
_SECONDARY = ("secondary rate limit", "abuse detection", "temporarily limiting some")
_PRIMARY = (
    "rate limit exceeded",
    "rate limit already exceeded",
    "rate-limited due to",
    "too many requests",
)
_SHORT = 20_000  # bytes: an answer that is only about a limit is not longer


@dataclass
class Budgets:
    """What each resource has left, as the server said last.

    Times are seconds since 1970. Several threads may share one.

    A resource is a part of GitHub's API, or a git server. Secondary limits of the API hold for all
    of its resources.
    """

    left: Numbers = field(default_factory=dict)
    reset: dict[str, float] = field(default_factory=dict)
    strikes: Numbers = field(default_factory=dict)  # limits in a row
    closed: dict[str, float] = field(default_factory=dict)  # until when
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, resource: str, headers: Texts, now: float) -> None:
        """Takes over what an answer says about its resource.

        The reset is a time of the server's clock, `now` one of ours.
        """
        name = headers.get("x-ratelimit-resource", resource)
        left = _number(headers.get("x-ratelimit-remaining"))
        reset = _number(headers.get("x-ratelimit-reset"))
        if left is not None and reset is not None:
            self.left[name] = int(left)
            self.reset[name] = reset - _server_time(headers, now) + now

    def wait_before(self, resource: str, now: float) -> float:
        """Seconds to wait before asking."""
        until = max(self.closed.get(resource, 0.0), self.closed.get(_EVERY, 0.0))
        if self.left.get(resource, 1) <= 0:
            until = max(until, self.reset.get(resource, 0.0) + SLACK)
        return max(0.0, until - now)

    def close(self, resource: str, kind: str, headers: Texts, now: float) -> None:
        """After a limit, for as long as the server asks.

        A longer pause that another thread met stays.
        """
        is_server = "://" in resource
        scope = resource if is_server else _EVERY
        with self._lock:
            strikes = self.strikes.get(scope, 0)
            # another thread met the same limit: one pause, one strike
            if is_server and self.closed.get(scope, 0.0) > now:
                strikes = max(0, strikes - 1)
            self.strikes[scope] = strikes + 1
            until = now + pause_after(kind, headers, now, strikes)
            names = (
                (headers.get("x-ratelimit-resource", resource), resource)
                if kind == "primary" and not is_server
                else (scope,)
            )
            for name in names:
                self.closed[name] = max(self.closed.get(name, 0.0), until)

    def reopen(self, resource: str, now: float) -> None:
        """After a good answer.

        One that was on its way when another thread met the limit ends no pause.
        """
        scope = resource if "://" in resource else _EVERY
        with self._lock:
            if self.closed.get(scope, 0.0) <= now:
                self.strikes.pop(scope, None)


def pause_after(kind: str, headers: Texts, now: float, strikes: int) -> float:
    """Seconds to wait after a limit: as the server asks, else a minute, doubled for each of
    `strikes` limits before in a row.
    """
    after = retry_after(headers, now)
    reset = _number(headers.get("x-ratelimit-reset"))
    pause = FIRST_PAUSE * 2.0 ** min(strikes, 10)
    if after is not None:
        pause = after
    elif reset is not None and (kind == "primary" or headers.get("x-ratelimit-remaining") == "0"):
        left = reset - _server_time(headers, now) + SLACK
        if left > 0:
            pause = left
    return min(max(pause, SLACK), LONGEST_PAUSE)


def retry_after(headers: Texts, now: float) -> float | None:
    """Seconds that `Retry-After` asks for, a number or a date; None when it does not say."""
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is None and text is not None and (moment := _date(text)) is not None:
        seconds = moment - _server_time(headers, now)
    if seconds is None:
        return None
    return max(0.0, seconds)


def _server_time(headers: Texts, now: float) -> float:
    """What the server's clock says; ours when it does not tell."""
    date = _date(headers.get("date", ""))
    if date is None:
        return now
    return date


def _date(text: str) -> Moment:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None


def limit_kind(status: int, headers: Texts, body: bytes) -> str | None:
    """`primary`, `secondary` or None: a 403 that is about permissions has neither the headers
    nor the words.
    """
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
    """The limit that an answer with status 200 tells of instead of giving data: as JSON, or as
    git's ERR packet.
    """
    if not body.lstrip().startswith(b"{"):
        text = body[:2000].decode("utf-8", "replace").lower()
        return "secondary" if "err " in text and _has(text, _SECONDARY + _PRIMARY) else None
    value = parse_json(body.decode("utf-8", "replace")) if b"rate" in body.lower() else None
    if not isinstance(value, dict):
        return None
    if "items" in value or any(alias is not None for alias in get_dict(value, "data").values()):
        return None  # there is something to read: results of a search, or an alias of GraphQL
    errors = objects(get(value, "errors"))
    text = " ".join(str(part.get("message", "")) for part in (value, *errors)).lower()
    if _has(text, _SECONDARY):
        return "secondary"
    has_type = any(
        error.get("type") in _LIMIT_TYPES or error.get("code") == _LIMIT_CODE for error in errors
    )
    return "primary" if has_type or _has(text, _PRIMARY) else None


def is_limit_text(text: str) -> bool:
    """Whether the words that git prints are about a limit."""
    low = text.lower()
    return "returned error: 429" in low or _has(low, _SECONDARY + _PRIMARY)


def message_of(body: bytes) -> str:
    """What an error says in its JSON, else its first characters."""
    text = body.decode("utf-8", "replace")
    value = parse_json(text)
    if value is None:
        return text[:1000]
    return get_str(value, "message")[:300]


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text is not None else None
    except ValueError:
        return None
    if number is not None and math.isfinite(number):
        return number
    return None


LIMIT_TRIES = 8  # of one request that meets a rate limit
FIRST_BACKOFF = 1.0
LONGEST_BACKOFF = 60.0


class GitHubError(WhoWroteError):
    """A server did not give what was asked."""


class LimitReached(GitHubError):
    """The rate limit would make us wait longer than wished; the next run continues."""


@dataclass
class Clock:
    """Time, waiting and chance, so that tests need none of them."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


@dataclass
class Patient:
    """Several threads may share one. `tell` hears of every wait of more than five seconds."""

    web: Web
    clock: Clock = field(default_factory=Clock)
    tell: Callable[[str], None] = lambda text: None
    token: Token | None = None
    longest_wait: float = 3900.0
    tries: int = 6  # of one request that fails by itself: about a minute
    budgets: Budgets = field(default_factory=Budgets)
    _turns: threading.Lock = field(default_factory=threading.Lock)

    def ask(
        self, method: str, url: str, resource: str, headers: Texts, body: bytes = b""
    ) -> HttpResponse:
        """An answer that is neither a limit nor a failure of the server.

        Raises LimitReached, TooLarge, Unreachable.

        After a limit the threads ask one after the other, until an answer is good: each would meet
        the same limit.
        """
        failures = limits = 0
        while True:
            try:
                if self.budgets.strikes:
                    with self._turns:
                        answer, kind = self._send(method, url, resource, headers, body)
                else:
                    answer, kind = self._send(method, url, resource, headers, body)
            except TooLarge:
                raise
            except Unreachable as error:
                failures += 1
                self._back_off(failures, str(error), error)
                continue
            if kind is not None:
                limits += 1
                if limits > LIMIT_TRIES:
                    raise LimitReached(
                        f"the {kind} rate limit of {resource} was hit {limits} times in a row",
                        "Run it again later to resume",
                    )
            elif answer.status >= 500 or answer.status == 408:
                failures += 1
                self._back_off(failures, f"{plain_url(url)} answered {answer.status}")
            else:
                self.budgets.reopen(resource, self.clock.now())
                return answer

    def _send(
        self, method: str, url: str, resource: str, headers: Texts, body: bytes
    ) -> tuple[HttpResponse, str | None]:
        """The answer, and the limit that it tells of."""
        self.wait(resource)
        answer = self.web.send(method, url, headers, body, ANSWER_BYTES)
        now = self.clock.now()
        self.budgets.note(resource, answer.headers, now)
        kind = limit_kind(answer.status, answer.headers, answer.body)
        if kind is not None:
            self.budgets.close(resource, kind, answer.headers, now)
        return answer, kind

    def wait(self, resource: str) -> None:
        """Sleeps until the resource may be asked.

        Raises LimitReached when that is longer than allowed: then nothing is sent.
        """
        self._sleep(
            self.budgets.wait_before(resource, self.clock.now()), f"rate limit of {resource}"
        )

    def _back_off(self, failures: int, why: str, error: Unreachable | None = None) -> None:
        """Waits 1, 2, 4 … seconds, each up to twice as long by chance.

        Raises Unreachable after the last try.
        """
        if failures >= self.tries:
            raise error or Unreachable(
                f"{why}, {failures} times", "Try again later: finished work is kept", True
            )
        self._sleep(
            min(FIRST_BACKOFF * 2 ** (failures - 1), LONGEST_BACKOFF) * (1 + self.clock.chance()),
            why,
        )

    def _sleep(self, seconds: float, why: str) -> None:
        if seconds <= 0:
            return
        allowed = min(self.longest_wait, current().seconds_left())
        if seconds > allowed:
            raise LimitReached(
                f"{why}: {seconds:.0f} s to wait, more than the {allowed:.0f} s allowed",
                "Run it again later to resume",
            )
        if seconds > 5:
            self.tell(f"{why}: waiting {seconds:.0f} s")
        self.clock.sleep(seconds)


def server_of(url: str) -> str:
    """Scheme, host and port of an address: what has limits of its own."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}"


NO_TOKEN = (
    "no token: code search and GraphQL need one, the other searches are slower (10 instead of 30"
    " requests a minute), and metadata costs one of 60 requests an hour per repository. Set"
    " GITHUB_TOKEN, or use `gh auth login`; no scope is needed."
)


@dataclass(frozen=True)
class Token:
    """`source` says where it was found; `secret` is in no text made of the object."""

    source: str
    secret: str = field(repr=False)

    def __str__(self) -> str:
        return f"token from {self.source}"


def find_token(
    host: str = "github.com", environment: Mapping[str, str] | None = None
) -> Token | None:
    """The first of GITHUB_TOKEN, GH_TOKEN, `gh auth token`.

    Raises WhoWroteError for one that cannot be a token.
    """
    if environment is None:
        environment = os.environ
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        secret = environment.get(name, "").strip()
        if secret:
            return Token(name, _check(secret, name))
    from collector.git.program import gh_token

    secret = gh_token(host, environment) or ""
    if secret:
        return Token("gh auth token", _check(secret, "gh auth token"))
    return None


def _check(secret: str, source: str) -> str:
    if not secret.isascii() or not secret.isprintable() or " " in secret or len(secret) > 1000:
        raise WhoWroteError(
            f"{source} does not contain a token",
            "A token is one word of letters, digits and underscores",
        )
    return secret
