"""A stand-in GitHub on loopback that behaves as documented: API pages and caps, ETags, both kinds
of rate limit, failures on request, renamed, deleted and private repositories, partial GraphQL
answers; git itself is served by the real `git http-backend`.

    with GitHubServer(World([Repo("octo/one", git_dir=path)])) as server:
        server.api_url, server.url        # the API (as of GitHub Enterprise, under /api/v3), and
                                          the root for git: url/octo/one.git
        server.faults.extend(["500", None, "secondary"])   # what happens to the next requests, one
                                                           each; None: nothing
        server.log                        # what was asked: (method, path with query, headers)
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from collector.discovery.records import CHECKPOINTS, Record
from collector.json_values import JsonObject, Texts

API = "/api/v3"
FIRST_SEARCH = "filename:settings.json path:.entire"
CAP = 1000
TOKEN = "ghp_standin0000000000000000000000000000"
GIT_SETTINGS = {"uploadpack.allowFilter": "true", "uploadpack.allowAnySHA1InWant": "true"}
# Answers in the shape that others report (nothing is copied; where: docs/discovery.md): status,
# headers, body.
ANSWERS: dict[str, tuple[int, Texts, Any]] = {
    # githubkit issue 271: the type is not the documented RATE_LIMITED, and no header says how long
    # to wait.
    "graphql-limit": (
        200,
        {},
        {
            "errors": [
                {
                    "type": "RATE_LIMIT",
                    "code": "graphql_rate_limit",
                    "message": "API rate limit already exceeded for user ID 1.",
                }
            ]
        },
    ),
    # octokit/plugin-throttling.js issue 632 and pull request 636: a primary limit although requests
    # are left.
    "graphql-limit-left": (
        200,
        {"X-RateLimit-Remaining": "4321", "X-RateLimit-Reset": "{in 40 s}"},
        {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}]},
    ),
    # Azure/azure-rest-api-specs issue 36378, octokit/plugin-throttling.js pull request 438.
    "secondary-200": (
        200,
        {},
        {
            "message": (
                "You have exceeded a secondary rate limit. Please wait a few minutes before you try"
                " again."
            )
        },
    ),
    "secondary-date": (
        403,
        {"Retry-After": "{date in 20 s}"},
        {"message": "You have exceeded a secondary rate limit."},
    ),
    # go-gh and others: an error of the whole query, without a path.
    "graphql-pathless": (
        200,
        {},
        {"data": None, "errors": [{"message": "Something went wrong while executing your query."}]},
    ),
    # ROCm/TheRock issue 6431: git, anonymous.
    "git-429": (
        429,
        {"Content-Type": "text/plain"},
        (
            "This request was rate-limited due to too many requests. Reduce the frequency of your"
            " requests or try again later."
        ),
    ),
    # cli/cli issue 14329: git, anonymous, an error packet with status 200.
    "git-err": (
        200,
        {"Content-Type": "application/x-git-upload-pack-result"},
        (
            "ERR GitHub is temporarily limiting some unauthenticated downloads to protect the"
            " stability of the platform."
        ),
    ),
    "git-403-limit": (
        403,
        {"Content-Type": "text/plain"},
        "You have exceeded a secondary rate limit.",
    ),
    # A firewall in front of a server.
    "git-403-wall": (
        403,
        {"Content-Type": "text/html"},
        "<html><title>Just a moment...</title>Access denied</html>",
    ),
    # A repository that was taken down.
    "git-403-blocked": (
        403,
        {"Content-Type": "text/plain"},
        "Repository access blocked: DMCA takedown.",
    ),
    "git-503-after": (503, {"Retry-After": "9"}, "busy"),
}
# Requests per window of seconds: with a token, without one.
LIMITS = {
    "core": (5000, 60, 3600),
    "search": (30, 10, 60),
    "code_search": (10, 0, 60),
    "graphql": (5000, 0, 3600),
}


@dataclass
class Repo:
    """One repository. `files` are found by code search, `commits` (sha, committer time, message)
    by commit search.
    """

    full_name: str
    id: int = 0
    stars: int = 0
    forks: int = 0
    fork_of: str | None = None
    archived: bool = False
    private: bool = False
    licence: str | None = "MIT"
    language: str | None = "Python"
    size_kb: int = 100
    created_at: str = "2026-01-01T00:00:00Z"
    pushed_at: str = "2026-06-01T00:00:00Z"
    topics: tuple[str, ...] = ()
    readme: str = ""
    files: Texts = field(default_factory=dict)
    commits: list[tuple[str, str, str]] = field(default_factory=list)
    author: str = ""  # account that wrote them
    git_dir: Path | None = None
    git: str = "v2"  # v2, v1, v0 (old servers), dumb (plain files)
    # answers git in place of git: (path, body)
    raw: Callable[[str, bytes], tuple[int, Texts, bytes]] | None = None

    @property
    def owner(self) -> str:
        return self.full_name.split("/")[0]


@dataclass
class World:
    """What the server knows. `renamed`: old name -> new name."""

    repos: list[Repo] = field(default_factory=list)
    renamed: Texts = field(default_factory=dict)
    organisations: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for number, repo in enumerate(self.repos, 1):
            repo.id = repo.id or 1000 + number

    def find(self, name: str) -> tuple[Repo | None, bool]:
        """The public repository of a name, and whether it has another name now."""
        moved = False
        for _ in range(5):
            new = {old.lower(): new for old, new in self.renamed.items()}.get(name.lower())
            if new is None:
                break
            name = new
            moved = True
        found = next(
            (r for r in self.repos if r.full_name.lower() == name.lower() and not r.private), None
        )
        return found, moved


@dataclass
class Asked:
    method: str
    path: str
    headers: Texts
    body: bytes


class GitHubServer:
    """Use it in a `with` statement. `now` may be a test's own clock (seconds since 1970)."""

    def __init__(
        self,
        world: World,
        now: Callable[[], float] | None = None,
        git_settings: Mapping[str, str] = GIT_SETTINGS,
    ) -> None:
        self.world = world
        self.git_settings = dict(git_settings)
        self.now = now or (lambda: datetime.now(UTC).timestamp())
        self.faults: deque[str | None] = deque()
        self.log: list[Asked] = []
        self.sent = 0  # bytes of answers, without headers
        self.limits = dict(LIMITS)
        self.used: dict[tuple[str, bool], tuple[float, int]] = {}
        self.lock = threading.Lock()
        self.released = threading.Event()  # ends the fault "hang"
        self.cap = CAP  # results of a search
        self.elsewhere: str | None = None  # target of the fault "elsewhere"
        self.ignored = set[str]()  # qualifiers that searches do not look at
        self.incomplete = set[str]()  # queries that are never finished
        self.refused = set[str]()  # queries that are answered with 422
        self.moved_post = 301  # what the POST of git gets at the old name: 301, 307, 308 or 404
        self.moved_get = 301  # the same for the GET of info/refs
        # limits for the next requests of git alone, see ANSWERS
        self.git_limits: deque[str] = deque()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.api_url = self.url + API

    def __enter__(self) -> GitHubServer:
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def asked(self, part: str) -> list[Asked]:
        """Requests whose path contains `part`."""
        return [a for a in self.log if part in a.path]

    def spend(self, resource: str, token: bool) -> tuple[Texts, bool]:
        """Rate-limit headers of one more request, and whether it is allowed."""
        with self.lock:
            with_token, without, window = self.limits[resource]
            limit = with_token if token else without
            reset, used = self.used.get((resource, token), (0.0, 0))
            if self.now() >= reset:
                reset = float(int(self.now()) + window)
                used = 0
            allowed = used < limit
            used += 1 if allowed else 0
            self.used[resource, token] = (reset, used)
        headers = {
            "X-RateLimit-Limit": str(limit),
            "X-RateLimit-Remaining": str(limit - used),
            "X-RateLimit-Reset": str(int(reset)),
            "X-RateLimit-Resource": resource,
        }
        return headers, allowed


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        # a client that was not interested in the rest
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def _handler(server: GitHubServer) -> type[BaseHTTPRequestHandler]:
    class Handler(_Handler):
        github = server

    return Handler


