-- candidates_named: A candidate that no channel named.
SELECT id AS candidate_id, full_name FROM candidates c WHERE NOT EXISTS (SELECT 1 FROM discoveries d WHERE d.candidate_id = c.id);

-- candidates_confirmed: A candidate taken although nothing shows checkpoints, or called empty although something does.
SELECT id AS candidate_id, full_name, confirmed, exclusion FROM candidates
WHERE confirmed = 1 AND COALESCE(v1_oid, v2_oid, legacy_oid) IS NULL AND COALESCE(checkpoint_refs, 0) = 0
   OR confirmed = 1 AND probed_at IS NULL
   OR exclusion IN ('no_ref', 'empty_ref') AND (v2_oid IS NOT NULL OR legacy_oid IS NOT NULL OR checkpoint_refs > 0);

-- attempt_labels: The label of an attempt agrees with its reward and its tests.
SELECT key, reward, patch_outcome_label, fail_to_pass_count, pass_to_fail_count FROM attempts
WHERE (patch_outcome_label = 'correct' AND (reward < 1 OR pass_to_fail_count > 0 OR tests_to_fix_failed > 0))
   OR (reward = 1 AND patch_outcome_label IS NOT NULL AND patch_outcome_label <> 'correct')
   OR (patch_outcome_label = 'regressive' AND fail_to_pass_count > 0);

-- judge_labels: A label says something in one way only, and is what the answer's model and question gave.
SELECT l.session_id, l.turn_index, l.label FROM judge_labels l JOIN judgements j ON j.id = l.judgement_id
WHERE (l.value IS NOT NULL AND l.number IS NOT NULL) OR j.model <> l.model OR j.prompt_version <> l.prompt_version;

-- foreign_keys: Tables point only to rows that exist.
SELECT "table", "rowid", "parent" FROM pragma_foreign_key_check;
