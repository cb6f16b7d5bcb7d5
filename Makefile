# Everything sets itself up in .venv: `make test` is all a fresh clone needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?= ../shared/data
SETS ?= feedbench newsbench

.PHONY: demo test lint evaluate figures bench crawls gauntlet soak clean

demo: $(VENV)/.dev
	cd example_project && ../$(BIN)/python demo.py

test: lint
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(VENV)/.dev: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

# Slow studies, outside of the test suite.  DATA holds the data sets named in SETS, each as evaluate reads it.
$(VENV)/.peers: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --editable '.[dev,peers]'
	touch $@

evaluate: $(VENV)/.peers
	for set in $(SETS); do $(BIN)/scrapy forest evaluate $(DATA)/$$set --json docs/figures/$$set.json || exit; done

figures: $(VENV)/.peers
	for set in $(SETS); do \
	  $(BIN)/scrapy forest evaluate $(DATA)/$$set --json docs/figures/$$set.json --figures docs/figures/$$set || exit; \
	done

bench: $(VENV)/.peers
	$(BIN)/python benchmarks/speed.py $(addprefix $(DATA)/,$(SETS))
	$(BIN)/python benchmarks/grouping.py $(addprefix $(DATA)/,$(SETS))

# Crawls of the same sites, served on loopback under their own names.
crawls: $(VENV)/.peers
	for set in $(SETS); do $(BIN)/python benchmarks/crawl.py $(DATA)/$$set || exit; done
	$(BIN)/python benchmarks/throughput.py $(DATA)/$(lastword $(SETS))
	$(BIN)/python benchmarks/hosts.py

# kill -9 a hundred times, a hundred thousand pages, a thousand hosts: an hour.
soak: $(VENV)/.dev
	FOREST_KILLS=50 $(BIN)/python -m pytest --capture=no tests/crawls/test_kills.py
	$(BIN)/python benchmarks/soak.py
	$(BIN)/python benchmarks/hosts.py

# Hostile input through us and through other extractors: half an hour, nearly all of it theirs.
gauntlet: $(VENV)/.peers
	$(BIN)/python benchmarks/gauntlet.py --peers

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
