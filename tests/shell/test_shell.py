"""What a shell command may have done to files."""

from __future__ import annotations

import time
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attribution.authorship.case import AttributionWindow
from attribution.authorship.session_edits import WorktreeAction
from attribution.authorship.verdicts import CallRef
from attribution.authorship.windows import AttributionWindows
from attribution.shell import MAX_EFFECTS, Effect, effects, mentions
from attribution.shell.project import FILES, task_text


def one(
    kind: str, *paths: str, content: str | None = None, target: str = "", undo: str = ""
) -> Effect:
    return Effect(kind, paths, content, target, undo=undo)


OPAQUE = one("opaque")
EXPO = ("package.json", "app.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock")
FORMAT = one("format")
GENERATE = one("generate")
COMMIT = one("commit")

HARMLESS = [
    "",
    "   \n\n",
    "# sed -i s/a/b/ x.go",
    "ls -la src && pwd",
    "cat a.py | head -20 | wc -l",
    "grep -rn 'sed -i' . | sort | uniq -c",
    "rg --files | xargs grep -l TODO",
    "find . -name '*.go' -type f -not -path './vendor/*'",
    "find . -name '*.py' -exec grep -l import {} \\;",
    "git status --short && git log --oneline -5 && git diff HEAD~1",
    "git add -A && git push -u origin HEAD",
    "git show HEAD:src/a.go | head",
    "git fetch --all --prune; git branch -vv",
    "git stash list && git stash show -p",
    "git checkout -b feature/new-thing",
    "git reset HEAD~1",
    "git restore --staged a.py",
    "git rm --cached big.bin",
    "git apply --check x.patch",
    "git clean -nd",
    "git -C sub log -1",
    "git --no-pager -c color.ui=false diff --stat",
    "go test ./... -run 'TestX' 2>&1 | tail -30",
    "go build ./... && go vet ./...",
    "go mod why golang.org/x/text",
    "gofmt -l .",
    "golangci-lint run --timeout 5m ./...",
    "cargo check && cargo clippy -- -D warnings && cargo test",
    "npm test -- --coverage",
    "npm ci",
    "npm view left-pad version",
    "npx tsc --noEmit",
    "npx prettier --check .",
    "pnpm test",
    "pnpm run test:unit",
    "pnpm eslint src",
    "yarn jest src/a.test.ts",
    "bun test",
    "pytest -q tests && mypy pkg && ruff check pkg && ruff format --check .",
    "uv run pytest -x -k 'one and two'",
    "python -m pytest tests/test_a.py",
    "python3 -m json.tool < x.json",
    "python3 --version",
    "black --check . && isort --check-only .",
    "mise run test",
    "make test",
    "make -n install",
    "timeout 60 make test",
    "jq '.scripts' package.json",
    "curl -sS https://example.org/api | jq .",
    "curl -s -o /dev/null -w '%{http_code}' localhost:8080",
    "wget -qO- https://example.org",
    "echo done 2>&1 > /dev/null",
    "ls missing &> /dev/null || true",
    "sed -n '1,40p' a.go",
    "awk '{print $1 > \"/dev/stderr\"}' a.txt",
    "sleep 5; echo ok >&2",
    "docker compose up -d && docker logs app",
    "gh pr create --title x --body \"$(cat <<'EOF'\nrm -rf src\nEOF\n)\"",
    "gh api repos/o/r --jq '.[] | select(.a > 3)'",
    "if [ -f a.go ]; then cat a.go; else echo none; fi",
    'for f in *.md; do wc -l "$f"; done',
    'while read -r l; do echo "$l"; done < list.txt',
    '[[ $x =~ ^(a|b)$ && -n "$y" ]] && echo match',
    "case $1 in\n  a|b) echo x ;;\n  *) ls ;;\nesac",
    "x=$(git rev-parse HEAD); echo $((1 + 2)) $x",
    "python3 -c 'import json,sys; print(json.load(sys.stdin)[0])' < a.json",
    "python3 - <<'EOF'\nwith open('a.txt') as f:\n    print(f.read())\nEOF",
    "node -e \"console.log(require('./package.json').version)\"",
    "perl -ne 'print if /x/' a.txt",
    "source .venv/bin/activate && which python",
    "./run-thing --help",
    "echo $(date) `whoami`",
    "diff <(sort a) <(sort b)",
    "cat <<EOF\n$HOME > x\nEOF",
    "tar czf /tmp/x.tgz src",
    "bash -c 'ls | wc -l'",
    "bash -n script.sh",
    "crontool validate src --format json",
    "node scripts/validate-links.js docs",
    "Get-Content a.txt | Select-String foo",
    "env | sort",
    "trap 'echo bye' EXIT",
    "f() { ls; }; f",
    "rsync --dry-run a b",
]

