PRAGMA application_id = 2003332983;
PRAGMA user_version = 1;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE repos (
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
INSERT INTO repos VALUES(1,'example','/clone/example',NULL,'main','b2032806907807a32f2f05bd2fc921779efa0c18',0,0,'2026-01-12T09:01:23.000Z','2026-03-01T09:59:25.000Z');
CREATE TABLE checkpoints (
  id INTEGER PRIMARY KEY, -- number used by the other tables
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  checkpoint_id TEXT NOT NULL, -- the producer's id: 12 hex digits or a ULID
  store TEXT NOT NULL, -- layout it was read from: ref, v1, v2, v2full, legacy
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
INSERT INTO checkpoints VALUES(1,1,'62b83c85d9b6','v1','refs/heads/entire/checkpoints/v1','manual-commit','main','0.3.9','2026-01-13T06:11:27.300Z','ada@example.com',1,NULL);
INSERT INTO checkpoints VALUES(2,1,'7d98b60bcb32','v1','refs/heads/entire/checkpoints/v1','manual-commit','main','0.3.9','2026-01-13T06:32:03.300Z','ada@example.com',2,NULL);
INSERT INTO checkpoints VALUES(3,1,'8f62cb46b651','v1','refs/heads/entire/checkpoints/v1','manual-commit','main','0.3.9','2026-01-12T10:42:53.300Z','ada@example.com',3,NULL);
INSERT INTO checkpoints VALUES(4,1,'b06b35704281','v1','refs/heads/entire/checkpoints/v1','manual-commit','main','0.3.9','2026-01-12T10:26:42.300Z','ada@example.com',1,NULL);
INSERT INTO checkpoints VALUES(5,1,'b34dbc38a6cd','v1','refs/heads/entire/checkpoints/v1','manual-commit','main','0.5.6','2026-02-28T13:40:25.300Z','ada@example.com',1,NULL);
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY, -- number used by the other tables
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  key TEXT NOT NULL, -- the agent's own session id
  label TEXT NOT NULL, -- short name for people: start of the first prompt
  agent TEXT, -- format found in the transcript: claude-code, codex, …; NULL when none could be read
  agent_label TEXT, -- what the checkpoint calls the agent; may be wrong
  model TEXT, -- model of most responses
  models INTEGER, -- number of different models
  transcript TEXT NOT NULL, -- present, partial (some copies unreadable), missing_blob, none, unreadable, unknown_format
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
INSERT INTO sessions VALUES(1,1,'03631055-2723-4ca5-a450-ed932d8efdaa','append() writes one line per sighting. Please add load(), which reads them back ','claude-code','Claude Code','claude-opus-4-6',1,'present','2026-01-12T10:26:04.300Z','2026-01-12T10:42:19.281Z','/home/ada/work/birdlog','main','2.1.37',NULL,'',2,6,32,1045,147200,2480,0,0,0,0,2);
INSERT INTO sessions VALUES(2,1,'2ce3c96b-4ab5-4e74-a656-881619235e8c','A command line please: `birdlog add`, `birdlog top`. Standard library only.','claude-code','Claude Code','claude-opus-4-6',1,'present','2026-01-13T06:10:38.300Z','2026-01-13T06:31:59.954Z','/home/ada/work/birdlog','main','2.1.84',NULL,'',2,3,16,504,73600,1240,0,0,0,0,2);
INSERT INTO sessions VALUES(3,1,'6d98c823-e1f2-47d6-a7e7-16966861236c','I would like a report of the year by season. Let a subagent write the module, yo','claude-code','Claude Code','claude-opus-4-6',1,'present','2026-02-28T13:40:03.300Z','2026-02-28T13:40:21.142Z','/home/ada/work/birdlog','main','2.1.160',NULL,'',1,6,24,762,110400,1860,0,0,1,1,1);
CREATE TABLE checkpoint_sessions (
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
INSERT INTO checkpoint_sessions VALUES(1,1,2,0,'2ce3c96b-4ab5-4e74-a656-881619235e8c','present','1090a3336822642e2540ca3262021df8ee3f4964',0,'2026-01-13T06:11:27.300Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"cli_version":"0.3.9","checkpoint_id":"62b83c85d9b6","session_id":"2ce3c96b-4ab5-4e74-a656-881619235e8c","strategy":"manual-commit","created_at":"2026-01-13T06:11:27.300000Z","branch":"main","checkpoints_count":1,"files_touched":["birdlog/cli.py"],"agent":"Claude Code","model":"claude-opus-4-6","token_usage":{"input_tokens":40,"output_tokens":900,"api_call_count":10}}');
INSERT INTO checkpoint_sessions VALUES(2,2,2,0,'2ce3c96b-4ab5-4e74-a656-881619235e8c','present','64439b1eb1215679f2ca716e0bc1059f720a65ad',0,'2026-01-13T06:32:03.300Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"cli_version":"0.3.9","checkpoint_id":"7d98b60bcb32","session_id":"2ce3c96b-4ab5-4e74-a656-881619235e8c","strategy":"manual-commit","created_at":"2026-01-13T06:32:03.300000Z","branch":"main","checkpoints_count":2,"files_touched":[".gitignore","birdlog/cli.py"],"agent":"Claude Code","model":"claude-opus-4-6","token_usage":{"input_tokens":40,"output_tokens":900,"api_call_count":10}}');
INSERT INTO checkpoint_sessions VALUES(3,3,1,0,'03631055-2723-4ca5-a450-ed932d8efdaa','present','0451aeddbbb5dd9da6ed8b9c1aaf33f6785a7b18',0,'2026-01-12T10:42:53.300Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"cli_version":"0.3.9","checkpoint_id":"8f62cb46b651","session_id":"03631055-2723-4ca5-a450-ed932d8efdaa","strategy":"manual-commit","created_at":"2026-01-12T10:42:53.300000Z","branch":"main","checkpoints_count":2,"files_touched":["birdlog/counts.py","birdlog/store.py","tests/test_counts.py"],"agent":"Claude Code","model":"claude-opus-4-6","token_usage":{"input_tokens":40,"output_tokens":900,"api_call_count":10}}');
INSERT INTO checkpoint_sessions VALUES(4,4,1,0,'03631055-2723-4ca5-a450-ed932d8efdaa','present','fd2c14c4d76d03e00c4451bd0877e9fb04b2f1a7',0,'2026-01-12T10:26:42.300Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"cli_version":"0.3.9","checkpoint_id":"b06b35704281","session_id":"03631055-2723-4ca5-a450-ed932d8efdaa","strategy":"manual-commit","created_at":"2026-01-12T10:26:42.300000Z","branch":"main","checkpoints_count":1,"files_touched":["birdlog/store.py"],"agent":"Claude Code","model":"claude-opus-4-6","token_usage":{"input_tokens":40,"output_tokens":900,"api_call_count":10}}');
INSERT INTO checkpoint_sessions VALUES(5,5,3,0,'6d98c823-e1f2-47d6-a7e7-16966861236c','present','66742efb2bfb9b50248e9eb2fddee919baf3f33c',0,'2026-02-28T13:40:25.300Z',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"cli_version":"0.5.6","checkpoint_id":"b34dbc38a6cd","session_id":"6d98c823-e1f2-47d6-a7e7-16966861236c","strategy":"manual-commit","created_at":"2026-02-28T13:40:25.300000Z","branch":"main","checkpoints_count":1,"files_touched":["birdlog/cli.py"],"agent":"Claude Code","model":"claude-opus-4-6","token_usage":{"input_tokens":40,"output_tokens":900,"api_call_count":10}}');
CREATE TABLE turns (
  id INTEGER PRIMARY KEY, -- number of the turn
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- its session
  turn_index INTEGER NOT NULL, -- 1, 2, … within the session
  at TEXT, -- when it was sent
  origin TEXT NOT NULL, -- prompt, queued (typed while the agent worked), plan (approved plan), command (slash command)
  prompt TEXT, -- the text, injected reminders removed
  UNIQUE (session_id, turn_index)
);
INSERT INTO turns VALUES(1,1,1,'2026-01-12T10:26:04.300Z','prompt','append() writes one line per sighting. Please add load(), which reads them back and names the line that is wrong.');
INSERT INTO turns VALUES(2,1,2,'2026-01-12T10:42:10.300Z','prompt','Now counts: how many of each species, most frequent first. With a test.');
INSERT INTO turns VALUES(3,2,1,'2026-01-13T06:10:38.300Z','prompt','A command line please: `birdlog add`, `birdlog top`. Standard library only.');
INSERT INTO turns VALUES(4,2,2,'2026-01-13T06:31:55.300Z','prompt','Call the file sightings.txt everywhere, and ignore it in git.');
INSERT INTO turns VALUES(5,3,1,'2026-02-28T13:40:03.300Z','prompt','I would like a report of the year by season. Let a subagent write the module, you wire it up and commit.');
CREATE TABLE tool_calls (
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
INSERT INTO tool_calls VALUES(1,1,1,'toolu_01Qpc4n5CGwjhC8RXrn2ASJT','Read','2026-01-12T10:26:06.517Z','2026-01-12T10:26:06.627Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/store.py"}',351);
INSERT INTO tool_calls VALUES(2,1,1,'toolu_01wx0k2KGCe79XHZqWJya6gm','Edit','2026-01-12T10:26:08.844Z','2026-01-12T10:26:08.954Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/store.py", "old_string": "from pathlib import Path\n", "new_string": "from collections.abc import Iterator\nfrom datetime import date\nfrom pathlib import Path\n", "replace_all": false}',79);
INSERT INTO tool_calls VALUES(3,1,1,'toolu_01fjpGmexK8pfKStT40H5p67','Edit','2026-01-12T10:26:11.171Z','2026-01-12T10:26:11.281Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/store.py", "old_string": "def append(", "new_string": "def load(path: Path) -> Iterator[Sighting]:\n    \"\"\"Every sighting of the file, in order.\"\"\"\n    with path.open() as lines:\n        for number, line in enumerate(lines, 1):\n            try:\n                day, species, place, count = (part.strip() for part in line.split(\"|\"))\n                yield Sighting(date.fromisoformat(day), species, place, int(count))\n            except ValueError as error:\n                raise ValueError(f\"{path}, line {number}: {error}\") from None\n\n\ndef append(", "replace_all": false}',79);
INSERT INTO tool_calls VALUES(4,1,2,'toolu_01rzWsJqkHRQ6yE8HSKQPSEg','Write','2026-01-12T10:42:12.517Z','2026-01-12T10:42:12.627Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/counts.py", "content": "\"\"\"How many of each.\"\"\"\n\nfrom collections import Counter\nfrom collections.abc import Iterable\n\nfrom birdlog.sighting import Sighting\n\n\ndef by_species(sightings: Iterable[Sighting]) -> list[tuple[str, int]]:\n    \"\"\"Species with the number of birds, most frequent first.\"\"\"\n    totals = Counter[str]()\n    for seen in sightings:\n        totals[seen.species] += seen.count\n    return totals.most_common()\n"}',70);
INSERT INTO tool_calls VALUES(5,1,2,'toolu_018xssHpanK4MNR62pntt4Sz','Write','2026-01-12T10:42:14.844Z','2026-01-12T10:42:14.954Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/tests/test_counts.py", "content": "from datetime import date\n\nfrom birdlog.counts import by_species\nfrom birdlog.sighting import Sighting\n\nMONDAY = date(2026, 1, 12)\n\n\ndef test_most_frequent_species_first():\n    seen = [Sighting(MONDAY, \"wren\", \"hedge\"), Sighting(MONDAY, \"sparrow\", \"roof\", 12)]\n    assert by_species(seen) == [(\"sparrow\", 12), (\"wren\", 1)]\n"}',73);
INSERT INTO tool_calls VALUES(6,1,2,'toolu_01hV2CANXtkwZ8zRgX0y9hrJ','Bash','2026-01-12T10:42:17.171Z','2026-01-12T10:42:17.281Z','ok',NULL,NULL,'claude-opus-4-6','python -m pytest -q',NULL,NULL,18);
INSERT INTO tool_calls VALUES(7,2,1,'toolu_01gPKX29qyF5qTHV1rd1DekD','Write','2026-01-13T06:10:40.517Z','2026-01-13T06:10:40.627Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/cli.py", "content": "import argparse\nfrom datetime import date\nfrom pathlib import Path\n\nfrom birdlog.counts import by_species\nfrom birdlog.sighting import Sighting\nfrom birdlog.store import append, load\n\nLOG = Path(''birds.txt'')\n\n\ndef parser():\n    top = argparse.ArgumentParser(prog=''birdlog'')\n    commands = top.add_subparsers(dest=''command'',required=True)\n    add = commands.add_parser(''add'')\n    add.add_argument(\"species\")\n    add.add_argument(''--count'',type=int,default=1)\n    commands.add_parser(\"top\")\n    return top\n\n\ndef main():\n    options = parser().parse_args()\n    if options.command == ''add'':\n        append(LOG, Sighting(date.today(), options.species, \"garden\", options.count))\n        return\n    for species, count in by_species(load(LOG)):\n        print(f\"{count:5} {species}\")\n\n\nif __name__ == \"__main__\":\n    main()\n"}',67);
INSERT INTO tool_calls VALUES(8,2,2,'toolu_01EsHnbWqhGFDBhDR8kryJwA','Bash','2026-01-13T06:31:57.517Z','2026-01-13T06:31:57.627Z','ok',NULL,NULL,'claude-opus-4-6','sed -i ''s/birds\.txt/sightings.txt/g'' birdlog/cli.py',NULL,NULL,0);
INSERT INTO tool_calls VALUES(9,2,2,'toolu_0101sqzkP50DG6YFx91mqbc0','Bash','2026-01-13T06:31:59.844Z','2026-01-13T06:31:59.954Z','ok',NULL,NULL,'claude-opus-4-6',replace('cat > .gitignore <<''EOF''\n__pycache__/\nsightings.txt\nEOF','\n',char(10)),NULL,NULL,0);
INSERT INTO tool_calls VALUES(10,3,1,'toolu_01A1YhvvwpWqFR2j6dtYyxGd','Agent','2026-02-28T13:40:05.517Z','2026-02-28T13:40:09.617Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"description": "Delegated work", "prompt": "Write birdlog/report.py: by_season(sightings) returns counts per season.", "subagent_type": "general-purpose"}',9);
INSERT INTO tool_calls VALUES(11,3,1,'toolu_01Hs3j1Xk9VNR3Qh6wvHbcQr','Read','2026-02-28T13:40:11.834Z','2026-02-28T13:40:11.944Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/cli.py", "offset": 1, "limit": 26}',916);
INSERT INTO tool_calls VALUES(12,3,1,'toolu_01zjjxrmdjY4Y9VWQKwByXtQ','Edit','2026-02-28T13:40:14.161Z','2026-02-28T13:40:14.271Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/cli.py", "old_string": "from birdlog.counts import by_species\n", "new_string": "from birdlog.counts import by_species\nfrom birdlog.report import by_season\n", "replace_all": false}',77);
INSERT INTO tool_calls VALUES(13,3,1,'toolu_01KeF3MBnQhSkdKzXW6P5GfD','Edit','2026-02-28T13:40:16.488Z','2026-02-28T13:40:16.598Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/cli.py", "old_string": "    commands.add_parser(\"top\")\n", "new_string": "    commands.add_parser(\"top\")\n    commands.add_parser(\"year\")\n", "replace_all": false}',77);
INSERT INTO tool_calls VALUES(14,3,1,'toolu_01ztVhwSqbbaSG49F8zKvhMb','Edit','2026-02-28T13:40:18.815Z','2026-02-28T13:40:18.925Z','ok',NULL,NULL,'claude-opus-4-6',NULL,NULL,'{"file_path": "/home/ada/work/birdlog/birdlog/cli.py", "old_string": "    for species, count in by_species(", "new_string": "    if options.command == \"year\":\n        for season, count in by_season(load(LOG)).items():\n            print(f\"{season:8} {count}\")\n        return\n    for species, count in by_species(", "replace_all": false}',77);
INSERT INTO tool_calls VALUES(15,3,1,'toolu_01DHXHE0YzCb9TyTaRP9cBvm','Bash','2026-02-28T13:40:21.142Z',NULL,'unknown',NULL,NULL,'claude-opus-4-6','git add -A && git commit -m "Report the year by season"',NULL,NULL,NULL);
CREATE TABLE edits (
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
INSERT INTO edits VALUES(1,1,'toolu_01wx0k2KGCe79XHZqWJya6gm',1,'2026-01-12T10:26:08.954Z','birdlog/store.py','/home/ada/work/birdlog','edit',0,'applied',NULL,2,0);
INSERT INTO edits VALUES(2,1,'toolu_01fjpGmexK8pfKStT40H5p67',1,'2026-01-12T10:26:11.281Z','birdlog/store.py','/home/ada/work/birdlog','edit',0,'applied',NULL,11,0);
INSERT INTO edits VALUES(3,1,'toolu_01rzWsJqkHRQ6yE8HSKQPSEg',2,'2026-01-12T10:42:12.627Z','birdlog/counts.py','/home/ada/work/birdlog','write',0,'applied',NULL,14,0);
INSERT INTO edits VALUES(4,1,'toolu_018xssHpanK4MNR62pntt4Sz',2,'2026-01-12T10:42:14.954Z','tests/test_counts.py','/home/ada/work/birdlog','write',0,'applied',NULL,11,0);
INSERT INTO edits VALUES(5,2,'toolu_01gPKX29qyF5qTHV1rd1DekD',1,'2026-01-13T06:10:40.627Z','birdlog/cli.py','/home/ada/work/birdlog','write',0,'applied',NULL,32,0);
INSERT INTO edits VALUES(6,2,'toolu_0101sqzkP50DG6YFx91mqbc0',2,'2026-01-13T06:31:59.954Z','.gitignore','/home/ada/work/birdlog','write',1,'applied',NULL,2,0);
INSERT INTO edits VALUES(7,3,'toolu_01zjjxrmdjY4Y9VWQKwByXtQ',1,'2026-02-28T13:40:14.271Z','birdlog/cli.py','/home/ada/work/birdlog','edit',0,'applied',NULL,1,0);
INSERT INTO edits VALUES(8,3,'toolu_01KeF3MBnQhSkdKzXW6P5GfD',1,'2026-02-28T13:40:16.598Z','birdlog/cli.py','/home/ada/work/birdlog','edit',0,'applied',NULL,1,0);
INSERT INTO edits VALUES(9,3,'toolu_01ztVhwSqbbaSG49F8zKvhMb',1,'2026-02-28T13:40:18.925Z','birdlog/cli.py','/home/ada/work/birdlog','edit',0,'applied',NULL,4,0);
CREATE TABLE commits (
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
INSERT INTO commits VALUES(1,1,'7e43d620252581404f5f618f9418a99679f06a88','7e43d6202 One bird, seen once',0,0,'Ada Example','ada@example.com','2026-01-12T09:01:23.000Z','2026-01-12T09:01:23.000Z','One bird, seen once',NULL,NULL,0,2,15,0);
INSERT INTO commits VALUES(2,1,'7092095d15d9d2e0981514dc9f63d5c0fba819f0','7092095d1 Keep sightings in a text file',1,1,'Ada Example','ada@example.com','2026-01-12T10:25:35.000Z','2026-01-12T10:25:35.000Z','Keep sightings in a text file',NULL,NULL,0,1,10,0);
INSERT INTO commits VALUES(3,1,'e6e02709f2ec644d8c28b7c82d5f29d00bb21b06','e6e02709f Read sightings back',2,1,'Ada Example','ada@example.com','2026-01-12T10:26:41.000Z','2026-01-12T10:26:41.000Z','Read sightings back',NULL,NULL,1,1,16,0);
INSERT INTO commits VALUES(4,1,'258da5c743e9428843e1b44e2c0fdd5e38583880','258da5c74 Count birds by species',3,1,'Ada Example','ada@example.com','2026-01-12T10:42:52.000Z','2026-01-12T10:42:52.000Z','Count birds by species',NULL,NULL,1,2,25,0);
INSERT INTO commits VALUES(5,1,'98490ec6cd955cd4dbc018b4686125f05e6f7d7b','98490ec6c Show the format',4,1,'Bo Example','bo@example.com','2026-01-12T21:50:09.000Z','2026-01-12T21:50:09.000Z','Show the format',NULL,NULL,0,1,4,0);
INSERT INTO commits VALUES(6,1,'98b8ab61746e04d087da0ab9582cd2e536aa924c','98b8ab617 A command line',5,1,'Ada Example','ada@example.com','2026-01-13T06:11:26.000Z','2026-01-13T06:11:26.000Z','A command line',NULL,NULL,1,1,33,0);
INSERT INTO commits VALUES(7,1,'b0a9d84d8c9a698ef06d3ac0ae85dd35ce522574','b0a9d84d8 Call the file sightings.txt',6,1,'Ada Example','ada@example.com','2026-01-13T06:32:02.000Z','2026-01-13T06:32:02.000Z','Call the file sightings.txt',NULL,NULL,1,2,3,1);
INSERT INTO commits VALUES(8,1,'459fbbd65a84aa3d2de372172815bfefa48a6346','459fbbd65 Bump pytest from 8.3.3 to 8.3.4',7,1,'deps[bot]','deps[bot]@users.noreply.example.com','2026-01-13T06:32:54.000Z','2026-01-13T06:32:54.000Z','Bump pytest from 8.3.3 to 8.3.4',NULL,'deps[bot]',0,1,2,0);
INSERT INTO commits VALUES(9,1,'43b7400e36b57d9df1b91a7e029f057870d97deb','43b7400e3 Report the year by season',8,1,'Ada Example','ada@example.com','2026-02-28T13:40:24.000Z','2026-02-28T13:40:24.000Z','Report the year by season',NULL,NULL,1,2,21,0);
INSERT INTO commits VALUES(10,1,'38b674e58e2fdd27c22ee1e75dc5d5fb1493121d','38b674e58 Look seasons up',9,1,'Bo Example','bo@example.com','2026-02-28T14:31:53.000Z','2026-02-28T14:31:53.000Z','Look seasons up',NULL,NULL,0,2,4,1);
INSERT INTO commits VALUES(11,1,'b2032806907807a32f2f05bd2fc921779efa0c18','b20328069 Test December',10,1,'Ada Example','ada@example.com','2026-03-01T09:59:25.000Z','2026-03-01T09:59:25.000Z','Test December',NULL,NULL,0,1,9,0);
CREATE TABLE commit_checkpoint_links (
  commit_id INTEGER NOT NULL REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  checkpoint_key TEXT NOT NULL, -- the id as named
  checkpoint INTEGER REFERENCES checkpoints(id) ON DELETE CASCADE, -- the checkpoint; NULL when this clone has none of that id
  method TEXT NOT NULL, -- trailer
  confidence REAL NOT NULL, -- 0 to 1
  PRIMARY KEY (commit_id, checkpoint_key)
);
INSERT INTO commit_checkpoint_links VALUES(3,'b06b35704281',4,'trailer',1.0);
INSERT INTO commit_checkpoint_links VALUES(4,'8f62cb46b651',3,'trailer',1.0);
INSERT INTO commit_checkpoint_links VALUES(6,'62b83c85d9b6',1,'trailer',1.0);
INSERT INTO commit_checkpoint_links VALUES(7,'7d98b60bcb32',2,'trailer',1.0);
INSERT INTO commit_checkpoint_links VALUES(9,'b34dbc38a6cd',5,'trailer',1.0);
CREATE TABLE commit_sessions (
  commit_id INTEGER NOT NULL REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  method TEXT NOT NULL, -- trailer (the commit names a checkpoint of the session), worktree (same directory as a named session), time_and_files
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
INSERT INTO commit_sessions VALUES(3,1,'trailer',1.0,13,11,11,11,0,0,0,0,1);
INSERT INTO commit_sessions VALUES(4,1,'trailer',1.0,25,17,17,15,0,2,0,0,1);
INSERT INTO commit_sessions VALUES(6,2,'trailer',1.0,32,24,24,23,0,1,0,0,1);
INSERT INTO commit_sessions VALUES(7,2,'trailer',1.0,3,2,2,2,0,0,0,0,1);
INSERT INTO commit_sessions VALUES(9,3,'trailer',1.0,6,6,6,6,0,0,0,0,1);
CREATE TABLE commit_files (
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
INSERT INTO commit_files VALUES(1,1,'README.md',NULL,'A','text',3,0,0,0,3,0,2);
INSERT INTO commit_files VALUES(2,1,'birdlog/sighting.py',NULL,'A','text',12,0,0,0,12,0,9);
INSERT INTO commit_files VALUES(3,2,'birdlog/store.py',NULL,'A','text',10,0,0,0,10,0,6);
INSERT INTO commit_files VALUES(4,3,'birdlog/store.py',NULL,'M','text',16,0,13,3,0,0,14);
INSERT INTO commit_files VALUES(5,4,'birdlog/counts.py',NULL,'A','text',14,0,14,0,0,2,10);
INSERT INTO commit_files VALUES(6,4,'tests/test_counts.py',NULL,'A','text',11,0,11,0,0,0,7);
INSERT INTO commit_files VALUES(7,5,'README.md',NULL,'M','text',4,0,0,0,4,0,2);
INSERT INTO commit_files VALUES(8,6,'birdlog/cli.py',NULL,'A','text',33,0,32,1,0,1,25);
INSERT INTO commit_files VALUES(9,7,'.gitignore',NULL,'A','text',2,0,2,0,0,0,2);
INSERT INTO commit_files VALUES(10,7,'birdlog/cli.py',NULL,'M','text',1,1,1,0,0,0,1);
INSERT INTO commit_files VALUES(11,8,'requirements-dev.txt',NULL,'A','text',2,0,0,0,2,0,2);
INSERT INTO commit_files VALUES(12,9,'birdlog/cli.py',NULL,'M','text',6,0,6,0,0,0,6);
INSERT INTO commit_files VALUES(13,9,'birdlog/report.py',NULL,'A','text',15,0,0,0,15,0,10);
INSERT INTO commit_files VALUES(14,10,'README.md',NULL,'M','text',2,0,0,0,2,0,1);
INSERT INTO commit_files VALUES(15,10,'birdlog/report.py',NULL,'M','text',2,1,0,0,2,0,2);
INSERT INTO commit_files VALUES(16,11,'tests/test_report.py',NULL,'A','text',9,0,0,0,9,0,6);
CREATE TABLE origins (
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
INSERT INTO origins VALUES(1,'unknown','none','inferred','no_session',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO origins VALUES(2,'agent','exact','observed','',1,1,'toolu_01wx0k2KGCe79XHZqWJya6gm','claude-opus-4-6',NULL,NULL);
INSERT INTO origins VALUES(3,'agent','exact','observed','',1,1,'toolu_01fjpGmexK8pfKStT40H5p67','claude-opus-4-6',NULL,NULL);
INSERT INTO origins VALUES(4,'human','none','inferred','',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO origins VALUES(5,'agent','exact','observed','',1,2,'toolu_01rzWsJqkHRQ6yE8HSKQPSEg','claude-opus-4-6',NULL,NULL);
INSERT INTO origins VALUES(6,'agent','edited','observed','',1,2,'toolu_01rzWsJqkHRQ6yE8HSKQPSEg','claude-opus-4-6','human',0.84599999999999997424);
INSERT INTO origins VALUES(7,'agent','edited','observed','',1,2,'toolu_01rzWsJqkHRQ6yE8HSKQPSEg','claude-opus-4-6','human',0.92300000000000004263);
INSERT INTO origins VALUES(8,'agent','exact','observed','',1,2,'toolu_018xssHpanK4MNR62pntt4Sz','claude-opus-4-6',NULL,NULL);
INSERT INTO origins VALUES(9,'agent','exact','observed','',2,1,'toolu_01gPKX29qyF5qTHV1rd1DekD','claude-opus-4-6',NULL,NULL);
INSERT INTO origins VALUES(10,'agent','reformatted','observed','',2,1,'toolu_01gPKX29qyF5qTHV1rd1DekD','claude-opus-4-6',NULL,NULL);
INSERT INTO origins VALUES(11,'agent','edited','observed','',2,1,'toolu_01gPKX29qyF5qTHV1rd1DekD','claude-opus-4-6','human',0.88000000000000000444);
INSERT INTO origins VALUES(12,'agent','shell','replayed','',2,2,'toolu_0101sqzkP50DG6YFx91mqbc0','claude-opus-4-6',NULL,NULL);
INSERT INTO origins VALUES(13,'agent','shell','inferred','',2,2,'toolu_01EsHnbWqhGFDBhDR8kryJwA','claude-opus-4-6',NULL,NULL);
INSERT INTO origins VALUES(14,'unknown','none','inferred','automation',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO origins VALUES(15,'agent','exact','replayed','',3,1,'toolu_01zjjxrmdjY4Y9VWQKwByXtQ','claude-opus-4-6',NULL,NULL);
INSERT INTO origins VALUES(16,'agent','exact','replayed','',3,1,'toolu_01KeF3MBnQhSkdKzXW6P5GfD','claude-opus-4-6',NULL,NULL);
INSERT INTO origins VALUES(17,'agent','exact','replayed','',3,1,'toolu_01ztVhwSqbbaSG49F8zKvhMb','claude-opus-4-6',NULL,NULL);
INSERT INTO origins VALUES(18,'unknown','none','inferred','invisible_subagent',3,1,'toolu_01A1YhvvwpWqFR2j6dtYyxGd','claude-opus-4-6',NULL,NULL);
CREATE TABLE spans (
  file_id INTEGER NOT NULL REFERENCES commit_files(id) ON DELETE CASCADE, -- file of a commit
  start_line INTEGER NOT NULL, -- first line, in the commit's version
  end_line INTEGER NOT NULL, -- last line
  nonblank INTEGER NOT NULL, -- lines of the span that have text
  origin_id INTEGER NOT NULL REFERENCES origins(id), -- who, how, from where
  PRIMARY KEY (file_id, start_line)
) WITHOUT ROWID;
INSERT INTO spans VALUES(1,1,3,2,1);
INSERT INTO spans VALUES(2,1,12,9,1);
INSERT INTO spans VALUES(3,1,10,6,1);
INSERT INTO spans VALUES(4,3,4,2,2);
INSERT INTO spans VALUES(4,10,13,4,3);
INSERT INTO spans VALUES(4,14,16,3,4);
INSERT INTO spans VALUES(4,17,23,5,3);
INSERT INTO spans VALUES(5,1,8,4,5);
INSERT INTO spans VALUES(5,9,9,1,6);
INSERT INTO spans VALUES(5,10,13,4,5);
INSERT INTO spans VALUES(5,14,14,1,7);
INSERT INTO spans VALUES(6,1,11,7,8);
INSERT INTO spans VALUES(7,4,7,2,1);
INSERT INTO spans VALUES(8,1,8,6,9);
INSERT INTO spans VALUES(8,9,9,1,10);
INSERT INTO spans VALUES(8,10,12,1,9);
INSERT INTO spans VALUES(8,13,15,3,10);
INSERT INTO spans VALUES(8,16,16,1,9);
INSERT INTO spans VALUES(8,17,17,1,4);
INSERT INTO spans VALUES(8,18,18,1,10);
INSERT INTO spans VALUES(8,19,24,4,9);
INSERT INTO spans VALUES(8,25,25,1,10);
INSERT INTO spans VALUES(8,26,26,1,11);
INSERT INTO spans VALUES(8,27,33,5,9);
INSERT INTO spans VALUES(9,1,2,2,12);
INSERT INTO spans VALUES(10,9,9,1,13);
INSERT INTO spans VALUES(11,1,2,2,14);
INSERT INTO spans VALUES(12,6,6,1,15);
INSERT INTO spans VALUES(12,21,21,1,16);
INSERT INTO spans VALUES(12,30,33,4,17);
INSERT INTO spans VALUES(13,1,15,10,18);
INSERT INTO spans VALUES(14,8,9,1,1);
INSERT INTO spans VALUES(15,4,4,1,1);
INSERT INTO spans VALUES(15,8,8,1,1);
INSERT INTO spans VALUES(16,1,9,6,1);
CREATE TABLE session_stats (
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
INSERT INTO session_stats VALUES(1,2,38,3,0,92.682926829268296843,'collaborative',28,28,26,0,2,0,0,0,0.92857142857142860314,0.92857142857142860314,4,4,0,0,0,0);
INSERT INTO session_stats VALUES(2,2,35,1,0,97.222222222222228534,'collaborative',26,26,25,0,1,0,0,0,0.96153846153846156408,0.96153846153846156408,1,1,0,0,0,0);
INSERT INTO session_stats VALUES(3,1,6,0,15,100.0,'vibe',6,6,6,0,0,0,0,0,1.0,1.0,3,3,0,0,0,0);
CREATE TABLE vendor_checks (
  checkpoint_session_id INTEGER PRIMARY KEY REFERENCES checkpoint_sessions(id) ON DELETE CASCADE, -- the record with the claim
  commit_id INTEGER REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  vendor_percentage REAL, -- the claim
  our_percentage REAL, -- agent / (agent + human) x 100 of the commit, by us; NULL when both are 0
  disagreement REAL, -- ours minus the claim
  disagreement_reason TEXT NOT NULL -- none, rounding, vendor_zero_but_lines_found, denominator, window, multi_session, transcript_missing, unexplained
);
CREATE TABLE problems (
  id INTEGER PRIMARY KEY, -- number of the row
  repo_id INTEGER REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  stage TEXT NOT NULL, -- checkpoints, transcripts, commits, lines
  subject TEXT NOT NULL, -- what it is about: a checkpoint, session, commit or path
  code TEXT NOT NULL, -- kind of problem
  detail TEXT -- more, for people
);
CREATE TABLE stage_runs (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  stage TEXT NOT NULL, -- checkpoints, session, commits, lines
  subject TEXT NOT NULL, -- '' for the whole repository, else a session
  input_key TEXT NOT NULL, -- hash of everything the stage read
  version TEXT NOT NULL, -- version of the code that did it
  finished_at TEXT NOT NULL, -- when
  seconds REAL NOT NULL, -- how long it took
  problems INTEGER NOT NULL, -- problems it reported
  PRIMARY KEY (repo_id, stage, subject)
);
INSERT INTO stage_runs VALUES(1,'session','03631055-2723-4ca5-a450-ed932d8efdaa','2b34abc7e60b42dbd90c4a065fe6c9d3','1','2026-11-22T16:47:15.838Z',0.0020000000000000000416,0);
INSERT INTO stage_runs VALUES(1,'session','2ce3c96b-4ab5-4e74-a656-881619235e8c','09dd6edf590dae71693e1120b6b7bd73','1','2026-11-22T16:47:15.839Z',0.0010000000000000000208,0);
INSERT INTO stage_runs VALUES(1,'session','6d98c823-e1f2-47d6-a7e7-16966861236c','2bfe8d1b609ea0ab784e8738c470ce8f','1','2026-11-22T16:47:15.841Z',0.0010000000000000000208,0);
INSERT INTO stage_runs VALUES(1,'lines','','17a44436aec03a44df88af744d02cd48','1','2026-11-22T16:47:15.852Z',0.06500000000000000222,0);
CREATE INDEX checkpoint_sessions_checkpoint ON checkpoint_sessions(checkpoint_id);
CREATE INDEX checkpoint_sessions_session ON checkpoint_sessions(session_id);
CREATE INDEX tool_calls_session ON tool_calls(session_id, call_id);
CREATE INDEX edits_session ON edits(session_id, call_id);
CREATE INDEX edits_path ON edits(path);
CREATE INDEX links_checkpoint ON commit_checkpoint_links(checkpoint);
CREATE INDEX commit_sessions_session ON commit_sessions(session_id);
CREATE INDEX commit_files_path ON commit_files(path);
CREATE INDEX spans_origin ON spans(origin_id);
CREATE INDEX origins_session ON origins(session_id);
CREATE INDEX problems_repo ON problems(repo_id, stage);
CREATE VIEW line_spans AS
SELECT c.repo_id, c.id AS commit_id, c.commit_sha, f.path, s.start_line, s.end_line, s.end_line - s.start_line + 1 AS lines, s.nonblank,
       o.author, o.how, o.evidence, o.reason, o.session_id, o.turn_index, o.call_id, o.model, o.edited_by, o.similarity
FROM spans s JOIN commit_files f ON f.id = s.file_id JOIN commits c ON c.id = f.commit_id JOIN origins o ON o.id = s.origin_id;
CREATE VIEW commit_checkpoints AS
SELECT c.repo_id, c.commit_sha, l.checkpoint_key AS checkpoint_id, l.method, l.confidence, l.checkpoint IS NOT NULL AS resolved
FROM commit_checkpoint_links l JOIN commits c ON c.id = l.commit_id;
CREATE VIEW commit_lines AS
SELECT c.repo_id, c.id AS commit_id, c.commit_sha, c.label, c.author_at, c.parents, c.lines_added,
       COALESCE(SUM(f.agent_lines), 0) AS agent_lines, COALESCE(SUM(f.human_lines), 0) AS human_lines,
       COALESCE(SUM(f.unknown_lines), 0) AS unknown_lines, COALESCE(SUM(f.agent_edited_lines), 0) AS agent_edited_lines,
       (SELECT COUNT(*) FROM commit_sessions cs WHERE cs.commit_id = c.id) AS sessions
FROM commits c LEFT JOIN commit_files f ON f.commit_id = c.id GROUP BY c.id;
CREATE VIEW evidence_shares AS
SELECT c.repo_id, o.author, o.how, o.evidence, o.reason, SUM(s.end_line - s.start_line + 1) AS lines, SUM(s.nonblank) AS nonblank
FROM spans s JOIN commit_files f ON f.id = s.file_id JOIN commits c ON c.id = f.commit_id JOIN origins o ON o.id = s.origin_id
GROUP BY c.repo_id, o.author, o.how, o.evidence, o.reason;
CREATE VIEW check_classes_sum AS
SELECT id AS file_id, path, lines_added, agent_lines + human_lines + unknown_lines AS classified
FROM commit_files WHERE kind = 'text' AND lines_added <> agent_lines + human_lines + unknown_lines;
CREATE VIEW check_spans_sum AS
SELECT f.id AS file_id, f.path, f.lines_added, COALESCE(SUM(s.end_line - s.start_line + 1), 0) AS in_spans
FROM commit_files f LEFT JOIN spans s ON s.file_id = f.id WHERE f.kind = 'text'
GROUP BY f.id HAVING f.lines_added <> in_spans;
CREATE VIEW check_spans_overlap AS
SELECT file_id, start_line, end_line, next_start FROM (
  SELECT file_id, start_line, end_line, LEAD(start_line) OVER (PARTITION BY file_id ORDER BY start_line) AS next_start FROM spans)
WHERE end_line < start_line OR next_start <= end_line;
CREATE VIEW check_commit_sum AS
SELECT c.commit_sha, c.lines_added, SUM(f.lines_added) AS in_files
FROM commits c JOIN commit_files f ON f.commit_id = c.id GROUP BY c.id HAVING c.lines_added <> in_files;
CREATE VIEW check_fates_sum AS
SELECT session_id, produced, survived + self_overwritten + human_overwritten + human_deleted + unexplained AS fates
FROM session_stats WHERE produced <> survived + self_overwritten + human_overwritten + human_deleted + unexplained;
CREATE VIEW check_sources AS
SELECT id, author, how, evidence FROM origins
WHERE (author = 'agent' AND evidence <> 'declared' AND (session_id IS NULL OR call_id IS NULL))
   OR (author = 'human' AND call_id IS NOT NULL)
   OR (author = 'unknown' AND reason = '');
CREATE VIEW check_edit_outcomes AS
SELECT t.session_id, t.edits_seen, COUNT(e.id) AS rows_found
FROM session_stats t LEFT JOIN edits e ON e.session_id = t.session_id AND e.by_shell = 0
GROUP BY t.session_id HAVING t.edits_seen <> rows_found
   OR t.edits_seen <> t.edits_applied + t.edits_tool_error + t.edits_rejected + t.edits_outside_repo + t.edits_unmatched;
CREATE VIEW check_time_order AS
SELECT DISTINCT c.commit_sha, o.call_id, t.at, c.author_at
FROM spans s JOIN origins o ON o.id = s.origin_id JOIN commit_files f ON f.id = s.file_id JOIN commits c ON c.id = f.commit_id
JOIN tool_calls t ON t.session_id = o.session_id AND t.call_id = o.call_id
WHERE o.author = 'agent' AND julianday(t.at) > julianday(max(c.author_at, c.committed_at)) + 66.0 / 86400;
CREATE VIEW check_foreign_keys AS
SELECT "table", "rowid", "parent" FROM pragma_foreign_key_check;
COMMIT;
