"""Commands whose effect on a text their own text gives, as patches do, and those of which it
gives the file alone.
"""

from __future__ import annotations

import pytest

from attribution.shell import Effect, effects
from collector.model import Hunk


@pytest.mark.parametrize(
    "script",
    [
        "s/alpha/gamma/",
        "2,3d",
        "/a/,/b/d",
        "s/a/b/e",
        "s/a/b",
        "w out",
        "1i import os",
        "/beta/a\\\ngamma = 3",
    ],
)
def test_sed_in_place_is_known_by_its_file_alone(script: str) -> None:
    (found,) = effects(f"sed -i '{script}' src/a.py")
    assert (found.kind, found.paths, found.is_literal) == ("modify", ("src/a.py",), False)


@pytest.mark.parametrize(
    "command", ["perl -pi -e 's/alpha/gamma/' src/a.py", "perl -0pi -e 's/1\\nbeta/1/' src/a.py"]
)
def test_perl_in_place_is_known_by_its_file_alone(command: str) -> None:
    (found,) = effects(command)
    assert (found.kind, found.paths, found.is_literal) == ("modify", ("src/a.py",), False)


def test_python_that_replaces_text_is_known_by_its_file_alone() -> None:
    script = "p='src/a.py'; s=open(p).read()\ns=s.replace('beta','gamma')\nopen(p,'w').write(s)"
    (found,) = effects(f"python3 - <<'PY'\n{script}\nPY")
    assert (found.kind, found.paths, found.is_literal) == ("modify", ("src/a.py",), False)


def test_python_that_runs_a_program_may_have_done_more() -> None:
    script = "import subprocess\nopen('src/a.py','w').write('x')\nsubprocess.run(['./gen'])"
    assert Effect("opaque") in effects(f"python3 - <<'PY'\n{script}\nPY")


def test_an_unquoted_heredoc_without_expansions_is_literal() -> None:
    (found,) = effects("cat > a.sh <<EOF\necho \\$HOME costs 5$ \\`x\\` a\\nb\nEOF")
    assert found.content == "echo $HOME costs 5$ `x` a\\nb\n"
    (expanded,) = effects("cat > a.sh <<EOF\necho $HOME\nEOF")
    assert expanded.content is None


PATCH = """diff --git a/src/a.py b/src/a.py
--- a/src/a.py
+++ b/src/a.py
@@ -1,2 +1,2 @@
-alpha = 1
+alpha = 2
 beta = alpha  # was 1.0
diff --git a/new.py b/new.py
new file mode 100644
--- /dev/null
+++ b/new.py
@@ -0,0 +1 @@
+fresh = True
"""


@pytest.mark.parametrize(
    "command",
    [
        f"git apply <<'EOF'\n{PATCH}EOF",
        f"patch -p1 <<'EOF'\n{PATCH}EOF",
    ],
)
def test_a_patch_in_the_command(command: str) -> None:
    changed, created = effects(command)[-2:]
    assert (changed.kind, changed.paths) == ("modify", ("src/a.py",))
    assert changed.hunks == (
        Hunk(1, 2, 1, 2, ("-alpha = 1", "+alpha = 2", " beta = alpha  # was 1.0"), exact_text=True),
    )
    assert (created.kind, created.paths, created.content) == (
        "write",
        ("new.py",),
        "fresh = True\n",
    )


@pytest.mark.parametrize("command", [f"git apply -R <<'EOF'\n{PATCH}EOF", "git apply fix.patch"])
def test_a_patch_that_is_not_known_or_taken_back_is_not_literal(command: str) -> None:
    assert not any(effect.is_literal for effect in effects(command))


CODE = "def f(a, b):\n    return 'x' << \"y\""


@pytest.mark.parametrize(
    ("command", "kind", "text"),
    [
        (f"@'\n{CODE}\n'@ | Set-Content -Path b.py", "write", f"{CODE}\n"),
        (f"$t = @'\n{CODE}\n'@\nSet-Content b.py -Value $t -Encoding utf8", "write", f"{CODE}\n"),
        (f"$t=@'\n{CODE}\n'@; $t | Out-File -FilePath b.py", "write", f"{CODE}\n"),
        (f"[System.IO.File]::WriteAllText(\"$PWD\\b.py\", @'\n{CODE}\n'@)", "write", CODE),
        ("[IO.File]::WriteAllText((Join-Path $PWD 'b.py'), 'x')", "write", "x"),
        ("[IO.File]::WriteAllLines('b.py', @('x', 'y'))", "write", "x\ny\n"),
        ("[IO.File]::AppendAllText('b.py', \"x`n\")", "append", "x\n"),
        ("Set-Content b.py 'it''s','y'", "write", "it's\ny\n"),
        ("@('x', 'y') | Out-File b.py -Append", "append", "x\ny\n"),
        ('Add-Content -Path b.py -Value "x`ty"', "append", "x\ty\n"),
        ("New-Item -Path b.py -ItemType File -Value 'x = 1'", "write", "x = 1"),
        ("New-Item -Path . -Name b.py -Force -ItemType File -Value 'x = 1'", "write", "x = 1"),
        ("$t = @(\n  'x',\n  'y'\n)\n$t | Set-Content b.py", "write", "x\ny\n"),
        ("@('x', 'y')|Set-Content b.py", "write", "x\ny\n"),
        ("'x = 1' > b.py", "write", "x = 1\n"),
        ("@'\nx\n'@ | Set-Content b.py -NoNewline", "write", "x"),
        ('@"\n$x\n"@ | Set-Content b.py', "write", None),
        ("Get-Content a.py | Set-Content b.py", "write", None),
        ("cmd.exe /c 'echo x = compute(1)> b.py'", "write", "x = compute(1)\n"),
        ("cmd /c 'echo x ^& y>> b.py'", "append", "x & y\n"),
        ("cmd /c '(echo x& echo.& echo y) > b.py'", "write", "x\n\ny\n"),
        ("cmd /c 'echo %PATH%> b.py'", "write", None),
        *(
            (f"{program} '(echo x& echo y)> b.py'", "write", "x\ny\n")
            for program in ("cmd.exe /d /s /c", "CMD.EXE /D/S/C", "cmd /v:on /q /k", "cmd //c")
        ),
        ("cmd.exe /d /s /c (echo x& echo y)> b.py", "write", "x\ny\n"),
        ("cmd /s /c '\"echo x> b.py\"'", "write", "x\n"),
        ("bash -lc 'cmd.exe /d /s /c \"(echo x& echo y)> b.py\"'", "write", "x\ny\n"),
    ],
)
def test_what_powershell_and_cmd_write_is_literal(
    command: str, kind: str, text: str | None
) -> None:
    assert effects(command, "/w") == (Effect(kind, ("/w/b.py",), text),)


def test_cmd_copies_and_changes_its_directory() -> None:
    found = effects(
        "cmd /c 'cd sub && type a.py > b.py & copy /y b.py c.py & del d.py 2>nul'", "/w"
    )
    assert [(item.kind, item.paths, item.target) for item in found] == [
        ("copy", ("/w/sub/a.py",), "/w/sub/b.py"),
        ("copy", ("/w/sub/b.py",), "/w/sub/c.py"),
        ("remove", ("/w/sub/d.py",), ""),
    ]


@pytest.mark.parametrize("text", ["(", ")", "echo x>", "^", '"', "((echo x) > a", "%", "\n&|<>"])
def test_any_text_for_cmd_is_read_to_its_end(text: str) -> None:
    effects(f"cmd /c '{text}'")
