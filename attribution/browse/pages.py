"""What each of our pages shows: an address and the arguments of the request in, the values of a
template out. Reads only.
"""

from collections import defaultdict
from dataclasses import replace
from functools import cache, partial
from typing import Any

from attribution.addresses import Addresses, Place, forge
from attribution.browse import tables, words
from attribution.browse.requests import (
    Moved,
    NotThere,
    PageMaker,
    PageRequest,
    Pages,
    PluginWithPages,
    Shown,
)
from attribution.features import groups
from attribution.hooks import OfCommit, OfFile, OfSearch, OfSession, plugins, sections
from attribution.queries.breakdown import breakdown
from attribution.queries.breakdown_facts import BreakdownOptions
from attribution.queries.commit import commit_diff, commit_numbers, report_of_commit
from attribution.queries.commit_range import PAGE as COMMIT_PAGE
from attribution.queries.commit_range import CommitFilter, choices, pull_request
from attribution.queries.commit_range import commit_page as commits_page
from attribution.queries.compared import OUTCOMES, compare_tables
from attribution.queries.open_repo import OpenRepo, commits_since
from attribution.queries.overview import (
    Section,
    months,
    overview,
    repositories,
    sum_by_class,
    survival_table,
)
from attribution.queries.repositories import RepositoryRow, repository_named
from attribution.queries.search import MOST, search, terms_of
from attribution.queries.session_page import TURNS, SessionPage, mode_words, session_page
from attribution.queries.sessions import PAGE as TURN_PAGE
from attribution.queries.sessions import families, prompt_of, session_list, turn_page
from attribution.queries.tip_file import PAGE as FILE_PAGE
from attribution.queries.tip_file import (
    TipFile,
    explained,
    file_of_commit,
    tip_file,
    tree,
)
from collector.console.tables import Cell, html
from collector.errors import UnknownBranch, WhoWroteError
from collector.git.repository import GitRepo
from collector.json_values import Row, Texts
from collector.storage.store import Store
from collector.storage.views import read_view
from collector.text import printable
from collector.vocabulary.agents import label_of


def page_at(
    store: Store, address: Place | None, arguments: Texts, to: Addresses
) -> tuple[Shown, str]:
    """The page at an address, and the repository that it belongs to ("" for the whole database).

    Raises NotThere, Moved.
    """
    if address is None:
        raise NotThere("This database has no such repository and no such page.")
    repo = repository_named(store, address.repo) if address.repo else None
    if address.repo and repo is None:
        raise NotThere(f"This database has no repository {address.repo}.")
    added = {kind: page for kind, (_, page) in added_pages().items()}
    page = (_PAGES | added if address.repo else _OF_ALL)[address.kind]
    return page(PageRequest(store, address, arguments, to, repo)), address.repo


@cache
def added_pages() -> Pages:
    """Kind of a page of a repository that a plug-in has -> the name of its tab, and the page."""
    with_pages = (plugin for plugin in plugins() if isinstance(plugin, PluginWithPages))
    return {kind: tab for plugin in with_pages for kind, tab in plugin.pages().items()}


def _home(request: PageRequest) -> Shown:
    repos = repositories(request.store)
    values = {
        "repos": repos,
        "table": tables.repository_html(repos, request.to.repo),
        "totals": sum_by_class(repos),
    }
    return Shown("whowrote_repos.html", values | {"months": months(request.store)})


def _search(request: PageRequest) -> Shown:
    words_of_search = request.text("q")
    repo = request.text("repo")
    results = search(request.store, words_of_search, repo)
    tips = {row["name"]: row["tip_sha"] for row in request.store.rows(_TIPS)}
    terms = terms_of(words_of_search)
    found = sections(request.store, OfSearch(terms, repo, request.to)) if terms else []
    values = {
        "q": words_of_search,
        "repo": repo,
        "r": results,
        "most": MOST,
        "tips": tips,
        "sections": found,
    }
    return Shown("whowrote_search.html", values)


_TIPS = (
    "SELECT r.name, COALESCE(t.tip_sha, r.head_sha, '') AS tip_sha FROM repos r LEFT JOIN"
    " tip_states t ON t.repo_id = r.id"
)


