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


def python_program(number: str) -> str:
    """The Python of that version, such as 3.12; versions of pyenv are looked for as well."""
    name = f"python{number}"
    candidates = sorted((Path.home() / ".pyenv" / "versions").glob(f"{number}.*/bin/{name}"))
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
        answer = _run(python_program(agent.python), "-m", "pip", "index", "versions", agent.package)
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


def install_from_npm(prefix: Path, *packages: str) -> str:
    """What npm said if it failed."""
    options = ("--no-save", "--no-audit", "--no-fund")
    done = _run("npm", "--prefix", prefix, "install", *options, *packages, PATH=_path())
    return done.stdout + done.stderr if done.returncode else ""


def install_from_pypi(prefix: Path, *packages: str, python: str = "3.12") -> str:
    """What pip said if it failed; the packages get an environment of their own."""
    done = _run(python_program(python), "-m", "venv", prefix)
    if done.returncode == 0:
        done = _run(prefix / "bin" / "pip", "install", "--quiet", *packages)
    return done.stdout + done.stderr if done.returncode else ""


def _install_one(agent: Agent, version: str) -> bool:
    prefix = CACHE / "agents" / agent.name / version
    prefix.mkdir(parents=True, exist_ok=True)
    if agent.registry == "npm":
        failed = install_from_npm(prefix, f"{agent.package}@{version}")
    else:
        wanted = f"{agent.package}=={version}"
        failed = install_from_pypi(prefix, wanted, python=agent.python)
    if failed or not program(agent, version).exists():
        (CACHE / "agents" / agent.name / f"{version}.failed").write_text(failed, "utf-8")
        shutil.rmtree(prefix, ignore_errors=True)
        return False
    return True