class _Handler(BaseHTTPRequestHandler):
    github: GitHubServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else each answer waits 40 ms for an acknowledgement
    timeout = 60

    def log_message(self, format: str, *args: Any) -> None:
        return

    def date_time_string(self, timestamp: float | None = None) -> str:
        return formatdate(self.github.now() if timestamp is None else timestamp, usegmt=True)

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        body = self._body()
        asked = Asked(
            self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body
        )
        with self.github.lock:
            self.github.log.append(asked)
            fault = self.github.faults.popleft() if self.github.faults else None
        try:
            if fault == "late":
                time.sleep(0.3)
            elif fault not in (None, "incomplete") and self._fail(str(fault)):
                return
            parts = urlsplit(self.path)
            if parts.path.startswith("/api/"):
                _Api(
                    self,
                    parts.path,
                    {k: v[0] for k, v in parse_qs(parts.query).items()},
                    asked,
                    fault,
                ).answer()
            else:
                self._git(parts.path, parts.query, asked)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            data = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return data
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    # --- failures ---------------------------------------------------------------------------------

    def _fail(self, fault: str) -> bool:
        """Whether the fault was an answer of its own."""
        if fault in ("500", "502", "503"):
            self.reply(int(fault), b"<html>Unicorn!</html>", {"Content-Type": "text/html"})
        elif fault == "drop":
            self.close_connection = True
        elif fault == "cut":
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"total_count": 3, "ite')
            self.close_connection = True
        elif fault == "hang":
            self.github.released.wait(20)
            self.close_connection = True
        elif fault == "malformed":
            self.reply(
                200, b'{"total_count": 3, "items": [{"rep', {"Content-Type": "application/json"}
            )
        elif fault in ("secondary", "secondary-429", "secondary-after"):
            headers = {"Retry-After": "7"} if fault == "secondary-after" else {}
            status = 429 if fault == "secondary-429" else 403
            self.json(
                status,
                {"message": "You have exceeded a secondary rate limit. Please wait."},
                headers,
            )
        elif fault == "primary":
            reset = str(int(self.github.now()) + 30)
            headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset}
            self.json(403, {"message": "API rate limit exceeded for 127.0.0.1."}, headers)
        elif fault == "forbidden":
            self.json(403, {"message": "Resource not accessible by personal access token"})
        elif fault == "bad-token":
            self.json(401, {"message": "Bad credentials"})
        elif fault in ANSWERS:
            self.recorded(fault)
        elif fault == "elsewhere":
            self.reply(302, b"", {"Location": (self.github.elsewhere or "") + self.path})
        else:
            raise AssertionError(f"no such fault: {fault}")
        return True

    def recorded(self, name: str) -> None:
        status, headers, body = ANSWERS[name]
        now = self.github.now()
        times = {
            "{in 40 s}": str(int(now + 40)),
            "{date in 20 s}": formatdate(now + 20, usegmt=True),
        }
        headers = {key: times.get(value, value) for key, value in headers.items()}
        if isinstance(body, dict):
            self.json(status, body, headers)
        elif body.startswith("ERR "):
            self.reply(status, f"{len(body) + 4:04x}{body}".encode(), headers)
        else:
            self.reply(status, body.encode(), headers)

    # --- answers ----------------------------------------------------------------------------------

    def reply(self, status: int, body: bytes, headers: Texts) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 304:
            self.wfile.write(body)
            self._count(len(body))

    def _count(self, size: int) -> None:
        with self.github.lock:
            self.github.sent += size

    def json(self, status: int, value: Any, headers: Texts | None = None) -> None:
        body = json.dumps(value).encode()
        etag = f'W/"{hashlib.sha256(body).hexdigest()}"'
        sent = {"Content-Type": "application/json; charset=utf-8", **(headers or {})}
        if status == 200 and self.command == "GET":
            sent["ETag"] = etag
            if self.headers.get("If-None-Match") == etag:
                self.reply(304, b"", sent)
                return
        self.reply(status, body, sent)

    # --- git --------------------------------------------------------------------------------------

    def _git(self, path: str, query: str, asked: Asked) -> None:
        """github.com shows the address without `.git` to programs called git/… only
        (isomorphic-git issues 247 and 1292).
        """
        with self.github.lock:
            limit = self.github.git_limits.popleft() if self.github.git_limits else None
        if limit is not None:
            self.recorded(limit)
            return
        match = re.fullmatch(
            r"/([\w.-]+/[\w.-]+?)(\.git)?/(info/refs|git-upload-pack|git-receive-pack|objects/.*|HEAD)",
            path,
        )
        repo, moved = self.github.world.find(match[1]) if match else (None, False)
        if (
            match is not None
            and not match[2]
            and not asked.headers.get("user-agent", "").startswith("git/")
        ):
            self.reply(404, b"Not Found", {})
            return
        tail = match[3] if match else ""
        if not self._may_read(asked):
            self.reply(
                401, b"Invalid username or token.", {"WWW-Authenticate": 'Basic realm="GitHub"'}
            )
        elif match is None or repo is None:
            self.reply(401, b"Repository not found.", {"WWW-Authenticate": 'Basic realm="GitHub"'})
        elif moved:
            self._moved(repo, tail, query)
        elif repo.raw is not None:
            status, headers, body = repo.raw(tail, asked.body)
            self.reply(status, body, headers)
        elif repo.git_dir is None:
            self.reply(401, b"Repository not found.", {"WWW-Authenticate": 'Basic realm="GitHub"'})
        elif repo.git == "dumb":
            self._dumb(repo.git_dir, tail)
        else:
            self._backend(repo, tail, query, asked)

    @staticmethod
    def _may_read(asked: Asked) -> bool:
        """A wrong password is refused even where none is needed."""
        given = asked.headers.get("authorization", "")
        return (
            not given
            or given == "Basic " + base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
        )

    def _moved(self, repo: Repo, tail: str, query: str) -> None:
        status = self.github.moved_get if self.command == "GET" else self.github.moved_post
        if status == 404:
            self.reply(404, b"Not Found", {})
        else:
            target = f"{self.github.url}/{repo.full_name}.git/{tail}" + (
                f"?{query}" if query else ""
            )
            self.reply(status, b"", {"Location": target})

    def _dumb(self, git_dir: Path, tail: str) -> None:
        if self.command != "GET":
            self.reply(405, b"", {})
            return
        subprocess.run(["git", f"--git-dir={git_dir}", "update-server-info"], check=True)
        file = git_dir / tail
        found = file.is_file()
        self.reply(
            200 if found else 404,
            file.read_bytes() if found else b"",
            {"Content-Type": "text/plain"},
        )

    def _backend(self, repo: Repo, tail: str, query: str, asked: Asked) -> None:
        settings = {**self.github.git_settings, "safe.directory": "*"}
        environment = {
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_TRANSLATED": f"{repo.git_dir}/{tail}",
            "REQUEST_METHOD": self.command,
            "QUERY_STRING": query,
            "CONTENT_TYPE": asked.headers.get("content-type", ""),
            "CONTENT_LENGTH": str(len(asked.body)),
            "HTTP_CONTENT_ENCODING": asked.headers.get("content-encoding", ""),
            "REMOTE_ADDR": "127.0.0.1",
            "GIT_CONFIG_COUNT": str(len(settings)),
        }
        for number, (name, value) in enumerate(settings.items()):
            environment |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
        if repo.git == "v2" and "git-protocol" in asked.headers:
            environment["GIT_PROTOCOL"] = asked.headers["git-protocol"]
        elif repo.git == "v1":
            environment["GIT_PROTOCOL"] = "version=1"
        process = subprocess.Popen(
            ["git", "http-backend"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None and process.stdout is not None
        feeder = threading.Thread(target=_feed, args=(process.stdin, asked.body), daemon=True)
        feeder.start()
        try:
            self._pass_on(process.stdout)
        finally:
            process.stdout.close()
            process.kill()
            process.wait()
            feeder.join()

    def _pass_on(self, output: Any) -> None:
        status = 200
        headers = []
        while line := output.readline().rstrip(b"\r\n").decode():
            name, _, value = line.partition(": ")
            if name == "Status":
                status = int(value.split()[0])
            elif name.lower() != "content-length":
                headers.append((name, value))
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while data := output.read1(1 << 16):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self._count(len(data))
        self.wfile.write(b"0\r\n\r\n")


def _feed(stdin: Any, body: bytes) -> None:
    try:
        stdin.write(body)
        stdin.close()
    except OSError:
        return  # the server's git ended early


class _Api:
    """One request to the API."""

    def __init__(
        self, handler: _Handler, path: str, query: Texts, asked: Asked, fault: str | None
    ) -> None:
        self.handler = handler
        self.path = path
        self.query = query
        self.asked = asked
        self.fault = fault
        self.world = handler.github.world
        self.given = asked.headers.get("authorization", "")
        self.headers: Texts = {}

    def answer(self) -> None:
        path = self.path.removeprefix(API)
        resource = {
            "/search/code": "code_search",
            "/search/commits": "search",
            "/search/repositories": "search",
        }.get(path, "core")
        resource = "graphql" if self.path == "/api/graphql" else resource
        if self.given and self.given != f"Bearer {TOKEN}":
            return self._say(401, "Bad credentials")
        if not self.given and resource in ("code_search", "graphql"):
            return self._say(401, "Requires authentication")
        self.headers, allowed = self.handler.github.spend(resource, bool(self.given))
        if not allowed:
            return self._say(403, "API rate limit exceeded for 127.0.0.1.")
        if path == "/rate_limit":
            limits = {
                name: {"limit": limit[0 if self.given else 1]}
                for name, limit in self.handler.github.limits.items()
            }
            return self.handler.json(200, {"resources": limits}, self.headers)
        return self._graphql() if resource == "graphql" else self._rest(path)

    def _rest(self, path: str) -> None:
        if path.startswith("/search/"):
            return self._search(path.rpartition("/")[2])
        if match := re.fullmatch(r"/(orgs|users)/([\w.-]+)/repos", path):
            return self._owned(match[1], match[2])
        if match := re.fullmatch(r"/repositories/(\d+)", path):
            return self._repository(
                next(
                    (r for r in self.world.repos if r.id == int(match[1]) and not r.private), None
                ),
                False,
            )
        if match := re.fullmatch(r"/repos/([\w.-]+/[\w.-]+)", path):
            return self._repository(*self.world.find(match[1]))
        if match := re.fullmatch(r"/repos/([\w.-]+/[\w.-]+)/(?:forks|contents/(.+))", path):
            return self._contents(match[1], match[2]) if match[2] else self._forks(match[1])
        return self._say(404, "Not Found")

    def _say(self, status: int, message: str) -> None:
        self.handler.json(
            status,
            {"message": message, "documentation_url": "https://docs.github.com/rest"},
            self.headers,
        )

    # --- repositories -----------------------------------------------------------------------------

    def _repository(self, repo: Repo | None, moved: bool) -> None:
        if repo is None:
            self._say(404, "Not Found")
        elif moved:
            where = f"{self.handler.github.api_url}/repositories/{repo.id}"
            self.handler.json(
                301,
                {"message": "Moved Permanently", "url": where},
                {**self.headers, "Location": where},
            )
        else:
            self.handler.json(200, rest(repo), self.headers)

    def _forks(self, name: str) -> None:
        self._page(
            [rest(r) for r in self.world.repos if r.fork_of == name and not r.private],
            lambda items: items,
        )

    def _contents(self, name: str, path: str) -> None:
        repo, _ = self.world.find(name)
        if repo is None or path not in repo.files:
            return self._say(404, "Not Found")
        content = base64.encodebytes(repo.files[path].encode()).decode()
        return self.handler.json(
            200, {"encoding": "base64", "content": content, "path": path}, self.headers
        )

    def _owned(self, kind: str, owner: str) -> None:
        if kind == "orgs" and owner.lower() not in {o.lower() for o in self.world.organisations}:
            return self._say(404, "Not Found")
        found = [
            rest(r) for r in self.world.repos if r.owner.lower() == owner.lower() and not r.private
        ]
        if not found:
            return self._say(404, "Not Found")
        return self._page(found, lambda items: items)

    def _page(self, found: list[Any], wrap: Callable[[list[Any]], Any], cap: int = 10**9) -> None:
        size = min(int(self.query.get("per_page", "30")), 100)
        page = int(self.query.get("page", "1"))
        if (page - 1) * size >= cap:
            return self._say(422, "Only the first 1000 search results are available")
        items = found[:cap][(page - 1) * size : page * size]
        if page * size < min(len(found), cap):
            query = "&".join(
                f"{k}={_quoted(v)}" for k, v in {**self.query, "page": str(page + 1)}.items()
            )
            self.headers["Link"] = f'<{self.handler.github.url}{self.path}?{query}>; rel="next"'
        return self.handler.json(200, wrap(items), self.headers)

    # --- search -----------------------------------------------------------------------------------

    def _search(self, kind: str) -> None:
        query = self.query.get("q", "")
        if not query or _not_valid(query) or query in self.handler.github.refused:
            return self._say(422, "Validation Failed")
        seen = " ".join(
            w for w in query.split(" ") if w.partition(":")[0] not in self.handler.github.ignored
        )
        found = list(
            {"code": _code, "commits": _commits, "repositories": _repositories}[kind](
                self.world, seen
            )
        )
        incomplete = self.fault == "incomplete" or query in self.handler.github.incomplete
        if incomplete:
            found = found[: len(found) // 2]
        return self._page(
            found,
            lambda items: {
                "total_count": len(found),
                "incomplete_results": incomplete,
                "items": items,
            },
            self.handler.github.cap,
        )

    # --- GraphQL ----------------------------------------------------------------------------------

    def _graphql(self) -> None:
        query = json.loads(self.asked.body)["query"]
        data: JsonObject = {}
        errors = []
        for alias, owner, name in re.findall(
            r'(\w+):\s*repository\(owner:\s*"([^"]*)",\s*name:\s*"([^"]*)"\)', query
        ):
            repo, _ = self.world.find(f"{owner}/{name}")
            data[alias] = None if repo is None else graph(repo) | shown(repo, query)
            if repo is None:
                message = f"Could not resolve to a Repository with the name '{owner}/{name}'."
                errors.append({"type": "NOT_FOUND", "path": [alias], "message": message})
        if len(data) > 100:
            return self.handler.json(
                200,
                {"errors": [{"type": "MAX_NODE_LIMIT_EXCEEDED", "message": "too many"}]},
                self.headers,
            )
        return self.handler.json(
            200, {"data": data, **({"errors": errors} if errors else {})}, self.headers
        )


def rest(repo: Repo) -> JsonObject:
    """A repository as the REST API shows it."""
    return {
        "id": repo.id,
        "full_name": repo.full_name,
        "private": repo.private,
        "fork": repo.fork_of is not None,
        "archived": repo.archived,
        "stargazers_count": repo.stars,
        "forks_count": repo.forks,
        "language": repo.language,
        "size": repo.size_kb,
        "license": None if repo.licence is None else {"spdx_id": repo.licence},
        "created_at": repo.created_at,
        "pushed_at": repo.pushed_at,
        "default_branch": "main",
        **({"parent": {"full_name": repo.fork_of}} if repo.fork_of else {}),
    }


def graph(repo: Repo) -> JsonObject:
    """A repository as GraphQL shows it, all fields that discovery asks for."""
    settings = repo.files.get(".entire/settings.json")
    return {
        "databaseId": repo.id,
        "nameWithOwner": repo.full_name,
        "stargazerCount": repo.stars,
        "forkCount": repo.forks,
        "isFork": repo.fork_of is not None,
        "parent": {"nameWithOwner": repo.fork_of} if repo.fork_of else None,
        "isArchived": repo.archived,
        "licenseInfo": None if repo.licence is None else {"spdxId": repo.licence},
        "primaryLanguage": None if repo.language is None else {"name": repo.language},
        "diskUsage": repo.size_kb,
        "createdAt": repo.created_at,
        "pushedAt": repo.pushed_at,
        "object": None if settings is None else {"text": settings},
    }


def shown(repo: Repo, query: str) -> JsonObject:
    """What of the places that a query asks for is at the root of HEAD: a file, or a directory
    with files.
    """
    places = re.findall(
        r'(record\d+): object\(expression: "HEAD:([^"]+)"\) \{ __typename \}', query
    )
    inside = {
        alias: any(path == place or path.startswith(place + "/") for path in repo.files)
        for alias, place in places
    }
    return {
        alias: {"__typename": "Blob"} if is_there else None for alias, is_there in inside.items()
    }


def one_search() -> dict[str, Record]:
    """The table of records with a single search, for worlds whose requests are counted."""
    return {CHECKPOINTS: Record(CHECKPOINTS, (FIRST_SEARCH,))}


def _quoted(text: str) -> str:
    from urllib.parse import quote

    return quote(text, safe="")


def _words(query: str) -> tuple[Texts, list[str], list[str]]:
    """Qualifiers, wanted words, unwanted words of a query."""
    qualifiers: Texts = {}
    wanted: list[str] = []
    unwanted: list[str] = []
    negated = False
    for quoted, word in re.findall(r'"([^"]*)"|(\S+)', query):
        if word == "NOT":
            negated = True
            continue
        name, colon, value = word.partition(":")
        if colon and not quoted:
            qualifiers[name] = value
        else:
            (unwanted if negated else wanted).append(quoted or word)
        negated = False
    return qualifiers, wanted, unwanted


def _not_valid(query: str) -> bool:
    """docs.github.com, "limitations on query length" and "access errors": 256 characters of
    words, five operators.
    """
    words = [word for word in query.split() if ":" not in word]
    operators = [word for word in words if word in ("AND", "OR", "NOT")]
    # no such user: the same answer
    if any(len(name) > 39 for name in re.findall(r"(?:^| )user:(\S+)", query)):
        return True
    return (
        len(operators) > 5
        or len(" ".join(w for w in words if w not in operators)) > 256
        or len(_quoted(query)) > 8000
    )


def _is_wanted(query: str, repo: Repo) -> bool:
    """What qualifiers say of the repository: several `user:` are alternatives, each `-user:`
    leaves one out.
    """
    owners = {name.lower() for name in re.findall(r"(?:^| )user:(\S+)", query)}
    others = {name.lower() for name in re.findall(r" -user:(\S+)", query)}
    languages = [
        (sign, quoted or plain)
        for sign, quoted, plain in re.findall(r' (-?)language:(?:"([^"]*)"|(\S+))', query)
    ]
    archived = re.search(r" archived:(\w+)", query)
    return not (
        repo.private
        or (owners and repo.owner.lower() not in owners)
        or repo.owner.lower() in others
        or any((repo.language == name) is bool(sign) for sign, name in languages)
        or (archived and archived[1] != str(repo.archived).lower())
    )


def _within(value: str, bounds: str | None) -> bool:
    if bounds is None:
        return True
    low, _, high = bounds.partition("..")
    return low <= value <= high


def _code(world: World, query: str) -> Iterator[JsonObject]:
    qualifiers, wanted, unwanted = _words(query)
    low, _, high = qualifiers.get("size", "0..999999").partition("..")
    for repo in world.repos:
        if not _is_wanted(query, repo):
            continue
        for path, text in sorted(repo.files.items()):
            folder, _, name = path.rpartition("/")
            ending = "." + qualifiers["extension"] if "extension" in qualifiers else ""
            if (
                qualifiers.get("filename", name) != name
                or not name.endswith(ending)
                or not folder.startswith(qualifiers.get("path", folder))
            ):
                continue
            if (
                int(low) <= len(text) <= int(high)
                and all(w in text for w in wanted)
                and not any(w in text for w in unwanted)
            ):
                yield {
                    "name": name,
                    "path": path,
                    "sha": hashlib.sha1(text.encode()).hexdigest(),
                    "repository": rest(repo),
                }


def _commits(world: World, query: str) -> Iterator[JsonObject]:
    qualifiers, wanted, _ = _words(query)
    found = []
    for repo in world.repos:
        for sha, at, message in repo.commits:
            is_merge = str(message.startswith("Merge ")).lower()
            if qualifiers.get("merge", is_merge) != is_merge:
                continue
            if _is_wanted(query, repo) and _within(at, qualifiers.get("committer-date")):
                words = set(re.findall(r"[a-z0-9]+", message.lower()))
                if all(
                    part in words for w in wanted for part in re.findall(r"[a-z0-9]+", w.lower())
                ):
                    found.append((at, sha, message, repo))
    for at, sha, message, repo in sorted(found, key=lambda f: (f[0], f[1])):
        author = {"login": repo.author, "type": "User"} if repo.author else None
        yield {
            "sha": sha,
            "commit": {"message": message, "committer": {"date": at}},
            "author": author,
            "repository": rest(repo),
        }


def _repositories(world: World, query: str) -> Iterator[JsonObject]:
    qualifiers, wanted, _ = _words(query)
    low, _, high = qualifiers.get("size", "0..9999999999").partition("..")
    for repo in world.repos:
        if not _is_wanted(query, repo) or not _within(repo.created_at, qualifiers.get("created")):
            continue
        if not int(low) <= repo.size_kb <= int(high):
            continue
        if "topic" in qualifiers and qualifiers["topic"] not in repo.topics:
            continue
        if all(w.lower() in repo.readme.lower() for w in wanted):
            yield rest(repo)