_ROWS = {
    "session": (
        "SELECT r.name, s.key AS rest, '' AS sha FROM sessions s JOIN repos r ON r.id = s.repo_id"
        " WHERE s.id = ?"
    ),
    "commit": (
        "SELECT r.name, c.commit_sha AS rest, '' AS sha FROM commits c JOIN repos r ON r.id ="
        " c.repo_id WHERE c.id = ?"
    ),
    "repo": "SELECT r.name, '' AS rest, '' AS sha FROM repos r WHERE r.id = ?",
    "file": (
        "SELECT r.name, f.path AS rest, t.tip_sha AS sha FROM tip_files f JOIN repos r ON r.id ="
        " f.repo_id JOIN tip_states t ON t.repo_id = r.id WHERE f.id = ?"
    ),
}


def _go(request: PageRequest) -> Shown:
    """From the number of a row, as tables have it, to the page."""
    kind, _, number = request.place.rest.partition("/")
    rows = (
        request.store.rows(_ROWS[kind], (int(number),))
        if kind in _ROWS and number.isdigit() and len(number) < 16
        else []
    )
    for row in rows:
        if kind == "file":
            raise Moved(request.to.file(row["name"], row["rest"], row["sha"]))
        raise Moved(request.to.repo(row["name"], "" if kind == "repo" else kind, row["rest"]))
    raise NotThere(f"This database has no such {kind if kind in _ROWS else 'row'}.")


def _repo(request: PageRequest) -> Shown:
    details = overview(request.store, request.repository.id)
    values: Row = {
        "survival": tables.survival_html(survival_table(request.store, request.repository.id)),
        "o": details,
        "checked_out": _checked_out(request.store, request.repository),
        "forge": forge(request.repository.url),
        "kinds_html": tables.kinds_html,
        "show": partial(tables.section_html, links=_links(request)),
    }
    values |= {"more": partial(tables.added_sections, request.store, request.to)}
    return Shown("whowrote_repo.html", values)


def _links(request: PageRequest) -> dict[str, dict[str, Cell]]:
    """Cells of the overview that lead to files and sessions."""
    session = partial(_session_cell, request)
    tip = _tip(request)
    return {
        "tip_files": {
            "path": lambda row: tables.link(
                request.to.file(request.place.repo, row["path"], tip), row["path"]
            )
        },
        "session_list": {"label": session},
        "region_list": {"label": session},
    }


def _tip(request: PageRequest) -> str:
    """The commit up to which lines were followed, else the tip of the branch."""
    sql = "SELECT tip_sha FROM tip_states WHERE repo_id = ?"
    return request.store.value(sql, (request.repository.id,)) or request.repository.head_sha or ""


def _commits(request: PageRequest) -> Shown:
    choice = CommitFilter(
        request.text("q"), request.text("person"), request.text("agent"), request.text("class")
    )
    first = request.number("from")
    commits, every = commits_page(request.store, request.repository.id, choice, first)
    columns = "commit_sha, author_at=authored, git_author, lines, classes=by class, sessions"
    table = html(
        commits,
        columns,
        {
            "commit_sha": partial(_commit_cell, request),
            "git_author": _author_cell,
            "classes": tables.bar,
        },
    )
    values = {"every": every, "first": first, "table": table, "wanted": choice, "page": COMMIT_PAGE}
    return Shown(
        "whowrote_commits.html", values | {"choices": choices(request.store, request.repository.id)}
    )


def _commit_cell(request: PageRequest, row: Row) -> str:
    """The commit with its subject, and the pull request that the subject names."""
    address = request.to.commit(request.place.repo, row["commit_sha"])
    parts = [tables.link(address, row["commit_sha"][:7]), tables.text(row["subject"])]
    number = pull_request(row["subject"])
    on_forge = forge(request.repository.url)
    if number and on_forge:
        parts.append(tables.link(f"{on_forge}/pull/{number}", "pull request", rel="noreferrer"))
    if row.get("parents", 1) > 1:
        parts.append(tables.dim("merge"))
    return " ".join(parts)


def _author_cell(row: Row) -> str:
    author = tables.text(row["git_author"], 40)
    agent = row["declared_agent"]
    return f"{author}<br>{tables.dim('names ' + label_of(agent), 40)}" if agent else author


