"""git and gh: which files get their text from git, which are moved or removed, and when a commit
is made.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from attribution.shell.calls import Handler, ProgramCall, directory, operands, subcommand_at
from attribution.shell.files import patch, transfer
from attribution.shell.model import Effect, ShellWord, join
from attribution.shell.rules import apply_rules

_DRY_RUN = re.compile(r"-[a-zA-Z]{0,20}n[a-zA-Z]{0,20}|--dry-run")
_SOURCE = frozenset(("-s", "--source"))
_MESSAGE = frozenset(("-m", "--message", "--pathspec-from-file"))
_HEAD = re.compile(r"(?:HEAD|@)(?:[~^]0)?")
_HERE = (".", "./", ":/")
_FILE_LIKE = re.compile(r"\.[A-Za-z]\w*$|[*?]")


def git(call: ProgramCall) -> list[Effect]:
    words = [ShellWord("git", True), *call.args]
    moment = subcommand_at(words)
    if not moment:
        return []
    inner = replace(call, args=tuple(words[moment + 1 :]), cwd=directory(words[1:moment], call.cwd))
    handler = _SUBCOMMANDS.get(words[moment].text)
    effects = handler(inner) if handler else apply_rules(call)
    here = join(inner.cwd, ".")
    return [replace(effect, directory=here) if effect.undo else effect for effect in effects]


def gh(call: ProgramCall) -> list[Effect]:
    if call.texts[:2] == ["pr", "merge"] and call.has("-d", "--delete-branch"):
        return [Effect("restore")]
    return apply_rules(call)


def _paths(call: ProgramCall) -> list[ShellWord]:
    """The words after `--`."""
    texts = call.texts
    if "--" not in texts:
        return []
    return list(call.args[texts.index("--") + 1 :])


def _checkout(call: ProgramCall) -> list[Effect]:
    words = operands(call.args)
    if paths := _paths(call):
        effects = _commit_effects(call.make("restore", paths))
        return _undo("head", effects) if _is_head(words[: -len(paths)]) else effects
    files = [word for word in words if _FILE_LIKE.search(word.text) or word.text in _HERE]
    if call.has("-f", "--force", "--discard-changes") and not files:
        return _undo("head", _commit_effects([Effect("restore")]))
    if call.has("-b", "-B", "-c", "-C", "--create", "--orphan"):
        return _commit_effects([Effect("restore")]) if len(words) > 1 else []
    effects = _commit_effects(call.make("restore", files))
    others = [word for word in words if word not in files]
    if files and _is_head(others):
        return _undo("head", effects)
    return effects


def _is_head(words: Sequence[ShellWord]) -> bool:
    """Whether git takes the text of the commit that is checked out: these name no other."""
    return all(_HEAD.fullmatch(word.text) for word in words)


def _undo(undo: str, effects: list[Effect]) -> list[Effect]:
    return [replace(effect, undo=undo) for effect in effects]


def _commit_effects(effects: list[Effect]) -> list[Effect]:
    return [replace(effect, from_commit=True) for effect in effects]


def shown(words: Sequence[str], effects: list[Effect]) -> list[Effect]:
    """What `git show REVISION:FILE` puts into files; the index has no name."""
    revision = next((word for word in words if ":" in word), "other:").partition(":")[0]
    if not revision or _HEAD.fullmatch(revision):
        return _undo("head", effects)
    return effects


def _checkout_index(call: ProgramCall) -> list[Effect]:
    effects = _commit_effects(call.make("restore", operands(call.args)))
    if call.has("-f", "--force"):
        return _undo("head", effects)
    return effects


def _restore(call: ProgramCall) -> list[Effect]:
    if call.has("--staged", "-S") and not call.has("--worktree", "-W"):
        return []
    effects = _commit_effects(call.make("restore", operands(call.args, _SOURCE)))
    names = [text.partition("=")[2] for text in call.texts if text.startswith("--source=")]
    names += [after for option, after in pairwise(call.texts) if option in _SOURCE]
    if all(map(_HEAD.fullmatch, names)):
        return _undo("head", effects)
    return effects


def _stash(call: ProgramCall) -> list[Effect]:
    verb = next(iter(call.texts), "push")
    if verb in ("list", "show", "create", "store"):
        return []
    if verb in ("drop", "clear"):
        return [Effect("stash", undo="drop")]
    if verb in ("pop", "apply", "branch"):
        return [Effect("restore", undo="unstash")]
    pushed = operands(call.args[1:], _MESSAGE) if verb == "push" else []
    return _undo("stash", call.make("restore", pushed))


def _reset(call: ProgramCall) -> list[Effect]:
    if not call.has("--hard", "--keep", "--merge"):
        return []
    return _undo("head", _commit_effects([Effect("restore")]))


def _clean(call: ProgramCall) -> list[Effect]:
    if any(map(_DRY_RUN.fullmatch, call.texts)):
        return []
    return [Effect("remove", undo="clean")]


def _remove(call: ProgramCall) -> list[Effect]:
    if call.has("--cached", "-n", "--dry-run"):
        return []
    return call.make("remove", operands(call.args))


def _commit(call: ProgramCall) -> list[Effect]:
    effects = [] if call.has("--dry-run") else call.make("commit", _paths(call))
    return [replace(effect, directory=join(call.cwd, ".")) for effect in effects]


def _apply(call: ProgramCall) -> list[Effect]:
    """A patch; `git diff FILE | git apply -R` takes the text of HEAD."""
    fed = call.command.fed.words if call.command.fed else []
    files = [word for word in operands(fed[2:]) if not _HEAD.fullmatch(word.text)]
    is_diff = [word.text for word in fed[:2]] == ["git", "diff"]
    if is_diff and call.has("-R", "--reverse") and all(_FILE_LIKE.search(w.text) for w in files):
        return _undo("head", _commit_effects(call.make("restore", files)))
    return patch(call)


def _worktree(call: ProgramCall) -> list[Effect]:
    words = operands(call.args, frozenset(("-b", "-B", "--reason")))
    kind = {"add": "restore", "remove": "remove"}.get(words[0].text if words else "", "")
    effects = call.make(kind, words[1:2]) if kind else []
    if kind != "restore":
        return effects
    return [replace(effect, directory=join(call.cwd, ".")) for effect in effects]


_SUBCOMMANDS: dict[str, Handler] = {
    "checkout": _checkout,
    "switch": _checkout,
    "checkout-index": _checkout_index,
    "restore": _restore,
    "reset": _reset,
    "stash": _stash,
    "rm": _remove,
    "clean": _clean,
    "mv": lambda call: transfer(replace(call, name="mv")),
    "commit": _commit,
    "apply": _apply,
    "worktree": _worktree,
}
