"""GitHub's API: JSON answers, pages, GraphQL with partial answers; waits at rate limits, retries what may pass."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from collector.deadline import current
from collector.discovery.github.limits import Budgets, json_object, message_of
from collector.discovery.github.token import Token
from collector.discovery.github.transport import HttpResponse, TooLarge, Unreachable, Web
from collector.errors import WhoWroteError

API_URL = "https://api.github.com"
HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
TRIES = 6  # of one request that fails by itself: about a minute
LIMIT_TRIES = 8  # of one request that meets a rate limit
FIRST_BACKOFF, LONGEST_BACKOFF = 1.0, 60.0
_NEXT = re.compile(r'\brel="?next\b')


class GitHubError(WhoWroteError):
    """GitHub did not give what was asked."""


class BadToken(GitHubError):
    """The token is wrong or expired, or the resource needs one."""


class Refused(GitHubError):
    """GitHub refuses this request: forbidden (403), or a query it does not accept (422). `status` is the HTTP status."""

    def __init__(self, message: str, status: int, hint: str = "") -> None:
        super().__init__(message, hint)
        self.status = status


class NotFound(GitHubError):
    """404, 410 or 451: it does not exist, is private, or was taken down."""


class LimitReached(GitHubError):
    """The rate limit would make us wait longer than wished; the next run continues."""


@dataclass(frozen=True, slots=True)
class Page:
    """A decoded answer, and whether there is a next page."""

    value: Any
    has_next: bool = False


@dataclass(frozen=True, slots=True)
class Partial:
    """GraphQL: the data that came, and the error of each alias that did not (its type and message); "": of no alias."""

    data: dict[str, Any]
    errors: dict[str, tuple[str, str]]


@dataclass(slots=True)
class Clock:
    """Time, waiting and chance, so that tests need none of them."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


