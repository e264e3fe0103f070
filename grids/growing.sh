# Functions of memories.sh and memories_alfred.sh, which set model, runs, suite (arguments of `peephole run`),
# seeds (the tasks of the rule's examples) and tasks (those of the model).

# play FOLDER ARGUMENT…: a run of the suite, begun or continued.
play() {
    folder=$runs/$1
    shift
    if [ -f "$folder/run.json" ]; then
        peephole run --resume --out "$folder"
    else
        # shellcheck disable=SC2086  # a list of arguments
        peephole run $suite --out "$folder" "$@"
    fi
}

# memory NAME: of the run of this name.
memory() {
    [ -f "memories/$1.jsonl" ] || peephole memory build "$runs/$1" --out "memories/$1.jsonl"
}

# trees NAME SETTING…: a memory of agent trees, grown from trees that a rule makes.
trees() {
    name=$1
    shift
    [ -f "memories/$name.jsonl" ] && return
    play "$name-seeds" --planner reactree_seeds --tasks "$seeds" "$@"
    memory "$name-seeds"
    play "$name" --planner reactree --model "$model" --tasks "$tasks" "$@" \
        --set actions=paper --set briefing=false \
        --set "memory=memories/$name-seeds.jsonl" --set seen_scenes=true
    memory "$name"
}

# episodes NAME SETTING…: a memory of whole episodes of react, grown from the same work as one conversation.
episodes() {
    name=$1
    shift
    [ -f "memories/$name.jsonl" ] && return
    play "$name-seeds" --planner reactree_seeds --set examples_for=react --tasks "$seeds" "$@"
    memory "$name-seeds"
    play "$name" --planner react --model "$model" --tasks "$tasks" "$@" --set actions=paper \
        --set "memory=memories/$name-seeds.jsonl" --set seen_scenes=true
    memory "$name"
}
