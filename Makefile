# Development targets. `make test` is the README's second command; the others need what it installed.
PYTHON ?= python3
BIN = .venv/bin

.PHONY: setup test core limits lint docs site check demo accuracy public-study bench bench-many scaling culprit-benchmark planted lab lab-corpus corpus-release canary fuzz security vscode lock locked lowest audit sbom clean

setup: .venv/ready

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet -e '.[test]'
	touch .venv/ready

test: setup
	$(BIN)/pytest

# The core alone: a copy without the directories of the plug-ins, and the tests of the core that name no plug-in.
core: setup
	$(BIN)/python tests/core.py $(TESTS)

# Lowers the limits of size to what is there now.
limits: setup
	$(BIN)/python tests/house/limits.py

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: setup
	$(BIN)/python docs/generate.py
	$(BIN)/python docs/notebooks.py

# The documentation as a site in build/site; mkdocs.yml has its pages.
site:
	$(PYTHON) -m venv .venv-site
	.venv-site/bin/pip install --quiet 'mkdocs-material>=9.5,<10'
	.venv-site/bin/mkdocs build --strict --clean

check: lint test
	$(BIN)/python docs/generate.py --check
	$(BIN)/python docs/notebooks.py --check
	$(BIN)/python benchmarks/accuracy.py --check
	$(BIN)/python benchmarks/rules.py --check

demo: setup
	$(BIN)/attribute demo

# REPOS: clones with checkpoints, for the parts that need real repositories.
accuracy: setup
	$(BIN)/python benchmarks/accuracy.py $(REPOS)
	$(BIN)/python benchmarks/rules.py

# MIRRORS: where the mirrors of public repositories are, or will be. Hours, and gigabytes, when they must be cloned; what was done is not
# done again. SCAN: minutes for weaknesses and maintainability, small repositories first.
SCAN ?= 45
STUDY ?= build/public-study.db
public-study: setup
	mkdir -p $(dir $(STUDY))
	$(BIN)/python benchmarks/public_study.py --mirrors $(MIRRORS) --db $(STUDY)
	$(BIN)/python benchmarks/public_study.py --scan $(SCAN) --mirrors $(MIRRORS) --db $(STUDY)
	$(BIN)/python benchmarks/public_study.py --page --db $(STUDY)

# REPOS: clones with checkpoints; DB: an attributed database with line history.
bench: setup
	$(BIN)/python benchmarks/bench_attribute.py $(REPOS)
	$(BIN)/python benchmarks/bench_others.py $(REPOS)
	$(BIN)/python benchmarks/bench_history.py $(REPOS)
	$(BIN)/python benchmarks/bench_commands.py $(if $(DB),--db $(DB)) $(REPOS)
	$(BIN)/python benchmarks/bench_scan.py $(REPOS)

# Many small repositories. OPTIONS: see the file.
bench-many: setup
	$(BIN)/python benchmarks/bench_many.py $(OPTIONS)

# What twice of each size that a repository decides costs; SIZES for some of them.
scaling: setup
	$(BIN)/python benchmarks/scaling.py $(SIZES)

# Fixes traced to the commits that their authors name: CLONES of projects that write `Fixes: ID`, PAIRS of each, up to TIP; docs/culprit.md has the table.
PAIRS ?= 350
culprit-benchmark: setup
	$(BIN)/python benchmarks/culprits.py --pairs $(PAIRS) $(if $(TIP),--tip $(TIP)) --page $(CLONES)

# Histories with a planted effect and what `report compare` says of them: an hour; HISTORIES for fewer.
HISTORIES ?= 201
planted: setup
	$(BIN)/python benchmarks/planted.py $(HISTORIES)

# An environment of its own for the lab: 120 MB instead of all that the tests need.
.venv-lab/ready: pyproject.toml
	$(PYTHON) -m venv .venv-lab
	.venv-lab/bin/pip install --quiet -e . 'pyte>=0.8.2' 'ruff>=0.6'
	touch .venv-lab/ready

