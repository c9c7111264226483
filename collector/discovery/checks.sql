-- candidates_named: A candidate that no channel named.
SELECT id AS candidate_id, full_name FROM candidates c WHERE NOT EXISTS (SELECT 1 FROM discoveries d WHERE d.candidate_id = c.id);

-- candidates_confirmed: A candidate taken although nothing shows checkpoints, or called empty although something does.
SELECT id AS candidate_id, full_name, confirmed, exclusion FROM candidates
WHERE confirmed = 1 AND COALESCE(v1_oid, v2_oid, legacy_oid) IS NULL AND COALESCE(checkpoint_refs, 0) = 0
   OR confirmed = 1 AND probed_at IS NULL
   OR exclusion = 'no_ref' AND (COALESCE(v1_oid, v2_oid, legacy_oid) IS NOT NULL OR checkpoint_refs > 0);
