-- findings_by_cwe: Weaknesses by CWE and author
-- Findings introduced in source files, by who wrote the lines. Needs `whowrote findings scan`.
select r.name as repository, f.cwe, f.class, f.confidence, count(*) as introduced, sum(f.fixed_by is not null) as fixed,
  min(f.rule_id) as example_rule
from findings f join repos r on r.id = f.repo_id where f.status = 'introduced' and f.place = 'source'
group by 1, 2, 3, 4 order by 5 desc;
