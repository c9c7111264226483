"""A server of the Language Server Protocol: hovers, inlay hints and actions in the editor.

The adapter for pygls (extra `lsp`).

What the editor shows may differ from HEAD, so each line of the buffer is looked up where git's diff
says it stands in HEAD; a line that HEAD does not have is said to be not committed. All texts are
plain, never Markdown: prompts were written by others.
"""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from io import BufferedWriter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.uris import to_fs_path

from attribution.lineage.survival import BY_AGENTS
from attribution.queries.blame import Block
from attribution.queries.explain import measured_words
from attribution.queries.open_repo import SHORT, committed_numbers
from attribution.queries.session_page import SessionPage
from attribution.queries.verdicts import NO_COMMIT, NOT_COMMITTED, NOT_YET
from attribution.terminal.blame import line_text
from collector.console.formats import cut
from collector.errors import UnknownBranch, WhoWroteError
from collector.git.repository import GitRepo
from collector.json_values import JsonObject
from collector.runtime.version import version
from collector.storage.places import clone_around, default_database
from collector.text import add_ending, count_of, printable
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import LineClass
from whowrote.database import open_database

if TYPE_CHECKING:
    from typing_extensions import Buffer

_OPEN = "whowrote.open"
_REFRESH = "whowrote.refresh"
_FILES = 32  # answers that are kept
# characters
_PROMPT = 400
_HINT = 60
_OLDER = "older than the attributed history"
_NO_VERDICT = {
    NOT_YET: (
        "not attributed yet: the commit is newer than what was attributed; whowrote repo"
        " attributes it"
    )
}
# classes without a hint and a sign: there would be one at nearly every line
_UNSAID = ("", LineClass.UNDECLARED)


Lines = Sequence[tuple[int, Block | None]]
"""For each line of a buffer its number at HEAD, 0 for none, and its block there."""


class FileAnswers(NamedTuple):
    """A file as it was saved."""

    texts: list[bytes]  # without line ends
    blocks: dict[int, Block]  # by each of their lines of which anything is known


class _Clones:
    """Answers by file, commit and state of the database; one question at a time, since a
    database belongs to one thread.
    """

    def __init__(self, db: Path | None) -> None:
        self._db = db
        self._lock = threading.Lock()
        self._answers = lru_cache(_FILES)(self._read)

    def answers_for(self, file: Path) -> FileAnswers | None:
        """None for a file in no clone. Raises WhoWroteError."""
        clone = clone_around(file.parent)
        if clone is None:
            return None
        name = file.resolve().relative_to(clone).as_posix()
        with self._lock:
            db = self._db or default_database({"path": str(clone)})
            state = tuple(map(_last_written, (db, add_ending(db, "-wal"), file)))
            return self._answers(clone, name, GitRepo(str(clone)).resolve("HEAD").sha, state)

    def text_about(self, file: Path, topic: str | int) -> str:
        """A line of the file as it was saved, or a session by its key, as a text.

        Raises WhoWroteError.
        """
        clone = clone_around(file.parent) or file.parent
        with self._lock, open_database(clone, self._db) as db:
            if isinstance(topic, str):
                return text_of_session(db.session(topic))
            return line_text(db.explain(file.resolve().relative_to(clone).as_posix(), topic))

    def _read(self, clone: Path, name: str, head: str, state: Sequence[int]) -> FileAnswers:
        """The answers now; `head` and `state` (when the database, its log and the file were
        written) tell when that ends.
        """
        with open_database(clone, self._db) as db:
            try:
                lines, blocks = db.annotated(name)
            except UnknownBranch:  # a file that was never saved
                return FileAnswers([], {})
        texts = [line.text.removesuffix("\r").encode("utf-8", "surrogatepass") for line in lines]
        return FileAnswers(
            texts,
            {
                line: block
                for block in blocks
                if block.first.attribution.reason != NOT_COMMITTED
                for line in range(block.start, block.end + 1)
            },
        )


