-- claims_sum: The lines of a claim by status sum to the claim; of one carried to another commit, to no more than it.
SELECT k.id AS claim_id, k.path, k.lines, COALESCE(SUM(c.lines), 0) AS in_checks
FROM claims k JOIN claim_record_checks x ON x.record_id = k.record_id LEFT JOIN claim_checks c ON c.claim_id = k.id
WHERE k.lines IS NOT NULL GROUP BY k.id
HAVING k.lines < in_checks OR (k.lines > in_checks AND x.anchor NOT IN ('same_patch_id', 'earlier_version', 'squash_by_number'));

-- claim_records_sum: The lines of a record by status sum to the record.
SELECT record_id, lines, ok + overlapping + dangling_key + not_added + beyond_eof + file_missing + commit_missing AS in_classes
FROM claim_record_checks WHERE lines <> ok + overlapping + dangling_key + not_added + beyond_eof + file_missing + commit_missing;

-- claimed_spans: Claimed spans are the lines of claims that are really added.
SELECT c.claim_id, c.lines, COALESCE((SELECT SUM(p.end_line - p.start_line + 1) FROM claimed_spans p WHERE p.claim_id = c.claim_id), 0) AS in_spans
FROM (SELECT claim_id, SUM(lines) AS lines FROM claim_checks WHERE status IN ('ok', 'dangling_key') GROUP BY claim_id) c
WHERE c.lines <> in_spans;
