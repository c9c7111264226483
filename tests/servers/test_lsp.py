"""The server for editors, asked over stdio by the client of pygls."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.builder import commit_by_ada, git
from support.commands import Analysed, analyse, clone, run
from support.histories import Build

import whowrote
from attribution.cli import cli
from attribution.demo import FILE

pytest.importorskip("pygls")

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient
from pygls.uris import to_fs_path
from support.answers import value

from collector.json_values import JsonObject
from whowrote.servers.lsp_server import lines_at_head

Ask = Callable[["Editor"], Awaitable[Any]]


class Editor:
    """One open file in a client."""

    def __init__(self, client: LanguageClient, file: Path) -> None:
        self.client = client
        self.uri = file.as_uri()
        self.version = 0
        self.messages = list[str]()

    def show(self, shown: str) -> None:
        self.version += 1
        if self.version == 1:
            item = types.TextDocumentItem(self.uri, "python", 1, shown)
            self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        else:
            changed = types.VersionedTextDocumentIdentifier(uri=self.uri, version=self.version)
            whole = types.TextDocumentContentChangeWholeDocument(shown)
            self.client.text_document_did_change(
                types.DidChangeTextDocumentParams(changed, [whole])
            )

    async def hover(self, line: int) -> str | None:
        """`line` from 0; the text, None for no answer."""
        asked = types.HoverParams(types.TextDocumentIdentifier(self.uri), types.Position(line, 0))
        answer = await self.client.text_document_hover_async(asked)
        if answer is None:
            return None
        assert (
            isinstance(answer.contents, types.MarkupContent)
            and answer.contents.kind == types.MarkupKind.PlainText
        )
        return answer.contents.value

    async def actions(self, line: int) -> list[str]:
        """The titles of the actions at a line (from 0), each of which is done."""
        asked = types.CodeActionParams(
            types.TextDocumentIdentifier(self.uri),
            types.Range(types.Position(line, 0), types.Position(line, 0)),
            types.CodeActionContext([]),
        )
        commands = await self.client.text_document_code_action_async(asked) or []
        for command in commands:
            assert isinstance(command, types.Command)
            if len(commands) > 1:
                await self.client.workspace_execute_command_async(
                    types.ExecuteCommandParams(command.command, command.arguments)
                )
        return [command.title for command in commands]

    async def hints(self, first: int = 0, last: int = 10_000) -> list[types.InlayHint]:
        wanted = types.Range(types.Position(first, 0), types.Position(last, 0))
        asked = types.InlayHintParams(types.TextDocumentIdentifier(self.uri), wanted)
        return list(await self.client.text_document_inlay_hint_async(asked) or [])


def ask(
    file: Path, db: Path | None, question: Ask, opens: bool = False, more: Sequence[str] = ()
) -> Any:
    """What `question` returns, put to a server in a process of its own; `opens`: whether the
    editor opens documents; `more` options of the server.
    """

    async def asked() -> Any:
        client = LanguageClient("test", "1")
        editor = Editor(client, file)
        client.feature(types.WINDOW_SHOW_MESSAGE)(
            lambda message: editor.messages.append(message.message)
        )

        def show(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
            editor.messages.append(Path(to_fs_path(params.uri) or "").read_text("utf-8"))
            return types.ShowDocumentResult(True)

        client.feature(types.WINDOW_SHOW_DOCUMENT)(show)
        client.feature(types.WORKSPACE_INLAY_HINT_REFRESH)(
            lambda _: editor.messages.append("refresh")
        )
        window = types.WindowClientCapabilities(
            show_document=types.ShowDocumentClientCapabilities(opens)
        )
        options = [*(["--db", str(db)] if db else []), *more]
        await client.start_io(sys.executable, "-m", "whowrote", "serve", "lsp", *options)
        try:
            await client.initialize_async(
                types.InitializeParams(types.ClientCapabilities(window=window))
            )
            client.initialized(types.InitializedParams())
            return await question(editor)
        finally:
            await client.shutdown_async(None)
            client.exit(None)
            await client.stop()  # type: ignore[no-untyped-call]

    return asyncio.run(asyncio.wait_for(asked(), 300))


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Analysed:
    directory = tmp_path_factory.mktemp("lsp")
    repo = directory / "work"
    git(directory, "clone", "-q", str(clone("example", directory)), str(repo))
    git(
        repo,
        "fetch",
        "-q",
        "origin",
        "+refs/heads/entire/*:refs/remotes/origin/entire/*",
        "+refs/entire/*:refs/entire/*",
    )
    return Analysed(repo, directory / "out.db")


def test_every_line_says_what_the_library_says(example: Analysed) -> None:
    repo, db = example
    with whowrote.open(repo, db) as opened:
        lines = opened.blame(FILE)
        blocks = opened.blocks(FILE)

    async def question(editor: Editor) -> Any:
        editor.show((repo / FILE).read_text("utf-8"))
        hovers = [await editor.hover(line) for line in range(len(lines) + 1)]
        asked = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(editor.uri))
        signs = await editor.client.text_document_diagnostic_async(asked)
        return hovers, await editor.hints(), signs

    (*hovers, beyond), hints, signs = ask(repo / FILE, db, question, more=["--signs"])
    assert [hover.split("\n")[0].split(":")[0].replace(" ", "_") for hover in hovers] == [
        one.attribution.kind for one in lines
    ]
    assert beyond is None
    agents = [line.line - 1 for line in lines if line.attribution.kind == "agent"]
    assert agents and all(lines[n].attribution.evidence in hovers[n] for n in agents)
    assert all(
        lines[n].attribution.session in hovers[n] and "right in" in hovers[n] for n in agents
    )
    with_hint = [
        block for block in blocks if block.first.attribution.kind not in ("", "undeclared")
    ]
    assert [hint.position.line for hint in hints] == [block.start - 1 for block in with_hint]
    assert [sign.range.start.line for sign in signs.items] == [hint.position.line for hint in hints]
    for sign in signs.items:
        assert (sign.code == "agent") == (sign.severity == types.DiagnosticSeverity.Information)
    asked = [block.prompt for block in with_hint if block.prompt]
    assert asked and all(
        any(prompt[:40] in str(hint.tooltip) for hint in hints) for prompt in asked
    )


def test_actions_explain_a_line_and_open_its_session(example: Analysed) -> None:
    """In an editor that opens documents, and in one that only shows messages; hints are asked
    for again.
    """
    repo, db = example
    shown = (repo / FILE).read_text("utf-8")
    with whowrote.open(repo, db) as opened:
        line = next(line for line in opened.blame(FILE) if line.attribution.kind == "agent")
        why = opened.explain(FILE, line.line)

    async def question(editor: Editor) -> Any:
        editor.show("# new\n" + shown)
        return [await editor.actions(number) for number in (0, line.line)], editor.messages

    for opens in (True, False):
        (new, of_agent), texts = ask(repo / FILE, db, question, opens)
        assert new == ["whowrote: refresh"]
        assert of_agent == ["whowrote: explain", "whowrote: open session", "whowrote: refresh"]
        explained, session, refreshed = texts
        assert line.text.strip() in explained and why.prompt.split()[0] in explained
        assert why.prompt.splitlines()[0] in session and "lines in commits" in session
        assert refreshed == "refresh"


def test_a_changed_line_is_not_committed_and_the_others_keep_their_answers(
    example: Analysed,
) -> None:
    repo, db = example
    before = (repo / FILE).read_text("utf-8")
    edited = before.split("\n")
    edited.insert(2, "# 🐦 added, not saved")

    async def question(editor: Editor) -> Any:
        editor.show(before)
        unchanged = [await editor.hover(line) for line in range(4)]
        editor.show("\r\n".join(edited))
        return unchanged, [await editor.hover(line) for line in range(5)]

    unchanged, changed = ask(repo / FILE, db, question)
    assert changed[2] == "Not committed: HEAD does not have this line."
    assert [*changed[:2], *changed[3:]] == unchanged


def test_a_line_of_a_newer_commit_is_worked_out_for_its_file(tmp_path: Path, db: Path) -> None:
    repo = clone("example", tmp_path, bare=False)
    git(repo, "checkout", "-q", "-f")
    analyse(repo, db)
    file = repo / FILE
    file.write_text("# newer\n" + file.read_text())
    commit_by_ada(repo, "Newer", "-a")

    async def question(editor: Editor) -> Any:
        editor.show(file.read_text())
        before = await editor.hover(0), await editor.hints(0, 0)
        analyse(repo, db)
        return *before, await editor.hover(0)

    hover, hints, attributed = ask(file, db, question)
    assert (
        hover.startswith("undeclared\n") and "worked out for this file only" in hover and not hints
    )
    assert attributed.startswith("undeclared\n"), (
        "the server keeps no answer that a run has made old"
    )
    assert hover.endswith(", 1 commit after what was attributed")
    assert "this file only" not in attributed and "after what was attributed" not in attributed


def test_a_new_file_and_a_file_in_no_clone(example: Analysed, tmp_path: Path) -> None:
    repo, db = example

    async def question(editor: Editor) -> Any:
        editor.show("anything = 1\n")
        return await editor.hover(0), await editor.hints(), editor.messages

    assert ask(repo / "new.py", db, question) == (
        "Not committed: HEAD does not have this line.",
        [],
        [],
    )
    assert ask(tmp_path / "alone.py", None, question) == (None, [], [])


def test_without_records_the_editor_is_answered_too(tmp_path: Path, db: Path) -> None:
    build = Build(tmp_path / "plain.git")
    build.commit("one", {"a.py": ["first = 1"]})
    build.done()
    git(build.where, "symbolic-ref", "HEAD", "refs/heads/x1")
    git(tmp_path, "clone", "-q", str(build.where), str(tmp_path / "plain"))

    async def question(editor: Editor) -> Any:
        editor.show("first = 1\n")
        return [await editor.hover(0), await editor.hover(0)], list(editor.messages)

    answers, messages = ask(tmp_path / "plain" / "a.py", db, question)
    assert [answer.split("\n")[0] for answer in answers] == ["undeclared"] * 2
    assert all("not in" in message for message in messages)


def test_an_answer_that_comes_after_the_editor_has_ended_is_no_error(
    example: Analysed, db: Path
) -> None:
    """The editor asks, and ends before the clone has been attributed."""
    repo, _ = example
    line = {
        "textDocument": {"uri": (repo / FILE).as_uri()},
        "position": {"line": 0, "character": 0},
    }
    said: list[JsonObject] = [
        {"id": 1, "method": "initialize", "params": {"capabilities": {}}},
        {"method": "initialized", "params": {}},
        {"id": 2, "method": "textDocument/hover", "params": line},
        {"id": 3, "method": "shutdown"},
        {"method": "exit"},
    ]
    messages = [json.dumps({"jsonrpc": "2.0"} | one) for one in said]
    asked = "".join(f"Content-Length: {len(message)}\r\n\r\n{message}" for message in messages)
    command = [sys.executable, "-m", "whowrote", "serve", "lsp", "--db", str(db)]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=300)
    assert (done.returncode, done.stderr) == (0, "") and '"id":3' in done.stdout.replace(" ", "")
    assert value(db, "SELECT COUNT(*) FROM commits") > 0


@pytest.mark.parametrize(
    ("head", "buffer", "expected"),
    [
        ("a b c", "a\nb\nc\n", [1, 2, 3]),
        ("a b c", "a\nb\nc", [1, 2, 3]),
        ("a b c", "x\na\nc\n", [None, 1, 3]),
        ("a b c", "c\n", [3]),
        ("a b c", "a\nb\nc\nd\n", [1, 2, 3, None]),
        ("", "a\n", [None]),
        ("a b c", "a\r\nb\r\nc\r\n", [1, 2, 3]),
    ],
)
def test_lines_of_a_buffer_are_found_at_head(
    head: str, buffer: str, expected: list[int | None]
) -> None:
    assert lines_at_head([line.encode() for line in head.split()], buffer) == expected


def test_without_the_package_the_command_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whowrote.servers.commands.serve.find_spec", lambda name: None)
    done = run("serve", "lsp", program=cli, code=2)
    assert "whowrote[lsp]" in done.stderr


ODD_ADDRESSES = [
    "file:///tmp/a%00b.py",
    "file:///" + "a" * 5000,
    "untitled:one",
    "file://host/share/a.py",
    "",
    "file:///%ff%fe.py",
    "http://[::1",
]
ODD_LINES = [-1, 10_000, 2**31 - 1]


def test_odd_addresses_and_positions_get_an_answer_and_the_server_lives(
    example: Analysed,
) -> None:
    """An answer may be an error or nothing; what must not happen is silence, since the editor
    waits.
    """
    repo, db = example

    async def hover(editor: Editor, uri: str, line: int) -> Any:
        position = types.Position(0, 2**31 - 1)
        object.__setattr__(position, "line", line)  # the client sends no line -1
        asked = types.HoverParams(types.TextDocumentIdentifier(uri), position)
        try:
            return await asyncio.wait_for(editor.client.text_document_hover_async(asked), 20)
        except JsonRpcException as error:
            return error

    async def question(editor: Editor) -> Any:
        editor.show((repo / FILE).read_text("utf-8"))
        answers = [await hover(editor, uri, 0) for uri in ODD_ADDRESSES] + [
            await hover(editor, editor.uri, line) for line in ODD_LINES
        ]
        return answers, await editor.hover(0)

    answers, after = ask(repo / FILE, db, question)
    assert all(answer is None or isinstance(answer, JsonRpcException) for answer in answers), (
        answers
    )
    assert after
