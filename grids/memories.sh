#!/usr/bin/env sh
# Makes the memories that the grids of ReAcTree name, in the folder `memories` (docs/howto/memories.md).
#
#     grids/memories.sh MODEL [TASKS]
#
# MODEL: as --model of `peephole run`. TASKS: of wah:train to play, all 250 by default. The model plays
# six runs of as many episodes. Given again it goes on where it was.
set -eu
model=$1
tasks=${2:-250}
runs=runs/memories
suite='--suite wah:train --dialect reactree'
seeds=5 # one of each type
. "$(dirname "$0")/growing.sh"
echo "$1 plays 6 runs of $tasks episodes, $((6 * tasks)) in all; fewer: grids/memories.sh $1 TASKS" >&2
mkdir -p memories

trees reactree
trees reactree_wm --set working_memory=true
trees reactree_wm_seq_fallback --set working_memory=true --set control_flow=seq_fallback
trees reactree_wm_seq --set working_memory=true --set control_flow=seq
episodes react
episodes react_wm --set working_memory=true
play plans --planner zsp_examples --tasks 183
memory plans
