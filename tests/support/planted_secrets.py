"""Secrets of many kinds as they stand in prompts, commands, files and outputs, made from shapes:
no scanner finds them here.
"""

from __future__ import annotations

import base64
import random
import re
import string
from collections.abc import Callable
from dataclasses import dataclass

from support import ROOT

SHAPES = ROOT / "tests" / "data" / "secrets"
_HEX = "0123456789abcdef"
_WORD = string.ascii_letters + string.digits
_SEED = (
    "abandon ability ladder tiger river ocean puzzle velvet school orange magnet winter candy"
    " garden silver monkey"
)
_HEAD = b"-----BEGIN " + b"PRIVATE KEY-----\n"


@dataclass(frozen=True, slots=True)
class Planted:
    kind: str
    text: str  # as somebody wrote it
    secrets: tuple[str, ...]  # the parts of it that must not be stored


class _Maker:
    """Makes the values of one set; always the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._characters = {
            "a": _WORD,
            "h": _HEX,
            "H": _HEX.upper(),
            "d": string.digits,
            "U": string.ascii_uppercase + "234567",
            "x": _WORD + "_-",
            "u": string.ascii_uppercase + string.digits,
            "l": string.ascii_lowercase + string.digits,
            ".": _WORD + "./",
        }
        self._makers: dict[str, Callable[[int], str]] = {
            "b": self._base64,
            # a user and a password
            "c": lambda size: base64.b64encode(f"jo:{self.some('a', size)}".encode()).decode(),
            "g": lambda _: "-".join(self.some("h", size) for size in (8, 4, 4, 4, 12)),
            "j": lambda _: ".".join(
                (_url64(b'{"alg":"HS256"}'), _url64(b'{"sub":"1234567890"}'), self.some("x", 43))
            ),
            # a private key
            "k": lambda _: base64.b64encode(_HEAD + self._lines(6).encode()).decode(),
            "m": self._lines,
            "p": lambda size: self._password(size, "!#%*+?~^"),
            "q": lambda size: self._password(size, "$!&*#@"),
            "s": lambda count: " ".join(self._random.sample(_SEED.split() * 2, count)),
            "w": lambda size: "".join(
                self._random.choice("bdfgklmnprst" if n % 2 else "aeiou") for n in range(size)
            ),
        }

    def planted(self, line: str) -> Planted:
        kind, _, text = line.partition(" | ")
        text = re.sub(r"(?<!\\)\\n", "\n", text.replace("\\|", "|")).replace("\\\\", "\\")
        text = re.sub(
            r"<(?:([a-zA-Z.])(\d*))?>",
            lambda shape: self._value(shape[1], int(shape[2] or 0)),
            text,
        )
        return Planted(kind, re.sub("[«»]", "", text), tuple(re.findall("«([^«»]+)»", text)))

    def _value(self, kind: str | None, size: int) -> str:
        if kind is None:
            return ""
        return self._makers[kind](size) if kind in self._makers else self.some(kind, size)

    def some(self, kind: str, size: int) -> str:
        """Characters of a kind; at least one digit and one letter where it has both."""
        characters = self._characters[kind]
        chosen = self._random.choices(characters, k=size)
        if size > 3:
            chosen[-2:] = [
                self._random.choice([c for c in characters if c.isalpha()] or characters),
                self._random.choice("234567"),
            ]
        return "".join(chosen)

    def _password(self, size: int, special: str) -> str:
        middle = self._random.choice(special)
        return self.some("a", size // 2) + middle + self.some("a", size - size // 2 - 1)

    def _base64(self, size: int) -> str:
        return base64.b64encode(self._random.randbytes(size)).decode()

    def _lines(self, count: int) -> str:
        return "\n".join(self._base64(48) for _ in range(count))


def _url64(text: bytes) -> str:
    return base64.urlsafe_b64encode(text).decode().rstrip("=")


def planted(name: str, seed: int = 17) -> tuple[Planted, ...]:
    """The secrets of a set: a file of shapes."""
    maker = _Maker(seed)
    lines = (SHAPES / f"{name}.txt").read_text("utf-8").splitlines()
    return tuple(maker.planted(line) for line in lines if line and not line.startswith("#"))


def left(secret: str, stored: str) -> list[str]:
    """The parts of a secret that a stored text still has: lines of it, words of a phrase, ends
    of what is long.
    """
    parts = [line for line in re.split(r"\n|\\n", secret) if len(line) > 3]
    return [part for part in parts if part in stored or (len(part) > 12 and part[-8:] in stored)]
