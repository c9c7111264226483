"""GitHub's API: JSON answers, pages, GraphQL with partial answers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from collector.discovery.github.patience import (
    Clock,
    GitHubError,
    LimitReached,
    Patient,
    message_of,
)
from collector.discovery.github.transport import HttpResponse, plain_url
from collector.json_values import JsonObject, get, get_str, json_bytes, load_json, objects

__all__ = [
    "BadToken",
    "Clock",
    "GitHub",
    "GitHubError",
    "LimitReached",
    "NotFound",
    "Page",
    "Partial",
    "Refused",
]
API_URL = "https://api.github.com"
HEADERS = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
_NEXT = re.compile(r'\brel="?next\b')


class BadToken(GitHubError):
    """The token is wrong or expired, or the resource needs one."""


class Refused(GitHubError):
    """GitHub refuses this request: forbidden (403), or a query it does not accept (422).

    `status` is the HTTP status.
    """

    def __init__(self, message: str, status: int, hint: str = "") -> None:
        super().__init__(message, hint)
        self.status = status


class NotFound(GitHubError):
    """404, 410 or 451: it does not exist, is private, or was taken down."""


class Page(NamedTuple):
    """A decoded answer, and whether there is a next page."""

    value: Any
    has_next: bool = False


class Partial(NamedTuple):
    """GraphQL: the data that came, and the error of each alias that did not (its type and
    message); "": of no alias.
    """

    data: JsonObject
    errors: dict[str, tuple[str, str]]


@dataclass
class GitHub(Patient):
    """One server, one token."""

    api: str = API_URL

    def get(
        self, path: str, params: Mapping[str, str | int] | None = None, resource: str = "core"
    ) -> Page:
        """A GET. Raises NotFound, Refused, BadToken, LimitReached, Unreachable."""
        url = self.api.rstrip("/") + path + (f"?{urlencode(params)}" if params else "")
        answer, value = self._ask_json("GET", url, resource)
        return Page(value, _NEXT.search(answer.headers.get("link", "")) is not None)

    def graphql(self, query: str) -> Partial:
        """Data and errors side by side.

        Raises Refused when there is no data at all, BadToken, LimitReached, Unreachable.
        """
        base = self.api.rstrip("/")  # of GitHub Enterprise, …/api/graphql is beside …/api/v3
        address = (base.removesuffix("/v3") if base.endswith("/api/v3") else base) + "/graphql"
        body = json_bytes({"query": query, "variables": {}})
        answer, value = self._ask_json("POST", address, "graphql", body)
        data = value.get("data") if isinstance(value, dict) else None
        if not isinstance(data, dict):
            message = (
                get_str(next(iter(objects(get(value, "errors"))), value), "message") or "no data"
            )
            raise Refused(
                f"GraphQL: {message[:300]}",
                answer.status,
                "This is a bug, unless the server is an old one",
            )
        return Partial(data, _errors_by_alias(value))

    def _ask_json(
        self, method: str, url: str, resource: str, body: bytes = b""
    ) -> tuple[HttpResponse, Any]:
        headers = HEADERS | ({"Content-Type": "application/json"} if body else {})
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token.secret}"
        for failures in range(1, self.tries + 1):
            answer = self.ask(method, url, resource, headers, body)
            if answer.status >= 300:
                self._refuse(answer, plain_url(url))
            try:
                return answer, load_json(answer.body)
            except (ValueError, RecursionError):
                self._back_off(
                    failures, f"{plain_url(url)} answered with something other than JSON"
                )
        raise AssertionError("the last failure raises")

    def _refuse(self, answer: HttpResponse, what: str) -> None:
        status = answer.status
        message = message_of(answer.body)[:200]
        if status == 401 and self.token is not None:
            raise BadToken(
                f"{what} does not accept the {self.token}: {message or status}",
                "It may have expired; create a new one",
            )
        if status == 401:
            raise BadToken(
                f"{what} requires a token: {message or status}",
                "Set GITHUB_TOKEN, or use `gh auth login`",
            )
        if status in (404, 410, 451):
            raise NotFound(
                f"{what}: {message or status}", "It does not exist, is private, or was taken down"
            )
        hint = (
            "The server does not accept the query"
            if status == 422
            else "Another token may be allowed to"
        )
        if "x-github-sso" in answer.headers:
            hint = "The organisation asks for single sign-on: authorise the token for it"
        raise Refused(f"{what} refuses: {status} {message}", status, hint)


def _errors_by_alias(value: Any) -> dict[str, tuple[str, str]]:
    errors = dict[str, tuple[str, str]]()
    for error in objects(get(value, "errors")):
        path = error.get("path")
        alias = str(path[0]) if isinstance(path, list) and path else ""
        errors.setdefault(alias, (str(error.get("type", "")), str(error.get("message", ""))[:300]))
    return errors
