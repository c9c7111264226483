-- The database of whowrote: what the agents' records and git say (facts), and who wrote each line (conclusions).
-- One comment per table and per column; docs/schema.md and the Datasette descriptions are generated from them.
-- Times are UTC, ISO 8601. NULL means "not known", never zero. Line numbers start at 1.

-- === facts ===

-- One analysed repository.
CREATE TABLE IF NOT EXISTS repos (
  id INTEGER PRIMARY KEY, -- number used by the other tables
  name TEXT NOT NULL UNIQUE, -- owner/name from the remote, else the name of the directory
  path TEXT, -- where the clone was when it was read
  url TEXT, -- address of origin, without credentials
  branch TEXT, -- the branch that was attributed
  head_sha TEXT, -- its tip when it was attributed
  shallow INTEGER NOT NULL DEFAULT 0, -- 1: history before the shallow boundary is missing, its lines are censored
  partial INTEGER NOT NULL DEFAULT 0, -- 1: a partial clone, objects may be missing
  first_commit_at TEXT, -- author time of the earliest commit read
  last_commit_at TEXT -- author time of the latest commit read
);

-- One checkpoint an agent's tool stored in git: the state of one or more sessions when a commit was made.
CREATE TABLE IF NOT EXISTS checkpoints (
  id INTEGER PRIMARY KEY, -- number used by the other tables
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  checkpoint_id TEXT NOT NULL, -- the producer's id: 12 hex digits or a ULID; of a snapshot the id of its commit
  store TEXT NOT NULL, -- layout it was read from: ref, v1, v2, v2full, legacy; shadow: a snapshot at the end of a turn, not tied to a commit
  ref TEXT NOT NULL, -- git ref it was read from
  strategy TEXT, -- manual-commit, auto-commit, …
  branch TEXT, -- branch the developer was on
  cli_version TEXT, -- version of the tool that wrote it
  created_at TEXT, -- when it was stored, normally just after the commit
  author_email TEXT, -- e-mail of the commit that stored it: the developer
  files_touched INTEGER, -- number of files the checkpoint names
  vendor_combined TEXT, -- the producer's own attribution over all sessions, untouched JSON
  UNIQUE (repo_id, checkpoint_id)
);

-- One session of a coding agent, put together from all checkpoints that contain it.
CREATE TABLE IF NOT EXISTS sessions (
  id INTEGER PRIMARY KEY, -- number used by the other tables
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  key TEXT NOT NULL, -- the agent's own session id
  label TEXT NOT NULL, -- short name for people: start of the first prompt
  agent TEXT, -- format found in the transcript: claude-code, codex, …; NULL when none could be read
  agent_label TEXT, -- what the checkpoint calls the agent; may be wrong
  model TEXT, -- model of most responses
  models INTEGER, -- number of different models
  transcript TEXT NOT NULL, -- present, partial (some copies unreadable, or readable in their compact form only), missing_blob, none, unreadable, unknown_format
  started_at TEXT, -- first event
  ended_at TEXT, -- last event
  cwd TEXT, -- first working directory
  branch TEXT, -- first git branch
  agent_version TEXT, -- first version of the agent seen
  parent_key TEXT, -- session that spawned this one, when stored apart
  kind TEXT, -- '' for ordinary sessions; agent_review, agent_investigate, imported
  turns INTEGER NOT NULL DEFAULT 0, -- messages of the user that started work
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
  UNIQUE (repo_id, key)
);

-- One session as one checkpoint stores it, with the producer's own numbers.
CREATE TABLE IF NOT EXISTS checkpoint_sessions (
  id INTEGER PRIMARY KEY, -- number of the record
  checkpoint_id INTEGER NOT NULL REFERENCES checkpoints(id) ON DELETE CASCADE, -- the checkpoint
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  position INTEGER NOT NULL, -- number of its directory in the checkpoint; -1 in the legacy layout
  session_key_raw TEXT, -- session id as stored, before a date in front of it is removed
  transcript TEXT NOT NULL, -- present, none, missing_blob
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
  metadata TEXT -- the session's metadata as stored, prompts and summaries left out, JSON
);

-- A message of the user that started work, and all that follows until the next one.
CREATE TABLE IF NOT EXISTS turns (
  id INTEGER PRIMARY KEY, -- number of the turn
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  turn_index INTEGER NOT NULL, -- 1, 2, … within the session
  at TEXT, -- when it was sent
  origin TEXT NOT NULL, -- prompt, queued (typed while the agent worked), plan (approved plan), command (slash command)
  prompt TEXT, -- the text, injected reminders removed
  UNIQUE (session_id, turn_index)
);

-- A tool call of an agent.
CREATE TABLE IF NOT EXISTS tool_calls (
  id INTEGER PRIMARY KEY, -- number of the call
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  turn_index INTEGER NOT NULL, -- turn it belongs to; 0 before the first one
  call_id TEXT NOT NULL, -- the agent's own id
  name TEXT NOT NULL, -- the agent's name of the tool
  at TEXT, -- when it was called
  done_at TEXT, -- when its result came
  status TEXT NOT NULL, -- ok, error, rejected (by the user), unknown (no result recorded)
  error TEXT, -- first words of the error
  agent_id TEXT, -- subagent that made the call; NULL for the main thread
  model TEXT, -- model that made the call
  command TEXT, -- text of a shell command
  commits TEXT, -- commits the call made, as printed or recorded, separated by blanks
  input TEXT, -- arguments, JSON, cut at 20,000 characters
  result_size INTEGER -- characters of the result
);

-- One file that one call changed, or meant to change.
CREATE TABLE IF NOT EXISTS edits (
  id INTEGER PRIMARY KEY, -- number of the edit
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  call_id TEXT NOT NULL, -- the agent's own id of the call
  turn_index INTEGER NOT NULL, -- turn it belongs to
  at TEXT, -- when it took effect
  path TEXT NOT NULL, -- path in the repository, or the recorded path when outside
  root TEXT, -- worktree directory on the author's machine; NULL when outside
  op TEXT NOT NULL, -- edit, write, append, delete, move, copy, substitute (a literal sed)
  by_shell INTEGER NOT NULL DEFAULT 0, -- 1: by a shell command whose text gives the effect exactly, not by an edit tool
  outcome TEXT NOT NULL, -- applied, tool_error, rejected, outside_repo, unmatched
  detail TEXT, -- why it is unmatched
  lines_added INTEGER, -- lines the replay added
  lines_removed INTEGER -- lines the replay removed
);

-- A commit reachable from the attributed branch.
CREATE TABLE IF NOT EXISTS commits (
  id INTEGER PRIMARY KEY, -- number used by the other tables
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  commit_sha TEXT NOT NULL, -- full id
  label TEXT NOT NULL, -- short id and subject, for people
  position INTEGER NOT NULL, -- order in which parents come before children
  parents INTEGER NOT NULL, -- number of parents
  author_name TEXT, -- name of the author
  author_email TEXT, -- e-mail of the author
  author_at TEXT NOT NULL, -- author time: when the change was made
  committed_at TEXT NOT NULL, -- committer time: later after a rebase
  subject TEXT, -- first line of the message
  declared_agent TEXT, -- agent named by a co-author trailer or by the author field; NULL if none
  automation TEXT, -- automation account that authored it (dependency bots and the like); NULL if none
  checkpoint_ids INTEGER NOT NULL DEFAULT 0, -- checkpoint ids in the message
  files INTEGER, -- files changed; NULL when a tree is missing (shallow or partial clone)
  lines_added INTEGER, -- lines added, as git counts them
  lines_deleted INTEGER, -- lines deleted, as git counts them
  UNIQUE (repo_id, commit_sha)
);

-- A checkpoint id named by a commit, or by a commit it was made of, resolved or not.
CREATE TABLE IF NOT EXISTS commit_checkpoint_links (
  commit_id INTEGER NOT NULL REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  checkpoint_key TEXT NOT NULL, -- the id as named
  checkpoint INTEGER REFERENCES checkpoints(id) ON DELETE CASCADE, -- the checkpoint; NULL when this clone has none of that id
  method TEXT NOT NULL, -- trailer (the message names it), or the message of a commit it was made of does: same_patch_id, trailer_in_pull_ref (same author, second and subject), squash_by_number
  confidence REAL NOT NULL, -- 0 to 1
  PRIMARY KEY (commit_id, checkpoint_key)
);

-- One attempt of an agent at a task, as a harness recorded it: `collect attempts DIR`. Not of any repository here.
CREATE TABLE IF NOT EXISTS attempts (
  id INTEGER PRIMARY KEY, -- number of the attempt
  key TEXT NOT NULL UNIQUE, -- what makes it one attempt, JSON list: harness, run, agent, model, instance, trial
  harness TEXT NOT NULL, -- swe-bench, terminal-bench, harbor, other
  run TEXT NOT NULL, -- run, job or submission; '' when not named
  instance TEXT NOT NULL, -- the task
  trial TEXT NOT NULL, -- name of the trial, when a run has several at a task; '' otherwise
  agent_type TEXT NOT NULL, -- agent scaffold; '' when not recorded
  model_id TEXT NOT NULL, -- model, or the name a prediction was submitted under; '' when not recorded
  dataset TEXT NOT NULL, -- data set with version; '' when not recorded
  treatment TEXT NOT NULL, -- everything that was set for the run, these three included, JSON; equal text is equal treatment; with the run when no model is recorded
  source TEXT NOT NULL, -- file with the result, relative to the imported directory
  evaluated INTEGER NOT NULL, -- 1: a harness said what came of it; 0: a prediction or trajectory alone
  attempt1_tool_cap INTEGER, -- tool calls allowed in the first attempt
  retry_tool_cap INTEGER, -- tool calls allowed in a retry
  concurrency INTEGER, -- attempts that ran at the same time
  timeout_s REAL, -- seconds the agent was given
  reward REAL, -- 1: every test to fix passes and none that passed is broken; 0 otherwise; some harnesses give parts
  patch_exists INTEGER, -- 0: the attempt made no patch
  patch_applies INTEGER, -- 1: the patch applied, as the harness says
  fail_to_pass_count INTEGER, -- tests that failed before and pass after
  pass_to_pass_count INTEGER, -- tests that passed before and pass after
  pass_to_fail_count INTEGER, -- tests that passed before and fail after; those the gold patch breaks as well are left out
  fail_to_fail_count INTEGER, -- tests that failed before and fail after
  tests_to_fix_failed INTEGER, -- of those, the ones the gold patch mends
  touched_files TEXT, -- files of the patch, JSON list
  diff_lines INTEGER, -- lines the patch adds and removes; NULL also when it is damaged
  turn_count INTEGER, -- model responses, as recorded
  tool_call_count INTEGER, -- tool calls, as recorded
  edit_calls INTEGER, -- calls of edit tools, as recorded
  input_tokens INTEGER, -- as recorded; some harnesses count cached tokens in
  output_tokens INTEGER, -- as recorded
  cache_read_tokens INTEGER, -- as recorded
  cost_usd REAL, -- as recorded
  wall_time_s REAL, -- seconds from start to end, containers and tests included
  timed_out INTEGER, -- 1: a time limit ended it
  started_at TEXT, -- start
  finished_at TEXT, -- end
  error TEXT, -- what the harness calls its failure
  attempt_index INTEGER, -- 0, 1, …: the harness's own number, else the place among attempts with this treatment at this task, in order of time
  stated_index INTEGER, -- the harness's own number
  recovery_mode TEXT, -- how the harness's controller went on after a failed attempt
  final_failure_mode TEXT, -- how its controller calls the failure of the whole trial
  localization_mode TEXT, -- how its controller calls the way the place was looked for
  plannotator_phases TEXT, -- phases the agent reported, JSON list
  session_key TEXT, -- the agent's own session id
  session_id INTEGER REFERENCES sessions(id) ON DELETE SET NULL, -- that session, when it is in this database once
  tests TEXT, -- category -> [succeeded, failed], JSON; ALL: every test, where before and after are not compared
  extra TEXT, -- what else was recorded, without secrets and long texts, JSON
  patch_outcome_label TEXT, -- correct, partial, regressive, no_effect, unverifiable; NULL without a patch, and where tests were not compared and the reward is 0
  localized_correct_file INTEGER -- 1: the patch touches a file of the gold patch; NULL without either
);

