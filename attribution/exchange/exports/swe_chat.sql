-- The rows of SWE-chat's tables. For each: its name, its columns in order (`name` is a string, `name:int` and so on otherwise; null
-- where neither the SELECT nor swe_chat.py gives a value), and the SELECT for the repository :repo. The names of tools in braces are
-- in swe_chat.py.

-- table repositories
-- repo_id owner_id name url is_fork:bool settings num_checkpoints:int num_sessions:int num_commits:int
-- num_contributors_in_dataset:int total_additions_in_dataset:int total_deletions_in_dataset:int total_repo_commits_ever:int
-- total_repo_additions_ever:int total_repo_deletions_ever:int total_agent_commits_ever:int total_agent_additions_ever:int
-- total_agent_deletions_ever:int last_scraped_at:time license_type repo_github_metadata repo_type_domain repo_type_audience
WITH every AS (SELECT * FROM commits WHERE repo_id = :repo),
  linked AS (
    SELECT * FROM every c
    WHERE EXISTS (SELECT 1 FROM commit_checkpoint_links l WHERE l.commit_id = c.id AND l.checkpoint IS NOT NULL)
       OR EXISTS (SELECT 1 FROM commit_sessions x WHERE x.commit_id = c.id)
  )
SELECT r.name AS repo_id,
  CASE WHEN instr(r.name, '/') > 1 THEN rtrim(rtrim(r.name, replace(r.name, '/', '')), '/') ELSE r.name END AS owner_id,
  substr(r.name, length(rtrim(r.name, replace(r.name, '/', ''))) + 1) AS name, r.url,
  (SELECT COUNT(*) FROM checkpoints WHERE repo_id = r.id) AS num_checkpoints,
  (SELECT COUNT(*) FROM sessions WHERE repo_id = r.id) AS num_sessions,
  (SELECT COUNT(*) FROM linked) AS num_commits,
  (SELECT COUNT(DISTINCT author_email) FROM linked) AS num_contributors_in_dataset,
  (SELECT SUM(lines_added) FROM linked) AS total_additions_in_dataset,
  (SELECT SUM(lines_deleted) FROM linked) AS total_deletions_in_dataset,
  (SELECT COUNT(*) FROM every) AS total_repo_commits_ever,
  (SELECT SUM(lines_added) FROM every) AS total_repo_additions_ever,
  (SELECT SUM(lines_deleted) FROM every) AS total_repo_deletions_ever,
  (SELECT SUM(declared_agent IS NOT NULL) FROM every) AS total_agent_commits_ever,
  (SELECT SUM(lines_added) FROM every WHERE declared_agent IS NOT NULL) AS total_agent_additions_ever,
  (SELECT SUM(lines_deleted) FROM every WHERE declared_agent IS NOT NULL) AS total_agent_deletions_ever,
  (SELECT MAX(finished_at) FROM stage_runs WHERE repo_id = r.id) AS last_scraped_at,
  (SELECT json_group_array(key) FROM sessions WHERE repo_id = r.id) AS session_keys
FROM repos r WHERE r.id = :repo;

-- table checkpoints
-- checkpoint_pk checkpoint_id repo_id session_pks session_count:int commit_shas commit_count:int author_user_ids
-- unique_author_count:float user_id cli_version strategy branch checkpoints_count:int files_touched files_touched_count:int
-- cp_input_tokens:int cp_output_tokens:int cp_cache_creation_tokens:int cp_cache_read_tokens:int cp_api_call_count:int
-- total_additions:int total_deletions:int checkpoint_metadata_raw
WITH keys AS (
    SELECT cs.checkpoint_id AS checkpoint, s.key, MIN(cs.position) AS number FROM checkpoint_sessions cs
    JOIN sessions s ON s.id = cs.session_id WHERE s.repo_id = :repo GROUP BY 1, 2
  ),
  linked AS (
    SELECT l.checkpoint, c.commit_sha, c.position, c.author_email, c.lines_added, c.lines_deleted FROM commit_checkpoint_links l
    JOIN commits c ON c.id = l.commit_id WHERE c.repo_id = :repo AND l.checkpoint IS NOT NULL
  ),
  people AS (SELECT DISTINCT checkpoint, author_email FROM linked WHERE author_email <> '')
