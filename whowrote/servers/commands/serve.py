"""`whowrote serve`: answers for coding agents and editors.

`whowrote data guard`: keeps prompts out of commits.
"""

import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from io import FileIO
from pathlib import Path

import click

from attribution.commands.common import here
from collector.console.terminal import database_option, notice, one_line, out
from collector.errors import WhoWroteError
from collector.runtime.version import install_command

_HEAD = 1_000_000  # bytes of a file that are looked at
_SQLITE = b"SQLite format 3\0"
# how a write-ahead log of SQLite begins; whose it is it does not say
_LOG = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
# of a SQLite file: the number that says whose it is (sqlite.org/fileformat2.html)
_APPLICATION = slice(68, 72)
_JSON = (b"{", b"[", b"\xef\xbb\xbf{", b"\xef\xbb\xbf[")


def _require(package: str, extra: str) -> None:
    if find_spec(package) is None:
        raise WhoWroteError(
            f"whowrote serve {extra} needs whowrote[{extra}]",
            f"Install it with: {install_command(extra)}",
        )


@click.command()
@click.argument("path", required=False)
@database_option
def mcp(path: str | None, db: Path) -> None:
    """Serve answers about a clone to agents (MCP).

    Speaks the Model Context Protocol on stdin and stdout; an agent or editor starts it. Tools: who
    wrote these lines, why is this line here, what did this session do, what was tried and undone in
    this file. Needs whowrote[mcp].
    """
    _require("mcp", "mcp")
    from collector.git.repository import GitRepo
    from whowrote.servers.mcp_server import server

    clone = path or here()
    GitRepo(clone)  # or an error before any question
    server(clone, db).run()


_EACH_CLONES = click.option(
    "--db",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="SQLite file.  [default: that of each clone]",
)


@click.command()
@_EACH_CLONES
@click.option("--signs", is_flag=True, help="Also mark blocks of lines beside the text.")
def lsp(db: Path | None, signs: bool) -> None:
    """Serve hovers, hints and actions to editors (LSP).

    Speaks the Language Server Protocol on stdin and stdout; an editor starts it. It answers for
    every file of a clone that the editor opens: who wrote the line, how we know, the prompt behind
    it. Needs whowrote[lsp].
    """
    _require("pygls", "lsp")
    from whowrote.servers.lsp_server import Answers, server

    server(db, signs).start_io(stdout=Answers(FileIO(sys.stdout.fileno(), "wb")))


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[GIT'S WORDS]...")
@_EACH_CLONES
def git(words: Sequence[str], db: Path | None) -> None:
    """Answer as git does, with agents in `blame`.

    For editors that run git: `blame` has every option and format of git's own, and the agent
    beside the name of the committer. All other commands are handed to git.
    """
    from collector.git.program import hand_to_git
    from whowrote.servers.blame_as_git import answer, parts

    settings, command = parts(words)
    if command[:1] != ["blame"]:
        sys.exit(hand_to_git(words))
    is_piped = "-" in command or "--contents=-" in command
    stdin = sys.stdin.buffer.read() if is_piped else b""
    code, shown, errors = answer(settings, command[1:], stdin, db)
    sys.stderr.buffer.write(errors)
    sys.stdout.buffer.write(shown)
    sys.stdout.buffer.flush()
    sys.exit(code)


git.allow_interspersed_args = False


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
def guard(files: Sequence[Path]) -> None:
    """Refuse to commit databases of whowrote and transcripts.

    They contain prompts, answers and what commands printed. Looks at FILES, or without any at what
    is staged in the clone around the current directory, and exits with 1 when one of them should
    stay out. Hook of pre-commit: whowrote-guard.
    """
    guarded = [
        (path, what)
        for path, head in (_beginnings(files) if files else _staged_files())
        if (what := what_it_is(head))
    ]
    for path, what in guarded:
        out().print(f"{one_line(path)}: {what}", soft_wrap=True, markup=False, highlight=False)
    if guarded:
        notice("prompts would be published with them; leave them out, for example by .gitignore")
        raise SystemExit(1)


def _beginnings(files: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    for path in files:
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                yield str(path), file.read(_HEAD)


def _staged_files() -> Iterator[tuple[str, bytes]]:
    """What differs between the index and HEAD, as the index has it."""
    from collector.git.repository import GitRepo

    repo = GitRepo(here())
    for path, oid in repo.staged():
        yield path, (repo.blob(oid) or b"")[:_HEAD]


def what_it_is(head: bytes) -> str:
    """What should not be published, by the beginning of a file; "" for anything else."""
    from collector.storage.store import APPLICATION_ID

    if head.startswith(_SQLITE):
        if int.from_bytes(head[_APPLICATION], "big") == APPLICATION_ID:
            return "a database of whowrote"
        return ""
    if head.startswith(_LOG):
        return "a write-ahead log of a database"
    if not head.lstrip().startswith(_JSON):
        return ""
    from collector.agents import reader_for
    from collector.vocabulary.agents import label_of

    reader = reader_for(head)
    if reader:
        return f"a transcript of {label_of(reader.NAME)}"
    return ""


DATA = (guard,)
SERVE = (mcp, lsp, git)
