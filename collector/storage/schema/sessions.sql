-- === Facts: checkpoints and sessions ===
-- What the agents' records in git say: checkpoints, the sessions in them, and what happened in each session.

-- One checkpoint an agent's tool stored in git: the state of one or more sessions when a commit was made.
CREATE TABLE IF NOT EXISTS checkpoints (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- number used by the other tables
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  checkpoint_id TEXT NOT NULL, -- the producer's id: 12 hex digits or a ULID; of a snapshot the id of its commit
  store TEXT NOT NULL {CheckpointStore}, -- layout it was read from
  ref TEXT NOT NULL, -- git ref it was read from
  strategy TEXT, -- manual-commit, auto-commit, …
  branch TEXT, -- branch the developer was on
  cli_version TEXT, -- version of the tool that wrote it
  created_at TEXT, -- when it was stored, normally just after the commit
  author_email TEXT, -- e-mail of the commit that stored it: the developer
  signature TEXT {Signature}, -- kind of signature that the commits carry that stored it, never verified; NULL when one has none
  files_touched INTEGER, -- number of files the checkpoint names
  vendor_combined TEXT, -- the producer's own attribution over all sessions, untouched JSON
  gone_since TEXT, -- the first run that did not read it any more: it is gone, or was not to be read; NULL as long as runs do
  UNIQUE (repo_id, checkpoint_id)
);

-- One session of a coding agent, put together from all checkpoints that contain it.
CREATE TABLE IF NOT EXISTS sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- number used by the other tables
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  key TEXT NOT NULL, -- the agent's own session id
  label TEXT NOT NULL, -- short name for people: start of the first prompt
  agent TEXT, -- agent whose transcript it is, by its content: claude-code, codex, …; NULL when none could be read
  agent_label TEXT, -- agent that the checkpoint names; may be wrong. An unknown name is kept as written
  model TEXT, -- model of most responses
  models INTEGER, -- number of different models
  transcript TEXT NOT NULL {TranscriptState}, -- what could be read of it
  started_at TEXT, -- first event
  ended_at TEXT, -- last event
  cwd TEXT, -- first working directory
  branch TEXT, -- first git branch
  agent_version TEXT, -- first version of the agent seen
  parent_key TEXT, -- session that spawned this one, when stored separately
  driver TEXT NOT NULL DEFAULT 'unknown' {Driver}, -- what sent most of its prompts
  forked_from TEXT, -- key of the session that this one repeats, as a fork or a copy does: what both have counts there alone; NULL for other sessions
  left_at TEXT, -- when it left that one: the last event that both have; NULL for other sessions
  copied_turns INTEGER, -- turns of the user that both have, which are not here; NULL for other sessions
  copied_calls INTEGER, -- tool calls that both have, which are not here; NULL for other sessions
  kind TEXT, -- '' for ordinary sessions; agent_review, agent_investigate, imported
  turns INTEGER NOT NULL DEFAULT 0, -- turns of the user: typed messages, approved plans, and slash commands that the model answered, without /exit, /clear and the like
  tool_calls INTEGER NOT NULL DEFAULT 0, -- tool calls, subagents included
  input_tokens INTEGER, -- fresh input tokens, once per response
  output_tokens INTEGER, -- output tokens, once per response
  cache_read_tokens INTEGER, -- tokens read from the prompt cache
  cache_write_tokens INTEGER, -- tokens written to the prompt cache
  interruptions INTEGER NOT NULL DEFAULT 0, -- times the user stopped the agent
  compactions INTEGER NOT NULL DEFAULT 0, -- times the context was summarised
  subagents INTEGER NOT NULL DEFAULT 0, -- subagents started
  unseen_subagents INTEGER NOT NULL DEFAULT 0, -- of those, the ones whose own calls are in no transcript
  checkpoints INTEGER NOT NULL DEFAULT 0, -- checkpoints that contain the session
  gone_since TEXT, -- the first run that did not read it any more, as it is gone or was not to be read: what was known of it stays; NULL as long as runs do
  UNIQUE (repo_id, key)
);

