"""Programs whose arguments say which files they write, change, move or remove."""

import re
from itertools import pairwise

from attribution.shell.calls import ProgramCall, is_path, operands
from attribution.shell.model import Effect, ShellWord, join
from collector.git.patches import FilePatch, file_patches

_SED_IN_PLACE = re.compile(r"-[nErsuz]*i")
# Options with which a patch is not applied as it stands.
_OTHERWISE = (
    "-R",
    "--reverse",
    "--directory",
    "-d",
    "--reject",
    "-3",
    "--3way",
    "--include",
    "--exclude",
)
_PATCHED = re.compile(
    r"^(?:\+\+\+ (?:b/)?|\*\*\* (?:Update|Add|Delete) File: )([^\t\n]{1,1000})", re.M
)


def sed(call: ProgramCall) -> list[Effect]:
    texts = call.texts
    moment = next(
        (
            i
            for i, text in enumerate(texts)
            if _SED_IN_PLACE.match(text) or text.startswith("--in-place")
        ),
        -1,
    )
    if moment < 0:
        return []
    words = list(call.args)
    if moment + 1 < len(words) and re.fullmatch(r"|\.\w+", texts[moment + 1]):
        del words[moment + 1]  # the suffix that BSD wants
    scripted = any(
        text in ("-e", "-f") or text.startswith(("--expression", "--file")) for text in texts
    )
    words = operands(words, frozenset(("-e", "-f", "--expression", "--file", "-l")))
    return call.make("modify", words if scripted else words[1:])


def remove(call: ProgramCall) -> list[Effect]:
    return call.make("remove", operands(call.args))


def tee(call: ProgramCall) -> list[Effect]:
    words = [word for word in operands(call.args) if not word.text.startswith("/dev/")]
    appending = call.has("-a", "--append", "-ai", "-ia")
    return call.make("append" if appending else "write", words, call.stdin_text()) if words else []


_INTO = frozenset(("-t", "--target-directory"))
_WITH_VALUE = {  # options of programs whose options are others than those of `cp`
    "scp": frozenset(("-P", "-i", "-o", "-F", "-c", "-l", "-S", "-J", "-D", "-X")),
    "rsync": frozenset(
        (
            "-e",
            "--rsh",
            "-f",
            "--filter",
            "--exclude",
            "--include",
            "--exclude-from",
            "--include-from",
            "--files-from",
            "--rsync-path",
            "-B",
            "--block-size",
            "-T",
            "--temp-dir",
            "--port",
            "--bwlimit",
            "-M",
            "--timeout",
            "--chmod",
            "--chown",
            "--max-size",
            "--min-size",
            "--link-dest",
            "--compare-dest",
            "--copy-dest",
            "--backup-dir",
            "--suffix",
            "--password-file",
            "--log-file",
            "--out-format",
            "--partial-dir",
        )
    ),
}


def transfer(call: ProgramCall) -> list[Effect]:
    """`mv`, `cp`: one effect for each source. Of `a/` rsync copies what is inside, as
    `cp -r a/.` does.
    """
    kind = "move" if call.name == "mv" else "copy"
    if call.name == "rsync" and call.has("-n", "--dry-run"):
        return []
    words = operands(
        call.args, _WITH_VALUE.get(call.name, _INTO | {"-S", "--suffix", "-m", "-o", "-g"})
    )
    is_into = call.name not in _WITH_VALUE  # to rsync -t says that times are kept
    into = next((b.text for a, b in pairwise(call.args) if is_into and a.text in _INTO), "")
    if into:
        target = into.rstrip("/") + "/"
        sources = words
    elif len(words) > 1:
        target = words[-1].text
        sources = words[:-1]
    else:
        return [Effect(kind)]
    if len(sources) > 1:
        target = target.rstrip("/") + "/"
    return [
        transfer_effect(
            call, kind, s.text + "." * (call.name == "rsync" and s.text.endswith("/")), target
        )
        for s in sources
    ]


def transfer_effect(call: ProgramCall, kind: str, source: str, target: str) -> Effect:
    last = re.split("[/:]", source.rstrip("/"))[-1]
    if target in (".", "..") or target.endswith(("/", "/.", "/..")):
        target = f"{target}/{last}"
    paths = (join(call.cwd, source),) if is_path(source) else ()
    if is_path(target):
        return Effect(kind, paths, None, join(call.cwd, target))
    directory, slash, name = target.rpartition("/")
    into = slash and directory and "$" not in directory and (name in (".", "..") or "$" in name)
    # some file of the directory
    return Effect(kind, () if into else paths, None, join(call.cwd, directory) if into else "")


