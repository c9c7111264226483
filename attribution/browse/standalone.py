"""One page that needs no server: the overview of every repository of a database, styles and pictures inside, no script."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from importlib.util import find_spec
from typing import Any

from attribution.browse import charts, words
from attribution.queries.overview import CLASSES, KIND, Overview, overview, repositories
from collector.errors import WhoWroteError
from collector.runtime.version import version
from collector.storage.store import Store

_MARKDOWN = """\
Non-blank lines that commits added. *agent*: a recorded session wrote it; *declared*: a trailer says so; *unknown*: a session is
near, but nobody can be named; *undeclared*: nothing links the commit to an agent."""


def html(store: Store) -> str:
    """The page. Raises WhoWroteError when Jinja2 is missing or the database is empty."""
    if find_spec("jinja2") is None:
        raise WhoWroteError("Jinja2 is not installed", "Install it beside whowrote: pip install 'whowrote[browse]'")
    import jinja2

    env = jinja2.Environment(loader=jinja2.PackageLoader("attribution.browse"), autoescape=True)
    words.teach(env)
    repos, found = _everything(store)
    style = resources.files("attribution.browse").joinpath("static/whowrote.css").read_text("utf-8")
    totals = {k: sum(r["added"][k] for r in repos) for k in CLASSES}
    template = env.get_template("whowrote_report.html")
    return template.render(
        repos=repos, found=found, style=style, totals=totals, charts=charts, base="", query="", version=version()
    )


def markdown(store: Store) -> str:
    """The same in short, for a comment on a pull request or a README."""
    repos, found = _everything(store)
    parts = [f"| repository | commits | linked | {' | '.join(CLASSES)} |", "|---" + "|--:" * (2 + len(CLASSES)) + "|"]
    for r, o in zip(repos, found, strict=True):
        total = sum(r["added"].values())
        cells = [f"{r['added'][k]:,} ({words.percent(r['added'][k], total)})" for k in CLASSES]
        parts.append(f"| {_cell(r['name'])} | {o.commits:,} | {o.linked:,} | {' | '.join(cells)} |")
    parts += ["", _MARKDOWN]
    return "\n".join(parts) + "\n"


def markdown_of(store: Store, shas: Sequence[str]) -> str:
    """The lines of some commits by class, and their sessions: for a comment on a pull request. Unknown ids are counted."""
    found = [row for sha in shas for row in store.rows(_COMMIT, (sha,))]
    if not found:
        raise WhoWroteError(
            "none of these commits is in the database", "Attribute the branch first: attribute repo PATH --branch NAME"
        )
    totals = dict.fromkeys(CLASSES, 0)
    rows = []
    for commit in found:
        lines = {r["kind"]: r["lines"] for r in store.rows(_LINES, (commit["id"],))}
        for kind, value in lines.items():
            totals[kind] += value
        sessions = store.rows(_SESSIONS, (commit["id"],))
        names = "; ".join(f"{_cell(s['agent'] or 'agent')}: {_cell(words.line(s['label'], 60))}" for s in sessions[:3])
        cells = " | ".join(f"{lines[k]:,}" if lines.get(k) else "" for k in CLASSES)
        rows.append(f"| `{commit['commit_sha'][:9]}` {_cell(words.line(commit['subject'], 70))} | {cells} | {names} |")
    every = sum(totals.values())
    head = ", ".join(f"**{words.percent(v, every)}** {k}" for k, v in totals.items() if v) or "no non-blank lines"
    missing = len(shas) - len(found)
    note = [f"{missing} commits are not in the database.", ""] if missing else []
    table = [f"| commit | {' | '.join(CLASSES)} | sessions |", "|---" + "|--:" * len(CLASSES) + "|---|", *rows]
    return "\n".join([f"Lines added: {every:,}, {head}.", "", *note, *table, "", _MARKDOWN]) + "\n"


_COMMIT = "SELECT id, commit_sha, subject FROM commits WHERE commit_sha = ?"
_LINES = f"SELECT {KIND} AS kind, SUM(o.nonblank) AS lines FROM line_spans o WHERE o.commit_id = ? GROUP BY 1"
_SESSIONS = (
    "SELECT s.agent, s.label FROM commit_sessions c JOIN sessions s ON s.id = c.session_id WHERE c.commit_id = ? "
    "AND c.agent_lines > 0 ORDER BY c.agent_lines DESC"
)


def _everything(store: Store) -> tuple[list[dict[str, Any]], list[Overview]]:
    repos = repositories(store)
    if not repos:
        raise WhoWroteError(f"{store.path} has no repository yet", "Attribute one with: attribute repo PATH")
    return repos, [o for r in repos if (o := overview(store, r["id"])) is not None]


def _cell(text: str) -> str:
    safe = words.line(text, 200).replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
    return re.sub(r"([`*_\[\]!@#~])", r"\\\1", safe)
