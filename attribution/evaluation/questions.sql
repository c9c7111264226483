-- sessions_by_quality: Sessions by score
-- Quality score with its four parts; it describes how a session went, not whether the code is correct. Q agrees weakly with
-- people's ratings: r = 0.40 (0.23 to 0.58; 70 sessions); with --weights rated, r = 0.66.
select repo as repository, label as session, agent, model, round(q, 2) as q, round(q_rank, 2) as rank, tier, task_type, work,
  round(completion, 2) as completion, round(execution, 2) as execution, round(efficiency, 2) as efficiency,
  round(outcome, 2) as outcome, session_id from session_scores order by q;
