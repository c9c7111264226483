"""Who wrote each line: a shadow of every file, changed by whoever acts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import NamedTuple


class Author(NamedTuple):
    """Who wrote a line; of an agent also which call of which step, and the action that the
    script asked for.
    """

    who: str
    step: str = ""
    call: str = ""
    action: str = ""


PERSON = Author("human")


class Line(NamedTuple):
    text: str
    author: Author


def split_lines(text: str) -> list[str]:
    """The lines as git counts them: a carriage return belongs to its line, and the last line may
    lack its end.
    """
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


@dataclass
class Shadow:
    """The lines of every file in the worktree, each with its author."""

    files: dict[str, list[Line]] = field(default_factory=dict)
    # earlier states, the last one last
    past: dict[str, list[list[Line]]] = field(default_factory=dict)

    def change(self, path: str, text: str | None, author: Author) -> None:
        """The file became `text`, or is gone when that is None; lines that stayed keep their
        author.
        """
        if path in self.files:
            self.past.setdefault(path, []).append(self.files[path])
        if text is None:
            self.files.pop(path, None)
            return
        before = self.files.get(path, [])
        after = split_lines(text)
        changed: list[Line] = []
        matcher = SequenceMatcher(None, [line.text for line in before], after, autojunk=False)
        for tag, first, last, new_first, new_last in matcher.get_opcodes():
            if tag == "equal":
                changed += before[first:last]
            else:
                changed += [Line(line, author) for line in after[new_first:new_last]]
        self.files[path] = changed

    def restore(self, path: str, text: str | None) -> bool:
        """The file became what it once was, and each of its lines is its author's again; False
        if it never was so.
        """
        if text is None:
            self.change(path, None, PERSON)
            return True
        lines = split_lines(text)
        state = next(
            (
                state
                for state in reversed(self.past.get(path, []))
                if [line.text for line in state] == lines
            ),
            None,
        )
        if state is not None:
            self.past[path].append(self.files.get(path, []))
            self.files[path] = state
        return state is not None

    def text(self, path: str) -> str:
        if path not in self.files:
            raise RuntimeError(
                f"{path} was not written: the agent did not do what it was asked for"
            )
        return "".join(f"{line.text}\n" for line in self.files[path])

    def write(self, target: Path, commits: dict[str, list[str]]) -> None:
        """A JSON object for each line of the files in `commits`, which gives the commit of each
        of their lines.
        """
        with target.open("w", encoding="utf-8", errors="surrogateescape") as out:
            for path, ids in sorted(commits.items()):
                for number, (line, commit) in enumerate(
                    zip(self.files.get(path, []), ids, strict=True), 1
                ):
                    row = {
                        "path": path,
                        "line": number,
                        "text": line.text,
                        **line.author._asdict(),
                        "commit": commit,
                    }
                    out.write(json.dumps(row) + "\n")


def tree_texts(root: Path) -> dict[str, str]:
    """Path to text of every file below `root`; whatever begins with a dot belongs to git or to
    an agent.
    """

    def walk(directory: Path) -> Iterator[Path]:
        for entry in sorted(directory.iterdir()):
            if entry.name.startswith(".") or entry.name == "__pycache__":
                continue
            if entry.is_dir():
                yield from walk(entry)
            elif entry.is_file():
                yield entry

    return {
        str(path.relative_to(root)): path.read_bytes().decode("utf-8", "surrogateescape")
        for path in walk(root)
    }
