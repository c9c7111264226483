-- What the data set has beside SWE-chat's tables: for each table its name, its columns in order (as in swe_chat.sql), and the SELECT for
-- the repository :repo. People are not named here; the tables of SWE-chat have the addresses of authors as the database keeps them.

-- table lines
-- repo_id commit_sha path start_line:int end_line:int nonblank:int class how evidence reason witness kind session_id call_id agent model
-- edited_by similarity:float tool
SELECT r.name AS repo_id, l.commit_sha, l.path, l.start_line, l.end_line, l.nonblank, l.class, l.how, l.evidence, l.reason, l.witness,
  l.kind, s.key AS session_id, l.call_id, COALESCE(s.agent, CASE l.class WHEN 'declared' THEN c.declared_agent END) AS agent, l.model,
  l.edited_by, l.similarity, l.tool
FROM line_spans l JOIN repos r ON r.id = l.repo_id JOIN commits c ON c.id = l.commit_id LEFT JOIN sessions s ON s.id = l.session_id
WHERE l.repo_id = :repo ORDER BY c.position, l.path, l.start_line;

-- table edits
-- repo_id session_id call_id turn_index:int at:time path operation by_shell:bool outcome detail lines_added:int lines_removed:int
SELECT r.name AS repo_id, s.key AS session_id, e.call_id, e.turn_index, e.at, e.path, e.op AS operation, e.by_shell, e.outcome, e.detail,
  e.lines_added, e.lines_removed
FROM edits e JOIN sessions s ON s.id = e.session_id JOIN repos r ON r.id = s.repo_id WHERE s.repo_id = :repo ORDER BY e.id;

-- table statements
-- repo_id commit_sha stands_in sort agent model session
SELECT r.name AS repo_id, c.commit_sha, t.stands_in, t.sort, t.agent, t.model, t.session
FROM commit_statements t JOIN commits c ON c.id = t.commit_id JOIN repos r ON r.id = c.repo_id
WHERE c.repo_id = :repo ORDER BY c.position, t.rowid;

-- table provenance
-- repo_id url branch head_sha record where_stored sessions:int first_session_at:time last_session_at:time licence is_partial:bool
-- is_shallow:bool
SELECT r.name AS repo_id, r.url, r.branch, r.head_sha, k.store AS record,
  CASE k.store WHEN 'tree' THEN 'a file of the history' ELSE 'a ref' END AS where_stored, COUNT(DISTINCT s.id) AS sessions,
  MIN(s.started_at) AS first_session_at, MAX(s.started_at) AS last_session_at,
  (SELECT licence FROM wanted_candidates w WHERE w.repo_id = r.id) AS licence, r.partial AS is_partial, r.shallow AS is_shallow
FROM repos r LEFT JOIN checkpoints k ON k.repo_id = r.id LEFT JOIN checkpoint_sessions x ON x.checkpoint_id = k.id
LEFT JOIN sessions s ON s.id = x.session_id WHERE r.id = :repo GROUP BY r.id, k.store;
