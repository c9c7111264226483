"""git-ai authorship notes 3.0.0: a text per commit, as files or as notes in a repository that was
named for it.

Only what agents wrote is named: a line in no entry is "untracked" there, while "known human" means
that typing was seen, which we never do. Notes are written to a ref of our own, and never where a
note of somebody else is.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from attribution.exchange.exports import ExportRequest, ExportResult, Share, commit_shares, left_out
from attribution.exchange.producers import git_ai as reader
from attribution.exchange.producers.model import ClaimSource
from attribution.exchange.words import RecordState
from collector.errors import WhoWroteError
from collector.git.program import write_files
from collector.git.ranges import LineRange, text, unite
from collector.git.repository import GitRepo
from collector.runtime.version import version
from collector.vocabulary.agents import exported_name

NAME = "git-ai"
LABEL = "git-ai authorship 3.0.0"
GIVES = "one text per commit in a directory, or notes written with `--into REPOSITORY`"
OPTIONS = ("into", "ref")

REF = "refs/notes/whowrote"
SCHEMA = "authorship/3.0.0"


def write(request: ExportRequest) -> ExportResult:
    """Raises WhoWroteError when the ref holds notes of somebody else."""
    result = ExportResult(rows={"notes": 0, "lines": 0})
    by_commit: dict[str, list[Share]] = {}
    for repo in request.repos:
        for share in commit_shares(request.store, repo, people=False):
            by_commit.setdefault(share[0]["commit"], []).append(share)
            result.rows["lines"] += sum(span["lines"] for span in share)
    notes = {
        sha: note(sha, group).encode("utf-8", "surrogateescape") for sha, group in by_commit.items()
    }
    result.rows["notes"] = len(notes)
    if request.into is not None:
        ref = request.ref or REF
        _write_notes(request.into, ref, notes)
        result.notes.append(
            f"notes written to {ref} of {request.into}: {len(notes)}; see them with: git log"
            f" --notes={ref}"
        )
    else:
        result.files.append(request.out)
        request.out.mkdir(parents=True, exist_ok=True)
        for sha, data in notes.items():
            (request.out / f"{sha}.txt").write_bytes(data)
    result.notes += left_out(request.store, request.repos)
    return result


def note(sha: str, shares: Iterable[Share]) -> str:
    """The text of one commit's note."""
    files: dict[str, dict[str, list[LineRange]]] = {}
    sessions = {}
    for share in shares:
        first = share[0]
        tool = exported_name(first["agent"], NAME) or "unknown"
        key = "s_" + _digest(f"{tool}:{first['session']}")
        model = next((span["model"] for span in share if span["model"]), "unknown")
        sessions[key] = {
            "agent_id": {"tool": tool, "id": first["session"], "model": model},
            "human_author": first["committer"],
        }
        for span in share:
            entry = f"{key}::t_{_digest(span['session'] + ':' + str(span['turn']))}"
            files.setdefault(span["path"], {}).setdefault(entry, []).append(
                (span["start_line"], span["end_line"])
            )
    head = []
    # The format has no escapes: a path with a line end or a quote cannot be said.
    for path in sorted(path for path in files if "\n" not in path and '"' not in path):
        head.append(f'"{path}"' if any(c in path for c in " \t") else path)
        head += [f"  {key} {text(unite(ranges))}" for key, ranges in sorted(files[path].items())]
    meta = {
        "schema_version": SCHEMA,
        "git_ai_version": f"{reader.OWN}{version()}",
        "base_commit_sha": sha,
        "prompts": {},
        "sessions": sessions,
    }
    return "\n".join([*head, "---", json.dumps(meta, indent=2, ensure_ascii=False)]) + "\n"


def _digest(words: str) -> str:
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:14]


def _write_notes(target: Path, ref: str, notes: Mapping[str, bytes]) -> None:
    if not ref.startswith("refs/notes/") or ref.rstrip("/") == "refs/notes":
        raise WhoWroteError(
            f"{ref} is not a notes ref",
            "Use one under refs/notes/, for example refs/notes/whowrote",
        )
    repo = GitRepo(target)
    tree = {
        f"{sha[:2]}/{sha[2:]}": data
        for sha, data in (_earlier_notes(repo, ref) | dict(notes)).items()
    }
    write_files(repo.common_dir(), ref, tree, repo.refs().get(ref, ""))


def _earlier_notes(repo: GitRepo, ref: str) -> dict[str, bytes]:
    """The notes that an earlier export wrote there. Raises WhoWroteError when there are others."""
    notes = {}
    target = repo.refs().get(ref)
    for path, blob in (repo.paths(target) if target else {}).items():
        sha = path.replace("/", "")
        data = repo.blob(blob) or b""
        records = reader.read(ClaimSource("note", ref, path, blob, sha), data)
        if not records or records[0].state != RecordState.OWN:
            raise WhoWroteError(
                f"{ref} of {repo.worktree() or repo.path} contains notes of other tools, for"
                f" example on {sha}",
                "Nothing was written. Choose another ref: --ref refs/notes/NAME",
            )
        notes[sha] = data
    return notes
