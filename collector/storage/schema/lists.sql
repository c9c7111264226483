-- === What lists show ===
-- Views that commands and pages print: a row for each session, commit, person and so on, with what is counted of it.

-- Commits with the authors of their lines.
--   repo_id: its repository
--   commit_id: number of the commit; NULL when it is not attributed
--   position: place of the commit in the history of the branch
--   commit_sha: full id of the commit [sha]
--   author_at: when it was authored [UTC]
--   git_author: name of its author in git
--   parents: number of parents
--   declared_agent: agent that the commit itself names; NULL when it names none [agent]
--   lines: non-blank lines added to source and test files; NULL when the commit is not attributed [lines]
--   {ClassLines}
--   other_lines: non-blank lines added to files of other kinds [lines]
--   sessions: sessions linked to it
--   agents: agents of the sessions that wrote lines of it, most lines first, else the agent that it names [agents]
--   subject: first line of its message
CREATE VIEW IF NOT EXISTS commit_list AS
SELECT c.repo_id, c.id AS commit_id, c.position, c.commit_sha, c.author_at, COALESCE(c.author_name, '') AS git_author, c.parents, c.declared_agent,
       COALESCE(SUM(s.nonblank) FILTER (WHERE f.kind IN ('source', 'test')), 0) AS lines,
       {ClassLines of o where f.kind IN ('source', 'test')}
       COALESCE(SUM(s.nonblank) FILTER (WHERE f.kind NOT IN ('source', 'test')), 0) AS other_lines,
       (SELECT COUNT(*) FROM commit_sessions x WHERE x.commit_id = c.id) AS sessions,
       COALESCE((SELECT json_group_array(w.agent) FROM
                 (SELECT l.commit_id, COALESCE(e.agent, e.agent_label, '') AS agent FROM line_spans l JOIN sessions e ON e.id = l.session_id
                  WHERE l.author = 'agent' AND l.kind IN ('source', 'test') AND l.commit_id = c.id
                  GROUP BY 1, 2 ORDER BY SUM(l.nonblank) DESC, 2) w HAVING COUNT(*) > 0),
                CASE WHEN c.declared_agent IS NOT NULL THEN json_array(c.declared_agent) END, '[]') AS agents,
       COALESCE(c.subject, '') AS subject
FROM commits c LEFT JOIN commit_files f ON f.commit_id = c.id LEFT JOIN spans s ON s.file_id = f.id LEFT JOIN origins o ON o.id = s.origin_id
GROUP BY c.repo_id, c.id, c.position, c.commit_sha, c.author_at, c.author_name, c.parents, c.declared_agent, c.subject;

-- Repositories with their commits and sessions, and the authors of the lines that their commits added.
--   repo_id: its number
--   repo: owner/name
--   last_commit_at: when its last commit was authored; NULL without commits [UTC]
--   commits: commits
--   sessions: sessions
--   agents: agents of its sessions [agents]
--   lines: non-blank lines added to source and test files [lines]
--   {ClassLines}
--   git_authors: names of authors in git
CREATE VIEW IF NOT EXISTS repository_list AS
SELECT r.id AS repo_id, r.name AS repo, r.last_commit_at, COUNT(DISTINCT c.id) AS commits,
       (SELECT COUNT(*) FROM sessions e WHERE e.repo_id = r.id) AS sessions,
       (SELECT json_group_array(a.agent) FROM (SELECT DISTINCT e.agent FROM sessions e WHERE e.repo_id = r.id AND e.agent IS NOT NULL ORDER BY 1) a
       ) AS agents,
       COALESCE(SUM(s.nonblank), 0) AS lines,
       {ClassLines of o}
       COUNT(DISTINCT c.author_name) AS git_authors
FROM repos r LEFT JOIN commits c ON c.repo_id = r.id LEFT JOIN commit_files f ON f.commit_id = c.id AND f.kind IN ('source', 'test')
LEFT JOIN spans s ON s.file_id = f.id LEFT JOIN origins o ON o.id = s.origin_id
GROUP BY r.id, r.name, r.last_commit_at;