# Real agents against a scripted model (benchmarks/lab/README.md). AGENTS, SCENARIOS, VERSIONS: separated by commas; STORE=1 keeps the outcome.
SCENARIOS ?= basic,resume
VERSIONS ?= newest
lab: .venv-lab/ready
	PYTHONPATH=benchmarks .venv-lab/bin/python -m lab --agents '$(AGENTS)' --scenarios '$(SCENARIOS)' --versions '$(VERSIONS)' $(if $(STORE),--store)

# Histories whose lines have known authors (benchmarks/lab/README.md), as many as there is time for, and what is said of them.
# AGENTS: separated by commas; SEEDS: first and last (3000-3219 are of release 3.0); MINUTES. With WHOWROTE_CORPUS_SALT in the environment: those of the hidden part.
SEEDS ?= 3000-3219
MINUTES ?= 240
lab-corpus: .venv-lab/ready
	PYTHONPATH=benchmarks .venv-lab/bin/python -m corpus make $(if $(AGENTS),--agents '$(AGENTS)') --seeds $(SEEDS) --minutes $(MINUTES)
	PYTHONPATH=benchmarks .venv-lab/bin/python -m corpus score $(if $(WHOWROTE_CORPUS_SALT),--hidden)

# The open histories, the scorer, licence and card as a tar in benchmarks/releases, with its SHA-256.
corpus-release: setup
	PYTHONPATH=benchmarks $(BIN)/python -m corpus release

# The newest version of each agent; ISSUE=1 opens an issue about what is read otherwise than before.
canary: .venv-lab/ready
	PYTHONPATH=benchmarks .venv-lab/bin/python -m lab.canary $(if $(AGENTS),--agents '$(AGENTS)') $(if $(ISSUE),--issue)

# SECONDS: for each reader. Without atheris (it has no wheels for some systems) inputs are random instead of guided by coverage.
SECONDS ?= 60
fuzz: setup
	-$(BIN)/pip install --quiet -e '.[fuzz]'
	$(BIN)/python tests/fuzz.py --seconds $(SECONDS)
	$(BIN)/pytest -m heavy -o faulthandler_timeout=0

# The attacks and accidents of docs/security.md, whose table is made from what came of them; hours, or minutes with SMALL=1. ATTACKS for
# some of them.
security: setup
	-$(BIN)/pip install --quiet -e '.[fuzz]'
	$(BIN)/python tests/security.py $(if $(SMALL),--small) $(ATTACKS)
	$(if $(SMALL),,$(BIN)/python docs/generate.py)

# The extension for VS Code; needs Node.js 20 or newer. It is not published.
vscode:
	mkdir -p build
	cd editors/vscode && npx --yes @vscode/vsce@3 package --no-dependencies --skip-license --allow-missing-repository \
	  --out ../../build/whowrote.vsix

# What CI and releases install: every distribution by its hash. pyproject.toml keeps open lower bounds for users.
lock: setup
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --extra test pyproject.toml \
	  --custom-compile-command 'make lock' --output-file requirements.lock

locked:
	$(PYTHON) -m venv --clear build/locked
	build/locked/bin/pip install --quiet --require-hashes -r requirements.lock
	build/locked/bin/pip install --quiet --no-deps -e .
	build/locked/bin/pytest $(TESTS)

# The other end: the oldest versions that pyproject.toml allows.
lowest: setup
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --python-version 3.11 --resolution lowest-direct --extra test pyproject.toml \
	  --output-file build/lowest.txt
	$(PYTHON) -m venv --clear build/lowest
	build/lowest/bin/pip install --quiet -r build/lowest.txt
	build/lowest/bin/pip install --quiet --no-deps -e .
	build/lowest/bin/pytest -W default $(TESTS)

# Known vulnerabilities in what is locked; asks the advisory database of PyPI. --strict: what could not be asked for is no success.
audit: setup
	$(BIN)/pip install --quiet pip-audit
	$(BIN)/pip-audit --strict --require-hashes --disable-pip --requirement requirements.lock

# What a release was tested with, as CycloneDX.
sbom: setup
	$(BIN)/pip install --quiet cyclonedx-bom
	mkdir -p dist
	$(BIN)/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible --of JSON -o dist/whowrote.cdx.json requirements.lock

clean:
	rm -rf .venv .venv-lab build dist .pytest_cache .mypy_cache .ruff_cache
