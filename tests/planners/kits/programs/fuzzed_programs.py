"""Random programs: valid ones, forbidden ones, and ones with changed characters."""

from __future__ import annotations

import random
from collections.abc import Callable

#: Code that would escape the sandbox, if it were evaluated.
HOSTILE = (
    "import os",
    "from os import system",
    "__import__('os').system('touch escaped')",
    "eval('1')",
    "exec('x = 1')",
    "open('escaped', 'w')",
    "compile('1', '', 'eval')",
    "globals()",
    "getattr(x, 'y')",
    "().__class__.__base__.__subclasses__()",
    "x.append(1)",
    "x.y = 1",
    "f'{x.__class__}'",
    "f'{x!r:>1000000000}'",
    "(lambda: 1)()",
    "with open('escaped'): pass",
    "class A: pass",
    "global x",
    "try: find('x')\nexcept: pass",
    "[[y for y in x] for z in x for w in z]",
    "{x: y for x in z}",
    "(y := 1)",
    "def __init__(): pass",
    "breakpoint()",
    "yield 1",
    "await x",
    "raise x",
    "del x",
    "@find\ndef f(): pass",
    "def f(*a, **b): pass",
    "def f(a=__import__('os')): pass",
)
#: Permitted code without meaning: conditions are texts, and so are types of arguments.
IGNORED = (
    "assert 0, __import__('os')",
    "def f(a: __import__('os')) -> __import__('os'): pass",
)
_NAMES = ("x", "y", "z", "find", "f", "go", "len", "__builtins__")
#: Functions, with how many arguments they take where a program keeps to the language.
_CALLS = {
    "find": 1,
    "grab": 1,
    "put": 2,
    "len": 1,
    "range": 1,
    "str": 1,
    "int": 1,
    "sorted": 1,
    "round": 2,
    "zip": 2,
    "max": 2,
}
_NUMBERS = ("0", "1", "-1", "2", "7", "10**15", "999999999", "1.5", "None", "True")
_TEXTS = ("''", "'mug'", "'a' * 5000", "'mug' in 'hands'", "'{x}'")
_OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", ">=", "in", "not in"]
_OPERATORS += ["is", "is not", "and", "or"]
_OTHER_OPERATORS = ["<<", "@", "&", ":=", "|"]
_START = "x = 2\ny = [1, 'mug', 2]\nz = 'mug'\n"
_SIGNS = "()[]{}'\"\\:;,.=#@!%*_ \n\t\0ax1é\u2028"


class Writer:
    """A writer of random programs.

    Two of three are valid; some of the others have changed characters.
    """

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._lawful = chance.random() < 2 / 3

    def program(self) -> str:
        """A program."""
        text = "\n".join(self._statement("", 2) for _ in range(self._chance.randint(1, 4)))
        if self._lawful:
            return _START + text
        return self._changed(text) if self._chance.random() < 1 / 2 else text

    def _changed(self, text: str) -> str:
        signs = list(text)
        for _ in range(self._chance.randint(1, 4)):
            at = self._chance.randrange(len(signs) + 1)
            end = at + self._chance.choice((0, 1, 3))
            signs[at:end] = self._chance.choices(_SIGNS, k=self._chance.randint(0, 2))
        return "".join(signs)

    def _statement(self, indent: str, depth: int) -> str:
        kinds: tuple[Callable[[str, int], str], ...] = (
            self._assignment,
            self._assignment,
            self._call_statement,
            self._assertion,
        )
        if not self._lawful:
            kinds += (self._hostile,)
        if depth:
            kinds += (self._branch, self._for, self._while)
        if depth and not (self._lawful and indent):
            kinds += (self._definition,)
        return self._chance.choice(kinds)(indent, depth)

    def _block(self, indent: str, depth: int) -> str:
        inner, count = f"{indent}    ", self._chance.randint(1, 2)
        lines = [self._statement(inner, depth - 1) for _ in range(count)]
        if self._chance.random() < 0.2:
            leave = self._chance.choice(("break", "continue", "return", "return x", "pass"))
            lines.append(inner + leave)
        return "\n".join(lines)

    def _assignment(self, indent: str, depth: int) -> str:
        target = self._chance.choice(("x", "y", "z") if self._lawful else (*_NAMES, "x, y", "x[0]"))
        sign = self._chance.choice(("=", "=", "=", "+=", "*="))
        return f"{indent}{target} {sign} {self._value(depth)}"

    def _call_statement(self, indent: str, depth: int) -> str:
        return f"{indent}{self._call(depth)}"

    def _assertion(self, indent: str, depth: int) -> str:
        first = f"{indent}assert({self._chance.choice(_TEXTS)} to {self._value(0)})"
        match self._chance.randrange(4):
            case 0:
                return f"{first}\n{indent}    else: {self._call(1)}"
            case 1:
                return f"{first} else: {self._call(1)}"
            case 2 if depth:
                return f"{first}\n{indent}else:\n{self._block(indent + '  ', depth)}"
        return first

    def _hostile(self, indent: str, depth: int) -> str:
        if self._chance.random() < 0.6:
            return self._call_statement(indent, depth)
        return indent + self._chance.choice(HOSTILE + IGNORED).replace("\n", f"\n{indent}")

    def _branch(self, indent: str, depth: int) -> str:
        text = f"{indent}if {self._value(depth)}:\n{self._block(indent, depth)}"
        if self._chance.random() < 0.5:
            text += f"\n{indent}elif {self._value(0)}:\n{self._block(indent, depth)}"
        return f"{text}\n{indent}else:\n{self._block(indent, depth)}"

    def _for(self, indent: str, depth: int) -> str:
        over = self._chance.choice(("[1, 'mug', 2]", "range(3)", "'mug'", self._value(depth)))
        return f"{indent}for x in {over}:\n{self._block(indent, depth)}"

    def _while(self, indent: str, depth: int) -> str:
        return f"{indent}while {self._value(1)}:\n{self._block(indent, depth)}"

    def _definition(self, indent: str, depth: int) -> str:
        arguments = self._chance.choice(("", "x", "x, y=1"))
        return f"{indent}def f({arguments}):\n{self._block(indent, depth)}"

    def _call(self, depth: int) -> str:
        name = self._chance.choice(list(_CALLS))
        count = _CALLS[name] if self._lawful else self._chance.randint(0, 2)
        return f"{name}({', '.join(self._value(depth - 1) for _ in range(count))})"

    def _value(self, depth: int) -> str:
        kind = self._chance.randrange(9 if depth > 0 else 3)
        if kind < 3:
            names = ("x", "y", "z") if self._lawful else _NAMES
            return self._chance.choice((names, _NUMBERS, _TEXTS)[kind])
        inner = self._value(depth - 1)
        match kind:
            case 3:
                operators = _OPERATORS if self._lawful else _OPERATORS + _OTHER_OPERATORS
                return f"({inner} {self._chance.choice(operators)} {self._value(depth - 1)})"
            case 4:
                return f"[{inner}, {self._value(depth - 1)}]"
            case 5:
                return f"[{inner} for x in {self._value(depth - 1)}]"
            case 6:
                return f"{inner}[{self._value(depth - 1)}]"
            case 7:
                return f"(not {inner} if {self._value(0)} else -{inner})"
        return self._call(depth)


