"""From the text of a shell command to the commands in it, and the tables that say what programs do. Pure.

`commands` reads bash the way agents write it (lists, pipes, groups, loops, heredocs, substitutions, quotes) in one pass over
the text. It keeps what decides the effect on files: words after expansion of what is known, redirections, what is fed to
standard input, and the directory in force.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from collector.text import normal_path

MAX_DEPTH = 30  # nested substitutions, subshells and `sh -c`
MAX_VALUE = 1024  # longest value of a variable, or directory, that is followed
MAX_VALUES = 200  # most words of a `for` loop that are followed
MAX_WORDS = 50_000  # a text with more is not read
MAX_GROWTH = 1_000_000  # characters that expansions may add to one text

_BLANK = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_PLAIN = re.compile(r"[^ \t\r\n\\'\"$`|&;()<>]+")
_QUOTED = re.compile(r'[^"\\$`]+')
_REDIRECT = re.compile(r"(\d{1,3}|\{\w{1,40}\})?(<<<|<<-|<<|<>|<&|<(?!\()|>>|>\||>&|>(?!\())|(&>>|&>)")
_OPERATOR = re.compile(r"&&|\|\||\|&|;;&|;&|;;|[;|&\n()]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,200}")
_LONE = re.compile(r"\$(?:\w{1,200}|\{\w{1,200}\})", re.A)  # unquoted, so its value is split into words
_ARRAY = re.compile(r"\$\{([A-Za-z_]\w{0,200})\[[@*]\]\}", re.A)
_ASSIGN = re.compile(r"([A-Za-z_]\w{0,200})(?:\[[^\]\n]{0,100}\])?\+?=", re.A)
_SKIPPED = re.compile(r"(?:if|then|else|elif|while|until|do|\{|!|coproc)(?=[\s;&|()<>]|$)")
_ENDED = re.compile(r"(?:fi|done|esac|\})(?=[\s;&|()<>]|$)")
_OPENED = re.compile(r"(for|select|case|function|\[\[)(?=\s)")
_BRACES = re.compile(r"\{([^{}]*)\}")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "\a", "0": "\0", "e": "\x1b"}


class Unparsable(Exception):
    """The text is not a command this reader understands."""


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    exact: bool  # nothing left to expand: no unknown variable, substitution or glob
    each: tuple[str, ...] = ()  # the texts it has in the rounds of a `for` loop


@dataclass(slots=True)
class Heredoc:
    delimiter: str
    quoted: bool
    strip: bool
    body: str = ""

    def read(self, text: str, pos: int) -> int:
        """Take the body that starts at `pos`; the position after its delimiter."""
        lines: list[str] = []
        while pos < len(text):
            end = text.find("\n", pos)
            end = len(text) if end < 0 else end
            line = text[pos:end].lstrip("\t") if self.strip else text[pos:end]
            if line.rstrip("\r") == self.delimiter:
                self.body = "".join(f"{kept}\n" for kept in lines)
                return min(end + 1, len(text))
            lines.append(line)
            pos = end + 1
        self.body = "".join(f"{kept}\n" for kept in lines)
        return len(text)

    @property
    def text(self) -> str | None:
        """The text as the program reads it, None where the shell would expand something."""
        return self.body if self.quoted or not re.search(r"[$`\\]", self.body) else None


@dataclass(frozen=True, slots=True)
class Redirect:
    fd: str
    op: str
    word: Word


@dataclass(slots=True)
class Command:
    """One simple command; a group's closing bracket with its redirections is a command without words."""

    cwd: str
    fed: Command | None = None  # what is piped into it
    words: list[Word] = field(default_factory=list)
    env: list[str] = field(default_factory=list)  # the assignments before the program
    redirects: list[Redirect] = field(default_factory=list)
    stdin: Heredoc | None = None
    group: bool = False


def join(cwd: str, path: str) -> str:
    """The path seen from where the command was started."""
    if not cwd or path.startswith(("/", "~", "$", "\\")) or path[1:3] in (":\\", ":/"):
        return normal_path(path)
    return normal_path(f"{cwd}/{path}")


def commands(text: str, cwd: str = "", depth: int = 0) -> tuple[list[Command], frozenset[str]]:
    """The simple commands in order (those of a substitution before the command around it), and the functions defined."""
    reader = _Reader(text, cwd, depth)
    reader.run(nested=False)
    return reader.commands, frozenset(reader.functions)