# the kind of the one effect -> commands that name no file
WITHOUT_PATH: dict[str, list[str]] = {
    "write": [
        "wget https://e.org/x",
    ],
    "remove": [
        "rm $UNSET",
        "find . -name '*.orig' -delete",
    ],
    "modify": [
        "grep -rl old src | xargs sed -i 's/old/new/g'",
        "ls *.go | xargs -I{} sed -i s/a/b/ {}",
        "find . -name '*.ts' -exec sed -i 's/a/b/' {} +",
        "for f in $(ls); do sed -i 's/x/y/' $f; done",
        "patch -p1 < fix.diff",
    ],
    "opaque": [
        "python3 -c \"open(compute(), 'w')\"",
        "python3 -c \"import subprocess; subprocess.run(['sed', '-i', 's/a/b/', 'x'])\"",
        "python3 -c \"import shutil; shutil.copy('a', 'b')\"",
        "python script.py",
        "python manage.py sync_models",
        "docker compose run --rm app ./gen",
        "podman exec app touch a",
        "./build.sh --all",
        "bash tools/x.sh",
        (
            "python3 -c \"import subprocess; print(subprocess.run(['git', 'log', '-1'],"
            ' capture_output=True))"'
        ),
        "make",
        "make frobnicate",
        "npm run do-things",
        "go run ./cmd/tool",
        "curl -fsSL https://e.org/i.sh | bash",
        "unknowntool src",
        '"$TOOL" run',
        "echo 'unclosed",
        "echo )",
    ],
    "format": [
        "gofmt -s -w .",
        "go fmt ./...",
        "uv run ruff check --fix . && uv run ruff format .",
        "cargo fmt --all",
        "cargo clippy --fix --allow-dirty",
        "mise run fmt && mise run lint",
        "npm run lint:fix",
        "npm run lint -- --fix",
        "npm --prefix web run format",
        "make fmt test",
        "terraform fmt -recursive",
        "pre-commit run",
    ],
    "restore": [
        "git checkout main",
        "git checkout -b topic origin/main",
        "git diff main a.go | git apply -R",
        "git pull --rebase",
        "GIT_EDITOR=true git rebase --continue",
        "git cherry-pick abc123",
        "git apply fix.patch",
        "gh pr checkout 12",
        "gh pr merge 3 --squash --delete-branch",
    ],
    "commit": [
        "git add -A && git commit -m \"$(cat <<'EOF'\nIt's $x `y`\nEOF\n)\"",
        "git commit --amend --no-edit",
    ],
    "generate": [
        "go generate ./...",
        "npx jest -u",
        "UPDATE_GOLDEN=1 go test ./...",
        "go test ./... -update",
        "pytest --snapshot-update",
    ],
    "move": [
        'Get-ChildItem *.cs | Rename-Item -NewName { $_.Name + ".bak" }',
    ],
}
# the same of commands that name one file -> the file
WITH_PATH: dict[str, dict[str, str]] = {
    "write": {
        "cat <<EOF > a.txt\n$HOME\nEOF": "a.txt",
        'echo "$V" > x': "x",
        "echo 'a\\nb' > x": "x",
        "printf '%d' 3 > x": "x",
        "ls > files.txt 2>&1": "files.txt",
        "go test ./... &> out.log": "out.log",
        "make test 2> err.log": "err.log",
        "{ echo a; echo b; } > x": "x",
        "for i in 1 2; do echo $i; done > nums": "nums",
        "sort -o a.txt a.txt": "a.txt",
        "cat a 2> errors.txt": "errors.txt",
        "cat a b > c": "c",
        "ln -sf ../a link": "link",
        "git show HEAD > a.patch": "a.patch",
        "Set-Content -Path a.txt -Value $x": "a.txt",
        "$x = Get-Content a.txt; Set-Content a.txt ($x -replace 'a','b')": "a.txt",
    },
    "append": {
        "(cd d && ls) >> x": "x",
        "cat a >> b": "b",
        "Get-Content a.txt | Out-File -Append b.txt": "b.txt",
    },
    "restore": {
        "git show HEAD~1:a/b.go > a/b.go": "a/b.go",
        "git checkout HEAD~2 src/a.go": "src/a.go",
        "git restore --source=HEAD~1 a.go": "a.go",
        "git checkout-index a.go": "a.go",
        "git worktree add ../wt -b x": "wt",
    },
    "remove": {
        "cd sub && rm a.go": "sub/a.go",
        "cd sub && cd ../other && rm a.go": "other/a.go",
        'cd sub\ncd "$(git rev-parse --show-toplevel)/x"\nrm a': "sub/x/a",
        'rm "$UNSET/a.ts"': "$UNSET/a.ts",
        "cd C:/w/x && rm a": "/c/w/x/a",
        "python3 -c \"import os; os.remove('a.py')\"": "a.py",
        "sudo -u root rm a": "a",
        "timeout -s KILL 30 env A=1 nohup time rm a &": "a",
        'bash -lc "cd d && rm a"': "d/a",
        "bash <<'EOF'\nrm a\nEOF": "a",
        "eval 'rm a'": "a",
        "zsh -c \"bash -c 'rm a'\"": "a",
        "Remove-Item -Recurse -Force src\\old": "src/old",
        'pwsh -Command "Remove-Item a.txt"': "a.txt",
        "cd src && del /q a.cs": "src/a.cs",
        "rm a*\\.log": "a*.log",
    },
    "modify": {
        "sed -i '' 's/a/b/' x.go": "x.go",
        "sed -i.bak -e 's/a/b/' -e 's/c/d/' x.go": "x.go",
        "sed -Ei 's/(a)/\\1/' x.go": "x.go",
        "sed --in-place=.o s/a/b/ x": "x",
        "LC_ALL=C sed -i '1d' x": "x",
        "perl -pi -e 's/a/b/' x.go": "x.go",
        "perl -0777 -i -pe 's/a/b/s' x.go": "x.go",
        "perl -pie 's/a/b/' x.go": "x.go",
        "yq -i '.a = 1' c.yaml": "c.yaml",
        "for f in src/*.ts; do sed -i 's/x/y/' $f; done": "src/*.ts",
        "patch -p1 <<'EOF'\n--- a/x.go\n+++ b/x.go\n@@ -1 +1 @@\n-a\n+b\nEOF": "x.go",
        "sed -i s/a/b/ \\\n  x.go": "x.go",
        "if true; then sed -i s/a/b/ x; fi": "x",
        "fix() { sed -i s/a/b/ x; }\nfix": "x",
        "x=$(sed -i s/a/b/ y; echo 1)": "y",
        "echo `sed -i s/a/b/ y`": "y",
        "cd d && python3 <<'EOF'\nwith open('a.py', mode='a') as f: f.write('x')\nEOF": "d/a.py",
        "uv run python - <<'EOF'\nopen('a', 'wb')\nEOF": "a",
        "cat <<'EOF' | python3\nopen('a.txt', 'w')\nEOF": "a.txt",
        "node -e \"require('fs').writeFileSync('a.json', '{}')\"": "a.json",
        "node - <<'EOF'\nconst f = 'src/a.js';\nfs.writeFileSync(f, x);\nEOF": "src/a.js",
        "node <<'EOF'\nconst f = 'src/a.js'\nfs.writeFileSync(f, x)\nEOF": "src/a.js",
        "ruby -e \"File.write('a.rb', 'x')\"": "a.rb",
    },
    "format": {
        "npx prettier --write 'src/**/*.ts'": "src/**/*.ts",
        "npx --yes prettier@3 -w a.md": "a.md",
        "pnpm exec eslint --fix src/a.ts": "src/a.ts",
        "yarn eslint --fix src": "src",
        "npx @biomejs/biome check --write src": "src",
        "black -l 100 a.py": "a.py",
        "python -m black pkg": "pkg",
        "golangci-lint run --fix ./pkg": "pkg",
    },
    "generate": {
        "cargo build --release": "Cargo.lock",
    },
}
# -> the file and the text that is known to go there
WITH_TEXT: dict[str, dict[str, tuple[str, str]]] = {
    "write": {
        "cat > a.txt <<'EOF'\none\n$two\nEOF": ("a.txt", "one\n$two\n"),
        "cat <<'EOF' > d/a.txt\none\nEOF\nls": ("d/a.txt", "one\n"),
        "cat > a.txt <<-EOF\n\tx\n\tEOF": ("a.txt", "x\n"),
        "cat > a <<'E'\nx": ("a", "x\n"),
        "cat > win.txt <<'EOF'\r\nx\r\nEOF\r\n": ("win.txt", "x\r\n"),
        "tee a.txt <<'EOF'\nx\nEOF": ("a.txt", "x\n"),
        "echo x | sudo tee /etc/x.conf": ("/etc/x.conf", "x\n"),
        "echo 'a b' > x": ("x", "a b\n"),
        'V=1.2; echo "v=$V" > x': ("x", "v=1.2\n"),
        "printf 'a\\n' > x": ("x", "a\n"),
        "printf '%s\\n' a b > x": ("x", "a\nb\n"),
        "> x": ("x", ""),
        ": > x": ("x", ""),
        "cat <<< hello > x": ("x", "hello\n"),
        "truncate -s 0 a.log": ("a.log", ""),
        "python3 -c \"open('a.txt','w').write('x')\"": ("a.txt", "x"),
        (
            "python3 - <<'EOF'\nfrom pathlib import Path\np = Path('d') /"
            " 'a.py'\np.write_text('x')\nEOF"
        ): ("d/a.py", "x"),
        "echo 'x = 1\ndel x' > a.py": ("a.py", "x = 1\ndel x\n"),
    },
    "append": {
        "cat >> a.md <<'END'\n\n## x\nEND": ("a.md", "\n## x\n"),
        "cat <<'EOF' | tee -a a.txt >/dev/null\nx\nEOF": ("a.txt", "x\n"),
        "echo -n a  b >> x": ("x", "a b"),
        "touch new.py": ("new.py", ""),
        'echo "a\nmove b c" >> d.md': ("d.md", "a\nmove b c\n"),
    },
}
# -> from where and to where
WITH_TARGET: dict[str, dict[str, tuple[str, str]]] = {
    "move": {
        "mv a.go b.go": ("a.go", "b.go"),
        "mv a.go pkg/": ("a.go", "pkg/a.go"),
        "mv sub/a.go .": ("sub/a.go", "a.go"),
        "git mv -f x/a.go y/a.go": ("x/a.go", "y/a.go"),
        "Move-Item -Path a.cs -Destination src\\a.cs": ("a.cs", "src/a.cs"),
        'Move-Item -LiteralPath "src\\a.cs" -Destination "lib\\b.cs"': ("src/a.cs", "lib/b.cs"),
        'Rename-Item -LiteralPath "src/a.cs" -NewName "b.cs"': ("src/a.cs", "src/b.cs"),
        "Rename-Item src\\a.cs .\\src\\b.cs": ("src/a.cs", "src/b.cs"),
        "cd src; Rename-Item -NewName b.cs -Path a.cs": ("src/a.cs", "src/b.cs"),
        'git status\nRename-Item "src\\a.cs" "b.cs"': ("src/a.cs", "src/b.cs"),
        'cmd /c "move src\\a.cs b.cs"': ("src/a.cs", "b.cs"),
        "mv a\\ b.txt c.txt": ("a b.txt", "c.txt"),  # here it is a shell's
    },
    "copy": {
        "cp -r a b": ("a", "b"),
        "rsync -av notes/a.md docs/": ("notes/a.md", "docs/a.md"),
        "scp -q build:/srv/a.json data/a.json": ("build:/srv/a.json", "data/a.json"),
        "scp -P 22 -i ~/.ssh/id build:/srv/a.json a.json": ("build:/srv/a.json", "a.json"),
        "rsync -e 'ssh -p 22' --exclude tmp build:a.json a.json": ("build:a.json", "a.json"),
        "rsync -t a b": ("a", "b"),
        "ditto a b": ("a", "b"),
        "cat a > b": ("a", "b"),
        "copy src\\a.cs src\\b.cs": ("src/a.cs", "src/b.cs"),
        "cp src\\a.cs lib\\": ("src/a.cs", "lib/a.cs"),
    },
}
CHANGES: dict[str, Effect] = {
    **{text: one(kind) for kind, texts in WITHOUT_PATH.items() for text in texts},
    **{text: one(kind, path) for kind, texts in WITH_PATH.items() for text, path in texts.items()},
    **{
        text: one(kind, path, content=content)
        for kind, texts in WITH_TEXT.items()
        for text, (path, content) in texts.items()
    },
    **{
        text: one(kind, path, target=target)
        for kind, texts in WITH_TARGET.items()
        for text, (path, target) in texts.items()
    },
    'D=src/lib; rm "$D/a.ts" ${D}/b.ts': one("remove", "src/lib/a.ts", "src/lib/b.ts"),
    "git -C sub checkout -- a.go": one("restore", "sub/a.go", undo="head"),
    "rm -rf dist build/*.o": one("remove", "dist", "build/*.o"),
    "rm src/{a,b}.go": one("remove", "src/a.go", "src/b.go"),
    "rm 'a b.txt' c\\ d.txt": one("remove", "a b.txt", "c d.txt"),
    "FILES='a.go b.go'; rm $FILES": one("remove", "a.go", "b.go"),
    'L=(a.go b.go); rm "${L[@]}"': one("remove", "a.go", "b.go"),
    "git rm -q a.go b.go": one("remove", "a.go", "b.go"),
    "git clean -fd": one("remove", undo="clean"),
    "npx -y @angular/cli@latest new web --routing": Effect("generate", ("web",), tool="ng new"),
    "ng new ledger --directory web --skip-git": Effect("generate", ("web",), tool="ng new"),
    "npx @nestjs/cli new api": Effect("generate", ("api",), tool="nest new"),
    "sed -i 's/a/b/' x.go y.go": one("modify", "x.go", "y.go"),
    (
        "python - <<'EOF'\nfiles = ['a/x.md', 'b/y.md']\nfor f in files:\n    open(f,"
        " 'w').write(compute())\nEOF"
    ): one("modify", "a/x.md", "b/y.md"),
    "gofmt -w a.go b.go": one("format", "a.go", "b.go"),
    "git checkout -- a.go b.go": one("restore", "a.go", "b.go", undo="head"),
    "git checkout .": one("restore", undo="head"),
    "git reset --hard origin/main": one("restore", undo="head"),
    "git show HEAD:a.go > a.go": one("restore", "a.go", undo="head"),
    "git cat-file -p HEAD^0:a.go > a.go": one("restore", "a.go", undo="head"),
    "git diff a.go | git apply -R": one("restore", "a.go", undo="head"),
    "git diff | git apply --reverse": one("restore", undo="head"),
    "go mod tidy": one("generate", "go.mod", "go.sum"),
    "cd api && go get example.org/x@latest": one("generate", "api/go.mod", "api/go.sum"),
    "npm install left-pad": one("generate", "package.json", "package-lock.json"),
    "cd app && npx expo install expo-audio": one("generate", *(f"app/{name}" for name in EXPO)),
    "pnpm add -D vitest": one("generate", "package.json", "pnpm-lock.yaml"),
    "cargo add serde": one("generate", "Cargo.toml", "Cargo.lock"),
    "uv add httpx": one("generate", "pyproject.toml", "uv.lock"),
    **{
        f"{name} src\\a.cs b.cs": one("move", "src/a.cs", target="src/b.cs")
        for name in ("ren", "rni", "cmd /d /c ren")
    },
    **{
        f"{name} src\\a.cs src\\b.cs": one("move", "src/a.cs", target="src/b.cs")
        for name in ("move", "move /Y", "mi", "mv", "git mv")
    },
}

