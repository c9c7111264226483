"""The Datasette plugin: its own pages, descriptions of tables, saved queries, and nothing loaded
from elsewhere.

Databases written by whowrote are recognized by the application id in their header, so the plugin
leaves others alone. Every answer forbids the browser to load or run anything from another place,
and CSV is made safe for spreadsheets.
"""

import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from http import HTTPStatus
from importlib import resources
from pathlib import Path
from traceback import walk_tb
from typing import Any, NamedTuple
from urllib.parse import urlencode

from datasette import NotFound, Response, hookimpl
from datasette.database import Database, QueryInterrupted
from datasette.utils import InvalidSql, tilde_decode, tilde_encode
from datasette.utils.asgi import Base400
from datasette.views.base import DatasetteError

from attribution import addresses
from attribution.browse import charts, describe, pages, requests, versions, words
from collector.console.formats import cut
from collector.errors import WhoWroteError
from collector.json_values import Row, jsonable
from collector.storage.bounded import DatabaseError, TookTooLong, open_bounded, time_limit
from collector.storage.store import APPLICATION_ID, Store
from collector.text import FORMULA_SIGNS, inner_formulas_out

_BASE = "/-/whowrote"
PAGE_SECONDS = 20.0  # for all that one page reads
_POLICY = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src {script}; img-src 'self'"
    " data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@cache
def is_ours(path: str | Path | None) -> bool:
    """Whether a file is a database of this program, by its header
    (https://sqlite.org/fileformat.html, offset 68).

    Asked for every cell; a file does not become another program's while it is served.
    """
    if path is None:
        return False
    try:
        with Path(path).open("rb") as file:
            header = file.read(100)
    except OSError:
        return False
    return (
        header[:15] == b"SQLite format 3" and int.from_bytes(header[68:72], "big") == APPLICATION_ID
    )


def _ours(datasette: Any) -> list[str]:
    return [name for name, db in datasette.databases.items() if is_ours(db.path)]


@hookimpl
def startup(datasette: Any) -> Any:
    """What Datasette asks for later (`get_metadata`, `canned_queries`) depends on which tables
    are empty.
    """

    async def find_hidden_tables() -> None:
        for name in _ours(datasette):
            hidden = await _hidden_tables(datasette.get_database(name))
            _HIDDEN[datasette.databases[name].path] = hidden
            await versions.describe(
                datasette, name, describe.metadata(hidden), describe.queries(hidden)
            )

    return find_hidden_tables


async def _hidden_tables(db: Any) -> frozenset[str]:
    """Tables of a database that are internal or have no row."""
    names = await db.table_names()
    internal = {name for name in names if describe.is_internal(name)}
    query = " UNION ALL ".join(
        f"SELECT '{name}' AS name WHERE NOT EXISTS (SELECT 1 FROM \"{name}\")"
        for name in names
        if name not in internal
    )
    return frozenset(
        internal | {row["name"] for row in (await db.execute(query)).rows} if query else internal
    )


_HIDDEN: dict[str, frozenset[str]] = {}  # path of a database -> its hidden tables, as of the start


@hookimpl
def get_metadata(datasette: Any, key: str, database: str, table: str) -> dict[str, Any]:
    return {
        "databases": {
            name: describe.metadata(_HIDDEN.get(datasette.databases[name].path, frozenset()))
            for name in _ours(datasette)
        }
    }


@hookimpl
def canned_queries(datasette: Any, database: str, actor: Any) -> Any:
    if database not in _ours(datasette):
        return {}
    return describe.queries(_HIDDEN.get(datasette.databases[database].path, frozenset()))


@hookimpl
def menu_links(datasette: Any, actor: Any) -> list[dict[str, str]]:
    if _ours(datasette):
        return [{"href": datasette.urls.path(_BASE), "label": "Who wrote what"}]
    return []


@hookimpl
def extra_css_urls(datasette: Any) -> list[str]:
    return [datasette.urls.path(f"{_BASE}.css")]


