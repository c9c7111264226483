"""Transcripts among the files of the history: agents' own records that were committed, also those that a later commit removed.

A session is found by the path of its file. Of the versions of a file the newest is read, and the longest where it is another one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import NamedTuple

from collector.agents import committed_records, reader_for
from collector.agents.machine.model import Committed, session_in_path
from collector.errors import UnknownBranch
from collector.git.program import GitFailed, open_scratch
from collector.git.repository import GitRepo
from collector.model import Checkpoint, SessionRecord
from collector.text import decode
from collector.vocabulary.sessions import CheckpointStore, StoredTranscript

NAME = "in_tree"
_LOG = (
    "--no-literal-pathspecs",
    "log",
    "-z",
    "--raw",
    "--no-abbrev",
    "--no-renames",
    "-m",
    "--diff-filter=AM",
    "--format=%x01%ct %ae",
)
_RECORDER = Committed("**/.entire/metadata/*/full.jsonl", session_in_path(r"/(?:\d{4}-\d\d-\d\d-)?([^/]+)/full\.jsonl$"))
_MOST_FILES = 5_000  # records of one form


class _Version(NamedTuple):
    """A file as one commit has it."""

    blob: str
    at: float  # when it was committed
    email: str


def store_of(ref: str) -> CheckpointStore | None:
    return None  # the records lie in no ref of their own


def find(repo: GitRepo, refs: Mapping[str, str]) -> Iterator[Checkpoint]:
    """A checkpoint for each session in a file of the history of the default branch; no commit can name one."""
    try:
        tip = repo.default_branch().sha
    except UnknownBranch:
        return
    existing: set[str] = set()
    forms = (*committed_records(), _RECORDER)
    every = _versions(repo, tip, [form.glob for form in forms])
    for form in forms:
        sessions: dict[str, dict[_Version, str]] = defaultdict(dict)
        for path in [path for path in every if _is_of(form, path)][:_MOST_FILES]:
            for version in _chosen(repo, every[path]):
                data = repo.blob(version.blob) or b""
                for key in form.sessions(path, data) if reader_for(data) is not None else ():
                    sessions[key][version] = path
        for key in sorted(sessions.keys() - existing):  # of a session in two forms the agent's own is read
            yield _checkpoint(key, sessions[key])
        existing.update(sessions)


def _versions(repo: GitRepo, tip: str, globs: Iterable[str]) -> dict[str, list[_Version]]:
    """Path -> its versions, the newest first."""
    with open_scratch(repo) as git:
        try:
            output = decode(git.output([*_LOG, tip, "--", *(f":(glob){glob}" for glob in globs)]))
        except GitFailed:
            return {}
    every: dict[str, dict[str, _Version]] = defaultdict(dict)
    moment, email, blob = "0", "", ""
    for field in output.split("\0"):
        text = field.lstrip("\n")
        if text.startswith("\1"):
            moment, _, email = text[1:].partition(" ")
        elif text.startswith(":"):
            blob = text.split(" ")[3]
        elif text:
            every[text][blob] = _Version(blob, float(moment), email)  # the newest commit comes first, the one that brought it last
    return {path: list(versions.values()) for path, versions in sorted(every.items())}


def _is_of(form: Committed, path: str) -> bool:
    """Whether a file that git listed for any form is of this one: each has a directory or a name of its own."""
    return fnmatchcase(path, form.glob.replace("**/", "*"))


def _chosen(repo: GitRepo, versions: list[_Version]) -> list[_Version]:
    """The versions to read of a file: the newest, and the longest where that is another."""
    longest = max(versions, key=lambda version: repo.blob_size(version.blob) or 0)
    return list(dict.fromkeys((versions[0], longest)))


def _checkpoint(key: str, stored: Mapping[_Version, str]) -> Checkpoint:
    number = f"tree/{key}"
    record = SessionRecord(number, 0, key, key, transcript_state=StoredTranscript.PRESENT)
    newest = max(stored, key=lambda version: version.at)
    records = (
        replace(record, index=index, created_at=version.at, transcript=(version.blob,)) for index, version in enumerate(stored)
    )
    return Checkpoint(
        id=number, store=CheckpointStore.TREE, ref=stored[newest], created_at=newest.at, sessions=tuple(records),
        author_email=newest.email,
    )  # fmt: skip
