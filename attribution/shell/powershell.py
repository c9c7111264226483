"""Commands for PowerShell and cmd: what writes, moves, copies or removes files; everything else
is judged as a program.
"""

import re
from itertools import pairwise

from attribution.shell.calls import Evaluation, ProgramCall
from attribution.shell.files import transfer_effect
from attribution.shell.model import Effect, ShellWord, SimpleCommand, Unparsable, join

_MAX_LENGTH = 30_000  # characters of a PowerShell text
_CMDLET = (
    r"(?:Get|Set|Add|New|Remove|Move|Copy|Rename|Out|Select|Test|Write|Import|Invoke|Start|Clear"
    r"|ConvertTo)-[A-Z]\w+"
)
# Names that no other shell has, and those of other shells with a path whose backslash they would
# take away.
_ALIAS = (
    r"(?:cmd(?:\.exe)?\s+/c\s+\"?)?"
    r"(?:ren|rni|move|mi|copy|cpi|del|erase|(?:git\s+)?(?:mv|cp|rm)(?=\s[^'\"\n]{0,300}\w\\\w))"
)
_START = re.compile(rf"\s*(?:\$[\w:]+\s*=[^=~]|{_CMDLET}|{_ALIAS}\s)")
_LATER = re.compile(rf"(?:[;|\n]|&&)\s{{0,99}}(?:{_CMDLET}|{_ALIAS})\s")
_QUOTED = re.compile(r"'[^']*+'|\"(?:[^\"\\`]|[\\`].)*+\"", re.S)
_TOKEN = re.compile(
    r"@'\r?\n.*?\n'@|@\"\r?\n.*?\n\"@|'(?:[^']|'')*+'|\"(?:[^\"`]|`.)*+\"|`\r?\n|#[^\n]*|[;\n|{}()&]+|[^\s;|'\"{}()&]+|\S",
    re.S,
)
_CMDLETS = {
    "write": "set-content out-file tee-object export-csv new-item clear-content expand-archive",
    "append": "add-content",
    "remove": "remove-item rm del erase",
    "move": "move-item rename-item move mi mv ren rni",
    "copy": "copy-item copy cpi cp",
}
_KINDS = {cmdlet: kind for kind, cmdlets in _CMDLETS.items() for cmdlet in cmdlets.split()}
_KEYWORDS = ("if", "foreach", "else", "elseif", "while", "try", "catch", "param", "function")
_SWITCHES = (
    "-force",
    "-recurse",
    "-append",
    "-nonewline",
    "-passthru",
    "-confirm:$false",
    "-verbose",
    "-f",
    "/y",
    "/q",
)


def is_powershell(text: str) -> bool:
    """Whether a statement starts as only PowerShell's do; a shell's heredoc may hold such
    statements.
    """
    return _START.match(text) is not None or (
        "<<" not in text and _LATER.search(_QUOTED.sub("''", text)) is not None
    )


def powershell(text: str, cwd: str, run: Evaluation) -> list[Effect]:
    """The effects of all statements. Raises Unparsable for a text that is too long."""
    result: list[Effect] = []
    words: list[ShellWord] = []
    if len(text) > _MAX_LENGTH:
        raise Unparsable
    for token in [*_TOKEN.findall(text), ";"]:
        if re.fullmatch(r"[;\n|{}()&]+", token):
            result += _statement(words, cwd, run)
            cwd = _directory(words, cwd)
            words = []
        elif token[0] in "'\"":
            words.append(ShellWord(token[1:-1], "$" not in token or token[0] == "'"))
        elif not token.startswith(("`", "#", "@'", '@"')):
            words.append(ShellWord(token.replace("\\", "/"), "$" not in token))
    return result


def _statement(words: list[ShellWord], cwd: str, run: Evaluation) -> list[Effect]:
    words = words[2:] if len(words) > 1 and words[1].text == "=" else words
    first = words[0].text if words else ""
    if not first or first[0] in "$[@-" or first in _KEYWORDS:
        return [Effect("opaque")] if "WriteAll" in first else []
    call = ProgramCall("mv", (), cwd, SimpleCommand(cwd), run)
    kind = _KINDS.get(first.lower())
    outputs = [file for sign, file in pairwise(words) if sign.text in (">", ">>")]
    return (_effects(call, kind, words) if kind else call.program(words)) + (
        call.make("write", outputs) if outputs else []
    )


def _directory(words: list[ShellWord], cwd: str) -> str:
    """Where the statements after this one work."""
    moves = len(words) > 1 and words[0].text.lower() in (
        "cd",
        "sl",
        "set-location",
        "push-location",
    )
    return join(cwd, words[-1].text.replace("\\", "/")) if moves else cwd


def _effects(call: ProgramCall, kind: str, words: list[ShellWord]) -> list[Effect]:
    named, loose = _arguments(words[1:])
    paths = (
        next((named[key] for key in ("-path", "-literalpath", "-filepath") if key in named), [])
        or loose[:1]
    )
    if any(word.text.lower() == "directory" for several in named.values() for word in several):
        return []
    if kind in ("move", "copy"):
        target = named.get("-destination") or named.get("-newname") or loose[-1:]
        return _transfers(
            call,
            kind,
            [word.text for word in paths],
            target[0].text if target else "",
            words[0].text.lower(),
        )
    appended = kind == "write" and any(word.text.lower() == "-append" for word in words)
    return call.make("append" if appended else kind, paths)


def _transfers(
    call: ProgramCall, kind: str, sources: list[str], target: str, cmdlet: str
) -> list[Effect]:
    """One effect for each source; a new name is one in the directory of the source."""
    if not sources or not target:
        return [Effect(kind)]  # they come out of a pipeline, or the name is computed
    if cmdlet in ("rename-item", "ren", "rni"):
        return [
            transfer_effect(
                call, kind, path, path[: path.rfind("/") + 1] + target.rpartition("/")[2]
            )
            for path in sources
        ]
    into = target.rstrip("/") + "/" if len(sources) > 1 else target
    return [transfer_effect(call, kind, path, into) for path in sources]


def _arguments(words: list[ShellWord]) -> tuple[dict[str, list[ShellWord]], list[ShellWord]]:
    """The values of each named parameter, which commas separate, and the other words; slashes
    are those of paths here.
    """
    named: dict[str, list[ShellWord]] = {}
    loose: list[ShellWord] = []
    values, more = loose, False
    for word in words:
        text = word.text.lower()
        if text.startswith("-") or text in _SWITCHES:
            values = loose if text in _SWITCHES else named.setdefault(text, [])
            continue
        pieces = [piece.replace("\\", "/") for piece in word.text.split(",") if piece]
        if values is not loose and values and not more and not word.text.startswith(","):
            values = loose  # a parameter has one value, or a list
        values += [ShellWord(piece, word.exact) for piece in pieces]
        more = word.text.endswith(",")
    return named, loose
