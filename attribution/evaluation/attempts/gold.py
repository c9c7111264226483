"""Gold patches of a data set: which files the right solution of each task changes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from attribution.evaluation.attempts import fields
from collector.errors import WhoWroteError
from collector.git.patches import touched_files
from collector.storage.tablefiles import read_parquet

_COLUMNS = ("instance_id", "patch")
_HINT = "It needs records with instance_id and patch: JSON Lines, a JSON list, or Parquet"


def gold_files(path: Path) -> dict[str, frozenset[str]]:
    """Task -> files of its gold patch. Raises WhoWroteError when the file has none."""
    files = {}
    for record in read_parquet(path, _COLUMNS) if path.suffix == ".parquet" else _json_records(path):
        instance, patch = fields.text(record.get("instance_id"), 500), record.get("patch")
        if instance and isinstance(patch, str):
            files[instance] = frozenset(touched_files(patch).files)
    if not files:
        raise WhoWroteError(f"{path} has no reference patches", _HINT)
    return files


def _json_records(path: Path) -> Iterable[dict[str, Any]]:
    try:
        whole = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise WhoWroteError(f"{path} cannot be read: {error}", _HINT) from error
    try:
        is_list = whole.lstrip().startswith("[")
        values = json.loads(whole) if is_list else [json.loads(line) for line in whole.split("\n") if line.strip()]
    except (ValueError, RecursionError) as error:
        raise WhoWroteError(f"{path} is not valid JSON: {error}", _HINT) from error
    return [value for value in values if isinstance(value, dict)]