def link(call: ProgramCall) -> list[Effect]:
    words = operands(call.args)
    return call.make("write", words[-1:]) if len(words) > 1 else []


def touch(call: ProgramCall) -> list[Effect]:
    return call.make("append", operands(call.args, frozenset(("-t", "-d", "-r"))), "")


def truncate(call: ProgramCall) -> list[Effect]:
    empty = call.has("-s0") or "0" in call.texts
    words = [word for word in operands(call.args, frozenset(("-s", "-r"))) if word.text]
    return call.make("write", words, "" if empty else None)


def option_target(call: ProgramCall) -> list[Effect]:
    """`sort -o f`, `curl -o f`, `wget -O f`, `dd of=f`."""
    short = {"curl": "o", "sort": "o", "wget": "O", "dd": "of="}[call.name]
    option = re.compile(
        r"of=" if call.name == "dd" else rf"-[a-zA-Z]*{short}|--output(?:-document)?(?:=|$)"
    )
    for index, text in enumerate(call.texts):
        if match := option.match(text):
            value = (
                [ShellWord(text[match.end() :], True)]
                if match.end() < len(text)
                else list(call.args[index + 1 : index + 2])
            )
            scrap = value and (value[0].text == "-" or value[0].text.startswith("/dev/"))
            return [] if scrap else call.make("write", value)
    named = re.compile(r"-[a-zA-Z]*O|--remote-name")
    fetching = (call.name == "wget" and not call.has("--spider")) or any(
        named.match(text) for text in call.texts
    )
    return [Effect("write")] if call.name in ("curl", "wget") and fetching else []


def in_place(call: ProgramCall) -> list[Effect]:
    """`yq -i`, `awk -i inplace`, `crudini --set`."""
    if call.name == "crudini":
        return call.make("modify", operands(call.args)[:1])
    if call.name in ("awk", "gawk"):
        scripts = "".join(call.texts)
        writes = re.search(r"print[^|;}]{0,200}>\s*\"", scripts) and "/dev/std" not in scripts
        return (
            [Effect("modify")] if "inplace" in call.texts else [Effect("opaque")] if writes else []
        )
    changed = call.has("-i", "--inplace", "--in-place", "-yi")
    return call.make("modify", operands(call.args)[1:]) if changed else []


def tar(call: ProgramCall) -> list[Effect]:
    first = next(iter(call.texts), "")
    bundled = ("x" in first and not first.startswith("--")) or any(
        re.match(r"-[a-z]*x", text) for text in call.texts
    )
    return [Effect("write")] if bundled or call.has("--extract") else []


def patch(call: ProgramCall) -> list[Effect]:
    if call.has("--dry-run", "-C", "--check", "--stat", "--numstat", "--summary", "--cached"):
        return []
    words = [word for word in operands(call.args) if call.name == "patch"][:1]
    text = call.stdin_text() or (next(iter(call.texts), "") if call.name == "apply_patch" else "")
    if (literal := _patch_effects(call, text)) is not None:
        return literal
    words += [
        ShellWord(path, True)
        for path in dict.fromkeys(_PATCHED.findall(text))
        if path != "/dev/null"
    ]
    return call.make("restore" if call.name == "git" else "modify", words)


def _patch_effects(call: ProgramCall, text: str) -> list[Effect] | None:
    """The effects of a unified diff that the command gives; None when it is none, or not applied
    as it stands.
    """
    if call.name == "apply_patch" or call.has(*_OTHERWISE):
        return None
    if any(re.fullmatch(r"-p[02-9]", word) for word in call.texts) and not (
        call.name == "patch" and "-p0" in call.texts
    ):
        return None
    result = [
        effect
        for file_patch in file_patches(text)
        for effect in _effects_of_file_patch(call, file_patch)
    ]
    return result or None


def _effects_of_file_patch(call: ProgramCall, file_patch: FilePatch) -> list[Effect]:
    path = join(call.cwd, file_patch.path)
    new = join(call.cwd, file_patch.new_path)
    if not file_patch.new_path:
        return [Effect("remove", (path,))]
    if not file_patch.path:
        return [Effect("write", (new,), file_patch.content)]
    moved = [Effect("move", (path,), None, new)] if path != new else []
    return moved + ([Effect("modify", (new,), hunks=file_patch.hunks)] if file_patch.hunks else [])
