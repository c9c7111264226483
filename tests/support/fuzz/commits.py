"""Commits as anybody can write them: names, messages, times."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from attribution.exchange.producers.trailers import read_commit
from collector.load import write_commits
from collector.model import Commit
from collector.text import decode
from support.fuzz import Target, scratch
from support.fuzz.choices import Choices
from support.fuzz.damage import ODD, check, flipped

_MESSAGES = (
    (
        b"Add a\n\nCo-authored-by: Claude Opus 4.6 <noreply@anthropic.com>\nEntire-Checkpoint:"
        b" a1b2c3d4e5f6\n"
    ),
    (
        b"aider: Add a\n\n> Assisted-by: aider (openai/gpt-4o)"
        b" <aider@aider.chat>\nEntire-Checkpoint: 01JZXW8Q5T9N3M4K7R2V6Y0ABC\n"
    ),
    (
        b"Merge pull request #1 from o/b\n\n* Generated-by: Codex\n\tCo-Authored-By: Cursor"
        b" <cursoragent@cursor.com>"
    ),
)
_NAMES = (b"Ada", b"dependabot[bot]", b"Ada (aider)", b"copilot-swe-agent[bot]", b"")
_TIMES = (0.0, 1.0, -1.0, 2.0**31, 2.0**33, 2.0**53, 2.0**62, -(2.0**62), 253402300800.0)


@contextmanager
def target() -> Iterator[Target]:
    with scratch.database() as store:

        def text(choices: Choices, known: tuple[bytes, ...]) -> str:
            odd = [one.encode("utf-8", "surrogatepass") for one in ODD if isinstance(one, str)]
            found = choices.one_of(known)
            where = choices.number(0, len(found))
            return decode(
                flipped(
                    found[:where] + (choices.one_of(odd) if choices.yes() else b"") + found[where:],
                    choices,
                )
            )

        def run(data: bytes) -> None:
            choices = Choices(data)
            found = []
            for number in range(choices.number(1, 3)):
                message = decode(choices.rest()) if choices.yes(16) else text(choices, _MESSAGES)
                times = choices.one_of(_TIMES), choices.one_of(_TIMES)
                people = [text(choices, _NAMES) for _ in range(4)]
                name, email, other, address = people
                commit = Commit(
                    f"{number:040x}",
                    (),
                    "b" * 40,
                    name,
                    email,
                    times[0],
                    other,
                    address,
                    times[1],
                    message,
                )
                check(read_commit(commit), "record")
                found.append(commit)
            with scratch.undone(store):
                write_commits(store, 1, found, lambda *author: author)

        yield run
