"""The kind of a file version: source, test, docs, config, data, lock, generated, vendored,
minified, recorder. Pure.

After github-linguist's generated.rb, vendor.yml, documentation.yml and its four types of languages
(programming and markup are source here, prose is docs), shortened to what occurs in repositories
that agents work on. A repository's `.gitattributes` (linguist-generated, linguist-vendored,
linguist-documentation) has the last word, as on GitHub.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from collector.checkpoints import entire, unread
from collector.files.git_patterns import AttributePattern
from collector.vocabulary.agents import shipped_by, state_directories
from collector.vocabulary.lines import FileKind

_LONG_LINE = 5_000  # bytes
_MEAN_LINE = 110  # bytes a line on average, in js and css: linguist's rule for minified files
HEAD_LINES = 40  # where generators say so
_DENSE = ("js", "css", "mjs", "cjs")
_CONVERTED = ("html", "htm", "xhtml")
BY_TEXT = frozenset(_DENSE + _CONVERTED)
"""Suffixes of files whose kind may depend on more of their text than a note of a generator."""

_VENDORED = re.compile(
    r"(?:^|/)(?:node_modules|bower_components|vendor|vendors|(?:third|3rd)[-_]?party|site-packages|dist-packages|\.venv|venv|\.tox|\.nox"
    r"|\.venv[\w.-]+|venv[\d.]+|virtualenv|\.virtualenv|lib(?:64)?/python\d\.\d+|conda-meta|wwwroot/lib|\.yarn|Godeps/_workspace|Pods|Carthage/(?:Build|Checkouts)|deps/src|external/vendor|jspm_packages|\.pnpm|gradle/wrapper|Library/PackageCache"
    # where package managers put what a project depends on
    r"|vcpkg_installed|managed_components|\.pio/libdeps|_deps|elm-stuff|_opam|\.stack-work|dist-newstyle|nimbledeps|lua_modules|renv/library|packrat/lib"
    r"|ansible_collections|__pypackages__|\.eggs|\.haxelib|\.dub|paket-files|\.gradle|\.m2|local/lib/perl5|\.pub-cache|\.plugin_symlinks|deps/[^/]+/ebin"
    r"|\.build/checkouts|SourcePackages/checkouts|lib/(?:forge-std|openzeppelin-contracts|solmate|ds-test)"
    r"|[Pp]ackages/[\w.-]+\.\d+\.\d+\.\d+|[\w-]+\.(?:xc)?framework|MathJax|ace-builds|tiny_?mce|ckeditor)/"
    # scripts that build systems copy into a project
    r"|(?:^|/)(?:gradlew(?:\.bat)?|mvnw(?:\.cmd)?|config\.(?:guess|sub)|aclocal\.m4|lt(?:main\.sh|options\.m4|sugar\.m4|version\.m4|~obsolete\.m4)|libtool\.m4|erlang\.mk)$"
    # libraries under the names that they are published by
    r"|(?:^|/)(?:(?:jquery|bootstrap|tailwind|popper|lodash|underscore|backbone|moment|modernizr|angular|react|vue|three|d3|p5|chart)(?:[.-]\w{1,20}){0,2}-\d+\.\d+\.\d+(?:[.-]\w{1,20}){0,3}|jquery(?:[.-](?:ui|slim))?)\.(?:js|css)$"
    # what marks a directory of any name as a Python environment
    r"|/(?:bin|Scripts)/(?:activate(?:\.\w+)?|Activate\.ps1|activate_this\.py)$",
)
_BUILT = re.compile(
    r"(?:^|/)(?:dist|_site|allure-report|public/build|build/(?:lib|static|assets|intermediates|generated|tmp|outputs|classes|reports)|CMakeFiles|cmake-build-[\w-]+|DerivedData|bin/(?:Debug|Release)|\.nyc_output|\.expo|\.next|\.nuxt|\.svelte-kit|\.output|\.vercel|\.turbo|\.parcel-cache|\.angular|\.docusaurus|\.terraform|\.dart_tool|\.aws-sam|cdk\.out|storybook-static|_next/static|\.ipynb_checkpoints|\.(?:pytest|mypy|ruff)_cache|target/(?:debug|release)|__pycache__|htmlcov|coverage|_build/(?:dev|test|html)|obj/(?:Debug|Release))/"
)
# What the tools that record agents leave in the tree when somebody commits it; their settings are a
# person's or an agent's.
_RECORDER = re.compile(
    rf"\.traj(?:\.json)?$|(?:^|/)(?:{entire.RECORDS}|\.git-ai/|\.aider[^/]*$|\.specstory/(?:history/|statistics\.json$|\.project\.json$)|\.agent-trace/"
    r"|logs/(?:[^/]+/)?(?:(?:pre|post)_tool_use(?:_failure)?|subagent_(?:start|stop)|user_prompt_submit|pre_compact|permission_request)\.json$"
    r"|session-ses_[\w-]+\.md$|\.cursor/rules/derived-cursor-rules\.mdc$)"  # SpecStory derives it
)
# Hooks of Claude Code write these, too, but so may any program: the text decides.
_LOG = re.compile(
    r"(?:^|/)logs/(?:[^/]+/)?(?:chat|notification|session_(?:start|end)|status_line|stop)\.json$"
)
_LOG_ENTRY = re.compile(rb"\[\s*\{[\s\S]{0,20000}?\"(?:transcript_path|leafUuid|parentUuid)\"\s*:")
PACKAGE_MANAGERS = {
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
    "yarn.lock": "yarn",
    "pnpm-lock.yaml": "pnpm",
    "pnpm-lock.yml": "pnpm",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "poetry.lock": "poetry",
    "Pipfile.lock": "pipenv",
    "uv.lock": "uv",
    "pdm.lock": "pdm",
    "Cargo.lock": "cargo",
    "Gemfile.lock": "bundler",
    "composer.lock": "composer",
    "go.sum": "go",
    "go.work.sum": "go",
    "flake.lock": "nix",
    "deno.lock": "deno",
    "mix.lock": "mix",
    "gradle.lockfile": "gradle",
    "Podfile.lock": "cocoapods",
    "pubspec.lock": "pub",
    "pixi.lock": "pixi",
    "conda-lock.yml": "conda-lock",
}
"""Name of a lock file -> the program that writes it; see `_LOCK` for others."""
_LOCK = re.compile(
    rf"(?:^|/)(?:{'|'.join(map(re.escape, PACKAGE_MANAGERS))}|Package\.resolved|[^/]+\.lock)$"
)
_GENERATED_NAME = re.compile(
    r"(?:\.pb\.go|\.pb\.gw\.go|_pb2(?:_grpc)?\.pyi?|_pb\.(?:js|ts)|\.pb\.(?:h|cc)|\.g\.dart|\.designer\.cs|_gen\.go|_generated\.go|\.gen\.(?:go|ts)"
    r"|\.tsbuildinfo|\.d\.[cm]?ts\.map|zz_generated[^/]{0,200}\.go|_string\.go|\.generated\.[a-z]+|mock_[^/]{1,200}\.go|bindata\.go|(?:^|/)__generated__/.*|_templ\.go"
    r"|\.(?:freezed|mocks|gr|drift)\.dart|(?:^|/)app_localizations(?:_[A-Za-z_]{2,12})?\.dart"
    # what designers of interfaces, boards and projects save
    r"|\.(?:xib|nib|storyboard|pbxproj|xcscheme|xcworkspacedata|xcuserstate|kicad_(?:pro|prl|sch|pcb|mod)|gd\.uid|nuget\.(?:g\.props|g\.targets|cache)))$",
)
_SNAPSHOT = re.compile(
    r"(?:^|/)(?:__snapshots__/|drizzle/meta/|migrations/meta/_?[^/]*\.json$|worker-configuration\.d\.ts$|next-env\.d\.ts$"
    r"|[^/]{1,200}\.egg-info/|playwright-report/|htmlcov/)|\.snap$"
)
_MINIFIED_NAME = re.compile(
    r"(?:[-.]min\.(?:js|css|mjs|cjs)|\.bundle\.js|[-.]chunk\.js|\.(?:js|css)\.map)$"
)
_GENERATED_HEAD = re.compile(
    rb"Code generated .{0,200}DO NOT EDIT|@generated\b|Generated by the protocol buffer"
    rb" compiler|Autogenerated by Thrift"
    rb"|THIS FILE (?:IS|WAS) (?:AUTO(?:MATICALLY)?[- ]?)?GENERATED"
    rb"|(?:auto|automatically)[- ]?generated"
    rb" (?:by|from|file|code|with)[^\n]{0,120}(?:\n[^\w\n]{0,10})?"
    rb"(?:do not|don't) (?:edit|modify|change)"
    rb"|generated by (?:swagger|openapi|sqlc|ent,|mockgen|protoc|bindgen|autorest)",
    re.IGNORECASE,
)
_GENERATED_WORD = b"generat"
_POINTER = b"https://git-lfs.github.com/spec/"
# Documents that a converter made name it in their head, or have what only one puts there: the
# namespace of iXBRL, the scripts of Next.js, Plotly and nbconvert.
_CONVERTED_HEAD = re.compile(
    rb"<meta[^>]{0,80}name=[\"']?generator[\"']?[^>]{0,200}>|generator=\"pandoc\""
    rb"|<!-- (?:generated by javadoc|saved from url=)|xmlns:ix=|[\"']/_next/static/|PlotlyConfig ="
    rb"|ajax/libs/require\.js/2\.1\.10/",
    re.IGNORECASE,
)
_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|testing|specs?|e2e|testdata|__mocks__|__fixtures__|fixtures|testutils?|test[-_]?helpers?|integration[-_]tests?"
    r"|benchmarks?|benches)/|_test\.(?:go|py|rb|exs?|c|cc|cpp)$|(?:^|/)test_[^/]*\.py$|(?:^|/)conftest\.py$|[._-](?:test|tests|spec|e2e|cy)\.[cm]?[jt]sx?$"
    r"|_spec\.rb$|(?:^|/)[^/]*Tests?\.(?:java|kt|cs|php|swift|scala)$|(?:^|/)test[-_][^/]*\.(?:sh|bash|js|ts)$|[-_.]test\.(?:sh|bash|js|ts|rs)$|(?:^|/)tests?\.rs$",
)
_PROSE = re.compile(
    r"\.(?:md|mdx|markdown|txt|rst|adoc|asciidoc|textile|org|pod|rdoc|tex|wiki)$"
    r"|(?:^|/)(?:LICEN[CS]E|COPYING|CHANGELOG|CHANGES|HISTORY|AUTHORS|CONTRIBUTORS|CONTRIBUTING|INSTALL|README|NOTICE|NEWS|TODO|SECURITY)(?:\.(?:txt|[a-z]{2}))?$",
    re.IGNORECASE,
)
_DEPENDENCIES = re.compile(r"(?:^|/)(?:requirements[^/]*|constraints[^/]*)\.txt$")
_CONFIG = re.compile(
    r"\.(?:ya?ml|toml|ini|cfg|conf|config|properties|env|editorconfig|plist|service|tfvars|hcl|desktop|(?:cs|fs|vb)proj|props|targets|entitlements|xcconfig|webmanifest)$"
    r"|(?:^|/)\.(?:env[^/]*|git(?:ignore|attributes|modules)|dockerignore|npmrc|nvmrc|prettierrc[^/]*|eslintrc[^/]*|eslintignore|prettierignore"
    r"|babelrc|editorconfig|tool-versions|node-version|python-version|[a-z-]+rc(?:\.json)?|[a-z-]+ignore)$"
    r"|(?:^|/)(?:package|composer|deno|turbo|nx|lerna|vercel|wrangler|biome|renovate|components|project|angular|app|jsr|manifest|settings(?:\.local)?"
    r"|hooks|mcp|\.mcp|launch|tasks|extensions|devcontainer|jsconfig|tsconfig[^/]*|[^/]*\.config|config(?:\.[a-z]+)?)\.jsonc?$"
    r"|(?:^|/)(?:go\.mod|go\.work|Procfile|Pipfile|CODEOWNERS|MANIFEST\.in)$",
    re.IGNORECASE,
)
# Rules, hints and prompts of agents, whatever they end in; scripts among them stay source.
_AGENTS_CONFIG = re.compile(
    rf"(?:^|/)\.(?:{unread.ROOTS})/(?:.*/)?(?:[^/]*\.(?:rules|mdc|prompt|tmpl|template|tpl)|(?:rules|commands|prompts|modes)/[^/.]+)$"
    rf"|(?:^|/)\.(?:{unread.ROOTS})-?(?:rules|hints|prompts|ignore|modes)[\w.-]*$"
)
_DATA = re.compile(
    r"\.(?:json|jsonc|json5|jsonl|ndjson|geojson|csv|tsv|xml|svg|ipynb|log|out|sql\.gz|po|pot|xlf|resx|lottie|drawio|excalidraw|patch|diff|parquet|avsc|har|sln|graphml|tmtheme|pem|crt|stl|step|gltf|srt|vtt|cast|pid|xcprivacy|xcsettings)$|(?:^|/)logs?$",
    re.IGNORECASE,
)

BY_HAND = frozenset({FileKind.SOURCE, FileKind.TEST, FileKind.DOCS, FileKind.CONFIG})
"""Kinds that a person types: only in these can a line be a person's."""


