"""Servers of tools (MCP) that an agent is given, each from npm or PyPI at one version."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from lab.install import CACHE, NotInstalled, install_from_npm, install_from_pypi, node_directory

SERENA = """language_backend: LSP
project_serena_folder_location: /home/dev/.serena/projects/$projectFolderName
web_dashboard: false
projects: []
"""


class Server(NamedTuple):
    """`command`: {prefix} is where it is installed, {node} the directory of node, {place} the
    worktree.
    """

    packages: str
    command: str


SERVERS = {
    "files": Server(
        "@modelcontextprotocol/server-filesystem@2026.8.31",
        "{node}/node {prefix}/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js"
        " {place}",
    ),
    "commands": Server(
        "mcp-server-commands@0.5.0",
        "/usr/bin/env -C {place} PATH={node}:/usr/local/bin:/usr/bin:/bin"
        " node {prefix}/node_modules/mcp-server-commands/build/index.js",
    ),
    # edits by the names of functions, which a language server finds
    "symbols": Server(
        "serena-agent==2.1.0 jedi-language-server==0.47.0",
        "/usr/bin/env SERENA_HOME=/home/dev/.serena PATH={prefix}/bin:/usr/local/bin:/usr/bin:/bin"
        " serena start-mcp-server --context ide --project {place} --log-level ERROR",
    ),
    "cells": Server("jupyter-editor-mcp==0.2.2", "{prefix}/bin/jupyter-editor-mcp"),
}


def server_command(kind: str, place: Path, home: Path) -> list[str]:
    """The command of a server for the worktree at `place`, which is installed if the cache lacks
    it; its settings go to `home`.
    """
    server, prefix = SERVERS[kind], CACHE / "agents" / f"server-{kind}"
    packages = server.packages.split()
    done = prefix / "installed"
    if not done.exists():
        prefix.mkdir(parents=True, exist_ok=True)
        from_pypi = "==" in server.packages
        failed = (install_from_pypi if from_pypi else install_from_npm)(prefix, *packages)
        if failed:
            raise NotInstalled(f"{server.packages}: {failed[-300:]}")
        done.write_text(server.packages, "utf-8")
    if kind == "symbols":
        project = home / ".serena" / "projects" / place.name / "project.yml"
        project.parent.mkdir(parents=True, exist_ok=True)
        project.write_text(f"project_name: {place.name}\nlanguages: [python_jedi]\n", "utf-8")
        (home / ".serena" / "serena_config.yml").write_text(SERENA, "utf-8")
    values = {"prefix": prefix, "node": node_directory(), "place": place}
    return [word.format(**values) for word in server.command.split()]
