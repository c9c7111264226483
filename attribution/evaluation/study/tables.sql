-- population: What was analysed
-- * Logged events: turns, messages of agents, tool calls and their results; the paper does not say what it counts.
SELECT 'repositories' AS what, COUNT(*) AS ours FROM repos
UNION ALL SELECT 'sessions', COUNT(*) FROM sessions
UNION ALL SELECT 'sessions with a transcript', COUNT(*) FROM sessions WHERE transcript IN ('present', 'partial')
UNION ALL SELECT 'checkpoints', COUNT(*) FROM checkpoints
UNION ALL SELECT 'commits', COUNT(*) FROM commits
UNION ALL SELECT 'commits linked to sessions', COUNT(DISTINCT commit_id) FROM commit_sessions
UNION ALL SELECT 'user prompts', COUNT(*) FROM turns WHERE origin <> 'injected'
UNION ALL SELECT 'tool calls', COUNT(*) FROM tool_calls
UNION ALL SELECT 'logged events', (SELECT COUNT(*) FROM turns) + (SELECT COUNT(*) FROM messages)
  + (SELECT COUNT(*) + SUM(status <> 'unknown') FROM tool_calls)
UNION ALL SELECT 'edits applied', COUNT(*) FROM edits WHERE outcome = 'applied'
UNION ALL SELECT 'edits that could not be replayed', COUNT(*) FROM edits WHERE outcome = 'unmatched'
UNION ALL SELECT 'lines added', COALESCE(SUM(lines_added), 0) FROM commits;

-- agents: Sessions by agent
-- * Ours by the content of the transcript, the paper's by its label, also of those labelled unknown or Agent.
SELECT COALESCE(agent, agent_label, '?') AS agent, COUNT(*) AS sessions, 1.0 * COUNT(*) / SUM(COUNT(*)) OVER () AS share
FROM sessions GROUP BY 1 ORDER BY 2 DESC, 1;

-- coding_modes: Coding modes, share of sessions
-- statistics: pooled
-- * Ours: all commits of a session, line by line; sessions without agent or human lines have no mode.
-- * Widest: counts every unknown line of those commits as a person's. The truth lies between the two.
-- * Vendor: the percentage its tool stored in the session's canonical record, which is what the paper counts.
-- * {few}
-- * {audited}
SELECT m.value AS mode, s.counted_by, s.repo_id, s.mode = m.value AS top, 1 AS bottom
FROM (SELECT 'ours' AS counted_by, repo_id, coding_mode AS mode FROM study_sessions
      UNION ALL SELECT 'widest', repo_id, widest_mode FROM study_sessions
      UNION ALL SELECT 'vendor', repo_id, coding_mode(vendor) FROM study_sessions) s
JOIN json_each('["human_only", "collaborative", "vibe"]') m WHERE s.mode IS NOT NULL
ORDER BY m.key, s.counted_by;

-- agent_share: Share of agents' lines in the commits of sessions
-- statistics: pooled, mean, median
-- * Pooled over lines, mean and median over sessions; the vendor's are shares of sessions alone.
-- * {few}
-- * {audited}
SELECT 'ours, without unknown' AS counted_by, repo_id, agent_lines AS top, agent_lines + human_lines AS bottom
FROM study_sessions WHERE coding_mode IS NOT NULL
UNION ALL SELECT 'ours, with unknown in the denominator', repo_id, agent_lines, committed_lines
FROM study_sessions WHERE coding_mode IS NOT NULL
UNION ALL SELECT 'vendor', repo_id, vendor / 100, 1 FROM study_sessions WHERE vendor IS NOT NULL;

-- modes_compared: Sessions by the vendor's mode and by ours
SELECT coding_mode(vendor) AS vendor_mode, SUM(coding_mode = 'human_only') AS ours_human_only,
  SUM(coding_mode = 'collaborative') AS ours_collaborative, SUM(coding_mode = 'vibe') AS ours_vibe
FROM study_sessions WHERE vendor IS NOT NULL AND coding_mode IS NOT NULL GROUP BY 1 ORDER BY MIN(vendor), 1;

