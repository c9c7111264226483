-- === How often the conclusions are right ===

-- How often lines of a tier (author, how, evidence, reason) are right: as blind readers found, on most repositories before any rule was made on them.
-- Every tier of `origins` is here, so that every line joins:
-- line_spans JOIN confidence USING (author, how, evidence, reason). docs/accuracy.md says how it was measured.
CREATE TABLE IF NOT EXISTS confidence (
  author TEXT NOT NULL {Author}, -- as in origins
  how TEXT NOT NULL {How}, -- as in origins
  evidence TEXT NOT NULL {Evidence}, -- as in origins
  reason TEXT NOT NULL {Reason}, -- as in origins
  class TEXT NOT NULL {LineClass}, -- class of these lines in reports
  measured_on TEXT NOT NULL {RateOf}, -- which lines were read: the first of these that has enough of them
  checked INTEGER NOT NULL, -- lines that were read
  correct INTEGER NOT NULL, -- of those, lines whose class the reader found right, in doubt or not
  rate REAL, -- correct / checked; NULL when too few were read
  low REAL, -- lower end of the 95 % interval (Wilson), lines taken as independent
  high REAL, -- upper end
  newest_audit TEXT, -- newest audit that read ten lines of the same group; NULL where none did
  newest_checked INTEGER NOT NULL, -- lines that it read
  newest_correct INTEGER NOT NULL, -- of those, the right ones
  newest_rate REAL, -- newest_correct / newest_checked; NULL when too few were read
  PRIMARY KEY (author, how, evidence, reason)
) WITHOUT ROWID;
