"""Mirrors: which refs, how many requests and bytes, and what every kind of failure leaves
behind. Real git on the loopback.
"""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from support.fake_time import FakeTime
from support.git_server import SETTINGS, GitServer
from support.served import add_file, git, noise, publish

from collector.discovery.github.patience import Token
from collector.discovery.mirrors import update as mirror_updates
from collector.discovery.mirrors.disk import Mirrors
from collector.discovery.mirrors.remote import (
    Advertised,
    Remote,
    WantedRefs,
    is_safe,
    keep_wanted,
    kind_of,
    parse_listing,
    talk,
)
from collector.discovery.mirrors.update import (
    FetchOptions,
    FetchResult,
    checkpoint_remote,
    update_mirror,
)
from collector.errors import WhoWroteError
from collector.git.program import GitFailed
from collector.git.repository import GitRepo
from collector.repository_names import (
    BadName,
    RepositorySource,
    checked_name,
    checked_url,
    directory,
    sibling_url,
    source,
    tombstone,
)
from collector.runtime.locks import InUse, file_lock

BIG = 100_000  # bytes of a file that the filter leaves out
HTTP = FetchOptions(keep_free=0, pauses=())


@pytest.fixture
def served(tmp_path: Path) -> Iterator[GitServer]:
    root = tmp_path / "served"
    root.mkdir()
    with GitServer(root) as server:
        yield server


@pytest.fixture
def mirrors(tmp_path: Path) -> Mirrors:
    return Mirrors(tmp_path / "mirrors")


def get(
    server: GitServer, mirrors: Mirrors, name: str = "o/r", options: FetchOptions = HTTP
) -> FetchResult:
    return update_mirror(
        RepositorySource(name, server.url(name)), mirrors, Remote(clock=FakeTime().clock()), options
    )


# --- what is fetched ------------------------------------------------------------------------------


def test_exactly_the_refs_that_are_needed(served: GitServer, mirrors: Mirrors) -> None:
    repo = publish(served.root, "o/r", "per_checkpoint_refs")
    for ref in (
        "refs/heads/feature",
        "refs/tags/v1",
        "refs/pull/1/head",
        "refs/notes/ai",
        "refs/notes/other",
    ):
        git(repo, "update-ref", ref, "refs/heads/main")
    done = get(served, mirrors)
    assert done.state == "fetched"
    refs = set(GitRepo(done.path).refs())
    theirs = {r for r in GitRepo(repo).refs() if r.startswith("refs/entire/")}
    assert theirs and refs == {"refs/heads/main", "refs/notes/ai"} | theirs
    assert GitRepo(done.path).default_branch() == GitRepo(repo).default_branch()
    with_pulls = get(served, mirrors, options=replace(HTTP, wanted=WantedRefs(pulls=True)))
    assert with_pulls.state == "fetched" and "refs/pull/1/head" in GitRepo(done.path).refs()


def objects(repo: Path) -> list[str]:
    return sorted(
        line.split()[0] for line in git(repo, "rev-list", "--objects", "--all").splitlines()
    )


def test_nothing_new_costs_one_check(served: GitServer, mirrors: Mirrors) -> None:
    publish(served.root, "o/r")
    get(served, mirrors)
    served.reset()
    done = get(served, mirrors)
    assert done.state == "unchanged"
    assert served.requests == {"POST git-upload-pack": 1} and served.sent < 1000


def test_what_is_new_is_fetched_and_what_is_gone_is_removed(
    served: GitServer, mirrors: Mirrors
) -> None:
    repo = publish(served.root, "o/r", "per_checkpoint_refs")
    first = get(served, mirrors)
    gone = next(r for r in GitRepo(repo).refs() if r.startswith("refs/entire/"))
    git(repo, "update-ref", "-d", gone)
    tip = add_file(repo, "refs/heads/main", "new.txt", b"new\n")
    done = get(served, mirrors)
    assert done.state == "fetched" and done.key != first.key
    refs = GitRepo(done.path).refs()
    assert refs["refs/heads/main"] == tip and gone not in refs


def test_another_default_branch_is_followed(served: GitServer, mirrors: Mirrors) -> None:
    repo = publish(served.root, "o/r")
    get(served, mirrors)
    git(repo, "branch", "-m", "main", "trunk")
    done = get(served, mirrors)
    assert done.state == "fetched" and GitRepo(done.path).default_branch().name == "trunk"


