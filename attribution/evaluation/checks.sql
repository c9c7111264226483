-- attempt_labels: The label of an attempt agrees with its reward and its tests.
SELECT key, reward, patch_outcome_label, fail_to_pass_count, pass_to_fail_count FROM attempts
WHERE (patch_outcome_label = 'correct' AND (reward < 1 OR pass_to_fail_count > 0 OR tests_to_fix_failed > 0))
   OR (reward = 1 AND patch_outcome_label IS NOT NULL AND patch_outcome_label <> 'correct')
   OR (patch_outcome_label = 'regressive' AND fail_to_pass_count > 0);

-- judge_labels: A label says something in one way only, and is what the answer's model and question gave.
SELECT l.session_id, l.turn_index, l.label FROM judge_labels l JOIN judgements j ON j.id = l.judgement_id
WHERE (l.value IS NOT NULL AND l.number IS NOT NULL) OR j.model <> l.model OR j.prompt_version <> l.prompt_version;

-- quality_reason: A measured commit has values of the delta maintainability model, from 0 to 1, or a reason why it has none.
SELECT commit_sha, reason, dmm_unit_size, dmm_unit_complexity, dmm_unit_interfacing FROM commit_quality
WHERE (reason = '') <> (COALESCE(dmm_unit_size, dmm_unit_complexity, dmm_unit_interfacing) IS NOT NULL)
   OR dmm_unit_size NOT BETWEEN 0 AND 1 OR dmm_unit_complexity NOT BETWEEN 0 AND 1 OR dmm_unit_interfacing NOT BETWEEN 0 AND 1;

-- quality_lines: The lines by class of a measured commit are lines that it added.
SELECT q.commit_sha, q.agent, q.declared, q.human, q.likely_human, q.tool, q.unknown, q.undeclared, l.lines_added FROM commit_quality q
JOIN commit_lines l ON l.repo_id = q.repo_id AND l.commit_sha = q.commit_sha
WHERE q.agent > l.agent_lines OR q.declared > l.declared_lines OR q.human > l.human_lines
   OR q.likely_human > l.likely_human_lines OR q.tool > l.tool_lines OR q.unknown + q.undeclared > l.unknown_lines;
