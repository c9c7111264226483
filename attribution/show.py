"""Who wrote this line, this file, this commit: from a filled database and the clone to values that can be printed.

Lines of a file are followed back to the commit that added them with the same diffs the attribution used, so that every line ends
in a span of the database, also in merges and where objects are missing.
"""

from __future__ import annotations

import difflib
import heapq
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attribution.pipeline import Options, attribute_repo, no_progress, repo_name
from attribution.report import line_class
from collector.errors import NoCheckpoints, UnknownBranch, WhoWroteError
from collector.gitrepo import GitRepo, line_changes
from collector.store import Store
from collector.text import decode, is_binary, normal_path, printable, split_lines

SHORT = 9  # digits of a commit id for people

# --- the clone and its rows -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Place:
    """An attributed clone."""

    store: Store
    repo: GitRepo
    repo_id: int
    name: str
    head: str  # tip of the branch when it was attributed
    branch: str
    notes: list[str] = field(default_factory=list)


def place(store: Store, path: str, tell: Callable[[str], None], progress: Callable[[str, int, int], None] = no_progress) -> Place:
    """The clone at `path`; attributed first when the database does not know it. Raises what `attribute_repo` raises."""
    repo = GitRepo(path)
    name = repo_name(repo)
    row = _repo_row(store, name)
    if row is None:
        tell(f"{name} is not in {store.path} yet: attributing it first")
        try:
            attribute_repo(store, path, Options(), progress)
        except NoCheckpoints as error:
            raise NoCheckpoints(str(error), f"{error.hint}\nThat is: attribute repo {path} --anyway --db {store.path}") from error
        row = _repo_row(store, name)
    if row is None or not repo.has(row["head_sha"]):
        raise WhoWroteError(f"{store.path} holds another repository named {name}", "Use another database: --db FILE")
    found = Place(store, repo, row["id"], name, row["head_sha"], row["branch"])
    try:
        moved = repo.resolve(found.branch)[1] != found.head
    except UnknownBranch:
        moved = False
    if moved:
        found.notes.append(f"{found.branch} has moved on since; bring the database up to date with: attribute repo {path}")
    return found


def _repo_row(store: Store, name: str) -> dict[str, Any] | None:
    rows = store.rows(
        "SELECT r.* FROM repos r JOIN stage_runs s ON s.repo_id = r.id AND s.stage = 'lines' WHERE r.name = ?", (name,)
    )
    return rows[0] if rows else None


def file_in(where: Place, sha: str, given: str) -> tuple[str, bytes]:
    """(path, content) of a file of a commit; `given` may also be relative to the working directory. Raises UnknownBranch."""
    for path in (given, normal_path(given), *_from_here(where.repo, given)):
        oid = where.repo.file_at(sha, path) if path else None
        if oid is not None:
            data = where.repo.blob(oid)
            if data is None:
                raise WhoWroteError(
                    f"the content of {path} is not in this clone", "It is a partial clone; fetch that file with git"
                )
            return path, data
    names = list(where.repo.paths(sha))
    same = [n for n in names if n.rpartition("/")[2] == given.rpartition("/")[2]]
    near = same[:3] or difflib.get_close_matches(given, names, 3, 0.7)
    hint = "Did you mean: " + ", ".join(near) if near else "Paths are relative to the root of the repository"
    raise UnknownBranch(f"there is no file {given} in {sha[:SHORT]}", hint)


def _from_here(repo: GitRepo, given: str) -> Iterator[str]:
    """The path below the work tree, when `given` is one of its files."""
    top = repo.path.parent.resolve()
    full = Path(given).resolve()
    if repo.path.name == ".git" and full.is_relative_to(top):
        yield full.relative_to(top).as_posix()


# --- following lines back ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Birth:
    """The commit that added a line, and where the line stood there."""

    sha: str
    path: str
    line: int  # 1-based


Pair = tuple[int, int]
"""(line of the version at hand, wanted line); after a merge two wanted lines can come from the same one."""


