"""The adapter for zstd, with which some agents compress: Python has it since 3.14, pyarrow (extra `parquet`) before."""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable

MAGIC = b"\x28\xb5\x2f\xfd"


class NoZstd(OSError):
    """Nothing here can read zstd."""


def decompressed(data: bytes, size: int) -> bytes:
    """The first `size` bytes of what was compressed; `data` may be its beginning only. Raises NoZstd, ValueError (damaged)."""
    return _reader()(data, size)


def _reader() -> Callable[[bytes, int], bytes]:
    try:
        return _python_reader(importlib.import_module("compression.zstd"))
    except ImportError:
        pass  # before 3.14
    try:
        return _pyarrow_reader(importlib.import_module("pyarrow"))
    except ImportError as error:
        raise NoZstd("compressed; to read it, install whowrote[parquet] or use Python 3.14") from error


def _python_reader(library: object) -> Callable[[bytes, int], bytes]:
    def read(data: bytes, size: int) -> bytes:
        decompressor = library.ZstdDecompressor()  # type: ignore[attr-defined]
        return bytes(decompressor.decompress(data, size))

    return read


def _pyarrow_reader(library: object) -> Callable[[bytes, int], bytes]:
    def read(data: bytes, size: int) -> bytes:
        value = io.BytesIO()
        try:
            with library.CompressedInputStream(library.BufferReader(data), "zstd") as stream:  # type: ignore[attr-defined]
                while value.tell() < size and (part := stream.read(min(1 << 20, size - value.tell()))):
                    value.write(part)
        except OSError as error:
            if not value.tell():
                raise ValueError(f"damaged: {error}") from error
        return value.getvalue()

    return read
