#!/usr/bin/env sh
# Makes the two memories of ReAcTree's tables of ALFRED, in the folder `memories` (docs/howto/memories.md).
#
#     grids/memories_alfred.sh MODEL TRAIN [TASKS]
#
# MODEL: as --model of `peephole run`. TRAIN: a folder or file with ALFRED's training tasks. TASKS: of each
# of the seven types to play, 100 by default, spread over the file as the trials of one goal stand side by
# side; a rule makes three. Given again it goes on where it was.
set -eu
model=$1
train=$2
each=${3:-100}
runs=runs/memories
suite="--suite alfred --data $train --dialect reactree_thor"
. "$(dirname "$0")/growing.sh"
mkdir -p memories

# spread NUMBER: the ids of so many tasks of each type.
spread() {
    peephole tasks alfred --data "$train" --json | python3 -c '
import collections, json, sys
of_type = collections.defaultdict(list)
for task in json.load(sys.stdin):
    of_type[task["labels"]["category"]].append(task["id"])
number = int(sys.argv[1])
chosen = (i for ids in of_type.values() for i in ids[:: max(1, len(ids) // number)][:number])
print(",".join(chosen))' "$1"
}

seeds=$(spread 3)
tasks=$(spread "$each")
echo "$model plays 2 runs of $each episodes of each type; fewer: grids/memories_alfred.sh $model $train TASKS" >&2
trees alfred_reactree_wm --set working_memory=true
episodes alfred_react_wm --set working_memory=true