def _tree(request: PageRequest) -> Shown:
    path = request.place.rest.strip("/")
    directory = tree(request.store, request.repository, path)
    if directory is None:
        raise NotThere(f"{request.repository.name} has no directory {request.place.rest} at HEAD.")
    tip = _tip(request)

    def entry(row: Row) -> str:
        if row["is_directory"]:
            return tables.link(
                request.to.repo(request.place.repo, "tree", row["path"]), row["name"] + "/"
            )
        return tables.link(request.to.file(request.place.repo, row["path"], tip), row["name"])

    makers = {"name": entry, "classes": tables.bar}
    table = (
        html(directory, "name, files, lines, agent=agent lines, classes=by class", makers)
        if directory.rows
        else ""
    )
    followed = any(row["lines"] is not None for row in directory)
    return Shown("whowrote_tree.html", {"path": path, "followed": followed, "table": table})


def _sessions(request: PageRequest) -> Shown:
    table = session_list(request.store, request.repository.id)
    table.rows = families(table)
    columns = (
        "label=session, agent, started_at, turns, tool_calls=calls, produced=lines written, "
        "agent_lines=in commits, commits, gone_since?=not read since"
    )
    markup_of_table = html(
        table, columns, {"label": partial(_session_cell, request), "agent": _agent_cell}
    )
    return Shown("whowrote_sessions.html", {"count": len(table), "table": markup_of_table})


def _session_cell(request: PageRequest, row: Row) -> str:
    named = tables.link(
        request.to.session(request.place.repo, row.get("key") or row["session"]), row["label"], 80
    )
    return f'<div class="child">{named}</div>' if row.get("parent") else named


def _agent_cell(row: Row) -> str:
    if row["parent"]:
        return tables.dim("subagent")
    agent = label_of(row["agent"] or "") or "not named"
    return f"{tables.text(agent)}<br>{tables.dim(row['model'], 40)}"


def _turns(request: PageRequest) -> Shown:
    page = turn_page(request.store, request.repository.id, request.number("from"))
    columns = (
        "turn_index=turn, at=when, prompt, message_class=kind of message, cost_usd, "
        "produced=written, dictated=said by the user, changed_next=changed by the next turn, "
        "discarded=thrown away, committed, alive_30=there after 30 days, "
        "old_30=of those old enough, findings_introduced=weaknesses introduced, "
        "findings_fixed=weaknesses fixed"
    )

    def turn(row: Row) -> str:
        return tables.link(
            request.to.session(request.place.repo, row["key"], row["turn_index"]),
            f"turn {row['turn_index']}",
        )

    makers: dict[str, Cell] = {
        "turn_index": turn,
        "prompt": _prompt_cell,
        "message_class": _kind_cell,
        "discarded": partial(_discarded_cell, request),
    }
    return Shown(
        "whowrote_turns.html",
        {"t": page, "page": TURN_PAGE, "table": html(page["table"], columns, makers)},
    )


def _prompt_cell(row: Row) -> str:
    text = tables.text(row["prompt"], 120) if row["prompt"] else tables.dim(row["session"], 120)
    return f'<div class="prompt-text">{text}</div>'


def _kind_cell(row: Row) -> str:
    """The label of a judge, else the guess of the classifier, else where the text comes from."""
    kind = (
        row["pushback"]
        or row["message_class"]
        or ("–" if row["origin"] == "prompt" else row["origin"])
    )
    return tables.text(kind.replace("_", " ")) + (
        ' <span class="bad">interrupted</span>' if row["interrupted"] else ""
    )


def _discarded_cell(request: PageRequest, row: Row) -> str:
    if row["discarded"] and row["discarded_key"]:
        return tables.link(
            request.to.session(request.place.repo, row["discarded_key"]),
            words.number(row["discarded"]),
        )
    return words.number(row["discarded"])


_ADDED = "lines=lines added, agent_or_declared_share=by agents, agent_share=of it on record"
_SINCE = {
    "release": f"release, {_ADDED}, agent_or_declared_share_at_head=by agents at HEAD",
    "directory": f"directory, {_ADDED}",
    "agent": "agent, lines=lines added, commits",
}


