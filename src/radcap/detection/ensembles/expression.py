"""Set expressions over member names: `&` binds tighter than `|`, brackets before both.

Invariant: the text is read by this parser alone, so that a system file cannot run code; what it does not
understand is refused with the column.
>>> parse("(a & b) | c", ("a", "b", "c"))
Some(parts=(Every(parts=('a', 'b')), 'c'))
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import TypeAlias

import numpy as np

from radcap.core import UsageError, unknown_name
from radcap.detection.ensembles.values import Decided, Names

__all__ = ["Every", "Expression", "Some", "evaluate", "parse"]

_TOKEN = re.compile(r"\s*(?:(?P<name>[\w.:/+-]+)|(?P<sign>[&|()]))")
_DEEPEST = 50  # brackets within brackets: nobody writes more, and Python's own stack has an end


@dataclass(frozen=True, slots=True)
class Every:
    """The intersection of its parts."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """The union of its parts."""

    parts: tuple[Expression, ...]


Expression: TypeAlias = str | Every | Some


def parse(text: str, names: Names) -> Expression:
    """The expression as a tree; a member that is not among the names is refused."""
    reader = _Reader(text, names)
    tree = reader.union(0)
    if reader.word:
        raise reader.refusal(f"{reader.word!r} stands where '&', '|' or the end should be")
    return tree


def evaluate(tree: Expression, decided: Mapping[str, Decided]) -> Decided:
    """What the expression chooses, given what every member chose."""
    if isinstance(tree, str):
        return decided[tree]
    parts = [evaluate(part, decided) for part in tree.parts]
    return reduce(np.logical_and if isinstance(tree, Every) else np.logical_or, parts)


class _Reader:
    """One pass from left to right; `word` is the token in hand, empty at the end."""

    def __init__(self, text: str, names: Names) -> None:
        self._text = text
        self._names = names
        self._end = 0
        self._start = 0
        self.word = ""
        self._next()

    def union(self, depth: int) -> Expression:
        parts = [self._intersection(depth)]
        while self.word == "|":
            self._next()
            parts.append(self._intersection(depth))
        return parts[0] if len(parts) == 1 else Some(tuple(parts))

    def refusal(self, why: str) -> UsageError:
        return UsageError(
            f"Expression {self._text!r}, column {self._start + 1}: {why}. "
            "Write member names joined by '&' and '|', with brackets, such as \"(a & b) | c\"."
        )

    def _intersection(self, depth: int) -> Expression:
        parts = [self._atom(depth)]
        while self.word == "&":
            self._next()
            parts.append(self._atom(depth))
        return parts[0] if len(parts) == 1 else Every(tuple(parts))

    def _atom(self, depth: int) -> Expression:
        if self.word == "(":
            return self._bracket(depth + 1)
        if not self.word:
            raise self.refusal("it ends where a member should stand")
        if self.word in {"&", "|", ")"}:
            raise self.refusal(f"{self.word!r} stands where a member should")
        if self.word not in self._names:
            raise self.refusal(str(unknown_name("member", self.word, self._names)).rstrip("."))
        name = self.word
        self._next()
        return name

    def _bracket(self, depth: int) -> Expression:
        if depth > _DEEPEST:
            raise self.refusal(f"more than {_DEEPEST} brackets are open")
        opened = self._start
        self._next()
        tree = self.union(depth)
        if self.word != ")":
            raise self.refusal(f"the bracket of column {opened + 1} is not closed")
        self._next()
        return tree

    def _next(self) -> None:
        found = _TOKEN.match(self._text, self._end)
        if found is not None:
            self._start, self._end = found.end() - len(found[0].lstrip()), found.end()
            self.word = found[0].strip()
            return
        rest = self._text[self._end :]
        self._start = self._end + len(rest) - len(rest.lstrip())
        if rest.strip():
            raise self.refusal(f"{rest.strip()[0]!r} is no part of an expression")
        self.word = ""
