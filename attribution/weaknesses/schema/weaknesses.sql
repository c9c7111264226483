-- carried: finding_reviews

-- === Conclusions: weaknesses in introduced code ===

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
  tier TEXT {RuleTier}, -- what the rule sees; NULL in other sets than ours
  message TEXT, -- what the rule says
  languages TEXT NOT NULL, -- languages, separated by blanks
  PRIMARY KEY (rule_set_id, rule_id)
) WITHOUT ROWID;

-- Whether the added lines of a file of a commit were scanned: what rates are counted over.
CREATE TABLE IF NOT EXISTS scan_files (
  file_id INTEGER PRIMARY KEY REFERENCES commit_files(id) ON DELETE CASCADE, -- file of a commit, with added lines
  rule_set_id INTEGER NOT NULL REFERENCES rule_sets(id) ON DELETE CASCADE, -- the rules
  place TEXT NOT NULL {FilePlace}, -- what kind of file it is
  language TEXT NOT NULL, -- language by name and first line; other: no rule is for it
  status TEXT NOT NULL {ScanStatus}, -- result of the scan
  scanned INTEGER NOT NULL -- 1: status ok or partial, so that a weakness would have been seen
);
CREATE INDEX IF NOT EXISTS scan_files_rules ON scan_files(rule_set_id);

-- A weakness that a commit brought in, with who wrote it and what became of it.
CREATE TABLE IF NOT EXISTS findings (
  id INTEGER PRIMARY KEY, -- number of the finding
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  rule_set_id INTEGER NOT NULL REFERENCES rule_sets(id) ON DELETE CASCADE, -- the rules
  fingerprint TEXT NOT NULL, -- the same in every database: hash of commit, path, rule, matched text and occurrence [sha]
  label TEXT NOT NULL, -- for people: CWE, rule, place
  rule_id TEXT NOT NULL, -- id of the rule
  cwe TEXT, -- CWE-89, the first when the rule has several; NULL when the rule names none
  owasp TEXT, -- first OWASP category of the rule; NULL when it names none
  severity TEXT, -- ERROR, WARNING, INFO; NULL when the rule does not say
  confidence TEXT, -- HIGH, MEDIUM, LOW; NULL when the rule does not say
  tier TEXT {RuleTier}, -- what the rule sees; NULL in other sets than ours
  status TEXT NOT NULL {FindingStatus}, -- how it came in
  commit_id INTEGER NOT NULL REFERENCES commits(id) ON DELETE CASCADE, -- commit that brought it in
  commit_sha TEXT NOT NULL, -- full id of it [sha]
  path TEXT NOT NULL, -- path in that commit
  start_line INTEGER NOT NULL, -- first line of the match, in that commit
  end_line INTEGER NOT NULL, -- last line
  text_hash TEXT NOT NULL, -- hash of the matched text without white space
  occurrence INTEGER NOT NULL, -- 0, 1, … among equal ones of the file
  language TEXT NOT NULL, -- as in scan_files
  place TEXT NOT NULL {FilePlace}, -- what kind of file it is in
  class TEXT NOT NULL {LineClass or Mixture}, -- class of its non-blank added lines
  reason TEXT NOT NULL, -- why it is unknown, as in origins
  added_lines INTEGER NOT NULL, -- its non-blank lines that the commit added
  agent_lines INTEGER NOT NULL, -- of those, by an agent
  human_lines INTEGER NOT NULL, -- by a person, with a witness on record
  unknown_lines INTEGER NOT NULL, -- by an unknown author
  session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- session that wrote most of its lines; NULL when none did
  turn_index INTEGER, -- turn of the call that did; NULL without a session
  call_id TEXT, -- the agent's own id of that call; NULL without a session
  agent TEXT, -- agent of the session, or the one a trailer declares; NULL when none is known [agent]
  model TEXT, -- model that wrote most of its lines; NULL when it is not known
  suppressed INTEGER NOT NULL, -- 1: a nosemgrep comment asks to hide it
  ignored INTEGER NOT NULL, -- 1: the repository's .semgrepignore asks to leave out the file
  fixed_by INTEGER REFERENCES commits(id) ON DELETE SET NULL, -- commit that removed it; NULL while present, or when that commit is not attributed
  fixed_sha TEXT, -- full id of it; NULL while present [sha]
  fixed_how TEXT {FixHow}, -- how it went away; NULL when it is alive
  fixed_author TEXT {LineClass or Mixture}, -- class of the lines that came in its place, else of all the commit added to the file, else of all it added (none: nothing); NULL when it is alive
  fixed_session_id INTEGER REFERENCES sessions(id) ON DELETE SET NULL, -- the session, when those lines (or, without any, the commit) have only one; NULL otherwise
  moves INTEGER NOT NULL, -- times it was moved to another file
  rewords INTEGER NOT NULL, -- times its text was changed and it stayed: a finding of the same rule left and came in one hunk
  alive_at_head INTEGER NOT NULL, -- 1: still present at HEAD
  head_path TEXT, -- where; NULL when it is gone
  head_line INTEGER, -- first line there; NULL when it is gone
  UNIQUE (repo_id, fingerprint)
);
CREATE INDEX IF NOT EXISTS findings_commit ON findings(commit_id);
CREATE INDEX IF NOT EXISTS findings_rules ON findings(rule_set_id);
CREATE INDEX IF NOT EXISTS findings_session ON findings(session_id);
CREATE INDEX IF NOT EXISTS findings_fixed ON findings(fixed_by);
CREATE INDEX IF NOT EXISTS findings_fixed_session ON findings(fixed_session_id);
CREATE INDEX IF NOT EXISTS findings_cwe ON findings(cwe);
CREATE INDEX IF NOT EXISTS findings_path ON findings(path);