def births(repo: GitRepo, sha: str, path: str, wanted: Sequence[int]) -> dict[int, Birth]:
    """Where each wanted line (1-based, of a file of a commit) was added. Lines go to the first parent that has them."""
    found: dict[int, Birth] = {}
    pending: dict[tuple[str, str], list[Pair]] = {(sha, path): [(n, n) for n in wanted]}
    queue = [(0.0, sha, path)]
    while queue:
        _, sha, path = heapq.heappop(queue)
        lines = pending.pop((sha, path), [])
        commit = repo.commit(sha)
        if commit is None:
            continue
        for number, parent in enumerate(commit.parents):
            known = repo.commit(parent)
            if known is None or not lines:
                continue
            old_path, passed = _handed_on(repo, sha, number, parent, path, lines)
            if passed:
                pending.setdefault((parent, old_path), []).extend(passed)
                heapq.heappush(queue, (-known.commit_time, parent, old_path))
                gone = {n for _, n in passed}
                lines = [pair for pair in lines if pair[1] not in gone]
        found.update((n, Birth(sha, path, line)) for line, n in lines)
    return found


def _handed_on(repo: GitRepo, sha: str, number: int, parent: str, path: str, lines: list[Pair]) -> tuple[str, list[Pair]]:
    """The path in the parent and the lines that it has too."""
    new, old_path = repo.file_at(sha, path), path
    old = repo.file_at(parent, path)
    if old is None:
        old_path = _renamed_from(repo, sha, number, path)
        old = repo.file_at(parent, old_path) if old_path else None
    if old is None or new is None:
        return path, []
    if old == new:
        return old_path, lines
    a, b = repo.blob(old), repo.blob(new)
    if a is None or b is None:
        return path, []
    return old_path, _unchanged(a, b, lines)


def _renamed_from(repo: GitRepo, sha: str, number: int, path: str) -> str:
    commit = repo.commit(sha)
    changes = repo.changes(commit, number) if commit is not None else None
    return next((c.old_path for c in changes or () if c.path == path and c.status == "R"), "")


def _unchanged(old: bytes, new: bytes, lines: Sequence[Pair]) -> list[Pair]:
    """The lines that both versions have, by their number in the old one."""
    kept: list[Pair] = []
    hunks = line_changes(old, new)
    at, shift = 0, 0
    for line, wanted in sorted(lines):
        while at < len(hunks) and hunks[at].b1 < line:
            shift = hunks[at].a1 - hunks[at].b1
            at += 1
        if at == len(hunks) or line <= hunks[at].b0:
            kept.append((line + shift, wanted))
    return kept


# --- verdicts ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CommitRef:
    id: int
    sha: str
    subject: str
    author_name: str
    author_at: str
    declared_agent: str
    automation: str


@dataclass(frozen=True, slots=True)
class Said:
    """What the database says about one line. `author` is "" when it says nothing."""

    author: str = ""
    how: str = ""
    evidence: str = ""
    reason: str = ""
    session_id: int | None = None
    session: str = ""  # the agent's own id
    label: str = ""
    agent: str = ""
    model: str = ""
    turn: int | None = None
    call_id: str = ""
    edited_by: str = ""
    similarity: float | None = None

    @property
    def kind(self) -> str:
        """agent, declared, human, unknown, undeclared, or "" for lines outside the attributed history."""
        return line_class(self.author, self.evidence, self.reason) if self.author else ""


class Verdicts:
    """Commits and spans of one repository, each read once."""

    def __init__(self, where: Place) -> None:
        self._store, self._repo = where.store, where.repo_id
        self._commits: dict[str, CommitRef | None] = {}
        self._spans: dict[tuple[str, str], list[tuple[int, int, Said]]] = {}

    def commit(self, sha: str) -> CommitRef | None:
        if sha not in self._commits:
            rows = self._store.rows("SELECT * FROM commits WHERE repo_id = ? AND commit_sha = ?", (self._repo, sha))
            self._commits[sha] = _commit_ref(rows[0]) if rows else None
        return self._commits[sha]

    def said(self, birth: Birth) -> Said:
        return next((s for a, b, s in self.spans(birth.sha, birth.path) if a <= birth.line <= b), Said())

    def spans(self, sha: str, path: str) -> list[tuple[int, int, Said]]:
        key = (sha, printable(path))
        if key not in self._spans:
            commit = self.commit(sha)
            rows = self._store.rows(_SPANS, (commit.id, key[1])) if commit is not None else []
            self._spans[key] = [(r["start_line"], r["end_line"], _said(r, commit)) for r in rows]
        return self._spans[key]


_SPANS = (
    "SELECT l.*, s.key, s.label, s.agent, s.model AS session_model FROM line_spans l LEFT JOIN sessions s ON s.id = l.session_id "
    "WHERE l.commit_id = ? AND l.path = ? ORDER BY l.start_line"
)


def _commit_ref(row: Mapping[str, Any]) -> CommitRef:
    names = ("subject", "author_name", "author_at", "declared_agent", "automation")
    return CommitRef(row["id"], row["commit_sha"], *(row[n] or "" for n in names))


