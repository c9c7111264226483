-- carried: forgotten

-- === Forgotten repositories ===

-- Repositories that are to be forgotten: never fetched, loaded or merged again. Nothing of them is kept but this.
CREATE TABLE IF NOT EXISTS forgotten (
  name_hash TEXT PRIMARY KEY, -- SHA-256 of owner/name in lower case
  forgotten_at TEXT NOT NULL -- when
);
