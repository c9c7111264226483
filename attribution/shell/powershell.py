"""Commands for PowerShell and cmd: what writes, moves, copies or removes files; everything else
is judged as a program.
"""

import re
from itertools import pairwise
from typing import NamedTuple

from attribution.shell.calls import Evaluation, ProgramCall
from attribution.shell.files import transfer_effect
from attribution.shell.model import Effect, ShellWord, SimpleCommand, Unparsable, join
from collector.text import file_name

_MAX_LENGTH = 30_000  # characters of a PowerShell text
_CMDLET = (
    r"(?:Get|Set|Add|New|Remove|Move|Copy|Rename|Out|Select|Test|Write|Import|Invoke|Start|Clear"
    r"|ConvertTo)-[A-Z]\w+"
)
# Names that no other shell has, and those of other shells with a path whose backslash they would
# take away.
_ALIAS = (
    r"(?:cmd(?:\.exe)?(?:\s+/[\w:]+)*\s+/c\s+\"?)?"
    r"(?:ren|rni|move|mi|copy|cpi|del|erase|(?:git\s+)?(?:mv|cp|rm)(?=\s[^'\"\n]{0,300}\w\\\w))"
)
_HERE = r"@'[ \t]*\r?\n.*?\n'@|@\"[ \t]*\r?\n.*?\n\"@"
_METHOD = r"\[(?:System\.)?IO\.File\]::(?:Write|Append)All\w+"
_START = re.compile(
    rf"\s*(?:\$[\w:]+\s*=[^=~]|{_CMDLET}|{_ALIAS}\s|{_METHOD}|@['\"][ \t]*\r?\n|@\("
    r"|'[^'\n]*\s[^'\n]*'\s*>)",
    re.I,
)
_LATER = re.compile(rf"(?:[;|\n]|&&)\s{{0,99}}(?:{_CMDLET}|{_ALIAS}\s|{_METHOD})", re.I)
_QUOTED = re.compile(rf"{_HERE}|'[^']*+'|\"(?:[^\"\\`]|[\\`].)*+\"", re.S)
_TOKEN = re.compile(
    rf"{_HERE}|'(?:[^']|'')*+'|\"(?:[^\"`]|`.|\"\")*+\"|`\r?\n|#[^\n]*|@\(|\$[\w:]+=(?!=)|[;\n|{{}}()&]+"
    r"|[^\s;|'\"{}()&]+|\S",
    re.S,
)
_SEPARATOR = re.compile(r"[;\n|{}()&]+")
_ESCAPED = re.compile(r"`(.)", re.S)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
# what names the directory at work before a path
_HERE_AS_PATH = re.compile(
    r"(?:\$\{?PWD\}?|\$\(\$PWD(?:\.Path)?\)|\$\((?:Get-Location|pwd)\)|\$\((?:Get-Location\))\.Path\))[\\/]",
    re.I,
)
_JOINED = re.compile(
    rf"({_HERE})|\((?:\[(?:System\.)?IO\.Path\]::Combine\(|Join-Path\s+)"
    r"(?:\$PWD(?:\.Path)?|\(Get-Location\)(?:\.Path)?|\.)[\s,]+('[^'\n]+'|\"[^\"\n]+\"|[\w./\\-]+)\)+",
    re.I | re.S,
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
_PRINTS = ("write-output", "echo", "write-host")
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


class _Word(NamedTuple):
    """A word; `literal`: a string, whose text is no option and no list."""

    text: str
    exact: bool = True
    literal: bool = False

    @property
    def shell(self) -> ShellWord:
        return ShellWord(self.text, self.exact)


def is_powershell(text: str) -> bool:
    """Whether a statement starts as only PowerShell's do; a shell's heredoc may hold such
    statements.
    """
    if _START.match(text) is not None:
        return True
    bare = _QUOTED.sub("''", text)
    return "<<" not in bare and _LATER.search(bare) is not None


def powershell(text: str, cwd: str, run: Evaluation) -> list[Effect]:
    """The effects of all statements. Raises Unparsable for a text that is too long."""
    if len(_QUOTED.sub("", text)) > _MAX_LENGTH:
        raise Unparsable
    reader = _Reader(cwd, run)
    for token in [*_TOKEN.findall(_JOINED.sub(_first_of_join, text)), ";"]:
        reader.take(token)
    return reader.result


def _first_of_join(match: re.Match[str]) -> str:
    return match[1] or match[2]


class _Reader:
    """Takes the tokens of a text in order, and makes effects at the end of each statement."""

    def __init__(self, cwd: str, run: Evaluation) -> None:
        self.cwd = cwd
        self.run = run
        self.result: list[Effect] = []
        self.words: list[_Word] = []
        self.variables: dict[str, list[_Word]] = {}
        self.fed: list[_Word] | None = None  # what a pipe brings
        self.depth = 0  # of the brackets around the arguments of a method, or of a list

    def take(self, token: str) -> None:
        if self.depth or token == "@(" or (token.startswith("(") and self._calls_method()):
            self._within(token)
        elif _SEPARATOR.fullmatch(token):
            self._end(token)
        elif not token.startswith(("`", "#")):
            self.words += self._word(token)

    def _calls_method(self) -> bool:
        return bool(self.words) and re.fullmatch(_METHOD, self.words[-1].text, re.I) is not None

    def _within(self, token: str) -> None:
        if _SEPARATOR.fullmatch(token) or token == "@(":
            self.depth = max(self.depth + token.count("(") - token.count(")"), 0)
            rest = token.rpartition(")")[2]
            if rest and not self.depth:  # `)` and the end of the statement are one token
                self._end(rest)
        elif not token.startswith(("`", "#")):
            self.words += self._word(token)

    def _word(self, token: str) -> list[_Word]:
        """A token as words: a variable may stand for several."""
        if token.startswith(("@'", '@"')):
            body = token[token.index("\n") + 1 : -2].removesuffix("\n").removesuffix("\r")
            return [_expand(body) if token[1] == '"' else _Word(body, literal=True)]
        if token[0] == "'":
            return [_Word(token[1:-1].replace("''", "'"), literal=True)]
        if token[0] == '"':
            return [_expand(_HERE_AS_PATH.sub("", token[1:-1]).replace('""', '"'))]
        if token.startswith("$") and token.endswith("="):
            return [_Word(token[:-1], False), _Word("=")]
        known = self.variables.get(token.lower().rstrip(","))
        plain = _HERE_AS_PATH.sub("", token).replace("\\", "/")
        return known or [_Word(plain, "$" not in plain)]

    def _end(self, separator: str) -> None:
        words = self.words
        self.words = []
        if len(words) > 1 and words[1].text == "=":
            self.variables[words[0].text.lower()] = words[2:] if _are_texts(words[2:]) else []
            words = words[2:]
        self.result += self._statement(words)
        piped = separator.strip() == "|"
        texts = words[1:] if words and words[0].text.lower() in _PRINTS else words
        self.fed = _texts(texts) if piped and _are_texts(texts) else None
        self.cwd = _directory([word.shell for word in words], self.cwd)

    def _statement(self, words: list[_Word]) -> list[Effect]:
        first = words[0].text if words and not words[0].literal else ""
        call = ProgramCall("mv", (), self.cwd, SimpleCommand(self.cwd), self.run)
        outputs = [(sign.text, file) for sign, file in pairwise(words) if sign.text in (">", ">>")]
        result = [
            effect
            for sign, file in outputs
            for effect in call.make(
                "append" if sign == ">>" else "write",
                [file.shell],
                _lines(_text_before_sign(words)),
            )
        ]
        if re.fullmatch(_METHOD, first, re.I):
            return _method(call, first, words[1:])
        if not first or first[0] in "$[@-" or first in _KEYWORDS:
            return result
        kind = _KINDS.get(first.lower())
        own = (
            _effects(call, kind, words, self.fed)
            if kind
            else call.program([word.shell for word in words])
        )
        return own + result


def _expand(text: str) -> _Word:
    """A string in which variables are put in, and characters escaped."""
    exact = "$" not in re.sub(r"`.", "", text)
    plain = _ESCAPED.sub(lambda match: _CONTROLS.get(match[1], match[1]), text)
    return _Word(plain if exact else text, exact, literal=True)


def _are_texts(words: list[_Word]) -> bool:
    return bool(words) and all(word.literal or word.text == "," for word in words)


def _texts(words: list[_Word]) -> list[_Word]:
    return [word for word in words if word.literal]


def _lines(words: list[_Word] | None) -> str | None:
    """What a cmdlet writes of these strings: each is a line; None where one is not known."""
    known = words and all(word.exact for word in words)
    return "".join(f"{word.text}\n" for word in words or ()) if known else None


def _text_before_sign(words: list[_Word]) -> list[_Word]:
    """The strings that a redirection writes."""
    texts = words[: next(n for n, word in enumerate(words) if word.text in (">", ">>"))]
    texts = texts[1:] if texts and texts[0].text.lower() in _PRINTS else texts
    return _texts(texts) if _are_texts(texts) else []


def _method(call: ProgramCall, name: str, words: list[_Word]) -> list[Effect]:
    """`[IO.File]::WriteAllText(path, text)`, and its like."""
    arguments = [word for word in words if word.text not in (",", "@")]
    if not arguments or not arguments[0].exact:
        return [Effect("opaque")]
    path = arguments[0].shell
    texts = _texts(arguments[1:])
    text = _lines(texts)
    if text is not None and "lines" not in name.lower():
        text = text.removesuffix("\n") if len(texts) == 1 else None
    kind = "append" if "::append" in name.lower() else "write"
    named = ShellWord(path.text.replace("\\", "/").rstrip(","), path.exact)
    return call.make(kind, [named], text)


def _directory(words: list[ShellWord], cwd: str) -> str:
    """Where the statements after this one work."""
    moves = len(words) > 1 and words[0].text.lower() in (
        "cd",
        "sl",
        "set-location",
        "push-location",
    )
    return join(cwd, words[-1].text.replace("\\", "/")) if moves else cwd


def _effects(
    call: ProgramCall, kind: str, words: list[_Word], fed: list[_Word] | None
) -> list[Effect]:
    named, loose = _arguments(words[1:])
    given = next((named[key] for key in ("-path", "-literalpath", "-filepath") if key in named), [])
    paths = [_to_path(word) for word in given or loose[:1]]
    if "-name" in named:  # of a new item, in the directory that is its path
        parts = [*paths, *map(_to_path, named["-name"])]
        paths = [
            ShellWord("/".join(part.text for part in parts), all(part.exact for part in parts))
        ]
    if any(word.text.lower() == "directory" for several in named.values() for word in several):
        return []
    if kind in ("move", "copy"):
        target = named.get("-destination") or named.get("-newname") or loose[-1:]
        return _transfers(
            call,
            kind,
            [word.text for word in paths],
            _to_path(target[0]).text if target else "",
            words[0].text.lower(),
        )
    switches = {word.text.lower() for word in words if not word.literal}
    texts = named.get("-value") or named.get("-inputobject") or (loose if given else loose[1:])
    content = _lines(_texts(texts or fed or []))
    cmdlet = words[0].text.lower()
    if cmdlet == "clear-content":
        content = ""
    elif cmdlet == "new-item":  # the value as it is; without one the file is empty
        content = (content or "").removesuffix("\n") if content or not texts else None
    elif content is not None and "-nonewline" in switches:
        content = (
            content.removesuffix("\n")
            if content.count("\n") == 1 or len(texts or fed or []) == 1
            else None
        )
    if kind == "write" and "-append" in switches:
        kind = "append"
    return call.make(kind, paths, content if kind in ("write", "append") else None)


def _to_path(word: _Word) -> ShellWord:
    return ShellWord(word.text.replace("\\", "/"), word.exact)


def _transfers(
    call: ProgramCall, kind: str, sources: list[str], target: str, cmdlet: str
) -> list[Effect]:
    """One effect for each source; a new name is one in the directory of the source."""
    if not sources or not target:
        return [Effect(kind)]  # they come out of a pipeline, or the name is computed
    if cmdlet in ("rename-item", "ren", "rni"):
        return [
            transfer_effect(call, kind, path, path[: path.rfind("/") + 1] + file_name(target))
            for path in sources
        ]
    into = target.rstrip("/") + "/" if len(sources) > 1 else target
    return [transfer_effect(call, kind, path, into) for path in sources]


def _arguments(words: list[_Word]) -> tuple[dict[str, list[_Word]], list[_Word]]:
    """The values of each named parameter, which commas separate, and the other words; slashes
    are those of paths here.
    """
    named: dict[str, list[_Word]] = {}
    loose: list[_Word] = []
    values = loose
    more = False
    for word in words:
        text = word.text.lower()
        if not word.literal and (text.startswith("-") or text in _SWITCHES):
            values = loose if text in _SWITCHES else named.setdefault(text, [])
            more = False
            continue
        if word.text in (">", ">>") and not word.literal:
            break
        if word.text in (",", "@") and not word.literal:
            more = True
            continue
        pieces = [word] if word.literal else _pieces(word)
        if values is not loose and values and not more and not word.text.startswith(","):
            values = loose  # a parameter has one value, or a list
        values += pieces
        more = word.text.endswith(",") and not word.literal
    return named, loose


def _pieces(word: _Word) -> list[_Word]:
    return [_Word(piece, word.exact) for piece in word.text.split(",") if piece]
