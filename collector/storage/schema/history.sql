-- === Conclusions: the history of lines ===
-- Independent of who wrote the lines: new rules about authors leave these tables as they are.

-- A commit of the history that was followed: the window, or everything.
CREATE TABLE IF NOT EXISTS history_commits (
  id INTEGER PRIMARY KEY, -- number used by the tables of the history
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  number INTEGER NOT NULL, -- order in which parents come before children, from 0
  commit_sha TEXT NOT NULL, -- full id; a row of commits has it when it was attributed
  first_parent INTEGER REFERENCES history_commits(id) ON DELETE CASCADE, -- NULL for a root and where the window begins
  parents INTEGER NOT NULL, -- number of parents
  main_line INTEGER, -- 0, 1, … along the first parents of the tip; NULL for a commit of another branch
  landed INTEGER REFERENCES history_commits(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, -- commit of the main line that brought it: itself or a merge
  author_at TEXT NOT NULL, -- author time: births and deaths are dated by it
  committed_at TEXT NOT NULL, -- committer time
  lines_born INTEGER NOT NULL, -- lines it wrote
  lines_gone INTEGER NOT NULL, -- lines of its first parent that it does not have
  lines_came INTEGER NOT NULL, -- lines that exist once more: copies, and what a merge brings in
  lines_present INTEGER NOT NULL, -- lines in its files, counted from the files; those from before the window left out
  patch TEXT, -- fingerprint of what it takes away and puts in; NULL for merges and where the text is not known
  inverse TEXT, -- fingerprint of the patch that would take it back
  reverts INTEGER REFERENCES history_commits(id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED, -- commit it takes back, by its message or as the exact inverse
  reverted_by INTEGER REFERENCES history_commits(id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED, -- commit that took it back later
  UNIQUE (repo_id, number)
);
CREATE INDEX IF NOT EXISTS history_commits_sha ON history_commits(repo_id, commit_sha);
CREATE INDEX IF NOT EXISTS history_commits_parent ON history_commits(first_parent);
CREATE INDEX IF NOT EXISTS history_commits_landed ON history_commits(landed);
CREATE INDEX IF NOT EXISTS history_commits_reverts ON history_commits(reverts);
CREATE INDEX IF NOT EXISTS history_commits_reverted_by ON history_commits(reverted_by);

-- Consecutive lines that one commit wrote and that had one fate. Alive at the tip when they have no death.
CREATE TABLE IF NOT EXISTS line_lives (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  origin INTEGER NOT NULL, -- number of the first line; the others follow, no number is used twice
  birth INTEGER NOT NULL REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that wrote them
  path TEXT NOT NULL, -- path in that commit
  start_line INTEGER NOT NULL, -- first line there
  end_line INTEGER NOT NULL, -- last line there
  nonblank INTEGER NOT NULL, -- lines that have text
  blank_lines TEXT, -- numbers of the lines without text, separated by blanks; NULL when all have text
  kind TEXT NOT NULL {LineKind}, -- what is known of their introduction
  at_merge INTEGER NOT NULL, -- 1: written by a merge itself, in none of its parents
  death INTEGER REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that ended them; NULL: alive at the tip
  cause TEXT {EndCause}, -- how they ended; NULL while they are alive
  gone_from_main INTEGER REFERENCES history_commits(id) ON DELETE CASCADE, -- commit of the main line that first did without them; NULL: alive, or never there
  into_path TEXT, -- file of the commit that ended them where they stood; NULL when a merge dropped them
  into_start INTEGER, -- first line of what came in their place
  into_end INTEGER, -- last line of it; before the first when nothing came
  PRIMARY KEY (repo_id, origin)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS line_lives_birth ON line_lives(birth, path);
CREATE INDEX IF NOT EXISTS line_lives_death ON line_lives(death);
CREATE INDEX IF NOT EXISTS line_lives_gone ON line_lives(gone_from_main);

-- Lines that a commit changed only in shape or place: they are the lines they were. The text of the commit has them as added lines.
CREATE TABLE IF NOT EXISTS line_travels (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  commit_id INTEGER NOT NULL REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that changed them
  path TEXT NOT NULL, -- path in that commit
  start_line INTEGER NOT NULL, -- first line there
  end_line INTEGER NOT NULL, -- last line there
  how TEXT NOT NULL {Kept}, -- what the commit changed
  origin INTEGER NOT NULL, -- number of the first line, as in line_lives; the others follow; 0: older than the window
  PRIMARY KEY (repo_id, commit_id, path, start_line)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS line_travels_commit ON line_travels(commit_id);

-- Where the history of a repository stands, so that the next run costs only the commits that are new.
CREATE TABLE IF NOT EXISTS tip_states (
  repo_id INTEGER PRIMARY KEY REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  tip_sha TEXT NOT NULL, -- last commit that was followed
  after_sha TEXT NOT NULL, -- the window: this commit and its past are not followed; '' when everything is
  keep TEXT NOT NULL, -- changes that do not end a line: whitespace reformatted moved; '' is exactly as git blame
  settings TEXT NOT NULL, -- hash of everything else it depends on
  lines INTEGER NOT NULL, -- different lines alive at the tip
  copies INTEGER NOT NULL, -- lines of the tip that are there once more
  commits INTEGER NOT NULL, -- commits followed
  added INTEGER NOT NULL, -- of those, by the last run
  state BLOB NOT NULL -- origins of all lines in all files of the tip, as runs, compressed
);