SEVERAL: dict[str, list[Effect]] = {
    "cat > a <<'A' && cat > b <<'B'\n1\nA\n2\nB\n": [
        one("write", "a", content="1\n"),
        one("write", "b", content="2\n"),
    ],
    "jq '.a = 1' p.json > t.json && mv t.json p.json": [
        one("write", "t.json"),
        one("move", "t.json", target="p.json"),
    ],
    "curl -sSLo tool.tgz https://e.org/t && tar xzf tool.tgz": [
        one("write", "tool.tgz"),
        one("write"),
    ],
    "(cd sub && rm a); rm b": [one("remove", "sub/a"), one("remove", "b")],
    "pushd sub; rm a; popd; rm b": [one("remove", "sub/a"), one("remove", "b")],
    "cd /r/x; rm ../a; cd -; rm b": [one("remove", "/r/a"), one("remove", "b")],
    "rm a.go $UNSET": [one("remove", "a.go"), one("remove")],
    "mv a.go b.go pkg": [
        one("move", "a.go", target="pkg/a.go"),
        one("move", "b.go", target="pkg/b.go"),
    ],
    "cp -t out a b": [one("copy", "a", target="out/a"), one("copy", "b", target="out/b")],
    "for f in a b; do mv $f $f.bak; done": [
        one("move", "a", target="a.bak"),
        one("move", "b", target="b.bak"),
    ],
    "for f in a.go b.go; do sed -i 's/x/y/' \"$f\"; done": [
        one("modify", "a.go"),
        one("modify", "b.go"),
    ],
    "python - <<'EOF'\nfiles = ['a/x.md', 'b/y.md']\nfor f in files:\n    open(f,"
    " 'w').write('')\nEOF": [
        one("write", "a/x.md", content=""),
        one("write", "b/y.md", content=""),
    ],
    "cat > /tmp/s.py <<'EOF'\nopen('a.txt', 'w')\nEOF\npython3 /tmp/s.py": [
        one("write", "/tmp/s.py", content="open('a.txt', 'w')\n"),
        one("modify", "a.txt"),
    ],
    "git stash push -m wip src/a.go && go test ./... ; git stash pop": [
        one("restore", "src/a.go", undo="stash"),
        one("restore", undo="unstash"),
    ],
    "npm run codegen": [GENERATE, OPAQUE],
    "cat > s.sh <<'EOF'\nrm a\nEOF\nbash s.sh": [
        one("write", "s.sh", content="rm a\n"),
        one("remove", "a"),
    ],
    "A && rm a || rm b; rm c | cat": [
        OPAQUE,
        one("remove", "a"),
        one("remove", "b"),
        one("remove", "c"),
    ],
    "case $x in\n  a) rm a ;;\n  (b|c) rm b ;;\nesac": [one("remove", "a"), one("remove", "b")],
    "Move-Item -Path 'a.cs', 'b.cs' -Destination lib": [
        one("move", "a.cs", target="lib/a.cs"),
        one("move", "b.cs", target="lib/b.cs"),
    ],
    "move a.cs b.cs && echo x > c.txt": [one("move", "a.cs", target="b.cs"), one("write", "c.txt")],
    "git commit -m 'Notes\n\ncopy it' && echo x > c.txt": [
        COMMIT,
        one("write", "c.txt", content="x\n"),
    ],
}


