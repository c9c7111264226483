-- === Embeddings of sessions ===

-- How the texts of a session hang together, by sentence embeddings; docs/metrics.md explains the columns. Models never mix: one row each.
CREATE TABLE IF NOT EXISTS session_embeddings (
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  backend TEXT NOT NULL, -- what made the vectors: minilm (a sentence model), ngrams (hashed words, no model)
  model TEXT NOT NULL, -- name of the model and of its version or the beginning of the hash of its weights
  version TEXT NOT NULL, -- hash of the definitions of the columns below
  texts INTEGER NOT NULL, -- texts of the session that were embedded
  curve_turns TEXT, -- number (turns.turn_index) of the turn of each entry of the curves, JSON list
  cp_curve TEXT, -- 1 - cosine to the task for each turn of the user, JSON list; null where the turn has no text to compare
  max_cp REAL, -- largest value of cp_curve
  drift_onset_turn INTEGER, -- first turn of cp_curve above 0.2, the threshold of the source
  drift_onset_calibrated INTEGER, -- first turn of cp_curve that is as far from the task as messages of other sessions are
  intent_coherence_curve TEXT, -- cosine between the task and what the agent said in each turn, JSON list
  assumption_lock_turn INTEGER, -- turn from which the agent went on as before although the user corrected it twice
  plan_ged REAL, -- edit distance between the first and the last plan, in steps
  plan_steps_first INTEGER, -- steps of the first recorded plan
  plan_steps_last INTEGER, -- steps of the last one
  goal_alignment_at_close REAL, -- cosine between the task and the agent's last words
  PRIMARY KEY (session_id, model)
) WITHOUT ROWID;