def _first_signs(request: PageRequest) -> Shown:
    """Since when agents took part: by release, directory and agent."""
    parts = []
    for name, columns in _SINCE.items():
        options = BreakdownOptions((name,), fold=True, repository=request.repository.name)
        table = breakdown(request.store, options).table
        notes = table.notes[:1] if name == "release" else []
        parts += [f"<h2>Added, by {name}</h2>", html(replace(table, notes=notes), columns)]
    at_head = read_view(request.store, "tip_directories", {"repo_id": request.repository.id})
    shown = Section("At HEAD, by directory", at_head, "directory, lines, classes=by class")
    parts += [f"<h2>{shown.title}</h2>", tables.section_html(shown)]
    return Shown("whowrote_plain.html", {"heading": "Since when", "kind": "since", "parts": parts})


_MOST_COMMITS = 100  # behind each comparison on the page
_RATIO = (
    "lines of, against, commits, commits_of_others, events, events_of_others, ratio?, low?, high?, "
    "shuffles_that_hold_1?, shuffles?, by_chance?, refused?=no ratio because"
)


def _compare(request: PageRequest) -> Shown:
    """Agents' lines beside others like them, as `report compare`."""
    makers = {
        "commit": lambda row: tables.link(
            request.to.commit(request.place.repo, row["commit"]), row["commit"][:9]
        )
    }
    parts = []
    for outcome in OUTCOMES:
        parts.append(f"<h2>{outcome.capitalize()}</h2>")
        try:
            sides, ratios, commits = compare_tables(request.store, outcome, request.repository.id)
        except WhoWroteError as error:
            parts.append(f'<p class="note">{tables.text(f"{error}. {error.hint}", 400)}</p>')
            continue
        del commits.rows[_MOST_COMMITS:]
        for table, columns in ((sides, ()), (ratios, _RATIO), (commits, ())):
            parts += [f"<h3>{tables.text(table.title, 200)}</h3>", html(table, columns, makers)]
    heading = "Agents' lines beside others"
    return Shown("whowrote_plain.html", {"heading": heading, "kind": "compare", "parts": parts})


def _session(request: PageRequest) -> Shown:
    store = request.store
    repo = request.repository
    number = store.value(
        "SELECT id FROM sessions WHERE repo_id = ? AND key = ?", (repo.id, request.place.rest)
    )
    page = session_page(store, number, request.number("from")) if number is not None else None
    if page is None:
        raise NotThere(f"{repo.name} has no such session.")
    return Shown("whowrote_session.html", session_values(request, page))


def session_values(request: PageRequest, page: SessionPage, most: int = TURNS) -> Row:
    """What the template of a session shows, `most` turns on one page."""
    columns = (
        "subject=commit, author_at=authored, method=linked by, confidence, agent_lines=its lines"
    )
    return {
        "s": page,
        "page": most,
        "sections": sections(request.store, OfSession(page.session["id"], request.to)),
        "commits": html(page.commits, columns, {"subject": partial(_commit_cell, request)}),
        "groups": groups() if page.features else (),
        "mode": mode_words(page.lines) if page.lines else "",
    }


def _commit(request: PageRequest) -> Shown:
    store = request.store
    repo = request.repository
    sha = request.place.rest.lower()
    usable = 4 <= len(sha) <= 64 and set(sha) <= set("0123456789abcdef")
    numbers = commit_numbers(store, sha, repo.id) if usable else []
    if len(numbers) != 1:
        raise NotThere(
            f"{repo.name} has {'several commits' if numbers else 'no such commit'} {sha[:40]}."
        )
    report = report_of_commit(store, numbers[0])
    (details,) = read_view(store, "commits", {"id": numbers[0]})
    claims = html(
        report.claims,
        "checkpoint, session, theirs, ours, reason=reason for the difference",
    )
    spans = {file["path"]: file["spans"] for file in report.files}
    values = {
        "c": report,
        "details": details,
        "d": commit_diff(repo.path, report.commit.sha, spans),
        "forge": f"{web}/commit/{report.commit.sha}" if (web := forge(repo.url)) else "",
        "claims": claims,
        "kinds": tables.kinds_html(report.kinds),
        "sections": sections(store, OfCommit(numbers[0], request.to)),
    }
    return Shown("whowrote_commit.html", values)