-- modes_over_time: Coding modes over time, share of the sessions started in each two weeks
-- * The paper's share of vibe coding, by the recorder's percentages over rolling fortnights: from 20 to more than 40 % in its first
--   version, from 18.3 % in February to 52.6 % on 4 September 2026 in the second.
SELECT fortnight AS "fortnight from", AVG(ours = 'human_only') AS ours_human_only, AVG(ours = 'collaborative') AS ours_collaborative,
  AVG(ours = 'vibe') AS ours_vibe, COUNT(ours) AS ours_n, AVG(vendor = 'human_only') AS vendor_human_only,
  AVG(vendor = 'collaborative') AS vendor_collaborative, AVG(vendor = 'vibe') AS vendor_vibe, COUNT(vendor) AS vendor_n
FROM (SELECT fortnight, coding_mode AS ours, coding_mode(vendor) AS vendor FROM study_sessions WHERE fortnight IS NOT NULL)
GROUP BY 1 ORDER BY 1;

-- coding_efficiency: Coding efficiency: lines in a commit / lines produced
-- statistics: pooled, mean
-- * The paper averages (over sessions or commits, it does not say) and replays edits from the parent commit, where an edit whose text
--   is absent cannot be applied; ours takes the recorded text before each edit. On the same records of entireio/cli the two ways give
--   53 % and 73 %.
-- * The abstract of v2 says that 59 % of agent code survives, without a definition: it is left out.
-- * In a commit: found there by position in the replayed file, not by equal text.
-- * {few}
-- * {audited}
SELECT g.sessions, s.repo_id, s.survived AS top, s.produced AS bottom FROM study_groups g JOIN study_sessions s ON s.id = g.id
ORDER BY g.ROWID;

-- survival_to_commit: Survival: lines in a commit / lines of the final state
-- statistics: pooled, mean
-- * As for coding_efficiency; the final state has the lines that no agent overwrote again.
-- * {few}
-- * {audited}
SELECT g.sessions, s.repo_id, s.survived AS top, s.final AS bottom FROM study_groups g JOIN study_sessions s ON s.id = g.id
ORDER BY g.ROWID;

-- produced_lines: What became of the lines that sessions produced
-- statistics: pooled
-- * human deleted: a person removed the line, and the session saw the file without it. not committed: the commit does not have the
--   line, although nothing recorded removed it.
-- * Overwritten or deleted by a person: nobody has checked such lines, so this has no measured error rate.
-- * The paper has one row for both, human deletion, which it explains as not committed; it stands beside not committed.
-- * {few}
SELECT g.sessions, p.value AS fate, s.repo_id, CASE p.value WHEN 'survived' THEN s.survived
    WHEN 'self overwritten' THEN s.self_overwritten WHEN 'human overwritten' THEN s.human_overwritten
    WHEN 'human deleted' THEN s.human_deleted WHEN 'reformatted' THEN s.reformatted WHEN 'not committed' THEN s.not_committed ELSE s.unexplained END AS top,
  s.produced AS bottom
FROM study_groups g JOIN study_sessions s ON s.id = g.id
JOIN json_each('["survived", "self overwritten", "human overwritten", "human deleted", "reformatted", "not committed", "unexplained"]') p
WHERE g.sessions <> 'without a commit too' ORDER BY g.ROWID, p.key;

-- cost: Cost of 100 committed lines
-- statistics: mean, median
-- * Over sessions that can be assigned unambiguously: one session, one checkpoint, no squash, one repository; in the paper 48.6 % of all.
-- * The paper does not give its rule. Ours is narrow: a commit with several checkpoints, as after hours of work, is left out.
-- * US dollars at public list prices of a stated day; null where a price is unknown. Some versions of Claude Code record too few output
--   tokens, so dollars are lower bounds there.
-- * The paper publishes neither its prices nor which tokens its median of 204,000 counts; so both ways of counting are here.
-- * {few}
SELECT per_100_committed_lines, mode, repo_id, 100.0 * amount / committed_lines AS top, 1 AS bottom FROM (
  SELECT p.key, p.value AS per_100_committed_lines, m.mode, s.repo_id, s.committed_lines, CASE p.value
      WHEN 'tokens' THEN s.output_tokens + COALESCE(s.input_tokens, 0) + COALESCE(s.cache_read_tokens, 0)
        + COALESCE(s.cache_write_tokens, 0)
      WHEN 'tokens without cache reads' THEN s.output_tokens + COALESCE(s.input_tokens, 0) + COALESCE(s.cache_write_tokens, 0)
      WHEN 'usd' THEN s.cost_usd WHEN 'prompt characters' THEN s.typed
      WHEN 'session minutes' THEN s.session_runtime_s / 60.0 ELSE s.agent_runtime_s / 60.0 END AS amount
  FROM study_sessions s JOIN study_modes m ON m.id = s.id
  JOIN json_each('["tokens", "tokens without cache reads", "usd", "prompt characters", "session minutes", "agent minutes"]') p
  WHERE s.commits > 0 AND s.has_features IS NOT NULL AND s.copies = 1 AND s.clean AND s.committed_lines > 0)