-- Non-blank added lines by who wrote them, and whether a weakness in them would have been seen: the denominator of every rate.
--   repo_id: its repository
--   commit_id: the commit
--   commit_sha: full id of the commit
--   path: path in the commit
--   place: as in scan_files
--   language: as in scan_files
--   status: as in scan_files
--   scanned: 1: a weakness in them would have been seen
--   lines: non-blank lines
--   class: class of the lines: {LineClass}
--   reason: why the author is unknown, as in origins
--   session_id: session that wrote them
--   model: model that wrote them
CREATE VIEW IF NOT EXISTS scanned_lines AS
SELECT c.repo_id, c.id AS commit_id, c.commit_sha, f.path, n.place, n.language, n.status, n.scanned, s.nonblank AS lines, {LineClass of o} AS class,
       o.reason, o.session_id, o.model
FROM scan_files n JOIN commit_files f ON f.id = n.file_id JOIN commits c ON c.id = f.commit_id JOIN spans s ON s.file_id = f.id
JOIN origins o ON o.id = s.origin_id WHERE s.nonblank > 0;

-- A reviewer's verdict on a finding. Kept when everything else is recomputed.
CREATE TABLE IF NOT EXISTS finding_reviews (
  fingerprint TEXT NOT NULL, -- the finding, as in findings
  reviewer TEXT NOT NULL, -- who
  verdict TEXT NOT NULL {ReviewVerdict}, -- what the reader says
  note TEXT NOT NULL, -- why
  reviewed_at TEXT NOT NULL, -- when
  repo TEXT NOT NULL, -- for people: repository
  commit_sha TEXT NOT NULL, -- commit
  path TEXT NOT NULL, -- path in it
  line INTEGER NOT NULL, -- first line
  rule_id TEXT NOT NULL, -- rule
  PRIMARY KEY (fingerprint, reviewer)
) WITHOUT ROWID;

-- Findings with what lists show beside them.
--   *: findings
--   repo: name of the repository
--   clone: path of the clone when it was attributed; NULL when it had none
--   session: the agent's own id of the session; NULL when no session wrote its lines
--   author_at: when the commit was authored [UTC]
--   message: what the rule says; NULL when it says nothing
--   verdicts: of reviewers, separated by blanks; NULL when nobody read it
--   now: present, or how it went away [word]
CREATE VIEW IF NOT EXISTS finding_list AS
SELECT n.id, n.repo_id, n.rule_set_id, n.fingerprint, n.label, n.rule_id, n.cwe, n.owasp, n.severity, n.confidence, n.tier, n.status, n.commit_id,
       n.commit_sha, n.path, n.start_line, n.end_line, n.text_hash, n.occurrence, n.language, n.place, n.class, n.reason,
       n.added_lines, n.agent_lines, n.human_lines, n.unknown_lines, n.session_id, n.turn_index, n.call_id, n.agent, n.model, n.suppressed,
       n.ignored, n.fixed_by, n.fixed_sha, n.fixed_how, n.fixed_author, n.fixed_session_id, n.moves, n.rewords, n.alive_at_head, n.head_path,
       n.head_line, r.name AS repo, r.path AS clone, s.key AS session, c.author_at, u.message,
       (SELECT group_concat(v.verdict, ' ') FROM finding_reviews v WHERE v.fingerprint = n.fingerprint) AS verdicts,
       CASE n.alive_at_head WHEN 1 THEN 'present' ELSE COALESCE(n.fixed_how, 'gone') END AS now
FROM findings n JOIN repos r ON r.id = n.repo_id JOIN commits c ON c.id = n.commit_id
JOIN scan_rules u ON u.rule_set_id = n.rule_set_id AND u.rule_id = n.rule_id LEFT JOIN sessions s ON s.id = n.session_id;

-- Weaknesses that commits introduced in source files, by CWE and by who wrote the lines.
--   repo_id: its repository
--   cwe: number of the weakness; NULL when the rule names none
--   class: class of the lines [word]
--   introduced: findings
--   high: of those, findings of high confidence
CREATE VIEW IF NOT EXISTS introduced_findings AS
SELECT repo_id, cwe, class, COUNT(*) AS introduced, SUM(confidence = 'HIGH') AS high
FROM findings WHERE status = 'introduced' AND place = 'source' GROUP BY repo_id, cwe, class;
