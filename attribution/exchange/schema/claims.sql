-- text kept with full: claims.detail claim_records.detail claim_authors.detail
-- text kept with none: claim_authors.person

-- === Facts and conclusions: what other tools claim ===

-- One note, record or commit message in which another tool records who wrote lines of a commit.
CREATE TABLE IF NOT EXISTS claim_records (
  id INTEGER PRIMARY KEY, -- number used by the other tables
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  producer TEXT NOT NULL, -- git-ai, trailers, …: all are in docs/agents.md; '' for an unknown format
  format_version TEXT, -- version of the format, as written
  tool_version TEXT, -- version of the tool that wrote it, as written
  source TEXT NOT NULL, -- git ref it was read from; '' for files of the tree and for commits
  place TEXT NOT NULL, -- path in the notes or in the tree; the commit, for trailers
  entry INTEGER NOT NULL, -- line of the file that holds it; 0 when it is the only one
  blob TEXT NOT NULL, -- git blob it was read from; '' for commits
  commit_sha TEXT, -- commit it refers to, as named; NULL when it names none
  base_sha TEXT, -- commit the producer itself wrote down; another one than commit_sha: the note was copied
  claimed_at TEXT, -- when it was written, if it says so
  state TEXT NOT NULL {RecordState}, -- whether it could be used
  claims INTEGER NOT NULL, -- claims in it
  detail TEXT -- unknown keys, JSON
);
CREATE INDEX IF NOT EXISTS claim_records_repo ON claim_records(repo_id, producer);
CREATE INDEX IF NOT EXISTS claim_records_commit ON claim_records(commit_sha);

-- An author named by claims. Many claims share one row.
CREATE TABLE IF NOT EXISTS claim_authors (
  id INTEGER PRIMARY KEY, -- number used by claims
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  author TEXT NOT NULL {ClaimedAuthor}, -- who it says wrote the lines
  tool TEXT, -- the agent, by the name it has in sessions; any other tool as written
  model TEXT, -- the model, as written
  session_key TEXT, -- the session or conversation, as written
  person TEXT, -- who used the tool or typed, as written
  detail TEXT, -- unknown keys, JSON
  basis TEXT NOT NULL {ClaimBasis} -- of a person's lines: whether somebody saw them being typed
);
CREATE INDEX IF NOT EXISTS claim_authors_repo ON claim_authors(repo_id);

-- Lines of one file that one entry of a record attributes to one author.
CREATE TABLE IF NOT EXISTS claims (
  id INTEGER PRIMARY KEY, -- number used by the other tables
  record_id INTEGER NOT NULL REFERENCES claim_records(id) ON DELETE CASCADE, -- the record
  author_id INTEGER NOT NULL REFERENCES claim_authors(id) ON DELETE CASCADE, -- the author it names
  path TEXT NOT NULL, -- path in the repository; '' when it refers to the whole commit
  recorded_path TEXT, -- path as written, when that differs
  key TEXT, -- the producer's own key of the entry
  ranges TEXT NOT NULL, -- lines as written, 1-5,8; may be unsorted or overlap; '' when it refers to the whole commit or file
  lines INTEGER, -- different lines in them; NULL when it refers to the whole commit or file
  dangling INTEGER NOT NULL, -- 1: its key matches no author in the record
  detail TEXT -- unknown keys, JSON
);
CREATE INDEX IF NOT EXISTS claims_record ON claims(record_id);
CREATE INDEX IF NOT EXISTS claims_author ON claims(author_id);

-- What became of one record when it was checked against its commit.
CREATE TABLE IF NOT EXISTS claim_record_checks (
  record_id INTEGER PRIMARY KEY REFERENCES claim_records(id) ON DELETE CASCADE, -- the record
  commit_sha TEXT, -- commit it was checked against; another one than it names for records written before their commit was made, or of commits that a squash or rebase replaced
  anchor TEXT NOT NULL {Anchor}, -- how that commit was found
  reach TEXT NOT NULL {Reach}, -- where that commit is
  status TEXT NOT NULL {ClaimStatus}, -- what checking it gave, the first that applies
  findings TEXT NOT NULL {ClaimStatus}, -- the same from its lines alone
  commit_at TEXT, -- author time of the commit
  lines INTEGER NOT NULL, -- lines claimed; lines claimed twice count twice
  ok INTEGER NOT NULL, -- of those, the ones the commit adds
  overlapping INTEGER NOT NULL, -- added ones that a later entry attributes to somebody else
  dangling_key INTEGER NOT NULL, -- added ones whose key matches no author in the record
  not_added INTEGER NOT NULL, -- ones that were there before, or are not the text claimed
  beyond_eof INTEGER NOT NULL, -- ones beyond the end of the file
  file_missing INTEGER NOT NULL, -- ones of files that the commit does not have
  commit_missing INTEGER NOT NULL -- ones of a commit that is not in the clone
);
CREATE INDEX IF NOT EXISTS claim_record_checks_commit ON claim_record_checks(commit_sha);
