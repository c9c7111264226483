"""What `git blame` prints, with the agent beside the name of the committer.

Git answers itself, so its options mean what they mean there; only names are added to, and lines
`whowrote-…` where the format allows unknown ones. With the names put back it is git's answer.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attribution.commands.common import open_clone
from attribution.lineage.git_blame import Introduction
from attribution.queries.blame import blame
from attribution.queries.open_repo import OpenRepo
from attribution.queries.sessions import prompt_of
from attribution.queries.verdicts import NO_COMMIT, Attributions, LineAttribution
from collector.console.formats import cut
from collector.console.terminal import notice, one_line
from collector.errors import WhoWroteError
from collector.git.diff_tree import unquote
from collector.git.program import own_git
from collector.storage.places import default_database
from collector.text import decode
from collector.vocabulary.agent_names import model_identity
from collector.vocabulary.agents import label_of
from collector.vocabulary.lines import LineClass

_PROMPT = 200  # characters
_ENTRY = re.compile(rb"([0-9a-f]{40,64}) (\d+) (\d+)(?: (\d+))?")
_WITH_VALUE = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env")

Said = tuple[str, str, str, str]
"""What is said of a line: what stands before the name, class, session, prompt."""
_NOTHING: Said = ("", "", "", "")
Says = Callable[[Introduction, int], Said]
"""Of a line: where it was added, and its number now."""


def parts(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Options of git, and its command with what follows."""
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _WITH_VALUE else 1
    return list(words[:at]), list(words[at:])


def answer(
    settings: Sequence[str], asked: Sequence[str], stdin: bytes, db: Path | None
) -> tuple[int, bytes, bytes]:
    """Exit code, output and errors of `git SETTINGS blame ASKED`, with agents.

    Where nothing can be said about the clone, it is git's answer, with a notice.
    """
    code, shown, errors = own_git(settings, ["blame", "--no-textconv", *asked], stdin)
    if code or not shown:
        return code, shown, errors
    full = shown
    if not _ENTRY.fullmatch(shown.partition(b"\n")[0]):
        plain = [word for word in asked if word != "--progress"]
        options = ("--no-textconv", "--line-porcelain")
        full = own_git(settings, ["blame", *options, *plain], stdin)[1]
    entries = list(_entries(full))
    is_given = any(word.startswith("--con") for word in asked)  # a text, by an editor
    try:
        top = own_git(settings, ["rev-parse", "--show-toplevel"])[1]
        if not top:
            top = own_git(settings, ["rev-parse", "--absolute-git-dir"])[1]
        clone = decode(top.removesuffix(b"\n"))
        with open_clone(clone, db or default_database({"path": clone}), quiet=True) as opened:
            says = _says(opened, entries, is_given)
            shown = _porcelain(entries, says) if full is shown else _table(shown, entries, says)
    except WhoWroteError as error:
        notice(f"whowrote: {error}; names are git's")
    return code, shown, errors


Entry = tuple[Introduction, int, int, list[bytes]]
"""Where lines were added, the number of the first one now, how many, and what git says of them."""


def _entries(data: bytes) -> Iterator[Entry]:
    """The parts of a porcelain or incremental output; what follows the last one is the last, with
    no lines.
    """
    end = b"\t" if b"\n\t" in data else b"filename "
    names = {}
    said = []
    for line in data.removesuffix(b"\n").split(b"\n"):
        said.append(line)
        head = _ENTRY.fullmatch(said[0])
        if head is None:
            continue
        sha = head[1].decode()
        if line.startswith(b"filename "):
            names[sha] = decode(unquote(line[9:]))
        if line.startswith(end):
            count = 1 if end == b"\t" else int(head[4])
            yield Introduction(sha, names[sha], int(head[2])), int(head[3]), count, said
            said = []
    if said:
        yield Introduction("", "", 0), 0, 0, said


def _says(opened: OpenRepo, entries: Sequence[Entry], is_given: bool) -> Says:
    now = {} if is_given else _not_committed(opened, entries)
    introduced = {origin for origin, *_ in entries}
    names = {origin.path for origin in introduced if origin.sha in opened.newer}
    if names and opened.complete is not None:
        opened.complete(opened, names)
    known = Attributions(opened)

    def says(origin: Introduction, number: int) -> Said:
        of = now.get(number) if origin.sha == NO_COMMIT else known.of_line(origin)
        if of is None or not of.kind:
            return _NOTHING
        prompt = prompt_of(opened.store, of.session_id, of.turn)
        return _beside(of), of.kind, one_line(of.session), one_line(cut(prompt, _PROMPT))

    return says


