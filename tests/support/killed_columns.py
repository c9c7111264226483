"""Writes a data set and ends in the middle, as if it were killed.

As a program: `killed_columns.py TABLE PLACE DATASET` ends when the second file of a table is about to be written; of `repos`, which
comes last and has one, when the first is.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

from collector.runtime.columns import write_columns
from collector.storage import parquet


def main(table: str, place: Path, dataset: Path) -> None:
    write, left = parquet.write, [1 if table == "repos" else 2]

    def dying(path: Path, *rest: Any) -> int:
        left[0] -= path.parent.parent.name == table
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return int(write(path, *rest))

    with patch.object(parquet, "write", dying):
        write_columns(place, dataset)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
