-- finding_lines: An introduced finding has an added line, its lines are among the added ones, and its class is theirs.
SELECT id, status, added_lines, agent_lines, human_lines, unknown_lines, class FROM findings
WHERE added_lines < agent_lines + human_lines + unknown_lines OR (status = 'surfaced' AND added_lines > 0)
   OR (status IN ('introduced', 'reintroduced') AND added_lines = 0)
   OR (class = 'agent' AND agent_lines <> added_lines) OR (class = 'human' AND human_lines <> added_lines);

-- finding_fate: A finding is alive or fixed, not both.
SELECT id, alive_at_head, fixed_sha FROM findings WHERE alive_at_head = (fixed_sha IS NOT NULL);

-- finding_scanned: A finding lies in a file of its commit that counts among the scanned ones.
SELECT n.id, n.path, n.status FROM findings n WHERE n.status NOT IN ('surfaced', 'uncertain') AND NOT EXISTS (
  SELECT 1 FROM commit_files f JOIN scan_files s ON s.file_id = f.id
  WHERE f.commit_id = n.commit_id AND f.path = n.path AND s.place = n.place);