class Attributes(NamedTuple):
    """One line of a `.gitattributes`: paths that match `pattern` have `values` (name -> set or
    unset).
    """

    pattern: AttributePattern
    values: dict[str, bool]


def kind_of(path: str, attributes: Sequence[Attributes] = ()) -> FileKind:
    """The kind of a file by its path, and by what the repository says of it."""
    stated = stated_values(path, attributes)
    for name, kind in _STATED.items():
        if stated.get(name):
            return kind
    return _apply_rules(path, frozenset(stated))


@lru_cache(50_000)
def _apply_rules(path: str, stated: frozenset[str]) -> FileKind:
    for kind, name, fits in _RULES:
        if name not in stated and fits(path):
            return kind
    return FileKind.SOURCE


def stated_values(path: str, attributes: Sequence[Attributes]) -> dict[str, bool]:
    """The linguist attributes that the repository gives a path."""
    stated: dict[str, bool] = {}
    for rule in attributes:
        if rule.pattern.matches(path):
            stated |= rule.values
    return stated


@cache
def _state() -> re.Pattern[str]:
    return re.compile(
        rf"^\.(?:specify|{'|'.join(state_directories())})/(?:.+\.lock$|worktrees/|projects/|logs?/|sessions?/|todos/|statsig/|cache/"
        r"|data/sessions/|file-history/|shell[-_]snapshots/|plugins/(?:cache|marketplaces)/|debug/[0-9a-f-]{36}\.txt$|session-env/|tmp/"
        r"|(?:history\.jsonl|\.?auth\.json|\.credentials\.json|(?:models|stats)[-_]cache\.json|\.personality_migration"
        r"|installation_id|(?<=codex/)version\.json)$)"
    )


