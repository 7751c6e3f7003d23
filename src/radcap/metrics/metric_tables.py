"""The caption metrics as a table for people: what each is, who used it, whether it is ready."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from radcap.core import Missing
from radcap.metrics.caption_metrics import CAPTION_METRICS
from radcap.metrics.editions import EDITIONS
from radcap.metrics.providers.lemmas import check_lemmas
from radcap.report import Table

if TYPE_CHECKING:
    from radcap.metrics.caption_metrics import CaptionMetric
    from radcap.metrics.text_pairs import Resources

__all__ = ["MetricState", "metric_states", "metric_table"]

_HERE = {True: "ready", False: "no"}


@dataclass(frozen=True, slots=True)
class MetricState:
    """One metric, and what it lacks here."""

    name: str
    title: str
    editions: tuple[str, ...]
    needs: str
    ready: bool
    how: str  # to get it, where it is not ready

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def metric_states(resources: Resources) -> list[MetricState]:
    """All metrics, in the order of the registry, and what one preparation needs."""
    return [*(_state(metric, resources) for metric in CAPTION_METRICS.values()), _lemmas(resources)]


def _lemmas(resources: Resources) -> MetricState:
    how = ""
    try:
        check_lemmas(resources.spacy_model)
    except Missing as missing:
        how = f"{missing.what} is missing. {missing.how}"
    title = "lemmas, for every metric of 2022 in the documented profile"
    return MetricState("lemmas", title, ("2022",), "spaCy and a model folder of it", not how, how)


def _state(metric: CaptionMetric, resources: Resources) -> MetricState:
    missing = metric.why_not(resources)
    used = tuple(
        edition.name
        for edition in EDITIONS.values()
        if edition.official.captions is not None and metric.name in edition.official.captions.metrics
    )
    how = "" if missing is None else f"{missing.what} is missing. {missing.how}"
    return MetricState(metric.name, metric.title, used, metric.needs, missing is None, how)


def metric_table(states: list[MetricState]) -> Table:
    """One row per metric."""
    rows = tuple(
        (one.name, one.title, _years(one.editions), _HERE[one.ready], "" if one.ready else one.needs)
        for one in states
    )
    return Table(("metric", "what it is", "editions", "here", "needs"), rows)


def _years(editions: tuple[str, ...]) -> str:
    """Editions as people write them.

    >>> _years(("2017", "2018", "2021", "2022", "2023", "rocov2"))
    '2017-18, 2021-23, rocov2'
    """
    runs: list[list[str]] = []
    for name in editions:
        follows = runs and name.isdigit() and runs[-1][-1].isdigit() and int(name) == int(runs[-1][-1]) + 1
        if follows:
            runs[-1].append(name)
        else:
            runs.append([name])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1][2:]}" for run in runs) or "-"