WHERE amount IS NOT NULL ORDER BY key, mode;

-- turn_outcomes: Turns of Claude Code that were interrupted, or in which the agent asked
-- statistics: pooled
-- * Pushes back: of the later typed messages that the classifier of docs/turns.md was measured on, by words, and by sentence vectors
--   where `data embed --model sentences` was run; as counted. By deed: messages after lines whose turn changed some of these lines.
--   `pushback_by_mode` has the judge's. The paper's 39 % are of all turns, by a judge, and 44 % with interruptions.
-- * {few}
SELECT 'interrupted by the user' AS turns, m.mode, s.repo_id, s.interruptions AS top, s.turns AS bottom
FROM study_sessions s JOIN study_modes m ON m.id = s.id WHERE s.counted AND s.agent = 'claude-code' AND s.turns > 0
UNION ALL SELECT 'agent asks', m.mode, s.repo_id, s.asked, s.turns
FROM study_sessions s JOIN study_modes m ON m.id = s.id WHERE s.counted AND s.agent = 'claude-code' AND s.turns > 0
UNION ALL SELECT 'user pushes back', m.mode, s.repo_id, s.pushback_turns, s.turns_classified
FROM study_sessions s JOIN study_modes m ON m.id = s.id WHERE s.counted AND s.agent = 'claude-code' AND s.turns_classified > 0
UNION ALL SELECT 'user pushes back, by vectors', m.mode, s.repo_id, s.vector_pushback, s.vector_classified
FROM study_sessions s JOIN study_modes m ON m.id = s.id WHERE s.counted AND s.agent = 'claude-code' AND s.vector_classified > 0
UNION ALL SELECT 'user pushes back, by deed', m.mode, s.repo_id, SUM(o.changed_next > 0), COUNT(*)
FROM study_sessions s JOIN study_modes m ON m.id = s.id JOIN turn_outcomes o ON o.session_id = s.id AND o.produced > 0
JOIN turns t ON t.session_id = s.id AND t.turn_index = o.turn_index + 1
WHERE s.counted AND s.agent = 'claude-code' AND t.origin IN ('prompt', 'queued') GROUP BY m.mode, s.id
ORDER BY 1 DESC, 2;

-- oversight_over_time: Interruptions, questions of the agent and pushback in sessions of Claude Code, by fortnight
-- statistics: pooled
-- * As in turn_outcomes. The paper draws them over rolling weeks, without numbers.
-- * {few}
SELECT 'interrupted by the user' AS turns, s.fortnight AS "fortnight from", s.repo_id, s.interruptions AS top, s.turns AS bottom
FROM study_sessions s WHERE s.counted AND s.agent = 'claude-code' AND s.turns > 0 AND s.fortnight IS NOT NULL
UNION ALL SELECT 'agent asks', s.fortnight, s.repo_id, s.asked, s.turns
FROM study_sessions s WHERE s.counted AND s.agent = 'claude-code' AND s.turns > 0 AND s.fortnight IS NOT NULL
UNION ALL SELECT 'user pushes back', s.fortnight, s.repo_id, s.pushback_turns, s.turns_classified
FROM study_sessions s WHERE s.counted AND s.agent = 'claude-code' AND s.turns_classified > 0 AND s.fortnight IS NOT NULL
ORDER BY 1 DESC, 2;

-- oversight_by_activity: The same for sessions that write code and sessions that review it
-- statistics: pooled
-- * Reviewing: the kind of work is self-review; writing: the type of task is coding. The paper has a judge decide, and no numbers.
-- * {few}
SELECT e.value AS turns, CASE WHEN q.work = 'self-review' THEN 'reviewing' ELSE 'writing' END AS activity, s.repo_id,
  CASE e.key WHEN 0 THEN s.interruptions WHEN 1 THEN s.asked ELSE s.pushback_turns END AS top,
  CASE e.key WHEN 2 THEN s.turns_classified ELSE s.turns END AS bottom
