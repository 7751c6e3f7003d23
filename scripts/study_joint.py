"""Whether one network for two tasks is better than one for each: the tables of docs/studies/joint.md.

    python scripts/study_joint.py RUNS [--train] [--write]

RUNS is a folder with four runs on the test split of radiology-open: the captions of the joint network
(joint.csv) and of one that learnt captions alone (single.csv), the concepts of the joint network
(joint-concepts.csv) and of one that learnt concepts alone (concepts.csv). `--train` makes them first, on the
device that is there; it needs the weights that radcap/joint-captions names.
Invariant: true captions of two sources are never scored together; every comparison that was made stands in
the tables.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from study_decisions import interval, p_text, p_value, write

from radcap.captioning.training.judging import claim_f1
from radcap.core import Task
from radcap.datasets import caption_truth, load_dataset
from radcap.detection.examples import groups_of
from radcap.detection.talk import Talk
from radcap.formats import read_run, write_run
from radcap.metrics import CaptionScorer, load_captions, score_concepts
from radcap.metrics.rouge_n import rouge_n_scores
from radcap.stats import holm_adjusted
from radcap.systems.predicting import predict
from radcap.systems.training import train

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from radcap.core import Score
    from radcap.datasets import Dataset
    from radcap.metrics import LoadedCaptions

__all__ = ["NETWORKS", "Network", "Paired", "make_runs", "missing", "report"]

DATA, SPLIT = "radiology-open", "test"
PAGE = Path(__file__).parent.parent / "docs" / "studies" / "joint.md"
BEGIN = "<!-- scripts/study_joint.py writes from here -->"
CAPTIONS, CONCEPTS = ("joint", "single"), ("joint-concepts", "concepts")  # joint first
F1S = {"f1": "concepts: F1", "f1_manual": "concepts: F1, manual"}
WORDS = {"rouge1": "captions: ROUGE-1", "cider": "captions: CIDEr"}
AGREEMENT = "captions: agreement of concepts"


@dataclass(frozen=True, slots=True)
class Network:
    """A system with changes, and the runs that its model writes: where in the folder, under which name."""

    system: str | Path
    changes: Mapping[str, str]
    runs: Mapping[str, str]


NETWORKS = {
    "joint": Network("radcap/joint-captions", {}, {"": "joint", "concepts": "joint-concepts"}),
    "captions": Network(
        "radcap/joint-captions",
        dict.fromkeys(("joint.concepts", "joint.modality", "joint.region", "joint.direction"), "0.0"),
        {"": "single"},
    ),
    "concepts": Network(Path(__file__).parent / "joint" / "single-concepts.toml", {}, {"": "concepts"}),
}


@dataclass(frozen=True, slots=True)
class Paired:
    """A figure of each image, from the joint network and from the one that learnt this task alone."""

    name: str
    ids: tuple[str, ...]
    joint: NDArray[np.float64]
    single: NDArray[np.float64]

    @classmethod
    def of(cls, name: str, joint: Score, single: Score) -> Paired:
        if joint.ids != single.ids:
            raise ValueError(f"The two runs were not scored on the same images ({name}).")
        return cls(name, joint.ids, np.array(joint.values), np.array(single.values))

    @property
    def gap(self) -> NDArray[np.float64]:
        return self.joint - self.single


def make_runs(data: Dataset, folder: Path) -> None:
    """Train the networks beside their runs; a training that was stopped goes on."""
    for name, network in NETWORKS.items():
        model = folder / "models" / name
        train(network.system, data, model, changes=network.changes, talk=Talk(_tell))
        asked = data.split(SPLIT)
        for part, run in network.runs.items():
            write_run(predict(model / part, asked).run(asked.ids, run), folder / f"{run}.csv")


def missing(folder: Path) -> list[str]:
    """The runs that are not there."""
    return [f"{name}.csv" for name in (*CAPTIONS, *CONCEPTS) if not (folder / f"{name}.csv").is_file()]


def concept_figures(data: Dataset, folder: Path) -> list[Paired]:
    """F1 over all concepts and over the manual ones, by the rules of 2025."""
    truth, manual = (
        dict(zip(data.ids, data.column(one).to_pylist(), strict=True)) for one in ("cui", "cui_manual")
    )
    joint, single = (
        score_concepts(folder / f"{run}.csv", truth, edition="2025", manual=manual) for run in CONCEPTS
    )
    return [Paired.of(told, joint[name], single[name]) for name, told in F1S.items()]


def caption_figures(data: Dataset, folder: Path, source: str) -> list[Paired]:
    """Two metrics of words and the agreement of what is named, against the true captions of one source."""
    truth = caption_truth(data, source)
    loaded = [load_captions(folder / f"{run}.csv", truth, edition="radcap") for run in CAPTIONS]
    joint, single = (CaptionScorer(one).report("official", tuple(WORDS)) for one in loaded)
    agreed = [np.array([claim_f1(*both) for both in texts(one)]) for one in loaded]
    return [
        *(Paired.of(told, joint[name], single[name]) for name, told in WORDS.items()),
        Paired(AGREEMENT, tuple(truth.cells), *agreed),
    ]


def written_figure(data: Dataset, folder: Path) -> Paired:
    """ROUGE-1 without the preparation of captions, to see what hangs on it."""
    truth = caption_truth(data, "composed")
    loaded = [load_captions(folder / f"{run}.csv", truth, edition="radcap") for run in CAPTIONS]
    true = [text for _, text in texts(loaded[0])]
    said = [[text for text, _ in texts(one)] for one in loaded]
    joint, single = (np.array(rouge_n_scores(one, true, 1)) for one in said)
    return Paired("captions: ROUGE-1, as written", tuple(truth.cells), joint, single)


def texts(loaded: LoadedCaptions) -> list[tuple[str, str]]:
    """What was said of each image and what is true, in the order of the truth."""
    said = loaded.run.cells
    return [(said[one] or "", text or "") for one, text in loaded.truth.cells.items()]


def tested_table(figures: Sequence[Paired], data: Dataset) -> list[str]:
    """Each figure with its paired difference; where there are several, Holm's correction is over all."""
    several = len(figures) > 1
    more = " p, Holm |" if several else ""
    lines = [f"| Figure | images | joint | single | joint - single | p |{more}", f"|---|{'---:|' * 5}"]
    lines[1] += "---:|" * several
    groups = [groups_of(data, one.ids) for one in figures]
    raw = [p_value(one.gap, some) for one, some in zip(figures, groups, strict=True)]
    for one, some, p, corrected in zip(figures, groups, raw, holm_adjusted(raw), strict=True):
        last = f" {p_text(corrected)} |" if several else ""
        lines.append(f"| {_cells(one)} | {interval(one.gap, some)} | {p_text(p)} |{last}")
    return [*lines, ""]


