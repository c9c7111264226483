"""What every reader must survive: any bytes. One target per reader; each takes bytes and raises
only where the program is wrong.

The bytes are not what is read but a list of choices (`choices.py`) that damages a sample of ours
(`damage.py`), so that a fuzzer which changes bytes changes structure. The first choice may ask for
the bytes as they are instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import cast

Target = Callable[[bytes], None]
NAMES = ("transcripts", "local", "checkpoints", "claims", "discovery", "judge", "commits")
SLOWEST = 2.0  # seconds of processor time that one small input may take


@contextmanager
def opened(name: str) -> Iterator[Target]:
    """The target of this name, with what it needs on disk for as long as the block runs."""
    target = import_module(f"support.fuzz.{name}").target
    with cast(Callable[[], AbstractContextManager[Target]], target)() as run:
        yield run
