"""Agents from npm and PyPI, each version in a directory of its own in the cache, with the
ordinary clients.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

from lab.agents import Agent

CACHE = Path(os.environ.get("WHOWROTE_LAB_CACHE") or Path.home() / ".cache" / "whowrote-lab")
# several agents want it, and npm silently takes older versions of them under an older node
NODE = "22"
NEWEST = "newest"
TRIES = 4  # versions to try when the newest cannot be installed


class NotInstalled(Exception):
    """Why an agent cannot be had on this machine."""


def _run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["nice", *map(str, arguments)]
    return subprocess.run(
        command,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def node_directory() -> Path:
    """The directory of `node`, installed from npm when the cache lacks it."""
    prefix = CACHE / "agents" / f"node{NODE}"
    directory = prefix / "node_modules" / "node" / "bin"
    if not (directory / "node").exists():
        prefix.mkdir(parents=True, exist_ok=True)
        _run(
            "npm",
            "--prefix",
            prefix,
            "install",
            "--no-save",
            "--no-audit",
            "--no-fund",
            f"node@{NODE}",
        )
    if not (directory / "node").exists():
        raise NotInstalled(f"node {NODE} cannot be had from npm")
    return directory


def _path() -> str:
    return f"{node_directory()}:{os.environ['PATH']}"


def python_program(agent: Agent) -> str:
    """The Python that the agent runs on; versions of pyenv are looked for as well."""
    name = f"python{agent.python}"
    candidates = sorted((Path.home() / ".pyenv" / "versions").glob(f"{agent.python}.*/bin/{name}"))
    for candidate in [*map(str, candidates), shutil.which(name)]:
        if candidate and _run(candidate, "--version").returncode == 0:
            return candidate
    raise NotInstalled(f"needs {name}")


def versions(agent: Agent) -> list[str]:
    """Released versions, newest first, without pre-releases."""
    if agent.registry == "npm":
        answer = _run("npm", "view", agent.package, "versions", "--json", PATH=_path())
        listed = json.loads(answer.stdout) if answer.returncode == 0 else []
        found = list(reversed(listed if isinstance(listed, list) else [listed]))
    else:
        answer = _run(python_program(agent), "-m", "pip", "index", "versions", agent.package)
        line = next(
            (line for line in answer.stdout.splitlines() if line.startswith("Available versions:")),
            "",
        )
        found = [
            version.strip() for version in line.partition(":")[2].split(",") if version.strip()
        ]
    stable = [version for version in found if version.replace(".", "").isdigit()]
    return sorted(
        stable, key=lambda version: [int(part) for part in version.split(".")], reverse=True
    )


def program(agent: Agent, version: str) -> Path:
    prefix = CACHE / "agents" / agent.name / version
    return prefix / ("node_modules/.bin" if agent.registry == "npm" else "bin") / agent.program


def install(agent: Agent, version: str = NEWEST) -> str:
    """Installs the version, or the newest that can be installed, unless the cache has it; says
    which that is.
    """
    wanted = (
        [version]
        if version != NEWEST
        else [agent.pinned]
        if agent.pinned
        else versions(agent)[:TRIES]
    )
    for candidate in wanted:
        if program(agent, candidate).exists() or _install_one(agent, candidate):
            return candidate
    raise NotInstalled(f"{agent.package} {', '.join(wanted) or 'has no version'}: not installable")


def filesystem_server(directory: str) -> list[str]:
    """The command of a server of tools that reads and writes files below the directory."""
    prefix = CACHE / "agents" / "server-filesystem"
    package = prefix / "node_modules" / "@modelcontextprotocol" / "server-filesystem"
    if not package.exists():
        prefix.mkdir(parents=True, exist_ok=True)
        _install_from_npm(prefix, "@modelcontextprotocol/server-filesystem")
    program = package / "dist" / "index.js"
    if not program.exists():
        raise NotInstalled("the server of files cannot be had from npm")
    return [str(node_directory() / "node"), str(program), directory]


def _install_from_npm(prefix: Path, package: str) -> subprocess.CompletedProcess[str]:
    options = ("--no-save", "--no-audit", "--no-fund")
    return _run("npm", "--prefix", prefix, "install", *options, package, PATH=_path())


def _install_one(agent: Agent, version: str) -> bool:
    prefix = CACHE / "agents" / agent.name / version
    prefix.mkdir(parents=True, exist_ok=True)
    if agent.registry == "npm":
        package = f"{agent.package}@{version}"
        done = _install_from_npm(prefix, package)
    else:
        done = _run(python_program(agent), "-m", "venv", prefix)
        if done.returncode == 0:
            done = _run(prefix / "bin" / "pip", "install", "--quiet", f"{agent.package}=={version}")
    if done.returncode or not program(agent, version).exists():
        (CACHE / "agents" / agent.name / f"{version}.failed").write_text(
            done.stdout + done.stderr, "utf-8"
        )
        shutil.rmtree(prefix, ignore_errors=True)
        return False
    return True
