-- === Conclusions: maintainability ===

-- What a commit does to the maintainability of the code, measured by pydriller, and who wrote its lines. Filled by `whowrote report maintainability`.
CREATE TABLE IF NOT EXISTS commit_quality (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  commit_sha TEXT NOT NULL, -- full id, as in commits
  measured_by TEXT NOT NULL, -- what measured it, with versions
  reason TEXT NOT NULL {Unmeasured or ''}, -- why the dmm columns are NULL; '' when they are not
  agent INTEGER NOT NULL, -- non-blank added lines in files that count (parsed by lizard, written by hand) that recorded sessions wrote
  declared INTEGER NOT NULL, -- that an agent wrote, as the commit says and nothing else
  human INTEGER NOT NULL, -- that a person wrote, with a witness
  likely_human INTEGER NOT NULL, -- that a person wrote as far as known; only the commit shows them
  tool INTEGER NOT NULL, -- that a tool wrote
  unknown INTEGER NOT NULL, -- in commits with agents, where the author is unknown
  undeclared INTEGER NOT NULL, -- of commits that nothing links to any agent
  files INTEGER NOT NULL, -- changed files whose functions were read
  left_out INTEGER NOT NULL, -- changed files in such a language that turned out to be generated, minified, binary or too large
  dmm_unit_size REAL, -- share of the change in volume that goes into functions of at most 15 lines or out of longer ones, 0 to 1, higher is better; NULL when neither kind of function changed its volume
  dmm_unit_complexity REAL, -- the same for functions of a cyclomatic complexity of at most 5
  dmm_unit_interfacing REAL, -- the same for functions of at most 2 parameters
  PRIMARY KEY (repo_id, commit_sha)
) WITHOUT ROWID;
