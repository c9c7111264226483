"""The adapter for semgrep's registry: a pack of rules is downloaded once, on request, and stored with its hash.

Nothing else in the program asks the network for rules. The terms of a pack are between its owner and the user.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import urllib.error
import urllib.parse
import urllib.request
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from attribution.weaknesses.rules.rulesets import PACK, RulesUnusable, pack_file

REGISTRY = "https://semgrep.dev"
_PROBE = 3.0  # seconds to find out whether the registry can be reached
_PATIENCE = 60.0  # seconds for the download
_LARGEST = 50_000_000  # bytes


def cache() -> Path:
    """The directory of stored packs, which may not be there yet."""
    base = os.environ.get("XDG_CACHE_HOME") or ""
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "whowrote" / "rules"


def pull(name: str, directory: Path, registry: str = REGISTRY) -> dict[str, Any]:
    """Stores the pack and says what it is: name, url, sha256, rules, pulled_at, file. Raises RulesUnusable."""
    if not PACK.fullmatch(name):
        raise RulesUnusable(f"{name} is not a pack name", "Packs are named p/NAME, for example p/python")
    url = f"{registry}/c/{name}"
    _probe(registry)
    data = _download(url)
    try:
        content = json.loads(data)
    except ValueError:
        content = None
    rules = content.get("rules") if isinstance(content, dict) else None
    if not isinstance(rules, list) or not rules:
        raise RulesUnusable(f"{url} contains no rules", "Check that the pack exists: https://semgrep.dev/explore")
    about = {
        "name": name,
        "url": url,
        "sha256": hashlib.sha256(data).hexdigest(),
        "rules": len(rules),
        "pulled_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    file = pack_file(directory, name)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _replace(file, data)
        _replace(file.with_suffix(".about"), json.dumps(about, indent=1).encode())
    except OSError as error:
        raise RulesUnusable(
            f"the pack cannot be stored in {directory}: {error}", "Set XDG_CACHE_HOME to a writable directory"
        ) from error
    return about | {"file": str(file)}


def stored(directory: Path) -> list[dict[str, Any]]:
    """What `pull` said of the packs that are there."""
    found: list[dict[str, Any]] = []
    for file in sorted(directory.glob("p-*.about")):
        try:
            about = json.loads(file.read_bytes())
        except (OSError, ValueError):
            continue  # half written or not ours: as if it were not there
        if isinstance(about, dict) and file.with_suffix(".json").is_file():
            found.append(about | {"file": str(file.with_suffix(".json"))})
    return found


def _probe(registry: str) -> None:
    """An unreachable registry is known after three seconds, not after a minute and a half."""
    place = urllib.parse.urlsplit(registry)
    port = place.port or (443 if place.scheme == "https" else 80)
    try:
        socket.create_connection((place.hostname or "", port), _PROBE).close()
    except OSError as error:
        raise RulesUnusable(
            f"{place.hostname} cannot be reached: {error}",
            "Packs of semgrep's registry have to be downloaded once. The built-in rules work offline: omit --rules,\n"
            "or use a file or directory with rules: --rules PATH",
        ) from error


def _download(url: str) -> bytes:
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
