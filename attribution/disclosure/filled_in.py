"""What a project asks contributors to say about AI, filled in from the record: trailers, and the
part of a pull-request template that is about AI. What nothing shows, and what only the contributor
can say, is left open.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from attribution.disclosure.policies import is_about_ai
from attribution.lineage.survival import BY_AGENTS, UNANSWERED
from attribution.queries.open_repo import OpenRepo
from collector.checkpoints.statements import statements_in
from collector.files.kinds import kind_of
from collector.json_values import Row
from collector.text import count_of, toml_beside
from collector.vocabulary.agent_names import model_identity
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import LineClass

_FILES = 8  # named in a sentence
_WHOLE = 0.95  # share of the added lines
_MISSING = "\0"  # stands for a model that is not on record
_LINES = """
SELECT c.commit_sha AS sha, l.class,
  COALESCE(s.agent, s.agent_label, c.declared_agent, '') AS agent,
  COALESCE(NULLIF(l.model, c.declared_agent), s.model, '') AS model, l.path, s.id AS session,
  SUM(l.nonblank) AS lines FROM line_spans l
  JOIN commits c ON c.id = l.commit_id LEFT JOIN sessions s ON s.id = l.session_id
WHERE c.repo_id = ? AND c.commit_sha IN (SELECT value FROM json_each(?))
  AND (? = '' OR EXISTS (SELECT 1 FROM commit_files f WHERE f.commit_id = c.id AND f.path = l.path
  AND f.status <> 'A'))
GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 7 DESC
"""
_TRAILER = re.compile(r"^\s*[A-Za-z][\w-]*-(?:by|with|off)(?:-\w+)*:\s*\S")
# A template: boxes, and labels with what stands in the place of an answer.
_BOX = re.compile(r"^([\s>]*(?:(?:[-*+]|\d+\.)\s*)?)\[[ x]?\]", re.I)
_FIELD = re.compile(
    r"(?!.*\b(?:how|why|by|to|with|from|prompts?|scope|extent|parts?|review\w*)\b)"
    r"(?=[^?]*$|.*\b(?:which|what|name)\b)"
    r"(?P<label>[^:?]{0,40}\b(?:(?P<model>models?)|(?:tool|assistant|agent)s?|(?:AI|LLM)s? used)"
    r"(?:\(s\))?(?P<both> ?(?:/|\band\b|\bor\b|&|\()[^:?]{0,30}\b(?:model|version|agent|tool)s?\)?"
    r")?(?: (?:used|name|version|involved))*[^:?\w]{0,4}[:?][*_ ]*)"
    r"(?:<!--.*-->|\[.*\]|<[^>]*>|_+|n/a|none)?\s*$",
    re.I,
)
# What only the contributor can say, or says only on a condition.
_PROMISE = re.compile(
    r"\b(?:I|we) (?:have (?!used)|confirm|certify|understand|take|am\b|will|can\b|did (?!use)"
    r"|(?:\w+ly )?(?:review|verif|test|check|read))|\bI.ve\b(?! used)|\bmy use\b|polic|guideline"
    r"|^\W*x?\W*(?:if|when|for)\b|\byou\b|\b(?:humans?|authors?) (?:has|have|will|takes?)"
    r"|\b(?:has|have|was|were|been|is|are) (?:\w+ )?(?:review|verifi|test|check|underst|disclos)"
    r"|\b(?:reviewed|verified|tested|understood|ensured?|disclosed|documented|followed|filled)\b",
    re.I,
)
# What a shown trailer consists of.
_LITERAL = re.compile(r"^(AI|LLM)s?\b(?!\s?[\w:/(-])")
_ASIDE = re.compile(r"\s*(?:<[^<>]*(?:@|mail)[^<>]*>|https?://\S+|\[(?:TOOL\d|optional).*)", re.I)
_BETWEEN = re.compile(r"(\s*[:/()]\s*|\s+(?:via|with|using)\s+)")
_MODEL = re.compile(r"model|version|\b(?:opus|sonnet|haiku|o)[-. ]?\d|\d", re.I)
_PROGRAM = re.compile(
    r"tool|agent|assistant|program|harness|name\b|AI[_\b]|claude|copilot|cursor|chatgpt", re.I
)
_GAP = re.compile(
    r"\s*(?:\b(?:via|with|using)\b|[:/(])?\s*\0(?:\s*(?:(?:via|with|using)\s|[:/)]))?"
)


@cache
def forms() -> dict[str, Any]:
    """`trailer`, name -> text; `account`, agent -> address; `box`, (what one says, shape);
    `reference`, name of a trailer -> shape of what refers to it.
    """
    return toml_beside(__file__, "forms.toml")


def work_of_agents(opened: OpenRepo, shas: Sequence[str], tracked: bool = False) -> Row:
    """What the record says of the lines that commits add, files of every kind: `agents` as (name,
    model), most lines first; `lines` by class; `parts`, path -> lines of agents that are on record,
    and `kinds`, those of these files; `added`, `by_agents` (on record), `declared` and `open`,
    numbers of lines; `commits`, the same of each, with `commit`, `subject` and its `trailers` that
    name an agent.

    `tracked`: only files that git knows.
    """
    values = (opened.repo_id, json.dumps(list(shas)), "tracked" if tracked else "")
    rows = opened.store.rows(_LINES, values)
    commits = [
        _work_in([row for row in rows if row["sha"] == sha]) | _message_facts(opened, sha)
        for sha in shas
    ]
    return _work_in(rows) | {"commits": commits}


def _work_in(rows: Sequence[Mapping[str, Any]]) -> Row:
    lines, parts = Counter[str](), Counter[str]()
    agents = Counter[tuple[str, str, bool]]()
    for row in rows:
        lines[row["class"]] += row["lines"]
        if row["class"] in BY_AGENTS and row["agent"]:
            is_recorded = row["session"] is not None
            agents[label_of(row["agent"]), row["model"], is_recorded] += row["lines"]
            parts[row["path"]] += row["lines"] * is_recorded
    return {
        "agents": _distinct_agents([key for key, _ in agents.most_common()]),
        "lines": lines,
        "kinds": sorted(set(map(kind_of, +parts))),
        "parts": dict((+parts).most_common()),
        "added": lines.total(),
        "by_agents": lines[LineClass.AGENT],
        "declared": lines[LineClass.DECLARED],
        "open": sum(lines[name] for name in UNANSWERED),
    }


def _message_facts(opened: OpenRepo, sha: str) -> Row:
    """A commit's id and subject, "" where it was never made, and its trailers that name agents."""
    commit = None if sha in opened.unmade else opened.repo.commit(sha)
    if commit is None:
        return {"commit": "", "subject": "", "trailers": []}
    subject, *rest = commit.message.split("\n")
    named = [line for line in map(str.strip, rest) if any(statements_in(f"x\n\n{line}"))]
    return {"commit": sha, "subject": subject, "trailers": list(filter(_TRAILER.match, named))}


