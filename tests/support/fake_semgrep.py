"""A program that takes semgrep's place in tests: the options we pass, regular expressions instead
of patterns, and ways to fail.

Texts that hold CRASH, HANG, BLOAT or SLOW make it end without a result, never end, take memory, or
report a rule that took too long (unless it is given the longer time). Each call is written to
`calls.jsonl` beside the program.
"""

from __future__ import annotations

import json
import os
import re
import stat
import sys
import time
from pathlib import Path

from collector.json_values import JsonObject, Numbers

_SUFFIXES = {"python": (".py",), "go": (".go",), "javascript": (".js",), "yaml": (".yml",)}


def install(directory: Path) -> Path:
    """An executable in the directory."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "semgrep"
    path.write_text(f"#!{sys.executable}\n" + Path(__file__).read_text("utf-8"), "utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def calls(program: Path) -> list[JsonObject]:
    """What it was called with so far, scans only."""
    log = program.parent / "calls.jsonl"
    return (
        [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.is_file() else []
    )


def main() -> None:
    if "--version" in sys.argv:
        print("1.182.0")
        return
    options = dict(a.partition("=")[::2] for a in sys.argv[1:] if a.startswith("--"))
    root = Path(sys.argv[-1])
    files = sorted(p for p in root.rglob("*") if p.is_file() and p.name != ".semgrepignore")
    call = {
        "arguments": sys.argv[1:],
        "environment": dict(os.environ),
        "files": [str(f) for f in files],
    }
    with (Path(__file__).parent / "calls.jsonl").open("a", encoding="utf-8") as log:
        log.write(json.dumps(call) + "\n")
    texts = {file: file.read_bytes() for file in files}
    whole = b"".join(texts.values())
    if b"HANG" in whole:
        time.sleep(600)
    if b"BLOAT" in whole:
        held = bytearray(400_000_000)
        held[::4096] = b"x" * len(held[::4096])
        time.sleep(600)
    if b"CRASH" in whole:
        sys.exit("Fatal error: exception Stack_overflow")
    rules = json.loads(Path(options["--config"]).read_text("utf-8"))["rules"]
    results = []
    errors = []
    for file, data in texts.items():
        if b"SLOW" in data and int(options["--timeout"]) < 10:
            errors.append(
                {"type": "Timeout", "level": "warn", "rule_id": rules[0]["id"], "path": str(file)}
            )
            continue
        if b"NEVER" in data:
            errors.append(
                {"type": "Timeout", "level": "warn", "rule_id": rules[0]["id"], "path": str(file)}
            )
        if b"BROKEN" in data:
            errors.append({"type": ["PartialParsing", []], "level": "warn", "path": str(file)})
        for rule in rules:
            if "pattern-regex" not in rule or not any(
                file.name.endswith(end)
                for name in rule["languages"]
                for end in _SUFFIXES.get(name, ())
            ):
                continue
            for found in re.finditer(rule["pattern-regex"].encode(), data):
                results.append(
                    {
                        "check_id": rule["id"],
                        "path": str(file),
                        "start": _at(data, found.start()),
                        "end": _at(data, found.end()),
                    }
                )
    print(
        json.dumps(
            {"results": results, "errors": errors, "paths": {"scanned": [str(f) for f in files]}}
        )
    )


def _at(data: bytes, offset: int) -> Numbers:
    return {"line": data.count(b"\n", 0, offset) + 1, "col": 1, "offset": offset}


if __name__ == "__main__":
    main()
