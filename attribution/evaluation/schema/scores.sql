-- === Conclusions: scores of sessions ===

-- The quality score of a session, with its parts; a part without any signal is NULL and its weight goes to the others.
CREATE TABLE IF NOT EXISTS scores (
  session_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  task_type TEXT NOT NULL {TaskType}, -- what the session was for
  work TEXT {Work}, -- kind of work, by what was done and asked for; NULL where neither tells
  q REAL, -- 0 to 1; NULL when nothing could be scored
  q_rank REAL, -- share of sessions of the same type of task in public repositories with a lower score; NULL without a score, and for special ones
  tier TEXT {Tier}, -- grade of the score
  q_rated REAL, -- the score by the signals and weights chosen by readers' ratings, 0 to 1; NULL when nothing could be scored
  tier_fitted TEXT {Tier}, -- grade of q_rated, by cuts that give as many sessions of each as people did
  completion REAL, -- did the session do what it was for, 0 to 1
  execution REAL, -- how well did the agent work, 0 to 1
  efficiency REAL, -- was it worth its tokens and turns, 0 to 1
  outcome REAL, -- is there a result, 0 to 1
  weight_covered REAL NOT NULL, -- share of the weights whose signals are available
  special TEXT {SpecialScore}, -- which rule of its own scored it; NULL otherwise
  cost_usd REAL, -- cost of the session when it was scored [USD]
  roi REAL, -- q / cost_usd
  parts TEXT NOT NULL, -- every signal with its value, score and weight, JSON
  version INTEGER NOT NULL -- of the formula
);

-- Scores with what lists show of their sessions.
--   session_id: the session
--   repo_id: its repository
--   repo: name of the repository
--   key: the agent's own id of the session
--   label: first words of its first prompt
--   agent: agent that recorded it; NULL when the transcript does not tell [agent]
--   model: model that was used most; NULL when the transcript names none
--   started_at: time of its first event; NULL when the transcript has no times [UTC]
--   parent: key of the session that spawned it, which has no score; NULL for a session of a person
--   task_type: what the session was for [word]
--   work: kind of work; NULL where neither deeds nor words tell [word]
--   q: score, 0 to 1; NULL when nothing could be scored
--   q_rank: share of sessions of the same type of task in public repositories with a lower score; NULL without a score, and for special ones [share]
--   tier: grade of the score; NULL without a score
--   q_rated: the score by the signals and weights chosen by readers' ratings, 0 to 1; NULL when nothing could be scored
--   tier_fitted: grade of q_rated, by cuts that give as many sessions of each as people did; NULL without it
--   completion: did the session do what it was for, 0 to 1; NULL without a signal
--   execution: how well did the agent work, 0 to 1; NULL without a signal
--   efficiency: was it worth its tokens and turns, 0 to 1; NULL without a signal
--   outcome: is there a result, 0 to 1; NULL without a signal
--   weight_covered: share of the weights whose signals are available [share]
--   special: which rule of its own scored it; NULL otherwise [word]
--   cost_usd: cost of the session when it was scored; NULL when it is not known [USD]
--   roi: q / cost_usd; NULL without either
--   version: version of the formula
CREATE VIEW IF NOT EXISTS session_scores AS
SELECT q.session_id, s.repo_id, r.name AS repo, s.key, s.label, s.agent, s.model, s.started_at, s.parent_key AS parent, q.task_type,
       q.work, q.q, q.q_rank, q.tier, q.q_rated, q.tier_fitted, q.completion, q.execution, q.efficiency, q.outcome, q.weight_covered,
       q.special, q.cost_usd, q.roi, q.version
FROM scores q JOIN sessions s ON s.id = q.session_id JOIN repos r ON r.id = s.repo_id;

-- Mean scores of sessions by agent and model.
--   repo_id: their repository
--   agent: agent that recorded them; NULL when no record names it [agent]
--   model: model that was used most; NULL when the transcripts name none
--   scored: sessions with a score
--   mean_q: mean of their scores, 0 to 1
--   failed: sessions with a score below 0.40
CREATE VIEW IF NOT EXISTS agent_scores AS
SELECT s.repo_id, COALESCE(s.agent, s.agent_label) AS agent, s.model, COUNT(*) AS scored, AVG(q.q) AS mean_q,
       SUM(q.tier = 'Failed') AS failed
FROM scores q JOIN sessions s ON s.id = q.session_id WHERE q.q IS NOT NULL GROUP BY s.repo_id, COALESCE(s.agent, s.agent_label), s.model;
