"""The texts that a Python script writes into files, worked out from its code without running it.
Pure.

A script in a command often is a heredoc in another form: it holds the text of a file, or makes it
from a list or a range. Only straight code is followed: assignments, loops, `open(…, "w").write(…)`,
`write_text`. Whatever else a script does ends the work, and nothing is known of it. Scripts are
hostile input: all that is made while one is read has a limit.
"""

import ast
import operator
import re
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

_MAX_WORK = 1_000_000  # steps, and characters and items that are made
_MAX_LENGTH = 400_000  # characters of a text, items of a list
_MAX_NUMBER = 1 << 62
_FORMAT = re.compile(r"[<>^]?0?\d{0,3},?d?")
_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_OF_ITEMS: Mapping[str, Callable[..., Any]] = {
    "len": len,
    "list": list,
    "enumerate": enumerate,
    "zip": zip,
    "range": range,
}
_OF_VALUE: Mapping[str, Callable[[Any], str]] = {
    "str": str,
    "repr": repr,
    "dedent": textwrap.dedent,
}
_METHODS = frozenset(
    (
        "strip",
        "lstrip",
        "rstrip",
        "upper",
        "lower",
        "title",
        "capitalize",
        "removeprefix",
        "removesuffix",
        "split",
        "splitlines",
    )
)
_HARMLESS = frozenset(("print", "os.makedirs", "mkdir", "close", "flush"))
# keywords with which a text is written as it stands
_PLAIN = {"encoding": ("utf-8", "utf8", "UTF-8"), "newline": ("", "\n")}
_FAILURES = (
    SyntaxError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    MemoryError,
)


class _Unknown(ValueError):
    """The code does something that is not followed."""


class _Path(str):
    """A path, or a file that is open for writing."""


def written_texts(code: str) -> dict[str, str]:
    """Path as written -> whole text of each file that the script writes; {} where that does not
    follow from the script alone.
    """
    run = _Run()
    # about the code, which is not ours
    with suppress(*_FAILURES), warnings.catch_warnings(action="ignore"):
        run.body(ast.parse(code).body)
        return run.files
    return {}


