-- What the queries of tables.sql read: temporary tables, made once for all of them.

-- Every session. counted: its transcript was read, and it is the one copy of a session that several repositories hold; copies: how
-- many hold it; clean: it maps to its commits without doubt (one session, one checkpoint, no squash); typed: characters of the
-- user's prompts; asked: turns in which the agent asked the user; vector_*: messages by their sentence vectors; fortnight: its first day, NULL before 2025 or without a time;
-- vendor: percentage of its canonical record, as the paper chose it, the record with the most output tokens.
CREATE TEMP TABLE study_sessions AS
SELECT s.id, s.repo_id, s.agent, s.started_at, s.turns, s.interruptions, t.*, f.*,
  CASE WHEN s.started_at >= '2025-01-06' THEN date('2025-01-06',
    (CAST(julianday(substr(s.started_at, 1, 10)) - julianday('2025-01-06') AS INTEGER) / 14 * 14) || ' days') END AS fortnight,
  k.session_id IS NOT NULL AND f.has_features IS NOT NULL AS counted, k.repositories AS copies,
  EXISTS (SELECT 1 FROM commit_sessions c WHERE c.session_id = s.id)
    AND NOT EXISTS (SELECT 1 FROM commit_sessions c WHERE c.session_id = s.id AND c.clean = 0) AS clean,
  (SELECT SUM(length(u.prompt)) FROM turns u WHERE u.session_id = s.id AND u.origin IN ({typed})) AS typed,
  (SELECT COUNT(DISTINCT c.turn_index) FROM tool_calls c WHERE c.session_id = s.id AND c.name = 'AskUserQuestion') AS asked,
  t.agent_lines + t.human_lines + t.unknown_lines AS committed_lines,
  coding_mode(100.0 * t.agent_lines / (t.agent_lines + t.human_lines + t.unknown_lines)) AS widest_mode, v.vendor,
  e.turns_classified AS vector_classified, e.pushback_turns AS vector_pushback
FROM sessions s LEFT JOIN session_stats t ON t.session_id = s.id LEFT JOIN ({features}) f ON f.has_features = s.id
LEFT JOIN corpus_sessions k ON k.session_id = s.id
LEFT JOIN session_embeddings e ON e.session_id = s.id AND e.turns_classified IS NOT NULL
LEFT JOIN (
  SELECT session_id, vendor_percentage AS vendor, ROW_NUMBER() OVER (PARTITION BY session_id ORDER BY
    CASE typeof(tokens) WHEN 'integer' THEN tokens ELSE 0 END DESC, COALESCE(created_at, '') DESC, vendor_percentage DESC) AS place
  FROM (SELECT session_id, vendor_percentage, created_at,
          json_extract(CASE WHEN json_valid(metadata) THEN metadata END, '$.token_usage.output_tokens') AS tokens
        FROM checkpoint_sessions WHERE vendor_percentage IS NOT NULL)) v ON v.session_id = s.id AND v.place = 1;

-- Sessions by coding mode, and all of them.
CREATE TEMP TABLE study_modes AS
SELECT coding_mode AS mode, id FROM study_sessions WHERE coding_mode IS NOT NULL UNION ALL SELECT 'all', id FROM study_sessions;

-- Groups of sessions whose lines are followed to their commits.
CREATE TEMP TABLE study_groups AS
SELECT 'all' AS sessions, id FROM study_sessions WHERE produced > 0 AND commits > 0
UNION ALL SELECT coding_mode, id FROM study_sessions WHERE produced > 0 AND commits > 0 AND coding_mode IN ('collaborative', 'vibe')
UNION ALL SELECT 'clean mapping', id FROM study_sessions WHERE produced > 0 AND clean
UNION ALL SELECT 'without a commit too', id FROM study_sessions WHERE produced > 0;
