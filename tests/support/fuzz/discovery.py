"""Answers of servers: GitHub's API, git servers, lists. What was answered
once is answered again, damaged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from collector.discovery.channels.channel import ChannelContext, DiscoverOptions, DiscoveryLog
from collector.discovery.channels.listing import names_of
from collector.discovery.github.client import GitHub
from collector.discovery.github.git_server import GitServers
from collector.discovery.github.patience import Token
from collector.discovery.github.transport import HttpResponse, Unreachable, Web
from collector.discovery.selection.probe import Prober
from collector.discovery.selection.report import report
from collector.discovery.selection.run import Filters, discover
from collector.storage.store import Store
from support.fake_time import FakeTime
from support.fuzz import Target, scratch
from support.fuzz.choices import Choices
from support.fuzz.damage import ODD, Sample, flipped
from support.git_answers import V1, refs
from support.github_server import TOKEN, GitHubServer, Repo, World

_SETTINGS = ".entire/settings.json"
_CHANNELS = ("listing", "code_search", "commit_search")
_STATUS = (
    200,
    200,
    200,
    200,
    201,
    204,
    301,
    304,
    400,
    401,
    403,
    404,
    410,
    422,
    429,
    451,
    500,
    503,
    999,
)
_HEADERS = (
    "link",
    "retry-after",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-ratelimit-limit",
    "date",
    "etag",
    "content-type",
    "location",
    "x-oauth-scopes",
)
_LINKS = (
    '<https://127.0.0.1/api/v3/search/code?page=2>; rel="next"',
    "<>; rel=next",
    '<http://[>; rel="next"',
    ",;<" * 50,
    "/x",
)
_LIST = b"name,url,stars\no/r,https://github.com/o/r,3\no/s,https://github.com/o/s.git,1\n"
_SERVER = "https://127.0.0.1:1"
_TABLES = ("candidates", "discoveries", "cursors")
_MOST_REQUESTS = 60


def _world() -> World:
    hit = [("c0", "2026-02-01T00:00:00Z", "x\n\nEntire-Checkpoint: 0123456789ab")]
    moved = json.dumps(
        {"strategy_options": {"checkpoint_remote": {"provider": "github", "repo": "o/data"}}}
    )
    return World(
        [
            Repo("o/one", files={_SETTINGS: "{}"}, raw=refs(V1)),
            Repo(
                "o/two",
                commits=hit,
                raw=refs("refs/entire/checkpoints/7S/01JZKQ4W7V8Y9X2M3N4P5Q6R7S"),
                author="o",
            ),
            Repo("o/fork", topics=("entire-cli",), raw=refs(V1), fork_of="o/one"),
            Repo("o/code", raw=refs(), files={_SETTINGS: moved}),
            Repo("o/data", raw=refs(V1)),
        ]
    )


def _key(method: str, url: str, content: bytes) -> tuple[str, str, bytes]:
    parts = urlsplit(url)
    return method, f"{parts.path}?{parts.query}", content if b"ls-refs" in content else b""


class _Recording(Web):
    """Keeps every answer."""

    def __init__(self, known: dict[Any, HttpResponse]) -> None:
        super().__init__()
        self.known = known

    def send(
        self, method: str, url: str, headers: Any = None, content: bytes = b"", most: int = 1 << 26
    ) -> HttpResponse:
        answer = super().send(method, url, headers, content, most)
        self.known[_key(method, url, content)] = answer
        return answer


class _Damaged(Web):
    """Answers from what was kept, damaged."""

    def __init__(self, known: Mapping[Any, HttpResponse]) -> None:
        super().__init__()
        self.known = known
        self.others = [known[key] for key in sorted(known)]
        self.choices = Choices(b"")
        self.left = 0

    def send(
        self, method: str, url: str, headers: Any = None, content: bytes = b"", most: int = 1 << 26
    ) -> HttpResponse:
        self.left -= 1
        choices = self.choices
        if self.left < 0 or choices.yes(64):
            raise Unreachable("no connection")
        usual = self.known.get(_key(method, url, content))
        usual = choices.one_of(self.others) if usual is None or choices.yes(32) else usual
        if choices.yes(2):
            return HttpResponse(usual.status, usual.headers, usual.body, url)
        answered = dict(usual.headers)
        for _ in range(choices.number(0, 2)):
            odd = [one for one in ODD if isinstance(one, str)]
            answered[choices.one_of(_HEADERS)] = choices.one_of(odd if choices.yes() else _LINKS)
        status = choices.one_of(_STATUS) if choices.yes(4) else usual.status
        return HttpResponse(status, answered, self._body(usual.body), url)

    def _body(self, body: bytes) -> bytes:
        if self.choices.yes(32):
            return self.choices.rest()
        try:
            return Sample([json.loads(body)]).damaged(self.choices)
        except ValueError:
            return flipped(body, self.choices)


def _context(web: Web, store: Store, server: str, api: str) -> ChannelContext:
    clock = FakeTime(datetime(2026, 7, 1, tzinfo=UTC).timestamp()).clock()
    github = GitHub(web, clock, token=Token("test", TOKEN), api=api)
    log = DiscoveryLog(store, server, clock.now)
    options = DiscoverOptions(texts=(("test", b"o/one\no/gone\n"),), owners=("o",))
    return ChannelContext(github, log, options)


def _discover(context: ChannelContext) -> None:
    prober = Prober(
        GitServers(
            context.github.web,
            context.github.clock,
            token=context.github.token,
            server=context.log.server,
        )
    )
    discover(context, _CHANNELS, Filters(), prober)


@contextmanager
def target() -> Iterator[Target]:
    known: dict[Any, HttpResponse] = {}
    with scratch.directory() as place:
        with (
            GitHubServer(_world()) as server,
            _Recording(known) as web,
            Store(place / "first.db") as store,
        ):
            url = server.url
            api = server.api_url
            _discover(_context(web, store, url, api))
        damaged = _Damaged(known)
        with Store(place / "fuzz.db") as store:

            def run(data: bytes) -> None:
                choices = Choices(data)
                if choices.number(0, 7) <= 1:
                    names_of(choices.rest() if choices.yes() else flipped(_LIST, choices), _SERVER)
                else:
                    damaged.choices = choices
                    damaged.left = _MOST_REQUESTS
                    context = _context(damaged, store, url, api)
                    _discover(context)
                    if choices.yes(8):
                        report(store, context.now())
                    with store.transaction() as connection:
                        for table in _TABLES:
                            connection.execute(f"DELETE FROM {table}")

            yield run
