"""The adapter for zstd, with which Codex compresses old sessions: Python has it since 3.14,
pyarrow (extra `parquet`) before.
"""

import importlib
import io
from typing import Any


class NoZstd(OSError):
    """Nothing here can read zstd."""


def decompressed(data: bytes, size: int) -> bytes:
    """The first `size` bytes of what was compressed; `data` may be its beginning only. Raises
    NoZstd, ValueError (damaged).
    """
    value = io.BytesIO()
    try:
        with _stream(data) as stream:
            while value.tell() < size and (part := stream.read(min(1 << 20, size - value.tell()))):
                value.write(part)
    except NoZstd:
        raise
    except (OSError, EOFError) as error:
        if not value.tell():
            raise ValueError(f"damaged: {error}") from error
    return value.getvalue()


def _stream(data: bytes) -> Any:
    try:
        return importlib.import_module("compression.zstd").ZstdFile(io.BytesIO(data))
    except ImportError:
        pass  # before 3.14
    try:
        arrow = importlib.import_module("pyarrow")
    except ImportError as error:
        raise NoZstd(
            "compressed; to read it, install whowrote[parquet] or use Python 3.14"
        ) from error
    return arrow.CompressedInputStream(arrow.BufferReader(data), "zstd")
