"""What the texts of a project say about AI in contributions: sentences as they stand, each with its
place, the trailers that they show and the template for pull requests.

Only what is plain is told apart: a refusal of all that AI makes, a wish to be told. Everything else
is quoted, to be read.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from attribution.queries import policy_words as words
from attribution.queries.open_repo import OpenRepo
from collector.json_values import Row
from collector.text import decode

_LARGE = 200_000  # bytes of a text
_HEADING = re.compile(r"^(#{1,6}) ")
_UNDERLINE = re.compile(r"^([=\-~^\"*#+])\1{2,}\s*$")
_UNREAD = re.compile(r"\s*\.\. (?:\w+::|.*:\s*$)|\[[^\]]+\]:\s|([=\-~^\"*#+])\1{2,}\s*$")
_BOX = re.compile(r"\s*\[[ x]?\]", re.I)
_FENCE = re.compile(r"\s*(?:```|~~~)")
_BEGINS = re.compile(
    r"\s*(?:$|(?:[-*+•]|\d+[.)]|\|) |>|<!--|\[[ x]?\]|\.\. |[\w-]+-by:|([=\-~^\"*#+])\1{2,}\s*$)",
    re.I,
)
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s|^\s*\|")
_MARKUP = re.compile(
    r"^(?:\s|>|<!--|#+ |\[![A-Z]+\]|\||[-*+•](?=\s)|\d+[.)](?=\s))+|\s*--!?>|\*\*|\s*\|\s*$"
)
_END = re.compile(r"(?<!e\.g\.)(?<!i\.e\.)(?<=[.!?])[\"”)*_]*\s+(?=[^\sa-z])")
_TARGET = re.compile(r"\]\([^)\s]*\)|https?://\S+")


# What leads to a passage (sentences that end with a colon), the headings above it, its sentences,
# each with the line where it begins, and whether they are lines of code.
Passage = tuple[str, str, list[tuple[int, str]], bool]


def statements(opened: OpenRepo, sha: str) -> Row:
    """What a commit's texts say about AI: `refuses` (all that it makes), `asks` (to be told, or for
    a sign), `says` (everything else) and `own_words` (where texts are to be a person's own):
    sentences as {path, line, lead, text}; `trailers` and `unwanted`, those shown and those refused,
    with key and value; `template`, the text for pull requests, and its `template_path`.
    """
    known = opened.repo.paths(sha)
    order = [path for path in known if not words.FOREIGN.search(path)]
    order.sort(key=lambda path: (path.count("/"), path))
    said: Row = {kind: [] for kind in ("refuses", "asks", "says", "own_words", "trailers")}
    said |= {"unwanted": [], "template": "", "template_path": ""}
    for shape in (words.TEMPLATE, words.POLICY, words.GENERAL):
        paths = [path for path in order if shape.search(path)]
        order = [path for path in order if path not in paths]
        for path in paths:
            data = opened.repo.blob(known[path]) or b""
            text = decode(data[:_LARGE]).replace("\r\n", "\n")
            if shape is words.TEMPLATE and not said["template"]:
                said |= {"template": text, "template_path": path}
            if words.ABOUT_AI.search(text) or words.TRAILER.search(text):
                read_policy(text, path, said, shape is words.GENERAL)
    refused = {row["key"].lower() for row in said["unwanted"]}
    said["trailers"] = [row for row in said["trailers"] if row["key"].lower() not in refused]
    return said


def read_policy(text: str, path: str, said: Row, general: bool = False) -> None:
    """Adds what a text says, see `statements`; `general`: it speaks of more than contributions."""
    for_agents = words.FOR_AGENTS.search(path) is not None
    for lead, above, sentences, is_code in _passages(text):
        told = is_about_ai(above) and (not general or words.TELLS.search(above))
        whole = " ".join([lead, *(sentence for _, sentence in sentences)])
        subject = bool(told) or is_about_ai(whole)
        place = {"path": path, "lead": lead}
        rows: list[Row] = [place | {"line": line, "text": text} for line, text in sentences]
        if words.TRAILER.search(whole):
            for row in rows:
                _add_trailers(row, subject or for_agents, is_code, said)
        in_box = path == said["template_path"] and _BOX.match(whole)
        if subject and not is_code and not in_box:
            _quote(rows, above, general, said)


def _quote(rows: Sequence[Row], above: str, general: bool, said: Row) -> None:
    """Adds a passage from its first sentence that counts, by the one that counts most."""
    kinds = [_kind_of(row, above, general) for row in rows]
    order = ("asks", "refuses", "says")  # what goes on to ask is no refusal of all
    found = [kind for kind in order if kind in kinds]
    if not found:
        return
    first = next(number for number, kind in enumerate(kinds) if kind)
    text = " ".join(row["text"] for row in rows[first:])
    quoted = rows[first] | {"text": text}
    known = said[found[0]]
    if all(row["text"] != text for row in known):  # a text may have copies
        known.append(quoted)
    if words.OWN_WORDS.search(text) and not general:
        said["own_words"].append(quoted)


def _kind_of(row: Row, above: str, general: bool) -> str:
    """refuses, asks or says; "" for a sentence that is about something else."""
    said = f"{row['lead']} {row['text']}"
    contributed = words.CONTRIBUTED.search(f"{said} {above}")
    if (general or words.ELSEWHERE.search(said)) and not contributed:
        return ""
    refuses = is_about_ai(row["text"]) and words.REFUSES.search(said)
    if refuses and words.WORK.search(said) and not words.SOME.search(said):
        return "refuses"
    is_wish = words.TELLS.search(said) or words.SIGNS.search(said)
    if is_wish and words.MUST.search(said) and not words.NEED_NOT.search(said):
        return "asks"
    is_rule = refuses or is_wish or (words.RULES.search(said) and not general)
    is_listed = is_about_ai(above) and words.REFUSES.search(above)
    return "says" if is_listed or (is_rule and is_about_ai(said)) else ""


def is_about_ai(text: str) -> bool:
    return words.ABOUT_AI.search(_TARGET.sub(" ", text)) is not None


def _add_trailers(row: Row, about: bool, is_code: bool, said: Row) -> None:
    """The trailers that a sentence or a line of code shows. A clause that refuses one does not ask
    for it.
    """
    text = row["text"]
    asks = is_code or row["lead"] or words.MUST.search(text) or words.SIGNS.search(text)
    lead = words.CLAUSE.split(row["lead"])[-1]
    for clause in words.CLAUSE.split(text):
        for match in words.TRAILER.finditer(clause):
            shown = match[3] if match[2] else ""
            value = (shown or "").strip(" .,;*)")
            trailer = row | {"key": match[1], "value": value}
            if not about and not words.NAMED.search(value):
                continue
            if words.UNWANTED.search(f"{lead} {clause[: match.start()]}"):
                if not re.search(r"\d", value):  # else one value of it is refused
                    said["unwanted"].append(trailer)
            elif asks:
                said["trailers"].append(trailer)


def _passages(text: str) -> Iterator[Passage]:
    """The paragraphs, list items, blocks of code and headings of a text."""
    headings: dict[int, str] = {}
    leads: list[tuple[int, str]] = []  # with how deep they stand
    before = (0, "")  # depth and last sentence of the block before
    for level, block, is_code in _blocks(text):
        row = block[0][1]
        sentences = _sentences(block, is_code)
        last = sentences[-1][1].rstrip("*_ ") if sentences else ""
        indent = len(row) - len(row.lstrip(" \t>"))
        depth = 2 * indent + bool(_ITEM.match(row))
        ends = last.endswith(":") and not is_code
        if not is_code and before not in leads:
            leads = [known for known in leads if known[0] < depth]
        above = " / ".join(headings.values())
        if not level or words.REFUSES.search(last):
            lead = " ".join(lead for _, lead in leads)
            yield lead, above, sentences, is_code
        before = (depth, last)
        if level:
            headings = {known: name for known, name in headings.items() if known < level}
            headings[level] = last
            leads = []
        elif ends:
            leads.append(before)


def _blocks(text: str) -> Iterator[tuple[int, list[tuple[int, str]], bool]]:
    """Level of a heading or 0, the lines with their numbers, and whether they are code."""
    block: list[tuple[int, str]] = []
    underlines: list[str] = []  # characters below headings, as they appear: the levels
    is_code = False
    rows = [*text.split("\n"), "", ""]
    for number, row in enumerate(rows[:-1], 1):
        fence = _FENCE.match(row)
        level = 0 if is_code else _level(row, rows[number], underlines)
        if block and (fence or level or (not is_code and _BEGINS.match(row))):
            yield 0, block, is_code
            block = []
        if level:
            yield level, [(number, row)], False
        elif fence:
            is_code = not is_code
        elif row.strip() and not _UNREAD.match(row):
            block.append((number, row))


def _level(row: str, following: str, underlines: list[str]) -> int:
    """Of a heading; 0 for another line. `underlines`: see `_blocks`."""
    if marked := _HEADING.match(row):
        return len(marked[1])
    line = _UNDERLINE.match(following)
    if not line or _BEGINS.match(row):
        return 0
    if line[1] not in underlines:
        underlines.append(line[1])
    return underlines.index(line[1]) + 1


def _sentences(block: list[tuple[int, str]], is_code: bool) -> list[tuple[int, str]]:
    """The sentences of a block, each with the number of the line where it begins."""
    if is_code:
        return [(number, row.strip()) for number, row in block]
    text = ""
    starts = []
    for number, row in block:
        starts.append((len(text), number))
        text += _MARKUP.sub("", row).strip() + " "
    ends = [match.end() for match in _END.finditer(text)]
    found = []
    for begin, end in pairwise([0, *ends, len(text)]):
        line = max(number for start, number in starts if start <= begin)
        found.append((line, text[begin:end].strip()))
    return [(line, sentence) for line, sentence in found if sentence]