-- Lines that commits added, by the day of the commit, in source and test files.
--   repo_id: its repository
--   day: day of the commit
--   lines: non-blank lines [lines]
--   {ClassLines}
--   commits: commits that added some
CREATE VIEW IF NOT EXISTS daily_lines AS
SELECT c.repo_id, substr(c.author_at, 1, 10) AS day, SUM(s.nonblank) AS lines,
       {ClassLines of o}
       COUNT(DISTINCT c.id) AS commits
FROM commits c JOIN commit_files f ON f.commit_id = c.id JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id
WHERE f.kind IN ('source', 'test') GROUP BY c.repo_id, substr(c.author_at, 1, 10);

-- Sessions that explain lines of commits, or are named by them.
--   repo_id: its repository
--   commit_id: the commit
--   commit_sha: full id of the commit [sha]
--   subject: first line of the message of the commit
--   author_at: when the commit was authored [UTC]
--   session_id: the session
--   key: the agent's own id of the session
--   label: first words of the session's first prompt
--   agent: agent of the session, by its transcript or else as the checkpoint names it; NULL when neither tells [agent]
--   model: model of most responses; NULL when the transcript names none
--   transcript: what could be read of the session [word]
--   method: how the commit is linked to the session [word]
--   confidence: how sure that is, 0 to 1
--   agent_lines: non-blank lines of the commit that the session wrote [lines]
--   produced: non-blank lines that it wrote to the commit's files since the commit before; NULL when it was not replayed [lines]
--   survived: of those, lines in the commit; NULL when it was not replayed [lines]
CREATE VIEW IF NOT EXISTS session_commits AS
SELECT c.repo_id, c.id AS commit_id, c.commit_sha, COALESCE(c.subject, '') AS subject, c.author_at, s.id AS session_id, s.key, s.label,
       COALESCE(s.agent, s.agent_label) AS agent, s.model, s.transcript, x.method, x.confidence, x.agent_lines, x.produced, x.survived
FROM commit_sessions x JOIN commits c ON c.id = x.commit_id JOIN sessions s ON s.id = x.session_id;

-- Percentages of agent lines as the recorder claims them and by us, by the reason why they differ.
--   repo_id: its repository
--   reason: why they differ, the first that applies [word]
--   records: records with a claim
--   theirs: mean percentage as claimed; NULL when no record has one [%]
--   ours: mean percentage by us; NULL when no commit has lines of agents or people [%]
CREATE VIEW IF NOT EXISTS recorder_differences AS
SELECT c.repo_id, v.disagreement_reason AS reason, COUNT(*) AS records, AVG(v.vendor_percentage) AS theirs, AVG(v.our_percentage) AS ours
FROM vendor_checks v JOIN commits c ON c.id = v.commit_id GROUP BY c.repo_id, v.disagreement_reason;

-- Lines that commits added, by kind of file.
--   repo_id: its repository
--   kind: kind of file: headlines count source and test [word]
--   lines: non-blank lines [lines]
--   {ClassLines}
--   files: versions of files
CREATE VIEW IF NOT EXISTS kind_lines AS
SELECT c.repo_id, f.kind, SUM(s.nonblank) AS lines,
       {ClassLines of o}
       COUNT(DISTINCT f.id) AS files
FROM commits c JOIN commit_files f ON f.commit_id = c.id JOIN spans s ON s.file_id = f.id JOIN origins o ON o.id = s.origin_id
GROUP BY c.repo_id, f.kind;

-- Percentages of agent lines that recorders claim for checkpoints of commits, beside ours.
--   commit_id: the commit
--   checkpoint: id of the checkpoint
--   session: first words of the session's first prompt
--   theirs: percentage as claimed [%]
--   ours: percentage by us; NULL where the two count different lines, or the commit has none of agents or people [%]
--   reason: why they differ; not_comparable: several checkpoints or commits are involved, so they count different lines [word]
CREATE VIEW IF NOT EXISTS recorder_claims AS
SELECT l.commit_id, k.checkpoint_id AS checkpoint, s.label AS session, r.vendor_percentage AS theirs, v.our_percentage AS ours,
       COALESCE(v.disagreement_reason, 'not_comparable') AS reason
