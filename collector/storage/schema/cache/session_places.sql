-- === Cache: where sessions worked ===

-- What the files of a session of this machine name: asked by every clone, read once. Kept in the user's cache, never beside a database.
CREATE TABLE IF NOT EXISTS session_places (
  file TEXT PRIMARY KEY, -- path of the session's first file, and the id of the session in it
  stamp TEXT NOT NULL, -- hash of the names, sizes and times of its files, and of the version of the index
  used_on TEXT NOT NULL, -- day on which it was last read or written
  content BLOB NOT NULL -- compact JSON, zlib
) WITHOUT ROWID;