SELECT r.name || '#' || k.checkpoint_id AS checkpoint_pk, k.checkpoint_id, r.name AS repo_id,
  (SELECT json_group_array(key) FROM (SELECT key FROM keys WHERE checkpoint = k.id ORDER BY number)) AS session_pks,
  (SELECT COUNT(*) FROM keys WHERE checkpoint = k.id) AS session_count,
  (SELECT json_group_array(commit_sha) FROM (SELECT commit_sha FROM linked WHERE checkpoint = k.id ORDER BY position))
    AS commit_shas,
  (SELECT COUNT(*) FROM linked WHERE checkpoint = k.id) AS commit_count,
  (SELECT json_group_array(author_email) FROM (SELECT author_email FROM people WHERE checkpoint = k.id ORDER BY 1))
    AS author_user_ids,
  CAST((SELECT COUNT(*) FROM people WHERE checkpoint = k.id) AS REAL) AS unique_author_count,
  COALESCE((SELECT MIN(author_email) FROM people WHERE checkpoint = k.id), k.author_email) AS user_id,
  k.cli_version, k.strategy, k.branch, k.files_touched AS files_touched_count,
  COALESCE((SELECT SUM(lines_added) FROM linked WHERE checkpoint = k.id), 0) AS total_additions,
  COALESCE((SELECT SUM(lines_deleted) FROM linked WHERE checkpoint = k.id), 0) AS total_deletions
FROM checkpoints k JOIN repos r ON r.id = k.repo_id WHERE k.repo_id = :repo AND k.store <> 'shadow' ORDER BY k.created_at;

-- table sessions
-- session_id repo_id owner_id user_id checkpoint_ids canonical_checkpoint_pk agent strategy branch created_at:time cli_version
-- files_touched files_touched_count:int checkpoints_count:int input_tokens:int output_tokens:int cache_creation_tokens:int
-- cache_read_tokens:int api_call_count:int agent_lines:float human_added:float human_modified:float human_removed:float
-- total_committed:float agent_percentage:float attribution_calculated_at:time transcript_identifier_at_start transcript_path
-- tool_call_count:int unique_tools_count:int research_count:int action_count:int first_write_position:int duration_seconds:float
-- turn_count:int prompt_count:int content_hash user_persona session_success
WITH copies AS (
    SELECT cs.session_id, c.checkpoint_id AS checkpoint, c.strategy, c.cli_version,
      ROW_NUMBER() OVER (PARTITION BY cs.session_id ORDER BY COALESCE(cs.created_at, c.created_at)) AS number
    FROM checkpoint_sessions cs JOIN checkpoints c ON c.id = cs.checkpoint_id WHERE c.repo_id = :repo AND c.store <> 'shadow'
  ),
  names AS (SELECT session_id, checkpoint, MIN(number) AS number FROM copies GROUP BY 1, 2),
  last AS (SELECT c.* FROM copies c WHERE number = (SELECT MAX(number) FROM copies d WHERE d.session_id = c.session_id)),
  touched AS (SELECT DISTINCT session_id, path FROM edits WHERE root IS NOT NULL),
  calls AS (SELECT c.* FROM tool_calls c JOIN sessions s ON s.id = c.session_id WHERE s.repo_id = :repo)
