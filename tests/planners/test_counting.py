"""The rule of counting decisions is the one that the docs state."""

from __future__ import annotations

import re
from pathlib import Path

from peephole.planners.contract import Act, Internal, Note, Think, counts

PAGE = (Path(__file__).parents[2] / "docs/reference/planner_contract.md").read_text()


def test_the_rule_of_counting_is_that_of_the_page() -> None:
    counted = {
        "Act(action, thought)": Act("wait", "So be it."),
        "Act(action, continued=True)": Act("wait", continued=True),
        "Think(text)": Think("Hm."),
        "Internal(name)": Internal("verify"),
        "Note(name, text, data)": Note("plan", "wait"),
    }
    for row, decision in counted.items():
        (number,) = re.findall(rf"^\| `{re.escape(row)}` \|.*\| (\d) \|$", PAGE, re.MULTILINE)
        assert counts(decision) is (number == "1")
