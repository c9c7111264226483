-- session_rows: A session has the turns of its user and the calls that were counted when it was read.
SELECT s.repo_id, s.id AS session_id, s.turns, s.tool_calls FROM sessions s
WHERE s.turns <> (SELECT COUNT(*) FROM turns t WHERE t.session_id = s.id AND t.origin <> 'injected')
   OR s.tool_calls <> (SELECT COUNT(*) FROM tool_calls c WHERE c.session_id = s.id);

-- session_runs: In a loaded repository every session was read, and what was read is a session.
SELECT s.repo_id, s.key FROM sessions s WHERE EXISTS (SELECT 1 FROM stage_runs l WHERE l.repo_id = s.repo_id AND l.stage IN ('load', 'lines'))
  AND NOT EXISTS (SELECT 1 FROM stage_runs r WHERE r.repo_id = s.repo_id AND r.stage = 'session' AND r.subject = s.key)
UNION ALL
SELECT r.repo_id, r.subject FROM stage_runs r WHERE r.stage = 'session'
  AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.repo_id = r.repo_id AND s.key = r.subject);

-- one_repository: Lines come from sessions of their own repository.
SELECT c.repo_id, c.commit_sha, s.repo_id AS session_of FROM commits c JOIN commit_files f ON f.commit_id = c.id
JOIN spans p ON p.file_id = f.id JOIN origins o ON o.id = p.origin_id JOIN sessions s ON s.id = o.session_id WHERE s.repo_id <> c.repo_id
UNION ALL
SELECT c.repo_id, c.commit_sha, s.repo_id FROM commits c JOIN commit_sessions cs ON cs.commit_id = c.id
JOIN sessions s ON s.id = cs.session_id WHERE s.repo_id <> c.repo_id;

-- head_commit: The commit that a whole repository was attributed at is one of its commits.
SELECT r.id AS repo_id, r.head_sha FROM repos r JOIN stage_runs l ON l.repo_id = r.id AND l.stage = 'load'
WHERE NOT EXISTS (SELECT 1 FROM commits c WHERE c.repo_id = r.id AND c.commit_sha = r.head_sha);

-- survival_rows: Where lines were joined to authors, the joined lines are there.
SELECT r.repo_id, r.finished_at FROM stage_runs r WHERE r.stage = 'survival'
  AND EXISTS (SELECT 1 FROM line_lifetimes l WHERE l.repo_id = r.repo_id) AND NOT EXISTS (SELECT 1 FROM line_fates f WHERE f.repo_id = r.repo_id);
