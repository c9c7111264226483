"""The adapter for lizard: cyclomatic complexity of the functions that a commit changed, a control for comparisons of authors.

Agents may be given, or write, other code than people. Rates are therefore also compared among files whose changed functions are
alike: each added line has the complexity of the function around it, a file of a commit the mean over its added lines with text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from collector.errors import WhoWroteError

SUFFIXES = (
    "py", "js", "jsx", "ts", "tsx", "go", "java", "php", "rb", "rs", "c", "h", "cpp", "hpp", "cs", "kt", "scala", "swift", "lua",
)  # fmt: skip
FAILURES = (RecursionError, ValueError, IndexError, AttributeError, TypeError, KeyError, RuntimeError)  # of its tokenizers

Function = tuple[int, int, int]
"""First line, last line, complexity."""


class LizardMissing(WhoWroteError):
    """lizard is not installed."""


def tool() -> str:
    """Name and version. Raises LizardMissing."""
    try:
        import lizard
    except ImportError as error:
        raise LizardMissing(
            "complexity needs lizard, which is not installed", "Install it with: pip install 'whowrote[scan]'"
        ) from error
    return f"lizard {getattr(lizard, 'version', '')}".strip()


def functions(data: bytes, suffix: str) -> list[Function]:
    """Of one text; none when its language is not known or it cannot be read."""
    if suffix not in SUFFIXES:
        return []
    import lizard

    try:
        analysis = lizard.analyze_file.analyze_source_code(f"text.{suffix}", data.decode("utf-8", "replace"))
    except FAILURES:
        return []
    return [(f.start_line, f.end_line, f.cyclomatic_complexity) for f in analysis.function_list]


def mean_complexity(measured: Sequence[Function], spans: Iterable[tuple[int, int, int]]) -> float | None:
    """Mean over spans of added lines (first, last, lines with text); a line in several functions has the innermost's."""
    whole = weighted = 0.0
    inner = sorted(measured, key=lambda f: f[1] - f[0])
    for start, end, nonblank in spans:
        values = [next((c for a, b, c in inner if a <= line <= b), 1) for line in range(start, end + 1)]
        whole += nonblank
        weighted += nonblank * sum(values) / len(values)
    return weighted / whole if whole else None
