
-- === Conclusions: what became of lines, by author ===
-- The history of lines joined to their authors.

-- Who wrote and who removed the lines of a row of line_lifetimes. Filled from line_lifetimes and spans when survival is requested.
CREATE TABLE IF NOT EXISTS line_fates (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  origin INTEGER NOT NULL, -- number of the first line
  life INTEGER NOT NULL, -- the row it belongs to: line_lifetimes.origin
  lines INTEGER NOT NULL, -- lines
  nonblank INTEGER NOT NULL, -- non-blank lines
  origin_id INTEGER REFERENCES origins(id) ON DELETE CASCADE, -- who wrote them; NULL: their commit was not attributed
  actor TEXT {Author}, -- who removed them; NULL while they are present
  actor_session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- session that did
  actor_how TEXT {replaced, file, none}, -- how we know; NULL when they are alive: replaced (lines of that author replaced them),
    -- file (nothing replaced them; the only session linked to the commit removed lines from that file), none (we do not know)
  PRIMARY KEY (repo_id, origin)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS line_fates_life ON line_fates(repo_id, life);
CREATE INDEX IF NOT EXISTS line_fates_origin ON line_fates(origin_id);
CREATE INDEX IF NOT EXISTS line_fates_session ON line_fates(actor_session_id);

-- Non-blank lines removed by a commit, by who wrote them, who removed them and how old they were.
CREATE TABLE IF NOT EXISTS deletions (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  commit_id INTEGER NOT NULL REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that removed them
  author TEXT NOT NULL {LineClass or ''}, -- class of the author; '' when not attributed
  author_session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- session that wrote them
  actor TEXT NOT NULL {Author}, -- who removed them
  actor_session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- session that removed them
  cause TEXT NOT NULL {modified, deleted, file_deleted, unreadable, merge, reformatted, reverted}, -- how they were removed; the words of line_lifetimes.cause
  lines INTEGER NOT NULL, -- non-blank lines
  youngest_days REAL NOT NULL, -- age of the youngest when they were removed; 0 where times run backwards
  mean_days REAL NOT NULL, -- mean age
  oldest_days REAL NOT NULL -- age of the oldest
);
CREATE INDEX IF NOT EXISTS deletions_commit ON deletions(commit_id);
CREATE INDEX IF NOT EXISTS deletions_repo ON deletions(repo_id);
CREATE INDEX IF NOT EXISTS deletions_author_session ON deletions(author_session_id);
CREATE INDEX IF NOT EXISTS deletions_actor_session ON deletions(actor_session_id);

-- Share of non-blank lines of source and test files that survive some time, by group: Kaplan-Meier, lines that are younger or cannot be followed further are censored.
CREATE TABLE IF NOT EXISTS survival (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  grouping TEXT NOT NULL {class, model, agent, session, directory, language}, -- what the lines are grouped by:
    -- class (class of the author), model (model that wrote the lines), agent (agent that wrote the lines),
    -- session (session that wrote the lines), directory (first directory of the path), language (language of the file)
  name TEXT NOT NULL, -- the group; for other groupings than class and directory and language only lines of agents count
  author TEXT NOT NULL {LineClass or ''}, -- class of the authors; '' when not attributed
  unit TEXT NOT NULL {days, commits, head}, -- unit of the horizon: days (since the author time of the commit that wrote the lines),
    -- commits (of the main line since the lines were there), head (present at HEAD)
  horizon INTEGER NOT NULL, -- 1, 7, 30, 90, 180, 365 days; 1, 10, 100 commits; 0 for head
  at_risk INTEGER NOT NULL, -- lines present at that age and observed at least that long; for head all lines
  share REAL, -- of the lines that survive; NULL with fewer than 20 lines of 3 commits that are old enough (of a session: 20 lines) [share]
  low REAL, -- lower end of the 95 % interval by commit; NULL when there is none [share]
  high REAL, -- upper end; NULL when there is none [share]
  enough INTEGER NOT NULL, -- lines that are old enough, removed or not
  PRIMARY KEY (repo_id, grouping, name, author, unit, horizon)
) WITHOUT ROWID;

-- A file at HEAD with its non-blank lines by who wrote them. Filled together with survival.
CREATE TABLE IF NOT EXISTS tip_files (
  id INTEGER PRIMARY KEY, -- number used by tip_spans
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  path TEXT NOT NULL, -- path at HEAD
  directory TEXT NOT NULL, -- first directory of the path; '' for a file at the root
  language TEXT NOT NULL, -- by the name of the file; other when it has no usual suffix
  kind TEXT NOT NULL {FileKind}, -- source, test, docs, …: headlines count source and test
  lines INTEGER NOT NULL, -- all lines, blank ones too; 0 of a binary file
  agent INTEGER NOT NULL, -- non-blank lines that recorded sessions wrote
  declared INTEGER NOT NULL, -- that an agent wrote, as the commit says and nothing else
  human INTEGER NOT NULL, -- that a person wrote, with a witness
  likely_human INTEGER NOT NULL, -- that a person wrote as far as known; only the commit shows them
  tool INTEGER NOT NULL, -- that a tool wrote
  unknown INTEGER NOT NULL, -- in commits with agents, where the author is unknown
  undeclared INTEGER NOT NULL, -- of commits that nothing links to any agent
  older INTEGER NOT NULL -- lines from before the window, or of commits that were not attributed; blank ones too
);
CREATE INDEX IF NOT EXISTS tip_files_path ON tip_files(repo_id, path);

-- Consecutive lines of a file at HEAD with one author and one introducing commit.
CREATE TABLE IF NOT EXISTS tip_spans (
  file_id INTEGER NOT NULL REFERENCES tip_files(id) ON DELETE CASCADE, -- the file
  start_line INTEGER NOT NULL, -- first line, at HEAD
  end_line INTEGER NOT NULL, -- last line
  nonblank INTEGER NOT NULL, -- non-blank lines; 0 for lines older than the followed history
  origin_id INTEGER REFERENCES origins(id) ON DELETE CASCADE, -- who wrote them; NULL: their commit was not attributed
  birth INTEGER REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that wrote them; NULL: older than the followed history
  birth_path TEXT, -- path in that commit; NULL when it is the same
  birth_line INTEGER, -- where the first one is in that commit
  PRIMARY KEY (file_id, start_line)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS tip_spans_birth ON tip_spans(birth);
CREATE INDEX IF NOT EXISTS tip_spans_origin ON tip_spans(origin_id);

-- One row per span of lines with one author and one fate: who wrote it, when, what became of it, who removed it.
--   repo_id: its repository
--   birth_sha: commit that introduced the lines
--   path: path in that commit
--   start_line: first line there
--   end_line: last line there
--   lines: number of lines
--   nonblank: of those, non-blank lines
--   kind: as in line_lifetimes
--   author: who wrote them: {Author}; NULL when the commit was not attributed
--   how: as in origins
--   evidence: as in origins
--   reason: as in origins
--   session_id: session that wrote them
--   model: model that wrote them
--   born_at: author time of the commit that introduced them
--   death_sha: commit that removed or changed them; NULL while they are at HEAD
--   died_at: author time of that commit
--   cause: what became of them, as in line_lifetimes
--   actor: who removed or changed them: {Author}
--   actor_session_id: session that did
--   actor_how: how that is known, as in line_fates
--   reverted_later: 1: the commit that introduced them was reverted
--   same_as: set when other lines with the same text stand for these since a merge: leave such rows out when counting
CREATE VIEW IF NOT EXISTS line_histories AS
SELECT t.repo_id, b.commit_sha AS birth_sha, l.path, l.start_line + t.origin - l.origin AS start_line,
       l.start_line + t.origin - l.origin + t.lines - 1 AS end_line, t.lines, t.nonblank, l.kind,
       o.author, o.how, o.evidence, o.reason, o.session_id, o.model, b.author_at AS born_at,
       d.commit_sha AS death_sha, d.author_at AS died_at, l.cause, t.actor, t.actor_session_id, t.actor_how,
       b.reverted_by IS NOT NULL AS reverted_later, l.same_as
FROM line_fates t JOIN line_lifetimes l ON l.repo_id = t.repo_id AND l.origin = t.life JOIN history_commits b ON b.id = l.birth
LEFT JOIN history_commits d ON d.id = l.death LEFT JOIN origins o ON o.id = t.origin_id;

-- The lines at HEAD: who wrote each, in which commit and session.
--   repo_id: its repository
--   path: path at HEAD
--   start_line: first line
--   end_line: last line
--   lines: number of lines
--   nonblank: of those, non-blank lines
--   author: who wrote them: {Author}; NULL when the commit was not attributed
--   how: as in origins
--   evidence: as in origins
--   reason: as in origins
--   session_id: session that wrote them
--   turn_index: turn of the call that wrote them
--   call_id: the agent's own id of that call
--   model: model that wrote them
--   birth_sha: commit that introduced them; NULL when they are older than the followed history
--   born_at: author time of that commit
--   birth_path: path in that commit
--   birth_line: where the first of them is in that commit
CREATE VIEW IF NOT EXISTS tip_lines AS
SELECT f.repo_id, f.path, s.start_line, s.end_line, s.end_line - s.start_line + 1 AS lines, s.nonblank, o.author, o.how, o.evidence,
       o.reason, o.session_id, o.turn_index, o.call_id, o.model, b.commit_sha AS birth_sha, b.author_at AS born_at,
       COALESCE(s.birth_path, f.path) AS birth_path, s.birth_line
FROM tip_spans s JOIN tip_files f ON f.id = s.file_id LEFT JOIN origins o ON o.id = s.origin_id
LEFT JOIN history_commits b ON b.id = s.birth;

-- Earlier sessions whose lines a session changed or ended; via worktree: seen in the replay; via history: its commits ended lines that
-- another session had committed, wherever and under whatever name (once the lines were followed).
--   repo_id: its repository
--   session_id: the session that changed the lines
--   prior_session_id: the earlier session that wrote them
--   via: worktree, history
--   lines: non-blank lines that were removed or changed; NULL for worktree
CREATE VIEW IF NOT EXISTS prior_sessions AS
SELECT s.repo_id, p.session_id, p.prior_session_id, 'worktree' AS via, NULL AS lines
FROM region_priors p JOIN sessions s ON s.id = p.session_id
UNION ALL
SELECT t.repo_id, t.actor_session_id, o.session_id, 'history', SUM(t.nonblank)
FROM line_fates t JOIN origins o ON o.id = t.origin_id
WHERE t.actor_session_id IS NOT NULL AND o.author = 'agent' AND o.session_id <> t.actor_session_id
GROUP BY t.repo_id, t.actor_session_id, o.session_id;

-- Lines at HEAD by directory, in source and test files.
--   repo_id: its repository
--   directory: first directory of the path; empty for files at the root
--   files: files
--   lines: non-blank lines, and those from before the followed history, blank ones too [lines]
--   {ClassLines}
--   older: lines from before the followed history, blank ones too [lines]
CREATE VIEW IF NOT EXISTS tip_directories AS
SELECT repo_id, directory, COUNT(*) AS files, SUM(agent + declared + human + likely_human + tool + unknown + undeclared + older) AS lines, SUM(agent) AS agent,
       SUM(declared) AS declared, SUM(human) AS human, SUM(likely_human) AS likely_human, SUM(tool) AS tool, SUM(unknown) AS unknown,
       SUM(undeclared) AS undeclared, SUM(older) AS older
FROM tip_files WHERE kind IN ('source', 'test') GROUP BY repo_id, directory;

-- Lines at HEAD by language, in source and test files.
--   repo_id: its repository
--   language: by the name of the file
--   files: files
--   lines: non-blank lines, and those from before the followed history, blank ones too [lines]
--   {ClassLines}
--   older: lines from before the followed history, blank ones too [lines]
CREATE VIEW IF NOT EXISTS tip_languages AS
SELECT repo_id, language, COUNT(*) AS files, SUM(agent + declared + human + likely_human + tool + unknown + undeclared + older) AS lines, SUM(agent) AS agent,
       SUM(declared) AS declared, SUM(human) AS human, SUM(likely_human) AS likely_human, SUM(tool) AS tool, SUM(unknown) AS unknown,
       SUM(undeclared) AS undeclared, SUM(older) AS older
FROM tip_files WHERE kind IN ('source', 'test') GROUP BY repo_id, language;
