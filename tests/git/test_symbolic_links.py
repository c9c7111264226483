"""Symbolic links of a tree, and where they lead."""

from __future__ import annotations

from pathlib import Path

from support.local_clone import Clone

from collector.git.repository import GitRepo


def test_links_are_followed(tmp_path: Path) -> None:
    clone = Clone(tmp_path / "clone")
    clone.put("AGENTS.md", "# Rules\n", "human")
    clone.put("packages/lib/x.py", "x = 1\n", "human")
    (clone.path / "CLAUDE.md").symlink_to("AGENTS.md")
    (clone.path / "packages" / "all").symlink_to("lib")
    (clone.path / "packages" / "rules.md").symlink_to("../AGENTS.md")
    (clone.path / "out").symlink_to("../elsewhere")
    (clone.path / "absolute").symlink_to("/etc/passwd")
    repo = GitRepo(clone.path)
    commit = repo.commit(clone.commit("links"))
    assert commit is not None
    assert repo.links(commit.tree) == {
        "CLAUDE.md": "AGENTS.md",
        "packages/all": "packages/lib",
        "packages/rules.md": "AGENTS.md",
        "out": "../elsewhere",
        "absolute": "/etc/passwd",
    }
    assert set(repo.paths(commit.tree)) == {"AGENTS.md", "packages/lib/x.py"}
