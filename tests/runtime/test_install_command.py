"""The hint that brings an extra works for the way in which the program was installed."""

from __future__ import annotations

import json
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from collector.runtime import version
from collector.runtime.version import install_command


class Installed:
    def __init__(self, origin: str) -> None:
        self._origin = origin

    def read_text(self, name: str) -> str:
        return json.dumps({"url": self._origin}) if name == "direct_url.json" else ""


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    return tmp_path


@pytest.mark.parametrize(
    ("mark", "command"),
    [
        ("pipx_metadata.json", "pipx install --force"),
        ("uv-receipt.toml", "uv tool install --force"),
        ("", f"{sys.executable} -m pip install"),
    ],
)
def test_the_program_that_installed_it_is_named(
    prefix: Path, monkeypatch: pytest.MonkeyPatch, mark: str, command: str
) -> None:
    wheel = prefix / "who wrote-1-py3-none-any.whl"
    wheel.touch()
    if mark:
        (prefix / mark).touch()
    origin = wheel.as_uri()
    monkeypatch.setattr(version, "distribution", lambda name: Installed(origin))
    assert install_command("scan") == f"{command} '{wheel}[scan]'"
    wheel.unlink()  # what is gone cannot be installed again
    assert install_command("scan") == f"{command} 'whowrote[scan]'"


@pytest.mark.parametrize("origin", ["", "https://example.org/whowrote.git"])
def test_without_a_file_the_name_stands(
    prefix: Path, monkeypatch: pytest.MonkeyPatch, origin: str
) -> None:
    monkeypatch.setattr(version, "distribution", lambda name: Installed(origin))
    assert install_command("mcp").endswith(" 'whowrote[mcp]'")


def test_a_tree_that_was_never_installed_has_a_hint_too(
    prefix: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> Any:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(version, "distribution", missing)
    assert install_command("mcp").endswith(" 'whowrote[mcp]'")


def test_no_hint_names_a_command_that_only_some_installations_have() -> None:
    root = Path(version.__file__).parents[2]
    files = [
        file
        for package in ("attribution", "collector", "whowrote")
        for file in (root / package).rglob("*.py")
    ]
    assert len(files) > 300
    assert [file for file in files if "install 'whowrote[" in file.read_text("utf-8")] == []
