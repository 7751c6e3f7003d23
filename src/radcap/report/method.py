"""How a comparison was made, for the end of a report.

Invariant: everything needed to make it again stands here: settings, seed, signatures, rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.report.html import facts_list, table_box
from radcap.report.markup import Markup, element, joined
from radcap.report.tables import Table
from radcap.report.verdict import percent

if TYPE_CHECKING:
    from radcap.stats.comparison import Comparison

__all__ = ["method"]

_RULES = """\
All runs were scored on the same images under the same signature; nothing else is ever compared.
Ranks follow the value at full precision. Only equal values share a rank, the best of theirs: 1, 2, 2, 4.
Letters are given after the correction: runs that share a letter are not separable.
Intervals may overlap while runs are separable: a test looks at each image under both runs, an interval \
at one run alone.
The best of many runs of one team flatters it: the largest of many values is too large.
""".splitlines()


def method(comparison: Comparison) -> Markup:
    """Settings, rules and signatures."""
    rows = tuple((one.metric, one.signature) for one in comparison.metrics)
    parts = [
        facts_list(_settings(comparison)),
        element("ul", *(element("li", rule) for rule in _RULES)),
        table_box(Table(("metric", "signature"), rows, "Signatures")),
        element("p", "Procedure: ", element("code", comparison.how)),
    ]
    return joined(parts)


def _settings(comparison: Comparison) -> list[tuple[str, str]]:
    procedure, groups = comparison.procedure, comparison.groups
    drawn = (
        "images" if groups is None else f"{groups:,} groups of images, which were drawn and flipped as wholes"
    )
    resamples = f"{procedure.resamples:,} resamples"
    draws = f"paired sign-flip permutation, two-sided, {procedure.permutations:,} draws"
    p = "p = (c + 1) / (n + 1), where c of n draws are at least as far apart, so it is never 0"
    units = "images" if groups is None else "groups"
    few = f"where the {units} allow no more patterns of signs than that, all are taken and p = c / n"
    return [
        ("Intervals and ranges of ranks", f"{percent(procedure.level)}, bootstrap over {drawn}, {resamples}"),
        ("Test of a pair (p)", f"{draws}; {p}; {few}"),
        ("Many pairs (p_holm)", f"Holm's correction over all pairs; separable below {procedure.alpha:g}"),
        ("Second opinion (p_bootstrap)", f"paired bootstrap, two-sided, {resamples}"),
        ("Seed", str(procedure.seed)),
    ]
