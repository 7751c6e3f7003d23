"""Score and compare caption runs on label files and on datasets alike.

A dataset says who wrote each caption, so its truth is one split and one source; a label file says nothing of
both. Invariant: what is scored is told by the signature, `captions:original` or `captions:composed`, so that
scores on captions of two sources are never compared.
>>> report = score_captions({"a": "CT of the chest"}, {"a": "Chest CT"}, metrics="rouge1")
>>> report["rouge1"].value
0.6666666666666666
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, cast

from radcap.core import Run, Task, UsageError
from radcap.formats import Kind, find_truth
from radcap.metrics import compare as compare_runs
from radcap.metrics import score_captions as score_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.core import ImageId
    from radcap.datasets import Dataset
    from radcap.metrics import Labels, Resources, RunComparison, ScoreReport
    from radcap.stats import Procedure

__all__ = ["Truth", "compare", "score_captions", "true_captions"]

Truth: TypeAlias = "Labels | Dataset"

_SAVED = ("card.json", "attribution.csv")  # what says that a folder is a dataset with sources of captions


def score_captions(  # noqa: PLR0913, it takes what the command takes
    run: Labels,
    truth: Truth,
    *,
    captions: str | None = None,
    split: str | None = None,
    edition: str = "2025",
    profile: str = "official",
    metrics: Sequence[str] | str | None = None,
    bleu_rule: str | None = None,
    resources: Resources | None = None,
) -> ScoreReport:
    """The caption metrics of an edition, or those that are named, with what the scores hide.

    Files, `Run` values and plain mappings from image id to caption are taken alike. The truth may also be a
    dataset or the name or folder of one: `split` and `captions` (original, translated, generated, composed)
    say which of its captions are true, and a run on the whole split is scored on the images that have one.
    """
    return score_run(
        run,
        true_captions(truth, captions=captions, split=split),
        edition=edition,
        profile=profile,
        metrics=metrics,
        bleu_rule=bleu_rule,
        resources=resources,
    )


def compare(  # noqa: PLR0913, it takes what the command takes
    runs: Sequence[Path | str] | Mapping[str, Labels],
    truth: Truth,
    task: Task | str,
    *,
    captions: str | None = None,
    split: str | None = None,
    edition: str = "2025",
    profile: str = "official",
    metrics: Sequence[str] | str | None = None,
    rank_by: str | None = None,
    manual: Labels | None = None,
    procedure: Procedure | None = None,
    groups: Mapping[ImageId, str] | Dataset | Path | str | None = None,
    resources: Resources | None = None,
) -> RunComparison:
    """Score runs and compare them, by intervals, paired tests, letters and ranks.

    `runs` are files, or a mapping from the name of a run to a file, a `Run` or a plain mapping. The truth of
    captions may be a dataset, as for `score_captions`. `groups` says which images hang together, as those of
    one article do: a dataset, a CSV file with a column `group`, or a mapping from images to groups.
    """
    task = Task(task)
    if task is Task.CAPTIONS:
        labels = true_captions(truth, captions=captions, split=split)
    elif captions is not None or split is not None:
        raise UsageError(
            "captions and split choose the true captions of a dataset, and concepts are compared. "
            "Leave them out."
        )
    else:
        labels = cast("Labels", truth)
    return compare_runs(
        runs,
        labels,
        task,
        edition=edition,
        profile=profile,
        metrics=metrics,
        rank_by=rank_by,
        manual=manual,
        procedure=procedure,
        groups=_groups_of(groups),
        resources=resources,
    )


def _groups_of(
    groups: Mapping[ImageId, str] | Dataset | Path | str | None,
) -> Mapping[ImageId, str] | None:
    if groups is None or isinstance(groups, Mapping):
        return groups
    from radcap.datasets import image_groups

    return image_groups(groups)


def true_captions(truth: Truth, *, captions: str | None = None, split: str | None = None) -> Labels:
    """The truth as the metrics take it: labels as they are, of a dataset the captions of one source."""
    chosen = captions is not None or split is not None
    dataset = _dataset_of(truth, split, chosen=chosen)
    if dataset is not None:
        from radcap.datasets import caption_truth

        return caption_truth(dataset, captions)
    if chosen:
        named = f"{truth} is" if isinstance(truth, Path | str) else "These are"
        raise UsageError(
            f"{named} plain labels, which name neither splits nor who wrote a caption. "
            "Leave --split and --captions out, or give a dataset."
        )
    return cast("Labels", truth)


def _dataset_of(truth: Truth, split: str | None, *, chosen: bool) -> Dataset | None:
    """The dataset that is meant; nothing where the truth is plain labels."""
    if isinstance(truth, Run | Mapping):
        return None
    if isinstance(truth, Path | str):
        return _opened(truth, split) if _is_dataset(Path(truth), chosen=chosen) else None
    from radcap.datasets import Dataset

    if not isinstance(truth, Dataset):  # pyright: ignore[reportUnnecessaryIsInstance]
        return None  # the metrics refuse it by its type
    return truth if split is None else truth.split(split)


def _is_dataset(path: Path, *, chosen: bool) -> bool:
    """Whether a path is to be opened as a dataset, because it is one or is spoken of as one."""
    if path.is_file():
        return False
    if not path.is_dir():
        from radcap.datasets import BUNDLED

        return str(path) in BUNDLED
    if chosen or any((path / name).is_file() for name in _SAVED):
        return True
    return find_truth(path, Kind.CAPTIONS) is None and _has_layout(path)


def _has_layout(folder: Path) -> bool:
    from radcap.datasets.layouts import recognise

    return recognise(folder) is not None


def _opened(path: Path | str, split: str | None) -> Dataset:
    """One split of a dataset; which one must be said unless there is one alone."""
    from radcap.datasets import load_dataset

    dataset = load_dataset(path, split)
    if len(dataset.splits) > 1:
        example = "test" if "test" in dataset.splits else dataset.splits[-1]
        raise UsageError(
            f"{dataset.name} has the splits {', '.join(dataset.splits)}. A run is scored on one of them. "
            f"Write --split {example}."
        )
    return dataset