def _distinct_agents(agents: Sequence[tuple[str, str, bool]]) -> list[tuple[str, str]]:
    """(agent, model) pairs of (agent, model, whether a session shows it), none named twice: a model
    has several spellings, and what a commit declares may be in a record as well.
    """
    recorded = {agent for agent, _, is_recorded in agents if is_recorded}
    kept: dict[tuple[str, str], tuple[str, str]] = {}
    for agent, model, is_recorded in agents:
        if is_recorded or agent not in recorded:
            kept.setdefault((agent, model_identity(model)), (agent, model))
    if len(kept) > 1:
        kept.pop((label_of("ai"), ""), None)
    return list(kept.values())


def _key_of(trailer: str) -> str:
    return trailer.partition(":")[0].lower()


def forms_shown(said: Row) -> list[Row]:
    """The trailers that the texts show (see `statements`) and do not refuse, one for each key,
    those of help before those of whole works and of authors, with `form`, the line with names in
    braces, and whether it `is_for_request`, not for commits.
    """
    rows: dict[str, Row] = {}
    for row in sorted(
        [*said["trailers"], *_trailers_elsewhere(said)], key=lambda row: not row["value"]
    ):
        rows.setdefault(row["key"].lower(), row)
    kept = [key for key in rows if key not in refused_keys(said)]
    order = sorted(kept, key=lambda key: ("author" in key, "generated" in key))
    return [_form(rows[key], said["template_path"]) for key in order]


def refused_keys(said: Row) -> set[str]:
    return {row["key"].lower() for row in said["unwanted"]}


def _trailers_elsewhere(said: Row) -> Iterator[Row]:
    """The trailers of policies elsewhere, where a text says to follow them or names the key."""
    for row in [*said["quoted"], *said["refuses"]]:
        for form, shape in forms()["reference"].items():
            key, _, value = forms()["trailer"][form].partition(": ")
            found = re.search(shape, row["text"], re.I | re.S)
            if found and (found["follow"] or key.lower() in row["text"].lower()):
                yield row | {"key": key, "value": value}


def _form(row: Row, template: str) -> Row:
    is_for_request = row["path"] == template and "commit" not in row["text"].lower()
    value = value_like(row["value"], row["key"])
    return row | {"form": f"{row['key']}: {value}", "is_for_request": is_for_request}


def value_like(shown: str, key: str = "") -> str:
    """What stands behind a trailer's key in a policy, as names in braces."""
    if literal := _LITERAL.search(shown):
        return literal[1]
    address = "{address}" if re.search("author|@|mail", f"{key} {shown}", re.I) else ""
    pieces = _BETWEEN.split(_ASIDE.sub("", shown).strip())
    named = [_name_like(piece) for piece in pieces[::2]]
    if "{agent}" in named:  # beside it, what has both kinds of words is the model
        named = ["{model}" if name == "{agent} {model}" else name for name in named]
    found = [name for name in named if name]
    pieces[::2] = named
    if len(set(found)) < len(found):
        pieces = found[:1]
    return ("".join(pieces) if found else "{agent} ({model})") + address