-- === facts: what other producers claim ===

-- One note, record or commit message in which another producer says who wrote lines of a commit.
CREATE TABLE IF NOT EXISTS claim_records (
  id INTEGER PRIMARY KEY, -- number used by the other tables
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  producer TEXT NOT NULL, -- git-ai, agent-trace, whogitit, agent-blame, agent-trace-cli, opentraces, trailers; '' when nobody knows the format
  format_version TEXT, -- version of the format, as written
  tool_version TEXT, -- version of the tool that wrote it, as written
  source TEXT NOT NULL, -- git ref it was read from; '' for files of the tree and for commits
  place TEXT NOT NULL, -- path in the notes or in the tree; the commit, for trailers
  entry INTEGER NOT NULL, -- line of the file that holds it; 0 when it is the only one
  blob TEXT NOT NULL, -- git blob it was read from; '' for commits
  commit_sha TEXT, -- commit it speaks of, as named; NULL when it names none
  base_sha TEXT, -- commit the producer itself wrote down; another one than commit_sha: the note was copied
  claimed_at TEXT, -- when it was written, if it says so
  state TEXT NOT NULL, -- read, unknown_version, unknown_format, unreadable, too_large, missing_blob, own (an export of ours)
  claims INTEGER NOT NULL, -- claims in it
  detail TEXT -- keys that are not known, JSON
);

