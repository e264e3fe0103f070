# Every target sets up what it needs; all of it lives in .venv.
PYTHON ?= python3
PACKAGES := adapters episodes observation_text planners scene_graph skills
STAMP := .venv/.ready

.PHONY: setup lint format
setup: $(STAMP)

$(STAMP): pyproject.toml environments/no-deps.txt
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check -e '.[virtualhome,dev]'
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r environments/no-deps.txt
	touch $(STAMP)

# mypy knows packages by their folder's name, and the folder of a clone may have any:
# it sees the sources through a folder that is called peephole.
lint: $(STAMP)
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	rm -rf build/typecheck && mkdir -p build/typecheck/peephole
	ln -s $(CURDIR)/*.py $(addprefix $(CURDIR)/,$(PACKAGES)) build/typecheck/peephole/
	cd build/typecheck && ../../.venv/bin/mypy --config-file ../../pyproject.toml -p peephole
	.venv/bin/lint-imports

format: $(STAMP)
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .
