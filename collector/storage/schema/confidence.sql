-- === How often the conclusions are right ===

-- How often lines of a tier (author, how, evidence, reason) are right: as blind readers found on repositories that no rule was made on,
-- and what became of lines whose author was known beforehand. Every tier of `origins` is here, so that every line joins:
-- line_spans JOIN confidence USING (author, how, evidence, reason). docs/accuracy.md says how it was measured.
CREATE TABLE IF NOT EXISTS confidence (
  author TEXT NOT NULL {Author}, -- as in origins
  how TEXT NOT NULL {How}, -- as in origins
  evidence TEXT NOT NULL {Evidence}, -- as in origins
  reason TEXT NOT NULL {Reason}, -- as in origins
  class TEXT NOT NULL {LineClass}, -- class of these lines in reports
  measured_on TEXT NOT NULL {RateOf}, -- which lines were read: the first of these that has enough of them
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