def _said(row: Mapping[str, Any], commit: CommitRef | None) -> Said:
    declared = commit.declared_agent if commit is not None and row["evidence"] == "declared" else ""
    return Said(
        row["author"], row["how"], row["evidence"], row["reason"], row["session_id"], row["key"] or "", row["label"] or "",
        row["agent"] or declared, row["model"] or row["session_model"] or "", row["turn_index"], row["call_id"] or "",
        row["edited_by"] or "", row["similarity"],
    )  # fmt: skip


# --- attribute blame --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BlameLine:
    line: int
    text: str
    birth: Birth
    commit: CommitRef | None
    said: Said

    def row(self) -> dict[str, Any]:
        """Plain values, for data."""
        s = self.said
        return {
            "line": self.line, "commit": self.birth.sha, "path_then": self.birth.path, "line_then": self.birth.line,
            "author": s.author, "class": s.kind, "how": s.how, "evidence": s.evidence, "reason": s.reason, "agent": s.agent,
            "model": s.model, "session": s.session, "turn": s.turn, "call": s.call_id, "edited_by": s.edited_by,
            "similarity": s.similarity, "git_author": self.commit.author_name if self.commit else "", "text": self.text,
        }  # fmt: skip


@dataclass(slots=True)
class FileStory:
    """Every line of a file of a commit with the verdict on it."""

    name: str
    path: str
    sha: str
    branch: str
    lines: list[BlameLine]
    texts: list[str]  # of all lines, also when only some were asked for
    notes: list[str]


