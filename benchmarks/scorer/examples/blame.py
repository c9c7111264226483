"""What `git blame` knows: the lines of a commit are its author's, a person.

Started in a clone; prints an answer for each line that a commit of HEAD's history added.
"""

import json
import subprocess


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape")


for commit in git("rev-list", "HEAD").split():
    changed = ("-r", "-m", "-z", "--root", "--no-commit-id", "--name-only", "--diff-filter=d")
    paths = set(git("diff-tree", *changed, commit).split("\0")) - {""}
    for path in sorted(paths):
        for line in git("blame", "--porcelain", commit, "--", path).split("\n"):
            if line.startswith(f"{commit} "):
                number = int(line.split()[2])
                row = {"commit": commit, "path": path, "line": number, "class": "person"}
                print(json.dumps(row))
