"""What a project asks contributors to say about AI, filled in from the record: trailers, the part
of a pull-request template, a header for a new file. What nothing shows is not stated.
"""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from attribution.queries.open_repo import OpenRepo
from collector.json_values import Row
from collector.text import count_of, decode
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import LineClass

_TEMPLATE = re.compile(r"(?:^|/)pull_request_template(?:\.\w+|/[^/]+)?$", re.I)
_POLICY = re.compile(
    r"(?:^|/)(?:contributing|agents|hacking|coding-assistants|submitting-patches"
    r"|(?:[\w-]*[-_])?ai(?:[-_ ]\w*)*|aipolicy|aitoolpolicy|\w*generative[\w-]*)"
    r"\.(?:md|rst|txt|adoc)$",
    re.I,
)
_DEEP, _LARGE = 4, 200_000  # directories in a path of a policy, bytes of one
_ABOUT_AI = re.compile(
    r"\bA\.?I\b|\bLLMs?\b|\bgen(?:erative)?[ -]?AI\b|generative|\bcopilot\b", re.I
)
_REFUSED = re.compile(r"\b(?:not|never|instead of|forbidden|prohibit\w*)\b", re.I)
_BOX = re.compile(r"^(\s*(?:[-*]\s*)?)\[ ?\](\s*)(.*)$")
_HEADING = re.compile(r"^#{1,6} |^\*\*.*\*\*:?\s*$|^-{3,}$")
_PLACEHOLDER = re.compile(r"<[a-z][^<>]*>|\[(?:tool|name|agent|fill)[^\]]*\]", re.I)
_COMMENT = re.compile(r"<!--.*?-->", re.S)
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
    return tomllib.loads(Path(__file__).with_name("forms.toml").read_text("utf-8"))


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
        "lines": dict(lines),
        "added": lines.total(),
        "by_agents": lines[LineClass.AGENT] + lines[LineClass.DECLARED],
    }


def find_form(opened: OpenRepo, sha: str) -> tuple[dict[str, Any] | None, str, str]:
    """The form of trailers that the policies of a commit show (None for none), the path that shows
    it, and the text of the pull-request template ("" for none).
    """
    paths = sorted(opened.repo.paths(sha), key=lambda path: (path.count("/"), path))
    template = next((path for path in paths if _TEMPLATE.search(path)), "")
    text = _text(opened, sha, template) if template else ""
    policies = (path for path in paths if _POLICY.search(path) and path.count("/") < _DEEP)
    for path in (*policies, *([template] if template else ())):
        if found := trailer_in(_text(opened, sha, path)):
            return found, path, text
    return None, "", text


def _text(opened: OpenRepo, sha: str, path: str) -> str:
    oid = opened.repo.file_at(sha, path)
    data = opened.repo.blob(oid) if oid is not None else None
    return decode((data or b"")[:_LARGE])


def trailer_in(policy: str) -> dict[str, Any] | None:
    """The form of trailers that a policy asks for, most telling first; a line that refuses one
    does not ask for it.
    """
    lines = [line for line in policy.split("\n") if not _REFUSED.search(line)]
    for form in forms()["trailer"]:
        for line in lines:
            if found := re.search(f"([\\w-]*){form['shape']}", line, re.I):
                return form | {"text": found[1] + form["text"]}  # also AI-assisted-by
    return None


def form_named(name: str) -> dict[str, Any] | None:
    return next((form for form in forms()["trailer"] if form["name"] == name), None)


def trailers(form: dict[str, Any], known: Row) -> list[str]:
    """The lines that say which agents took part, none where nothing shows one."""
    texts = (str(form["text"]).format(**_words(known, pair)) for pair in known["agents"])
    return list(dict.fromkeys(text.rstrip(":/ ") for text in texts))


def _address(agent: str) -> str:
    """The one that a vendor's own statements have; "" where none is known."""
    of = next((entry for entry in forms()["account"] if entry["agent"] == agent), None)
    return str(of["address"]) if of is not None else ""