SELECT s.key AS session_id, r.name AS repo_id,
  CASE WHEN instr(r.name, '/') > 1 THEN rtrim(rtrim(r.name, replace(r.name, '/', '')), '/') ELSE r.name END AS owner_id,
  (SELECT MIN(c.author_email) FROM commit_sessions cs JOIN commits c ON c.id = cs.commit_id WHERE cs.session_id = s.id) AS user_id,
  (SELECT json_group_array(r.name || '#' || checkpoint)
   FROM (SELECT checkpoint FROM names WHERE session_id = s.id ORDER BY number)) AS checkpoint_ids,
  r.name || '#' || last.checkpoint AS canonical_checkpoint_pk, COALESCE(NULLIF(s.agent, ''), s.agent_label) AS agent, last.strategy,
  s.branch, s.started_at AS created_at, last.cli_version,
  (SELECT json_group_array(path) FROM (SELECT path FROM touched WHERE session_id = s.id ORDER BY path)) AS files_touched,
  (SELECT COUNT(*) FROM touched WHERE session_id = s.id) AS files_touched_count, s.checkpoints AS checkpoints_count,
  s.input_tokens, s.output_tokens, s.cache_write_tokens AS cache_creation_tokens, s.cache_read_tokens, t.agent_lines,
  t.human_lines AS human_added,
  (SELECT SUM(cs.human_overwritten) FROM commit_sessions cs WHERE cs.session_id = s.id) AS human_modified,
  (SELECT SUM(cs.human_deleted + cs.not_committed) FROM commit_sessions cs WHERE cs.session_id = s.id) AS human_removed,
  t.agent_lines + COALESCE(t.human_lines, 0) AS total_committed, t.agent_percentage,
  (SELECT finished_at FROM stage_runs g WHERE g.repo_id = s.repo_id AND g.stage = 'lines' AND g.subject = '')
    AS attribution_calculated_at,
  (SELECT COUNT(*) FROM calls WHERE session_id = s.id) AS tool_call_count,
  (SELECT COUNT(DISTINCT name) FROM calls WHERE session_id = s.id) AS unique_tools_count,
  (SELECT COUNT(*) FROM calls WHERE session_id = s.id AND name IN ({research})) AS research_count,
  (SELECT COUNT(*) FROM calls WHERE session_id = s.id AND name IN ({action})) AS action_count,
  (SELECT (SELECT COUNT(*) FROM calls b WHERE b.session_id = s.id AND b.id < w.id) FROM calls w
   WHERE w.session_id = s.id AND w.name IN ({writes}) ORDER BY w.id LIMIT 1) AS first_write_position,
  ROUND((julianday(NULLIF(s.ended_at, '')) - julianday(NULLIF(s.started_at, ''))) * 86400, 3) AS duration_seconds,
  s.turns AS turn_count, s.turns AS prompt_count
FROM sessions s JOIN repos r ON r.id = s.repo_id LEFT JOIN session_stats t ON t.session_id = s.id
LEFT JOIN last ON last.session_id = s.id WHERE s.repo_id = :repo ORDER BY s.started_at, s.id;

-- table session_logs
-- session_id transcript_path context_md session_metadata_raw
SELECT s.key AS session_id, (
    SELECT cs.metadata FROM checkpoint_sessions cs JOIN checkpoints c ON c.id = cs.checkpoint_id
    WHERE cs.session_id = s.id AND c.repo_id = s.repo_id AND c.store <> 'shadow' AND cs.metadata <> ''
    ORDER BY COALESCE(cs.created_at, c.created_at) DESC LIMIT 1
  ) AS session_metadata_raw
FROM sessions s WHERE s.repo_id = :repo ORDER BY s.started_at, s.id;

-- table commits
-- commit_sha checkpoint_pk repo_id commit_index:int num_commits:int user_id github_username author_name author_email
-- author_date:time commit_date:time commit_message branch is_agent_author:bool files_changed_count:int total_additions:int
-- total_deletions:int files_changed numstat patch agent_changes file_attribution status
WITH links AS (
    SELECT l.rowid AS number, l.commit_id, l.checkpoint, l.checkpoint_key, c.position FROM commit_checkpoint_links l
    JOIN commits c ON c.id = l.commit_id WHERE c.repo_id = :repo AND l.checkpoint IS NOT NULL
  ),
  changed AS (SELECT f.* FROM commit_files f JOIN commits c ON c.id = f.commit_id WHERE c.repo_id = :repo)
-- Records such as Aider's have no checkpoints: their commits are those in which a session took part.
SELECT c.commit_sha, r.name || '#' || l.checkpoint_key AS checkpoint_pk, r.name AS repo_id,
  CASE WHEN l.number THEN (SELECT COUNT(*) FROM links b WHERE b.checkpoint = l.checkpoint AND b.position < c.position) END
    AS commit_index,
  (SELECT NULLIF(COUNT(*), 0) FROM links b WHERE b.checkpoint = l.checkpoint) AS num_commits, c.author_email AS user_id, c.author_name,
  c.author_email, c.author_at AS author_date, c.committed_at AS commit_date, c.subject AS commit_message, r.branch,
  c.declared_agent IS NOT NULL AS is_agent_author, (SELECT COUNT(*) FROM changed WHERE commit_id = c.id) AS files_changed_count,
  c.lines_added AS total_additions, c.lines_deleted AS total_deletions,
  (SELECT COALESCE(group_concat(status || char(9) || path, char(10)), '')
   FROM (SELECT * FROM changed WHERE commit_id = c.id ORDER BY path)) AS files_changed,
  (SELECT COALESCE(group_concat(lines_added || char(9) || lines_deleted || char(9) || path, char(10)), '')
   FROM (SELECT * FROM changed WHERE commit_id = c.id ORDER BY path)) AS numstat,
  -- Nobody where people are only likely to have written beside an agent.
  (SELECT json_group_object(path, CASE
     WHEN agent_lines AND likely_human_lines AND NOT human_lines THEN NULL
     WHEN agent_lines THEN CASE WHEN human_lines THEN 'mixed' ELSE 'agent_only' END
     WHEN human_lines THEN 'human_only' END)
   FROM (SELECT * FROM changed WHERE commit_id = c.id ORDER BY path)) AS file_attribution,
  CASE WHEN c.files IS NULL THEN 'missing_tree' ELSE 'ok' END AS status