def is_generated_path(path: str) -> bool:
    """Whether builds and generators write files of that path, or agents keep their own state
    there.
    """
    is_state = path.startswith(".") and _state().match(path)
    return bool(
        _BUILT.search(path) or is_state or _GENERATED_NAME.search(path) or _SNAPSHOT.search(path)
    )


def is_test_path(path: str) -> bool:
    """Whether a path looks like that of a test or its helpers, in any language."""
    return _TEST.search(path) is not None


def kind_of_version(path: str, data: bytes, attributes: Sequence[Attributes] = ()) -> FileKind:
    """The kind of one version of a file, by its path and its bytes."""
    kind = kind_of(path, attributes)
    if text_decides(path, kind, attributes):
        return kind_of_text(data, suffix_of(path)) or kind
    return kind


def text_decides(path: str, kind: FileKind, attributes: Sequence[Attributes] = ()) -> bool:
    """Whether a version of a file that is of this kind by its path may turn out to be generated
    or minified.
    """
    by_hand = (
        kind in BY_HAND and stated_values(path, attributes).get("linguist-generated") is not False
    )
    return by_hand or _LOG.search(path) is not None


def suffix_of(path: str) -> str:
    """The part after the last dot, in small letters; the whole path where there is no dot."""
    return path.rpartition(".")[2].lower()