def _words(known: Row, *pairs: tuple[str, str]) -> dict[str, str]:
    both = [f"{agent} ({model})" if model else agent for agent, model in pairs]
    agents = ", ".join(dict.fromkeys(agent for agent, _ in pairs))
    how = f"It wrote {known['by_agents']:,} of {count_of(known['added'], 'added line')}."
    return {
        "agent": agents,
        "model": ", ".join(model for _, model in pairs if model),
        "both": ", ".join(both),
        "yes": f"Yes: {', '.join(both)}",
        "how": how,
        "told": f"{', '.join(both)}. {how}",
        "address": "".join(f" <{_address(agent)}>" for agent, _ in pairs[:1] if _address(agent)),
    }


def fill_template(template: str, known: Row) -> list[str]:
    """The part of a pull-request template that is about AI, with what the record knows: boxes
    ticked and fields filled. As it is where nothing shows an agent; [] where no part is.
    """
    lines = _part_about_ai(_COMMENT.sub(_form_in, template))
    if not known["agents"] or not lines:
        return lines
    share = known["by_agents"] / max(known["added"], 1)
    emptied = [_PLACEHOLDER.sub("", line).rstrip() for line in lines]
    lines = [bare if _field(bare) else line for bare, line in zip(emptied, lines, strict=True)]
    parts = {number: part for number, line in enumerate(lines) if (part := _part_of(line))}
    fits = [n for n, part in parts.items() if part in _PARTS and share >= _PARTS[part]]
    ticked = max(fits, key=lambda n: (_PARTS[parts[n]], -n), default=None)
    words = _words(known, *known["agents"])
    fields = {n for n, line in enumerate(lines) if not line.startswith("#") and _field(line)}
    for number, line in enumerate(lines):
        if number == ticked:
            lines[number] = _tick(line, words)
        elif number in fields or not (fields or parts):
            lines[number] = _with_value(line, words)
    return lines


def _tick(box: str, words: dict[str, str]) -> str:
    value = words["told"] if "[fill" in box.lower() else words["both"]
    line = _PLACEHOLDER.sub(value, _BOX.sub(r"\1[x]\2\3", box))
    return f"{line} {words['told']}" if line.endswith(":") else line


def _form_in(comment: re.Match[str]) -> str:
    """A comment is an instruction, of which a form that is to be filled in is left."""
    asked = re.search(r"(?:generated|assisted)-by:.*", comment[0], re.I)
    return asked[0] if asked and "\n" in comment[0] else ""


def _part_about_ai(template: str) -> list[str]:
    """The sections whose heading or lines speak of AI, without empty lines."""
    sections: list[list[str]] = [[]]
    for line in template.split("\n"):
        if _HEADING.match(line) and not (line.startswith("**") and _is_open(sections[-1])):
            sections.append([])
        sections[-1].append(line)
    about = (s for s in sections if any(_ABOUT_AI.search(line) for line in s))
    return [line for section in about for line in _only_ai(section) if line.strip()]


def _is_open(section: Sequence[str]) -> bool:
    """Bold fields below a heading about AI belong to it."""
    return bool(section) and section[0].startswith("#") and bool(_ABOUT_AI.search(section[0]))


def _only_ai(section: Sequence[str]) -> Iterator[str]:
    """All of a section that is about AI; of a list of other things, the boxes about it."""
    if not section[0] or _ABOUT_AI.search(section[0]):
        return iter(section)
    return (line for line in section if _ABOUT_AI.search(line) or line.startswith((" ", "\t")))


def _part_of(line: str) -> str:
    """What a box says: none, promise, all, most, any; "" for a line without one."""
    box = _BOX.match(line)
    if box is None:
        return ""
    return next(str(f["part"]) for f in forms()["box"] if re.search(f["shape"], box[3], re.I))


def _field(line: str) -> dict[str, Any] | None:
    """The form of a question or a label that is to be followed by an answer."""
    bare = line.strip().strip("*#- ").rstrip("*:") + line.strip().strip("*# ")[-1:]
    if _BOX.match(line) or (bare.lower().startswith("if ") and not bare.endswith(":")):
        return None
    found = (form for form in forms()["field"] if re.search(form["shape"], bare, re.I))
    form = next(found, None)
    if form is None or "text" in form:
        return form
    return form if form["value"] and bare.endswith((":", "?")) else None


def _with_value(line: str, words: dict[str, str]) -> str:
    form = _field(line)
    if form is None:
        return line
    if "text" in form:
        return str(form["text"]).format(**words)
    value = str(form["value"]).format(**words)
    return f"{line}\n{value}" if line.startswith("#") else f"{line.rstrip()} {value}"
