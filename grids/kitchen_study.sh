#!/usr/bin/env sh
# One task, many engines: kitchens by rules, by rules with faults, and in contact (docs/explain/rules_and_contact.md).
#
#     grids/kitchen_study.sh [FOLDER] [TASKS] [OTHERS]
#
# FOLDER: of all recordings. TASKS: those of the study. OTHERS: those in which faults are counted. Given again it
# goes on where it was. WORKERS=N plays N episodes at a time, 2 by default.
set -eu
runs=${1:-runs/kitchen_study}
tasks=${2:-41-100}
others=${3:-1-20}
workers=${WORKERS:-2}
. "$(dirname "$0")/growing.sh"

# counted NAME ADAPTER: a run of explore on the other tasks.
counted() {
    play "others/$1" --suite kitchen_physics --planner explore --tasks "$others" --adapter "$2" --workers "$workers"
}

# grid NAME FILE ARGUMENT…: the five planners on the tasks of the study.
grid() {
    folder=$runs/$1
    file=$2
    shift 2
    peephole run --grid "$file" --tasks "$tasks" --workers "$workers" --out "$folder" "$@"
}

suite=
counted rules symbolic_gripper
counted contact mujoco_kitchen
[ -f "$runs/faults.yaml" ] ||
    peephole compare "$runs/others/rules" "$runs/others/contact" --calibrate "$runs/faults.yaml"
grid rules kitchen_rules
grid faults kitchen_rules --faults "$runs/faults.yaml"
grid contact kitchen_contact
for side in rules faults; do
    peephole compare "$runs/$side" "$runs/contact" | tee "$runs/$side.txt"
    peephole compare "$runs/$side" "$runs/contact" --json >"$runs/$side.json"
done
