-- attempt_labels: The label of an attempt agrees with its reward and its tests.
SELECT key, reward, patch_outcome_label, fail_to_pass_count, pass_to_fail_count FROM attempts
WHERE (patch_outcome_label = 'correct' AND (reward < 1 OR pass_to_fail_count > 0 OR tests_to_fix_failed > 0))
   OR (reward = 1 AND patch_outcome_label IS NOT NULL AND patch_outcome_label <> 'correct')
   OR (patch_outcome_label = 'regressive' AND fail_to_pass_count > 0);

-- judge_labels: A label says something in one way only, and is what the answer's model and question gave.
SELECT l.session_id, l.turn_index, l.label FROM judge_labels l JOIN judgements j ON j.id = l.judgement_id
WHERE (l.value IS NOT NULL AND l.number IS NOT NULL) OR j.model <> l.model OR j.prompt_version <> l.prompt_version;
