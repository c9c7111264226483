-- agent_share_now: Share of agents' code now
-- Non-blank lines of source and test files at HEAD by class; agent_percent is agent and declared of all. Needs `whowrote survival`.
select r.name as repository, r.branch, sum(f.agent) as agent, sum(f.declared) as declared, sum(f.human) as human,
  sum(f.likely_human) as likely_human, sum(f.tool) as tool,
  sum(f.unknown) as unknown, sum(f.undeclared) as undeclared, sum(f.older) as older,
  round(100.0 * sum(f.agent + f.declared) / nullif(sum(f.agent + f.declared + f.human + f.likely_human + f.tool + f.unknown
    + f.undeclared + f.older), 0), 1) as agent_percent
from tip_files f join repos r on r.id = f.repo_id where f.kind in ('source', 'test') group by 1, 2 order by sum(f.agent) desc;

-- agent_share_by_directory: Share of agents' code by directory
-- The same by top-level directory of each repository.
select r.name as repository, f.directory, sum(f.agent) as agent, sum(f.declared) as declared, sum(f.human) as human,
  sum(f.likely_human) as likely_human, sum(f.tool) as tool,
  sum(f.unknown) as unknown, sum(f.undeclared) as undeclared, sum(f.older) as older,
  round(100.0 * sum(f.agent + f.declared) / nullif(sum(f.agent + f.declared + f.human + f.likely_human + f.tool + f.unknown
    + f.undeclared + f.older), 0), 1) as agent_percent
from tip_files f join repos r on r.id = f.repo_id where f.kind in ('source', 'test') group by 1, 2 order by sum(f.agent) desc;

-- agent_share_by_language: Share of agents' code by language
-- The same by language.
select r.name as repository, f.language, sum(f.agent) as agent, sum(f.declared) as declared, sum(f.human) as human,
  sum(f.likely_human) as likely_human, sum(f.tool) as tool,
  sum(f.unknown) as unknown, sum(f.undeclared) as undeclared, sum(f.older) as older,
  round(100.0 * sum(f.agent + f.declared) / nullif(sum(f.agent + f.declared + f.human + f.likely_human + f.tool + f.unknown
    + f.undeclared + f.older), 0), 1) as agent_percent
from tip_files f join repos r on r.id = f.repo_id where f.kind in ('source', 'test') group by 1, 2 order by sum(f.agent) desc;

-- lines_by_model: Lines added by model
-- Non-blank lines that commits added, from recorded sessions, by agent and model.
select s.agent, coalesce(o.model, s.model) as model, count(distinct o.session_id) as sessions, sum(p.nonblank) as lines
from spans p join origins o on o.id = p.origin_id join sessions s on s.id = o.session_id
where o.author = 'agent' group by 1, 2 order by 4 desc;

-- lines_over_time: Lines added by month
-- Lines of source and test files by month of the commit's author time and by author.
select substr(c.author_at, 1, 7) as month, sum(f.agent_lines) as agent, sum(f.declared_lines) as declared,
  sum(f.human_lines) as human, sum(f.likely_human_lines) as likely_human, sum(f.tool_lines) as tool,
  sum(f.unknown_lines) as unknown, count(distinct c.id) as commits
from commits c join commit_files f on f.commit_id = c.id
where f.kind in ('source', 'test') group by 1 order by 1;

-- evidence: How we know
-- Added lines by class, how, evidence and reason.
select r.name as repository, e.class, e.how, e.evidence, e.reason, e.nonblank as lines_with_text
from evidence_shares e join repos r on r.id = e.repo_id order by 1, 6 desc;

-- oscillating_regions: Code rewritten back and forth
-- Regions that a session edited several times, where an earlier text came back or the edits do not get smaller.
select r.name as repository, g.path, g.rounds, g.sizes, g.returned_to, s.label as session, g.session_id
from regions g join sessions s on s.id = g.session_id join repos r on r.id = s.repo_id
where g.convergence = 'oscillating' order by g.rounds desc, g.id;

-- reverted_work: Reverted work
-- Commits that a later commit reverts, and the sessions behind them.
select r.name as repository, c.label as commit_label, v.commit_sha as reverted_by, s.label as session, cs.agent_lines
from history_commits h join history_commits v on v.id = h.reverted_by join repos r on r.id = h.repo_id
join commits c on c.repo_id = h.repo_id and c.commit_sha = h.commit_sha
left join commit_sessions cs on cs.commit_id = c.id left join sessions s on s.id = cs.session_id order by c.author_at desc;

