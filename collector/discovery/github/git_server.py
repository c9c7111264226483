"""What a git server says that a repository has: one question of protocol 2, asked alike by probes and before a transfer.

A request may meet a limit, a failure that passes, a renamed repository or a server that refuses our short way of asking. Only when
the address itself, asked as git asks (GET of info/refs), is not there either, a repository is called gone.
"""

from __future__ import annotations

import base64
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from collector.discovery.github.patience import LimitReached, Patient, server_of
from collector.discovery.github.pktline import BadProtocol, Refs, ServerSays, ls_refs_request, parse_ls_refs
from collector.discovery.github.transport import HttpResponse, Unreachable
from collector.errors import WhoWroteError

# What we call ourselves over HTTP: github.com shows a repository without `.git` only to programs whose name begins with git/.
HTTP_AGENT = "git/2.30.0 (whowrote)"
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
class GitServers(Patient):
    """The token is for `server` alone, and goes there only encrypted or on this machine."""

    tries: int = 4
    server: str = ""
    _refused: set[str] = field(default_factory=set)  # repositories that were answered only without the token

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

    def _ask(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> HttpResponse:
        """An answer that is not a limit. Raises NoRefs.

        A token that the server does not take, or that is not authorised for this organisation, is left out: the public part stays.
        """
        headers = {"User-Agent": HTTP_AGENT, "Git-Protocol": "version=2", **headers}
        authorization = self.authorization(url)
        try:
            answer = self.ask(method, url, server_of(url), headers | authorization, body)
            if authorization and answer.status in (401, 403):
                answer = self.ask(method, url, server_of(url), headers, body)
                if answer.status == 200:
                    self._refused.add(_base(url))
        except (LimitReached, Unreachable) as error:
            raise NoRefs(str(error)) from None
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