@pytest.mark.parametrize("command", HARMLESS)
def test_harmless(command: str) -> None:
    assert not effects(command)


@pytest.mark.parametrize("command", CHANGES, ids=lambda command: command[:60])
def test_what_has_one_effect(command: str) -> None:
    assert list(effects(command)) == [CHANGES[command]]


@pytest.mark.parametrize("command", SEVERAL, ids=lambda command: command[:60])
def test_what_has_several_effects(command: str) -> None:
    assert list(effects(command)) == SEVERAL[command]


@pytest.mark.parametrize(
    ("command", "path"),
    {
        "rm a.go": "/home/u/r/a.go",
        "rm ../a.go": "/home/u/a.go",
        "cd x && rm a.go": "/home/u/r/x/a.go",
        "cd /other && rm a.go": "/other/a.go",
        "cd ~/r2 && rm a.go": "~/r2/a.go",
        "cd sub && rm $(pwd)/a.go": "/home/u/r/sub/a.go",
        "cd sub && rm $PWD/a.go": "/home/u/r/sub/a.go",
        "cd sub; cd $(git rev-parse --show-toplevel) && rm a.go": "/home/u/r/a.go",
        "rm 'C:\\w\\a.cs'": "/c/w/a.cs",
        "bash -c 'rm a.go'": "/home/u/r/a.go",
    }.items(),
)
def test_directory_in_force(command: str, path: str) -> None:
    assert effects(command, "/home/u/r") == (one("remove", path),)


