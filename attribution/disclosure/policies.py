"""What the texts of a project say about AI in contributions: every section, list and paragraph that
names AI, line by line as it stands, the trailers that they show and the template for pull requests.

A line that stands deeper than another one belongs to it: what is below a heading, in a list that a
paragraph leads to, inside an item. What names AI is quoted with all that belongs to it, whatever
that says. Of a sentence only one thing is decided: whether it refuses or limits something.
"""

import re
from collections.abc import Sequence

from attribution.disclosure import policy_words as words
from attribution.queries.open_repo import OpenRepo
from collector.json_values import Row
from collector.text import decode

_LARGE = 200_000  # bytes of a text
_HOPS = 5  # from link to link
_TOP = -20  # a depth above that of all headings
_SMALL = 7  # level of a heading without one
_NOTHING_BELOW = 99  # depth
_END_OF_LABEL = 40  # characters
_INDENTED = 4  # no heading
# What a text consists of: code between fences, comments, headings with a line below, other lines.
_TOKEN = re.compile(
    r"^(?:(?P<code>(?P<mark>[ \t>]*)(?P<fence>`{3,}|~{3,})[^`\n]*\n"
    r".*?(?:^(?:(?P=mark)|[ \t>]{0,3})(?P=fence)[ \t]*|\Z))"
    r"|(?P<comment>[ \t]*<!--.*?(?:--!?>[^\n]*|\Z))"
    r"|(?P<title>(?![-*+•|>=~^.]|\d+[.)])\S[^\n]*\n(?P<under>[=\-~^\"*#+])(?P=under){2,}[ \t]*)"
    r"|(?P<row>[^\n]*))$",
    re.M | re.S,
)
_HEADING = re.compile(r"(#{1,6}|={1,6})\s+\S")
_BOLD = re.compile(r"\s*(?:(\*\*|__)[^*]+\1[:?]?\s*$|<details|<summary|<h\d|title: )")
_RULE = re.compile(r"([=\-~^\"*#+_])\1{2,}\s*$|\.\. _")
_ITEM = re.compile(r"(?:[-*+•]|\d+[.)])\s|\[[ x]?\]|\|", re.I)
_BEGINS = re.compile(r"\.\. |[\w-]+-by:|" + _ITEM.pattern, re.I)
_MARKUP = re.compile(
    r"^(?:[ \t>]|<!--|#+ |\[![A-Z]+\]|\||[-*+•](?=\s)|\d+[.)](?=\s))+|--!?>|\*\*|\|[ \t]*$", re.M
)
_SENTENCE = re.compile(r".+?(?:(?<!e\.g\.)(?<!i\.e\.)(?<=[.!?])[\"”)*_]*\s+(?=[^\sa-z])|\Z)", re.S)
_ROW = re.compile(r"^(?!\s*[`~]{3}).+", re.M)  # of code
_TARGET = re.compile(r"\]\([^)\s]{0,999}\)|https?://\S+")
# A line of a table of contents, and where a name leads.
_CONTENTS = re.compile(r"\W{0,20}\[[^\]]{0,200}\]\(#[^)]{0,200}\)\W*$|\[[^\]]{1,200}\]:\s")
_BOX = re.compile(r"[\s>]*(?:(?:[-*+]|\d+\.)\s*)?\[[ x]?\]", re.I)
_LABEL = re.compile(r"[:?]\W*$")


def statements(opened: OpenRepo, sha: str) -> Row:
    """What a commit's texts say about AI, as blocks: `refuses`, those that refuse or limit
    something, `quoted`, all others, `template`, those of the template for pull requests that are
    filled in, and its `template_path`; `trailers` and `unwanted`, those shown and those refused,
    with key and value; `absent`, links that lead to no text here.
    """
    known, links = opened.repo.paths(sha), opened.repo.links(sha)
    kinds = ("refuses", "quoted", "template", "trailers", "unwanted", "absent")
    said: Row = {kind: [] for kind in kinds} | {"template_path": ""}
    order = [path for path in [*known, *links] if not words.FOREIGN.search(path)]
    order.sort(key=lambda path: (path.count("/"), path))
    shapes = (words.TEMPLATE, words.ENTIRE, words.POLICY, words.GENERAL)
    waiting = [path for shape in shapes for path in order if shape.search(path)]
    read = set[str]()
    for path in waiting:
        place = path
        for _ in range(_HOPS):
            place = links.get(place, place)
        oid = known.get(place, place)
        if oid in read:
            continue
        read.add(oid)
        if place in known:
            _read_text(decode(opened.repo.content(oid)[:_LARGE]).replace("\r\n", "\n"), place, said)
        else:
            said["absent"].append({"path": path, "text": place})
    return said


