"""Transcripts among the files of the history: agents' own records that were committed, also those
that a later commit removed.

A session is found by the path of its file. Of the versions of a file the newest is read, and the
longest where it is another one; of files that lose what they had, all. What other branches and pull
requests have beside the default branch is read likewise.
"""

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import NamedTuple

from collector.agents import agents_of_records, reader_for
from collector.agents.machine.model import Committed, session_in_path
from collector.checkpoints import LEFT_OUT, is_checkpoint_ref, problem, unread
from collector.checkpoints.pull_requests import is_source
from collector.errors import UnknownBranch
from collector.git.program import GitFailed, ScratchGit
from collector.git.repository import GitRepo
from collector.json_values import Numbers
from collector.limits import FOREIGN_RECORDS, TREE_RECORDS
from collector.model import Checkpoint, Problem, SessionRecord
from collector.text import count_of, decode, file_name
from collector.vocabulary.sessions import CheckpointStore, StoredTranscript

NAME = "in_tree"
_OBJECTS = ("rev-list", "--objects", "--missing=allow-any", "--ignore-missing", "--stdin")
_ENDINGS = tuple(f".{ending}\n".encode() for ending in unread.ENDINGS)
_MOST_PLACES = 200  # that git compares each commit at
_LOG = (
    "log",
    "--ignore-missing",
    "--stdin",
    "-z",
    "--raw",
    "--no-abbrev",
    "--no-renames",
    "-m",
    "--diff-filter=AM",
    "--format=%x01%H %ct %ae",
    "--",
)
_RECORDER = Committed(
    ("**/.entire/metadata/*/full.jsonl",),
    session_in_path(r"/(?:\d{4}-\d\d-\d\d-)?([^/]+)/full\.jsonl$"),
)
_MOST_VERSIONS = 100  # of a file
_MOST_UNREAD = 2_000  # files that may be records, and are looked at once
_LARGEST = 50_000_000  # bytes of one of them
_HEAD = 100  # bytes; a history of Aider begins with the moment when it was begun
_FILE_NAME = re.compile(r"[\w.-]+\.\w+")
# of what tells a session of this repository from another's
_FEWEST_LINES = 3
_FEWEST_CHARACTERS = 15
# seconds: what was done up to five after a commit counts for it; what a committed copy lacks is
# later
_AFTER_COMMIT = 6.0


class _File(NamedTuple):
    """A file as a commit left it."""

    rank: int  # see `Committed.rank`
    path: str
    blob: str


class _Version(NamedTuple):
    """The files that are read together, as one commit left them."""

    files: tuple[_File, ...]
    at: float  # when it was committed
    email: str
    commit: str


def store_of(ref: str) -> CheckpointStore | None:
    return None  # the records lie in no ref of their own


def find(repo: GitRepo, refs: Mapping[str, str]) -> Iterator[Checkpoint]:
    """A checkpoint for each session in a file of the history, which no commit can name, and one
    with what was left out.
    """
    try:
        tip = refs.get("HEAD") or repo.default_branch().sha
    except UnknownBranch:
        return
    forms = (*(form for _, form in agents_of_records()), _RECORDER)
    histories = _histories(repo, refs, tip, [path for form in forms for path in form.paths])
    existing: Numbers = {}  # session -> number of its records
    understood: set[str] = set()  # paths
    left_out: dict[Problem, None] = {}
    at_tip = repo.paths(tip)
    for form in forms:
        sessions: dict[str, dict[_Version, None]] = defaultdict(dict)
        for history, most in zip(
            histories, (TREE_RECORDS, FOREIGN_RECORDS if form.own else TREE_RECORDS), strict=True
        ):
            files = _versions(form, history)
            for versions in islice(files.values(), most):
                _add_sessions(repo, form, _chosen(repo, versions, form.every), sessions)
            if len(files) > most:
                left_out[
                    problem(
                        form.paths[0],
                        "records_left_out",
                        f"{most:,} of {count_of(len(files), 'file')} were read",
                    )
                ] = None
        understood.update(
            file.path
            for versions in sessions.values()
            for version in versions
            for file in version.files
        )
        _join_renamed(repo, form, sessions)
        # else the agent's own form is read
        for key in sorted(sessions if form.undated else sessions.keys() - existing.keys()):
            if not form.own or _wrote_here(repo, key, next(iter(sessions[key])), at_tip):
                yield _checkpoint(key, sessions[key], existing.get(key, 0))
        existing |= {key: len(versions) for key, versions in sessions.items()}
    left_out |= dict.fromkeys(_unread(repo, refs, histories, understood, at_tip))
    if left_out:
        yield Checkpoint(id=LEFT_OUT, store=CheckpointStore.TREE, ref="", problems=tuple(left_out))


