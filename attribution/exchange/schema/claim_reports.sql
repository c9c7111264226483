
-- === Conclusions: what claims are worth ===

-- Records of a producer by version: how many describe their commit. What follows `carried` counts records of commits of the
-- analysed branch alone. Trailers name no lines.
--   repo_id: its repository
--   producer: tool that made the claims; '' for an unknown format
--   version: version of the tool and of the format
--   records: records
--   unread: another version of the format, damaged, too large: not judged
--   on_branch: read ones of commits in the history of the analysed branch
--   carried: read ones of commits beside the branch, whose lines are in a commit of it: a squash, a rebase; not in what follows
--   on_other_refs: read ones of commits of other branches and pull requests, or of no ref
--   commit_missing: read ones of commits that are not in the clone
--   attesting: on the branch, and naming lines
--   consistent: of those, the ones whose lines are all added by the commit
--   lines: lines that attesting records claim
--   added: of those, lines that the commit really adds
--   not_added: lines that were there before
--   beyond_eof: lines beyond the end of the file
--   file_missing: lines of files that the commit does not have
CREATE VIEW IF NOT EXISTS claim_worth AS
SELECT repo_id, producer, version, COUNT(*) AS records, SUM(state NOT IN ('read', 'own')) AS unread,
       SUM(state = 'read' AND on_branch) AS on_branch, SUM(carried) AS carried,
       SUM(state = 'read' AND reach IN ('ref', 'none')) AS on_other_refs, SUM(state = 'read' AND reach = 'missing') AS commit_missing,
       SUM(on_branch AND lines > 0) AS attesting,
       SUM(on_branch AND lines > 0 AND findings NOT IN ('commit_missing', 'file_missing', 'beyond_eof', 'not_added')) AS consistent,
       SUM(on_branch * lines) AS lines, SUM(on_branch * (ok + overlapping + dangling_key)) AS added,
       SUM(on_branch * not_added) AS not_added, SUM(on_branch * beyond_eof) AS beyond_eof, SUM(on_branch * file_missing) AS file_missing
FROM (
  SELECT r.repo_id, r.producer, r.state, x.*,
         trim(COALESCE(r.tool_version, '') || ' ' || COALESCE(r.format_version, '')) AS version,
         x.anchor IN ('same_patch_id', 'earlier_version', 'squash_by_number') AS carried,
         x.reach = 'branch' AND x.anchor NOT IN ('same_patch_id', 'earlier_version', 'squash_by_number') AS on_branch
  FROM claim_records r JOIN claim_record_checks x ON x.record_id = r.id
)
GROUP BY repo_id, producer, version;

