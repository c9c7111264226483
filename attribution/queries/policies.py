"""What the texts of a project say of AI, by a few kinds of sentences that are quoted as they stand:
which refuse what it made, which ask for a statement, and the trailers that they show.
"""

import re
from collections.abc import Iterator

from attribution.queries.open_repo import OpenRepo
from attribution.queries.policy_words import finds, pattern
from collector.json_values import Row
from collector.text import decode

_LARGE = 200_000  # bytes of a text
_REST = r"(?:\n(?![ \t]*(?:(?:[-*+•]|\d+[.)])[ \t]|$)|#{1,6} |[ \t]*```).*)*"
# A heading, one with a line below it, a list item, a paragraph.
_PIECE = re.compile(
    rf"^(?:(#{{1,6}}) .*|(\S.*)\n([=~^\"*#-])\3{{2,}}[ \t]*$"
    rf"|([ \t]*(?:[-*+•]|\d+[.)])[ \t].*{_REST})|(?!\W*$)[ \t]*\S.*{_REST})",
    re.M,
)
_MARKUP = re.compile(r"^(?:\s|>|<!--|\[![A-Z]+\]|\||[-*+•](?=\s)|\d+[.)](?=\s))+", re.M)
_SENTENCE = re.compile(r"(?<!e\.g\.)(?<!i\.e\.)(?<=[.!?])[\"”)*_]*\s+(?=\S)")
_LINK = re.compile(r"https?://[^\s>)\]]+")
_KINDS = ("refuses", "asks", "mentions", "unwanted", "trailers", "links")


def statements(opened: OpenRepo, sha: str) -> Row:
    """What the texts of a commit say of AI. `refuses`, `asks`, `mentions` (where they do neither),
    `unwanted` (a trailer, where they show none): sentences as {path, line, lead, text}, `lead` what
    leads to a list; `trailers`: the same with key and value, as the text shows it; `links`: where
    what they say leads; `template`: the text for pull requests.
    """
    paths = sorted(opened.repo.paths(sha).items(), key=lambda item: (item[0].count("/"), item))
    known = {path: oid for path, oid in paths if not finds("foreign", path)}
    said: Row = {kind: [] for kind in _KINDS} | {"template": ""}
    kinds = ("template", "policy", "general")
    reading = [path for kind in kinds for path in known if finds(kind, path)]
    for path in reading:
        text = decode((opened.repo.blob(known[path]) or b"")[:_LARGE])
        if finds("template", path):
            said["template"] = said["template"] or text
        read_policy(text, path, said)
    said["refuses"].sort(key=refuses_all, reverse=True)
    if said["refuses"] or said["asks"] or said["trailers"]:
        said |= {"mentions": [], "links": []}
    if said["trailers"]:
        said["unwanted"] = []
    return said


def _is_refused(trailer: Row, said: Row) -> bool:
    """Whether a sentence of the place that shows a trailer refuses it, as others may lack it."""
    return any(
        row["path"] == trailer["path"]
        and row["line"] == trailer["line"]
        and trailer["key"] in row["text"]
        and not finds("lacking", row["text"])
        for row in said["refuses"]
    )


def read_policy(text: str, path: str, said: Row) -> None:
    """Adds what a text says, see `statements`."""
    general = finds("general", path) is not None
    for_agents = finds("for_agents", path) is not None
    before = ""
    for line, above, lead, piece in _pieces(text):
        whole = f"{lead}\n{piece}"
        place = {"path": path, "line": line, "lead": lead}
        about = finds("about_ai", whole) is not None
        subject = about or finds("about_ai", above) is not None
        _add_trailers(whole, subject or for_agents, place, said)
        if finds("about_ai", before + whole) and finds("points", whole):
            said["links"] += _LINK.findall(piece)
        before = whole if about else ""
        if not subject:
            continue
        for sentence in _SENTENCE.split(" ".join(piece.split())):
            kind = _kind_of(f"{lead} {sentence}".strip(), above, general)
            is_answer = kind == "refuses" and finds("box", piece)
            if kind and not is_answer:
                said[kind].append(place | {"text": sentence})
    said["trailers"] = [row for row in said["trailers"] if not _is_refused(row, said)]


def _kind_of(said: str, above: str, general: bool) -> str:
    """refuses, asks or mentions; "" for a sentence that is about something else.

    `general`: the text is not about contributions alone.
    """
    own = finds("about_ai", said)
    work = finds("work", said)
    if general and not finds("contributed", said):
        return ""
    if own and finds("refuses", said):
        return "refuses"
    asks = finds("asks", said) and not finds("need_not", said)
    near = own or finds("about_stating", above) or finds("tools", said)
    ours = work or (finds("uses", said) and not finds("reports", said + above))
    if asks and near and ours:
        return "asks"
    return "mentions" if own and work else ""


def refuses_all(row: Row) -> bool:
    """Whether a sentence refuses all that AI made, not some of it or some uses."""
    text = pattern("wholly").sub(" ", f"{row['lead']} {row['text']}")
    return finds("work", text) is not None and finds("some", text) is None


def _add_trailers(text: str, about: bool, place: Row, said: Row) -> None:
    """The trailers that a piece shows; a clause that refuses one does not ask for it."""
    for clause in pattern("clause").split(text):
        for match in pattern("trailer").finditer(clause):
            value = (match[3] or "").strip(" .,;*)") if match[2] else ""
            around = place["lead"], clause[: match.start()]
            is_unwanted = any(finds("unwanted", text) for text in around)
            kind = "unwanted" if is_unwanted else "trailers"
            if about or finds("named", value):
                said[kind].append(place | {"text": text, "key": match[1], "value": value})


def _pieces(text: str) -> Iterator[tuple[int, str, str, str]]:
    """Paragraphs, list items and headings that refuse something: the line, the headings above, what
    leads to it (a sentence that ends with a colon), the text.
    """
    headings: dict[int, str] = {}
    lead = ""
    for match in _PIECE.finditer(text):
        piece = _MARKUP.sub("", match[0]).rstrip()
        line = text.count("\n", 0, match.start()) + 1
        above = " / ".join(headings.values())
        level = len(match[1] or "") or '=-~^"*#'.find(match[3] or "?") + 1
        if level:
            headings = {known: name for known, name in headings.items() if known < level}
            headings[level] = piece
            if finds("refuses", piece):
                yield line, above, "", piece
            lead = ""
        elif not match[4] and piece.rstrip("*_ ").endswith(":"):
            *before, lead = _SENTENCE.split(" ".join(piece.split()))
            yield line, above, "", " ".join(before)
        elif piece:
            leads = match[4] or match[0][0] in " \t>" or piece[-1] not in ".!?"
            yield line, above, lead if leads else "", piece
            lead = lead if match[4] else ""