class _Run:
    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.files: dict[str, str] = {}
        self._work = 0

    def body(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self._spend(1)
            match statement:
                case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                    pass
                case ast.Assign(targets=[target], value=value):
                    self._bind(target, self.value(value))
                case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
                    added = self.value(value)
                    before = self.names[name]
                    # which may have other names, too
                    if isinstance(before, list) and isinstance(op, ast.Add):
                        before.extend(added)
                    else:
                        self.names[name] = self._operate(op, before, added)
                case ast.For(target=target, iter=items, body=body, orelse=[]):
                    for _ in self._rounds(target, items):
                        self.body(body)
                case ast.With(
                    items=[ast.withitem(context_expr=opened, optional_vars=ast.Name() as name)],
                    body=body,
                ):
                    self._bind(name, self.value(opened))
                    self.body(body)
                case ast.Expr(value=ast.Call() as call):
                    self._do(call)
                case _:
                    raise _Unknown

    def _rounds(self, target: ast.expr, items: ast.expr) -> Iterator[None]:
        for item in self.value(items):
            self._spend(1)
            self._bind(target, item)
            yield

    def _bind(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(id=name):
                self.names[name] = value
            case ast.Tuple(elts=targets):
                for part, item in zip(targets, value, strict=True):
                    self._bind(part, item)
            case _:
                raise _Unknown

    def _do(self, call: ast.Call) -> None:
        """A call whose value nobody uses: one that writes, adds to a list, or changes no file."""
        match call:
            case ast.Call(func=ast.Attribute(value=subject, attr="write_text"), args=[text]) if (
                _is_plain(call)
            ):
                self._write(self.value(subject), "", self.value(text))
            case ast.Call(
                func=ast.Attribute(value=subject, attr="write" | "writelines"), args=[text]
            ):
                file = self.value(subject)
                written = self.value(text)
                self._write(
                    file,
                    self.files[file],
                    written if isinstance(written, str) else self._join_values("", written),
                )
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[item]):
                self.names[name].append(self.value(item))
            case ast.Call(func=function) if _name(function) in _HARMLESS and not any(
                k.arg == "file" for k in call.keywords
            ):
                pass
            case _:
                raise _Unknown

    def _write(self, file: Any, before: str, text: Any) -> None:
        if not isinstance(file, _Path) or not isinstance(text, str):
            raise _Unknown
        self.files[file] = self._join_values("", (before, text))

    def value(self, node: ast.expr) -> Any:
        self._spend(1)
        match node:
            case ast.Constant(value=str() | int() as value):
                result: Any = value
            case ast.Name(id=name):
                result = self.names[name]
            case ast.List(elts=items) | ast.Tuple(elts=items):
                result = [self.value(item) for item in items]
            case ast.JoinedStr(values=parts):
                result = self._join_values("", [self.value(part) for part in parts])
            case ast.FormattedValue(value=value, conversion=-1, format_spec=spec):
                result = _format_value(self.value(value), self.value(spec) if spec else "")
            case ast.BinOp(left=left, op=op, right=right):
                result = self._operate(op, self.value(left), self.value(right))
            case (
                ast.ListComp(elt=item, generators=[loop])
                | ast.GeneratorExp(elt=item, generators=[loop])
            ) if not loop.ifs:
                outside = dict(self.names)
                result = [self.value(item) for _ in self._rounds(loop.target, loop.iter)]
                self.names = outside
            case ast.Call():
                result = self._call_value(node)
            case _:
                raise _Unknown
        return self._limit_size(result)

    def _call_value(self, call: ast.Call) -> Any:
        name = _name(call.func)
        subject = call.func.value if isinstance(call.func, ast.Attribute) else None
        if name == "open" and _is_plain(call):
            path, mode = [self.value(item) for item in (*filter(None, [subject]), *call.args)]
            return self._open_call(path, mode)
        given = [self.value(arg) for arg in call.args]
        if call.keywords:
            raise _Unknown
        if name == "Path" and given:
            return _Path(self._join_values("/", given))
        if name in _OF_ITEMS and not any(isinstance(item, _Path) for item in given):
            result = _OF_ITEMS[name](*given)
            return result if isinstance(result, int | range) else list(result)
        if name in _OF_VALUE and isinstance(given[0], str | int):
            return _OF_VALUE[name](*given)
        text = self.value(subject) if subject is not None else None
        if name == "join" and isinstance(text, str):
            return self._join_values(text, given[0])
        if name in _METHODS and isinstance(text, str) and not isinstance(text, _Path):
            return getattr(text, name)(*given)
        raise _Unknown

    def _open_call(self, path: Any, mode: Any) -> _Path:
        if not isinstance(path, str) or mode not in ("w", "wt"):
            raise _Unknown
        self.files[_Path(path)] = ""
        return _Path(path)

    def _operate(self, op: ast.operator, left: Any, right: Any) -> Any:
        if isinstance(left, _Path) and isinstance(op, ast.Div):
            return _Path(f"{left}/{right}")
        if (
            type(op) not in _OPERATORS
            or isinstance(left, _Path)
            or (isinstance(left, str) and isinstance(op, ast.Mod))
        ):
            raise _Unknown
        sizes = [abs(item) if isinstance(item, int) else len(item) for item in (left, right)]
        if (
            isinstance(op, ast.Mult)
            and not (isinstance(left, int) and isinstance(right, int))
            and sizes[0] * sizes[1] > _MAX_LENGTH
        ):
            raise _Unknown
        return _OPERATORS[type(op)](left, right)

    def _join_values(self, separator: str, parts: Sequence[Any]) -> str:
        if sum(map(len, parts)) + len(separator) * len(parts) > _MAX_LENGTH:
            raise _Unknown
        return str(self._limit_size(separator.join(parts)))

    def _limit_size(self, value: Any) -> Any:
        size = abs(value) // _MAX_NUMBER * _MAX_WORK if isinstance(value, int) else len(value)
        if size > _MAX_LENGTH:
            raise _Unknown
        self._spend(size)
        return value

    def _spend(self, work: int) -> None:
        self._work += work
        if self._work > _MAX_WORK:
            raise _Unknown


def _format_value(value: Any, spec: str) -> str:
    if not isinstance(value, str | int) or not _FORMAT.fullmatch(spec):
        raise _Unknown
    return format(value, spec)


def _is_plain(call: ast.Call) -> bool:
    """Whether what is written is the text as it stands, in UTF-8."""
    return all(
        isinstance(k.value, ast.Constant) and k.value.value in _PLAIN.get(k.arg or "", ())
        for k in call.keywords
    )


def _name(function: ast.expr) -> str:
    """The name of a function or method, with its module where that matters."""
    if isinstance(function, ast.Attribute):
        return f"os.{function.attr}" if ast.unparse(function.value) == "os" else function.attr
    return function.id if isinstance(function, ast.Name) else ""