_PAGES = {
    ("sessions", "id"): "session",
    ("sessions", "label"): "session",
    ("commits", "id"): "commit",
    ("commits", "label"): "commit",
    ("tip_files", "id"): "file",
    ("tip_files", "path"): "file",
    ("repos", "id"): "repo",
    ("repos", "name"): "repo",
}
_NUMBERS = {"session_id": "session", "commit_id": "commit"}


@hookimpl
def render_cell(
    row: Any, value: Any, column: str, table: str | None, database: str, datasette: Any
) -> Any:
    """Links from tables to our pages; long texts folded."""
    import markupsafe

    if database not in _ours(datasette) or value is None:
        return None
    kind = _PAGES.get((table or "", column))
    number = row["id"] if kind and "id" in row.keys() else None  # noqa: SIM118 (a sqlite3.Row)
    if table is None and column in _NUMBERS:
        kind = _NUMBERS[column]
        number = value
    if kind and number is not None:
        href = datasette.urls.path(f"{_BASE}/{tilde_encode(database)}/-/go/{kind}/{number}")
        return markupsafe.Markup('<a href="{}">{}</a>').format(href, cut(value, 200))
    if isinstance(value, str) and len(value) > 300:
        text = words.safe(value)
        return markupsafe.Markup(
            "<details><summary>{}…</summary><pre class='ww-long'>{}</pre></details>"
        ).format(text[:120], text)
    return None


# Datasette's templates name neither their language, their main part nor these fields: who hears a
# page needs them.
_NAMED = {
    "<html>": '<html lang="en">',
    '<section class="content">': '<main><section class="content">',
    "</section>": "</section></main>",
    '<select name="_filter_column': '<select aria-label="column to filter by" name="_filter_column',
    '<select name="_filter_op': '<select aria-label="how to compare" name="_filter_op',
    '<input type="text" name="_filter_value': (
        '<input type="text" aria-label="value to compare with" name="_filter_value'
    ),
    '<select name="_sort"': '<select aria-label="column to sort by" name="_sort"',
    '<textarea id="sql-editor"': '<textarea aria-label="SQL" id="sql-editor"',
    "lineNumbers: true,": 'lineNumbers: true, screenReaderLabel: "SQL",',
}


@hookimpl
def prepare_jinja2_environment(env: Any) -> None:
    import jinja2

    changed = ("base.html", "table.html", "query.html", "database.html", "_codemirror_foot.html")
    templates = {name: env.loader.get_source(env, name)[0] for name in changed}
    for theirs, ours in _NAMED.items():
        templates = {name: text.replace(theirs, ours) for name, text in templates.items()}
    own = jinja2.FileSystemLoader(describe.files("templates"))
    env.loader = jinja2.ChoiceLoader([jinja2.DictLoader(templates), env.loader, own])
    words.teach(env)


@hookimpl
def asgi_wrapper(datasette: Any) -> Callable[[Any], Any]:
    return _guard


@hookimpl(tryfirst=True)
def handle_exception(datasette: Any, request: Any, exception: Exception) -> Any:
    """What a request can cause is answered in words."""
    if not _ours(datasette):
        return None
    answer = failure_of(exception)

    async def page() -> Any:
        if _is_json(request):
            return Response.json(
                {"ok": False, "error": answer.message, "status": answer.status},
                status=answer.status,
            )
        values = {
            "error": answer.message,
            "status": answer.status,
            "title": answer.title,
            "home": datasette.urls.path(_BASE),
        }
        page = await datasette.render_template("whowrote_error.html", values, request)
        return Response.html(page, status=answer.status)

    return page


@hookimpl
def register_routes() -> list[tuple[str, Any]]:
    return [
        (rf"^{_BASE}\.css$", _css),
        (rf"^{_BASE}$", _home),
        (rf"^{_BASE}/(?P<database>[^/]+)/?$", _page),
        (rf"^{_BASE}/(?P<database>[^/]+)/(?P<rest>.+)$", _page),
    ]


async def _css() -> Any:
    text = resources.files("attribution.browse").joinpath("static/whowrote.css").read_text("utf-8")
    return Response(text, content_type="text/css; charset=utf-8")