-- The author a claim names. Many claims share one row.
CREATE TABLE IF NOT EXISTS claim_authors (
  id INTEGER PRIMARY KEY, -- number used by claims
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  author TEXT NOT NULL, -- agent, human, mixed (an agent's line that somebody changed), unknown
  tool TEXT, -- the agent or tool, as written
  model TEXT, -- the model, as written
  session_key TEXT, -- the session or conversation, as written
  person TEXT, -- who used the tool or typed, as written
  detail TEXT -- keys that are not known, JSON
);

-- Lines of one file that one entry of a record gives to one author.
CREATE TABLE IF NOT EXISTS claims (
  id INTEGER PRIMARY KEY, -- number used by the other tables
  record_id INTEGER NOT NULL REFERENCES claim_records(id) ON DELETE CASCADE, -- the record
  author_id INTEGER NOT NULL REFERENCES claim_authors(id) ON DELETE CASCADE, -- the author it names
  path TEXT NOT NULL, -- path in the repository; '' when it speaks of the whole commit
  recorded_path TEXT, -- path as written, when that differs
  key TEXT, -- the producer's own key of the entry
  ranges TEXT NOT NULL, -- lines as written, 1-5,8; may be unsorted or overlap; '' when it speaks of the whole commit
  lines INTEGER, -- different lines in them; NULL when it speaks of the whole commit
  dangling INTEGER NOT NULL, -- 1: its key names nobody in its record
  detail TEXT -- keys that are not known, JSON
);

-- === conclusions: emptied and refilled ===

-- A session that explains lines of a commit, or is named by it.
CREATE TABLE IF NOT EXISTS commit_sessions (
  commit_id INTEGER NOT NULL REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  method TEXT NOT NULL, -- how the commit is linked to a checkpoint of the session (see commit_checkpoint_links), made_by_call (a call of the session printed its id), worktree (same directory as a named session), time_and_files (same person, same files, and the text), content (rare text alone)
  confidence REAL NOT NULL, -- 0 to 1
  agent_lines INTEGER NOT NULL DEFAULT 0, -- lines of the commit this session wrote, blank ones included
  produced INTEGER, -- non-blank lines the session wrote to the commit's files since the commit before
  final INTEGER, -- of those, the ones in the session's own last state
  survived INTEGER, -- of those, the ones in the commit
  self_overwritten INTEGER, -- produced lines an agent replaced or removed again
  human_overwritten INTEGER, -- produced lines a human replaced before the commit
  human_deleted INTEGER, -- produced lines a human removed before the commit, or did not commit
  unexplained INTEGER, -- produced lines that went away and nobody can be named
  clean INTEGER NOT NULL DEFAULT 0, -- 1: one session, one checkpoint, no squash: numbers are unambiguous
  PRIMARY KEY (commit_id, session_id)
);

-- A file that a commit adds lines to or deletes lines from, with its lines by author.
CREATE TABLE IF NOT EXISTS commit_files (
  id INTEGER PRIMARY KEY, -- number used by spans
  commit_id INTEGER NOT NULL REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  path TEXT NOT NULL, -- path in the commit; before it, for a deleted file
  old_path TEXT, -- path before a rename; NULL otherwise
  status TEXT NOT NULL, -- A added, M modified, D deleted, R renamed, T type changed
  kind TEXT NOT NULL, -- text, binary, symlink, submodule, too_large, missing (absent from this clone)
  lines_added INTEGER NOT NULL DEFAULT 0, -- as git counts them
  lines_deleted INTEGER NOT NULL DEFAULT 0, -- as git counts them
  agent_lines INTEGER NOT NULL DEFAULT 0, -- added lines written by an agent
  human_lines INTEGER NOT NULL DEFAULT 0, -- added lines written by a human
  unknown_lines INTEGER NOT NULL DEFAULT 0, -- added lines nobody can be named for
  agent_edited_lines INTEGER NOT NULL DEFAULT 0, -- of the agent's, the ones changed by somebody else afterwards
  nonblank_lines INTEGER NOT NULL DEFAULT 0, -- added lines with text
  UNIQUE (commit_id, path)
);

-- What there is to say about a line: author, evidence, source. Many spans share one row.
CREATE TABLE IF NOT EXISTS origins (
  id INTEGER PRIMARY KEY, -- number used by spans
  author TEXT NOT NULL, -- agent, human, unknown
  how TEXT NOT NULL, -- exact, moved, reformatted, edited, shell, declared, none
  evidence TEXT NOT NULL, -- observed (texts before and after are known), replayed, matched (by content), declared, inferred
  reason TEXT NOT NULL DEFAULT '', -- why it is unknown: no_session, transcript_missing, checkpoint_missing, invisible_subagent, opaque_shell, git_operation, other_branch, rewritten, restored, base_unknown, uncaptured, agent_declared, agent_text, edit_unplaced, formatter, unobserved, common_line, automation, unexplained; for human lines: before_session
  session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- session of the call
  turn_index INTEGER, -- turn of the call
  call_id TEXT, -- the agent's own id of the call
  model TEXT, -- model that made the call, or that a trailer declares
  edited_by TEXT, -- who changed an agent's line afterwards: human, unknown
  similarity REAL -- token similarity of the changed line to the agent's, 0.6 to 1
);

-- Consecutive added lines of one file of one commit with the same origin.
CREATE TABLE IF NOT EXISTS spans (
  file_id INTEGER NOT NULL REFERENCES commit_files(id) ON DELETE CASCADE, -- file of a commit
  start_line INTEGER NOT NULL, -- first line, in the commit's version
  end_line INTEGER NOT NULL, -- last line
  nonblank INTEGER NOT NULL, -- lines of the span that have text
  origin_id INTEGER NOT NULL REFERENCES origins(id), -- who, how, from where
  PRIMARY KEY (file_id, start_line)
) WITHOUT ROWID;

-- Totals of a session over all its commits.
CREATE TABLE IF NOT EXISTS session_stats (
  session_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  commits INTEGER NOT NULL, -- commits linked to it
  agent_lines INTEGER NOT NULL, -- lines of those commits written by an agent
  human_lines INTEGER NOT NULL, -- written by a human
  unknown_lines INTEGER NOT NULL, -- nobody can be named
  agent_percentage REAL, -- agent / (agent + human) x 100 over its commits; NULL when both are 0
  coding_mode TEXT, -- human_only (0), collaborative, vibe (99 and more); NULL without a percentage
  produced INTEGER NOT NULL, -- non-blank lines the session ever wrote into the repository's files
  final INTEGER NOT NULL, -- of those, not overwritten by an agent again
  survived INTEGER NOT NULL, -- of those, in a commit
  self_overwritten INTEGER NOT NULL, -- replaced or removed by an agent again
  human_overwritten INTEGER NOT NULL, -- replaced by a human before a commit
  human_deleted INTEGER NOT NULL, -- removed by a human before a commit, or left out of it
  unexplained INTEGER NOT NULL, -- went away and nobody can be named
  uncommitted INTEGER NOT NULL, -- of human_deleted and unexplained, lines in files that no later commit touched
  coding_efficiency REAL, -- survived / produced
  survival_to_commit REAL, -- survived / final
  edits_seen INTEGER NOT NULL, -- file changes by edit tools
  edits_applied INTEGER NOT NULL, -- replayed
  edits_tool_error INTEGER NOT NULL, -- failed in the session
  edits_rejected INTEGER NOT NULL, -- refused by the user
  edits_outside_repo INTEGER NOT NULL, -- of files outside the repository
  edits_unmatched INTEGER NOT NULL -- could not be replayed
);

-- The producer's percentage beside ours, for checkpoints that sit on exactly one commit.
CREATE TABLE IF NOT EXISTS vendor_checks (
  checkpoint_session_id INTEGER PRIMARY KEY REFERENCES checkpoint_sessions(id) ON DELETE CASCADE, -- the record with the claim
  commit_id INTEGER REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  vendor_percentage REAL, -- the claim
  our_percentage REAL, -- agent / (agent + human) x 100 of the commit, by us; NULL when both are 0
  disagreement REAL, -- ours minus the claim
  disagreement_reason TEXT NOT NULL -- none, rounding, vendor_zero_but_lines_found, denominator, window, multi_session, transcript_missing, unexplained
);

-- A place of a file that a session edited: hunks that change or split each other's lines, followed by line identity.
CREATE TABLE IF NOT EXISTS regions (
  id INTEGER PRIMARY KEY, -- number used by region_edits
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  path TEXT NOT NULL, -- file, relative to its worktree
  root TEXT NOT NULL, -- worktree directory on the author's machine
  start_line INTEGER NOT NULL, -- first line of the last hunk, after it
  end_line INTEGER NOT NULL, -- last line of the last hunk, after it
  hunks INTEGER NOT NULL, -- hunks of applied edits
  rounds INTEGER NOT NULL, -- calls that edited it
  convergence TEXT, -- converging, oscillating (a state came back, or no trend), expanding; NULL when one call edited it
  returned_to INTEGER, -- oscillating: the round whose state came back, 0 is the text before the session; NULL when none did
  sizes TEXT NOT NULL, -- lines added and removed by each round, JSON list
  first_at TEXT, -- first edit
  last_at TEXT -- last edit
);

-- One hunk of one applied edit, in the region it belongs to.
CREATE TABLE IF NOT EXISTS region_edits (
  region_id INTEGER NOT NULL REFERENCES regions(id) ON DELETE CASCADE, -- the region
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  round INTEGER NOT NULL, -- 1, 2, … for each call that edited the region
  call_id TEXT NOT NULL, -- the agent's own id of the call
  turn_index INTEGER NOT NULL, -- turn it belongs to
  at TEXT, -- when it took effect
  tool TEXT NOT NULL, -- edit, write, append, delete, copy, substitute; by_shell calls have the same names
  start_line INTEGER NOT NULL, -- first new line, after the edit
  end_line INTEGER NOT NULL, -- last new line; start_line - 1 when lines were only removed
  lines_added INTEGER NOT NULL, -- lines
  lines_removed INTEGER NOT NULL, -- lines
  removed TEXT, -- text taken away; NULL in regions that one call edited
  added TEXT -- text put in its place; NULL in regions that one call edited
);

-- Where a hunk stands: the head of the function or class above it, by the rule of git's hunk headers. Hunks without one have no row.
CREATE TABLE IF NOT EXISTS region_symbols (
  region_id INTEGER NOT NULL REFERENCES regions(id) ON DELETE CASCADE, -- the region
  call_id TEXT NOT NULL, -- the call
  start_line INTEGER NOT NULL, -- first new line of the hunk, as in region_edits
  symbol TEXT NOT NULL, -- the head line, at most 80 characters
  PRIMARY KEY (region_id, call_id, start_line)
) WITHOUT ROWID;

-- Earlier sessions whose lines a session changed, as the replay of their worktree saw it.
CREATE TABLE IF NOT EXISTS region_priors (
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session that changed the lines
  prior_session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session that wrote them
  PRIMARY KEY (session_id, prior_session_id)
) WITHOUT ROWID;

-- The quality score of a session, with its parts; a part without any signal is NULL and its weight goes to the others.
CREATE TABLE IF NOT EXISTS scores (
  session_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  task_type TEXT NOT NULL, -- coding, operations, research, chat, discovery, heartbeat
  q REAL, -- 0 to 1; NULL when nothing could be scored
  tier TEXT, -- Excellent, Good, Acceptable, Poor, Failed
  completion REAL, -- did the session do what it was for, 0 to 1
  execution REAL, -- how well did the agent work, 0 to 1
  efficiency REAL, -- was it worth its tokens and turns, 0 to 1
  outcome REAL, -- is there a result, 0 to 1
  weight_covered REAL NOT NULL, -- share of all weights whose signal was there
  special TEXT, -- heartbeat_ok, no_reply, empty, quiet_cron: scored by its own rule; NULL otherwise
  cost_usd REAL, -- cost of the session when it was scored
  roi REAL, -- q / cost_usd
  parts TEXT NOT NULL, -- every signal with its value, score and weight, JSON
  version INTEGER NOT NULL -- of the formula
);

-- === conclusions: the history of lines, kept apart because new rules about authors leave it as it is ===

-- A commit of the history that was followed: the window, or everything.
CREATE TABLE IF NOT EXISTS history_commits (
  id INTEGER PRIMARY KEY, -- number used by the tables of the history
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  number INTEGER NOT NULL, -- order in which parents come before children, from 0
  commit_sha TEXT NOT NULL, -- full id; a row of commits has it when it was attributed
  first_parent INTEGER REFERENCES history_commits(id) ON DELETE CASCADE, -- NULL for a root and where the window begins
  parents INTEGER NOT NULL, -- number of parents
  main_line INTEGER, -- 0, 1, … along the first parents of the tip; NULL for a commit of another branch
  landed INTEGER REFERENCES history_commits(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, -- commit of the main line that brought it: itself or a merge
  author_at TEXT NOT NULL, -- author time: births and deaths are dated by it
  committed_at TEXT NOT NULL, -- committer time
  lines_born INTEGER NOT NULL, -- lines it wrote
  lines_gone INTEGER NOT NULL, -- lines of its first parent that it does not have
  lines_came INTEGER NOT NULL, -- lines that exist once more: copies, and what a merge brings in
  lines_present INTEGER NOT NULL, -- lines in its files, counted from the files; those from before the window left out
  patch TEXT, -- fingerprint of what it takes away and puts in; NULL for merges and where the text is not known
  inverse TEXT, -- fingerprint of the patch that would take it back
  reverts INTEGER REFERENCES history_commits(id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED, -- commit it takes back, by its message or as the exact inverse
  reverted_by INTEGER REFERENCES history_commits(id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED, -- commit that took it back later
  UNIQUE (repo_id, number)
);

-- Consecutive lines that one commit wrote and that had one fate. Alive at the tip when they have no death.
CREATE TABLE IF NOT EXISTS line_lives (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  origin INTEGER NOT NULL, -- number of the first line; the others follow, no number is used twice
  birth INTEGER NOT NULL REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that wrote them
  path TEXT NOT NULL, -- path in that commit
  start_line INTEGER NOT NULL, -- first line there
  end_line INTEGER NOT NULL, -- last line there
  nonblank INTEGER NOT NULL, -- lines that have text
  blank_lines TEXT, -- numbers of the lines without text, separated by blanks; NULL when all have text
  kind TEXT NOT NULL, -- text, binary (lines only to git), uncertain (a file or parent is missing: may be older than it seems)
  at_merge INTEGER NOT NULL, -- 1: written by a merge itself, in none of its parents
  death INTEGER REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that ended them; NULL: alive at the tip
  cause TEXT, -- deleted, modified, reformatted, file_deleted, reverted, merge (a merge dropped them), unreadable (lost from sight, not dead)
  gone_from_main INTEGER REFERENCES history_commits(id) ON DELETE CASCADE, -- commit of the main line that first did without them; NULL: alive, or never there
  into_path TEXT, -- file of the commit that ended them where they stood; NULL when a merge dropped them
  into_start INTEGER, -- first line of what came in their place
  into_end INTEGER, -- last line of it; before the first when nothing came
  PRIMARY KEY (repo_id, origin)
) WITHOUT ROWID;

-- Lines that a commit changed only in shape or place: they are the lines they were. The text of the commit has them as added lines.
CREATE TABLE IF NOT EXISTS line_travels (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  commit_id INTEGER NOT NULL REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that changed them
  path TEXT NOT NULL, -- path in that commit
  start_line INTEGER NOT NULL, -- first line there
  end_line INTEGER NOT NULL, -- last line there
  how TEXT NOT NULL, -- whitespace, reformatted (same text, other line breaks, quotes, separators), moved (within the commit's files)
  origin INTEGER NOT NULL, -- number of the first line, as in line_lives; the others follow; 0: older than the window
  PRIMARY KEY (repo_id, commit_id, path, start_line)
) WITHOUT ROWID;

-- Where the history of a repository stands, so that the next run costs only the commits that are new.
CREATE TABLE IF NOT EXISTS tip_states (
  repo_id INTEGER PRIMARY KEY REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  tip_sha TEXT NOT NULL, -- last commit that was followed
  after_sha TEXT NOT NULL, -- the window: this commit and its past are not followed; '' when everything is
  keep TEXT NOT NULL, -- changes that do not end a line: whitespace reformatted moved; '' is exactly as git blame
  settings TEXT NOT NULL, -- hash of everything else it depends on
  lines INTEGER NOT NULL, -- different lines alive at the tip
  copies INTEGER NOT NULL, -- lines of the tip that are there once more
  commits INTEGER NOT NULL, -- commits followed
  added INTEGER NOT NULL, -- of those, by the last run
  state BLOB NOT NULL -- origins of all lines in all files of the tip, as runs, compressed
);

-- Who wrote and who ended the lines of a life. Filled from line_lives and spans when survival is asked for.
CREATE TABLE IF NOT EXISTS line_fates (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  origin INTEGER NOT NULL, -- number of the first line
  life INTEGER NOT NULL, -- the life it belongs to: line_lives.origin
  lines INTEGER NOT NULL, -- lines
  nonblank INTEGER NOT NULL, -- lines that have text
  origin_id INTEGER REFERENCES origins(id) ON DELETE CASCADE, -- who wrote them; NULL: the birth was not attributed
  actor TEXT, -- who ended them: agent, human, unknown; NULL when they are alive
  actor_session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- session that did
  actor_how TEXT, -- replaced (lines of that author came in their place), file (nothing came; the only session linked to the commit that took lines from that file), none
  PRIMARY KEY (repo_id, origin)
) WITHOUT ROWID;

-- Lines with text that a commit ended, by who wrote them, who ended them and how old they were.
CREATE TABLE IF NOT EXISTS deletions (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  commit_id INTEGER NOT NULL REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that ended them
  author TEXT NOT NULL, -- class of the author: agent, declared, human, unknown, undeclared; '' when not attributed
  author_session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- session that wrote them
  actor TEXT NOT NULL, -- agent, human, unknown
  actor_session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- session that ended them
  cause TEXT NOT NULL, -- as in line_lives
  lines INTEGER NOT NULL, -- lines with text
  youngest_days REAL NOT NULL, -- age of the youngest when they ended, 0 where times run backwards
  mean_days REAL NOT NULL, -- mean age
  oldest_days REAL NOT NULL -- age of the oldest
);

-- Lines with text still alive after some time, by group. Only lines old enough are at risk; lines lost from sight leave the risk.
CREATE TABLE IF NOT EXISTS survival (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  grouping TEXT NOT NULL, -- class, model, agent, session, directory, language
  name TEXT NOT NULL, -- the group; for other groupings than class and directory and language only lines of agents count
  author TEXT NOT NULL, -- class of the authors: agent, declared, human, unknown, undeclared
  unit TEXT NOT NULL, -- days since the author time of the birth, commits (of the main line since it was there), head (alive at the tip)
  horizon INTEGER NOT NULL, -- 1, 7, 30, 90, 180, 365 days; 1, 10, 100 commits; 0 for head
  at_risk INTEGER NOT NULL, -- lines that could be seen for so long
  alive INTEGER NOT NULL, -- of those, the ones alive then
  PRIMARY KEY (repo_id, grouping, name, author, unit, horizon)
) WITHOUT ROWID;

-- A file of the tip with its lines with text by who wrote them. Filled with survival.
CREATE TABLE IF NOT EXISTS tip_files (
  id INTEGER PRIMARY KEY, -- number used by tip_spans
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  path TEXT NOT NULL, -- path at the tip
  directory TEXT NOT NULL, -- first directory of the path; '' for a file at the root
  language TEXT NOT NULL, -- by the name of the file; other when it has no usual suffix
  lines INTEGER NOT NULL, -- all lines, blank ones too
  agent INTEGER NOT NULL, -- lines with text that recorded sessions wrote
  declared INTEGER NOT NULL, -- that an agent wrote, as the commit says and nothing else
  human INTEGER NOT NULL, -- that a person wrote
  unknown INTEGER NOT NULL, -- of commits with agents, where nobody can be named
  undeclared INTEGER NOT NULL, -- of commits that nothing links to any agent
  older INTEGER NOT NULL -- lines from before the window, or of commits that were not attributed; blank ones too
);

-- Consecutive lines of a file of the tip with one author and one birth.
CREATE TABLE IF NOT EXISTS tip_spans (
  file_id INTEGER NOT NULL REFERENCES tip_files(id) ON DELETE CASCADE, -- the file
  start_line INTEGER NOT NULL, -- first line, at the tip
  end_line INTEGER NOT NULL, -- last line
  nonblank INTEGER NOT NULL, -- lines that have text; 0 for lines from before the window
  origin_id INTEGER REFERENCES origins(id) ON DELETE CASCADE, -- who wrote them; NULL: the birth was not attributed
  birth INTEGER REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that wrote them; NULL: older than the window
  birth_path TEXT, -- path in that commit; NULL when it is the same
  birth_line INTEGER, -- where the first one stands there
  PRIMARY KEY (file_id, start_line)
) WITHOUT ROWID;

-- === labels of models: filled only by `attribute embed` and `attribute judge` ===

-- How the texts of a session hang together, by sentence embeddings; docs/metrics.md explains the columns. Models never mix: one row each.
CREATE TABLE IF NOT EXISTS session_embeddings (
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  backend TEXT NOT NULL, -- what made the vectors: minilm (a sentence model), ngrams (hashed words, no model)
  model TEXT NOT NULL, -- name of the model and of its version or the beginning of the hash of its weights
  version TEXT NOT NULL, -- hash of the definitions of the columns below
  texts INTEGER NOT NULL, -- texts of the session that were embedded
  curve_turns TEXT, -- number (turns.turn_index) of the turn of each entry of the curves, JSON list
  cp_curve TEXT, -- 1 - cosine to the task for each turn of the user, JSON list; null where the turn has no text to compare
  max_cp REAL, -- largest value of cp_curve
  drift_onset_turn INTEGER, -- first turn of cp_curve above 0.2, the threshold of the source
  drift_onset_calibrated INTEGER, -- first turn of cp_curve that is as far from the task as messages of other sessions are
  intent_coherence_curve TEXT, -- cosine between the task and what the agent said in each turn, JSON list
  assumption_lock_turn INTEGER, -- turn from which the agent went on as before although the user corrected it twice
  plan_ged REAL, -- edit distance between the first and the last plan, in steps
  plan_steps_first INTEGER, -- steps of the first recorded plan
  plan_steps_last INTEGER, -- steps of the last one
  goal_alignment_at_close REAL, -- cosine between the task and the agent's last words
  PRIMARY KEY (session_id, model)
) WITHOUT ROWID;

-- Vectors of texts, so that no text is embedded twice. Can be emptied at any time.
CREATE TABLE IF NOT EXISTS text_vectors (
  model TEXT NOT NULL, -- as in session_embeddings
  text_hash TEXT NOT NULL, -- hash of the text as it was given to the model
  vector BLOB NOT NULL, -- half-precision floats, little-endian, length 1
  PRIMARY KEY (model, text_hash)
) WITHOUT ROWID;

-- What a model answered to one question about one conversation. The same question is never paid for twice.
CREATE TABLE IF NOT EXISTS judgements (
  id INTEGER PRIMARY KEY, -- number of the answer
  model TEXT NOT NULL, -- the model's id in the program llm
  prompt TEXT NOT NULL, -- name of the question: session, pushback
  prompt_version TEXT NOT NULL, -- its version
  schema_hash TEXT NOT NULL, -- hash of the JSON schema the answer had to fit
  input_hash TEXT NOT NULL, -- hash of everything the model was sent
  output TEXT NOT NULL, -- the answer, valid against the schema, JSON
  attempts INTEGER NOT NULL, -- answers asked for until one was valid
  input_tokens INTEGER, -- of all attempts, as the model reports them; NULL when it does not
  output_tokens INTEGER, -- of all attempts, as the model reports them
  cost_usd REAL, -- at the list prices of the day; NULL for a model without a known price
  at TEXT NOT NULL, -- when it answered
  UNIQUE (model, prompt, prompt_version, schema_hash, input_hash)
);

-- Labels of a model for a session or one of its turns, taken from its answers.
CREATE TABLE IF NOT EXISTS judge_labels (
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  turn_index INTEGER NOT NULL, -- the turn as in turns; 0 for labels of the whole session
  label TEXT NOT NULL, -- name of the label, see docs/judge.md
  value TEXT, -- the class; NULL for numbers and where the model could not tell
  number REAL, -- the number; NULL for classes and where the model could not tell
  model TEXT NOT NULL, -- model that said so
  prompt_version TEXT NOT NULL, -- version of the question
  judgement_id INTEGER NOT NULL REFERENCES judgements(id) ON DELETE CASCADE, -- the answer it comes from
  PRIMARY KEY (session_id, turn_index, label, model, prompt_version)
) WITHOUT ROWID;

-- How well a model's labels agree with people's, class by class.
CREATE TABLE IF NOT EXISTS judge_validations (
  model TEXT NOT NULL, -- the model
  prompt_version TEXT NOT NULL, -- version of the question
  label TEXT NOT NULL, -- the label
  class TEXT NOT NULL, -- the class, against all others
  tp INTEGER NOT NULL, -- both say the class
  fp INTEGER NOT NULL, -- only the model says it
  fn INTEGER NOT NULL, -- only the person says it
  tn INTEGER NOT NULL, -- neither does
  sensitivity REAL, -- tp / (tp + fn); NULL when no person said the class
  specificity REAL, -- tn / (tn + fp); NULL when every person said it
  kappa REAL, -- Cohen's kappa over all classes of the label; NULL when both sides used only one class
  at TEXT NOT NULL, -- when it was compared
  PRIMARY KEY (model, prompt_version, label, class)
) WITHOUT ROWID;

-- How a session failed, by a fixed decision tree over measured features, embeddings and a judge's labels.
CREATE TABLE IF NOT EXISTS session_failure_modes (
  session_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  session_failure_mode TEXT, -- clean, shifted_intent, assumption_locked, scope_bleed, stuck_loop, multi_intent_confusion; NULL when a question on the way has no answer, or no rule fits
  reason TEXT NOT NULL, -- the rule that decided, or what is missing
  embedding_model TEXT, -- model of the embeddings used
  judge_model TEXT, -- model of the labels used
  judge_prompt_version TEXT, -- version of the question the labels answer
  version INTEGER NOT NULL -- of the decision tree
);

-- === discovery ===

-- A repository that some channel named, whether or not it was read: what the server and git say about it. `repos` are clones that were
-- read; a candidate is the same repository as a row of `repos` when full_name equals its name. View `wanted_candidates`: what to fetch.
CREATE TABLE IF NOT EXISTS candidates (
  id INTEGER PRIMARY KEY, -- number used by the other tables
  server TEXT NOT NULL DEFAULT 'https://github.com', -- where git reaches it: address of the clone is server/full_name.git
  full_name TEXT NOT NULL COLLATE NOCASE, -- owner/name as found; case does not matter
  first_seen_at TEXT NOT NULL, -- when a channel first named it
  probed_at TEXT, -- when its refs were last asked for with success; NULL: not yet
  outcome TEXT, -- of the last probe: ok, private_or_missing, unreachable; NULL: not probed
  confirmed INTEGER, -- 1: it holds checkpoints; 0: it does not; NULL: not known yet
  exclusion TEXT, -- NULL: take it; else why not: private_or_missing, unreachable, renamed_duplicate, no_ref, empty_ref, elsewhere (checkpoint_remote names another repository), fork, archived, licence, too_large, forgotten
  detail TEXT, -- the exclusion in words
  failure TEXT, -- of the last probe, why it was not ok
  attempts INTEGER NOT NULL DEFAULT 0, -- probes that failed in a row
  next_attempt_at TEXT, -- not to be probed again before, after a failure
  renamed_to TEXT, -- owner/name the server answers under now
  github_id INTEGER, -- the server's number of the repository; survives renames
  head_ref TEXT, -- ref HEAD points to, as git says
  head_oid TEXT, -- commit of HEAD
  v1_oid TEXT, -- commit of refs/heads/entire/checkpoints/v1
  v1_empty INTEGER, -- 1: that branch holds an empty tree; NULL: not looked at
  v2_oid TEXT, -- commit of refs/entire/checkpoints/v2/main
  legacy_oid TEXT, -- commit of refs/heads/entire/sessions or its renamed copies
  checkpoint_refs INTEGER, -- number of refs with one checkpoint each
  shadow_branches INTEGER, -- number of pushed shadow branches
  notes TEXT, -- notes refs that agents' tools write, separated by blanks
  refs_digest TEXT, -- hash of the refs that were asked for and their objects: equal means that nothing moved
  checkpoint_remote TEXT, -- owner/name (or server/owner/name) where .entire/settings.json says the checkpoints are
  metadata_at TEXT, -- when the following columns were last asked for; NULL: not yet
  stars INTEGER, -- stars
  forks INTEGER, -- forks
  is_fork INTEGER, -- 1: a fork
  fork_of TEXT, -- owner/name of the repository it was forked from
  archived INTEGER, -- 1: archived
  licence TEXT, -- SPDX id of the licence; NOASSERTION: one that the server does not know; NULL with metadata_at: none
  language TEXT, -- main language
  size_kb INTEGER, -- size as the server says, KiB
  created_at TEXT, -- when it was made
  pushed_at TEXT, -- last push
  UNIQUE (server, full_name)
);

-- Who named a candidate: one row per channel and query.
CREATE TABLE IF NOT EXISTS discoveries (
  id INTEGER PRIMARY KEY, -- number of the row
  candidate_id INTEGER NOT NULL REFERENCES candidates(id) ON DELETE CASCADE, -- the candidate
  channel TEXT NOT NULL, -- code_search, commit_search, repo_search, gharchive, listing, checkpoint_remote
  query TEXT NOT NULL, -- what was asked, before it was cut into slices
  slice TEXT NOT NULL, -- the slice of the query that named it first: the query as sent, an hour, a file
  seen_at TEXT NOT NULL, -- when it was named first
  hits INTEGER NOT NULL DEFAULT 1, -- times it was named
  evidence TEXT, -- the first hit: a path, a commit, a ref with its object, a line
  UNIQUE (candidate_id, channel, query)
);

-- How far each slice of a channel got: the reason why nothing is asked twice.
CREATE TABLE IF NOT EXISTS cursors (
  server TEXT NOT NULL, -- where it was asked
  channel TEXT NOT NULL, -- the channel
  query TEXT NOT NULL, -- what was asked, before it was cut into slices
  slice TEXT NOT NULL, -- the slice
  state TEXT NOT NULL, -- pending, part (some pages done), done, split (cut into smaller slices), capped (no smaller slice possible: results were lost), missing (the archive has no such hour), damaged (read up to the damage), refused (the server refuses the query)
  position TEXT, -- where to go on
  total INTEGER, -- results the server promised
  found INTEGER NOT NULL DEFAULT 0, -- results read
  updated_at TEXT NOT NULL, -- last change
  detail TEXT, -- more, for people
  PRIMARY KEY (server, channel, query, slice)
);

-- Answers of the server, so that asking again costs nothing when they did not change.
CREATE TABLE IF NOT EXISTS http_cache (
  url TEXT PRIMARY KEY, -- address of a GET; never holds a token
  etag TEXT, -- validator sent back as If-None-Match
  last_modified TEXT, -- validator sent back as If-Modified-Since
  link TEXT, -- Link header: the next page
  body BLOB NOT NULL, -- the answer, zlib
  stored_at TEXT NOT NULL -- when
);

-- === mirrors and runs ===

-- The mirror of a repository: what was fetched of it, and how the last attempt ended.
CREATE TABLE IF NOT EXISTS mirrors (
  name TEXT PRIMARY KEY COLLATE NOCASE, -- owner/name, as in repos
  url TEXT NOT NULL, -- where it is fetched from
  path TEXT, -- directory of the mirror
  state TEXT NOT NULL, -- how the last attempt ended: fetched, unchanged, empty (no branch), gone (removed, renamed or private), unreachable, too_large, too_slow, refused (protocol not allowed), damaged (the server lacks objects), disk_full, failed
  detail TEXT, -- that in words
  refs_key TEXT, -- hash of the refs the mirror has; NULL when nothing was fetched
  elsewhere TEXT, -- owner/name of the repository that holds its checkpoints, from .entire/settings.json
  checkpoint_refs INTEGER, -- refs with checkpoints
  missing INTEGER, -- large files of checkpoints, nearly all transcripts, that were not fetched
  bytes INTEGER NOT NULL DEFAULT 0, -- size of the mirror
  received INTEGER NOT NULL DEFAULT 0, -- bytes by which fetches made it grow, all together
  checks INTEGER NOT NULL DEFAULT 0, -- times the server was asked for its refs
  transfers INTEGER NOT NULL DEFAULT 0, -- times objects were asked for
  seconds REAL NOT NULL DEFAULT 0, -- time spent, all together
  failures INTEGER NOT NULL DEFAULT 0, -- attempts that failed, in a row
  tried_at TEXT NOT NULL, -- last attempt
  seen_at TEXT, -- last time the server answered with refs
  fetched_at TEXT -- last time something new was fetched
);

-- How the last run of a stage on a repository ended, and what it took.
CREATE TABLE IF NOT EXISTS jobs (
  name TEXT NOT NULL COLLATE NOCASE, -- owner/name, as in repos
  stage TEXT NOT NULL, -- load (facts), lines (conclusions)
  state TEXT NOT NULL, -- done, nothing (no checkpoints), failed (tried again by the next run), given_up (failed twice from the same input: tried again when that changes, or with --retry)
  input_key TEXT NOT NULL, -- hash of what it was run on
  attempts INTEGER NOT NULL, -- runs from this input that failed
  error TEXT, -- why it failed
  seconds REAL NOT NULL, -- elapsed time of the last run
  cpu_seconds REAL, -- processor time of the last run, git included
  peak_bytes INTEGER, -- largest memory its process had used by its end
  finished_at TEXT NOT NULL, -- when
  PRIMARY KEY (name, stage)
);

-- Repositories that are to be forgotten: never fetched, loaded or merged again. Nothing of them is kept but this.
CREATE TABLE IF NOT EXISTS forgotten (
  name_hash TEXT PRIMARY KEY, -- SHA-256 of owner/name in lower case
  forgotten_at TEXT NOT NULL -- when
);

-- === conclusions: weaknesses in introduced code ===

-- Rules that were run together, and the scanner that ran them.
CREATE TABLE IF NOT EXISTS rule_sets (
  id INTEGER PRIMARY KEY, -- number used by the other tables
  hash TEXT NOT NULL, -- SHA-256 of the rules as they were passed (merged, sorted JSON)
  engine TEXT NOT NULL, -- name and version of the scanner: semgrep 1.182.0
  name TEXT NOT NULL, -- what they are called: own, or what --rules named
  rules INTEGER NOT NULL, -- number of rules
  languages TEXT NOT NULL, -- languages they are for, separated by blanks
  UNIQUE (hash, engine)
);

-- One rule of a set.
CREATE TABLE IF NOT EXISTS scan_rules (
  rule_set_id INTEGER NOT NULL REFERENCES rule_sets(id) ON DELETE CASCADE, -- its set
  rule_id TEXT NOT NULL, -- id of the rule
  cwe TEXT, -- weakness it looks for, the first if several: CWE-89
  cwes TEXT NOT NULL, -- all of them with their names, JSON list
  owasp TEXT NOT NULL, -- OWASP categories, JSON list
  severity TEXT, -- ERROR, WARNING, INFO, as the rule says
  confidence TEXT, -- HIGH, MEDIUM, LOW
  tier TEXT, -- taint (input from outside reaches the call), built (a value put together does), api (the call alone); NULL in other sets
  message TEXT, -- what the rule says
  languages TEXT NOT NULL, -- languages, separated by blanks
  PRIMARY KEY (rule_set_id, rule_id)
) WITHOUT ROWID;

-- What a scan said of one text. In the cache of the user, so that a fork or another database scans only what is new.
CREATE TABLE IF NOT EXISTS blob_scans (
  blob TEXT NOT NULL, -- git id of the text
  suffix TEXT NOT NULL, -- as what it was scanned: ending of the file name, or dockerfile, workflow
  rules TEXT NOT NULL, -- hash of the rule set
  engine TEXT NOT NULL, -- name and version of the scanner
  status TEXT NOT NULL, -- ok, none (no word of any rule in it: not given to the scanner), partial (some of it could not be parsed), timeout (some rule), failed, too_large, long_lines, binary, generated, minified, missing
  lines INTEGER NOT NULL, -- lines of the text
  failed_rules TEXT, -- rules that did not finish, JSON list
  PRIMARY KEY (blob, suffix, rules, engine)
) WITHOUT ROWID;

-- A place in a text that a rule matched. Cache, as blob_scans.
CREATE TABLE IF NOT EXISTS blob_findings (
  blob TEXT NOT NULL, -- git id of the text
  suffix TEXT NOT NULL, -- as in blob_scans
  rules TEXT NOT NULL, -- hash of the rule set
  engine TEXT NOT NULL, -- name and version of the scanner
  rule_id TEXT NOT NULL, -- id of the rule
  start_line INTEGER NOT NULL, -- first line
  end_line INTEGER NOT NULL, -- last line
  start_byte INTEGER NOT NULL, -- first byte, from 0
  end_byte INTEGER NOT NULL, -- byte after the last
  text_hash TEXT NOT NULL, -- hash of the matched text without white space
  suppressed INTEGER NOT NULL, -- 1: a nosemgrep comment asks to hide it; it is counted all the same
  PRIMARY KEY (blob, suffix, rules, engine, rule_id, start_byte, end_byte)
) WITHOUT ROWID;

-- Functions of a text with their cyclomatic complexity. Cache, as blob_scans.
CREATE TABLE IF NOT EXISTS blob_functions (
  blob TEXT NOT NULL, -- git id of the text
  suffix TEXT NOT NULL, -- as in blob_scans
  tool TEXT NOT NULL, -- name and version of what measured it
  functions TEXT NOT NULL, -- first line, last line, complexity of each, JSON list of lists
  PRIMARY KEY (blob, suffix, tool)
) WITHOUT ROWID;

-- Executables of the scanner that were asked for their version, which takes seconds. Cache, as blob_scans.
CREATE TABLE IF NOT EXISTS scan_engines (
  path TEXT NOT NULL, -- the file
  stamp TEXT NOT NULL, -- its size and time of change
  engine TEXT NOT NULL, -- name and version
  PRIMARY KEY (path, stamp)
) WITHOUT ROWID;

-- Whether the added lines of a file of a commit were scanned: what rates are counted over.
CREATE TABLE IF NOT EXISTS scan_files (
  file_id INTEGER PRIMARY KEY REFERENCES commit_files(id) ON DELETE CASCADE, -- file of a commit, with added lines
  rule_set_id INTEGER NOT NULL REFERENCES rule_sets(id) ON DELETE CASCADE, -- the rules
  place TEXT NOT NULL, -- source, test, example; generated, vendored, lock, minified: these four are not scanned
  language TEXT NOT NULL, -- language by name and first line; other: no rule is for it
  status TEXT NOT NULL, -- as in blob_scans; unsupported (no rule for the language), left_out (by its place)
  scanned INTEGER NOT NULL, -- 1: status ok, none or partial, so that a weakness would have been seen
  complexity REAL -- cyclomatic complexity of the changed functions, mean over the added lines (1 outside functions); NULL when not asked for or not known
);

-- A weakness that a commit brought in, with who wrote it and what became of it.
CREATE TABLE IF NOT EXISTS findings (
  id INTEGER PRIMARY KEY, -- number of the finding
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  rule_set_id INTEGER NOT NULL REFERENCES rule_sets(id) ON DELETE CASCADE, -- the rules
  fingerprint TEXT NOT NULL, -- the same in every database: hash of commit, path, rule, matched text and occurrence
  label TEXT NOT NULL, -- for people: CWE, rule, place
  rule_id TEXT NOT NULL, -- id of the rule
  cwe TEXT, -- CWE-89; the first when the rule has several
  owasp TEXT, -- first OWASP category of the rule
  severity TEXT, -- ERROR, WARNING, INFO
  confidence TEXT, -- HIGH, MEDIUM, LOW
  tier TEXT, -- taint, built, api; NULL in other sets than ours
  status TEXT NOT NULL, -- introduced; reintroduced (the same was fixed in this file before); uncertain (the rule could not be run on the version before); surfaced (new, but on none of the lines the commit added: a change elsewhere made it match)
  commit_id INTEGER NOT NULL REFERENCES commits(id) ON DELETE CASCADE, -- commit that brought it in
  commit_sha TEXT NOT NULL, -- full id of it
  path TEXT NOT NULL, -- path in that commit
  start_line INTEGER NOT NULL, -- first line of the match, in that commit
  end_line INTEGER NOT NULL, -- last line
  text_hash TEXT NOT NULL, -- hash of the matched text without white space
  occurrence INTEGER NOT NULL, -- 0, 1, … among equal ones of the file
  language TEXT NOT NULL, -- as in scan_files
  place TEXT NOT NULL, -- source, test, example
  author TEXT NOT NULL, -- agent, human, unknown: all its added lines with text are of that author; mixed: they are of several
  author_class TEXT NOT NULL, -- agent, declared, human, unknown, undeclared, mixed
  reason TEXT NOT NULL, -- why it is unknown, as in origins
  added_lines INTEGER NOT NULL, -- its lines with text that the commit added
  agent_lines INTEGER NOT NULL, -- of those, by an agent
  human_lines INTEGER NOT NULL, -- by a human
  unknown_lines INTEGER NOT NULL, -- by nobody known
  session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- session that wrote most of its lines
  turn_index INTEGER, -- turn of the call that did
  call_id TEXT, -- the agent's own id of that call
  agent TEXT, -- agent of the session, or the one a trailer declares
  model TEXT, -- model that wrote most of its lines
  suppressed INTEGER NOT NULL, -- 1: a nosemgrep comment asks to hide it
  ignored INTEGER NOT NULL, -- 1: the repository's .semgrepignore asks to leave out the file
  fixed_by INTEGER REFERENCES commits(id) ON DELETE SET NULL, -- commit after which it was gone; NULL when alive, or when that commit is not attributed
  fixed_sha TEXT, -- full id of it
  fixed_how TEXT, -- changed (lines of the match were changed or taken away), elsewhere (a change elsewhere), file_deleted, merge (a merge left it out), unseen (the rule could not be run any more, or the file is left out now)
  fixed_author TEXT, -- class of the lines that came in its place, else of all the commit added to the file, else of all it added: agent, declared, human, unknown, undeclared, mixed; none: it added nothing
  fixed_session_id INTEGER REFERENCES sessions(id) ON DELETE SET NULL, -- the session, when those lines (or, without any, the commit) have only one
  moves INTEGER NOT NULL, -- times it was moved to another file
  rewords INTEGER NOT NULL, -- times its text was changed and it stayed: a finding of the same rule left and came in one hunk
  alive_at_head INTEGER NOT NULL, -- 1: it is there at the tip
  head_path TEXT, -- where
  head_line INTEGER, -- first line there
  UNIQUE (repo_id, fingerprint)
);

-- What somebody who read a finding says of it. Kept when everything else is computed again.
CREATE TABLE IF NOT EXISTS finding_reviews (
  fingerprint TEXT NOT NULL, -- the finding, as in findings
  reviewer TEXT NOT NULL, -- who
  verdict TEXT NOT NULL, -- true (a weakness), false (a false positive), unsure
  note TEXT NOT NULL, -- why
  reviewed_at TEXT NOT NULL, -- when
  repo TEXT NOT NULL, -- for people: repository
  commit_sha TEXT NOT NULL, -- commit
  path TEXT NOT NULL, -- path in it
  line INTEGER NOT NULL, -- first line
  rule_id TEXT NOT NULL, -- rule
  PRIMARY KEY (fingerprint, reviewer)
) WITHOUT ROWID;

-- === conclusions: what the claims are worth ===

-- What became of one record when it was checked against its commit.
CREATE TABLE IF NOT EXISTS claim_record_checks (
  record_id INTEGER PRIMARY KEY REFERENCES claim_records(id) ON DELETE CASCADE, -- the record
  commit_sha TEXT, -- commit it was checked against; another one than it names for records written before their commit was made
  anchor TEXT NOT NULL, -- named (by the record), next_commit (the next one that changes its files), none
  reach TEXT NOT NULL, -- branch (the commit is in the history of the analysed branch), ref (of another ref only), none (of no ref), missing
  status TEXT NOT NULL, -- the first that applies: commit_missing, unreachable, file_missing, beyond_eof, not_added, overlapping, dangling_key, empty, ok
  findings TEXT NOT NULL, -- the same from its lines alone
  commit_at TEXT, -- author time of the commit
  lines INTEGER NOT NULL, -- lines claimed, those claimed twice counted twice
  ok INTEGER NOT NULL, -- of those, the ones the commit adds
  overlapping INTEGER NOT NULL, -- added ones that a later entry gives to somebody else
  dangling_key INTEGER NOT NULL, -- added ones whose key names nobody
  not_added INTEGER NOT NULL, -- ones that were there before, or are not the text claimed
  beyond_eof INTEGER NOT NULL, -- ones after the end of the file
  file_missing INTEGER NOT NULL, -- ones of files that the commit does not have
  commit_missing INTEGER NOT NULL -- ones of a commit that is not in the clone
);

-- The lines of a claim by status; together they are the claim.
CREATE TABLE IF NOT EXISTS claim_checks (
  claim_id INTEGER NOT NULL REFERENCES claims(id) ON DELETE CASCADE, -- the claim
  status TEXT NOT NULL, -- the first that applies to the line: commit_missing, file_missing, beyond_eof, not_added, overlapping, dangling_key, ok
  lines INTEGER NOT NULL, -- lines
  ranges TEXT NOT NULL, -- the lines, 1-5,8
  PRIMARY KEY (claim_id, status)
) WITHOUT ROWID;

-- Consecutive lines that a claim gives to an author and that its commit really adds.
CREATE TABLE IF NOT EXISTS claimed_spans (
  claim_id INTEGER NOT NULL REFERENCES claims(id) ON DELETE CASCADE, -- the claim
  start_line INTEGER NOT NULL, -- first line, in the commit's version
  end_line INTEGER NOT NULL, -- last line
  PRIMARY KEY (claim_id, start_line)
) WITHOUT ROWID;

-- === bookkeeping ===

-- What could not be used, and why. Nothing is dropped silently.
CREATE TABLE IF NOT EXISTS problems (
  id INTEGER PRIMARY KEY, -- number of the row
  repo_id INTEGER REFERENCES repos(id) ON DELETE CASCADE, -- its repository; NULL for results of evaluation runs
  stage TEXT NOT NULL, -- checkpoints, transcripts, commits, lines, features, history, claims, weaknesses, attempts, judge
  subject TEXT NOT NULL, -- what it is about: a checkpoint, session, commit or path
  code TEXT NOT NULL, -- kind of problem
  detail TEXT -- more, for people
);

-- What the database remembers about itself.
CREATE TABLE IF NOT EXISTS settings (
  name TEXT PRIMARY KEY, -- content: how much text of transcripts is stored (none, prompts, full); redact: 1 when secrets and e-mail addresses are taken out; prompts_indexed: what the search over prompts was made from
  value TEXT -- the value
);

-- A stage that finished, from which inputs and with which version: the reason why a second run does nothing.
CREATE TABLE IF NOT EXISTS stage_runs (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  stage TEXT NOT NULL, -- load (all facts), checkpoints, session, commits, lines, history, survival, claims, weaknesses, complexity
  subject TEXT NOT NULL, -- '' for the whole repository, else a session
  input_key TEXT NOT NULL, -- hash of everything the stage read
  version TEXT NOT NULL, -- version of the code that did it
  finished_at TEXT NOT NULL, -- when
  seconds REAL NOT NULL, -- how long it took
  problems INTEGER NOT NULL, -- problems it reported
  PRIMARY KEY (repo_id, stage, subject)
);

CREATE INDEX IF NOT EXISTS checkpoint_sessions_checkpoint ON checkpoint_sessions(checkpoint_id);
CREATE INDEX IF NOT EXISTS checkpoint_sessions_session ON checkpoint_sessions(session_id);
CREATE INDEX IF NOT EXISTS tool_calls_session ON tool_calls(session_id, call_id);
CREATE INDEX IF NOT EXISTS edits_session ON edits(session_id, call_id);
CREATE INDEX IF NOT EXISTS edits_path ON edits(path);
CREATE INDEX IF NOT EXISTS links_checkpoint ON commit_checkpoint_links(checkpoint);
CREATE INDEX IF NOT EXISTS commit_sessions_session ON commit_sessions(session_id);
CREATE INDEX IF NOT EXISTS commit_files_path ON commit_files(path);
CREATE INDEX IF NOT EXISTS spans_origin ON spans(origin_id);
CREATE INDEX IF NOT EXISTS origins_session ON origins(session_id);
CREATE INDEX IF NOT EXISTS regions_session ON regions(session_id);
CREATE INDEX IF NOT EXISTS region_edits_region ON region_edits(region_id);
CREATE INDEX IF NOT EXISTS region_edits_session ON region_edits(session_id);
CREATE INDEX IF NOT EXISTS judge_labels_judgement ON judge_labels(judgement_id);
CREATE INDEX IF NOT EXISTS attempts_instance ON attempts(instance);
CREATE INDEX IF NOT EXISTS attempts_session ON attempts(session_id);
CREATE INDEX IF NOT EXISTS region_priors_prior ON region_priors(prior_session_id);
CREATE INDEX IF NOT EXISTS problems_repo ON problems(repo_id, stage);
CREATE INDEX IF NOT EXISTS history_commits_sha ON history_commits(repo_id, commit_sha);
CREATE INDEX IF NOT EXISTS history_commits_parent ON history_commits(first_parent);
CREATE INDEX IF NOT EXISTS history_commits_landed ON history_commits(landed);
CREATE INDEX IF NOT EXISTS history_commits_reverts ON history_commits(reverts);
CREATE INDEX IF NOT EXISTS history_commits_reverted_by ON history_commits(reverted_by);
CREATE INDEX IF NOT EXISTS tip_files_path ON tip_files(repo_id, path);
CREATE INDEX IF NOT EXISTS tip_spans_birth ON tip_spans(birth);
CREATE INDEX IF NOT EXISTS tip_spans_origin ON tip_spans(origin_id);
CREATE INDEX IF NOT EXISTS line_lives_birth ON line_lives(birth, path);
CREATE INDEX IF NOT EXISTS line_lives_death ON line_lives(death);
CREATE INDEX IF NOT EXISTS line_lives_gone ON line_lives(gone_from_main);
CREATE INDEX IF NOT EXISTS line_travels_commit ON line_travels(commit_id);
CREATE INDEX IF NOT EXISTS line_fates_life ON line_fates(repo_id, life);
CREATE INDEX IF NOT EXISTS line_fates_origin ON line_fates(origin_id);
CREATE INDEX IF NOT EXISTS line_fates_session ON line_fates(actor_session_id);
CREATE INDEX IF NOT EXISTS deletions_commit ON deletions(commit_id);
CREATE INDEX IF NOT EXISTS deletions_repo ON deletions(repo_id);
CREATE INDEX IF NOT EXISTS deletions_author_session ON deletions(author_session_id);
CREATE INDEX IF NOT EXISTS deletions_actor_session ON deletions(actor_session_id);
CREATE INDEX IF NOT EXISTS candidates_github ON candidates(server, github_id);
CREATE INDEX IF NOT EXISTS discoveries_channel ON discoveries(channel);

-- === names that queries may rely on ===

-- Candidates to fetch, with the address of the clone: not excluded, and confirmed or, when those are wanted, with notes of other tools.
CREATE VIEW IF NOT EXISTS wanted_candidates AS
SELECT c.*, c.server || '/' || c.full_name || '.git' AS clone_url, r.id AS repo_id
FROM candidates c LEFT JOIN repos r ON r.name = c.full_name COLLATE NOCASE
WHERE c.exclusion IS NULL AND c.outcome = 'ok' AND (c.confirmed = 1 OR c.notes IS NOT NULL);
CREATE INDEX IF NOT EXISTS scan_files_rules ON scan_files(rule_set_id);
CREATE INDEX IF NOT EXISTS findings_commit ON findings(commit_id);
CREATE INDEX IF NOT EXISTS findings_rules ON findings(rule_set_id);
CREATE INDEX IF NOT EXISTS findings_session ON findings(session_id);
CREATE INDEX IF NOT EXISTS findings_fixed ON findings(fixed_by);
CREATE INDEX IF NOT EXISTS findings_fixed_session ON findings(fixed_session_id);
CREATE INDEX IF NOT EXISTS findings_cwe ON findings(cwe);
CREATE INDEX IF NOT EXISTS findings_path ON findings(path);
CREATE INDEX IF NOT EXISTS claim_records_repo ON claim_records(repo_id, producer);
CREATE INDEX IF NOT EXISTS claim_records_commit ON claim_records(commit_sha);
CREATE INDEX IF NOT EXISTS claim_record_checks_commit ON claim_record_checks(commit_sha);
CREATE INDEX IF NOT EXISTS claim_authors_repo ON claim_authors(repo_id);
CREATE INDEX IF NOT EXISTS claims_record ON claims(record_id);
CREATE INDEX IF NOT EXISTS claims_author ON claims(author_id);

-- One row per span of added lines: who wrote it, how we know, from which call.
CREATE VIEW IF NOT EXISTS line_spans AS
SELECT c.repo_id, c.id AS commit_id, c.commit_sha, f.path, s.start_line, s.end_line, s.end_line - s.start_line + 1 AS lines, s.nonblank,
       o.author, o.how, o.evidence, o.reason, o.session_id, o.turn_index, o.call_id, o.model, o.edited_by, o.similarity
FROM spans s JOIN commit_files f ON f.id = s.file_id JOIN commits c ON c.id = f.commit_id JOIN origins o ON o.id = s.origin_id;

-- Checkpoint ids named by commits.
CREATE VIEW IF NOT EXISTS commit_checkpoints AS
SELECT c.repo_id, c.commit_sha, l.checkpoint_key AS checkpoint_id, l.method, l.confidence, l.checkpoint IS NOT NULL AS resolved
FROM commit_checkpoint_links l JOIN commits c ON c.id = l.commit_id;

-- Lines of each commit by author; undeclared: nothing links the commit to any agent.
CREATE VIEW IF NOT EXISTS commit_lines AS
SELECT c.repo_id, c.id AS commit_id, c.commit_sha, c.label, c.author_at, c.parents, c.lines_added,
       COALESCE(SUM(f.agent_lines), 0) AS agent_lines, COALESCE(SUM(f.human_lines), 0) AS human_lines,
       COALESCE(SUM(f.unknown_lines), 0) AS unknown_lines, COALESCE(SUM(f.agent_edited_lines), 0) AS agent_edited_lines,
       (SELECT COUNT(*) FROM commit_sessions cs WHERE cs.commit_id = c.id) AS sessions
FROM commits c LEFT JOIN commit_files f ON f.commit_id = c.id GROUP BY c.id;

-- Lines by author, how, evidence and reason for each repository.
CREATE VIEW IF NOT EXISTS evidence_shares AS
SELECT c.repo_id, o.author, o.how, o.evidence, o.reason, SUM(s.end_line - s.start_line + 1) AS lines, SUM(s.nonblank) AS nonblank
FROM spans s JOIN commit_files f ON f.id = s.file_id JOIN commits c ON c.id = f.commit_id JOIN origins o ON o.id = s.origin_id
GROUP BY c.repo_id, o.author, o.how, o.evidence, o.reason;

-- One row per stretch of lines with one author and one fate: who wrote it, when, what became of it, who ended it.
CREATE VIEW IF NOT EXISTS line_histories AS
SELECT t.repo_id, b.commit_sha AS birth_sha, l.path, l.start_line + t.origin - l.origin AS start_line,
       l.start_line + t.origin - l.origin + t.lines - 1 AS end_line, t.lines, t.nonblank, l.kind,
       o.author, o.how, o.evidence, o.reason, o.session_id, o.model, b.author_at AS born_at,
       d.commit_sha AS death_sha, d.author_at AS died_at, l.cause, t.actor, t.actor_session_id, t.actor_how,
       b.reverted_by IS NOT NULL AS reverted_later
FROM line_fates t JOIN line_lives l ON l.repo_id = t.repo_id AND l.origin = t.life JOIN history_commits b ON b.id = l.birth
LEFT JOIN history_commits d ON d.id = l.death LEFT JOIN origins o ON o.id = t.origin_id;

-- The lines of the tip: who wrote each, in which commit and session.
CREATE VIEW IF NOT EXISTS tip_lines AS
SELECT f.repo_id, f.path, s.start_line, s.end_line, s.end_line - s.start_line + 1 AS lines, s.nonblank, o.author, o.how, o.evidence,
       o.reason, o.session_id, o.turn_index, o.call_id, o.model, b.commit_sha AS birth_sha, b.author_at AS born_at,
       COALESCE(s.birth_path, f.path) AS birth_path, s.birth_line
FROM tip_spans s JOIN tip_files f ON f.id = s.file_id LEFT JOIN origins o ON o.id = s.origin_id
LEFT JOIN history_commits b ON b.id = s.birth;
-- Labels of models with how far they can be trusted, where somebody compared them with people's.
CREATE VIEW IF NOT EXISTS judged AS
SELECT l.*, v.sensitivity, v.specificity, v.kappa, v.tp + v.fp + v.fn + v.tn AS validated_on
FROM judge_labels l LEFT JOIN judge_validations v
ON v.model = l.model AND v.prompt_version = l.prompt_version AND v.label = l.label AND v.class = l.value;

-- Attempts by treatment: how many were resolved, and what came of the others. `attribute attempts` adds intervals.
CREATE VIEW IF NOT EXISTS attempt_treatments AS
SELECT harness, agent_type, model_id, dataset, treatment, COUNT(*) AS attempts, COUNT(DISTINCT instance) AS instances,
       SUM(evaluated) AS evaluated, SUM(evaluated AND COALESCE(reward, 0) >= 1) AS resolved,
       SUM(evaluated AND attempt_index = 0) AS first_attempts,
       SUM(evaluated AND attempt_index = 0 AND COALESCE(reward, 0) >= 1) AS first_resolved,
       SUM(patch_outcome_label = 'correct') AS correct, SUM(patch_outcome_label = 'partial') AS partial,
       SUM(patch_outcome_label = 'regressive') AS regressive, SUM(patch_outcome_label = 'no_effect') AS no_effect,
       SUM(patch_outcome_label = 'unverifiable') AS unverifiable, SUM(patch_exists = 0) AS without_patch,
       SUM(localized_correct_file) AS localized, COUNT(localized_correct_file) AS localizable, SUM(cost_usd) AS cost_usd
FROM attempts GROUP BY harness, agent_type, model_id, dataset, treatment;
-- Added lines with text and who wrote them, with whether a weakness in them would have been seen: the lines below every rate.
CREATE VIEW IF NOT EXISTS scanned_lines AS
SELECT c.repo_id, c.id AS commit_id, c.commit_sha, f.path, n.place, n.language, n.status, n.scanned, n.complexity, s.nonblank AS lines, o.author,
       CASE WHEN o.author = 'agent' AND o.evidence = 'declared' THEN 'declared'
            WHEN o.author = 'unknown' AND o.reason = 'no_session' THEN 'undeclared' ELSE o.author END AS author_class,
       o.reason, o.session_id, o.model
FROM scan_files n JOIN commit_files f ON f.id = n.file_id JOIN commits c ON c.id = f.commit_id JOIN spans s ON s.file_id = f.id
JOIN origins o ON o.id = s.origin_id WHERE s.nonblank > 0;

-- One row per hunk of each applied edit, with its file and the symbol around it.
CREATE VIEW IF NOT EXISTS region_edit_history AS
SELECT s.repo_id, e.session_id, g.path, g.root, e.region_id, e.round, e.start_line, e.end_line, e.turn_index, e.at, e.tool, e.call_id,
       e.lines_added, e.lines_removed, y.symbol
FROM region_edits e JOIN regions g ON g.id = e.region_id JOIN sessions s ON s.id = e.session_id
LEFT JOIN region_symbols y ON y.region_id = e.region_id AND y.call_id = e.call_id AND y.start_line = e.start_line;

-- Earlier sessions whose lines a session changed or ended; via worktree: seen in the replay; via history: its commits ended lines that
-- another session had committed, wherever and under whatever name (once the lines were followed).
CREATE VIEW IF NOT EXISTS prior_sessions AS
SELECT s.repo_id, p.session_id, p.prior_session_id, 'worktree' AS via, NULL AS lines
FROM region_priors p JOIN sessions s ON s.id = p.session_id
UNION ALL
SELECT t.repo_id, t.actor_session_id, o.session_id, 'history', SUM(t.nonblank)
FROM line_fates t JOIN origins o ON o.id = t.origin_id
WHERE t.actor_session_id IS NOT NULL AND o.author = 'agent' AND o.session_id <> t.actor_session_id
GROUP BY t.repo_id, t.actor_session_id, o.session_id;

-- Sessions that another one spawned, with the one that did; parent_id is NULL when that one is in no checkpoint.
CREATE VIEW IF NOT EXISTS child_sessions AS
SELECT c.repo_id, c.id AS session_id, c.key AS session_key, c.label, c.agent, c.started_at, p.id AS parent_id, c.parent_key,
       p.label AS parent_label, p.agent AS parent_agent
FROM sessions c LEFT JOIN sessions p ON p.repo_id = c.repo_id AND p.key = c.parent_key WHERE c.parent_key IS NOT NULL;

-- Verified claims about commits of the analysed branch, each stretch beside our own verdict, which they never change: `claimed_author`,
-- always with the evidence `declared`, and `author`, `how`, … as in line_spans, NULL where the repository is not attributed.
-- `has_session`: an agent's session is linked to the commit, so that we know by ourselves.
CREATE VIEW IF NOT EXISTS claimed_lines AS
SELECT r.repo_id, r.id AS record_id, k.id AS claim_id, x.commit_sha, k.path, max(p.start_line, COALESCE(s.start_line, p.start_line)) AS start_line,
       min(p.end_line, COALESCE(s.end_line, p.end_line)) AS end_line,
       min(p.end_line, COALESCE(s.end_line, p.end_line)) - max(p.start_line, COALESCE(s.start_line, p.start_line)) + 1 AS lines,
       a.author AS claimed_author, 'declared' AS claimed_evidence, r.producer, r.tool_version, a.tool, a.model AS claimed_model,
       a.session_key AS claimed_session, k.key, k.dangling, x.status AS record_status, r.base_sha <> x.commit_sha AS copied, x.commit_at,
       k.lines AS claim_lines, f.lines_added AS file_lines_added, o.author, o.how, o.evidence, o.reason, o.session_id, o.model,
       EXISTS (SELECT 1 FROM commit_sessions cs WHERE cs.commit_id = c.id) AS has_session
FROM claimed_spans p JOIN claims k ON k.id = p.claim_id JOIN claim_records r ON r.id = k.record_id
JOIN claim_record_checks x ON x.record_id = r.id AND x.reach = 'branch' JOIN claim_authors a ON a.id = k.author_id
LEFT JOIN commits c ON c.repo_id = r.repo_id AND c.commit_sha = x.commit_sha LEFT JOIN commit_files f ON f.commit_id = c.id AND f.path = k.path
LEFT JOIN spans s ON s.file_id = f.id AND s.start_line <= p.end_line AND s.end_line >= p.start_line LEFT JOIN origins o ON o.id = s.origin_id;

-- === invariants: every check_ view must be empty ===

-- The classes of a file's added lines sum to git's own count.
CREATE VIEW IF NOT EXISTS check_classes_sum AS
SELECT id AS file_id, path, lines_added, agent_lines + human_lines + unknown_lines AS classified
FROM commit_files WHERE kind = 'text' AND lines_added <> agent_lines + human_lines + unknown_lines;

-- The spans of a file cover exactly its added lines.
CREATE VIEW IF NOT EXISTS check_spans_sum AS
SELECT f.id AS file_id, f.path, f.lines_added, COALESCE(SUM(s.end_line - s.start_line + 1), 0) AS in_spans
FROM commit_files f LEFT JOIN spans s ON s.file_id = f.id WHERE f.kind = 'text'
GROUP BY f.id HAVING f.lines_added <> in_spans;

-- Spans of a file do not overlap.
CREATE VIEW IF NOT EXISTS check_spans_overlap AS
SELECT file_id, start_line, end_line, next_start FROM (
  SELECT file_id, start_line, end_line, LEAD(start_line) OVER (PARTITION BY file_id ORDER BY start_line) AS next_start FROM spans)
WHERE end_line < start_line OR next_start <= end_line;

-- The files of a commit sum to the commit.
CREATE VIEW IF NOT EXISTS check_commit_sum AS
SELECT c.commit_sha, c.lines_added, SUM(f.lines_added) AS in_files
FROM commits c JOIN commit_files f ON f.commit_id = c.id GROUP BY c.id HAVING c.lines_added <> in_files;

-- Every line a session produced has exactly one fate.
CREATE VIEW IF NOT EXISTS check_fates_sum AS
SELECT session_id, produced, survived + self_overwritten + human_overwritten + human_deleted + unexplained AS fates
FROM session_stats WHERE produced <> survived + self_overwritten + human_overwritten + human_deleted + unexplained;

-- An agent's line names its call, unless it is only declared; a human's line names none.
CREATE VIEW IF NOT EXISTS check_sources AS
SELECT id, author, how, evidence FROM origins
WHERE (author = 'agent' AND evidence <> 'declared' AND (session_id IS NULL OR call_id IS NULL))
   OR (author = 'human' AND call_id IS NOT NULL)
   OR (author = 'unknown' AND reason = '');

-- The replayed edits of a session are the edits it has.
CREATE VIEW IF NOT EXISTS check_edit_outcomes AS
SELECT t.session_id, t.edits_seen, COUNT(e.id) AS rows_found
FROM session_stats t LEFT JOIN edits e ON e.session_id = t.session_id AND e.by_shell = 0
GROUP BY t.session_id HAVING t.edits_seen <> rows_found
   OR t.edits_seen <> t.edits_applied + t.edits_tool_error + t.edits_rejected + t.edits_outside_repo + t.edits_unmatched;

-- No line is explained by a call made after the commit: its author time, or its committer time when it was amended.
CREATE VIEW IF NOT EXISTS check_time_order AS
SELECT DISTINCT c.commit_sha, o.call_id, t.at, c.author_at
FROM spans s JOIN origins o ON o.id = s.origin_id JOIN commit_files f ON f.id = s.file_id JOIN commits c ON c.id = f.commit_id
JOIN tool_calls t ON t.session_id = o.session_id AND t.call_id = o.call_id
WHERE o.author = 'agent' AND julianday(t.at) > julianday(max(c.author_at, c.committed_at)) + 66.0 / 86400;

-- Births minus deaths are the lines present, at every commit.
CREATE VIEW IF NOT EXISTS check_lines_present AS
SELECT c.commit_sha, c.lines_present, COALESCE(p.lines_present, 0) + c.lines_born + c.lines_came - c.lines_gone AS expected
FROM history_commits c LEFT JOIN history_commits p ON p.id = c.first_parent
WHERE c.lines_present <> COALESCE(p.lines_present, 0) + c.lines_born + c.lines_came - c.lines_gone;

-- Every line a commit wrote has exactly one life.
CREATE VIEW IF NOT EXISTS check_lives_born AS
SELECT c.commit_sha, c.lines_born, COALESCE(SUM(l.end_line - l.start_line + 1), 0) AS in_lives
FROM history_commits c LEFT JOIN line_lives l ON l.birth = c.id GROUP BY c.id HAVING c.lines_born <> in_lives;

-- The lives without a death are the lines of the tip.
CREATE VIEW IF NOT EXISTS check_lives_alive AS
SELECT t.repo_id, t.lines, t.copies, c.lines_present,
       (SELECT COALESCE(SUM(l.end_line - l.start_line + 1), 0) FROM line_lives l WHERE l.repo_id = t.repo_id AND l.death IS NULL) AS alive
FROM tip_states t JOIN history_commits c ON c.repo_id = t.repo_id AND c.commit_sha = t.tip_sha
WHERE t.lines <> alive OR t.lines + t.copies <> c.lines_present;

-- A line ends once, not before it begins, and on the main line not before it arrives there.
CREATE VIEW IF NOT EXISTS check_lives_order AS
SELECT l.repo_id, l.origin, b.number AS born, d.number AS died FROM line_lives l JOIN history_commits b ON b.id = l.birth
JOIN history_commits d ON d.id = l.death WHERE d.number < b.number OR l.cause IS NULL;

-- Lives and travels cover exactly the attributed lines of ordinary commits, file by file. Left out: files that could not be read,
-- that became symbolic links (one line to git blame), and commits that copy a file (git pairs a source once, git blame as often as it
-- fits; copies of lines from before the window are not in lines_came).
CREATE VIEW IF NOT EXISTS check_lives_spans AS
SELECT h.commit_sha, f.path, f.lines_added, COALESCE((SELECT SUM(l.end_line - l.start_line + 1) FROM line_lives l
         WHERE l.birth = h.id AND l.path = f.path), 0) AS born, COALESCE((SELECT SUM(t.end_line - t.start_line + 1)
         FROM line_travels t WHERE t.repo_id = h.repo_id AND t.commit_id = h.id AND t.path = f.path), 0) AS travelled
FROM history_commits h JOIN commits c ON c.repo_id = h.repo_id AND c.commit_sha = h.commit_sha
JOIN commit_files f ON f.commit_id = c.id WHERE f.kind = 'text' AND f.status <> 'T' AND h.parents < 2 AND h.lines_came = 0
AND f.lines_added <> born + travelled
AND NOT (f.status = 'A' AND f.lines_added > born + travelled AND EXISTS (SELECT 1 FROM tip_states t WHERE t.repo_id = h.repo_id AND t.after_sha <> '')
         AND EXISTS (SELECT 1 FROM commit_files r WHERE r.commit_id = f.commit_id AND r.status = 'R'))
AND NOT EXISTS (SELECT 1 FROM problems p WHERE p.repo_id = h.repo_id AND p.stage = 'history' AND p.code = 'file_unread'
                AND p.subject = h.commit_sha AND p.detail = f.path);

-- Every life has its lines among the fates, once survival was asked for.
CREATE VIEW IF NOT EXISTS check_fates_cover AS
SELECT l.repo_id, l.origin, l.end_line - l.start_line + 1 AS in_life, t.in_fates, l.nonblank AS with_text, t.in_fates_with_text
FROM (SELECT repo_id, life, SUM(lines) AS in_fates, SUM(nonblank) AS in_fates_with_text FROM line_fates GROUP BY repo_id, life) t
JOIN line_lives l ON l.repo_id = t.repo_id AND l.origin = t.life
WHERE l.end_line - l.start_line + 1 <> t.in_fates OR l.nonblank <> t.in_fates_with_text;

-- The spans of a file of the tip follow each other without a gap, and the classes sum to its lines.
CREATE VIEW IF NOT EXISTS check_tip_spans AS
SELECT f.id AS file_id, f.path, f.lines, COALESCE(MAX(s.end_line), 0) AS last_line,
       COALESCE(SUM(s.end_line - s.start_line + 1), 0) AS in_spans, COALESCE(SUM(s.nonblank), 0) AS with_text
FROM tip_files f LEFT JOIN tip_spans s ON s.file_id = f.id GROUP BY f.id
HAVING f.lines <> in_spans OR f.lines <> last_line OR with_text < f.agent + f.declared + f.human + f.unknown + f.undeclared;

-- Nobody has more lines alive than at risk.
CREATE VIEW IF NOT EXISTS check_survival AS
SELECT repo_id, grouping, name, unit, horizon, at_risk, alive FROM survival WHERE alive > at_risk OR at_risk <= 0;

-- A label says something in one way only, and is what the answer's model and question gave.
CREATE VIEW IF NOT EXISTS check_judge_labels AS
SELECT l.session_id, l.turn_index, l.label FROM judge_labels l JOIN judgements j ON j.id = l.judgement_id
WHERE (l.value IS NOT NULL AND l.number IS NOT NULL) OR j.model <> l.model OR j.prompt_version <> l.prompt_version;

-- A candidate that no channel named.
CREATE VIEW IF NOT EXISTS check_candidates_named AS
SELECT id AS candidate_id, full_name FROM candidates c WHERE NOT EXISTS (SELECT 1 FROM discoveries d WHERE d.candidate_id = c.id);

-- A candidate taken although nothing shows checkpoints, or called empty although something does.
CREATE VIEW IF NOT EXISTS check_candidates_confirmed AS
SELECT id AS candidate_id, full_name, confirmed, exclusion FROM candidates
WHERE confirmed = 1 AND COALESCE(v1_oid, v2_oid, legacy_oid) IS NULL AND COALESCE(checkpoint_refs, 0) = 0
   OR confirmed = 1 AND probed_at IS NULL
   OR exclusion IN ('no_ref', 'empty_ref') AND (v2_oid IS NOT NULL OR legacy_oid IS NOT NULL OR checkpoint_refs > 0);

-- The label of an attempt agrees with its reward and its tests.
CREATE VIEW IF NOT EXISTS check_attempt_labels AS
SELECT key, reward, patch_outcome_label, fail_to_pass_count, pass_to_fail_count FROM attempts
WHERE (patch_outcome_label = 'correct' AND (reward < 1 OR pass_to_fail_count > 0 OR tests_to_fix_failed > 0))
   OR (reward = 1 AND patch_outcome_label IS NOT NULL AND patch_outcome_label <> 'correct')
   OR (patch_outcome_label = 'regressive' AND fail_to_pass_count > 0);

-- An introduced finding has an added line, its lines sum, and its author is theirs.
CREATE VIEW IF NOT EXISTS check_finding_lines AS
SELECT id, status, added_lines, agent_lines, human_lines, unknown_lines, author FROM findings
WHERE added_lines <> agent_lines + human_lines + unknown_lines OR (status <> 'surfaced') <> (added_lines > 0)
   OR (author = 'agent' AND agent_lines <> added_lines) OR (author = 'human' AND human_lines <> added_lines);

-- A finding is alive or fixed, not both.
CREATE VIEW IF NOT EXISTS check_finding_fate AS
SELECT id, alive_at_head, fixed_sha FROM findings WHERE alive_at_head = (fixed_sha IS NOT NULL);

-- A finding lies in a file of its commit that counts among the scanned ones.
CREATE VIEW IF NOT EXISTS check_finding_scanned AS
SELECT n.id, n.path, n.status FROM findings n WHERE n.status <> 'surfaced' AND NOT EXISTS (
  SELECT 1 FROM commit_files f JOIN scan_files s ON s.file_id = f.id
  WHERE f.commit_id = n.commit_id AND f.path = n.path AND s.place = n.place);

-- The lines of a claim by status sum to the claim.
CREATE VIEW IF NOT EXISTS check_claims_sum AS
SELECT k.id AS claim_id, k.path, k.lines, COALESCE(SUM(c.lines), 0) AS in_checks
FROM claims k LEFT JOIN claim_checks c ON c.claim_id = k.id WHERE k.lines IS NOT NULL GROUP BY k.id HAVING k.lines <> in_checks;

-- The lines of a record by status sum to the record.
CREATE VIEW IF NOT EXISTS check_claim_records_sum AS
SELECT record_id, lines, ok + overlapping + dangling_key + not_added + beyond_eof + file_missing + commit_missing AS in_classes
FROM claim_record_checks WHERE lines <> ok + overlapping + dangling_key + not_added + beyond_eof + file_missing + commit_missing;

-- Claimed spans are the lines of claims that are really added.
CREATE VIEW IF NOT EXISTS check_claimed_spans AS
SELECT c.claim_id, c.lines, COALESCE((SELECT SUM(p.end_line - p.start_line + 1) FROM claimed_spans p WHERE p.claim_id = c.claim_id), 0) AS in_spans
FROM (SELECT claim_id, SUM(lines) AS lines FROM claim_checks WHERE status IN ('ok', 'dangling_key') GROUP BY claim_id) c
WHERE c.lines <> in_spans;

-- Tables point only to rows that exist.
CREATE VIEW IF NOT EXISTS check_foreign_keys AS
SELECT "table", "rowid", "parent" FROM pragma_foreign_key_check;