def blame(where: Place, file: str, commit: str = "", only: Sequence[int] = ()) -> FileStory:
    """The file at a commit (default: the tip), all lines or only some. Raises UnknownBranch, WhoWroteError."""
    sha = where.repo.resolve(commit)[1] if commit else where.head
    path, data = file_in(where, sha, file)
    if is_binary(data):
        raise WhoWroteError(f"{path} is a binary file: it has no lines", "Look at its commits with: attribute show COMMIT")
    texts = [decode(line) for line in split_lines(data)]
    missing = next((n for n in only if not 1 <= n <= len(texts)), None)
    if missing is not None:
        raise UnknownBranch(f"{path} has no line {missing} in {sha[:SHORT]}", f"It has {len(texts)} lines")
    verdicts = Verdicts(where)
    found = births(where.repo, sha, path, only or range(1, len(texts) + 1))
    lines = [BlameLine(n, texts[n - 1], b, verdicts.commit(b.sha), verdicts.said(b)) for n, b in sorted(found.items())]
    return FileStory(where.name, path, sha, where.branch if sha == where.head else "", lines, texts, list(where.notes))


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive lines that came the same way."""

    start: int
    end: int
    first: BlameLine
    prompt: str

    def row(self) -> dict[str, Any]:
        values = {k: v for k, v in self.first.row().items() if k not in ("line", "line_then", "text", "similarity")}
        return {"start_line": self.start, "end_line": self.end, **values, "prompt": self.prompt}


def blocks(where: Place, story: FileStory) -> list[Block]:
    """The lines of a file put together: same commit, author, evidence and turn."""
    groups: list[list[BlameLine]] = []
    for line in story.lines:
        if groups and _same(groups[-1][-1], line):
            groups[-1].append(line)
        else:
            groups.append([line])
    return [Block(g[0].line, g[-1].line, g[0], prompt_of(where.store, g[0].said)) for g in groups]


def _same(a: BlameLine, b: BlameLine) -> bool:
    def key(x: BlameLine) -> tuple[object, ...]:
        return x.birth.sha, x.said.kind, x.said.how, x.said.evidence, x.said.reason, x.said.session_id, x.said.turn

    return b.line == a.line + 1 and key(a) == key(b)


def prompt_of(store: Store, said: Said) -> str:
    """What the user asked for in the turn that wrote the line."""
    found = store.value("SELECT prompt FROM turns WHERE session_id = ? AND turn_index = ?", (said.session_id, said.turn))
    return str(found or "")


# --- attribute explain FILE:LINE --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CallLine:
    mark: str  # "+", "-", " " or "$" (a command)
    text: str
    hit: bool  # the explained line


@dataclass(frozen=True, slots=True)
class Call:
    """The tool call that wrote the line, and the part of its text around it."""

    name: str
    at: str
    call_id: str
    subagent: str
    outcome: str
    lines: list[CallLine]
    match: str  # exact | similar | "" (the line is not in the text)
    cut: bool  # there is more text


@dataclass(frozen=True, slots=True)
class Action:
    """Something an agent did shortly before the commit."""

    at: str
    session: str
    what: str
    ours: bool  # the call that explains the line


@dataclass(slots=True)
class LineStory:
    """All there is to say about one line."""

    name: str
    path: str
    sha: str
    branch: str
    line: BlameLine
    by_blame: bool  # the line was followed back from a later commit
    evidence: list[str]  # how we know
    prompt: str
    turn_at: str
    call: Call | None
    others: list[str]  # why not someone else
    actions: list[Action]
    needed: list[str]  # what would tell more
    notes: list[str]

    def data(self) -> dict[str, Any]:
        from dataclasses import asdict

        call = asdict(self.call) if self.call else None
        return {
            "repo": self.name, "path": self.path, "at_commit": self.sha, **self.line.row(),
            "commit_subject": self.line.commit.subject if self.line.commit else "", "found_by_blame": self.by_blame,
            "session_label": self.line.said.label, "how_we_know": self.evidence, "prompt": self.prompt, "prompt_at": self.turn_at,
            "tool_call": call, "why_not_someone_else": self.others, "actions": [asdict(a) for a in self.actions],
            "to_know_more": self.needed, "notes": self.notes,
        }  # fmt: skip


def explain(where: Place, file: str, number: int, commit: str = "") -> LineStory:
    """Why a line is whose it is. Raises UnknownBranch, WhoWroteError."""
    story = blame(where, file, commit, [number])
    line = story.lines[0]
    said = line.said
    window = _window(where, line)
    actions = _actions(where, line, window)
    turn = where.store.rows(
        "SELECT at, prompt FROM turns WHERE session_id = ? AND turn_index = ?", (said.session_id, said.turn)
    )  # fmt: skip
    why, needed = _reasons(line)
    return LineStory(
        where.name,
        story.path,
        story.sha,
        story.branch,
        line,
        by_blame=line.birth.sha != story.sha,
        evidence=why,
        prompt=turn[0]["prompt"] or "" if turn else "",
        turn_at=turn[0]["at"] or "" if turn else "",
        call=_call(where.store, line, _neighbours(story.texts, number)),
        others=_others(line, actions, window),
        actions=actions,
        needed=needed,
        notes=story.notes,
    )


_HOW = {
    ("exact", "observed"): "The text before and after the edit is on record: this edit put exactly this line here.",
    ("exact", "replayed"): "Replaying the edits of the session in order puts exactly this line here.",
    ("exact", "matched"): "The line stands in the text of an edit whose place could not be replayed: it was found by its content.",
    ("shell", "replayed"): "The text of a shell command gives this line literally.",
    ("shell", "observed"): "A shell command of the agent made it; the text before and after is on record.",
    (
        "shell",
        "inferred",
    ): "The file changed while a shell command of the agent worked on it; the command does not show the line itself.",
}
_HOW_ANY = {
    "moved": "The agent wrote this text elsewhere; here it reappears within a block of three or more lines that moved together.",
    "reformatted": "The agent wrote this line; only its layout (blanks, quotes, trailing commas) was changed since.",
    "declared": "A trailer or the author field of the commit names an agent. No session shows the work, so this is taken on trust.",
}
_HUMAN = {
    "before_session": "The line was already in the file when the agent first read it, and in no commit before: written in between.",
    "observed": "The text of the file is known before and after the change, and no action of an agent in between explains it.",
    "inferred": "No edit of an agent contains the line, and no command that could have written it ran in that time.",
}
FETCH = "git fetch origin '+refs/entire/*:refs/entire/*', then attribute repo again"
_REASONS = {
    "no_session": (
        "Nothing links this commit to an agent: no checkpoint, no trailer, no bot, no session that wrote its lines.",
        "A record of the session, if there was one. Checkpoints may not be in this clone: " + FETCH,
    ),
    "transcript_missing": (
        "The commit belongs to a session whose transcript is absent or ends before the commit.",
        "The transcript. If it is on the server: " + FETCH,
    ),
    "checkpoint_missing": (
        "The commit names a checkpoint that this clone does not have.",
        "The checkpoint. If it is on the server: " + FETCH,
    ),
    "invisible_subagent": (
        "A subagent worked in that time, and its own actions are in no transcript.",
        "The records of the subagent, which its agent did not store in git.",
    ),
    "opaque_shell": (
        "In that time the agent ran a command that could have written anything (a script, a program of the project).",
        "What the command did to the file; git does not know.",
    ),
    "git_operation": (
        "In that time the agent had git bring text from elsewhere (checkout, stash, merge, restore).",
        "The commit or stash the text came from.",
    ),
    "other_branch": (
        "An agent saw the line before the parent commit was made, which lacks it: it comes from another branch or a lost commit.",
        "The branch it comes from, attributed with --branch.",
    ),
    "restored": ("An agent wrote this line earlier; it was deleted and came back, and nobody can say by whom.", ""),
    "rewritten": ("The commit was amended or rebased after the sessions: the text it started from is not certain.", ""),
    "automation": ("An automation account (no coding agent) authored the commit.", "What the automation was told to do."),
    "unexplained": (
        "A session is linked to the commit, but no replay of it follows this file.",
        "A transcript that covers the file.",
    ),
}


def _reasons(line: BlameLine) -> tuple[list[str], list[str]]:
    """How we know, and what would tell more."""
    said = line.said
    if not said.author:
        return ["The commit that added the line is outside the attributed history."], [
            "Attribute it: without --since, or another --branch"
        ]
    if said.author == "unknown":
        why, needed = _REASONS.get(said.reason, (f"Reason: {said.reason.replace('_', ' ')}.", ""))
        return [why], [needed] if needed else []
    if said.author == "human":
        return [_HUMAN.get(said.reason) or _HUMAN.get(said.evidence, said.evidence)], []
    if said.how == "edited":
        share = f"; {said.similarity:.0%} of the words agree" if said.similarity else ""
        who = {"human": "a person", "unknown": "somebody unknown"}.get(said.edited_by, said.edited_by)
        return [f"The agent wrote the line and {who} changed it before the commit{share}. Below is what the agent wrote."], []
    found = _HOW.get((said.how, said.evidence)) or _HOW_ANY.get(said.how) or f"{said.how}, {said.evidence}"
    return [found], ["A session record: " + FETCH] if said.how == "declared" else []


@dataclass(frozen=True, slots=True)
class Window:
    """The time in which the line can have been written: since the commit that changed the file before."""

    since: str
    until: str
    before: str  # that commit, short; "" when the file is new


def _window(where: Place, line: BlameLine) -> Window | None:
    if line.commit is None:
        return None
    path = printable(line.birth.path)
    rows = where.store.rows(
        "SELECT c.commit_sha, c.author_at FROM commit_files f JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = ? AND "
        "(f.path = ? OR f.path = (SELECT old_path FROM commit_files WHERE commit_id = ? AND path = ?)) AND c.position < "
        "(SELECT position FROM commits WHERE id = ?) AND c.author_at < ? ORDER BY c.position DESC LIMIT 1",
        (where.repo_id, path, line.commit.id, path, line.commit.id, line.commit.author_at),
    )
    before = rows[0] if rows else {"commit_sha": "", "author_at": ""}
    return Window(before["author_at"], line.commit.author_at, before["commit_sha"][:SHORT])


_NAMING = "t.command IS NOT NULL AND instr(t.command, ?4) > 0"
_ANY_COMMAND = "t.command IS NOT NULL AND ?4 <> ''"
_SUBAGENTS = "(lower(t.name) IN ('task', 'agent') OR t.name LIKE '%subagent%' OR instr(t.command, ?4) > 0)"
_SUSPECTS = {"opaque_shell": _ANY_COMMAND, "git_operation": _ANY_COMMAND, "invisible_subagent": _SUBAGENTS}


def _actions(where: Place, line: BlameLine, window: Window | None) -> list[Action]:
    """Edits of the file by any agent within the window, and what else may concern it: commands that name it, or all suspects."""
    if window is None:
        return []
    path = printable(line.birth.path)
    edits = where.store.rows(
        "SELECT e.at, s.label, e.op, e.outcome, e.lines_added, e.lines_removed, e.call_id, t.name FROM edits e "
        "JOIN sessions s ON s.id = e.session_id LEFT JOIN tool_calls t ON t.session_id = e.session_id AND t.call_id = e.call_id "
        "WHERE s.repo_id = ? AND e.path = ? AND e.at > ? AND e.at <= ?",
        (where.repo_id, path, window.since, window.until),
    )
    commands = where.store.rows(
        "SELECT t.at, s.label, t.name, t.command, t.input, t.call_id FROM tool_calls t JOIN sessions s ON s.id = t.session_id "
        f"WHERE s.repo_id = ?1 AND t.at > ?2 AND t.at <= ?3 AND {_SUSPECTS.get(line.said.reason, _NAMING)}",
        (where.repo_id, window.since, window.until, path.rpartition("/")[2]),
    )
    done = {e["call_id"] for e in edits}
    found = [Action(e["at"], e["label"], _edit_words(e), e["call_id"] == line.said.call_id) for e in edits]
    found += [
        Action(
            c["at"], c["label"], f"{c['name']}: {_first_line(c['command'] or c['input'] or '')}", c["call_id"] == line.said.call_id
        )
        for c in commands
        if c["call_id"] not in done
    ]
    return sorted(found, key=lambda a: a.at)


def _edit_words(row: Mapping[str, Any]) -> str:
    counts = "" if row["lines_added"] is None else f" +{row['lines_added']} -{row['lines_removed']}"
    return f"{row['name'] or row['op']}: {row['outcome'].replace('_', ' ')}{counts}"


def _first_line(text: str) -> str:
    return text.strip().split("\n", 1)[0][:200]


def _others(line: BlameLine, actions: Sequence[Action], window: Window | None) -> list[str]:
    said = line.said
    if window is None or not said.author or said.how == "declared":
        return []
    span = f"between {window.before} and this commit" if window.before else "before this commit"
    file = line.birth.path
    rest = [a for a in actions if not a.ours]
    if said.author == "agent":
        sessions = {a.session for a in rest} - {said.label}
        others = f"{len(sessions)} other sessions touched it" if len(sessions) > 1 else "one other session touched it"
        who = others if sessions else "no other session touched it"
        where = (
            "its state here comes from this call" if said.evidence in ("observed", "replayed") else "this call is the best match"
        )
        return [f"{who.capitalize()} {span}, and {where}.", *_not_a_human(said)]
    if not rest:
        return [f"No recorded edit or command names {file} {span}."]
    times = "once" if len(rest) == 1 else f"{len(rest)} times"
    if said.author == "unknown" and said.reason in _SUSPECTS:
        return [f"Agents acted {times} {span} in ways that may be the cause (below)."]
    return [f"Agents edited or named {file} {times} {span} (below); none of it explains the line."]


def _not_a_human(said: Said) -> list[str]:
    if said.how in ("exact", "shell") and said.evidence in ("observed", "replayed"):
        return ["The line was there the moment the call ended: nobody needed to type it afterwards."]
    return []


# --- the text of a call -----------------------------------------------------------------------------------------------

_AROUND = 5
_PATCH_KEYS = ("patch", "diff", "input", "patchtext")


def _neighbours(texts: Sequence[str], number: int) -> tuple[str, str]:
    """The lines before and after; they tell equal lines of a call apart."""
    return texts[number - 2].strip() if number > 1 else "", texts[number].strip() if number < len(texts) else ""


def _call(store: Store, line: BlameLine, neighbours: tuple[str, str]) -> Call | None:
    said = line.said
    rows = store.rows(
        "SELECT t.*, e.outcome FROM tool_calls t "
        "LEFT JOIN edits e ON e.session_id = t.session_id AND e.call_id = t.call_id AND e.path = ? "
        "WHERE t.session_id = ? AND t.call_id = ? LIMIT 1",
        (printable(line.birth.path), said.session_id, said.call_id),
    )
    if not rows or not said.call_id:
        return None
    row = rows[0]
    texts = [("$", "", row["command"])] if row["command"] is not None else list(_texts(row["input"] or ""))
    lines, match, cut = _excerpt(texts, printable(line.text), neighbours)
    return Call(row["name"], row["at"] or "", row["call_id"], row["agent_id"] or "", row["outcome"] or "", lines, match, cut)


def _texts(arguments: str) -> Iterator[tuple[str, str, str]]:
    """(mark, text that was replaced, text) of every argument that can hold lines; "" is the mark of a patch."""
    try:
        value = json.loads(arguments)
    except ValueError:
        value = {"content": arguments.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\\\", "\\")}
    stack = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, dict):
            strings = {k: v for k, v in one.items() if isinstance(v, str)}
            old = next((v for k, v in strings.items() if "old" in k.lower()), "")
            for key, text in strings.items():
                if "old" not in key.lower() and not key.lower().endswith("path"):
                    yield ("" if key.lower() in _PATCH_KEYS else "+"), old, text
            stack.extend(v for v in one.values() if not isinstance(v, str))
        elif isinstance(one, list):
            stack.extend(one)
        elif isinstance(one, str):
            yield "", "", one


def _excerpt(texts: Sequence[tuple[str, str, str]], wanted: str, neighbours: tuple[str, str]) -> tuple[list[CallLine], str, bool]:
    """The lines around the wanted one, marked as a diff marks them; how it was found; whether there is more."""
    best: tuple[float, int, list[tuple[str, str]], int] = (-1.0, 0, [], 0)
    for mark, old, text in texts:
        lines = _marked(mark, old, text)
        plain = [line if sign else line[1:] for sign, line in lines]
        for at, (sign, _) in enumerate(lines):
            score = _likeness(plain[at], wanted) if sign != "-" else 0.0
            around = (plain[at - 1].strip() if at else "", plain[at + 1].strip() if at + 1 < len(plain) else "")
            agree = sum(a == b for a, b in zip(around, neighbours, strict=True))
            if (score, agree) > best[:2]:
                best = (score, agree, lines, at)
    score, _, lines, at = best
    match = "exact" if score == 1.0 else "similar" if score >= 0.6 else ""
    start = max(0, at - _AROUND) if match else 0
    end = min(len(lines), at + _AROUND + 1) if match else 2 * _AROUND
    shown = [
        CallLine(sign or line[:1], line if sign else line[1:], bool(match) and i == at) for i, (sign, line) in enumerate(lines)
    ]
    return shown[start:end], match, start > 0 or end < len(lines)


def _marked(mark: str, old: str, text: str) -> list[tuple[str, str]]:
    new = text.split("\n")
    if not old or mark != "+":
        return [(mark, line) for line in new]
    before = old.split("\n")
    result: list[tuple[str, str]] = []
    for tag, a0, a1, b0, b1 in difflib.SequenceMatcher(None, before, new, autojunk=False).get_opcodes():
        if tag == "equal":
            result += [(" ", line) for line in new[b0:b1]]
        else:
            result += [("-", line) for line in before[a0:a1]] + [("+", line) for line in new[b0:b1]]
    return result


def _likeness(line: str, wanted: str) -> float:
    a, b = line.strip(), wanted.strip()
    if a == b:
        return 1.0
    if not a or not b or not 0.4 < len(a) / len(b) < 2.5:
        return 0.0
    return min(0.99, difflib.SequenceMatcher(None, a[:300], b[:300]).ratio())


# --- attribute show ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FileRow:
    path: str
    old_path: str
    status: str
    kind: str
    added: int
    deleted: int
    spans: list[tuple[int, int, Said]]


@dataclass(frozen=True, slots=True)
class LinkedSession:
    key: str
    label: str
    agent: str
    model: str
    transcript: str
    method: str
    confidence: float
    agent_lines: int
    produced: int
    survived: int
    prompts: list[str]  # of the turns that wrote lines of the commit


@dataclass(frozen=True, slots=True)
class Claim:
    """The producer's number beside ours."""

    session: str
    checkpoint: str
    theirs: float | None
    ours: float | None
    reason: str