def may_tell_kind(data: bytes) -> bool:
    """Whether the text has a word that notes of generators, pointers or logs have; else only
    `BY_TEXT` need another look.
    """
    return (
        any(word in data for word in (_POINTER, b"transcript_path", b"Uuid"))
        or _GENERATED_WORD in data.lower()
    )


def is_pointer(data: bytes) -> bool:
    """Whether a blob only names the content that Git LFS keeps elsewhere."""
    return data.startswith(b"version " + _POINTER)


def kind_of_text(data: bytes, suffix: str) -> FileKind | None:
    """Minified, generated, a log of hooks or a pointer of Git LFS, by the bytes alone; None when
    they say nothing.
    """
    if is_pointer(data):
        return FileKind.DATA
    if suffix == "json" and _LOG_ENTRY.match(data):
        return FileKind.RECORDER
    if suffix in _DENSE:
        lines = data.count(b"\n") + 1
        dense = lines > 5 and len(data) > _MEAN_LINE * lines and has_long_line(data, 1000)
        if dense or has_long_line(data, _LONG_LINE):
            return FileKind.MINIFIED
    head = head_of(data)
    # the word is in every form, and quickly ruled out
    named = _GENERATED_WORD in head.lower() and _GENERATED_HEAD.search(head)
    if named or (suffix in _CONVERTED and _CONVERTED_HEAD.search(head)):
        return FileKind.GENERATED
    return None


