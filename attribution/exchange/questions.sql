-- claims_by_producer: What other tools claim, and whether it holds
-- Records of other tools by the result of checking them. Needs `whowrote data claims`.
select r.name as repository, c.producer, k.status, k.reach, count(*) as records, sum(k.lines) as lines, sum(k.ok) as lines_right
from claim_records c join claim_record_checks k on k.record_id = c.id join repos r on r.id = c.repo_id
group by 1, 2, 3, 4 order by 5 desc;
