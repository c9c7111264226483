"""What a git server says that a repository has: one question of protocol 2, asked alike by probes
and before a transfer.

A request may meet a limit, a failure that passes, a renamed repository or a server that refuses our
short way of asking. Only when the address itself, asked as git asks (GET of info/refs), is not
there either, a repository is called gone.

A server may be hostile: every size is bounded, every line is checked, and anything unexpected is
BadProtocol, never a guess. Formats: gitprotocol-common and gitprotocol-v2 of git's own
documentation.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from collector.discovery.github.patience import LimitReached, Patient, server_of
from collector.discovery.github.transport import HttpResponse, Unreachable
from collector.errors import WhoWroteError
from collector.json_values import Texts
from collector.limits import ADVERTISED_REFS

# What we call ourselves over HTTP: github.com shows a repository without `.git` only to programs
# whose name begins with git/.
HTTP_AGENT = "git/2.30.0 (whowrote)"
_GONE = (401, 404, 410, 451)
# every repository is there with .git
_NO_SUFFIX_NEEDED = ("github.com", "gitlab.com", "codeberg.org", "bitbucket.org")
_GONE_WORDS = (
    "not found",
    "disabled",
    "blocked",
    "dmca",
    "takedown",
    "taken down",
    "unavailable",
    "private",
    "access denied",
)
RESULT = "application/x-git-upload-pack-result"
_ADVERTISEMENT = "application/x-git-upload-pack-advertisement"

FLUSH = b"0000"
DELIM = b"0001"
LONGEST = 65516  # bytes of data in one packet
_OID = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NAME = re.compile(rb"[^\x00-\x20\x7f~^:?*\[\\]{1,1024}")
_AGENT = b"agent=whowrote"


class NoRefs(WhoWroteError):
    """The refs cannot be had.

    `gone`: the server says that there is no such repository, or not for us.
    """

    def __init__(self, message: str, gone: bool = False) -> None:
        super().__init__(message)
        self.gone = gone


class OldServer(NoRefs):
    """The server does not speak protocol 2."""


@dataclass
class GitServers(Patient):
    """The token is for `server` alone, and goes there only encrypted or on this machine."""

    tries: int = 4
    server: str = ""
    # repositories that were answered only without the token
    _refused: set[str] = field(default_factory=set)

    def refs(self, base: str, prefixes: Sequence[str]) -> Refs:
        """The refs of the repository at `base` that begin with one of `prefixes`.

        Raises NoRefs, of an older protocol OldServer.
        """
        answer = self._post(base, ls_refs_request(prefixes))
        if _is(answer, RESULT):
            # protocol 2 is not spoken, or another hash is
            with suppress(BadProtocol):
                return parse_ls_refs(answer.body, _base(answer.url))
        greeting = self._greet(base)
        answer = self._post(
            _base(greeting.url), ls_refs_request(prefixes, b"object-format=sha256" in greeting.body)
        )
        try:
            return parse_ls_refs(answer.body, _base(answer.url))
        except BadProtocol as error:
            raise NoRefs(f"git answered: {error}") from None

    def _greet(self, base: str) -> HttpResponse:
        """What the server says to git's own first question, at this address or at the same
        without `.git`.
        """
        answer = self._info_refs(base)
        if (
            _is_gone(answer)
            and base.endswith(".git")
            and urlsplit(base).hostname not in _NO_SUFFIX_NEEDED
        ):
            other = self._info_refs(base.removesuffix(".git"))
            if other.status == 200:
                answer = other
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

    def _ask(self, method: str, url: str, headers: Texts, body: bytes = b"") -> HttpResponse:
        """An answer that is not a limit. Raises NoRefs.

        A token that the server does not take, or that is not authorised for this organisation, is
        left out: the public part stays.
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

    def authorization(self, url: str) -> Texts:
        """The header with the token, for the server that it belongs to and repositories that
        take it.
        """
        is_ours = bool(self.server) and url.startswith(self.server.rstrip("/") + "/")
        if self.token is None or not is_ours or _base(url) in self._refused:
            return {}
        parts = urlsplit(url)
        if parts.scheme != "https" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
            return {}
        return {
            "Authorization": (
                "Basic " + base64.b64encode(f"x-access-token:{self.token.secret}".encode()).decode()
            )
        }