-- expensive_lines: The most expensive lines
-- Cost of a session per 100 of its lines that were committed; costs are at list prices and often lower bounds.
select r.name as repository, s.label as session, s.model, round(f.cost_usd, 2) as usd, t.survived as lines_committed,
  round(100.0 * f.cost_usd / t.survived, 2) as usd_per_100_lines, s.id as session_id
from sessions s join session_features f on f.session_id = s.id join session_stats t on t.session_id = s.id
join repos r on r.id = s.repo_id where t.survived >= 20 and f.cost_usd is not null order by 6 desc;

-- vendor_disagreements: Where the recorder's percentage differs
-- The recorder's percentage of agent lines next to ours, largest difference first.
select r.name as repository, c.label as commit_label, v.vendor_percentage, v.our_percentage, v.disagreement, v.disagreement_reason
from vendor_checks v join commits c on c.id = v.commit_id join repos r on r.id = c.repo_id
where v.disagreement_reason <> 'none' order by abs(v.disagreement) desc;

-- survival: Survival of lines by age in days
-- By class of the author: Kaplan-Meier, with 95 % intervals by commit. Source and test files.
select r.name as repository, v.author, v.horizon as days, v.at_risk, round(100.0 * v.share, 1) as percent,
  round(100.0 * v.low, 1) as percent_from, round(100.0 * v.high, 1) as percent_to
from survival v join repos r on r.id = v.repo_id where v.grouping = 'class' and v.unit = 'days' order by 1, 2, 3;

-- lasting_prompts: Which prompts made code that lasts
-- Turns with 20 lines or more that are 30 days old, by the share that was still there. Needs `whowrote survival`.
select r.name as repository, s.label as session, o.turn_index as turn, o.model, o.origin, o.language, o.message_class, o.intent,
  o.prompt_characters, o.dictated, o.old_30 as lines, round(100.0 * o.alive_30 / o.old_30, 1) as percent_alive_after_30_days,
  o.changed_next, o.session_id, substr(t.prompt, 1, 200) as prompt
from turn_outcomes o join sessions s on s.id = o.session_id join repos r on r.id = o.repo_id
join turns t on t.session_id = o.session_id and t.turn_index = o.turn_index
where o.old_30 >= 20 order by 12 desc, 11 desc;

-- lasting_by_prompt: Code that lasts, by the kind and length of prompts
-- Lines that are 30 days old by origin, class and length of the message behind them. Needs `whowrote survival`.
select o.origin, o.message_class, case when o.prompt_characters is null then null when o.prompt_characters < 50 then '1: under 50'
  when o.prompt_characters < 200 then '2: 50 to 199' when o.prompt_characters < 1000 then '3: 200 to 999'
  else '4: 1,000 and more' end as characters, count(*) as turns, sum(o.old_30) as lines,
  round(100.0 * sum(o.alive_30) / sum(o.old_30), 1) as percent_alive_after_30_days,
  round(100.0 * sum(o.changed_next) / nullif(sum(o.produced), 0), 1) as percent_changed_by_next_turn
from turn_outcomes o where o.old_30 > 0 group by 1, 2, 3 order by 1, 2, 3;

-- corrected_in_deed: Answers that were corrected in deed
-- Turns whose lines the next turn changed or put back, beside what the words of the next message say. In any language.
select r.name as repository, s.label as session, o.turn_index as turn, o.model, o.produced, o.changed_next, o.places,
  o.places_again, o.places_undone, n.message_class as next_message, n.pushback as next_message_judged, o.session_id
from turn_outcomes o join sessions s on s.id = o.session_id join repos r on r.id = o.repo_id
left join turn_outcomes n on n.session_id = o.session_id and n.turn_index = o.turn_index + 1
where o.places_again > 0 or o.changed_next > 0
order by o.places_undone desc, o.changed_next desc;

-- words_and_deeds: Do words of pushback and corrections in deed agree?
-- Turns with lines, by the class of the next message, and how many of them the next turn changed.
select n.language, n.message_class as next_message, count(*) as turns, sum(o.changed_next > 0) as changed_in_deed,
  sum(o.places_undone > 0) as undone_in_deed, round(100.0 * sum(o.changed_next > 0) / count(*), 1) as percent_changed
from turn_outcomes o join turn_outcomes n on n.session_id = o.session_id and n.turn_index = o.turn_index + 1
where o.produced > 0 and n.origin in ('prompt', 'queued') group by 1, 2 order by 3 desc;