def test_checkpoints_kept_in_another_repository_are_followed(
    served: GitServer, mirrors: Mirrors
) -> None:
    repo = publish(served.root, "o/r")
    other = publish(served.root, "o/checkpoints")
    theirs = GitRepo(other).refs()["refs/heads/entire/checkpoints/v1"]
    git(repo, "update-ref", "-d", "refs/heads/entire/checkpoints/v1")
    settings = (
        b'{"strategy_options": {"checkpoint_remote": {"provider": "github", "repo":'
        b' "o/checkpoints"}}}'
    )
    add_file(repo, "refs/heads/main", ".entire/settings.json", settings)
    done = get(served, mirrors)
    assert (done.state, done.elsewhere) == ("fetched", "o/checkpoints")
    assert GitRepo(done.path).refs()["refs/remotes/checkpoints/entire/checkpoints/v1"] == theirs
    assert get(served, mirrors).state == "unchanged"
    add_file(other, "refs/heads/entire/checkpoints/v1", "x", b"x")
    assert get(served, mirrors).state == "fetched"


def test_checkpoints_come_from_here_and_from_there(served: GitServer, mirrors: Mirrors) -> None:
    repo = publish(served.root, "o/r")
    other = publish(served.root, "o/checkpoints")
    add_file(
        repo,
        "refs/heads/main",
        ".entire/settings.json",
        b'{"strategy_options": {"checkpoint_remote": "o/checkpoints"}}',
    )
    for place, salt in ((repo, 1), (other, 2)):
        add_file(
            place,
            "refs/heads/entire/checkpoints/v1",
            "ab/cdef012345/0/full.jsonl",
            noise(BIG, salt),
        )
    done = get(served, mirrors)
    assert (done.state, done.detail) == ("fetched", "")
    assert {oid for place in (repo, other) for oid in objects(place)} == set(
        objects(Path(done.path))
    )


def test_a_private_place_of_checkpoints_is_noted_and_the_rest_fetched(
    served: GitServer, mirrors: Mirrors
) -> None:
    repo = publish(served.root, "o/r")
    add_file(
        repo,
        "refs/heads/main",
        ".entire/settings.json",
        b'{"strategy_options": {"checkpoint_remote": "o/private"}}',
    )
    add_file(repo, "refs/heads/entire/checkpoints/v1", "ab/cdef012345/0/full.jsonl", noise(BIG))
    done = get(served, mirrors)
    assert done.state == "fetched" and "o/private" in done.detail


@pytest.mark.parametrize(
    ("text", "name"),
    {
        (
            b'{"strategy_options": {"checkpoint_remote": {"provider": "github", "repo": "o/c"}}}'
        ): "o/c",
        b'{"strategy_options": {"checkpoint_remote": "../../etc"}}': "",
        b'{"strategy_options": {"checkpoint_remote": {"repo": "--upload-pack=x/y"}}}': "",
        b'{"strategy_options": []}': "",
        b"[" * 100_000: "",
        b"\xff": "",
        b"": "",
    }.items(),
)
def test_settings_are_read_with_care(text: bytes, name: str) -> None:
    assert checkpoint_remote(text) == name


# --- many updates ---------------------------------------------------------------------------------


def grow(repo: Path, number: int) -> None:
    """One more commit, and one more checkpoint whose transcript contains the one before."""
    text = b"".join(noise(20_000, n) for n in range(4 + number))
    add_file(repo, "refs/heads/main", f"{number}.txt", noise(500, 100 + number))
    add_file(repo, "refs/heads/entire/checkpoints/v1", f"ab/{number:010x}/0/full.jsonl", text)