@pytest.mark.parametrize(
    ("command", "path", "expected"),
    [
        ("sed -i s/a/b/ pkg/store/cache.go", "pkg/store/cache.go", True),
        ("sed -i s/a/b/ /home/u/r/pkg/store/cache.go", "pkg/store/cache.go", True),
        ("cd pkg/store && gofmt -w cache.go", "pkg/store/cache.go", True),
        ("python3 - <<'EOF'\np = 'pkg/store/cache.go'\nEOF", "pkg/store/cache.go", True),
        ("type src\\web\\panel.tsx", "src/web/panel.tsx", True),
        ("cat pkg/store/cache.go.bak", "pkg/store/cache.go", False),
        ("cat pkg/store/mycache.go", "pkg/store/cache.go", False),
        ("cat other/index.ts", "src/index.ts", False),
        ("cat src/index.ts", "src/index.ts", True),
        ("cd src && cat web/index.ts", "src/web/index.ts", True),
        ("cat ./README.md", "README.md", True),
        ("cat README.md.", "README.md", True),
        ("make all", "Makefile", False),
        ("anything", "", False),
    ],
)
def test_mentions(command: str, path: str, expected: bool) -> None:
    assert mentions(command, path) is expected


def test_number_of_effects_is_bounded() -> None:
    found = effects("rm a; rm b;" * 5000)
    assert len(found) == MAX_EFFECTS + 1
    assert found[-1] == OPAQUE


