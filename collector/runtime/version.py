"""The version of this program, and where to report its bugs."""

import json
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.metadata import version as installed
from pathlib import Path
from urllib.parse import unquote, urlsplit

ISSUES = "https://github.com/whowrote/whowrote/issues"


def version(package: str = "whowrote") -> str:
    """Of the installed package, which hatch-vcs takes from the tag; "unknown" for a source tree
    that was never installed.
    """
    try:
        return installed(package)
    except PackageNotFoundError:
        return "unknown"


def install_command(extra: str) -> str:
    """The command that adds an extra to this installation: by the program that made it, and from
    where it came.
    """
    command = "pip install"
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").is_file():
        command = "pipx install --force"
    elif (prefix / "uv-receipt.toml").is_file():
        command = "uv tool install --force"
    elif sys.prefix != sys.base_prefix:
        command = f"{sys.executable} -m pip install"
    return f"{command} '{_source()}[{extra}]'"


def _source() -> str:
    """The file or directory that this program was installed from, if it is still there, else its
    name.
    """
    try:
        origin = json.loads(distribution("whowrote").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        origin = {}
    path = unquote(urlsplit(str(origin.get("url", ""))).path)
    if path and Path(path).exists():
        return path
    return "whowrote"