FROM commit_checkpoint_links l JOIN checkpoints k ON k.id = l.checkpoint JOIN checkpoint_sessions r ON r.checkpoint_id = k.id
JOIN sessions s ON s.id = r.session_id LEFT JOIN vendor_checks v ON v.checkpoint_session_id = r.id AND v.commit_id = l.commit_id
WHERE r.vendor_percentage IS NOT NULL;

-- Sessions with their counts, those of subagents included.
--   id: number of the session
--   repo_id: its repository
--   repo: name of the repository
--   key: the agent's own id of the session [key]
--   label: first words of its first prompt
--   agent: agent that recorded it; NULL when the transcript does not tell [agent]
--   model: model that was used most; NULL when the transcript names none
--   transcript: what is left of the transcript [word]
--   started_at: time of its first event; NULL when the transcript has no times [UTC]
--   ended_at: time of its last event; NULL when the transcript has no times [UTC]
--   turns: messages that the agent answered
--   tool_calls: calls of tools
--   edits_applied: edits that were replayed; NULL before the lines were attributed
--   commits: commits linked to it; NULL before the lines were attributed
--   produced: non-blank lines it ever wrote into files; NULL before the lines were attributed [lines]
--   survived: of those, lines in a commit; NULL before the lines were attributed [lines]
--   agent_lines: non-blank lines in commits that it wrote; NULL when no commit is linked [lines]
--   coding_mode: how much of its committed lines the agents wrote; NULL without such lines [word]
--   unlinked_because: why no commit is linked to it; NULL when one is, before the lines were attributed, or when nothing was read
--   driver: what sent most of its prompts [word]
--   forked_from: key of the session that it repeats; what both have counts there alone; NULL for other sessions
--   left_at: when it left that one; NULL for other sessions [UTC]
--   parent: key of the session that spawned it; NULL for a session of a person
--   subagents: sessions that it spawned, as far as they are stored as sessions of their own
--   gone_since: the first run that did not read it any more, as it is gone or was not to be read; NULL as long as runs do [UTC]
CREATE VIEW IF NOT EXISTS session_list AS
SELECT s.id, s.repo_id, r.name AS repo, s.key, s.label, s.agent, s.model, s.transcript, s.started_at, s.ended_at, s.turns, s.tool_calls,
       t.edits_applied, t.commits, t.produced, t.survived,
       (SELECT SUM(cs.agent_lines) FROM commit_sessions cs WHERE cs.session_id = s.id) AS agent_lines, t.coding_mode,
       CASE WHEN t.commits > 0 OR s.tool_calls IS NULL OR t.commits IS NULL THEN NULL
         WHEN EXISTS (SELECT 1 FROM tool_calls x WHERE x.session_id = s.id AND x.commits IS NOT NULL)
           THEN COALESCE((SELECT 'its commits: ' || substr(p.detail, instr(p.detail, ': ') + 2) FROM problems p
             WHERE p.repo_id = s.repo_id AND p.code = 'session_unlinked' AND p.subject = s.key), 'its commits are not in this clone')
         WHEN t.edits_seen = t.edits_outside_repo THEN 'changed no file here'
         WHEN t.edits_applied = 0 THEN 'no edit was replayed'
         WHEN EXISTS (SELECT 1 FROM edits e JOIN commit_files f ON f.path = e.path JOIN commits k ON k.id = f.commit_id
           WHERE e.session_id = s.id AND k.repo_id = s.repo_id AND k.author_at > e.at) THEN 'lost before a commit of its files'
         ELSE 'not committed' END AS unlinked_because,
       s.driver, s.forked_from, s.left_at, s.parent_key AS parent, COALESCE(c.subagents, 0) AS subagents, s.gone_since
FROM sessions s JOIN repos r ON r.id = s.repo_id LEFT JOIN session_stats t ON t.session_id = s.id
LEFT JOIN (SELECT repo_id, parent_key, COUNT(*) AS subagents FROM sessions GROUP BY repo_id, parent_key) c
ON c.repo_id = s.repo_id AND c.parent_key = s.key;