@dataclass(slots=True)
class CommitStory:
    repo: str
    commit: CommitRef
    lines: dict[str, int]  # non-blank lines by class
    checkpoints: list[tuple[str, bool]]  # id, is it in this clone
    files: list[FileRow]
    sessions: list[LinkedSession]
    claims: list[Claim]

    def data(self) -> dict[str, Any]:
        from dataclasses import asdict

        return asdict(self)

    def span_rows(self) -> Iterator[dict[str, Any]]:
        for f in self.files:
            for start, end, s in f.spans:
                yield {
                    "commit": self.commit.sha, "path": f.path, "start_line": start, "end_line": end, "author": s.author,
                    "class": s.kind, "how": s.how, "evidence": s.evidence, "reason": s.reason, "agent": s.agent, "model": s.model,
                    "session": s.session, "turn": s.turn, "call": s.call_id, "edited_by": s.edited_by, "similarity": s.similarity,
                }  # fmt: skip


def commit_story(store: Store, given: str, where: Place | None = None) -> CommitStory:
    """A commit by its (abbreviated) id, or by any name when the clone is at hand. Raises UnknownBranch."""
    row = _commit_row(store, given, where)
    ref = _commit_ref(row)
    files = _files(store, ref)
    return CommitStory(
        row["repo"], ref, _class_lines(store, ref), _checkpoints(store, ref), files, _linked(store, ref), _claims(store, ref)
    )