async def _home(datasette: Any) -> Any:
    names = _ours(datasette)
    if not names:
        raise NotFound("no database of whowrote is open")
    return Response.redirect(datasette.urls.path(f"{_BASE}/{tilde_encode(names[0])}"))


async def _page(datasette: Any, request: Any) -> Any:
    """Any page of ours below a database, built in Datasette's thread for it."""
    name = tilde_decode(request.url_vars["database"])
    db = datasette.databases.get(name)
    if db is None or not is_ours(db.path):
        raise NotFound(f"There is no database of whowrote named {name}.")
    await versions.ensure_may_see(datasette, request.actor, name)
    to = addresses.Addresses(datasette.urls.path(f"{_BASE}/{tilde_encode(name)}"))
    arguments = {key: request.args.get(key) or "" for key in request.args}
    path = request.url_vars.get("rest") or ""

    def read(connection: Any) -> tuple[requests.Shown, str]:
        with time_limit(connection, PAGE_SECONDS):
            store = Store.over(connection, db.path)
            repos = {row["name"] for row in store.rows("SELECT name FROM repos")}
            address = (
                addresses.place(path, repos, pages.added_pages())
                if path
                else addresses.Place("", "", "")
            )
            return pages.page_at(store, address, arguments, to)

    try:
        shown_page, repo_name = await db.execute_fn(read)
    except requests.NotThere as missing:
        raise NotFound(str(missing)) from missing
    except requests.Moved as moved:
        return Response.redirect(str(moved))
    more = {
        "a": to,
        "base": to.base,
        "database": name,
        "charts": charts,
        "query": datasette.urls.database(name),
        "repo_name": repo_name,
        "as_json": f"?{urlencode(arguments | {'_format': 'json'})}",
        "further_tabs": [(kind, name) for kind, (name, _) in pages.added_pages().items()],
    }
    if _is_json(request):
        return Response.json(_data(shown_page.values), default=str)
    return Response.html(
        await datasette.render_template(
            shown_page.template, shown_page.values | more, request=request
        )
    )


def _is_json(request: Any) -> bool:
    return bool(request.path.endswith(".json") or request.args.get("_format") == "json")


# in JSON, of what templates call by a letter
_NAMES = {
    "c": "commit",
    "d": "diff",
    "f": "file",
    "o": "overview",
    "q": "query",
    "r": "results",
    "s": "session",
    "t": "turns",
}


def _data(values: Row) -> Row:
    """What a page shows without what only HTML needs; a table as its rows."""
    return {
        _NAMES.get(name, name): jsonable(value)
        for name, value in values.items()
        if not callable(value) and name not in ("html", "style")
    }


Send = Callable[[dict[str, Any]], Awaitable[None]]


