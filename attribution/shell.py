"""What a shell command of an agent may have done to files. Pure: text in, effects out.

The answer errs towards "may have changed something": a program that is not known is `opaque`. Only what the text itself decides
is exact: a heredoc or an `echo` into a file, `rm`, `mv`, `cp`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from attribution import shell_words as tables
from attribution.shell_words import Command, Unparsable, Word, join

MAX_EFFECTS = 2000
_MAX_LEVELS = 10  # `sh -c` within `sh -c`
_MAX_CALLS = 40  # programs that run programs
_MAX_POWER = 30_000  # characters of a PowerShell text
_MAX_FIND = 500  # words of a `find`
_MAX_ROUNDS = 20_000  # words of a command times rounds of the loop around it
_MAX_SCRIPTS = 200_000  # characters of scripts in other languages that are looked at

_FILE_LIKE = re.compile(r"\.[A-Za-z]\w*$|[*?]")
_VERSIONED = re.compile(r"(python|pip|node|ruby|perl)[\d.]+")
_SED_IN_PLACE = re.compile(r"-[nErsuz]*i")
_PERL_IN_PLACE = re.compile(r"-[0-9lnpaswW]*i")
_CODE_FLAG = re.compile(r"-[a-zA-Z0-9]*[ceE]|-p|-pe|--eval|--print")
_SCRATCH = re.compile(r"(?:/private)?(?:/tmp|/var/tmp)/[^/]+|/dev/.*|/proc/.*")
_UPDATING = re.compile(r"\w*(?:UPDATE|REGEN|SNAPSHOT|ACCEPT|GOLDEN|OVERWRITE)\w*=(?!0|false|no|off|$)", re.I)
_PATCHED = re.compile(r"^(?:\+\+\+ (?:b/)?|\*\*\* (?:Update|Add|Delete) File: )([^\t\n]{1,1000})", re.M)


# A third of all commands, told without parsing: one program that only reads, nothing that a shell would interpret.
_PLAINLY_HARMLESS = re.compile(
    r"\s*(?:(?:cd \S+ && )?git (?:status|log|diff|show|add|push|fetch|rev-parse|blame)|ls|cat|grep|rg|head|tail|wc|pwd|which|tree)"
    r"(?: [^;&|<>$`(){}\n\\*?~!#]*)?\Z"
)


@dataclass(frozen=True, slots=True)
class Effect:
    """Something a command may have done.

    kind: `write` | `append` | `remove` | `move` | `copy` | `modify` (in place, text unknown) | `format` | `restore` (the text comes
    from git) | `generate` (a known generator or package manager) | `opaque` (could change any file) | `commit`.
    paths: as written, seen from where the command was started; globs stay; empty when it cannot be told.
    content: the exact text written or appended, when the command gives it.
    target: where a move or copy goes.
    """

    kind: str
    paths: tuple[str, ...] = ()
    content: str | None = None
    target: str = ""


def effects(command: str, cwd: str = "") -> tuple[Effect, ...]:
    """What the command may have done to files, in order. Text that cannot be read is one `opaque` effect."""
    if _PLAINLY_HARMLESS.match(command):
        return ()
    run = _Run(budget=4 * len(command) + 10_000)
    try:
        _read(command, cwd, run)
    except Unparsable:
        return (Effect("opaque"),)
    if len(run.found) > MAX_EFFECTS:
        run.found[MAX_EFFECTS:] = [Effect("opaque")]
    return tuple(one for at, one in enumerate(run.found) if not at or one != run.found[at - 1])


def is_harmless(command: str) -> bool:
    """Whether the command cannot have changed the text of a tracked file."""
    return all(_is_trivial(effect) for effect in effects(command))


def mentions(command: str, path: str) -> bool:
    """Whether the text names this repo-relative path: in full, or by a base name that is distinctive, scripts included."""
    text = command.replace("\\", "/") if "\\" in command else command
    path = path.strip("/")
    parts = path.split("/")
    common = parts[-1] in tables.COMMON_NAMES or len(parts[-1]) < 5 or "." not in parts[-1].strip(".")
    names = [path]
    if not common:
        names.append(parts[-1])
    elif len(parts) > 2:
        names.append("/".join(parts[-2:]))
    lone = common and len(parts) == 1
    return bool(path) and any(_names(text, name, lone) for name in names)


def _names(text: str, name: str, lone: bool) -> bool:
    """`name` as a whole word; `lone`: not as the last part of a longer path, unless that is `./`."""
    before = r"(?<![\w.\-/])(?:\./)?" if lone else r"(?<![\w\-])(?<![\w\-]\.)"
    return re.search(before + re.escape(name) + r"(?![\w/]|[.\-]\w)", text) is not None


def _is_trivial(effect: Effect) -> bool:
    """Touches only files directly in a temporary directory, or creates an empty one."""
    if effect.kind == "append" and effect.content == "":
        return True
    touched = (*(() if effect.kind == "copy" else effect.paths), *((effect.target,) if effect.target else ()))
    known = effect.kind in ("write", "append", "remove", "move", "copy", "modify", "format")
    return known and bool(touched) and all(_SCRATCH.fullmatch(path) for path in touched)


# --- one text ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Run:
    budget: int  # characters that may still be read, so that nesting cannot multiply the work
    scripts: int = _MAX_SCRIPTS
    level: int = 0
    calls: int = 0
    found: list[Effect] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)  # written earlier in the same command: scripts that are then run
    functions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Call:
    """One program with its arguments, wrappers taken off."""

    name: str
    args: tuple[Word, ...]
    cwd: str
    command: Command
    run: _Run

    @property
    def texts(self) -> list[str]:
        return [word.text for word in self.args]

    def has(self, *flags: str) -> bool:
        return any(text in flags or text.partition("=")[0] in flags for text in self.texts)

    def given(self) -> str | None:
        """What the program reads from standard input, when the text tells."""
        if self.command.stdin:
            return self.command.stdin.text
        return _output(self.command.fed) if self.command.fed else None

    def make(self, kind: str, words: Sequence[Word], content: str | None = None) -> list[Effect]:
        """One effect for the paths that are known, one without paths if some are not."""
        known = [join(self.cwd, word.text) for word in words if _is_path(word.text)]
        found = [Effect(kind, tuple(known), content)] if known else []
        return found + ([Effect(kind)] if not words or len(known) < len(words) else [])


def _is_path(text: str) -> bool:
    last = text.rstrip("/").rpartition("/")[2]
    return last not in ("", ".", "..", "...", "-") and "$" not in last and len(text) <= 4 * tables.MAX_VALUE


def _read(text: str, cwd: str, run: _Run) -> None:
    run.budget -= len(text)
    if run.level > _MAX_LEVELS or run.budget < 0:
        raise Unparsable
    run.level += 1
    if _POWERSHELL.match(text):
        run.found += _powershell(text, cwd, run)
    else:
        parsed, functions = tables.commands(text, cwd, run.level)
        run.functions |= functions
        for command in parsed:
            for each in _rounds(command):
                _judge(each, run)
            if len(run.found) > MAX_EFFECTS:
                break
    run.level -= 1


def _rounds(command: Command) -> list[Command]:
    """The command as it is in each round of the loop around it."""
    words = command.words + [redirect.word for redirect in command.redirects]
    count = max((len(word.each) for word in words), default=0)
    if count * len(words) > _MAX_ROUNDS:
        return [_round(command, -1)]
    return [_round(command, at) for at in range(count)] if count else [command]


def _round(command: Command, at: int) -> Command:
    def pick(word: Word) -> Word:
        if word.each and at < 0:
            return Word("$_", False)
        return Word(word.each[at % len(word.each)], word.exact) if word.each else word

    redirects = [replace(redirect, word=pick(redirect.word)) for redirect in command.redirects]
    return replace(command, words=[pick(word) for word in command.words], redirects=redirects)


def _judge(command: Command, run: _Run) -> None:
    if command.words:
        run.found += _program(_Call("", tuple(command.words), command.cwd, command, run))
    for effect in _redirects(command, run):
        run.found.append(effect)
        if effect.content is not None and len(effect.paths) == 1:
            run.files[effect.paths[0]] = effect.content


def _redirects(command: Command, run: _Run) -> list[Effect]:
    found: list[Effect] = []
    call = _Call("", (), command.cwd, command, run)
    texts = [word.text for word in command.words]
    from_git = texts[:1] == ["git"] and "show" in texts and any(":" in text for text in texts)
    for redirect in command.redirects:
        target = redirect.word.text
        duplicate = redirect.op in (">&", "&>") and (target.isdigit() or target == "-")
        if redirect.op in ("<", "<&") or duplicate or target.startswith("/dev/"):
            continue
        content = _output(command) if redirect.fd in ("", "1") else None
        kind = "append" if redirect.op in (">>", "&>>") else "restore" if from_git else "write"
        found += call.make(kind, [redirect.word], content)
    return found


def _output(command: Command) -> str | None:
    """What the command prints, when the text tells."""
    texts = [word.text for word in command.words]
    if not texts:
        return None if command.group else ""
    exact = all(word.exact for word in command.words)
    if texts[0] == "cat" and all(text == "-" for text in texts[1:]):
        return command.stdin.text if command.stdin else None
    if texts[0] in (":", "true") and len(texts) == 1:
        return ""
    if texts[0] == "echo" and exact and "\\" not in "".join(texts):
        bare = texts[1:2] == ["-n"]
        return " ".join(texts[2 if bare else 1 :]) + ("" if bare else "\n")
    return _printf(texts[1:]) if texts[0] == "printf" and exact else None


def _printf(args: list[str]) -> str | None:
    if args and args[0] in ("%s", "%s\\n", "%s\n"):
        return "".join(arg + args[0][2:].replace("\\n", "\n") for arg in args[1:])
    plain = args[0].replace("\\n", "\n").replace("\\t", "\t") if len(args) == 1 else "%"
    return None if "%" in plain or "\\" in plain else plain


# --- programs ---------------------------------------------------------------------------------------------------------


def _program(call: _Call) -> list[Effect]:
    """`call.args` starts with the program, wrappers included."""
    words, cwd = _unwrapped(call.args, call.cwd)
    if not words:
        return []
    call.run.calls += 1
    if call.run.calls > _MAX_CALLS:
        raise Unparsable
    found = _dispatched(replace(call, name=_base(words[0].text), args=tuple(words[1:]), cwd=cwd))
    call.run.calls -= 1
    return found


def _dispatched(call: _Call) -> list[Effect]:
    name = call.name
    asks = call.has("--help", "--version") or call.texts in (["-h"], ["-v"], ["-V"], ["help"], ["version"])
    if name in call.run.functions or asks:
        return []
    if "$" in name or not name:
        return [Effect("opaque")]
    if handler := _HANDLERS.get(name):
        return handler(call)
    found = [] if name in tables.HARMLESS else _task(call)
    return found if found is not None else _ruled(call)


def _base(text: str) -> str:
    name = re.split(r"[/\\]", text)[-1]
    name = name.partition("@")[0] or name
    name = re.sub(r"\.(?:exe|cmd)$", "", name)
    return match[1] if (match := _VERSIONED.fullmatch(name)) else name


def _unwrapped(words: Sequence[Word], cwd: str) -> tuple[list[Word], str]:
    """The program that is really run, without `sudo`, `timeout 30`, `npx`, `uv run`, `xargs` … before it."""
    left = list(words)
    for _ in range(12):
        name = _base(left[0].text) if left else ""
        if name in tables.WRAPPERS:
            left = _past_options(left[1:], tables.WRAPPERS[name])[tables.WRAPPER_OPERANDS.get(name, 0) :]
            if name in ("env", "cross-env", "dotenv"):
                left = left[next((i for i, word in enumerate(left) if "=" not in word.text), len(left)) :]
        elif name == "xargs":
            left = _xargs(left[1:])
        elif (at := _subcommand_at(left)) and f"{name} {left[at].text}" in tables.RUNNERS:
            cwd = _directory(left[1:at], cwd)
            left = _past_options(left[at + 1 :], tables.SELECTOR | tables.DIRECTORY | {"-m"} - {"-c", "-m"})
            if name == "direnv":
                left = left[1:]
        else:
            break
    return left, cwd


def _past_options(words: list[Word], valued: frozenset[str]) -> list[Word]:
    """What follows the leading options."""
    at = 0
    while at < len(words) and words[at].text.startswith("-") and len(words[at].text) > 1:
        if words[at].text == "--":
            return words[at + 1 :]
        at += 2 if words[at].text in valued else 1
    while at < len(words) and words[at].text == "--":
        at += 1
    return words[at:]


def _subcommand_at(words: Sequence[Word], start: int = 1) -> int:
    """Where the next word stands that is neither an option nor its value; 0 if there is none."""
    at = start
    while at < len(words):
        text = words[at].text
        if text in tables.SELECTOR or text in tables.DIRECTORY:
            at += 2
        elif text.startswith(("-", "+")) or not text:
            at += 1
        else:
            return at
    return 0


def _directory(options: Sequence[Word], cwd: str) -> str:
    for option, value in pairwise(options):
        if option.text in tables.DIRECTORY:
            cwd = join(cwd, value.text)
    return cwd


def _xargs(words: list[Word]) -> list[Word]:
    """The command that `xargs` runs; `$_` stands for what it is fed with."""
    mark = ""
    for option, value in pairwise(words):
        if not option.text.startswith("-"):
            break
        if option.text in ("-I", "-J"):
            mark = value.text
        elif option.text.startswith(("-I", "-i")):
            mark = option.text[2:] or "{}"
    left = _past_options(words, frozenset(("-I", "-J", "-n", "-P", "-L", "-d", "-s", "-a", "-E")))
    return _fed(left, mark) if mark else [*left, Word("$_", False)]


def _fed(words: Sequence[Word], mark: str) -> list[Word]:
    return [Word("$_", False) if mark in word.text and " " not in word.text else word for word in words]


def _operands(words: Sequence[Word], valued: frozenset[str] = frozenset()) -> list[Word]:
    """The words that are neither options nor their values."""
    found: list[Word] = []
    at = 0
    while at < len(words):
        text = words[at].text
        if text == "--":
            return found + list(words[at + 1 :])
        if text.startswith("-") and len(text) > 1:
            at += text in valued
        else:
            found.append(words[at])
        at += 1
    return found


# --- programs by table ------------------------------------------------------------------------------------------------


def _ruled(call: _Call) -> list[Effect]:
    words = [Word(call.name, True), *call.args]
    first = _subcommand_at(words)
    second = _subcommand_at(words, first + 1) if first else 0
    keys = [call.name, *(words[at].text for at in (first, second) if at)]
    for length in range(len(keys), 0, -1):
        if verdict := tables.RULES.get(" ".join(keys[:length])):
            rest = words[(0, first, second)[length - 1] + 1 :]
            inner = replace(call, args=tuple(rest), cwd=_directory(words[1:first] if first else words[1:], call.cwd))
            return _verdict(verdict, inner, call)
    return _unknown(call, keys[1] if first else "")


def _unknown(call: _Call, verb: str) -> list[Effect]:
    """A program or script that is in no table: only a verb or a name that promises to look tells it from the worst."""
    looks = bool(tables.LOOKING.intersection(re.split(r"[-_.:/]", verb.lower())[:1]))
    if call.has("--fix", "--write", "-w", "--in-place"):
        return [Effect("format")]
    return [] if looks and not call.has("-o", "--output", "--out", "--update", "-u") else [Effect("opaque")]


def _verdict(verdict: tuple[str, ...], call: _Call, whole: _Call) -> list[Effect]:
    kind, rest = verdict[0], verdict[1:]
    if kind == "-":
        return [Effect("generate")] if _updates(whole) else []
    if kind == "fix":
        return _fixed(call, [flag for flag in rest if flag[0] != "!"], [flag[1:] for flag in rest if flag[0] == "!"])
    if kind == "generate":
        if whole.has("--dry-run", "--noEmit", "-g", "--global", "--no-save", "--check"):
            return []
        return [Effect("generate", tuple(join(call.cwd, name) for name in rest))]
    return [Effect(kind)]


def _fixed(call: _Call, needed: list[str], stops: list[str]) -> list[Effect]:
    if call.has(*stops) or (needed and not call.has(*needed)):
        return []
    valued = tables.VALUED - frozenset(needed)
    return call.make("format", _operands(call.args, valued))


def _updates(call: _Call) -> bool:
    """A test run that rewrites what it compares with."""
    flagged = bool(tables.UPDATE_FLAGS.intersection(call.texts)) and call.name in tables.TESTERS
    return flagged or any(_UPDATING.match(text) for text in call.command.env)


def _task(call: _Call) -> list[Effect] | None:
    """`make x`, `npm run x`, `pnpm x`: judged by the name of the task; None for other programs."""
    words = [Word(call.name, True), *call.args]
    at = _subcommand_at(words)
    sub = words[at].text if at else ""
    if f"{call.name} {sub}" in tables.TASK_RUNNERS:
        names = [word.text for word in words[at + 1 :]]
    elif call.name in tables.TASK_RUNNERS:
        names = call.texts
    elif call.name in ("pnpm", "yarn", "bun", "mise") and f"{call.name} {sub}" not in tables.RULES:
        if not sub:
            return [] if call.name != "yarn" else [Effect("generate", (join(call.cwd, "yarn.lock"),))]
        if sub in tables.RULES or sub in _HANDLERS:
            return _program(replace(call, args=tuple(words[at:])))
        names = call.texts[at - 1 :]
    else:
        return None
    return _named(call, names)


def _named(call: _Call, names: list[str]) -> list[Effect]:
    if call.has("-n", "--dry-run", "--list", "-l", "--summary") and call.name in ("make", "gmake", "just", "task"):
        return []
    own = names[: names.index("--")] if "--" in names else names
    tasks = [word.text for word in _operands([Word(name, True) for name in own], tables.SELECTOR | tables.DIRECTORY)]
    tasks = [task for task in tasks if "=" not in task and task != ":::" and not task.isdigit()]
    if call.name not in ("make", "gmake", "task", "just", "rake", "gradle", "gradlew", "mvn", "mvnw") and ":::" not in names:
        tasks = tasks[:1]
    if not tasks:
        return [] if call.name in ("npm", "pnpm", "yarn", "bun", "mise") else [Effect("opaque")]
    kinds = dict.fromkeys("generate" if _updates(call) else _task_kind(task, names) for task in tasks)
    return [Effect(kind) for kind in kinds if kind]


def _task_kind(task: str, args: list[str]) -> str:
    """The kind of effect a task has by its name; empty when it has none."""
    words = set(re.split(r"[^a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "-", task).lower()))
    if "fix" in words or "--fix" in args or "--write" in args:
        return "format"
    if words & tables.TASK_CHECKS or "--check" in args:
        return ""
    if words & tables.TASK_FIXES or task.endswith(("spotlessApply", "spotless:apply")):
        return "format"
    if words & tables.TASK_GENERATES and not (words & {"test", "tests", "lint"} and not words & {"update", "gen", "regen"}):
        return "generate"
    return "" if words & tables.TASK_HARMLESS else "opaque"


# --- programs that need a closer look ---------------------------------------------------------------------------------


def _sed(call: _Call) -> list[Effect]:
    texts = call.texts
    at = next((i for i, text in enumerate(texts) if _SED_IN_PLACE.match(text) or text.startswith("--in-place")), -1)
    if at < 0:
        return []
    words = list(call.args)
    if at + 1 < len(words) and re.fullmatch(r"|\.\w+", texts[at + 1]):
        del words[at + 1]  # the suffix that BSD wants
    scripted = any(text in ("-e", "-f") or text.startswith(("--expression", "--file")) for text in texts)
    operands = _operands(words, frozenset(("-e", "-f", "--expression", "--file", "-l")))
    return call.make("modify", operands if scripted else operands[1:])


def _remove(call: _Call) -> list[Effect]:
    return call.make("remove", _operands(call.args))


def _tee(call: _Call) -> list[Effect]:
    words = [word for word in _operands(call.args) if not word.text.startswith("/dev/")]
    appending = call.has("-a", "--append", "-ai", "-ia")
    return call.make("append" if appending else "write", words, call.given()) if words else []


def _transfer(call: _Call) -> list[Effect]:
    """`mv`, `cp`: one effect for each source."""
    kind = "move" if call.name == "mv" else "copy"
    words = _operands(call.args, frozenset(("-t", "--target-directory", "-S", "--suffix", "-m", "-o", "-g")))
    into = next((b.text for a, b in pairwise(call.args) if a.text in ("-t", "--target-directory")), "")
    if into:
        target, sources = into.rstrip("/") + "/", words
    elif len(words) > 1:
        target, sources = words[-1].text, words[:-1]
    else:
        return [Effect(kind)]
    if len(sources) > 1:
        target = target.rstrip("/") + "/"
    return [_transferred(call, kind, source.text, target) for source in sources]


def _transferred(call: _Call, kind: str, source: str, target: str) -> Effect:
    last = source.rstrip("/").rpartition("/")[2]
    if target in (".", "..") or target.endswith(("/", "/.", "/..")):
        target = f"{target}/{last}"
    paths = (join(call.cwd, source),) if _is_path(source) else ()
    return Effect(kind, paths, None, join(call.cwd, target) if _is_path(target) else "")


def _link(call: _Call) -> list[Effect]:
    words = _operands(call.args)
    return call.make("write", words[-1:]) if len(words) > 1 else []


def _touch(call: _Call) -> list[Effect]:
    return call.make("append", _operands(call.args, frozenset(("-t", "-d", "-r"))), "")


def _truncate(call: _Call) -> list[Effect]:
    empty = call.has("-s0") or "0" in call.texts
    words = [word for word in _operands(call.args, frozenset(("-s", "-r"))) if word.text]
    return call.make("write", words, "" if empty else None)


def _option_target(call: _Call) -> list[Effect]:
    """`sort -o f`, `curl -o f`, `wget -O f`, `dd of=f`."""
    short = {"curl": "o", "sort": "o", "wget": "O", "dd": "of="}[call.name]
    for at, text in enumerate(call.texts):
        if call.name == "dd" and text.startswith(short):
            return call.make("write", [Word(text[3:], True)])
        combined = re.match(rf"-[a-zA-Z]*{short}|--output(?:-document)?(?:=|$)", text)
        if call.name != "dd" and combined:
            value = [Word(text[combined.end() :], True)] if combined.end() < len(text) else list(call.args[at + 1 : at + 2])
            scrap = value and (value[0].text == "-" or value[0].text.startswith("/dev/"))
            return [] if scrap else call.make("write", value)
    named = re.compile(r"-[a-zA-Z]*O|--remote-name")
    fetching = (call.name == "wget" and not call.has("--spider")) or any(named.match(text) for text in call.texts)
    return [Effect("write")] if call.name in ("curl", "wget") and fetching else []


def _in_place(call: _Call) -> list[Effect]:
    """`yq -i`, `awk -i inplace`, `crudini --set`."""
    if call.name == "crudini":
        return call.make("modify", _operands(call.args)[:1])
    if call.name in ("awk", "gawk"):
        scripts = "".join(call.texts)
        writes = re.search(r"print[^|;}]{0,200}>\s*\"", scripts) and "/dev/std" not in scripts
        return [Effect("modify")] if "inplace" in call.texts else [Effect("opaque")] if writes else []
    changed = call.has("-i", "--inplace", "--in-place", "-yi")
    return call.make("modify", _operands(call.args)[1:]) if changed else []


def _tar(call: _Call) -> list[Effect]:
    mode = call.texts[0] if call.args else ""
    extracts = (
        call.has("--extract", "-x")
        or ("x" in mode and not mode.startswith("--"))
        or any(re.match(r"-[a-z]*x", t) for t in call.texts)
    )
    return [Effect("write")] if extracts else []


def _find(call: _Call) -> list[Effect]:
    found = [Effect("remove")] if call.has("-delete") else []
    texts = call.texts
    if len(texts) > _MAX_FIND:
        return [Effect("opaque")]
    for at, text in enumerate(texts):
        if text in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((i for i in range(at + 1, len(texts)) if texts[i] in (";", "+")), len(texts))
            found += _program(replace(call, args=tuple(_fed(call.args[at + 1 : end], "{}"))))
        elif text in ("-fprint", "-fprintf", "-fls"):
            found += call.make("write", call.args[at + 1 : at + 2])
    return found


def _patch(call: _Call) -> list[Effect]:
    if call.has("--dry-run", "-C", "--check", "--stat", "--numstat", "--summary", "--cached"):
        return []
    words = [word for word in _operands(call.args) if call.name == "patch"][:1]
    text = call.given() or next(iter(call.texts), "") if call.name == "apply_patch" else call.given() or ""
    words += [Word(path, True) for path in dict.fromkeys(_PATCHED.findall(text)) if path != "/dev/null"]
    return call.make("restore" if call.name == "git" else "modify", words)


def _source(call: _Call) -> list[Effect]:
    known = re.search(r"activate|\.env|rc$|profile|nvm|cargo/env|asdf", " ".join(call.texts[:1]))
    if known:
        return []
    text = call.run.files.get(join(call.cwd, call.texts[0])) if call.args else None
    return _nested(call, text)


def _nested(call: _Call, text: str | None) -> list[Effect]:
    """The effects of a text that another shell reads."""
    if text is None:
        return [Effect("opaque")]
    before = len(call.run.found)
    _read(text, call.cwd, call.run)
    found = call.run.found[before:]
    del call.run.found[before:]
    return found


def _gh(call: _Call) -> list[Effect]:
    switches = call.texts[:2] == ["pr", "merge"] and call.has("-d", "--delete-branch")
    return [Effect("restore")] if switches else _ruled(call)


def _shell(call: _Call) -> list[Effect]:
    texts = call.texts
    if call.name in ("eval", "trap"):
        return _nested(call, " ".join(texts if call.name == "eval" else texts[:1]))
    for at, text in enumerate(texts):
        if text in ("-Command", "-c", "/c", "/C") or re.fullmatch(r"-[a-z]*c", text):
            rest = texts[at + 1 :]
            whole = call.name in ("powershell", "pwsh", "cmd")
            return _nested(call, " ".join(rest) if whole else rest[0] if rest else None)
        if not text.startswith(("-", "+")):
            return [] if "-n" in texts[:at] else _nested(call, call.run.files.get(join(call.cwd, text)))
    if not call.command.stdin and not call.command.fed:
        return []
    return _nested(call, call.command.stdin.body if call.command.stdin else call.given())


# --- git --------------------------------------------------------------------------------------------------------------


def _git(call: _Call) -> list[Effect]:
    words = [Word("git", True), *call.args]
    at = _subcommand_at(words)
    if not at:
        return []
    inner = replace(call, args=tuple(words[at + 1 :]), cwd=_directory(words[1:at], call.cwd))
    handler = _GIT.get(words[at].text)
    return handler(inner) if handler else _ruled(call)


def _after_dashes(call: _Call) -> list[Word]:
    texts = call.texts
    return list(call.args[texts.index("--") + 1 :]) if "--" in texts else []


def _git_checkout(call: _Call) -> list[Effect]:
    if words := _after_dashes(call):
        return call.make("restore", words)
    operands = _operands(call.args)
    if call.has("-b", "-B", "-c", "-C", "--create", "--orphan"):
        return [Effect("restore")] if len(operands) > 1 else []
    return call.make("restore", [word for word in operands if _FILE_LIKE.search(word.text)])


def _git_restore(call: _Call) -> list[Effect]:
    if call.has("--staged", "-S") and not call.has("--worktree", "-W"):
        return []
    return call.make("restore", _operands(call.args, frozenset(("-s", "--source"))))


def _git_reset(call: _Call) -> list[Effect]:
    return [Effect("restore")] if call.has("--hard", "--keep", "--merge") else []


def _git_stash(call: _Call) -> list[Effect]:
    quiet = ("list", "show", "drop", "clear", "create", "store")
    return [] if call.texts[:1] and call.texts[0] in quiet else call.make("restore", _after_dashes(call))


def _git_remove(call: _Call) -> list[Effect]:
    quiet = call.has("--cached", "-n", "--dry-run")
    return [] if quiet else call.make("remove", _operands(call.args))


def _git_clean(call: _Call) -> list[Effect]:
    return [] if any(re.fullmatch(r"-[a-zA-Z]{0,20}n[a-zA-Z]{0,20}|--dry-run", text) for text in call.texts) else [Effect("remove")]


def _git_move(call: _Call) -> list[Effect]:
    return _transfer(replace(call, name="mv"))


def _git_commit(call: _Call) -> list[Effect]:
    words = _after_dashes(call)
    return [] if call.has("--dry-run") else call.make("commit", words)


def _git_worktree(call: _Call) -> list[Effect]:
    words = _operands(call.args, frozenset(("-b", "-B", "--reason")))
    kind = {"add": "restore", "remove": "remove"}.get(words[0].text if words else "", "")
    return call.make(kind, words[1:2]) if kind else []


_GIT: dict[str, Callable[[_Call], list[Effect]]] = {
    "checkout": _git_checkout,
    "switch": _git_checkout,
    "restore": _git_restore,
    "reset": _git_reset,
    "stash": _git_stash,
    "rm": _git_remove,
    "clean": _git_clean,
    "mv": _git_move,
    "commit": _git_commit,
    "apply": _patch,
    "worktree": _git_worktree,
}


# --- scripts in another language --------------------------------------------------------------------------------------

_EXPRESSION = r"((?:pathlib\.)?Path\([^()\n]{1,200}\)|(?:os\.path|path)\.join\([^()\n]{1,200}\)|[^,()\n]{1,200}?)\s*"
_SUBJECT = r"((?:pathlib\.)?Path\([^()\n]{1,200}\)|\([^()\n]{1,200}\)|[A-Za-z_]\w{0,60}(?:\.\w{1,60}){0,3})"
_WRITES = re.compile(
    rf"\bopen\(\s*{_EXPRESSION},\s*(?:mode\s*=\s*)?['\"](?:[rbt]*[wax][bt+]*|r\+b?|rb\+)['\"]"
    rf"|(?:writeFile|appendFile|writeTextFile)(?:Sync)?\(\s*{_EXPRESSION},|createWriteStream\(\s*{_EXPRESSION}[,)]"
    rf"|(?:Bun|File|IO)\.(?:write|binwrite)\(\s*{_EXPRESSION},"
    rf"|open\(?\s*my \$\w{{1,40}}\s*,\s*['\"]\+?>{{1,2}}[^'\"\n]{{0,40}}['\"]\s*,\s*{_EXPRESSION}[;)]"
)
_WRITES_OWN = re.compile(rf"{_SUBJECT}\.(?:write_text|write_bytes|open\(\s*['\"][wax])")
_WRITE_CALLS = re.compile(
    r"\.(?:write_text|write_bytes)\(|\.open\(\s*['\"][wax]|(?:writeFile|appendFile|writeTextFile)(?:Sync)?\(|createWriteStream\("
    r"|\bopen\([^\n;]{1,300}?,\s*(?:mode\s*=\s*)?['\"](?:[rbt]*[wax][bt+]*|r\+b?|rb\+)['\"]"
)
_REMOVES = re.compile(rf"(?:os\.(?:remove|unlink)|unlinkSync|rmSync)\(\s*{_EXPRESSION}[,)]|{_SUBJECT}\.unlink\(")
_HIDDEN = re.compile(
    r"shutil\.(?!which|get_terminal|disk_usage)|os\.(?:rename|replace|system|popen|exec|spawn|symlink|link|truncate)\w*\("
    r"|\.(?:rename|copyFile|cp|rename)(?:Sync)?\(|child_process|execSync|spawnSync|FileUtils|inplace\s*=\s*True|%x[({]|\bsystem\("
    r"|runpy|\bexec\(open|Pathname|\bunlink\s*\(?['\"$]"
)
_PROCESS = re.compile(
    r"subprocess\.(?:run|call|check_call|check_output|Popen|getoutput|getstatusoutput)\(\s*(\[[^\]]{0,500}\]|f?['\"][^'\"\n]{0,500}['\"])?"
)
_LITERAL = re.compile(r"[rb]?(?:'([^'\n]{0,300})'|\"([^\"\n]{0,300})\")")
_NAMED = re.compile(
    r"^[ \t]*(?:const |let |var |my \$)?([A-Za-z_]\w{0,60})[ \t]*=[ \t]*([^\n]{1,300})$"
    r"|^[ \t]*for\s?\(?(?:const |let )?(\w{1,60})[^\n]{0,60}? (?:in|of) ([^\n]{1,1000}?)\)?[:{]?[ \t]*\{?$",
    re.M,
)
_LISTS = re.compile(r"\b([A-Za-z_]\w{0,60})\s*=\s*[\[({]([^\])}]{0,2000})[\])}]")
_PATH_WORDS = {"Path", "pathlib", "os", "path", "join", "glob", "rglob", "sorted", "resolve", "list", "encoding"}
_ARGUMENT = re.compile(r"(?:sys\.argv|process\.argv)\[(\d)\]")


class _Script:
    """What a script in another language writes to, as far as its text names it."""

    def __init__(self, text: str, args: Sequence[str], node: bool) -> None:
        self.text, self.args, self.node = text, args, node
        self.names: dict[str, str] = {}
        for match in _NAMED.finditer(text):
            self.names[match[1] or match[3]] = match[2] or match[4]
        self.lists = {match[1]: match[2] for match in _LISTS.finditer(text)}

    def paths(self, expression: str, depth: int = 0) -> list[str]:
        """The paths an expression can stand for; empty when the text does not tell."""
        expression = expression.strip()
        if match := _ARGUMENT.search(expression):
            at = int(match[1]) - (2 if self.node else 1)
            return [self.args[at]] if 0 <= at < len(self.args) else []
        if expression in self.names and depth < 6:
            if expression in self.lists:
                return _literals(self.lists[expression])
            return self.paths(self.names[expression], depth + 1)
        if re.match(r"[\[({]", expression) and "," in expression:
            return _literals(expression)
        return self._joined(expression, depth)

    def _joined(self, expression: str, depth: int) -> list[str]:
        """`'a/b'`, `Path('a') / 'b'`, `os.path.join(base, 'b')`, `glob.glob('a/*.md')`."""
        parts = [match[1] or match[2] or "" for match in _LITERAL.finditer(expression)]
        words = set(re.findall(r"[A-Za-z_]\w*", _LITERAL.sub(" ", expression))) - _PATH_WORDS
        if len(words) == 1 and depth < 6:
            base = self.paths(word, depth + 1) if (word := words.pop()) in self.names else []
            return ["/".join([one, *parts]) for one in base]
        return ["/".join(parts)] if parts and not words and "f'" not in expression and 'f"' not in expression else []

    def targets(self, pattern: re.Pattern[str]) -> tuple[list[str], bool]:
        """The paths of all places that match, and whether one of them names none."""
        found: dict[str, None] = {}
        missed = False
        for match in pattern.finditer(self.text):
            paths = self.paths(next((group for group in match.groups() if group), ""))
            found.update(dict.fromkeys(paths))
            missed = missed or not paths
        return list(found), missed


def _literals(text: str) -> list[str]:
    found = [match[1] or match[2] or "" for match in _LITERAL.finditer(text)]
    return [path for path in found if "/" in path or re.search(r"\.\w{1,10}$", path)]


def _scanned(call: _Call, text: str, args: Sequence[str]) -> list[Effect]:
    """The effects of a script that is part of the command."""
    call.run.scripts -= len(text)
    if call.run.scripts < 0:
        return [Effect("opaque")]
    script = _Script(text, args, call.name in ("node", "tsx", "bun", "ts-node"))
    written, missed = script.targets(_WRITES)
    own, missed_own = script.targets(_WRITES_OWN)
    removed, missed_removal = script.targets(_REMOVES)
    understood = len(_WRITES.findall(text)) + len(_WRITES_OWN.findall(text))
    hidden = len(_WRITE_CALLS.findall(text)) > understood or bool(_HIDDEN.search(text))
    found = [
        effect for effect in call.make("modify", [Word(path, True) for path in dict.fromkeys([*written, *own])]) if effect.paths
    ]
    found += [effect for effect in call.make("remove", [Word(path, True) for path in removed]) if effect.paths]
    if missed or missed_own or missed_removal or hidden or not _runs_harmless(text):
        found.append(Effect("opaque"))
    return found


def _runs_harmless(text: str) -> bool:
    """Whether all programs the script starts are named in it and change nothing."""
    return all(_is_named_harmless(match[1] or "") for match in _PROCESS.finditer(text))


def _is_named_harmless(arguments: str) -> bool:
    command = arguments.strip("f'\"")
    if arguments.startswith("["):
        command = " ".join(f"'{single or double}'" for single, double in _LITERAL.findall(arguments))
    return bool(command) and is_harmless(command)


def _interpreter(call: _Call) -> list[Effect]:
    texts = call.texts
    if call.name in ("perl", "ruby") and any(_PERL_IN_PLACE.match(text) for text in texts):
        operands = _operands(call.args, frozenset(("-e", "-pe", "-ne", "-E")))
        inline = any(re.fullmatch(r"-\w{0,20}i\w{0,20}e", text) for text in texts)
        return call.make("modify", operands[1:] if inline else operands)
    at = 0
    while at < len(texts) and texts[at].startswith("-") and texts[at] != "-":
        if texts[at] == "-m" and call.name.startswith("py"):
            return _program(replace(call, args=call.args[at + 1 :]))
        if _CODE_FLAG.fullmatch(texts[at]) and at + 1 < len(texts):
            return _scanned(call, texts[at + 1], texts[at + 2 :])
        at += 2 if texts[at] in ("-W", "-X", "-r", "--require", "--import", "-I", "--loader") else 1
    return [] if call.has("--check", "--test", "--syntax-check", "-wc") else _script_file(call, texts[at:])


def _script_file(call: _Call, texts: list[str]) -> list[Effect]:
    """A script by its name, or on standard input."""
    named = bool(texts) and texts[0] != "-"
    if not (named or call.command.stdin or call.command.fed):
        return []
    text = (
        call.run.files.get(join(call.cwd, texts[0])) if named else call.command.stdin.body if call.command.stdin else call.given()
    )
    if text is None:
        return _unknown(call, texts[0].rpartition("/")[2] if named else "")
    return _scanned(call, text, texts[1:])


# --- PowerShell -------------------------------------------------------------------------------------------------------

_POWERSHELL = re.compile(
    r"\s*(?:\$[\w:]+\s*=[^=~]|(?:Get|Set|Add|New|Remove|Move|Copy|Rename|Out|Select|Test|Write|Import|Invoke|Start|Clear|ConvertTo)-[A-Z]\w+)"
)
_POWER_TOKEN = re.compile(
    r"@'\r?\n.*?\n'@|@\"\r?\n.*?\n\"@|'(?:[^']|'')*+'|\"(?:[^\"`]|`.)*+\"|`\r?\n|#[^\n]*|[;\n|{}()&]+|[^\s;|'\"{}()&]+|\S", re.S
)
_POWER_KINDS = {
    "set-content": "write",
    "out-file": "write",
    "add-content": "append",
    "tee-object": "write",
    "export-csv": "write",
    "new-item": "write",
    "remove-item": "remove",
    "clear-content": "write",
    "move-item": "move",
    "rename-item": "move",
    "copy-item": "copy",
    "expand-archive": "write",
}
_POWER_SWITCHES = ("-force", "-recurse", "-append", "-nonewline", "-passthru", "-confirm:$false", "-verbose", "-noclobber")


def _powershell(text: str, cwd: str, run: _Run) -> list[Effect]:
    found: list[Effect] = []
    words: list[Word] = []
    if len(text) > _MAX_POWER:
        raise Unparsable
    for token in [*_POWER_TOKEN.findall(text), ";"]:
        if re.fullmatch(r"[;\n|{}()&]+", token):
            found += _power_statement(words, cwd, run)
            words = []
        elif token[0] in "'\"":
            words.append(Word(token[1:-1], "$" not in token or token[0] == "'"))
        elif not token.startswith(("`", "#", "@'", '@"')):
            words.append(Word(token, "$" not in token))
    return found


def _power_statement(words: list[Word], cwd: str, run: _Run) -> list[Effect]:
    words = words[2:] if len(words) > 1 and words[1].text == "=" else words
    first = words[0].text if words else ""
    if (
        not first
        or first[0] in "$[@-"
        or first in ("if", "foreach", "else", "elseif", "while", "try", "catch", "param", "function")
    ):
        return [Effect("opaque")] if "WriteAll" in first else []
    call = _Call("mv", (), cwd, Command(cwd), run)
    kind = _POWER_KINDS.get(first.lower())
    return _power_effects(call, kind, words) if kind else _program(replace(call, args=tuple(words)))


def _power_effects(call: _Call, kind: str, words: list[Word]) -> list[Effect]:
    named, loose = _power_arguments(words[1:])
    paths = [named[key] for key in ("-path", "-literalpath", "-filepath") if key in named] or loose[:1]
    if "directory" in (word.text.lower() for word in named.values()):
        return []
    if kind in ("move", "copy"):
        target = named.get("-destination") or named.get("-newname") or (loose[-1] if loose else Word("", False))
        return [_transferred(call, kind, path.text, target.text) for path in paths]
    appended = kind == "write" and any(word.text.lower() == "-append" for word in words)
    return call.make("append" if appended else kind, paths)


def _power_arguments(words: list[Word]) -> tuple[dict[str, Word], list[Word]]:
    named: dict[str, Word] = {}
    loose: list[Word] = []
    at = 0
    while at < len(words):
        text = words[at].text.lower()
        if text.startswith("-") and text not in _POWER_SWITCHES and at + 1 < len(words):
            named[text] = words[at + 1]
            at += 1
        elif not text.startswith("-"):
            loose.append(words[at])
        at += 1
    return named, loose


_HANDLERS: dict[str, Callable[[_Call], list[Effect]]] = {
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("rm", "unlink", "trash", "shred", "del"), _remove),
    **dict.fromkeys(("mv", "cp", "install"), _transfer),
    **dict.fromkeys(("tee", "sponge"), _tee),
    **dict.fromkeys(("curl", "wget", "sort", "dd"), _option_target),
    **dict.fromkeys(("yq", "awk", "gawk", "crudini"), _in_place),
    **dict.fromkeys(("tar", "bsdtar", "gtar"), _tar),
    **dict.fromkeys(("patch", "apply_patch"), _patch),
    **dict.fromkeys(("source", "."), _source),
    **dict.fromkeys((*tables.SHELLS, "eval", "trap", "powershell", "pwsh", "cmd"), _shell),
    **dict.fromkeys(tables.INTERPRETERS, _interpreter),
    "ln": _link,
    "touch": _touch,
    "truncate": _truncate,
    "find": _find,
    "git": _git,
    "gh": _gh,
}
