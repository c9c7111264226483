"""Scripts in another language (Python, Node, Perl, Ruby …), inline or in a file the same command
wrote.

Only what the text of the script names is certain. A script that writes somewhere the text does not
tell, or starts programs it does not name, could have changed any file.
"""

import re
from collections.abc import Iterable

from attribution.shell.calls import ProgramCall, operands
from attribution.shell.model import Effect, ShellWord, join
from attribution.shell.python_writes import written_texts
from attribution.shell.rules import unknown
from collector.text import file_name

_PERL_IN_PLACE = re.compile(r"-[0-9lnpaswW]*i")
_CODE_FLAG = re.compile(r"-[a-zA-Z0-9]*[ceE]|-p|-pe|--eval|--print")
_EXPRESSION = (
    r"((?:pathlib\.)?Path\([^()\n]{1,200}\)|(?:os\.path|path)\.join\([^()\n]{1,200}\)"
    r"|[^,()\n]{1,200}?)\s*"
)
_SUBJECT = (
    r"((?:pathlib\.)?Path\([^()\n]{1,200}\)|\([^()\n]{1,200}\)"
    r"|[A-Za-z_]\w{0,60}(?:\.\w{1,60}){0,3})"
)
_WRITES = re.compile(
    rf"\bopen\(\s*{_EXPRESSION},\s*(?:mode\s*=\s*)?['\"](?:[rbt]*[wax][bt+]*|r\+b?|rb\+)['\"]"
    rf"|(?:writeFile|appendFile|writeTextFile)(?:Sync)?\(\s*{_EXPRESSION},|createWriteStream\(\s*{_EXPRESSION}[,)]"
    rf"|(?:Bun|File|IO)\.(?:write|binwrite)\(\s*{_EXPRESSION},"
    r"|open\(?\s*my"
    rf" \$\w{{1,40}}\s*,\s*['\"]\+?>{{1,2}}[^'\"\n]{{0,40}}['\"]\s*,\s*{_EXPRESSION}[;)]"
)
_WRITES_OWN = re.compile(rf"{_SUBJECT}\.(?:write_text|write_bytes|open\(\s*['\"][wax])")
_WRITE_CALLS = re.compile(
    r"\.(?:write_text|write_bytes)\(|\.open\(\s*['\"][wax]|(?:writeFile|appendFile|writeTextFile)(?:Sync)?\(|createWriteStream\("
    r"|\bopen\([^\n;]{1,300}?,\s*(?:mode\s*=\s*)?['\"](?:[rbt]*[wax][bt+]*|r\+b?|rb\+)['\"]"
)
_REMOVES = re.compile(
    rf"(?:os\.(?:remove|unlink)|unlinkSync|rmSync)\(\s*{_EXPRESSION}[,)]|{_SUBJECT}\.unlink\("
)
_HIDDEN = re.compile(
    r"shutil\.(?!which|get_terminal|disk_usage)|os\.(?:rename|replace|system|popen|exec|spawn|symlink|link|truncate)\w*\("
    r"|\.(?:rename|copyFile|cp|rename)(?:Sync)?\(|child_process|execSync|spawnSync|FileUtils|inplace\s*=\s*True|%x[({]|\bsystem\("
    r"|runpy|\bexec\(open|Pathname|\bunlink\s*\(?['\"$]"
)
_PROCESS = re.compile(
    r"subprocess\.(?:run|call|check_call|check_output|Popen|getoutput|getstatusoutput)\("
)
_LITERAL = re.compile(r"[rb]?(?:'([^'\n]{0,300})'|\"([^\"\n]{0,300})\")")
_NAMED = re.compile(
    r"^[ \t]*(?:const |let |var |my \$)?([A-Za-z_]\w{0,60})[ \t]*=[ \t]*([^\n]{1,300})$"
    r"|^[ \t]*for\s?\(?(?:const |let )?(\w{1,60})[^\n]{0,60}? (?:in|of) ([^\n]{1,1000}?)\)?[:{]?["
    r" \t]*\{?$",
    re.M,
)
_LISTS = re.compile(r"\b([A-Za-z_]\w{0,60})\s*=\s*[\[({]([^\])}]{0,2000})[\])}]")
_PATH_WORDS = {
    "Path",
    "pathlib",
    "os",
    "path",
    "join",
    "glob",
    "rglob",
    "sorted",
    "resolve",
    "list",
    "encoding",
}
# scripts that every project of a framework has
_FRAMEWORKS = {"manage.py": "django-admin", "artisan": "artisan"}


