"""Every shipped repository: what the program says about each line against what the builder
knows.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from support.commands import clone
from support.truth import cases, compare, expected_of, run

# Lines whose author the builder knows and the program rightly does not claim to know: (case, path)
# -> why.
HONEST_UNKNOWN = {
    ("odd_files", "caf\\xe9.txt"): "an opaque command ran in between",
    ("files_committed_apart", "budget.py"): "committed long after the last recorded session",
    (
        "rebased_commit",
        "budget.py",
    ): "after a rebase a line that no session explains may be anybody's",
    ("uncommitted_before_session", "ledger.py"): "blank lines at the edge of an agent's block",
}


@pytest.mark.parametrize("case", cases())
def test_every_line_has_its_author(case: str, tmp_path: Path, db: Path) -> None:
    repo = clone(case, tmp_path)
    expected = expected_of(case)
    said, edits = run(repo, db)
    wrong = [w for w in compare(expected, said).wrong if not _is_honest(case, w)]
    assert not wrong, "\n".join(wrong)
    counted = {
        session: {k: n for k, n in counts.items() if n}
        for session, counts in expected["edits"].items()
    }
    assert edits == {session: counts for session, counts in counted.items() if counts}


def _is_honest(case: str, wrong: str) -> bool:
    return "said unknown" in wrong and any(
        c == case and f"{path}:" in wrong for c, path in HONEST_UNKNOWN
    )


def test_most_people_with_a_witness_are_found(tmp_path: Path) -> None:
    """The rule that `unknown` is honest must not hide that nobody is found any more."""
    total: Counter[tuple[str, str]] = Counter()
    for case in cases():
        clone(case, tmp_path)
        said, _ = run(tmp_path / case, tmp_path / f"{case}.db")
        total += compare(expected_of(case), said).confusion
    true = {said: n for (truth, said), n in total.items() if truth == "human"}
    assert true["human"] / sum(true.values()) > 0.5, total
    wrong = sum(n for (truth, said), n in total.items() if said == "human" and truth != "human")
    assert wrong <= 0.02 * true["human"], total