-- paid_for_lines_that_are_gone: What lines that are gone within 30 days cost, by model
-- Cost of turns by model, shared out over their committed lines that are old enough. Needs `whowrote survival`.
select o.model, count(distinct o.session_id) as sessions, sum(o.old_30) as lines, sum(o.old_30 - o.alive_30) as gone_in_30_days,
  round(sum(o.cost_usd), 2) as usd, round(sum(o.cost_usd * (o.old_30 - o.alive_30) / o.old_30), 2) as usd_for_lines_gone
from turn_outcomes o where o.old_30 > 0 and o.cost_usd is not null group by 1 order by 6 desc;

-- paid_for_lines_that_are_gone_by_month: What lines that are gone within 30 days cost, by month
-- The same by month of the message.
select substr(o.at, 1, 7) as month, sum(o.old_30) as lines, sum(o.old_30 - o.alive_30) as gone_in_30_days,
  round(sum(o.cost_usd), 2) as usd, round(sum(o.cost_usd * (o.old_30 - o.alive_30) / o.old_30), 2) as usd_for_lines_gone
from turn_outcomes o where o.old_30 > 0 and o.cost_usd is not null group by 1 order by 1;

-- paid_for_lines_that_are_gone_by_directory: What lines that are gone within 30 days cost, by directory
-- The same by first directory of the file; a turn's cost is shared out over all its lines that are old enough.
with lines as (
  select o.repo_id, o.session_id, o.turn_index, case when instr(l.path, '/') then substr(l.path, 1, instr(l.path, '/') - 1)
    else '' end as directory, f.nonblank as n,
    coalesce(l.cause <> 'unreadable' and julianday(d.author_at) - julianday(b.author_at) <= 30, 0) as gone
  from line_fates f join origins g on g.id = f.origin_id join turn_outcomes o on o.session_id = g.session_id
    and o.turn_index = g.turn_index join line_lifetimes l on l.repo_id = f.repo_id and l.origin = f.life
  join history_commits b on b.id = l.birth left join history_commits d on d.id = l.death
  join tip_states k on k.repo_id = f.repo_id
  join history_commits h on h.repo_id = f.repo_id and h.commit_sha = k.tip_sha
  where g.author = 'agent' and l.same_as is null and julianday(h.author_at) - julianday(b.author_at) >= 30)
select r.name as repository, l.directory, sum(l.n) as lines, sum(l.n * l.gone) as gone_in_30_days,
  round(sum(o.cost_usd * l.n / o.old_30), 2) as usd, round(sum(o.cost_usd * l.n * l.gone / o.old_30), 2) as usd_for_lines_gone
from lines l join turn_outcomes o on o.session_id = l.session_id and o.turn_index = l.turn_index
join repos r on r.id = l.repo_id where o.cost_usd is not null and o.old_30 > 0 group by 1, 2 order by 6 desc;

-- thrown_away_work: Whose uncommitted work a later session throws away
-- Lines of a session that another session removed before any commit had them, with both sessions.
select r.name as repository, s.label as session, s.agent, sum(o.discarded) as lines_thrown_away, sum(o.produced) as lines_written,
  b.label as by_session, b.agent as by_agent, round((julianday(b.started_at) - julianday(s.ended_at)) * 24, 1) as hours_between,
  o.session_id
from turn_outcomes o join sessions s on s.id = o.session_id join sessions b on b.id = o.discarded_by
join repos r on r.id = o.repo_id where o.discarded > 0 group by o.session_id, o.discarded_by order by 4 desc;

-- dictated_lines: Lines that the user had said
-- Turns whose lines stood in the user's messages, approved plans or pasted text; the agent typed them.
select r.name as repository, s.label as session, o.turn_index as turn, o.origin, o.dictated, o.produced,
  round(100.0 * o.dictated / o.produced, 1) as percent, o.session_id
from turn_outcomes o join sessions s on s.id = o.session_id join repos r on r.id = o.repo_id
where o.dictated > 0 order by o.dictated desc;

-- people_behind_unknown: Why lines are unknown
-- Non-blank lines of unknown author, by reason.
select r.name as repository, e.reason, sum(e.nonblank) as lines from evidence_shares e join repos r on r.id = e.repo_id
where e.class in ('unknown', 'undeclared') group by 1, 2 order by 3 desc;

-- problems_by_kind: What could not be used
-- Problems by stage and kind.
select r.name as repository, p.stage, p.code, count(*) as n, min(p.detail) as example
from problems p left join repos r on r.id = p.repo_id group by 1, 2, 3 order by 4 desc;
