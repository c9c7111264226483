"""How often transcripts are parsed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from attribution.stages import sessions
from collector import load
from collector.agents import readers


def parser_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sessions that any reader of transcripts is given from here on, by loading or by attribution."""
    found: list[str] = []

    def noting(reader: Any) -> Any:
        def read(session_id: str, blobs: Any) -> Any:
            found.append(session_id)
            return reader.read(session_id, blobs)

        return SimpleNamespace(NAME=reader.NAME, GIVES=reader.GIVES, sniff=reader.sniff, read=read)

    noted = [noting(reader) for reader in readers()]
    monkeypatch.setattr(load, "readers", lambda: noted)
    monkeypatch.setattr(sessions, "readers", lambda: noted)
    return found