def interpreter(call: ProgramCall) -> list[Effect]:
    """`python -c …`, `node script.js`, `perl -pi -e …`."""
    texts = call.texts
    if call.name in ("perl", "ruby") and any(_PERL_IN_PLACE.match(text) for text in texts):
        words = operands(call.args, frozenset(("-e", "-pe", "-ne", "-E")))
        inline = any(re.fullmatch(r"-\w{0,20}i\w{0,20}e", text) for text in texts)
        return call.make("modify", words[1:] if inline else words)
    moment = 0
    while moment < len(texts) and texts[moment].startswith("-") and texts[moment] != "-":
        if texts[moment] == "-m" and call.name.startswith("py"):
            return call.program(call.args[moment + 1 :])
        if _CODE_FLAG.fullmatch(texts[moment]) and moment + 1 < len(texts):
            return _scan(call, texts[moment + 1], is_whole=call.args[moment + 1].exact)
        moment += (
            2
            if texts[moment] in ("-W", "-X", "-r", "--require", "--import", "-I", "--loader")
            else 1
        )
    return (
        []
        if call.has("--check", "--test", "--syntax-check", "-wc")
        else _script_file(call, texts[moment:])
    )


def _script_file(call: ProgramCall, texts: list[str]) -> list[Effect]:
    """A script by its name, or on standard input."""
    named = bool(texts) and texts[0] != "-"
    if framework := _FRAMEWORKS.get(file_name(texts[0]) if named else ""):
        return call.program(
            [ShellWord(framework, True), *(ShellWord(text, True) for text in texts[1:])]
        )
    if not (named or call.command.stdin or call.command.fed):
        return []
    text = call.run.files.get(join(call.cwd, texts[0])) if named else call.fed_text()
    if text is None:
        return unknown(call, file_name(texts[0]) if named else "")
    return _scan(call, text, is_whole=named or text == call.stdin_text())


def _scan(call: ProgramCall, text: str, *, is_whole: bool) -> list[Effect]:
    """The effects of a script that is part of the command. `is_whole`: the program reads it as
    it stands.
    """
    call.run.scripts -= len(text)
    if call.run.scripts < 0:
        return [Effect("opaque")]
    script = _Script(text)
    written, own, removed = (
        script.targets(pattern) for pattern in (_WRITES, _WRITES_OWN, _REMOVES)
    )
    understood = len(_WRITES.findall(text)) + len(_WRITES_OWN.findall(text))
    hidden = len(_WRITE_CALLS.findall(text)) > understood or bool(_HIDDEN.search(text))
    exact = (
        written_texts(text) if is_whole and call.name.startswith("py") and (written or own) else {}
    )
    result = [
        effect
        for path, content in exact.items()
        for effect in call.make("write", [ShellWord(path, True)], content)
    ]
    result += _known_effects(call, "modify", [path for path in written | own if path not in exact])
    result += _known_effects(call, "remove", removed)
    missed = "" in written or "" in own or "" in removed
    if missed or hidden or _PROCESS.search(text):
        result.append(Effect("opaque"))
    return result


def _known_effects(call: ProgramCall, kind: str, paths: Iterable[str]) -> list[Effect]:
    return [
        effect
        for effect in call.make(kind, [ShellWord(path, True) for path in paths])
        if effect.paths
    ]


class _Script:
    """What a script in another language writes to, as far as its text names it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.names: dict[str, str] = {}
        for match in _NAMED.finditer(text.replace(";", "\n")):
            self.names[match[1] or match[3]] = match[2] or match[4]
        self.lists = {match[1]: match[2] for match in _LISTS.finditer(text)}

    def paths(self, expression: str, depth: int = 0) -> list[str]:
        """The paths an expression can stand for; empty when the text does not tell."""
        expression = expression.strip()
        if expression in self.names and depth < 6:
            if expression in self.lists:
                return _literals(self.lists[expression])
            return self.paths(self.names[expression], depth + 1)
        if re.match(r"[\[({]", expression) and "," in expression:
            return _literals(expression)
        return self._join(expression, depth)

    def _join(self, expression: str, depth: int) -> list[str]:
        """`'a/b'`, `Path('a') / 'b'`, `os.path.join(base, 'b')`, `glob.glob('a/*.md')`."""
        parts = [match[1] or match[2] or "" for match in _LITERAL.finditer(expression)]
        words = set(re.findall(r"[A-Za-z_]\w*", _LITERAL.sub(" ", expression))) - _PATH_WORDS
        if len(words) == 1 and depth < 6:
            base = self.paths(word, depth + 1) if (word := words.pop()) in self.names else []
            return ["/".join([item, *parts]) for item in base]
        return (
            ["/".join(parts)]
            if parts and not words and "f'" not in expression and 'f"' not in expression
            else []
        )

    def targets(self, pattern: re.Pattern[str]) -> dict[str, None]:
        """The paths of all places that match, in order, and "" if one of them names none."""
        places = (
            self.paths(next(filter(None, match.groups()), ""))
            for match in pattern.finditer(self.text)
        )
        return dict.fromkeys(path for paths in places for path in paths or [""])


def _literals(text: str) -> list[str]:
    result = [match[1] or match[2] or "" for match in _LITERAL.finditer(text)]
    return [path for path in result if "/" in path or re.search(r"\.\w{1,10}$", path)]
