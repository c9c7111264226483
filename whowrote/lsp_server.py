"""A server of the Language Server Protocol: hovers and inlay hints in the editor. The adapter for the package pygls (extra `lsp`).

What the editor shows may differ from HEAD, so each line of the buffer is looked up where git's diff says it stands in HEAD; a line
that HEAD does not have is said to be not committed. All texts are plain, never Markdown: prompts were written by others.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import suppress
from io import BufferedWriter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from attribution.queries.blame import BlameLine, Block
from attribution.queries.explain import measured_words
from attribution.queries.open_repo import SHORT
from collector.errors import UnknownBranch, WhoWroteError
from collector.git.repository import GitRepo, line_changes
from collector.runtime.version import version
from collector.storage.places import clone_around
from collector.text import printable
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import LineClass
from whowrote.database import open_database

if TYPE_CHECKING:
    from typing_extensions import Buffer

_FILES = 32  # answers that are kept
_PROMPT, _HINT = 400, 60  # characters
_MOST = 50_000  # lines of a file
_UNSAID = ("", LineClass.UNDECLARED)  # classes without a hint: there would be one at nearly every line


class FileAnswers(NamedTuple):
    """A file at HEAD."""

    texts: list[bytes]  # without line ends
    blocks: list[Block]


class _Clones:
    """Answers by file and commit; one question at a time, since a database belongs to one thread."""

    def __init__(self, db: Path | None) -> None:
        self._db = db
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str, str], FileAnswers] = OrderedDict()

    def of(self, file: Path) -> FileAnswers | None:
        """None for a file in no clone. Raises WhoWroteError."""
        clone = clone_around(file.parent)
        if clone is None:
            return None
        name = file.resolve().relative_to(clone).as_posix()
        with self._lock:
            key = (str(clone), name, GitRepo(str(clone)).resolve("HEAD").sha)
            if key not in self._kept:
                self._kept[key] = self._read(clone, name)
                while len(self._kept) > _FILES:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]

    def _read(self, clone: Path, name: str) -> FileAnswers:
        with open_database(clone, self._db) as db:
            try:
                lines, blocks = db.annotated(name, "HEAD")
            except UnknownBranch:  # a new file: nothing of it is committed
                return FileAnswers([], [])
        return FileAnswers([_bare(line) for line in lines], list(blocks))


class Answers(BufferedWriter):
    """Where answers go; nowhere once it is closed, because the editor has ended.

    pygls reports an answer that it cannot write by writing an error, that one by another, and so on.
    """

    def write(self, data: Buffer, /) -> int:
        with suppress(ValueError):  # closed
            return super().write(data)
        return 0

    def flush(self) -> None:
        with suppress(ValueError):
            super().flush()


def server(db: Path | None = None) -> LanguageServer:
    """A server for every clone whose files the editor opens; `db` instead of the database of each."""
    made = LanguageServer("whowrote", version())
    clones, said = _Clones(db), set[str]()

    def answers(uri: str) -> tuple[FileAnswers, list[int | None]] | None:
        path = to_fs_path(uri)
        if path is None:
            return None
        try:
            found = clones.of(Path(path))
        except WhoWroteError as error:
            text = f"whowrote: {error}. {error.hint}".strip()
            if text not in said:  # once is enough
                said.add(text)
                made.window_show_message(types.ShowMessageParams(types.MessageType.Info, printable(text)))
            return None
        buffer = made.workspace.get_text_document(uri).source
        return None if found is None else (found, lines_at_head(found.texts, buffer))

    @made.feature(types.TEXT_DOCUMENT_HOVER)
    @made.thread()
    def hover(asked: types.HoverParams) -> types.Hover | None:
        known = answers(asked.text_document.uri)
        if known is None:
            return None
        found, at_head = known
        here = asked.position.line
        if not 0 <= here < len(at_head):
            return None
        block = _block_of(found.blocks, at_head[here])
        text = hover_text(block) if block is not None else "Not committed: HEAD does not have this line."
        return types.Hover(types.MarkupContent(types.MarkupKind.PlainText, text))

    @made.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    @made.thread()
    def hints(asked: types.InlayHintParams) -> list[types.InlayHint]:
        known = answers(asked.text_document.uri)
        if known is None:
            return []
        found, at_head = known
        last = min(asked.range.end.line, len(at_head) - 1)
        return [hint for line in range(asked.range.start.line, last + 1) if (hint := _hint(made, asked, found, at_head, line))]

    return made


def lines_at_head(head: list[bytes], buffer: str) -> list[int | None]:
    """For each line of the buffer its number at HEAD, from 1; None where HEAD does not have it."""
    lines = [line.removesuffix("\r").encode("utf-8", "surrogatepass") for line in buffer.removesuffix("\n").split("\n")]
    if len(lines) > _MOST or len(head) > _MOST:
        return []
    found: list[int | None] = []
    at = 0  # lines of HEAD that are dealt with
    for change in line_changes(_joined(head), _joined(lines)):
        while len(found) < change.b0:
            at += 1
            found.append(at)
        found += [None] * (change.b1 - change.b0)
        at = change.a1
    while len(found) < len(lines):
        at += 1
        found.append(at if at <= len(head) else None)
    return found


def hover_text(block: Block) -> str:
    """Who wrote a block and how that is known, as plain text."""
    of, commit = block.first.attribution, block.first.commit
    parts = [_who(block), LineClass(of.kind).meaning if of.kind else "older than the attributed history"]
    if of.evidence or of.reason:
        parts.append("; ".join(word.replace("_", " ") for word in (of.evidence, of.how, of.reason) if word and word != "none"))
    if measured := measured_words(of):
        parts.append(measured)
    if block.prompt:
        parts.append(f"asked: {_cut(block.prompt, _PROMPT)}")
    if of.session:
        parts.append(f"session {of.session}" + (f", turn {of.turn}" if of.turn is not None else ""))
    subject = f" {commit.author_at[:10]} {commit.subject}" if commit else ""
    parts.append(f"commit {block.first.introduced.sha[:SHORT]}{subject}")
    return "\n".join(printable(part) for part in parts)


def _hint(
    made: LanguageServer, asked: types.InlayHintParams, found: FileAnswers, at_head: list[int | None], line: int
) -> types.InlayHint | None:
    """At the first line of a block that the editor shows."""
    block = _block_of(found.blocks, at_head[line])
    before = _block_of(found.blocks, at_head[line - 1]) if line else None
    if block is None or block is before or block.first.attribution.kind in _UNSAID:
        return None
    text = made.workspace.get_text_document(asked.text_document.uri).source.split("\n")[line].removesuffix("\r")
    end = types.Position(line, len(text.encode("utf-16-le", "surrogatepass")) // 2)  # the protocol counts in UTF-16
    return types.InlayHint(end, printable(_cut(_who(block), _HINT)), tooltip=hover_text(block), padding_left=True)


def _who(block: Block) -> str:
    of = block.first.attribution
    names = [label_of(of.agent) if of.agent else "", of.model, of.tool, of.session[:8]]
    known = " · ".join(name for name in names if name)
    return f"{of.kind.replace('_', ' ') or 'older'}{': ' if known else ''}{known}"


def _block_of(blocks: list[Block], line: int | None) -> Block | None:
    if line is None:
        return None
    return next((block for block in blocks if block.start <= line <= block.end), None)


def _bare(line: BlameLine) -> bytes:
    return line.text.removesuffix("\r").encode("utf-8", "surrogatepass")


def _joined(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _cut(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