def plain_table(figures: Sequence[Paired]) -> list[str]:
    """Too few images for a test."""
    lines = ["| Figure | images | joint | single |", f"|---|{'---:|' * 3}"]
    return [*lines, *(f"| {_cells(one)} |" for one in figures), ""]


def habits_table(folder: Path) -> list[str]:
    """What the answers are like, whatever they score, and how many are the same in both."""
    captions = [list(answers(folder / f"{run}.csv", Task.CAPTIONS).values()) for run in CAPTIONS]
    concepts = [
        [{*filter(None, cell.split(";"))} for cell in answers(folder / f"{run}.csv", Task.CONCEPTS).values()]
        for run in CONCEPTS
    ]
    rows = {
        "different captions": [f"{len(set(one))}" for one in captions],
        "words a caption": [f"{np.mean([len(text.split()) for text in one]):.2f}" for one in captions],
        "concepts an image": [f"{np.mean([len(some) for some in one]):.2f}" for one in concepts],
    }
    lines = ["| Answers | joint | single |", "|---|---:|---:|"]
    lines += [f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items()]
    same = [f"{sum(map(eq, *both))} of {len(both[0])}" for both in (captions, concepts)]
    return [*lines, "", f"The same from both: {same[0]} captions, {same[1]} sets of concepts.", ""]


def answers(path: Path, task: Task) -> dict[str, str]:
    """The cells of a run by image id, in the order of the ids."""
    cells = read_run(path, task, edition="radcap")[0].cells
    return {one: cells[one] or "" for one in sorted(cells)}


def _cells(one: Paired) -> str:
    return f"{one.name} | {len(one.ids)} | {one.joint.mean():.4f} | {one.single.mean():.4f}"


def report(data: Dataset, folder: Path) -> str:
    tested = [*concept_figures(data, folder), *caption_figures(data, folder, "composed")]
    apart = caption_figures(data, folder, "original")
    parts = [
        *("**Test; captions against composed ones**", "", *tested_table(tested, data)),
        *("**The same with words as they are written, beside the five tests**", ""),
        *tested_table([written_figure(data, folder)], data),
        *("**Captions against original ones, not tested**", "", *plain_table(apart)),
        *("**What the answers are like, test**", "", *habits_table(folder)),
    ]
    return "\n".join(parts)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", type=Path, help="folder of the four runs")
    parser.add_argument("--train", action="store_true", help="train the three networks and write the runs")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/studies/joint.md")
    asked = parser.parse_args()
    data = load_dataset(DATA)
    if asked.train:
        make_runs(data, asked.runs)
    if absent := missing(asked.runs):
        parser.error(f"{asked.runs} has no {', '.join(absent)}. Give a folder that has, or --train.")
    text = report(data.split(SPLIT), asked.runs)
    print(text)
    if asked.write:
        write(text, PAGE, BEGIN)


if __name__ == "__main__":
    main()
