"""Check a dataset: ids, labels, images and splits, with everything that is wrong in one list.

Invariant: no check stops another, and none changes the dataset. What opening the files has found is kept as
it is, with file and line; a code that it has reported is not reported again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.core import Level
from radcap.datasets.checks.code_words import words_of
from radcap.datasets.checks.ids import check_ids
from radcap.datasets.checks.images import check_files, check_pixels
from radcap.datasets.checks.labels import check_captions, check_concepts, check_licences
from radcap.datasets.checks.splits import check_copies, check_groups, check_splits
from radcap.datasets.findings import Finding, Findings
from radcap.datasets.survey.duplicates import find_duplicates
from radcap.datasets.survey.surveying import survey_images
from radcap.report import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from radcap.datasets.dataset import Dataset
    from radcap.datasets.survey.survey import Survey

__all__ = ["Check", "check_dataset", "check_table"]

_SAME = {"DAT218": "DAT201"}  # what opening calls a finding of ours


@dataclass(frozen=True, slots=True)
class Check:
    """What was found. `counts` has every finding, `findings` the first thousand of each code."""

    name: str
    records: int
    images: int  # records whose image is there
    findings: tuple[Finding, ...]
    counts: Mapping[str, int]
    known: tuple[str, ...]  # codes that the card of the dataset names as known

    @property
    def ok(self) -> bool:
        """Whether there is no error but those the card names."""
        return not any(
            one.issue.level is Level.ERROR and one.issue.code not in self.known for one in self.findings
        )

    def to_json(self) -> dict[str, object]:
        return {
            "ok": self.ok,
            "name": self.name,
            "records": self.records,
            "images": self.images,
            "issues": [one.to_json() for one in self.findings],
            "counts": dict(sorted(self.counts.items())),
            "known": list(self.known),
        }


def check_dataset(
    dataset: Dataset,
    findings: Findings | None = None,
    *,
    pixels: bool = True,
    survey: Survey | None = None,
    workers: int | None = None,
    progress: Callable[[str, int], None] | None = None,
) -> Check:
    """Everything that is wrong with a dataset. `findings` are those of opening it; they are not changed.

    With `pixels` every image is decoded, or taken from the survey that is given; without, images are only
    looked for.
    """
    found = Findings()
    check_ids(dataset, found)
    check_captions(dataset, found)
    check_concepts(dataset, found)
    check_licences(dataset, found)
    images = check_files(dataset, found)
    check_splits(dataset, found)
    check_groups(dataset, found)
    if pixels:
        survey = survey or survey_images(dataset, workers=workers, progress=progress)
        _check_survey(dataset, survey, found)
    merged = _merged(_opening(dataset, findings), found)
    known = dataset.card.known_issues
    return Check(dataset.name, len(dataset), images, merged.findings, dict(merged.counts), known)


def _check_survey(dataset: Dataset, survey: Survey, found: Findings) -> None:
    survey.require(dataset)
    check_pixels(dataset, survey, found)
    check_copies(dataset, find_duplicates(survey), found)


def _opening(dataset: Dataset, findings: Findings | None) -> Findings:
    """What opening has found: the list it filled, or what the dataset remembers of it."""
    if findings is not None:
        return findings
    remembered = Findings()
    remembered.extend(dataset.findings, Counter(one.issue.code for one in dataset.findings))
    return remembered


def _merged(opening: Findings, found: Findings) -> Findings:
    merged = Findings()
    merged.extend(opening.findings, opening.counts)
    said = opening.counts.keys()
    new = {code: n for code, n in found.counts.items() if not {code, _SAME.get(code, code)} & said}
    merged.extend([one for one in found.findings if one.issue.code in new], new)
    return merged


def check_table(check: Check) -> Table:
    """One row for each code, errors first."""
    levels = {one.issue.code: one.issue.level for one in check.findings}
    order = list(Level)
    codes = sorted(check.counts, key=lambda code: (order.index(levels[code]), code))
    rows = [
        (code, _level(levels[code], code in check.known), f"{check.counts[code]:,}", words_of(code))
        for code in codes
    ]
    return Table(("code", "level", "count", "meaning"), tuple(rows), right=frozenset({"count"}))


def _level(level: Level, known: bool) -> str:
    return f"{level.value}, known" if known else level.value
