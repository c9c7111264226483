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
    "execute",
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
_ASKS_PLAN = re.compile(
    r"\b(?:create|write|draft|make|prepare|give)\b[^.,]{0,40}\b(?:plan|proposal|design|spec(?:ification)?|roadmap)\b", re.IGNORECASE
)
_PLAN_FILE = re.compile(
    r"(?:^|[/_.-])(?:plans?|proposals?|designs?|specs?|rfcs?|prds?|ideas?|research|brainstorm\w*|roadmap|notes?)(?:[/_.-]|$)",
    re.IGNORECASE,
)


def task_type(row: Row) -> str:
    """By what the session did, and what it was asked for; the first rule that applies.

    heartbeat: its first prompt is a heartbeat. coding: it changed a file that is not a document. discovery: it changed documents
    only, and either they are plans, designs or notes by their names, or the first prompt asks for one; or it changed no file, and
    the prompt asks to write one. coding: it changed other documents, or made a commit, or has lines in one, or was given a plan.
    operations, coding, research: by the first sentence of the prompt that begins with the name of an operation (run, deploy, push,
    …), a change (fix, rename, …) or a review. operations: at least half of its calls, and at least two, ran commands that do more
    than look (`acting_commands`). research: it called tools. chat: it called none.
    """
    files, words = row["touched_files"] or (), request(row)
    acting = row["acting_commands"] or 0
    rules = (
        ("heartbeat", _is_heartbeat(row)),
        ("coding", any(not f.endswith(_DOCUMENTS) for f in files)),
        ("discovery", bool(files) and not _is_planned(row) and (bool(_PLAN.search(words)) or all(map(_PLAN_FILE.search, files)))),
        ("discovery", not files and not _is_planned(row) and bool(_ASKS_PLAN.search(words))),
        ("coding", bool(files) or (row["commits_made"] or 0) > 0 or bool(row["output_applied"])),
        ("coding", _is_planned(row)),
        *_requested(words),
        ("operations", acting >= 2 and 2 * acting >= (row["tool_call_count"] or 0)),
        ("research", (row["tool_call_count"] or 0) > 0),
    )
    return next((name for name, holds in rules if holds), "chat")


def _requested(words: str) -> list[tuple[str, bool]]:
    """What a prompt asks for, the first sentence that says so first."""
    asked = (
        (task, pattern.search(words)) for task, pattern in (("operations", _OPERATION), ("coding", _CHANGE), ("research", _REVIEW))
    )
    return [(task, True) for task, match in sorted(((t, m) for t, m in asked if m), key=lambda pair: pair[1].start())]


_MONITORING = _words("monitor(?:ing)?|health[- ]?check|heartbeat|uptime|status (?:check|report|of)|watch (?:the|for)|still running")
_REVIEW = _opening(
    r"(?:(?:do|run|perform|start|repeat|redo|give me) (?:an?|the|another)? ?(?:\w+[ -]){0,2})?"
    r"(?:review|audit|self-review|retrospective|post-?mortem|critique|double[- ]check|verify|assess|evaluate)"
)
_BUILDING = _opening(
    "add|implement|create|build|write|introduce|integrate|extend|enable|make|generate|port|set up|support|allow|optimi[sz]e",
    "improve|update|change|adjust|redesign|replace|migrate|track|show|merge|execute",
)
_CLEANING = _opening(
    r"(?:(?:do|run) (?:an?|the|some) ?(?:\w+[ -]){0,2})?(?:clean[- ]?up|refactor\w*|lint|tidy|dedup\w*)|clean",
    "rename|format|simplify|remove|delete|drop|bump|upgrade|rewrite|extract|inline|unify|reorgani[sz]e",
)
_REPAIR = _opening("fix|debug|investigate|diagnose|troubleshoot|resolve|repair", r"(?:\w+ ){0,3}(?:bugs?|regression)\b[^.]*$")
_TROUBLE = _words(
    r"bugs?|fail(?:s|ed|ing|ure|ures)?|broken|crash\w*|regression|flaky|wrong|panics?|hangs?|deadlock\w*|traceback|stack ?trace",
    r"leaks?|not working|(?:does|did|is|are|was)(?:n'?t| not) (?:\w+ )?"
    r"(?:work|show|load|run|return|appear|display|start|set|get|update|reset)\w*",
    r"(?:get(?:s|ting)?|got|throws?|see(?:ing)?|returns?|gives?|reports?) (?:an?|the|this|following|many) (?:\w+ )?errors?",
    r"(?:this|these|following) (?:errors?|issues?)|errors?:|error (?:type|message|occur\w*)|complain\w*",
    r"used to work|(?:still|very|too) slow",
)
_PROGRAM = "app|application|game|site|website|tool|cli|server|service|project|plugin|extension|bot|agent"
_NOVELTY = _words(
    r"prototype|proof of concept|poc|from scratch|brainstorm\w*|experiment\w*|explor(?:e|ing)|new (?:repo|repository)",
    rf"new (?:{_PROGRAM})|(?:build|building|create|make) (?:me )?(?:an?|the) (?:\w+ ){{0,3}}(?:{_PROGRAM})|what'?s (?:the )?next",
)
_CONTENT = _words(r"readmes?|docs|documentation|blog|article|changelog|release ?notes|write-?up|tutorial|translat\w+|copywriting")
_NAMES = re.compile(
    r"`[^`]*`|https?://\S+|\bbranch \S+|(?:^|(?<=\s))/?[\w.@-]+(?:[/:][\w.@-]+)+/?(?=[\s,;:.?!)]|$)|\b\w+\.\w{1,4}\b"
)
_FIRST = re.compile(r"(?<=\w{3}[.!?])\s|\s-+\s")


