"""Random histories with a known truth: people, agents, shell commands and formatters at work in one
worktree at once.

`generate(seed, size)` gives the same stream and the same truth for the same seed. Lines are made of
random words, so that no two resemble each other unless one was made from the other; a share of them
is common (`}`, blank, `return nil`) on purpose.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from collector.json_values import JsonObject, Numbers
from support.builder import Commit, File, Line, Session, Shell, Stored, World, likeness

COMMON = ("}", "", "    return nil", "import os", "else:", "    }")
VERSIONS = ("2.0.76", "2.1.37", "2.1.84", "2.1.150", "2.1.160")
LAYOUTS = ("v1", "v1", "v1", "refs", "v2", "both", "legacy", "v1-remote")


def generate(seed: int, size: int = 30) -> tuple[bytes, JsonObject]:
    """A history of about `size` commits, as a fast-import stream, and its truth in the form of
    `expected.json`.
    """
    world = history(seed, size)
    return world.stream(), world.expected(f"random history, seed {seed}, size {size}")


def history(seed: int, size: int = 30) -> World:
    walk = Walk(random.Random(seed), seed)
    while len(walk.world.commits) < size:
        walk.step()
    walk.finish()
    return walk.world


class Walk:
    """One random history in the making."""

    def __init__(self, rng: random.Random, seed: int) -> None:
        self.rng = rng
        self.world = World(f"random-{seed}", layout=rng.choice(LAYOUTS))
        self.common = rng.choice((0.0, 0.1, 0.3))
        self.null_share = rng.choice((0.0, 0.5, 1.0))
        self.hidden_share = rng.choice((0.0, 0.0, 0.0, 0.5))
        self.lossy = rng.random() < 0.2  # some transcripts are missing
        self.names = 0
        self.active: list[Session] = []
        self.busy: set[Session] = set()  # changed something since the last commit
        self.renamed = False
        for _ in range(rng.randint(1, 3)):
            self.world.human_write(self.new_path(), self.text(rng.randint(4, 30)))
        self.world.commit(self.title())
        self.start_session()

    # --- material ---------------------------------------------------------------------------------

    def word(self) -> str:
        self.names += 1
        return "".join(
            self.rng.choice("bdfgklmnprstvz") + self.rng.choice("aeiou") for _ in range(2)
        ) + str(self.names)

    def title(self) -> str:
        return " ".join(self.word() for _ in range(3)).capitalize()

    def line(self) -> str:
        if self.rng.random() < self.common:
            return self.rng.choice(COMMON)
        words = [self.word() for _ in range(7)]
        shape = self.rng.choice(
            (
                "{} {} {} {} {} {} {}",
                "{}='{} {} {} {} {} {}'",
                "{}({} {} {},{} {} {})",
                "# {} {} {} {} {} {} {}",
            )
        )
        return "    " * self.rng.randint(0, 2) + shape.format(*words)

    def lines(self, count: int) -> list[str]:
        return [self.line() for _ in range(count)]

    def text(self, count: int) -> str:
        """So many lines, the first of them unlike any other, sometimes without a final newline."""
        lines = ["# " + " ".join(self.word() for _ in range(5)), *self.lines(count - 1)]
        return "\n".join(lines) + ("" if self.rng.random() < 0.05 and lines[-1] else "\n")

    def new_path(self) -> str:
        folder = self.rng.choice(("", "src/", "src/deep/", "docs/"))
        return f"{folder}{self.word()}.{self.rng.choice(('py', 'go', 'md', 'my file.txt'))}"

    def path(self) -> str | None:
        paths = sorted(path for path, file in self.world.files.items() if len(file.lines) >= 3)
        return self.rng.choice(paths) if paths else None

    def unique(self, file: File) -> list[int]:
        """Lines whose text stands once in the file and is part of no other line."""
        text = file.text()
        return [
            i
            for i, line in enumerate(file.lines)
            if len(line.text) > 12 and text.count(line.text) == 1
        ]

    # --- one step ---------------------------------------------------------------------------------

    def step(self) -> None:
        if self.rng.random() < 0.16:
            self.commit_something()
            return
        actions: list[tuple[float, Callable[[], None]]] = [
            (6, self.agent_edits),
            (2, self.agent_writes),
            (1, self.agent_rewrites),
            (1, self.agent_fails),
            (1.5, self.agent_shell),
            (1, self.agent_delegates),
            (1, self.agent_noise),
            (4, self.human_edits),
            (0.7, self.human_writes),
            (0.7, self.human_moves),
            (0.7, self.formatter),
            (0.3, self.human_removes),
            (1.5, self.start_session),
        ]
        chosen = self.rng.choices(
            [action for _, action in actions], [weight for weight, _ in actions]
        )[0]
        chosen()

    def start_session(self) -> None:
        session = self.world.session(
            self.rng.choice(VERSIONS),
            null_original=self.rng.random() < self.null_share,
            prompt=self.title(),
        )
        self.active = [*self.active, session][-2:]

    def session(self) -> Session:
        return self.rng.choice(self.active)

    # --- agents -----------------------------------------------------------------------------------

    def agent_edits(self) -> None:
        path = self.path()
        if path:
            session = self.session()
            if self.rng.random() < 0.4:
                session.read(path)
            self.edit_with(session.edit, path)
            self.busy.add(session)

    def edit_with(self, edit: Callable[[str, str, str], object], path: str) -> None:
        """A few neighbouring lines around one that is unlike any other: some stay, some change,
        some go, some come.
        """
        file = self.world.files[path]
        places = self.unique(file)
        if not places:
            return
        at = self.rng.choice(places)
        texts = [
            line.text
            for line in file.lines[
                max(0, at - self.rng.randint(0, 2)) : at + self.rng.randint(1, 4)
            ]
        ]
        new: list[str] = []
        for text in texts:
            fate = self.rng.random()
            new += (
                [text]
                if fate < 0.5
                else [self.line()]
                if fate < 0.65
                else [self.touched(text)]
                if fate < 0.7
                else []
            )
            new += self.lines(self.rng.randint(1, 4)) if self.rng.random() < 0.35 else []
        new = new or [self.line() or "#"]
        if new != texts:
            edit(path, "\n".join(texts), "\n".join(new))

    def touched(self, text: str) -> str:
        return text + " " + self.word() if len(text) > 12 else self.line()

    def agent_writes(self) -> None:
        session = self.session()
        session.write(self.new_path(), self.text(self.rng.randint(2, 25)))
        self.busy.add(session)

    def agent_rewrites(self) -> None:
        path = self.path()
        if path:
            session = self.session()
            several = self.rng.choice((session.rewrite, session.multi_edit))
            self.edit_with(lambda where, old, new: several(where, (old, new)), path)
            self.busy.add(session)

    def agent_fails(self) -> None:
        path = self.path()
        if path:
            fail = self.rng.choice(
                (
                    self.session().edit_error,
                    self.session().edit_rejected,
                    self.session().edit_cut_off,
                )
            )
            fail(path, self.world.files[path].lines[0].text, self.line())

    def agent_shell(self) -> None:
        path = self.path()
        if not path:
            return
        session = self.session()
        name = path.rsplit("/", 1)[-1]
        self.busy.add(session)
        kind = self.rng.randint(0, 3)
        if kind == 0:
            fresh = self.new_path()
            text = self.text(self.rng.randint(2, 8)).rstrip("\n") + "\n"
            session.bash(
                f"cat > '{fresh}' <<'EOF'\n{text}EOF", lambda sh: sh.write(fresh, text), exact=True
            )
        elif kind == 1:
            old = self.rng.choice("aeiou")
            new = self.word()
            place = self.rng.choice(self.unique(self.world.files[path]) or [0])
            target = self.world.files[path].lines[place].text.split(" ")[-1]
            if len(target) > 4 and target.isalnum():
                session.bash(
                    f"sed -i 's/{target}/{new}{old}/' '{path}'",
                    lambda sh: sh.sub(path, rf"\b{target}\b", new + old),
                )
        elif kind == 2:
            session.bash(
                f"make format # {name}", lambda sh: self.shell_format(sh, path), blunt=True
            )
        else:
            session.bash("git status --short", stdout=f" M {path}\n")

    def shell_format(self, shell: Shell, path: str) -> None:
        shell.each_line(path, lambda text: text.replace("'", '"').replace(",", ", "))

    def agent_delegates(self) -> None:
        """Old versions showed what a subagent did, newer ones do not."""
        path = self.path()
        session = self.session()
        visible = not session.log.since((2, 1, 85))
        if path and (visible or self.rng.random() < self.hidden_share):
            with session.subagent(self.title(), visible) as sub:
                sub.write(self.new_path(), self.text(self.rng.randint(2, 8)))
                self.edit_with(sub.edit, path)
            self.busy.add(session)

    def agent_noise(self) -> None:
        session = self.session()
        path = self.path()
        kind = self.rng.randint(0, 5)
        if kind == 0:
            session.compact()
        elif kind == 1:
            session.queued_prompt(self.title())
        elif kind == 2:
            session.write_outside(f"/home/ada/.claude/plans/{self.word()}.md", self.text(3))
        elif kind == 3 and path:
            session.outside_edit_notice(path)
        elif kind == 4 and path:
            session.read(path)
        else:
            session.end_turn()
            session.prompt(self.title())

    # --- people -----------------------------------------------------------------------------------

    def human_edits(self) -> None:
        path = self.path()
        if not path:
            return
        file = self.world.files[path]
        places = self.unique(file)
        if not places:
            return
        anchor = file.lines[self.rng.choice(places)].text
        kind = self.rng.randint(0, 4)
        if kind <= 1:
            self.world.human_insert(
                path,
                "\n".join(["# " + self.word(), *self.lines(self.rng.randint(0, 3))]),
                after=anchor,
            )
        elif kind == 2:
            self.world.human_delete(path, anchor)
        elif kind == 3:
            self.world.human_tweak(path, anchor, anchor + " " + self.word())
        else:
            fresh = next(
                line
                for line in iter(self.line, None)
                if len(line) > 12 and likeness(line, anchor) <= 0.45
            )
            self.world.human_replace(path, anchor, fresh)

    def human_writes(self) -> None:
        eol = self.rng.choice(("\n", "\n", "\r\n"))
        self.world.human_write(self.new_path(), self.text(self.rng.randint(2, 20)), eol=eol)

    def human_moves(self) -> None:
        """A small block goes far away, so that there is no doubt which side moved."""
        path = self.path()
        if not path or len(self.world.files[path].lines) < 16:
            return
        file = self.world.files[path]
        places = set(self.unique(file))
        starts = [i for i in sorted(places) if {i, i + 1, i + 2} <= places]
        if not starts:
            return
        start = self.rng.choice(starts)
        far = [i for i in sorted(places) if abs(i - start) > 9]
        if far:
            block = "\n".join(line.text for line in file.lines[start : start + 3])
            self.world.human_move(path, block, after=file.lines[self.rng.choice(far)].text)

    def human_removes(self) -> None:
        path = self.path()
        if path and len(self.world.files) > 3:
            self.world.human_remove(path)

    def formatter(self) -> None:
        path = self.path()
        if path:
            self.world.formatter(path)

    # --- commits ----------------------------------------------------------------------------------

    def commit_something(self) -> None:
        kind = self.rng.random()
        if kind < 0.08:
            self.squash()
        elif kind < 0.14:
            self.merge()
        elif kind < 0.2:
            self.rename()
        elif kind < 0.25 and self.world.commits[-1].parents:
            self.commit_all()
            self.world.human_revert(self.world.tips["main"])
            self.commit_all()
        elif kind < 0.4:
            self.commit_some()
        else:
            self.commit_all()

    def commit_all(self) -> Commit | None:
        tip = self.world.tips[self.world.branch]
        if self.world.files == tip.files:
            return None
        members = self.members()
        commit = self.world.commit(
            self.title(), members, trailer=self.trailer(), stored=self.stored()
        )
        self.busy = set()
        if members and self.rng.random() < 0.3:
            self.step_after(commit)
        return commit

    def step_after(self, commit: Commit) -> None:
        """The turn goes on after the commit, and its end stores the checkpoint again."""
        self.agent_edits()
        if all(name in self.world.members for name in commit.checkpoints):
            self.world.finalise(commit)

    def commit_some(self) -> None:
        tip = self.world.tips[self.world.branch].files
        dirty = sorted(
            path
            for path in {*self.world.files, *tip}
            if self.world.files.get(path) is not tip.get(path)
        )
        if len(dirty) > 1:
            self.world.commit(
                self.title(), self.members(), paths=dirty[: len(dirty) // 2], stored=self.stored()
            )

    def members(self) -> list[Session]:
        """The sessions at work since the last commit, in the order they began, and now and then
        an idle one.
        """
        wanted = set(self.busy)
        if self.rng.random() < 0.1:
            wanted.add(
                self.rng.choice(
                    sorted(self.world.sessions.values(), key=lambda session: session.id)
                )
            )
        return [session for session in self.world.sessions.values() if session in wanted]

    def trailer(self) -> str:
        return self.rng.choices(("end", "middle", "none"), (16, 3, 1))[0]

    def stored(self) -> Stored | None:
        if self.lossy and self.rng.random() < 0.3:
            return self.rng.choice((None, Stored(transcript="none")))
        return Stored(
            parts=self.rng.choice((1, 1, 1, 2)),
            label=self.rng.choice(("Claude Code", "Claude Code", None, "Agent")),
            date_prefix=self.rng.random() < 0.1,
            blank_tail=self.rng.choice((0, 0, 2)),
        )

    def squash(self) -> None:
        self.commit_all()
        name = f"hidden/{self.word()}"
        self.world.branch_off(name)
        for _ in range(2):
            self.agent_edits()
            self.human_edits()
            self.agent_writes()
            self.commit_all()
        self.world.switch("main")
        self.world.squash(name, self.title())
        self.busy = set()

    def merge(self) -> None:
        """Two branches that add files of their own; the merger adds a line."""
        self.commit_all()
        name = self.word()
        self.world.branch_off(name)
        self.agent_writes()
        self.commit_all()
        self.world.switch("main")
        self.human_writes()
        self.commit_all()
        self.world.merge(name, f"Merge branch '{name}'", self.human_edits)
        self.busy = set()

    def rename(self) -> None:
        """A rename with at most one small change, so that git still sees that it is one."""
        self.commit_all()
        path = self.path()
        if not path or len(self.world.files[path].lines) < 12:
            return
        fresh = self.new_path()
        if self.rng.random() < 0.5:
            self.world.human_rename(path, fresh)
        else:
            session = self.session()
            session.bash(f"git mv '{path}' '{fresh}'", lambda sh: sh.move(path, fresh))
            self.busy.add(session)
        places = self.unique(self.world.files[fresh])
        if places and self.rng.random() < 0.5:
            session = self.session()
            old = self.world.files[fresh].lines[self.rng.choice(places)].text
            session.edit(fresh, old, old + "\n" + self.line())
            self.busy.add(session)
        self.commit_all()

    def finish(self) -> None:
        for session in self.active:
            session.end_turn()
        self.commit_all()


def kinds(world: World) -> Numbers:
    """How many lines of each kind the commits of a history hold: what a seed exercises."""
    seen: dict[int, Line] = {
        id(line): line
        for commit in world.commits
        for file in commit.files.values()
        for line in file.lines
    }
    counts: Numbers = {}
    for line in seen.values():
        counts[line.kind] = counts.get(line.kind, 0) + 1
    return counts
