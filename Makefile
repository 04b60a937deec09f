# Every target makes its own .venv when there is none; a fresh machine needs Python 3.11+ and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo test check bench docs

help:  ## List the targets.
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

setup: $(READY)  ## Make the environment with everything a contributor needs.

demo: $(READY)  ## Ask seven questions about the handbook of a made-up company.
	@$(BIN)/satisfice demo

test: $(READY)  ## Run every test; real processes are killed along the way.
	@$(BIN)/python -m pytest -q

check: $(READY)  ## Run the gates: format, lint, types, floors, dependencies.
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/basedpyright
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/deptry .

bench: $(READY)  ## Print every figure of the benchmarks (DATA=folder for the question sets).
	@for name in retrieval answers multihop speed; do $(BIN)/python -m benchmarks.$$name $(if $(DATA),--data $(DATA)) || exit 1; done

docs: $(READY)  ## Refresh the generated pages and fail when one was stale.
	@$(BIN)/python docs/generate.py