def stored(path: str | Path) -> set[str]:
    """All objects, reached by a ref or not."""
    return set(
        git(Path(path), "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    )


def packs(path: str) -> list[Path]:
    return sorted(Path(path).glob("objects/pack/*.pack"))


def test_many_packs_are_put_together(
    served: GitServer, mirrors: Mirrors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        mirror_updates, "_HOUSEKEEPING", (*mirror_updates._HOUSEKEEPING, "gc.autoPackLimit=4")
    )
    repo = publish(served.root, "o/r")
    most = 0
    seen = set[str]()
    for number in range(6):
        grow(repo, number)
        done = get(served, mirrors)
        assert (done.state, done.detail) == ("fetched", "")
        most = max(most, len(packs(done.path)))
        had = seen
        seen = stored(done.path)
        assert had <= seen  # nothing is lost
    assert most <= 6
    assert get(served, mirrors).state == "unchanged"
    git(Path(done.path), "fsck", "--connectivity-only")
    assert objects(Path(done.path)) == objects(repo)


def test_a_commit_that_no_ref_reaches_any_more_stays(
    served: GitServer, mirrors: Mirrors, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        mirror_updates, "_HOUSEKEEPING", (*mirror_updates._HOUSEKEEPING, "gc.autoPackLimit=1")
    )
    repo = publish(served.root, "o/r")
    grow(repo, 0)
    old = git(repo, "rev-parse", "main").strip()
    get(served, mirrors)
    git(repo, "update-ref", "refs/heads/main", f"{old}~1")
    grow(repo, 1)
    done = get(served, mirrors)
    assert len(packs(done.path)) == 1 and old in stored(done.path)


# --- failures -------------------------------------------------------------------------------------


def test_a_repository_that_is_gone_keeps_its_mirror(served: GitServer, mirrors: Mirrors) -> None:
    repo = publish(served.root, "o/r")
    done = get(served, mirrors)
    before = objects(Path(done.path))
    repo.rename(served.root / "away")
    gone = get(served, mirrors)
    assert gone.state == "gone" and not gone.is_usable() and gone.detail
    assert objects(Path(done.path)) == before


@pytest.mark.parametrize(
    ("status", "state"),
    {
        401: "gone",
        404: "gone",
        403: "unreachable",
        500: "unreachable",
        429: "unreachable",
    }.items(),
)
def test_what_the_server_answers_is_told_apart(
    served: GitServer, mirrors: Mirrors, status: int, state: str
) -> None:
    publish(served.root, "o/r")
    served.faults = lambda path: status
    assert get(served, mirrors).state == state


def test_nobody_listens(tmp_path: Path, mirrors: Mirrors) -> None:
    with GitServer(tmp_path) as server:
        url = server.url("o/r")
    assert (
        update_mirror(
            RepositorySource("o/r", url), mirrors, Remote(clock=FakeTime().clock()), HTTP
        ).state
        == "unreachable"
    )


def test_an_empty_repository_is_no_failure(served: GitServer, mirrors: Mirrors) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(served.root / "o" / "r.git")], check=True)
    done = get(served, mirrors)
    assert done.state == "empty" and done.is_usable() and not Path(done.path).exists()


def test_a_transfer_that_is_cut_leaves_nothing_half_and_goes_on_next_time(
    served: GitServer, mirrors: Mirrors
) -> None:
    repo = publish(served.root, "o/r")
    add_file(repo, "refs/heads/entire/checkpoints/v1", "ab/cdef012345/0/full.jsonl", noise(BIG))
    for cut in (2, 3, 4, 5, 6, 7):
        calls = iter(range(1000))
        served.faults = lambda path, calls=calls, cut=cut: (
            ("cut", 400) if next(calls) == cut else None
        )  # type: ignore[misc]
        done = get(served, mirrors)
        assert done.state in ("fetched", "unchanged", "unreachable", "damaged", "failed")
        if mirrors.path("o/r").exists():
            # what is there is whole
            git(mirrors.path("o/r"), "rev-list", "--objects", "refs/heads/main")
    served.faults = lambda path: None
    assert get(served, mirrors).is_usable()
    assert set(objects(mirrors.path("o/r"))) == set(objects(repo))
    assert list((mirrors.root / ".incoming").iterdir()) == []


def test_a_repository_that_is_too_large_is_stopped(served: GitServer, mirrors: Mirrors) -> None:
    repo = publish(served.root, "o/r")
    add_file(repo, "refs/heads/main", "huge", noise(3_000_000))
    small = replace(HTTP, max_bytes=200_000)
    done = get(served, mirrors, options=small)
    assert done.state == "too_large" and "--max-size" in done.detail
    assert not mirrors.path("o/r").exists() and done.bytes == 0
    assert get(served, mirrors).state == "fetched"