@pytest.mark.parametrize(
    "text",
    [
        "$(" * 100_000,
        "(" * 100_000,
        "`" * 100_001,
        "a=(" * 100_000,
        '"$(' * 50_000,
        "<(" * 100_000,
        "${" * 100_000,
        "rm a;" * 100_000,
        "A=" + "x" * 900 + ";" + "$A" * 100_000,
        "for f in " + "a " * 199 + "; do rm " + "$f " * 20_000 + "; done",
        "A=1 " * 50_000,
        "python -m " * 10_000,
        "bash -c " * 10_000,
        "find . " + "-exec ls " * 50_000,
        "git clean -" + "n" * 100_000 + "!",
        "python3 <<'E'\n" + "a=[\n" * 10_000 + "E\n",
        "Get-Item " + "@'\n" * 5_000,
        "{a,b}" * 100_000,
        "\0" * 100_000,
        "cat > f <<'E'\n" + "line\n" * 200_000,
    ],
    ids=range(20),
)
def test_hostile_text_takes_bounded_time(text: str) -> None:
    started = time.process_time()
    effects(text)
    mentions(text, "src/store/cache.go")
    assert time.process_time() - started < 10


TOKENS = """
rm mv cp sed -i
python3 - -c cat > >> < << <<'E' <<< 2>&1 &> && || ; | & ( ) { } $( ` ' " $x ${x} ${x[@]} \\ #
for f in do done if then fi case esac ;;
[[ ]] (( )) = x= x=( a.go b/ *.ts {a,b} E cd .. bash -c eval xargs find -exec {} +
git checkout -- commit function f() \0
Set-Content @' '@ open('a','w') write_text( subprocess.run( env sudo timeout tee
"""
PIECES = st.sampled_from(TOKENS.split())


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.one_of(PIECES, st.just("\n"), st.text(max_size=3)), max_size=40),
    st.sampled_from(["", "/r"]),
    st.sampled_from(["", " "]),
)
def test_never_raises(pieces: list[str], cwd: str, glue: str) -> None:
    text = glue.join(pieces)
    found = effects(text, cwd)
    assert len(found) <= MAX_EFFECTS + 1
    assert all(path for effect in found for path in effect.paths)
    mentions(text, "a.go")


