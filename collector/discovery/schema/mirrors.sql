-- === Facts: mirrors of repositories ===

-- The mirror of a repository: what was fetched, and the result of the last attempt.
CREATE TABLE IF NOT EXISTS mirrors (
  name TEXT PRIMARY KEY COLLATE NOCASE, -- owner/name, as in repos
  url TEXT NOT NULL, -- where it is fetched from: the present address of a repository that was renamed
  path TEXT, -- directory of the mirror
  state TEXT NOT NULL {fetched, unchanged, empty, gone, unreachable, too_large, too_slow, refused, damaged, disk_full, failed}, -- result of the last attempt:
    -- fetched (something new was fetched), unchanged (the server has nothing new), empty (the repository has no branch),
    -- gone (removed, renamed or private), unreachable (the server could not be reached), too_large (larger than allowed),
    -- too_slow (it took longer than allowed), refused (the protocol is not allowed), damaged (the server lacks objects),
    -- disk_full (no space was left), failed (for another reason; the detail says which)
  detail TEXT, -- that in words
  refs_key TEXT, -- hash of the refs the mirror has; NULL when nothing was fetched
  elsewhere TEXT, -- owner/name of the repository that holds its checkpoints, from .entire/settings.json
  checkpoint_refs INTEGER, -- refs with checkpoints
  bytes INTEGER NOT NULL DEFAULT 0, -- size of the mirror
  failures INTEGER NOT NULL DEFAULT 0, -- attempts that failed, in a row
  tried_at TEXT NOT NULL, -- last attempt
  seen_at TEXT, -- last time the server answered with refs
  fetched_at TEXT -- last time something new was fetched
);
