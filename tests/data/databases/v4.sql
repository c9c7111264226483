PRAGMA application_id = 2003332983;
PRAGMA user_version = 4;
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
CREATE TABLE checkpoints (
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
CREATE TABLE commit_checkpoint_links (
  commit_id INTEGER NOT NULL REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  checkpoint_key TEXT NOT NULL, -- the id as named
  checkpoint INTEGER REFERENCES checkpoints(id) ON DELETE CASCADE, -- the checkpoint; NULL when this clone has none of that id
  method TEXT NOT NULL, -- trailer (the message names it), or the message of a commit it was made of does: same_patch_id, trailer_in_pull_ref (same author, second and subject), squash_by_number
  confidence REAL NOT NULL, -- 0 to 1
  PRIMARY KEY (commit_id, checkpoint_key)
);
INSERT INTO commit_checkpoint_links VALUES(3,'b06b35704281',4,'trailer',1.0);
INSERT INTO commit_checkpoint_links VALUES(4,'8f62cb46b651',3,'trailer',1.0);
INSERT INTO commit_checkpoint_links VALUES(6,'62b83c85d9b6',1,'trailer',1.0);
INSERT INTO commit_checkpoint_links VALUES(7,'7d98b60bcb32',2,'trailer',1.0);
INSERT INTO commit_checkpoint_links VALUES(9,'b34dbc38a6cd',5,'trailer',1.0);
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
CREATE TABLE commit_sessions (
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
INSERT INTO commit_sessions VALUES(3,1,'trailer',1.0,13,11,11,11,0,0,0,0,1);
INSERT INTO commit_sessions VALUES(4,1,'trailer',1.0,25,17,17,15,0,2,0,0,1);
INSERT INTO commit_sessions VALUES(6,2,'trailer',1.0,32,24,24,23,0,1,0,0,1);
INSERT INTO commit_sessions VALUES(7,2,'trailer',1.0,3,2,2,2,0,0,0,0,1);
INSERT INTO commit_sessions VALUES(9,3,'trailer',1.0,6,6,6,6,0,0,0,0,1);
CREATE TABLE vendor_checks (
  checkpoint_session_id INTEGER PRIMARY KEY REFERENCES checkpoint_sessions(id) ON DELETE CASCADE, -- the record with the claim
  commit_id INTEGER REFERENCES commits(id) ON DELETE CASCADE, -- the commit
  vendor_percentage REAL, -- the claim
  our_percentage REAL, -- agent / (agent + human) x 100 of the commit, by us; NULL when both are 0
  disagreement REAL, -- ours minus the claim
  disagreement_reason TEXT NOT NULL -- none, rounding, vendor_zero_but_lines_found, denominator, window, multi_session, transcript_missing, unexplained
);
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
CREATE TABLE regions (
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
INSERT INTO regions VALUES(1,1,'birdlog/store.py','/home/ada/work/birdlog',3,4,1,1,NULL,NULL,'[2]','2026-01-12T10:26:08.954Z','2026-01-12T10:26:08.954Z');
INSERT INTO regions VALUES(2,1,'birdlog/store.py','/home/ada/work/birdlog',10,20,1,1,NULL,NULL,'[11]','2026-01-12T10:26:11.281Z','2026-01-12T10:26:11.281Z');
INSERT INTO regions VALUES(3,1,'birdlog/counts.py','/home/ada/work/birdlog',1,14,1,1,NULL,NULL,'[14]','2026-01-12T10:42:12.627Z','2026-01-12T10:42:12.627Z');
INSERT INTO regions VALUES(4,1,'tests/test_counts.py','/home/ada/work/birdlog',1,11,1,1,NULL,NULL,'[11]','2026-01-12T10:42:14.954Z','2026-01-12T10:42:14.954Z');
INSERT INTO regions VALUES(5,2,'birdlog/cli.py','/home/ada/work/birdlog',1,32,1,1,NULL,NULL,'[32]','2026-01-13T06:10:40.627Z','2026-01-13T06:10:40.627Z');
INSERT INTO regions VALUES(6,2,'.gitignore','/home/ada/work/birdlog',1,2,1,1,NULL,NULL,'[2]','2026-01-13T06:31:59.954Z','2026-01-13T06:31:59.954Z');
INSERT INTO regions VALUES(7,3,'birdlog/cli.py','/home/ada/work/birdlog',6,6,1,1,NULL,NULL,'[1]','2026-02-28T13:40:14.271Z','2026-02-28T13:40:14.271Z');
INSERT INTO regions VALUES(8,3,'birdlog/cli.py','/home/ada/work/birdlog',20,20,1,1,NULL,NULL,'[1]','2026-02-28T13:40:16.598Z','2026-02-28T13:40:16.598Z');
INSERT INTO regions VALUES(9,3,'birdlog/cli.py','/home/ada/work/birdlog',29,32,1,1,NULL,NULL,'[4]','2026-02-28T13:40:18.925Z','2026-02-28T13:40:18.925Z');
CREATE TABLE region_edits (
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
INSERT INTO region_edits VALUES(1,1,1,'toolu_01wx0k2KGCe79XHZqWJya6gm',1,'2026-01-12T10:26:08.954Z','edit',3,4,2,0,NULL,NULL);
INSERT INTO region_edits VALUES(2,1,1,'toolu_01fjpGmexK8pfKStT40H5p67',1,'2026-01-12T10:26:11.281Z','edit',10,20,11,0,NULL,NULL);
INSERT INTO region_edits VALUES(3,1,1,'toolu_01rzWsJqkHRQ6yE8HSKQPSEg',2,'2026-01-12T10:42:12.627Z','write',1,14,14,0,NULL,NULL);
INSERT INTO region_edits VALUES(4,1,1,'toolu_018xssHpanK4MNR62pntt4Sz',2,'2026-01-12T10:42:14.954Z','write',1,11,11,0,NULL,NULL);
INSERT INTO region_edits VALUES(5,2,1,'toolu_01gPKX29qyF5qTHV1rd1DekD',1,'2026-01-13T06:10:40.627Z','write',1,32,32,0,NULL,NULL);
INSERT INTO region_edits VALUES(6,2,1,'toolu_0101sqzkP50DG6YFx91mqbc0',2,'2026-01-13T06:31:59.954Z','write',1,2,2,0,NULL,NULL);
INSERT INTO region_edits VALUES(7,3,1,'toolu_01zjjxrmdjY4Y9VWQKwByXtQ',1,'2026-02-28T13:40:14.271Z','edit',6,6,1,0,NULL,NULL);
INSERT INTO region_edits VALUES(8,3,1,'toolu_01KeF3MBnQhSkdKzXW6P5GfD',1,'2026-02-28T13:40:16.598Z','edit',20,20,1,0,NULL,NULL);
INSERT INTO region_edits VALUES(9,3,1,'toolu_01ztVhwSqbbaSG49F8zKvhMb',1,'2026-02-28T13:40:18.925Z','edit',29,32,4,0,NULL,NULL);
CREATE TABLE region_symbols (
  region_id INTEGER NOT NULL REFERENCES regions(id) ON DELETE CASCADE, -- the region
  call_id TEXT NOT NULL, -- the call
  start_line INTEGER NOT NULL, -- first new line of the hunk, as in region_edits
  symbol TEXT NOT NULL, -- the head line, at most 80 characters
  PRIMARY KEY (region_id, call_id, start_line)
) WITHOUT ROWID;
INSERT INTO region_symbols VALUES(8,'toolu_01KeF3MBnQhSkdKzXW6P5GfD',20,'def parser():');
INSERT INTO region_symbols VALUES(9,'toolu_01ztVhwSqbbaSG49F8zKvhMb',29,'def main():');
CREATE TABLE region_priors (
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session that changed the lines
  prior_session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session that wrote them
  PRIMARY KEY (session_id, prior_session_id)
) WITHOUT ROWID;
INSERT INTO region_priors VALUES(3,2);
CREATE TABLE scores (
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
INSERT INTO scores VALUES(1,'coding',0.98571428571428576503,'Excellent',1.0,1.0,1.0,0.97142857142857153007,0.9625000000000000222,NULL,0.11538500000000000145,8.5428286667615864757,'{"weights": {"completion": 0.15, "execution": 0.2, "efficiency": 0.15, "outcome": 0.5}, "signals": [{"part": "completion", "signal": "ended_normally", "weight": 1.0, "score": 1.0, "value": 1}, {"part": "completion", "signal": "substantive_output", "weight": 1.0, "score": 1.0, "value": 19}, {"part": "completion", "signal": "no_corrections", "weight": 1.0, "score": 1.0, "value": 0}, {"part": "execution", "signal": "tool_success", "weight": 0.5, "score": 1.0, "value": 0.0}, {"part": "execution", "signal": "first_attempt", "weight": 0.25, "score": 1.0, "value": 0}, {"part": "execution", "signal": "error_recovery", "weight": 0.15, "score": 1.0, "value": 0}, {"part": "execution", "signal": "subagents", "weight": 0.1, "score": 1.0, "value": 0}, {"part": "efficiency", "signal": "tokens", "weight": 1.0, "score": 1.0, "value": 0.0069800683979908094}, {"part": "efficiency", "signal": "responses", "weight": 1.0, "score": 1.0, "value": 8}, {"part": "efficiency", "signal": "compactions", "weight": 1.0, "score": 1.0, "value": 0}, {"part": "efficiency", "signal": "model_appropriateness", "weight": 1.0, "score": null, "value": null}, {"part": "outcome", "signal": "artifact", "weight": 0.3, "score": 1.0, "value": true}, {"part": "outcome", "signal": "landed", "weight": 0.4, "score": 0.9285714285714286, "value": 0.9285714285714286}, {"part": "outcome", "signal": "acceptance", "weight": 0.3, "score": 1.0, "value": "accepted"}]}',2);
INSERT INTO scores VALUES(2,'coding',0.99230769230769233502,'Excellent',1.0,1.0,1.0,0.98461538461538467004,0.9625000000000000222,NULL,0.05723000000000000309,17.338942727724834469,'{"weights": {"completion": 0.15, "execution": 0.2, "efficiency": 0.15, "outcome": 0.5}, "signals": [{"part": "completion", "signal": "ended_normally", "weight": 1.0, "score": 1.0, "value": 1}, {"part": "completion", "signal": "substantive_output", "weight": 1.0, "score": 1.0, "value": 5}, {"part": "completion", "signal": "no_corrections", "weight": 1.0, "score": 1.0, "value": 0}, {"part": "execution", "signal": "tool_success", "weight": 0.5, "score": 1.0, "value": 0.0}, {"part": "execution", "signal": "first_attempt", "weight": 0.25, "score": 1.0, "value": 0}, {"part": "execution", "signal": "error_recovery", "weight": 0.15, "score": 1.0, "value": 0}, {"part": "execution", "signal": "subagents", "weight": 0.1, "score": 1.0, "value": 0}, {"part": "efficiency", "signal": "tokens", "weight": 1.0, "score": 1.0, "value": 0.006732927220262905}, {"part": "efficiency", "signal": "responses", "weight": 1.0, "score": 1.0, "value": 4}, {"part": "efficiency", "signal": "compactions", "weight": 1.0, "score": 1.0, "value": 0}, {"part": "efficiency", "signal": "model_appropriateness", "weight": 1.0, "score": null, "value": null}, {"part": "outcome", "signal": "artifact", "weight": 0.3, "score": 1.0, "value": true}, {"part": "outcome", "signal": "landed", "weight": 0.4, "score": 0.9615384615384616, "value": 0.9615384615384616}, {"part": "outcome", "signal": "acceptance", "weight": 0.3, "score": 1.0, "value": "accepted"}]}',2);
INSERT INTO scores VALUES(3,'coding',0.94999999999999995559,'Excellent',0.66666666666666662965,1.0,1.0,1.0,0.9625000000000000222,NULL,0.085995000000000001993,11.047153904296759918,'{"weights": {"completion": 0.15, "execution": 0.2, "efficiency": 0.15, "outcome": 0.5}, "signals": [{"part": "completion", "signal": "ended_normally", "weight": 1.0, "score": 0.0, "value": 0}, {"part": "completion", "signal": "substantive_output", "weight": 1.0, "score": 1.0, "value": 0}, {"part": "completion", "signal": "no_corrections", "weight": 1.0, "score": 1.0, "value": 0}, {"part": "execution", "signal": "tool_success", "weight": 0.5, "score": 1.0, "value": 0.0}, {"part": "execution", "signal": "first_attempt", "weight": 0.25, "score": 1.0, "value": 0}, {"part": "execution", "signal": "error_recovery", "weight": 0.15, "score": 1.0, "value": 0}, {"part": "execution", "signal": "subagents", "weight": 0.1, "score": 1.0, "value": 1}, {"part": "efficiency", "signal": "tokens", "weight": 1.0, "score": 1.0, "value": 0.006786363150582452}, {"part": "efficiency", "signal": "responses", "weight": 1.0, "score": 1.0, "value": 6}, {"part": "efficiency", "signal": "compactions", "weight": 1.0, "score": 1.0, "value": 0}, {"part": "efficiency", "signal": "model_appropriateness", "weight": 1.0, "score": null, "value": null}, {"part": "outcome", "signal": "artifact", "weight": 0.3, "score": 1.0, "value": true}, {"part": "outcome", "signal": "landed", "weight": 0.4, "score": 1.0, "value": 1.0}, {"part": "outcome", "signal": "acceptance", "weight": 0.3, "score": 1.0, "value": "accepted"}]}',2);
CREATE TABLE problems (
  id INTEGER PRIMARY KEY, -- number of the row
  repo_id INTEGER REFERENCES repos(id) ON DELETE CASCADE, -- its repository; NULL for results of evaluation runs
  stage TEXT NOT NULL, -- checkpoints, transcripts, commits, lines, features, history, claims, weaknesses, attempts, judge
  subject TEXT NOT NULL, -- what it is about: a checkpoint, session, commit or path
  code TEXT NOT NULL, -- kind of problem
  detail TEXT -- more, for people
);
CREATE TABLE stage_runs (
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
INSERT INTO stage_runs VALUES(1,'session','03631055-2723-4ca5-a450-ed932d8efdaa','2b34abc7e60b42dbd90c4a065fe6c9d3','3','2026-11-22T16:47:23.396Z',0.0020000000000000000416,0);
INSERT INTO stage_runs VALUES(1,'features','03631055-2723-4ca5-a450-ed932d8efdaa','2b34abc7e60b42dbd90c4a065fe6c9d3','98b21b32b2cf36c6','2026-11-22T16:47:23.412Z',0.016000000000000000333,0);
INSERT INTO stage_runs VALUES(1,'session','2ce3c96b-4ab5-4e74-a656-881619235e8c','09dd6edf590dae71693e1120b6b7bd73','3','2026-11-22T16:47:23.414Z',0.0010000000000000000208,0);
INSERT INTO stage_runs VALUES(1,'features','2ce3c96b-4ab5-4e74-a656-881619235e8c','09dd6edf590dae71693e1120b6b7bd73','98b21b32b2cf36c6','2026-11-22T16:47:23.416Z',0.0020000000000000000416,0);
INSERT INTO stage_runs VALUES(1,'session','6d98c823-e1f2-47d6-a7e7-16966861236c','2bfe8d1b609ea0ab784e8738c470ce8f','3','2026-11-22T16:47:23.418Z',0.0010000000000000000208,0);
INSERT INTO stage_runs VALUES(1,'features','6d98c823-e1f2-47d6-a7e7-16966861236c','2bfe8d1b609ea0ab784e8738c470ce8f','98b21b32b2cf36c6','2026-11-22T16:47:23.419Z',0.0010000000000000000208,0);
INSERT INTO stage_runs VALUES(1,'load','','4d50d4a712635fc2647b3c17e9865735','3','2026-11-22T16:47:23.442Z',0.13200000000000000621,0);
INSERT INTO stage_runs VALUES(1,'lines','','1f9381f50bdafbb58118ce499600739b','3','2026-11-22T16:47:23.442Z',0.13200000000000000621,0);
INSERT INTO stage_runs VALUES(1,'history','','3457266abff941b25fc76ab0513ced3d','1','2026-11-22T16:47:24.222Z',0.026999999999999999694,0);
INSERT INTO stage_runs VALUES(1,'survival','','71b666377186a00daeabd0b0b5b00f4e','2','2026-11-22T16:47:24.227Z',0.005000000000000000104,0);
INSERT INTO stage_runs VALUES(1,'claims','commits','b2032806907807a32f2f05bd2fc921779efa0c18','1','2026-11-22T16:47:27.101Z',0.0,0);
INSERT INTO stage_runs VALUES(1,'claims','','5e7f77c4fd1048f55a1218d26959c35f','1','2026-11-22T16:47:27.102Z',0.017999999999999998639,0);
CREATE TABLE history_commits (
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
INSERT INTO history_commits VALUES(1,1,0,'e6e02709f2ec644d8c28b7c82d5f29d00bb21b06',NULL,1,0,1,'2026-01-12T10:26:41.000Z','2026-01-12T10:26:41.000Z',16,0,0,16,'d71cc3c1e392419288e809f0','2ca101d55f003459326d5808',NULL,NULL);
INSERT INTO history_commits VALUES(2,1,1,'258da5c743e9428843e1b44e2c0fdd5e38583880',1,1,1,2,'2026-01-12T10:42:52.000Z','2026-01-12T10:42:52.000Z',25,0,0,41,'e188e983d7300f293b81b6fa','0917ce21c7e875493b1ac7d9',NULL,NULL);
INSERT INTO history_commits VALUES(3,1,2,'98490ec6cd955cd4dbc018b4686125f05e6f7d7b',2,1,2,3,'2026-01-12T21:50:09.000Z','2026-01-12T21:50:09.000Z',4,0,0,45,'8ab0200aefe453f7b4e7a2b7','e006488c28a512fcc93e7f7b',NULL,NULL);
INSERT INTO history_commits VALUES(4,1,3,'98b8ab61746e04d087da0ab9582cd2e536aa924c',3,1,3,4,'2026-01-13T06:11:26.000Z','2026-01-13T06:11:26.000Z',33,0,0,78,'6b8309c287f7b136cf297c39','922d2bd719271e4c5f892a50',NULL,NULL);
INSERT INTO history_commits VALUES(5,1,4,'b0a9d84d8c9a698ef06d3ac0ae85dd35ce522574',4,1,4,5,'2026-01-13T06:32:02.000Z','2026-01-13T06:32:02.000Z',3,1,0,80,'64a9f2c65e7bc8fd0f426af3','3b9d62aea7c9972459f662ea',NULL,NULL);
INSERT INTO history_commits VALUES(6,1,5,'459fbbd65a84aa3d2de372172815bfefa48a6346',5,1,5,6,'2026-01-13T06:32:54.000Z','2026-01-13T06:32:54.000Z',2,0,0,82,NULL,NULL,NULL,NULL);
INSERT INTO history_commits VALUES(7,1,6,'43b7400e36b57d9df1b91a7e029f057870d97deb',6,1,6,7,'2026-02-28T13:40:24.000Z','2026-02-28T13:40:24.000Z',21,0,0,103,'9905e31ccca9cd54ca8e9935','bdc500307664c5fa9bebf3d6',NULL,NULL);
INSERT INTO history_commits VALUES(8,1,7,'38b674e58e2fdd27c22ee1e75dc5d5fb1493121d',7,1,7,8,'2026-02-28T14:31:53.000Z','2026-02-28T14:31:53.000Z',4,1,0,106,'834d486b249ee5ef8de9a5a8','4d9f7a0df2fea4b054b9af03',NULL,NULL);
INSERT INTO history_commits VALUES(9,1,8,'b2032806907807a32f2f05bd2fc921779efa0c18',8,1,8,9,'2026-03-01T09:59:25.000Z','2026-03-01T09:59:25.000Z',9,0,0,115,'49e450ce814817b1cb7889bd','7befcf8dae3545da4db7eeb6',NULL,NULL);
CREATE TABLE line_lives (
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
INSERT INTO line_lives VALUES(1,1,1,'birdlog/store.py',3,4,2,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,3,1,'birdlog/store.py',10,23,12,'22 23','text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,17,2,'birdlog/counts.py',1,14,10,'2 5 7 8','text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,31,2,'tests/test_counts.py',1,11,7,'2 5 7 8','text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,42,3,'README.md',4,7,2,'4 6','text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,46,4,'birdlog/cli.py',1,8,6,'4 8','text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,54,4,'birdlog/cli.py',9,9,1,NULL,'text',0,5,'modified',5,'birdlog/cli.py',9,9);
INSERT INTO line_lives VALUES(1,55,4,'birdlog/cli.py',10,33,18,'10 11 21 22 30 31','text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,79,5,'birdlog/cli.py',9,9,1,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,80,5,'.gitignore',1,2,2,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,82,6,'requirements-dev.txt',1,2,2,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,84,7,'birdlog/cli.py',6,6,1,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,85,7,'birdlog/cli.py',21,21,1,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,86,7,'birdlog/cli.py',30,33,4,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,90,7,'birdlog/report.py',1,6,3,'2 4 5','text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,96,7,'birdlog/report.py',7,7,1,NULL,'text',0,8,'modified',8,'birdlog/report.py',8,8);
INSERT INTO line_lives VALUES(1,97,7,'birdlog/report.py',8,15,6,'8 9','text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,105,8,'README.md',8,9,1,'8','text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,107,8,'birdlog/report.py',4,4,1,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,108,8,'birdlog/report.py',8,8,1,NULL,'text',0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO line_lives VALUES(1,109,9,'tests/test_report.py',1,9,6,'2 5 6','text',0,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE line_travels (
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  commit_id INTEGER NOT NULL REFERENCES history_commits(id) ON DELETE CASCADE, -- commit that changed them
  path TEXT NOT NULL, -- path in that commit
  start_line INTEGER NOT NULL, -- first line there
  end_line INTEGER NOT NULL, -- last line there
  how TEXT NOT NULL, -- whitespace, reformatted (same text, other line breaks, quotes, separators), moved (within the commit's files)
  origin INTEGER NOT NULL, -- number of the first line, as in line_lives; the others follow; 0: older than the window
  PRIMARY KEY (repo_id, commit_id, path, start_line)
) WITHOUT ROWID;
CREATE TABLE tip_states (
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
INSERT INTO tip_states VALUES(1,'b2032806907807a32f2f05bd2fc921779efa0c18','7092095d15d9d2e0981514dc9f63d5c0fba819f0','whitespace reformatted moved','150e4a5b2f8f55ee6eed5f7f8cf53b02',115,0,9,9,X'77686f77726f746520686973746f727920320a785edd555d685c45144eda26b5ad442d168ba2d6c5d05492dd3b73efcc9d2908d618b160ab0495d29896993b33c9d54d76ddbd6d534ac40745915a44118aa07d501fac2052a2b5885804ff1e94222a550958a48a28587d5450cfd9de49eea6e95bfb6007be3d77febe39e77c6766ff59dad16afb4a595a2f6d5c57d23408a908b80c6211c42aa48eba8069435d22298963699d0a12224afdeb4a496da25eb599857d4e559b1686746dd7a4518dbd3034320afd493b95c13721023a75958d3771a684bb75da30d5da58a599d51ab65cdf5b1c4b80266be683996d66cd0afeee6c1b1f1eda74c796a1f28469db594df36de5b1344bc726811ce71bf6915d69c34e58e01d3076773903c70a5e346cbdd6c8ce3d717e1cc37169d5b6221829b5d31b2e283136d45410a31d25220e436275a2ad0e219784c7b14d188123615c08201b29b5056054a20c8db59171c21c8fb951a082a6a116966b1739c5796878dcc6e07398cc45ad234e1246254d3831011c157196102d54c0b88da5644c582d35ea37efc81c4d31ed712834115430c384562a52828343c2b14010e77410381d46018d16656a4b67a8998cb07ca8e00e3c48121ad2486a1b29a6088d92c0082adde23e15cbc350194aa520b111d30aaa52868ec5891511e4d648cd79107321659b4be7539e8426914cc9808441a04c6ca31884530185094659a8b5001d5dbb64e7ab45a21d4be08ed820200e94b4942963b9e304a2d54a6aa88498c6499b6705b2b67c2532521191124a46306db94878143912ea280e22a51c5c4cc6089bcf1796e69ed464e3509a34804e3a99d55a176d9102c9af5da1b0a767ce3e021d3ffdb07ec59fbf992dfbfb8e7e3ab073c3895547aeebee7de6b54f067fb9fda9c153335bfbaf98dd21b689c70e6eeef9f8f3171efceafbe36b67c655ef991db5e97d07df7d436593cb4e3cf9ddca63dbfabf3ccd0f3f77f75baf9fdcb2ffc5f4c099898dc7df7c62967d31dc9b0d1d7aef9bed8f1fbe75e0c7c6357d6b3ef8fdd5a7933b078fded6c3df9e7ee98f63d73ebae450d754fddbe95fc53bd9e90395d9f51f964ffd3cfad1d77f5ffdfceaeb8f2cedeb7e766af92b954ad7fb95cf6edaf3f25f97afbd2bf71d4d27001fb4ab0037026e019401f700ee050c03ee03dc0f7800b01d90021e0654011300cff72f344f8dbc882539ff32b0882e40f7022c87bec765053eefdf421ee4f03cb8cff7d1e27e3c072d62c5023e8c7565ee1bf2e25ab4b8cefb8cfead01dc908f153971cd6a1fe439f6e67ce44ab01b000380ad009fc931f87e08d004f8b55e01ef818fc67b8316338d0d79b0a14aa8022a85ea8400542c06a0529b00a8d666002a8baaa162a33997ca79901b5bfe97d6521bab0055f5671615c46ff4cffb8cd667d36709b3d7937316d7e13ceef71c7e0df65701307efcc6d6d9b93bff5a603a3bf16cf8f19ecff75a335ec4b979e49a236d273bcbe2a7fde6561f7dc586d58115e6fbfe00df479f7da5cd1fded171323f136fc4a5d830d6ff435c28c3c5f0f352d717ebfe62e4ed4273e2ddbcd09cc8e7df667fa78b6f60f19fa7f82efc07b286386e');
CREATE TABLE line_fates (
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
INSERT INTO line_fates VALUES(1,1,1,2,2,2,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,3,3,4,4,3,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,7,3,3,3,4,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,10,3,7,5,3,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,17,17,8,4,5,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,25,17,1,1,6,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,26,17,4,4,5,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,30,17,1,1,7,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,31,31,11,7,8,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,42,42,4,2,1,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,46,46,8,6,9,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,54,54,1,1,10,'agent',2,'replaced');
INSERT INTO line_fates VALUES(1,55,55,3,1,9,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,58,55,3,3,10,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,61,55,1,1,9,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,62,55,1,1,4,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,63,55,1,1,10,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,64,55,6,4,9,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,70,55,1,1,10,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,71,55,1,1,11,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,72,55,7,5,9,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,79,79,1,1,13,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,80,80,2,2,12,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,82,82,2,2,14,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,84,84,1,1,15,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,85,85,1,1,16,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,86,86,4,4,17,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,90,90,6,3,18,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,96,96,1,1,18,'unknown',NULL,'none');
INSERT INTO line_fates VALUES(1,97,97,8,6,18,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,105,105,2,1,1,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,107,107,1,1,1,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,108,108,1,1,1,NULL,NULL,NULL);
INSERT INTO line_fates VALUES(1,109,109,9,6,1,NULL,NULL,NULL);
CREATE TABLE deletions (
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
INSERT INTO deletions VALUES(1,5,'agent',2,'agent',2,'modified',1,0.014305555555555555732,0.014305555555555555732,0.014305555555555555732);
INSERT INTO deletions VALUES(1,8,'unknown',3,'unknown',NULL,'modified',1,0.035752314814814813159,0.035752314814814813159,0.035752314814814813159);
CREATE TABLE survival (
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
INSERT INTO survival VALUES(1,'agent','claude-code','agent','commits',1,61,60);
INSERT INTO survival VALUES(1,'agent','claude-code','agent','days',1,55,54);
INSERT INTO survival VALUES(1,'agent','claude-code','agent','days',7,55,54);
INSERT INTO survival VALUES(1,'agent','claude-code','agent','days',30,55,54);
INSERT INTO survival VALUES(1,'agent','claude-code','agent','head',0,61,60);
INSERT INTO survival VALUES(1,'class','agent','agent','commits',1,61,60);
INSERT INTO survival VALUES(1,'class','agent','agent','days',1,55,54);
INSERT INTO survival VALUES(1,'class','agent','agent','days',7,55,54);
INSERT INTO survival VALUES(1,'class','agent','agent','days',30,55,54);
INSERT INTO survival VALUES(1,'class','agent','agent','head',0,61,60);
INSERT INTO survival VALUES(1,'class','human','human','commits',1,4,4);
INSERT INTO survival VALUES(1,'class','human','human','days',1,4,4);
INSERT INTO survival VALUES(1,'class','human','human','days',7,4,4);
INSERT INTO survival VALUES(1,'class','human','human','days',30,4,4);
INSERT INTO survival VALUES(1,'class','human','human','head',0,4,4);
INSERT INTO survival VALUES(1,'class','undeclared','undeclared','commits',1,5,5);
INSERT INTO survival VALUES(1,'class','undeclared','undeclared','days',1,2,2);
INSERT INTO survival VALUES(1,'class','undeclared','undeclared','days',7,2,2);
INSERT INTO survival VALUES(1,'class','undeclared','undeclared','days',30,2,2);
INSERT INTO survival VALUES(1,'class','undeclared','undeclared','head',0,11,11);
INSERT INTO survival VALUES(1,'class','unknown','unknown','commits',1,12,11);
INSERT INTO survival VALUES(1,'class','unknown','unknown','days',1,2,2);
INSERT INTO survival VALUES(1,'class','unknown','unknown','days',7,2,2);
INSERT INTO survival VALUES(1,'class','unknown','unknown','days',30,2,2);
INSERT INTO survival VALUES(1,'class','unknown','unknown','head',0,12,11);
INSERT INTO survival VALUES(1,'directory','.','agent','commits',1,2,2);
INSERT INTO survival VALUES(1,'directory','.','agent','days',1,2,2);
INSERT INTO survival VALUES(1,'directory','.','agent','days',7,2,2);
INSERT INTO survival VALUES(1,'directory','.','agent','days',30,2,2);
INSERT INTO survival VALUES(1,'directory','.','agent','head',0,2,2);
INSERT INTO survival VALUES(1,'directory','.','undeclared','commits',1,3,3);
INSERT INTO survival VALUES(1,'directory','.','undeclared','days',1,2,2);
INSERT INTO survival VALUES(1,'directory','.','undeclared','days',7,2,2);
INSERT INTO survival VALUES(1,'directory','.','undeclared','days',30,2,2);
INSERT INTO survival VALUES(1,'directory','.','undeclared','head',0,3,3);
INSERT INTO survival VALUES(1,'directory','.','unknown','commits',1,2,2);
INSERT INTO survival VALUES(1,'directory','.','unknown','days',1,2,2);
INSERT INTO survival VALUES(1,'directory','.','unknown','days',7,2,2);
INSERT INTO survival VALUES(1,'directory','.','unknown','days',30,2,2);
INSERT INTO survival VALUES(1,'directory','.','unknown','head',0,2,2);
INSERT INTO survival VALUES(1,'directory','birdlog/','agent','commits',1,52,51);
INSERT INTO survival VALUES(1,'directory','birdlog/','agent','days',1,46,45);
INSERT INTO survival VALUES(1,'directory','birdlog/','agent','days',7,46,45);
INSERT INTO survival VALUES(1,'directory','birdlog/','agent','days',30,46,45);
INSERT INTO survival VALUES(1,'directory','birdlog/','agent','head',0,52,51);
INSERT INTO survival VALUES(1,'directory','birdlog/','human','commits',1,4,4);
INSERT INTO survival VALUES(1,'directory','birdlog/','human','days',1,4,4);
INSERT INTO survival VALUES(1,'directory','birdlog/','human','days',7,4,4);
INSERT INTO survival VALUES(1,'directory','birdlog/','human','days',30,4,4);
INSERT INTO survival VALUES(1,'directory','birdlog/','human','head',0,4,4);
INSERT INTO survival VALUES(1,'directory','birdlog/','undeclared','commits',1,2,2);
INSERT INTO survival VALUES(1,'directory','birdlog/','undeclared','head',0,2,2);
INSERT INTO survival VALUES(1,'directory','birdlog/','unknown','commits',1,10,9);
INSERT INTO survival VALUES(1,'directory','birdlog/','unknown','head',0,10,9);
INSERT INTO survival VALUES(1,'directory','tests/','agent','commits',1,7,7);
INSERT INTO survival VALUES(1,'directory','tests/','agent','days',1,7,7);
INSERT INTO survival VALUES(1,'directory','tests/','agent','days',7,7,7);
INSERT INTO survival VALUES(1,'directory','tests/','agent','days',30,7,7);
INSERT INTO survival VALUES(1,'directory','tests/','agent','head',0,7,7);
INSERT INTO survival VALUES(1,'directory','tests/','undeclared','head',0,6,6);
INSERT INTO survival VALUES(1,'language','md','undeclared','commits',1,3,3);
INSERT INTO survival VALUES(1,'language','md','undeclared','days',1,2,2);
INSERT INTO survival VALUES(1,'language','md','undeclared','days',7,2,2);
INSERT INTO survival VALUES(1,'language','md','undeclared','days',30,2,2);
INSERT INTO survival VALUES(1,'language','md','undeclared','head',0,3,3);
INSERT INTO survival VALUES(1,'language','other','agent','commits',1,2,2);
INSERT INTO survival VALUES(1,'language','other','agent','days',1,2,2);
INSERT INTO survival VALUES(1,'language','other','agent','days',7,2,2);
INSERT INTO survival VALUES(1,'language','other','agent','days',30,2,2);
INSERT INTO survival VALUES(1,'language','other','agent','head',0,2,2);
INSERT INTO survival VALUES(1,'language','py','agent','commits',1,59,58);
INSERT INTO survival VALUES(1,'language','py','agent','days',1,53,52);
INSERT INTO survival VALUES(1,'language','py','agent','days',7,53,52);
INSERT INTO survival VALUES(1,'language','py','agent','days',30,53,52);
INSERT INTO survival VALUES(1,'language','py','agent','head',0,59,58);
INSERT INTO survival VALUES(1,'language','py','human','commits',1,4,4);
INSERT INTO survival VALUES(1,'language','py','human','days',1,4,4);
INSERT INTO survival VALUES(1,'language','py','human','days',7,4,4);
INSERT INTO survival VALUES(1,'language','py','human','days',30,4,4);
INSERT INTO survival VALUES(1,'language','py','human','head',0,4,4);
INSERT INTO survival VALUES(1,'language','py','undeclared','commits',1,2,2);
INSERT INTO survival VALUES(1,'language','py','undeclared','head',0,8,8);
INSERT INTO survival VALUES(1,'language','py','unknown','commits',1,10,9);
INSERT INTO survival VALUES(1,'language','py','unknown','head',0,10,9);
INSERT INTO survival VALUES(1,'language','text','unknown','commits',1,2,2);
INSERT INTO survival VALUES(1,'language','text','unknown','days',1,2,2);
INSERT INTO survival VALUES(1,'language','text','unknown','days',7,2,2);
INSERT INTO survival VALUES(1,'language','text','unknown','days',30,2,2);
INSERT INTO survival VALUES(1,'language','text','unknown','head',0,2,2);
INSERT INTO survival VALUES(1,'model','claude-opus-4-6','agent','commits',1,61,60);
INSERT INTO survival VALUES(1,'model','claude-opus-4-6','agent','days',1,55,54);
INSERT INTO survival VALUES(1,'model','claude-opus-4-6','agent','days',7,55,54);
INSERT INTO survival VALUES(1,'model','claude-opus-4-6','agent','days',30,55,54);
INSERT INTO survival VALUES(1,'model','claude-opus-4-6','agent','head',0,61,60);
INSERT INTO survival VALUES(1,'session','03631055-2723-4ca5-a450-ed932d8efdaa','agent','commits',1,28,28);
INSERT INTO survival VALUES(1,'session','03631055-2723-4ca5-a450-ed932d8efdaa','agent','days',1,28,28);
INSERT INTO survival VALUES(1,'session','03631055-2723-4ca5-a450-ed932d8efdaa','agent','days',7,28,28);
INSERT INTO survival VALUES(1,'session','03631055-2723-4ca5-a450-ed932d8efdaa','agent','days',30,28,28);
INSERT INTO survival VALUES(1,'session','03631055-2723-4ca5-a450-ed932d8efdaa','agent','head',0,28,28);
INSERT INTO survival VALUES(1,'session','2ce3c96b-4ab5-4e74-a656-881619235e8c','agent','commits',1,27,26);
INSERT INTO survival VALUES(1,'session','2ce3c96b-4ab5-4e74-a656-881619235e8c','agent','days',1,27,26);
INSERT INTO survival VALUES(1,'session','2ce3c96b-4ab5-4e74-a656-881619235e8c','agent','days',7,27,26);
INSERT INTO survival VALUES(1,'session','2ce3c96b-4ab5-4e74-a656-881619235e8c','agent','days',30,27,26);
INSERT INTO survival VALUES(1,'session','2ce3c96b-4ab5-4e74-a656-881619235e8c','agent','head',0,27,26);
INSERT INTO survival VALUES(1,'session','6d98c823-e1f2-47d6-a7e7-16966861236c','agent','commits',1,6,6);
INSERT INTO survival VALUES(1,'session','6d98c823-e1f2-47d6-a7e7-16966861236c','agent','head',0,6,6);
CREATE TABLE tip_files (
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
INSERT INTO tip_files VALUES(1,1,'.gitignore','','other',2,2,0,0,0,0,0);
INSERT INTO tip_files VALUES(2,1,'README.md','','md',9,0,0,0,0,3,3);
INSERT INTO tip_files VALUES(3,1,'birdlog/cli.py','birdlog','py',39,30,0,1,0,0,0);
INSERT INTO tip_files VALUES(4,1,'birdlog/counts.py','birdlog','py',14,10,0,0,0,0,0);
INSERT INTO tip_files VALUES(5,1,'birdlog/report.py','birdlog','py',16,0,0,0,9,2,0);
INSERT INTO tip_files VALUES(6,1,'birdlog/store.py','birdlog','py',26,11,0,3,0,0,10);
INSERT INTO tip_files VALUES(7,1,'requirements-dev.txt','','text',2,0,0,0,2,0,0);
INSERT INTO tip_files VALUES(8,1,'tests/test_counts.py','tests','py',11,7,0,0,0,0,0);
INSERT INTO tip_files VALUES(9,1,'tests/test_report.py','tests','py',9,0,0,0,0,6,0);
CREATE TABLE tip_spans (
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
INSERT INTO tip_spans VALUES(1,1,2,2,12,5,NULL,1);
INSERT INTO tip_spans VALUES(2,1,3,0,NULL,NULL,NULL,NULL);
INSERT INTO tip_spans VALUES(2,4,7,2,1,3,NULL,4);
INSERT INTO tip_spans VALUES(2,8,9,1,1,8,NULL,8);
INSERT INTO tip_spans VALUES(3,1,5,4,9,4,NULL,1);
INSERT INTO tip_spans VALUES(3,6,6,1,15,7,NULL,6);
INSERT INTO tip_spans VALUES(3,7,9,2,9,4,NULL,6);
INSERT INTO tip_spans VALUES(3,10,10,1,13,5,NULL,9);
INSERT INTO tip_spans VALUES(3,11,13,1,9,4,NULL,10);
INSERT INTO tip_spans VALUES(3,14,16,3,10,4,NULL,13);
INSERT INTO tip_spans VALUES(3,17,17,1,9,4,NULL,16);
INSERT INTO tip_spans VALUES(3,18,18,1,4,4,NULL,17);
INSERT INTO tip_spans VALUES(3,19,19,1,10,4,NULL,18);
INSERT INTO tip_spans VALUES(3,20,20,1,9,4,NULL,19);
INSERT INTO tip_spans VALUES(3,21,21,1,16,7,NULL,21);
INSERT INTO tip_spans VALUES(3,22,26,3,9,4,NULL,20);
INSERT INTO tip_spans VALUES(3,27,27,1,10,4,NULL,25);
INSERT INTO tip_spans VALUES(3,28,28,1,11,4,NULL,26);
INSERT INTO tip_spans VALUES(3,29,29,1,9,4,NULL,27);
INSERT INTO tip_spans VALUES(3,30,33,4,17,7,NULL,30);
INSERT INTO tip_spans VALUES(3,34,39,4,9,4,NULL,28);
INSERT INTO tip_spans VALUES(4,1,8,4,5,2,NULL,1);
INSERT INTO tip_spans VALUES(4,9,9,1,6,2,NULL,9);
INSERT INTO tip_spans VALUES(4,10,13,4,5,2,NULL,10);
INSERT INTO tip_spans VALUES(4,14,14,1,7,2,NULL,14);
INSERT INTO tip_spans VALUES(5,1,3,2,18,7,NULL,1);
INSERT INTO tip_spans VALUES(5,4,4,1,1,8,NULL,4);
INSERT INTO tip_spans VALUES(5,5,7,1,18,7,NULL,4);
INSERT INTO tip_spans VALUES(5,8,8,1,1,8,NULL,8);
INSERT INTO tip_spans VALUES(5,9,16,6,18,7,NULL,8);
INSERT INTO tip_spans VALUES(6,1,2,0,NULL,NULL,NULL,NULL);
INSERT INTO tip_spans VALUES(6,3,4,2,2,1,NULL,3);
INSERT INTO tip_spans VALUES(6,5,9,0,NULL,NULL,NULL,NULL);
INSERT INTO tip_spans VALUES(6,10,13,4,3,1,NULL,10);
INSERT INTO tip_spans VALUES(6,14,16,3,4,1,NULL,14);
INSERT INTO tip_spans VALUES(6,17,23,5,3,1,NULL,17);
INSERT INTO tip_spans VALUES(6,24,26,0,NULL,NULL,NULL,NULL);
INSERT INTO tip_spans VALUES(7,1,2,2,14,6,NULL,1);
INSERT INTO tip_spans VALUES(8,1,11,7,8,2,NULL,1);
INSERT INTO tip_spans VALUES(9,1,9,6,1,9,NULL,1);
CREATE TABLE rule_sets (
  id INTEGER PRIMARY KEY, -- number used by the other tables
  hash TEXT NOT NULL, -- SHA-256 of the rules as they were passed (merged, sorted JSON)
  engine TEXT NOT NULL, -- name and version of the scanner: semgrep 1.182.0
  name TEXT NOT NULL, -- what they are called: own, or what --rules named
  rules INTEGER NOT NULL, -- number of rules
  languages TEXT NOT NULL, -- languages they are for, separated by blanks
  UNIQUE (hash, engine)
);
CREATE TABLE scan_rules (
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
CREATE TABLE scan_files (
  file_id INTEGER PRIMARY KEY REFERENCES commit_files(id) ON DELETE CASCADE, -- file of a commit, with added lines
  rule_set_id INTEGER NOT NULL REFERENCES rule_sets(id) ON DELETE CASCADE, -- the rules
  place TEXT NOT NULL, -- source, test, example; generated, vendored, lock, minified: these four are not scanned
  language TEXT NOT NULL, -- language by name and first line; other: no rule is for it
  status TEXT NOT NULL, -- as in blob_scans; unsupported (no rule for the language), left_out (by its place)
  scanned INTEGER NOT NULL, -- 1: status ok, none or partial, so that a weakness would have been seen
  complexity REAL -- cyclomatic complexity of the changed functions, mean over the added lines (1 outside functions); NULL when not asked for or not known
);
CREATE TABLE findings (
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
CREATE TABLE finding_reviews (
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
CREATE TABLE claim_records (
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
CREATE TABLE claim_authors (
  id INTEGER PRIMARY KEY, -- number used by claims
  repo_id INTEGER NOT NULL REFERENCES repos(id) ON DELETE CASCADE, -- its repository
  author TEXT NOT NULL, -- agent, human, mixed (an agent's line that somebody changed), unknown
  tool TEXT, -- the agent or tool, as written
  model TEXT, -- the model, as written
  session_key TEXT, -- the session or conversation, as written
  person TEXT, -- who used the tool or typed, as written
  detail TEXT -- keys that are not known, JSON
);
CREATE TABLE claims (
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
CREATE TABLE claim_record_checks (
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
CREATE TABLE claim_checks (
  claim_id INTEGER NOT NULL REFERENCES claims(id) ON DELETE CASCADE, -- the claim
  status TEXT NOT NULL, -- the first that applies to the line: commit_missing, file_missing, beyond_eof, not_added, overlapping, dangling_key, ok
  lines INTEGER NOT NULL, -- lines
  ranges TEXT NOT NULL, -- the lines, 1-5,8
  PRIMARY KEY (claim_id, status)
) WITHOUT ROWID;
CREATE TABLE claimed_spans (
  claim_id INTEGER NOT NULL REFERENCES claims(id) ON DELETE CASCADE, -- the claim
  start_line INTEGER NOT NULL, -- first line, in the commit's version
  end_line INTEGER NOT NULL, -- last line
  PRIMARY KEY (claim_id, start_line)
) WITHOUT ROWID;
CREATE TABLE judgements (
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
CREATE TABLE judge_labels (
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
CREATE TABLE judge_validations (
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
CREATE TABLE session_embeddings (
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
CREATE TABLE session_failure_modes (
  session_id INTEGER PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  session_failure_mode TEXT, -- clean, shifted_intent, assumption_locked, scope_bleed, stuck_loop, multi_intent_confusion; NULL when a question on the way has no answer, or no rule fits
  reason TEXT NOT NULL, -- the rule that decided, or what is missing
  embedding_model TEXT, -- model of the embeddings used
  judge_model TEXT, -- model of the labels used
  judge_prompt_version TEXT, -- version of the question the labels answer
  version INTEGER NOT NULL -- of the decision tree
);
CREATE TABLE attempts (
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
CREATE TABLE candidates (
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
CREATE TABLE discoveries (
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
CREATE TABLE cursors (
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
CREATE TABLE mirrors (
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
CREATE TABLE settings (
  name TEXT PRIMARY KEY, -- content: how much text of transcripts is stored (none, prompts, full); redact: 1 when secrets and e-mail addresses are taken out; prompts_indexed: what the search over prompts was made from
  value TEXT -- the value
);
CREATE TABLE forgotten (
  name_hash TEXT PRIMARY KEY, -- SHA-256 of owner/name in lower case
  forgotten_at TEXT NOT NULL -- when
);
CREATE TABLE jobs (
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
CREATE TABLE http_cache (
  url TEXT PRIMARY KEY, -- address of a GET; never holds a token
  etag TEXT, -- validator sent back as If-None-Match
  last_modified TEXT, -- validator sent back as If-Modified-Since
  link TEXT, -- Link header: the next page
  body BLOB NOT NULL, -- the answer, zlib
  stored_at TEXT NOT NULL -- when
);
CREATE TABLE text_vectors (
  model TEXT NOT NULL, -- as in session_embeddings
  text_hash TEXT NOT NULL, -- hash of the text as it was given to the model
  vector BLOB NOT NULL, -- half-precision floats, little-endian, length 1
  PRIMARY KEY (model, text_hash)
) WITHOUT ROWID;
CREATE TABLE blob_scans (
  blob TEXT NOT NULL, -- git id of the text
  suffix TEXT NOT NULL, -- as what it was scanned: ending of the file name, or dockerfile, workflow
  rules TEXT NOT NULL, -- hash of the rule set
  engine TEXT NOT NULL, -- name and version of the scanner
  status TEXT NOT NULL, -- ok, none (no word of any rule in it: not given to the scanner), partial (some of it could not be parsed), timeout (some rule), failed, too_large, long_lines, binary, generated, minified, missing
  lines INTEGER NOT NULL, -- lines of the text
  failed_rules TEXT, -- rules that did not finish, JSON list
  PRIMARY KEY (blob, suffix, rules, engine)
) WITHOUT ROWID;
CREATE TABLE blob_findings (
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
CREATE TABLE blob_functions (
  blob TEXT NOT NULL, -- git id of the text
  suffix TEXT NOT NULL, -- as in blob_scans
  tool TEXT NOT NULL, -- name and version of what measured it
  functions TEXT NOT NULL, -- first line, last line, complexity of each, JSON list of lists
  PRIMARY KEY (blob, suffix, tool)
) WITHOUT ROWID;
CREATE TABLE scan_engines (
  path TEXT NOT NULL, -- the file
  stamp TEXT NOT NULL, -- its size and time of change
  engine TEXT NOT NULL, -- name and version
  PRIMARY KEY (path, stamp)
) WITHOUT ROWID;
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
  cost_usd REAL,
  prices_as_of TEXT,
  wall_time_s REAL,
  session_runtime_s REAL,
  agent_runtime_s REAL,
  turn_timestamps TEXT,
  per_turn_agent_latency_s TEXT,
  time_to_first_edit_s REAL,
  user_msg_lengths TEXT,
  user_msg_length_slope REAL,
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
INSERT INTO session_features VALUES(1,2,8,0.25,6,'["read","edit","edit","write","write","bash:build"]','{"bash:build":1,"edit":2,"read":1,"write":2}',1,4,1,1,4.0,1,0.0,0,'{}',0,0,'[351,79,79,70,73,18]',0,0,0,NULL,'[]','[]',1,32,1045,147200,2480,0.98322111787966226525,'{"claude-opus-4-6":{"input":32,"output":1045,"cache_read":147200,"cache_write":2480,"cache_write_1h":0}}','[18714,18714,18714,18714,18714,18714,18714,18714]',NULL,0,0.11538500000000000145,'2026-03-31',974.98099999999999452,17.961999999999999743,17.961999999999999743,'[1768213564.3,1768213566.517,1768213568.844,1768213570.771,1768213573.281,1768214530.3,1768214532.517,1768214534.844,1768214537.171,1768214539.281]','[8.981,8.981]',4.5439999999999995949,'[20,13]',-7.0,0,0.0,0,0,19,'Counts are there, and tested.',0.0,'[0.0,0.0]',0,0,0,0,0,0.55559999999999998276,0.0,0,'["localize","implement","verify"]',1,'[]',0,'["birdlog/counts.py","birdlog/store.py","tests/test_counts.py"]',38,0,1,0.92857142857142860314,0,0,NULL,'accepted',70099.019000000000233,0,4,0,'[]',0,0,0);
INSERT INTO session_features VALUES(2,2,4,0.5,3,'["write","bash:file","bash:file"]','{"bash:file":2,"write":1}',0,1,0,0,NULL,1,0.0,0,'{}',0,0,'[67,0,0]',0,0,0,NULL,'[]','[]',1,16,504,73600,1240,0.98322111787966226525,'{"claude-opus-4-6":{"input":16,"output":504,"cache_read":73600,"cache_write":1240,"cache_write_1h":0}}','[18714,18714,18714,18714]',NULL,0,0.05723000000000000309,'2026-03-31',1281.6539999999999963,8.9809999999999998721,8.9809999999999998721,'[1768284638.3,1768284640.517,1768284642.627,1768285915.3,1768285917.517,1768285919.844]','[4.327,4.654]',2.2170000000000000817,'[11,10]',-1.0,0,0.0,0,0,5,'Try `python -m birdlog.cli top`.',0.0,'[0.0,null]',0,0,0,0,0,0.60560000000000002717,0.0,0,'["implement","explore"]',0,'[]',0,'[".gitignore","birdlog/cli.py"]',34,0,1,0.96153846153846156408,0,0,NULL,'accepted',NULL,1,2,0,'[]',0,0,0);
INSERT INTO session_features VALUES(3,1,6,0.16666666666666665741,6,'["agent","read","edit","edit","edit","git/gh"]','{"agent":1,"edit":3,"git/gh":1,"read":1}',1,3,1,1,3.0,1,0.0,0,'{}',0,0,'[9,916,77,77,77,null]',0,0,1,1,'[]','[]',0,24,762,110400,1860,0.98322111787966226525,'{"claude-opus-4-6":{"input":24,"output":762,"cache_read":110400,"cache_write":1860,"cache_write_1h":0}}','[18714,18714,18714,18714,18714,18714]',NULL,0,0.085995000000000001993,'2026-03-31',17.841999999999998749,17.841999999999998749,17.841999999999998749,'[1772286003.3,1772286005.517,1772286011.834,1772286014.161,1772286016.488,1772286018.815,1772286021.142]','[17.842]',10.861000000000000653,'[22]',NULL,0,0.0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0.87780000000000002469,0.0,0,'["explore","localize","implement"]',0,'[]',0,'["birdlog/cli.py"]',6,0,1,1.0,0,0,NULL,'accepted',NULL,2,3,0,'[]',0,1,0);
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
CREATE INDEX commit_files_path ON commit_files(path);
CREATE INDEX origins_session ON origins(session_id);
CREATE INDEX spans_origin ON spans(origin_id);
CREATE INDEX commit_sessions_session ON commit_sessions(session_id);
CREATE VIEW line_spans AS
SELECT c.repo_id, c.id AS commit_id, c.commit_sha, f.path, s.start_line, s.end_line, s.end_line - s.start_line + 1 AS lines, s.nonblank,
       o.author, o.how, o.evidence, o.reason, o.session_id, o.turn_index, o.call_id, o.model, o.edited_by, o.similarity
FROM spans s JOIN commit_files f ON f.id = s.file_id JOIN commits c ON c.id = f.commit_id JOIN origins o ON o.id = s.origin_id;
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
CREATE INDEX regions_session ON regions(session_id);
CREATE INDEX region_edits_region ON region_edits(region_id);
CREATE INDEX region_edits_session ON region_edits(session_id);
CREATE INDEX region_priors_prior ON region_priors(prior_session_id);
CREATE VIEW region_edit_history AS
SELECT s.repo_id, e.session_id, g.path, g.root, e.region_id, e.round, e.start_line, e.end_line, e.turn_index, e.at, e.tool, e.call_id,
       e.lines_added, e.lines_removed, y.symbol
FROM region_edits e JOIN regions g ON g.id = e.region_id JOIN sessions s ON s.id = e.session_id
LEFT JOIN region_symbols y ON y.region_id = e.region_id AND y.call_id = e.call_id AND y.start_line = e.start_line;
CREATE VIEW prior_sessions AS
SELECT s.repo_id, p.session_id, p.prior_session_id, 'worktree' AS via, NULL AS lines
FROM region_priors p JOIN sessions s ON s.id = p.session_id
UNION ALL
SELECT t.repo_id, t.actor_session_id, o.session_id, 'history', SUM(t.nonblank)
FROM line_fates t JOIN origins o ON o.id = t.origin_id
WHERE t.actor_session_id IS NOT NULL AND o.author = 'agent' AND o.session_id <> t.actor_session_id
GROUP BY t.repo_id, t.actor_session_id, o.session_id;
CREATE INDEX problems_repo ON problems(repo_id, stage);
CREATE INDEX history_commits_sha ON history_commits(repo_id, commit_sha);
CREATE INDEX history_commits_parent ON history_commits(first_parent);
CREATE INDEX history_commits_landed ON history_commits(landed);
CREATE INDEX history_commits_reverts ON history_commits(reverts);
CREATE INDEX history_commits_reverted_by ON history_commits(reverted_by);
CREATE INDEX line_lives_birth ON line_lives(birth, path);
CREATE INDEX line_lives_death ON line_lives(death);
CREATE INDEX line_lives_gone ON line_lives(gone_from_main);
CREATE INDEX line_travels_commit ON line_travels(commit_id);
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
       b.reverted_by IS NOT NULL AS reverted_later
FROM line_fates t JOIN line_lives l ON l.repo_id = t.repo_id AND l.origin = t.life JOIN history_commits b ON b.id = l.birth
LEFT JOIN history_commits d ON d.id = l.death LEFT JOIN origins o ON o.id = t.origin_id;
CREATE VIEW tip_lines AS
SELECT f.repo_id, f.path, s.start_line, s.end_line, s.end_line - s.start_line + 1 AS lines, s.nonblank, o.author, o.how, o.evidence,
       o.reason, o.session_id, o.turn_index, o.call_id, o.model, b.commit_sha AS birth_sha, b.author_at AS born_at,
       COALESCE(s.birth_path, f.path) AS birth_path, s.birth_line
FROM tip_spans s JOIN tip_files f ON f.id = s.file_id LEFT JOIN origins o ON o.id = s.origin_id
LEFT JOIN history_commits b ON b.id = s.birth;
CREATE INDEX scan_files_rules ON scan_files(rule_set_id);
CREATE INDEX findings_commit ON findings(commit_id);
CREATE INDEX findings_rules ON findings(rule_set_id);
CREATE INDEX findings_session ON findings(session_id);
CREATE INDEX findings_fixed ON findings(fixed_by);
CREATE INDEX findings_fixed_session ON findings(fixed_session_id);
CREATE INDEX findings_cwe ON findings(cwe);
CREATE INDEX findings_path ON findings(path);
CREATE VIEW scanned_lines AS
SELECT c.repo_id, c.id AS commit_id, c.commit_sha, f.path, n.place, n.language, n.status, n.scanned, n.complexity, s.nonblank AS lines, o.author,
       CASE WHEN o.author = 'agent' AND o.evidence = 'declared' THEN 'declared'
            WHEN o.author = 'unknown' AND o.reason = 'no_session' THEN 'undeclared' ELSE o.author END AS author_class,
       o.reason, o.session_id, o.model
FROM scan_files n JOIN commit_files f ON f.id = n.file_id JOIN commits c ON c.id = f.commit_id JOIN spans s ON s.file_id = f.id
JOIN origins o ON o.id = s.origin_id WHERE s.nonblank > 0;
CREATE INDEX claim_records_repo ON claim_records(repo_id, producer);
CREATE INDEX claim_records_commit ON claim_records(commit_sha);
CREATE INDEX claim_authors_repo ON claim_authors(repo_id);
CREATE INDEX claims_record ON claims(record_id);
CREATE INDEX claims_author ON claims(author_id);
CREATE INDEX claim_record_checks_commit ON claim_record_checks(commit_sha);
CREATE VIEW claimed_lines AS
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
CREATE INDEX judge_labels_judgement ON judge_labels(judgement_id);
CREATE VIEW judged AS
SELECT l.*, v.sensitivity, v.specificity, v.kappa, v.tp + v.fp + v.fn + v.tn AS validated_on
FROM judge_labels l LEFT JOIN judge_validations v
ON v.model = l.model AND v.prompt_version = l.prompt_version AND v.label = l.label AND v.class = l.value;
CREATE INDEX attempts_instance ON attempts(instance);
CREATE INDEX attempts_session ON attempts(session_id);
CREATE VIEW attempt_treatments AS
SELECT harness, agent_type, model_id, dataset, treatment, COUNT(*) AS attempts, COUNT(DISTINCT instance) AS instances,
       SUM(evaluated) AS evaluated, SUM(evaluated AND COALESCE(reward, 0) >= 1) AS resolved,
       SUM(evaluated AND attempt_index = 0) AS first_attempts,
       SUM(evaluated AND attempt_index = 0 AND COALESCE(reward, 0) >= 1) AS first_resolved,
       SUM(patch_outcome_label = 'correct') AS correct, SUM(patch_outcome_label = 'partial') AS partial,
       SUM(patch_outcome_label = 'regressive') AS regressive, SUM(patch_outcome_label = 'no_effect') AS no_effect,
       SUM(patch_outcome_label = 'unverifiable') AS unverifiable, SUM(patch_exists = 0) AS without_patch,
       SUM(localized_correct_file) AS localized, COUNT(localized_correct_file) AS localizable, SUM(cost_usd) AS cost_usd
FROM attempts GROUP BY harness, agent_type, model_id, dataset, treatment;
CREATE INDEX candidates_github ON candidates(server, github_id);
CREATE INDEX discoveries_channel ON discoveries(channel);
CREATE VIEW wanted_candidates AS
SELECT c.*, c.server || '/' || c.full_name || '.git' AS clone_url, r.id AS repo_id
FROM candidates c LEFT JOIN repos r ON r.name = c.full_name COLLATE NOCASE
WHERE c.exclusion IS NULL AND c.outcome = 'ok' AND (c.confirmed = 1 OR c.notes IS NOT NULL);
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
UNION ALL SELECT s.repo_id, s.id AS session_id, 'cost_usd' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.input_tokens IS NULL THEN 'no_usage' WHEN COALESCE(f.input_tokens + f.cache_read_tokens + f.cache_write_tokens, 0) = 0 THEN 'no_input_tokens' WHEN 1 THEN 'no_price' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.cost_usd IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'prices_as_of' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.input_tokens IS NULL THEN 'no_usage' WHEN COALESCE(f.input_tokens + f.cache_read_tokens + f.cache_write_tokens, 0) = 0 THEN 'no_input_tokens' WHEN 1 THEN 'no_price' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.prices_as_of IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'wall_time_s' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.started_at IS NULL THEN 'no_times' WHEN s.turns = 0 AND s.tool_calls = 0 THEN 'no_event' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.wall_time_s IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'session_runtime_s' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.started_at IS NULL THEN 'no_times' WHEN s.turns = 0 AND s.tool_calls = 0 THEN 'no_event' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.session_runtime_s IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'agent_runtime_s' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN s.started_at IS NULL THEN 'no_times' WHEN 1 THEN 'no_turn_time' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.agent_runtime_s IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'turn_timestamps' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.started_at IS NULL THEN 'no_times' WHEN s.turns = 0 AND s.tool_calls = 0 THEN 'no_event' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.turn_timestamps IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'per_turn_agent_latency_s' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN s.started_at IS NULL THEN 'no_times' WHEN 1 THEN 'no_turn_time' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.per_turn_agent_latency_s IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'time_to_first_edit_s' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN NOT EXISTS (SELECT 1 FROM edits e WHERE e.session_id = s.id AND e.by_shell = 0 AND e.outcome NOT IN ('tool_error', 'rejected')) THEN 'no_edit' WHEN s.started_at IS NULL THEN 'no_times' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.time_to_first_edit_s IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'user_msg_lengths' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.user_msg_lengths IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'user_msg_length_slope' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_msg_lengths = '[]' THEN 'nothing_typed' WHEN json_array_length(f.user_msg_lengths) = 1 THEN 'one_message' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.user_msg_length_slope IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'correction_turns' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_msg_lengths = '[]' THEN 'nothing_typed' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.correction_turns IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'correction_ratio' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_msg_lengths = '[]' THEN 'nothing_typed' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.correction_ratio IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'last_message_rejects' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_msg_lengths = '[]' THEN 'nothing_typed' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.last_message_rejects IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'last_message_accepts' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN s.parent_key IS NOT NULL THEN 'spawned' WHEN f.user_msg_lengths = '[]' THEN 'nothing_typed' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.last_message_accepts IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'agent_words' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.agent_words IS NULL
UNION ALL SELECT s.repo_id, s.id AS session_id, 'last_said' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' WHEN f.agent_words = 0 THEN 'nothing_said' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.last_said IS NULL
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
UNION ALL SELECT s.repo_id, s.id AS session_id, 'undo_commands' AS feature, CASE WHEN f.session_id IS NULL OR f.tool_call_count IS NULL THEN 'no_transcript' ELSE 'unexplained' END AS reason FROM sessions s LEFT JOIN session_features f ON f.session_id = s.id LEFT JOIN session_stats t ON t.session_id = s.id WHERE f.undo_commands IS NULL
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
COMMIT;
