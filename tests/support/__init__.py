"""What the tests share: builders of repositories and transcripts, servers, fakes."""

import json
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def jsonl(*records: object) -> bytes:
    """A record a line, as JSON."""
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def numbered_text(count: int, template: str) -> str:
    """A text so many times, with 0, 1, 2 and so on in the place of `{n}`."""
    return "".join(template.replace("{n}", str(n)) for n in range(count))
