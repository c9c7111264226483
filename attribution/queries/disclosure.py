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
from attribution.queries.policy_words import finds, pattern
from collector.files.kinds import kind_of
from collector.json_values import Row
from collector.text import count_of, toml_beside
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import LineClass

_PROMISED = " <!-- fits the record: yours to tick, as it promises more -->"
_PARTS = {"all": 0.95, "most": 0.5, "any": 0.0}  # share of the added lines
_LINES = """
SELECT l.class, l.reason, COALESCE(s.agent, s.agent_label, c.declared_agent, '') AS agent,
  COALESCE(l.model, s.model, '') AS model, l.path, SUM(l.nonblank) AS lines FROM line_spans l
  JOIN commits c ON c.id = l.commit_id LEFT JOIN sessions s ON s.id = l.session_id
WHERE c.repo_id = ? AND c.commit_sha IN (SELECT value FROM json_each(?))
  AND (? = '' OR EXISTS (SELECT 1 FROM commit_files f WHERE f.commit_id = c.id AND f.path = l.path
  AND f.status <> 'A'))
GROUP BY 1, 2, 3, 4, 5 ORDER BY 6 DESC
"""


@cache
def forms() -> dict[str, Any]:
    """`trailer`, name -> text; `account`, agent -> address; `box` and `field`, lists of (what it
    says or what answers it, shape).
    """
    return toml_beside(__file__, "forms.toml")


def work_of_agents(opened: OpenRepo, shas: Sequence[str], tracked: bool = False) -> Row:
    """What the record says of the lines that commits add, files of every kind: `agents` as (name,
    model), most lines first; `lines` by class; `kinds` of the files in which agents wrote.

    `tracked`: only files that git knows.
    """
    values = (opened.repo_id, json.dumps(list(shas)), "tracked" if tracked else "")
    lines, agents = Counter[str](), Counter[tuple[str, str]]()
    kinds: set[str] = set()
    for row in opened.store.rows(_LINES, values):
        lines[row["class"]] += row["lines"]
        if row["class"] in (LineClass.AGENT, LineClass.DECLARED) and row["agent"]:
            agents[label_of(row["agent"]), row["model"]] += row["lines"]
            kinds.add(kind_of(row["path"]))
    named = {agent for agent, model in agents if model}
    return {
        "agents": [pair for pair, _ in agents.most_common() if pair[1] or pair[0] not in named],
        "lines": lines,
        "kinds": sorted(kinds),
        "added": lines.total(),
        "by_agents": lines[LineClass.AGENT] + lines[LineClass.DECLARED],
    }


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
    added = count_of(known["added"], "added line")
    return {
        "agent": ", ".join(agents),
        "model": ", ".join(model for _, model in pairs if model),
        "both": both,
        "told": f"{both} wrote {known['by_agents']:,} of {added}.",
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
    part = _part_about_ai(pattern("comment").sub(r"\1", said["template"]))
    kept = (line for line in part if finds("box", line) or not finds("denies", line))
    lines = list(map(_strip_example, kept))
    boxes = [_part_of(lines, number) for number in range(len(lines))]
    names_of_boxes = [box for box, _ in boxes]
    fitting = _boxes_that_fit(names_of_boxes, known)
    filled = list(_fill_lines(lines, boxes, fitting, words))
    is_ticked = any(not boxes[number][1] for number in fitting)
    is_promise = {"", *names_of_boxes} == {"", "promise"}
    is_open = bool(lines) and not is_ticked and not is_promise
    asks = (row["text"] for row in said["asks"])
    is_asked = any(not said["trailers"] or not finds("commits", text) for text in asks)
    is_told = words["agent"] in "\n".join(filled)
    if is_told or not (is_asked or is_open):
        return filled
    return [*filled, words["told"]]


def _fill_lines(
    lines: Sequence[str],
    boxes: Sequence[tuple[str, bool]],
    fitting: Sequence[int],
    words: dict[str, str],
) -> Iterator[str]:
    for number, line in enumerate(lines):
        answer = _answer(line).format(**words)
        heading = line.startswith("#")
        below = boxes[number + 1 :] if heading else boxes[number + 1 : number + 2]
        is_asked = bool(answer) and not any(box for box, _ in below)
        if number in fitting and boxes[number][1]:
            yield f"{line}{_PROMISED}"
        elif number in fitting:
            yield _tick(line, words)
        elif is_asked and heading:
            yield f"{line}\n{answer}"
        elif is_asked:
            yield f"{line} {answer}"
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


def _tick(box: str, words: dict[str, str]) -> str:
    line = pattern("placeholder").sub(words["both"], pattern("box").sub(r"\1[x]\2\3", box))
    return f"{line} {words['told']}" if line.endswith(":") else line


def _part_about_ai(template: str) -> Iterator[str]:
    """The sections whose heading speaks of AI, and the boxes and fields of others that do, without
    empty lines. Bold fields below a heading about AI belong to it.
    """
    heading, kept = "", False
    for line in template.split("\n"):
        about = finds("about_ai", line) is not None
        if finds("heading", line) and not (heading.startswith("#") and line.startswith("**")):
            heading = line if about else ""
        if not finds("more", line):
            kept = about and bool(finds("box", line) or _answer(_strip_example(line)))
        if (heading or kept) and line.strip() and not finds("reference", line):
            yield line


def _part_of(lines: Sequence[str], number: int) -> tuple[str, bool]:
    """What a box and the lines that continue it say, and whether it promises something as well:
    none, promise, other, all, most, any, a kind of files; "" for a line without a box.
    """
    box = finds("box", lines[number])
    if box is None:
        return "", False
    more = takewhile(pattern("more").match, lines[number + 1 :])
    said = " ".join([box[3], *more])
    promise = finds("promise", said)
    claim = said[: promise.start()] if promise else said
    if promise and not finds("about_ai", claim):
        return "promise", True
    fits = (part for part, shape in forms()["box"] if re.search(shape, claim, re.I))
    return next(fits), promise is not None


def _answer(line: str) -> str:
    """What is to follow a question or a label, with names in braces; "" after other lines."""
    bare = line.strip("*#-| ").rstrip("*:") + line.strip("*#| ")[-1:]
    if finds("box", line) or not bare.endswith((":", "?")):
        return ""
    return next((value for value, shape in forms()["field"] if re.search(shape, bare, re.I)), "")
