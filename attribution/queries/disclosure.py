"""What a project asks contributors to say about AI, filled in from the record: trailers, the part
of a pull-request template, a header for a new file. What nothing shows is not stated.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import takewhile
from typing import Any

from attribution.queries.open_repo import OpenRepo
from collector.json_values import Row
from collector.text import count_of, decode, toml_beside
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import LineClass

_TEMPLATE = re.compile(r"(?:^|/)pull_request_template(?:\.\w+|/[^/]+)?$", re.I)
_POLICY = re.compile(
    r"^(?:[^/]+/){0,3}(?:contributing|agents|hacking|coding-assistants|submitting-patches"
    r"|(?:[\w-]*[-_])?ai(?:[-_ ]\w*)*|aipolicy|aitoolpolicy|\w*generative[\w-]*)"
    r"\.(?:md|rst|txt|adoc)$",
    re.I,
)
_LARGE = 200_000  # bytes of a policy
_ABOUT_AI = re.compile(
    r"\bA\.?I\b|\bLLMs?\b|\bgen(?:erative)?[ -]?AI\b|generative|\bcopilot\b", re.I
)
_REFUSED = re.compile(
    r"^\W*no\s|\b(?:not|never|don.t|instead of|rather than"
    r"|(?:forbid|prohibit|disallow|avoid|bann)\w*)\b",
    re.I,
)
# Where a sentence that asks for one trailer begins to refuse another.
_CLAUSE = re.compile(
    r"(?i)\n|[.;]\s+|,\s+(?=(?:(?:but|and|do) )*(?:not?|never|don.t)\b)"
    r"|\b(?=(?:instead of|rather than)\b)"
)
# A sentence that refuses all that was made with AI; it has no word that makes it one about some, or
# about talk.
_FORBIDS = re.compile(
    r"(?is)(?=.*\b(?:contribut\w+|code|pull requests?|PRs?|patch\w*|changes|submi\w+|commits?"
    r"|project|content)\b)(?!.*\b(?:(?!strictly|explicitly)\w*ly|un\w+|without|unless|if|before|paste"
    r"|comments?\b(?! or|,)|descriptions?|haven.t|first|required?|need|trailer|co-authored-by"
    r"|signed-off-by|disclos\w+|understand|speak|respond\w*|repl(?:y|ies)|answers?|gate)\b)"
    r".*(?:\b(?:(?:does|do|must|may|can|will)\W{1,3}not|don.t|never|cannot|forbids?|prohibits?"
    r"|bans?)\b.{0,60}\b(?:(?<!-)AI\b|LLMs?\b|large\slanguage|generative)"
    r"|\b(?:AI|LLMs?)\b.{0,60}\b(?:not\s(?:be\s)?(?:accepted|allowed|permitted|welcome)"
    r"|prohibited|forbidden|banned)\b)"
)
_SENTENCE = re.compile(r"(?<=[.!?])\**\s+|\n\s*\n")
_BOX = re.compile(r"(?i)^(\s*(?:(?:[-*+]|\d+\.)\s*)?)\[[ x]?\](\s*)(.*)$")
_MORE = re.compile(r"\s+[^\s*+\[\d-]")  # continues the item above
_HEADING = re.compile(r"^#{1,6} |^\*\*.*\*\*:?\s*$|^-{3,}$")
_PLACEHOLDER = re.compile(
    r"(?<=-by: ).+|(?<=\|)[^|]+\|$|<[a-z][^<>]*>|\{[^{}]*\}|_{3,}"
    r"|\[(?:tool|name|agent|model|llm|fill|e\.g\.)[^\]]*\](?!\()"
    r"|\b(?:N/A|yes ?/ ?no)$",
    re.I,
)
_COMMENT = re.compile(r"<!--.*?--!?>", re.S)
_ASKS = re.compile(
    r"(?i)\b(?:(?:disclos|describ|indicat|declar)(?:e|ed|ing)|explain|specify|let us know)\b"
)
# An answer that is there already, and is not so where an agent took part.
_DENIES = re.compile(
    r"(?i)[\W_]*(?:none|n/a|no|not applicable|(?:no|i did not use|without)(?: any)? (?:AI|LLMs?)"
    r"(?: tools?)?(?: (?:was|were))?(?: used)?)[\W_]*$"
)
_ASKED = "<!-- AI: describe -->"  # what is left of a comment that asks about AI
_ALL, _MOST = 0.95, 0.5  # share of the added lines
_PARTS = {"all": _ALL, "most": _MOST, "any": 0.0}
_LINES = """
SELECT l.class, l.reason, COALESCE(s.agent, s.agent_label, c.declared_agent, '') AS agent,
  COALESCE(l.model, s.model, '') AS model, SUM(l.nonblank) AS lines FROM line_spans l
  JOIN commits c ON c.id = l.commit_id LEFT JOIN sessions s ON s.id = l.session_id
