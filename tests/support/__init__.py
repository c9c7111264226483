"""What the tests share: builders of repositories and transcripts, servers, fakes."""

from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def numbered_text(count: int, template: str) -> str:
    """A text so many times, with 0, 1, 2 and so on in the place of `{n}`."""
    return "".join(template.replace("{n}", str(n)) for n in range(count))
