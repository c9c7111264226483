"""What a git server says that a repository has: one question of protocol 2, asked alike by probes and before a transfer.

A request may meet a limit, a failure that passes, a renamed repository or a server that refuses our short way of asking. Only when
the address itself, asked as git asks (GET of info/refs), is not there either, a repository is called gone.
"""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from collector.deadline import current
from collector.discovery.github.client import FIRST_BACKOFF, Clock
from collector.discovery.github.limits import git_limit, limit_kind, pause_after
from collector.discovery.github.pauses import Pause, Pauses, server_of
from collector.discovery.github.pktline import BadProtocol, Refs, ServerSays, ls_refs_request, parse_ls_refs
from collector.discovery.github.token import Token
from collector.discovery.github.transport import HttpResponse, TooLarge, Unreachable, Web
from collector.errors import WhoWroteError
from collector.git.program import HTTP_AGENT

MOST_BYTES = 64 << 20
TRIES = 4
MOST_LIMITS = 6  # in a row, of one request
LONGEST_WAIT = 3900.0
_GONE = (401, 404, 410, 451)
_NO_SUFFIX_NEEDED = ("github.com", "gitlab.com", "codeberg.org", "bitbucket.org")  # every repository is there with .git
_GONE_WORDS = ("not found", "disabled", "blocked", "dmca", "takedown", "taken down", "unavailable", "private", "access denied")
RESULT = "application/x-git-upload-pack-result"
_ADVERTISEMENT = "application/x-git-upload-pack-advertisement"


class NoRefs(WhoWroteError):
    """The refs cannot be had. `gone`: the server says that there is no such repository, or not for us."""

    def __init__(self, message: str, gone: bool = False) -> None:
        super().__init__(message)
        self.gone = gone


class OldServer(NoRefs):
    """The server does not speak protocol 2."""


@dataclass(frozen=True, slots=True)
class ServedRefs:
    """`url`: the address of the repository that answered."""

    refs: Refs
    url: str


