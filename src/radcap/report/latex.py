r"""Tables as LaTeX with the rules of booktabs.

Invariant: a cell is printed as it is written, whatever stands in it and whatever babel does with quotes;
letters beyond ASCII are left to the engine.
>>> print(latex_text("100 % of run_1"))
100 \% of run\_1
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from radcap.report.markup import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["latex_table", "latex_text"]

_SPECIAL = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",  # the old font encoding has other letters in these places
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\symbol{34}",  # babel gives the plain sign a meaning in German and others
        "`": r"\textasciigrave{}",
        "'": r"\textquotesingle{}",
        **{char: f"\\{char}" for char in "{}$&#%_"},
    }
)
_LIGATURE = re.compile(r"([-,])(?=\1)")  # two hyphens would become one dash, two commas a quote
_AFTER_ROW = re.compile(r"^\s*(?=[\[*])")  # '\\' takes a bracket or a star as its own


def latex_text(text: str) -> str:
    """One line of text, every special character escaped."""
    return _LIGATURE.sub(r"\1{}", visible(text).translate(_SPECIAL))


def latex_table(sides: str, head: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """`sides` has one letter per column, `l` or `r`."""
    tabular = [
        rf"\begin{{tabular}}{{{sides}}}",
        r"\toprule",
        _row(head),
        r"\midrule",
        *map(_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if not caption:
        return "\n".join(tabular) + "\n"
    opening = [r"\begin{table}", r"\centering", rf"\caption{{{latex_text(caption)}}}"]
    return "\n".join([*opening, *tabular, r"\end{table}"]) + "\n"


def _row(cells: Sequence[str]) -> str:
    return _AFTER_ROW.sub("{}", " & ".join(map(latex_text, cells))) + r" \\"
