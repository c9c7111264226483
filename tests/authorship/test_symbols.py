"""The symbol around a place, compared with what git prints after `@@`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from attribution.authorship.symbols import enclosing

FILES = {
    "a.py": (
        "python",
        (
            "import os\n\n\nclass Tree:\n    def grow(self):\n        x = 1\n        return x\n"
            "\n    async def wait(self):\n        pass\n\n\ntop = 1\n"
        ),
    ),
    "a.go": (
        "golang",
        (
            'package a\n\nimport "fmt"\n\ntype Tree struct {\n\tleaf int\n}\n\nfunc (t *Tree)'
            " Grow() {\n\tfmt.Println(1)\n\tif true {\n\t\treturn\n\t}\n}\n"
        ),
    ),
    "a.rs": (
        "rust",
        (
            "use std::io;\n\nmod leaf;\n\npub struct Tree {\n    leaf: u8,\n}\n\nimpl Tree {\n"
            "    pub(crate) async fn grow(&self) {\n"
            "        let x = 1;\n    }\n}\n"
        ),
    ),
    "a.rb": (
        "ruby",
        "require 'x'\n\nmodule Garden\n  class Tree\n    def grow\n      1\n    end\n  end\nend\n",
    ),
    "a.md": ("markdown", "# One\n\ntext\n\n## Two\n\nmore\n\nand more\n"),
    "a.sh": (
        "bash",
        "#!/bin/sh\nx=1\n\ngrow() {\n  echo 1\n}\n\nfunction wait_for {\n  sleep 1\n}\n",
    ),
    "a.php": (
        "php",
        (
            "<?php\nclass Tree\n{\n    public static function grow()\n    {\n        return 1;\n   "
            " }\n}\n"
        ),
    ),
    "a.ts": (
        "default",
        (
            "import x from 'x';\n\nexport function grow(): void {\n  const y = 1;\n  run(y);\n"
            "}\n\nconst z = {\n  a: 1,\n};\n"
        ),
    ),
    "a.txt": ("default", "one\n  two\n\n3\n_four\n   five\n"),
}


@pytest.mark.parametrize("name", FILES)
def test_every_line_of_a_file_has_the_symbol_that_git_gives_it(name: str, tmp_path: Path) -> None:
    driver, text = FILES[name]
    lines = text.split("\n")[:-1]
    git = ("git", "-C", str(tmp_path), "-c", "core.autocrlf=false")
    subprocess.run([*git[:3], "init", "-q"], check=True)
    if driver != "default":
        (tmp_path / ".gitattributes").write_text(f"*.{name.rpartition('.')[2]} diff={driver}\n")
    for number in range(len(lines)):
        (tmp_path / name).write_text(text)
        subprocess.run([*git, "add", name], check=True)
        (tmp_path / name).write_text(
            "\n".join([*lines[:number], "    changed", *lines[number + 1 :]]) + "\n"
        )
        diff = subprocess.run(
            [*git, "diff", "-U0", name], check=True, capture_output=True, text=True
        ).stdout
        (head,) = re.findall(r"^@@ [^@]+ @@ ?(.*)$", diff, re.M)
        offset = len("".join(f"{line}\n" for line in lines[:number]))
        assert enclosing(name, text, offset) == head.strip(), (number + 1, lines[number])


def test_a_file_of_data_is_not_searched_for_ever() -> None:
    assert enclosing("a.py", "def far():\n" + "    1,\n" * 5000, 11 + 7 * 5000) == ""
    assert enclosing("a.json", '{\n "a": 1\n}\n', 2) == ""