FROM study_sessions s JOIN scores q ON q.session_id = s.id
JOIN json_each('["interrupted by the user", "agent asks", "user pushes back"]') e
WHERE s.counted AND s.agent = 'claude-code' AND (q.work = 'self-review' OR q.task_type = 'coding')
  AND s.turns > 0 AND (e.key < 2 OR s.turns_classified > 0)
ORDER BY e.key, 2;

-- interaction_sizes: Turns per session and tool calls per turn
-- * Turns are the user's, calls those of subagents too. The paper draws both without numbers.
-- * {few}
SELECT measure, COUNT(*) AS n, AVG(size) AS mean, quantile(size, 0.25) AS p25, quantile(size, 0.5) AS median,
  quantile(size, 0.75) AS p75, quantile(size, 0.9) AS p90, quantile(size, 0.99) AS p99, MAX(size) AS largest
FROM (SELECT 'turns per session' AS measure, s.id, s.turns AS size FROM study_sessions s WHERE s.counted
      UNION ALL SELECT 'tool calls per turn', s.id, o.calls FROM turn_outcomes o JOIN study_sessions s ON s.id = o.session_id
      WHERE s.counted AND o.origin <> 'injected')
GROUP BY measure HAVING COUNT(DISTINCT id) >= {least} ORDER BY measure DESC;

-- file_types: Types of the files that tool calls read, searched or changed, the 15 most frequent
-- * A file counts once for each session. The paper counts calls and draws them without numbers.
SELECT type, SUM(files) AS files, 1.0 * SUM(files) / n AS share, SUM(changed) AS changed, n FROM (
  SELECT CASE WHEN place <= 15 THEN type ELSE 'others' END AS type, files, changed, SUM(files) OVER () AS n FROM (
    SELECT file_type(json_extract(e.value, '$.path')) AS type, COUNT(*) AS files,
      COUNT(json_extract(e.value, '$.changed')) AS changed, ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, MIN(s.id)) AS place
    FROM study_sessions s, json_each(s.files_seen) e WHERE s.counted GROUP BY 1))
GROUP BY type ORDER BY type = 'others', files DESC, type;

-- top_repositories: Share of the sessions in the repositories that have most of them
-- * The paper draws the curve without numbers.
SELECT place AS "largest repositories", so_far AS sessions, 1.0 * so_far / n AS share, n FROM (
  SELECT ROW_NUMBER() OVER w AS place, SUM(COUNT(*)) OVER w AS so_far, SUM(COUNT(*)) OVER () AS n, COUNT(*) OVER () AS repositories
  FROM study_sessions WHERE counted GROUP BY repo_id WINDOW w AS (ORDER BY COUNT(*) DESC, repo_id))
WHERE place IN (1, 2, 3, 5, 10, 20, 50, 100, 200, repositories) ORDER BY place;

-- message_classes: What typed messages do, by the classifier of docs/turns.md
-- statistics: pooled
-- * Of the messages in languages that it was measured on.
-- * {few}
SELECT k.class, s.repo_id, SUM(l.value = k.class) AS top, COUNT(l.value) AS bottom
FROM study_sessions s, json_each(s.turn_classes) l,
  (SELECT DISTINCT x.value AS class FROM study_sessions, json_each(turn_classes) x WHERE counted AND x.value IS NOT NULL) k
WHERE s.counted GROUP BY k.class, s.id HAVING bottom > 0 ORDER BY k.class, s.id;

-- prompt_subjects: What typed messages are about, share of the messages that name the subject
-- statistics: pooled
-- * By words of English in the first 1,000 characters; a message counts for each subject that it names, and many name none.
-- * The paper's figure 23 shows 20 clusters of embeddings, named by a model, with 57 % of its prompts; it prints neither names nor sizes.
-- * {few}
WITH messages AS (
  SELECT s.id, s.repo_id, ' ' || lower(replace(replace(substr(t.prompt, 1, 1000), char(10), ' '), '/', ' ')) AS text
  FROM turns t JOIN study_sessions s ON s.id = t.session_id
  WHERE s.counted AND t.origin IN ('prompt', 'queued') AND t.prompt IS NOT NULL),
