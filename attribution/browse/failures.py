"""Errors of a request as a status and a sentence."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from http import HTTPStatus

from datasette.database import QueryInterrupted
from datasette.utils import InvalidSql
from datasette.utils.asgi import Base400
from datasette.views.base import DatasetteError

from collector.errors import WhoWroteError
from collector.storage.bounded import DatabaseError, TookTooLong


@dataclass(frozen=True, slots=True)
class Failure:
    status: int
    title: str | None
    message: str


_TOO_SLOW = ("Too slow", "This takes longer than the pages allow.")
_BAD = HTTPStatus.BAD_REQUEST.value
_PROGRAM = HTTPStatus.INTERNAL_SERVER_ERROR.value


def failure_of(error: Exception) -> Failure:
    """What to answer. An error that no request should cause, a mistake in the program, goes to the log besides."""
    match error:
        case Base400():
            failure = Failure(error.status, None, "There is no such page." if str(error) == "404" else str(error))
        case QueryInterrupted() | TookTooLong():
            failure = Failure(_BAD, *_TOO_SLOW)
        case DatasetteError() if error.message_is_html:  # its message about time
            failure = Failure(error.status, *_TOO_SLOW)
        case DatasetteError():  # raised for what a request asks; without a status it would be 500
            failure = Failure(_BAD if error.status >= _PROGRAM else error.status, error.title, str(error.message))
        case MemoryError():
            failure = Failure(_BAD, "Too large", "This needs more memory than the pages allow.")
        case InvalidSql() | DatabaseError() | OverflowError():
            failure = Failure(_BAD, "Not possible", str(error))
        case WhoWroteError():
            failure = Failure(_PROGRAM, None, f"{error}. {error.hint}")
        case _:
            logging.getLogger("whowrote").error("a page failed", exc_info=error)
            failure = Failure(_PROGRAM, None, "This page failed. The terminal where the pages were started says more.")
    return failure
