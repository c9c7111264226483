"""What to scan with, and what a scan of a repository did.."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from attribution.weaknesses.scan.engine import ScanLimits


@dataclass(frozen=True, slots=True)
class ScanRequest:
    rules: tuple[str, ...] = ()  # files, directories, or own
    semgrep: str = ""
    jobs: int = 0  # 0: one for each core
    cache: Path | None = None  # None: the user's
    limits: ScanLimits = field(default_factory=ScanLimits)
    complexity: bool = False  # also measure the functions that were changed


@dataclass(slots=True)
class ScanUpdate:
    """What a run did."""

    state: str  # unchanged | scanned
    engine: str
    rules: str
    texts: int = 0  # versions of files that count
    new: int = 0  # of those, not known to the cache
    given: int = 0  # of those, given to the scanner
    given_lines: int = 0
    seconds: float = 0.0
    scan_seconds: float = 0.0
    findings: int = 0  # introduced
    notes: list[str] = field(default_factory=list)
