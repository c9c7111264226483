"""What a session was for: its type of task, which decides the weights of Q, and its kind of work,
for comparing grades. Pure.

Both look at what was done first and at what was asked for second. How often a reader agrees:
docs/metrics.md.
"""

import re
from collections.abc import Iterable

from attribution.features.turn_classes import Language, language_of
from attribution.features.word_lists import lower_case
from attribution.features.word_lists import words as word_list
from collector.json_values import Row
from collector.labels import request_of
from collector.vocabulary.sessions import BY_PROGRAM

# In this file a row is one of `session_features`, JSON columns as values; further column:
# first_prompt.
_DOCUMENT = re.compile(
    r"\.(?:mdx?|rst|adoc)$|(?:^|/)(?!requirements|constraints|CMakeLists|robots|llms)[^/]*\.txt$"
)
_ASKED = 250  # characters of a prompt that tell what it asks for


def _words(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b", re.IGNORECASE)


def _opening(*alternatives: str) -> re.Pattern[str]:
    """At the beginning of a sentence, behind nothing but courtesies."""
    return re.compile(
        rf"(?:^|[.!?:;,] |\band )\W*(?:(?:{_COURTESY})[\s,:.!]+)*(?:{'|'.join(alternatives)})\b",
        re.IGNORECASE,
    )


_COURTESY = (
    r"ok(?:ay)?|now|so|hi|hey|hello|great|perfect|yes|thanks|sorry|first|finally|next|then|and|also|but|please|pls|let['’]?s|just|to|"
    r"(?:i|we)(?:['’]d| would)? (?:want|need|like|should|have|must)(?: you)?"
    r" to|(?:can|could|would|will|should) (?:you|we)|"
    r"go ahead and|try to|help me|you (?:should|need to|can|must)|your (?:task|job) is"
    r" to|i(?:['’]m| am) (?:trying|going) to"
)
_BUILD = (
    "add|implement|create|build|write|introduce|integrate|extend|enable|make|generate|port|"
    "set up|support|allow|optimi[sz]e|"
    "improve|update|change|adjust|redesign|replace|migrate|track|show|merge|execute"
)
_CLEAN = (
    "rename|format|simplify|remove|delete|drop|bump (?!coverage)|upgrade|rewrite|extract|inline|"
    "unify|reorgani[sz]e|clean"
)
_FIX = (
    "(?:hot)?fix|debug|investigate|diagnose|troubleshoot|resolve|repair|remediate|solve|correct|"
    "missing"
)
_CHANGE = _opening(
    _BUILD,
    _CLEAN,
    _FIX,
    "refactor|move|convert|wire|split|apply|disable|address|edit|style|translate|proceed|continue|"
    "start (?:implementing|with|on)",
    "clean-?up|organi[sz]e|bump|use|put|turn|set|rework|modify|revert|restore|undo|combine|hide|align|cent(?:er|re)|insert|increase|decrease|reduce|include",
    "append|configure|switch|ensure|keep|give|adapt|connect|link|expose|document|finish|complete|"
    "pick up",
    "(?:i|we) (?:want|need|would like|should have)",
)
_PLANNED = re.compile(
    r"^\W*(?:(?:please )?(?:implement|execute) (?:the following|this) plan:?|a previous agent"
    r" produced the plan below[^#]*(?=#))"
    r"[\s#*]*(?:(?:implementation )?plan\b[\s:—-]*)?",
    re.IGNORECASE,
)
_OPERATION = _opening(
    "run|deploy|release|publish|commit|push|pull|merge|rebase|install|restart|start|stop|tag|cherry-pick|sync|backup|launch|boot|stage",
    "(?:open|create) (?:a|the) (?:pr|pull request|release|tag|branch|commit)",
)
_PLAN = _words(
    "plans?|proposals?|design(?:s|ing)?|brainstorm(?:ing)?|prototype|ideas?|spec(?:ification)?s?|rfc|prd|explore|roadmap|research"
)
_ASKS_PLAN = re.compile(
    r"(?i)\b(?:create|write|draft|make|prepare|give|conduct)\b[^.,]{0,40}\b(?:plan|proposal|design|spec(?:ification)?|roadmap)\b"
    r"|\bplan (?:how|out|improvements?)\b|\bplanning an? new\b|\bpropose (?:an?|some|the)\b"
)
_PLAN_FILE = re.compile(
    r"(?:^|[/_.-])(?:plans?|proposals?|designs?|specs?|rfcs?|prds?|ideas?|research|brainstorm\w*|roadmap|notes?)(?:[/_.-]|$)",
    re.IGNORECASE,
)


def task_type(row: Row) -> str:
    """By what the session did, and what it was asked for; the first rule that applies.

    heartbeat: its first prompt is a heartbeat. coding: it changed a file that is not a document.
    discovery: it changed documents only, and either they are plans, designs or notes by their
    names, or the first prompt asks for one; or it changed no file, and the prompt asks to write
    one. coding: it changed other documents, or made a commit, or has lines in one, or was given a
    plan. operations, coding, research: by the first sentence of the prompt that begins with the
    name of an operation (run, deploy, push, …), a change (fix, rename, …) or a review; in other
    languages than English by the words of `words.toml`. operations: at least half of its calls, and
    at least two, ran commands that do more than look (`acting_commands`). coding: no call is on
    record, and the prompt reports a failure. research: it called tools, or the prompt asks a
    question. chat: otherwise.
    """
    files = _files(row)
    words = request(row)
    acting = row["acting_commands"] or 0
    elsewhere = _asked_elsewhere(words)
    planned = bool(_PLANNED.match(_prompt(row)))
    rules = (
        ("heartbeat", _is_heartbeat(row)),
        ("coding", any(not _DOCUMENT.search(f) for f in files)),
        (
            "discovery",
            bool(files)
            and not planned
            and (bool(_PLAN.search(words)) or all(map(_PLAN_FILE.search, files))),
        ),
        ("discovery", not files and not planned and bool(_ASKS_PLAN.search(words))),
        ("coding", bool(files) or (row["commits_made"] or 0) > 0 or bool(row["output_applied"])),
        ("coding", planned),
        ("discovery", not files and elsewhere == "discovery"),
        ("coding", elsewhere in ("triage", "clean-up", "code")),
        *_requested_work(words),
        ("operations", acting >= 2 and 2 * acting >= (row["tool_call_count"] or 0)),
        ("coding", not row["tool_call_count"] and bool(_TROUBLE.search(words))),
        (
            "research",
            (row["tool_call_count"] or 0) > 0
            or bool(_QUESTION.search(words) or elsewhere)
            or "?" in words,
        ),
    )
    return next((name for name, holds in rules if holds), "chat")


def _requested_work(words: str) -> Iterable[tuple[str, bool]]:
    """What a prompt asks for, the first sentence that says so first."""
    asked = {
        "operations": _OPERATION.search(words),
        "coding": _CHANGE.search(words),
        "research": _REVIEW.search(words),
    }
    return [
        (task, True)
        for _, task in sorted((match.start(), task) for task, match in asked.items() if match)
    ]


_QUESTION = _opening(
    "how|why|what|where|which|explain|describe|analy[sz]e|compare|investigate|look|find|search|read|"
    "summari[sz]e|list|tell me"
)
_MONITORING = _words(
    "monitor(?:ing)?|health[- ]?check|heartbeat|uptime|status (?:check|report|of)|watch"
    " (?:the|for)|still running"
)
_REVIEW = _opening(
    r"(?:(?:do|run|perform|start|repeat|redo|give me) (?:an?|the|another)? ?(?:\w+[ -]){0,2})?"
    r"(?:review|audit|self-review|retrospective|post-?mortem|critique|double[-"
    r" ]check|verify|assess|evaluate)",
    r"(?:go|look|read) (?:through|over)\b[^.]*\b(?:find|list|identify|check)|what do you think"
    r" (?:of|about)",
    r"(?:find|list|identify) (?:any|all|the)? ?(?:\w+ )?(?:issues|bugs|problems)",
)
_BUILDING = _opening(_BUILD)
_CLEANING = _opening(
    r"(?:(?:do|run) (?:an?|the|some) ?(?:\w+[ -]){0,2})?(?:clean[-"
    r" ]?up|refactor\w*|lint|tidy|dedup\w*)",
    rf"{_CLEAN}|(?:make|keep) (?:[^\s,.]+ ){{0,4}}(?:simpler|cleaner|shorter|more idiomatic|more"
    r" readable|consistent)",
)
_REPAIR = _opening(_FIX, r"(?:\w+ ){0,3}(?:bugs?|regression)\b[^.]*$")
_TROUBLE = _words(
    r"bugs?|fail(?:s|ed|ing|ure|ures)?|broken|crash\w*|regression|flaky|wrong|panics?|hangs?|deadlock\w*|traceback|stack"
    r" ?trace",
    r"leaks?|not working|(?:does|did|has|wo|ca)n['’]?t|(?:does|did|has) not|cannot|unable to|no"
    r" longer|stuck|disappear\w*",
    r"(?:is|are|was|were)(?:n['’]?t| not) (?:\w+"
    r" )?(?:\w+ing|\w+ed|right|correct|visible|there|found|set|shown|able|available)",
    r"(?:get(?:s|ting)?|got|throws?|see(?:ing)?|returns?|gives?|reports?|fix)"
    r" (?:an?|the|this|following|many|all) (?:\w+ )?errors?",
    r"(?:this|these|following) (?:errors?|issues?|problems?)|an?"
    r" (?:issue|problem)|(?:errors?|warnings?)(?=:)|fix plan|overlap\w*",
    r"error (?:type|message|occur\w*)|complain\w*|(?:problems?|issues?)"
    r" (?:with|in|is)|\w+(?:Error|Exception)|used to work",
    "(?:still|very|too) slow",
)
_PROGRAM = (
    "app|application|game|site|website|tool|cli|server|service|project|plugin|extension|bot|agent"
)
_WHY = _opening("why (?:is|are|does|do|did|was|were|has|can)")
_NOVELTY = _words(
    r"prototype|proof of concept|poc|from scratch|brainstorm\w*|experiment\w*|explor(?:e|ing)"
    r" (?:ideas|options|ways)",
    rf"new (?:repo|repository)|new (?:{_PROGRAM})|(?:build|building|create|make) (?:me"
    rf" )?(?:an?|the) (?:\w+ ){{0,3}}(?:{_PROGRAM})",
)
_CONTENT = _words(
    r"readmes?|docs|documentation|blog|article|changelog|release"
    r" ?notes|write-?up|tutorial|translat\w+|copywriting"
)
_ELSEWHERE = ("discovery", "self-review", "triage", "clean-up", "code", "research")
_CHECK = _opening("check (?:if|whether|that)", "did (?:i|we|you)", r"(?:is|are) (?:all|every\w*)")
_NAMES = re.compile(
    r"`[^`]*`|https?://\S+|\bbranch"
    r" \S*\w|(?:^|(?<=\s))[/@]?[\w.@-]+(?:[/:][\w.@-]*\w)+/?(?=[\s,;:.?!)]|$)|\b\w+\.\w{1,4}\b"
    r"|\bso (?:that|it|they|we|the)\b[^.]*|\bnot limited to\b"  # what is to be, not what is
)
_PASTED = re.compile(
    r"[@#]\w[\w./\\:-]*|<(?!user_query|task|query)(\w[\w-]*)>.*?</\1>|\[(?:Image|Pasted)[^\]]*\]|```.*?(?:```|\Z)",
    re.S,
)
# the end of a line that begins another sentence
_ITEM = re.compile(r"[ \t.;:]*\n\s*(?:\n|[-*•#]+\s|\d+[.)]\s|(?=[A-Z]))\s*")
_FIRST = re.compile(r"(?<=\w{3}[.!?])\s|\s-+\s")


def kind_of_work(row: Row) -> str | None:
    """The categories of the source on productive sessions; the first that applies, None where
    neither deeds nor words tell.

    Names of branches and files, addresses and code in the first prompt say nothing, and of a plan
    only the title is read. monitoring: a heartbeat, or the first sentence mentions health, status
    or watching and nothing was changed. self-review: the prompt begins with a review, audit or
    check that no program asks for, and goes on to ask for nothing new. content: half of the changed
    files are documents and the first sentence is about documentation, or only documents other than
    plans were changed, or nothing was and it asks for documentation. triage: a sentence begins with
    a repair, or the prompt reports a failure and does not begin with asking for something to be
    built, or asks why something is so and files were changed. novelty: it is about a prototype, an
    experiment, or a new program. clean-up: it begins with refactoring, renaming, removing,
    formatting. code: a file was changed, a commit made, or a change asked for. Of requests in seven
    other languages single words of `words.toml` decide.
    """
    files = _files(row)
    words = _NAMES.sub(" ", _headline(row))
    first = _FIRST.split(words, maxsplit=1)[0]
    changed = bool(files) or (row["commits_made"] or 0) > 0 or bool(row["output_applied"])
    documents = [f for f in files if _DOCUMENT.search(f) and not _PLAN_FILE.search(f)]
    about_documents = bool(_CONTENT.search(first))
    builds = bool(_BUILDING.match(words) or _CLEANING.match(words))
    planned = bool(_PLANNED.match(_prompt(row)))
    review = _REVIEW.search(words) or _CHECK.match(words)  # and nothing new after it
    reviews = review is not None and _BUILDING.search(words, review.end()) is None
    elsewhere = _asked_elsewhere(words)
    requested = elsewhere not in (None, "self-review", "research")
    rules = (
        ("monitoring", _is_heartbeat(row) or (not changed and bool(_MONITORING.search(first)))),
        (
            "self-review",
            (reviews or elsewhere == "self-review") and row.get("driver") not in BY_PROGRAM,
        ),
        (
            "content",
            bool(documents)
            and (
                len(documents) == len(files)
                or (about_documents and 2 * len(documents) >= len(files))
            ),
        ),
        ("content", not changed and about_documents and bool(requested or _CHANGE.search(first))),
        (
            "triage",
            bool(_REPAIR.match(words))
            or (not builds and bool(_TROUBLE.search(words)))
            or elsewhere == "triage",
        ),
        ("triage", changed and bool(_WHY.match(words))),
        ("novelty", bool(_NOVELTY.search(words))),
        ("clean-up", bool(_CLEANING.match(words)) or elsewhere == "clean-up"),
        ("code", changed or planned or bool(requested or _CHANGE.search(words))),
    )
    return next((name for name, holds in rules if holds), None)


def _files(row: Row) -> list[str]:
    """The files it changed, as its calls name them where none could be tied to the repository
    (recorded on another machine).
    """
    return row["touched_files"] or [
        f["path"] for f in row.get("files_seen") or () if f["changed"] is not None
    ]


def _asked_elsewhere(request: str) -> str | None:
    """What a request in another language than English asks for."""
    if language_of(request) in (None, Language.ENGLISH):
        return None
    return next(
        (kind for kind in _ELSEWHERE if word_list(f"asked {kind}").occur_in(lower_case(request))),
        None,
    )


def _headline(row: Row) -> str:
    """What the first prompt asks for: of a plan its title, else its beginning."""
    text = _prompt(row)[: 4 * _ASKED]
    plan = _PLANNED.match(text)
    if plan is not None:
        return " ".join(text[plan.end() :].strip().split("\n", 1)[0].split())
    return request(row)


def request(row: Row) -> str:
    """The beginning of the first prompt, on one line, without the words that hand over a plan."""
    text = _PLANNED.sub("", _prompt(row)[: 2 * _ASKED])
    return " ".join(_ITEM.sub("; ", text.strip())[:_ASKED].split())


def _prompt(row: Row) -> str:
    """The first prompt, without what an editor or agent put before it."""
    return _PASTED.sub("", request_of(row.get("first_prompt") or "")[: 8 * _ASKED]).lstrip()


def _is_heartbeat(row: Row) -> bool:
    message = (row.get("last_said") or "").strip()
    return "HEARTBEAT" in (row.get("first_prompt") or "")[:200] or message in (
        "HEARTBEAT_OK",
        "NO_REPLY",
    )