def test_a_server_that_drags_on_is_left(served: GitServer, mirrors: Mirrors) -> None:
    publish(served.root, "o/r")
    calls = iter(range(1000))
    served.faults = lambda path: ("wait", 30) if next(calls) >= 2 else None
    began = time.monotonic()
    done = get(served, mirrors, options=replace(HTTP, seconds=1))
    assert done.state == "too_slow" and "--timeout" in done.detail
    assert time.monotonic() - began < 25
    assert not mirrors.path("o/r").exists()


def test_space_that_is_to_stay_free_stays_free(served: GitServer, mirrors: Mirrors) -> None:
    publish(served.root, "o/r")
    served.faults = lambda path: ("wait", 0.5) if "upload-pack" in path else None
    done = get(served, mirrors, options=replace(HTTP, keep_free=1 << 60))
    assert done.state == "disk_full" and "are free on the disk" in done.detail


def test_a_full_disk_is_called_one(served: GitServer, mirrors: Mirrors) -> None:
    """A limit on the size of files stands for the disk: writing fails in the middle of a
    transfer.
    """
    repo = publish(served.root, "o/r")
    add_file(repo, "refs/heads/main", "big", noise(400_000))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        done = get(served, mirrors)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert done.state == "disk_full", done.detail
    assert not mirrors.path("o/r").exists()
    assert get(served, mirrors).state == "fetched"


def test_two_at_once_do_not_meet(served: GitServer, mirrors: Mirrors) -> None:
    publish(served.root, "o/r")
    with mirrors.lock("o/r", 0), pytest.raises(InUse, match="o/r is in use"):
        get(served, mirrors, options=replace(HTTP, patience=0.2))
    assert get(served, mirrors).state == "fetched"


def test_a_lock_that_its_holder_removes_is_not_held_twice(tmp_path: Path) -> None:
    path = tmp_path / "x.lock"
    with file_lock(path, 0, "x"):
        path.unlink()
        with file_lock(path, 0, "x") as other:
            assert os.path.samestat(os.fstat(other), path.stat())


def test_objects_that_fsck_refuses_are_taken_and_noted(served: GitServer, mirrors: Mirrors) -> None:
    repo = publish(served.root, "o/r")
    tree = git(repo, "rev-parse", "main^{tree}").strip()
    raw = (
        f"tree {tree}\nauthor A <a@x> 1 +0000\ncommitter A<a@x> 1 +0000\n\nno blank before the"
        " address\n".encode()
    )
    bad = git(repo, "hash-object", "-t", "commit", "-w", "--literally", "--stdin", data=raw).strip()
    git(repo, "update-ref", "refs/heads/main", bad)
    done = get(served, mirrors)
    assert GitRepo(done.path).default_branch().sha == bad
    assert done.state == "fetched" and done.detail.count("fsck complains") == 1


def test_a_server_that_lacks_objects_gives_what_it_has(
    served: GitServer, mirrors: Mirrors, tmp_path: Path
) -> None:
    hook = tmp_path / "hook"
    hook.write_text('#!/bin/sh\nshift 2\nexec git pack-objects --missing=allow-any "$@"\n')
    hook.chmod(0o755)
    served.settings = {**SETTINGS, "uploadpack.packObjectsHook": str(hook)}
    repo = publish(served.root, "o/r")
    add_file(repo, "refs/heads/entire/checkpoints/v1", "ab/cdef012345/0/full.jsonl", noise(BIG))
    add_file(
        repo, "refs/heads/entire/checkpoints/v1", "ab/cdef012345/1/full.jsonl", noise(5_000_000, 2)
    )
    oid = git(repo, "rev-parse", "entire/checkpoints/v1:ab/cdef012345/1/full.jsonl").strip()
    from support.histories import drop

    drop(repo, oid)
    done = get(served, mirrors)
    assert done.state == "fetched" and "without files over 4 MiB" in done.detail
    assert GitRepo(done.path).refs() == GitRepo(repo).refs() and not GitRepo(done.path).has(oid)
    assert GitRepo(done.path).censored().partial
    assert get(served, mirrors).state == "unchanged"