def _last_written(file: Path) -> int:
    """When a file was last written, in nanoseconds; 0 when there is none."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


class Answers(BufferedWriter):
    """Where answers go; nowhere once it is closed, because the editor has ended.

    pygls reports an answer that it cannot write by writing an error, that one by another, and so
    on.
    """

    def write(self, data: Buffer, /) -> int:
        with suppress(ValueError):  # closed
            return super().write(data)
        return 0

    def flush(self) -> None:
        with suppress(ValueError):
            super().flush()


class _Protocol(LanguageServerProtocol):
    def structure_message(self, data: JsonObject) -> object:
        """A request that cannot be read, as one about line -1, is answered with an error."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data:
                self._send_response(data["id"], error=error.to_response_error())
            raise


def server(db: Path | None = None, signs: bool = False) -> LanguageServer:
    """A server for every clone whose files the editor opens; `db` instead of the database of
    each. `signs`: it also answers with diagnostics.
    """
    language_server = LanguageServer("whowrote", version(), protocol_cls=_Protocol)
    clones = _Clones(db)

    @cache  # once is enough
    def complain(complaint: str) -> None:
        message = types.ShowMessageParams(types.MessageType.Info, printable(complaint))
        language_server.window_show_message(message)

    def lines_of(uri: str) -> Lines:
        """[] when nothing is known of the file."""
        path = to_fs_path(uri)
        try:
            file = clones.answers_for(Path(path)) if path is not None else None
        except WhoWroteError as error:
            complain(f"whowrote: {error}. {error.hint}".strip())
            return []
        buffer = language_server.workspace.get_text_document(uri)
        numbers = lines_at_head(file.texts, buffer.source) if file else []
        return [(number or 0, file.blocks.get(number or 0)) for number in numbers if file]

    @language_server.feature(types.TEXT_DOCUMENT_HOVER)
    @language_server.thread()
    def hover(params: types.HoverParams) -> types.Hover | None:
        lines = lines_of(params.text_document.uri)
        if params.position.line >= len(lines):
            return None
        _, block = lines[params.position.line]
        text = hover_text(block) if block else "Not committed: HEAD does not have this line."
        return types.Hover(types.MarkupContent(types.MarkupKind.PlainText, text))

    @language_server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    @language_server.thread()
    def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        uri = params.text_document.uri
        visible = range(params.range.start.line, params.range.end.line + 1)
        buffer = language_server.workspace.get_text_document(uri)
        return list(_hints(lines_of(uri), buffer.source.split("\n"), visible))

    def diagnostics(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        found = list(_signs(lines_of(params.text_document.uri)))
        return types.RelatedFullDocumentDiagnosticReport(found)

    if signs:
        options = types.DiagnosticOptions(False, False)
        provide = language_server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
        provide(language_server.thread()(diagnostics))

    @language_server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    @language_server.thread()
    def actions(params: types.CodeActionParams) -> list[types.Command]:
        uri = params.text_document.uri
        line = params.range.start.line
        number, block = [*lines_of(uri)[line : line + 1], (0, None)][0]
        topics = {
            "explain": number if block else 0,
            "open session": block.first.attribution.session if block else "",
        }
        titles = [
            types.Command(f"whowrote: {title}", _OPEN, arguments=[uri, topic])
            for title, topic in topics.items()
            if topic
        ]
        return [*titles, types.Command("whowrote: refresh", _REFRESH)]

    @language_server.command(_OPEN)
    @language_server.thread()
    def open_topic(uri: str, topic: str | int) -> None:
        _open(language_server, clones.text_about(Path(to_fs_path(uri) or ""), topic))

    @language_server.command(_REFRESH)
    def refresh() -> None:
        language_server.workspace_inlay_hint_refresh(None)

    return language_server


def _open(language_server: LanguageServer, text: str) -> None:
    """Opens a text in the editor, in a file that only its user can read; shows it as a message
    where the editor opens none.
    """
    capabilities = language_server.client_capabilities
    if not get_capability(capabilities, "window.show_document.support", False):
        language_server.window_show_message(types.ShowMessageParams(types.MessageType.Info, text))
        return
    file = Path(tempfile.mkdtemp(prefix="whowrote-")) / "whowrote.txt"
    file.write_text(text, "utf-8")
    language_server.window_show_document(types.ShowDocumentParams(file.as_uri(), take_focus=True))


def text_of_session(page: SessionPage) -> str:
    """The prompts of a session with how many of their lines were committed."""
    turns = (
        f"{t.turn['turn_index']}. {t.turn['prompt'] or '(not stored)'}\n   lines in commits:"
        f" {t.lines:,}"
        for t in page.turns
    )
    return "\n\n".join(map(printable, [page.session["label"], *turns]))


def lines_at_head(head: list[bytes], buffer: str) -> list[int | None]:
    """For each line of the buffer its number at HEAD, from 1; None where HEAD does not have it."""
    lines = [
        line.encode("utf-8", "surrogatepass") for line in buffer.removesuffix("\n").split("\n")
    ]
    return committed_numbers(head, lines)


def hover_text(block: Block) -> str:
    """Who wrote a block and how that is known, as plain text."""
    of = block.first.attribution
    commit = block.first.commit
    parts = [
        _who(block),
        LineClass(of.kind).meaning if of.kind else _NO_VERDICT.get(of.reason, _OLDER),
    ]
    if of.kind and (of.evidence or of.reason):
        parts.append(
            "; ".join(
                word.replace("_", " ")
                for word in (of.evidence, of.how, of.reason)
                if word and word != "none"
            )
        )
    if of.provisional:
        parts.append(
            "worked out for this file only, since the commit is newer than what was attributed;"
            " whowrote repo settles it"
        )
    if measured := measured_words(of):
        parts.append(measured)
    if block.prompt:
        parts.append(f"asked: {cut(block.prompt, _PROMPT)}")
    if of.session:
        parts.append(f"session {of.session}" + (f", turn {of.turn}" if of.turn is not None else ""))
    subject = f" {commit.author_at[:10]} {commit.subject}" if commit else ""
    made = block.first.introduced.sha != NO_COMMIT
    parts.append(
        f"commit {block.first.introduced.sha[:SHORT]}{subject}" if made else "not committed"
    )
    if (at := block.first.at).behind:
        parts.append(
            f"at {at.commit[:SHORT]}, {count_of(at.behind, 'commit')} after what was attributed"
        )
    return "\n".join(map(printable, parts))


def _starts(lines: Lines) -> Iterator[tuple[int, Block]]:
    """The blocks of a buffer that are worth a mark, each with its first line there."""
    last = None
    for line, (_, block) in enumerate(lines):
        if block and block is not last and block.first.attribution.kind not in _UNSAID:
            yield line, block
        last = block


def _hints(lines: Lines, texts: Sequence[str], visible: range) -> Iterator[types.InlayHint]:
    """Each at the end of the first line of a block."""
    for line, block in _starts(lines):
        if line in visible:
            # the protocol counts in UTF-16
            before = texts[line].removesuffix("\r").encode("utf-16-le", "surrogatepass")
            at = types.Position(line, len(before) // 2)
            label = printable(cut(_who(block), _HINT))
            yield types.InlayHint(at, label, tooltip=hover_text(block), padding_left=True)


def _signs(lines: Lines) -> Iterator[types.Diagnostic]:
    """Each at the first line of a block; its severity, which decides what the editor puts beside
    the line, tells the class.
    """
    for line, block in _starts(lines):
        kind = block.first.attribution.kind
        is_agent = kind in BY_AGENTS
        severity = (
            types.DiagnosticSeverity.Information if is_agent else types.DiagnosticSeverity.Hint
        )
        at = types.Position(line, 0)
        yield types.Diagnostic(types.Range(at, at), printable(_who(block)), severity, kind)


def _who(block: Block) -> str:
    of = block.first.attribution
    names = [label_of(of.agent) if of.agent else "", of.model, of.tool, of.session[:8]]
    word = (of.kind or of.reason or "older").replace("_", " ")
    details = " · ".join(name for name in names if name)
    if details:
        return f"{word}: {details}"
    return word