-- Sessions by agent and model, with what became of their lines.
--   repo_id: its repository
--   agent: agent of the sessions, by their transcripts or else as checkpoints name it; NULL where neither tells [agent]
--   model: model of most responses; NULL where transcripts name none
--   transcript: what could be read of them [word]
--   sessions: sessions
--   tool_calls: calls of tools
--   produced: non-blank lines that they ever wrote into files; NULL before their lines were attributed [lines]
--   survived: of those, lines in a commit; NULL before their lines were attributed [lines]
--   lines: non-blank lines of commits that they wrote [lines]
CREATE VIEW IF NOT EXISTS agent_sessions AS
SELECT s.repo_id, COALESCE(s.agent, s.agent_label) AS agent, s.model, s.transcript, COUNT(*) AS sessions, SUM(s.tool_calls) AS tool_calls,
       SUM(t.produced) AS produced, SUM(t.survived) AS survived,
       COALESCE(SUM((SELECT SUM(p.nonblank) FROM origins o JOIN spans p ON p.origin_id = o.id WHERE o.session_id = s.id AND o.author = 'agent')), 0) AS lines
FROM sessions s LEFT JOIN session_stats t ON t.session_id = s.id
GROUP BY s.repo_id, COALESCE(s.agent, s.agent_label), s.model, s.transcript;

-- What each turn did and what became of its lines, with its session and prompt.
--   *: turn_outcomes
--   session: first words of the session's first prompt
--   key: the agent's own id of the session [key]
--   discarded_key: the agent's own id of the session that removed most of the discarded lines; NULL when there are none
--   prompt: the first 200 characters of the message; NULL when texts are not stored
CREATE VIEW IF NOT EXISTS turn_list AS
SELECT o.*, s.label AS session, s.key, (SELECT d.key FROM sessions d WHERE d.id = o.discarded_by) AS discarded_key,
       substr(t.prompt, 1, 200) AS prompt
FROM turn_outcomes o JOIN sessions s ON s.id = o.session_id JOIN turns t ON t.session_id = o.session_id AND t.turn_index = o.turn_index;

-- Places of files that a session edited more than once.
--   repo_id: its repository
--   id: number of the region
--   session_id: the session
--   repo: name of the repository
--   session: the agent's own id of the session
--   label: first words of the session's first prompt
--   path: file, relative to its worktree
--   start_line: first line of the last hunk, after it
--   end_line: last line of the last hunk, after it
--   hunks: hunks of applied edits
--   rounds: calls that edited it
--   convergence: how it developed [word]
--   returned_to: the round whose state came back, 0 is the text before the session; NULL when none did
--   sizes: lines added and removed by each round [list]
--   first_at: first edit; NULL without times [UTC]
--   last_at: last edit; NULL without times [UTC]
CREATE VIEW IF NOT EXISTS region_list AS
SELECT s.repo_id, g.id, g.session_id, r.name AS repo, s.key AS session, s.label, g.path, g.start_line, g.end_line, g.hunks, g.rounds,
       g.convergence, g.returned_to, g.sizes, g.first_at, g.last_at
FROM regions g JOIN sessions s ON s.id = g.session_id JOIN repos r ON r.id = s.repo_id WHERE g.rounds > 1;

-- What could not be used, by stage and kind.
--   repo_id: its repository; NULL for what belongs to none
--   repo: name of the repository; NULL for what belongs to none
--   stage: stage that reports it
--   code: kind of problem
--   count: how often
--   example: one of them
CREATE VIEW IF NOT EXISTS problem_list AS
SELECT p.repo_id, r.name AS repo, p.stage, p.code, COUNT(*) AS count, COALESCE(MIN(COALESCE(NULLIF(p.detail, ''), p.subject)), '') AS example
FROM problems p LEFT JOIN repos r ON r.id = p.repo_id GROUP BY p.repo_id, r.name, p.stage, p.code;