class _Draft:
    """A word being put together."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.many: tuple[int, tuple[str, ...]] | None = None  # where the loop variable stands, its values
        self.spread = False  # the values of an array: words of their own
        self.exact = True
        self.braces = False

    def plain(self, text: str) -> None:
        self.parts.append(text)
        if any(mark in text for mark in "*?["):
            self.exact = False
        self.braces = self.braces or "{" in text

    def unknown(self, text: str) -> None:
        self.parts.append(text)
        self.exact = False

    def words(self) -> list[Word]:
        if self.many is None:
            text = "".join(self.parts)
            texts = _braces(text) if self.braces else [text]
            return [Word(text, self.exact) for text in texts]
        at, values = self.many
        before, after = "".join(self.parts[:at]), "".join(self.parts[at + 1 :])
        variants = tuple(before + value + after for value in values)
        exact = self.exact and not any(set(value) & set("*?[") for value in values)
        return [Word(text, exact) for text in variants] if self.spread else [Word(variants[0], exact, variants)]


def _braces(text: str) -> list[str]:
    """`a{b,c}d` as two words; at most 64."""
    done: list[str] = []
    todo = [text] if len(text) <= MAX_VALUE else []
    while todo and len(done) + len(todo) < 64:
        current = todo.pop(0)
        match = next((m for m in _BRACES.finditer(current) if "," in m[1]), None)
        if match is None:
            done.append(current)
        else:
            todo[:0] = [current[: match.start()] + one + current[match.end() :] for one in match[1].split(",")[:64]]
    return [*done, *todo] or [text]


class _Reader:
    def __init__(self, text: str, cwd: str, depth: int) -> None:
        self.text, self.start, self.cwd, self.depth = text, cwd, cwd, depth
        self.pos = 0
        self.before: list[str] = []  # directories to return to
        self.commands: list[Command] = []
        self.functions: set[str] = set()
        self.vars: dict[str, tuple[str, ...]] = {"PWD": (cwd,) if cwd else (), "TMPDIR": ("/tmp",)}
        self.pending: list[Heredoc] = []
        self.growth = MAX_GROWTH
        self.count = 0
        self.current = Command(cwd)

    # --- lists ---

    def run(self, nested: bool) -> None:
        """Commands up to the closing parenthesis, which is consumed, or to the end."""
        while self._skip():
            match = _OPERATOR.match(self.text, self.pos)
            if match and not self.text.startswith("&>", self.pos):
                self.pos = match.end()
                if match[0] == ")" and nested:
                    return self._end()
                self._operator(match[0])
            elif not (self._keyword() or self._redirect()):
                self._take_word()
        if nested:
            raise Unparsable
        self._end()

    def _skip(self) -> bool:
        """Past blanks and comments; False at the end."""
        if blank := _BLANK.match(self.text, self.pos):
            self.pos = blank.end()
        if self.text.startswith("#", self.pos):
            end = self.text.find("\n", self.pos)
            self.pos = len(self.text) if end < 0 else end
        return self.pos < len(self.text)

    def _take_word(self) -> None:
        at = self.pos
        self.current.words += self._word()
        if self.pos == at:
            raise Unparsable

    def _operator(self, op: str) -> None:
        if op == "(":
            self._parenthesis()
        elif op == ")":
            raise Unparsable
        else:
            self._end(op)
            if op == "\n":
                for document in self.pending:
                    self.pos = document.read(self.text, self.pos)
                self.pending.clear()
            elif op.startswith(";") and len(op) > 1:
                self._pattern()

    def _parenthesis(self) -> None:
        if len(self.current.words) == 1 and (match := re.compile(r"\s*\)").match(self.text, self.pos)):
            self.functions.add(self.current.words.pop().text)
            self.pos = match.end()
        elif self.current.words:
            raise Unparsable
        elif self.text.startswith("(", self.pos):
            self.pos = self._balanced(self.pos - 1, "(", ")")
            self.current.group = True
        else:
            self._nested()
            self.current.group = True

    def _nested(self) -> None:
        """A subshell: its commands count, its directory does not outlive it."""
        self._deeper()
        saved = self.current, self.cwd
        self.current = Command(self.cwd)
        self.run(nested=True)
        self.depth -= 1
        self.current, self.cwd = saved

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unparsable

    def _end(self, op: str = "") -> None:
        command = self.current
        if command.words or command.redirects:
            self._settle(command)
            self.commands.append(command)
        piped = op in ("|", "|&")
        self.current = Command(self.cwd, command if piped else None)

    # --- keywords ---

    def _keyword(self) -> bool:
        if self.current.words:
            return False
        if match := _SKIPPED.match(self.text, self.pos):
            self.pos = match.end()
            return True
        if match := _ENDED.match(self.text, self.pos):
            self.pos = match.end()
            self.current.group = True
            return True
        if match := _OPENED.match(self.text, self.pos):
            self.pos = match.end()
            self._open(match[1])
            return True
        return False

    def _open(self, keyword: str) -> None:
        if keyword in ("for", "select"):
            self._for()
        elif keyword == "case":
            self._case()
        elif keyword == "function":
            self._function()
        else:
            self._test()

    def _for(self) -> None:
        self._skip()
        if self.text.startswith("((", self.pos):
            self.pos = self._balanced(self.pos, "(", ")")
            return
        name = "".join(word.text for word in self._word())
        self._skip()
        values: list[Word] = []
        if re.compile(r"in(?=\s)").match(self.text, self.pos):
            self.pos += 2
            while self._skip() and (more := self._word()):
                values += more
        self._assign(name, values)

    def _case(self) -> None:
        while self._skip() and not re.compile(r"in(?=\s)").match(self.text, self.pos):
            if not self._word():
                raise Unparsable
        self.pos += 2
        self._pattern()

    def _pattern(self) -> None:
        """Past the `a | b)` of a branch; `esac` is left for the keywords."""
        while self._skip() and self.text[self.pos] in "\n(":
            self.pos += 1
        while self._skip() and not _ENDED.match(self.text, self.pos):
            if self.text[self.pos] == ")":
                self.pos += 1
                return
            if not self._word():
                self.pos += 1

    def _function(self) -> None:
        self._skip()
        self.functions.update(word.text for word in self._word())
        if match := re.compile(r"\s*\(\s*\)").match(self.text, self.pos):
            self.pos = match.end()

    def _test(self) -> None:
        """Past `[[ … ]]`, where `<` and `(` mean something else."""
        while self._skip():
            words = self._word()
            if not words:
                self.pos += 1
            elif words[0].text == "]]":
                return
        raise Unparsable

    # --- what commands do to the reader ---

    def _settle(self, command: Command) -> None:
        count = 0
        while count < len(command.words) and _ASSIGN.match(command.words[count].text):
            count += 1
        command.env = [word.text[:MAX_VALUE] for word in command.words[:count]]
        words = command.words = command.words[count:]
        if command.env and not words:
            self._assign_all([Word(text, "$" not in text) for text in command.env])
        elif words and words[0].text in ("export", "declare", "local", "readonly", "typeset"):
            self._assign_all(words[1:])
        elif words and words[0].text in ("read", "unset", "mapfile"):
            for word in words[1:]:
                self.vars.pop(word.text, None)
        elif words and words[0].text in ("cd", "pushd", "popd", "Set-Location"):
            self._cd(words[0].text, [word.text for word in words[1:] if word.text == "-" or word.text[:1] != "-"])

    def _cd(self, name: str, operands: list[str]) -> None:
        back = name == "popd" or operands[:1] == ["-"]
        if back:
            target = self.before.pop() if self.before else self.start
        else:
            target = join(self.cwd, operands[0] if operands else "~")
            self.before.append(self.cwd)
        if len(target) <= MAX_VALUE:
            self.cwd = target
            self.vars["PWD"] = (target,) if target else ()

    def _assign_all(self, words: list[Word]) -> None:
        for word in words:
            if match := _ASSIGN.match(word.text):
                appended = word.text[match.end() - 2] == "+"
                self._assign(match[1], [] if appended else [Word(word.text[match.end() :], word.exact)])

    def _assign(self, name: str, values: list[Word]) -> None:
        """Remember values that are known (a glob is); forget the variable otherwise."""
        texts = tuple(text for word in values for text in word.each or (word.text,))
        if not texts or len(texts) > MAX_VALUES or any("$" in text or len(text) > MAX_VALUE for text in texts):
            self.vars.pop(name, None)
        else:
            self.vars[name] = texts

    # --- words ---

    def _redirect(self) -> bool:
        match = _REDIRECT.match(self.text, self.pos)
        if not match:
            return False
        self.pos = match.end()
        self._skip()
        fd, op, at = match[1] or "", match[2] or match[3], self.pos
        words = self._word()
        if not words:
            raise Unparsable
        if op in ("<<", "<<-"):
            quoted = any(mark in self.text[at : self.pos] for mark in "'\"\\")
            self.current.stdin = Heredoc(words[0].text, quoted, op == "<<-")
            self.pending.append(self.current.stdin)
        elif op == "<<<":
            self.current.stdin = Heredoc("", words[0].exact, False, words[0].text + "\n")
        else:
            self.current.redirects.append(Redirect(fd, op, words[0]))
        return True

    def _word(self) -> list[Word]:
        draft = _Draft()
        self.count += 1
        if self.count > MAX_WORDS:
            raise Unparsable
        start = self.pos
        while self.pos < len(self.text) and self._piece(draft):
            pass
        if draft.many:
            self.growth -= sum(map(len, draft.parts)) * len(draft.many[1])
            if self.growth < 0:
                draft.parts[draft.many[0]], draft.many, draft.exact = "$_", None, False
        lone = len(draft.parts) == 1 and not draft.many and _LONE.fullmatch(self.text, start, self.pos)
        if lone and not draft.parts[0].startswith("$"):
            return [Word(text, draft.exact) for text in draft.parts[0].split()]
        return draft.words() if draft.parts else []

    def _piece(self, draft: _Draft) -> bool:
        if match := _PLAIN.match(self.text, self.pos):
            self.pos = match.end()
            draft.plain(match[0])
            if match[0].endswith("=") and self.text.startswith("(", self.pos) and _ASSIGN.fullmatch(match[0]):
                self._array(match[0].rstrip("+="))
                draft.parts.clear()
            return True
        char = self.text[self.pos]
        if char == "\\":
            self._backslash(draft)
        elif char == "'":
            self.pos = self._single(draft, self.pos + 1)
        elif char == '"':
            self._double(draft)
        elif char == "$":
            self._dollar(draft, quoted=False)
        elif char == "`":
            self._backtick(draft)
        elif char in "<>" and self.text.startswith("(", self.pos + 1) and not draft.parts:
            self.pos += 2
            self._nested()
            draft.parts.append("/dev/fd/63")
        else:
            return False
        return True

    def _array(self, name: str) -> None:
        self._deeper()
        self.pos += 1
        values: list[Word] = []
        while self._skip() and self.text[self.pos] != ")":
            if self.text[self.pos] == "\n":
                self.pos += 1
            elif more := self._word():
                values += more
            else:
                raise Unparsable
        self.pos += 1
        self.depth -= 1
        self._assign(name, values)

    def _backslash(self, draft: _Draft) -> None:
        follower = self.text[self.pos + 1 : self.pos + 2]
        self.pos += 2
        if follower != "\n":
            draft.parts.append(follower or "\\")

    def _single(self, draft: _Draft, start: int) -> int:
        end = self.text.find("'", start)
        if end < 0:
            raise Unparsable
        draft.parts.append(self.text[start:end])
        return end + 1

    def _ansi(self, draft: _Draft) -> None:
        """`$'…'`, where a backslash escapes."""
        match = re.compile(r"\$'((?:[^'\\]|\\.)*+)'", re.S).match(self.text, self.pos)
        if not match:
            raise Unparsable
        draft.parts.append(re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[0]), match[1], flags=re.S))
        self.pos = match.end()

    def _double(self, draft: _Draft) -> None:
        self.pos += 1
        draft.parts.append("")
        while self.pos < len(self.text):
            if match := _QUOTED.match(self.text, self.pos):
                draft.parts.append(match[0])
                self.pos = match.end()
                continue
            char = self.text[self.pos]
            if char == '"':
                self.pos += 1
                return
            if char == "$":
                self._dollar(draft, quoted=True)
            elif char == "`":
                self._backtick(draft)
            else:
                follower = self.text[self.pos + 1 : self.pos + 2]
                draft.parts.append("" if follower == "\n" else follower if follower in '"\\$`' else "\\" + follower)
                self.pos += 2
        raise Unparsable

    def _dollar(self, draft: _Draft, quoted: bool) -> None:
        follower = self.text[self.pos + 1 : self.pos + 2]
        if follower == "(":
            self._substitution(draft)
        elif follower == "{":
            self._brace(draft)
        elif follower == "'" and not quoted:
            self._ansi(draft)
        elif match := _NAME.match(self.text, self.pos + 1):
            self.pos = match.end()
            self._variable(draft, match[0])
        elif follower and follower in "@*#?-$!0123456789":
            self.pos += 2
            draft.unknown("$" + follower)
        else:
            self.pos += 1
            if follower != '"' or quoted:
                draft.parts.append("$")

    def _brace(self, draft: _Draft) -> None:
        array = _ARRAY.match(self.text, self.pos)
        end = array.end() if array else self._balanced(self.pos + 1, "{", "}")
        name = array[1] if array else self.text[self.pos + 2 : min(end - 1, self.pos + 300)]
        self.pos = end
        if _NAME.fullmatch(name):
            self._variable(draft, name)
            draft.spread = draft.spread or bool(array)
        else:
            draft.unknown("${_}")

    def _variable(self, draft: _Draft, name: str) -> None:
        values = self.vars.get(name, ())
        cost = sum(map(len, values)) + 8 * len(values)
        if not values or cost > self.growth or (len(values) > 1 and draft.many):
            draft.unknown("$" + name)
            return
        self.growth -= cost
        if len(values) > 1:
            draft.many = len(draft.parts), values
            draft.parts.append("")
        else:
            draft.plain(values[0])

    def _substitution(self, draft: _Draft) -> None:
        start = self.pos + 2
        if self.text.startswith("(", start):
            self.pos = self._balanced(start - 1, "(", ")")
            return draft.unknown("$((_))")
        self.pos = start
        self._nested()
        self._result(draft, self.text[start : min(self.pos - 1, start + 80)].strip())

    def _result(self, draft: _Draft, inner: str) -> None:
        """What a substitution puts into the word, for the few that are known."""
        if inner == "pwd" or inner.startswith("git rev-parse --show-toplevel"):
            draft.parts.append((self.cwd if inner == "pwd" else self.start) or ".")
        elif inner.startswith("mktemp"):
            draft.parts.append("/tmp/mktemp")
        else:
            draft.unknown("$(_)")

    def _backtick(self, draft: _Draft) -> None:
        match = re.compile(r"`((?:[^`\\]|\\.)*+)`", re.S).match(self.text, self.pos)
        if not match or self.depth >= MAX_DEPTH:
            raise Unparsable
        self.pos = match.end()
        inner = _Reader(re.sub(r"\\([`\\$])", r"\1", match[1]), self.cwd, self.depth + 1)
        inner.run(nested=False)
        self.commands += inner.commands
        self._result(draft, match[1][:80].strip())

    def _balanced(self, start: int, opener: str, closer: str) -> int:
        """The position after the bracket that closes the one at `start`."""
        level = 0
        for match in re.compile(rf"\\.|[{opener}{closer}]", re.S).finditer(self.text, start):
            level += {opener: 1, closer: -1}.get(match[0], 0)
            if level == 0:
                return match.end()
        raise Unparsable


# --- what programs do -------------------------------------------------------------------------------------------------


def _set(text: str, separator: str | None = None) -> frozenset[str]:
    return frozenset(" ".join(item.split()) for item in text.split(separator))


HARMLESS = _set(
    """
    : [ [[ alias arch awk gawk mawk base64 basename bat batcat bc bg bind brew apt apt-get dnf yum apk pacman caffeinate cal cat
    cd chmod chown chgrp clear cloc cmp column comm command complete cpp cut date declare df diff dig dirname dirs disown
    docker docker-compose podman du echo egrep eval exa exit export expr eza fd fdfind false fg fgrep file flake8 fold free
    fuser getopts glow grep hash head hexdump host hostname iconv id ifconfig jobs join jq kill killall kubectl last
    launchctl ldd less let local locale locate ls lsb_release lsof lsp man md5 md5sum js-yaml mkdir mkfifo mktemp more mypy netstat
    nl nm nproc nslookup ntpq numfmt objdump od open otool paste pbcopy pbpaste pgrep ping pkill popd printenv printf ps
    psql pushd pwd pyright pylint pyre pytype read readelf readlink readonly realpath return rev rg ripgrep rmdir ruby-lint
    say scc seq set setopt sha1sum sha256sum shasum shellcheck shift shopt sleep sqlite3 ss stat stdbuf strings su sum
    sw_vers sync sysctl systemctl tac tail tasklist test times tokei top tput tr trap tree true tsort tty type typeset
    ulimit umask uname unalias uniq unset uptime users vm_stat wait watchman wc whereis which who whoami xclip xdg-open
    xmllint xxd yamllint yes zcat zgrep nc telnet ty hadolint actionlint bats staticcheck govulncheck gosec gotestsum
    deadcode htop ag ack fzf tldr nvidia-smi dotenv-linter vulture bandit semgrep trivy tox nox redis-cli mysql mongosh
    aws gcloud az heroku vercel flyctl fly wrangler netlify ccusage act pstree codesign defaults where findstr dir cls ver
    Get-Content Get-ChildItem Select-String Write-Host Write-Output Test-Path Get-Item Get-Location Get-Process Get-Command
    Select-Object Where-Object Sort-Object Measure-Object Format-Table Format-List ConvertFrom-Json ConvertTo-Json Out-Null
    Out-String Out-Host Set-Location Start-Sleep Join-Path Split-Path Resolve-Path Get-Date Write-Error ForEach-Object
    Invoke-RestMethod Compare-Object Group-Object Get-FileHash Write-Verbose
    """
)

# Verdict, then each `program [subcommand [subcommand]]` it holds for; the longest match decides. Verdicts: `-` harmless; `fix`
# changes the operands unless a `!flag` is given, and only with one of the other flags if any are named; else a kind of effect
# and the files it writes. An indented line goes on.
_RULES = """
-: gh, go, go mod why, go mod graph, go mod verify, go mod download, go tool cover, go tool pprof, gci, golangci-lint,
  ruff, dprint, deno test, deno check, swift, terraform, tofu, dart analyze, dart test, flutter, dotnet, taplo, buf,
  zig, mix, sqlfluff, pre-commit, lefthook, husky, cargo, uv, poetry, pip, pip3, pipx, conda, pip-sync, npm, npm pkg,
  pnpm list, pnpm ls, pnpm why, pnpm config, pnpm store, pnpm audit, pnpm outdated, pnpm publish, pnpm pack, pnpm view,
  yarn why, yarn info, yarn list, yarn config, yarn audit, yarn cache, yarn npm, bun test, bun build, bun pm,
  mise install, mise i, mise ls, mise list, mise tasks, mise trust, mise which, mise env, mise current, mise doctor,
  mise settings, mise activate, mise where, mise version, mise self-update, mise cache, mise up, mise upgrade, mise
  config, jest, vitest, playwright, cypress,
  mocha, ava, pytest, unittest, coverage, json.tool, py_compile, compileall, http.server, venv, virtualenv, ensurepip,
  timeit, site, sysconfig, prisma validate, prisma studio, alembic, rails test, tree-sitter, goreleaser, asdf, nvm,
  pyenv, rbenv, rustup, volta, fnm, direnv, git, git gui, entire, entire reset, tmux, ssh, zip, gzip,
  bazel, openssl, ollama, llm
opaque: go run, go tool, deno, swift run, dart, dotnet run, mix run, cargo run, cargo r, cargo xtask, rails, ant,
  tmux send-keys, tmux send, tmux new-session, tmux new, tmux new-window, tmux
  run-shell, tmux split-window, bazel run
fix !-n: go fmt
fix: go fix, gci write, pyupgrade, dprint fmt, buildifier, sqlfluff fix, dos2unix, unix2dos, pre-commit run, prek,
  lefthook run, lint-staged, cargo fix, mise fmt
generate: go generate, go mod vendor, flutter create, dotnet add, dotnet remove, dotnet new, dotnet ef, buf generate,
  cargo new, cargo init, cargo insta, cargo sqlx, uv init, pip-compile, npm init, npm create, pnpm create, pnpm init,
  yarn create, yarn init, bun create, bun init, changeset, tsc, protoc, sqlc, mockgen, mockery, stringer, wire, swag,
  templ, oapi-codegen, openapi-generator, openapi-generator-cli, openapi-typescript, graphql-codegen, prisma,
  drizzle-kit, alembic revision, ng generate, nest generate, rails generate, rails g, shadcn, tree-sitter generate,
  standard-version, semantic-release, entire enable, entire disable, cmake, ninja
generate go.mod go.sum: go mod, go get
generate go.work go.work.sum: go work
fix -w: gofmt, goimports, gofumpt, golines, shfmt
fix --fix: golangci-lint run, eslint, oxlint, stylelint, markdownlint-cli2, xo, standard, deno lint, standardrb, cargo
  clippy
fix !--diff: golangci-lint fmt
fix -i: clang-format
fix --fix -fix: clang-tidy
fix !--check !--diff: black, ruff format
fix !--check !--check-only !--diff !-c: isort
fix --fix --fix-only !--diff: ruff check
fix -i --in-place: autopep8, yapf, autoflake, docformatter, swift format
fix --write -w: prettier
fix --fix -f: markdownlint
fix --write --apply --fix --apply-unsafe: biome, biome check, biome format, biome lint
fix !--check: deno fmt, rustfmt, taplo fmt, taplo format, stylua, zig fmt, cargo fmt
fix !--lint: swiftformat
fix --fix --autocorrect: swiftlint
generate Package.resolved: swift package
fix -F --format: ktlint
fix !-check: terraform fmt, tofu fmt, addlicense
generate .terraform.lock.hcl: terraform init
fix !--output=none: dart format
fix --apply: dart fix
generate pubspec.lock: dart pub, flutter pub
fix !--verify-no-changes: dotnet format
fix -a -A --autocorrect --auto-correct --autocorrect-all --fix-layout -x: rubocop
fix !--dry-run: php-cs-fixer
fix !--test: pint
fix --reformat: djlint
fix -w --write: buf format
fix !--check !-c: nixfmt, alejandra
fix !--check-formatted: mix format
generate mix.lock: mix deps.get, mix deps.update
fix -i --inplace: ocamlformat
fix !--test !--check: scalafmt
fix -i --replace: google-java-format
fix -w --write-changes: codespell, typos
generate Cargo.lock: cargo build, cargo b, cargo update, cargo generate-lockfile
generate Cargo.toml Cargo.lock: cargo add, cargo rm, cargo remove, cargo upgrade
generate pyproject.toml uv.lock: uv add, uv remove, uv version
generate uv.lock: uv sync, uv lock
generate pyproject.toml poetry.lock: poetry add, poetry remove
generate poetry.lock: poetry lock, poetry update
generate pyproject.toml pdm.lock: pdm
generate Pipfile Pipfile.lock: pipenv
generate Gemfile.lock: bundle
generate composer.json composer.lock: composer
generate Podfile.lock: pod
generate package.json package-lock.json: npm install, npm i, npm add, npm uninstall, npm remove, npm rm, npm un, npm
  update, npm audit fix, npm version
generate package-lock.json: npm dedupe
generate package.json: npm pkg set, npm pkg delete, ncu
generate pnpm-lock.yaml: pnpm dedupe
generate package.json pnpm-lock.yaml: pnpm install, pnpm i, pnpm add, pnpm remove, pnpm rm, pnpm update, pnpm up
generate package.json yarn.lock: yarn install, yarn add, yarn remove, yarn up, yarn upgrade
generate package.json bun.lock bun.lockb: bun install, bun i, bun add, bun remove, bun update
generate CHANGELOG.md: conventional-changelog
generate mise.toml: mise use
restore: gh pr checkout, gh repo sync, git pull, git merge, git rebase, git cherry-pick, git revert, git am, git
  filter-branch, git filter-repo, git sparse-checkout, git checkout-index, git read-tree, git bisect, git lfs pull,
  git lfs checkout, git submodule update, entire rewind, entire resume
generate .gitmodules: git submodule add
modify: sd, fastmod, codemod, jscodeshift, ed, ex
fix -i -in-place: comby
fix -U --update-all: ast-grep, sg
fix !--dry-run !-n: rector
write: scp, rsync, unzip, 7z, gunzip, unxz, cpio
"""


def _rules() -> dict[str, tuple[str, ...]]:
    lines = (line.partition(": ") for line in _RULES.replace("\n  ", " ").strip().split("\n"))
    return {key.strip(): tuple(verdict.split()) for verdict, _, keys in lines for key in keys.split(",")}


RULES = _rules()

# Names of tasks (`npm run …`, `make …`), split at punctuation. The first set that has one of the words decides.
TASK_CHECKS = _set("check verify validate dry diff list nofix ci status quality")
TASK_FIXES = _set("fmt format fix prettier autofix tidy lintfix reformat pretty style")
TASK_GENERATES = _set(
    """
    gen generate codegen generated proto protos protobuf snapshot snapshots update build compile bundle release
    version changelog docs install setup bootstrap migrate migration migrations sync golden goldens schema types deps
    vendor dist
    """
)
TASK_HARMLESS = _set(
    """
    test tests lint typecheck tsc types e2e integration unit coverage cov bench benchmark dev start serve server watch
    preview storybook audit vet doctor clean help spec specs canary up down logs run stop ps shell vitest jest pytest
    mypy eslint testall
    """
)

# First words of the subcommand or the file name of an unknown program that only looks.
LOOKING = _set(
    """
    test tests check lint validate verify audit list ls show status view info get diff search find inspect describe
    query explain doctor whoami logs which count compare
    """
)

# Options whose next word is a value, for programs whose operands are files.
VALUED = _set(
    """
    -c --config --config-path -l --line-length --ignore-path --parser --ext --ignore-pattern --select --extend-select --ignore
    --target-version -t -local --tab-width --print-width --rulesdir --format --log-level --stdin-filepath -srcdir --edition
    --config-file --exclude --extend-exclude --per-file-ignores --profile -m --max-warnings --hook-type -s --backup --mode
    --owner --group -S --suffix --reporter --plugin --rule --tag --tags --only --timeout
    """
)
# Options that say in which directory, or on which package, the program works; both take a value.
DIRECTORY = _set("-C --prefix --cwd --directory --dir --project-directory")
SELECTOR = _set(
    """
    --filter -F -w --workspace -c -p --package --manifest-path --project --python --with --from --extra --group --repo
    -R --git-dir --work-tree --config --env --only --namespace -n --color --jobs -j -f --file --makefile --justfile
    --features --env-file
    """
)
# Programs that only run another one: name -> options with a value; a number of operands to drop follows in WRAPPER_OPERANDS.
WRAPPERS = {
    "sudo": _set("-u -g -h -p -C -D"),
    "doas": _set("-u"),
    "time": _set("-f -o"),
    "timeout": _set("-s -k --signal --kill-after"),
    "gtimeout": _set("-s -k --signal --kill-after"),
    "env": _set("-u -C -S"),
    "nice": _set("-n"),
    "ionice": _set("-c -n"),
    "exec": _set("-a"),
    "stdbuf": _set("-o -e -i"),
    "caffeinate": _set("-t -w"),
    "npx": _set("-p --package -c"),
    "bunx": _set("-p --package"),
    "uvx": _set("--from --with --python -p"),
    "watch": _set("-n --interval"),
    "dotenv": _set("-e -c"),
    **dict.fromkeys(("nohup", "command", "builtin", "unbuffer", "setsid", "pnpx", "rtk", "cross-env", "arch"), frozenset[str]()),
}
WRAPPER_OPERANDS = {"timeout": 1, "gtimeout": 1}
# The same for programs with a subcommand in front of the other program.
RUNNERS = _set(
    """
    uv run, poetry run, pipenv run, pdm run, rye run, hatch run, bundle exec, pnpm exec, pnpm dlx, yarn exec, yarn
    dlx, npm exec, npm x, mise exec, mise x, direnv exec, uv tool run, pipx run, bun x, coverage run, conda run, op
    run, doppler run, nix develop
    """,
    ",",
)
TASK_RUNNERS = _set(
    """
    npm run, npm run-script, pnpm run, yarn run, bun run, mise run, mise r, deno task, nx run, turbo run, task, just,
    make, gmake, rake, turbo, nx, gradle, gradlew, gradlew.bat, mvn, mvnw
    """,
    ",",
)
SHELLS = _set("bash sh zsh dash ksh fish")
INTERPRETERS = _set(
    """
    python python3 py pypy pypy3 node nodejs ruby perl tsx ts-node php lua Rscript osascript
    """
)
UPDATE_FLAGS = _set(
    """
    -u --update --updateSnapshot --update-snapshot --update-snapshots --snapshot-update -update --update-goldens
    --update-golden --force-regen -update-golden --accept --inline-snapshot=fix --inline-snapshot=create
    --inline-snapshot=update --regen-all
    """
)
TESTERS = _set(
    """
    go jest vitest pytest playwright cargo npm pnpm yarn bun mise make ava cypress bats mocha
    """
)
# Names that so many directories have that they alone point to no file.
COMMON_NAMES = _set(
    """
    index.ts index.js index.tsx index.jsx index.html index.md main.go main.py main.rs main.ts main.js main.c main.cpp __init__.py
    __main__.py README.md readme.md LICENSE CHANGELOG.md package.json tsconfig.json mod.rs lib.rs utils.py utils.ts utils.js
    types.ts types.go doc.go config.py config.ts config.go config.json models.py views.py urls.py tests.py test.py conftest.py
    setup.py app.py app.ts app.js App.tsx page.tsx layout.tsx route.ts styles.css style.css Makefile Dockerfile go.mod go.sum
    Cargo.toml pyproject.toml requirements.txt SKILL.md CLAUDE.md AGENTS.md .gitignore helpers.ts helpers.py constants.ts
    errors.go utils.go util.go test.js test.ts settings.json config.yaml config.yml config.toml data.json main.css
    """
)
