-- === Cache: sessions that were read ===

-- What a transcript did to files, as the attribution needs it. Kept in the user's cache, never beside a database; in the place of a
-- secret that is found is where the clone has it.
CREATE TABLE IF NOT EXISTS sessions_read (
  repo TEXT NOT NULL COLLATE NOCASE, -- owner/name, as in repos
  session TEXT NOT NULL, -- as sessions.key; "" for the lines that several files of the history share
  part TEXT NOT NULL, -- "", whole, or a hash of the name of the files of which it has the texts
  input_key TEXT NOT NULL, -- hash of what it was read from, and by which version
  used_on TEXT NOT NULL, -- day on which it was last read or written
  bytes INTEGER NOT NULL, -- length of content
  content BLOB NOT NULL, -- compact JSON, zlib
  PRIMARY KEY (repo, session, part)
) WITHOUT ROWID;
