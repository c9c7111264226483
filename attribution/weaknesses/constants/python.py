"""Which expressions of a Python file are constant. Pure; the text is parsed, never run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp, ast.ListComp, ast.SetComp,
)  # fmt: skip
_OF_TEXT = frozenset({"join", "format", "strip", "lower", "upper", "replace", "split", "get", "items", "keys", "values"})
_OF_PARTS = frozenset({"str", "sorted", "list", "tuple", "set", "enumerate", "zip", "range"})
_HARMLESS = frozenset({"int", "float", "bool", "len"})
_MUTATORS = frozenset({"append", "extend", "insert", "add", "update", "setdefault"})
_MOST = 40  # names on the way to a constant


def is_constant(data: bytes, start: int, end: int) -> bool:
    """Whether the expression at these bytes, or the first argument of the call there, has only constants of the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    try:
        return _File(tree).decide(_place(data, start), _place(data, end))
    except RecursionError:
        return False


def _place(data: bytes, offset: int) -> tuple[int, int]:
    """Line and column in bytes, as `ast` counts them."""
    return data.count(b"\n", 0, offset) + 1, offset - (data.rfind(b"\n", 0, offset) + 1)


class _File:
    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self._global = {name for node in ast.walk(tree) if isinstance(node, ast.Global) for name in node.names}
        self._open: set[tuple[ast.AST, str]] = set()  # names that are being resolved

    def decide(self, start: tuple[int, int], end: tuple[int, int]) -> bool:
        innermost: ast.expr | None = None
        for node in ast.walk(self.tree):  # before Python 3.12 the parts of an f-string have the place of the whole one
            if isinstance(node, ast.expr) and not isinstance(self.parents[node], ast.JoinedStr) and _spans(node, start, end):
                innermost = node  # an inner one comes after those around it
        if isinstance(innermost, ast.Call):
            innermost = innermost.args[0] if innermost.args else None
        return innermost is not None and self.constant(innermost, helpers=1)

    def constant(self, node: ast.expr, helpers: int) -> bool:
        """`helpers`: how many helpers may still be followed."""
        if isinstance(node, ast.Name):
            return self._name(node.id, node, helpers)
        if isinstance(node, ast.Call):
            return self._call(node, helpers)
        parts = _parts(node)
        return parts is not None and all(self.constant(part, helpers) for part in parts)

    def _call(self, node: ast.Call, helpers: int) -> bool:
        parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, ast.Name) and node.func.id in _HARMLESS:
            return True
        if isinstance(node.func, ast.Attribute) and node.func.attr in _OF_TEXT:
            parts.append(node.func.value)
        elif not (isinstance(node.func, ast.Name) and node.func.id in _OF_PARTS):
            return False
        return all(self.constant(part, helpers) for part in parts)

    # --- names ----------------------------------------------------------------------------------------------------

    def _name(self, name: str, node_at: ast.AST, helpers: int) -> bool:
        scope, bindings = self._scope(name, node_at)
        if (scope, name) in self._open:  # a text that is added to itself
            return True
        if not bindings or len(self._open) > _MOST:
            return False
        self._open.add((scope, name))
        try:
            return all(self._is_bound_to_constants(binding, name, scope, helpers) for binding in bindings)
        finally:
            self._open.discard((scope, name))

    def _scope(self, name: str, node_at: ast.AST) -> tuple[ast.AST, list[_Binding]]:
        """The innermost scope around a place that binds a name, and what binds it there or changes what it holds."""
        for scope in self._around(node_at):
            if isinstance(scope, ast.ClassDef) and self.parents.get(node_at) is not scope:
                continue
            nodes = ast.walk(scope) if scope is self.tree and name in self._global else _nodes_of(scope)
            bindings = [binding for node in nodes for binding in _bindings(node) if binding.name == name]
            if bindings:
                return scope, bindings
        return self.tree, []

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        ancestor: ast.AST | None = node
        while ancestor is not None:
            if isinstance(ancestor, (*_SCOPES, ast.Module)):
                yield ancestor
            ancestor = self.parents.get(ancestor)

    def _is_bound_to_constants(self, binding: _Binding, name: str, scope: ast.AST, helpers: int) -> bool:
        if binding.is_parameter:
            return isinstance(scope, _Function) and helpers > 0 and self._calls(scope, name, helpers - 1)
        return binding.values is not None and all(self.constant(value, helpers) for value in binding.values)

    # --- one helper -----------------------------------------------------------------------------------------------

    def _calls(self, function: _Function, parameter: str, helpers: int) -> bool:
        """Whether every call of a function that nothing outside the file calls passes a constant."""
        name, method = function.name, isinstance(self.parents[function], ast.ClassDef)
        inner = any(isinstance(scope, _Function) for scope in self._around(self.parents[function]))
        if function.decorator_list or name.startswith("__") or not (inner or name.startswith("_")):
            return False
        uses = [node for node in ast.walk(self.tree) if _mentions(node, name) and node is not function]
        calls = [self.parents[node] for node in uses]
        if not uses or not all(isinstance(call, ast.Call) and call.func is use for call, use in zip(calls, uses, strict=True)):
            return False
        return all(
            isinstance(call, ast.Call)
            and (passed := _argument(call, function, parameter, method and isinstance(call.func, ast.Attribute))) is not None
            and self.constant(passed, helpers)
            for call in calls
        )