-- One session as one checkpoint stores it, with the producer's own numbers.
CREATE TABLE IF NOT EXISTS checkpoint_sessions (
  id INTEGER PRIMARY KEY, -- number of the record
  checkpoint_id INTEGER NOT NULL REFERENCES checkpoints(id) ON DELETE CASCADE, -- the checkpoint
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  position INTEGER NOT NULL, -- number of its directory in the checkpoint; -1 in the legacy layout
  session_key_raw TEXT, -- session id as stored, before a leading date is removed
  transcript TEXT NOT NULL {StoredTranscript}, -- what the checkpoint has of its transcript
  transcript_blob TEXT, -- git blob of the first chunk of the transcript; of the first absent chunk when one is missing
  start INTEGER, -- where this checkpoint's part of the transcript begins, as recorded; unreliable
  created_at TEXT, -- when it was stored
  vendor_agent_lines INTEGER, -- the producer's claim: lines by the agent
  vendor_human_added INTEGER, -- the producer's claim: lines added by a human
  vendor_human_modified INTEGER, -- the producer's claim: lines modified by a human
  vendor_human_removed INTEGER, -- the producer's claim: lines removed by a human
  vendor_total_committed INTEGER, -- the producer's claim: lines committed
  vendor_percentage REAL, -- the producer's claim: percentage by the agent
  vendor_metric_version INTEGER, -- version of the producer's formula; percentages of different versions do not compare
  vendor TEXT, -- the claim as stored, untouched JSON
  vendor_prompts TEXT, -- the producer's claim: lines that agent and person had changed at each prompt, by file, untouched JSON
  metadata TEXT -- the session's metadata as stored, prompts and summaries left out, JSON
);
CREATE INDEX IF NOT EXISTS checkpoint_sessions_checkpoint ON checkpoint_sessions(checkpoint_id);
CREATE INDEX IF NOT EXISTS checkpoint_sessions_session ON checkpoint_sessions(session_id);

-- A message of the user that started work, and all that follows until the next one.
CREATE TABLE IF NOT EXISTS turns (
  id INTEGER PRIMARY KEY, -- number of the turn
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  turn_index INTEGER NOT NULL, -- 1, 2, … within the session; those of a fork go on from the session that it repeats
  at TEXT, -- when it was sent
  origin TEXT NOT NULL {TurnOrigin}, -- where its text comes from
  driver TEXT NOT NULL {Driver}, -- what sent it
  prompt TEXT, -- the text, injected reminders removed; NULL where texts are not stored
  UNIQUE (session_id, turn_index)
);

-- What an agent said, its reasoning not included. None with less than full content.
CREATE TABLE IF NOT EXISTS messages (
  id INTEGER PRIMARY KEY, -- number of the message, in the order of the transcript
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  turn_index INTEGER NOT NULL, -- turn it belongs to; 0 before the first one
  at TEXT, -- when it was said
  agent_id TEXT, -- subagent that said it; NULL for the main thread
  text TEXT NOT NULL, -- cut at 20,000 characters
  length INTEGER NOT NULL -- characters of the whole text
);
CREATE INDEX IF NOT EXISTS messages_session ON messages(session_id, turn_index);

-- A tool call of an agent.
CREATE TABLE IF NOT EXISTS tool_calls (
  id INTEGER PRIMARY KEY, -- number of the call
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  turn_index INTEGER NOT NULL, -- turn it belongs to; 0 before the first one
  call_id TEXT NOT NULL, -- the agent's own id
  name TEXT NOT NULL, -- the agent's name of the tool
  at TEXT, -- when it was called; NULL when the transcript has no times
  done_at TEXT, -- when its result came; NULL without a result, or a time of it
  status TEXT NOT NULL {CallStatus}, -- its result
  error TEXT, -- first words of the error; NULL without one
  agent_id TEXT, -- subagent that made the call; NULL for the main thread
  model TEXT, -- model that made the call; NULL when the transcript names none
  command TEXT, -- text of a shell command; NULL for other calls, or where texts are not stored
  commits TEXT, -- commits the call made, as printed or recorded, separated by blanks; NULL when it made none
  input TEXT, -- arguments, JSON, cut at 20,000 characters; NULL for a shell command, or where texts are not stored
  result_size INTEGER, -- characters of the result; NULL when it was not recorded
  output TEXT -- what a shell command printed, cut at 1,000 characters; NULL for other calls and for transcripts on the developer's machine
);
CREATE INDEX IF NOT EXISTS tool_calls_session ON tool_calls(session_id, call_id);

