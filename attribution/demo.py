"""The shipped example: a small project with three agent sessions, made again from its text and
attributed.
"""

import shutil
from importlib import resources
from pathlib import Path

from collector.errors import WhoWroteError
from collector.git.program import import_repository

NAME = "birdlog"
FILE = "birdlog/cli.py"  # the file that shows most kinds of lines


def stream() -> bytes:
    """The example as a git fast-import stream: from the installed package, or from the source
    tree.
    """
    installed = resources.files("attribution").joinpath("example.fi")
    if installed.is_file():
        return installed.read_bytes()
    return (
        Path(__file__).parent.parent / "fixtures" / "repos" / "example" / "history.fi"
    ).read_bytes()


def make(directory: Path) -> Path:
    """A bare clone of the example in `directory`; an example made before is replaced, anything
    else is left alone.
    """
    target = directory / f"{NAME}.git"
    if target.exists():
        if not (target / "whowrote-example").is_file():
            raise WhoWroteError(
                f"{target} already exists and is not the example",
                "Choose another directory: whowrote demo DIRECTORY",
            )
        shutil.rmtree(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WhoWroteError(
            f"{target.parent} cannot be created: {error.strerror}",
            "Choose another directory: whowrote demo DIRECTORY",
        ) from error
    import_repository(target, stream())
    (target / "whowrote-example").write_text("made by: whowrote demo\n")
    return target
