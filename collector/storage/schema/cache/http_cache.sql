-- === Cache: answers of GitHub ===

-- Answers of the server, so that asking again costs nothing when they did not change.
CREATE TABLE IF NOT EXISTS http_cache (
  url TEXT PRIMARY KEY, -- address of a GET; never holds a token
  etag TEXT, -- validator sent back as If-None-Match
  last_modified TEXT, -- validator sent back as If-Modified-Since
  link TEXT, -- Link header: the next page
  body BLOB NOT NULL, -- the answer, zlib
  stored_at TEXT NOT NULL -- when
);
