"""Results of evaluation runs: what a harness recorded of each attempt of an agent at a task.

A reader is a module of this folder with a NAME; it recognises a document by its shape and says what
is in it. Adding a harness is adding a file.
"""

from typing import Protocol

from attribution.evaluation.attempts.model import Attempt, Document
from collector.plugins import modules_of


class Reader(Protocol):
    """`read` gives the attempts of a document, or None when it is not of this harness."""

    NAME: str

    def read(self, document: Document) -> list[Attempt] | None: ...


def readers() -> list[Reader]:
    return modules_of(__name__)  # type: ignore[return-value]