subjects AS (
  SELECT p.key AS subject, p.value AS words FROM json_each('{
    "agents and prompts": [" agent", " claude", " codex", " prompt", " skill", " mcp"],
    "api and server": [" api", " endpoint", " server", " request", " route", " backend"],
    "build and ci": [" build", " ci ", " workflow", " pipeline", " compile", " lint", " docker"],
    "commits and branches": [" commit", " branch", " push", " merge", " rebase", " pull request", " pr "],
    "configuration": [" config", " setting", " environment", " env ", " flag", " option"],
    "data and databases": [" database", " sql", " schema", " migration", " query", " table", " data "],
    "dependencies": [" dependenc", " upgrade", " install", " npm ", " package", " version"],
    "deployment": [" deploy", " release", " production", " hosting", " publish"],
    "documents": [" readme", " docs", " documentation", " comment", " changelog"],
    "errors": [" error", " bug", " fail", " crash", " exception", " broken"],
    "names and structure": [" rename", " refactor", " move ", " extract", " clean", " simplif", " duplicate"],
    "people and access": [" auth", " login", " user", " permission", " password", " security"],
    "plans": [" plan", " design", " spec", " roadmap", " proposal", " phase"],
    "reviews": [" review", " audit", " check ", " verify"],
    "speed": [" performance", " slow", " fast", " cache", " optimi", " memory"],
    "tests": [" test", " coverage", " mock", " e2e"],
    "user interface": [" button", " page", " ui ", " css", " style", " layout", " component", " color", " icon", " screen"]}') p)
SELECT j.subject, m.repo_id, SUM(EXISTS (SELECT 1 FROM json_each(j.words) w WHERE instr(m.text, w.value))) AS top, COUNT(*) AS bottom
FROM messages m, subjects j GROUP BY j.subject, m.id ORDER BY j.subject, m.id;

-- autonomy: How long Claude Code works on one prompt
SELECT q.value AS quantile, quantile(l.value, q.value) / 60 AS minutes, COUNT(*) AS n
FROM study_sessions s, json_each(s.per_turn_agent_latency_s) l, json_each('[0.5, 0.9, 0.99, 0.999]') q
WHERE s.counted AND s.agent = 'claude-code' AND s.turns > 0 AND l.type IN ('integer', 'real') GROUP BY q.value
ORDER BY 1;

-- autonomy_over_time: How long Claude Code works on one prompt, by fortnight
-- * {few}
-- * No quantile above which less than one turn lies.
-- * The paper draws the same quantiles over rolling weeks, without numbers.
SELECT "fortnight from", sessions, turns, CASE WHEN enough THEN p50 / 60 END AS "p50 minutes",
  CASE WHEN enough AND turns >= 10 THEN p90 / 60 END AS "p90 minutes",
  CASE WHEN enough AND turns >= 100 THEN p99 / 60 END AS "p99 minutes",
  CASE WHEN enough AND turns >= 1000 THEN p999 / 60 END AS "p99.9 minutes"
FROM (
  SELECT s.fortnight AS "fortnight from", COUNT(DISTINCT s.id) AS sessions, COUNT(*) AS turns,
    COUNT(DISTINCT s.id) >= {least} AS enough, quantile(l.value, 0.5) AS p50, quantile(l.value, 0.9) AS p90,
    quantile(l.value, 0.99) AS p99, quantile(l.value, 0.999) AS p999
  FROM study_sessions s, json_each(s.per_turn_agent_latency_s) l
  WHERE s.counted AND s.agent = 'claude-code' AND s.fortnight IS NOT NULL AND l.type IN ('integer', 'real') GROUP BY 1)
ORDER BY 1;

-- tools: Tool calls by category
-- * Ours files a command under its first effective program (`cd x && pytest` is a build), the paper under its first word: bash:file. The
--   paper's parser kept the last block of a message only and so lost one call in seven.
SELECT category, SUM(calls) AS calls, 1.0 * SUM(calls) / NULLIF(SUM(SUM(calls)) OVER (), 0) AS share FROM (
  SELECT value AS category, 0 AS calls FROM json_each(published('tools'))
  UNION ALL SELECT c.key, c.value FROM study_sessions s, json_each(s.tool_counts) c WHERE s.counted AND c.type = 'integer')
GROUP BY category ORDER BY calls DESC, category;

-- last_tools: The last tool of Claude Code before the user interrupted it
-- * The tool that the main agent had called last in that turn; a plan or a question that was refused counts as well.
SELECT tool, SUM(interruptions) AS interruptions, 1.0 * SUM(interruptions) / n AS share, n FROM (
  SELECT CASE WHEN place <= 10 OR tool IN (SELECT value FROM json_each(published('last_tools'))) THEN tool ELSE 'others' END AS tool,
    interruptions, n
  FROM (
    SELECT COALESCE(json_extract(e.value, '$.tool'), 'no call before') AS tool, COUNT(*) AS interruptions,
      SUM(COUNT(*)) OVER () AS n, ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, MIN(s.id)) AS place
    FROM study_sessions s, json_each(s.interruption_events) e WHERE s.counted AND s.agent = 'claude-code' GROUP BY 1))
