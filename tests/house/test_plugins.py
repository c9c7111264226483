"""A file with a `NAME` is all that it takes: a plug-in of each kind is put beside the others and
found wherever they are named.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest
from click.testing import CliRunner

from collector.console.commands import CommandFiles
from collector.discovery.github.git_server import Refs
from collector.git.repository import GitRepo
from collector.plugins import modules_of

MODULE = "made_up_plug_in"
PlugIn = Callable[[str, str], ModuleType]

# Package -> the smallest module of its kind.
SOURCES = {
    "collector.agents": (
        """
from collector.agents.machine.model import LocalSession, Store
from collector.vocabulary.agents import Agent
AGENT, GIVES = Agent(NAME, "Made up"), frozenset()
def sniff(head): return head == {"made": "up"}
def find(place, roots): return iter([LocalSession("one", (place,), "made up")])
def load(session): return iter([b'{"made": "up"}'])
STORES = (Store(NAME, at=("~",), find=find, load=load),)
"""
    ),
    "collector.checkpoints": (
        """
def store_of(ref): return "ref" if ref.startswith("refs/made-up/") else None
def find(repo, refs): return iter(())
"""
    ),
    "attribution.exchange.producers": (
        """
LABEL, FOUND = "Made up", "nowhere"
NOTES, FOLDERS = ("made-up",), (".made-up",)
def sniff(source, data): return False
"""
    ),
    "attribution.evaluation.attempts": (
        """
def read(document): return None
"""
    ),
    "collector.discovery.channels": (
        """
from collector.discovery.channels.channel import Channel
CHANNEL = Channel(NAME, "what nobody knows", False, lambda context: None)
"""
    ),
    "attribution.exchange.exports": (
        """
from attribution.exchange.exports import ExportResult
LABEL, GIVES, OPTIONS = "Made up", "nothing", frozenset({"table"})
def write(request): return ExportResult()
"""
    ),
    "attribution.features": (
        """
