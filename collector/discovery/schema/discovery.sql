-- carried: candidates discoveries cursors

-- === Facts: discovered repositories ===

-- A repository that some channel named, whether or not it was read: what the server and git say about it. `repos` are clones that were
-- read; a candidate is the same repository as a row of `repos` when full_name equals its name. View `wanted_candidates`: what to fetch.
CREATE TABLE IF NOT EXISTS candidates (
  id INTEGER PRIMARY KEY, -- number used by the other tables
  server TEXT NOT NULL DEFAULT 'https://github.com', -- where git reaches it: address of the clone is server/full_name.git
  full_name TEXT NOT NULL COLLATE NOCASE, -- owner/name as found; case does not matter
  first_seen_at TEXT NOT NULL, -- when a channel first named it
  probed_at TEXT, -- when its refs were last asked for with success; NULL: not yet
  outcome TEXT {ProbeOutcome}, -- of the last probe; NULL: not probed
  confirmed INTEGER, -- 1: it holds checkpoints; 0: it does not; NULL: not known yet
  exclusion TEXT {Exclusion}, -- why it is left out; NULL: take it
  detail TEXT, -- the exclusion in words
  failure TEXT, -- of the last probe, why it was not ok
  attempts INTEGER NOT NULL DEFAULT 0, -- probes in a row that failed in the same way
  next_attempt_at TEXT, -- not to be probed again before, after a failure
  renamed_to TEXT, -- owner/name the server answers under now
  github_id INTEGER, -- the server's number of the repository; survives renames
  head_ref TEXT, -- ref HEAD points to, as git says
  head_oid TEXT, -- commit of HEAD
  v1_oid TEXT, -- commit of refs/heads/entire/checkpoints/v1
  v2_oid TEXT, -- commit of refs/entire/checkpoints/v2/main
  legacy_oid TEXT, -- commit of refs/heads/entire/sessions or its renamed copies
  checkpoint_refs INTEGER, -- number of refs with one checkpoint each
  shadow_branches INTEGER, -- number of pushed shadow branches
  notes TEXT, -- notes refs that agents' tools write, separated by blanks
  refs_digest TEXT, -- hash of the refs that were asked for and their objects: equal means that nothing moved
  records TEXT, -- records of agents on the default branch, separated by blanks: those that a search found, or the server shows at the root
  checkpoint_remote TEXT, -- owner/name (or server/owner/name) where .entire/settings.json says the checkpoints are
  metadata_at TEXT, -- when the following columns were last asked for; NULL: not yet
  stars INTEGER, -- stars
  forks INTEGER, -- forks
  is_fork INTEGER, -- 1: a fork
  fork_of TEXT, -- owner/name of the repository it was forked from
  archived INTEGER, -- 1: archived
  licence TEXT, -- SPDX id of the licence; NOASSERTION: one that the server does not know; none: there is none; NULL: not known
  language TEXT, -- main language
  size_kb INTEGER, -- size as the server says, KiB
  created_at TEXT, -- when it was made
  pushed_at TEXT, -- last push
  UNIQUE (server, full_name)
);
CREATE INDEX IF NOT EXISTS candidates_github ON candidates(server, github_id);

-- Who named a candidate: one row per channel and query.
CREATE TABLE IF NOT EXISTS discoveries (
  id INTEGER PRIMARY KEY, -- number of the row
  candidate_id INTEGER NOT NULL REFERENCES candidates(id) ON DELETE CASCADE, -- the candidate
  channel TEXT NOT NULL, -- name of the channel; renamed: the new name of a candidate; checkpoint_remote: named by the settings of one
  query TEXT NOT NULL, -- what was asked, before it was cut into slices
  slice TEXT NOT NULL, -- the slice of the query that named it first: the query as sent, an hour, a file
  seen_at TEXT NOT NULL, -- when it was named first
  hits INTEGER NOT NULL DEFAULT 1, -- times it was named
  evidence TEXT, -- the first hit: a path, a commit, a ref with its object, a line
  UNIQUE (candidate_id, channel, query)
);
CREATE INDEX IF NOT EXISTS discoveries_channel ON discoveries(channel);

-- How far each slice of a channel got: the reason why nothing is asked twice.
CREATE TABLE IF NOT EXISTS cursors (
  server TEXT NOT NULL, -- where it was asked
  channel TEXT NOT NULL, -- the channel
  query TEXT NOT NULL, -- what was asked, before it was cut into slices
  slice TEXT NOT NULL, -- the slice
  parent TEXT, -- the slice that it was cut from; NULL: none
  state TEXT NOT NULL {CursorState}, -- how far it got
  position TEXT, -- where to go on
  total INTEGER, -- results the server promised
  found INTEGER NOT NULL DEFAULT 0, -- results read
  updated_at TEXT NOT NULL, -- last change
  detail TEXT, -- more, for people
  PRIMARY KEY (server, channel, query, slice)
);

-- Candidates to fetch, with the address of the clone: not excluded, and confirmed or, when those are wanted, with notes of other tools or records.
--   *: candidates
--   clone_url: address of the clone
--   repo_id: the repository of that name, or of host/owner/name, when it was read; not one of another server
CREATE VIEW IF NOT EXISTS wanted_candidates AS
SELECT c.*, c.server || '/' || c.full_name || '.git' AS clone_url, r.id AS repo_id
FROM candidates c LEFT JOIN repos r ON r.name = replace(replace(c.server, 'https://', ''), 'http://', '') || '/' || c.full_name COLLATE NOCASE
  OR (r.name = c.full_name COLLATE NOCASE AND NOT (r.url LIKE 'http%' AND instr(lower(r.url), lower(c.server) || '/') <> 1))
WHERE c.exclusion IS NULL AND c.outcome = 'ok' AND (c.confirmed = 1 OR c.notes IS NOT NULL OR c.records IS NOT NULL);