def _read_text(text: str, path: str, said: Row) -> None:
    """Adds what a text says, see `statements`."""
    shown = set[int]()  # lines
    is_template = words.TEMPLATE.search(path) and said["template_path"] in ("", path)
    for blocks in _passages(text, path):
        if is_template:
            said["template_path"] = path
        is_filled = is_template and any(_BOX.match(row["text"]) or _is_lead(row) for row in blocks)
        depth = _NOTHING_BELOW  # of the lead to what is refused
        for block in blocks[0]["leads"] + blocks:
            is_refused = block["depth"] > depth or _is_refusal(block)
            if block["depth"] <= depth:
                has_parts = block["depth"] % 2 or _is_lead(block)  # an item has what it indents
                depth = block["depth"] if is_refused and has_parts else _NOTHING_BELOW
            if block["line"] in shown:
                continue
            shown.add(block["line"])
            row = {"path": path} | {name: block[name] for name in ("line", "depth", "text")}
            row["rules"] = _rules(block)
            if is_refused or not is_filled:
                said["refuses" if is_refused else "quoted"].append(row)
            if is_filled:
                said["template"].append(row)
            _add_trailers(block, path, said)


def _rules(block: Row) -> list[tuple[int, str]]:
    """The sentences of a block that are rules: of an item all."""
    return [each for each in _sentences(block) if block["depth"] % 2 or words.RULES.search(each[1])]


def _is_refusal(block: Row) -> bool:
    """Whether a block refuses or limits something. A box promises."""
    if block["is_code"] or _BOX.match(block["text"]):
        return False
    return any(words.REFUSES.search(sentence) for _, sentence in _sentences(block))


def _is_lead(block: Row) -> bool:
    """Whether what follows belongs to a block: a heading, a label, a question."""
    return block["depth"] < 0 or _LABEL.search(block["text"][-_END_OF_LABEL:]) is not None


def is_about_ai(text: str) -> bool:
    """Whether a text names AI; the addresses in it do not count."""
    return words.ABOUT_AI.search(_TARGET.sub(" ", text)) is not None


def _passages(text: str, path: str) -> list[list[Row]]:
    """The parts of a text that are about AI, as blocks: all of it where its name says so and it
    speaks of what is handed in.
    """
    blocks = _blocks(text)
    if blocks and words.ENTIRE.search(path) and words.SUBMITTED.search(text):
        return [blocks]
    is_general = not (words.TEMPLATE.search(path) or words.POLICY.search(path))
    passages: list[list[Row]] = [[]]
    for block in blocks:
        if _is_within(block, passages[-1]) or (passages[-1] and words.AGREES.match(block["text"])):
            passages[-1].append(block)
        elif _is_beginning(block, is_general):
            passages.append([block])
        elif passages[-1]:
            passages.append([])
    return [passage for passage in passages if passage]


def _is_within(block: Row, passage: Sequence[Row]) -> bool:
    """Whether a passage goes on with a block. A paragraph has only what it leads to."""
    if not passage or block["depth"] <= passage[0]["depth"]:
        return False
    return len(passage) > 1 or passage[0]["depth"] % 2 == 1 or _is_lead(passage[0])


