# The one definition of every command and check. `make help` lists them.

PYTHON ?= python3
VENV := .venv/bin/python
APPS := wwbsite leaderboards episodes judgments completions catalog scoring
CODE := manage.py deploy tools tests benchmarks $(APPS)
BENCHMARKS := $(basename $(notdir $(wildcard benchmarks/[a-z]*.py)))
# Arguments for pytest, manage.py or a benchmark: make test ARGS="tests/scoring -k regret"
ARGS ?=
# Checkers read the settings but open no connection.
CHECK_ENV := SECRET_KEY=check DATABASE_URL=postgresql:///check REDIS_URL=redis://localhost

.DEFAULT_GOAL := help

.PHONY: help
help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: install ## Set everything up and run the site until Ctrl-C (PORT=8001 for another port)
	@$(VENV) -m wwbsite.launcher

.PHONY: test
test: browser check ## Run every check and every test (ARGS="tests/scoring -k regret" for some)
	@$(VENV) -m pytest -n 2 --dist loadfile $(ARGS)

.PHONY: quick
quick: install-dev ## Run the tests that need neither browser nor worker
	@$(VENV) -m pytest -n 2 --dist loadfile -m "not browser and not worker" $(ARGS)

.PHONY: check
check: install-dev ## Check style, types, templates and import contracts
	@$(VENV) -m ruff check $(CODE)
	@$(VENV) -m ruff format --check $(CODE)
	@$(CHECK_ENV) $(VENV) -m mypy $(CODE)
	@$(VENV) -m djlint --check --lint templates
	@$(CHECK_ENV) .venv/bin/lint-imports

.PHONY: format
format: install-dev ## Rewrite code and templates in the one style
	@$(VENV) -m ruff check --fix $(CODE)
	@$(VENV) -m ruff format $(CODE)
	@$(VENV) -m djlint --quiet --reformat templates

.PHONY: manage
manage: install ## Run a management command on the running site: make manage ARGS="create_agent NAME"
	@$(VENV) manage.py $(ARGS)

.PHONY: messages
messages: install-dev ## Find the words of the participant's path and compile their translations
	@$(VENV) -m tools.messages

.PHONY: replay
replay: install ## Recompute the reference tables and compare (ARGS="--task nile --jobs 2")
	@$(CHECK_ENV) $(VENV) manage.py replay $(ARGS)

.PHONY: bench
bench: install ## Run every benchmark: ratios as JSON lines
	@for name in $(BENCHMARKS); do $(VENV) -m benchmarks.$$name || exit 1; done

.PHONY: screenshots
screenshots: browser install-dev ## Save pictures of every page of the running site in screenshots/
	@$(VENV) -m tools.screenshots $(or $(ARGS),http://127.0.0.1:8000)

.PHONY: install
install: ## Set up .venv for running
	@$(PYTHON) tools/install.py requirements.lock

.PHONY: install-dev
install-dev: ## Set up .venv for tests and checks too
	@$(PYTHON) tools/install.py requirements-dev.lock

.PHONY: browser
browser: ## Find chromium for the browser tests, or install Debian's
	@$(PYTHON) tools/chromium.py

.PHONY: lock
lock: ## Pin newer versions of all packages with hashes (needs uv)
	@uv pip compile --upgrade $(LOCK_OPTIONS) requirements.txt -o requirements.lock
	@uv pip compile --upgrade $(LOCK_OPTIONS) -c requirements.lock requirements-dev.txt -o requirements-dev.lock

.PHONY: clean
clean: ## Remove .venv and caches; the data in .data stays
	@rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache staticfiles screenshots
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

LOCK_OPTIONS := --quiet --universal --python-version 3.11 --generate-hashes --no-header