def _argument(call: ast.Call, function: _Function, parameter: str, is_bound: bool) -> ast.expr | None:
    """What a call passes for a parameter, or its default; None when that cannot be told. `is_bound`: a method without its self."""
    if any(isinstance(value, ast.Starred) for value in call.args) or any(keyword.arg is None for keyword in call.keywords):
        return None
    arguments = function.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    values: dict[str | None, ast.expr | None] = dict(zip(reversed(names), reversed(arguments.defaults), strict=False))
    values |= {each.arg: value for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)}
    values |= zip(names[is_bound:], call.args, strict=False)
    values |= {keyword.arg: keyword.value for keyword in call.keywords}
    return values.get(parameter)


def _mentions(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=bound) | ast.Attribute(attr=bound) | ast.FunctionDef(name=bound) | ast.AsyncFunctionDef(name=bound):
            return bound == name
        case ast.Constant(value=str(bound)):  # getattr, __all__
            return bound == name
    return False


def _nodes_of(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the scopes in it."""
    todo = list(ast.iter_child_nodes(scope))
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (*_SCOPES, ast.DictComp)):
            todo += ast.iter_child_nodes(node)


class _Binding(NamedTuple):
    """A name that gets a value, or whose value is changed. `values`: those it may get; None when that cannot be told."""

    name: str
    values: Sequence[ast.expr] | None
    is_parameter: bool = False


def _bindings(node: ast.AST) -> Iterator[_Binding]:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _targets(target, [value])
        case (
            ast.AugAssign(target=target, value=value)
            | ast.NamedExpr(target=target, value=value)
            | ast.AnnAssign(target=target, value=ast.expr() as value)
            | ast.For(target=target, iter=value)
            | ast.comprehension(target=target, iter=value)
        ):
            yield from _targets(target, [value])
        case ast.AnnAssign(target=target) | ast.AsyncFor(target=target) | ast.withitem(optional_vars=ast.expr() as target):
            yield from _targets(target, None)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method), args=values) if method in _MUTATORS:
            yield _Binding(name, None if node.keywords else values)
        case ast.arg(arg=name):
            yield _Binding(name, None, is_parameter=True)
        case (
            ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name))
            | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name)
        ):  # fmt: skip
            yield _Binding(name, None)
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            yield from (_Binding(name, None) for name in names)
        case ast.alias():
            yield _Binding((node.asname or node.name).partition(".")[0], None)


def _targets(target: ast.expr, values: Sequence[ast.expr] | None) -> Iterator[_Binding]:
    """The names in the target of an assignment."""
    match target:
        case ast.Name(id=name):
            yield _Binding(name, values)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _targets(part, values)
        case ast.Starred(value=value):
            yield from _targets(value, values)
        case ast.Subscript(value=value):
            yield from _targets(value, None)


def _parts(node: ast.expr) -> list[ast.expr] | None:
    """What an expression is put together from; None when that cannot be told."""
    match node:
        case ast.Constant():
            return []
        case (
            ast.FormattedValue(value=part)
            | ast.Starred(value=part)
            | ast.Subscript(value=part)
            | ast.GeneratorExp(elt=part)
            | ast.ListComp(elt=part)
            | ast.SetComp(elt=part)
        ):
            return [part]
        case ast.JoinedStr(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return parts
        case ast.Dict(keys=keys, values=values):
            keys_given = [key for key in keys if key is not None]
            return [*keys_given, *values] if len(keys_given) == len(keys) else None
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            return [left, right]
    return None


def _spans(node: ast.expr, start: tuple[int, int], end: tuple[int, int]) -> bool:
    last = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return (node.lineno, node.col_offset) <= start and end <= last
