"""What the tests share: builders of repositories and transcripts, servers, fakes."""

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
