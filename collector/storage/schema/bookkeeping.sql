-- === Bookkeeping ===

-- What could not be used, and why. Nothing is dropped silently.
CREATE TABLE IF NOT EXISTS problems (
  id INTEGER PRIMARY KEY, -- number of the row
  repo_id INTEGER REFERENCES repos(id) ON DELETE CASCADE, -- its repository; NULL for results of evaluation runs and for one that is not in the database
  stage TEXT NOT NULL, -- repository, checkpoints, transcripts, commits, lines, features, history, claims, weaknesses, commit_quality, attempts, judge
  subject TEXT NOT NULL, -- what it is about: a checkpoint, session, commit or path
  code TEXT NOT NULL, -- kind of problem
  detail TEXT -- more, for people
);
CREATE INDEX IF NOT EXISTS problems_repo ON problems(repo_id, stage);

-- A stage that finished, from which inputs and with which version: the reason why a second run does nothing.
CREATE TABLE IF NOT EXISTS stage_runs (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  stage TEXT NOT NULL, -- load (all facts), checkpoints, session, commits, lines, history, survival, claims, weaknesses, commit_quality
  subject TEXT NOT NULL, -- '' for the whole repository, else a session
  input_key TEXT NOT NULL, -- hash of everything the stage read
  version TEXT NOT NULL, -- version of the code that did it
  finished_at TEXT NOT NULL, -- when
  seconds REAL NOT NULL, -- how long it took
  problems INTEGER NOT NULL, -- problems it reported
  PRIMARY KEY (repo_id, stage, subject)
);
