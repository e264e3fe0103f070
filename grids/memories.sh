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
echo "$1 plays 6 runs of $tasks episodes, $((6 * tasks)) in all; fewer: grids/memories.sh $1 TASKS" >&2
mkdir -p memories

# play FOLDER ARGUMENT…: a run of wah:train, begun or continued.
play() {
    folder=$runs/$1
    shift
    if [ -f "$folder/run.json" ]; then
        peephole run --resume --out "$folder"
    else
        peephole run --suite wah:train --out "$folder" "$@"
    fi
}

# trees NAME SETTING…: a memory of agent trees, grown from seed trees of five tasks.
trees() {
    name=$1
    shift
    [ -f "memories/$name.jsonl" ] && return
    play "$name-seeds" --planner reactree_seeds --tasks 5 "$@"
    [ -f "memories/$name-seeds.jsonl" ] ||
        peephole memory build "$runs/$name-seeds" --out "memories/$name-seeds.jsonl"
    play "$name" --planner reactree --model "$model" --tasks "$tasks" "$@" \
        --set "memory=memories/$name-seeds.jsonl" --set seen_scenes=true
    peephole memory build "$runs/$name" --out "memories/$name.jsonl"
}

# episodes NAME SETTING…: a memory of whole episodes of react.
episodes() {
    name=$1
    shift
    [ -f "memories/$name.jsonl" ] && return
    play "$name" --planner react --model "$model" --tasks "$tasks" "$@"
    peephole memory build "$runs/$name" --out "memories/$name.jsonl"
}

trees reactree
trees reactree_wm --set working_memory=true
trees reactree_wm_seq_fallback --set working_memory=true --set control_flow=seq_fallback
trees reactree_wm_seq --set working_memory=true --set control_flow=seq
episodes react
episodes react_wm --set working_memory=true
play plans --planner zsp_examples --tasks 183
[ -f memories/plans.jsonl ] || peephole memory build "$runs/plans" --out memories/plans.jsonl
