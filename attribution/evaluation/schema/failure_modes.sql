-- === Conclusions: how sessions failed ===

-- How a session failed, by a fixed decision tree over measured features, embeddings and a judge's labels.
CREATE TABLE IF NOT EXISTS session_failure_modes (
  session_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  session_failure_mode TEXT {FailureMode}, -- how it failed; NULL when a question on the way has no answer, or no rule fits
  reason TEXT NOT NULL, -- the rule that decided, or what is missing
  embedding_model TEXT, -- model of the embeddings used
  judge_model TEXT, -- model of the labels used
  judge_prompt_version TEXT, -- version of the question the labels answer
  version INTEGER NOT NULL -- of the decision tree
);