WHERE c.repo_id = ? AND c.commit_sha IN (SELECT value FROM json_each(?))
  AND (? = '' OR EXISTS (SELECT 1 FROM commit_files f WHERE f.commit_id = c.id AND f.path = l.path
  AND f.status <> 'A'))
GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC
"""


@cache
def forms() -> dict[str, list[dict[str, Any]]]:
    """`trailer`, `account`, `box` and `field`, each with its source and the date of that."""
    return toml_beside(__file__, "forms.toml")


def work_of_agents(opened: OpenRepo, shas: Sequence[str], tracked: bool = False) -> Row:
    """What the record says of the lines that commits add, files of every kind: `agents` as (name,
    model), most lines first; `lines` by class.

    `tracked`: only files that git knows.
    """
    values = (opened.repo_id, json.dumps(list(shas)), "tracked" if tracked else "")
    lines, agents = Counter[str](), Counter[tuple[str, str]]()
    for row in opened.store.rows(_LINES, values):
        lines[row["class"]] += row["lines"]
        if row["class"] in (LineClass.AGENT, LineClass.DECLARED) and row["agent"]:
            agents[label_of(row["agent"]), row["model"]] += row["lines"]
    named = {agent for agent, model in agents if model}
    return {
        "agents": [pair for pair, _ in agents.most_common() if pair[1] or pair[0] not in named],
        "lines": lines,
        "added": lines.total(),
        "by_agents": lines[LineClass.AGENT] + lines[LineClass.DECLARED],
    }


def find_form(opened: OpenRepo, sha: str) -> tuple[dict[str, Any] | None, str, str, str]:
    """The form of trailers that the policies of a commit show (None for none), the path that shows
    it, the text of the pull-request template ("" for none), and the sentence with which a policy
    refuses what was made with AI ("" for none).
    """
    paths = sorted(opened.repo.paths(sha), key=lambda path: (path.count("/"), path))
    templates = list(filter(_TEMPLATE.search, paths))[:1]
    policies = list(filter(_POLICY.search, paths))
    text = "".join(_text(opened, sha, path) for path in templates)
    refused = refusal_in("\n\n".join([*(_text(opened, sha, path) for path in policies), text]))
    for path in (*policies, *templates):
        if found := trailer_in(_text(opened, sha, path)):
            return found, path, text, refused
    return None, "", text, refused


def refusal_in(policy: str) -> str:
    """The first sentence that refuses what was made with AI, whatever it is; "" without one."""
    refused = filter(_FORBIDS.match, _SENTENCE.split(policy))
    return " ".join(next(refused, "").split())


def _text(opened: OpenRepo, sha: str, path: str) -> str:
    oid = opened.repo.file_at(sha, path)
    data = opened.repo.blob(oid) if oid is not None else None
    return decode((data or b"")[:_LARGE])


def trailer_in(policy: str) -> dict[str, Any] | None:
    """The form of trailers that a policy asks for, most telling first; a clause that refuses
    one does not ask for it.
    """
    asked = [clause for clause in _CLAUSE.split(policy) if not _REFUSED.search(clause)]
    for form in forms()["trailer"]:
        for clause in asked:
            if found := re.search(f"([\\w-]*)(?:{form['shape']})", clause, re.I):
                return form | {"text": found[1] + form["text"]}  # also AI-assisted-by
    return None


def form_named(name: str) -> dict[str, Any] | None:
    return next((form for form in forms()["trailer"] if form["name"] == name), None)


def trailers(form: dict[str, Any], known: Row) -> list[str]:
    """The lines that say which agents took part, none where nothing shows one."""
    texts = (form["text"].format(**_words(known, pair)) for pair in known["agents"])
    return list(dict.fromkeys(text.rstrip(":/ ") for text in texts))


def _address(agent: str) -> str:
    """The one that a vendor's own statements have, in brackets; "" where none is known."""
    known = (entry for entry in forms()["account"] if entry["agent"] == agent)
    return "".join(f" <{entry['address']}>" for entry in known)


def names(agents: Sequence[tuple[str, str]]) -> str:
    """(agent, model) pairs, the model "" where it is not known, as one text."""
    return ", ".join(f"{agent} ({model})" if model else agent for agent, model in agents)


def _words(known: Row, *pairs: tuple[str, str]) -> dict[str, str]:
    agents = dict.fromkeys(agent for agent, _ in pairs)
    both = names(pairs)
    how = f"It wrote {known['by_agents']:,} of {count_of(known['added'], 'added line')}."
    return {
        "agent": ", ".join(agents),
        "model": ", ".join(model for _, model in pairs if model),
        "both": both,
        "how": how,
        "told": f"{both}. {how}",
        "address": "".join(map(_address, agents)),
    }


