"""Let a language model plan, offline: first listed replies, then a stand-in that follows rules.

python examples/ask_a_model.py [MODEL]

With MODEL, a model of your endpoint (OPENAI_BASE_URL, OPENAI_API_KEY) plans instead.
"""

from __future__ import annotations

import json
import sys
import tempfile
from functools import partial
from pathlib import Path

import peephole
from peephole.planners.contract import Act, Brief, Decisions, Done, Percept, Planner
from peephole.planners.kits.prompting.conversation import Conversation


def pick(brief: Brief, percept: Percept) -> Decisions:
    """Let the model pick an action from the menu, turn by turn."""
    talk = Conversation(
        'You are a household robot. Choose one action a turn, and "done" at the end.',
        f"Task: {brief.instruction}\n{percept.text}",
    )
    while True:
        menu = [*(text for text, _ in percept.menu()), "done"]
        picked = yield from talk.ask(partial(brief.model.choose, permitted=menu))
        percept = yield Done() if picked == "done" else Act(picked)
        talk.add(picked, percept.text)


PICKER = Planner("picker", "lets a model pick from the menu", pick, models=("planner",))


def main() -> None:
    if len(sys.argv) > 1:
        run = peephole.run(PICKER, "houses", tasks=1, model=sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as folder:
            replies = Path(folder, "replies.json")
            replies.write_text(json.dumps([{"choice": "go to bathroom 1"}, {"choice": "done"}]))
            run = peephole.run(PICKER, "houses", tasks=1, model=f"replies:{replies}")
    (result,) = run.results
    print(f"picker: {result.ended} after {result.steps} steps and {result.calls} questions")

    run = peephole.run("react", "houses", tasks=1, model="scripted")  # a mechanism check
    (result,) = run.results
    print(f"react:  {result.ended} after {result.steps} steps and {result.calls} questions")


if __name__ == "__main__":
    main()
