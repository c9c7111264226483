"""Whole-history line origins against what git needs for less: `git blame` of HEAD alone, and
printing the patches.

    python benchmarks/bench_history.py CLONE [CLONE ...] [--repeat 3] [--window 1000] [--no-blame]
    [--theseus]

All candidates run one after the other in each round, as processes of their own. Times are CPU
seconds (user and system) with all children, so that other work on the machine disturbs little; the
medians are printed, and ratios to our whole process. What the program stores is compared with
printing the patches, round by round.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from processes import drain, seconds_of_children, times_of  # noqa: E402

from attribution.lineage.lifetimes import LineLifetimes  # noqa: E402
from attribution.lineage.outside import list_files  # noqa: E402
from attribution.lineage.state import dump, load  # noqa: E402
from attribution.lineage.walk import HistoryWalk, WalkOptions  # noqa: E402
from collector.git.program import ScratchGit  # noqa: E402
from collector.git.repository import GitRepo  # noqa: E402
from collector.text import is_binary  # noqa: E402

KINDS = ("origins", "lives", "kept", "window", "again", "stored")
STORED, PATCHES = "origins, lives, kept lines, in a database", "git log -p -U0"


def peak() -> int:
    """Megabytes this process held at most; not `ru_maxrss`, which a child inherits from the
    process that started it.
    """
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return int(status.read_text().partition("VmHWM:")[2].split()[0]) // 1024


def run_one(kind: str, path: Path, window: int) -> dict[str, Any]:
    """One of our candidates, inside its own process."""
    repo = GitRepo(path)
    tip = repo.default_branch().sha
    if kind == "stored":
        return run_stage(repo, tip)
    options = WalkOptions(keep=True, texts=True) if kind == "kept" else WalkOptions()
    lifetimes = LineLifetimes() if kind in ("lives", "kept") else None
    with repo.open_scratch() as git:
        if kind == "again":
            saved = load(Path(sys.argv[-1]).read_bytes())
            assert saved is not None
            history = HistoryWalk(repo, git, options).run(tip, saved=saved.lines)
        else:
            history = HistoryWalk(repo, git, options).run(
                tip,
                before_newest(git, tip, window),
                observers=[lifetimes.step] if lifetimes is not None else [],
            )
        spans = sum(1 for _ in lifetimes.spans(history)) if lifetimes is not None else 0
    return {
        "commits": len(history.shas),
        "lines": sum(len(file.vector) // 4 for file in history.state.values()),
        "spans": spans,
        "ours_mb": peak(),
        "git_mb": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024,
    }


def run_stage(repo: GitRepo, tip: str) -> dict[str, Any]:
    """The stage of the program: whole history, kept lines, written to a database."""
    gc.set_threshold(10_000, 20, 100)  # as every command does
    from attribution.lineage.requests import HistoryRequest
    from attribution.stages.history import follow_history
    from collector.repository_rows import claim_repo
    from collector.runtime.stages import RunContext
    from collector.storage.store import Store

    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "bench.db") as store:
        repo_id = claim_repo(store, repo, "bench")
        done = follow_history(RunContext(store, repo, repo_id), tip, HistoryRequest(full=True))
        spans = store.value("SELECT COUNT(*) FROM line_lifetimes")
    git_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    return {
        "commits": done.commits,
        "lines": 0,
        "spans": spans,
        "ours_mb": peak(),
        "git_mb": git_mb,
    }


def before_newest(git: ScratchGit, tip: str, window: int) -> str:
    """The commit of the main line that about `window` commits came after; "" for all."""
    if not window:
        return ""
    chain = (
        git.output(["rev-list", "--first-parent", f"--max-count={window + 1}", tip])
        .decode()
        .split()
    )
    low, high = 0, len(chain) - 1
    while low < high:  # the number of commits since grows along the chain
        middle = (low + high) // 2
        since = int(git.output(["rev-list", "--count", tip, f"^{chain[middle]}"]))
        low, high = (low, middle) if since >= window else (middle + 1, high)
    return chain[low]


def theseus(path: Path, folder: Path) -> Callable[[], object]:
    """git-of-theseus with its default weekly samples, of the branch that HEAD names."""
    branch = GitRepo(path).default_branch().name
    clone = folder / "clone"  # it does not read bare repositories
    subprocess.run(
        ["git", "clone", "-q", "--shared", "--no-checkout", str(path), str(clone)], check=True
    )
    program = shutil.which("git-of-theseus-analyze") or str(
        Path(sys.executable).parent / "git-of-theseus-analyze"
    )
    command = [
        program,
        str(clone),
        "--branch",
        branch,
        "--outdir",
        str(folder / "theseus"),
        "--quiet",
    ]
    return lambda: subprocess.run(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True
    )


def start(kind: str, path: Path, window: int = 0, extra: str = "") -> dict[str, Any]:
    command = [
        sys.executable,
        __file__,
        "--one",
        kind,
        "--window",
        str(window),
        str(path),
        *([extra] if extra else []),
    ]
    found: dict[str, Any] = json.loads(
        subprocess.run(command, capture_output=True, check=True).stdout
    )
    return found


def text_files(repo: GitRepo, git: ScratchGit, tip: str) -> list[str]:
    found = []
    for path, (oid, _) in (list_files(git, tip) or {}).items():
        data = repo.blob(oid)
        if data and not is_binary(data):
            found.append(path)
    return found


def bench(path: Path, repeat: int, window: int, with_blame: bool, with_theseus: bool) -> None:
    repo = GitRepo(path)
    tip = repo.default_branch().sha
    times: dict[str, list[float]] = {}
    facts: dict[str, dict[str, Any]] = {}
    with repo.open_scratch() as git, tempfile.TemporaryDirectory() as folder:
        files = text_files(repo, git, tip)
        saved = Path(folder) / "state"
        back = (
            git.output(["rev-list", "--first-parent", "--skip=10", "-1", tip]).decode().strip()
            or tip
        )
        lifetimes = LineLifetimes()
        saved.write_bytes(
            dump(HistoryWalk(repo, git).run(back, observers=[lifetimes.step]), lifetimes)
        )

        def ours(kind: str, size: int = 0, extra: str = "") -> Callable[[], None]:
            return lambda: facts.update({kind: start(kind, path, size, extra)})

        def blame() -> None:
            for name in files:
                git.output(["blame", "--porcelain", tip, "--", name])

        candidates: dict[str, Callable[[], object]] = {
            "origins": ours("origins"),
            "origins + lives": ours("lives"),
            "origins + lives, moves and reformatting kept": ours("kept"),
            STORED: ours("stored"),
            f"window (newest {window} commits)": ours("window", window),
            "10 new main-line commits on a saved state": ours("again", 0, str(saved)),
            PATCHES: lambda: drain(git, ["log", "-p", "-U0", tip]),
        }
        if with_blame:
            candidates["git blame, all files of HEAD"] = blame
        if with_theseus:
            candidates["git-of-theseus, weekly samples"] = theseus(path, Path(folder))
        for _ in range(repeat):
            for name, work in candidates.items():
                times.setdefault(name, []).append(seconds_of_children(work))
    report(path, repeat, times, facts, len(files))


def report(
    path: Path,
    repeat: int,
    times: dict[str, list[float]],
    facts: dict[str, dict[str, Any]],
    files: int,
) -> None:
    main = facts["origins"]
    print(
        f"{path}: {main['commits']} commits, {files} text files, {main['lines']} lines at HEAD;"
        f" median of {repeat}"
    )
    base = statistics.median(times["origins"])
    for name, values in times.items():
        middle = statistics.median(values)
        spread = f"{min(values):.2f}-{max(values):.2f}"
        print(f"  {name:46} {middle:8.2f} s CPU  {middle / base:6.2f}x  ({spread})")
    print(f"  stored history against {PATCHES}: {times_of(times[STORED], times[PATCHES])} times")
    for kind, found in facts.items():
        print(f"  peak memory, {kind:8} {found['ours_mb']:5} MB ours, {found['git_mb']:5} MB git")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--window", type=int, default=1000)
    parser.add_argument(
        "--theseus",
        action="store_true",
        help="also git-of-theseus, which must be installed beside this Python",
    )
    parser.add_argument("--no-blame", action="store_true")
    parser.add_argument("--one", choices=KINDS, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(run_one(args.one, args.paths[0], args.window)))
        return
    for path in args.paths:
        bench(path, args.repeat, args.window, not args.no_blame, args.theseus)


if __name__ == "__main__":
    main()
