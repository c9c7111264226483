-- === Cache: runs ===

-- Result and resource use of the last run of a stage on a repository.
CREATE TABLE IF NOT EXISTS jobs (
  name TEXT NOT NULL COLLATE NOCASE, -- owner/name, as in repos
  stage TEXT NOT NULL {load, lines}, -- what it does: load (reads the facts), lines (attributes the lines)
  state TEXT NOT NULL {JobState}, -- result of the last run
  input_key TEXT NOT NULL, -- hash of what it was run on
  attempts INTEGER NOT NULL, -- runs from this input that failed
  error TEXT, -- why it failed
  seconds REAL NOT NULL, -- elapsed time of the last run
  cpu_seconds REAL, -- processor time of the last run, git included
  peak_bytes INTEGER, -- largest memory of its process while it ran
  finished_at TEXT NOT NULL, -- when
  stored_at TEXT, -- stage_runs.finished_at of what it left in the database; an older row or none there: it is not done
  PRIMARY KEY (name, stage)
);
