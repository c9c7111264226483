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
from attribution.queries.policies import asks_about_ai
from attribution.queries.policy_words import finds, pattern
from collector.checkpoints.statements import statements_in
from collector.files.kinds import kind_of
from collector.json_values import Row
from collector.text import count_of, toml_beside
from collector.vocabulary.agent_names import model_identity
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import LineClass

_PROMISED = " <!-- fits the record: yours to tick, as it promises more -->"
_LINK = re.compile(r"\]\([^)\s]*\)|https?://\S+")
_FILES = 8  # named in a sentence
_BLANK = "____ <!-- yours to say -->"
# What a text may ask for besides who took part, and what is said of it.
_DETAILS = {
    "wants_parts": "Parts: {parts}",
    "wants_how": f"How it was used: {{how}}{_BLANK}",
    "wants_review": f"How a person reviewed and tested it: {_BLANK}",
}
_ASKED = "<!-- -->"  # stands where a comment of a template asks about AI
_PARTS = {"all": 0.95, "most": 0.5, "any": 0.0}  # share of the added lines
_LINES = """
SELECT l.class, COALESCE(s.agent, s.agent_label, c.declared_agent, '') AS agent,
  COALESCE(l.model, s.model, '') AS model, l.path, s.id AS session, l.turn_index AS turn,
  SUM(l.nonblank) AS lines FROM line_spans l
  JOIN commits c ON c.id = l.commit_id LEFT JOIN sessions s ON s.id = l.session_id
WHERE c.repo_id = ? AND c.commit_sha IN (SELECT value FROM json_each(?))
  AND (? = '' OR EXISTS (SELECT 1 FROM commit_files f WHERE f.commit_id = c.id AND f.path = l.path
  AND f.status <> 'A'))
GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY 7 DESC
"""


@cache
def forms() -> dict[str, Any]:
    """`trailer`, name -> text; `account`, agent -> address; `box` and `field`, lists of (what it
    says or what answers it, shape).
    """
    return toml_beside(__file__, "forms.toml")


def work_of_agents(opened: OpenRepo, shas: Sequence[str], tracked: bool = False) -> Row:
    """What the record says of the lines that commits add, files of every kind: `agents` as (name,
    model), most lines first; `lines` by class; `kinds` of the files in which agents wrote; `parts`,
    path -> lines of agents; `prompts`, how many led to them; `refusable`, the commits' own trailers
    that name an agent, as (commit, line).

    `tracked`: only files that git knows.
    """
    values = (opened.repo_id, json.dumps(list(shas)), "tracked" if tracked else "")
    lines, parts = Counter[str](), Counter[str]()
    agents = Counter[tuple[str, str, bool]]()
    prompts = set[tuple[int, int]]()
    for row in opened.store.rows(_LINES, values):
        lines[row["class"]] += row["lines"]
        if row["class"] in (LineClass.AGENT, LineClass.DECLARED) and row["agent"]:
            is_recorded = row["session"] is not None
            agents[label_of(row["agent"]), row["model"], is_recorded] += row["lines"]
            parts[row["path"]] += row["lines"]
            if is_recorded and row["turn"] is not None:
                prompts.add((row["session"], row["turn"]))
    return {
        "agents": _distinct_agents([key for key, _ in agents.most_common()]),
        "lines": lines,
        "kinds": sorted(set(map(kind_of, parts))),
        "parts": dict(parts.most_common()),
        "prompts": len(prompts),
        "added": lines.total(),
        "by_agents": lines[LineClass.AGENT] + lines[LineClass.DECLARED],
        "refusable": [line for sha in shas for line in _trailers_of(opened, sha)],
    }


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


def _trailers_of(opened: OpenRepo, sha: str) -> Iterator[tuple[str, str]]:
    commit = opened.repo.commit(sha)
    for line in commit.message.split("\n") if commit and sha not in opened.unmade else ():
        if finds("line_of_trailer", line) and any(statements_in(f"x\n\n{line}")):
            yield sha, line.strip()


def refused_trailers(said: Row, known: Row) -> list[tuple[str, str]]:
    """Of the trailers that the commits have, those that the texts refuse, as (commit, line)."""
    refused = {row["key"].lower() for row in said["unwanted"]}
    found = known["refusable"]
    return [(sha, line) for sha, line in found if line.partition(":")[0].lower() in refused]


def form_of(said: Row, known: Row) -> dict[str, str]:
    """The form of trailers that the texts show (see `statements`): `name`, `text` with names in
    braces, and `place`, which shows it; all "" for none. Of one for help and one for all of it, the
    share of the lines decides.
    """
    if not said["trailers"]:
        return dict.fromkeys(("name", "text", "place"), "")
    whole = known["by_agents"] >= _PARTS["all"] * known["added"]

    def rank(row: Row) -> tuple[bool, bool, bool]:
        key = row["key"].lower()
        return "author" in key, ("generated" in key) != whole, not row["value"]

    row = min(said["trailers"], key=rank)
    text = f"{row['key']}: {value_like(row['value'], row['key'])}"
    return {"name": row["key"], "text": text, "place": f"{row['path']}:{row['line']}"}


