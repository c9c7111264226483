"""Which lines a command wrote that changes files in place: `sed -i`, a Python or Node script in a
heredoc. Pure.

Such a command writes what its text says and what stood in the file. That it names a file makes it
no author of lines which are in neither: a person may have added them afterwards. Where the script
computes text (it formats, reads other files, asks a server) no line is ruled out; but then nothing
shows which lines are its own.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from attribution.authorship.agent_text import MIN_LENGTH, without_layout
from attribution.authorship.align import lines_of
from attribution.authorship.case import CandidateAuthor, Case, InlineScript
from attribution.authorship.replay import LineOrigin
from collector.vocabulary.lines import Author, Reason

_WORD = re.compile(r"[^\W_]{3,}")
_COMPUTES = re.compile(
    r"(?<!\w)[rb]?f[rb]?(?:'|\")[^\n]{0,400}?\{|\.format\(|\$\{|%\s?\(|\bjson\.(?:dump|load)|JSON\.(?:stringify|parse)"
    r"|\b(?:csv|yaml|tomllib|toml|base64|uuid|random|datetime|secrets|string\.Template|textwrap)\.\w|\bDate\b|\bchr\(|fromCharCode"
    r"|\bsubprocess\b|child_process|\bexec(?:Sync|File)?\(|\burllib|\brequests\.|\bhttpx?\.|\bfetch\(|\bglob\b|\blistdir\(|\breaddir"
    r"|\.(?:upper|lower|title|capitalize|swapcase|toUpperCase|toLowerCase|padStart|zfill|repeat|splitlines|join)\("
    r"|\\[ULul]\b|\$\(|\bawk\b"
)


def narrow_to_text(case: Case, cause: CandidateAuthor, index: int) -> CandidateAuthor:
    """Of an answer that names scripts, what it is for this line."""
    if not cause.scripts:
        return cause
    script = script_of(case.text(index), cause.scripts, _words_around(case, index))
    if script is not None:
        return replace(cause, call=script.call, scripts=(), otherwise=None)
    remainder = cause.otherwise or CandidateAuthor(Author.HUMAN)
    if remainder.author != Author.HUMAN:
        return remainder
    if remainder.reason == Reason.GIT_OPERATION:
        return replace(remainder, author=Author.UNKNOWN)
    if not case.alignment.file.by_hand:  # nobody types data that a script is there to write
        return CandidateAuthor(Author.TOOL, call=cause.call, tool="script")
    state = case.alignment.state
    is_known = bool(case.alignment.file.before_text) or (state is not None and state.certain_at > 0)
    author = Author.HUMAN if is_known and not computes(cause.scripts) else Author.UNKNOWN
    return CandidateAuthor(author, reason=Reason.OPAQUE_SHELL, call=cause.call)


def _words_around(case: Case, index: int) -> frozenset[str]:
    """Words that were in the file before the line came, as far as is known."""
    file = case.alignment.file
    state = case.alignment.state
    line = case.alignment.ids[index]
    if state is None:
        return words_of(file.before_text)
    if line < 0:
        return words_of(state.text) | words_of(file.before_text)
    came = _moment_of(case.tree.origin(line))
    if came not in case.words:
        texts = zip(state.ids, lines_of(state.text), strict=True)
        remaining = [text for other, text in texts if _moment_of(case.tree.origin(other)) != came]
        case.words[came] = words_of("\n".join(remaining)) | words_of(file.before_text)
    return case.words[came]


def _moment_of(origin: LineOrigin) -> tuple[str, float, float]:
    """What lines that came together have in common."""
    return origin.kind, origin.after, origin.before


def script_of(
    line: str, scripts: Sequence[InlineScript], existing: frozenset[str]
) -> InlineScript | None:
    """The script that wrote a line; None when none of them can have.

    The latest whose text holds the line, layout aside. Else the latest of all, if the line has no
    word but theirs and those of the file without the line (`existing`), at least one of them
    theirs: what a search and replace leaves behind.
    """
    bare = without_layout(line)
    if len(bare) >= MIN_LENGTH:
        for script in scripts:
            if bare in _bare(script.text):
                return script
    words = words_of(line)
    statement = frozenset[str]().union(*(words_of(script.text) for script in scripts))
    changes = words <= statement | existing and (not words or not words.isdisjoint(statement))
    return scripts[0] if changes else None


def computes(scripts: Sequence[InlineScript]) -> bool:
    """Whether one of the scripts makes text that stands neither in itself nor in the file."""
    return any(_COMPUTES.search(script.text) for script in scripts)


@lru_cache(maxsize=256)
def words_of(text: str) -> frozenset[str]:
    """Words and numbers of three or more characters."""
    return frozenset(_WORD.findall(text))


_bare = lru_cache(maxsize=64)(without_layout)
