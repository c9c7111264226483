"""What a commit says about itself: checkpoint ids in its message, and the agents, models and
sessions that it names. Pure.

The forms are in `collector/vocabulary/statements.toml`. A form that is quoted (`> `, a code fence,
an indented block) is somebody else's statement and is left out; a trailer may stand anywhere in the
message, because squash merges put trailers in the middle.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from collector.checkpoints.entire import CHECKPOINT_TRAILER, ID
from collector.json_values import JsonObject, Texts
from collector.model import Commit
from collector.text import unique
from collector.vocabulary.agent_names import NamedAgent, agent_named
from collector.vocabulary.agents import (
    DECLARED,
    STATEMENTS,
    agent_of_account,
    agent_of_subject,
    agents,
    slug_of,
)

_CHECKPOINT = re.compile(rf"{CHECKPOINT_TRAILER}:\s*({ID})(?=\s|$)")
_TRAILER = re.compile(r"^ {0,3}(?:[*-] +)?([A-Za-z][A-Za-z0-9 -]{1,40}):[ \t]*(.{1,300})$")
_REVIEW = re.compile(
    r" {0,3}(?:reviewed|acked|approved)-by:(?P<name>[^<]*)<(?P<address>[^<>\s]+@[^<>\s]+)>", re.I
)
_FENCE = re.compile(r"^\s{0,3}(?:```|~~~)")
_NUMBER = re.compile(r"^ *\d+(?:[ \t]|$)")
_QUOTED = re.compile(r"^(?:\s*>|    |\t)")
# parts of a change, as opposed to what was only looked up or reviewed
_PRODUCED = re.compile(
    r"(?i)\b(?:code|tests?|docs?|documentation|comments|refactoring|all|patch)\b"
)
_YES = re.compile(r"(?i)^(?:true|yes|y|1)\b")
# one of these, in small letters, is in every sentence that a form fits, and in few others
_TELLING = re.findall(
    r"\S+",
    "ated coded ritten wrote worked made buil impl author drafted done did ported refac solved"
    " fixed patch prepared produced developed assist help used had asked https:",
)
_SENTENCE = re.compile(r"(?<=[.!?]) +|(?<= )\((?=I\b)")
# what follows an agent's name in a trailer that only agents have: its model, a program, a remark
_MORE = re.compile(r" *(?:[:;,(<]|\b(?:via|using|for|through) ).*$", re.I)
_ACCOUNT = re.compile(r"^(?P<name>[^<]*)<(?P<address>[^<>]*)>")
_BOT = re.compile(
    r"\[bot\]$|\[bot\]@|(?:^|[-_. ])bot$|[-_.]bot@|^(?:github-actions|travis["
    r" -]?ci|circleci|jenkins)\b",
    re.I,
)
_CO_AUTHOR = re.compile(r"^co-authored-by:\s*([^<\n]*)<([^>\n]*)>", re.I | re.M)
_SQUASHED = re.compile(
    r"^\* (?!\[pre-commit\.ci\] )(.+)$", re.M
)  # how GitHub lists the commits of a squash; a bot's several are its own
_SQUASH = "Squashed commit of the following:"
_IN_BRACKETS = re.compile(r"\(([^()]+)\)\s*$")
_NUMBERED = re.compile(r"\(#\d+\)$")

PEOPLES = ("name", "word")  # kinds of common names that name no agent where people are credited
_RUNNERS = frozenset(agent.slug for agent in DECLARED if agent.runs_others)
DECLARING = ("wrote", "assisted", "signed")
"""Sorts of statements that say that the agent took part in writing."""


def checkpoint_ids(message: str) -> list[str]:
    """Ids named by a commit message, in order, each once."""
    return [*unique(_CHECKPOINT.findall(message))]


class Statement(NamedTuple):
    """An agent that a commit itself names."""

    where: str  # trailer | body | author | subject | metadata
    agent: str  # slug
    model: str = ""
    sort: str = "wrote"  # wrote | assisted | signed | reviewed | reported
    session: str = ""  # what the agent calls its session: an id or an address


def id_of_session(key: str) -> str:
    """The id in what a statement calls a session: the end of an address, without the prefix that
    says which kind of id it is.
    """
    return key.strip().rstrip("/").rpartition("/")[2].removeprefix("session_").removeprefix("cse_")


def statements(commit: Commit) -> Iterator[Statement]:
    """Every statement about an agent in a commit, in order: trailers and lines of the body, the
    author, the subject, metadata.
    """
    yield from statements_in(commit.message)
    named = _account(f"{commit.author_name} <{commit.author_email}>")
    if named and not any(
        a.by_people and re.search(a.by_people, commit.message)
        for a in agents()
        if a.slug == named.agent
    ):
        yield Statement("author", named.agent, named.model)
    if agent := agent_of_subject(commit.subject):
        yield Statement("subject", agent)
    for block in agent_blocks(commit.message):
        yield Statement(
            "metadata", slug_of(block.get("backend", "")) or "unknown", block.get("model", "")
        )


def declarations(commit: Commit) -> Iterator[Statement]:
    """The statements that say that an agent took part in writing the commit."""
    return (statement for statement in statements(commit) if statement.sort in DECLARING)


def declared_agent(commit: Commit) -> Statement | None:
    """The first declaration of a commit; None without one.

    Authorship comes before assistance, a named agent before "an AI", and the agent before a program
    that runs agents.

    A model that another statement names for the same agent is taken over.
    """
    declared = list(declarations(commit))
    first = min(
        declared,
        key=lambda entry: (
            DECLARING.index(entry.sort),
            entry.agent == "ai",
            entry.agent in _RUNNERS,
        ),
        default=None,
    )
    if first is None or first.model:
        return first
    return first._replace(
        model=next((s.model for s in declared if s.agent == first.agent and s.model), "")
    )


def reviewers(commit: Commit) -> list[str]:
    """Addresses of the people who, by the trailers of a commit, reviewed it; neither its author,
    nor agents, nor bots.
    """
    addresses = (
        match["address"].lower()
        for match in map(_REVIEW.match, _own_lines(commit.message))
        if match
        and not _account(match[0].partition(":")[2].strip())
        and not _is_bot(match["name"].strip(), match["address"])
    )
    return sorted(set(addresses) - {commit.author_email.lower()})


def automation(commit: Commit) -> str | None:
    """Name of the automation account (no coding agent) that authored the commit."""
    is_agents = _account(f"{commit.author_name} <{commit.author_email}>") is not None
    if _is_bot(commit.author_name, commit.author_email) and not is_agents:
        return commit.author_name[:100]
    return None


def is_bots_own(commit: Commit) -> bool:
    """Whether a program is known to have written everything in a commit of its account: no
    squash has commits of others in it.
    """
    others = [
        pair for pair in _CO_AUTHOR.findall(commit.message) if not _is_bot(pair[0].strip(), pair[1])
    ]
    listed = (
        {line.strip() for line in _SQUASHED.findall(commit.message)}
        if _NUMBERED.search(commit.subject)
        else ()
    )
    account = commit.author_name, commit.author_email
    is_known = _is_known_bot(*account) or (
        _is_bot(*account) and _bot_pattern("subjects").fullmatch(commit.subject) is not None
    )
    return is_known and not others and len(listed) < 2


def _is_bot(name: str, address: str) -> bool:
    return bool(
        _BOT.search(name)
        or _BOT.search(address)
        or _is_known_bot(name, address)
        or _is_known_bot(name, address, "aside")
    )


def _is_known_bot(name: str, address: str, table: str = "bot") -> bool:
    account = address.partition("@")[0].rpartition("+")[2]
    return any(
        _bot_pattern("accounts", table).fullmatch(part.removesuffix("[bot]").strip())
        for part in (name, account)
    )


@cache
def _bot_pattern(form: str, table: str = "bot") -> re.Pattern[str]:
    return re.compile(
        "|".join(f"(?:{entry[form]})" for entry in STATEMENTS[table] if form in entry), re.I
    )


@lru_cache(1 << 16)  # several steps of a run ask for each commit's
def statements_in(message: str) -> tuple[Statement, ...]:
    """Those of trailers and lines of the body."""
    model = ""
    pending = []
    for line in _own_lines(message):
        trailer = _TRAILER.match(line)
        form = _trailers().get(trailer[1].casefold().replace(" ", "-")) if trailer else None
        if form is not None and trailer is not None:
            if form["value"] == "model":
                named = agent_named(trailer[2])
                if named:
                    model = named.model
            elif statement := _statement_by_trailer(form, trailer[2].strip()):
                pending.append(statement)
        else:
            pending.extend(filter(None, map(_statement_by_body, _SENTENCE.split(line))))
    return tuple(
        statement if statement.model or not model else statement._replace(model=model)
        for statement in pending
    )


def _own_lines(message: str) -> Iterator[str]:
    """The lines of a message that are no quotation, without the numbers of one that was copied
    with them; those of the commits that `git merge --squash` lists belong to the squash.
    """
    lines = message.splitlines()
    if _SQUASH in lines:
        lines = [line.removeprefix("    ").replace("Author:", "Authored-by:", 1) for line in lines]
    if len(lines) > 1 and all(
        _NUMBER.match(line) and int(line.split(None, 1)[0]) == count
        for count, line in enumerate(lines, 1)
    ):
        lines = [_NUMBER.sub("", line) for line in lines]
    fences = [number for number, line in enumerate(lines) if _FENCE.match(line)]
    inside = {
        number
        for start, end in zip(fences[::2], fences[1::2], strict=False)
        for number in range(start, end + 1)
    }
    return (
        line
        for number, line in enumerate(lines)
        if number not in inside and not _QUOTED.match(line)
    )


def _statement_by_trailer(form: JsonObject, value: str) -> Statement | None:
    sort = form["sort"]
    agent = form.get("agent", "")
    match form["value"]:
        case "key":
            return Statement("trailer", agent, sort=sort, session=value[:200])
        case "yes" if _YES.match(value):
            return Statement("trailer", "ai", sort=sort)
        case "uses":
            return Statement("trailer", "ai", sort=sort) if _PRODUCED.search(value) else None
        case _ if agent:  # a person's name stands there for a person's commit
            return (
                Statement("trailer", agent, sort=sort)
                if value.casefold() in ("agent", "assistant")
                else None
            )
    if form.get("people"):
        named = _account(value)
    else:
        named = _account(value, ()) or agent_named(_MORE.sub("", value))
    return Statement("trailer", named.agent, named.model, sort) if named else None


def _account(text: str, doubted: Sequence[str] = PEOPLES) -> NamedAgent | None:
    """The agent whose name, with or without an address, this is ("Name <address>"); None for a
    person.
    """
    match = _ACCOUNT.match(text)
    named = (
        agent_named(match["name"], match["address"]) if match else agent_named(text, None, doubted)
    )
    # "Ada Lovelace (Codex)"
    if match and not named and (program := _IN_BRACKETS.search(match["name"])):
        named = agent_named(program[1], None, PEOPLES)
    if agent := agent_of_account(text):
        return NamedAgent(agent, named.model if named else "")
    return named


def _statement_by_body(line: str) -> Statement | None:
    small = line.lower()
    if not any(word in small for word in _TELLING):
        return None
    for form, pattern in _bodies():
        match = pattern.match(line)
        if match is None:
            continue
        if "agent" in form:
            return Statement("body", form["agent"], sort=form["sort"], session=match["session"])
        if named := agent_named(match["agent"], None, tuple(form["doubt"])):
            return Statement("body", named.agent, named.model, form["sort"])
    return None


@cache
def _trailers() -> dict[str, JsonObject]:
    """Key of a trailer in lower case -> its form."""
    return {key.casefold(): form for form in STATEMENTS["trailer"] for key in form["keys"]}


@cache
def _bodies() -> list[tuple[JsonObject, re.Pattern[str]]]:
    """Forms of sentences, each with its pattern."""
    found = []
    for form in STATEMENTS["body"]:
        pattern = f"START(?:{form['pattern']})"
        for word, meaning in STATEMENTS["words"].items():
            pattern = pattern.replace(word, meaning)
        found.append((form, re.compile(pattern, re.I)))
    return found


# Blocks of `key: value` lines below a heading, one for each turn. Shapes: `commit_type: agent` (a
# turn of an agent), `agent-merge` (an agent resolved the conflicts of a merge), `user` (somebody
# committed through aGiTrack: its own documentation does not call it a person's work, because an
# agent's lines may be in it). A squash holds the blocks of all its commits, and so does a person's
# commit into which pending turns were folded.


_HEADINGS = ("# aGiTrack Metadata", "# aGiT Metadata")  # the second until June 2026
_PAIR = re.compile(r"^([a-z][a-z_]{0,60}): ?(.{0,300})")
_NOTHING = ("", "unknown", "none", "<synthetic>")


def agent_blocks(message: str) -> Iterator[Texts]:
    """The blocks of agents in their order, values that say nothing left out.

    A block that is quoted within a code fence is text of a conversation and none; one without a
    type is one of an agent.
    """
    if "# aGiT" not in message:
        return
    block = Texts()
    inside = False
    for line in (*_own_lines(message), ""):
        pair = _PAIR.match(line.rstrip()) if inside else None
        if pair:
            block.setdefault(pair[1], pair[2].strip())
            continue
        if inside and block.get("commit_type") != "user":
            yield {key: value for key, value in block.items() if value not in _NOTHING}
        inside = line.strip() in _HEADINGS
        block = {}
