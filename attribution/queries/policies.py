"""What the texts of a project say of AI, by a few kinds of sentences that are quoted as they stand:
which refuse what it made, which ask for a statement, and the trailers that they show.
"""

import re
from collections.abc import Iterator

from attribution.queries.open_repo import OpenRepo
from attribution.queries.policy_words import finds, is_limit, pattern
from collector.json_values import Row
from collector.text import decode

_LARGE = 200_000  # bytes of a text
_REST = r"(?:\n(?![ \t]*(?:(?:[-*+•]|\d+[.)])[ \t]|$)|#{1,6} |[ \t]*```).*)*"
# A heading, one with a line below it, a list item, a paragraph.
_PIECE = re.compile(
    rf"^(?:(#{{1,6}}) .*|(\S.*)\n([=~^\"*#+-])\3{{2,}}[ \t]*$"
    rf"|([ \t]*(?:[-*+•]|\d+[.)])[ \t].*{_REST})|(?!\W*$)[ \t]*\S.*{_REST})",
    re.M,
)
_MARKUP = re.compile(
    r"^(?:[^\S\n]|>|<!--|\[![A-Z]+\]|\||[-*+•](?=\s)|\d+[.)](?=\s))+|[^\S\n]*--!?>", re.M
)
_SENTENCE = re.compile(r"(?<!e\.g\.)(?<!i\.e\.)(?<=[.!?])[\"”)*_]*\s+(?=[^\sa-z])|\n(?=[ \t]*```)")
_LINK = re.compile(r"https?://[^\s>)\]]+")
_TARGET = re.compile(r"\]\([^)\s]*\)|https?://\S+")
_KINDS = ("refuses", "limits", "asks", "mentions", "unwanted", "trailers", "links")


def statements(opened: OpenRepo, sha: str) -> Row:
    """What the texts of a commit say of AI. `refuses` (all that it made), `limits` (some of it, or
    some uses), `asks`, `mentions` (where they do nothing of these), `unwanted` (a trailer):
    sentences as {path, line, lead, text}, `lead` what leads to a list; `trailers`: the same with
    key and value, as the text shows it; `links`: where what they say leads; `template`: the text
    for pull requests.
    """
    paths = sorted(opened.repo.paths(sha).items(), key=lambda item: (item[0].count("/"), item))
    known = {path: oid for path, oid in paths if not finds("foreign", path)}
    said: Row = {kind: [] for kind in _KINDS} | {"template": ""}
    kinds = ("template", "policy", "general")
    reading = [path for kind in kinds for path in known if finds(kind, path)]
    for path in reading:
        data = opened.repo.blob(known[path]) or b""
        text = decode(data[:_LARGE]).replace("\r\n", "\n")
        if finds("template", path):
            said["template"] = said["template"] or text
        read_policy(text, path, said)
    if any(said[kind] for kind in ("refuses", "limits", "asks", "trailers")):
        said |= {"mentions": [], "links": []}
    wanted = {row["key"].lower() for row in said["trailers"]}
    said["unwanted"] = [row for row in said["unwanted"] if row["key"].lower() not in wanted]
    return said


def _is_refused(trailer: Row, said: Row) -> bool:
    """Whether a sentence of the place that shows a trailer refuses it, as others may lack it."""
    text = trailer["text"]
    refusal = finds("refuses", text)
    if refusal is None or finds("lacking", text):
        return False
    is_quoted = any(row["text"] == text for row in [*said["refuses"], *said["limits"]])
    return is_quoted and trailer["key"] in text[: refusal.end()]


def _is_about_ai(text: str) -> bool:
    return finds("about_ai", _TARGET.sub(" ", text)) is not None


def read_policy(text: str, path: str, said: Row) -> None:
    """Adds what a text says, see `statements`."""
    general = finds("general", path) is not None
    for_agents = finds("for_agents", path) is not None
    before = ""
    for line, above, lead, piece in _pieces(text):
        whole = f"{lead}\n{piece}"
        place = {"path": path, "line": line, "lead": lead}
        about = _is_about_ai(whole)
        subject = about or _is_about_ai(above)
        _add_trailers(whole, subject or for_agents, place, said)
        alone = general or finds("box", piece)
        points = _is_about_ai(whole if alone else before + whole)
        if points and finds("points", _TARGET.sub(" ", piece)):
            said["links"] += _LINK.findall(piece)
        before = whole if about else ""
        if not subject:
            continue
        for offset, sentence in _sentences(piece):
            led = f"{lead} {sentence}".strip()
            kind = _kind_of(led, above, general, _is_about_ai(led))
            if kind == "refuses" and finds("box", piece):
                continue
            if kind == "refuses" and is_limit(led):
                kind = "limits"
            if kind:
                is_code = sentence.startswith("```") and lead
                row = {"line": line + offset, "text": "" if is_code else sentence}
                said[kind].append(place | row)
    said["trailers"] = [row for row in said["trailers"] if not _is_refused(row, said)]


def _sentences(piece: str) -> Iterator[tuple[int, str]]:
    """The sentences of a piece as one line each, with how many lines of it stand before them."""
    starts = [0, *(match.end() for match in _SENTENCE.finditer(piece))]
    ends = [*starts[1:], len(piece)]
    for start, end in zip(starts, ends, strict=True):
        sentence = piece[start:end].lstrip()
        if not sentence:
            continue
        before = piece.count("\n", 0, end - len(sentence))
        yield before, " ".join(sentence.split())


def _kind_of(said: str, above: str, general: bool, own: bool) -> str:
    """refuses, asks or mentions; "" for a sentence that is about something else.

    `general`: the text is not about contributions alone; `own`: the sentence speaks of AI.
    """
    work = finds("work", said)
    if general and not finds("contributed", said):
        return ""
    if own and finds("refuses", pattern("allows").sub(" ", said)):
        return "refuses"
    asks = finds("asks", said) and not finds("need_not", said)
    near = own or finds("about_stating", above) or finds("tools", said)
    ours = work or (finds("uses", said) and not finds("reports", said + above))
    if asks and near and ours:
        return "asks"
    return "mentions" if own and work else ""


def asks_about_ai(text: str) -> bool:
    """Whether a sentence, such as one of a template's comments, asks to say whether AI was used."""
    for _, sentence in _sentences(_MARKUP.sub("", text)):
        asks = finds("about_ai", sentence) and finds("asks_in_comment", sentence)
        if asks and not finds("refuses", pattern("allows").sub(" ", sentence)):
            return True
    return False


def _add_trailers(text: str, about: bool, place: Row, said: Row) -> None:
    """The trailers that a piece shows; a clause that refuses one does not ask for it."""
    for clause in pattern("clause").split(text):
        for match in pattern("trailer").finditer(clause):
            value = (match[3] or "").strip(" .,;*)") if match[2] else ""
            start = clause[: match.start()]
            is_unwanted = bool(finds("unwanted", place["lead"]) or finds("unwanted", start))
            kind = "unwanted" if is_unwanted else "trailers"
            found = (sentence for _, sentence in _sentences(text) if match[1] in sentence)
            row = {
                "lead": "",
                "text": next(found, " ".join(clause.split())),
                "key": match[1],
                "value": value,
            }
            signed = match[1].lower().startswith("sign")
            if (about or finds("named", value)) and (is_unwanted or not signed):
                said[kind].append(place | row)


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
            leads = match[4] or match[0][0] in " \t>" or piece[-1] not in ".!?*"
            yield line, above, lead if leads else "", piece
            lead = lead if match[4] else ""
