"""Are a person's lines found? Puts lines of another project, written before 2021, into real commits
and asks who wrote them.

    python benchmarks/spike_in.py --donor CLONE [--donor CLONE...] [--spikes N] [--seed N] CLONE...

One commit is rebuilt at a time: same parents, message, authors and times, one file changed. The
truth is known by date: no agent wrote the donated lines for this repository. Kinds of spikes:

    after      three consecutive donated lines after the last line of a block an agent wrote
    inside     the same inside a block an agent wrote
    elsewhere  the same at a random place of a file the commit changes, away from agents' lines
    token      one word of an agent's line replaced (the line stays the agent's, `edited`)
    paste      three lines an agent wrote in another file of the commit (not a person's)
    layout     the indentation of the whole file doubled (nobody's words)

`human` is right for the first three, wrong for the last two. A donated line given to an agent is
wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from variants import Asked, Variants, name_of  # noqa: E402

from attribution.authorship.verdicts import Verdict  # noqa: E402
from collector.git.repository import GitRepo  # noqa: E402
from collector.vocabulary.lines import Author  # noqa: E402

KINDS = ("after", "inside", "elsewhere", "token", "paste", "layout")
_BEFORE = "2021-01-01"
_SUFFIXES = {
    ".py": ("py",),
    ".go": ("go",),
    ".rs": ("rs",),
    ".ts": ("ts", "js"),
    ".tsx": ("ts", "js"),
    ".js": ("js", "ts"),
    ".mjs": ("js",),
}
_LONG = 12  # characters of a donated line at least
_WORD = re.compile(r"[A-Za-z]{5,}")
_COMMON = 60  # candidates of a kind that are looked at


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file of a commit that an agent wrote lines of."""

    sha: str
    path: str
    agent: tuple[int, ...]  # 1-based lines with the text of an edit
    added: frozenset[int]


@dataclass(frozen=True, slots=True)
class Spike:
    kind: str
    sha: str
    path: str
    text: bytes
    lines: tuple[int, ...]  # 1-based, in the new text


def git(path: Path, *arguments: str, data: bytes = b"") -> str:
    done = subprocess.run(
        ["git", "-C", str(path), *arguments], input=data, capture_output=True, check=True
    )
    return done.stdout.decode("utf-8", "replace").strip()


class Donors:
    """Lines of other projects by language, all of them older than 2021."""

    def __init__(self, clones: Sequence[Path], rng: random.Random) -> None:
        self._texts: dict[str, list[list[str]]] = defaultdict(list)
        for clone in clones:
            old = git(clone, "rev-list", "-1", f"--before={_BEFORE}", "HEAD")
            repo = GitRepo(clone)
            for path, oid in repo.paths(old).items():
                suffix = path.rpartition(".")[2]
                data = repo.blob(oid) if suffix in ("py", "go", "rs", "ts", "js") else None
                if data is not None and data.count(b"\n") > 40:
                    self._texts[suffix].append(data.decode("utf-8", "replace").split("\n"))
        self._rng = rng

    def three(self, path: str, indent: str) -> list[str] | None:
        """Three consecutive lines with text, indented as their new neighbours are; None when
        there is no donor of the language.
        """
        texts = [
            text for suffix in _SUFFIXES.get(Path(path).suffix, ()) for text in self._texts[suffix]
        ]
        for _ in range(200 if texts else 0):
            text = self._rng.choice(texts)
            start = self._rng.randrange(len(text) - 3)
            lines = [line.strip() for line in text[start : start + 3]]
            if all(len(line) >= _LONG for line in lines):
                return [indent + line for line in lines]
        return None


class Rebuilt:
    """A repository of our own with the objects and refs of a clone, in which one commit can be
    made again with another file.
    """

    def __init__(self, clone: Path, directory: Path) -> None:
        self.path = directory / "repo.git"
        git(directory, "init", "-q", "--bare", str(self.path))
        common = GitRepo(clone).common_dir()
        (self.path / "objects/info/alternates").write_text(f"{(common / 'objects').resolve()}\n")
        refs = git(clone, "for-each-ref", "--format=%(objectname) %(refname)")
        (self.path / "packed-refs").write_text(
            "# pack-refs with: peeled fully-peeled sorted\n" + refs + "\n"
        )
        head = git(clone, "rev-parse", "HEAD")
        (self.path / "HEAD").write_text(head + "\n")

    def commit(self, spike: Spike) -> str:
        """Id of the commit made again."""
        blob = git(self.path, "hash-object", "-w", "--stdin", data=spike.text)
        mode = git(self.path, "ls-tree", spike.sha, "--", spike.path).split(" ")[0]
        index = self.path / "spike.index"
        index.unlink(missing_ok=True)
        environment = {"GIT_INDEX_FILE": str(index), "GIT_DIR": str(self.path)}
        for arguments in (
            ["read-tree", spike.sha],
            ["update-index", "--cacheinfo", f"{mode},{blob},{spike.path}"],
        ):
            subprocess.run(["git", *arguments], env=environment, check=True, capture_output=True)
        tree = subprocess.run(
            ["git", "write-tree"], env=environment, check=True, capture_output=True, text=True
        ).stdout.strip()
        raw = subprocess.run(
            ["git", "cat-file", "commit", spike.sha], cwd=self.path, check=True, capture_output=True
        ).stdout
        changed = re.sub(rb"^tree [0-9a-f]+", b"tree " + tree.encode(), raw, count=1)
        return git(self.path, "hash-object", "-w", "-t", "commit", "--stdin", data=changed)


