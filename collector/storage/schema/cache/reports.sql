-- === Cache: reports ===

-- Numbers of `whowrote survival` over some repositories, which take long to add up. Used while all of what they were made from is the same.
CREATE TABLE IF NOT EXISTS survival_reports (
  request TEXT PRIMARY KEY, -- hash of the repositories and the options
  input_key TEXT NOT NULL, -- hash of the runs of all stages on these repositories
  numbers TEXT NOT NULL -- as the command prints them with --json, without names and notes
) WITHOUT ROWID;