def has_long_line(data: bytes, limit: int = _LONG_LINE) -> bool:
    return len(data) > limit and any(len(line) > limit for line in data.split(b"\n"))


def head_of(data: bytes) -> bytes:
    """The first lines of a text, where generators say so."""
    end = 0
    for _ in range(HEAD_LINES):
        newline = data.find(b"\n", end)
        if newline < 0 or newline > 8000:
            return data[:8000]
        end = newline + 1
    return data[:end]


_STATED = {
    "linguist-generated": FileKind.GENERATED,
    "linguist-vendored": FileKind.VENDORED,
    "linguist-documentation": FileKind.DOCS,
}
# In this order; a rule is silent when the repository says the opposite by the attribute.
_RULES: tuple[tuple[FileKind, str, Callable[[str], object]], ...] = (
    (FileKind.LOCK, "", _LOCK.search),
    (FileKind.RECORDER, "", _RECORDER.search),
    (FileKind.VENDORED, "linguist-vendored", _VENDORED.search),
    (FileKind.VENDORED, "linguist-vendored", shipped_by),
    (FileKind.GENERATED, "linguist-generated", is_generated_path),
    (FileKind.MINIFIED, "", _MINIFIED_NAME.search),
    (FileKind.CONFIG, "", _DEPENDENCIES.search),
    (FileKind.DOCS, "linguist-documentation", _PROSE.search),
    (FileKind.CONFIG, "", _CONFIG.search),
    (FileKind.CONFIG, "", _AGENTS_CONFIG.search),
    (FileKind.DATA, "", _DATA.search),
    (FileKind.TEST, "", is_test_path),
)

# --- what the repository says ---------------------------------------------------------------------


def attributes_of(text: str, directory: str = "") -> list[Attributes]:
    """The linguist attributes that a `.gitattributes` in `directory` ("" is the root) sets, in
    order.
    """
    attributes = []
    for line in text.split("\n"):
        words = line.split()
        if len(words) < 2 or words[0].startswith(("#", "[attr]", "!")):
            continue
        values = dict(_attribute(word) for word in words[1:] if "linguist-" in word)
        if values:
            attributes.append(Attributes(AttributePattern(directory.strip("/"), words[0]), values))
    return attributes


def _attribute(word: str) -> tuple[str, bool]:
    name, _, value = word.lstrip("-!").partition("=")
    return name, not word.startswith(("-", "!")) and value.lower() not in ("false", "0", "no")
