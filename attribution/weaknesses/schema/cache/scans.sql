-- === Cache: scans ===

-- Result of scanning one text. Kept in the user's cache, so that a fork or another database scans only what is new.
CREATE TABLE IF NOT EXISTS blob_scans (
  blob TEXT NOT NULL, -- git id of the text
  suffix TEXT NOT NULL, -- as what it was scanned: ending of the file name, or dockerfile, workflow
  rules TEXT NOT NULL, -- hash of the rule set
  engine TEXT NOT NULL, -- name and version of the scanner
  status TEXT NOT NULL {ScanStatus}, -- result of the scan
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
  suppressed INTEGER NOT NULL, -- 1: suppressed by a nosemgrep comment; it is counted nevertheless
  PRIMARY KEY (blob, suffix, rules, engine, rule_id, start_byte, end_byte)
) WITHOUT ROWID;
