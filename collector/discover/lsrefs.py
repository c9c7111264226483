"""Asks a git server which of the interesting refs a repository has: one request of protocol v2, no token, no API budget.

A v1 branch that is all there is gets a second request, for its commit alone, because the branch may hold an empty tree. Older
servers are asked for all their refs.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeVar
from urllib.parse import urlsplit

from collector.discover.names import valid_name
from collector.discover.ref_state import PREFIXES, RefState, ref_state
from collector.git.pktline import (
    Advertisement,
    BadProtocol,
    Refs,
    ServerSays,
    commit_request,
    ls_refs_request,
    parse_advertisement,
    parse_commit,
    parse_ls_refs,
    tree_of,
)
from collector.github.client import FIRST_BACKOFF, Clock
from collector.github.limits import FIRST_PAUSE, LONGEST_PAUSE, limit_kind
from collector.github.transport import HttpResponse, TooLarge, Unreachable, Web

EMPTY_TREES = ("4b825dc642cb6eb9a060e54bf8d69288fbee4904", "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321")
MOST_BYTES = 256 << 20  # the refs of the largest repositories, all of them, from an old server
TRIES = 4
PAUSES = 6  # rate limits in a row
GONE = (401, 403, 404, 410, 451)
_RESULT = "application/x-git-upload-pack-result"
_ADVERTISEMENT = "application/x-git-upload-pack-advertisement"


@dataclass(frozen=True, slots=True)
class RefsProbe:
    """`outcome`: ok, private_or_missing, unreachable. `v1_empty` is None when it was not looked at."""

    outcome: str
    ref_state: RefState | None = None
    v1_empty: bool | None = None
    renamed_to: str | None = None
    detail: str = ""


class _Failed(Exception):
    def __init__(self, outcome: str, detail: str) -> None:
        super().__init__(detail)
        self.outcome, self.detail = outcome, detail


@dataclass(slots=True)
class Prober:
    """Call it with (server, name); several threads may share it, so that a rate limit stops them all."""

    web: Web
    clock: Clock = field(default_factory=Clock)
    tell: Callable[[str], None] = lambda text: None
    closed_until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, server: str, name: str) -> RefsProbe:
        """Never raises for what a server can do."""
        base = f"{server}/{name}.git"
        try:
            refs, url = self._refs(base)
            found = ref_state(refs)
            empty = self._is_empty(url, found.v1_oid) if found.only_v1 and found.v1_oid else None
        except _Failed as failure:
            return RefsProbe(failure.outcome, detail=failure.detail)
        return RefsProbe("ok", found, empty, _new_name(server, name, url))

    # --- refs ---------------------------------------------------------------------------------------------------------

    def _refs(self, base: str) -> tuple[Refs, str]:
        """The refs, and the base address that answered."""
        answer = self._post(base, ls_refs_request(PREFIXES), tries=2)  # an old server may fail at it for ever
        if _is(answer, _RESULT):
            with contextlib.suppress(ServerSays, BadProtocol):  # protocol 2 is not spoken, or another hash is
                return parse_ls_refs([answer.body]), _base(answer.url)
        advertised, url = self._advertisement(base)
        if advertised.protocol < 2:
            return advertised.refs, url
        sha256 = any(c == "object-format=sha256" for c in advertised.capabilities)
        answer = self._post(url, ls_refs_request(PREFIXES, sha256))
        try:
            return parse_ls_refs([answer.body]), url
        except (ServerSays, BadProtocol) as error:
            raise _Failed("unreachable", f"git answered: {error}") from None

    def _advertisement(self, base: str) -> tuple[Advertisement, str]:
        answer = self._sent("GET", f"{base}/info/refs?service=git-upload-pack", {"Git-Protocol": "version=2"})
        if answer.status != 200:
            raise _Failed("unreachable", f"the server answered {answer.status}")
        try:
            return parse_advertisement([answer.body], not _is(answer, _ADVERTISEMENT)), _base(answer.url)
        except (ServerSays, BadProtocol) as error:
            raise _Failed("unreachable", f"not a git server: {error}") from None

    def _is_empty(self, base: str, oid: str) -> bool | None:
        """Whether the branch holds an empty tree; None when the server does not give single commits."""
        for _ in range(2):  # a damaged answer is rare, and a wrong None would stay
            answer = self._post(base, commit_request(oid))
            if answer.status >= 500:
                raise _Failed("unreachable", f"the server answered {answer.status}")
            with contextlib.suppress(ServerSays, BadProtocol):
                return tree_of(parse_commit([answer.body])) in EMPTY_TREES
        return None

    # --- requests -----------------------------------------------------------------------------------------------------

    def _post(self, base: str, body: bytes, tries: int = TRIES) -> HttpResponse:
        headers = {"Git-Protocol": "version=2", "Content-Type": "application/x-git-upload-pack-request", "Accept": _RESULT}
        return self._sent("POST", f"{base}/git-upload-pack", headers, body, tries)

    def _sent(self, method: str, url: str, headers: dict[str, str], body: bytes = b"", tries: int = TRIES) -> HttpResponse:
        """`tries`: how many answers 5xx are waited out before one is returned."""
        failures = pauses = 0
        while True:
            self._wait()
            try:
                answer = self.web.send(method, url, headers, body, MOST_BYTES)
            except TooLarge as error:
                raise _Failed("unreachable", str(error)) from None
            except Unreachable as error:
                failures, problem = failures + 1, str(error)
            else:
                if limit_kind(answer.status, answer.headers, answer.body[:4000]):
                    pauses += 1
                    if pauses > PAUSES:
                        raise _Failed("unreachable", f"rate-limited by the server ({answer.status}), {pauses} times in a row")
                    self._close(answer, pauses)
                    continue
                if answer.status in GONE:
                    raise _Failed("private_or_missing", f"the server answered {answer.status}")
                failures, problem = failures + 1, f"the server answered {answer.status}"
                if answer.status < 500 or failures >= tries:
                    return answer
            if failures >= TRIES:
                raise _Failed("unreachable", f"{problem}, {failures} times")
            self.clock.sleep(FIRST_BACKOFF * 2 ** (failures - 1) * (1 + self.clock.chance()))

    def _wait(self) -> None:
        pause = self.closed_until - self.clock.now()
        if pause > 0:
            self.clock.sleep(pause)

    def _close(self, answer: HttpResponse, pauses: int) -> None:
        after = answer.headers.get("retry-after", "")
        pause = min(float(after) if after.isdigit() else FIRST_PAUSE * 2 ** (pauses - 1), LONGEST_PAUSE)
        with self._lock:
            self.closed_until = max(self.closed_until, self.clock.now() + pause)
        self.tell(f"rate-limited by the git server: waiting {pause:.0f} s")


Item = TypeVar("Item")


def probe_all(
    prober: Prober, items: Iterable[Item], where: Callable[[Item], tuple[str, str]], jobs: int = 8
) -> Iterator[tuple[Item, RefsProbe]]:
    """Each item with what was seen, in the order of the items; no more than `jobs` are asked and not yet handed out."""
    waiting = iter(items)
    with ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="probe") as pool:
        asked = deque((item, pool.submit(prober, *where(item))) for item in islice(waiting, jobs))
        while asked:
            item, answer = asked.popleft()
            yield item, answer.result()
            asked.extend((item, pool.submit(prober, *where(item))) for item in islice(waiting, 1))


def _is(answer: HttpResponse, kind: str) -> bool:
    return answer.status == 200 and answer.headers.get("content-type", "").partition(";")[0].strip() == kind


def _base(url: str) -> str:
    """`…/owner/name.git` of an address below it."""
    return url.split("/info/refs", 1)[0].removesuffix("/git-upload-pack")


def _new_name(server: str, name: str, url: str) -> str | None:
    if not url.startswith(server + "/"):
        host = urlsplit(url).hostname
        return f"{host}/{urlsplit(url).path.strip('/').removesuffix('.git')}" if host else None
    new = valid_name(url.removeprefix(server + "/"))
    return new if new is not None and new.lower() != name.lower() else None
