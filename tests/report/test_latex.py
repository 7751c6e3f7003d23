"""LaTeX with booktabs: every special character printed as itself, whatever a cell holds."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_values import HOSTILE

from radcap.report import Table
from radcap.report.latex import latex_text
from radcap.report.markup import visible

# What TeX prints for each command, read from the LaTeX companion rather than from the code under test.
PRINTS = {
    r"\textbackslash": "\\",
    r"\textasciitilde": "~",
    r"\textasciicircum": "^",
    r"\textless": "<",
    r"\textgreater": ">",
    r"\textbar": "|",
    r"\textasciigrave": "`",
    r"\textquotesingle": "'",
    r"\symbol{34}": '"',
}
TOKEN = re.compile(r"(\\symbol\{34\}|\\[a-z]+)(?:\{\})?|\\([{}$&#%_])|(\{\})|(.)", re.DOTALL)
TABLE = Table(("run", "f1"), (("a_1", "0.5"), ("b & c", "0.25")), "F1 in %", right=frozenset({"f1"}))


def typeset(source: str) -> str:
    """What the source prints, by a reader that knows nothing but the commands above."""
    printed: list[str] = []
    for command, sign, nothing, plain in TOKEN.findall(source):
        assert plain not in set('\\{}$&#%_~^<>|"`')
        printed.append(PRINTS[command] if command else sign or ("" if nothing else plain))
    return "".join(printed)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_prints_as_it_is_written(text: str) -> None:
    assert typeset(latex_text(text)) == visible(text)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("\\{}$&#%_~^<>|\"`'-,[]* ab\u00e9\n"), max_size=12))
def test_any_mixture_of_special_characters_prints_as_it_is_written(text: str) -> None:
    source = latex_text(text)
    assert typeset(source) == visible(text)
    assert not {"--", ",,", "''", "``"} & {source[at : at + 2] for at in range(len(source))}


def test_a_title_makes_a_float_with_a_caption() -> None:
    assert TABLE.to_latex().splitlines() == [
        r"\begin{table}",
        r"\centering",
        r"\caption{F1 in \%}",
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"run & f1 \\",
        r"\midrule",
        r"a\_1 & 0.5 \\",
        r"b \& c & 0.25 \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def test_without_a_title_it_is_the_tabular_alone_and_ends_with_a_line_feed() -> None:
    made = Table(("a",), ()).to_latex()
    assert made == "\\begin{tabular}{l}\n\\toprule\na \\\\\n\\midrule\n\\bottomrule\n\\end{tabular}\n"


@pytest.mark.parametrize(("cell", "line"), [("[2pt]", r"{}[2pt] & [x] \\"), ("*", r"{}* & [x] \\")])
def test_a_row_that_begins_with_a_bracket_or_a_star_is_not_taken_for_an_option(cell: str, line: str) -> None:
    assert line in Table(("a", "b"), ((cell, "[x]"),)).to_latex().splitlines()


def test_letters_beyond_ascii_are_left_and_lines_are_joined() -> None:
    assert latex_text("\u00e9 \u653e\u5c04\nx\x00") == "\u00e9 \u653e\u5c04 x\\textbackslash{}u0000"
