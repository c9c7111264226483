-- text kept with none: commit_reviews.reviewer

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
  rank INTEGER NOT NULL, -- 1: the likeliest to be at fault among those of the fix
  PRIMARY KEY (fix_id, origin, line)
) WITHOUT ROWID;

-- People who, by the trailers of a commit, reviewed it. Filled by `whowrote culprit --all`.
CREATE TABLE IF NOT EXISTS commit_reviews (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- the repository
  commit_sha TEXT NOT NULL, -- the commit [sha]
  reviewer TEXT NOT NULL -- address of the person
);
CREATE INDEX IF NOT EXISTS commit_reviews_commit ON commit_reviews(repo_id, commit_sha);

-- Lines that fixes repaired, with who wrote them and in which turn of a session: for data sets. `whowrote culprit --all` fills what it reads.
--   repo_id: their repository
--   fix_sha: the fix [sha]
--   fixed_at: its author time [UTC]
--   tier: the strongest sign that it is a fix: {FixTier}
--   outcome: what it was traced by: {RepairOutcome}
--   introduced_by: commit that wrote the lines [sha]
--   introduced_at: its author time [UTC]
--   is_culprit: whether that commit most likely introduced what was repaired
--   path: file in which they were written
--   line: number of the first of them there
--   lines: lines of code [lines]
--   rank: 1: the likeliest to be at fault among those of the fix
--   class: class of reports: {LineClass}; NULL when not attributed
--   model: model that wrote them
--   session_id: session that wrote them
--   turn_index: its turn, see turns.prompt
--   edited_by: who changed an agent's line before the commit
CREATE VIEW IF NOT EXISTS repaired_lines AS
SELECT x.repo_id, x.commit_sha AS fix_sha, x.fixed_at, x.tier, x.outcome, b.commit_sha AS introduced_by, b.author_at AS introduced_at,
       x.culprit_sha IS b.commit_sha AS is_culprit, l.path, r.line, r.lines, r.rank, {LineClass of o} AS class, o.model, o.session_id,
       o.turn_index, o.edited_by
FROM fixes x JOIN fixed_lines r ON r.fix_id = x.id JOIN line_fates t ON t.repo_id = x.repo_id AND t.origin = r.origin
JOIN line_lifetimes l ON l.repo_id = t.repo_id AND l.origin = t.life JOIN history_commits b ON b.id = l.birth
LEFT JOIN origins o ON o.id = t.origin_id;
