"""The board of captions: every scored system by all measures, with intervals, letters and costs.

Invariant: scores are computed from the runs in the folder, on each source of captions apart. Systems are
ranked by ROUGE-1 on the source that all learnt from. Intervals resample groups of images; letters are those
of paired tests between all systems, corrected by Holm.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from radcap.core import UsageError
from radcap.datasets.caption_parts import images_by_source
from radcap.datasets.caption_truth import caption_truth
from radcap.detection.examples import groups_of
from radcap.stats import compare_scores, ranks
from radcap.systems.board.captions.intervals import figures
from radcap.systems.board.captions.scores import MEASURES, RANKING, missing_metrics, score_runs
from radcap.systems.board.captions.tellings import tellings
from radcap.systems.board.comparing import procedure_for
from radcap.systems.board.modalities import modality_counts, modality_means, modality_of_each
from radcap.systems.main_scores import main_measure, main_score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from radcap.captioning.system import CaptionSystem
    from radcap.datasets import Dataset
    from radcap.metrics.reports import NotScored
    from radcap.stats import Standing
    from radcap.systems.board.captions.intervals import Figure
    from radcap.systems.board.captions.scores import Measure, Scored
    from radcap.systems.board.captions.tellings import Telling
    from radcap.systems.board.results import BoardFolder, Result

__all__ = ["FLOOR", "CaptionBoard", "CaptionRow", "make_caption_board"]

_TEST = "test"
# what looks at no image, at one by lot, and at nothing but likeness: who stays below has learnt little
FLOOR = ("radcap/frequent-captions", "radcap/random-captions", "radcap/nearest-captions")


@dataclass(frozen=True, slots=True)
class CaptionRow:
    """One system: what is published of it, what it scored here, and at what cost."""

    name: str
    edition: str
    team: str
    family: str
    main: str | None  # the measure that its edition ranked by
    published: float | None  # by that
    score: float  # ROUGE-1 on the source that ranks
    rank: int
    letters: str
    figures: Mapping[str, Mapping[str, Figure]]  # by source and measure
    ranks: Mapping[str, int]  # by measure, on the source that ranks
    by_modality: Mapping[str, float]
    told: Mapping[str, Telling]  # by measure; of systems that depend on concepts
    result: Result

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class CaptionBoard:
    """Rows best first, systems that were not trained with their reasons, and what they were scored on."""

    data: str
    source: str  # of the captions that all learnt from, and that rank
    images: Mapping[str, int]  # by source: test images that have such a caption
    groups: Mapping[str, int]
    measures: tuple[Measure, ...]
    rows: tuple[CaptionRow, ...]
    not_trained: tuple[Result, ...]
    modalities: Mapping[str, int]  # images of each
    missing: tuple[NotScored, ...]  # what editions measured and is not measured here
    values: Mapping[str, Sequence[float]]  # ROUGE-1 of each image, by system
    ids: tuple[str, ...]

    @property
    def measure(self) -> str:
        """What ranks, as tables call it."""
        return RANKING.title

    def row(self, name: str) -> CaptionRow:
        return next(one for one in self.rows if one.name == name)

    def to_json(self) -> dict[str, Any]:
        """Without the values of single images, which the runs hold."""
        return {
            "task": "captions",
            "data": self.data,
            "source": self.source,
            "images": dict(self.images),
            "groups": dict(self.groups),
            "measures": [asdict(one) for one in self.measures],
            "rows": [one.to_json() for one in self.rows],
            "not_trained": [one.to_json() for one in self.not_trained],
            "modalities": dict(self.modalities),
            "missing": [one.to_json() for one in self.missing],
            "overall": None,  # of 2025: two of its six measures are not enough
        }


def make_caption_board(
    systems: Sequence[CaptionSystem],
    folder: BoardFolder,
    dataset: Dataset,
    marks: Mapping[str, str],
    source: str,
    measures: Sequence[Measure] = MEASURES,
) -> CaptionBoard:
    """The board of all systems that have a result by their mark, ranked on captions of a source."""
    found = {one.name: one for one in folder.results({one.name: marks[one.name] for one in systems})}
    results = [one for one in found.values() if one.is_scored]
    if not results:
        raise UsageError(f"{folder.path} holds no score yet. Run: radcap systems reproduce --out DIR.")
    test = dataset.split(_TEST)
    runs = {one.name: folder.run(one.name) for one in results}
    sources = images_by_source(test.column("captions"))
    scored = {name: score_runs(runs, caption_truth(test, name), measures) for name in sources}
    groups = {name: groups_of(test, one.ids) for name, one in scored.items()}
    told = tellings(results, folder, caption_truth(test, source), groups[source])
    about, modalities = {one.name: one for one in systems}, modality_of_each(test)
    standings = _standings(scored[source], groups[source])
    by_measure = _ranks(scored[source])
    figured = {name: _figures(one, groups[name]) for name, one in scored.items()}
    first = scored[source].scores
    rows = [
        CaptionRow(
            name=one.run,
            edition=about[one.run].edition,
            team=about[one.run].team,
            family=about[one.run].family,
            main=main_measure(about[one.run].edition),
            published=main_score(about[one.run]),
            score=one.value,
            rank=one.rank,
            letters=one.letters,
            figures={name: some[one.run] for name, some in figured.items()},
            ranks={measure: some[one.run] for measure, some in by_measure.items()},
            by_modality=modality_means(scored[source].ids, first[one.run][RANKING.name].values, modalities),
            told=told.get(one.run, {}),
            result=found[one.run],
        )
        for one in standings
    ]
    here = first[rows[0].name]
    ids = scored[source].ids
    return CaptionBoard(
        data=dataset.name,
        source=source,
        images=sources,
        groups={name: len(set(some)) for name, some in groups.items()},
        measures=tuple(one for one in measures if one.name in here),
        rows=tuple(rows),
        not_trained=tuple(one for one in found.values() if not one.is_scored),
        modalities=modality_counts({one: modalities[one] for one in ids}),
        missing=missing_metrics(),
        values={name: scores[RANKING.name].values for name, scores in first.items()},
        ids=ids,
    )


def _standings(scored: Scored, groups: Sequence[str]) -> tuple[Standing, ...]:
    """Best first."""
    runs = {name: {RANKING.name: one[RANKING.name]} for name, one in scored.scores.items()}
    known = dict(zip(scored.ids, groups, strict=True))
    return compare_scores(runs, procedure=procedure_for(len(runs)), groups=known).primary.standings


def _ranks(scored: Scored) -> dict[str, dict[str, int]]:
    """By measure and system."""
    names = list(scored.scores)
    found: dict[str, dict[str, int]] = {}
    for measure in scored.scores[names[0]]:
        places = ranks([scored.scores[name][measure].value for name in names])
        found[measure] = {name: place for name, place in zip(names, places, strict=True) if place}
    return found


def _figures(scored: Scored, groups: Sequence[str]) -> dict[str, dict[str, Figure]]:
    """By system and measure."""
    pairs = [(name, measure) for name, one in scored.scores.items() for measure in one]
    columns = {f"{name} {measure}": scored.scores[name][measure].values for name, measure in pairs}
    every = figures(columns, groups)
    found: dict[str, dict[str, Figure]] = {}
    for name, measure in pairs:
        found.setdefault(name, {})[measure] = every[f"{name} {measure}"]
    return found
