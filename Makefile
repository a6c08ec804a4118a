# `make` alone lists the verbs. Each works on a fresh machine: the first one that runs sets up .venv.
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/.installed
INSTRUCTOR := .venv/.instructor
ENGINES := .venv/.engines
NPM_INSTALLED := node_modules/.installed

export OMP_WAIT_POLICY := passive
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# A file's tests, and a notebook's cells, stay together in one of as many processes as there are cores.
PARALLEL := -n logical --maxprocesses 8 --dist loadscope
SLOW_FIRST := --no-loadscope-reorder # in the order of tests/conftest.py
TESTS := $(BIN)/python -m pytest -q -p no:nbval # nbval, which is for notebooks, is slow to load

# What prettier formats; what tsc checks stands in tsconfig.json.
JS := package.json tsconfig.json .prettierrc.json "{transformer_course/widgets,transformer_course/widgets/engine,tests/js,book/_static/course}/*.js"

.DEFAULT_GOAL := help
.PHONY: help kernel book test check lint lint-js unit shapes machine machines seeds remeasure results widgets notebooks browser execute exercises refresh serve lab look pdf bench

help: ## List what make can do
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 10

$(INSTALLED): requirements.txt constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "The course needs Python 3.11 or newer; this is %d.%d. Name another: make PYTHON=python3.12 book" % sys.version_info[:2])'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet -r requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps -e .
	@touch $@

$(INSTRUCTOR): $(INSTALLED) requirements-instructor.txt
	$(BIN)/python -m pip install --quiet -r requirements-instructor.txt
	@touch $@

$(ENGINES): $(INSTALLED) requirements-engines.txt
	$(BIN)/python -m pip install --quiet -r requirements-engines.txt
	@touch $@

$(NPM_INSTALLED): package.json package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch $@

book: $(INSTALLED) ## Build the site from the executed chapters
	rm -rf _build/html _build/.doctrees
	$(BIN)/jupyter-book build . --all -q -W -n --keep-going
	@echo "The book is at _build/html/index.html (make serve shows it in a browser)"

test: lint unit shapes machine widgets notebooks book browser ## Everything that CI runs
	@$(BIN)/python tests/not_run.py

check: lint ## Lint, types and fast tests, in three minutes
	$(TESTS) $(PARALLEL) -m "not slow" --ignore=tests/browser

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy transformer_course
	@if command -v node >/dev/null && command -v npm >/dev/null; \
	then $(MAKE) --no-print-directory lint-js; else $(BIN)/python tests/not_run.py Node npm; fi

lint-js: $(INSTALLED) $(NPM_INSTALLED)
	npx --no-install prettier --check --log-level warn $(JS)
	npx --no-install tsc
	$(BIN)/python book/_tools/kernel.py --check

unit: $(INSTRUCTOR) $(ENGINES)
	$(TESTS) $(PARALLEL) $(SLOW_FIRST) --ignore=tests/browser \
		$(addprefix --ignore=,$(shell cat tests/model.txt))

shapes: $(INSTALLED) # the tests of the model, with each signature's shapes checked
	$(TESTS) $(PARALLEL) \
		--jaxtyping-packages=transformer_course,beartype.beartype @tests/model.txt

machine: $(INSTALLED)
	$(BIN)/python tests/machines.py --cheapest

machines: $(INSTALLED) ## Package, exercises and chapters as every processor would run them
	$(BIN)/python tests/machines.py

SEEDS ?= 20
MARGINS := _build/margins
seeds: $(INSTALLED) ## The chapters' claims with other random numbers: SEEDS=3 for few
	rm -rf $(MARGINS) && mkdir -p $(MARGINS)
	failed=; for seed in $$(seq $(SEEDS)); do \
		COURSE_RESEED=$$seed COURSE_MARGINS=$(CURDIR)/$(MARGINS) PYTHONSTARTUP=$(CURDIR)/tests/reseed.py \
		OMP_NUM_THREADS=1 PYTHONPATH=$(CURDIR)/tests \
		$(BIN)/python -m pytest -q $(PARALLEL) -p local_kernels --nbval-lax book/*.ipynb || failed="$$failed $$seed"; done; \
	$(BIN)/python tests/margins.py $(MARGINS) && test -z "$$failed" || { echo "Seeds with a red cell:$${failed:- none}"; exit 1; }

remeasure: $(INSTALLED) ## All that was measured with the carried translators, anew; then: make execute
	$(BIN)/python benchmarks/page_sentences.py
	$(BIN)/python benchmarks/page_warnings.py
	$(BIN)/python benchmarks/translator_page.py
	$(BIN)/python benchmarks/beam_sizes.py
	$(BIN)/python benchmarks/sampling_quality.py --count 500 --samples 3
	$(BIN)/python benchmarks/ablations.py heads
	$(BIN)/python benchmarks/ablations.py sublayers
	$(BIN)/python benchmarks/export_attention.py
	$(BIN)/python benchmarks/teacher_forcing.py

results: $(INSTALLED) ## The paper's tables run again: what is missing; MINUTES=60 goes on with it
	@$(BIN)/python benchmarks/trials.py $(if $(MINUTES),--minutes $(MINUTES),--list)

widgets: $(INSTALLED)
	@if command -v node >/dev/null; then node --test tests/js/*.test.js; \
	else $(BIN)/python tests/not_run.py Node; fi

notebooks: $(INSTALLED)
	OMP_NUM_THREADS=1 PYTHONPATH=tests $(BIN)/python -m pytest -q $(PARALLEL) -p local_kernels \
		--nbval --nbval-sanitize-with tests/nbval_sanitize.cfg book/*.ipynb

kernel: $(INSTALLED) $(NPM_INSTALLED) ## Compile what computes in the page
	$(BIN)/python book/_tools/kernel.py

# On a busy machine a browser is late now and then: what fails is tried once more, and both are told.
browser: book
	$(TESTS) $(PARALLEL:loadscope=loadgroup) $(SLOW_FIRST) tests/browser || $(TESTS) --last-failed --last-failed-no-failures none tests/browser

execute: $(INSTALLED) ## Run the chapters anew: CHAPTER=05-2-loss for one
	$(BIN)/python book/_tools/execute.py $(CHAPTER)

exercises: $(INSTALLED) ## Make the learners' notebooks from exercises/sources
	$(BIN)/transformer-course release exercises/sources/*.md --out exercises --messages

refresh: $(INSTALLED) ## Put today's words, exercises and widgets into the chapters, without running them
	$(BIN)/python book/_tools/refresh.py

serve: book ## Show the built site at http://localhost:8000
	$(BIN)/python -m http.server --directory _build/html --bind localhost 8000

lab: $(INSTALLED) ## Open the chapters in JupyterLab
	$(BIN)/jupyter trust book/*.ipynb >/dev/null # so that their widgets live before a cell has run
	$(BIN)/jupyter lab --LabApp.default_url=/lab/tree/book/index.ipynb

look: book ## Screenshots of every page, light, dark, wide and narrow, on one sheet
	$(BIN)/python book/_tools/look.py

pdf: book ## Print every page to _build/pdf
	$(BIN)/python book/_tools/pdf.py

bench: book ## Weigh the pages and drag their sliders (the model's own benchmarks: see benchmarks/)
	$(BIN)/python benchmarks/weigh.py
