-- lines_present: Births minus deaths are the lines present, at every commit.
SELECT c.commit_sha, c.lines_present, COALESCE(p.lines_present, 0) + c.lines_born + c.lines_came - c.lines_gone AS expected
FROM history_commits c LEFT JOIN history_commits p ON p.id = c.first_parent
WHERE c.lines_present <> COALESCE(p.lines_present, 0) + c.lines_born + c.lines_came - c.lines_gone;

-- lifetimes_born: Every line a commit wrote has exactly one lifetime.
SELECT c.commit_sha, c.lines_born, COALESCE(SUM(l.end_line - l.start_line + 1), 0) AS in_lives
FROM history_commits c LEFT JOIN line_lifetimes l ON l.birth = c.id GROUP BY c.id HAVING c.lines_born <> in_lives;

-- lifetimes_alive: The lifetimes without an end are the lines of the tip.
SELECT t.repo_id, t.lines, t.copies, c.lines_present,
       (SELECT COALESCE(SUM(l.end_line - l.start_line + 1), 0) FROM line_lifetimes l WHERE l.repo_id = t.repo_id AND l.death IS NULL
         AND l.same_as IS NULL) AS alive
FROM tip_states t JOIN history_commits c ON c.repo_id = t.repo_id AND c.commit_sha = t.tip_sha
WHERE t.lines <> alive OR t.lines + t.copies <> c.lines_present;

-- lifetimes_order: A line ends once, not before it begins, and on the main line not before it arrives there.
SELECT l.repo_id, l.origin, b.number AS born, d.number AS died FROM line_lifetimes l JOIN history_commits b ON b.id = l.birth
JOIN history_commits d ON d.id = l.death WHERE d.number < b.number OR l.cause IS NULL;

-- lifetimes_same: Lines that go on as others share their fate, and those are no other names themselves.
SELECT l.repo_id, l.origin, l.same_as, l.death, o.death AS death_of_the_others FROM line_lifetimes l JOIN line_lifetimes o ON o.repo_id = l.repo_id
AND o.origin = (SELECT MAX(x.origin) FROM line_lifetimes x WHERE x.repo_id = l.repo_id AND x.origin <= l.same_as)
WHERE l.same_as > 0 AND (l.death IS NOT o.death OR (o.same_as IS NOT NULL AND l.death IS NULL));

-- lifetimes_spans: Lifetimes and moves cover exactly the attributed lines of ordinary commits, file by file. Left out: files that could not be read,
-- that became symbolic links (one line to git blame), and commits that copy a file (git pairs a source once, git blame as often as it
-- fits; copies of lines from before the window are not in lines_came).
SELECT h.commit_sha, f.path, f.lines_added, COALESCE((SELECT SUM(l.end_line - l.start_line + 1) FROM line_lifetimes l
         WHERE l.birth = h.id AND l.path = f.path), 0) AS born, COALESCE((SELECT SUM(t.end_line - t.start_line + 1)
         FROM line_moves t WHERE t.repo_id = h.repo_id AND t.commit_id = h.id AND t.path = f.path), 0) AS travelled
FROM history_commits h JOIN commits c ON c.repo_id = h.repo_id AND c.commit_sha = h.commit_sha
JOIN commit_files f ON f.commit_id = c.id WHERE f.content = 'text' AND f.status <> 'T' AND h.parents < 2 AND h.lines_came = 0
AND f.lines_added <> born + travelled
AND NOT (f.status = 'A' AND f.lines_added > born + travelled AND EXISTS (SELECT 1 FROM tip_states t WHERE t.repo_id = h.repo_id AND t.after_sha <> '')
         AND EXISTS (SELECT 1 FROM commit_files r WHERE r.commit_id = f.commit_id AND r.status = 'R'))
AND NOT EXISTS (SELECT 1 FROM problems p WHERE p.repo_id = h.repo_id AND p.stage = 'history' AND p.code = 'file_unread'
                AND p.subject = h.commit_sha AND p.detail = f.path);

-- fates_cover: Every life has its lines among the fates, once survival was asked for.
SELECT l.repo_id, l.origin, l.end_line - l.start_line + 1 AS in_life, t.in_fates, l.nonblank AS with_text, t.in_fates_with_text
FROM (SELECT repo_id, life, SUM(lines) AS in_fates, SUM(nonblank) AS in_fates_with_text FROM line_fates GROUP BY repo_id, life) t
JOIN line_lifetimes l ON l.repo_id = t.repo_id AND l.origin = t.life
WHERE l.end_line - l.start_line + 1 <> t.in_fates OR l.nonblank <> t.in_fates_with_text;

-- tip_spans: The spans of a file of the tip follow each other without a gap, and the classes sum to its lines.
SELECT f.id AS file_id, f.path, f.lines, COALESCE(MAX(s.end_line), 0) AS last_line,
       COALESCE(SUM(s.end_line - s.start_line + 1), 0) AS in_spans, COALESCE(SUM(s.nonblank), 0) AS with_text
FROM tip_files f LEFT JOIN tip_spans s ON s.file_id = f.id GROUP BY f.id
HAVING f.lines <> in_spans OR f.lines <> last_line OR with_text < f.agent + f.declared + f.human + f.unknown + f.undeclared;

-- survival: Shares are between 0 and 1 and inside their intervals, and nobody has more lines at risk than are old enough.
SELECT repo_id, grouping, name, unit, horizon, at_risk, enough, share, low, high FROM survival
WHERE at_risk > enough OR enough <= 0 OR share NOT BETWEEN 0 AND 1 OR share NOT BETWEEN low AND high;

-- survival_falls: Fewer lines survive longer.
SELECT a.repo_id, a.grouping, a.name, a.author, a.unit, a.horizon, a.share, b.horizon AS later, b.share AS share_later FROM survival a
JOIN survival b ON (b.repo_id, b.grouping, b.name, b.author, b.unit) = (a.repo_id, a.grouping, a.name, a.author, a.unit)
WHERE b.horizon > a.horizon AND b.share > a.share + 1e-9;
