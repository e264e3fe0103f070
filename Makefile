# Every target sets up what it needs; all of it lives in .venv.
PYTHON ?= python3
PACKAGES := adapters audit cli episodes grids models observation_text planners results scene_graph skills stand_ins suites training
STAMP := .venv/.ready

DEMO := runs/demo-$(shell date +%Y%m%d-%H%M%S)
RUN := .venv/bin/peephole run --suite robothow

.PHONY: setup run picture docs test test-slow bench bench-blocks bench-pomdp train-small train-pop lint format
setup: $(STAMP)

$(STAMP): pyproject.toml environments/no-deps.txt
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check -e '.[virtualhome,dev]'
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r environments/no-deps.txt
	touch $(STAMP)

# The main job: watch one search, play 20 tasks with three planners, compare them.
run: $(STAMP)
	.venv/bin/peephole adapters
	@echo; echo "=== One search, step by step ==="
	$(RUN) --planner explore --tasks put_groceries_in_fridge/1004_2 --watch --out $(DEMO)/first
	@echo; echo "=== Twenty tasks: expert sees everything, explore has to search, random guesses ==="
	$(RUN) --planner expert --tasks 20 --workers 2 --out $(DEMO)/expert
	$(RUN) --planner explore --tasks 20 --workers 2 --out $(DEMO)/explore
	$(RUN) --planner random --tasks 20 --workers 2 --out $(DEMO)/random
	@echo; echo "=== Results ==="
	.venv/bin/peephole show $(DEMO)/expert $(DEMO)/explore $(DEMO)/random
	@echo "Read any episode with: .venv/bin/peephole show $(DEMO)/explore 3"

# The pictures of README, of what is printed and drawn now.
picture: $(STAMP)
	docs/pictures/draw.sh

# The site of docs/, into build/site; a link that leads nowhere is an error.
docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --quiet --strict

# The commands that tests run import what was compiled before, also where the environment forbids it.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(STAMP)
	.venv/bin/pytest -n 2 --dist loadfile -m "not slow"

# What takes minutes, such as fifty kills of a run.
test-slow: $(STAMP)
	.venv/bin/pytest -m slow

# A small model that plans household tasks, for --model trained; docs/howto/train_a_small_model.md. It takes hours, and
# goes on where it stood when it is called again.
SMALL := build/train-small
# PRECISION=bfloat16 is faster where the processor has instructions for it.
PRECISION := float32
ACT := --planner react --dialect compact --set menu=none --workers 2 --model teacher=scripted
# Mistakes that the teacher mends: in one action of seven, and in one of three those that come near.
SLIPS := --model scripted:wrong_subgoal=0.25,wrong_thought=0.5 --set taught=0.8
MISSES := --model scripted:wrong_place=0.4,wrong_thought=0.4 --set taught=0.6

train-small: models/weights/trained.gguf

# Five stages, each from the adapter of the one before. The third is mostly how instructions are read and
# what is left when something was put down; in the fourth and fifth its own mistakes are mended.
FIRST := small wah houses household ithor small_misses wah_misses houses_first household_first \
	ithor_first wah_first
SECOND := more_houses more_household more_ithor more_wah more_small more_wah_misses more_houses_first \
	more_household_first more_ithor_first houses
THIRD := last_small last_wah last_houses last_household last_ithor last_wah_misses last_small_first \
	last_wah_first last_houses_first last_household_first last_ithor_first puts_small puts_wah \
	puts_houses puts_household puts_ithor
FOURTH := own_small own_wah last_houses last_household last_ithor last_wah last_wah_first
FIFTH := own_small own_wah more_own_small more_own_wah last_small last_wah last_wah_misses more_small \
	more_wah more_wah_misses whole_puts_small whole_puts_wah last_houses last_household last_ithor puts_houses \
	puts_household puts_ithor last_wah_first last_houses_first last_household_first last_ithor_first
TRAIN := .venv/bin/peephole train --epochs 1 --batch 2 --longest 1280 --commonplace 0.05 \
	--precision $(PRECISION)
models/weights/trained.gguf: $(SMALL)/fourth.gguf $(FIFTH:%=$(SMALL)/%.jsonl)
	$(TRAIN) $(filter %.jsonl,$^) --start $< --learning-rate 0.0015 --out $(SMALL)/trained.gguf
	mv $(SMALL)/trained.gguf $@

$(SMALL)/fourth.gguf: $(SMALL)/third.gguf $(FOURTH:%=$(SMALL)/%.jsonl)
	$(TRAIN) $(filter %.jsonl,$^) --start $< --learning-rate 0.0015 --out $@

$(SMALL)/third.gguf: $(SMALL)/second.gguf $(THIRD:%=$(SMALL)/%.jsonl)
	$(TRAIN) $(filter %.jsonl,$^) --start $< --learning-rate 0.0015 --out $@

