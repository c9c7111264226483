-- === Facts: mirrors of repositories ===

-- The mirror of a repository: what was fetched, and the result of the last attempt.
CREATE TABLE IF NOT EXISTS mirrors (
  name TEXT PRIMARY KEY COLLATE NOCASE, -- owner/name, as in repos
  url TEXT NOT NULL, -- where it is fetched from
  address TEXT, -- where the server has it now, when url is only its old address; NULL otherwise
  path TEXT, -- directory of the mirror
  state TEXT NOT NULL {MirrorState}, -- result of the last attempt
  detail TEXT, -- that in words
  refs_key TEXT, -- hash of the refs the mirror has; NULL when nothing was fetched
  elsewhere TEXT, -- owner/name of the repository that holds its checkpoints, from .entire/settings.json
  checkpoint_refs INTEGER, -- refs with checkpoints
  missing INTEGER, -- large files of checkpoints, nearly all transcripts, that were not fetched
  bytes INTEGER NOT NULL DEFAULT 0, -- size of the mirror
  received INTEGER NOT NULL DEFAULT 0, -- bytes by which fetches made it grow, all together
  checks INTEGER NOT NULL DEFAULT 0, -- times the server was asked for its refs
  transfers INTEGER NOT NULL DEFAULT 0, -- times objects were asked for
  seconds REAL NOT NULL DEFAULT 0, -- time spent, all together
  failures INTEGER NOT NULL DEFAULT 0, -- attempts that failed, in a row
  tried_at TEXT NOT NULL, -- last attempt
  seen_at TEXT, -- last time the server answered with refs
  fetched_at TEXT -- last time something new was fetched
);
