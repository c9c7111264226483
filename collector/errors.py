"""Expected failures, each with words a person can act on, and the exit codes.

    WhoWroteError
    ├── NotARepository      exit 2   the path is not a git repository
    ├── UnknownBranch       exit 2   the branch, commit or file asked for does not exist
    ├── InputTooLarge       exit 3   more in the repository than is read of any
    ├── NoCheckpoints       exit 4   `collect run` found no record of an agent
    ├── DatabaseUnusable    exit 5   not a database of ours, of another schema, damaged, locked or
                            full disk
    └── DeviceFailed        exit 74  a disk, or the connection to it, does not give what is stored
                            there

0 is success, 1 a failed check (`whowrote data check`), 2 wrong use, 3 partial results (some stages
failed, the rest is kept), 70 a bug (a log says where), 71 the process that did the work was killed
(a library in machine code crashed, or no memory), 74 the output cannot be written or a file cannot
be read, 130 interrupted: what was finished is kept and the next run continues.
"""

import errno
import os

EXIT_OK = 0
EXIT_CHECK_FAILED = 1
EXIT_USAGE = 2
EXIT_PARTIAL = 3
EXIT_NO_CHECKPOINTS = 4
EXIT_DATABASE = 5
EXIT_KILLED = 71  # sysexits.h EX_OSERR
EXIT_OUTPUT = 74  # sysexits.h EX_IOERR
EXIT_INTERRUPTED = 130

# What code raises on input that it was not written for. Caught where one session is read: it costs
# no more than that.
INPUT_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


class WhoWroteError(Exception):
    """A failure we expect; `hint` says what to do about it."""

    exit_code = EXIT_USAGE

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class NotARepository(WhoWroteError):
    pass


class UnknownBranch(WhoWroteError):
    pass


class InputTooLarge(WhoWroteError):
    """A repository exceeds a limit of `collector/limits.py` beyond which nothing of it is read."""

    exit_code = EXIT_PARTIAL


class NoCheckpoints(WhoWroteError):
    exit_code = EXIT_NO_CHECKPOINTS


class DatabaseUnusable(WhoWroteError):
    exit_code = EXIT_DATABASE


class DeviceFailed(WhoWroteError):
    exit_code = EXIT_OUTPUT


def device_failure(error: Exception) -> DeviceFailed | None:
    """What an error means that a failing disk caused, which is no bug; None for any other.
    libgit2 tells it in words alone.
    """
    failed = isinstance(error, OSError) and error.errno == errno.EIO
    if not failed and os.strerror(errno.EIO) not in str(error):
        return None
    return DeviceFailed(
        f"a disk failed: {error}",
        "Check the disk or its connection, then run it again; finished work is kept",
    )