def _file(request: PageRequest) -> Shown:
    store = request.store
    repo = request.repository
    path = request.place.rest
    file = _file_at(store, repo, path, request.place.commit)
    line = request.number("line")
    start = ((line or request.number("from") or 1) - 1) // FILE_PAGE * FILE_PAGE + 1
    runs = words.file_runs(file, start, FILE_PAGE, line)
    beside = _line_notes(store, file)
    turns = {(run.attribution.session_id, run.attribution.turn) for run in runs}
    prompts = {
        f"{session}/{turn}": prompt_of(store, session, turn)
        for session, turn in turns
        if None not in (session, turn)
    }
    return Shown(
        "whowrote_file.html",
        {
            "f": file,
            "runs": runs,
            "first": start,
            "line": line,
            "page": FILE_PAGE,
            "prompts": prompts,
            "explanation": explained(store, file, line) if line else None,
            "beside": beside,
            "html": words.highlight(file.path, (file.texts or [])[: start + FILE_PAGE - 1]),
            "history": _history(store, repo, file, line) if line else None,
            "forge": forge(repo.url),
            "checked_out": _checked_out(store, repo),
        },
    )


def _line_notes(store: Store, file: TipFile) -> dict[int, list[Row]]:
    """What plug-ins say beside lines, where the file is one of the followed commit."""
    notes = defaultdict(list)
    if "id" in file.file:
        for section in sections(store, OfFile(file.repo.id, file.path)):
            for row in section.rows:
                notes[row["line"]].append(row)
    return dict(notes)


def _file_at(store: Store, repo: RepositoryRow, path: str, commit: str) -> TipFile:
    """From the database where it is of the followed commit, else from the clone.

    Raises NotThere.
    """
    tip = store.value("SELECT tip_sha FROM tip_states WHERE repo_id = ?", (repo.id,)) or ""
    if tip and tip.startswith(commit):
        number = store.value(
            "SELECT id FROM tip_files WHERE repo_id = ? AND path = ?", (repo.id, path)
        )
        file = tip_file(store, number) if number is not None else None
        if file is not None:
            return file
    try:
        opened = _open_clone(store, repo)
        sha = opened.repo.resolve(commit or opened.head).sha
        return file_of_commit(opened, repo, _real_path(opened.repo, sha, path), sha)
    except UnknownBranch as error:
        raise NotThere(
            f"{repo.name} has no file {path}{f' in {commit}' if commit else ''}: {error}."
        ) from error
    except WhoWroteError as error:
        raise NotThere(f"{path} cannot be shown: {error}. {error.hint}") from error


def _real_path(clone: GitRepo, sha: str, path: str) -> str:
    """The path in the clone; the database and the pages have it without characters that hide or
    reorder text.
    """
    if clone.file_at(sha, path) is not None:
        return path
    return next((real for real in clone.paths(sha) if printable(real) == path), path)


def _open_clone(store: Store, repo: RepositoryRow) -> OpenRepo:
    """The clone where it was when it was attributed. Raises WhoWroteError when it is gone."""
    return OpenRepo(
        store,
        repo.id,
        repo.name,
        repo.head_sha or "",
        repo.branch or "",
        repo=GitRepo(repo.path or ""),
    )


def _checked_out(store: Store, repo: RepositoryRow) -> str:
    """What the clone has checked out where the pages are of something else; "" also where the
    clone is gone.
    """
    try:
        opened = _open_clone(store, repo)
    except WhoWroteError:
        return ""
    now = commits_since(opened.repo, opened.branch, opened.head)
    return now.differs(opened.branch, opened.head)


def _history(store: Store, repo: RepositoryRow, file: TipFile, line: int) -> Any:
    """What became of the line, from the clone; None where that is not known."""
    from attribution.queries.history import line_history

    try:
        opened = _open_clone(store, repo)
        return line_history(opened, _real_path(opened.repo, file.tip, file.path), line, file.tip)
    except WhoWroteError:
        return None


_OF_ALL: dict[str, PageMaker] = {"": _home, "search": _search, "go": _go}
_PAGES: dict[str, PageMaker] = {
    "": _repo,
    "commits": _commits,
    "commit": _commit,
    "tree": _tree,
    "file": _file,
    "sessions": _sessions,
    "session": _session,
    "turns": _turns,
    "since": _first_signs,
    "compare": _compare,
}
