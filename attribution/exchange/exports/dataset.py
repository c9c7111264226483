"""The data set: SWE-chat's tables, and lines, edits, statements and provenance beside them, with a
card that says what it is.

The card (`README.md`) has the version, the sources, licences, selection, error rates, removals, and
what is done about personal details.
"""

from collections.abc import Iterable

from attribution.exchange.exports import ExportRequest, ExportResult
from attribution.exchange.exports.swe_chat import tables, write_tables
from attribution.stats.accuracy import audited_note
from collector.runtime.version import version
from collector.storage.retention import Redaction
from collector.storage.store import Store
from collector.text import count_of

NAME = "dataset"
LABEL = "Data set"
GIVES = (
    "a directory: SWE-chat's tables, lines, edits, statements, provenance and a data card, as"
    " Parquet or CSV"
)
# of the tables: the first number changes when a column changes its meaning or goes, the second when
# one comes
VERSION = "1.0"

_TAKEN_OUT = {
    Redaction.NONE: "nothing, so keys and passwords may be in them",
    Redaction.SECRETS: "keys, tokens and passwords, as far as they are recognized",
    Redaction.EMAILS: "keys, tokens, passwords and e-mail addresses, as far as they are recognized",
}
_SOURCES = """SELECT k.store, s.agent, COUNT(DISTINCT s.repo_id) AS repositories,
COUNT(DISTINCT s.id) AS sessions
FROM sessions s JOIN checkpoint_sessions x ON x.session_id = s.id
JOIN checkpoints k ON k.id = x.checkpoint_id
GROUP BY 1, 2 ORDER BY 1, 4 DESC, 2"""
_LICENCES = """SELECT COALESCE(licence, 'not known') AS licence, COUNT(*) AS repositories
FROM repos r
LEFT JOIN wanted_candidates w ON w.repo_id = r.id GROUP BY 1 ORDER BY 2 DESC, 1"""
_EXCLUDED = (
    "SELECT COALESCE(exclusion, 'taken') AS reason, COUNT(*) AS repositories FROM candidates GROUP"
    " BY 1 ORDER BY 2 DESC, 1"
)


def write(request: ExportRequest) -> ExportResult:
    result = write_tables(request, {**tables(), **tables("dataset.sql")})
    card = request.out / "README.md"
    card.write_text(_card(request.store, result), "utf-8")
    result.files.append(card)
    return result


def _card(store: Store, result: ExportResult) -> str:
    read = store.value("SELECT MAX(finished_at) FROM stage_runs") or "never"
    names = ("agent", "declared", "human", "likely_human", "tool")
    sources = [
        f"{row['store']}, {row['agent'] or 'unread'}: {count_of(row['sessions'], 'session')},"
        f" repositories: {row['repositories']:,}"
        for row in store.rows(_SOURCES)
    ]
    licences = [f"{row['licence']}: {row['repositories']:,}" for row in store.rows(_LICENCES)]
    excluded = [f"{row['reason']}: {row['repositories']:,}" for row in store.rows(_EXCLUDED)]
    parts = {
        "What it is": (
            f"Version {VERSION}, written by whowrote {version()} from a database last filled"
            f" {read}: the tables of SWE-chat (arXiv 2604.20779) under its names, and who wrote"
            " each line of the commits, from the records of agents."
        ),
        "Tables": _list(
            f"`{name}`: {count_of(count, 'row')}" for name, count in result.rows.items()
        ),
        "Sources": _list(sources),
        "Licences": (
            "Of the repositories, as their server names them. The text of each file is under that"
            " of its repository.\n\n" + _list(licences)
        ),
        "Selection": (
            "Candidates, and why they were left out (`whowrote collect report` says more)."
            " Repositories that were read without discovery are not among them.\n\n"
            + _list(excluded)
        ),
        "Error rates": (
            f"Lines were {audited_note(*names)}. `unknown` and `undeclared` lines name nobody."
        ),
        "Removals": (
            f"{store.value('SELECT COUNT(*) FROM forgotten'):,} repositories were removed on"
            " request (`whowrote collect forget`): they are in no table, and are not fetched"
            " again. Whoever has an earlier version should take this one."
        ),
        "Personal details": (
            f"Text of transcripts: {store.policy.content}; taken out of texts:"
            f" {_TAKEN_OUT[store.policy.redaction]}. The tables of lines, edits and statements"
            " name no people. Authors of commits and of prompts are people: do not try to find out"
            " who they are, and do not publish their texts apart from the repository."
        ),
    }
    sections = [f"## {name}\n\n{text}\n" for name, text in parts.items()]
    return "\n".join(("# Who wrote the lines of public repositories\n", *sections))


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items) or "- none"
