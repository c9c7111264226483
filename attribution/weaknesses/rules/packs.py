"""The adapter for semgrep's registry: a pack of rules is downloaded once, on request, and stored with its hash.

Nothing else in the program asks the network for rules. The terms of a pack are between its owner and the user.
"""

from __future__ import annotations

import hashlib
import json
import socket
import urllib.error
import urllib.parse
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attribution.weaknesses.rules.rulesets import PACK, RulesUnusable, pack_file
from collector.storage.places import cache_directory

REGISTRY = "https://semgrep.dev"
_REACHED = 3.0  # seconds to find out whether the registry can be reached
_PATIENCE = 60.0  # seconds for the download
_LARGEST = 50_000_000  # bytes


def pack_directory() -> Path:
    """The directory of stored packs, which may not be there yet."""
    return cache_directory() / "rules"


def download(name: str, directory: Path, registry: str = REGISTRY) -> dict[str, Any]:
    """Stores the pack and says what it is: name, url, sha256, rules, pulled_at, file. Raises RulesUnusable."""
    if not PACK.fullmatch(name):
        raise RulesUnusable(f"{name} is not a pack name", "Packs are named p/NAME, for example p/python")
    url = f"{registry}/c/{name}"
    data = _read(url)
    try:
        rules = json.loads(data)["rules"]
    except (ValueError, TypeError, KeyError):
        rules = None
    if not isinstance(rules, list) or not rules:
        raise RulesUnusable(f"{url} contains no rules", "Check that the pack exists: https://semgrep.dev/explore")
    moment = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    about = {"name": name, "url": url, "sha256": hashlib.sha256(data).hexdigest(), "rules": len(rules), "pulled_at": moment}
    file = pack_file(directory, name)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _replace(file, data)
        _replace(file.with_suffix(".about"), json.dumps(about, indent=1).encode())
    except OSError as error:
        hint = "Set XDG_CACHE_HOME to a writable directory"
        raise RulesUnusable(f"the pack cannot be stored in {directory}: {error}", hint) from error
    return about | {"file": str(file)}


def stored_packs(directory: Path) -> list[dict[str, Any]]:
    """What `download` said of the packs that are there."""
    packs: list[dict[str, Any]] = []
    for file in sorted(directory.glob("p-*.about")):
        try:
            about = json.loads(file.read_bytes())
        except (OSError, ValueError):
            continue  # half written or not ours: as if it were not there
        if isinstance(about, dict) and file.with_suffix(".json").is_file():
            packs.append(about | {"file": str(file.with_suffix(".json"))})
    return packs


def _read(url: str) -> bytes:
    """The answer of the registry. That it is unreachable is known after three seconds, not after a minute and a half."""
    address = urllib.parse.urlsplit(url)
    try:
        socket.create_connection((address.hostname or "", address.port or 443), _REACHED).close()
    except OSError as error:
        raise RulesUnusable(
            f"{address.hostname} cannot be reached: {error}",
            "Packs of semgrep's registry have to be downloaded once. The built-in rules work offline: omit --rules,\n"
            "or use a file or directory with rules: --rules PATH",
        ) from error
    request = urllib.request.Request(url, headers={"Accept": "application/json", "User-Agent": "whowrote"})
    try:
        with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:
            data: bytes = answer.read(_LARGEST + 1)
    except urllib.error.HTTPError as error:
        raise RulesUnusable(f"{url} answered {error.code}", "Check that the pack exists: https://semgrep.dev/explore") from error
    except OSError as error:
        raise RulesUnusable(f"{url} cannot be read: {error}", "Try again later, or use the built-in rules") from error
    if len(data) > _LARGEST:
        raise RulesUnusable(f"{url} is larger than {_LARGEST:,} bytes", "Download it yourself and use --rules FILE")
    return data


def _replace(file: Path, data: bytes) -> None:
    part = file.with_name(file.name + ".part")
    part.write_bytes(data)
    part.replace(file)
