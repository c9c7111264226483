"""Which expressions of a Python file are constant. Pure; the text is parsed, never run."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

_Function = ast.FunctionDef | ast.AsyncFunctionDef
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
            return all(self._binding(binding, name, scope, helpers) for binding in bindings)
        finally:
            self._open.discard((scope, name))

    def _scope(self, name: str, node_at: ast.AST) -> tuple[ast.AST, list[ast.AST]]:
        """The innermost scope around a place that binds a name, and what binds it there or changes what it holds."""
        for scope in self._around(node_at):
            if isinstance(scope, ast.ClassDef) and self.parents.get(node_at) is not scope:
                continue
            nodes = ast.walk(scope) if scope is self.tree and name in self._global else _own(scope)
            bindings = [node for node in nodes if _binds(node, name)]
            if bindings:
                return scope, bindings
        return self.tree, []

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        ancestor: ast.AST | None = node
        while ancestor is not None:
            if isinstance(
                ancestor, _Function | ast.Lambda | ast.Module | ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.ClassDef
            ):
                yield ancestor
            ancestor = self.parents.get(ancestor)

    def _binding(self, node: ast.AST, name: str, scope: ast.AST, helpers: int) -> bool:
        if isinstance(node, ast.arg):
            return isinstance(scope, _Function) and helpers > 0 and self._calls(scope, name, helpers - 1)
        values = _values(node)
        return values is not None and all(self.constant(value, helpers) for value in values)

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


def _argument(call: ast.Call, function: _Function, parameter: str, bound: bool) -> ast.expr | None:
    """What a call passes for a parameter, or its default; None when that cannot be told."""
    if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords):
        return None
    for keyword in call.keywords:
        if keyword.arg == parameter:
            return keyword.value
    listed = [*function.args.posonlyargs, *function.args.args]
    positions = {listed_arg.arg: number for number, listed_arg in enumerate(listed)}
    if parameter in positions:
        number = positions[parameter] - bound
        if 0 <= number < len(call.args):
            return call.args[number]
        default = positions[parameter] - len(listed) + len(function.args.defaults)
        return function.args.defaults[default] if default >= 0 else None
    for one, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if one.arg == parameter:
            return value
    return None


def _mentions(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=bound) | ast.Attribute(attr=bound) | ast.FunctionDef(name=bound) | ast.AsyncFunctionDef(name=bound):
            return bound == name
        case ast.Constant(value=str(bound)):  # getattr, __all__
            return bound == name
    return False


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the scopes in it."""
    todo = list(ast.iter_child_nodes(scope))
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(
            node, _Function | ast.Lambda | ast.ClassDef | ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp
        ):
            todo += ast.iter_child_nodes(node)


def _binds(node: ast.AST, name: str) -> bool:
    """Whether a node gives a name a value, or changes what it holds."""
    match node:
        case ast.arg(arg=bound) | ast.ExceptHandler(name=bound) | ast.MatchAs(name=bound) | ast.MatchStar(name=bound):
            return bound == name
        case ast.FunctionDef(name=bound) | ast.AsyncFunctionDef(name=bound) | ast.ClassDef(name=bound):
            return bound == name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=bound), attr=method)):
            return bound == name and method in _MUTATORS
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return name in names
        case ast.alias():
            return (node.asname or node.name).partition(".")[0] == name
    return any(_target(target, name) for target in _targets(node))


def _targets(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Assign(targets=targets):
            return targets
        case (
            ast.AugAssign(target=target)
            | ast.AnnAssign(target=target)
            | ast.NamedExpr(target=target)
            | ast.For(target=target)
            | ast.AsyncFor(target=target)
            | ast.comprehension(target=target)
            | ast.withitem(optional_vars=ast.expr() as target)
        ):
            return [target]
    return []


def _values(node: ast.AST) -> list[ast.expr] | None:
    """What a binding may give a name; None when that cannot be told."""
    if any(isinstance(target, ast.Subscript) for target in _targets(node)):
        return None
    match node:
        case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.NamedExpr(value=value):
            return [value]
        case ast.AnnAssign(value=ast.expr() as value) | ast.For(iter=value) | ast.comprehension(iter=value):
            return [value]
        case ast.Call(args=parts, keywords=[]):  # of a method that changes a list
            return parts
    return None


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


def _target(target: ast.expr, name: str) -> bool:
    match target:
        case ast.Name(id=bound):
            return bound == name
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(_target(part, name) for part in parts)
        case ast.Starred(value=value) | ast.Subscript(value=value):
            return _target(value, name)
    return False


def _spans(node: ast.expr, start: tuple[int, int], end: tuple[int, int]) -> bool:
    last = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return (node.lineno, node.col_offset) <= start and end <= last
