"""Search over a database: prompts, files, commits, sessions.

Words of the person are text, never syntax of a query.
"""

import re
from collections.abc import Sequence

from collector.json_values import Row
from collector.labels import as_typed
from collector.storage.store import Store

MOST = 25  # results of each sort
_AROUND = 80  # characters beside the first word that is found
_WORD = re.compile(r"\w+")


def terms_of(words: str) -> list[str]:
    return words.split()[:12]


def search(store: Store, words: str, repo: str = "") -> dict[str, list[Row]]:
    """Prompts, files, commits and sessions that have all of the words, at most `MOST` of each sort;
    nothing without a word.

    `repo`: only in the repository of that name. A prompt has an `excerpt` around the first word.
    """
    terms = terms_of(words)
    if not terms:
        return {"prompts": [], "files": [], "commits": [], "sessions": []}
    only = "AND (?1 = '' OR r.name = ?1)"
    return {
        "prompts": _prompts(store, terms, repo),
        "files": store.rows(
            "SELECT r.name AS repo, f.path, f.lines, f.agent FROM tip_files f JOIN repos r ON r.id"
            f" = f.repo_id WHERE {all_terms('f.path', terms)} {only} ORDER BY length(f.path),"
            f" f.path LIMIT {MOST}",
            (repo, *map(like, terms)),
        ),
        "commits": store.rows(
            "SELECT r.name AS repo, c.commit_sha AS sha, COALESCE(c.subject, '') AS subject,"
            " COALESCE(c.author_name, '') AS author_name, c.author_at FROM commits c JOIN repos r"
            f" ON r.id = c.repo_id WHERE {all_terms(_COMMIT, terms)} {only} ORDER BY c.author_at"
            f" DESC LIMIT {MOST}",
            (repo, *map(like, terms)),
        ),
        "sessions": store.rows(
            "SELECT r.name AS repo, s.key, s.label, COALESCE(s.agent, s.agent_label, '') AS agent,"
            " COALESCE(s.started_at, '') AS started_at FROM sessions s JOIN repos r ON r.id ="
            f" s.repo_id WHERE {all_terms(_SESSION, terms)} {only} ORDER BY s.started_at DESC LIMIT"
            f" {MOST}",
            (repo, *map(like, terms)),
        ),
    }


_COMMIT = "COALESCE(c.subject, '') || ' ' || c.commit_sha || ' ' || COALESCE(c.author_name, '')"
_SESSION = "s.label || ' ' || s.key || ' ' || COALESCE(s.agent, '') || ' ' || COALESCE(s.model, '')"


def all_terms(text: str, terms: Sequence[str]) -> str:
    """A condition that a text has every term; parameter 1 is the repository's name, the terms
    follow.
    """
    return " AND ".join(f"{text} LIKE ?{number + 2} ESCAPE '!'" for number in range(len(terms)))


def like(term: str) -> str:
    return "%" + term[:100].replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"


_PROMPT = (
    "SELECT r.name AS repo, s.key AS session, s.label, COALESCE(s.agent, s.agent_label, '') AS"
    " agent, t.turn_index AS turn, COALESCE(t.at, '') AS at, t.prompt FROM turns t JOIN sessions s"
    " ON s.id = t.session_id JOIN repos r ON r.id = s.repo_id "
)


def _prompts(store: Store, terms: Sequence[str], repo: str) -> list[Row]:
    """Searches the full-text index where the database has one."""
    indexed = [word for term in terms for word in _WORD.findall(term)]
    if indexed and store.has("turns_fts"):
        match = " ".join(f'"{word}"*' for word in indexed)
        sql = (
            f"{_PROMPT} WHERE t.id IN (SELECT rowid FROM turns_fts WHERE turns_fts MATCH ?2) AND"
            " (?1 = '' OR r.name = ?1)"
        )
        rows = store.rows(f"{sql} ORDER BY t.at DESC LIMIT {MOST}", (repo, match))
    else:
        sql = (
            f"{_PROMPT} WHERE {all_terms('t.prompt', terms)} AND (?1 = '' OR r.name = ?1) ORDER BY"
            f" t.at DESC LIMIT {MOST}"
        )
        rows = store.rows(sql, (repo, *map(like, terms)))
    return [row | {"excerpt": excerpt(as_typed(row.pop("prompt")), terms)} for row in rows]


def excerpt(text: str, terms: Sequence[str]) -> str:
    """The part of a text around the first of the terms that it has, on one line."""
    flat = " ".join(text.split())
    offset = min(
        (index for term in terms if (index := flat.lower().find(term.lower())) >= 0), default=0
    )
    start = max(0, offset - _AROUND)
    end = min(len(flat), offset + 2 * _AROUND)
    return f"{'…' if start else ''}{flat[start:end]}{'…' if end < len(flat) else ''}"
