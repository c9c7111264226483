"""Inline Python whose effect on files follows from its text: it reads a file, replaces literal texts, writes it. Pure.

The script is walked through with the values its text gives: literals, paths, and "the text of that file after these replacements".
It is never run. Of a script with anything in it that is not understood, nothing is known.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from attribution.shell.model import Effect, join
from collector.model import Replacement

_MAX_SCRIPT = 200_000  # characters
_MAX_STEPS = 20_000  # expressions and statements
_MAX_VALUE = 1_000_000  # characters of a text that is put together
_MAX_DEPTH = 40
_OPERATORS = frozenset("^$.|?*+()[]{}")
_WRITES = frozenset({"write", "write_text", "write_bytes", "writelines", "dump", "unlink", "rename", "replace_file", "touch"})
_ABSENT = object()  # of an `if` without the other branch


class _Lost(Exception):
    """The script does something that is not followed."""


@dataclass(frozen=True, slots=True)
class _File:
    """A path."""

    path: str


@dataclass(frozen=True, slots=True)
class _Text:
    """The text of a file after replacements."""

    path: str
    changes: tuple[Replacement, ...] = ()


@dataclass(slots=True)
class _Handle:
    """An open file."""

    path: str
    mode: str
    parts: list[object] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Module:
    name: str


@dataclass(frozen=True, slots=True)
class _Bound:
    """A method of a value, or a function of a module."""

    owner: object
    name: str


class _Return(Exception):
    def __init__(self, value: object) -> None:
        self.value = value


UNKNOWN = object()  # a value that the text does not give
_FALSE_ENDS = (ast.Raise, ast.Pass, ast.Continue, ast.Break, ast.Return, ast.Assert)


def file_effects(text: str, cwd: str, args: Sequence[str]) -> list[Effect] | None:
    """What the script does to files, in order; None when it is not understood as a whole. `args`: what follows its name."""
    if len(text) > _MAX_SCRIPT or not re.search(r"\bwrite", text):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that are none
            tree = ast.parse(text)
        walk = _Walk(cwd, args)
        walk.block(tree.body)
        walk.close_all()
    except (_Lost, _Return, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return walk.effects


class _Walk:
    """One script."""

    def __init__(self, cwd: str, args: Sequence[str]) -> None:
        self.effects: list[Effect] = []
        self._cwd, self._args = cwd, ("-", *args)
        self._names: dict[str, object] = {}
        self._frames: list[dict[str, object]] = []
        self._done: dict[str, tuple[Replacement, ...]] = {}  # path -> replacements that were written so far
        self._written: set[str] = set()  # paths whose whole text the script gave
        self._open_handles: list[_Handle] = []
        self._steps = 0
        self._globals: set[str] = set()

    # --- statements -----------------------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self._step()
            handler = _STATEMENTS.get(type(statement))
            if handler is None:
                raise _Lost
            handler(self, statement)

    def _step(self) -> None:
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise _Lost

    def imports(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            plain = isinstance(node, ast.Import)
            value = _Module(alias.name) if plain else _Bound(_Module(getattr(node, "module", "") or ""), alias.name)
            self._set(alias.asname or alias.name.partition(".")[0], value)

    def assign(self, node: ast.Assign | ast.AnnAssign) -> None:
        if node.value is not None:
            value = self._value(node.value)
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                self._bind(target, value)

    def augmentation(self, node: ast.AugAssign) -> None:
        if not isinstance(node.target, ast.Name):
            raise _Lost
        before = self._get(node.target.id)
        self._set(node.target.id, _add(before, self._value(node.value)) if isinstance(node.op, ast.Add) else UNKNOWN)

    def define(self, node: ast.FunctionDef) -> None:
        if node.decorator_list or node.args.vararg or node.args.kwarg or node.args.kwonlyargs:
            raise _Lost
        self._set(node.name, node)

    def back(self, node: ast.Return) -> None:
        if not self._frames:
            raise _Lost
        raise _Return(None if node.value is None else self._value(node.value))

    def condition(self, node: ast.If) -> None:
        """A known branch; of an unknown one the branch that does something, when the other only complains."""
        result = self._truth(node.test)
        if result is not None:
            return self.block(node.body if result else node.orelse)
        idle, other_idle = all(map(self._is_idle, node.body)), all(map(self._is_idle, node.orelse))
        if idle and other_idle:
            return None
        there, old = self._looked_for(node.test) or (None, "")
        active = node.orelse if idle else node.body if other_idle else None
        if there is None or active is None or (active is node.body) != there:
            raise _Lost
        before = dict(self._names)
        self.block(active)
        return self._only_replaces(old, before)

    def _only_replaces(self, old: str, before: dict[str, object]) -> None:
        """What was done on condition that `old` is there must change nothing without it."""
        for name, value in self._names.items():
            existing = before.get(name, _ABSENT)
            if existing is value or not isinstance(value, _Text):
                continue
            had = existing.changes if isinstance(existing, _Text) and existing.path == value.path else ()
            if any(old not in change.old for change in value.changes[len(had) :]):
                raise _Lost

    def _looked_for(self, test: ast.expr) -> tuple[bool, str] | None:
        """`old in text`, `text.count(old) == 1`: (True, old); `old not in text`: (False, old)."""
        match test:
            case ast.Compare(ops=[ast.In() | ast.NotIn() as op], left=left, comparators=[right]):
                old, text, there = self._value(left), self._value(right), isinstance(op, ast.In)
            case ast.Compare(
                ops=[ast.Eq() | ast.Gt() | ast.GtE()],
                left=ast.Call(func=ast.Attribute(attr="count", value=owner), args=[argument]),
            ):
                text, old, there = self._value(owner), self._value(argument), True
            case _:
                return None
        return (there, old) if isinstance(old, str) and isinstance(text, _Text) else None

    def _is_idle(self, node: ast.stmt) -> bool:
        """Prints, or ends the script: changes nothing that counts."""
        match node:
            case ast.If():
                return all(map(self._is_idle, (*node.body, *node.orelse)))
            case ast.Expr(value=ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args)):
                return name in ("print", "exit", "quit", "append", "add") and not _may_write(args)
            case ast.Expr(value=value):
                return isinstance(value, ast.Constant)
        return isinstance(node, _FALSE_ENDS)

    def loop(self, node: ast.For) -> None:
        values = self._value(node.iter)
        if not isinstance(values, list | tuple) or node.orelse or any(isinstance(child, ast.Break) for child in ast.walk(node)):
            raise _Lost
        for value in values:
            self._step()
            self._bind(node.target, value)
            self.block(node.body)

    def with_block(self, node: ast.With) -> None:
        handles = []
        for item in node.items:
            handle = self._value(item.context_expr)
            if not isinstance(handle, _Handle):
                raise _Lost
            handles.append(handle)
            if item.optional_vars is not None:
                self._bind(item.optional_vars, handle)
        self.block(node.body)
        for handle in handles:
            self._close(handle)

    # --- names ----------------------------------------------------------------------------------------------------

    def _get(self, name: str) -> object:
        unset = _Bound(_Module("builtins"), name) if name in _BUILTINS else UNKNOWN
        existing = self._names.get(name, unset)
        return self._frames[-1].get(name, existing) if self._frames else existing

    def _set(self, name: str, value: object) -> None:
        names = self._frames[-1] if self._frames and name not in self._globals else self._names
        names[name] = value

    def _bind(self, target: ast.expr, value: object) -> None:
        if isinstance(target, ast.Name):
            self._set(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            values = value if isinstance(value, list | tuple) else [UNKNOWN] * len(target.elts)
            if len(values) != len(target.elts) or any(isinstance(elt, ast.Starred) for elt in target.elts):
                raise _Lost
            for element, each in zip(target.elts, values, strict=True):
                self._bind(element, each)
        else:
            raise _Lost

    # --- values ---------------------------------------------------------------------------------------------------

    def _value(self, node: ast.expr) -> object:
        self._step()
        handler = _EXPRESSIONS.get(type(node))
        if handler is None:
            if _may_write([node]):
                raise _Lost
            return UNKNOWN
        return handler(self, node)

    def several(self, node: ast.Tuple | ast.List) -> object:
        return [self._value(elt) for elt in node.elts]

    def mapping(self, node: ast.Dict) -> object:
        if any(key is None for key in node.keys):
            return UNKNOWN
        return {_key(self._value(key)): self._value(value) for key, value in zip(node.keys, node.values, strict=True) if key}

    def format_string(self, node: ast.JoinedStr) -> object:
        parts: list[str] = []
        for part in node.values:
            plain = isinstance(part, ast.Constant) or (isinstance(part, ast.FormattedValue) and not part.format_spec)
            value = self._value(part.value if isinstance(part, ast.FormattedValue) else part) if plain else UNKNOWN
            converted = isinstance(part, ast.FormattedValue) and part.conversion != -1
            if not isinstance(value, str | int | _File) or converted:
                return UNKNOWN
            parts.append(value.path if isinstance(value, _File) else str(value))
        return _bound("".join(parts))

    def binary(self, node: ast.BinOp) -> object:
        left, right = self._value(node.left), self._value(node.right)
        if isinstance(node.op, ast.Add):
            return _add(left, right)
        if isinstance(node.op, ast.Div) and isinstance(left, _File) and isinstance(right, str):
            return _File(join(left.path, right))
        return UNKNOWN

    def item(self, node: ast.Subscript) -> object:
        owner, key = self._value(node.value), UNKNOWN if isinstance(node.slice, ast.Slice) else self._value(node.slice)
        if owner == _Bound(_Module("sys"), "argv") and isinstance(key, int):
            return self._args[key] if 0 < key < len(self._args) else UNKNOWN
        values = dict(enumerate(owner)) if isinstance(owner, list) else owner
        return values.get(key, UNKNOWN) if isinstance(values, dict) and isinstance(key, str | int) else UNKNOWN

    def _truth(self, node: ast.expr) -> bool | None:
        """Whether a condition holds; None when the text does not tell."""
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            if isinstance(node.left, ast.Name) and node.left.id == "__name__":
                return True
            left, right = self._value(node.left), self._value(node.comparators[0])
            if isinstance(left, str) and isinstance(right, str):
                compare = _COMPARISONS.get(type(node.ops[0]))
                return compare(left, right) if compare else None
            return None
        value = self._value(node)
        return bool(value) if isinstance(value, str | int | list | dict) or value is None else None

    # --- calls ----------------------------------------------------------------------------------------------------

    def call(self, node: ast.Call) -> object:
        called = self._value(node.func)
        if any(isinstance(arg, ast.Starred) for arg in node.args) or any(keyword.arg is None for keyword in node.keywords):
            raise _Lost
        args = [self._value(arg) for arg in node.args]
        named = {keyword.arg or "": self._value(keyword.value) for keyword in node.keywords}
        if isinstance(called, ast.FunctionDef):
            return self._inline(called, args, named)
        if isinstance(called, _Bound):
            return self._method(called, args, named)
        return self._not_followed("", args)

    def _inline(self, node: ast.FunctionDef, args: list[object], named: dict[str, object]) -> object:
        names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
        defaults = dict(zip(reversed(names), (self._value(default) for default in reversed(node.args.defaults)), strict=False))
        values = {**defaults, **dict(zip(names, args, strict=False)), **named}
        if len(self._frames) >= _MAX_DEPTH or set(values) != set(names) or len(args) > len(names):
            raise _Lost
        self._frames.append(values)
        shared, self._globals = self._globals, set()
        try:
            self.block(node.body)
        except _Return as result:
            return result.value
        finally:
            self._frames.pop()
            self._globals = shared
        return None

    def _method(self, called: _Bound, args: list[object], named: dict[str, object]) -> object:
        owner, name = called.owner, called.name
        if isinstance(owner, _Bound) and isinstance(owner.owner, _Module):
            owner = _Module(f"{owner.owner.name}.{owner.name}")
        if isinstance(owner, _Module):
            return self._function(owner.name, name, args, named)
        if isinstance(owner, _File):
            return self._file_method(owner, name, args, named)
        if isinstance(owner, _Handle):
            return self._handle_method(owner, name, args)
        if isinstance(owner, _Text | str) and name == "replace" and not named:
            return _replace_text(owner, args)
        existing = _call_method(owner, name, args)
        return self._not_followed(name, [owner, *args]) if existing is UNKNOWN else existing

    def _function(self, module: str, name: str, args: list[object], named: dict[str, object]) -> object:
        if name == "open" and module in ("builtins", "io", "codecs"):
            return self._open(args, named)
        if module == "re" and name == "sub":
            return _sub(args, named)
        if (module, name) == ("sys", "exit"):
            raise _Lost  # what follows is not run
        if module == "builtins" and name in _HARMLESS:
            return UNKNOWN
        if (module, name) in _OF_PATHS:
            paths = [arg.path if isinstance(arg, _File) else arg for arg in args]
            existing = bool(paths) and all(isinstance(path, str) for path in paths)
            path = _join(paths) if existing else ""
            return UNKNOWN if not existing else _File(path) if module == "pathlib" else path
        return self._not_followed(name, args if module in _PURE_MODULES else [_Handle])

    def _not_followed(self, name: str, args: Sequence[object]) -> object:
        """The result of a call that is not known; it must not be one that writes."""
        if name in _WRITES or any(isinstance(arg, _Handle | _File | type) for arg in args):
            raise _Lost
        return UNKNOWN

    # --- files ----------------------------------------------------------------------------------------------------

    def _open(self, args: list[object], named: dict[str, object]) -> object:
        file = args[0] if args else named.get("file")
        mode = args[1] if len(args) > 1 else named.get("mode", "r")
        path = file.path if isinstance(file, _File) else file
        if not isinstance(path, str) or mode not in ("r", "rt", "w", "wt", "a", "at"):
            raise _Lost
        handle = _Handle(path, str(mode)[0])
        if handle.mode != "r":
            self._open_handles.append(handle)
        return handle

    def _read(self, path: str) -> object:
        path = join("", path)
        return UNKNOWN if path in self._written else _Text(path, self._done.get(path, ()))

    def _file_method(self, file: _File, name: str, args: list[object], named: dict[str, object]) -> object:
        if name == "read_text":
            return self._read(file.path)
        if name == "write_text" and args:
            self._write(_Handle(file.path, "w", [args[0]]))
            return UNKNOWN
        if name == "open":
            return self._open([file, *args], named)
        result = {"resolve": file, "absolute": file, "as_posix": file.path} | dict.fromkeys(_ASKS, UNKNOWN)
        if name not in result:
            raise _Lost
        return result[name]

    def _handle_method(self, handle: _Handle, name: str, args: list[object]) -> object:
        if name == "read" and handle.mode == "r" and not args:
            return self._read(handle.path)
        if name == "write" and handle.mode != "r" and len(args) == 1:
            handle.parts.append(args[0])
            return UNKNOWN
        if name == "close":
            self._close(handle)
            return None
        raise _Lost

    def _close(self, handle: _Handle) -> None:
        if handle in self._open_handles:
            self._open_handles = [open_ for open_ in self._open_handles if open_ is not handle]
            self._write(handle)

    def close_all(self) -> None:
        """What was opened and never closed is written at the end."""
        for handle in list(self._open_handles):
            self._close(handle)

    def _write(self, handle: _Handle) -> None:
        path = join("", handle.path)
        target = join(self._cwd, path)
        texts = [part for part in handle.parts if isinstance(part, str)]
        if len(texts) == len(handle.parts):
            self._done.pop(path, None)
            self._written.add(path)
            self.effects.append(Effect("append" if handle.mode == "a" else "write", (target,), "".join(texts)))
            return
        text, done = handle.parts[0], self._done.get(path, ())
        if len(handle.parts) > 1 or handle.mode == "a" or not isinstance(text, _Text) or text.path != path:
            raise _Lost
        fresh = text.changes[len(done) :]
        if text.changes[: len(done)] != done or path in self._written or not fresh:  # what the script is there for was not seen
            raise _Lost
        self._done[path] = text.changes
        self.effects.append(Effect("modify", (target,), changes=fresh))


def _call_method(owner: object, name: str, args: list[object]) -> object:
    """A method of a text or a mapping; UNKNOWN when it is not followed."""
    if isinstance(owner, str) and name in ("strip", "lstrip", "rstrip") and all(isinstance(arg, str) for arg in args):
        return getattr(owner, name)(*args)
    if isinstance(owner, dict) and name in ("items", "keys", "values") and not args:
        return [list(target) if name == "items" else target for target in getattr(owner, name)()]
    return UNKNOWN


def _may_write(nodes: Sequence[ast.expr]) -> bool:
    every: Iterator[ast.AST] = (target for node in nodes for target in ast.walk(node))
    return any(isinstance(target, ast.Attribute) and (target.attr in _WRITES or target.attr == "open") for target in every)


def _key(value: object) -> object:
    if not isinstance(value, str | int):
        raise _Lost
    return value


def _bound(text: str) -> str:
    if len(text) > _MAX_VALUE:
        raise _Lost
    return text


def _add(left: object, right: object) -> object:
    if isinstance(left, str) and isinstance(right, str):
        return _bound(left + right)
    return [*left, *right] if isinstance(left, list) and isinstance(right, list) and len(left) < _MAX_STEPS else UNKNOWN


def _join(parts: Sequence[object]) -> str:
    result = ""
    for part in parts:
        result = join(result, str(part)) if result else str(part)
    return _bound(result)


def _replace_text(owner: _Text | str, args: list[object]) -> object:
    """`text.replace(old, new)`, once or everywhere."""
    count = args[2] if len(args) == 3 else -1
    if len(args) not in (2, 3) or count not in (1, -1):
        return UNKNOWN
    old, new = args[0], args[1]
    if not isinstance(old, str) or not isinstance(new, str) or not old:
        return UNKNOWN
    if isinstance(owner, str):
        if len(owner) + owner.count(old) * len(new) > _MAX_VALUE:
            raise _Lost
        return owner.replace(old, new, int(count == 1) or -1)
    return _Text(owner.path, (*owner.changes, Replacement(old, new, all=count != 1)))


def _sub(args: list[object], named: dict[str, object]) -> object:
    """`re.sub` with a pattern that is literal but for what it escapes."""
    count = args[3] if len(args) > 3 else named.pop("count", 0)
    if len(args) not in (3, 4) or named or count not in (0, 1):
        return UNKNOWN
    pattern, new, text = args[:3]
    if not isinstance(pattern, str) or not isinstance(new, str) or not isinstance(text, _Text) or "\\" in new:
        return UNKNOWN
    old = re.sub(r"\\([^\w\s])", lambda escaped: "\0" if escaped[1] in _OPERATORS else escaped[1], pattern)
    if "\\" in old.replace("\\\\", "") or _OPERATORS.intersection(old) or not old:
        return UNKNOWN
    plain = re.sub(r"\\([^\w\s])", r"\1", pattern)
    return _Text(text.path, (*text.changes, Replacement(plain, new, all=count == 0)))


_HARMLESS = frozenset({"print", "len", "repr", "exit", "quit", "bool", "int", "range", "set", "sorted"})
_ASKS = ("exists", "is_file", "is_dir", "stat")
_BUILTINS = _HARMLESS | {"open", "str", "enumerate", "zip", "dict", "list", "tuple", "any", "all"}
_PURE_MODULES = frozenset({"builtins", "re", "json", "sys", "textwrap"})
_OF_PATHS = frozenset({("pathlib", "Path"), ("pathlib", "PurePath"), ("os.path", "join"), ("os", "join"), ("builtins", "str")})
_COMPARISONS: dict[type[ast.cmpop], Callable[[str, str], bool]] = {
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
_STATEMENTS: dict[type[ast.stmt], Callable[[_Walk, Any], object]] = {
    ast.Import: _Walk.imports, ast.ImportFrom: _Walk.imports, ast.Assign: _Walk.assign, ast.AnnAssign: _Walk.assign,
    ast.AugAssign: _Walk.augmentation, ast.FunctionDef: _Walk.define, ast.Return: _Walk.back, ast.If: _Walk.condition,
    ast.For: _Walk.loop, ast.With: _Walk.with_block,
    ast.Expr: lambda walk, node: walk._value(node.value),
    ast.Assert: lambda walk, node: walk._value(node.test),
    ast.Global: lambda walk, node: walk._globals.update(node.names),
    ast.Pass: lambda walk, node: None,
}  # fmt: skip
_EXPRESSIONS: dict[type[ast.expr], Callable[[_Walk, Any], object]] = {
    ast.Tuple: _Walk.several, ast.List: _Walk.several, ast.Dict: _Walk.mapping, ast.JoinedStr: _Walk.format_string,
    ast.BinOp: _Walk.binary, ast.Subscript: _Walk.item, ast.Call: _Walk.call,
    ast.Constant: lambda walk, node: node.value,
    ast.Name: lambda walk, node: walk._get(node.id),
    ast.Attribute: lambda walk, node: _Bound(walk._value(node.value), node.attr),
}  # fmt: skip
