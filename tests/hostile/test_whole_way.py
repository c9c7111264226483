"""Repositories with damage everywhere (transcripts, metadata, notes, files, messages) through
the commands: none meets a bug.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from support.builder import import_stream
from support.commands import run
from support.fuzz.choices import Choices
from support.fuzz.damage import ODD, Sample, flipped
from support.hostile import rewritten
from support.truth import REPOS

from collector.errors import EXIT_OK, EXIT_PARTIAL
from collector.git.repository import blob_id
from collector.json_values import Texts

WORDS = [one.encode("utf-8", "surrogatepass") for one in ODD if isinstance(one, str)]
CASES = sorted(place.name for place in REPOS.iterdir() if (place / "history.fi").is_file())
COMMANDS = (
    ("survival", "REPO", "--no-curves"),
    ("sessions", "REPO", "--columns", "features"),
    ("data", "claims", "REPO"),
    ("sessions",),
    ("sessions", "REPO", "--by", "turn"),
    ("sessions", "REPO", "--by", "region"),
    ("data", "problems"),
    ("data", "check"),
)


def damaged(data: bytes, choices: Choices) -> bytes:
    """One file or message, in a quarter of all cases with damage."""
    if not choices.yes(4) or not data:
        return data
    try:
        records = [json.loads(line) for line in data.splitlines()]
    except ValueError:
        where = choices.number(0, len(data))
        return flipped(data[:where] + choices.one_of(WORDS) + data[where:], choices)
    return Sample(records).damaged(choices) if records else data


def walk(case: str, seed: int, place: Path) -> None:
    choices = Choices(random.Random(seed).randbytes(20_000))
    new_ids: Texts = {}

    def change(data: bytes) -> bytes:
        new = damaged(data, choices)
        new_ids[blob_id(data)] = blob_id(new)
        return new

    stream = rewritten((REPOS / case / "history.fi").read_bytes(), change)
    for old, new in new_ids.items():  # a file that comes again is named by its id
        stream = stream.replace(f" {old} ".encode(), f" {new} ".encode())
    clone = import_stream(stream, place / "r")
    for name, *more in COMMANDS:
        arguments = [clone if word == "REPO" else word for word in more]
        done = run(name, *arguments, db=place / "a.db")
        assert done.exit_code in (EXIT_OK, EXIT_PARTIAL), (
            case,
            seed,
            name,
            done.output,
        )


@pytest.mark.parametrize(
    ("case", "seed"),
    {"example": 1, "v2_only": 2, "noisy_session": 3, "squash_of_a_branch": 4}.items(),
)
def test_a_damaged_repository_meets_no_bug(case: str, seed: int, tmp_path: Path) -> None:
    walk(case, seed, tmp_path)


@pytest.mark.heavy
@pytest.mark.parametrize("case", CASES)
def test_many_damaged_repositories_meet_no_bug(case: str, tmp_path: Path) -> None:
    for seed in range(10):
        place = tmp_path / str(seed)
        place.mkdir()
        walk(case, seed, place)
