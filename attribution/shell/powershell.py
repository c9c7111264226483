"""Commands for PowerShell: the cmdlets that write, move, copy or remove files; everything else is judged as a program."""

from __future__ import annotations

import re

from attribution.shell.calls import Evaluation, ProgramCall
from attribution.shell.files import transfer_effect
from attribution.shell.model import Effect, ShellWord, SimpleCommand, Unparsable

_MAX_LENGTH = 30_000  # characters of a PowerShell text
_START = re.compile(
    r"\s*(?:\$[\w:]+\s*=[^=~]"
    r"|(?:Get|Set|Add|New|Remove|Move|Copy|Rename|Out|Select|Test|Write|Import|Invoke|Start|Clear|ConvertTo)-[A-Z]\w+)"
)
_TOKEN = re.compile(
    r"@'\r?\n.*?\n'@|@\"\r?\n.*?\n\"@|'(?:[^']|'')*+'|\"(?:[^\"`]|`.)*+\"|`\r?\n|#[^\n]*|[;\n|{}()&]+|[^\s;|'\"{}()&]+|\S", re.S
)
_CMDLETS = {
    "write": "set-content out-file tee-object export-csv new-item clear-content expand-archive",
    "append": "add-content",
    "remove": "remove-item",
    "move": "move-item rename-item",
    "copy": "copy-item",
}
_KINDS = {cmdlet: kind for kind, cmdlets in _CMDLETS.items() for cmdlet in cmdlets.split()}
_KEYWORDS = ("if", "foreach", "else", "elseif", "while", "try", "catch", "param", "function")
_SWITCHES = ("-force", "-recurse", "-append", "-nonewline", "-passthru", "-confirm:$false", "-verbose", "-noclobber")


def is_powershell(text: str) -> bool:
    """Whether the text starts as only PowerShell does."""
    return _START.match(text) is not None


def powershell(text: str, cwd: str, run: Evaluation) -> list[Effect]:
    """The effects of all statements. Raises Unparsable for a text that is too long."""
    result: list[Effect] = []
    words: list[ShellWord] = []
    if len(text) > _MAX_LENGTH:
        raise Unparsable
    for token in [*_TOKEN.findall(text), ";"]:
        if re.fullmatch(r"[;\n|{}()&]+", token):
            result += _statement(words, cwd, run)
            words = []
        elif token[0] in "'\"":
            words.append(ShellWord(token[1:-1], "$" not in token or token[0] == "'"))
        elif not token.startswith(("`", "#", "@'", '@"')):
            words.append(ShellWord(token, "$" not in token))
    return result


def _statement(words: list[ShellWord], cwd: str, run: Evaluation) -> list[Effect]:
    words = words[2:] if len(words) > 1 and words[1].text == "=" else words
    first = words[0].text if words else ""
    if not first or first[0] in "$[@-" or first in _KEYWORDS:
        return [Effect("opaque")] if "WriteAll" in first else []
    call = ProgramCall("mv", (), cwd, SimpleCommand(cwd), run)
    kind = _KINDS.get(first.lower())
    return _effects(call, kind, words) if kind else call.program(words)


def _effects(call: ProgramCall, kind: str, words: list[ShellWord]) -> list[Effect]:
    named, loose = _arguments(words[1:])
    paths = [named[key] for key in ("-path", "-literalpath", "-filepath") if key in named] or loose[:1]
    if "directory" in (word.text.lower() for word in named.values()):
        return []
    if kind in ("move", "copy"):
        target = named.get("-destination") or named.get("-newname") or (loose[-1] if loose else ShellWord("", False))
        return [transfer_effect(call, kind, path.text, target.text) for path in paths]
    appended = kind == "write" and any(word.text.lower() == "-append" for word in words)
    return call.make("append" if appended else kind, paths)


def _arguments(words: list[ShellWord]) -> tuple[dict[str, ShellWord], list[ShellWord]]:
    named: dict[str, ShellWord] = {}
    loose: list[ShellWord] = []
    moment = 0
    while moment < len(words):
        text = words[moment].text.lower()
        if text.startswith("-") and text not in _SWITCHES and moment + 1 < len(words):
            named[text] = words[moment + 1]
            moment += 1
        elif not text.startswith("-"):
            loose.append(words[moment])
        moment += 1
    return named, loose