def _is(answer: HttpResponse, kind: str) -> bool:
    return (
        answer.status == 200
        and answer.headers.get("content-type", "").partition(";")[0].strip() == kind
    )


def _is_gone(answer: HttpResponse) -> bool:
    """403 says nothing by itself: a firewall sends it as well as a server whose repository is
    blocked. Its words decide.
    """
    if answer.status == 403:
        text = answer.body[:4000].decode("utf-8", "replace").lower()
        return any(words in text for words in _GONE_WORDS) and "<html" not in text
    return answer.status in _GONE


def _base(url: str) -> str:
    """`…/owner/name.git` of an address below it."""
    return url.split("/info/refs", 1)[0].removesuffix("/git-upload-pack")


class BadProtocol(ValueError):
    """The answer is not what git's protocol allows, or an error of the server's own."""


@dataclass
class Refs:
    """What ls-refs said."""

    oids: Texts = field(default_factory=dict)  # ref -> its object
    head: str | None = None  # the ref that HEAD points to
    url: str = ""  # the address of the repository that answered


def packet(data: bytes) -> bytes:
    if len(data) > LONGEST:
        raise ValueError(f"{len(data)} bytes do not fit into a packet")
    return b"%04x" % (len(data) + 4) + data


def packets(answer: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Packets of an answer, which must end with one: data, or a mark (such as FLUSH) without data.

    Raises BadProtocol.
    """
    start = 0
    while start < len(answer):
        head = answer[start : start + 4]
        if not re.fullmatch(rb"[0-9a-fA-F]{4}", head):
            raise BadProtocol(f"no packet begins with {head!r}")
        size = int(head, 16)
        if size == 3 or size > LONGEST + 4:
            raise BadProtocol(f"a packet of {size} bytes")
        end = start + max(size, 4)
        if end > len(answer):
            raise BadProtocol("the answer ends within a packet")
        yield (b"", head) if size < 4 else (answer[start + 4 : end], b"")
        start = end


def ls_refs_request(prefixes: Sequence[str], sha256: bool = False) -> bytes:
    """Asks for the refs that begin with one of `prefixes`."""
    lines = [b"command=ls-refs\n", _AGENT]
    if sha256:
        lines.append(b"object-format=sha256")
    arguments = [b"symrefs\n", *(b"ref-prefix " + prefix.encode() + b"\n" for prefix in prefixes)]
    return b"".join(map(packet, lines)) + DELIM + b"".join(map(packet, arguments)) + FLUSH


def parse_ls_refs(answer: bytes, url: str = "") -> Refs:
    """Raises BadProtocol."""
    refs = Refs(url=url)
    has_ended = False
    for data, mark in packets(answer):
        if has_ended:
            raise BadProtocol("data after the end of the answer")
        if mark and mark != FLUSH:
            raise BadProtocol("an unexpected delimiter")
        has_ended = mark == FLUSH
        if data.startswith(b"ERR "):
            raise BadProtocol(data[4:].decode("utf-8", "replace").strip()[:300])
        if not has_ended:
            _add_line(refs, data.rstrip(b"\n"))
    if not has_ended:
        raise BadProtocol("the answer has no end")
    return refs


def _add_line(refs: Refs, line: bytes) -> None:
    parts = line.split(b" ")
    if len(parts) < 2 or not (_OID.fullmatch(parts[0]) or parts[0] == b"unborn"):
        raise BadProtocol(f"not a line of ls-refs: {line[:80]!r}")
    name = _ref(parts[1])
    if name == "HEAD":
        for part in parts[2:]:
            if part.startswith(b"symref-target:"):
                refs.head = _ref(part.partition(b":")[2])
    if parts[0] != b"unborn":
        refs.oids[name] = parts[0].decode("ascii")
    if len(refs.oids) > ADVERTISED_REFS:
        raise BadProtocol(f"more than {ADVERTISED_REFS} refs")


def _ref(name: bytes) -> str:
    if not _NAME.fullmatch(name) or b".." in name or b"//" in name:
        raise BadProtocol(f"not a ref: {name[:80]!r}")
    return name.decode("utf-8", "replace")