# --- hostile names and repositories ---------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "..",
        "../x",
        "a/..",
        "a/../../b",
        "/etc/passwd",
        "a//b",
        "a/b/c",
        "-x/y",
        "a/.git",
        "a/b.lock",
        ".a/b",
        "a/b\n",
        "a/b c",
        "a",
        "",
        "a/b\0",
        "ä/b",
        "a" * 200 + "/b",
        "a./b",
        "a/..git",
    ],
)
def test_names_that_are_not_used(name: str) -> None:
    with pytest.raises(BadName):
        checked_name(name)


@pytest.mark.parametrize("name", ["o/r", "o/-r", "o/r.js", "A-b/C_d", "o/.github"])
def test_names_stay_below_the_directory(name: str, tmp_path: Path) -> None:
    path = Mirrors(tmp_path).path(name)
    assert path.parent.parent == tmp_path and directory(name) == directory(name.upper())


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c x",
        "git://h/o/r",
        "ssh://h/o/r",
        "https://user:pw@h/o/r",
        "https://h/o/r\n",
        'https://h/o"/r',
        "--upload-pack=x",
        "https://h/o/r?x",
        "ftp://h/o/r",
        "https://h/\\o/r",
    ],
)
def test_addresses_that_are_not_used(url: str) -> None:
    with pytest.raises(BadName):
        checked_url(url)


def test_credentials_are_not_repeated() -> None:
    with pytest.raises(BadName) as refused:
        checked_url("https://me:secret@example.org/o/r")
    assert "secret" not in str(refused.value) + refused.value.hint


def test_lines_of_a_list() -> None:
    assert source("o/r") == RepositorySource("o/r", "https://github.com/o/r.git")
    assert source(" git@github.com:o/r.git ") == RepositorySource(
        "o/r", "https://github.com/o/r.git"
    )
    assert source("https://example.org/x/o/r.git").name == "o/r"
    assert source("https://gitlab.com/group/part/r") == RepositorySource(
        "part/r", "https://gitlab.com/group/part/r.git"
    )
    assert source("https://gitlab.com/group/part/r/-/tree/main") == source(
        "https://gitlab.com/group/part/r"
    )
    for page in (
        "https://github.com/o/r/tree/main",
        "github.com/o/r",
        "http://www.github.com/o/r/",
        "https://github.com/o/r?tab=x#y",
    ):
        assert source(page).name == "o/r" and source(page).url.endswith("://github.com/o/r.git"), (
            page
        )
    assert source("ghe.example.org/o/r.git") == RepositorySource(
        "o/r", "https://ghe.example.org/o/r.git"
    )
    assert source("ssh://git@ghe.example.org:22/o/r.git") == RepositorySource(
        "o/r", "https://ghe.example.org/o/r.git"
    )
    assert source("o/r", "https://ghe.example.org/") == RepositorySource(
        "o/r", "https://ghe.example.org/o/r.git"
    )
    assert source("https://ghe.example.org/o/r/pulls", "https://ghe.example.org").name == "o/r"
    for bad in (
        "https://github.com/o",
        "r",
        "./clone",
        "https://github.com/",
        "https://example.org/o",
    ):
        with pytest.raises(BadName):
            source(bad)
    with pytest.raises(BadName) as refused:
        source("group/part/r")
    assert "https://HOST/group/part/r" in refused.value.hint
    assert source("/srv/git/o/r.git") == RepositorySource("o/r", "file:///srv/git/o/r.git")
    assert sibling_url("http://h:1/o/r.git", "o/c") == "http://h:1/o/c.git"
    with pytest.raises(BadName):
        sibling_url("https://host/r.git", "elsewhere.example/c")
    assert tombstone("O/R") == tombstone("o/r") != tombstone("o/s")


@pytest.mark.parametrize(
    "ref",
    [
        "refs/heads/a b",
        "refs/heads/*",
        "refs/heads/a..b",
        "--x",
        "refs/heads/a:b",
        "refs/heads/x.lock",
        "refs/heads/",
    ],
)
def test_refs_that_git_would_not_accept_are_left_out(ref: str) -> None:
    assert not is_safe(ref)
    seen = keep_wanted(ref, {ref: "0" * 40, "refs/heads/entire/ok": "1" * 40}, WantedRefs(), "")
    assert seen == Advertised("", {"refs/heads/entire/ok": "1" * 40})