GROUP BY tool ORDER BY tool = 'others', interruptions DESC, tool;

-- tools_by_position: Tool calls by their place in the session
-- * Share of the calls in each fifth of the sessions with at least five calls of their main agent. By name and command: an edit through
--   the shell counts as its command.
SELECT category, 1.0 * SUM(part = 0) / SUM(SUM(part = 0)) OVER () AS "first fifth",
  1.0 * SUM(part = 1) / SUM(SUM(part = 1)) OVER () AS second, 1.0 * SUM(part = 2) / SUM(SUM(part = 2)) OVER () AS third,
  1.0 * SUM(part = 3) / SUM(SUM(part = 3)) OVER () AS fourth,
  1.0 * SUM(part = 4) / SUM(SUM(part = 4)) OVER () AS "last fifth", COUNT(*) AS calls
FROM (
  SELECT tool_category(c.name, substr(c.command, 1, 2000)) AS category, COUNT(*) OVER (PARTITION BY c.session_id) AS n,
    (ROW_NUMBER() OVER (PARTITION BY c.session_id ORDER BY c.id) - 1) * 5 / COUNT(*) OVER (PARTITION BY c.session_id) AS part
  FROM tool_calls c JOIN study_sessions s ON s.id = c.session_id WHERE s.counted AND c.agent_id IS NULL)
WHERE n >= 5 GROUP BY category ORDER BY calls DESC, category;

-- prompt_languages: Languages of prompts by month
-- statistics: pooled
-- * Typed messages by script and common words, which tells English, Japanese, Korean, Chinese and languages in Cyrillic letters.
-- * {few}
SELECT m.value AS month, w.language, s.repo_id, SUM(COALESCE(l.value, 'not told') = w.language) AS top, COUNT(*) AS bottom
FROM study_sessions s, json_each(s.turn_languages) l, json_each(json_array(substr(s.started_at, 1, 7), 'all')) m,
  (SELECT DISTINCT COALESCE(x.value, 'not told') AS language FROM study_sessions, json_each(turn_languages) x WHERE counted) w
WHERE s.counted AND s.started_at <> '' GROUP BY m.value, w.language, s.id ORDER BY m.value, w.language, s.id;

-- weaknesses: Weaknesses introduced and fixed per 1,000 added lines
-- statistics: rate
-- * Commits that `whowrote findings scan` has read. The mode of a commit is the share of agents' recorded lines among these and people's
--   with a witness; commits without either are 'neither'. Lines that only a trailer declares count for neither side.
-- * The paper scans whole trees before and after with rules that Semgrep's server chose on that day; ours scans what commits change with
--   pinned rules, follows findings across versions, and counts those on added lines only. Rules of low confidence (use of an API alone)
--   are apart. `whowrote report weaknesses` compares agents with people.
-- * No rate with fewer than {rate:,} lines.
-- * {audited}
WITH scanned AS (
  SELECT l.commit_id, SUM(l.lines) AS lines, COALESCE((SELECT coding_mode(100.0 * c.agent_lines / (c.agent_lines + c.human_lines))
    FROM commit_lines c WHERE c.commit_id = l.commit_id), 'neither') AS mode
  FROM scanned_lines l WHERE l.scanned = 1 AND l.place = 'source' GROUP BY 1),
found AS (
  SELECT commit_id, 'introduced' AS what, confidence FROM findings WHERE place = 'source' AND status = 'introduced'
  UNION ALL SELECT fixed_by, 'fixed', confidence FROM findings WHERE place = 'source' AND fixed_by IS NOT NULL)
SELECT m.value AS "mode of the commit", w.value AS what, r.value AS rules, SUM(s.lines) AS lines, SUM((
    SELECT COUNT(*) FROM found f WHERE f.commit_id = s.commit_id AND f.what = w.value AND (r.key = 0 OR f.confidence <> 'LOW')
  )) AS findings
