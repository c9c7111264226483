"""git-ai authorship notes 3.0.0: a text per commit, as files, in a bundle, or as notes in a repository that was named for it.

Only what agents wrote is named: a line in no entry is "untracked" there, while "known human" means that typing was seen, which we
never do. Notes are written to a ref of our own, and never where a note of somebody else is.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attribution.exports import ExportRequest, ExportResult
from attribution.exports.lines import left_out
from attribution.queries.commit_shares import CommitShare, commit_shares
from collector.claims import git_ai as reader
from collector.claims.model import ClaimSource
from collector.errors import WhoWroteError
from collector.git.program import bundle_files, write_files
from collector.git.ranges import LineRange, text, united
from collector.git.repository import GitRepo
from collector.runtime.version import version
from collector.vocabulary.agents import exported_name

NAME = "git-ai"
LABEL = "git-ai authorship 3.0.0"
GIVES = "one text per commit in a directory, `OUT.bundle` with a notes ref, or notes written with `--into REPOSITORY`"
OPTIONS: frozenset[str] = frozenset({"into", "ref"})

REF = "refs/notes/whowrote"
SCHEMA = "authorship/3.0.0"


def write(request: ExportRequest) -> ExportResult:
    """Raises WhoWroteError when the ref holds notes of somebody else."""
    result = ExportResult(rows={"notes": 0, "lines": 0})
    by_commit: dict[str, list[CommitShare]] = {}
    for repo in request.repos:
        for share in commit_shares(request.store, repo, people=False):
            by_commit.setdefault(share.commit, []).append(share)
            result.rows["lines"] += share.lines
    notes = {sha: note(sha, group).encode("utf-8", "surrogateescape") for sha, group in by_commit.items()}
    result.rows["notes"] = len(notes)
    ref = request.ref or REF
    if request.into is not None:
        _into(request.into, ref, notes)
        result.notes.append(f"{len(notes)} notes written to {ref} of {request.into}; see them with: git log --notes={ref}")
    elif request.out.suffix == ".bundle":
        bundle_files(request.out, ref, _tree(notes))
        result.files.append(request.out)
        result.notes.append(f"import them with: git fetch {request.out} {ref}:{ref}")
    else:
        result.files.append(request.out)
        request.out.mkdir(parents=True, exist_ok=True)
        for sha, data in notes.items():
            (request.out / f"{sha}.txt").write_bytes(data)
    if note_ := left_out(request.store, request.repos):
        result.notes.append(note_)
    return result


def note(sha: str, group: Iterable[CommitShare]) -> str:
    """The text of one commit's note."""
    files: dict[str, dict[str, list[LineRange]]] = {}
    sessions: dict[str, dict[str, Any]] = {}
    for share in group:
        tool = exported_name(share.agent, NAME) or "unknown"
        key = "s_" + _digest(f"{tool}:{share.session}")
        model = next((s.model for s in share.spans if s.model), "unknown")
        agent = {"tool": tool, "id": share.session, "model": model}
        sessions[key] = {"agent_id": agent, "human_author": share.committer}
        for span in share.spans:
            entry = f"{key}::t_{_digest(f'{share.session}:{span.turn}')}"
            files.setdefault(span.path, {}).setdefault(entry, []).append((span.start, span.end))
    head = []
    for path in sorted(files):
        if not _writable(path):
            continue
        head.append(_quoted(path))
        head += [f"  {key} {text(united(ranges))}" for key, ranges in sorted(files[path].items())]
    meta = {
        "schema_version": SCHEMA, "git_ai_version": f"{reader.OWN}{version()}", "base_commit_sha": sha, "prompts": {},
        "sessions": sessions,
    }  # fmt: skip
    return "\n".join([*head, "---", json.dumps(meta, indent=2, ensure_ascii=False)]) + "\n"


def _digest(words: str) -> str:
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:14]


def _writable(path: str) -> bool:
    """The format has no escapes: a path with a line end or a quote cannot be said."""
    return "\n" not in path and '"' not in path


def _quoted(path: str) -> str:
    return f'"{path}"' if any(c in path for c in " \t") else path


# --- notes in git -----------------------------------------------------------------------------------------------------


def _into(where: Path, ref: str, notes: Mapping[str, bytes]) -> None:
    if not ref.startswith("refs/notes/") or ref.rstrip("/") == "refs/notes":
        raise WhoWroteError(f"{ref} is not a notes ref", "Use one under refs/notes/, for example refs/notes/whowrote")
    repo = GitRepo(where)
    write_files(repo.common_dir(), ref, _tree(_ours(repo, ref) | dict(notes)), repo.refs().get(ref, ""))


def _ours(repo: GitRepo, ref: str) -> dict[str, bytes]:
    """The notes that an earlier export wrote there. Raises WhoWroteError when there are others."""
    notes: dict[str, bytes] = {}
    target = repo.refs().get(ref)
    for place, blob in (repo.paths(target) if target else {}).items():
        data = repo.blob(blob) or b""
        records = reader.read(ClaimSource("note", ref, place, blob, place.replace("/", "")), data)
        if not records or records[0].state != "own":
            raise WhoWroteError(
                f"{ref} of {repo.path} contains notes of other tools, for example on {place.replace('/', '')}",
                "Nothing was written. Choose another ref: --ref refs/notes/NAME",
            )
        notes[place.replace("/", "")] = data
    return notes


def _tree(notes: Mapping[str, bytes]) -> dict[str, bytes]:
    """Path in the notes tree -> content."""
    return {f"{sha[:2]}/{sha[2:]}": data for sha, data in notes.items()}