def _unread(
    repo: GitRepo,
    refs: Mapping[str, str],
    histories: Iterable[list[tuple[str, _Version]]],
    understood: Container[str],
    at_tip: Mapping[str, str],
) -> Iterator[Problem]:
    """What looks like a record of an agent and gave no session: files by their newest version, and
    refs. `at_tip`: path -> blob.
    """
    newest = {
        path: blob
        for path, blob in at_tip.items()
        if path not in understood and unread.CHATS.fullmatch(path)
    }
    for path, version in chain.from_iterable(histories):
        if path not in understood and unread.PATHS.fullmatch(path):
            newest.setdefault(path, version.files[0].blob)
    for path, blob in islice(sorted(newest.items()), _MOST_UNREAD):
        size = repo.blob_size(blob)
        if size is None or size > _LARGEST:
            continue
        data = repo.content(blob)
        if unread.looks_recorded(path, data):
            yield problem(path, "record_not_understood", f"starts with {decode(data[:80])}")
    for ref in sorted(refs):
        if unread.is_unread_ref(ref) and not is_checkpoint_ref(ref):
            yield problem(ref, "record_not_understood", "it is named like a ref of an agent")


def _histories(
    repo: GitRepo, refs: Mapping[str, str], tip: str, globs: list[str]
) -> list[list[tuple[str, _Version]]]:
    """What the default branch had at these paths, and what only other branches and pull requests
    have.
    """
    wanted = re.compile(
        "|".join(
            [
                *(
                    re.escape(glob).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
                    for glob in globs
                ),
                unread.PATHS.pattern,
            ]
        )
    )
    others = sorted({oid for name, oid in refs.items() if is_source(name)} - {tip})
    try:
        with repo.open_scratch() as git:
            places = _places(git, [tip, *others], wanted)
            main, beside = (
                [
                    (path, version)
                    for path, version in _history(git, revisions, places)
                    if wanted.fullmatch(path)
                ]
                for revisions in ([tip], [*others, f"^{tip}"])
            )
    except GitFailed:
        return [[], []]
    stored = {version.files for _, version in main}
    return [main, [(path, version) for path, version in beside if version.files not in stored]]


def _places(git: ScratchGit, revisions: Iterable[str], wanted: re.Pattern[str]) -> list[str]:
    """Paths at which commits have such files, or the directories of these.

    Every tree is looked at once, whoever shares it.
    """
    stream = git.stream(_OBJECTS, "\n".join(revisions).encode())
    named = (
        decode(line).rstrip("\n").partition(" ")[2]
        for line in stream.lines
        if line.endswith(_ENDINGS)
    )
    places = {path for path in named if wanted.fullmatch(path)}
    while len(places) > _MOST_PLACES and any("/" in place for place in places):
        places = {place.rpartition("/")[0] or place for place in places}
    return sorted(places)


def _history(
    git: ScratchGit, revisions: Iterable[str], places: Sequence[str]
) -> Iterator[tuple[str, _Version]]:
    """(path, version) of what commits put at these places, the newest first.

    Revisions may be more than a command line takes.
    """
    if not places:
        return
    output = decode(git.output([*_LOG, *places], "\n".join(revisions).encode()))
    commit = ""
    moment = "0"
    email = ""
    blob = ""
    for field in output.split("\0"):
        text = field.lstrip("\n")
        if text.startswith("\1"):
            commit, moment, email = text[1:].split(" ", 2)
        elif text.startswith(":"):
            blob = text.split(" ")[3]
        elif text:
            yield text, _Version((_File(0, text, blob),), float(moment), email, commit)


def _versions(
    form: Committed, history: Iterable[tuple[str, _Version]]
) -> dict[str, list[_Version]]:
    """Path, or directory of files that are read together -> its versions, the newest first, each
    of the commit that brought it.
    """
    changes = defaultdict(list)
    for path, version in history:
        if (rank := form.rank(path)) is not None:
            together = path if len(form.paths) == 1 else path.rpartition("/")[0]
            changes[together].append(
                version._replace(files=(_File(rank, path, version.files[0].blob),))
            )
    return {together: _states(changes[together]) for together in sorted(changes)}


def _states(changes: Iterable[_Version]) -> list[_Version]:
    """What all files were after each change, from the changes of single ones."""
    current = {}
    states: dict[tuple[_File, ...], _Version] = {}
    for change in reversed(list(changes)):
        current[change.files[0].path] = change.files[0]
        files = tuple(sorted(current.values()))
        states[files] = states.pop(files, change._replace(files=files))
    return list(reversed(states.values()))


