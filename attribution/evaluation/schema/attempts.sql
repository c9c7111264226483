-- text kept with none: attempts.error attempts.extra

-- === Facts: evaluation runs ===

-- One attempt of an agent at a task, as a harness recorded it: `whowrote data attempts DIR`. Not of any repository here.
CREATE TABLE IF NOT EXISTS attempts (
  id INTEGER PRIMARY KEY, -- number of the attempt
  key TEXT NOT NULL UNIQUE, -- what makes it one attempt, JSON list: harness, run, agent, model, instance, trial
  harness TEXT NOT NULL, -- swe-bench, harbor, other
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
  tests_to_fix_failed INTEGER, -- of those, the ones the reference patch fixes
  touched_files TEXT, -- files of the patch, JSON list
  diff_lines INTEGER, -- lines the patch adds and removes; NULL also when it is damaged
  first_touched_file TEXT, -- the file that it changed first, by its transcript, what it printed or its result; NULL where none tells
  tool_sequence TEXT, -- kind of each call in order, as tool_sequence of session_features, or as recorded; NULL without either [list]
  turn_count INTEGER, -- model responses, as recorded
  tool_call_count INTEGER, -- tool calls, as recorded
  edit_calls INTEGER, -- calls of edit tools, as recorded
  input_tokens INTEGER, -- as recorded; some harnesses count cached tokens in
  output_tokens INTEGER, -- as recorded
  cache_read_tokens INTEGER, -- as recorded
  cache_write_tokens INTEGER, -- as recorded; NULL where the harness does not tell
  cost_usd REAL, -- as recorded
  wall_time_s REAL, -- seconds from start to finish, including containers and tests
  timed_out INTEGER, -- 1: stopped by a time limit
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
  transcript TEXT, -- file with the agent's own transcript of the trial, relative to the directory of the result
  session_id INTEGER REFERENCES sessions(id) ON DELETE SET NULL, -- that session, when it is in this database once
  tests TEXT, -- category -> [succeeded, failed], JSON; ALL: every test, where before and after are not compared
  extra TEXT, -- what else was recorded, without secrets and long texts, JSON
  patch_outcome_label TEXT {PatchOutcome}, -- what the patch did; NULL without a patch, and where tests were not compared and the reward is 0
  bash_mediated_edits INTEGER, -- 1: it changed files without a call of an edit tool; NULL where calls or files are not known
  localized_correct_file INTEGER, -- 1: the file that it changed first is one of the gold patch; where that file is not known, any file of the patch is; NULL without either patch
  scope_drift REAL, -- files that it touched / files of the gold patch; NULL without either patch [ratio]
  gd_actions REAL -- of the files that it touched, those that the gold patch leaves alone; NULL without either patch [share]
);
CREATE INDEX IF NOT EXISTS attempts_instance ON attempts(instance);
CREATE INDEX IF NOT EXISTS attempts_session ON attempts(session_id);

-- Attempts by treatment: how many were resolved, and what came of the others. `whowrote data attempts` adds intervals.
--   harness: as in attempts
--   agent_type: as in attempts
--   model_id: as in attempts
--   dataset: as in attempts
--   treatment: as in attempts
--   attempts: number of attempts
--   instances: different tasks
--   evaluated: attempts with a result
--   resolved: of those, the ones with a full reward
--   first_attempts: evaluated attempts that were the first at their task
--   first_resolved: of those, the ones with a full reward
--   correct: attempts by patch_outcome_label: correct
--   partial: partial
--   regressive: regressive
--   no_effect: no_effect
--   unverifiable: unverifiable
--   without_patch: attempts that made no patch
--   localized: attempts that touch a file of the gold patch
--   localizable: attempts for which that is known
--   cost_usd: sum of the recorded costs
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