def value_like(shown: str, key: str = "") -> str:
    """What stands behind a trailer's key in a policy, as names in braces."""
    if "author" in key.lower() or "@" in shown:
        return "{both}{address}"
    if literal := finds("any_program", shown):
        return literal[1]
    if between := finds("between", shown):
        return f"{{agent}}{between[1]}{{model}}"
    return "{model}" if finds("model", f"{key} {shown}") else "{both}"


def trailers(form: dict[str, str], known: Row) -> list[str]:
    """The lines that say which agents took part, none where nothing shows one."""
    texts = (form["text"].format(**_words(known, pair)) for pair in known["agents"])
    return list(dict.fromkeys(text.rstrip(":/ ") for text in texts if text))


def names(agents: Sequence[tuple[str, str]]) -> str:
    """(agent, model) pairs, the model "" where it is not known, as one text."""
    return ", ".join(f"{agent} ({model})" if model else agent for agent, model in agents)


def _words(known: Row, *pairs: tuple[str, str]) -> dict[str, str]:
    agents = dict.fromkeys(agent for agent, _ in pairs)
    both = names(pairs)
    accounts = forms()["account"]
    known_accounts = [accounts[agent] for agent in agents if agent in accounts]
    added = count_of(known["added"], "non-blank added line")
    parts = [f"{path} ({count_of(lines, 'line')})" for path, lines in known["parts"].items()]
    if len(parts) > _FILES:
        parts = [count_of(len(parts), "file")]
    prompts = count_of(known["prompts"], "prompt")
    return {
        "agent": ", ".join(agents),
        "model": ", ".join(model for _, model in pairs if model),
        "both": both,
        "told": f"{both} wrote {known['by_agents']:,} of {added}.",
        "parts": ", ".join(parts),
        "how": f"the lines came from {prompts}; " if known["prompts"] else "",
        "address": "".join(f" <{address}>" for address in known_accounts),
    }


def fill_template(known: Row, said: Row) -> list[str]:
    """The part of a pull-request template that is about AI, with what the record knows: boxes
    ticked and fields filled, and a sentence where it has neither or the texts ask for one (see
    `statements`), not in a trailer alone. Nothing is filled in where nothing shows an agent. A box
    that promises more than a record shows is marked, not ticked.
    """
    if not known["agents"]:
        return []
    words = _words(known, *known["agents"])
    part = _part_about_ai(_template_of(said["template"]))
    kept = (line for line in part if finds("box", line) or not finds("denies", line))
    lines = list(map(_strip_example, kept))
    boxes = [_part_of(lines, number) for number in range(len(lines))]
    names_of_boxes = [box for box, _ in boxes]
    fitting = _boxes_that_fit(names_of_boxes, known)
    filled = list(_fill_lines(lines, boxes, fitting, words))
    is_ticked = any(not boxes[number][1] for number in fitting)
    is_promise = {"", *names_of_boxes} == {"", "promise"}
    is_open = bool(lines) and not is_ticked and not is_promise
    asks = [f"{row['lead']} {row['text']}" for row in said["asks"]]
    asks = [text for text in asks if not said["trailers"] or not finds("commits", text)]
    is_told = words["agent"] in "\n".join(filled)
    if not is_told and (asks or is_open):
        filled.append(words["told"])
    return [*filled, *_details(asks, lines, words)]


def _details(asks: Sequence[str], lines: Sequence[str], words: dict[str, str]) -> Iterator[str]:
    """What texts ask for besides who took part and the template has no place for."""
    for name, shape in _DETAILS.items():
        is_wanted = any(finds(name, ask) for ask in asks)
        if is_wanted and not _is_said(name, lines):
            yield shape.format(**words)


def _is_said(detail: str, lines: Sequence[str]) -> bool:
    """Whether the template has a question or a label for it."""
    questions = (line for line in lines if _bare(line).endswith((":", "?")))
    return any(finds(detail, line) for line in questions)


def _template_of(text: str) -> str:
    """A template with the labels of its boxes indented as one, and no comments but those that ask
    about AI, each as a line of its own.
    """

    def keep_question(comment: re.Match[str]) -> str:
        return comment[1] or (f"\n{_ASKED}" if asks_about_ai(comment[0]) else "")

    text = pattern("comment").sub(keep_question, text)
    while (wrapped := pattern("wrapped").sub(r"\1\n  ", text)) != text:
        text = wrapped
    return text