def _commit_row(store: Store, given: str, where: Place | None) -> dict[str, Any]:
    sha = where.repo.resolve(given)[1] if where is not None else given.lower()
    if len(sha) < 4 or not set(sha) <= set("0123456789abcdef"):
        raise UnknownBranch(
            f"{given!r} is not the id of a commit", "With the path of the clone, names work too: attribute show HEAD PATH"
        )
    repo = where.repo_id if where is not None else None
    rows = store.rows(
        "SELECT c.*, r.name AS repo FROM commits c JOIN repos r ON r.id = c.repo_id WHERE c.commit_sha >= ? AND c.commit_sha <= ? "
        "AND (? IS NULL OR c.repo_id = ?) LIMIT 2",
        (sha, sha + "g", repo, repo),
    )
    if not rows:
        raise UnknownBranch(
            f"commit {given} is not in {store.path}", "It may be on another branch or before --since; see: attribute repo --help"
        )
    if len(rows) > 1:
        raise UnknownBranch(f"{given} is the beginning of several commits", "Give more digits, or the path of the clone")
    return rows[0]


def _files(store: Store, commit: CommitRef) -> list[FileRow]:
    rows = store.rows("SELECT * FROM commit_files WHERE commit_id = ? ORDER BY path", (commit.id,))
    spans: dict[str, list[tuple[int, int, Said]]] = defaultdict(list)
    sql = _SPANS.replace("AND l.path = ? ORDER BY l.start_line", "ORDER BY l.path, l.start_line")
    for r in store.rows(sql, (commit.id,)):
        spans[r["path"]].append((r["start_line"], r["end_line"], _said(r, commit)))
    return [
        FileRow(r["path"], r["old_path"] or "", r["status"], r["kind"], r["lines_added"], r["lines_deleted"], spans[r["path"]])
        for r in rows
    ]