@given(st.text(alphabet=st.characters(exclude_characters="\r", codec="utf-8")))
def test_quoted_heredoc_gives_the_text_back(body: str) -> None:
    lines = body.split("\n")
    if "EOF" in lines:
        return
    assert effects(f"cat > a.txt <<'EOF'\n{body}\nEOF\n") == (
        one("write", "a.txt", content=body + "\n"),
    )


@pytest.mark.parametrize(
    ("text", "tool"),
    [("npx prettier --write a.ts", "prettier"), ("cd api && npm install x", "npm")],
)
def test_formatters_and_generators_are_named(text: str, tool: str) -> None:
    assert {effect.tool for effect in effects(text, "/w")} == {tool}


@pytest.mark.parametrize(
    ("command", "writes", "leaves"),
    [
        ("cargo insta accept", "src/snapshots/a.snap", "src/a.rs"),
        (
            "flutter gen-l10n 2>&1 | tail -5",
            "app/lib/l10n/app_localizations_de.dart",
            "app/lib/main.dart",
        ),
        ("dart run build_runner build", "lib/model.g.dart", "lib/model.dart"),
        ("pnpm exec drizzle-kit generate", "drizzle/0001_init.sql", "src/schema.ts"),
        ("npx wrangler types", "worker-configuration.d.ts", "src/worker.ts"),
        ("pandoc src.md -o a.html", "a.html", "src.md"),
        ("npx openapi-typescript api.yaml --output=src/api.ts", "src/api.ts", "api.yaml"),
        ("npx create-next-app@latest web --ts", "web/app/page.tsx", "api/main.ts"),
        (
            "mkdir -p web && cd web && npm create vite@5 . -- --template react-ts",
            "web/src/main.tsx",
            "api/main.ts",
        ),
        ("pnpm create vite web", "web/src/main.tsx", "api/main.ts"),
        ("cargo new tools/lint --lib", "tools/lint/src/lib.rs", "src/lib.rs"),
        ("uv init", "pyproject.toml", "app/rows.py"),
        ("npm init -y", "package.json", "index.js"),
        ("django-admin startproject config", "config/config/urls.py", "shop/urls.py"),
        ("python manage.py makemigrations", "shop/migrations/0002_price.py", "shop/models.py"),
        ("ffmpeg -i a.gif -y out/palette.svg", "out/palette.svg", "a.gif"),
        ("protoc --go_out=. a.proto", "a.pb.go", "a.go"),
    ],
)
def test_generators_write_their_own_outputs(command: str, writes: str, leaves: str) -> None:
    """What a generator is known to write is the tool's, and nothing else is."""
    gap = partial(AttributionWindow, after=1, before=9)
    windows = AttributionWindows(
        "/w", [WorktreeAction(5, 5, CallRef(1, "c", 1, 5), command, "/w", effects(command, "/w"))]
    )
    windows.settle()
    assert windows.cause(gap(writes)).author == "tool"
    assert windows.cause(gap(leaves)).author == "human"


