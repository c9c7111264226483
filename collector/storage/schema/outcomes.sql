-- === Conclusions: how sessions went ===

-- Totals of a session over all its commits.
CREATE TABLE IF NOT EXISTS session_stats (
  session_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  commits INTEGER NOT NULL, -- commits linked to it
  agent_lines INTEGER NOT NULL, -- lines of those commits written by an agent
  declared_lines INTEGER NOT NULL, -- that only the commit attributes to an agent
  human_lines INTEGER NOT NULL, -- written by a person, with a witness
  likely_human_lines INTEGER NOT NULL, -- written by a person as far as is known
  tool_lines INTEGER NOT NULL, -- written by a tool
  unknown_lines INTEGER NOT NULL, -- whose author is unknown
  agent_percentage REAL, -- agent / (agent + human) x 100 in source and test files of its commits; NULL when both are 0
  coding_mode TEXT {CodingMode}, -- how much of its lines by agents and people the agents wrote in source and test files; NULL without a percentage
  produced INTEGER NOT NULL, -- non-blank lines the session ever wrote into the repository's files
  final INTEGER NOT NULL, -- of those, not overwritten by an agent again
  survived INTEGER NOT NULL, -- of those, in a commit
  self_overwritten INTEGER NOT NULL, -- replaced or removed by an agent again
  human_overwritten INTEGER NOT NULL, -- replaced by a human before a commit, with a witness: the new line is that person's
  human_deleted INTEGER NOT NULL, -- removed by a human before a commit, with a witness: the session saw the file without them
  reformatted INTEGER NOT NULL, -- their words stand in the commit or a later state in another layout: a formatter, an editor or a hook
  not_committed INTEGER NOT NULL, -- not in a commit, although nothing recorded removed them
  unexplained INTEGER NOT NULL, -- removed by an unknown author
  uncommitted INTEGER NOT NULL, -- of human_deleted, not_committed and unexplained, lines in files that no later commit touched
  coding_efficiency REAL, -- survived / produced
  survival_to_commit REAL, -- survived / final
  edits_seen INTEGER NOT NULL, -- file changes by edit tools
  edits_applied INTEGER NOT NULL, -- replayed
  edits_tool_error INTEGER NOT NULL, -- failed in the session
  edits_rejected INTEGER NOT NULL, -- refused by the user
  edits_outside_repo INTEGER NOT NULL, -- of files outside the repository
  edits_unmatched INTEGER NOT NULL -- could not be replayed
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
  convergence TEXT {Convergence}, -- how it developed; NULL when one call edited it
  returned_to INTEGER, -- oscillating: the round whose state came back, 0 is the text before the session; NULL when none did
  sizes TEXT NOT NULL, -- lines added and removed by each round, JSON list
  first_at TEXT, -- first edit
  last_at TEXT -- last edit
);
CREATE INDEX IF NOT EXISTS regions_session ON regions(session_id);

-- One hunk of one applied edit, in the region it belongs to.
CREATE TABLE IF NOT EXISTS region_edits (
  region_id INTEGER NOT NULL REFERENCES regions(id) ON DELETE CASCADE, -- the region
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  round INTEGER NOT NULL, -- 1, 2, … for each call that edited the region
  call_id TEXT NOT NULL, -- the agent's own id of the call
  turn_index INTEGER NOT NULL, -- turn it belongs to
  at TEXT, -- when it took effect
  tool TEXT NOT NULL {edit, write, append, delete, move, copy}, -- what the edit does; the same for calls by shell; the words of edits.op
  start_line INTEGER NOT NULL, -- first new line, after the edit
  end_line INTEGER NOT NULL, -- last new line; start_line - 1 when lines were only removed
  lines_added INTEGER NOT NULL, -- lines
  lines_removed INTEGER NOT NULL, -- lines
  removed TEXT, -- text taken away; NULL in regions that one call edited
  added TEXT -- text put in its place; NULL in regions that one call edited
);
CREATE INDEX IF NOT EXISTS region_edits_region ON region_edits(region_id);
CREATE INDEX IF NOT EXISTS region_edits_session ON region_edits(session_id);

-- Context of a hunk: the head of the enclosing function or class, as in git's hunk headers. Hunks without one have no row.
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
CREATE INDEX IF NOT EXISTS region_priors_prior ON region_priors(prior_session_id);