def _class_lines(store: Store, commit: CommitRef) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for r in store.rows(
        "SELECT author, evidence, reason, SUM(nonblank) AS n FROM line_spans WHERE commit_id = ? GROUP BY 1, 2, 3", (commit.id,)
    ):
        found[line_class(r["author"], r["evidence"], r["reason"])] += r["n"]
    return dict(found)


def _checkpoints(store: Store, commit: CommitRef) -> list[tuple[str, bool]]:
    rows = store.rows("SELECT checkpoint_key, checkpoint FROM commit_checkpoint_links WHERE commit_id = ? ORDER BY 1", (commit.id,))
    return [(r["checkpoint_key"], r["checkpoint"] is not None) for r in rows]


def _linked(store: Store, commit: CommitRef) -> list[LinkedSession]:
    rows = store.rows(
        "SELECT cs.*, s.key, s.label, s.agent, s.agent_label, s.model, s.transcript FROM commit_sessions cs "
        "JOIN sessions s ON s.id = cs.session_id WHERE cs.commit_id = ? ORDER BY cs.agent_lines DESC, s.started_at",
        (commit.id,),
    )
    prompts: dict[int, list[str]] = defaultdict(list)
    for r in store.rows(
        "SELECT DISTINCT t.session_id, t.turn_index, t.prompt FROM line_spans l JOIN turns t ON t.session_id = l.session_id "
        "AND t.turn_index = l.turn_index WHERE l.commit_id = ? ORDER BY 1, 2",
        (commit.id,),
    ):
        prompts[r["session_id"]].append(r["prompt"] or "")
    return [
        LinkedSession(
            r["key"], r["label"], r["agent"] or r["agent_label"] or "", r["model"] or "", r["transcript"], r["method"],
            r["confidence"], r["agent_lines"], r["produced"] or 0, r["survived"] or 0, prompts[r["session_id"]],
        )
        for r in rows
    ]  # fmt: skip


def _claims(store: Store, commit: CommitRef) -> list[Claim]:
    rows = store.rows(
        "SELECT s.label, k.checkpoint_id, r.vendor_percentage AS theirs, v.our_percentage AS ours, v.disagreement_reason AS reason "
        "FROM commit_checkpoint_links l JOIN checkpoints k ON k.id = l.checkpoint "
        "JOIN checkpoint_sessions r ON r.checkpoint_id = k.id JOIN sessions s ON s.id = r.session_id "
        "LEFT JOIN vendor_checks v ON v.checkpoint_session_id = r.id AND v.commit_id = l.commit_id "
        "WHERE l.commit_id = ? AND r.vendor_percentage IS NOT NULL ORDER BY k.checkpoint_id, r.position",
        (commit.id,),
    )
    return [Claim(r["label"], r["checkpoint_id"], r["theirs"], r["ours"], r["reason"] or "not_comparable") for r in rows]