from attribution.features.registry import Feature
TITLE, STAGE = "Made up", "session"
FEATURES = (Feature("made_up", "integer", "none", "a feature made up"),)
def compute(view): return {"made_up": 1}
"""
    ),
}


def _forget_what_was_found() -> None:
    from attribution import features
    from attribution.exchange.producers import producers
    from collector import checkpoints

    for cached in (
        producers,
        checkpoints.layouts,
        features.groups,
        features.features,
        features.version,
    ):
        cached.cache_clear()


@pytest.fixture
def plug_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PlugIn]:
    """`plug_in(package, source)`: adds a module named "made-up" to a package, and takes it away
    again.
    """
    added: list[str] = []

    def add(package: str, source: str) -> ModuleType:
        module = importlib.import_module(package)
        (tmp_path / f"{MODULE}.py").write_text(
            f"'''Made up for a test.'''\nNAME = 'made-up'\n{source}", "utf-8"
        )
        monkeypatch.setattr(module, "__path__", [*module.__path__, str(tmp_path)])
        importlib.invalidate_caches()
        added.append(package)
        _forget_what_was_found()
        return module

    yield add
    for package in added:
        sys.modules.pop(f"{package}.{MODULE}", None)
        vars(sys.modules[package]).pop(MODULE, None)
    _forget_what_was_found()


@pytest.fixture
def added(request: pytest.FixtureRequest, plug_in: PlugIn) -> ModuleType:
    """The package that the test names, with a plug-in more."""
    return plug_in(request.param, SOURCES[request.param])


def into(package: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("added", [package], indirect=True, ids=[package])


@pytest.mark.parametrize("package", SOURCES)
def test_a_file_with_a_name_is_found(package: str, plug_in: PlugIn) -> None:
    before = {module.NAME for module in modules_of(package)}
    assert before and "made-up" not in before
    plug_in(package, SOURCES[package])
    assert {module.NAME for module in modules_of(package)} == before | {"made-up"}


def test_every_package_of_plug_ins_is_tried_here() -> None:
    root = Path(__file__).parent.parent.parent
    packages = {
        path.parent.relative_to(root).as_posix().replace("/", ".")
        for package in ("collector", "attribution", "whowrote")
        for path in (root / package).rglob("__init__.py")
        if "modules_of(" in path.read_text("utf-8")
    }
    assert packages == set(SOURCES)


def help_of(command: click.Command, *path: str) -> str:
    done = CliRunner().invoke(command, [*path, "--help"])
    assert done.exit_code == 0, done.output
    return done.output


@into("collector.agents")
def test_a_reader_reads_and_is_listed(added: ModuleType) -> None:
    from collector.agents import reader_for
    from collector.commands.clones import known_formats

    reader = reader_for(b'{"made": "up"}')
    assert reader is not None and reader.NAME == "made-up"
    assert ("agent", "made-up") in {(row["kind"], row["name"]) for row in known_formats()}


@into("collector.checkpoints")
def test_refs_of_a_layout_count(added: ModuleType) -> None:
    from collector.checkpoints import is_checkpoint_ref, layouts, store_of
    from collector.commands.clones import known_formats

    assert "made-up" in {layout.NAME for layout in layouts()}
    assert (
        store_of("refs/made-up/1") == "ref"
        and is_checkpoint_ref("refs/made-up/1")
        and not is_checkpoint_ref("refs/other/1")
    )
    assert ("layout", "made-up") in {(row["kind"], row["name"]) for row in known_formats()}


@into("attribution.exchange.producers")
def test_notes_of_a_producer_are_fetched_and_read(added: ModuleType) -> None:
    from collector.commands.clones import known_formats
    from collector.discovery.mirrors.remote import WantedRefs
    from collector.discovery.selection.probe import ref_columns

    refs = {"refs/notes/made-up": "1" * 40, "refs/heads/main": "3" * 40}
    assert WantedRefs().includes("refs/notes/made-up", "refs/heads/main")
    assert ref_columns(Refs(oids=refs, head="refs/heads/main"))["notes"] == "refs/notes/made-up"
    assert ("producer", "made-up") in {(row["kind"], row["name"]) for row in known_formats()}


@into("collector.agents")
def test_sessions_of_a_source_are_found_and_loaded(added: ModuleType, tmp_path: Path) -> None:
    from support.local_clone import Clone

    from collector.local import find_sessions, load
    from collector.local.model import LocalChoice, LocalOptions

    clone = Clone(tmp_path / "work" / "clone")
    found = find_sessions(
        GitRepo(clone.path), LocalOptions(LocalChoice.ALWAYS, (tmp_path,))
    ).sessions["one"]
    assert (found.source, list(load(found))) == ("made-up", [b'{"made": "up"}'])


@into("attribution.evaluation.attempts")
def test_a_format_of_results_is_listed(added: ModuleType) -> None:
    from attribution.cli import cli
    from attribution.evaluation.attempts import readers

    assert "made-up" in {reader.NAME for reader in readers()}
    assert "made-up" in help_of(cli, "data", "attempts")


@into("collector.discovery.channels")
def test_a_channel_is_asked(added: ModuleType) -> None:
    from collector.cli import cli
    from collector.discovery.channels.channel import DiscoverOptions
    from collector.discovery.commands.discover import _usual
    from collector.discovery.selection.run import channels_called

    assert [channel.name for channel in channels_called(["made-up"])] == ["made-up"]
    assert "made-up" in _usual(DiscoverOptions(), has_token=False)
    assert "what nobody knows" in help_of(cli, "discover")


@pytest.mark.parametrize("package", ["collector.commands", "attribution.commands"])
def test_a_command_is_there_and_a_report_too(package: str, plug_in: PlugIn) -> None:
    functions = (
        "import click\n@click.command()\ndef made_up(): 'Made up.'\n@click.command()\ndef told():"
        " 'Told.'\n"
    )
    plug_in(package, f"{functions}COMMANDS = (made_up,)\nREPORTS = (told,)\n")
    assert CommandFiles()["made-up"].help == "Made up."
    assert CommandFiles("REPORTS")["told"].help == "Told."


@into("attribution.exchange.exports")
def test_an_export_is_offered_with_its_options(added: ModuleType, tmp_path: Path) -> None:
    from attribution.cli import cli
    from collector.storage.store import Store

    assert "Made up: nothing" in help_of(cli, "data", "export")
    Store(tmp_path / "w.db").close()
    common = ["--db", str(tmp_path / "w.db"), "-o", str(tmp_path / "out")]
    assert (
        CliRunner()
        .invoke(cli, ["data", "export", "made-up", *common, "--table", "repos"])
        .exit_code
        == 0
    )
    refused = CliRunner().invoke(
        cli, ["data", "export", "made-up", *common, "--ref", "refs/notes/x"]
    )
    assert refused.exit_code == 2 and "--ref is only for git-ai" in refused.output
    unknown = CliRunner().invoke(cli, ["data", "export", "nothing", *common])
    assert unknown.exit_code == 2 and "made-up" in unknown.output


@into("attribution.features")
def test_a_group_of_features_has_columns_and_values(added: ModuleType, tmp_path: Path) -> None:
    from attribution.features import features, of_session
    from attribution.stages.feature_rows import prepare
    from collector.model import Session
    from collector.storage.store import Store

    assert "made_up" in {feature.name for feature in features()}
    assert of_session(Session("s", "claude-code"))["made_up"] == 1
    with Store(tmp_path / "w.db") as store:
        prepare(store)
        assert store.rows(
            "SELECT name FROM pragma_table_info('session_features') WHERE name = 'made_up'"
        )