def _chosen(repo: GitRepo, versions: list[_Version], every: bool) -> list[_Version]:
    if every:
        return versions[:: -(-len(versions) // _MOST_VERSIONS)]
    sizes = [sum(repo.blob_size(file.blob) or 0 for file in version.files) for version in versions]
    heads = [repo.content(version.files[0].blob)[:_HEAD] for version in versions[:_MOST_VERSIONS]]
    # something was taken out after it
    cut = {older for older in range(1, len(sizes)) if sizes[older] > sizes[older - 1]}
    # the file was begun anew after it
    ended = {older for older in range(1, len(heads)) if heads[older] != heads[older - 1]}
    return [versions[number] for number in sorted({0} | cut | ended)[:_MOST_VERSIONS]]


def _add_sessions(
    repo: GitRepo,
    form: Committed,
    versions: list[_Version],
    sessions: dict[str, dict[_Version, None]],
) -> None:
    """Adds which versions, the newest first, have which sessions."""
    before = {}  # the version before the first one with a session
    for version, older in zip(versions, (*versions[1:], None), strict=True):
        files_of = defaultdict(list)
        for file in version.files:
            data = repo.content(file.blob)
            if reader_for(data):
                for key in form.sessions(file.path, data):
                    files_of[key].append(file)
        for key, files in files_of.items():
            sessions[key][version._replace(files=tuple(files))] = None
            before[key] = older
    if form.undated:
        for key, version_before in before.items():
            if version_before is not None:
                sessions[key][version_before] = None


def _join_renamed(
    repo: GitRepo, form: Committed, sessions: dict[str, dict[_Version, None]]
) -> None:
    """Makes one session of those that begin in the same way, under the agent's own id if one has
    it, else under the last name.
    """
    alike = defaultdict(list)
    for key, versions in sessions.items():
        file = next(iter(versions)).files[0]
        beginning = form.beginning(file.path, repo.content(file.blob))
        if beginning is not None:
            alike[beginning].append(key)
    for keys in alike.values():
        ids = [key for key in keys if key not in next(iter(sessions[key])).files[0].path]
        if len(keys) < 2 or len(ids) > 1:
            continue
        kept = ids[0] if ids else max(keys, key=lambda key: next(iter(sessions[key])).at)
        for key in keys:
            if key != kept:
                sessions[kept] |= sessions.pop(key)


def _wrote_here(repo: GitRepo, key: str, version: _Version, at_tip: Mapping[str, str]) -> bool:
    """Whether lines that a call of the session wrote stand in a file of that name, in the commit
    with its record or at the tip.
    """
    data = repo.content(version.files[0].blob)
    reader = reader_for(data)
    calls = reader.read(key, [data]).calls if reader is not None else ()
    named = defaultdict(set)
    for path, blob in (*repo.paths(version.commit).items(), *at_tip.items()):
        named[file_name(path)].add(blob)
    for call in calls:
        command = call.command.text if call.command else ""
        lines = _telling([command, *(text for edit in call.edits for text in edit.new_texts())])
        names = {
            *_FILE_NAME.findall(command),
            *(file_name(edit.path) for edit in call.edits),
        }
        blobs = (
            blob for name in names if len(lines) >= _FEWEST_LINES for blob in named.get(name, ())
        )
        if any(
            len(lines & _telling([decode(repo.content(blob))])) >= _FEWEST_LINES for blob in blobs
        ):
            return True
    return False


def _telling(texts: Iterable[str]) -> set[str]:
    """The lines of texts that say something by themselves."""
    return {
        line.strip()
        for text in texts
        for line in text.split("\n")
        if len(line.strip()) >= _FEWEST_CHARACTERS
    }


def _checkpoint(key: str, versions: Iterable[_Version], first: int) -> Checkpoint:
    number = f"tree/{key}"
    record = SessionRecord(number, 0, key, key, transcript_state=StoredTranscript.PRESENT)
    stored = list(versions)
    newest = max(stored, key=lambda version: version.at)
    records = (
        replace(
            record,
            index=index,
            created_at=version.at + _AFTER_COMMIT,
            transcript=tuple(file.blob for file in version.files),
        )
        for index, version in enumerate(stored, first)
    )
    return Checkpoint(
        id=number,
        store=CheckpointStore.TREE,
        ref=newest.files[0].path,
        created_at=newest.at,
        sessions=tuple(records),
        author_email=newest.email,
    )
