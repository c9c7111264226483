"""Times written for people, as a prompt carries them: `Sunday, Oct 4, 2026, 11:54 PM (UTC+5:30)`. Pure."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_MONTHS = {name: number for number, name in enumerate(("jan feb mar apr may jun " + "jul aug sep oct nov dec").split(), 1)}
_WRITTEN = re.compile(
    r"(?P<month>[A-Z][a-z]{2})[a-z]*\.? (?P<day>\d{1,2}), (?P<year>\d{4}),? (?:at )?"
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d))?(?:\s*(?P<half>[AP])M)?"
    r"\s*\((?:UTC|GMT)(?:(?P<sign>[+\-\u2212])(?P<hours>\d{1,2})(?::?(?P<minutes>\d\d))?)?\)"
)


def written_time(text: str) -> float | None:
    """Seconds since 1970; None where the text is no time, or does not say in which zone it is."""
    match = _WRITTEN.search(text)
    if match is None:
        return None
    parts = match.groupdict("0")
    hour = int(parts["hour"])
    if match["half"]:
        hour = hour % 12 + (12 if match["half"] == "P" else 0)
    offset = timedelta(hours=int(parts["hours"]), minutes=int(parts["minutes"]))
    try:
        local = datetime(
            int(parts["year"]),
            _MONTHS.get(parts["month"].lower(), 0),
            int(parts["day"]),
            hour,
            int(parts["minute"]),
            int(parts["second"]),
            tzinfo=UTC,
        )
        return (local + offset if match["sign"] not in (None, "+") else local - offset).timestamp()
    except (ValueError, OverflowError):  # there is no such day, hour or zone
        return None