def _not_committed(opened: OpenRepo, entries: Sequence[Entry]) -> dict[int, LineAttribution]:
    """Of lines of the working tree, by number."""
    pending = [entry for entry in entries if entry[0].sha == NO_COMMIT]
    lines = blame(opened, pending[0][0].path).lines if pending else ()
    return {line.line: line.attribution for line in lines if line.introduced.sha == NO_COMMIT}


def _beside(of: LineAttribution) -> str:
    """What stands before a committer's name; "" for a person, and where nothing contradicts git."""
    name = label_of(of.agent) if of.agent else "an agent"
    model = model_identity(of.model).removeprefix("claude-")
    words = {
        LineClass.AGENT: f"{name} ({model})" if model else name,
        LineClass.DECLARED: f"{name} (declared)",
        LineClass.TOOL: of.tool or "a tool",
        LineClass.UNKNOWN: "unknown",
    }.get(LineClass(of.kind), "")
    # ASCII: git's columns are as wide as the characters are many
    return one_line(words).encode("ascii", "replace").decode()


def _porcelain(entries: Sequence[Entry], says: Says) -> bytes:
    """Where git tells of a commit once for all its lines, so do we: a program may take further
    headers of it for all that there is to say.
    """
    every = [
        [says(origin._replace(line=origin.line + n), at + n) for n in range(count)]
        for origin, at, count, _ in entries
    ]
    once = any(count and not _author(lines) for *_, count, lines in entries)
    of_commit: dict[str, list[Said]] = {}
    for (origin, *_), said in zip(entries, every, strict=True):
        of_commit.setdefault(origin.sha, []).extend(said)
    shown = []
    for (origin, _, _, lines), of_entry in zip(entries, every, strict=True):
        said = of_commit[origin.sha] if once else of_entry
        shown.append(lines[0] + _notes(said) if _author(lines) else lines[0])
        names = dict.fromkeys(of[0] for of in said)
        before = ", ".join(filter(None, names))
        if before and "" in names:
            before = f"in part {before}"
        shown += [
            b"author " + _join_names(before, line[7:]) if line.startswith(b"author ") else line
            for line in lines[1:]
        ]
    return b"\n".join(shown) + b"\n"


def _author(lines: Sequence[bytes]) -> bytes:
    """`author NAME`; b"" where git does not say it again."""
    for line in lines[1:]:
        if line.startswith(b"author "):
            return line
    return b""


def _join_names(before: str, name: bytes) -> bytes:
    if before:
        return f"{before}, ".encode() + name
    return name


def _notes(said: Sequence[Said]) -> bytes:
    """Header lines; of lines that came in different ways only their classes."""
    kinds = ",".join(dict.fromkeys(of[1] or "none" for of in said))
    _, _, session, prompt = said[0] if len(set(said)) == 1 else _NOTHING
    notes = (("class", kinds), ("session", session), ("prompt", prompt))
    return "".join(f"\nwhowrote-{name} {text}" for name, text in notes if text).encode()


def _table(shown: bytes, entries: Sequence[Entry], says: Says) -> bytes:
    """The default format. The column of names is as wide as the longest one, as in git."""
    lines = shown.split(b"\n")
    rows = []  # (its number, what stands before, the parts of git's line)
    for number, (origin, at, count, said) in enumerate(entries):
        match = _row(origin, said).match(lines[number]) if count else None
        if match is not None:
            rows.append((number, says(origin, at)[0], match))
    widths = [len(_join_names(before, b"")) - len(match[4]) for _, before, match in rows]
    gap = min((len(match[4]) for *_, match in rows), default=0)  # after the longest name
    for (number, before, match), width in zip(rows, widths, strict=True):
        head, left, name, _ = match.groups()
        named = _join_names(before, name)
        rest = lines[number][match.end() :]
        if head.endswith(b"\t("):  # as git annotate: at least ten characters, and no column
            lines[number] = head + left[len(named) - len(name) :] + named + rest
        else:
            lines[number] = head + left + named + b" " * (max(widths) - width + gap) + rest
    return b"\n".join(lines)


def _row(origin: Introduction, said: Sequence[bytes]) -> re.Pattern[bytes]:
    """Commit, perhaps the file and the line there, then `(NAME   `, or the address."""
    facts = dict(line.partition(b" ")[::2] for line in said[1:-1])
    name = re.escape(facts[b"author"])
    mail = re.escape(facts[b"author-mail"])
    file = re.escape(unquote(facts[b"filename"]))
    return re.compile(rb"([^()]*?(?: %s *)?[ \d]*[ \t]\()( *)(%s|%s)( *)" % (file, mail, name))
