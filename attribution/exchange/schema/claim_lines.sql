
-- === Conclusions: lines that other tools claim ===

-- The lines of a claim by status; together they are the claim.
CREATE TABLE IF NOT EXISTS claim_checks (
  claim_id INTEGER NOT NULL REFERENCES claims(id) ON DELETE CASCADE, -- the claim
  status TEXT NOT NULL {ClaimStatus}, -- what checking the lines gave, the first that applies
  lines INTEGER NOT NULL, -- lines
  ranges TEXT NOT NULL, -- the lines, 1-5,8
  PRIMARY KEY (claim_id, status)
) WITHOUT ROWID;

-- Consecutive lines that a claim gives to an author and that its commit really adds.
CREATE TABLE IF NOT EXISTS claimed_spans (
  claim_id INTEGER NOT NULL REFERENCES claims(id) ON DELETE CASCADE, -- the claim
  start_line INTEGER NOT NULL, -- first line, in the commit's version
  end_line INTEGER NOT NULL, -- last line
  PRIMARY KEY (claim_id, start_line)
) WITHOUT ROWID;

-- Verified claims about commits of the analysed branch, each span next to our own verdict, which claims never change: `claimed_author`,
-- always with the evidence `declared`, and `author`, `how`, … as in line_spans, NULL where the repository is not attributed.
-- `has_session`: an agent's session is linked to the commit, so that we know by ourselves.
--   repo_id: its repository
--   record_id: the record
--   claim_id: the claim
--   commit_sha: commit the record was checked against
--   path: path in the commit
--   start_line: first line
--   end_line: last line
--   lines: number of lines
--   claimed_author: who wrote them, as claimed: {ClaimedAuthor}
--   claimed_basis: of a person's lines, whether somebody saw them being typed: {ClaimBasis}
--   claimed_evidence: always declared
--   producer: tool that made the claim
--   tool_version: version of that tool
--   tool: agent or tool that is said to have written them
--   claimed_model: model, as claimed
--   claimed_session: session, as claimed
--   key: the producer's own key of the entry
--   dangling: 1: its key matches no author in the record
--   record_status: as in claim_record_checks
--   copied: 1: the record was written for another commit
--   commit_at: author time of the commit
--   claim_lines: lines of the whole claim
--   file_lines_added: lines the commit added to the file
--   author: who wrote them, as we see it: {Author}; NULL where the repository is not attributed
--   how: as in origins
--   evidence: as in origins
--   reason: as in origins
--   session_id: our session
--   model: our model
--   has_session: 1: an agent's session is linked to the commit
CREATE VIEW IF NOT EXISTS claimed_lines AS
SELECT r.repo_id, r.id AS record_id, k.id AS claim_id, x.commit_sha, k.path, max(p.start_line, COALESCE(s.start_line, p.start_line)) AS start_line,
       min(p.end_line, COALESCE(s.end_line, p.end_line)) AS end_line,
       min(p.end_line, COALESCE(s.end_line, p.end_line)) - max(p.start_line, COALESCE(s.start_line, p.start_line)) + 1 AS lines,
       a.author AS claimed_author, a.basis AS claimed_basis, 'declared' AS claimed_evidence, r.producer, r.tool_version, a.tool, a.model AS claimed_model,
       a.session_key AS claimed_session, k.key, k.dangling, x.status AS record_status, r.base_sha <> r.commit_sha AS copied, x.commit_at,
       k.lines AS claim_lines, f.lines_added AS file_lines_added, o.author, o.how, o.evidence, o.reason, o.session_id, o.model,
       EXISTS (SELECT 1 FROM commit_sessions cs WHERE cs.commit_id = c.id) AS has_session
FROM claimed_spans p JOIN claims k ON k.id = p.claim_id JOIN claim_records r ON r.id = k.record_id
JOIN claim_record_checks x ON x.record_id = r.id AND x.reach = 'branch' JOIN claim_authors a ON a.id = k.author_id
LEFT JOIN commits c ON c.repo_id = r.repo_id AND c.commit_sha = x.commit_sha LEFT JOIN commit_files f ON f.commit_id = c.id AND f.path = k.path
LEFT JOIN spans s ON s.file_id = f.id AND s.start_line <= p.end_line AND s.end_line >= p.start_line LEFT JOIN origins o ON o.id = s.origin_id;
