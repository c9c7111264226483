"""A database that one program fills at a time, and the progress of work on many repositories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collector.console.terminal import Reporter, complain, failure, notice
from collector.errors import WhoWroteError

if TYPE_CHECKING:
    from collector.storage.store import Store


@contextmanager
def exclusive_store(db: Path, create: bool = True) -> Iterator[Store]:
    """The database, locked against other programs that would fill it at the same time."""
    from collector.runtime.locks import file_lock, lock_path
    from collector.storage.store import Store

    lock = lock_path(db)
    if not db.parent.is_dir():
        raise WhoWroteError(f"directory does not exist: {db.parent}", "Create it, or choose another file with --db")
    with file_lock(lock, 0, str(db)):
        try:
            with Store(db, create) as store:
                yield store
        finally:
            lock.unlink(missing_ok=True)


def show_progress(doing: str, done_word: str, total: int, results: Iterator[tuple[Any, Any]], quiet: bool) -> int:
    """Shows how a stage goes on; returns how many failed."""
    states: Counter[str] = Counter()
    with Reporter(count_repositories(total), quiet) as progress:
        progress(doing, 0, total)
        for number, (item, done) in enumerate(results, 1):
            states[done.value or "failed"] += 1
            if done.error:
                message, hint = failure(done)
                complain(f"{item.name}: {message}", hint)
            progress(doing, number, total)
    if not quiet:
        names = {"done": done_word, "nothing": "without checkpoints"}
        words = ", ".join(f"{count} {names.get(state, state)}" for state, count in states.most_common())
        notice(words or f"no new repositories were {done_word}")
    return states["failed"]


def count_repositories(number: int) -> str:
    return f"{number} {'repository' if number == 1 else 'repositories'}"