@dataclass(slots=True)
class GitServers:
    """Several threads may share one. The token is for `server` alone, and goes there only encrypted or on this machine."""

    web: Web
    clock: Clock = field(default_factory=Clock)
    tell: Callable[[str], None] = lambda text: None
    token: Token | None = None
    server: str = ""
    pauses: Pauses = field(default_factory=Pauses)
    longest_wait: float = LONGEST_WAIT
    tries: int = TRIES  # of one request that fails by itself
    _refused: set[str] = field(default_factory=set)  # repositories that were answered only without the token

    # --- refs ---------------------------------------------------------------------------------------------------------

    def refs(self, base: str, prefixes: Sequence[str]) -> ServedRefs:
        """The refs of the repository at `base` that begin with one of `prefixes`. Raises NoRefs, of an older protocol OldServer."""
        answer = self._post(base, ls_refs_request(prefixes))
        if _is(answer, RESULT):
            with contextlib.suppress(ServerSays, BadProtocol):  # protocol 2 is not spoken, or another hash is
                return ServedRefs(parse_ls_refs(answer.body), _base(answer.url))
        greeting = self._greet(base)
        answer = self._post(_base(greeting.url), ls_refs_request(prefixes, b"object-format=sha256" in greeting.body))
        try:
            return ServedRefs(parse_ls_refs(answer.body), _base(answer.url))
        except (ServerSays, BadProtocol) as error:
            raise NoRefs(f"git answered: {error}") from None

    def _greet(self, base: str) -> HttpResponse:
        """What the server says to git's own first question, at this address or at the same without `.git`."""
        answer = self._info_refs(base)
        if _is_gone(answer) and base.endswith(".git") and urlsplit(base).hostname not in _NO_SUFFIX_NEEDED:
            other = self._info_refs(base.removesuffix(".git"))
            answer = other if other.status == 200 else answer
        if answer.status != 200:
            raise NoRefs(f"the server answered {answer.status}", _is_gone(answer))
        if not _is(answer, _ADVERTISEMENT):
            raise NoRefs("not a git server, or one of plain files")
        if b"version 2\n" not in answer.body[:1000]:
            raise OldServer("the server does not speak git's protocol 2")
        return answer

    def _info_refs(self, base: str) -> HttpResponse:
        return self._ask("GET", f"{base}/info/refs?service=git-upload-pack", {})

    def _post(self, base: str, body: bytes) -> HttpResponse:
        headers = {"Content-Type": "application/x-git-upload-pack-request", "Accept": RESULT}
        return self._ask("POST", f"{base}/git-upload-pack", headers, body)

    # --- requests -----------------------------------------------------------------------------------------------------

    def _ask(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> HttpResponse:
        """An answer that is not a limit. Raises NoRefs.

        A token that the server does not take, or that is not authorised for this organisation, is left out: the public part stays.
        """
        headers = {"User-Agent": HTTP_AGENT, "Git-Protocol": "version=2", **headers}
        authorization = self.authorization(url)
        answer = self._ask_patiently(method, url, headers | authorization, body)
        if authorization and answer.status in (401, 403):
            answer = self._ask_patiently(method, url, headers, body)
            if answer.status == 200:
                self._refused.add(_base(url))
        return answer

    def authorization(self, url: str) -> dict[str, str]:
        """The header with the token, for the server that it belongs to and repositories that take it."""
        is_ours = bool(self.server) and url.startswith(self.server.rstrip("/") + "/")
        if self.token is None or not is_ours or _base(url) in self._refused:
            return {}
        parts = urlsplit(url)
        if parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
            return {}
        return {"Authorization": "Basic " + base64.b64encode(f"x-access-token:{self.token.secret}".encode()).decode()}

    def _ask_patiently(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> HttpResponse:
        failures = limits = 0
        while True:
            try:
                with self.pauses.turn(server_of(url)):
                    self.wait(url)
                    answer = self.web.send(method, url, headers, body, MOST_BYTES)
                    is_limited = self._is_limited(url, answer)
            except TooLarge as error:
                raise NoRefs(str(error)) from None
            except Unreachable as error:
                failures, problem = failures + 1, str(error)
            else:
                if is_limited:
                    limits += 1
                    if limits > MOST_LIMITS:
                        raise NoRefs(f"rate-limited by the server ({answer.status}), {limits} times in a row")
                    continue
                failures, problem = failures + 1, f"the server answered {answer.status}"
                if answer.status < 500:
                    self.pauses.open(server_of(url), self.clock.now())
                    return answer
            if failures >= self.tries:
                raise NoRefs(f"{problem}, {failures} times")
            pause = FIRST_BACKOFF * 2 ** (failures - 1) * (1 + self.clock.chance())
            if pause >= current().left():
                raise NoRefs(f"{problem}, and no time is left")
            self.clock.sleep(pause)

    # --- limits -------------------------------------------------------------------------------------------------------

    def wait(self, url: str) -> None:
        """Sleeps until the server may be asked. Raises NoRefs when that is longer than allowed: then nothing is sent."""
        server = server_of(url)
        while (left := self.pauses.of(server).until - self.clock.now()) > 0:
            allowed = min(self.longest_wait, current().left())
            if left > allowed:
                raise NoRefs(f"rate-limited by the server: {left:.0f} s to wait, more than the {allowed:.0f} s allowed")
            self.clock.sleep(left)

    def limit(self, url: str, headers: Mapping[str, str] | None = None, kind: str = "secondary") -> None:
        """Closes a server after a limit, for everybody who shares the pauses."""
        server, now = server_of(url), self.clock.now()
        before = self.pauses.of(server)
        is_same = before.until > now  # another thread met the same limit: one pause, one strike
        strikes = max(0, before.strikes - 1) if is_same else before.strikes
        seconds = pause_after(kind, headers or {}, now, strikes)
        self.pauses.close(server, Pause(now + seconds, strikes + 1))
        if not is_same:
            self.tell(f"rate-limited by {server}: waiting {seconds:.0f} s")

    def _is_limited(self, url: str, answer: HttpResponse) -> bool:
        kind = "secondary" if answer.status == 200 and git_limit(answer.body) else None
        if answer.status in (403, 429):
            kind = limit_kind(answer.status, answer.headers, answer.body[:4000])
        elif answer.status == 503 and "retry-after" in answer.headers:
            kind = "secondary"
        if kind is not None:
            self.limit(url, answer.headers, kind)
        return kind is not None


def _is(answer: HttpResponse, kind: str) -> bool:
    return answer.status == 200 and answer.headers.get("content-type", "").partition(";")[0].strip() == kind


def _is_gone(answer: HttpResponse) -> bool:
    """403 says nothing by itself: a firewall sends it as well as a server whose repository is blocked. Its words decide."""
    if answer.status == 403:
        text = answer.body[:4000].decode("utf-8", "replace").lower()
        return any(words in text for words in _GONE_WORDS) and "<html" not in text
    return answer.status in _GONE


def _base(url: str) -> str:
    """`…/owner/name.git` of an address below it."""
    return url.split("/info/refs", 1)[0].removesuffix("/git-upload-pack")
