"""What people say of sessions, read from CSV files: ratings, and labels to validate those of a
judge.
"""

import csv
from collections.abc import Collection
from pathlib import Path

from collector.errors import WhoWroteError
from collector.groups import only
from collector.json_values import Texts

_SHORTEST_KEY = 6  # characters of a session's key that name it


def read_people(path: Path, required: Collection[str], hint: str) -> list[Texts]:
    """The rows of a CSV file, their cells without blanks around them.

    Raises WhoWroteError when it lacks a required column.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restval="")
            if not set(required) <= set(reader.fieldnames or ()):
                *names, last = required
                raise WhoWroteError(f"{path} has no columns {', '.join(names)} and {last}", hint)
            return [
                {name: cell.strip() for name, cell in row.items() if isinstance(cell, str)}
                for row in reader
            ]
    except OSError as error:
        raise WhoWroteError(f"{path} cannot be read: {error.strerror}", hint) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise WhoWroteError(f"{path} is not a CSV file in UTF-8: {error}", hint) from error


def matching_key(name: str, keys: Collection[str]) -> str | None:
    """The one key that is this name or begins with it; None where there is none, or several."""
    matches = [key for key in keys if key == name]
    matches = matches or [
        key for key in keys if len(name) >= _SHORTEST_KEY and key.startswith(name)
    ]
    return only(matches)