def kind_of_work(row: Row) -> str | None:
    """The categories of the source on productive sessions; the first that applies, None where neither deeds nor words tell.

    Names of branches and files, addresses and code in the first prompt say nothing, and of a plan only the title is read.
    monitoring: a heartbeat, or the first sentence mentions health, status or watching and nothing was changed. self-review: the
    prompt begins with a review, audit or check that no program asks for, and goes on to ask for nothing new. content: half of the
    changed files are documents and the first sentence is about documentation, or only documents other than plans were changed, or
    nothing was and it asks for documentation. triage: a sentence begins with a repair, or the prompt reports a failure and does not
    begin with asking for something to be built. clean-up: it begins with refactoring, renaming, removing, formatting. novelty: it
    is about a prototype, an experiment, or a new program. code: a file was changed, a commit made, or a change asked for.
    """
    files, words = row["touched_files"] or (), _NAMES.sub(" ", _headline(row))
    first = _FIRST.split(words, maxsplit=1)[0]
    changed = bool(files) or (row["commits_made"] or 0) > 0 or bool(row["output_applied"])
    documents = [f for f in files if f.endswith(_DOCUMENTS) and not _PLAN_FILE.search(f)]
    about_documents = bool(_CONTENT.search(first))
    builds = bool(_BUILDING.match(words))
    rules = (
        ("monitoring", _is_heartbeat(row) or (not changed and bool(_MONITORING.search(first)))),
        ("self-review", _reviews(words) and row.get("driver") not in BY_PROGRAM),
        ("content", bool(documents) and (len(documents) == len(files) or (about_documents and 2 * len(documents) >= len(files)))),
        ("content", not changed and about_documents and bool(_CHANGE.search(first))),
        ("triage", bool(_REPAIR.match(words)) or (not builds and bool(_TROUBLE.search(words)))),
        ("novelty", bool(_NOVELTY.search(words))),
        ("clean-up", bool(_CLEANING.match(words))),
        ("code", changed or _is_planned(row) or bool(_CHANGE.search(words))),
    )
    return next((name for name, holds in rules if holds), None)


def _reviews(words: str) -> bool:
    """Whether a prompt asks for a review, and not for something new after it."""
    review = _REVIEW.search(words)
    return review is not None and _BUILDING.search(words, review.end()) is None


def _headline(row: Row) -> str:
    """What the first prompt asks for: of a plan its title, else its beginning."""
    text = (row.get("first_prompt") or "")[: 4 * _ASKED]
    plan = _PLANNED.match(text)
    return " ".join(text[plan.end() :].strip().split("\n", 1)[0].split()) if plan is not None else request(row)


def request(row: Row) -> str:
    """The beginning of the first prompt, on one line, without the words that hand over a plan."""
    text = _PLANNED.sub("", (row.get("first_prompt") or "")[: 2 * _ASKED])
    return " ".join(text[:_ASKED].split())


def _is_planned(row: Row) -> bool:
    return bool(_PLANNED.search((row.get("first_prompt") or "")[:_ASKED]))


def _is_heartbeat(row: Row) -> bool:
    message = (row.get("last_said") or "").strip()
    return "HEARTBEAT" in (row.get("first_prompt") or "")[:200] or message in ("HEARTBEAT_OK", "NO_REPLY")