def _fill_lines(
    lines: Sequence[str],
    boxes: Sequence[tuple[str, bool]],
    fitting: Sequence[int],
    words: dict[str, str],
) -> Iterator[str]:
    owner = -1  # the box that a line continues
    for number, line in enumerate(lines):
        is_box = finds("box", line) is not None
        owner = number if is_box else owner if finds("more", line) else -1
        answer = _answer(line).format(**words)
        heading = line.startswith("#")
        below = boxes[number + 1 :] if heading else boxes[number + 1 : number + 2]
        is_asked = bool(answer) and not any(box for box, _ in below)
        if number in fitting and boxes[number][1]:
            yield f"{_complete_label(line, words)}{_PROMISED}"
        elif number in fitting:
            yield _complete_label(pattern("box").sub(r"\1[x]\2\3", line), words)
        elif line == _ASKED:
            yield words["told"]
        elif is_asked and heading:
            yield f"{line}\n{answer}"
        elif is_asked:
            yield f"{line} {answer}"
        elif owner in fitting and finds("goes_on", line):
            yield f"{line} {words['told']}"
        else:
            yield line


def _boxes_that_fit(boxes: Sequence[str], known: Row) -> list[int]:
    """Of the boxes the one that says most of what is so, and those about kinds of files."""
    share = known["by_agents"] / max(known["added"], 1)
    fits = [part for part, least in _PARTS.items() if share >= least and part in boxes]
    kinds = [number for number, part in enumerate(boxes) if part in known["kinds"]]
    return [*kinds, *(boxes.index(part) for part in fits[:1])]


def _strip_example(line: str) -> str:
    """A question without the example that stands where its answer is to be."""
    bare = pattern("placeholder").sub("", line).rstrip()
    return bare if _answer(bare) else line


def _complete_label(line: str, words: dict[str, str]) -> str:
    """A box's line, or one that continues it, with what is to follow its last label."""
    line = pattern("placeholder").sub(words["both"], line)
    if not line.rstrip("*_ ").endswith(":"):
        return line
    label = re.split(r"[.;,(–—] ", line)[-1]
    answer = _answer(label, is_label=True) or "{told}"
    return f"{line.rstrip()} {answer.format(**words)}"


def _part_about_ai(template: str) -> Iterator[str]:
    """The sections whose heading speaks of AI, and the boxes and fields of others that do, without
    empty lines. Bold fields below a heading about AI belong to it.
    """
    heading = ""
    place = ""  # the heading or label above, where it is not about AI
    kept = False
    lines = template.split("\n")
    for number, line in enumerate(lines):
        if line == _ASKED:
            if place:
                yield place
            if not heading:
                yield line
            place = ""
            continue
        about = finds("about_ai", _LINK.sub("", _label_from(lines, number)))
        if finds("heading", line) and not (heading.startswith("#") and line.startswith("**")):
            heading = line if about else ""
        if not finds("more", line):
            is_field = finds("box", line) or _answer(_strip_example(line))
            kept = bool(about and is_field)
        is_kept = bool(heading or kept) and not line.startswith(">")
        if is_kept and line.strip() and not finds("reference", line):
            yield line
        if line.strip():
            place = line if _is_label(line) and not is_kept else ""


def _is_label(line: str) -> bool:
    return finds("heading", line) is not None or _bare(line).endswith((":", "?"))


def _label_from(lines: Sequence[str], number: int) -> str:
    """A line, that of a box with those that continue its label."""
    line = lines[number]
    if not finds("box", line):
        return line
    return "\n".join([line, *takewhile(pattern("more").match, lines[number + 1 :])])


def _part_of(lines: Sequence[str], number: int) -> tuple[str, bool]:
    """What a box and the lines that continue it say, and whether it promises something as well:
    none, promise, other, all, most, any, a kind of files; "" for a line without a box.
    """
    box = finds("box", lines[number])
    if box is None:
        return "", False
    _, *more = _label_from(lines, number).split("\n")
    said = " ".join([box[3], *more])
    promise = finds("promise", said)
    claim = said[: promise.start()] if promise else said
    if promise and (finds("passive", promise[0]) or not finds("about_ai", claim)):
        return "promise", True
    fits = (part for part, shape in forms()["box"] if re.search(shape, claim, re.I))
    return next(fits), promise is not None


def _bare(line: str) -> str:
    """A line without the marks around it, but with the one that ends it."""
    return line.strip("*#-| ").rstrip("*:") + line.strip("*#| ")[-1:]


def _answer(line: str, is_label: bool = False) -> str:
    """What is to follow a question or a label, with names in braces; "" after other lines."""
    bare = _bare(line)
    if not is_label and (finds("box", line) or not bare.endswith((":", "?"))):
        return ""
    return next((value for value, shape in forms()["field"] if re.search(shape, bare, re.I)), "")