FROM scanned s JOIN json_each('["human_only", "collaborative", "vibe", "neither", "all"]') m ON m.value IN (s.mode, 'all')
JOIN json_each('["introduced", "fixed"]') w JOIN json_each('["all rules", "without low confidence"]') r
GROUP BY m.key, w.key, r.key ORDER BY m.key, w.key, r.key;

-- introduced_rules: Weaknesses introduced by commits, by rule, the 15 most frequent
-- * In source files, as in weaknesses; the paper draws its own by other rules, without numbers.
SELECT rule, cwe, SUM(findings) AS findings, 1.0 * SUM(findings) / n AS share, n FROM (
  SELECT CASE WHEN place <= 15 THEN rule_id ELSE 'others' END AS rule, CASE WHEN place <= 15 THEN cwe END AS cwe, findings, n FROM (
    SELECT rule_id, MIN(cwe) AS cwe, COUNT(*) AS findings, SUM(COUNT(*)) OVER () AS n,
      ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, rule_id) AS place
    FROM findings WHERE place = 'source' AND status = 'introduced' GROUP BY rule_id))
GROUP BY rule, cwe ORDER BY rule = 'others', findings DESC, rule;

-- introduced_cwes: Weaknesses introduced by commits, by CWE, the 15 most frequent
-- * The first CWE of the rule; in source files, as in weaknesses. The paper draws its own without numbers.
SELECT cwe, SUM(findings) AS findings, 1.0 * SUM(findings) / n AS share, n FROM (
  SELECT CASE WHEN place <= 15 THEN cwe ELSE 'others' END AS cwe, findings, n FROM (
    SELECT COALESCE(cwe, 'none named') AS cwe, COUNT(*) AS findings, SUM(COUNT(*)) OVER () AS n,
      ROW_NUMBER() OVER (ORDER BY COUNT(*) DESC, cwe) AS place
    FROM findings WHERE place = 'source' AND status = 'introduced' GROUP BY 1))
GROUP BY cwe ORDER BY cwe = 'others', findings DESC, cwe;

-- pushback_by_mode: Messages to Claude Code that push back, by coding mode
-- statistics: pooled
-- * By the judge that answered last; as counted, not corrected for its errors (`judge_labels` has the corrected shares over all
--   sessions). The paper's shares are of all turns, ours of the messages that the judge could tell; any: the three classes together.
-- * {few}
SELECT p.value AS pushback, m.mode, s.repo_id, COUNT(*) AS bottom,
  SUM(l.value = p.value OR (p.value = 'any' AND l.value IN ('correction', 'rejection', 'failure_report'))) AS top
FROM judge_labels l JOIN study_sessions s ON s.id = l.session_id AND s.copies > 0 AND s.agent = 'claude-code'
JOIN study_modes m ON m.id = s.id JOIN json_each('["any", "correction", "rejection", "failure_report"]') p
WHERE l.label = 'pushback' AND l.value IS NOT NULL AND (l.model, l.prompt_version) = (
  SELECT x.model, x.prompt_version FROM judge_labels x JOIN judgements j ON j.id = x.judgement_id ORDER BY j.at DESC, x.model LIMIT 1)
GROUP BY p.key, m.mode, s.id ORDER BY p.key, m.mode, s.id;

-- evidence: How we know: non-blank added lines of source and test files by evidence
SELECT author, how, evidence, reason, SUM(nonblank) AS lines, 1.0 * SUM(nonblank) / SUM(SUM(nonblank)) OVER () AS share
FROM line_spans WHERE kind IN ('source', 'test') GROUP BY 1, 2, 3, 4 HAVING lines > 0 ORDER BY lines DESC, 1, 2, 3, 4;

-- vendor_disagreement: The vendor's percentage compared with ours, for checkpoints on exactly one commit
-- * The paper's percentages are the vendor's.
SELECT disagreement_reason AS reason, COUNT(*) AS records, AVG(vendor_percentage) AS vendor_mean, AVG(our_percentage) AS our_mean,
  SUM(vendor_percentage = 0) AS vendor_zero, SUM(vendor_percentage = 0 AND our_percentage > 0) AS vendor_zero_ours_not
FROM vendor_checks GROUP BY 1 ORDER BY 2 DESC, 1;
