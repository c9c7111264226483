-- === Conclusions: what fixes repaired ===

-- A commit that is a fix by its message or by what it did, and the commit that most likely introduced what it repaired. Filled by `whowrote culprit --all`.
CREATE TABLE IF NOT EXISTS fixes (
  id INTEGER PRIMARY KEY, -- number used by fixed_lines
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  commit_sha TEXT NOT NULL, -- full id [sha]
  fixed_at TEXT NOT NULL, -- author time [UTC]
  tier TEXT NOT NULL {FixTier}, -- the strongest sign that it is a fix
  names TEXT NOT NULL, -- what its message names: ids, issues, advisories, separated by blanks
  outcome TEXT NOT NULL {RepairOutcome}, -- what it was traced by
  culprit_sha TEXT, -- commit that most likely introduced what it repaired; NULL when none is known [sha]
  basis TEXT NOT NULL {CulpritBasis}, -- why it is that commit
  UNIQUE (repo_id, commit_sha)
);

-- Lines by which a fix was traced: some of a row of line_fates.
CREATE TABLE IF NOT EXISTS fixed_lines (
  fix_id INTEGER NOT NULL REFERENCES fixes(id) ON DELETE CASCADE, -- the fix
  origin INTEGER NOT NULL, -- the row of line_fates
  line INTEGER NOT NULL, -- number of the first of them, in the commit that wrote them
  lines INTEGER NOT NULL, -- lines of code
  PRIMARY KEY (fix_id, origin, line)
) WITHOUT ROWID;

-- People who, by the trailers of a commit, reviewed it. Filled by `whowrote culprit --all`.
CREATE TABLE IF NOT EXISTS commit_reviews (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- the repository
  commit_sha TEXT NOT NULL, -- the commit [sha]
  reviewer TEXT NOT NULL, -- address of the person
  PRIMARY KEY (repo_id, commit_sha, reviewer)
) WITHOUT ROWID;
