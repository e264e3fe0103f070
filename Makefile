# Every target installs what it needs into .venv.
PYTHON ?= python3
PIP = $(1)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile
PEEPHOLE := .venv/bin/peephole
# Python compiles modules at their first import, even if the environment forbids it.
export PYTHONDONTWRITEBYTECODE :=
DEMO := runs/demo-$(shell date +%Y%m%d-%H%M%S)
RUN := $(PEEPHOLE) run --suite robothow

.PHONY: setup run picture docs test test-slow libero train-small train-pop bench bench-blocks bench-pomdp typed lint format
setup: .venv/.ready

# For `make run`: the extra demo.
.venv/.demo: pyproject.toml setup.py environments/demo.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo \
	"Peephole needs Python 3.11 or later, but $(PYTHON) is older; name another: make PYTHON=python3.11" >&2; exit 3; }
	@echo "Installing Peephole and its demo into .venv: 600 MB, about a minute."
	@$(PYTHON) -m venv .venv
	@echo "1 of 2: Peephole and its libraries …"
	@$(call PIP,.venv) -e '.[demo]'
	@echo "2 of 2: the graphs of RobotHow and VirtualHome's evolving graph …"
	@$(call PIP,.venv) --no-deps -r environments/demo.txt
	@$(MAKE) --silent typed
	@touch $@

# For `make test`: the extra dev.
.venv/.ready: .venv/.demo environments/no-deps.txt
	@echo "Installing the packages of the tests into .venv: 2.6 GB more, one to three minutes …"
	@$(call PIP,.venv) --no-warn-conflicts -e '.[dev]'
	@$(call PIP,.venv) --no-deps -r environments/no-deps.txt
	@touch $@

# Type checkers cannot follow an editable install; this folder of links shows them the sources.
SITE = $(firstword $(wildcard .venv/lib/python3*/site-packages))
PACKAGES = $(patsubst %/__init__.py,%,$(wildcard $(CURDIR)/*/__init__.py))
SOURCES = $(filter-out %/setup.py,$(wildcard $(CURDIR)/*.py)) $(CURDIR)/py.typed $(PACKAGES)
typed:
	rm -rf $(SITE)/peephole-stubs && mkdir $(SITE)/peephole-stubs
	ln -s $(SOURCES) $(SITE)/peephole-stubs/ && ln -s $(CURDIR)/__init__.py $(SITE)/peephole-stubs/__init__.pyi

# Watch one search, play 20 tasks with three planners, and compare them.
run: .venv/.demo
	$(PEEPHOLE) adapters
	@echo; echo "=== One search, step by step ==="
	$(RUN) --planner explore --tasks put_groceries_in_fridge/1004_2 --watch --out $(DEMO)/first
	@echo; echo "=== Twenty tasks: expert sees everything, explore has to search, random guesses ==="
	for planner in expert explore random; do \
		$(RUN) --planner $$planner --tasks 20 --workers 2 --out $(DEMO)/$$planner || exit; done
	@echo; echo "=== Results ==="
	$(PEEPHOLE) show $(DEMO)/expert $(DEMO)/explore $(DEMO)/random
	@echo "Read any episode with: $(PEEPHOLE) show $(DEMO)/explore 3"

picture: .venv/.ready  # draw the pictures of README again
	docs/pictures/draw.sh
docs: .venv/.ready  # build the site in build/site; a broken link is an error
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --quiet --strict

test: .venv/.ready
	.venv/bin/pytest -n 2 --dist worksteal -m "not slow"
# Tests that take minutes, such as fifty kills of a run, and property tests with five times the examples.
test-slow: .venv/.ready
	.venv/bin/pytest -m "slow or hypothesis" --hypothesis-profile=thorough

# The interpreter of the adapter libero, which finds it there.
libero: build/libero/.ready
build/libero/.ready: environments/libero.txt
	@echo "Installing LIBERO into build/libero: 2.1 GB, some minutes …"
	@$(PYTHON) -m venv build/libero
	@$(call PIP,build/libero) -r environments/libero.txt
	@touch $@

# Train the adapters of --model trained and of LLM-POP's tables. Takes hours; repeat it to continue.
train-small train-pop: train-%: .venv/.ready
	$(PEEPHOLE) train --curriculum $(if $(filter small,$*),curriculum,llm_pop) --out build/train-$* --workers 2 \
		$(if $(PRECISION),--precision $(PRECISION))

# Compare with the evolving graph and TextWorld; with robosuite, which needs an older MuJoCo; with pomdp_py.
bench:
	$(PYTHON) -m venv .venv-bench && $(call PIP,.venv-bench) -e '.[demo]' textworld==1.7.0 fast-downward-textworld==20.6.4 textworld-express==1.1.0
	$(call PIP,.venv-bench) --no-deps -r environments/no-deps.txt
	.venv-bench/bin/python benchmarks/steps.py
	.venv-bench/bin/python benchmarks/batch.py
bench-blocks: .venv/.ready
	$(PYTHON) -m venv .venv-robosuite && $(call PIP,.venv-robosuite) -e '.[mujoco]' robosuite==1.5.2 'mujoco<3.4'
	.venv/bin/python benchmarks/blocks.py && .venv-robosuite/bin/python benchmarks/robosuite_stack.py
bench-pomdp: .venv/.ready
	$(PYTHON) -m venv .venv-pomdp && $(call PIP,.venv-pomdp) pomdp-py==1.3.5.1
	.venv/bin/python benchmarks/pomdp.py --against .venv-pomdp/bin/python

# mypy takes the name of a package from its folder, and the folder of a clone may have any name.
lint: .venv/.ready
	.venv/bin/ruff check . && .venv/bin/ruff format --check .
	rm -rf build/typecheck && mkdir -p build/typecheck/peephole && ln -s $(SOURCES) build/typecheck/peephole/
	ln -s $(CURDIR)/benchmarks build/typecheck/
	cd build/typecheck && MYPYPATH=.:benchmarks ../../.venv/bin/mypy --config-file ../../pyproject.toml \
		--explicit-package-bases peephole benchmarks
	.venv/bin/lint-imports
format: .venv/.ready
	.venv/bin/ruff check --fix . && .venv/bin/ruff format .
