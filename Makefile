# Everything a contributor types. Needs python3 (3.11 or newer) and make, nothing else:
# each target makes .venv by itself, and two stamps keep it from being made twice.

PYTHON ?= python3
# Three on two cores: many tests wait for programs that they start.
JOBS ?= 3
MARK ?= not slow
# Whether tests that failed are tried once more, 1 or 0: on a busy machine.
AGAIN ?= 0

BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
SETUP := pyproject.toml constraints.txt
# The tests start hundreds of programs: what python compiles is kept, also where the environment says not to.
PYTEST = env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n $(JOBS) -m "$(MARK)" --cov --cov-report=
# The packages whose every branch is tested.
COVERED := */radcap/captioning/*,*/radcap/core/*,*/radcap/datasets/*,*/radcap/detection/*,*/radcap/explanation/*,*/radcap/formats/*,*/radcap/metrics/*,*/radcap/reading/health/*,*/radcap/reading/page/*,*/radcap/reading/run_folder/*,*/radcap/reading/serving/*,*/radcap/reading/structured/*,*/radcap/report/*,*/radcap/stats/*,*/radcap/systems/*,*/radcap/vision/*,*/radcap/vocabulary/*,*/radcap/zoo/*

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test coverage lint format bench docs dist docker test-all clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile

demo: .venv/.base  ## what radcap does, on the data it ships; writes demo-out/
	$(BIN)/radcap demo --out demo-out
	@echo; echo 'First, so that the shell finds radcap: . .venv/bin/activate'

test: .venv/.dev  ## the tests, and every branch of the pure packages
	$(PYTEST) --durations 20 || { \
	  test $$? = 1 && test "$(AGAIN)" = 1 && echo "Those that failed, once more:" && \
	  $(PYTEST) --cov-append --last-failed --last-failed-no-failures none; }
	@$(MAKE) --no-print-directory coverage

coverage: .venv/.dev  ## fails when the last test run left a branch of the pure packages out
	@test -f .coverage || { echo "No coverage data: run 'make test' first." >&2; exit 1; }
	$(BIN)/python -m coverage report --include='$(COVERED)' --fail-under=100

lint: .venv/.dev  ## style, types, layers, dependencies
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports --no-logo
	$(BIN)/deptry src
	$(BIN)/hadolint Dockerfile

format: .venv/.dev  ## repair what ruff can repair
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/.dev  ## the measurements of docs/benchmarks.md
	$(BIN)/python benchmarks/run.py

docs: .venv/.dev  ## the site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

dist: .venv/.dist  ## wheel and source archive, checked, in dist/
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/python scripts/check_dist.py dist

docker:  ## the container image radcap, where docker is installed
	@command -v docker >/dev/null || { echo "No docker here: install it, or use radcap without it." >&2; exit 1; }
	docker build --tag radcap .

test-all: .venv/.dev  ## the slow tests and the measurements too
	@$(MAKE) --no-print-directory test MARK=
	@$(MAKE) --no-print-directory bench

clean:  ## remove what the targets above made
	rm -rf .venv .coverage .coverage.* .hypothesis .import_linter_cache .pytest_cache .ruff_cache build demo-out dist site
	find src tests benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

.venv/bin/python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "No '$(PYTHON)' here: install Python 3.11 or newer, or name it, as in 'make demo PYTHON=python3.12'." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "$$($(PYTHON) --version) is too old: radcap needs Python 3.11 or newer. Name one, as in 'make demo PYTHON=python3.12'." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "$(PYTHON) has no venv module: install it (Debian and Ubuntu: the package python3-venv), then run make again." >&2; exit 1; }
	$(PYTHON) -m venv .venv

.venv/.base: $(SETUP) | .venv/bin/python
	$(PIP) --editable '.[read]'
	@touch $@

.venv/.dist: $(SETUP) | .venv/bin/python
	$(PIP) build hatchling
	@touch $@

.venv/.dev: $(SETUP) | .venv/bin/python
	$(PIP) --editable '.[dev]'
	@touch .venv/.base $@
