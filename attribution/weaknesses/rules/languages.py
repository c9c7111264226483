"""Which language a file is in, as what it is handed to the scanner, and which rules are for it.

Pure.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from collector.text import file_name


class Kind(NamedTuple):
    """A language, and the name under which a text is scanned: the ending of a file name, or
    dockerfile, workflow.
    """

    language: str
    suffix: str


OTHER = Kind("other", "")

_SUFFIXES = {
    "python": ("py", "pyi"),
    "javascript": ("js", "jsx", "cjs", "mjs"),
    "typescript": ("ts", "tsx", "mts", "cts"),
    "go": ("go",),
    "java": ("java",),
    "php": ("php", "phtml"),
    "ruby": ("rb", "rake", "gemspec", "ru"),
    "rust": ("rs",),
    "shell": ("sh", "bash", "zsh", "ksh"),
    "dockerfile": ("dockerfile", "containerfile"),
    "yaml": ("yml", "yaml"),
    "c": ("c", "h"),
    "cpp": ("cpp", "cc", "cxx", "hpp", "hh"),
    "csharp": ("cs",),
    "kotlin": ("kt", "kts"),
    "scala": ("scala",),
    "swift": ("swift",),
    "terraform": ("tf", "hcl"),
    "solidity": ("sol",),
    "lua": ("lua",),
    "elixir": ("ex", "exs"),
    "html": ("html", "htm"),
}
_LANGUAGE = {suffix: language for language, suffixes in _SUFFIXES.items() for suffix in suffixes}
# Names under which semgrep takes a text for what it is.
_GIVEN = {
    "cjs": "js",
    "mjs": "js",
    "mts": "ts",
    "cts": "ts",
    "pyi": "py",
    "bash": "sh",
    "zsh": "sh",
    "ksh": "sh",
    "rake": "rb",
    "gemspec": "rb",
    "ru": "rb",
    "phtml": "php",
    "containerfile": "dockerfile",
    "yaml": "yml",
    "htm": "html",
    "cc": "cpp",
    "cxx": "cpp",
    "hh": "hpp",
}
_NAMES = {
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "rakefile": "rb",
    "gemfile": "rb",
    "vagrantfile": "rb",
}
_SHEBANG = re.compile(
    rb"#![ \t]*\S*?/(?:env[ \t]+(?:-\S+["
    rb" \t]+)*)?(python|bash|sh|zsh|ksh|dash|node|deno|ruby|php)[\d.]*(?=[\s;]|$)"
)
_PROGRAMS = {"python": "py", "node": "js", "deno": "ts", "ruby": "rb", "php": "php"}
# Workflows run only from the root of a repository; a copy of another project further down does
# nothing.
_WORKFLOW = re.compile(r"^\.github/workflows/[^/]+\.ya?ml$|(?:^|/)action\.ya?ml$")

# What semgrep calls a language -> what we call it.
_RULES_SAY = {
    "py": "python",
    "python2": "python",
    "python3": "python",
    "js": "javascript",
    "ts": "typescript",
    "golang": "go",
    "rb": "ruby",
    "sh": "shell",
    "bash": "shell",
    "docker": "dockerfile",
    "c++": "cpp",
    "c#": "csharp",
    "kt": "kotlin",
    "hcl": "terraform",
    "tf": "terraform",
    "sol": "solidity",
    "ex": "elixir",
}
_ANY = {"regex", "generic", "none"}  # rules for texts of any language
WORKFLOW = Kind("workflow", "workflow")


def kind_of(path: str, head: bytes = b"") -> Kind:
    """By the name, else by the first line of the text (`head`)."""
    name = file_name(path).lower()
    if _WORKFLOW.search(path):
        return WORKFLOW
    if name in _NAMES or name.startswith("dockerfile."):
        return _kind(_NAMES.get(name, "dockerfile"))
    suffix = suffix_of(name)
    if suffix in _LANGUAGE:
        return _kind(suffix)
    if not suffix and head.startswith(b"#!"):
        match = _SHEBANG.match(head[:200])
        if match:
            return _kind(_PROGRAMS.get(match[1].decode("ascii"), "sh"))
    return OTHER


def suffix_of(name: str) -> str:
    """Of a file name in lower case; "" when it has none."""
    stem, dot, suffix = name.rpartition(".")
    return suffix if dot and stem else ""


def _kind(suffix: str) -> Kind:
    return Kind(_LANGUAGE[suffix], _GIVEN.get(suffix, suffix))


def target_path(name: str, suffix: str) -> str:
    """Where a text is laid for the scanner, relative to the directory it scans.

    `name` is ours: a blob id.
    """
    if suffix == WORKFLOW.suffix:  # rules for workflows ask for the directory
        return f".github/workflows/{name}.yml"
    return f"{name[:2]}/{name}.{suffix}"


def rule_languages(languages: Iterable[str], paths: Iterable[str] = ()) -> set[str]:
    """Our names of the languages a rule is for; "*" for any.

    `paths`: the paths it is limited to.
    """
    match = set()
    for name in languages:
        name = name.lower()
        if name in _ANY:
            match.add("*")
        elif name == "yaml":
            match |= {"workflow"} if any("workflows" in p for p in paths) else {"workflow", "yaml"}
        else:
            match.add(_RULES_SAY.get(name, name))
    return match
