-- sessions_by_quality: Sessions by score
-- Quality score with its four parts; it describes how a session went, not whether the code is correct. Q agrees weakly with
-- readers' ratings: r = 0.31 (0.16 to 0.45; 141 sessions); q_rated, r = 0.60 (0.39 to 0.76; 62).
select repo as repository, label as session, agent, model, round(q, 2) as q, round(q_rank, 2) as rank, tier,
  round(q_rated, 2) as q_rated, tier_fitted, task_type, work,
  round(completion, 2) as completion, round(execution, 2) as execution, round(efficiency, 2) as efficiency,
  round(outcome, 2) as outcome, session_id from session_scores order by q;
