"""Git authors of a repository and the lines that their commits added. Not a ranking: who commits a line need not have typed it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from collector.files.kinds import HEADLINE
from collector.storage.store import Store
from collector.vocabulary import sql_list
from collector.vocabulary.lines import LINE_CLASSES


@dataclass(frozen=True, slots=True)
class PersonRow:
    """An author of commits."""

    name: str
    commits: int
    first_at: str
    last_at: str
    lines: Mapping[str, int]  # class -> added source and test lines with text, every class
    agents: list[str]  # agents of the sessions that their commits are linked to


def people(store: Store, repo_id: int) -> list[PersonRow]:
    """In order of their names."""
    lines: dict[str, dict[str, int]] = defaultdict(dict)
    for row in store.rows(
        "SELECT COALESCE(c.author_name, '') AS name, l.class AS kind, SUM(l.nonblank) AS lines FROM commits c "
        f"JOIN line_spans l ON l.commit_id = c.id WHERE c.repo_id = ? AND l.kind IN ({sql_list(sorted(HEADLINE))}) GROUP BY 1, 2",
        (repo_id,),
    ):
        lines[row["name"]][row["kind"]] = row["lines"]
    agents: dict[str, list[str]] = defaultdict(list)
    for row in store.rows(
        "SELECT DISTINCT COALESCE(c.author_name, '') AS name, s.agent FROM commits c "
        "JOIN commit_sessions cs ON cs.commit_id = c.id JOIN sessions s ON s.id = cs.session_id "
        "WHERE c.repo_id = ? AND s.agent IS NOT NULL ORDER BY 1, 2",
        (repo_id,),
    ):
        agents[row["name"]].append(row["agent"])
    return [
        PersonRow(
            row["name"], row["commits"], row["first_at"], row["last_at"],
            {kind: lines[row["name"]].get(kind, 0) for kind in LINE_CLASSES}, agents[row["name"]],
        )
        for row in store.rows(
            "SELECT COALESCE(author_name, '') AS name, COUNT(*) AS commits, MIN(author_at) AS first_at, MAX(author_at) AS last_at "
            "FROM commits WHERE repo_id = ? GROUP BY 1 ORDER BY lower(COALESCE(author_name, '')), 1",
            (repo_id,),
        )
    ]  # fmt: skip
