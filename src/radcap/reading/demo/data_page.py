"""The dataset that ships inside, as a table and as a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from radcap.formats import write_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.report import Table

__all__ = ["NAME", "DataPage", "data_page"]

NAME = "radiology-open"


@dataclass(frozen=True, slots=True)
class DataPage:
    """The table of the splits, and the page about all of it."""

    splits: Table
    page: Path


def data_page(page: Path, progress: Callable[[str, int], None] | None = None) -> DataPage:
    """Write the page about the bundled dataset."""
    from radcap.datasets import load_dataset
    from radcap.datasets.describing import describe, splits_table
    from radcap.datasets.page import report_page
    from radcap.datasets.statistics import statistics
    from radcap.datasets.survey import survey_images

    dataset = load_dataset(NAME)
    survey = survey_images(dataset, progress=progress)
    write_lines(report_page(dataset, statistics(dataset, survey), survey).split("\n"), page)
    return DataPage(splits_table(describe(dataset)), page)
