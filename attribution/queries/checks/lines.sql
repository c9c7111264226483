-- classes_sum: The classes of a file's added lines sum to git's own count.
SELECT id AS file_id, path, lines_added, agent_lines + declared_lines + human_lines + likely_human_lines + tool_lines + unknown_lines AS classified
FROM commit_files WHERE content = 'text'
  AND lines_added <> agent_lines + declared_lines + human_lines + likely_human_lines + tool_lines + unknown_lines;

-- spans_sum: The spans of a file cover exactly its added lines.
SELECT f.id AS file_id, f.path, f.lines_added, COALESCE(SUM(s.end_line - s.start_line + 1), 0) AS in_spans
FROM commit_files f LEFT JOIN spans s ON s.file_id = f.id WHERE f.content = 'text'
GROUP BY f.id HAVING f.lines_added <> in_spans;

-- spans_overlap: Spans of a file do not overlap.
SELECT file_id, start_line, end_line, next_start FROM (
  SELECT file_id, start_line, end_line, LEAD(start_line) OVER (PARTITION BY file_id ORDER BY start_line) AS next_start FROM spans)
WHERE end_line < start_line OR next_start <= end_line;

-- commit_sum: The files of a commit sum to the commit.
SELECT c.commit_sha, c.lines_added, SUM(f.lines_added) AS in_files
FROM commits c JOIN commit_files f ON f.commit_id = c.id GROUP BY c.id HAVING c.lines_added <> in_files;

-- fates_sum: Every line a session produced has exactly one fate.
SELECT session_id, produced, survived + self_overwritten + human_overwritten + human_deleted + reformatted + not_committed
  + unexplained AS fates
FROM session_stats WHERE produced <> survived + self_overwritten + human_overwritten + human_deleted + reformatted + not_committed + unexplained;

-- sources: An agent's line names its call, a person's its witness, a tool's the tool; a person's line names no call, a dated one no time.
SELECT id, author, how, evidence FROM origins
WHERE (author = 'agent' AND (session_id IS NULL OR call_id IS NULL))
   OR ((author = 'human' OR COALESCE(edited_by, '') = 'human') <> (witness IS NOT NULL))
   OR (author = 'human' AND (call_id IS NOT NULL OR (seen_without_at IS NULL) <> (evidence = 'dated')))
   OR (evidence = 'dated') <> (COALESCE(witness, '') IN ('before_completion', 'before_agents'))
   OR ((author = 'tool') <> (tool IS NOT NULL AND run_by IS NOT NULL))
   OR (author = 'declared' AND evidence <> 'declared')
   OR (evidence = 'declared' AND author NOT IN ('declared', 'tool'))
   OR (author = 'unknown' AND reason = '');

-- edit_outcomes: The replayed edits of a session are the edits it has.
SELECT t.session_id, t.edits_seen, COUNT(e.id) AS rows_found
FROM session_stats t LEFT JOIN edits e ON e.session_id = t.session_id AND e.by_shell = 0
GROUP BY t.session_id HAVING t.edits_seen <> rows_found
   OR t.edits_seen <> t.edits_applied + t.edits_tool_error + t.edits_rejected + t.edits_outside_repo + t.edits_unmatched;

-- time_order: No line is explained by a call made after the commit: its author time, or its committer time when it was amended. Git's
-- clock may be wrong where the session's own call made the commit, or where it holds what was written only later.
SELECT DISTINCT c.commit_sha, o.call_id, t.at, c.author_at
FROM spans s JOIN origins o ON o.id = s.origin_id JOIN commit_files f ON f.id = s.file_id JOIN commits c ON c.id = f.commit_id
JOIN tool_calls t ON t.session_id = o.session_id AND t.call_id = o.call_id
WHERE o.author = 'agent' AND julianday(t.at) > julianday(max(c.author_at, c.committed_at)) + 66.0 / 86400
  AND NOT EXISTS (SELECT 1 FROM commit_sessions l WHERE l.commit_id = c.id AND (l.method = 'made_by_call' OR l.clock_behind > 0));
