"""Lines that a program wrote by itself, told by the file alone: lock files, records, generated and minified texts. Pure."""

from __future__ import annotations

from dataclasses import replace

from attribution.authorship.verdicts import CommitVerdict, Verdict
from collector.vocabulary.lines import Author, Evidence, FileKind, How, RunBy

_PACKAGE_MANAGERS = {
    "package-lock.json": "npm", "npm-shrinkwrap.json": "npm", "yarn.lock": "yarn", "pnpm-lock.yaml": "pnpm",
    "pnpm-lock.yml": "pnpm", "bun.lock": "bun", "bun.lockb": "bun", "poetry.lock": "poetry", "Pipfile.lock": "pipenv",
    "uv.lock": "uv", "pdm.lock": "pdm", "Cargo.lock": "cargo", "Gemfile.lock": "bundler", "composer.lock": "composer",
    "go.sum": "go", "go.work.sum": "go", "flake.lock": "nix", "deno.lock": "deno", "mix.lock": "mix", "gradle.lockfile": "gradle",
    "Podfile.lock": "cocoapods", "pubspec.lock": "pub", "pixi.lock": "pixi", "conda-lock.yml": "conda-lock",
}  # fmt: skip
_NAMES = {
    FileKind.LOCK: "package manager",
    FileKind.GENERATED: "generator",
    FileKind.MINIFIED: "bundler",
    FileKind.RECORDER: "recorder",
}


def tool_of(path: str, kind: FileKind) -> str:
    """The tool that writes such a file; "" for kinds that people and agents write."""
    return _PACKAGE_MANAGERS.get(path.rpartition("/")[2], "") or _NAMES.get(kind, "")


def give_to_tools(verdict: CommitVerdict) -> None:
    """Gives the lines of such files to their tool, unless an agent's own edit wrote them. Who ran the tool is not known."""
    for file, spans in verdict.files:
        tool = tool_of(file.change.path, file.kind) if file.kind in _NAMES else ""
        if tool:
            spans[:] = [replace(span, verdict=_tool_verdict(span.verdict, tool)) for span in spans]


def _tool_verdict(verdict: Verdict, tool: str) -> Verdict:
    if verdict.author in (Author.AGENT, Author.TOOL):
        return verdict
    return Verdict(Author.TOOL, How.NONE, Evidence.INFERRED, tool=tool, run_by=RunBy.UNKNOWN)
