-- === Settings ===

-- What the database remembers about itself.
CREATE TABLE IF NOT EXISTS settings (
  name TEXT PRIMARY KEY, -- content: how much text of transcripts is stored (none, prompts, full); redaction: what is taken out of texts (nothing, secrets, addresses: e-mail addresses too); prompts_indexed: what the search over prompts was made from; prices: the price table chosen for costs, its text or the name of a package
  value TEXT -- the value
);
