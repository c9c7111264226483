-- carried: finding_reviews

-- === Reviews of findings ===

-- A reviewer's verdict on a finding. Kept when everything else is recomputed.
CREATE TABLE IF NOT EXISTS finding_reviews (
  fingerprint TEXT NOT NULL, -- the finding, as in findings
  reviewer TEXT NOT NULL, -- who
  verdict TEXT NOT NULL {ReviewVerdict}, -- what the reader says
  note TEXT NOT NULL, -- why
  reviewed_at TEXT NOT NULL, -- when
  repo TEXT NOT NULL, -- for people: repository
  commit_sha TEXT NOT NULL, -- commit
  path TEXT NOT NULL, -- path in it
  line INTEGER NOT NULL, -- first line
  rule_id TEXT NOT NULL, -- rule
  PRIMARY KEY (fingerprint, reviewer)
) WITHOUT ROWID;
