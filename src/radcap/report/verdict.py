"""What a comparison says, in words.

Invariant: two runs are called separable exactly where Holm's correction leaves their p below alpha;
overlapping intervals decide nothing, since both runs were scored on the same images.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from radcap.report.axis import drawable
from radcap.report.names import counted, several
from radcap.report.tables import digits
from radcap.stats import draws_needed, takes_all_patterns

if TYPE_CHECKING:
    from radcap.stats.comparison import Comparison, Interval, MetricComparison, PairTest, Procedure

__all__ = ["between", "lead", "pairs_of", "percent", "probability", "summary"]


def probability(p: float, significant: int = 4) -> str:
    """A p-value in plain digits, never as a power of ten.

    >>> probability(1 / 10_001), probability(0.5)
    ('0.00009999', '0.5000')
    """
    return f"{Decimal(f'{p:#.{significant}g}'):f}"


def between(interval: Interval) -> str:
    """An interval as it stands beside its value."""
    if not drawable(interval.low, interval.high):
        return "no interval"  # no resample held an image that counts
    return f"[{digits(interval.low)}, {digits(interval.high)}]"


def percent(level: float) -> str:
    """A level as people say it: 0.95 is '95 %'."""
    return f"{level * 100:.6g} %"


def pairs_of(metric: MetricComparison, run: str) -> dict[str, PairTest]:
    """The tests of one run, by the other run."""
    return {
        pair.second if pair.first == run else pair.first: pair
        for pair in metric.pairs
        if run in (pair.first, pair.second)
    }


def summary(comparison: Comparison) -> str:
    """Who leads, from whom the leader can be told apart, and whether other metrics agree."""
    metric = comparison.primary
    told = [lead(metric), _separation(metric, comparison.procedure)]
    told += [_too_few(comparison), _other_leaders(comparison)]
    return " ".join(filter(None, told))


def _leaders(metric: MetricComparison) -> list[str]:
    return [one.run for one in metric.standings if one.rank == 1]


def lead(metric: MetricComparison) -> str:
    """Who is first, with which value."""
    first, leaders = metric.standings[0], _leaders(metric)
    value = f"{digits(first.value)} {between(first.interval)} on {counted(first.n)}"
    if len(metric.standings) == 1:
        return f"{first.run} has {metric.metric} {value}. One run has nothing to be compared with."
    if len(leaders) == 1:
        return f"{first.run} leads in {metric.metric} with {value}."
    return f"{several(leaders)} share the first rank in {metric.metric} with {value}."


def _separation(metric: MetricComparison, procedure: Procedure) -> str:
    first, leaders = metric.standings[0], _leaders(metric)
    tests = pairs_of(metric, first.run)
    if not tests:
        return ""
    subject = "It" if len(leaders) == 1 else first.run
    if len(tests) == 1:
        return _one_pair(subject, *next(iter(tests.items())), procedure)
    apart = [run for run, pair in tests.items() if procedure.separates(pair)]
    near = [run for run in tests if run not in apart]
    if not near:
        worst = probability(max(pair.p_holm for pair in tests.values()))
        return f"{subject} is separable from every other run (largest corrected p {worst})."
    if not apart:
        least = probability(min(pair.p_holm for pair in tests.values()))
        return f"{subject} is not separable from any other run (smallest corrected p {least})."
    rest = "the other run" if len(apart) == 1 else f"the other {len(apart)} runs"
    return f"{subject} is not separable from {several(near)}; it is separable from {rest}."


def _one_pair(subject: str, other: str, pair: PairTest, procedure: Procedure) -> str:
    word = "separable" if procedure.separates(pair) else "not separable"
    difference = f"{digits(pair.difference)} {between(pair.interval)}"
    return (
        f"{subject} is {word} from {other}: the difference is {difference}, p = {probability(pair.p_holm)}."
    )


def _too_few(comparison: Comparison) -> str:
    """The smallest p times all pairs may reach alpha: then no pair can be separable, however far apart."""
    metric, procedure = comparison.primary, comparison.procedure
    pairs, n, what = len(metric.pairs), metric.standings[0].n, "image"
    if comparison.groups is not None:
        n, what = comparison.groups, "group"
    exact = takes_all_patterns(n, procedure.permutations)
    least = pairs * (2.0 ** (1 - n) if exact else 1 / (procedure.permutations + 1))
    if least < procedure.alpha:
        return ""
    had = counted(n, what) if exact else f"{procedure.permutations:,} draws"
    enough = f"Make {draws_needed(pairs, procedure.alpha):,} draws or more."
    return (
        f"No pair could be separable: with {had} and {counted(pairs, 'pair')} no corrected p lies below "
        f"{probability(min(least, 1.0))}. {f'Only more {what}s help.' if exact else enough}"
    )


def _other_leaders(comparison: Comparison) -> str:
    """Ranks depend on the metric: say where another run is first."""
    first = comparison.primary.standings[0].run
    leads: dict[str, list[str]] = {}
    for one in comparison.metrics[1:]:
        if first not in _leaders(one):
            leads.setdefault(one.standings[0].run, []).append(one.metric)
    others = [f"{run} in {several(metrics)}" for run, metrics in leads.items()]
    return f"Other metrics have another run first: {'; '.join(others)}." if others else ""
