"""Sentence embeddings, optional: nothing else needs them.

A backend turns texts into rows of floats and nothing more. `ngrams` needs no library, `minilm` needs the extra `embed` and weights
on disk (docs/decisions/0008-embeddings.md). No backend ever fetches anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from collector.errors import WhoWroteError


@dataclass(frozen=True, slots=True)
class Scale:
    """Where similarity begins and ends for a backend, measured (docs/decisions/0008-embeddings.md): a cosine has no unit."""

    drift: float  # 1 - cosine of two turns that is usual between different sessions of a repository
    flat: float  # a smaller change of coherence from turn to turn is none
    same: float  # cosine from which two steps of plans are the same step


class Embedder(Protocol):
    """A backend: rows of floats of length 1, one per text, in order; a row of zeros for a text without any word."""

    backend: str
    model: str
    scale: Scale

    def embed(self, texts: Sequence[str]) -> list[list[float]]: ...


BACKENDS = ("minilm", "ngrams")


def embedder(backend: str, model: Path | None = None) -> Embedder:
    """The backend of that name; `model` is a directory with the weights of minilm. Raises WhoWroteError."""
    if backend == "ngrams":
        from attribution.embedding.ngrams import Ngrams

        return Ngrams()
    if backend == "minilm":
        from attribution.embedding.minilm import MiniLm

        return MiniLm(model)
    raise WhoWroteError(f"no such backend: {backend}", f"Choose one of: {', '.join(BACKENDS)}")


def cosine(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Cosine of two rows; None when one of them is zero."""
    size = sum(x * x for x in a) * sum(x * x for x in b)
    return max(-1.0, min(1.0, sum(x * y for x, y in zip(a, b, strict=True)) / size**0.5)) if size else None