-- One file that one call changed, or meant to change.
CREATE TABLE IF NOT EXISTS edits (
  id INTEGER PRIMARY KEY, -- number of the edit
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  call_id TEXT NOT NULL, -- the agent's own id of the call
  turn_index INTEGER NOT NULL, -- turn it belongs to
  at TEXT, -- when it took effect
  path TEXT NOT NULL, -- path in the repository, or the recorded path when outside
  root TEXT, -- worktree directory on the author's machine; NULL when outside
  op TEXT NOT NULL {edit, write, append, delete, move, copy}, -- what it does:
    -- edit (changes parts of it), write (writes the whole text), append (adds text at its end), delete (removes it),
    -- move (moves it), copy (copies it)
  by_shell INTEGER NOT NULL DEFAULT 0, -- 1: by a shell command whose text gives the effect exactly, not by an edit tool
  outcome TEXT NOT NULL {applied, tool_error, rejected, outside_repo, unmatched}, -- what became of it: applied (replayed),
    -- tool_error (failed in the session), rejected (refused by the user), outside_repo (of a file outside the repository),
    -- unmatched (could not be replayed)
  detail TEXT {NoReplay}, -- why it is unmatched; NULL otherwise
  lines_added INTEGER, -- lines the replay added
  lines_removed INTEGER -- lines the replay removed
);
CREATE INDEX IF NOT EXISTS edits_session ON edits(session_id, call_id);
CREATE INDEX IF NOT EXISTS edits_path ON edits(path);

-- A checkpoint id named by a commit, or by a commit it was made of, resolved or not.
CREATE TABLE IF NOT EXISTS commit_checkpoint_links (
  commit_id INTEGER NOT NULL REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  checkpoint_key TEXT NOT NULL, -- the id as named
  checkpoint INTEGER REFERENCES checkpoints(id) ON DELETE CASCADE, -- the checkpoint; NULL when this clone has none of that id
  method TEXT NOT NULL {trailer, same_patch_id, trailer_in_pull_ref, squash_by_number, made_by_call, imported, worktree, time_and_files, content}, -- how we know, of these the ones about messages; the words of commit_sessions.method
  confidence REAL NOT NULL, -- 0 to 1
  PRIMARY KEY (commit_id, checkpoint_key)
);
CREATE INDEX IF NOT EXISTS links_checkpoint ON commit_checkpoint_links(checkpoint);

-- Checkpoint ids named by commits.
--   repo_id: its repository
--   commit_sha: full id of the commit
--   checkpoint_id: the id as the commit names it
--   method: how the commit names it, as in commit_checkpoint_links
--   confidence: 0 to 1
--   resolved: 1: this clone has the checkpoint
CREATE VIEW IF NOT EXISTS commit_checkpoints AS
SELECT c.repo_id, c.commit_sha, l.checkpoint_key AS checkpoint_id, l.method, l.confidence, l.checkpoint IS NOT NULL AS resolved
FROM commit_checkpoint_links l JOIN commits c ON c.id = l.commit_id;

-- Sessions that another one spawned, with the one that did; parent_id is NULL when that one is in no checkpoint.
--   repo_id: its repository
--   session_id: the session that was spawned
--   session_key: the agent's own id of it
--   label: its short name
--   agent: its agent
--   started_at: its first event
--   parent_id: the session that spawned it; NULL when that is in no checkpoint
--   parent_key: the agent's own id of that session
--   parent_label: short name of that session
--   parent_agent: agent of that session
CREATE VIEW IF NOT EXISTS child_sessions AS
SELECT c.repo_id, c.id AS session_id, c.key AS session_key, c.label, c.agent, c.started_at, p.id AS parent_id, c.parent_key,
       p.label AS parent_label, p.agent AS parent_agent
FROM sessions c LEFT JOIN sessions p ON p.repo_id = c.repo_id AND p.key = c.parent_key WHERE c.parent_key IS NOT NULL;

-- Sessions of all repositories, each once: one that worked in several repositories is stored in every one of them, with all its
-- tokens. Two rows are the same session when agent, id and first event agree: some agents number the sessions of a day.
--   session_id: the row that stands for it: the one with most tokens, then with most calls, then the first
--   repo_id: the repository of that row
--   session_key: the agent's own id
--   agent: its agent
--   started_at: its first event
--   repositories: number of repositories that hold it
--   input_tokens: fresh input tokens
--   output_tokens: output tokens
--   cache_read_tokens: tokens read from the prompt cache
--   cache_write_tokens: tokens written to the prompt cache
CREATE VIEW IF NOT EXISTS corpus_sessions AS
SELECT o.id AS session_id, o.repo_id, o.key AS session_key, o.agent, o.started_at, o.repositories, o.input_tokens, o.output_tokens,
       o.cache_read_tokens, o.cache_write_tokens
FROM (SELECT s.*, COUNT(*) OVER same AS repositories,
             ROW_NUMBER() OVER (same ORDER BY COALESCE(s.output_tokens, 0) DESC, s.tool_calls DESC, s.id) AS place
      FROM sessions s WINDOW same AS (PARTITION BY s.key, COALESCE(s.agent, ''), COALESCE(s.started_at, CAST(s.id AS TEXT)))) o
WHERE o.place = 1;