# --- programs of extreme size --------------------------------------------------------------------

#: Values that grow beyond a limit.
_HUGE = (
    "10 ** 15 ** 64",
    "1e15 ** 64",
    "0x" + "f" * 9000,
    "int('1' * 400)",
    "int('9' * 9000)",
    "float('1' * 400)",
    "round(1.5, 10 ** 9)",
    "'a' * 10 ** 12",
    "[0] * 10 ** 12",
    "range(10 ** 15)",
    "range(0, 10 ** 15, 10 ** 11)",
    "zip([0] * 9999, [0] * 9999, [0] * 9999)",
    "[['a' * 9000 for i in range(900)] for j in range(900)]",
    "1" + "_0" * 9000,
    "f'{1:1000000000}'",
    "'{0.__class__}'",
)
#: Parts that are repeated, each before, in the middle of and after a value.
_NESTS = (
    ("[", "1", "]"),
    ("(", "1", ")"),
    ("-", "1", ""),
    ("not ", "1", ""),
    ("1 + ", "1", ""),
    ("str(", "1", ")"),
    ("lambda: ", "1", ""),
    ("x", "", "[0]"),
    ("1 if ", "1", " else 0"),
    ("f'{", "1", "}'"),
)
_LINES = (
    "assert x{}\n",
    "assert(x){}else: find('x')\n",
    "assert('close' to 'mug')\n    else: find('mug')\n",
    "if 1:{}find('x')\n",
    "#{}\n",
    "x = 1\r",
    "x = 1\u2028find('x')\n",
    "\x0cfind('x')\n",
    "while True: find('x')\n",
    "x = [x, x]\n",
    "x = 'a' + x\n",
    "break\n",
    "\x00",
    "\ud800",
)


def extreme_program(rng: random.Random) -> str:
    """A program of at most some 20,000 characters that is large in one way or another."""
    times = rng.choice((3, 30, 90, 300, 3000))
    kind = rng.randrange(6)
    if kind == 0:
        return f"x = {rng.choice(_HUGE)}\nfind(x)"
    if kind == 1:
        before, middle, after = rng.choice(_NESTS)
        return f"x = {before * times}{middle}{after * times}\nfind(x)"
    if kind == 2:  # values that a loop nests
        before, middle, after = rng.choice(_NESTS)
        part = f"{before * 31}x{after * 31}"
        return f"x = {rng.choice(('1', '[1]'))}\nfor i in range({times}):\n    x = {part}\nfind(x)"
    if kind == 3:
        return rng.choice(_LINES).format(" " * rng.choice((1, 4, 19_000))) * min(times, 90)
    if kind == 4:  # blocks within blocks
        opener = rng.choice(("if 1:", "while 1:", "for i in [1]:", "def f():", "else:"))
        depth = min(times, 150)
        return "".join(f"{' ' * n}{opener}\n" for n in range(depth)) + f"{' ' * depth}find('x')"
    source = Writer(rng).program()
    return "".join(rng.choice((c, c, c * 20, "\t", c)) for c in source)
