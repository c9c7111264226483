PRAGMA application_id = 2003332983;
PRAGMA user_version = 9;
BEGIN TRANSACTION;
CREATE TABLE checkpoint_sessions (
  id INTEGER PRIMARY KEY, -- number of the record
  checkpoint_id INTEGER NOT NULL REFERENCES checkpoints(id) ON DELETE CASCADE, -- the checkpoint
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  position INTEGER NOT NULL, -- number of its directory in the checkpoint; -1 in the legacy layout
  session_key_raw TEXT, -- session id as stored, before a leading date is removed
  transcript TEXT NOT NULL CHECK (transcript = 'present' OR transcript = 'none' OR transcript = 'missing_blob' OR transcript = 'local'), -- what the checkpoint has of its transcript: present (all of it), none (nothing), missing_blob (it is listed, and objects of it are absent from this clone), local (a file of this machine, not of the repository)
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
INSERT INTO "checkpoint_sessions" VALUES(1,1,2,0,'2ce3c96b-4ab5-4e74-a656-881619235e8c','present','1090a3336822642e2540ca3262021df8ee3f4964',0,'2026-01-13T06:11:27.300Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"cli_version":"0.3.9","checkpoint_id":"62b83c85d9b6","session_id":"2ce3c96b-4ab5-4e74-a656-881619235e8c","strategy":"manual-commit","created_at":"2026-01-13T06:11:27.300000Z","branch":"main","checkpoints_count":1,"files_touched":["birdlog/cli.py"],"agent":"Claude Code","model":"claude-opus-4-6","token_usage":{"input_tokens":40,"output_tokens":900,"api_call_count":10}}');
INSERT INTO "checkpoint_sessions" VALUES(2,2,2,0,'2ce3c96b-4ab5-4e74-a656-881619235e8c','present','64439b1eb1215679f2ca716e0bc1059f720a65ad',0,'2026-01-13T06:32:03.300Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"cli_version":"0.3.9","checkpoint_id":"7d98b60bcb32","session_id":"2ce3c96b-4ab5-4e74-a656-881619235e8c","strategy":"manual-commit","created_at":"2026-01-13T06:32:03.300000Z","branch":"main","checkpoints_count":2,"files_touched":[".gitignore","birdlog/cli.py"],"agent":"Claude Code","model":"claude-opus-4-6","token_usage":{"input_tokens":40,"output_tokens":900,"api_call_count":10}}');
INSERT INTO "checkpoint_sessions" VALUES(3,3,1,0,'03631055-2723-4ca5-a450-ed932d8efdaa','present','0451aeddbbb5dd9da6ed8b9c1aaf33f6785a7b18',0,'2026-01-12T10:42:53.300Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"cli_version":"0.3.9","checkpoint_id":"8f62cb46b651","session_id":"03631055-2723-4ca5-a450-ed932d8efdaa","strategy":"manual-commit","created_at":"2026-01-12T10:42:53.300000Z","branch":"main","checkpoints_count":2,"files_touched":["birdlog/counts.py","birdlog/store.py","tests/test_counts.py"],"agent":"Claude Code","model":"claude-opus-4-6","token_usage":{"input_tokens":40,"output_tokens":900,"api_call_count":10}}');
INSERT INTO "checkpoint_sessions" VALUES(4,4,1,0,'03631055-2723-4ca5-a450-ed932d8efdaa','present','fd2c14c4d76d03e00c4451bd0877e9fb04b2f1a7',0,'2026-01-12T10:26:42.300Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"cli_version":"0.3.9","checkpoint_id":"b06b35704281","session_id":"03631055-2723-4ca5-a450-ed932d8efdaa","strategy":"manual-commit","created_at":"2026-01-12T10:26:42.300000Z","branch":"main","checkpoints_count":1,"files_touched":["birdlog/store.py"],"agent":"Claude Code","model":"claude-opus-4-6","token_usage":{"input_tokens":40,"output_tokens":900,"api_call_count":10}}');
INSERT INTO "checkpoint_sessions" VALUES(5,5,3,0,'6d98c823-e1f2-47d6-a7e7-16966861236c','present','66742efb2bfb9b50248e9eb2fddee919baf3f33c',0,'2026-02-28T13:40:25.300Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"cli_version":"0.5.6","checkpoint_id":"b34dbc38a6cd","session_id":"6d98c823-e1f2-47d6-a7e7-16966861236c","strategy":"manual-commit","created_at":"2026-02-28T13:40:25.300000Z","branch":"main","checkpoints_count":1,"files_touched":["birdlog/cli.py"],"agent":"Claude Code","model":"claude-opus-4-6","token_usage":{"input_tokens":40,"output_tokens":900,"api_call_count":10}}');
CREATE TABLE checkpoints (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- number used by the other tables
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  checkpoint_id TEXT NOT NULL, -- the producer's id: 12 hex digits or a ULID; of a snapshot the id of its commit
  store TEXT NOT NULL CHECK (store = 'ref' OR store = 'v1' OR store = 'legacy' OR store = 'v2' OR store = 'v2full' OR store = 'shadow' OR store = 'local'), -- layout it was read from: ref (a ref for each checkpoint), v1 (the branch of checkpoints), legacy (the branch of sessions, which came before it), v2 (the metadata ref of the short-lived second layout), v2full (its transcript refs), shadow (a snapshot at the end of a turn, not tied to a commit), local (no checkpoint: a transcript that the agent kept on this machine)
  ref TEXT NOT NULL, -- git ref it was read from
  strategy TEXT, -- manual-commit, auto-commit, …
  branch TEXT, -- branch the developer was on
  cli_version TEXT, -- version of the tool that wrote it
  created_at TEXT, -- when it was stored, normally just after the commit
  author_email TEXT, -- e-mail of the commit that stored it: the developer
  signature TEXT CHECK (signature = 'gpg' OR signature = 'ssh' OR signature = 'x509' OR signature = 'other'), -- kind of signature that the commits carry that stored it, never verified; NULL when one has none: gpg (OpenPGP), ssh (SSH), x509 (X.509), other (in a form that is not known here)
  files_touched INTEGER, -- number of files the checkpoint names
  vendor_combined TEXT, -- the producer's own attribution over all sessions, untouched JSON
  UNIQUE (repo_id, checkpoint_id)
);
INSERT INTO "checkpoints" VALUES(1,1,'62b83c85d9b6','v1','refs/heads/entire/checkpoints/v1','manual-commit','main','0.3.9','2026-01-13T06:11:27.300Z','ada@example.com',NULL,1,NULL);
INSERT INTO "checkpoints" VALUES(2,1,'7d98b60bcb32','v1','refs/heads/entire/checkpoints/v1','manual-commit','main','0.3.9','2026-01-13T06:32:03.300Z','ada@example.com',NULL,2,NULL);
INSERT INTO "checkpoints" VALUES(3,1,'8f62cb46b651','v1','refs/heads/entire/checkpoints/v1','manual-commit','main','0.3.9','2026-01-12T10:42:53.300Z','ada@example.com',NULL,3,NULL);
INSERT INTO "checkpoints" VALUES(4,1,'b06b35704281','v1','refs/heads/entire/checkpoints/v1','manual-commit','main','0.3.9','2026-01-12T10:26:42.300Z','ada@example.com',NULL,1,NULL);
INSERT INTO "checkpoints" VALUES(5,1,'b34dbc38a6cd','v1','refs/heads/entire/checkpoints/v1','manual-commit','main','0.5.6','2026-02-28T13:40:25.300Z','ada@example.com',NULL,1,NULL);
CREATE TABLE commit_checkpoint_links (
  commit_id INTEGER NOT NULL REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  checkpoint_key TEXT NOT NULL, -- the id as named
  checkpoint INTEGER REFERENCES checkpoints(id) ON DELETE CASCADE, -- the checkpoint; NULL when this clone has none of that id
  method TEXT NOT NULL CHECK (method = 'trailer' OR method = 'same_patch_id' OR method = 'trailer_in_pull_ref' OR method = 'squash_by_number' OR method = 'made_by_call' OR method = 'imported' OR method = 'worktree' OR method = 'time_and_files' OR method = 'content'), -- how we know, of these the ones about messages: trailer, same_patch_id, trailer_in_pull_ref, squash_by_number, made_by_call, imported, worktree, time_and_files, content
  confidence REAL NOT NULL, -- 0 to 1
  PRIMARY KEY (commit_id, checkpoint_key)
);
INSERT INTO "commit_checkpoint_links" VALUES(3,'b06b35704281',4,'trailer',1.0);
INSERT INTO "commit_checkpoint_links" VALUES(4,'8f62cb46b651',3,'trailer',1.0);
INSERT INTO "commit_checkpoint_links" VALUES(6,'62b83c85d9b6',1,'trailer',1.0);
INSERT INTO "commit_checkpoint_links" VALUES(7,'7d98b60bcb32',2,'trailer',1.0);
INSERT INTO "commit_checkpoint_links" VALUES(9,'b34dbc38a6cd',5,'trailer',1.0);
CREATE TABLE commit_files (
  id INTEGER PRIMARY KEY, -- number used by spans
  commit_id INTEGER NOT NULL REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  path TEXT NOT NULL, -- path in the commit; before it, for a deleted file
  old_path TEXT, -- path before a rename; NULL otherwise
  status TEXT NOT NULL CHECK (status = 'A' OR status = 'M' OR status = 'D' OR status = 'R' OR status = 'T'), -- how the commit changed it: A (added), M (modified), D (deleted), R (renamed), T (type changed)
  content TEXT NOT NULL CHECK (content = 'text' OR content = 'binary' OR content = 'symlink' OR content = 'submodule' OR content = 'too_large' OR content = 'missing'), -- what it is to git: text (a text whose lines are known), binary (a binary file), symlink (a symbolic link), submodule (a commit of another repository), too_large (larger than what is read), missing (absent from this clone)
  kind TEXT NOT NULL CHECK (kind = 'source' OR kind = 'test' OR kind = 'docs' OR kind = 'config' OR kind = 'data' OR kind = 'lock' OR kind = 'generated' OR kind = 'vendored' OR kind = 'minified' OR kind = 'recorder'), -- source, test, docs, …: headlines count source and test: source (program text: programming and markup languages), test (program text of tests and their helpers), docs (prose), config (settings, and lists of dependencies that people edit), data (data and other text that nobody reads as a program), lock (resolved dependencies, written by a package manager), generated (written by a generator or a build), vendored (a copy of somebody else's code), minified (compressed for delivery), recorder (records of a tool that follows agents, committed with the code)
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
INSERT INTO "commit_files" VALUES(1,1,'README.md',NULL,'A','text','docs',3,0,0,0,0,0,0,3,0,2);
INSERT INTO "commit_files" VALUES(2,1,'birdlog/sighting.py',NULL,'A','text','source',12,0,0,0,0,0,0,12,0,9);
INSERT INTO "commit_files" VALUES(3,2,'birdlog/store.py',NULL,'A','text','source',10,0,0,0,0,0,0,10,0,6);
INSERT INTO "commit_files" VALUES(4,3,'birdlog/store.py',NULL,'M','text','source',16,0,13,0,0,3,0,0,0,14);
INSERT INTO "commit_files" VALUES(5,4,'birdlog/counts.py',NULL,'A','text','source',14,0,14,0,0,0,0,0,2,10);
INSERT INTO "commit_files" VALUES(6,4,'tests/test_counts.py',NULL,'A','text','test',11,0,11,0,0,0,0,0,0,7);
INSERT INTO "commit_files" VALUES(7,5,'README.md',NULL,'M','text','docs',4,0,0,0,0,0,0,4,0,2);
INSERT INTO "commit_files" VALUES(8,6,'birdlog/cli.py',NULL,'A','text','source',33,0,32,0,0,1,0,0,1,25);
INSERT INTO "commit_files" VALUES(9,7,'.gitignore',NULL,'A','text','config',2,0,2,0,0,0,0,0,0,2);
INSERT INTO "commit_files" VALUES(10,7,'birdlog/cli.py',NULL,'M','text','source',1,1,1,0,0,0,0,0,0,1);
INSERT INTO "commit_files" VALUES(11,8,'requirements-dev.txt',NULL,'A','text','config',2,0,0,0,0,0,2,0,0,2);
INSERT INTO "commit_files" VALUES(12,9,'birdlog/cli.py',NULL,'M','text','source',6,0,6,0,0,0,0,0,0,6);
INSERT INTO "commit_files" VALUES(13,9,'birdlog/report.py',NULL,'A','text','source',15,0,15,0,0,0,0,0,0,10);
INSERT INTO "commit_files" VALUES(14,10,'README.md',NULL,'M','text','docs',2,0,0,0,0,0,0,2,0,1);
INSERT INTO "commit_files" VALUES(15,10,'birdlog/report.py',NULL,'M','text','source',2,1,0,0,0,0,0,2,0,2);
INSERT INTO "commit_files" VALUES(16,11,'tests/test_report.py',NULL,'A','text','test',9,0,0,0,0,0,0,9,0,6);
CREATE TABLE commit_sessions (
  commit_id INTEGER NOT NULL REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  method TEXT NOT NULL CHECK (method = 'trailer' OR method = 'same_patch_id' OR method = 'trailer_in_pull_ref' OR method = 'squash_by_number' OR method = 'made_by_call' OR method = 'imported' OR method = 'worktree' OR method = 'time_and_files' OR method = 'content'), -- how the commit is linked to the session: trailer, same_patch_id, trailer_in_pull_ref, squash_by_number, made_by_call, imported, worktree, time_and_files, content
  confidence REAL NOT NULL, -- 0 to 1
  agent_lines INTEGER NOT NULL DEFAULT 0, -- lines of the commit this session wrote, blank ones included
  produced INTEGER, -- non-blank lines the session wrote to the commit's files since the commit before
  final INTEGER, -- of those, the ones in the session's own last state
  survived INTEGER, -- of those, the ones in the commit
  self_overwritten INTEGER, -- produced lines an agent replaced or removed again
  human_overwritten INTEGER, -- produced lines a human replaced before the commit
  human_deleted INTEGER, -- produced lines a human removed before the commit, with a witness: the session saw the file without them
  not_committed INTEGER, -- produced lines that the commit does not have, although nothing recorded removed them
  unexplained INTEGER, -- produced lines removed by an unknown author
  clean INTEGER NOT NULL DEFAULT 0, -- 1: one session, one checkpoint, no squash: numbers are unambiguous
  PRIMARY KEY (commit_id, session_id)
);
INSERT INTO "commit_sessions" VALUES(3,1,'trailer',1.0,13,11,11,11,0,0,0,0,0,1);
INSERT INTO "commit_sessions" VALUES(4,1,'trailer',1.0,25,17,17,15,0,2,0,0,0,1);
INSERT INTO "commit_sessions" VALUES(6,2,'trailer',1.0,32,24,24,23,0,1,0,0,0,1);
INSERT INTO "commit_sessions" VALUES(7,2,'trailer',1.0,3,3,3,3,0,0,0,0,0,1);
INSERT INTO "commit_sessions" VALUES(9,3,'trailer',1.0,21,6,6,6,0,0,0,0,0,1);
CREATE TABLE commits (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- number used by the other tables
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
INSERT INTO "commits" VALUES(1,1,'7e43d620252581404f5f618f9418a99679f06a88','7e43d6202 One bird, seen once',0,0,'Ada Example','ada@example.com','2026-01-12T09:01:23.000Z','2026-01-12T09:01:23.000Z','One bird, seen once',NULL,NULL,0,2,15,0);
INSERT INTO "commits" VALUES(2,1,'7092095d15d9d2e0981514dc9f63d5c0fba819f0','7092095d1 Keep sightings in a text file',1,1,'Ada Example','ada@example.com','2026-01-12T10:25:35.000Z','2026-01-12T10:25:35.000Z','Keep sightings in a text file',NULL,NULL,0,1,10,0);
INSERT INTO "commits" VALUES(3,1,'e6e02709f2ec644d8c28b7c82d5f29d00bb21b06','e6e02709f Read sightings back',2,1,'Ada Example','ada@example.com','2026-01-12T10:26:41.000Z','2026-01-12T10:26:41.000Z','Read sightings back',NULL,NULL,1,1,16,0);
INSERT INTO "commits" VALUES(4,1,'258da5c743e9428843e1b44e2c0fdd5e38583880','258da5c74 Count birds by species',3,1,'Ada Example','ada@example.com','2026-01-12T10:42:52.000Z','2026-01-12T10:42:52.000Z','Count birds by species',NULL,NULL,1,2,25,0);
INSERT INTO "commits" VALUES(5,1,'98490ec6cd955cd4dbc018b4686125f05e6f7d7b','98490ec6c Show the format',4,1,'Bo Example','bo@example.com','2026-01-12T21:50:09.000Z','2026-01-12T21:50:09.000Z','Show the format',NULL,NULL,0,1,4,0);
INSERT INTO "commits" VALUES(6,1,'98b8ab61746e04d087da0ab9582cd2e536aa924c','98b8ab617 A command line',5,1,'Ada Example','ada@example.com','2026-01-13T06:11:26.000Z','2026-01-13T06:11:26.000Z','A command line',NULL,NULL,1,1,33,0);
INSERT INTO "commits" VALUES(7,1,'b0a9d84d8c9a698ef06d3ac0ae85dd35ce522574','b0a9d84d8 Call the file sightings.txt',6,1,'Ada Example','ada@example.com','2026-01-13T06:32:02.000Z','2026-01-13T06:32:02.000Z','Call the file sightings.txt',NULL,NULL,1,2,3,1);
INSERT INTO "commits" VALUES(8,1,'459fbbd65a84aa3d2de372172815bfefa48a6346','459fbbd65 Bump pytest from 8.3.3 to 8.3.4',7,1,'deps[bot]','deps[bot]@users.noreply.example.com','2026-01-13T06:32:54.000Z','2026-01-13T06:32:54.000Z','Bump pytest from 8.3.3 to 8.3.4',NULL,'deps[bot]',0,1,2,0);
INSERT INTO "commits" VALUES(9,1,'43b7400e36b57d9df1b91a7e029f057870d97deb','43b7400e3 Report the year by season',8,1,'Ada Example','ada@example.com','2026-02-28T13:40:24.000Z','2026-02-28T13:40:24.000Z','Report the year by season',NULL,NULL,1,2,21,0);
INSERT INTO "commits" VALUES(10,1,'38b674e58e2fdd27c22ee1e75dc5d5fb1493121d','38b674e58 Look seasons up',9,1,'Bo Example','bo@example.com','2026-02-28T14:31:53.000Z','2026-02-28T14:31:53.000Z','Look seasons up',NULL,NULL,0,2,4,1);
INSERT INTO "commits" VALUES(11,1,'b2032806907807a32f2f05bd2fc921779efa0c18','b20328069 Test December',10,1,'Ada Example','ada@example.com','2026-03-01T09:59:25.000Z','2026-03-01T09:59:25.000Z','Test December',NULL,NULL,0,1,9,0);
CREATE TABLE confidence (
  author TEXT NOT NULL CHECK (author = 'agent' OR author = 'declared' OR author = 'human' OR author = 'tool' OR author = 'unknown'), -- as in origins: agent (a coding agent: one of its recorded actions wrote the line), declared (a coding agent, by what the commit or a note says; no recorded action shows it), human (a person: no agent ever produced the text, and something saw the line appear), tool (a program that writes files by itself: package manager, generator, formatter, bot, recorder), unknown (the author cannot be determined; the reason says why)
  how TEXT NOT NULL CHECK (how = 'exact' OR how = 'moved' OR how = 'reformatted' OR how = 'edited' OR how = 'shell' OR how = 'subagent' OR how = 'turn' OR how = 'declared' OR how = 'none'), -- as in origins: exact, moved, reformatted, edited, shell, subagent, turn, declared, none
  evidence TEXT NOT NULL CHECK (evidence = 'observed' OR evidence = 'replayed' OR evidence = 'matched' OR evidence = 'declared' OR evidence = 'inferred'), -- as in origins: observed (the texts before and after are on record), replayed (follows from the recorded edits in order), matched (found by its content), declared (the commit says so and nothing else does), inferred (follows from what else happened at that time)
  reason TEXT NOT NULL CHECK (reason = '' OR reason = 'no_session' OR reason = 'transcript_missing' OR reason = 'transcript_not_stored' OR reason = 'transcript_unreadable' OR reason = 'checkpoint_missing' OR reason = 'invisible_subagent' OR reason = 'opaque_shell' OR reason = 'git_operation' OR reason = 'other_branch' OR reason = 'rewritten' OR reason = 'restored' OR reason = 'base_unknown' OR reason = 'uncaptured' OR reason = 'agent_text' OR reason = 'brought_in' OR reason = 'edit_unplaced' OR reason = 'formatter' OR reason = 'unobserved' OR reason = 'common_line' OR reason = 'unexplained'), -- as in origins: no_session, transcript_missing, transcript_not_stored, transcript_unreadable, checkpoint_missing, invisible_subagent, opaque_shell, git_operation, other_branch, rewritten, restored, base_unknown, uncaptured, agent_text, brought_in, edit_unplaced, formatter, unobserved, common_line, unexplained
  class TEXT NOT NULL CHECK (class = 'agent' OR class = 'declared' OR class = 'human' OR class = 'likely_human' OR class = 'tool' OR class = 'unknown' OR class = 'undeclared'), -- class of these lines in reports: agent, declared, human, likely_human, tool, unknown, undeclared
  measured_on TEXT NOT NULL CHECK (measured_on = 'tier' OR measured_on = 'reason' OR measured_on = 'evidence' OR measured_on = 'class'), -- which lines were read: the first of these that has enough of them: tier (lines of the same author, how, evidence and reason), reason (lines of the same author, evidence and reason), evidence (lines of the same class and evidence), class (lines of the same class)
  checked INTEGER NOT NULL, -- lines that were read
  correct INTEGER NOT NULL, -- of those, lines whose class was right beyond doubt
  rate REAL, -- correct / checked; NULL when too few were read
  low REAL, -- lower end of the 95 % interval (Wilson), lines taken as independent
  high REAL, -- upper end
  forgotten INTEGER, -- lines of sessions that were forgotten on purpose; NULL where it does not concern the class
  forgotten_said INTEGER, -- of those, the ones that got this class, or as agent's another session; all of them wrong
  planted INTEGER, -- a person's lines put into commits with complete records; NULL where it does not concern the class
  planted_said INTEGER, -- of those, the ones that got this class: right for human and likely_human, wrong for agent
  decoys INTEGER, -- lines with a certain author beside sessions of other repositories; NULL for all but agent
  decoys_said INTEGER, -- of those, the ones that were given to such a session; all of them wrong
  PRIMARY KEY (author, how, evidence, reason)
) WITHOUT ROWID;
INSERT INTO "confidence" VALUES('agent','edited','observed','','agent','reason',111,103,9.27927927927927886919e-01,8.64197472140551870012e-01,9.63029915734472607979e-01,32245,109,321,0,11210,10);
INSERT INTO "confidence" VALUES('agent','exact','observed','','agent','tier',95,95,1.0,9.61135146460527112211e-01,1.0,32245,109,321,0,11210,10);
INSERT INTO "confidence" VALUES('agent','exact','replayed','','agent','tier',139,135,9.71223021582733769818e-01,9.28347195247050560595e-01,0.988753491637151,32245,109,321,0,11210,10);
INSERT INTO "confidence" VALUES('agent','reformatted','observed','','agent','reason',111,103,9.27927927927927886919e-01,8.64197472140551870012e-01,9.63029915734472607979e-01,32245,109,321,0,11210,10);
INSERT INTO "confidence" VALUES('agent','reformatted','replayed','','agent','reason',179,161,8.99441340782122900066e-01,8.46656688327699469276e-01,9.35441643868582084486e-01,32245,109,321,0,11210,10);
INSERT INTO "confidence" VALUES('agent','shell','replayed','','agent','reason',179,161,8.99441340782122900066e-01,8.46656688327699469276e-01,9.35441643868582084486e-01,32245,109,321,0,11210,10);
INSERT INTO "confidence" VALUES('agent','subagent','inferred','','agent','reason',60,53,8.83333333333333303727e-01,7.7821211975829140961e-01,9.42322793599439600953e-01,32245,109,321,0,11210,10);
INSERT INTO "confidence" VALUES('human','none','inferred','','likely_human','tier',50,25,0.5,3.66445143168285802914e-01,6.33554856831714197085e-01,32245,4,321,192,NULL,NULL);
INSERT INTO "confidence" VALUES('tool','none','declared','','tool','class',132,122,9.24242424242424198688e-01,8.66158621441472820201e-01,9.5833193521425330541e-01,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "confidence" VALUES('unknown','none','inferred','no_session','undeclared','class',0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE deletions (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  commit_id INTEGER NOT NULL REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that removed them
  author TEXT NOT NULL CHECK (author = 'agent' OR author = 'declared' OR author = 'human' OR author = 'likely_human' OR author = 'tool' OR author = 'unknown' OR author = 'undeclared' OR author = ''), -- class of the author; '' when not attributed: agent, declared, human, likely_human, tool, unknown, undeclared
  author_session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- session that wrote them
  actor TEXT NOT NULL CHECK (actor = 'agent' OR actor = 'declared' OR actor = 'human' OR actor = 'tool' OR actor = 'unknown'), -- who removed them: agent (a coding agent: one of its recorded actions wrote the line), declared (a coding agent, by what the commit or a note says; no recorded action shows it), human (a person: no agent ever produced the text, and something saw the line appear), tool (a program that writes files by itself: package manager, generator, formatter, bot, recorder), unknown (the author cannot be determined; the reason says why)
  actor_session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- session that removed them
  cause TEXT NOT NULL CHECK (cause = 'modified' OR cause = 'deleted' OR cause = 'file_deleted' OR cause = 'unreadable' OR cause = 'merge' OR cause = 'reformatted' OR cause = 'reverted'), -- how they were removed: modified (other lines replaced them), deleted (nothing replaced them), file_deleted (their file was deleted), unreadable (they cannot be followed further: a file or parent is missing), merge (a merge dropped them, and their text), reformatted (only their layout was changed), reverted (the commit that wrote them was reverted)
  lines INTEGER NOT NULL, -- non-blank lines
  youngest_days REAL NOT NULL, -- age of the youngest when they were removed; 0 where times run backwards
  mean_days REAL NOT NULL, -- mean age
  oldest_days REAL NOT NULL -- age of the oldest
);
INSERT INTO "deletions" VALUES(1,5,'agent',2,'agent',2,'modified',1,1.43055555555555557328e-02,1.43055555555555557328e-02,1.43055555555555557328e-02);
INSERT INTO "deletions" VALUES(1,8,'agent',3,'unknown',NULL,'modified',1,3.57523148148148131597e-02,3.57523148148148131597e-02,3.57523148148148131597e-02);
CREATE TABLE edits (
  id INTEGER PRIMARY KEY, -- number of the edit
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  call_id TEXT NOT NULL, -- the agent's own id of the call
  turn_index INTEGER NOT NULL, -- turn it belongs to
  at TEXT, -- when it took effect
  path TEXT NOT NULL, -- path in the repository, or the recorded path when outside
  root TEXT, -- worktree directory on the author's machine; NULL when outside
  op TEXT NOT NULL CHECK (op = 'edit' OR op = 'write' OR op = 'append' OR op = 'delete' OR op = 'move' OR op = 'copy' OR op = 'substitute'), -- what it does: edit (changes parts of it), write (writes the whole text), append (adds text at its end), delete (removes it), move (moves it), copy (copies it), substitute (replaces text in place, where it is there (literal sed, perl, Python))
  by_shell INTEGER NOT NULL DEFAULT 0, -- 1: by a shell command whose text gives the effect exactly, not by an edit tool
  outcome TEXT NOT NULL CHECK (outcome = 'applied' OR outcome = 'tool_error' OR outcome = 'rejected' OR outcome = 'outside_repo' OR outcome = 'unmatched'), -- what became of it: applied (replayed), tool_error (failed in the session), rejected (refused by the user), outside_repo (of a file outside the repository), unmatched (could not be replayed)
  detail TEXT CHECK (detail = 'no_content' OR detail = 'no_text_recorded' OR detail = 'text_not_found' OR detail = 'empty_search' OR detail = 'no_base_text' OR detail = 'text_too_large' OR detail = 'too_many_lines' OR detail = 'no_result_recorded' OR detail = 'path_redacted'), -- why it is unmatched; NULL otherwise: no_content, no_text_recorded, text_not_found, empty_search, no_base_text, text_too_large, too_many_lines, no_result_recorded, path_redacted
  lines_added INTEGER, -- lines the replay added
  lines_removed INTEGER -- lines the replay removed
);
INSERT INTO "edits" VALUES(1,1,'toolu_01wx0k2KGCe79XHZqWJya6gm',1,'2026-01-12T10:26:08.954Z','birdlog/store.py','/home/ada/work/birdlog','edit',0,'applied',NULL,2,0);
INSERT INTO "edits" VALUES(2,1,'toolu_01fjpGmexK8pfKStT40H5p67',1,'2026-01-12T10:26:11.281Z','birdlog/store.py','/home/ada/work/birdlog','edit',0,'applied',NULL,11,0);
INSERT INTO "edits" VALUES(3,1,'toolu_01rzWsJqkHRQ6yE8HSKQPSEg',2,'2026-01-12T10:42:12.627Z','birdlog/counts.py','/home/ada/work/birdlog','write',0,'applied',NULL,14,0);
INSERT INTO "edits" VALUES(4,1,'toolu_018xssHpanK4MNR62pntt4Sz',2,'2026-01-12T10:42:14.954Z','tests/test_counts.py','/home/ada/work/birdlog','write',0,'applied',NULL,11,0);
INSERT INTO "edits" VALUES(5,2,'toolu_01gPKX29qyF5qTHV1rd1DekD',1,'2026-01-13T06:10:40.627Z','birdlog/cli.py','/home/ada/work/birdlog','write',0,'applied',NULL,32,0);
INSERT INTO "edits" VALUES(6,2,'toolu_01EsHnbWqhGFDBhDR8kryJwA',2,'2026-01-13T06:31:57.627Z','birdlog/cli.py','/home/ada/work/birdlog','substitute',1,'applied',NULL,1,1);
INSERT INTO "edits" VALUES(7,2,'toolu_0101sqzkP50DG6YFx91mqbc0',2,'2026-01-13T06:31:59.954Z','.gitignore','/home/ada/work/birdlog','write',1,'applied',NULL,2,0);
INSERT INTO "edits" VALUES(8,3,'toolu_01zjjxrmdjY4Y9VWQKwByXtQ',1,'2026-02-28T13:40:14.271Z','birdlog/cli.py','/home/ada/work/birdlog','edit',0,'applied',NULL,1,0);
INSERT INTO "edits" VALUES(9,3,'toolu_01KeF3MBnQhSkdKzXW6P5GfD',1,'2026-02-28T13:40:16.598Z','birdlog/cli.py','/home/ada/work/birdlog','edit',0,'applied',NULL,1,0);
INSERT INTO "edits" VALUES(10,3,'toolu_01ztVhwSqbbaSG49F8zKvhMb',1,'2026-02-28T13:40:18.925Z','birdlog/cli.py','/home/ada/work/birdlog','edit',0,'applied',NULL,4,0);
CREATE TABLE history_commits (
  id INTEGER PRIMARY KEY, -- number used by the tables of the history
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  number INTEGER NOT NULL, -- order in which parents come before children, from 0
  commit_sha TEXT NOT NULL, -- full id; a row of commits has it when it was attributed
  first_parent INTEGER REFERENCES history_commits(id) ON DELETE CASCADE, -- NULL for a root and at the start of the followed history
  parents INTEGER NOT NULL, -- number of parents
  main_line INTEGER, -- 0, 1, … along the first parents of HEAD; NULL for a commit of another branch
  landed INTEGER REFERENCES history_commits(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, -- commit of the main line that brought it: itself or a merge
  author_at TEXT NOT NULL, -- author time: introductions and removals are dated by it
  committed_at TEXT NOT NULL, -- committer time
  lines_born INTEGER NOT NULL, -- lines it wrote
  lines_gone INTEGER NOT NULL, -- lines of its first parent that it does not have
  lines_came INTEGER NOT NULL, -- additional copies of lines: by copying, or brought in by a merge
  lines_present INTEGER NOT NULL, -- lines in its files, counted from the files; not counting older lines than the followed history
  patch TEXT, -- fingerprint of the lines it removes and adds; NULL for merges and where the text is not known
  inverse TEXT, -- fingerprint of the patch that would revert it
  reverts INTEGER REFERENCES history_commits(id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED, -- commit it reverts, by its message or as the exact inverse
  reverted_by INTEGER REFERENCES history_commits(id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED, -- commit that reverted it later
  UNIQUE (repo_id, number)
);
INSERT INTO "history_commits" VALUES(1,1,0,'e6e02709f2ec644d8c28b7c82d5f29d00bb21b06',NULL,1,0,1,'2026-01-12T10:26:41.000Z','2026-01-12T10:26:41.000Z',16,0,0,16,'d71cc3c1e392419288e809f0','2ca101d55f003459326d5808',NULL,NULL);
INSERT INTO "history_commits" VALUES(2,1,1,'258da5c743e9428843e1b44e2c0fdd5e38583880',1,1,1,2,'2026-01-12T10:42:52.000Z','2026-01-12T10:42:52.000Z',25,0,0,41,'e188e983d7300f293b81b6fa','0917ce21c7e875493b1ac7d9',NULL,NULL);
INSERT INTO "history_commits" VALUES(3,1,2,'98490ec6cd955cd4dbc018b4686125f05e6f7d7b',2,1,2,3,'2026-01-12T21:50:09.000Z','2026-01-12T21:50:09.000Z',4,0,0,45,'8ab0200aefe453f7b4e7a2b7','e006488c28a512fcc93e7f7b',NULL,NULL);
INSERT INTO "history_commits" VALUES(4,1,3,'98b8ab61746e04d087da0ab9582cd2e536aa924c',3,1,3,4,'2026-01-13T06:11:26.000Z','2026-01-13T06:11:26.000Z',33,0,0,78,'6b8309c287f7b136cf297c39','922d2bd719271e4c5f892a50',NULL,NULL);
INSERT INTO "history_commits" VALUES(5,1,4,'b0a9d84d8c9a698ef06d3ac0ae85dd35ce522574',4,1,4,5,'2026-01-13T06:32:02.000Z','2026-01-13T06:32:02.000Z',3,1,0,80,'64a9f2c65e7bc8fd0f426af3','3b9d62aea7c9972459f662ea',NULL,NULL);
INSERT INTO "history_commits" VALUES(6,1,5,'459fbbd65a84aa3d2de372172815bfefa48a6346',5,1,5,6,'2026-01-13T06:32:54.000Z','2026-01-13T06:32:54.000Z',2,0,0,82,NULL,NULL,NULL,NULL);
INSERT INTO "history_commits" VALUES(7,1,6,'43b7400e36b57d9df1b91a7e029f057870d97deb',6,1,6,7,'2026-02-28T13:40:24.000Z','2026-02-28T13:40:24.000Z',21,0,0,103,'9905e31ccca9cd54ca8e9935','bdc500307664c5fa9bebf3d6',NULL,NULL);
INSERT INTO "history_commits" VALUES(8,1,7,'38b674e58e2fdd27c22ee1e75dc5d5fb1493121d',7,1,7,8,'2026-02-28T14:31:53.000Z','2026-02-28T14:31:53.000Z',4,1,0,106,'834d486b249ee5ef8de9a5a8','4d9f7a0df2fea4b054b9af03',NULL,NULL);
INSERT INTO "history_commits" VALUES(9,1,8,'b2032806907807a32f2f05bd2fc921779efa0c18',8,1,8,9,'2026-03-01T09:59:25.000Z','2026-03-01T09:59:25.000Z',9,0,0,115,'49e450ce814817b1cb7889bd','7befcf8dae3545da4db7eeb6',NULL,NULL);
CREATE TABLE line_fates (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  origin INTEGER NOT NULL, -- number of the first line
  life INTEGER NOT NULL, -- the row it belongs to: line_lifetimes.origin
  lines INTEGER NOT NULL, -- lines
  nonblank INTEGER NOT NULL, -- non-blank lines
  origin_id INTEGER REFERENCES origins(id) ON DELETE CASCADE, -- who wrote them; NULL: their commit was not attributed
  actor TEXT CHECK (actor = 'agent' OR actor = 'declared' OR actor = 'human' OR actor = 'tool' OR actor = 'unknown'), -- who removed them; NULL while they are present: agent (a coding agent: one of its recorded actions wrote the line), declared (a coding agent, by what the commit or a note says; no recorded action shows it), human (a person: no agent ever produced the text, and something saw the line appear), tool (a program that writes files by itself: package manager, generator, formatter, bot, recorder), unknown (the author cannot be determined; the reason says why)
  actor_session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- session that did
  actor_how TEXT CHECK (actor_how = 'replaced' OR actor_how = 'file' OR actor_how = 'none'), -- how we know; NULL when they are alive: replaced (lines of that author replaced them), file (nothing replaced them; the only session linked to the commit removed lines from that file), none (we do not know)
  PRIMARY KEY (repo_id, origin)
) WITHOUT ROWID;
INSERT INTO "line_fates" VALUES(1,1,1,2,2,2,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,3,3,4,4,3,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,7,3,3,3,4,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,10,3,7,5,3,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,17,17,8,4,5,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,25,17,1,1,6,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,26,17,4,4,5,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,30,17,1,1,7,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,31,31,11,7,8,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,42,42,4,2,1,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,46,46,8,6,9,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,54,54,1,1,10,'agent',2,'replaced');
INSERT INTO "line_fates" VALUES(1,55,55,3,1,9,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,58,55,3,3,10,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,61,55,1,1,9,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,62,55,1,1,11,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,63,55,1,1,10,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,64,55,6,4,9,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,70,55,1,1,10,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,71,55,1,1,12,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,72,55,7,5,9,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,79,79,1,1,14,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,80,80,2,2,13,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,82,82,2,2,15,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,84,84,1,1,16,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,85,85,1,1,17,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,86,86,4,4,18,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,90,90,6,3,19,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,96,96,1,1,19,'unknown',NULL,'none');
INSERT INTO "line_fates" VALUES(1,97,97,8,6,19,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,105,105,2,1,1,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,107,107,1,1,1,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,108,108,1,1,1,NULL,NULL,NULL);
INSERT INTO "line_fates" VALUES(1,109,109,9,6,1,NULL,NULL,NULL);
CREATE TABLE line_lifetimes (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  origin INTEGER NOT NULL, -- number of the first line; the others follow, no number is used twice
  birth INTEGER NOT NULL REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that wrote them
  path TEXT NOT NULL, -- path in that commit
  start_line INTEGER NOT NULL, -- first line there
  end_line INTEGER NOT NULL, -- last line there
  nonblank INTEGER NOT NULL, -- non-blank lines
  blank_lines TEXT, -- numbers of the lines without text, separated by blanks; NULL when all have text
  kind TEXT NOT NULL CHECK (kind = 'text' OR kind = 'binary' OR kind = 'uncertain' OR kind = 'copy'), -- what is known of their introduction: text (lines of a text), binary (binary to git), uncertain (a file or parent is missing: they may be older than they seem), copy (a new file with exactly the content of another file of the commit)
  at_merge INTEGER NOT NULL, -- 1: written by a merge itself, in none of its parents
  death INTEGER REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that removed them; NULL: present at HEAD
  cause TEXT CHECK (cause = 'modified' OR cause = 'deleted' OR cause = 'file_deleted' OR cause = 'unreadable' OR cause = 'merge' OR cause = 'reformatted' OR cause = 'reverted'), -- how they were removed; NULL while they are present: modified (other lines replaced them), deleted (nothing replaced them), file_deleted (their file was deleted), unreadable (they cannot be followed further: a file or parent is missing), merge (a merge dropped them, and their text), reformatted (only their layout was changed), reverted (the commit that wrote them was reverted)
  same_as INTEGER, -- number of the first of the lines as which they go on: a merge had the same text from both sides and kept those; `death` and what follows is theirs; 0: older than the followed history
  gone_from_main INTEGER REFERENCES history_commits(id) ON DELETE CASCADE, -- commit of the main line that first did without them; NULL: alive, or never there
  into_path TEXT, -- file in the removing commit in which they were; NULL when a merge dropped them
  into_start INTEGER, -- first line of what replaced them
  into_end INTEGER, -- last line of it; before the first when nothing replaced them
  PRIMARY KEY (repo_id, origin)
) WITHOUT ROWID;
INSERT INTO "line_lifetimes" VALUES(1,1,1,'birdlog/store.py',3,4,2,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,3,1,'birdlog/store.py',10,23,12,'22 23','text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,17,2,'birdlog/counts.py',1,14,10,'2 5 7 8','text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,31,2,'tests/test_counts.py',1,11,7,'2 5 7 8','text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,42,3,'README.md',4,7,2,'4 6','text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,46,4,'birdlog/cli.py',1,8,6,'4 8','text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,54,4,'birdlog/cli.py',9,9,1,NULL,'text',0,5,'modified',NULL,5,'birdlog/cli.py',9,9);
INSERT INTO "line_lifetimes" VALUES(1,55,4,'birdlog/cli.py',10,33,18,'10 11 21 22 30 31','text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,79,5,'birdlog/cli.py',9,9,1,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,80,5,'.gitignore',1,2,2,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,82,6,'requirements-dev.txt',1,2,2,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,84,7,'birdlog/cli.py',6,6,1,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,85,7,'birdlog/cli.py',21,21,1,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,86,7,'birdlog/cli.py',30,33,4,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,90,7,'birdlog/report.py',1,6,3,'2 4 5','text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,96,7,'birdlog/report.py',7,7,1,NULL,'text',0,8,'modified',NULL,8,'birdlog/report.py',8,8);
INSERT INTO "line_lifetimes" VALUES(1,97,7,'birdlog/report.py',8,15,6,'8 9','text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,105,8,'README.md',8,9,1,'8','text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,107,8,'birdlog/report.py',4,4,1,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,108,8,'birdlog/report.py',8,8,1,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "line_lifetimes" VALUES(1,109,9,'tests/test_report.py',1,9,6,'2 5 6','text',0,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE line_moves (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  commit_id INTEGER NOT NULL REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that changed them
  path TEXT NOT NULL, -- path in that commit
  start_line INTEGER NOT NULL, -- first line there
  end_line INTEGER NOT NULL, -- last line there
  how TEXT NOT NULL CHECK (how = 'whitespace' OR how = 'reformatted' OR how = 'moved'), -- what the commit changed: whitespace (white space only), reformatted (the same text with other line breaks, quotes or separators), moved (moved within the files of the commit)
  origin INTEGER NOT NULL, -- number of the first line, as in line_lifetimes; the others follow; 0: older than the followed history
  PRIMARY KEY (repo_id, commit_id, path, start_line)
) WITHOUT ROWID;
CREATE TABLE origins (
  id INTEGER PRIMARY KEY, -- number used by spans
  author TEXT NOT NULL CHECK (author = 'agent' OR author = 'declared' OR author = 'human' OR author = 'tool' OR author = 'unknown'), -- who wrote the line: agent (a coding agent: one of its recorded actions wrote the line), declared (a coding agent, by what the commit or a note says; no recorded action shows it), human (a person: no agent ever produced the text, and something saw the line appear), tool (a program that writes files by itself: package manager, generator, formatter, bot, recorder), unknown (the author cannot be determined; the reason says why)
  how TEXT NOT NULL CHECK (how = 'exact' OR how = 'moved' OR how = 'reformatted' OR how = 'edited' OR how = 'shell' OR how = 'subagent' OR how = 'turn' OR how = 'declared' OR how = 'none'), -- what the agent did: exact, moved, reformatted, edited, shell, subagent, turn, declared, none
  evidence TEXT NOT NULL CHECK (evidence = 'observed' OR evidence = 'replayed' OR evidence = 'matched' OR evidence = 'declared' OR evidence = 'inferred'), -- how we know: observed (the texts before and after are on record), replayed (follows from the recorded edits in order), matched (found by its content), declared (the commit says so and nothing else does), inferred (follows from what else happened at that time)
  reason TEXT NOT NULL DEFAULT '' CHECK (reason = '' OR reason = 'no_session' OR reason = 'transcript_missing' OR reason = 'transcript_not_stored' OR reason = 'transcript_unreadable' OR reason = 'checkpoint_missing' OR reason = 'invisible_subagent' OR reason = 'opaque_shell' OR reason = 'git_operation' OR reason = 'other_branch' OR reason = 'rewritten' OR reason = 'restored' OR reason = 'base_unknown' OR reason = 'uncaptured' OR reason = 'agent_text' OR reason = 'brought_in' OR reason = 'edit_unplaced' OR reason = 'formatter' OR reason = 'unobserved' OR reason = 'common_line' OR reason = 'unexplained'), -- why the author is unknown; also kept with declared lines: no_session, transcript_missing, transcript_not_stored, transcript_unreadable, checkpoint_missing, invisible_subagent, opaque_shell, git_operation, other_branch, rewritten, restored, base_unknown, uncaptured, agent_text, brought_in, edit_unplaced, formatter, unobserved, common_line, unexplained
  session_id INTEGER REFERENCES sessions(id) ON DELETE CASCADE, -- session of the call
  turn_index INTEGER, -- turn of the call
  call_id TEXT, -- the agent's own id of the call
  model TEXT, -- model that made the call, or that a trailer declares
  edited_by TEXT CHECK (edited_by = 'agent' OR edited_by = 'declared' OR edited_by = 'human' OR edited_by = 'tool' OR edited_by = 'unknown'), -- who changed an agent's line afterwards, human or unknown: agent (a coding agent: one of its recorded actions wrote the line), declared (a coding agent, by what the commit or a note says; no recorded action shows it), human (a person: no agent ever produced the text, and something saw the line appear), tool (a program that writes files by itself: package manager, generator, formatter, bot, recorder), unknown (the author cannot be determined; the reason says why)
  similarity REAL, -- token similarity of the changed line to the agent's, 0.6 to 1
  tool TEXT, -- the tool that wrote the line: npm, prettier, dependabot, …
  run_by TEXT CHECK (run_by = 'agent' OR run_by = 'human' OR run_by = 'unknown'), -- who ran the tool: agent (a call of an agent ran it), human (a person ran it), unknown (not known)
  witness TEXT CHECK (witness = 'recorded' OR witness = 'notice' OR witness = 'commit' OR witness = 'unwatched' OR witness = 'first_read' OR witness = 'typed'), -- what shows that a person wrote the line: recorded, notice, commit, unwatched, first_read, typed
  seen_without_at TEXT, -- when the file was last known to be without a person's line
  seen_with_at TEXT -- when a person's line was first seen; NULL when only the commit shows it
);
INSERT INTO "origins" VALUES(1,'unknown','none','inferred','no_session',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "origins" VALUES(2,'agent','exact','observed','',1,1,'toolu_01wx0k2KGCe79XHZqWJya6gm','claude-opus-4-6',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "origins" VALUES(3,'agent','exact','observed','',1,1,'toolu_01fjpGmexK8pfKStT40H5p67','claude-opus-4-6',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "origins" VALUES(4,'human','none','inferred','',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'commit','2026-01-12T10:26:11.281Z',NULL);
INSERT INTO "origins" VALUES(5,'agent','exact','observed','',1,2,'toolu_01rzWsJqkHRQ6yE8HSKQPSEg','claude-opus-4-6',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "origins" VALUES(6,'agent','edited','observed','',1,2,'toolu_01rzWsJqkHRQ6yE8HSKQPSEg','claude-opus-4-6','human',0.846,NULL,NULL,'commit','2026-01-12T10:42:12.627Z',NULL);
INSERT INTO "origins" VALUES(7,'agent','edited','observed','',1,2,'toolu_01rzWsJqkHRQ6yE8HSKQPSEg','claude-opus-4-6','human',0.923,NULL,NULL,'commit','2026-01-12T10:42:12.627Z',NULL);
INSERT INTO "origins" VALUES(8,'agent','exact','observed','',1,2,'toolu_018xssHpanK4MNR62pntt4Sz','claude-opus-4-6',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "origins" VALUES(9,'agent','exact','observed','',2,1,'toolu_01gPKX29qyF5qTHV1rd1DekD','claude-opus-4-6',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "origins" VALUES(10,'agent','reformatted','observed','',2,1,'toolu_01gPKX29qyF5qTHV1rd1DekD','claude-opus-4-6',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "origins" VALUES(11,'human','none','inferred','',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'commit','2026-01-13T06:10:40.627Z',NULL);
INSERT INTO "origins" VALUES(12,'agent','edited','observed','',2,1,'toolu_01gPKX29qyF5qTHV1rd1DekD','claude-opus-4-6','human',0.88,NULL,NULL,'commit','2026-01-13T06:10:40.627Z',NULL);
INSERT INTO "origins" VALUES(13,'agent','shell','replayed','',2,2,'toolu_0101sqzkP50DG6YFx91mqbc0','claude-opus-4-6',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "origins" VALUES(14,'agent','reformatted','replayed','',2,2,'toolu_01EsHnbWqhGFDBhDR8kryJwA','claude-opus-4-6',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "origins" VALUES(15,'tool','none','declared','',NULL,NULL,NULL,NULL,NULL,NULL,'deps[bot]','unknown',NULL,NULL,NULL);
INSERT INTO "origins" VALUES(16,'agent','exact','replayed','',3,1,'toolu_01zjjxrmdjY4Y9VWQKwByXtQ','claude-opus-4-6',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "origins" VALUES(17,'agent','exact','replayed','',3,1,'toolu_01KeF3MBnQhSkdKzXW6P5GfD','claude-opus-4-6',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "origins" VALUES(18,'agent','exact','replayed','',3,1,'toolu_01ztVhwSqbbaSG49F8zKvhMb','claude-opus-4-6',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "origins" VALUES(19,'agent','subagent','inferred','',3,1,'toolu_01A1YhvvwpWqFR2j6dtYyxGd','claude-opus-4-6',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE problems (
  id INTEGER PRIMARY KEY, -- number of the row
  repo_id INTEGER REFERENCES repos(id) ON DELETE CASCADE, -- its repository; NULL for results of evaluation runs and for one that is not in the database
  stage TEXT NOT NULL, -- repository, checkpoints, transcripts, commits, lines, features, history, claims, weaknesses, commit_quality, attempts, judge
  subject TEXT NOT NULL, -- what it is about: a checkpoint, session, commit or path
  code TEXT NOT NULL, -- kind of problem
  detail TEXT -- more, for people
);
CREATE TABLE region_edits (
  region_id INTEGER NOT NULL REFERENCES regions(id) ON DELETE CASCADE, -- the region
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  round INTEGER NOT NULL, -- 1, 2, … for each call that edited the region
  call_id TEXT NOT NULL, -- the agent's own id of the call
  turn_index INTEGER NOT NULL, -- turn it belongs to
  at TEXT, -- when it took effect
  tool TEXT NOT NULL CHECK (tool = 'edit' OR tool = 'write' OR tool = 'append' OR tool = 'delete' OR tool = 'move' OR tool = 'copy' OR tool = 'substitute'), -- what the edit does; the same for calls by shell: edit (changes parts of it), write (writes the whole text), append (adds text at its end), delete (removes it), move (moves it), copy (copies it), substitute (replaces text in place, where it is there (literal sed, perl, Python))
  start_line INTEGER NOT NULL, -- first new line, after the edit
  end_line INTEGER NOT NULL, -- last new line; start_line - 1 when lines were only removed
  lines_added INTEGER NOT NULL, -- lines
  lines_removed INTEGER NOT NULL, -- lines
  removed TEXT, -- text taken away; NULL in regions that one call edited
  added TEXT -- text put in its place; NULL in regions that one call edited
);
INSERT INTO "region_edits" VALUES(1,1,1,'toolu_01wx0k2KGCe79XHZqWJya6gm',1,'2026-01-12T10:26:08.954Z','edit',3,4,2,0,NULL,NULL);
INSERT INTO "region_edits" VALUES(2,1,1,'toolu_01fjpGmexK8pfKStT40H5p67',1,'2026-01-12T10:26:11.281Z','edit',10,20,11,0,NULL,NULL);
INSERT INTO "region_edits" VALUES(3,1,1,'toolu_01rzWsJqkHRQ6yE8HSKQPSEg',2,'2026-01-12T10:42:12.627Z','write',1,14,14,0,NULL,NULL);
INSERT INTO "region_edits" VALUES(4,1,1,'toolu_018xssHpanK4MNR62pntt4Sz',2,'2026-01-12T10:42:14.954Z','write',1,11,11,0,NULL,NULL);
INSERT INTO "region_edits" VALUES(5,2,1,'toolu_01gPKX29qyF5qTHV1rd1DekD',1,'2026-01-13T06:10:40.627Z','write',1,32,32,0,'','import argparse
from datetime import date
from pathlib import Path

from birdlog.counts import by_species
from birdlog.sighting import Sighting
from birdlog.store import append, load

LOG = Path(''birds.txt'')


def parser():
    top = argparse.ArgumentParser(prog=''birdlog'')
    commands = top.add_subparsers(dest=''command'',required=True)
    add = commands.add_parser(''add'')
    add.add_argument("species")
    add.add_argument(''--count'',type=int,default=1)
    commands.add_parser("top")
    return top


def main():
    options = parser().parse_args()
    if options.command == ''add'':
        append(LOG, Sighting(date.today(), options.species, "garden", options.count))
        return
    for species, count in by_species(load(LOG)):
        print(f"{count:5} {species}")


if __name__ == "__main__":
    main()');
INSERT INTO "region_edits" VALUES(5,2,2,'toolu_01EsHnbWqhGFDBhDR8kryJwA',2,'2026-01-13T06:31:57.627Z','substitute',9,9,1,1,'LOG = Path(''birds.txt'')','LOG = Path(''sightings.txt'')');
INSERT INTO "region_edits" VALUES(6,2,1,'toolu_0101sqzkP50DG6YFx91mqbc0',2,'2026-01-13T06:31:59.954Z','write',1,2,2,0,NULL,NULL);
INSERT INTO "region_edits" VALUES(7,3,1,'toolu_01zjjxrmdjY4Y9VWQKwByXtQ',1,'2026-02-28T13:40:14.271Z','edit',6,6,1,0,NULL,NULL);
INSERT INTO "region_edits" VALUES(8,3,1,'toolu_01KeF3MBnQhSkdKzXW6P5GfD',1,'2026-02-28T13:40:16.598Z','edit',21,21,1,0,NULL,NULL);
INSERT INTO "region_edits" VALUES(9,3,1,'toolu_01ztVhwSqbbaSG49F8zKvhMb',1,'2026-02-28T13:40:18.925Z','edit',30,33,4,0,NULL,NULL);
CREATE TABLE region_priors (
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session that changed the lines
  prior_session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session that wrote them
  PRIMARY KEY (session_id, prior_session_id)
) WITHOUT ROWID;
INSERT INTO "region_priors" VALUES(3,2);
CREATE TABLE region_symbols (
  region_id INTEGER NOT NULL REFERENCES regions(id) ON DELETE CASCADE, -- the region
  call_id TEXT NOT NULL, -- the call
  start_line INTEGER NOT NULL, -- first new line of the hunk, as in region_edits
  symbol TEXT NOT NULL, -- the head line, at most 80 characters
  PRIMARY KEY (region_id, call_id, start_line)
) WITHOUT ROWID;
INSERT INTO "region_symbols" VALUES(8,'toolu_01KeF3MBnQhSkdKzXW6P5GfD',21,'def parser():');
INSERT INTO "region_symbols" VALUES(9,'toolu_01ztVhwSqbbaSG49F8zKvhMb',30,'def main():');
CREATE TABLE regions (
  id INTEGER PRIMARY KEY, -- number used by region_edits
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  path TEXT NOT NULL, -- file, relative to its worktree
  root TEXT NOT NULL, -- worktree directory on the author's machine
  start_line INTEGER NOT NULL, -- first line of the last hunk, after it
  end_line INTEGER NOT NULL, -- last line of the last hunk, after it
  hunks INTEGER NOT NULL, -- hunks of applied edits
  rounds INTEGER NOT NULL, -- calls that edited it
  convergence TEXT CHECK (convergence = 'converging' OR convergence = 'oscillating' OR convergence = 'expanding'), -- how it developed; NULL when one call edited it: converging (the edits get smaller), oscillating (an earlier state came back, or there is no trend), expanding (the edits get larger)
  returned_to INTEGER, -- oscillating: the round whose state came back, 0 is the text before the session; NULL when none did
  sizes TEXT NOT NULL, -- lines added and removed by each round, JSON list
  first_at TEXT, -- first edit
  last_at TEXT -- last edit
);
INSERT INTO "regions" VALUES(1,1,'birdlog/store.py','/home/ada/work/birdlog',3,4,1,1,NULL,NULL,'[2]','2026-01-12T10:26:08.954Z','2026-01-12T10:26:08.954Z');
INSERT INTO "regions" VALUES(2,1,'birdlog/store.py','/home/ada/work/birdlog',10,20,1,1,NULL,NULL,'[11]','2026-01-12T10:26:11.281Z','2026-01-12T10:26:11.281Z');
INSERT INTO "regions" VALUES(3,1,'birdlog/counts.py','/home/ada/work/birdlog',1,14,1,1,NULL,NULL,'[14]','2026-01-12T10:42:12.627Z','2026-01-12T10:42:12.627Z');
INSERT INTO "regions" VALUES(4,1,'tests/test_counts.py','/home/ada/work/birdlog',1,11,1,1,NULL,NULL,'[11]','2026-01-12T10:42:14.954Z','2026-01-12T10:42:14.954Z');
INSERT INTO "regions" VALUES(5,2,'birdlog/cli.py','/home/ada/work/birdlog',9,9,2,2,'converging',NULL,'[32, 2]','2026-01-13T06:10:40.627Z','2026-01-13T06:31:57.627Z');
INSERT INTO "regions" VALUES(6,2,'.gitignore','/home/ada/work/birdlog',1,2,1,1,NULL,NULL,'[2]','2026-01-13T06:31:59.954Z','2026-01-13T06:31:59.954Z');
INSERT INTO "regions" VALUES(7,3,'birdlog/cli.py','/home/ada/work/birdlog',6,6,1,1,NULL,NULL,'[1]','2026-02-28T13:40:14.271Z','2026-02-28T13:40:14.271Z');
INSERT INTO "regions" VALUES(8,3,'birdlog/cli.py','/home/ada/work/birdlog',21,21,1,1,NULL,NULL,'[1]','2026-02-28T13:40:16.598Z','2026-02-28T13:40:16.598Z');
INSERT INTO "regions" VALUES(9,3,'birdlog/cli.py','/home/ada/work/birdlog',30,33,1,1,NULL,NULL,'[4]','2026-02-28T13:40:18.925Z','2026-02-28T13:40:18.925Z');
CREATE TABLE repos (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- number used by the other tables
  name TEXT NOT NULL UNIQUE, -- owner/name from the remote, else the name of the directory
  path TEXT, -- where the clone was when it was read
  url TEXT, -- address of origin, without credentials
  root_sha TEXT, -- first commit of the main line; NULL in a shallow clone
  branch TEXT, -- the branch that was attributed
  head_sha TEXT, -- its HEAD when it was attributed
  shallow INTEGER NOT NULL DEFAULT 0, -- 1: history before the shallow boundary is missing, its lines are censored
  partial INTEGER NOT NULL DEFAULT 0, -- 1: a partial clone, objects may be missing
  first_commit_at TEXT, -- author time of the earliest commit read
  last_commit_at TEXT -- author time of the latest commit read
);
INSERT INTO "repos" VALUES(1,'example','/clone/example',NULL,'7e43d620252581404f5f618f9418a99679f06a88','main','b2032806907807a32f2f05bd2fc921779efa0c18',0,0,'2026-01-12T09:01:23.000Z','2026-03-01T09:59:25.000Z');
CREATE TABLE scores (
  session_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  task_type TEXT NOT NULL CHECK (task_type = 'coding' OR task_type = 'operations' OR task_type = 'research' OR task_type = 'chat' OR task_type = 'discovery' OR task_type = 'heartbeat'), -- what the session was for: coding (it changed program text), operations (it mostly ran commands), research (it called tools and changed nothing), chat (it called no tool), discovery (it changed documents only), heartbeat (a scheduled check)
  q REAL, -- 0 to 1; NULL when nothing could be scored
  tier TEXT CHECK (tier = 'Excellent' OR tier = 'Good' OR tier = 'Acceptable' OR tier = 'Poor' OR tier = 'Failed'), -- grade of the score: Excellent (from 0.90), Good (from 0.75), Acceptable (from 0.60), Poor (from 0.40), Failed (below 0.40)
  completion REAL, -- did the session do what it was for, 0 to 1
  execution REAL, -- how well did the agent work, 0 to 1
  efficiency REAL, -- was it worth its tokens and turns, 0 to 1
  outcome REAL, -- is there a result, 0 to 1
  weight_covered REAL NOT NULL, -- share of the weights whose signals are available
  special TEXT CHECK (special = 'empty' OR special = 'no_reply' OR special = 'heartbeat_ok' OR special = 'no_prompt' OR special = 'quiet_cron'), -- which rule of its own scored it; NULL otherwise: empty (nothing happened), no_reply (a check that asked for no reply), heartbeat_ok (a check that found everything in order), no_prompt (no person typed anything, as in a subagent's session: it has no score), quiet_cron (a scheduled session that found nothing)
  cost_usd REAL, -- cost of the session when it was scored
  roi REAL, -- q / cost_usd
  parts TEXT NOT NULL, -- every signal with its value, score and weight, JSON
  version INTEGER NOT NULL -- of the formula
);
INSERT INTO "scores" VALUES(1,'coding',0.979591836734694,'Excellent',1.0,1.0,1.0,9.59183673469387931831e-01,0.8125,NULL,0.115385,8.48976761914195,'{"weights": {"completion": 0.15, "execution": 0.2, "efficiency": 0.15, "outcome": 0.5}, "signals": [{"part": "completion", "signal": "ended_normally", "weight": 1.0, "score": 1.0, "value": 1}, {"part": "completion", "signal": "substantive_output", "weight": 1.0, "score": 1.0, "value": 19}, {"part": "completion", "signal": "no_corrections", "weight": 1.0, "score": 1.0, "value": 0}, {"part": "execution", "signal": "tool_success", "weight": 0.5, "score": 1.0, "value": 0.0}, {"part": "execution", "signal": "first_attempt", "weight": 0.25, "score": 1.0, "value": 0}, {"part": "execution", "signal": "error_recovery", "weight": 0.15, "score": 1.0, "value": 0}, {"part": "execution", "signal": "subagents", "weight": 0.1, "score": 1.0, "value": 0}, {"part": "efficiency", "signal": "tokens", "weight": 1.0, "score": 1.0, "value": 0.0069800683979908094}, {"part": "efficiency", "signal": "responses", "weight": 1.0, "score": 1.0, "value": 8}, {"part": "efficiency", "signal": "compactions", "weight": 1.0, "score": 1.0, "value": 0}, {"part": "efficiency", "signal": "model_appropriateness", "weight": 1.0, "score": null, "value": null}, {"part": "outcome", "signal": "artifact", "weight": 0.3, "score": 1.0, "value": true}, {"part": "outcome", "signal": "landed", "weight": 0.4, "score": 0.9285714285714286, "value": 0.9285714285714286}, {"part": "outcome", "signal": "acceptance", "weight": 0.3, "score": null, "value": "accepted"}]}',5);
INSERT INTO "scores" VALUES(2,'coding',9.89417989417989418576e-01,'Excellent',1.0,1.0,1.0,9.78835978835978837153e-01,0.8125,NULL,0.05723,1.72884499286735859868e+01,'{"weights": {"completion": 0.15, "execution": 0.2, "efficiency": 0.15, "outcome": 0.5}, "signals": [{"part": "completion", "signal": "ended_normally", "weight": 1.0, "score": 1.0, "value": 1}, {"part": "completion", "signal": "substantive_output", "weight": 1.0, "score": 1.0, "value": 5}, {"part": "completion", "signal": "no_corrections", "weight": 1.0, "score": 1.0, "value": 0}, {"part": "execution", "signal": "tool_success", "weight": 0.5, "score": 1.0, "value": 0.0}, {"part": "execution", "signal": "first_attempt", "weight": 0.25, "score": 1.0, "value": 0}, {"part": "execution", "signal": "error_recovery", "weight": 0.15, "score": 1.0, "value": 0}, {"part": "execution", "signal": "subagents", "weight": 0.1, "score": 1.0, "value": 0}, {"part": "efficiency", "signal": "tokens", "weight": 1.0, "score": 1.0, "value": 0.006732927220262905}, {"part": "efficiency", "signal": "responses", "weight": 1.0, "score": 1.0, "value": 4}, {"part": "efficiency", "signal": "compactions", "weight": 1.0, "score": 1.0, "value": 0}, {"part": "efficiency", "signal": "model_appropriateness", "weight": 1.0, "score": null, "value": null}, {"part": "outcome", "signal": "artifact", "weight": 0.3, "score": 1.0, "value": true}, {"part": "outcome", "signal": "landed", "weight": 0.4, "score": 0.9629629629629629, "value": 0.9629629629629629}, {"part": "outcome", "signal": "acceptance", "weight": 0.3, "score": null, "value": "accepted"}]}',5);
INSERT INTO "scores" VALUES(3,'coding',0.95,'Excellent',6.66666666666666629659e-01,1.0,1.0,1.0,0.8125,NULL,0.085995,1.10471539042967599182e+01,'{"weights": {"completion": 0.15, "execution": 0.2, "efficiency": 0.15, "outcome": 0.5}, "signals": [{"part": "completion", "signal": "ended_normally", "weight": 1.0, "score": 0.0, "value": 0}, {"part": "completion", "signal": "substantive_output", "weight": 1.0, "score": 1.0, "value": 0}, {"part": "completion", "signal": "no_corrections", "weight": 1.0, "score": 1.0, "value": 0}, {"part": "execution", "signal": "tool_success", "weight": 0.5, "score": 1.0, "value": 0.0}, {"part": "execution", "signal": "first_attempt", "weight": 0.25, "score": 1.0, "value": 0}, {"part": "execution", "signal": "error_recovery", "weight": 0.15, "score": 1.0, "value": 0}, {"part": "execution", "signal": "subagents", "weight": 0.1, "score": 1.0, "value": 1}, {"part": "efficiency", "signal": "tokens", "weight": 1.0, "score": 1.0, "value": 0.006786363150582452}, {"part": "efficiency", "signal": "responses", "weight": 1.0, "score": 1.0, "value": 6}, {"part": "efficiency", "signal": "compactions", "weight": 1.0, "score": 1.0, "value": 0}, {"part": "efficiency", "signal": "model_appropriateness", "weight": 1.0, "score": null, "value": null}, {"part": "outcome", "signal": "artifact", "weight": 0.3, "score": 1.0, "value": true}, {"part": "outcome", "signal": "landed", "weight": 0.4, "score": 1.0, "value": 1.0}, {"part": "outcome", "signal": "acceptance", "weight": 0.3, "score": null, "value": "accepted"}]}',5);
CREATE TABLE session_features (
  session_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
  user_turn_count INTEGER,
  turn_count INTEGER,
  user_agent_turn_ratio REAL,
  tool_call_count INTEGER,
  tool_sequence TEXT,
  tool_counts TEXT,
  acting_commands INTEGER,
  edit_calls INTEGER,
  files_read_before_edit INTEGER,
  files_searched_before_edit INTEGER,
  edit_to_read_ratio REAL,
  first_tool_precision INTEGER,
  tool_error_rate REAL,
  tool_errors INTEGER,
  tool_errors_by_type TEXT,
  first_attempt_failures INTEGER,
  longest_error_run INTEGER,
  tool_result_sizes TEXT,
  interruptions INTEGER,
  permission_denials INTEGER,
  subagent_count INTEGER,
  subagents_succeeded INTEGER,
  compaction_events TEXT,
  model_changes TEXT,
  ended_normally INTEGER,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cache_read_tokens INTEGER,
  cache_write_tokens INTEGER,
  cache_read_ratio REAL,
  tokens_by_model TEXT,
  context_growth_curve TEXT,
  reasoning_tokens_total INTEGER,
  has_reasoning_blocks INTEGER,
  unrecorded_tokens TEXT,
  tokens_too_low TEXT,
  recorded_cost_usd REAL,
  cost_usd REAL,
  cost_source TEXT,
  prices_as_of TEXT,
  wall_time_s REAL,
  session_runtime_s REAL,
  agent_runtime_s REAL,
  turn_timestamps TEXT,
  per_turn_agent_latency_s TEXT,
  time_to_first_edit_s REAL,
  turn_numbers TEXT,
  typed_turn_numbers TEXT,
  interrupted_turns TEXT,
  tokens_by_turn TEXT,
  recorded_cost_by_turn TEXT,
  user_msg_lengths TEXT,
  user_msg_length_slope REAL,
  turn_languages TEXT,
  turn_classes TEXT,
  turns_classified INTEGER,
  pushback_turns INTEGER,
  correction_turns INTEGER,
  correction_ratio REAL,
  last_message_rejects INTEGER,
  last_message_accepts INTEGER,
  agent_words INTEGER,
  last_said TEXT,
  agent_hedging_rate REAL,
  agent_hedging_curve TEXT,
  self_correction_count INTEGER,
  assumption_count INTEGER,
  plan_steps_detected INTEGER,
  confirmation_requests INTEGER,
  clarification_sought INTEGER,
  prompt_underspecification REAL,
  repetition_rate REAL,
  repeated_calls INTEGER,
  phase_transitions TEXT,
  verified_after_last_edit INTEGER,
  undo_commands TEXT,
  commits_made INTEGER,
  touched_files TEXT,
  diff_lines INTEGER,
  bash_mediated_edits INTEGER,
  output_applied INTEGER,
  output_applied_fraction REAL,
  changes_reverted INTEGER,
  reverted_lines INTEGER,
  reverted_by TEXT,
  session_outcome TEXT,
  session_reopened_within_s REAL,
  prior_sessions_same_repo INTEGER,
  region_count INTEGER,
  region_re_edit_count INTEGER,
  region_edit_convergence TEXT,
  regions_oscillating INTEGER,
  prior_sessions_same_region INTEGER,
  prior_sessions_committed INTEGER
);
INSERT INTO "session_features" VALUES(1,2,8,0.25,6,'["read","edit","edit","write","write","bash:build"]','{"bash:build":1,"edit":2,"read":1,"write":2}',1,4,1,1,4.0,1,0.0,0,'{}',0,0,'[351,79,79,70,73,18]',0,0,0,NULL,'[]','[]',1,32,1045,147200,2480,9.83221117879662265259e-01,'{"claude-opus-4-6":{"input":32,"output":1045,"cache_read":147200,"cache_write":2480,"cache_write_1h":0}}','[18714,18714,18714,18714,18714,18714,18714,18714]',NULL,0,'{"claude-opus-4-6":{"input":32,"output":1045,"cache_read":147200,"cache_write":2480,"cache_write_1h":0}}','[]',NULL,0.115385,'list','genai-prices 0.2.3, else 2026-03-31',974.981,17.962,17.962,'[1768213564.3,1768213566.517,1768213568.844,1768213570.771,1768213573.281,1768214530.3,1768214532.517,1768214534.844,1768214537.171,1768214539.281]','[8.981,8.981]',4.544,'[1,2]','[1,2]','[]','{"1":{"claude-opus-4-6":{"input":16,"output":501,"cache_read":73600,"cache_write":1240,"cache_write_1h":0}},"2":{"claude-opus-4-6":{"input":16,"output":544,"cache_read":73600,"cache_write":1240,"cache_write_1h":0}}}',NULL,'[20,13]',-7.0,'["en","en"]','["task","task"]',1,0,0,0.0,0,0,19,'Counts are there, and tested.',0.0,'[0.0,0.0]',0,0,0,0,0,0.5556,0.0,0,'["localize","implement","verify"]',1,'[]',0,'["birdlog/counts.py","birdlog/store.py","tests/test_counts.py"]',38,0,1,9.28571428571428603149e-01,0,0,NULL,'accepted',70099.019,0,4,0,'[]',0,0,0);
INSERT INTO "session_features" VALUES(2,2,4,0.5,3,'["write","bash:file","bash:file"]','{"bash:file":2,"write":1}',0,1,0,0,NULL,1,0.0,0,'{}',0,0,'[67,0,0]',0,0,0,NULL,'[]','[]',1,16,504,73600,1240,9.83221117879662265259e-01,'{"claude-opus-4-6":{"input":16,"output":504,"cache_read":73600,"cache_write":1240,"cache_write_1h":0}}','[18714,18714,18714,18714]',NULL,0,'{"claude-opus-4-6":{"input":16,"output":504,"cache_read":73600,"cache_write":1240,"cache_write_1h":0}}','[]',NULL,0.05723,'list','genai-prices 0.2.3, else 2026-03-31',1281.654,8.981,8.981,'[1768284638.3,1768284640.517,1768284642.627,1768285915.3,1768285917.517,1768285919.844]','[4.327,4.654]',2.217,'[1,2]','[1,2]','[]','{"1":{"claude-opus-4-6":{"input":8,"output":246,"cache_read":36800,"cache_write":620,"cache_write_1h":0}},"2":{"claude-opus-4-6":{"input":8,"output":258,"cache_read":36800,"cache_write":620,"cache_write_1h":0}}}',NULL,'[11,10]',-1.0,'["en","en"]','["task","task"]',1,0,0,0.0,0,0,5,'Try `python -m birdlog.cli top`.',0.0,'[0.0,null]',0,0,0,0,0,0.6056,0.0,0,'["implement","explore"]',0,'[]',0,'[".gitignore","birdlog/cli.py"]',36,0,1,9.62962962962962909507e-01,0,0,NULL,'accepted',NULL,1,2,1,'["converging"]',0,0,0);
INSERT INTO "session_features" VALUES(3,1,6,1.66666666666666657414e-01,6,'["agent","read","edit","edit","edit","git/gh"]','{"agent":1,"edit":3,"git/gh":1,"read":1}',1,3,1,1,3.0,1,0.0,0,'{}',0,0,'[9,916,77,77,77,null]',0,0,1,1,'[]','[]',0,24,762,110400,1860,9.83221117879662265259e-01,'{"claude-opus-4-6":{"input":24,"output":762,"cache_read":110400,"cache_write":1860,"cache_write_1h":0}}','[18714,18714,18714,18714,18714,18714]',NULL,0,'{"claude-opus-4-6":{"input":24,"output":762,"cache_read":110400,"cache_write":1860,"cache_write_1h":0}}','["subagents_unseen"]',NULL,0.085995,'list','genai-prices 0.2.3, else 2026-03-31',17.842,17.842,17.842,'[1772286003.3,1772286005.517,1772286011.834,1772286014.161,1772286016.488,1772286018.815,1772286021.142]','[17.842]',10.861,'[1]','[1]','[]','{"1":{"claude-opus-4-6":{"input":24,"output":762,"cache_read":110400,"cache_write":1860,"cache_write_1h":0}}}',NULL,'[22]',NULL,'["en"]','["task"]',0,NULL,0,0.0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0.8778,0.0,0,'["explore","localize","implement"]',0,'[]',0,'["birdlog/cli.py"]',6,0,1,1.0,0,0,NULL,'accepted',NULL,2,3,0,'[]',0,1,0);
CREATE TABLE session_stats (
  session_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  commits INTEGER NOT NULL, -- commits linked to it
  agent_lines INTEGER NOT NULL, -- lines of those commits written by an agent
  declared_lines INTEGER NOT NULL, -- that only the commit attributes to an agent
  human_lines INTEGER NOT NULL, -- written by a person, with a witness
  likely_human_lines INTEGER NOT NULL, -- written by a person as far as is known
  tool_lines INTEGER NOT NULL, -- written by a tool
  unknown_lines INTEGER NOT NULL, -- whose author is unknown
  agent_percentage REAL, -- agent / (agent + human) x 100 in source and test files of its commits; NULL when both are 0
  coding_mode TEXT CHECK (coding_mode = 'human_only' OR coding_mode = 'collaborative' OR coding_mode = 'vibe'), -- how much of its lines by agents and people the agents wrote in source and test files; NULL without a percentage: human_only (none), collaborative (some), vibe (99 % or more)
  produced INTEGER NOT NULL, -- non-blank lines the session ever wrote into the repository's files
  final INTEGER NOT NULL, -- of those, not overwritten by an agent again
  survived INTEGER NOT NULL, -- of those, in a commit
  self_overwritten INTEGER NOT NULL, -- replaced or removed by an agent again
  human_overwritten INTEGER NOT NULL, -- replaced by a human before a commit
  human_deleted INTEGER NOT NULL, -- removed by a human before a commit, with a witness: the session saw the file without them
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
INSERT INTO "session_stats" VALUES(1,2,38,0,0,3,0,0,100.0,'vibe',28,28,26,0,2,0,0,0,0,9.28571428571428603149e-01,9.28571428571428603149e-01,4,4,0,0,0,0);
INSERT INTO "session_stats" VALUES(2,2,35,0,0,1,0,0,100.0,'vibe',27,27,26,0,1,0,0,0,0,9.62962962962962909507e-01,9.62962962962962909507e-01,1,1,0,0,0,0);
INSERT INTO "session_stats" VALUES(3,1,21,0,0,0,0,0,100.0,'vibe',6,6,6,0,0,0,0,0,0,1.0,1.0,3,3,0,0,0,0);
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- number used by the other tables
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  key TEXT NOT NULL, -- the agent's own session id
  label TEXT NOT NULL, -- short name for people: start of the first prompt
  agent TEXT, -- agent whose transcript it is, by its content: claude-code, codex, …; NULL when none could be read
  agent_label TEXT, -- agent that the checkpoint names; may be wrong. An unknown name is kept as written
  model TEXT, -- model of most responses
  models INTEGER, -- number of different models
  transcript TEXT NOT NULL CHECK (transcript = 'present' OR transcript = 'partial' OR transcript = 'missing_blob' OR transcript = 'none' OR transcript = 'unreadable' OR transcript = 'unknown_format' OR transcript = 'pending'), -- what could be read of it: present (every copy could be read), partial (some copies are unreadable, or readable only in their compact form), missing_blob (the copies are absent from this clone), none (no checkpoint has a transcript), unreadable (empty or too large), unknown_format (no reader knows the format), pending (not read yet)
  started_at TEXT, -- first event
  ended_at TEXT, -- last event
  cwd TEXT, -- first working directory
  branch TEXT, -- first git branch
  agent_version TEXT, -- first version of the agent seen
  parent_key TEXT, -- session that spawned this one, when stored separately
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
INSERT INTO "sessions" VALUES(1,1,'03631055-2723-4ca5-a450-ed932d8efdaa','append() writes one line per sighting. Please add load(), which reads them back ','claude-code','claude-code','claude-opus-4-6',1,'present','2026-01-12T10:26:04.300Z','2026-01-12T10:42:19.281Z','/home/ada/work/birdlog','main','2.1.37',NULL,'',2,6,32,1045,147200,2480,0,0,0,0,2);
INSERT INTO "sessions" VALUES(2,1,'2ce3c96b-4ab5-4e74-a656-881619235e8c','A command line please: `birdlog add`, `birdlog top`. Standard library only.','claude-code','claude-code','claude-opus-4-6',1,'present','2026-01-13T06:10:38.300Z','2026-01-13T06:31:59.954Z','/home/ada/work/birdlog','main','2.1.84',NULL,'',2,3,16,504,73600,1240,0,0,0,0,2);
INSERT INTO "sessions" VALUES(3,1,'6d98c823-e1f2-47d6-a7e7-16966861236c','I would like a report of the year by season. Let a subagent write the module, yo','claude-code','claude-code','claude-opus-4-6',1,'present','2026-02-28T13:40:03.300Z','2026-02-28T13:40:21.142Z','/home/ada/work/birdlog','main','2.1.160',NULL,'',1,6,24,762,110400,1860,0,0,1,1,1);
CREATE TABLE spans (
  file_id INTEGER NOT NULL REFERENCES commit_files(id) ON DELETE CASCADE, -- file of a commit
  start_line INTEGER NOT NULL, -- first line, in the commit's version
  end_line INTEGER NOT NULL, -- last line
  nonblank INTEGER NOT NULL, -- non-blank lines of the span
  origin_id INTEGER NOT NULL REFERENCES origins(id), -- who, how, from where
  PRIMARY KEY (file_id, start_line)
) WITHOUT ROWID;
INSERT INTO "spans" VALUES(1,1,3,2,1);
INSERT INTO "spans" VALUES(2,1,12,9,1);
INSERT INTO "spans" VALUES(3,1,10,6,1);
INSERT INTO "spans" VALUES(4,3,4,2,2);
INSERT INTO "spans" VALUES(4,10,13,4,3);
INSERT INTO "spans" VALUES(4,14,16,3,4);
INSERT INTO "spans" VALUES(4,17,23,5,3);
INSERT INTO "spans" VALUES(5,1,8,4,5);
INSERT INTO "spans" VALUES(5,9,9,1,6);
INSERT INTO "spans" VALUES(5,10,13,4,5);
INSERT INTO "spans" VALUES(5,14,14,1,7);
INSERT INTO "spans" VALUES(6,1,11,7,8);
INSERT INTO "spans" VALUES(7,4,7,2,1);
INSERT INTO "spans" VALUES(8,1,8,6,9);
INSERT INTO "spans" VALUES(8,9,9,1,10);
INSERT INTO "spans" VALUES(8,10,12,1,9);
INSERT INTO "spans" VALUES(8,13,15,3,10);
INSERT INTO "spans" VALUES(8,16,16,1,9);
INSERT INTO "spans" VALUES(8,17,17,1,11);
INSERT INTO "spans" VALUES(8,18,18,1,10);
INSERT INTO "spans" VALUES(8,19,24,4,9);
INSERT INTO "spans" VALUES(8,25,25,1,10);
INSERT INTO "spans" VALUES(8,26,26,1,12);
INSERT INTO "spans" VALUES(8,27,33,5,9);
INSERT INTO "spans" VALUES(9,1,2,2,13);
INSERT INTO "spans" VALUES(10,9,9,1,14);
INSERT INTO "spans" VALUES(11,1,2,2,15);
INSERT INTO "spans" VALUES(12,6,6,1,16);
INSERT INTO "spans" VALUES(12,21,21,1,17);
INSERT INTO "spans" VALUES(12,30,33,4,18);
INSERT INTO "spans" VALUES(13,1,15,10,19);
INSERT INTO "spans" VALUES(14,8,9,1,1);
INSERT INTO "spans" VALUES(15,4,4,1,1);
INSERT INTO "spans" VALUES(15,8,8,1,1);
INSERT INTO "spans" VALUES(16,1,9,6,1);
CREATE TABLE stage_runs (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  stage TEXT NOT NULL, -- load (all facts), checkpoints, session, commits, lines, history, survival, claims, weaknesses, complexity, commit_quality
  subject TEXT NOT NULL, -- '' for the whole repository, else a session
  input_key TEXT NOT NULL, -- hash of everything the stage read
  version TEXT NOT NULL, -- version of the code that did it
  finished_at TEXT NOT NULL, -- when
  seconds REAL NOT NULL, -- how long it took
  problems INTEGER NOT NULL, -- problems it reported
  PRIMARY KEY (repo_id, stage, subject)
);
INSERT INTO "stage_runs" VALUES(1,'session','03631055-2723-4ca5-a450-ed932d8efdaa','2b34abc7e60b42dbd90c4a065fe6c9d3full secrets 3','11','2026-11-23T12:36:46.073Z',0.003,0);
INSERT INTO "stage_runs" VALUES(1,'features','03631055-2723-4ca5-a450-ed932d8efdaa','2b34abc7e60b42dbd90c4a065fe6c9d3full secrets 3','a7f7860b532e6631','2026-11-23T12:36:46.088Z',0.014,0);
INSERT INTO "stage_runs" VALUES(1,'session','2ce3c96b-4ab5-4e74-a656-881619235e8c','09dd6edf590dae71693e1120b6b7bd73full secrets 3','11','2026-11-23T12:36:46.090Z',0.002,0);
INSERT INTO "stage_runs" VALUES(1,'features','2ce3c96b-4ab5-4e74-a656-881619235e8c','09dd6edf590dae71693e1120b6b7bd73full secrets 3','a7f7860b532e6631','2026-11-23T12:36:46.092Z',0.002,0);
INSERT INTO "stage_runs" VALUES(1,'session','6d98c823-e1f2-47d6-a7e7-16966861236c','2bfe8d1b609ea0ab784e8738c470ce8ffull secrets 3','11','2026-11-23T12:36:46.094Z',0.002,0);
INSERT INTO "stage_runs" VALUES(1,'features','6d98c823-e1f2-47d6-a7e7-16966861236c','2bfe8d1b609ea0ab784e8738c470ce8ffull secrets 3','a7f7860b532e6631','2026-11-23T12:36:46.095Z',0.001,0);
INSERT INTO "stage_runs" VALUES(1,'costs','','69d8233f4dfba5fd93752f63b5051eda','1','2026-11-23T12:36:46.306Z',0.409,0);
INSERT INTO "stage_runs" VALUES(1,'load','','d958bdcf96774f1e549bf16935281470','11','2026-11-23T12:36:46.306Z',0.41,0);
INSERT INTO "stage_runs" VALUES(1,'lines','','b5e028760971b6b2f6a2c2f8fcca2db6','13','2026-11-23T12:36:46.306Z',0.41,0);
INSERT INTO "stage_runs" VALUES(1,'history','','ecb73c057c08225959711ca8c819ea3a','2','2026-11-23T12:36:46.379Z',0.018,0);
INSERT INTO "stage_runs" VALUES(1,'survival','','2c355cb11c20360487fb68535fd06a7f','5','2026-11-23T12:36:46.389Z',0.009,0);
INSERT INTO "stage_runs" VALUES(1,'claims','commits','b2032806907807a32f2f05bd2fc921779efa0c18','3','2026-11-23T12:36:46.433Z',0.0,0);
INSERT INTO "stage_runs" VALUES(1,'claims','','546d144f32f38460965eeeb651c3e90f','3','2026-11-23T12:36:46.434Z',0.021,0);
CREATE TABLE survival (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  grouping TEXT NOT NULL CHECK (grouping = 'class' OR grouping = 'model' OR grouping = 'agent' OR grouping = 'session' OR grouping = 'directory' OR grouping = 'language'), -- what the lines are grouped by: class (class of the author), model (model that wrote the lines), agent (agent that wrote the lines), session (session that wrote the lines), directory (first directory of the path), language (language of the file)
  name TEXT NOT NULL, -- the group; for other groupings than class and directory and language only lines of agents count
  author TEXT NOT NULL CHECK (author = 'agent' OR author = 'declared' OR author = 'human' OR author = 'likely_human' OR author = 'tool' OR author = 'unknown' OR author = 'undeclared' OR author = ''), -- class of the authors; '' when not attributed: agent, declared, human, likely_human, tool, unknown, undeclared
  unit TEXT NOT NULL CHECK (unit = 'days' OR unit = 'commits' OR unit = 'head'), -- unit of the horizon: days (since the author time of the commit that wrote the lines), commits (of the main line since the lines were there), head (present at HEAD)
  horizon INTEGER NOT NULL, -- 1, 7, 30, 90, 180, 365 days; 1, 10, 100 commits; 0 for head
  at_risk INTEGER NOT NULL, -- lines present at that age and observed at least that long; for head all lines
  share REAL, -- of the lines that survive; NULL with fewer than 20 lines of 3 commits that are old enough (of a session: 20 lines)
  low REAL, -- lower end of the 95 % interval by commit; NULL when there is none
  high REAL, -- upper end
  enough INTEGER NOT NULL, -- lines that are old enough, removed or not
  PRIMARY KEY (repo_id, grouping, name, author, unit, horizon)
) WITHOUT ROWID;
INSERT INTO "survival" VALUES(1,'agent','claude-code','agent','commits',1,67,9.71014492753623170706e-01,8.9358408243599007914e-01,0.992340043711483,69);
INSERT INTO "survival" VALUES(1,'agent','claude-code','agent','days',1,52,9.71014492753623281728e-01,0.89358408243599,9.92340043711483099642e-01,53);
INSERT INTO "survival" VALUES(1,'agent','claude-code','agent','days',7,52,9.71014492753623281728e-01,0.89358408243599,9.92340043711483099642e-01,53);
INSERT INTO "survival" VALUES(1,'agent','claude-code','agent','days',30,52,9.71014492753623281728e-01,0.89358408243599,9.92340043711483099642e-01,53);
INSERT INTO "survival" VALUES(1,'agent','claude-code','agent','head',0,69,9.71014492753623170706e-01,NULL,NULL,69);
INSERT INTO "survival" VALUES(1,'class','agent','agent','commits',1,67,9.71014492753623170706e-01,8.9358408243599007914e-01,0.992340043711483,69);
INSERT INTO "survival" VALUES(1,'class','agent','agent','days',1,52,9.71014492753623281728e-01,0.89358408243599,9.92340043711483099642e-01,53);
INSERT INTO "survival" VALUES(1,'class','agent','agent','days',7,52,9.71014492753623281728e-01,0.89358408243599,9.92340043711483099642e-01,53);
INSERT INTO "survival" VALUES(1,'class','agent','agent','days',30,52,9.71014492753623281728e-01,0.89358408243599,9.92340043711483099642e-01,53);
INSERT INTO "survival" VALUES(1,'class','agent','agent','head',0,69,9.71014492753623170706e-01,NULL,NULL,69);
INSERT INTO "survival" VALUES(1,'class','likely_human','likely_human','commits',1,4,NULL,NULL,NULL,4);
INSERT INTO "survival" VALUES(1,'class','likely_human','likely_human','days',1,4,NULL,NULL,NULL,4);
INSERT INTO "survival" VALUES(1,'class','likely_human','likely_human','days',7,4,NULL,NULL,NULL,4);
INSERT INTO "survival" VALUES(1,'class','likely_human','likely_human','days',30,4,NULL,NULL,NULL,4);
INSERT INTO "survival" VALUES(1,'class','likely_human','likely_human','head',0,4,NULL,NULL,NULL,4);
INSERT INTO "survival" VALUES(1,'class','undeclared','undeclared','commits',1,2,NULL,NULL,NULL,2);
INSERT INTO "survival" VALUES(1,'class','undeclared','undeclared','head',0,8,NULL,NULL,NULL,8);
INSERT INTO "survival" VALUES(1,'directory','birdlog/','agent','commits',1,60,0.967741935483871,9.03151512382468824036e-01,9.89500625944046086068e-01,62);
INSERT INTO "survival" VALUES(1,'directory','birdlog/','agent','days',1,45,0.967741935483871,9.03151512382468824036e-01,9.89500625944046086068e-01,46);
INSERT INTO "survival" VALUES(1,'directory','birdlog/','agent','days',7,45,0.967741935483871,9.03151512382468824036e-01,9.89500625944046086068e-01,46);
INSERT INTO "survival" VALUES(1,'directory','birdlog/','agent','days',30,45,0.967741935483871,9.03151512382468824036e-01,9.89500625944046086068e-01,46);
INSERT INTO "survival" VALUES(1,'directory','birdlog/','agent','head',0,62,0.967741935483871,NULL,NULL,62);
INSERT INTO "survival" VALUES(1,'directory','birdlog/','likely_human','commits',1,4,NULL,NULL,NULL,4);
INSERT INTO "survival" VALUES(1,'directory','birdlog/','likely_human','days',1,4,NULL,NULL,NULL,4);
INSERT INTO "survival" VALUES(1,'directory','birdlog/','likely_human','days',7,4,NULL,NULL,NULL,4);
INSERT INTO "survival" VALUES(1,'directory','birdlog/','likely_human','days',30,4,NULL,NULL,NULL,4);
INSERT INTO "survival" VALUES(1,'directory','birdlog/','likely_human','head',0,4,NULL,NULL,NULL,4);
INSERT INTO "survival" VALUES(1,'directory','birdlog/','undeclared','commits',1,2,NULL,NULL,NULL,2);
INSERT INTO "survival" VALUES(1,'directory','birdlog/','undeclared','head',0,2,NULL,NULL,NULL,2);
INSERT INTO "survival" VALUES(1,'directory','tests/','agent','commits',1,7,NULL,NULL,NULL,7);
INSERT INTO "survival" VALUES(1,'directory','tests/','agent','days',1,7,NULL,NULL,NULL,7);
INSERT INTO "survival" VALUES(1,'directory','tests/','agent','days',7,7,NULL,NULL,NULL,7);
INSERT INTO "survival" VALUES(1,'directory','tests/','agent','days',30,7,NULL,NULL,NULL,7);
INSERT INTO "survival" VALUES(1,'directory','tests/','agent','head',0,7,NULL,NULL,NULL,7);
INSERT INTO "survival" VALUES(1,'directory','tests/','undeclared','head',0,6,NULL,NULL,NULL,6);
INSERT INTO "survival" VALUES(1,'language','py','agent','commits',1,67,9.71014492753623170706e-01,8.9358408243599007914e-01,0.992340043711483,69);
INSERT INTO "survival" VALUES(1,'language','py','agent','days',1,52,9.71014492753623281728e-01,0.89358408243599,9.92340043711483099642e-01,53);
INSERT INTO "survival" VALUES(1,'language','py','agent','days',7,52,9.71014492753623281728e-01,0.89358408243599,9.92340043711483099642e-01,53);
INSERT INTO "survival" VALUES(1,'language','py','agent','days',30,52,9.71014492753623281728e-01,0.89358408243599,9.92340043711483099642e-01,53);
INSERT INTO "survival" VALUES(1,'language','py','agent','head',0,69,9.71014492753623170706e-01,NULL,NULL,69);
INSERT INTO "survival" VALUES(1,'language','py','likely_human','commits',1,4,NULL,NULL,NULL,4);
INSERT INTO "survival" VALUES(1,'language','py','likely_human','days',1,4,NULL,NULL,NULL,4);
INSERT INTO "survival" VALUES(1,'language','py','likely_human','days',7,4,NULL,NULL,NULL,4);
INSERT INTO "survival" VALUES(1,'language','py','likely_human','days',30,4,NULL,NULL,NULL,4);
INSERT INTO "survival" VALUES(1,'language','py','likely_human','head',0,4,NULL,NULL,NULL,4);
INSERT INTO "survival" VALUES(1,'language','py','undeclared','commits',1,2,NULL,NULL,NULL,2);
INSERT INTO "survival" VALUES(1,'language','py','undeclared','head',0,8,NULL,NULL,NULL,8);
INSERT INTO "survival" VALUES(1,'model','claude-opus-4-6','agent','commits',1,67,9.71014492753623170706e-01,8.9358408243599007914e-01,0.992340043711483,69);
INSERT INTO "survival" VALUES(1,'model','claude-opus-4-6','agent','days',1,52,9.71014492753623281728e-01,0.89358408243599,9.92340043711483099642e-01,53);
INSERT INTO "survival" VALUES(1,'model','claude-opus-4-6','agent','days',7,52,9.71014492753623281728e-01,0.89358408243599,9.92340043711483099642e-01,53);
INSERT INTO "survival" VALUES(1,'model','claude-opus-4-6','agent','days',30,52,9.71014492753623281728e-01,0.89358408243599,9.92340043711483099642e-01,53);
INSERT INTO "survival" VALUES(1,'model','claude-opus-4-6','agent','head',0,69,9.71014492753623170706e-01,NULL,NULL,69);
INSERT INTO "survival" VALUES(1,'session','03631055-2723-4ca5-a450-ed932d8efdaa','agent','commits',1,28,1.0,NULL,NULL,28);
INSERT INTO "survival" VALUES(1,'session','03631055-2723-4ca5-a450-ed932d8efdaa','agent','days',1,28,1.0,NULL,NULL,28);
INSERT INTO "survival" VALUES(1,'session','03631055-2723-4ca5-a450-ed932d8efdaa','agent','days',7,28,1.0,NULL,NULL,28);
INSERT INTO "survival" VALUES(1,'session','03631055-2723-4ca5-a450-ed932d8efdaa','agent','days',30,28,1.0,NULL,NULL,28);
INSERT INTO "survival" VALUES(1,'session','03631055-2723-4ca5-a450-ed932d8efdaa','agent','head',0,28,1.0,NULL,NULL,28);
INSERT INTO "survival" VALUES(1,'session','2ce3c96b-4ab5-4e74-a656-881619235e8c','agent','commits',1,24,0.96,8.91179615601261354562e-01,9.85639689061983403917e-01,25);
INSERT INTO "survival" VALUES(1,'session','2ce3c96b-4ab5-4e74-a656-881619235e8c','agent','days',1,24,0.96,8.91179615601261354562e-01,9.85639689061983403917e-01,25);
INSERT INTO "survival" VALUES(1,'session','2ce3c96b-4ab5-4e74-a656-881619235e8c','agent','days',7,24,0.96,8.91179615601261354562e-01,9.85639689061983403917e-01,25);
INSERT INTO "survival" VALUES(1,'session','2ce3c96b-4ab5-4e74-a656-881619235e8c','agent','days',30,24,0.96,8.91179615601261354562e-01,9.85639689061983403917e-01,25);
INSERT INTO "survival" VALUES(1,'session','2ce3c96b-4ab5-4e74-a656-881619235e8c','agent','head',0,25,0.96,NULL,NULL,25);
INSERT INTO "survival" VALUES(1,'session','6d98c823-e1f2-47d6-a7e7-16966861236c','agent','commits',1,15,NULL,NULL,NULL,16);
INSERT INTO "survival" VALUES(1,'session','6d98c823-e1f2-47d6-a7e7-16966861236c','agent','head',0,16,NULL,NULL,NULL,16);
CREATE TABLE tip_files (
  id INTEGER PRIMARY KEY, -- number used by tip_spans
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  path TEXT NOT NULL, -- path at HEAD
  directory TEXT NOT NULL, -- first directory of the path; '' for a file at the root
  language TEXT NOT NULL, -- by the name of the file; other when it has no usual suffix
  kind TEXT NOT NULL CHECK (kind = 'source' OR kind = 'test' OR kind = 'docs' OR kind = 'config' OR kind = 'data' OR kind = 'lock' OR kind = 'generated' OR kind = 'vendored' OR kind = 'minified' OR kind = 'recorder'), -- source, test, docs, …: headlines count source and test: source (program text: programming and markup languages), test (program text of tests and their helpers), docs (prose), config (settings, and lists of dependencies that people edit), data (data and other text that nobody reads as a program), lock (resolved dependencies, written by a package manager), generated (written by a generator or a build), vendored (a copy of somebody else's code), minified (compressed for delivery), recorder (records of a tool that follows agents, committed with the code)
  lines INTEGER NOT NULL, -- all lines, blank ones too
  agent INTEGER NOT NULL, -- non-blank lines that recorded sessions wrote
  declared INTEGER NOT NULL, -- that an agent wrote, as the commit says and nothing else
  human INTEGER NOT NULL, -- that a person wrote, with a witness
  likely_human INTEGER NOT NULL, -- that a person wrote as far as known; only the commit shows them
  tool INTEGER NOT NULL, -- that a tool wrote
  unknown INTEGER NOT NULL, -- in commits with agents, where the author is unknown
  undeclared INTEGER NOT NULL, -- of commits that nothing links to any agent
  older INTEGER NOT NULL -- lines from before the window, or of commits that were not attributed; blank ones too
);
INSERT INTO "tip_files" VALUES(1,1,'.gitignore','','other','config',2,2,0,0,0,0,0,0,0);
INSERT INTO "tip_files" VALUES(2,1,'README.md','','md','docs',9,0,0,0,0,0,0,3,3);
INSERT INTO "tip_files" VALUES(3,1,'birdlog/cli.py','birdlog','py','source',39,30,0,0,1,0,0,0,0);
INSERT INTO "tip_files" VALUES(4,1,'birdlog/counts.py','birdlog','py','source',14,10,0,0,0,0,0,0,0);
INSERT INTO "tip_files" VALUES(5,1,'birdlog/report.py','birdlog','py','source',16,9,0,0,0,0,0,2,0);
INSERT INTO "tip_files" VALUES(6,1,'birdlog/store.py','birdlog','py','source',26,11,0,0,3,0,0,0,10);
INSERT INTO "tip_files" VALUES(7,1,'requirements-dev.txt','','text','config',2,0,0,0,0,2,0,0,0);
INSERT INTO "tip_files" VALUES(8,1,'tests/test_counts.py','tests','py','test',11,7,0,0,0,0,0,0,0);
INSERT INTO "tip_files" VALUES(9,1,'tests/test_report.py','tests','py','test',9,0,0,0,0,0,0,6,0);
CREATE TABLE tip_spans (
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
INSERT INTO "tip_spans" VALUES(1,1,2,2,13,5,NULL,1);
INSERT INTO "tip_spans" VALUES(2,1,3,0,NULL,NULL,NULL,NULL);
INSERT INTO "tip_spans" VALUES(2,4,7,2,1,3,NULL,4);
INSERT INTO "tip_spans" VALUES(2,8,9,1,1,8,NULL,8);
INSERT INTO "tip_spans" VALUES(3,1,5,4,9,4,NULL,1);
INSERT INTO "tip_spans" VALUES(3,6,6,1,16,7,NULL,6);
INSERT INTO "tip_spans" VALUES(3,7,9,2,9,4,NULL,6);
INSERT INTO "tip_spans" VALUES(3,10,10,1,14,5,NULL,9);
INSERT INTO "tip_spans" VALUES(3,11,13,1,9,4,NULL,10);
INSERT INTO "tip_spans" VALUES(3,14,16,3,10,4,NULL,13);
INSERT INTO "tip_spans" VALUES(3,17,17,1,9,4,NULL,16);
INSERT INTO "tip_spans" VALUES(3,18,18,1,11,4,NULL,17);
INSERT INTO "tip_spans" VALUES(3,19,19,1,10,4,NULL,18);
INSERT INTO "tip_spans" VALUES(3,20,20,1,9,4,NULL,19);
INSERT INTO "tip_spans" VALUES(3,21,21,1,17,7,NULL,21);
INSERT INTO "tip_spans" VALUES(3,22,26,3,9,4,NULL,20);
INSERT INTO "tip_spans" VALUES(3,27,27,1,10,4,NULL,25);
INSERT INTO "tip_spans" VALUES(3,28,28,1,12,4,NULL,26);
INSERT INTO "tip_spans" VALUES(3,29,29,1,9,4,NULL,27);
INSERT INTO "tip_spans" VALUES(3,30,33,4,18,7,NULL,30);
INSERT INTO "tip_spans" VALUES(3,34,39,4,9,4,NULL,28);
INSERT INTO "tip_spans" VALUES(4,1,8,4,5,2,NULL,1);
INSERT INTO "tip_spans" VALUES(4,9,9,1,6,2,NULL,9);
INSERT INTO "tip_spans" VALUES(4,10,13,4,5,2,NULL,10);
INSERT INTO "tip_spans" VALUES(4,14,14,1,7,2,NULL,14);
INSERT INTO "tip_spans" VALUES(5,1,3,2,19,7,NULL,1);
INSERT INTO "tip_spans" VALUES(5,4,4,1,1,8,NULL,4);
INSERT INTO "tip_spans" VALUES(5,5,7,1,19,7,NULL,4);
INSERT INTO "tip_spans" VALUES(5,8,8,1,1,8,NULL,8);
INSERT INTO "tip_spans" VALUES(5,9,16,6,19,7,NULL,8);
INSERT INTO "tip_spans" VALUES(6,1,2,0,NULL,NULL,NULL,NULL);
INSERT INTO "tip_spans" VALUES(6,3,4,2,2,1,NULL,3);
INSERT INTO "tip_spans" VALUES(6,5,9,0,NULL,NULL,NULL,NULL);
INSERT INTO "tip_spans" VALUES(6,10,13,4,3,1,NULL,10);
INSERT INTO "tip_spans" VALUES(6,14,16,3,4,1,NULL,14);
INSERT INTO "tip_spans" VALUES(6,17,23,5,3,1,NULL,17);
INSERT INTO "tip_spans" VALUES(6,24,26,0,NULL,NULL,NULL,NULL);
INSERT INTO "tip_spans" VALUES(7,1,2,2,15,6,NULL,1);
INSERT INTO "tip_spans" VALUES(8,1,11,7,8,2,NULL,1);
INSERT INTO "tip_spans" VALUES(9,1,9,6,1,9,NULL,1);
CREATE TABLE tip_states (
  repo_id INTEGER PRIMARY KEY REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  tip_sha TEXT NOT NULL, -- last commit that was followed
  after_sha TEXT NOT NULL, -- this commit and its ancestors are not followed; '' when everything is
  keep TEXT NOT NULL, -- changes that keep a line's identity: whitespace reformatted moved; '' is exactly as git blame
  settings TEXT NOT NULL, -- hash of everything else it depends on
  lines INTEGER NOT NULL, -- distinct lines present at HEAD
  copies INTEGER NOT NULL, -- additional copies of lines at HEAD
  commits INTEGER NOT NULL, -- commits followed
  added INTEGER NOT NULL, -- of those, by the last run
  state BLOB NOT NULL -- origins of all lines in all files at HEAD, as runs, compressed
);
INSERT INTO "tip_states" VALUES(1,'b2032806907807a32f2f05bd2fc921779efa0c18','7092095d15d9d2e0981514dc9f63d5c0fba819f0','whitespace reformatted moved','659d9bc15de119ce9480d70ad8e82742',115,0,9,9,X'77686F77726F746520686973746F727920330A785EDD555D685C45144EDA26B5AD442D168BA2D6C5D05492DD3B73EFCC9D2908D618B160AB0495D29896993B33C9D54D76DDBD6D534AC40745915A44118AA07D501FAC2052A2B5885804FF1E94222A550958A48A28587D5450CFD9DE49EEA6E95BFB6007BE3D77FEBE39E77C6766FF59DAD16AFB4A595A2F6D5C57D23408A908B80C6211C42AA48EBA8069435D22298963699D0A12224AFDEB4A496DA25EB599857D4E559B1686746DD7A4518DBD3034320AFD493B95C13721023A75958D3771A684BB75DA30D5DA58A599D51AB65CDF5B1C4B80266BE683996D66CD0AFEEE6C1B1F1EDA74C796A1F28469DB594DF36DE5B1344BC726811CE71BF6915D69C34E58E01D3076773903C70A5E346CBDD6C8CE3D717E1CC37169D5B6221829B5D31B2E283136D45410A31D25220E436275A2AD0E219784C7B14D188123615C08201B29B5056054A20C8DB59171C21C8FB951A082A6A116966B1739C5796878DCC6E07398CC45AD234E1246254D3831011C157196102D54C0B88DA5644C582D35EA37EFC81C4D31ED712834115430C384562A52828343C2B14010E77410381D46018D16656A4B67A8998CB07CA8E00E3C48121AD2486A1B29A6088D92C0082ADDE23E15CBC350194AA520B111D30AAA52868EC5891511E4D648CD79107321659B4BE7539E8426914CC9808441A04C6CA31884530185094659A8B5001D5DBB64E7AB45A21D4BE08ED820200E94B4942963B9E304A2D54A6AA88498C6499B6705B2B67C2532521191124A46306DB94878143912EA280E22A51C5C4CC6089BCF1796E69ED464E3509A34804E3A99D55A176D9102C9AF5DA1B0A767CE3E021D3FFDB07EC59FBF992DFBFB8E7E3AB073C3895547AEEBEE7DE6B54F067FB9FDA9C153335BFBAF98DD21B689C70E6EEEF9F8F3171EFCEAFBE36B67C655EF991DB5E97D07DF7D436593CB4E3CF9DDCA63DBFABF3CCD0F3F77F75BAF9FDCB2FFC5F4C099898DC7DF7C62967D31DC9B0D1D7AEF9BED8F1FBE75E0C7C6357D6B3EF8FDD5A7933B078FDED6C3DF9E7EE98F63D73EBAE450D754FDDBE95FC53BD9E90395D9F51F964FFD3CFAD1D77F5FFDFCEAEB8F2CEDEB7E766AF92B954AD7FB95CF6EDAF3F25F97AFBD2BF71D4D27001FB4AB0037026E019401F700EE050C03EE03DC0F7800B01D90021E0654011300CFF72F344F8DBC882539FF32B0882E40F7022C87BEC765053EEFDF421EE4F03CB8CFF7D1E27E3C072D62C5023E8C7565EE1BF2E25AB4B8CEFB8CFEAD01DC908F153971CD6A1FE439F6E67CE44AB01B000380AD009FC931F87E08D004F8B55E01EF818FC67B8316338D0D79B0A14AA8022A85EA8400542C06A0529B00A8D666002A8BAAA162A33997CA79901B5BFE97D6521BAB0055F5671615C46FF4CFFB8CD667D36709B3D7937316D7E13CEEF71C7E0DF65701307EFCC6D6D9B93BFF5A603A3BF16CF8F19ECFF75A335EC4B979E49A236D273BCBE2A7FDE6561F7DC586D58115E6FBFE00DF479F7DA5CD1FDED171323F136FC4A5D830D6FF435C28C3C5F0F352D717EBFE62E4ED4273E2DDBCD09CC8E7DF667FA78B6F60F19FA7F82EF8C7E53F7614386E');
CREATE TABLE tool_calls (
  id INTEGER PRIMARY KEY, -- number of the call
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  turn_index INTEGER NOT NULL, -- turn it belongs to; 0 before the first one
  call_id TEXT NOT NULL, -- the agent's own id
  name TEXT NOT NULL, -- the agent's name of the tool
  at TEXT, -- when it was called
  done_at TEXT, -- when its result came
  status TEXT NOT NULL CHECK (status = 'ok' OR status = 'error' OR status = 'rejected' OR status = 'unknown'), -- its result: ok (without an error), error (with an error), rejected (the user refused it), unknown (no result is recorded: interrupted, cut off, or the agent records none)
  error TEXT, -- first words of the error
  agent_id TEXT, -- subagent that made the call; NULL for the main thread
  model TEXT, -- model that made the call
  command TEXT, -- text of a shell command
  commits TEXT, -- commits the call made, as printed or recorded, separated by blanks
  input TEXT, -- arguments, JSON, cut at 20,000 characters
  result_size INTEGER -- characters of the result
);
INSERT INTO "tool_calls" VALUES(1,1,1,'toolu_01Qpc4n5CGwjhC8RXrn2ASJT','Read','2026-01-12T10:26:06.517Z','2026-01-12T10:26:06.627Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/store.py"}',351);
INSERT INTO "tool_calls" VALUES(2,1,1,'toolu_01wx0k2KGCe79XHZqWJya6gm','Edit','2026-01-12T10:26:08.844Z','2026-01-12T10:26:08.954Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/store.py", "old_string": "from pathlib import Path\n", "new_string": "from collections.abc import Iterator\nfrom datetime import date\nfrom pathlib import Path\n", "replace_all": false}',79);
INSERT INTO "tool_calls" VALUES(3,1,1,'toolu_01fjpGmexK8pfKStT40H5p67','Edit','2026-01-12T10:26:11.171Z','2026-01-12T10:26:11.281Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/store.py", "old_string": "def append(", "new_string": "def load(path: Path) -> Iterator[Sighting]:\n    \"\"\"Every sighting of the file, in order.\"\"\"\n    with path.open() as lines:\n        for number, line in enumerate(lines, 1):\n            try:\n                day, species, place, count = (part.strip() for part in line.split(\"|\"))\n                yield Sighting(date.fromisoformat(day), species, place, int(count))\n            except ValueError as error:\n                raise ValueError(f\"{path}, line {number}: {error}\") from None\n\n\ndef append(", "replace_all": false}',79);
INSERT INTO "tool_calls" VALUES(4,1,2,'toolu_01rzWsJqkHRQ6yE8HSKQPSEg','Write','2026-01-12T10:42:12.517Z','2026-01-12T10:42:12.627Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/counts.py", "content": "\"\"\"How many of each.\"\"\"\n\nfrom collections import Counter\nfrom collections.abc import Iterable\n\nfrom birdlog.sighting import Sighting\n\n\ndef by_species(sightings: Iterable[Sighting]) -> list[tuple[str, int]]:\n    \"\"\"Species with the number of birds, most frequent first.\"\"\"\n    totals = Counter[str]()\n    for seen in sightings:\n        totals[seen.species] += seen.count\n    return totals.most_common()\n"}',70);
INSERT INTO "tool_calls" VALUES(5,1,2,'toolu_018xssHpanK4MNR62pntt4Sz','Write','2026-01-12T10:42:14.844Z','2026-01-12T10:42:14.954Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/tests/test_counts.py", "content": "from datetime import date\n\nfrom birdlog.counts import by_species\nfrom birdlog.sighting import Sighting\n\nMONDAY = date(2026, 1, 12)\n\n\ndef test_most_frequent_species_first():\n    seen = [Sighting(MONDAY, \"wren\", \"hedge\"), Sighting(MONDAY, \"sparrow\", \"roof\", 12)]\n    assert by_species(seen) == [(\"sparrow\", 12), (\"wren\", 1)]\n"}',73);
INSERT INTO "tool_calls" VALUES(6,1,2,'toolu_01hV2CANXtkwZ8zRgX0y9hrJ','Bash','2026-01-12T10:42:17.171Z','2026-01-12T10:42:17.281Z','ok',NULL,NULL,'claude-opus-4-6','python -m pytest -q',NULL,NULL,18);
INSERT INTO "tool_calls" VALUES(7,2,1,'toolu_01gPKX29qyF5qTHV1rd1DekD','Write','2026-01-13T06:10:40.517Z','2026-01-13T06:10:40.627Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/cli.py", "content": "import argparse\nfrom datetime import date\nfrom pathlib import Path\n\nfrom birdlog.counts import by_species\nfrom birdlog.sighting import Sighting\nfrom birdlog.store import append, load\n\nLOG = Path(''birds.txt'')\n\n\ndef parser():\n    top = argparse.ArgumentParser(prog=''birdlog'')\n    commands = top.add_subparsers(dest=''command'',required=True)\n    add = commands.add_parser(''add'')\n    add.add_argument(\"species\")\n    add.add_argument(''--count'',type=int,default=1)\n    commands.add_parser(\"top\")\n    return top\n\n\ndef main():\n    options = parser().parse_args()\n    if options.command == ''add'':\n        append(LOG, Sighting(date.today(), options.species, \"garden\", options.count))\n        return\n    for species, count in by_species(load(LOG)):\n        print(f\"{count:5} {species}\")\n\n\nif __name__ == \"__main__\":\n    main()\n"}',67);
INSERT INTO "tool_calls" VALUES(8,2,2,'toolu_01EsHnbWqhGFDBhDR8kryJwA','Bash','2026-01-13T06:31:57.517Z','2026-01-13T06:31:57.627Z','ok',NULL,NULL,'claude-opus-4-6','sed -i ''s/birds\.txt/sightings.txt/g'' birdlog/cli.py',NULL,NULL,0);
INSERT INTO "tool_calls" VALUES(9,2,2,'toolu_0101sqzkP50DG6YFx91mqbc0','Bash','2026-01-13T06:31:59.844Z','2026-01-13T06:31:59.954Z','ok',NULL,NULL,'claude-opus-4-6','cat > .gitignore <<''EOF''
__pycache__/
sightings.txt
EOF',NULL,NULL,0);
INSERT INTO "tool_calls" VALUES(10,3,1,'toolu_01A1YhvvwpWqFR2j6dtYyxGd','Agent','2026-02-28T13:40:05.517Z','2026-02-28T13:40:09.617Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"description": "Delegated work", "prompt": "Write birdlog/report.py: by_season(sightings) returns counts per season.", "subagent_type": "general-purpose"}',9);
INSERT INTO "tool_calls" VALUES(11,3,1,'toolu_01Hs3j1Xk9VNR3Qh6wvHbcQr','Read','2026-02-28T13:40:11.834Z','2026-02-28T13:40:11.944Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/cli.py", "offset": 1, "limit": 26}',916);
INSERT INTO "tool_calls" VALUES(12,3,1,'toolu_01zjjxrmdjY4Y9VWQKwByXtQ','Edit','2026-02-28T13:40:14.161Z','2026-02-28T13:40:14.271Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/cli.py", "old_string": "from birdlog.counts import by_species\n", "new_string": "from birdlog.counts import by_species\nfrom birdlog.report import by_season\n", "replace_all": false}',77);
INSERT INTO "tool_calls" VALUES(13,3,1,'toolu_01KeF3MBnQhSkdKzXW6P5GfD','Edit','2026-02-28T13:40:16.488Z','2026-02-28T13:40:16.598Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/cli.py", "old_string": "    commands.add_parser(\"top\")\n", "new_string": "    commands.add_parser(\"top\")\n    commands.add_parser(\"year\")\n", "replace_all": false}',77);
INSERT INTO "tool_calls" VALUES(14,3,1,'toolu_01ztVhwSqbbaSG49F8zKvhMb','Edit','2026-02-28T13:40:18.815Z','2026-02-28T13:40:18.925Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/cli.py", "old_string": "    for species, count in by_species(", "new_string": "    if options.command == \"year\":\n        for season, count in by_season(load(LOG)).items():\n            print(f\"{season:8} {count}\")\n        return\n    for species, count in by_species(", "replace_all": false}',77);
INSERT INTO "tool_calls" VALUES(15,3,1,'toolu_01DHXHE0YzCb9TyTaRP9cBvm','Bash','2026-02-28T13:40:21.142Z',NULL,'unknown',NULL,NULL,'claude-opus-4-6','git add -A && git commit -m "Report the year by season"',NULL,NULL,NULL);
CREATE TABLE turn_outcomes (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  turn_index INTEGER NOT NULL, -- 1, 2, … within the session
  at TEXT, -- when the message was sent
  origin TEXT NOT NULL CHECK (origin = 'prompt' OR origin = 'queued' OR origin = 'plan' OR origin = 'command' OR origin = 'injected'), -- where its text comes from: prompt (typed by the user), queued (typed while the agent worked), plan (an approved plan), command (a slash command), injected (inserted by the harness, and answered by the agent)
  agent TEXT, -- agent of the session
  model TEXT, -- model of most calls of the turn; without a call, of the session
  prompt_characters INTEGER, -- length of the message; NULL when texts are not stored
  language TEXT, -- of a typed message, as turn_languages; NULL where nothing tells
  message_class TEXT, -- what a typed message does, by the classifier (turn_classes): weak for one message; NULL in languages it was not measured on
  intent TEXT, -- label of the judge that answered last; NULL when no judge was asked, or it could not tell
  pushback TEXT, -- label of the same judge
  latency_s REAL, -- seconds from the message to the agent's last event of the turn; NULL without times or answer
  interrupted INTEGER, -- 1: the user stopped the agent; NULL when the transcript cannot be read
  cost_usd REAL, -- of the turn's responses, as cost_usd of session_features; NULL when they are on record of no turn, or have no price
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
  committed INTEGER NOT NULL, -- own lines in commits
  old_1 INTEGER, -- of those, lines that were followed for a day; NULL before `attribute survival`
  alive_1 INTEGER, -- of those, lines that were still there; NULL when old_1 is NULL or 0
  old_7 INTEGER, -- the same for 7 days
  alive_7 INTEGER, -- the same for 7 days
  old_30 INTEGER, -- the same for 30 days
  alive_30 INTEGER, -- the same for 30 days
  old_90 INTEGER, -- the same for 90 days
  alive_90 INTEGER, -- the same for 90 days
  present INTEGER, -- own lines at HEAD; NULL before `attribute survival`
  findings_introduced INTEGER, -- weaknesses most of whose lines the turn wrote; NULL before `attribute scan`
  findings_fixed INTEGER, -- weaknesses in files that, of the session that fixed them, this turn alone had edited; NULL before `attribute scan`
  PRIMARY KEY (session_id, turn_index)
) WITHOUT ROWID;
INSERT INTO "turn_outcomes" VALUES(1,1,1,'2026-01-12T10:26:04.300Z','prompt','claude-code','claude-opus-4-6',113,'en','task',NULL,NULL,8.981,0,0.057155,3,0,2,13,11,0,0,0,NULL,2,0,0,11,11,11,11,11,11,11,0,NULL,11,NULL,NULL);
INSERT INTO "turn_outcomes" VALUES(1,1,2,'2026-01-12T10:42:10.300Z','prompt','claude-code','claude-opus-4-6',71,'en','task',NULL,NULL,8.981,0,0.05823,3,0,2,25,17,0,0,0,NULL,2,0,0,17,17,17,17,17,17,17,0,NULL,17,NULL,NULL);
INSERT INTO "turn_outcomes" VALUES(1,2,1,'2026-01-13T06:10:38.300Z','prompt','claude-code','claude-opus-4-6',75,'en','task',NULL,NULL,4.327,0,0.028465,1,0,1,32,24,0,1,0,NULL,1,1,0,24,24,23,24,23,24,23,0,NULL,23,NULL,NULL);
INSERT INTO "turn_outcomes" VALUES(1,2,2,'2026-01-13T06:31:55.300Z','prompt','claude-code','claude-opus-4-6',61,'en','task',NULL,NULL,4.654,0,0.028765,2,0,2,3,3,1,0,0,NULL,2,0,0,3,3,3,3,3,3,3,0,NULL,3,NULL,NULL);
INSERT INTO "turn_outcomes" VALUES(1,3,1,'2026-02-28T13:40:03.300Z','prompt','claude-code','claude-opus-4-6',104,'en','task',NULL,NULL,17.842,0,0.085995,6,0,3,6,6,0,0,0,NULL,3,0,0,16,0,NULL,0,NULL,0,NULL,0,NULL,15,NULL,NULL);
CREATE TABLE turns (
  id INTEGER PRIMARY KEY, -- number of the turn
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  turn_index INTEGER NOT NULL, -- 1, 2, … within the session
  at TEXT, -- when it was sent
  origin TEXT NOT NULL CHECK (origin = 'prompt' OR origin = 'queued' OR origin = 'plan' OR origin = 'command' OR origin = 'injected'), -- where its text comes from: prompt (typed by the user), queued (typed while the agent worked), plan (an approved plan), command (a slash command), injected (inserted by the harness, and answered by the agent)
  prompt TEXT, -- the text, injected reminders removed
  UNIQUE (session_id, turn_index)
);
INSERT INTO "turns" VALUES(1,1,1,'2026-01-12T10:26:04.300Z','prompt','append() writes one line per sighting. Please add load(), which reads them back and names the line that is wrong.');
INSERT INTO "turns" VALUES(2,1,2,'2026-01-12T10:42:10.300Z','prompt','Now counts: how many of each species, most frequent first. With a test.');
INSERT INTO "turns" VALUES(3,2,1,'2026-01-13T06:10:38.300Z','prompt','A command line please: `birdlog add`, `birdlog top`. Standard library only.');
INSERT INTO "turns" VALUES(4,2,2,'2026-01-13T06:31:55.300Z','prompt','Call the file sightings.txt everywhere, and ignore it in git.');
INSERT INTO "turns" VALUES(5,3,1,'2026-02-28T13:40:03.300Z','prompt','I would like a report of the year by season. Let a subagent write the module, you wire it up and commit.');
CREATE TABLE vendor_checks (
  checkpoint_session_id INTEGER PRIMARY KEY REFERENCES checkpoint_sessions(id) ON DELETE CASCADE, -- the record with the claim
  commit_id INTEGER REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  vendor_percentage REAL, -- the claim
  our_percentage REAL, -- agent / (agent + human) x 100 of the commit, by us; NULL when both are 0
  disagreement REAL, -- ours minus the claim
  disagreement_reason TEXT NOT NULL CHECK (disagreement_reason = 'none' OR disagreement_reason = 'rounding' OR disagreement_reason = 'transcript_missing' OR disagreement_reason = 'multi_session' OR disagreement_reason = 'vendor_zero_but_lines_found' OR disagreement_reason = 'denominator' OR disagreement_reason = 'window' OR disagreement_reason = 'unexplained') -- why they differ, the first that applies: none (it does not differ), rounding (by less than one point), transcript_missing (a transcript is missing or lines are unknown), multi_session (several sessions share the checkpoint), vendor_zero_but_lines_found (the producer says 0, and there are lines of an agent), denominator (the producer counts another number of committed lines), window (the producer counts another number of agent lines), unexplained (none of these)
);
CREATE INDEX checkpoint_sessions_checkpoint ON checkpoint_sessions(checkpoint_id);
CREATE INDEX checkpoint_sessions_session ON checkpoint_sessions(session_id);
CREATE INDEX tool_calls_session ON tool_calls(session_id, call_id);
CREATE INDEX edits_session ON edits(session_id, call_id);
CREATE INDEX edits_path ON edits(path);
CREATE INDEX links_checkpoint ON commit_checkpoint_links(checkpoint);
CREATE VIEW commit_checkpoints AS
SELECT c.repo_id, c.commit_sha, l.checkpoint_key AS checkpoint_id, l.method, l.confidence, l.checkpoint IS NOT NULL AS resolved
FROM commit_checkpoint_links l JOIN commits c ON c.id = l.commit_id;
CREATE VIEW child_sessions AS
SELECT c.repo_id, c.id AS session_id, c.key AS session_key, c.label, c.agent, c.started_at, p.id AS parent_id, c.parent_key,
       p.label AS parent_label, p.agent AS parent_agent
FROM sessions c LEFT JOIN sessions p ON p.repo_id = c.repo_id AND p.key = c.parent_key WHERE c.parent_key IS NOT NULL;
CREATE VIEW corpus_sessions AS
SELECT o.id AS session_id, o.repo_id, o.key AS session_key, o.agent, o.started_at, o.repositories, o.input_tokens, o.output_tokens,
       o.cache_read_tokens, o.cache_write_tokens
FROM (SELECT s.*, COUNT(*) OVER same AS repositories,
             ROW_NUMBER() OVER (same ORDER BY COALESCE(s.output_tokens, 0) DESC, s.tool_calls DESC, s.id) AS place
      FROM sessions s WINDOW same AS (PARTITION BY s.key, COALESCE(s.agent, ''), COALESCE(s.started_at, s.id))) o
WHERE o.place = 1;
CREATE INDEX commit_files_path ON commit_files(path);
CREATE INDEX origins_session ON origins(session_id);
CREATE INDEX spans_origin ON spans(origin_id);
CREATE INDEX commit_sessions_session ON commit_sessions(session_id);
CREATE VIEW line_spans AS
SELECT c.repo_id, c.id AS commit_id, c.commit_sha, f.path, s.start_line, s.end_line, s.end_line - s.start_line + 1 AS lines, s.nonblank,
       o.author, o.how, o.evidence, o.reason, o.session_id, o.turn_index, o.call_id, o.model, o.edited_by, o.similarity,
       o.tool, o.run_by, o.witness, o.seen_without_at, o.seen_with_at, f.kind, CASE WHEN o.author = 'human' AND o.evidence = 'inferred' THEN 'likely_human' WHEN o.author = 'unknown' AND o.reason = 'no_session' THEN 'undeclared' ELSE o.author END AS class
FROM spans s JOIN commit_files f ON f.id = s.file_id JOIN commits c ON c.id = f.commit_id JOIN origins o ON o.id = s.origin_id;
CREATE VIEW commit_lines AS
SELECT c.repo_id, c.id AS commit_id, c.commit_sha, c.label, c.author_at, c.parents, c.lines_added,
       COALESCE(SUM(f.agent_lines), 0) AS agent_lines, COALESCE(SUM(f.declared_lines), 0) AS declared_lines,
       COALESCE(SUM(f.human_lines), 0) AS human_lines, COALESCE(SUM(f.likely_human_lines), 0) AS likely_human_lines,
       COALESCE(SUM(f.tool_lines), 0) AS tool_lines,
       COALESCE(SUM(f.unknown_lines), 0) AS unknown_lines, COALESCE(SUM(f.agent_edited_lines), 0) AS agent_edited_lines,
       (SELECT COUNT(*) FROM commit_sessions cs WHERE cs.commit_id = c.id) AS sessions
FROM commits c LEFT JOIN commit_files f ON f.commit_id = c.id GROUP BY c.id;
CREATE VIEW evidence_shares AS
SELECT c.repo_id, o.author, o.how, o.evidence, o.reason, SUM(s.end_line - s.start_line + 1) AS lines, SUM(s.nonblank) AS nonblank
FROM spans s JOIN commit_files f ON f.id = s.file_id JOIN commits c ON c.id = f.commit_id JOIN origins o ON o.id = s.origin_id
GROUP BY c.repo_id, o.author, o.how, o.evidence, o.reason;
CREATE INDEX regions_session ON regions(session_id);
CREATE INDEX region_edits_region ON region_edits(region_id);
CREATE INDEX region_edits_session ON region_edits(session_id);
CREATE INDEX region_priors_prior ON region_priors(prior_session_id);
CREATE INDEX turn_outcomes_repo ON turn_outcomes(repo_id);
CREATE INDEX turn_outcomes_discarded ON turn_outcomes(discarded_by);
CREATE VIEW region_edit_history AS
SELECT s.repo_id, e.session_id, g.path, g.root, e.region_id, e.round, e.start_line, e.end_line, e.turn_index, e.at, e.tool, e.call_id,
       e.lines_added, e.lines_removed, y.symbol
FROM region_edits e JOIN regions g ON g.id = e.region_id JOIN sessions s ON s.id = e.session_id
LEFT JOIN region_symbols y ON y.region_id = e.region_id AND y.call_id = e.call_id AND y.start_line = e.start_line;
CREATE INDEX problems_repo ON problems(repo_id, stage);
CREATE VIEW feature_nulls AS
SELECT s.repo_id, s.id AS session_id, 'user_turn_count' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.user_turn_count IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'turn_count' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.input_tokens IS NULL THEN 'no_usage' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.turn_count IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'user_agent_turn_ratio' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN s.input_tokens IS NULL THEN 'no_usage' WHEN f.turn_count = 0 THEN 'no_response' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.user_agent_turn_ratio IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'tool_call_count' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.tool_call_count IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'tool_sequence' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.tool_sequence IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'tool_counts' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.tool_counts IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'acting_commands' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.acting_commands IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'edit_calls' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.edit_calls IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'files_read_before_edit' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN NOT EXISTS (SELECT 1 FROM edits e WHERE e.session_id = s.id AND e.by_shell = 0 AND e.outcome NOT IN ('tool_error', 'rejected')) THEN 'no_edit' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.files_read_before_edit IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'files_searched_before_edit' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN NOT EXISTS (SELECT 1 FROM edits e WHERE e.session_id = s.id AND e.by_shell = 0 AND e.outcome NOT IN ('tool_error', 'rejected')) THEN 'no_edit' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.files_searched_before_edit IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'edit_to_read_ratio' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN 1 THEN 'no_read' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.edit_to_read_ratio IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'first_tool_precision' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN NOT EXISTS (SELECT 1 FROM edits e WHERE e.session_id = s.id AND e.by_shell = 0 AND e.outcome NOT IN ('tool_error', 'rejected')) THEN 'no_edit' WHEN 1 THEN 'no_file_named' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.first_tool_precision IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'tool_error_rate' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.tool_calls = 0 THEN 'no_call' WHEN 1 THEN 'no_result' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.tool_error_rate IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'tool_errors' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.tool_calls = 0 THEN 'no_call' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.tool_errors IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'tool_errors_by_type' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.tool_errors_by_type IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'first_attempt_failures' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.tool_calls = 0 THEN 'no_call' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.first_attempt_failures IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'longest_error_run' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.tool_calls = 0 THEN 'no_call' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.longest_error_run IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'tool_result_sizes' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.tool_result_sizes IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'interruptions' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.interruptions IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'permission_denials' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.permission_denials IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'subagent_count' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.subagent_count IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'subagents_succeeded' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.subagents = 0 THEN 'no_subagent' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.subagents_succeeded IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'compaction_events' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.compaction_events IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'model_changes' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.input_tokens IS NULL THEN 'no_usage' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.model_changes IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'ended_normally' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.ended_normally IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'input_tokens' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.input_tokens IS NULL THEN 'no_usage' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.input_tokens IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'output_tokens' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.input_tokens IS NULL THEN 'no_usage' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.output_tokens IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'cache_read_tokens' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.input_tokens IS NULL THEN 'no_usage' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.cache_read_tokens IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'cache_write_tokens' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.input_tokens IS NULL THEN 'no_usage' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.cache_write_tokens IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'cache_read_ratio' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.input_tokens IS NULL THEN 'no_usage' WHEN COALESCE(f.input_tokens + f.cache_read_tokens + f.cache_write_tokens, 0) = 0 THEN 'no_input_tokens' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.cache_read_ratio IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'tokens_by_model' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.input_tokens IS NULL THEN 'no_usage' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.tokens_by_model IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'context_growth_curve' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.input_tokens IS NULL THEN 'no_usage' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.context_growth_curve IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'reasoning_tokens_total' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.input_tokens IS NULL THEN 'no_usage' WHEN 1 THEN 'reasoning_uncounted' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.reasoning_tokens_total IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'has_reasoning_blocks' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.has_reasoning_blocks IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'unrecorded_tokens' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.input_tokens IS NULL THEN 'no_usage' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.unrecorded_tokens IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'tokens_too_low' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.input_tokens IS NULL THEN 'no_usage' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.tokens_too_low IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'recorded_cost_usd' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN 1 THEN 'no_recorded_cost' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.recorded_cost_usd IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'cost_usd' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN s.input_tokens IS NULL THEN 'no_usage' WHEN 1 THEN 'no_price' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.cost_usd IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'cost_source' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN s.input_tokens IS NULL THEN 'no_usage' WHEN 1 THEN 'no_price' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.cost_source IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'prices_as_of' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN s.input_tokens IS NULL THEN 'no_usage' WHEN f.cost_source = 'recorded' THEN 'cost_recorded' WHEN 1 THEN 'no_price' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.prices_as_of IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'wall_time_s' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.started_at IS NULL THEN 'no_times' WHEN NOT EXISTS (SELECT 1 FROM tool_calls c WHERE c.session_id = s.id AND (c.at IS NOT NULL OR c.done_at IS NOT NULL)) AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = s.id AND t.at IS NOT NULL) THEN 'no_event_times' WHEN s.turns = 0 AND s.tool_calls = 0 THEN 'no_event' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.wall_time_s IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'session_runtime_s' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.started_at IS NULL THEN 'no_times' WHEN NOT EXISTS (SELECT 1 FROM tool_calls c WHERE c.session_id = s.id AND (c.at IS NOT NULL OR c.done_at IS NOT NULL)) AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = s.id AND t.at IS NOT NULL) THEN 'no_event_times' WHEN s.turns = 0 AND s.tool_calls = 0 THEN 'no_event' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.session_runtime_s IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'agent_runtime_s' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN s.started_at IS NULL THEN 'no_times' WHEN 1 THEN 'no_turn_time' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.agent_runtime_s IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'turn_timestamps' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.started_at IS NULL THEN 'no_times' WHEN NOT EXISTS (SELECT 1 FROM tool_calls c WHERE c.session_id = s.id AND (c.at IS NOT NULL OR c.done_at IS NOT NULL)) AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.session_id = s.id AND t.at IS NOT NULL) THEN 'no_event_times' WHEN s.turns = 0 AND s.tool_calls = 0 THEN 'no_event' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.turn_timestamps IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'per_turn_agent_latency_s' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN s.started_at IS NULL THEN 'no_times' WHEN 1 THEN 'no_turn_time' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.per_turn_agent_latency_s IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'time_to_first_edit_s' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN NOT EXISTS (SELECT 1 FROM edits e WHERE e.session_id = s.id AND e.by_shell = 0 AND e.outcome NOT IN ('tool_error', 'rejected')) THEN 'no_edit' WHEN s.started_at IS NULL THEN 'no_times' WHEN NOT EXISTS (SELECT 1 FROM tool_calls c WHERE c.session_id = s.id AND (c.at IS NOT NULL OR c.done_at IS NOT NULL)) THEN 'no_call_times' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.time_to_first_edit_s IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'turn_numbers' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.turn_numbers IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'typed_turn_numbers' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.typed_turn_numbers IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'interrupted_turns' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.interrupted_turns IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'tokens_by_turn' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.input_tokens IS NULL THEN 'no_usage' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.tokens_by_turn IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'recorded_cost_by_turn' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN 1 THEN 'no_recorded_cost' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.recorded_cost_by_turn IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'user_msg_lengths' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.user_msg_lengths IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'user_msg_length_slope' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_msg_lengths = '[]' THEN 'nothing_typed' WHEN json_array_length(f.user_msg_lengths) = 1 THEN 'one_message' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.user_msg_length_slope IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'turn_languages' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_msg_lengths = '[]' THEN 'nothing_typed' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.turn_languages IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'turn_classes' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_msg_lengths = '[]' THEN 'nothing_typed' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.turn_classes IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'turns_classified' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_msg_lengths = '[]' THEN 'nothing_typed' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.turns_classified IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'pushback_turns' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_msg_lengths = '[]' THEN 'nothing_typed' WHEN json_array_length(f.user_msg_lengths) = 1 THEN 'one_message' WHEN f.turns_classified = 0 THEN 'not_classified' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.pushback_turns IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'correction_turns' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_msg_lengths = '[]' THEN 'nothing_typed' WHEN json_array_length(f.turn_languages) > 1 AND NOT EXISTS (SELECT 1 FROM json_each(f.turn_languages) j WHERE COALESCE(j.value, 'en') = 'en' AND j.key > 0) THEN 'not_english' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.correction_turns IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'correction_ratio' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_msg_lengths = '[]' THEN 'nothing_typed' WHEN json_array_length(f.turn_languages) > 1 AND NOT EXISTS (SELECT 1 FROM json_each(f.turn_languages) j WHERE COALESCE(j.value, 'en') = 'en' AND j.key > 0) THEN 'not_english' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.correction_ratio IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'last_message_rejects' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_msg_lengths = '[]' THEN 'nothing_typed' WHEN NOT EXISTS (SELECT 1 FROM json_each(f.turn_languages) j WHERE COALESCE(j.value, 'en') = 'en' AND j.key = json_array_length(f.turn_languages) - 1) THEN 'last_not_english' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.last_message_rejects IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'last_message_accepts' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_msg_lengths = '[]' THEN 'nothing_typed' WHEN NOT EXISTS (SELECT 1 FROM json_each(f.turn_languages) j WHERE COALESCE(j.value, 'en') = 'en' AND j.key = json_array_length(f.turn_languages) - 1) THEN 'last_not_english' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.last_message_accepts IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'agent_words' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.agent_words IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'last_said' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.agent_words = 0 THEN 'nothing_said' WHEN f.agent_words > 0 THEN 'not_kept' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.last_said IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'agent_hedging_rate' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.agent_words = 0 THEN 'nothing_said' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.agent_hedging_rate IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'agent_hedging_curve' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.agent_words = 0 THEN 'nothing_said' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.agent_hedging_curve IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'self_correction_count' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.agent_words = 0 THEN 'nothing_said' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.self_correction_count IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'assumption_count' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.agent_words = 0 THEN 'nothing_said' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.assumption_count IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'plan_steps_detected' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.agent_words = 0 THEN 'nothing_said' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.plan_steps_detected IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'confirmation_requests' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.agent_words = 0 THEN 'nothing_said' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.confirmation_requests IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'clarification_sought' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.agent_words = 0 AND s.tool_calls = 0 THEN 'no_answer' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.clarification_sought IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'prompt_underspecification' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_msg_lengths = '[]' THEN 'nothing_typed' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.prompt_underspecification IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'repetition_rate' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.tool_calls = 0 THEN 'no_call' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.repetition_rate IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'repeated_calls' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.tool_calls = 0 THEN 'no_call' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.repeated_calls IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'phase_transitions' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.phase_transitions IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'verified_after_last_edit' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN NOT EXISTS (SELECT 1 FROM edits e WHERE e.session_id = s.id AND e.by_shell = 0 AND e.outcome NOT IN ('tool_error', 'rejected')) THEN 'no_edit' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.verified_after_last_edit IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'undo_commands' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN NOT EXISTS (SELECT 1 FROM tool_calls c WHERE c.session_id = s.id AND c.command IS NOT NULL) THEN 'commands_not_kept' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.undo_commands IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'commits_made' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.commits_made IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'touched_files' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.touched_files IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'diff_lines' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN f.touched_files = '[]' THEN 'no_repo_edit' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.diff_lines IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'bash_mediated_edits' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.bash_mediated_edits IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'output_applied' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN COALESCE(t.produced, 0) = 0 AND NOT EXISTS (SELECT 1 FROM commit_sessions c WHERE c.session_id = s.id AND c.agent_lines > 0) THEN 'wrote_nothing' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.output_applied IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'output_applied_fraction' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN COALESCE(t.final, 0) = 0 THEN 'left_nothing' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.output_applied_fraction IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'changes_reverted' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN COALESCE(t.produced, 0) = 0 AND NOT EXISTS (SELECT 1 FROM commit_sessions c WHERE c.session_id = s.id AND c.agent_lines > 0) THEN 'wrote_nothing' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.changes_reverted IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'reverted_lines' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN COALESCE(t.produced, 0) = 0 AND NOT EXISTS (SELECT 1 FROM commit_sessions c WHERE c.session_id = s.id AND c.agent_lines > 0) THEN 'wrote_nothing' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.reverted_lines IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'reverted_by' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN COALESCE(t.produced, 0) = 0 AND NOT EXISTS (SELECT 1 FROM commit_sessions c WHERE c.session_id = s.id AND c.agent_lines > 0) THEN 'wrote_nothing' WHEN f.changes_reverted = 0 THEN 'not_reverted' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.reverted_by IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'session_outcome' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_turn_count = 0 THEN 'no_turn' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.session_outcome IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'session_reopened_within_s' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN s.started_at IS NULL THEN 'no_times' WHEN 1 THEN 'no_next' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.session_reopened_within_s IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'prior_sessions_same_repo' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN s.started_at IS NULL THEN 'no_times' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.prior_sessions_same_repo IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'region_count' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN f.touched_files = '[]' THEN 'no_repo_edit' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.region_count IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'region_re_edit_count' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN f.touched_files = '[]' THEN 'no_repo_edit' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.region_re_edit_count IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'region_edit_convergence' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN f.touched_files = '[]' THEN 'no_repo_edit' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.region_edit_convergence IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'regions_oscillating' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN f.touched_files = '[]' THEN 'no_repo_edit' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.regions_oscillating IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'prior_sessions_same_region' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN f.touched_files = '[]' THEN 'no_repo_edit' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.prior_sessions_same_region IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'prior_sessions_committed' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.touched_files IS NULL THEN 'unfinished' WHEN 1 THEN 'no_history' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.prior_sessions_committed IS NULL;
CREATE INDEX history_commits_sha ON history_commits(repo_id, commit_sha);
CREATE INDEX history_commits_parent ON history_commits(first_parent);
CREATE INDEX history_commits_landed ON history_commits(landed);
CREATE INDEX history_commits_reverts ON history_commits(reverts);
CREATE INDEX history_commits_reverted_by ON history_commits(reverted_by);
CREATE INDEX line_lifetimes_birth ON line_lifetimes(birth, path);
CREATE INDEX line_lifetimes_death ON line_lifetimes(death);
CREATE INDEX line_lifetimes_gone ON line_lifetimes(gone_from_main);
CREATE INDEX line_moves_commit ON line_moves(commit_id);
CREATE INDEX line_fates_life ON line_fates(repo_id, life);
CREATE INDEX line_fates_origin ON line_fates(origin_id);
CREATE INDEX line_fates_session ON line_fates(actor_session_id);
CREATE INDEX deletions_commit ON deletions(commit_id);
CREATE INDEX deletions_repo ON deletions(repo_id);
CREATE INDEX deletions_author_session ON deletions(author_session_id);
CREATE INDEX deletions_actor_session ON deletions(actor_session_id);
CREATE INDEX tip_files_path ON tip_files(repo_id, path);
CREATE INDEX tip_spans_birth ON tip_spans(birth);
CREATE INDEX tip_spans_origin ON tip_spans(origin_id);
CREATE VIEW line_histories AS
SELECT t.repo_id, b.commit_sha AS birth_sha, l.path, l.start_line + t.origin - l.origin AS start_line,
       l.start_line + t.origin - l.origin + t.lines - 1 AS end_line, t.lines, t.nonblank, l.kind,
       o.author, o.how, o.evidence, o.reason, o.session_id, o.model, b.author_at AS born_at,
       d.commit_sha AS death_sha, d.author_at AS died_at, l.cause, t.actor, t.actor_session_id, t.actor_how,
       b.reverted_by IS NOT NULL AS reverted_later, l.same_as
FROM line_fates t JOIN line_lifetimes l ON l.repo_id = t.repo_id AND l.origin = t.life JOIN history_commits b ON b.id = l.birth
LEFT JOIN history_commits d ON d.id = l.death LEFT JOIN origins o ON o.id = t.origin_id;
CREATE VIEW tip_lines AS
SELECT f.repo_id, f.path, s.start_line, s.end_line, s.end_line - s.start_line + 1 AS lines, s.nonblank, o.author, o.how, o.evidence,
       o.reason, o.session_id, o.turn_index, o.call_id, o.model, b.commit_sha AS birth_sha, b.author_at AS born_at,
       COALESCE(s.birth_path, f.path) AS birth_path, s.birth_line
FROM tip_spans s JOIN tip_files f ON f.id = s.file_id LEFT JOIN origins o ON o.id = s.origin_id
LEFT JOIN history_commits b ON b.id = s.birth;
CREATE VIEW prior_sessions AS
SELECT s.repo_id, p.session_id, p.prior_session_id, 'worktree' AS via, NULL AS lines
FROM region_priors p JOIN sessions s ON s.id = p.session_id
UNION ALL
SELECT t.repo_id, t.actor_session_id, o.session_id, 'history', SUM(t.nonblank)
FROM line_fates t JOIN origins o ON o.id = t.origin_id
WHERE t.actor_session_id IS NOT NULL AND o.author = 'agent' AND o.session_id <> t.actor_session_id
GROUP BY t.repo_id, t.actor_session_id, o.session_id;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('repos',1);
INSERT INTO "sqlite_sequence" VALUES('checkpoints',5);
INSERT INTO "sqlite_sequence" VALUES('sessions',3);
INSERT INTO "sqlite_sequence" VALUES('commits',11);
COMMIT;