def candidates(asked: Asked) -> list[Candidate]:
    """Files of linked commits in which an agent wrote at least five lines and nearly nothing is
    unknown.
    """
    found = []
    for sha, verdict in sorted(asked.verdicts.items()):
        if not verdict.method or len(asked.evidence.links[sha].commit.parents) != 1:
            continue
        for file, _ in verdict.files:
            lines = (
                asked.of_file(sha, file.change.path)
                if Path(file.change.path).suffix in _SUFFIXES
                else {}
            )
            certain = (
                n
                for n, v in lines.items()
                if v.author == Author.AGENT and v.evidence in ("observed", "replayed")
            )
            agent = tuple(sorted(certain))
            known = sum(1 for v in lines.values() if v.author != Author.UNKNOWN)
            if len(agent) >= 5 and known >= 0.9 * len(lines):
                found.append(Candidate(sha, file.change.path, agent, frozenset(lines)))
    return found


def spikes(
    repo: GitRepo,
    chosen: Candidate,
    others: Sequence[Candidate],
    donors: Donors,
    rng: random.Random,
) -> Iterator[Spike]:
    """One spike of each kind that the file allows."""
    oid = repo.file_at(chosen.sha, chosen.path)
    data = repo.blob(oid) if oid else None
    if data is None or b"\r" in data or b"\0" in data:
        return
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    agent = set(chosen.agent)
    ends = [n for n in chosen.agent if n + 1 not in chosen.added and lines[n - 1].strip()]
    middles = [
        n for n in chosen.agent if n + 1 in agent and n - 1 in agent and lines[n - 1].strip()
    ]
    apart = [
        n
        for n in range(2, len(lines) - 1)
        if not any(abs(n - a) < 5 for a in chosen.added) and lines[n - 1].strip()
    ]
    for kind, places in (("after", ends), ("inside", middles), ("elsewhere", apart)):
        if places:
            at = rng.choice(places)
            three = donors.three(chosen.path, _indent(lines[at - 1]))
            if three is not None:
                yield _inserted(kind, chosen, lines, at, three)
    words = [n for n in chosen.agent if _WORD.search(lines[n - 1])]
    if words:
        at = rng.choice(words)
        changed = [*lines]
        changed[at - 1] = _WORD.sub(lambda m: m.group()[::-1], lines[at - 1], count=1)
        yield Spike("token", chosen.sha, chosen.path, _bytes(changed), (at,))
    same = [
        c for c in others if c.sha == chosen.sha and c.path != chosen.path and len(c.agent) >= 3
    ]
    if same and ends:
        source = rng.choice(same)
        block = _block(repo, source, rng)
        if block is not None:
            yield _inserted("paste", chosen, lines, rng.choice(ends), block)
    if any(line[:1] in (" ", "\t") for line in lines):
        wide = [line[: len(line) - len(line.lstrip())] * 2 + line.lstrip() for line in lines]
        told = tuple(
            n for n in chosen.agent if lines[n - 1].strip() and wide[n - 1] != lines[n - 1]
        )
        if told:
            yield Spike("layout", chosen.sha, chosen.path, _bytes(wide), told)


def _block(repo: GitRepo, source: Candidate, rng: random.Random) -> list[str] | None:
    data = repo.blob(repo.file_at(source.sha, source.path) or "")
    lines = (data or b"").decode("utf-8", "surrogateescape").split("\n")
    agent = set(source.agent)
    starts = [
        n
        for n in source.agent
        if {n + 1, n + 2} <= agent and all(len(lines[n - 1 + i].strip()) >= _LONG for i in range(3))
    ]
    return lines[(at := rng.choice(starts)) - 1 : at + 2] if starts else None


def _inserted(kind: str, chosen: Candidate, lines: list[str], at: int, new: list[str]) -> Spike:
    text = [*lines[:at], *new, *lines[at:]]
    return Spike(
        kind, chosen.sha, chosen.path, _bytes(text), tuple(range(at + 1, at + 1 + len(new)))
    )


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _bytes(lines: Sequence[str]) -> bytes:
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def measure(
    clone: Path, donors: Donors, count: int, rng: random.Random
) -> dict[str, dict[str, Counter[str]]]:
    """complete or incomplete (what is on record of the agents' work for the commit) -> kind ->
    answer -> lines.
    """
    variants = Variants(clone)
    _, head = variants.repo.default_branch()
    every = candidates(variants.ask(variants.repo, head))
    found: dict[str, dict[str, Counter[str]]] = {
        state: defaultdict(Counter) for state in ("complete", "incomplete")
    }
    with tempfile.TemporaryDirectory() as name:
        where = Rebuilt(clone, Path(name))
        for candidate in rng.sample(every, min(len(every), count)):
            for spike in spikes(variants.repo, candidate, every, donors, rng):
                sha = where.commit(spike)
                asked = variants.ask(GitRepo(where.path), sha, remade=(spike.sha, sha))
                state = "complete" if asked.is_complete(sha) else "incomplete"
                verdicts = asked.of_file(sha, spike.path)
                found[state][spike.kind].update(
                    _answer(verdicts.get(number)) for number in spike.lines
                )
    return found


def _answer(verdict: Verdict | None) -> str:
    if verdict is None:
        return "not added"
    detail = {Author.HUMAN: verdict.evidence, Author.AGENT: verdict.how, Author.TOOL: ""}
    return f"{verdict.author} {detail.get(Author(verdict.author), verdict.reason)}".strip()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--donor", type=Path, action="append", required=True)
    parser.add_argument(
        "--spikes", type=int, default=6, help="files of each clone that get one spike of each kind"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("clones", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    for path in options.clones:
        rng = random.Random(options.seed)
        found = measure(path, Donors(options.donor, rng), options.spikes, rng)
        print(json.dumps({"repository": name_of(path), **found}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