def _name_like(piece: str) -> str:
    is_model = _MODEL.search(piece) is not None
    if not _PROGRAM.search(piece):
        return "{model}" if is_model else "{agent}" if piece.strip() else ""
    if is_model and " and " in piece:
        return "{agent} ({model})"
    return "{agent} {model}" if is_model else "{agent}"


def trailers(shown: Sequence[Row], work: Row) -> list[str]:
    """The lines that say which agents took part, in the form for all of a work where they wrote
    nearly all of it, else in the first; none where nothing shows an agent.
    """
    is_whole = work["by_agents"] >= _WHOLE * work["added"]
    whole = [row for row in shown if is_whole and "generated" in row["key"].lower()]
    forms_used = (whole or shown)[:1]
    lines = [_fill_trailer(row["form"], *pair) for row in forms_used for pair in work["agents"]]
    return list(dict.fromkeys(lines))


def _fill_trailer(form: str, agent: str, model: str) -> str:
    key, _, value = form.partition(": ")
    known = forms()["account"].get(agent)
    address = f" <{known}>" if known else ""
    value = value.format(agent=agent, model=model or _MISSING, address=address)
    return f"{key}: {_GAP.sub('', value)}"


def marked_commits(shown: Sequence[Row], known: Row, said: Row) -> list[Row]:
    """Of each commit that is to be marked or was, `of`, which it is, `trailers`, the lines for its
    message, `there`, those of the same keys that it has, and `refused`, those that it has though
    the texts (see `statements`) refuse them.
    """
    found = []
    shown = [row for row in shown if not row["is_for_request"]]
    for work in known["commits"]:
        lines = trailers(shown, work)
        there = [line for line in work["trailers"] if _key_of(line) in map(_key_of, lines)]
        refused = [line for line in work["trailers"] if _key_of(line) in refused_keys(said)]
        of = f"{work['commit'][:9]} {work['subject']}" if work["commit"] else "what is uncommitted"
        row = {"of": of, "trailers": [] if there else lines, "there": there, "refused": refused}
        found += [row] * bool(lines or refused)
    return found


def names(agents: Iterable[tuple[str, str]]) -> str:
    """(agent, model) pairs, the model "" where it is not known, as one text."""
    return ", ".join(f"{agent} ({model})" if model else agent for agent, model in agents)


def tell(known: Row) -> str:
    """A sentence that says which agents took part, and of how many lines that is shown."""
    added = count_of(known["added"], "non-blank added line")
    files = ", ".join(known["parts"])
    if len(known["parts"]) > _FILES:
        files = count_of(len(known["parts"]), "file")
    told = []
    if known["by_agents"]:
        told.append(f"wrote {known['by_agents']:,} of {added} ({files})")
    if known["declared"]:
        told.append(f"took part in commits with {known['declared']:,} of {added}, as they say")
    left = f"; who wrote {known['open']:,} is not known" if known["open"] else ""
    return f"{names(known['agents'])} {' and '.join(told)}{left}."


def fill_template(known: Row, said: Row, shown: Sequence[Row] = ()) -> list[str]:
    """The parts of a pull-request template that are about AI, as they stand. Where an agent is
    known, the boxes that surely fit are ticked, names stand behind the labels that ask for them,
    and a sentence below the first heading about AI.
    """
    part = said["template"]
    if not known["agents"]:
        return [block["text"] for block in part]
    claims = [_claim_of(block["text"]) for block in part if _BOX.match(block["text"])]
    filled = [_fill_entry(block["text"], claims, known) for block in part]
    heads = [row["depth"] < 0 and is_about_ai(row["text"]) for row in part]
    if any(heads):
        filled.insert(heads.index(True) + 1, tell(known))
    return filled + trailers([row for row in shown if row["is_for_request"]], known)


def _fill_entry(entry: str, claims: Sequence[str], known: Row) -> str:
    """A box is ticked where it surely fits: one about kinds of files, or the only one that says
    that AI was used, of the `claims` of all.
    """
    if _BOX.match(entry):
        claim = _claim_of(entry)
        amounts = [name for name in claims if name in ("all", "most", "any")]
        is_true = claim in known["kinds"] or (claim == "any" and amounts == ["any"])
        return _BOX.sub(r"\1[x]", entry) if is_true else entry
    agents = known["agents"]
    asked = _FIELD.match(entry)
    if asked and not asked["both"]:
        agents = [(model if asked["model"] else agent, "") for agent, model in agents]
    told = names(dict.fromkeys(pair for pair in agents if pair[0]))
    return f"{asked['label'].rstrip()} {told}" if asked and told else entry


def _claim_of(entry: str) -> str:
    """What a box says: none, other, all, most, any, a kind of files; "" where that is not plain, or
    where it promises something.
    """
    said = _BOX.sub("", entry.replace("\n", " "))
    if _PROMISE.search(said):
        return ""
    return next((claim for claim, shape in forms()["box"] if re.search(shape, said, re.I)), "")