FROM commits c JOIN repos r ON r.id = c.repo_id
LEFT JOIN links l ON l.number = (SELECT MIN(number) FROM links b WHERE b.commit_id = c.id)
WHERE c.repo_id = :repo AND c.id IN (SELECT commit_id FROM links UNION SELECT commit_id FROM commit_sessions)
ORDER BY c.position;

-- table conversations
-- turn_id session_id checkpoint_pk repo_id user_id turn_number:int conversation_turn_number:float role turn_type
-- is_conversational:bool content model timestamp:time input_tokens:int output_tokens:int cache_creation_input_tokens:int
-- cache_read_input_tokens:int is_continuation:bool is_first_turn:bool word_count:int char_count:int tool_name tool_call_id
-- file_path command pattern tool_input_json category bash_category queue_op_subtype agent strategy language prompt_intent
-- prompt_pushback
SELECT s.key AS session_id, (
    SELECT r.name || '#' || c.checkpoint_id FROM checkpoint_sessions cs JOIN checkpoints c ON c.id = cs.checkpoint_id
    WHERE cs.session_id = s.id AND c.repo_id = s.repo_id AND c.store <> 'shadow'
    ORDER BY COALESCE(cs.created_at, c.created_at) DESC, cs.rowid DESC LIMIT 1
  ) AS checkpoint_pk, (
    SELECT c.strategy FROM checkpoint_sessions cs JOIN checkpoints c ON c.id = cs.checkpoint_id
    WHERE cs.session_id = s.id AND c.repo_id = s.repo_id AND c.store <> 'shadow'
    ORDER BY COALESCE(cs.created_at, c.created_at) DESC, cs.rowid DESC LIMIT 1
  ) AS strategy, r.name AS repo_id, COALESCE(NULLIF(s.agent, ''), s.agent_label) AS agent, x.turn_index, x.role, x.turn_type,
  x.role <> 'tool_use' AS is_conversational, x.content, x.char_count, x.language, x.at AS timestamp, x.model, x.name AS tool_name,
  x.tool_call_id, x.command, x.input AS tool_input_json,
  CASE WHEN x.name IN ({research}) THEN 'Research' WHEN x.name IN ({action}) THEN 'Action'
    WHEN x.name IN ({orchestration}) THEN 'Orchestration' WHEN x.name IS NOT NULL THEN 'Other' END AS category
FROM (
    SELECT 0 AS kind, 0 AS id, session_id, turn_index, '' AS time, 'user' AS role,
      CASE WHEN origin IN ('prompt', 'queued', 'command') THEN 'user_prompt' ELSE 'system_injected' END AS turn_type,
      COALESCE(prompt, '') AS content, NULL AS char_count, at, NULL AS model, NULL AS name, NULL AS tool_call_id, NULL AS command,
      NULL AS input, (SELECT o.language FROM turn_outcomes o
        WHERE o.session_id = turns.session_id AND o.turn_index = turns.turn_index) AS language
    FROM turns
    UNION ALL
    SELECT 1, id, session_id, turn_index, COALESCE(at, ''), 'tool_use', 'tool_use', NULL, NULL, at, model, name, call_id, command,
      input, NULL
    FROM tool_calls
    UNION ALL
    SELECT 2, id, session_id, turn_index, COALESCE(at, ''), 'assistant', 'assistant_response', text, length, at, NULL, NULL, NULL,
      NULL, NULL, NULL
    FROM messages
  ) x JOIN sessions s ON s.id = x.session_id JOIN repos r ON r.id = s.repo_id WHERE s.repo_id = :repo
ORDER BY s.started_at, s.id, x.turn_index, x.kind > 0, x.time, x.kind, x.id;