def _guard(app: Any) -> Any:
    """The application with a policy on every answer, and formulas in CSV made harmless."""

    async def guarded_application(scope: dict[str, Any], receive: Any, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        is_own_page = scope["path"].startswith(_BASE)
        guard: list[Guard] = []

        async def answer(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = _headers(message["headers"], is_own_page)
                if scope["path"].endswith(".csv") or any(
                    v.startswith(b"text/csv") for _, v in headers
                ):
                    guard.append(Guard())
                    headers = [(k, v) for k, v in headers if k.lower() != b"content-length"]
                message = message | {"headers": headers}
            elif message["type"] == "http.response.body" and guard:
                text = guard[0].add(message.get("body", b"").decode("utf-8", "surrogateescape"))
                text += "" if message.get("more_body") else guard[0].close()
                message = message | {"body": text.encode("utf-8", "surrogateescape")}
            await send(message)

        await app(scope, receive, answer)

    return guarded_application


def _headers(headers: Sequence[Any], is_own_page: bool) -> list[tuple[bytes, bytes]]:
    # Datasette's own pages bring scripts in the page; ours have none.
    policy = _POLICY.format(script="'none'" if is_own_page else "'self' 'unsafe-inline'")
    more = {
        b"content-security-policy": policy.encode(),
        b"referrer-policy": b"no-referrer",
        b"x-content-type-options": b"nosniff",
    }
    return [(k, v) for k, v in map(tuple, headers) if k.lower() not in more] + list(more.items())


# --- errors of a request --------------------------------------------------------------------------


class Failure(NamedTuple):
    status: int
    title: str | None
    message: str


_TOO_SLOW = ("Too slow", "This takes longer than the pages allow.")
_BAD = HTTPStatus.BAD_REQUEST.value
_PROGRAM = HTTPStatus.INTERNAL_SERVER_ERROR.value


def failure_of(error: Exception) -> Failure:
    """What to answer.

    An error that no request should cause, a mistake in the program, goes to the log besides.
    """
    match error:
        case Base400():
            failure = Failure(
                error.status, None, "There is no such page." if str(error) == "404" else str(error)
            )
        case QueryInterrupted() | TookTooLong():
            failure = Failure(_BAD, *_TOO_SLOW)
        case DatasetteError() if error.message_is_html:  # its message about time
            failure = Failure(error.status, *_TOO_SLOW)
        case DatasetteError():  # raised for what a request asks; without a status it would be 500
            failure = Failure(
                _BAD if error.status >= _PROGRAM else error.status, error.title, str(error.message)
            )
        case MemoryError():
            failure = Failure(_BAD, "Too large", "This needs more memory than the pages allow.")
        case InvalidSql() | DatabaseError() | OverflowError():
            failure = Failure(_BAD, "Not possible", str(error))
        case _ if _is_foreign(error):
            failure = Failure(_BAD, "Not possible", "The address asks for what is not there.")
        case WhoWroteError():
            failure = Failure(_PROGRAM, None, f"{error}. {error.hint}")
        case _:
            logging.getLogger("whowrote").error("a page failed", exc_info=error)
            failure = Failure(
                _PROGRAM,
                None,
                "This page failed. The terminal where the pages were started says more.",
            )
    return failure


def _is_foreign(error: Exception) -> bool:
    """Whether Datasette failed by itself, which it does where it reads what an address asks for."""
    names = (frame.f_globals["__name__"] for frame, _ in walk_tb(error.__traceback__))
    return not any(name.startswith(__package__) for name in names)


COUNT_MS = 150  # views over millions of lines take seconds to count
_COUNT = "select count(*) from "  # how Datasette counts the rows of a table page


class BoundedDatabase(Database):  # type: ignore[misc]  # Datasette has no types
    """One database file of ours, for reading alone."""

    def connect(self, write: bool = False) -> Any:
        assert not write, "the pages only read"
        connection = open_bounded(Path(self.path))
        versions.close_with(self, connection)
        return connection

    async def execute(self, sql: str, *parameters: Any, **options: Any) -> Any:
        """As Datasette's; errors of SQL reach the page and not the terminal too, and a page does
        not wait long for a row count.

        Datasette shows a table or view whose rows could not be counted in time without their
        number.
        """
        if sql.startswith(_COUNT) and not options.get("custom_time_limit"):
            options["custom_time_limit"] = COUNT_MS
        return await super().execute(sql, *parameters, **options | {"log_sql_errors": False})


_FORMULA = tuple(FORMULA_SIGNS + "\t\r")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")


class Guard:
    """Feed it pieces of a CSV text; it gives back what is safe so far."""

    def __init__(self) -> None:
        self._held = ""  # an unfinished cell, quotes included
        self._quoted = False

    def add(self, text: str) -> str:
        cells: list[str] = []
        start = 0
        for position, sign in enumerate(text):
            if sign == '"':
                self._quoted = not self._quoted
            elif sign in ",\n" and not self._quoted:
                cells.append(_safe(self._held + text[start:position]) + sign)
                self._held = ""
                start = position + 1
        self._held += text[start:]
        return "".join(cells)

    def close(self) -> str:
        """The last cell."""
        held = self._held
        self._held = ""
        return _safe(held)


def _safe(cell: str) -> str:
    cell = inner_formulas_out(cell)
    quoted = cell.startswith('"')
    inside = cell[1:] if quoted else cell
    if (
        not inside.startswith(_FORMULA)
        or _NUMBER.match(inside.rstrip('"\r'))
        or inside in ("\r", "")
    ):
        return cell
    return f"\"'{inside}" if quoted else f"'{inside}"
