"""What the house measures of itself, and the limits of that: `make limits`.

    python tests/house/limits.py

measures, and lowers each limit of `limits.json` to what is there now. Where something is above its
limit the command says so, changes nothing and ends with 1: a limit is never raised. What may be
above one for a time stands in `moving.json`, which is to be empty.

The unit of size is the expression, a node of the syntax tree that is an `ast.expr`. Unlike lines
they do not get fewer when lines get longer, or more when code is laid out with air.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent.parent
NAME = "tests/house/limits.json"
LIMITS = ROOT / NAME
# What may be above its limit while one way replaces another, up to which number, and why.
MOVING = ROOT / "tests/house/moving.json"
TOP = ("collector", "attribution", "whowrote")
# Names of functions that say neither what they do nor what they return: a preposition begins them,
# or they are nothing but a participle.
NAMELESS = re.compile(
    "_*(?:(?:of|at|by|from|between|below|above|near|after|before|into|beside|without|until|since"
    "|with|as|over|outside)(?:_.*)?|[a-z]*ed|seen|known|told|shown|given|said|done|found|kept|held"
    "|made|written|gone|heard|sent|spent|left|lost|meant)_*"
)
COMPLEX = 20  # paths through a function that a reader cannot follow any more

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Measured(NamedTuple):
    """What one file, or several, have of each."""

    expressions: int
    code_lines: int  # neither blank nor a comment nor part of a docstring
    classes: int
    tangled: int  # functions
    nameless: int  # functions

    @property
    def density(self) -> float:
        return round(self.expressions / max(1, self.code_lines), 2)


def files(*directories: str) -> list[Path]:
    """Python files below directories, from the root of the project."""
    return sorted(
        path.relative_to(ROOT) for name in directories for path in (ROOT / name).rglob("*.py")
    )


def measured(path: Path) -> Measured:
    text = (ROOT / path).read_text("utf-8")
    nodes = list(ast.walk(ast.parse(text)))
    functions = [node for node in nodes if isinstance(node, Function)]
    return Measured(
        sum(isinstance(node, ast.expr) for node in nodes),
        _code_lines(text, nodes),
        sum(isinstance(node, ast.ClassDef) for node in nodes),
        sum(complexity(function) > COMPLEX for function in functions),
        sum(bool(NAMELESS.fullmatch(function.name)) for function in functions),
    )


def _code_lines(text: str, nodes: Iterable[ast.AST]) -> int:
    texts: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | Function) and ast.get_docstring(node):
            texts.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return sum(
        number not in texts and not line.strip().startswith("#")
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip()
    )


def total(parts: Iterable[Measured]) -> Measured:
    return Measured(*map(sum, zip(*parts, strict=True)))


def complexity(function: Function) -> int:
    """Cyclomatic complexity. Each condition counts, those within a line too, and what is nested."""
    return 1 + sum(map(_branches, ast.walk(function)))


def _branches(node: ast.AST) -> int:
    match node:
        case ast.BoolOp():
            return len(node.values) - 1
        case ast.comprehension():
            return 1 + len(node.ifs)
        case ast.For() | ast.AsyncFor() | ast.While():
            return 1 + bool(node.orelse)
        case ast.If() | ast.IfExp() | ast.Assert() | ast.ExceptHandler() | ast.match_case():
            return 1
    return 0


def first_hour() -> list[Path]:
    """What docs/architecture.md tells a newcomer to read."""
    page = (ROOT / "docs/architecture.md").read_text("utf-8")
    section = page.partition("\n## A first hour\n")[2].partition("\n## ")[0]
    items = re.findall(r"^\d+\. (.*?):", section, re.MULTILINE)
    return [Path(name) for item in items for name in re.findall("`([^`]+)`", item)]


def _size(ending: str) -> int:
    """Bytes of the source's files with that ending; "" for all others that are not Python."""
    others = {".py", ".pyc", ".sql", ".html"} - {ending}
    paths = (path for name in TOP for path in (ROOT / name).rglob("*") if path.is_file())
    return sum(
        path.stat().st_size
        for path in paths
        if path.suffix not in others and (not ending or path.suffix == ending)
    )


def measures() -> dict[str, float]:
    """Name of what has a limit -> what it is now."""
    from collector.plugins import PLUGINS

    one = {path: measured(path) for path in files(*TOP, "tests", "benchmarks")}
    source = [path for path in one if path.parts[0] in TOP]
    plugins = {name: set(files(name.replace(".", "/"))) for name in PLUGINS}
    parts = {
        "source": source,
        "core": [path for path in source if path not in set().union(*plugins.values())],
        **plugins,
        "tests": [path for path in one if path.parts[0] == "tests"],
        "benchmarks": [path for path in one if path.parts[0] == "benchmarks"],
        "the first hour": [path for path in first_hour() if path in one],
    }
    of = {name: total(one[path] for path in paths) for name, paths in parts.items()}
    return {
        **{f"expressions: {name}": measured.expressions for name, measured in of.items()},
        "expressions per line of code": of["source"].density,
        "expressions per line of code, tests": of["tests"].density,
        "expressions per line of code, densest file": max(one[path].density for path in source),
        "classes": of["source"].classes,
        f"functions of a complexity above {COMPLEX}": of["source"].tangled,
        "functions without a noun or a verb": of["source"].nameless,
        "functions without a noun or a verb, tests": of["tests"].nameless,
        "bytes of SQL": _size(".sql"),
        "bytes of templates": _size(".html"),
        "bytes of data": _size(""),
    }


def limits() -> dict[str, float]:
    kept: dict[str, float] = json.loads(LIMITS.read_text("utf-8"))
    return kept


def moving() -> dict[str, float]:
    """Name of what may be above its limit for now -> up to which number."""
    kept: dict[str, float] = json.loads(MOVING.read_text("utf-8"))["up to"]
    return kept


def excess(now: Mapping[str, float], most: Mapping[str, float]) -> list[str]:
    """What is above its limit, in words."""
    return [
        f"{name}: {value:,}, at most {most[name]:,}"
        for name, value in now.items()
        if value > most.get(name, value)
    ]


def main() -> int:
    sys.path.insert(0, str(ROOT))
    now = measures()
    most = limits() if LIMITS.exists() else {}
    above = excess(now, most | moving())
    for line in above:
        print(line)
    if above:
        print("No limit is raised. Delete or merge something, or say it with less.")
        return 1
    lowered = {name: min(value, most.get(name, value)) for name, value in now.items()}
    LIMITS.write_text(json.dumps(lowered, indent=2) + "\n", "utf-8")
    for name, value in now.items():
        if value < most.get(name, value):
            print(f"{name}: {most[name]:,} -> {value:,}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