-- One row per turn of a user: what was asked, what was done, and what became of the lines. Lines are non-blank; a turn's own lines are those that its calls wrote.
CREATE TABLE IF NOT EXISTS turn_outcomes (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  turn_index INTEGER NOT NULL, -- 1, 2, … within the session
  at TEXT, -- when the message was sent; NULL without times [UTC]
  origin TEXT NOT NULL {TurnOrigin}, -- where its text comes from
  agent TEXT, -- agent of the session; NULL when its transcript does not tell [agent]
  model TEXT, -- model of most calls of the turn; without a call, of the session; NULL where neither names one
  prompt_characters INTEGER, -- length of the message; NULL when texts are not stored
  language TEXT, -- of a typed message, as turn_languages; NULL where nothing tells
  message_class TEXT, -- what a typed message does, by the classifier (turn_classes): weak for one message; NULL in languages it was not measured on
  intent TEXT, -- label of the judge that answered last; NULL when no judge was asked, or it could not tell
  pushback TEXT, -- label of the same judge; NULL where it gave none
  latency_s REAL, -- seconds from the message to the agent's last event of the turn; NULL without times or answer
  interrupted INTEGER, -- 1: the user stopped the agent; NULL when the transcript cannot be read
  cost_usd REAL, -- of the turn's responses, as cost_usd of session_features; NULL when they are on record of no turn, or have no price [USD]
  calls INTEGER NOT NULL, -- tool calls, subagents included
  failed_calls INTEGER NOT NULL, -- of those, the ones that failed
  edits INTEGER NOT NULL, -- changes of files that were replayed
  lines_written INTEGER NOT NULL, -- lines that these changes added, blank ones too
  produced INTEGER NOT NULL, -- own lines, whether they were kept or not
  dictated INTEGER NOT NULL, -- of those, the ones that stood, or whose telling names stood, in what the user had said by then: messages, approved plans, pasted text
  changed_next INTEGER NOT NULL, -- of those, lines that the next turn changed or removed
  discarded INTEGER NOT NULL, -- of those, lines that a later session removed before any commit had them
  discarded_by INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- the session that removed most of these; NULL when there are none
  places INTEGER NOT NULL, -- places in files that the turn edited
  places_again INTEGER NOT NULL, -- of those, the ones that the next turn edited again
  places_undone INTEGER NOT NULL, -- of those, the ones where the next turn put back exactly what this turn had replaced
  committed INTEGER NOT NULL, -- lines of commits that the turn wrote; more than produced where a command or a subagent wrote lines that only the commit shows
  old_1 INTEGER, -- of those, lines that were followed for a day; NULL before `whowrote survival`
  alive_1 INTEGER, -- of those, lines that were still there; NULL when old_1 is NULL or 0
  old_7 INTEGER, -- the same for 7 days; NULL as for one day
  alive_7 INTEGER, -- the same for 7 days; NULL as for one day
  old_30 INTEGER, -- the same for 30 days; NULL as for one day
  alive_30 INTEGER, -- the same for 30 days; NULL as for one day
  old_90 INTEGER, -- the same for 90 days; NULL as for one day
  alive_90 INTEGER, -- the same for 90 days; NULL as for one day
  present INTEGER, -- own lines at HEAD; NULL before `whowrote survival`
  findings_introduced INTEGER, -- weaknesses most of whose lines the turn wrote; NULL before `whowrote findings scan`
  findings_fixed INTEGER, -- weaknesses in files that, of the session that fixed them, this turn alone had edited; NULL before `whowrote findings scan`
  PRIMARY KEY (session_id, turn_index)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS turn_outcomes_repo ON turn_outcomes(repo_id);
CREATE INDEX IF NOT EXISTS turn_outcomes_discarded ON turn_outcomes(discarded_by);

-- One row per hunk of each applied edit, with its file and the symbol around it.
--   repo_id: its repository
--   session_id: the session
--   path: file, relative to its worktree
--   root: worktree directory on the author's machine
--   region_id: the region
--   round: as in region_edits
--   start_line: first new line, after the edit
--   end_line: last new line
--   turn_index: turn of the call
--   at: when the edit took effect
--   tool: as in region_edits
--   call_id: the agent's own id of the call
--   lines_added: lines added
--   lines_removed: lines removed
--   removed: the removed lines; NULL when there are none, or texts are not stored
--   added: the added lines; NULL when there are none, or texts are not stored
--   symbol: head of the function or class around the hunk; NULL when there is none
CREATE VIEW IF NOT EXISTS region_edit_history AS
SELECT s.repo_id, e.session_id, g.path, g.root, e.region_id, e.round, e.start_line, e.end_line, e.turn_index, e.at, e.tool, e.call_id,
       e.lines_added, e.lines_removed, e.removed, e.added, y.symbol
FROM region_edits e JOIN regions g ON g.id = e.region_id JOIN sessions s ON s.id = e.session_id
LEFT JOIN region_symbols y ON y.region_id = e.region_id AND y.call_id = e.call_id AND y.start_line = e.start_line;
