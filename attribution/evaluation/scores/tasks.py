"""What a session was for: its type of task, which decides the weights of Q, and its kind of work, for comparing grades. Pure.

Both look at what was done first and at what was asked for second. Requests are understood in English only: elsewhere what was done
decides alone. How often a reader agrees: docs/metrics.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from collector.vocabulary.sessions import BY_PROGRAM

Row = Mapping[str, Any]
"""A row of `session_features`, JSON columns as values; further column: first_prompt."""

_DOCUMENTS = (".md", ".mdx", ".txt", ".rst", ".adoc")
_ASKED = 250  # characters of a prompt that tell what it asks for


def _words(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b", re.IGNORECASE)


def _opening(*alternatives: str) -> re.Pattern[str]:
    """At the beginning of a sentence, behind nothing but courtesies."""
    return re.compile(rf"(?:^|[.!?:;] )\W*(?:(?:{_COURTESY})[\s,:.!]+)*(?:{'|'.join(alternatives)})\b", re.IGNORECASE)


_COURTESY = (
    r"ok(?:ay)?|now|so|hi|hey|hello|great|next|then|and|also|please|pls|let'?s|i (?:want|need|would like)(?: you)? to|"
    r"we (?:need|should|have) to|(?:can|could|would|will) (?:you|we)(?: please)?|go ahead and|try to"
)
_CHANGE = _opening(
    "add|implement|fix|change|rename|replace|remove|delete|drop|refactor|update|rewrite|migrate|build|create|write|make|move|convert",
    "upgrade|bump|port|support|wire|integrate|extract|split|apply|adjust|improve|extend|enable|disable|resolve|address|edit|set up",
    "introduce|generate|format|clean|optimi[sz]e|simplify|redesign|style|translate|proceed|continue|start (?:implementing|with|on)",
)
_PLANNED = re.compile(
    r"^\W*(?:implement|execute) the following plan:?[\s#*]*(?:(?:implementation )?plan\b[\s:—-]*)?", re.IGNORECASE
)
_OPERATION = _opening(
    "run|deploy|release|publish|commit|push|pull|merge|rebase|install|restart|start|stop|tag|cherry-pick|sync|backup",
    "(?:open|create) (?:a|the) (?:pr|pull request|release|tag|branch|commit)",
)
_PLAN = _words(
    "plans?|proposals?|design(?:s|ing)?|brainstorm(?:ing)?|prototype|ideas?|spec(?:ification)?s?|rfc|prd|explore|roadmap|research"
)
_PLAN_FILE = re.compile(
    r"(?:^|[/_.-])(?:plans?|proposals?|designs?|specs?|rfcs?|prds?|ideas?|research|brainstorm\w*|roadmap|notes?)(?:[/_.-]|$)",
    re.IGNORECASE,
)


def task_type(row: Row) -> str:
    """By what the session did, and what it was asked for; the first rule that applies.

    heartbeat: its first prompt is a heartbeat. coding: it changed a file that is not a document. discovery: it changed documents
    only, and either they are plans, designs or notes by their names, or the first prompt asks for one. coding: it changed other
    documents, or made a commit, or has lines in one. operations: the first prompt begins with the name of an operation (run,
    deploy, push, …). coding: it begins with the name of a change (fix, rename, …). operations: at least half of its calls, and at
    least two, ran commands that do more than look (`acting_commands`). research: it called tools. chat: it called none.
    """
    files, words = row["touched_files"] or (), request(row)
    acting = row["acting_commands"] or 0
    rules = (
        ("heartbeat", _is_heartbeat(row)),
        ("coding", any(not f.endswith(_DOCUMENTS) for f in files)),
        ("discovery", bool(files) and not _is_planned(row) and (bool(_PLAN.search(words)) or all(map(_PLAN_FILE.search, files)))),
        ("coding", bool(files) or (row["commits_made"] or 0) > 0 or bool(row["output_applied"])),
        ("operations", bool(_OPERATION.search(words))),
        ("coding", _is_planned(row) or bool(_CHANGE.search(words))),
        ("operations", acting >= 2 and 2 * acting >= (row["tool_call_count"] or 0)),
        ("research", (row["tool_call_count"] or 0) > 0),
    )
    return next((name for name, holds in rules if holds), "chat")


_MONITORING = _words("monitor(?:ing)?|health[- ]?check|heartbeat|uptime|status (?:check|report|of)|watch (?:the|for)|still running")
_REVIEW = _opening(
    r"(?:(?:do|run|perform|start|give me) (?:an?|the|another)? ?(?:\w+[ -]){0,2})?"
    r"(?:review|audit|self-review|retrospective|post-?mortem|critique|double[- ]check|verify|assess|evaluate)"
)
_CLEANING = _words(
    r"clean(?:ing|ed)?[- ]?up|refactor\w*|renam(?:e|ing)|dead code|unused|lint(?:er|ing)?|formatt(?:ing|er)|tidy|simplif\w+",
    r"dedup\w*|typos?|remove|delete|drop|bump|upgrade|rewrite",
)
_TROUBLE = _words(
    r"fix(?:es|ed|ing)?|bugs?|issues?|errors?|fail(?:s|ed|ing|ure|ures)?|broken|crash\w*|regression|flaky|debug\w*|wrong",
    r"not working|(?:does|do|is|are)(?:n'?t| not) (?:work|show|load|run)\w*|traceback|exception",
)
_PROGRAM = "app|application|game|site|website|tool|cli|server|service|project|plugin|extension|bot"
_NOVELTY = _words(
    r"prototype|proof of concept|poc|from scratch|brainstorm\w*|experiment\w*|explor(?:e|ing)|new (?:repo|repository)",
    rf"new (?:{_PROGRAM})|(?:build|create|make) (?:me )?(?:an?|the) (?:\w+ ){{0,3}}(?:{_PROGRAM})",
)
_CONTENT = _words(r"readme|docs|documentation|blog|article|changelog|write-?up|tutorial|translat\w+|copywriting")


def kind_of_work(row: Row) -> str | None:
    """The categories of the source on productive sessions; the first that applies, None where neither deeds nor words tell.

    monitoring: a heartbeat, or the first prompt mentions health, status or watching and nothing was changed. self-review: it
    begins with a review, audit or check that no program asks for. content: only documents were changed, or nothing was and it asks
    for documentation. triage: it mentions a bug, an error or something that fails. clean-up: of refactoring, renaming, removing,
    formatting. novelty: of a prototype, an experiment, or a new program. code: a file was changed, a commit made, or a change asked
    for.
    """
    files, words = row["touched_files"] or (), request(row)
    changed = bool(files) or (row["commits_made"] or 0) > 0 or bool(row["output_applied"])
    documents = bool(files) and all(f.endswith(_DOCUMENTS) for f in files)
    rules = (
        ("monitoring", _is_heartbeat(row) or (not changed and bool(_MONITORING.search(words)))),
        ("self-review", bool(_REVIEW.search(words)) and row.get("driver") not in BY_PROGRAM),
        ("content", documents or (not changed and bool(_CONTENT.search(words)))),
        ("triage", bool(_TROUBLE.search(words))),
        ("novelty", bool(_NOVELTY.search(words))),
        ("clean-up", bool(_CLEANING.search(words))),
        ("code", changed or _is_planned(row) or bool(_CHANGE.search(words))),
    )
    return next((name for name, holds in rules if holds), None)


def request(row: Row) -> str:
    """The beginning of the first prompt, on one line, without the words that hand over a plan."""
    text = _PLANNED.sub("", (row.get("first_prompt") or "")[: 2 * _ASKED])
    return " ".join(text[:_ASKED].split())


def _is_planned(row: Row) -> bool:
    return bool(_PLANNED.search((row.get("first_prompt") or "")[:_ASKED]))


def _is_heartbeat(row: Row) -> bool:
    message = (row.get("last_said") or "").strip()
    return "HEARTBEAT" in (row.get("first_prompt") or "")[:200] or message in ("HEARTBEAT_OK", "NO_REPLY")
