#!/usr/bin/env sh
# Makes the two memories of ReAcTree's tables of ALFRED, in the folder `memories` (docs/howto/memories.md).
#
#     grids/memories_alfred.sh MODEL TRAIN [TASKS]
#
# MODEL: as --model of `peephole run`. TRAIN: a folder or file with ALFRED's training tasks. TASKS: of each
# of the seven types to play, 100 by default; a rule makes the first three. Given again it goes on where it
# was.
set -eu
model=$1
train=$2
each=${3:-100}
runs=runs/memories
suite="--suite alfred --data $train --dialect reactree_thor"
. "$(dirname "$0")/growing.sh"
mkdir -p memories

# first NUMBER: the ids of so many tasks of each type.
first() {
    peephole tasks alfred --data "$train" --json | python3 -c '
import collections, json, sys
of_type = collections.defaultdict(list)
for task in json.load(sys.stdin):
    of_type[task["labels"]["category"]].append(task["id"])
print(",".join(i for ids in of_type.values() for i in ids[: int(sys.argv[1])]))' "$1"
}

seeds=$(first 3)
tasks=$(first "$each")
echo "$model plays 2 runs of $each episodes of each type; fewer: grids/memories_alfred.sh $model $train TASKS" >&2
trees alfred_reactree_wm --set working_memory=true
episodes alfred_react_wm --set working_memory=true
