-- === Conclusions: the history of lines ===
-- Independent of who wrote the lines: new rules about authors leave these tables as they are.

-- A commit of the followed history, which is everything or everything after a commit.
CREATE TABLE IF NOT EXISTS history_commits (
  id INTEGER PRIMARY KEY, -- number used by the tables of the history
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  number INTEGER NOT NULL, -- order in which parents come before children, from 0
  commit_sha TEXT NOT NULL, -- full id; a row of commits has it when it was attributed
  first_parent INTEGER REFERENCES history_commits(id) ON DELETE CASCADE, -- NULL for a root and at the start of the followed history
  parents INTEGER NOT NULL, -- number of parents
  main_line INTEGER, -- 0, 1, … along the first parents of HEAD; NULL for a commit of another branch
  landed INTEGER REFERENCES history_commits(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, -- commit of the main line that brought it: itself or a merge
  author_at TEXT NOT NULL, -- author time: introductions and removals are dated by it
  committed_at TEXT NOT NULL, -- committer time
  lines_born INTEGER NOT NULL, -- lines it wrote
  lines_gone INTEGER NOT NULL, -- lines of its first parent that it does not have
  lines_came INTEGER NOT NULL, -- additional copies of lines: by copying, or brought in by a merge
  lines_present INTEGER NOT NULL, -- lines in its files, counted from the files; not counting older lines than the followed history
  patch TEXT, -- fingerprint of the lines it removes and adds; NULL for merges and where the text is not known
  inverse TEXT, -- fingerprint of the patch that would revert it
  reverts INTEGER REFERENCES history_commits(id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED, -- commit it reverts, by its message or as the exact inverse
  reverted_by INTEGER REFERENCES history_commits(id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED, -- commit that reverted it later
  UNIQUE (repo_id, number)
);
CREATE INDEX IF NOT EXISTS history_commits_sha ON history_commits(repo_id, commit_sha);
CREATE INDEX IF NOT EXISTS history_commits_parent ON history_commits(first_parent);
CREATE INDEX IF NOT EXISTS history_commits_landed ON history_commits(landed);
CREATE INDEX IF NOT EXISTS history_commits_reverts ON history_commits(reverts);
CREATE INDEX IF NOT EXISTS history_commits_reverted_by ON history_commits(reverted_by);

-- Consecutive lines introduced by one commit and removed together. Still present at HEAD when `death` is NULL. Rows with `same_as` are other names of lines.
CREATE TABLE IF NOT EXISTS line_lifetimes (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  origin INTEGER NOT NULL, -- number of the first line; the others follow, no number is used twice
  birth INTEGER NOT NULL REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that wrote them
  path TEXT NOT NULL, -- path in that commit
  start_line INTEGER NOT NULL, -- first line there
  end_line INTEGER NOT NULL, -- last line there
  nonblank INTEGER NOT NULL, -- non-blank lines
  blank_lines TEXT, -- numbers of the lines without text, separated by blanks; NULL when all have text
  kind TEXT NOT NULL {LineKind}, -- what is known of their introduction
  at_merge INTEGER NOT NULL, -- 1: written by a merge itself, in none of its parents
  death INTEGER REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that removed them; NULL: present at HEAD
  cause TEXT {modified, deleted, file_deleted, unreadable, merge, reformatted, reverted}, -- how they were removed; NULL while they are present:
    -- modified (other lines replaced them), deleted (nothing replaced them), file_deleted (their file was deleted),
    -- unreadable (they cannot be followed further: a file or parent is missing), merge (a merge dropped them, and their text),
    -- reformatted (only their layout was changed), reverted (the commit that wrote them was reverted)
  same_as INTEGER, -- number of the first of the lines as which they go on: a merge had the same text from both sides and kept those; `death` and what follows is theirs; 0: older than the followed history
  gone_from_main INTEGER REFERENCES history_commits(id) ON DELETE CASCADE, -- commit of the main line that first did without them; NULL: alive, or never there
  into_path TEXT, -- file in the removing commit in which they were; NULL when a merge dropped them
  into_start INTEGER, -- first line of what replaced them
  into_end INTEGER, -- last line of it; before the first when nothing replaced them
  PRIMARY KEY (repo_id, origin)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS line_lifetimes_birth ON line_lifetimes(birth, path);
CREATE INDEX IF NOT EXISTS line_lifetimes_death ON line_lifetimes(death);
CREATE INDEX IF NOT EXISTS line_lifetimes_gone ON line_lifetimes(gone_from_main);

-- Lines that a commit only reformatted or moved: they keep their identity, although the commit's diff shows them as added.
CREATE TABLE IF NOT EXISTS line_moves (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  commit_id INTEGER NOT NULL REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that changed them
  path TEXT NOT NULL, -- path in that commit
  start_line INTEGER NOT NULL, -- first line there
  end_line INTEGER NOT NULL, -- last line there
  how TEXT NOT NULL {whitespace, reformatted, moved}, -- what the commit changed: whitespace (white space only),
    -- reformatted (the same text with other line breaks, quotes or separators), moved (moved within the files of the commit)
  origin INTEGER NOT NULL, -- number of the first line, as in line_lifetimes; the others follow; 0: older than the followed history
  PRIMARY KEY (repo_id, commit_id, path, start_line)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS line_moves_commit ON line_moves(commit_id);

-- State of the line history of a repository, so that the next run reads only new commits.
CREATE TABLE IF NOT EXISTS tip_states (
  repo_id INTEGER PRIMARY KEY REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  tip_sha TEXT NOT NULL, -- last commit that was followed
  after_sha TEXT NOT NULL, -- this commit and its ancestors are not followed; '' when everything is
  keep TEXT NOT NULL, -- changes that keep a line's identity: whitespace reformatted moved; '' is exactly as git blame
  settings TEXT NOT NULL, -- hash of everything else it depends on
  lines INTEGER NOT NULL, -- distinct lines present at HEAD
  copies INTEGER NOT NULL, -- additional copies of lines at HEAD
  commits INTEGER NOT NULL, -- commits followed
  added INTEGER NOT NULL, -- of those, by the last run
  state BLOB NOT NULL -- origins of all lines in all files at HEAD, as runs, compressed
);
