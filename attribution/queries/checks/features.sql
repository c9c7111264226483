-- feature_calls: Tool calls of the transcript are the calls that are stored.
SELECT f.session_id, f.tool_call_count AS feature, (SELECT COUNT(*) FROM tool_calls c WHERE c.session_id = f.session_id) AS counted
FROM session_features f WHERE feature <> counted
  AND EXISTS (SELECT 1 FROM sessions s JOIN stage_runs a ON a.repo_id = s.repo_id AND a.subject = s.key AND a.stage = 'session'
    JOIN stage_runs b ON b.repo_id = s.repo_id AND b.subject = s.key AND b.stage = 'features' AND b.input_key = a.input_key
    WHERE s.id = f.session_id);

-- feature_edit_calls: Calls of edit tools are the calls of the edits that were followed.
SELECT f.session_id, f.edit_calls AS feature,
  (SELECT COUNT(DISTINCT e.call_id) FROM edits e WHERE e.session_id = f.session_id AND e.by_shell = 0) AS counted
FROM session_features f WHERE feature <> counted AND f.touched_files IS NOT NULL;

-- feature_diff_lines: The difference that a session made is at most what its edits added and removed.
SELECT f.session_id, COALESCE(f.diff_lines, 0) AS feature,
  (SELECT COALESCE(SUM(r.lines_added + r.lines_removed), 0) FROM region_edits r WHERE r.session_id = f.session_id) AS counted
FROM session_features f WHERE feature > counted AND f.touched_files IS NOT NULL;

-- feature_regions: Regions of a session are the regions that are stored.
SELECT f.session_id, COALESCE(f.region_count, 0) AS feature,
  (SELECT COUNT(*) FROM regions g WHERE g.session_id = f.session_id) AS counted
FROM session_features f WHERE feature <> counted AND f.touched_files IS NOT NULL;

-- feature_tokens: Tokens of a session by feature are the tokens summed when it was stored.
SELECT f.session_id, f.output_tokens AS feature, (SELECT s.output_tokens FROM sessions s WHERE s.id = f.session_id) AS counted
FROM session_features f WHERE feature <> counted
  AND EXISTS (SELECT 1 FROM sessions s JOIN stage_runs a ON a.repo_id = s.repo_id AND a.subject = s.key AND a.stage = 'session'
    JOIN stage_runs b ON b.repo_id = s.repo_id AND b.subject = s.key AND b.stage = 'features' AND b.input_key = a.input_key
    WHERE s.id = f.session_id);

-- feature_committed: Lines of commits that edits wrote come from files that the session touched.
SELECT o.session_id, o.call_id FROM origins o JOIN session_features f ON f.session_id = o.session_id
WHERE f.touched_files IS NOT NULL AND o.author = 'agent' AND o.evidence IN ('observed', 'replayed') AND o.how = 'exact'
  AND NOT EXISTS (SELECT 1 FROM edits e, json_each(f.touched_files) j
    WHERE e.session_id = o.session_id AND e.call_id = o.call_id AND e.outcome = 'applied' AND j.value = e.path);

-- feature_touched: Files that a session touched are the files of its applied edits.
SELECT f.session_id, e.path FROM session_features f JOIN edits e ON e.session_id = f.session_id
WHERE f.touched_files IS NOT NULL AND e.outcome = 'applied'
  AND NOT EXISTS (SELECT 1 FROM json_each(f.touched_files) j WHERE j.value = e.path)
UNION
SELECT f.session_id, j.value FROM session_features f, json_each(f.touched_files) j
WHERE NOT EXISTS (SELECT 1 FROM edits e WHERE e.session_id = f.session_id AND e.outcome = 'applied' AND j.value = e.path);
