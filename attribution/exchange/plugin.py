"""The hooks of the plug-in: what other tools say is shown beside our own lines, and what they saw a person type is evidence."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attribution.authorship.typing_seen import TypingRecord
    from attribution.queries.explain import LineSection
    from attribution.queries.repo_report import Aside
    from collector.git.repository import GitRepo
    from collector.storage.store import Store


def note_names() -> tuple[str, ...]:
    """Names below `refs/notes/` under which producers keep their notes."""
    from attribution.exchange.producers import kept_below

    return kept_below("NOTES")


def known_formats() -> list[dict[str, Any]]:
    """The producers whose claims are read, as rows of `collect formats`."""
    from attribution.exchange.producers import producers

    return [{"kind": "producer", "name": p.NAME, "label": p.LABEL, "gives": p.FOUND.replace("`", "")} for p in producers()]


def typing_records(repo: GitRepo, commits: Container[str]) -> Iterator[TypingRecord]:
    from attribution.exchange.claims.typed import typing_records as records

    return records(repo, commits)


def line_section(store: Store, repo_id: int, sha: str, path: str, line: int) -> LineSection:
    """What other tools claim about a line of a commit."""
    from attribution.exchange.claims.line import claims_of, words_of
    from attribution.queries.explain import LineSection

    claims = claims_of(store, repo_id, sha, path, line)
    return LineSection("claims", "claimed by\nother tools", claims, [words_of(claim) for claim in claims])


def lines_aside(store: Store, repo_id: int) -> Aside:
    from attribution.exchange.claims.totals import claimed_lines
    from attribution.queries.repo_report import Aside

    meaning = "by other tools, in commits without a session; in none of the classes above"
    return Aside("claimed", claimed_lines(store, repo_id), meaning)


def undeclared_note(store: Store, repos: Sequence[int]) -> str:
    from attribution.exchange.claims.totals import undeclared_note as note

    return note(store, repos)


def agent_signs(store: Store, repos: Sequence[int]) -> list[dict[str, Any]]:
    """Commits that a record gives to an agent: repo_id, email of the author, at."""
    from attribution.exchange.claims.totals import agent_signs as signs

    return signs(store, repos)


def browse_tables() -> dict[str, dict[str, Any]]:
    return {table: {"hidden": True} for table in ("claim_authors", "claim_records", "claim_record_checks")}
