-- === Facts: repositories and their commits ===

-- One analysed repository.
CREATE TABLE IF NOT EXISTS repos (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- number used by the other tables
  name TEXT NOT NULL UNIQUE, -- owner/name from the remote, else the name of the directory, with those above it where another clone has the same
  path TEXT, -- where the clone was when it was read
  url TEXT, -- address of origin, without credentials
  root_sha TEXT, -- first commit of the main line; NULL in a shallow clone
  branch TEXT, -- the branch that was attributed
  head_sha TEXT, -- its HEAD when it was attributed
  shallow INTEGER NOT NULL DEFAULT 0, -- 1: history before the shallow boundary is missing, its lines are censored
  partial INTEGER NOT NULL DEFAULT 0, -- 1: a partial clone, objects may be missing
  first_commit_at TEXT, -- author time of the earliest commit read
  last_commit_at TEXT -- author time of the latest commit read
);

-- A commit reachable from the attributed branch.
CREATE TABLE IF NOT EXISTS commits (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- number used by the other tables
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  commit_sha TEXT NOT NULL, -- full id
  label TEXT NOT NULL, -- short id and subject, for people
  position INTEGER NOT NULL, -- order in which parents come before children
  parents INTEGER NOT NULL, -- number of parents
  author_name TEXT, -- name of the author
  author_email TEXT, -- e-mail of the author
  author_at TEXT NOT NULL, -- author time: when the change was made
  committed_at TEXT NOT NULL, -- committer time: later after a rebase
  subject TEXT, -- first line of the message
  declared_agent TEXT, -- agent that the commit itself says took part in writing it; NULL if none
  automation TEXT, -- automation account that authored it (dependency bots and the like); NULL if none
  checkpoint_ids INTEGER NOT NULL DEFAULT 0, -- checkpoint ids in the message
  files INTEGER, -- files changed; NULL when a tree is missing (shallow or partial clone)
  lines_added INTEGER, -- lines added, as git counts them
  lines_deleted INTEGER, -- lines deleted, as git counts them
  release TEXT, -- first tag whose history has it; NULL when in none
  UNIQUE (repo_id, commit_sha)
);

-- A commit that an earlier run attributed and the history has no more, as after a rebase, with what was known of its lines.
CREATE TABLE IF NOT EXISTS gone_commits (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  commit_sha TEXT NOT NULL, -- full id
  label TEXT NOT NULL, -- short id and subject, for people
  author_at TEXT NOT NULL, -- author time, which a rebase leaves as it is
  gone_since TEXT NOT NULL, -- the first run that did not find it any more
  files TEXT NOT NULL, -- what was known of its added lines, by path: first line, last line and the values of origins, with the key of the session, JSON
  PRIMARY KEY (repo_id, commit_sha)
) WITHOUT ROWID;

-- The agents that a commit names, in trailers, lines of its body, its author or subject; docs/accounts.md lists the forms.
CREATE TABLE IF NOT EXISTS commit_statements (
  commit_id INTEGER NOT NULL REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  stands_in TEXT NOT NULL CHECK (stands_in IN ('trailer', 'body', 'author', 'subject', 'metadata')), -- part of the commit
  sort TEXT NOT NULL CHECK (sort IN ('wrote', 'assisted', 'signed', 'reviewed', 'reported')), -- what it says that the agent did
  agent TEXT NOT NULL, -- the agent; ai when none is named
  model TEXT, -- the model, in one spelling for all names of it; NULL when none is named
  session TEXT -- what the agent calls its session: an id or an address; NULL when it does not stand there
);
CREATE INDEX IF NOT EXISTS commit_statements_commit ON commit_statements(commit_id);
