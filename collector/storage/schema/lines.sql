-- === Conclusions: who wrote each line ===

-- A file that a commit adds lines to or deletes lines from, with its lines by author.
CREATE TABLE IF NOT EXISTS commit_files (
  id INTEGER PRIMARY KEY, -- number used by spans
  commit_id INTEGER NOT NULL REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  path TEXT NOT NULL, -- path in the commit; before it, for a deleted file
  old_path TEXT, -- path before a rename; NULL otherwise
  status TEXT NOT NULL {A, M, D, R, T}, -- how the commit changed it: A (added), M (modified), D (deleted), R (renamed),
    -- T (type changed)
  content TEXT NOT NULL {text, binary, symlink, submodule, too_large, missing}, -- what it is to git, or why its lines are not known:
    -- text (a text whose lines are known), binary (a binary file), symlink (a symbolic link),
    -- submodule (a commit of another repository), too_large (larger than what is read), missing (absent from this clone)
  kind TEXT NOT NULL {FileKind}, -- source, test, docs, …: headlines count source and test
  lines_added INTEGER NOT NULL DEFAULT 0, -- as git counts them
  lines_deleted INTEGER NOT NULL DEFAULT 0, -- as git counts them
  agent_lines INTEGER NOT NULL DEFAULT 0, -- added lines written by an agent
  declared_lines INTEGER NOT NULL DEFAULT 0, -- added lines that only the commit attributes to an agent
  human_lines INTEGER NOT NULL DEFAULT 0, -- added lines written by a person, with a witness
  likely_human_lines INTEGER NOT NULL DEFAULT 0, -- added lines written by a person as far as known; only the commit shows them
  tool_lines INTEGER NOT NULL DEFAULT 0, -- added lines written by a tool
  unknown_lines INTEGER NOT NULL DEFAULT 0, -- added lines whose author is unknown
  agent_edited_lines INTEGER NOT NULL DEFAULT 0, -- of the agent's, the ones changed by somebody else afterwards
  nonblank_lines INTEGER NOT NULL DEFAULT 0, -- non-blank added lines
  UNIQUE (commit_id, path)
);
CREATE INDEX IF NOT EXISTS commit_files_path ON commit_files(path);

-- Attribution of lines: author, evidence, source. Many spans share one row.
CREATE TABLE IF NOT EXISTS origins (
  id INTEGER PRIMARY KEY, -- number used by spans
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- the repository
  author TEXT NOT NULL {Author}, -- who wrote the line
  how TEXT NOT NULL {How}, -- what the agent did
  evidence TEXT NOT NULL {Evidence}, -- how we know
  reason TEXT NOT NULL DEFAULT '' {Reason}, -- why the author is unknown; also kept with declared lines
  session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- session of the call
  turn_index INTEGER, -- turn of the call
  call_id TEXT, -- the agent's own id of the call
  model TEXT, -- model that made the call, or that a trailer declares
  edited_by TEXT {Author}, -- who changed an agent's line afterwards, human or unknown
  similarity REAL, -- token similarity of the changed line to the agent's, 0.6 to 1
  tool TEXT, -- the tool that wrote the line: npm, prettier, dependabot, …
  run_by TEXT {RunBy}, -- who ran the tool
  witness TEXT {Witness}, -- what shows that a person wrote the line
  seen_without_at TEXT, -- when the file was last known to be without a person's line
  seen_with_at TEXT -- when a person's line was first seen; NULL when only the commit shows it
);
CREATE INDEX IF NOT EXISTS origins_repo ON origins(repo_id);
CREATE INDEX IF NOT EXISTS origins_session ON origins(session_id);