def _is_beginning(block: Row, is_general: bool) -> bool:
    """Whether a block names AI, and speaks of work: what AI does elsewhere is no rule for it.
    `is_general`: its text speaks of more than contributions.
    """
    text = block["text"]
    if not is_about_ai(text) or _CONTENTS.match(text):
        return False
    if block["depth"] == _TOP + 1 and words.SUBMITTED.search(text):
        return False  # it names a project, "Contributing to Some AI"
    if block["is_code"]:
        return words.TRAILER.search(text) is not None
    shape = words.CONTRIBUTED if is_general else words.WORK
    whole = "\n".join([text, *(lead["text"] for lead in block["leads"])])
    return (block["depth"] < 0 and not is_general) or shape.search(whole) is not None


def _blocks(text: str) -> list[Row]:
    """The paragraphs, items, headings, comments and pieces of code of a text: `line`, of the first
    row, `depth`, `text`, `is_code`, and `leads`, the heading and the blocks that it belongs to.
    """
    blocks: list[Row] = []
    above: list[Row] = []
    underlines: list[str] = []  # characters below headings, as they appear: the levels
    line, before, is_open = 1, 0, False
    for found in _TOKEN.finditer(text):
        line += text.count("\n", before, found.start())
        before = found.start()
        bare = found[0].lstrip(" \t>")
        depth = _depth(found, bare, underlines)
        is_row = found["row"] is not None and depth >= 0
        if not bare.strip() or _RULE.match(bare):
            is_open = False
        elif is_open and is_row and not _BEGINS.match(bare):
            blocks[-1]["text"] += f"\n{found[0]}"
        else:
            above = [known for known in above if known["depth"] < depth]
            headings = [known for known in above if known["depth"] < 0]
            leads = headings[-1:] + above[len(headings) :] * (depth < _NOTHING_BELOW)
            block = {"line": line, "depth": depth, "text": found[0], "is_code": bool(found["code"])}
            blocks.append(block | {"leads": leads * (depth >= 0)})
            above.append(blocks[-1])
            is_open = is_row
    return blocks


def _depth(found: re.Match[str], bare: str, underlines: list[str]) -> int:
    """How deep a token of a text stands; headings, by their level, less deep than all else."""
    indent = len(found[0]) - len(bare)
    if under := found["under"]:
        if under not in underlines:
            underlines.append(under)
        return _TOP + 1 + underlines.index(under)
    if found["comment"] is not None:
        return _NOTHING_BELOW
    if found["code"] is not None:
        return 2 * indent + 1
    if (marked := _HEADING.match(bare)) and indent < _INDENTED:
        return _TOP + len(marked[1])
    if _BOLD.match(bare):
        return _TOP + _SMALL
    return 2 * indent + bool(_ITEM.match(bare))


def _sentences(block: Row) -> list[tuple[int, str]]:
    """The sentences of a block, or its lines of code, each with the number of its first line."""
    text = block["text"]
    shape = _ROW if block["is_code"] else _SENTENCE
    return [
        (block["line"] + text.count("\n", 0, found.start()), " ".join(said.split()))
        for found in shape.finditer(text)
        if (said := _MARKUP.sub(" ", found[0])).strip()
    ]


def _add_trailers(block: Row, path: str, said: Row) -> None:
    """The trailers that a block shows. A clause that refuses one does not ask for it, nor does one
    that says no to anything.
    """
    leads = [row["text"] for row in block["leads"][-1:] if row["depth"] >= 0 and _is_lead(row)]
    for number, sentence in _sentences(block):
        row = {"path": path, "line": number, "text": sentence}
        for clause in words.CLAUSE.split(sentence):
            for match in words.TRAILER.finditer(clause):
                value = (match[3] or "").strip(" .,;*)") if match[2] else ""
                before = words.CLAUSE.split(f"{''.join(leads)} {clause[: match.start()]}")[-1]
                after = clause[match.end(1) :]
                is_refused = words.UNWANTED.search(before) or words.REFUSES.search(after)
                if not words.NEGATIVE.search(f"{before} {after}"):
                    said["trailers"].append(row | {"key": match[1], "value": value})
                elif is_refused and not re.search(r"\d", value):  # else one value of it is refused
                    said["unwanted"].append(row | {"key": match[1], "value": value})