@pytest.mark.parametrize(
    "command",
    ["npm create vite@5 . -- --template react-ts", "bunx create-next-app . --ts", "rails new ."],
)
def test_a_template_that_fills_the_worktree_adds_files_and_changes_none(command: str) -> None:
    windows = AttributionWindows(
        "/w", [WorktreeAction(5, 5, CallRef(1, "c", 1, 5), command, "/w", effects(command, "/w"))]
    )
    windows.settle()
    assert windows.cause(AttributionWindow("src/main.tsx", 1, 9, made=True)).author == "tool"
    assert windows.cause(AttributionWindow("src/main.tsx", 1, 9)).author == "human"


@pytest.mark.parametrize(
    ("later", "author"),
    [("python scripts/rows.py", "unknown opaque_shell"), ("npm install", "tool ")],
)
def test_a_template_is_the_answer_unless_something_opaque_ran_later(
    later: str, author: str
) -> None:
    commands = enumerate(["npm create vite web", later])
    actions = [
        WorktreeAction(5 + n, 5 + n, CallRef(1, f"c{n}", 1, 5), c, "/w", effects(c, "/w"))
        for n, c in commands
    ]
    windows = AttributionWindows("/w", actions)
    windows.settle()
    found = windows.cause(AttributionWindow("web/src/main.tsx", 1, 9, made=True))
    assert f"{found.author} {found.reason}" == author


@pytest.mark.parametrize(
    "command",
    [
        "command -v entire || true",
        "mcp-cli tools context7",
        "npx wrangler deploy",
        "ultracite check",
    ],
)
def test_programs_that_only_look(command: str) -> None:
    assert effects(command) == ()


_PROJECT = {
    "package.json": (
        '{"scripts": {"db:generate": "drizzle-kit generate", "lint": "eslint .", "ship": "prettier'
        ' --write src", "prebuild": "sqlc generate", "build": "tsc --noEmit", "seed": "node'
        ' scripts/seed.js", "test": "node scripts/all.js"}}'
    ),
    "pyproject.toml": '[tool.poe.tasks]\ntidy = "ruff format ."\nlook = {cmd = "ruff check ."}\n',
    "mise.toml": (
        '[tasks.ship]\nrun = ["wrangler types", "wrangler deploy"]\n[tasks.tidy]\ndepends ='
        ' ["format"]\nrun = "ls"\n'
    ),
}


def _tasks(directory: str, program: str, task: str) -> str | None:
    name, *_ = FILES.get(program, ("",))
    return task_text(name, _PROJECT[name], task) if directory == "/w" and name else None


@pytest.mark.parametrize(
    ("command", "by_text", "by_name"),
    [
        (
            "pnpm db:generate",
            [
                one(
                    "generate",
                    *(
                        f"/w/*{p}"
                        for p in (
                            "drizzle/*.sql",
                            "drizzle/meta/*",
                            "migrations/*.sql",
                            "migrations/meta/*",
                        )
                    ),
                )
            ],
            [GENERATE, OPAQUE],
        ),
        ("npm run lint", [], [FORMAT]),
        ("npm run ship", [one("format", "/w/src")], [OPAQUE]),
        ("npm run build", [one("generate", "/w/*.sql.go"), GENERATE], [GENERATE, OPAQUE]),
        ("npm run seed", [OPAQUE], [OPAQUE]),  # a program of the project: its name decides
        ("npm run test", [], []),
        ("make api", [OPAQUE], [OPAQUE]),  # what a Makefile says is not read
        ("just test", [], []),
        ("poe tidy", [FORMAT], [FORMAT]),
        ("poe look", [], [OPAQUE]),
        ("mise run ship", [one("generate", "/w/*worker-configuration.d.ts")], [OPAQUE]),
        ("mise run tidy", [FORMAT], [FORMAT]),  # it needs another task
        ("pnpm -r run lint", [FORMAT], [FORMAT]),  # of other packages
        ("cd web && npm run ship", [OPAQUE], [OPAQUE]),  # of a directory without such a file
    ],
)
def test_tasks_are_looked_up_in_the_project(
    command: str, by_text: list[Effect], by_name: list[Effect]
) -> None:
    assert list(effects(command, "/w", _tasks)) == by_text
    assert list(effects(command, "/w")) == by_name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"scripts": []}',
        '{"scripts": {"a": 1}}',
        "a:\n\tx\na: a\n",
        "a = [",
        "\0",
        "a: b\nb: a\n",
    ],
)
@pytest.mark.parametrize("name", ["package.json", "pyproject.toml"])
def test_broken_project_files_tell_nothing_and_raise_nothing(name: str, text: str) -> None:
    assert task_text(name, text, "nothing") is None
    assert task_text(name, text, "a") in (None, "x", "")