-- Consecutive added lines of one file of one commit with the same origin.
CREATE TABLE IF NOT EXISTS spans (
  file_id INTEGER NOT NULL REFERENCES commit_files(id) ON DELETE CASCADE, -- file of a commit
  start_line INTEGER NOT NULL, -- first line, in the commit's version
  end_line INTEGER NOT NULL, -- last line
  nonblank INTEGER NOT NULL, -- non-blank lines of the span
  origin_id INTEGER NOT NULL REFERENCES origins(id), -- who, how, from where
  PRIMARY KEY (file_id, start_line)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS spans_origin ON spans(origin_id);

-- A session that explains lines of a commit, or is named by it.
CREATE TABLE IF NOT EXISTS commit_sessions (
  commit_id INTEGER NOT NULL REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  method TEXT NOT NULL {trailer, same_patch_id, trailer_in_pull_ref, squash_by_number, made_by_call, imported, worktree, time_and_files, content}, -- how the commit is linked to the session:
    -- trailer (the commit message names the checkpoint, or the session by its id),
    -- same_patch_id (the message of an original commit with the same patch does),
    -- trailer_in_pull_ref (the message of an earlier version (same author, second and subject) does),
    -- squash_by_number (the messages of the pull request whose number the subject ends with do),
    -- made_by_call (a call of the session printed the id of the commit, or made it quietly: a later call showed its id, or its message and second fit),
    -- imported (the imported session names the commit, which was made while it went on),
    -- worktree (the session worked in the same directory as a linked one and wrote lines of the commit),
    -- time_and_files (the same person, the same files, and the text: three lines, one in a worktree that is known or in a file that is as the session left it, after three days only such a file), content (rare text alone)
  confidence REAL NOT NULL, -- 0 to 1
  agent_lines INTEGER NOT NULL DEFAULT 0, -- non-blank lines of the commit this session wrote
  produced INTEGER, -- non-blank lines the session wrote to the commit's files since the commit before
  final INTEGER, -- of those, the ones in the session's own last state
  survived INTEGER, -- of those, the ones in the commit
  self_overwritten INTEGER, -- produced lines an agent replaced or removed again
  human_overwritten INTEGER, -- produced lines a human replaced before the commit, with a witness: the new line is that person's
  human_deleted INTEGER, -- produced lines a human removed before the commit, with a witness: the session saw the file without them
  reformatted INTEGER, -- produced lines whose words the commit or a later state has in another layout: a formatter's, an editor's or a hook's
  not_committed INTEGER, -- produced lines that the commit does not have, although nothing recorded removed them
  unexplained INTEGER, -- produced lines removed by an unknown author
  clean INTEGER NOT NULL DEFAULT 0, -- 1: one session, one checkpoint, no squash: numbers are unambiguous
  clock_behind REAL, -- by how much git's clock was behind the session's, at least [s]; NULL where nothing shows a difference
  PRIMARY KEY (commit_id, session_id)
);
CREATE INDEX IF NOT EXISTS commit_sessions_session ON commit_sessions(session_id);

-- The recorder's percentage next to ours, for checkpoints that belong to exactly one commit.
CREATE TABLE IF NOT EXISTS vendor_checks (
  checkpoint_session_id INTEGER PRIMARY KEY REFERENCES checkpoint_sessions(id) ON DELETE CASCADE, -- the record with the claim
  commit_id INTEGER REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  vendor_percentage REAL, -- the claim
  our_percentage REAL, -- agent / (agent + human) x 100 of the commit, by us; NULL when both are 0
  disagreement REAL, -- ours minus the claim
  disagreement_reason TEXT NOT NULL {none, rounding, transcript_missing, multi_session, vendor_zero_but_lines_found, denominator, window, unexplained} -- why they differ, the first that applies:
    -- none (it does not differ), rounding (by less than one point),
    -- transcript_missing (a transcript is missing or lines are unknown), multi_session (several sessions share the checkpoint),
    -- vendor_zero_but_lines_found (the producer says 0, and there are lines of an agent),
    -- denominator (the producer counts another number of committed lines),
    -- window (the producer counts another number of agent lines), unexplained (none of these)
);

-- One row per span of added lines: who wrote it, how we know, from which call.
--   repo_id: its repository
--   commit_id: the commit
--   commit_sha: full id of the commit
--   path: path in the commit
--   start_line: first line
--   end_line: last line
--   lines: number of lines
--   nonblank: of those, non-blank lines
--   author: who wrote them: {Author}
--   how: as in origins
--   evidence: as in origins
--   reason: why it is unknown, as in origins
--   session_id: session of the call that wrote the lines
--   turn_index: turn of that call
--   call_id: the agent's own id of that call
--   model: model that made the call, or that a trailer declares
--   edited_by: who changed an agent's line afterwards: human, unknown
--   similarity: token similarity of the changed line to the agent's, 0.6 to 1
--   tool: the tool that wrote the lines
--   run_by: who ran the tool
--   witness: what shows that a person wrote them
--   seen_without_at: when the file was last known to be without them
--   seen_with_at: when they were first seen
--   kind: kind of the file: source, test, docs, …
--   class: class of reports, from author, evidence and reason
CREATE VIEW IF NOT EXISTS line_spans AS
SELECT c.repo_id, c.id AS commit_id, c.commit_sha, f.path, s.start_line, s.end_line, s.end_line - s.start_line + 1 AS lines, s.nonblank,
       o.author, o.how, o.evidence, o.reason, o.session_id, o.turn_index, o.call_id, o.model, o.edited_by, o.similarity,
       o.tool, o.run_by, o.witness, o.seen_without_at, o.seen_with_at, f.kind, {LineClass of o} AS class
FROM spans s JOIN commit_files f ON f.id = s.file_id JOIN commits c ON c.id = f.commit_id JOIN origins o ON o.id = s.origin_id;

-- Lines of each commit by author; undeclared: nothing links the commit to any agent.
--   repo_id: its repository
--   commit_id: the commit
--   commit_sha: full id
--   label: short id and subject
--   position: place of the commit in the history of the branch
--   author_at: author time [UTC]
--   git_author: name of the author; NULL when git has none
--   subject: first line of the message; NULL when it is empty
--   parents: number of parents
--   lines_added: lines added, as git counts them; NULL when the clone lacks the content
--   agent_lines: added lines written by an agent
--   declared_lines: added lines that only the commit attributes to an agent
--   human_lines: added lines written by a person, with a witness
--   likely_human_lines: added lines written by a person as far as known; only the commit shows them
--   tool_lines: added lines written by a tool
--   unknown_lines: added lines whose author is unknown
--   agent_edited_lines: of the agent's lines, those that somebody else changed afterwards
--   sessions: sessions linked to the commit
CREATE VIEW IF NOT EXISTS commit_lines AS
SELECT c.repo_id, c.id AS commit_id, c.commit_sha, c.label, c.position, c.author_at, c.author_name AS git_author, c.subject, c.parents,
       c.lines_added,
       COALESCE(SUM(f.agent_lines), 0) AS agent_lines, COALESCE(SUM(f.declared_lines), 0) AS declared_lines,
       COALESCE(SUM(f.human_lines), 0) AS human_lines, COALESCE(SUM(f.likely_human_lines), 0) AS likely_human_lines,
       COALESCE(SUM(f.tool_lines), 0) AS tool_lines,
       COALESCE(SUM(f.unknown_lines), 0) AS unknown_lines, COALESCE(SUM(f.agent_edited_lines), 0) AS agent_edited_lines,
       (SELECT COUNT(*) FROM commit_sessions cs WHERE cs.commit_id = c.id) AS sessions
FROM commits c LEFT JOIN commit_files f ON f.commit_id = c.id
GROUP BY c.repo_id, c.id, c.commit_sha, c.label, c.position, c.author_at, c.author_name, c.subject, c.parents, c.lines_added;

-- Lines by author, how, evidence and reason for each repository.
--   repo_id: its repository
--   how: as in origins
--   evidence: as in origins
--   reason: as in origins [word]
--   witness: of dated lines what they are older than; NULL for others [word]
--   class: class of reports, from author, evidence and reason [word]
--   lines: added lines [lines]
--   nonblank: of those, non-blank lines [lines]
CREATE VIEW IF NOT EXISTS evidence_shares AS
SELECT c.repo_id, o.how, o.evidence, o.reason, CASE WHEN o.evidence = 'dated' THEN o.witness END AS witness,
       {LineClass of o} AS class, SUM(s.end_line - s.start_line + 1) AS lines, SUM(s.nonblank) AS nonblank
FROM spans s JOIN commit_files f ON f.id = s.file_id JOIN commits c ON c.id = f.commit_id JOIN origins o ON o.id = s.origin_id
GROUP BY c.repo_id, o.author, o.how, o.evidence, o.reason, CASE WHEN o.evidence = 'dated' THEN o.witness END;
