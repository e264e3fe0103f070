"""The syntax of PDDL: words and lists in parentheses, comments from ';' to the end of a line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..data_files import DEEPEST, lines_of
from ..errors import BadInput

#: A parenthesis or a word; a variable begins one, also right behind another word.
TOKEN = re.compile(r"[()]|\?[^\s()?]*|[^\s()?]+")
#: A word, or a list of expressions.
Expression = str | list["Expression"]


def parse(text: str, where: str) -> Expression:
    """The only expression of a text, its words in lower case (PDDL ignores case).

    Raises BadInput naming `where` and the line if the parentheses do not match.
    """
    stack: list[list[Expression]] = [[]]
    for number, line in enumerate(lines_of(text), start=1):
        for token in TOKEN.findall(line.partition(";")[0].lower()):
            if token == "(":
                stack.append([])
                if len(stack) > DEEPEST:
                    raise BadInput(
                        f"In {where}, line {number} is nested deeper than {DEEPEST} parentheses; "
                        f"write less deeply."
                    )
            elif token != ")":
                stack[-1].append(token)
            elif len(stack) == 1:
                raise BadInput(f"In {where}, line {number} closes a parenthesis that is not open.")
            else:
                closed = stack.pop()
                stack[-1].append(closed)
    if len(stack) > 1:
        raise BadInput(f"In {where}, {len(stack) - 1} parentheses are never closed; close them.")
    if len(stack[0]) != 1:
        raise BadInput(f"In {where} there are {len(stack[0])} expressions; expected exactly one.")
    return stack[0][0]


def render(expression: Expression) -> str:
    """An expression as text on one line."""
    if isinstance(expression, str):
        return expression
    return f"({' '.join(map(render, expression))})"


def words(expression: Expression) -> Iterator[str]:
    """Every word of an expression, at any depth."""
    if isinstance(expression, str):
        yield expression
    else:
        for part in expression:
            yield from words(part)