$(SMALL)/second.gguf: $(SMALL)/first.gguf $(SECOND:%=$(SMALL)/%.jsonl)
	$(TRAIN) $(filter %.jsonl,$^) --start $< --learning-rate 0.0015 --out $@

$(SMALL)/first.gguf: $(FIRST:%=$(SMALL)/%.jsonl)
	$(TRAIN) $^ --learning-rate 0.002 --out $@

$(SMALL)/small.jsonl: TASKS := --suite wah:small --tasks 1-60 $(SLIPS)
$(SMALL)/small_misses.jsonl: TASKS := --suite wah:small --tasks 81-140 $(MISSES)
$(SMALL)/wah.jsonl: TASKS := --suite wah:generated --tasks 1-60 $(SLIPS)
$(SMALL)/wah_misses.jsonl: TASKS := --suite wah:generated --tasks 71-100 $(MISSES)
$(SMALL)/houses.jsonl: TASKS := --suite houses:generated --tasks 1-60 $(SLIPS)
$(SMALL)/household.jsonl: TASKS := --suite household:generated --tasks 1-60 $(SLIPS)
$(SMALL)/ithor.jsonl: TASKS := --suite ithor:generated --tasks 1-80 $(SLIPS)
$(SMALL)/more_small.jsonl: TASKS := --suite wah:small --tasks 141-170 $(SLIPS)
$(SMALL)/more_wah.jsonl: TASKS := --suite wah:generated --tasks 101-130 $(SLIPS)
$(SMALL)/more_wah_misses.jsonl: TASKS := --suite wah:generated --tasks 131-145 $(MISSES)
$(SMALL)/more_houses.jsonl: TASKS := --suite houses:generated --tasks 61-130 $(SLIPS)
$(SMALL)/more_household.jsonl: TASKS := --suite household:generated --tasks 61-110 $(SLIPS)
$(SMALL)/more_ithor.jsonl: TASKS := --suite ithor:generated --tasks 81-220 $(SLIPS)
$(SMALL)/last_small.jsonl: TASKS := --suite wah:small --tasks 171-200 $(SLIPS)
$(SMALL)/last_wah.jsonl: TASKS := --suite wah:generated --tasks 146-160 $(SLIPS)
$(SMALL)/last_wah_misses.jsonl: TASKS := --suite wah:generated --tasks 166-173 $(MISSES)
$(SMALL)/last_houses.jsonl: TASKS := --suite houses:generated --tasks 131-150 $(SLIPS)
$(SMALL)/last_household.jsonl: TASKS := --suite household:generated --tasks 111-130 $(SLIPS)
$(SMALL)/last_ithor.jsonl: TASKS := --suite ithor:generated --tasks 221-260 $(SLIPS)
$(SMALL)/puts_houses.jsonl: TASKS := --suite houses:generated --tasks 681-692 $(SLIPS)
$(SMALL)/puts_household.jsonl: TASKS := --suite household:generated --tasks 131-142 $(SLIPS)
$(SMALL)/puts_ithor.jsonl: TASKS := --suite ithor:generated --tasks 261-290 $(SLIPS)
$(SMALL)/puts_small.jsonl: TASKS := --suite wah:small --tasks 1101-1180 $(SLIPS)
$(SMALL)/puts_wah.jsonl: TASKS := --suite wah:generated --tasks 601-625 $(SLIPS)
$(SMALL)/puts_small.jsonl $(SMALL)/puts_wah.jsonl: LEARNT := --recent-turns 2
$(SMALL)/whole_puts_small.jsonl: TASKS := --suite wah:small --tasks 1101-1250 $(SLIPS)
$(SMALL)/whole_puts_wah.jsonl: TASKS := --suite wah:generated --tasks 601-625 $(SLIPS)
# States that the models of the third and the fourth stage came to, and what the teacher does there.
OWN := --set repeats=2 --set recent_turns=8 --set other_rooms=true --model trained:$(SMALL)
$(SMALL)/own_small.jsonl: TASKS := --suite wah:small --tasks 1301-1420 --set taught=0.35 $(OWN)/third.gguf
$(SMALL)/own_wah.jsonl: TASKS := --suite wah:generated --tasks 701-730 --set taught=0.15 $(OWN)/third.gguf
$(SMALL)/more_own_small.jsonl: TASKS := --suite wah:small --tasks 1421-1490 --set taught=0.2 $(OWN)/fourth.gguf
$(SMALL)/more_own_wah.jsonl: TASKS := --suite wah:generated --tasks 741-756 --set taught=0.2 $(OWN)/fourth.gguf
$(SMALL)/own_small.jsonl $(SMALL)/own_wah.jsonl: $(SMALL)/third.gguf
$(SMALL)/more_own_small.jsonl $(SMALL)/more_own_wah.jsonl: $(SMALL)/fourth.gguf
# Of more tasks the first reply alone: how an instruction is read.
$(SMALL)/%_first.jsonl: LEARNT := --first-replies 1
$(SMALL)/wah_first.jsonl: TASKS := --suite wah:generated --tasks 401-460 $(SLIPS)
$(SMALL)/houses_first.jsonl: TASKS := --suite houses:generated --tasks 401-480 $(SLIPS)
$(SMALL)/household_first.jsonl: TASKS := --suite household:generated --tasks 401-440 $(SLIPS)
$(SMALL)/ithor_first.jsonl: TASKS := --suite ithor:generated --tasks 401-440 $(SLIPS)
$(SMALL)/more_houses_first.jsonl: TASKS := --suite houses:generated --tasks 481-560 $(SLIPS)
$(SMALL)/more_household_first.jsonl: TASKS := --suite household:generated --tasks 441-480 $(SLIPS)
$(SMALL)/more_ithor_first.jsonl: TASKS := --suite ithor:generated --tasks 441-540 $(SLIPS)
$(SMALL)/last_small_first.jsonl: TASKS := --suite wah:small --tasks 501-1100 --model scripted --set taught=1
$(SMALL)/last_wah_first.jsonl: TASKS := --suite wah:generated --tasks 501-600 --model scripted --set taught=1
$(SMALL)/last_houses_first.jsonl: TASKS := --suite houses:generated --tasks 561-680 --model scripted --set taught=1
$(SMALL)/last_household_first.jsonl: TASKS := --suite household:generated --tasks 481-580 --model scripted --set taught=1
$(SMALL)/last_ithor_first.jsonl: TASKS := --suite ithor:generated --tasks 541-640 --model scripted --set taught=1

