"""The model `ngrams`: words and pieces of words, hashed. No model and no library; sees shared words, not shared meaning. Pure."""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence

from attribution.evaluation.embedding.models import NGRAMS, Scale

_SIZE = 1024  # dimensions
_PIECE = 4  # characters
_WORD = re.compile(r"[^\W_]+|[぀-鿿가-힣]")
_MOST = 20_000  # characters of a text, half from its beginning and half from its end
_COMMON_WORDS = """
a about above after again all also am an and any are as at be been before being but by can could did do does doing don
done down for from get go got had has have he her here him his how i if in into is it its just know let like ll make me
more most my need no not now of off ok on once one only or other our out over own please re same say see she should so
some such sure than thanks that the their them then there these they this those to too up us use ve very want was we
were what when where which who why will with would yes you your
"""
_COMMON = frozenset(_COMMON_WORDS.split())


class Ngrams:
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
        row[value % _SIZE] += (1 + math.log(count)) * (1 if value & 0x8000_0000 else -1) * (0.4 if feature[0] == "#" else 1.0)
    length = math.sqrt(sum(x * x for x in row))
    return [x / length for x in row] if length else row


def _features(text: str) -> Iterator[str]:
    """Words that are not common, and the pieces of long ones: `parser` and `parsing` share two."""
    if len(text) > _MOST:
        text = text[: _MOST // 2] + "\n" + text[-_MOST // 2 :]
    for word in _WORD.findall(text.lower()):
        if word in _COMMON:
            continue
        yield word
        for start in range(len(word) - _PIECE + 1 if len(word) > _PIECE else 0):
            yield "#" + word[start : start + _PIECE]
