-- carried: judgements judge_labels judge_validations
-- text kept with none: judgements.output
-- text kept with full: judgements.output.notes

-- === Labels by a language model ===

-- What a model answered to one question about one conversation. The same question is never paid for twice.
CREATE TABLE IF NOT EXISTS judgements (
  id INTEGER PRIMARY KEY, -- number of the answer
  model TEXT NOT NULL, -- the model's id in llm
  prompt TEXT NOT NULL, -- name of the question: session, turns, paper
  prompt_version TEXT NOT NULL, -- its version, raised with every change of its words, labels and classes
  input_hash TEXT NOT NULL, -- hash of everything the model was sent
  output TEXT NOT NULL, -- the answer, valid against the schema, JSON
  attempts INTEGER NOT NULL, -- answers asked for until one was valid
  input_tokens INTEGER, -- of all attempts, as the model reports them; NULL when it does not
  output_tokens INTEGER, -- of all attempts, as the model reports them
  cost_usd REAL, -- at the list prices of the day; NULL for a model without a known price
  at TEXT NOT NULL, -- when it answered
  UNIQUE (model, prompt, prompt_version, input_hash)
);

-- Labels of a model for a session or one of its turns, taken from its answers.
CREATE TABLE IF NOT EXISTS judge_labels (
  session_id INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, -- the session
  turn_index INTEGER NOT NULL, -- the turn as in turns; 0 for labels of the whole session
  label TEXT NOT NULL, -- name of the label, see docs/judge.md
  value TEXT, -- the class; NULL for numbers and where the model could not tell
  number REAL, -- the number; NULL for classes and where the model could not tell
  model TEXT NOT NULL, -- model that said so
  prompt_version TEXT NOT NULL, -- version of the question
  judgement_id INTEGER NOT NULL REFERENCES judgements(id) ON DELETE CASCADE, -- the answer it comes from
  PRIMARY KEY (session_id, turn_index, label, model, prompt_version)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS judge_labels_judgement ON judge_labels(judgement_id);

-- How well a model's labels agree with people's, class by class.
CREATE TABLE IF NOT EXISTS judge_validations (
  model TEXT NOT NULL, -- the model
  prompt_version TEXT NOT NULL, -- version of the question
  label TEXT NOT NULL, -- the label
  class TEXT NOT NULL, -- the class, against all others
  tp INTEGER NOT NULL, -- both say the class
  fp INTEGER NOT NULL, -- only the model says it
  fn INTEGER NOT NULL, -- only the person says it
  tn INTEGER NOT NULL, -- neither does
  sensitivity REAL, -- tp / (tp + fn); NULL when no person said the class
  specificity REAL, -- tn / (tn + fp); NULL when every person said it
  kappa REAL, -- Cohen's kappa over all classes of the label; NULL when both sides used only one class
  at TEXT NOT NULL, -- when it was compared
  PRIMARY KEY (model, prompt_version, label, class)
) WITHOUT ROWID;

-- Labels of models with how far they can be trusted, where somebody compared them with people's.
--   *: judge_labels
--   sensitivity: of the model for this class, compared with people; NULL when not validated
--   specificity: of the model for this class, compared with people; NULL when not validated
--   kappa: Cohen's kappa of the label, compared with people; NULL when not validated
--   validated_on: number of labels compared with people's; NULL when not validated
--   repo_id: repository of the session
--   repo: its name
--   session: the agent's own id of the session
--   prompt: beginning of the user's message; NULL for labels of the whole session
CREATE VIEW IF NOT EXISTS judged AS
SELECT l.*, v.sensitivity, v.specificity, v.kappa, v.tp + v.fp + v.fn + v.tn AS validated_on, s.repo_id, r.name AS repo,
       s.key AS session, substr(t.prompt, 1, 200) AS prompt
FROM judge_labels l JOIN sessions s ON s.id = l.session_id JOIN repos r ON r.id = s.repo_id
LEFT JOIN judge_validations v
ON v.model = l.model AND v.prompt_version = l.prompt_version AND v.label = l.label AND v.class = l.value
LEFT JOIN turns t ON t.session_id = l.session_id AND t.turn_index = l.turn_index;

-- Labels by the judge that answered a question about a session last; those of different judges are never mixed.
--   *: judge_labels
CREATE VIEW IF NOT EXISTS latest_labels AS
SELECT session_id, turn_index, label, value, number, model, prompt_version, judgement_id
FROM (
  SELECT l.*, FIRST_VALUE(l.model) OVER w AS last_model, FIRST_VALUE(l.prompt_version) OVER w AS last_version
  FROM judge_labels l JOIN judgements j ON j.id = l.judgement_id
  WINDOW w AS (PARTITION BY l.session_id, j.prompt ORDER BY j.at DESC, j.id DESC)
) WHERE model = last_model AND prompt_version = last_version;
