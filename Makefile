VENV ?= .venv

ifeq ($(OS),Windows_NT)
  PYTHON ?= python
  BIN := Scripts
else
  PYTHON ?= python3
  BIN := bin
endif
PY := $(VENV)/$(BIN)/python

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test lint check cluster notebooks notebooks-check docs e2e parity bench wheel wheel-check clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{printf "  make %-15s %s\n", $$1, $$2}'

demo: $(VENV)/.installed ## train a small model for two minutes and show what it learned
	$(PY) -m mini_bert demo

test: $(VENV)/.installed-test ## run every test that needs no PyTorch
	$(PY) -m pytest --numprocesses auto

lint: $(VENV)/.installed-dev ## format, lint, types
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy

check: lint ## lint, unit and mathematical tests, in about three minutes
	$(PY) -m pytest --numprocesses auto tests/unit tests/mathematical

notebooks: $(VENV)/.installed-notebooks ## run the notebooks and save them with what they show
	$(PY) notebooks/run.py

notebooks-check: $(VENV)/.installed-notebooks ## run the notebooks and compare with what is saved
	$(PY) -m pytest --numprocesses auto tests/notebooks

docs: $(VENV)/.installed-docs ## build the documents as a site that opens from disk, in build/site
	rm -rf build/site
	$(PY) docs/site/staging.py build/pages
	$(PY) -m sphinx -c docs/site -d build/doctrees --fresh-env --quiet --fail-on-warning --keep-going build/pages build/site
	$(PY) docs/site/links.py build/site

e2e: $(VENV)/.installed-e2e ## click through the explorer, and the site if it is built, in a headless Chromium
	$(PY) -m pytest --numprocesses auto tests/e2e

cluster: $(VENV)/.installed-cluster ## train on several ranks with MPI, kill one, resume with others
	$(PY) -m pytest tests/cluster

parity: $(VENV)/.installed-parity ## compare with PyTorch and transformers
	$(PY) -m pytest --numprocesses auto tests/parity

bench: $(VENV)/.installed-parity ## time the same work here and in PyTorch
	$(PY) -m mini_bert bench train
	$(PY) -m mini_bert bench inference

wheel: | $(VENV)/pyvenv.cfg ## build the wheel into dist/
	rm -rf dist
	$(PY) -m pip wheel --no-deps --wheel-dir dist .

wheel-check: wheel ## install the wheel alone in another folder, and use it there
	rm -rf build/alone
	$(PYTHON) -m venv build/alone
	build/alone/$(BIN)/python -m pip install --quiet dist/*.whl
	cd build/alone && $(BIN)/python -m mini_bert fill-mask "The cat is sleeping on the [MASK]."
	cd build/alone && $(BIN)/python -m mini_bert demo --steps 20
	cd build/alone && $(BIN)/python -m mini_bert gradcheck --samples 2

clean: ## remove build products and tool caches, keep the environment
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find mini_bert tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/pyvenv.cfg:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/pyvenv.cfg
	$(PY) -m pip install --editable .
	@touch $@

$(VENV)/.installed-%: pyproject.toml | $(VENV)/pyvenv.cfg
	$(PY) -m pip install --editable ".[$*]"
	@touch $@
