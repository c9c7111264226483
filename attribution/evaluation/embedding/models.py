"""Models that turn texts into vectors: `ngrams`, and those of llm. The adapter for the embedding models of llm."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from collector.errors import WhoWroteError
from collector.storage.redaction import secrets_out

NGRAMS = "ngrams"
INSTALL = "Install it with: pip install 'whowrote[llm]', or use --model ngrams"
WINDOW = 1_000  # characters of each end of a long text that llm's models see: what lies between is mostly pasted output


@dataclass(frozen=True, slots=True)
class Scale:
    """Where similarity begins and ends for a model, as measured (docs/decisions/0008-embeddings.md): a cosine has no unit."""

    drift: float | None  # 1 - cosine of two turns that is usual between different sessions of a repository; None: not measured
    flat: float | None  # a smaller change of coherence from turn to turn is none
    same: float = 0.8  # cosine from which two steps of plans are the same step


_MINILM = re.compile(r"minilm-?l6|all-minilm(:latest|:22m|$)", re.IGNORECASE)  # all-MiniLM-L6-v2, as plug-ins of llm name it


class Embedder(Protocol):
    """A model: rows of floats, one per text, in order; a row of zeros for a text without any word."""

    backend: str  # ngrams or llm
    model: str
    scale: Scale

    def embed(self, texts: Sequence[str]) -> list[list[float]]: ...


def embedder(name: str = NGRAMS) -> Embedder:
    """`ngrams`, or an embedding model of llm by name or alias. Raises WhoWroteError."""
    if name == NGRAMS:
        from attribution.evaluation.embedding.ngrams import Ngrams

        return Ngrams()
    return LlmEmbedder(name)


class LlmEmbedder:
    """An embedding model of llm. Of a long text both ends are embedded and their vectors averaged."""

    backend = "llm"

    def __init__(self, name: str) -> None:
        """Raises WhoWroteError when llm or the model is missing."""
        try:
            import llm
        except ImportError as error:
            raise WhoWroteError("embedding models need llm, which is not installed", INSTALL) from error
        try:
            self._model: Any = llm.get_embedding_model(name)
        except llm.UnknownModelError as error:
            raise WhoWroteError(f"llm has no embedding model {name}", "List the models with: llm embed-models") from error
        self.model = str(self._model.model_id)
        self.scale = Scale(0.71, 0.04) if _MINILM.search(self.model) else Scale(None, None)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Raises WhoWroteError when the model fails."""
        ends = [[text] if len(text) <= 2 * WINDOW else [text[:WINDOW], text[-WINDOW:]] for text in texts]
        try:
            vectors = iter(list(self._model.embed_multi([end for parts in ends for end in parts])))
        except Exception as error:
            message = secrets_out(str(error))[:300]
            raise WhoWroteError(f"{self.model} failed: {type(error).__name__}: {message}", "What was embedded is kept") from error
        return [_unit([sum(values) for values in zip(*(next(vectors) for _ in parts), strict=True)]) for parts in ends]


def _unit(row: Sequence[float]) -> list[float]:
    """The row with length 1; zeros stay zeros."""
    length = math.hypot(*row)
    return [x / length for x in row] if length else list(row)


def cosine(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Cosine of two rows; None when one of them is zero."""
    size = sum(x * x for x in a) * sum(x * x for x in b)
    return max(-1.0, min(1.0, sum(x * y for x, y in zip(a, b, strict=True)) / size**0.5)) if size else None
