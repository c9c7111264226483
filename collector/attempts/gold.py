"""Gold patches of a data set: which files the right solution of each task changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from collector.attempts.values import text
from collector.errors import WhoWroteError
from collector.git.patches import touched

_HINT = "It needs records with instance_id and patch: JSON Lines, a JSON list, or Parquet"


def gold_files(path: Path) -> dict[str, frozenset[str]]:
    """Task -> files of its gold patch. Raises WhoWroteError when the file is none."""
    found = {}
    for record in _records(path):
        instance, patch = text(record.get("instance_id"), 500), record.get("patch")
        if instance and isinstance(patch, str):
            found[instance] = frozenset(touched(patch).files)
    if not found:
        raise WhoWroteError(f"{path} has no reference patches", _HINT)
    return found


def _records(path: Path) -> Iterator[dict[str, Any]]:
    if path.suffix == ".parquet":
        from collector.storage.parquet import records

        yield from records(path, ("instance_id", "patch"))
        return
    try:
        whole = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise WhoWroteError(f"{path} cannot be read: {error}", _HINT) from error
    try:
        listed = whole.lstrip().startswith("[")
        values = json.loads(whole) if listed else [json.loads(line) for line in whole.split("\n") if line.strip()]
    except (ValueError, RecursionError) as error:
        raise WhoWroteError(f"{path} is not valid JSON: {error}", _HINT) from error
    yield from (one for one in values if isinstance(one, dict))