@dataclass(slots=True)
class GitHub:
    """One server, one token. `tell` hears of every wait of more than five seconds."""

    web: Web
    api: str = API_URL
    token: Token | None = None
    clock: Clock = field(default_factory=Clock)
    tell: Callable[[str], None] = lambda text: None
    longest_wait: float = 3900.0
    budgets: Budgets = field(default_factory=Budgets)

    # --- what is asked ------------------------------------------------------------------------------------------------

    def get(self, path: str, params: Mapping[str, str | int] | None = None, resource: str = "core") -> Page:
        """A GET. Raises NotFound, Refused, BadToken, LimitReached, Unreachable."""
        url = self.api.rstrip("/") + path + (f"?{urlencode(params)}" if params else "")
        for attempt in range(TRIES):
            answer = self._answer("GET", url, resource)
            try:
                value = json.loads(answer.body)
            except (ValueError, RecursionError):
                self._back_off(attempt, f"{_shown(url)} answered with something other than JSON")
                continue
            return Page(value, _NEXT.search(answer.headers.get("link", "")) is not None)
        raise AssertionError("the last attempt raises")

    def graphql(self, query: str) -> Partial:
        """Data and errors side by side. Raises Refused when there is no data at all, BadToken, LimitReached, Unreachable."""
        body = json.dumps({"query": query, "variables": {}}).encode()
        for attempt in range(TRIES):
            answer = self._answer("POST", self._graphql_address(), "graphql", body)
            value = json_object(answer.body)
            if value is None:
                self._back_off(attempt, "GraphQL answered with something other than JSON")
                continue
            data = value.get("data")
            if not isinstance(data, dict):
                raise Refused(f"GraphQL: {_first_message(value)}", answer.status, "This is a bug, unless the server is an old one")
            return Partial(data, _errors_by_alias(value))
        raise AssertionError("the last attempt raises")

    def _graphql_address(self) -> str:
        """`…/graphql`; of GitHub Enterprise `…/api/graphql` beside `…/api/v3`."""
        base = self.api.rstrip("/")
        return (base.removesuffix("/v3") if base.endswith("/api/v3") else base) + "/graphql"

    # --- one request, until it has an answer --------------------------------------------------------------------------

    def _answer(self, method: str, url: str, resource: str, body: bytes = b"") -> HttpResponse:
        failures = limits = 0
        while True:
            self._wait(self.budgets.wait_before(resource, self.clock.now()), f"rate limit of {resource}")
            try:
                answer = self._send(method, url, resource, body)
            except TooLarge:
                raise
            except Unreachable as error:
                failures += 1
                self._back_off(failures - 1, str(error), error)
                continue
            if answer.status >= 500 or answer.status == 408:
                failures += 1
                self._back_off(failures - 1, f"{_shown(url)} answered {answer.status}")
                continue
            kind = self.budgets.refused(resource, answer.status, answer.headers, answer.body, self.clock.now())
            if kind is not None:
                limits += 1
                if limits > LIMIT_TRIES:
                    raise LimitReached(
                        f"the {kind} rate limit of {resource} was hit {limits} times in a row", "Run it again later to resume"
                    )
                continue
            self._check(answer, url)
            self.budgets.answered()
            return answer

    def _send(self, method: str, url: str, resource: str, body: bytes) -> HttpResponse:
        headers = HEADERS | ({"Content-Type": "application/json"} if body else {})
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token.secret}"
        answer = self.web.send(method, url, headers, body)
        self.budgets.note(resource, answer.headers, self.clock.now())
        return answer

    def _check(self, answer: HttpResponse, url: str) -> None:
        status = answer.status
        if status < 300:
            return
        what, message = _shown(url), message_of(answer.body)[:200]
        if status == 401 and self.token is not None:
            raise BadToken(f"{what} does not accept the {self.token}: {message or status}", "It may have expired; create a new one")
        if status == 401:
            raise BadToken(f"{what} requires a token: {message or status}", "Set GITHUB_TOKEN, or use `gh auth login`")
        if status in (404, 410, 451):
            raise NotFound(f"{what}: {message or status}", "It does not exist, is private, or was taken down")
        raise Refused(f"{what} refuses: {status} {message}", status, _hint_for(status, answer.headers))

    def _back_off(self, attempt: int, why: str, error: Unreachable | None = None) -> None:
        """Waits 1, 2, 4 … seconds, each up to twice as long by chance. Raises Unreachable after the last try."""
        if attempt + 1 >= TRIES:
            raise error or Unreachable(f"{why}, {TRIES} times", "Try again later: finished work is kept", True)
        pause = min(FIRST_BACKOFF * 2**attempt, LONGEST_BACKOFF)
        self._wait(pause * (1 + self.clock.chance()), why)

    def _wait(self, seconds: float, why: str) -> None:
        if seconds <= 0:
            return
        allowed = min(self.longest_wait, current().left())
        if seconds > allowed:
            raise LimitReached(
                f"{why}: {seconds:.0f} s to wait, more than the {allowed:.0f} s allowed", "Run it again later to resume"
            )
        if seconds > 5:
            self.tell(f"{why}: waiting {seconds:.0f} s")
        self.clock.sleep(seconds)


def _shown(url: str) -> str:
    """An address for messages."""
    parts = urlsplit(url)
    return f"{parts.hostname}{parts.path}"


def _errors(value: Mapping[str, Any]) -> list[dict[str, Any]]:
    errors = value.get("errors")
    return [error for error in errors if isinstance(error, dict)] if isinstance(errors, list) else []


def _first_message(value: Mapping[str, Any]) -> str:
    errors = _errors(value)
    return str(errors[0].get("message", ""))[:300] if errors else str(value.get("message", "no data"))[:300]


def _errors_by_alias(value: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    errors = dict[str, tuple[str, str]]()
    for error in _errors(value):
        path = error.get("path")
        alias = str(path[0]) if isinstance(path, list) and path else ""
        errors.setdefault(alias, (str(error.get("type", "")), str(error.get("message", ""))[:300]))
    return errors


def _hint_for(status: int, headers: Mapping[str, str]) -> str:
    if "x-github-sso" in headers:
        return "The organisation asks for single sign-on: authorise the token for it"
    return "The server does not accept the query" if status == 422 else "Another token may be allowed to"
