"""People are called what `.mailmap` says."""

from __future__ import annotations

from pathlib import Path

from support.local_clone import Clone

from collector.git.repository import GitRepo


def test_mailmap_joins_the_addresses_of_a_person(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.put("a.py", "x = 1\n", "human")
    before = clone.commit("before")
    entries = "Nobody <>\nAda Lovelace <ada@example.org> <countess@old.example>\n"
    clone.put(".mailmap", f"{entries}A <a@example.org> B < >\nC <> D <>\n", "human")
    after = clone.commit("map")
    repo = GitRepo(clone.path)
    assert repo.mailmap(after)("A. L.", "countess@old.example") == (
        "Ada Lovelace",
        "ada@example.org",
    )
    assert repo.mailmap(after)("Bob", "bob@example.org") == ("Bob", "bob@example.org")
    assert repo.mailmap(before)("A. L.", "countess@old.example") == (
        "A. L.",
        "countess@old.example",
    )
