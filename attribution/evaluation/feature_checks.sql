-- score_costs: The cost in a score is the session's.
SELECT q.session_id, q.cost_usd, f.cost_usd AS of_session FROM scores q JOIN session_features f ON f.session_id = q.session_id
WHERE q.cost_usd IS NOT f.cost_usd AND f.touched_files IS NOT NULL;
