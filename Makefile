# `make quick` is for every change; `make test` and `make conformance` run everything. Each installs what the machine lacks, once.

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

# Three processes: tests that wait for a browser leave their processor to others.
pytest := $(BIN)/python -m pytest --numprocesses 3 --dist worksteal

# The folders of the tests that ROOM names: tests/ROOM, or packages/ROOM/tests.
rooms := $(sort $(filter-out __pycache__,$(patsubst tests/%/,%,$(wildcard tests/*/)) $(patsubst packages/%/tests,%,$(wildcard packages/*/tests))))
unknown_rooms := $(filter-out $(rooms),$(ROOM))
room_folders := $(wildcard $(foreach room,$(ROOM),tests/$(room) packages/$(room)/tests))

check_rooms = $(if $(unknown_rooms),@echo "There is no room $(unknown_rooms) with tests; there are: $(rooms)." >&2; exit 2)

# The tests of the agent take as long as all others together: a change of the agent asks for them by ROOM=agent.
# tools/lanes.py says which tests have the two marks.
quick_pytest = $(BIN)/python -m pytest --numprocesses 2 --dist worksteal -m "not browser and not slow" \
	$(or $(room_folders),tests packages/prose/tests packages/speclint/tests)

define fast_checks
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports
endef

# Runs mypy beside a command, and prints what it says after the command.
define beside_mypy
	mkdir -p build; $(BIN)/mypy >build/mypy.txt 2>&1 & checks=$$!; \
	trap 'kill $$checks 2>/dev/null' INT TERM; \
	$(1); tests=$$?; \
	wait $$checks; code=$$?; \
	echo "mypy:"; cat build/mypy.txt; \
	test $$tests -eq 0 && test $$code -eq 0
endef

.DEFAULT_GOAL := help
.PHONY: help quick test tests-of record-coverage conformance conformance-of-builds wpt mutations benchmarks dist setup clean

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

conformance: $(VENV)/.has-tools $(VENV)/.has-engine $(VENV)/.has-chromium $(VENV)/.has-firefox build/.has-packages ## Run programs and tests on the model and every browser; write the report to build/
	@$(BIN)/modelcontext conformance

conformance-of-builds: setup ## Run programs and tests on every build of a browser, each held against the text of its time
	@$(BIN)/modelcontext conformance --builds

quick: $(VENV)/.has-dev node_modules/.has-packages ## Check the Python code, and run the tests that need neither a browser nor much time; ROOM=agent as for test
	$(check_rooms)
	$(fast_checks)
	@$(call beside_mypy,$(quick_pytest))

test: setup ## Run every check and every test, also those in browsers; ROOM=lint runs the tests of a room, ROOM="dom html" of several
ifdef ROOM
	$(check_rooms)
	$(if $(wildcard $(room_folders:=/*.test.js)),node --test $(wildcard $(room_folders:=/*.test.js)))
	$(pytest) $(room_folders)
else
	$(fast_checks)
	node_modules/.bin/biome ci --error-on-warnings
	node_modules/.bin/tsc
	node --test $(wildcard tests/*/*.test.js packages/*/tests/*.test.js)
	@# Two of the tests are `modelcontext spec check` and `modelcontext findings --check`.
	@$(call beside_mypy,$(pytest))
endif

tests-of: $(VENV)/.has-dev ## Name the tests to run first after a change of FILE=src/...
	@$(BIN)/python tools/tests_of.py $(FILE)

record-coverage: $(VENV)/.has-dev node_modules/.has-packages ## Record which tests of `make quick` execute which lines, for tests-of
	@mkdir -p build
	@COVERAGE_FILE=build/coverage $(quick_pytest) --cov --cov-context=test --cov-report=

benchmarks: setup ## Compare the speed of the model and the harness with alternatives
	@$(BIN)/python -m benchmarks.model
	@$(BIN)/python -m benchmarks.exploration
	@$(BIN)/python -m benchmarks.forms
	@$(BIN)/python -m benchmarks.suite
	@$(BIN)/python -m benchmarks.fuzz
	@$(BIN)/python -m benchmarks.page
	@$(BIN)/python -m benchmarks.record
	@$(BIN)/python -m benchmarks.scripting
	@$(BIN)/python -m benchmarks.agent

wpt: setup ## Run the tests in the format of web-platform-tests in Chromium
	@$(BIN)/modelcontext test

mutations: setup ## Break the API in many ways, and check that the tests notice each
	@$(BIN)/python -m tools.lab mutations

dist: $(VENV)/.has-python ## Build the wheels of all distributions into dist/
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist $(patsubst %pyproject.toml,./%,$(PROJECTS))

setup: $(VENV)/.has-dev $(VENV)/.has-chromium $(VENV)/.has-firefox node_modules/.has-packages ## Only install what development needs
	@test -e $(VENV)/.has-chromium || { echo "Development needs Chromium; the lines above say why it is missing." >&2; exit 2; }

clean: ## Remove everything that make has made
	rm -rf $(VENV) node_modules build dist .grimp_cache .import_linter_cache .mypy_cache .ruff_cache .pytest_cache .hypothesis
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