-- Lines that a claim and our attribution both cover, in commits that are linked to a session, and lines of agents there that no claim names.
--   repo_id: its repository
--   producer: tool that made the claim; what a trailer claims is the whole commit
--   version: version of the tool
--   claimed: who wrote them, as claimed: {ClaimedAuthor}; '' where they are not claimed
--   ours: who wrote them, as we see it: {Author}; '' where we have no verdict
--   verdict: whether both agree: {Agreement}
--   cause: why they do not: {Disagreement}
--   lines: number of lines
CREATE VIEW IF NOT EXISTS claim_agreement AS
WITH compared AS (
  SELECT repo_id, producer, COALESCE(tool_version, '') AS version, claimed_author,
         claimed_basis, record_status, copied, claim_lines, file_lines_added, lines, author, how, reason
  FROM claimed_lines WHERE has_session
  UNION ALL
  SELECT c.repo_id, 'trailers', '', 'agent', '', 'ok', 0, NULL, NULL,
         SUM(s.end_line - s.start_line + 1), o.author, o.how, o.reason
  FROM (SELECT DISTINCT repo_id, commit_sha FROM claim_records WHERE producer = 'trailers') t
  JOIN commits c ON c.repo_id = t.repo_id AND c.commit_sha = t.commit_sha JOIN commit_files f ON f.commit_id = c.id
  JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id
  WHERE EXISTS (SELECT 1 FROM commit_sessions cs WHERE cs.commit_id = c.id)
  GROUP BY c.repo_id, o.author, o.how, o.reason
),
named AS (SELECT repo_id, producer, SUM(lines) AS lines FROM compared WHERE author = 'agent' GROUP BY 1, 2),
agents AS (
  SELECT r.repo_id, r.producer, SUM(f.agent_lines) AS lines
  FROM claim_records r JOIN claim_record_checks x ON x.record_id = r.id AND x.reach = 'branch'
  JOIN commits c ON c.repo_id = r.repo_id AND c.commit_sha = x.commit_sha JOIN commit_files f ON f.commit_id = c.id
  WHERE r.state = 'read' AND x.lines > 0 AND EXISTS (SELECT 1 FROM commit_sessions cs WHERE cs.commit_id = c.id) GROUP BY 1, 2
)
SELECT repo_id, producer, version, claimed_author AS claimed, COALESCE(author, '') AS ours,
       CASE WHEN author IS NULL OR claimed_author = 'unknown' OR author IN ('declared', 'unknown', 'tool') THEN 'undecided'
            WHEN claimed_author = author OR (claimed_author = 'mixed' AND author = 'agent') THEN 'agree'
            ELSE 'disagree' END AS verdict,
       -- Where both sides know and differ, the first cause that holds. git-ai gives unknown runs of up to three lines beside an
       -- agent's to the agent, and to a person what is left over.
       CASE WHEN author IS NULL THEN 'missing_session'
            WHEN claimed_author = 'unknown' THEN 'other'
            WHEN author = 'declared' THEN 'missing_session'
            WHEN author IN ('unknown', 'tool') THEN
              CASE WHEN reason IN ('no_session', 'transcript_missing', 'transcript_not_stored', 'transcript_unreadable',
                                   'checkpoint_missing', 'invisible_subagent', 'uncaptured', 'base_unknown', 'unobserved',
                                   'rewritten', 'other_branch') THEN 'missing_session'
                   WHEN reason = 'opaque_shell' THEN 'shell_command'
                   WHEN reason = 'formatter' THEN 'formatter'
                   ELSE 'other' END
            WHEN claimed_author = author OR (claimed_author = 'mixed' AND author = 'agent') THEN ''
            WHEN record_status IN ('not_added', 'beyond_eof', 'file_missing') OR copied THEN 'rebased_note'
            WHEN how = 'reformatted' THEN 'formatter'
            WHEN how = 'edited' OR claimed_author = 'mixed' THEN 'edited_line'
            WHEN producer = 'trailers' THEN 'whole_commit_claim'
            WHEN claimed_author = 'human' AND author = 'agent' AND producer = 'git-ai' AND claimed_basis = 'rest' THEN 'recovered_lines'
            WHEN claimed_author = 'agent' AND claim_lines >= file_lines_added AND file_lines_added > 3 THEN 'whole_file_claim'
            WHEN claimed_author = 'agent' AND producer = 'git-ai' AND lines <= 3 THEN 'recovered_lines'
            ELSE 'other' END AS cause,
       lines
FROM compared
UNION ALL
SELECT a.repo_id, a.producer, '', '', 'agent', 'not_claimed', '', a.lines - COALESCE(n.lines, 0)
FROM agents a LEFT JOIN named n ON n.repo_id = a.repo_id AND n.producer = a.producer
WHERE a.lines > COALESCE(n.lines, 0)
UNION ALL
SELECT c.repo_id, 'trailers', '', '', 'agent', 'not_claimed', '', SUM(f.agent_lines) AS lines
FROM commits c JOIN commit_files f ON f.commit_id = c.id
WHERE c.declared_agent IS NULL AND c.repo_id IN (SELECT repo_id FROM stage_runs WHERE stage = 'claims')
AND EXISTS (SELECT 1 FROM commit_sessions cs WHERE cs.commit_id = c.id) GROUP BY c.repo_id HAVING lines > 0;