def test_only_the_protocol_of_the_address_is_allowed(tmp_path: Path, mirrors: Mirrors) -> None:
    repo = publish(tmp_path, "o/r")
    assert (
        update_mirror(RepositorySource("o/r", f"file://{repo}"), mirrors, Remote(), HTTP).state
        == "fetched"
    )
    assert [Remote().access(f"{scheme}://h/o/r.git").protocols for scheme in ("https", "file")] == [
        ("https",),
        ("file",),
    ]
    for args in (["ls-remote", f"file://{repo}"], ["ls-remote", f"ext::cat {repo}"]):
        with pytest.raises(GitFailed, match="not allowed"):
            talk(mirrors.path("o/r"), args, Remote().access("https://h/o/r.git"))


def test_a_mirror_has_no_hooks_and_runs_nothing(served: GitServer, mirrors: Mirrors) -> None:
    repo = publish(served.root, "o/r")
    add_file(
        repo,
        "refs/heads/main",
        ".gitmodules",
        b'[submodule "x"]\n\tpath = x\n\turl = file:///etc\n',
    )
    add_file(repo, "refs/heads/main", ".gitattributes", b"* filter=evil\n")
    done = get(served, mirrors)
    assert done.state == "fetched"
    assert not (Path(done.path) / "hooks").exists() and not (Path(done.path) / "modules").exists()
    assert not list(Path(done.path).glob("index"))


def test_a_token_goes_to_its_server_alone_and_not_into_the_address() -> None:
    remote = Remote(Token("test", "t0ken"), "https://github.com")
    assert remote.access("https://github.com.evil.org/o/r.git").secrets == []
    assert remote.access("https://example.org/o/r.git").secrets == []
    [(key, value)] = remote.access("https://github.com/o/r.git").secrets
    assert key == "http.https://github.com/.extraHeader" and value.startswith(
        "Authorization: Basic "
    )


def test_leftovers_of_a_killed_git_are_removed(served: GitServer, mirrors: Mirrors) -> None:
    repo = publish(served.root, "o/r")
    done = get(served, mirrors)
    for left in (
        "objects/pack/tmp_pack_x",
        "refs/heads/main.lock",
        "packed-refs.lock",
        "objects/pack/pack-1.keep",
    ):
        (Path(done.path) / left).write_bytes(b"x")
    tip = add_file(repo, "refs/heads/main", "n", b"n")
    assert get(served, mirrors).state == "fetched"
    assert GitRepo(done.path).refs()["refs/heads/main"] == tip
    assert not [
        p
        for p in Path(done.path).rglob("*")
        if p.name.endswith((".lock", ".keep")) or p.name.startswith("tmp_")
    ]


def test_removing_a_mirror_leaves_nothing(served: GitServer, mirrors: Mirrors) -> None:
    publish(served.root, "o/r")
    done = get(served, mirrors)
    assert mirrors.remove("o/r") == done.bytes
    assert [p for p in mirrors.root.rglob("*") if p.is_file()] == []
    assert mirrors.remove("o/r") == 0


def test_the_mirror_of_another_address_is_not_overwritten(
    served: GitServer, mirrors: Mirrors
) -> None:
    publish(served.root, "o/r")
    publish(served.root, "p/other")
    get(served, mirrors)
    done = update_mirror(
        RepositorySource("o/r", served.url("p/other")),
        mirrors,
        Remote(clock=FakeTime().clock()),
        HTTP,
    )
    assert done.state == "failed" and "another URL" in done.detail


def test_words_of_git() -> None:
    assert (
        kind_of("fatal: unable to access 'x': The requested URL returned error: 503")
        == "unreachable"
    )
    assert kind_of("error: No space left on device; fatal: early EOF") == "disk_full"
    assert kind_of("something new") == "failed"
    head, found = parse_listing(
        "ref: refs/heads/main\tHEAD\n"
        + "a" * 40
        + "\tHEAD\n"
        + "a" * 40
        + "\trefs/heads/main\nnonsense\n"
    )
    assert (head, found) == ("refs/heads/main", {"refs/heads/main": "a" * 40})


def test_bad_lines_are_errors_of_ours() -> None:
    with pytest.raises(WhoWroteError):
        source("two words")
