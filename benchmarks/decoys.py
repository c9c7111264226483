"""Does a session get lines that it cannot have written? Adds a session of another repository to
one, and looks at commits of bots.

    python benchmarks/decoys.py --other CLONE [--other CLONE...] [--sessions N] [--seed N] CLONE...

Decoy: every edit of a session of another repository is mapped onto the directory, the files (of the
same suffix where there are any) and the times of a session of this one, and each commit that names
the one names the other too. A line that is given to the decoy is wrong. As in entrapment of
database searches (Wen et al., Nature Methods 2025), the decoys bound the share of false lines from
above: where decoys wrote r times as many lines as the sessions, it is at most (1 + 1/r) times the
share given to decoys.

Bots: lines of commits whose author is an automation account. None may be a person's, none an
agent's by evidence.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from leave_one_out import answer  # noqa: E402
from variants import Asked, Variants, name_of  # noqa: E402

from attribution.authorship.run_data import SessionsRead  # noqa: E402
from attribution.authorship.session_edits import RawEdit, SessionEdits  # noqa: E402
from collector.checkpoints.statements import automation  # noqa: E402
from collector.model import Checkpoint  # noqa: E402
from collector.vocabulary.lines import Author  # noqa: E402

DECOY = "decoy"
_MIN_EDITS = 3


@dataclass(slots=True)
class Trapped:
    """One repository."""

    decoys: int = 0
    written: int = 0  # lines that the edits of the decoys add
    genuine: int = 0  # the same of the sessions beside which they were put
    given: int = 0  # lines of commits that were given to a decoy
    # lines of the same commits that were given to other sessions, with the text of an edit
    certain: int = 0
    bot_commits: int = 0
    bots: Counter[str] = field(default_factory=Counter)  # lines of bots' commits by answer

    def data(self) -> dict[str, Any]:
        """Plain values, for accuracy.json."""
        decoys = {
            name: getattr(self, name)
            for name in ("decoys", "written", "genuine", "given", "certain")
        }
        return decoys | {"bot_commits": self.bot_commits, "bots": dict(self.bots)}


def measure(path: Path, others: Sequence[Path], sessions: int, rng: random.Random) -> Trapped:
    """Puts a decoy beside up to `sessions` sessions of a clone, one at a time, and counts the
    lines of bots.
    """
    variants = Variants(path)
    _, head = variants.repo.default_branch()
    whole = variants.ask(variants.repo, head)
    result = Trapped()
    _count_bots(whole, result)
    foreign = [
        one
        for other in others
        for one in Variants(other).sessions.edits
        if len(one.edits) >= _MIN_EDITS
    ]
    named = {key for link in whole.evidence.links.values() for key in link.sessions}
    genuine = [
        one for one in variants.sessions.edits if len(one.edits) >= _MIN_EDITS and one.key in named
    ]
    for target in rng.sample(genuine, min(sessions, len(genuine))) if foreign else ():
        decoy = mapped(rng.choice(foreign), target, max(variants.sessions.ids.values()) + 1, rng)
        asked = _with(variants, decoy, target).ask(variants.repo, head)
        _count_decoy(asked, decoy, target, result)
    return result


def _count_bots(whole: Asked, result: Trapped) -> None:
    for commit in whole.evidence.history.commits:
        if automation(commit) is not None:
            result.bot_commits += 1
            for _, spans in whole.verdicts[commit.sha].files:
                for span in spans:
                    result.bots[answer(span.verdict)] += span.nonblank


def _count_decoy(asked: Asked, decoy: SessionEdits, target: SessionEdits, result: Trapped) -> None:
    result.decoys += 1
    result.written += _written(decoy)
    result.genuine += _written(target)
    for sha, link in asked.evidence.links.items():
        if DECOY in link.sessions:
            for _, spans in asked.verdicts[sha].files:
                for span in spans:
                    call = span.verdict.call if span.verdict.author == Author.AGENT else None
                    if call is not None and call.session_id == decoy.session_id:
                        result.given += span.nonblank
                    elif call is not None and span.verdict.evidence in ("observed", "replayed"):
                        result.certain += span.nonblank


def _written(track: SessionEdits) -> int:
    texts = (
        text
        for raw in track.edits
        for text in (*(r.new for r in raw.edit.replacements), raw.edit.content, raw.edit.after)
    )
    return sum(len([line for line in text.split("\n") if line.strip()]) for text in texts if text)


def mapped(
    foreign: SessionEdits, target: SessionEdits, number: int, rng: random.Random
) -> SessionEdits:
    """The foreign session as if it had worked where and when the target did, on the same files."""
    begin, end = target.edits[0].at, max(raw.at for raw in target.edits)
    first, last = foreign.edits[0].at, max(raw.at for raw in foreign.edits)
    scale = (end - begin) / (last - first) if last > first else 0.0
    paths = sorted({raw.edit.path for raw in target.edits})
    chosen: dict[str, str] = {}
    edits = []
    for raw in foreign.edits:
        if raw.edit.op in ("delete", "move", "copy"):
            continue
        if raw.edit.path not in chosen:
            alike = [path for path in paths if Path(path).suffix == Path(raw.edit.path).suffix]
            chosen[raw.edit.path] = rng.choice(alike or paths)
        edits.append(
            _placed(raw, chosen[raw.edit.path], begin + (raw.at - first) * scale, number, target)
        )
    produced = [replace(one, at=begin + (one.at - first) * scale) for one in foreign.produced]
    return replace(
        target,
        session_id=number,
        key=DECOY,
        edits=edits,
        sightings=[],
        produced=produced,
        actions=[],
        commits=[],
    )


def _placed(raw: RawEdit, path: str, at: float, number: int, target: SessionEdits) -> RawEdit:
    call = replace(raw.call, session_id=number, at=at)
    return replace(raw, at=at, edit=replace(raw.edit, path=path), call=call, cwd=target.cwd)


def _with(variants: Variants, decoy: SessionEdits, target: SessionEdits) -> Variants:
    """The clone with the decoy in every checkpoint of the target."""
    read = variants.sessions
    sessions = SessionsRead(
        {**read.ids, DECOY: decoy.session_id},
        {**read.reach, DECOY: read.reach[target.key]},
        [*read.edits, decoy],
    )
    return Variants.of(
        variants.repo, [_beside(one, target.key) for one in variants.checkpoints], sessions
    )


def _beside(checkpoint: Checkpoint, key: str) -> Checkpoint:
    added = tuple(
        replace(one, session_id=DECOY, files_touched=())
        for one in checkpoint.sessions
        if one.session_id == key
    )
    return replace(checkpoint, sessions=(*checkpoint.sessions, *added)) if added else checkpoint


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--other",
        type=Path,
        action="append",
        required=True,
        help="a clone whose sessions become decoys",
    )
    parser.add_argument("--sessions", type=int, default=8, help="decoys for each clone")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("clones", nargs="+", type=Path)
    options = parser.parse_args(arguments)
    for path in options.clones:
        others = [other for other in options.other if other.resolve() != path.resolve()]
        found = measure(path, others, options.sessions, random.Random(options.seed))
        print(json.dumps({"repository": name_of(path), **found.data()}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
