-- === Cache: vectors of texts ===

-- Vectors of texts, so that no text is embedded twice. Can be emptied at any time.
CREATE TABLE IF NOT EXISTS text_vectors (
  model TEXT NOT NULL, -- as in session_embeddings
  text_hash TEXT NOT NULL, -- hash of the text as it was given to the model
  vector BLOB NOT NULL, -- half-precision floats, little-endian, length 1
  PRIMARY KEY (model, text_hash)
) WITHOUT ROWID;