def fill_template(template: str, known: Row) -> list[str]:
    """The part of a pull-request template that is about AI, with what the record knows: boxes
    ticked and fields filled, or a sentence below where it has neither; that sentence alone where no
    part is, as a policy may ask for it. Nothing is filled in where nothing shows an agent.
    """
    asked = _part_about_ai(_COMMENT.sub(_form_in, template))
    lines = [_BOX.sub(r"\1[ ]\2\3", line) for line in asked if line != _ASKED]
    if not known["agents"]:
        return lines
    words = _words(known, *known["agents"])
    if not asked:
        return [words["told"]]
    lines = [_strip_example(line) for line in lines if _BOX.match(line) or not _DENIES.match(line)]
    parts = [_part_of(lines, number) for number in range(len(lines))]
    ticked = _box_that_fits(parts, known["by_agents"] / max(known["added"], 1))
    for number, line in enumerate(lines):
        answer = _answer(line).format(**words)
        heading = line.startswith("#")
        if number == ticked:
            lines[number] = _tick(line, words)
        elif answer and not (heading and any(parts)):
            lines[number] = f"{line}\n{answer}" if heading else f"{line} {answer}"
    nowhere = ticked is None and {*parts, ""} != {"promise", ""}
    asks = nowhere or _ASKS.search("\n".join(asked))
    return [*lines, words["told"]] if asks and words["agent"] not in "\n".join(lines) else lines


def _box_that_fits(parts: Sequence[str], share: float) -> int | None:
    """Of the boxes the one that says most of what is so."""
    fits = [number for number, part in enumerate(parts) if share >= _PARTS.get(part, 2)]
    return max(fits, key=lambda number: _PARTS[parts[number]], default=None)


def _strip_example(line: str) -> str:
    """A question without the example that stands where its answer is to be."""
    bare = _PLACEHOLDER.sub("", line).rstrip()
    return bare if _answer(bare) else line


def _tick(box: str, words: dict[str, str]) -> str:
    value = words["told"] if "[fill" in box.lower() else words["both"]
    line = _PLACEHOLDER.sub(value, _BOX.sub(r"\1[x]\2\3", box))
    return f"{line} {words['told']}" if line.endswith(":") else line


def _form_in(comment: re.Match[str]) -> str:
    """A comment is an instruction, of which a form that is to be filled in is left."""
    form = re.search(r"(?:generated|assisted)-by:", comment[0], re.I)
    if form and "\n" in comment[0]:
        return form[0]
    asks = (_ABOUT_AI.search(line) for line in comment[0].split("\n") if _ASKS.search(line))
    return f"\n{_ASKED}\n" if any(asks) else ""


def _part_about_ai(template: str) -> list[str]:
    """The sections whose heading or lines speak of AI, without empty lines."""
    sections: list[list[str]] = [[]]
    for line in template.split("\n"):
        if _HEADING.match(line) and not (line.startswith("**") and _is_open(sections[-1])):
            sections.append([])
        sections[-1].append(line)
    about = (s for s in sections if _ABOUT_AI.search("\n".join(s)))
    return [line for section in about for line in _only_ai(section) if line.strip()]


def _is_open(section: Sequence[str]) -> bool:
    """Bold fields below a heading about AI belong to it."""
    return bool(section and section[0].startswith("#") and _ABOUT_AI.search(section[0]))


def _only_ai(section: Sequence[str]) -> Iterator[str]:
    """All of a section that is about AI; of a list of other things, the boxes about it."""
    if not section[0] or _ABOUT_AI.search(section[0]):
        return iter(section)
    return (line for line in section if _ABOUT_AI.search(line) or line.startswith((" ", "\t")))


def _part_of(lines: Sequence[str], number: int) -> str:
    """What a box and the lines that continue it say: none, promise, other, all, most, any; "" for
    a line without one.
    """
    box = _BOX.match(lines[number])
    if box is None:
        return ""
    said = [
        str(next(form["part"] for form in forms()["box"] if re.search(form["shape"], text, re.I)))
        for text in (box[3], *takewhile(_MORE.match, lines[number + 1 :]))
    ]
    return "promise" if "promise" in said else said[0]


def _answer(line: str) -> str:
    """What is to follow a question or a label, with names in braces; "" after other lines."""
    bare = line.strip("*#-| ").rstrip("*:") + line.strip("*#| ")[-1:]
    ends = bare.endswith((":", "?") if not bare.lower().startswith("if ") else ":")
    found = (
        str(form["value"]) for form in forms()["field"] if re.search(form["shape"], bare, re.I)
    )
    return next(found, "") if ends and not _BOX.match(line) else ""
