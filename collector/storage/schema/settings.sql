-- === Settings ===

-- What the database remembers about itself.
CREATE TABLE IF NOT EXISTS settings (
  name TEXT PRIMARY KEY, -- content: how much text of transcripts is stored (none, prompts, full); redact: 1 when secrets and e-mail addresses are taken out; prompts_indexed: what the search over prompts was made from
  value TEXT -- the value
);
