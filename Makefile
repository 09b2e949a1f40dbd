# The two main commands are `make conformance` and `make test`. Each installs what the machine lacks, once.

VENV := .venv
BIN := $(VENV)/bin
# This project, and the distributions that live in its repository.
PROJECTS := pyproject.toml $(wildcard packages/*/pyproject.toml)
# Recipes use the packages of this folder's environment only.
unexport PYTHONPATH PYTHONHOME VIRTUAL_ENV
# Hundreds of processes run the same modules: each would compile them anew.
unexport PYTHONDONTWRITEBYTECODE
# Hundreds of drivers of Playwright run the same scripts: each would compile them anew.
export NODE_COMPILE_CACHE := $(CURDIR)/build/node-compile-cache
MAKEFLAGS += --no-print-directory

.DEFAULT_GOAL := help
.PHONY: help conformance test wpt mutations benchmarks dist setup clean

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

conformance: $(VENV)/.has-tools $(VENV)/.has-engine $(VENV)/.has-chromium $(VENV)/.has-firefox build/.has-packages ## Run programs and tests on the model and every browser; write the report to build/
	@$(BIN)/modelcontext conformance

test: setup ## Run every check and every test, also those in Chromium
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
	node_modules/.bin/biome ci --error-on-warnings
	node_modules/.bin/tsc
	node --test $(wildcard tests/*/*.test.js packages/*/tests/*.test.js)
	@# The slower checks run beside the tests and are printed after them. Three processes: tests that wait for a browser
	@# leave their processor to others. One of the tests is `modelcontext findings --check`.
	@mkdir -p build
	@{ $(BIN)/mypy && $(BIN)/modelcontext spec check; } >build/checks.txt 2>&1 & checks=$$!; \
	trap 'kill $$checks 2>/dev/null' INT TERM; \
	$(BIN)/python -m pytest --numprocesses 3 --dist loadfile --no-loadscope-reorder; tests=$$?; \
	wait $$checks; code=$$?; \
	echo "mypy, modelcontext spec check:"; cat build/checks.txt; \
	test $$tests -eq 0 && test $$code -eq 0

benchmarks: setup ## Compare the speed of the model and the harness with alternatives
	@$(BIN)/python -m benchmarks.model
	@$(BIN)/python -m benchmarks.exploration
	@$(BIN)/python -m benchmarks.forms
	@$(BIN)/python -m benchmarks.suite
	@$(BIN)/python -m benchmarks.fuzz
	@$(BIN)/python -m benchmarks.page
	@$(BIN)/python -m benchmarks.scripting
	@$(BIN)/python -m benchmarks.agent

wpt: setup ## Run the tests in the format of web-platform-tests in Chromium
	@$(BIN)/modelcontext test

mutations: setup ## Break the API in many ways, and check that the tests notice each
	@$(BIN)/modelcontext mutations

dist: $(VENV)/.has-python ## Build the wheels of all distributions into dist/
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist $(patsubst %pyproject.toml,./%,$(PROJECTS))

setup: $(VENV)/.has-dev $(VENV)/.has-chromium $(VENV)/.has-firefox node_modules/.has-packages ## Only install what development needs
	@test -e $(VENV)/.has-chromium || { echo "Development needs Chromium; the lines above say why it is missing." >&2; exit 2; }

clean: ## Remove everything that make has made
	rm -rf $(VENV) node_modules build dist .import_linter_cache .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src packages tests tools benchmarks surveys -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp that is older than its prerequisites is made again.
$(VENV)/.has-python: tools/make-venv
	@tools/make-venv $(VENV)
	@touch $@

$(VENV)/.has-tools: $(PROJECTS) | $(VENV)/.has-python
	@tools/install-package $(BIN)/python wpt
	@touch $@

$(VENV)/.has-dev: $(PROJECTS) | $(VENV)/.has-python
	@tools/install-package $(BIN)/python dev
	@touch $@ $(VENV)/.has-tools $(VENV)/.has-engine

node_modules/.has-packages: package.json package-lock.json
	@tools/install-npm-packages
	@touch $@

# A conformance run works without what cannot be installed, and shows NOTRUN in its matrix.
$(VENV)/.has-engine: $(PROJECTS) | $(VENV)/.has-tools
	@tools/install-package $(BIN)/python js && touch $@ || echo "What runs in the simulated browser is NOTRUN."

$(VENV)/.has-chromium: | $(VENV)/.has-tools
	@$(BIN)/modelcontext setup chromium && touch $@ || echo "What runs in Chromium is NOTRUN."

$(VENV)/.has-firefox: | $(VENV)/.has-tools
	@$(BIN)/modelcontext setup firefox && touch $@ || echo "What runs in Firefox is NOTRUN."

build/.has-packages: package.json package-lock.json
	@$(MAKE) node_modules/.has-packages && mkdir -p build && touch $@ || echo "What needs the npm packages is NOTRUN."

# Both stamps are made by the same pip in the same environment: one after the other, under -j as well.
.NOTPARALLEL:
