"""Sessions of this machine that no commit is linked to are listed with the reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support import truth
from support.answers import pick
from support.commands import run, run_json
from support.local_clone import AgentSession, Clone, attributed
from support.local_writers import keep

TEXT = "def mean(rows):\n    return sum(rows) / len(rows)\n"


def _reads(clone: Clone, session: AgentSession) -> None:
    session.shell("cat src/app.py", clone.text("src/app.py") or "")


def _leaves_work(clone: Clone, session: AgentSession) -> None:
    session.write("src/mean.py", TEXT)


def _loses_work(clone: Clone, session: AgentSession) -> None:
    """A person takes the file back and commits something else in it."""
    session.write("src/app.py", TEXT)
    clone.wait(60)
    clone.person(
        "src/app.py",
        "def total(rows):\n    return sum(rows)\n\n\ndef spread(rows):\n    return max(rows)\n",
    )
    clone.commit("Add spread by hand")


def _commits_elsewhere(clone: Clone, session: AgentSession) -> None:
    session.write("src/mean.py", TEXT)
    session.shell("git commit -qam x", "[main 1234567] x\n 1 file changed")


def _commits_on_a_branch(clone: Clone, session: AgentSession) -> None:
    clone.git("switch", "-q", "-c", "side")
    _commits(clone, session)
    clone.git("switch", "-q", "main")


def _commits(clone: Clone, session: AgentSession) -> None:
    session.write("src/mean.py", TEXT)
    session.commit("Add mean")


@pytest.mark.parametrize("writer", ["claude-code", "codex"])
@pytest.mark.parametrize(
    ("work", "reason"),
    [
        (_reads, "changed no file here"),
        (_leaves_work, "not committed"),
        (_loses_work, "lost before a commit of its files"),
        (_commits_elsewhere, "its commits are not in this clone"),
        (_commits_on_a_branch, "its commits: not on the attributed branch"),
        (_commits, None),
    ],
)
def test_a_session_without_a_commit_says_why(
    clone: Clone,
    tmp_path: Path,
    session: AgentSession,
    writer: str,
    work: Callable[[Clone, AgentSession], None],
    reason: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work(clone, session)
    keep(session, writer)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert "linked to no commit" not in run("doctor", clone.path).stdout, "nothing was read yet"
    summary, doctor = run("repo", clone.path).stdout, run("doctor", clone.path).stdout
    (row,) = run_json("sessions", clone.path)
    assert pick(row, "unlinked_because", "commits") == (reason, 0 if reason else 1)
    said = " ".join(summary.split())
    assert ("sessions without a commit" in said, f"1 {reason}" in said) == (
        bool(reason),
        bool(reason),
    )
    assert ("linked to no commit" in doctor, str(reason) in " ".join(doctor.split())) == (
        bool(reason),
        bool(reason),
    )


@pytest.mark.parametrize("writer", ["claude-code", "codex", "copilot-cli"])
@pytest.mark.parametrize("shell", ["bash", "powershell", "cmd"])
def test_a_persons_commit_of_what_a_shell_wrote_is_linked(
    clone: Clone, db: Path, shell: str, writer: str
) -> None:
    text = "alpha_value = compute(1)\nbeta_value = compute(2)\ngamma_value = compute(3)\n"
    lines = text.splitlines()
    echoes = " && ".join(
        f"echo {line}{'>>' if number else '>'} src/new.py" for number, line in enumerate(lines)
    )
    commands = {
        "bash": f"cat > src/new.py <<'E'\n{text}E\n",
        "powershell": f"@'\n{text}'@ | Set-Content -Path src\\new.py",
        "cmd": f'cmd /c "{echoes}"',
    }
    session = clone.session("0197f3a1-5d2c-7b4e-8f60-000000000001", prompt="Write it")
    session.shell(commands[shell])
    clone.put("src/new.py", text, "agent")
    session.say("Done.")
    clone.commit("Add values")
    keep(session, writer)
    said, _ = truth.run(clone.path, db)
    assert attributed(clone, said, "agent") == (3, 3)