# Without a screen iTHOR is played on the stand-in of its engine.
$(SMALL)/%.jsonl: export PEEPHOLE_AI2THOR_EXECUTABLE := stand_in
$(SMALL)/%.jsonl: LEARNT := --recent-turns 8
$(SMALL)/%.jsonl: $(STAMP)
	mkdir -p $(SMALL)
	if [ -e $(SMALL)/$* ]; then .venv/bin/peephole run --resume --workers 2 --out $(SMALL)/$*; \
	else .venv/bin/peephole run $(TASKS) $(ACT) --out $(SMALL)/$*; fi
	.venv/bin/peephole export $(SMALL)/$* --to chat --episodes all $(LEARNT) --out $@

.PRECIOUS: $(SMALL)/first.gguf $(SMALL)/second.gguf $(SMALL)/third.gguf $(SMALL)/fourth.gguf

# FT-Vanilla and FT-CoT of LLM-POP, which grids/llm_pop_fine_tuned.yaml plays; docs/howto/train_a_small_model.md.
# `make -j2 train-pop` makes both side by side.
POP := build/train-pop

train-pop: $(POP)/cot.gguf $(POP)/vanilla.gguf

$(POP)/%.gguf: $(POP)/%.json
	.venv/bin/peephole train $< --epochs 1 --learning-rate 0.002 --longest 1536 \
		--precision $(PRECISION) --out $@

$(POP)/%.json: grids/llm_pop_lessons.json $(STAMP)
	mkdir -p $(POP)
	if [ -e $(POP)/$* ]; then .venv/bin/peephole run --resume --out $(POP)/$*; \
	else .venv/bin/peephole run --suite blocks:generated --data $< --planner llm_pop --set questions=$* \
		--set system_prompt=false --model scripted --out $(POP)/$*; fi
	.venv/bin/peephole export $(POP)/$* --to instructions --out $@

.PRECIOUS: $(POP)/%.json

# Side by side with the evolving graph, TextWorld and an ALFWorld-style game.
bench:
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check -e '.[virtualhome]' textworld==1.7.0 fast-downward-textworld==20.6.4
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r environments/no-deps.txt alfworld==0.4.2
	.venv-bench/bin/python benchmarks/steps.py

# The block world in figures, and side by side with robosuite, which needs an older MuJoCo.
bench-blocks: $(STAMP)
	.venv/bin/python benchmarks/blocks.py
	$(PYTHON) -m venv .venv-robosuite
	.venv-robosuite/bin/python -m pip install --quiet --disable-pip-version-check -e '.[mujoco]' robosuite==1.5.2 'mujoco<3.4'
	.venv-robosuite/bin/python benchmarks/robosuite_stack.py

# The belief search in figures, side by side with pomdp_py.
bench-pomdp: $(STAMP)
	$(PYTHON) -m venv .venv-pomdp
	.venv-pomdp/bin/python -m pip install --quiet --disable-pip-version-check pomdp-py==1.3.5.1
	.venv/bin/python benchmarks/pomdp.py --against .venv-pomdp/bin/python --picture docs/pictures/pomdp.svg

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
