"""Samples of real agents' sessions are read as the model served them: calls, edits, tokens,
models, prompts, versions.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from lab.compare import differences, read_facts
from lab.samples import SAMPLES, sample_facts
from scorer.histories import rebuild_home
from support.commands import analyse

from collector.json_values import Texts

NO_VERSION = {"version": "not written"}
# What a transcript of the agent does not tell, or tells otherwise than the model served it.
UNTOLD: dict[str, Texts] = {
    "aider": {
        "calls": "its edits stand in the text of an answer, which counts as a call",
        "tokens": "it prints rounded numbers of its own count",
        "models": "it names the provider too",
    },
    "gptme": {
        "calls": "its calls stand in the text of an answer, which counts none",
        "tokens": "its request for a name of the conversation is not in it",
        "version": "its maker's instructions, which name it, are cut out",
    },
    **dict.fromkeys(("mistral-vibe", "gemini-cli", "continue-dev", "grok", "pi"), NO_VERSION),
    "factory-droid": {
        "models": "it writes the name that its settings give the model",
        "version": "not written",
    },
    "kimi-cli": {"version": "written in a tool's answer alone", "models": "not written"},
    # Of some scenarios alone.
    "claude-code-interrupt": {
        "edits": "of a command that was interrupted nobody knows which of its files it wrote"
    },
    "codex-interrupt": {"edits": "the same"},
    "opencode-interrupt": {
        "edits": "the same",
        "tokens": "none are written of a response whose call was interrupted",
    },
    "gemini-cli-interrupt": {"edits": "the same", "tokens": "the same"},
    "kimi-code": {
        "version": "not written",
        "models": "it writes the name that its settings give the model",
    },
}


@pytest.mark.parametrize("sample", sorted(SAMPLES.iterdir()), ids=lambda sample: sample.name)
def test_a_sample_is_read_as_it_was_served(sample: Path, tmp_path: Path, db: Path) -> None:
    home, clone, database = tmp_path / "home", tmp_path / "home" / "shop", db
    rebuild_home(sample, home)
    git = ["git", "-C", str(clone), "-c", "user.name=Dev", "-c", "user.email=dev@lab.example"]
    subprocess.run(["git", "init", "-q", str(clone)], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "Begin"], check=True)
    analyse(clone, database, "--transcripts", home, "--was-at", "/home/dev/shop")
    served, side = sample_facts(sample)
    untold = UNTOLD.get(sample.name.rpartition("-")[0], {}) | UNTOLD.get(sample.name, {})
    assert [
        text
        for text in differences(served, side, read_facts(database))
        if text.partition(":")[0] not in untold
    ] == []
