"""Typed values as compact JSON and back, for caches: a dataclass or a named tuple is the list of its fields.

What is read is checked against the types: content that does not fit raises NotPacked and never becomes another type. Nothing is
imported or called by name. None stands for itself; other unions are not packed.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import cache
from math import isfinite
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import orjson

T = TypeVar("T")
_Pack = Callable[[Any], Any]
_PLAIN = (str, int, float, bool)


class NotPacked(ValueError):
    """Content that is no packed value of the type, or a value that cannot be packed."""


def pack(kind: type[T], value: T) -> bytes:
    """The value as JSON. Raises NotPacked: half of a surrogate pair, a number that JSON does not have."""
    try:
        content = orjson.dumps(_codec(cast(Any, kind)).pack(value))
    except (TypeError, AttributeError, LookupError, RecursionError) as error:
        raise NotPacked(str(error)) from error
    return content


def unpack(kind: type[T], content: bytes) -> T:
    """The value again. Raises NotPacked."""
    try:
        value: T = _codec(cast(Any, kind)).unpack(orjson.loads(content))
    except NotPacked:
        raise
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise NotPacked(f"{type(error).__name__}: {error}") from error
    return value


def texts_of(content: bytes) -> Iterator[str]:
    """Every text in a packed value."""
    waiting = [orjson.loads(content)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]


@dataclasses.dataclass(frozen=True, slots=True)
class _Codec:
    pack: _Pack
    unpack: _Pack


@cache
def _codec(kind: Any) -> _Codec:
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in _PLAIN or kind is type(None):
        return _Codec(_finite if kind is float else lambda value: value, _type_check(kind))
    if origin in (Union, types.UnionType):
        return _optional(arguments)
    if origin is not None:
        return _container(origin, arguments)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _Codec(lambda value: value.value, kind)
    if dataclasses.is_dataclass(kind) or hasattr(kind, "_fields"):
        return _fields(kind)
    raise TypeError(f"{kind} cannot be packed")


def _container(origin: Any, arguments: tuple[Any, ...]) -> _Codec:
    if origin is dict:
        return _mapping(_codec(arguments[0]), _codec(arguments[1]))
    if origin is tuple and arguments[-1] is not Ellipsis:
        return _record(tuple, [_codec(argument) for argument in arguments], lambda value: value)
    if origin in (tuple, list, set, frozenset):
        return _collection(origin, _codec(arguments[0]))
    raise TypeError(f"{origin} cannot be packed")


def _type_check(kind: type) -> _Pack:
    accepted: tuple[type, ...] = (int, float) if kind is float else (kind,)

    def check(value: Any) -> Any:
        if type(value) not in accepted:
            raise NotPacked(f"{type(value).__name__} instead of {kind.__name__}")
        return value

    return check


def _finite(value: float) -> float:
    if not isfinite(value):  # it would come back as null
        raise NotPacked(f"{value} is no number of JSON")
    return value


def _fields(kind: type) -> _Codec:
    """A dataclass or a named tuple."""
    hints = get_type_hints(kind)
    names = getattr(kind, "_fields", None) or [field.name for field in dataclasses.fields(kind)]
    codecs = [_codec(hints[name]) for name in names]
    return _record(lambda values: kind(*values), codecs, lambda value: [getattr(value, name) for name in names])


def _record(make: Callable[[Iterable[Any]], Any], codecs: list[_Codec], parts: Callable[[Any], Iterable[Any]]) -> _Codec:
    packs, unpacks = [codec.pack for codec in codecs], [codec.unpack for codec in codecs]

    def pack_one(value: Any) -> list[Any]:
        return [pack(part) for pack, part in zip(packs, parts(value), strict=True)]

    def unpack_one(value: Any) -> Any:
        return make([unpack(part) for unpack, part in zip(unpacks, _require_list(value), strict=True)])

    return _Codec(pack_one, unpack_one)


def _collection(make: Callable[[Iterable[Any]], Any], item: _Codec) -> _Codec:
    pack, unpack = item.pack, item.unpack
    in_order: Callable[[Any], Iterable[Any]] = sorted if make in (set, frozenset) else iter  # the same bytes for the same set
    return _Codec(
        lambda value: [pack(part) for part in in_order(value)], lambda value: make([unpack(part) for part in _require_list(value)])
    )


def _mapping(key: _Codec, item: _Codec) -> _Codec:
    return _Codec(
        lambda value: [[key.pack(name), item.pack(part)] for name, part in value.items()],
        lambda value: {key.unpack(name): item.unpack(part) for name, part in map(_require_list, _require_list(value))},
    )


def _optional(kinds: tuple[Any, ...]) -> _Codec:
    (kind,) = (member for member in kinds if member is not type(None))
    only = _codec(kind)
    return _Codec(
        lambda value: None if value is None else only.pack(value), lambda value: None if value is None else only.unpack(value)
    )


def _require_list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise NotPacked(f"{type(value).__name__} instead of a list")
    return value
