"""One request until it has an answer, of GitHub's API or a git server: waits at rate limits, tries again what may pass."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from collector.deadline import current
from collector.discovery.github.limits import Budgets, limit_kind
from collector.discovery.github.transport import HttpResponse, TooLarge, Unreachable, Web
from collector.errors import WhoWroteError
from collector.limits import ANSWER_BYTES

LIMIT_TRIES = 8  # of one request that meets a rate limit
FIRST_BACKOFF, LONGEST_BACKOFF = 1.0, 60.0


class GitHubError(WhoWroteError):
    """A server did not give what was asked."""


class LimitReached(GitHubError):
    """The rate limit would make us wait longer than wished; the next run continues."""


@dataclass(slots=True)
class Clock:
    """Time, waiting and chance, so that tests need none of them."""

    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


@dataclass(slots=True)
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

    def ask(self, method: str, url: str, resource: str, headers: Mapping[str, str], body: bytes = b"") -> HttpResponse:
        """An answer that is neither a limit nor a failure of the server. Raises LimitReached, TooLarge, Unreachable.

        After a limit the threads ask one after the other, until an answer is good: each would meet the same limit.
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
                        f"the {kind} rate limit of {resource} was hit {limits} times in a row", "Run it again later to resume"
                    )
            elif answer.status >= 500 or answer.status == 408:
                failures += 1
                self._back_off(failures, f"{plain_address(url)} answered {answer.status}")
            else:
                self.budgets.reopen(resource, self.clock.now())
                return answer

    def _send(
        self, method: str, url: str, resource: str, headers: Mapping[str, str], body: bytes
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
        """Sleeps until the resource may be asked. Raises LimitReached when that is longer than allowed: then nothing is sent."""
        self._sleep(self.budgets.wait_before(resource, self.clock.now()), f"rate limit of {resource}")

    def _back_off(self, failures: int, why: str, error: Unreachable | None = None) -> None:
        """Waits 1, 2, 4 … seconds, each up to twice as long by chance. Raises Unreachable after the last try."""
        if failures >= self.tries:
            raise error or Unreachable(f"{why}, {failures} times", "Try again later: finished work is kept", True)
        pause = min(FIRST_BACKOFF * 2 ** (failures - 1), LONGEST_BACKOFF)
        self._sleep(pause * (1 + self.clock.chance()), why)

    def _sleep(self, seconds: float, why: str) -> None:
        if seconds <= 0:
            return
        allowed = min(self.longest_wait, current().seconds_left())
        if seconds > allowed:
            raise LimitReached(
                f"{why}: {seconds:.0f} s to wait, more than the {allowed:.0f} s allowed", "Run it again later to resume"
            )
        if seconds > 5:
            self.tell(f"{why}: waiting {seconds:.0f} s")
        self.clock.sleep(seconds)


def plain_address(url: str) -> str:
    """Host and path, for messages."""
    parts = urlsplit(url)
    return f"{parts.hostname}{parts.path}"


def server_of(url: str) -> str:
    """Scheme, host and port of an address: what has limits of its own."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}"


# --- the token --------------------------------------------------------------------------------------------------------


NO_TOKEN = (
    "no token: code search and GraphQL need one, the other searches are slower (10 instead of 30 requests a minute), and metadata "
    "costs one of 60 requests an hour per repository. Set GITHUB_TOKEN, or use `gh auth login`; no scope is needed."
)


@dataclass(frozen=True, slots=True)
class Token:
    """`source` says where it was found; `secret` is in no text made of the object."""

    source: str
    secret: str = field(repr=False)

    def __str__(self) -> str:
        return f"token from {self.source}"


def find_token(host: str = "github.com", environment: Mapping[str, str] | None = None) -> Token | None:
    """The first of GITHUB_TOKEN, GH_TOKEN, `gh auth token`. Raises WhoWroteError for one that cannot be a token."""
    environment = os.environ if environment is None else environment
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        secret = environment.get(name, "").strip()
        if secret:
            return Token(name, _check(secret, name))
    from collector.git.program import gh_token

    secret = gh_token(host, environment) or ""
    return Token("gh auth token", _check(secret, "gh auth token")) if secret else None


def _check(secret: str, source: str) -> str:
    if not secret.isascii() or not secret.isprintable() or " " in secret or len(secret) > 1000:
        raise WhoWroteError(f"{source} does not contain a token", "A token is one word of letters, digits and underscores")
    return secret
