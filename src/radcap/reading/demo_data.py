"""The first step of the demo: the dataset that ships inside, as a table and as a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from radcap.formats import write_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from radcap.report import Table

__all__ = ["show_data"]

NAME = "radiology-open"


def show_data(page: Path, progress: Callable[[str, int], None] | None = None) -> Table:
    """Write the page about the bundled dataset; the answer is the table of its splits."""
    from radcap.datasets import load_dataset
    from radcap.datasets.describing import describe, splits_table
    from radcap.datasets.page import report_page
    from radcap.datasets.statistics import statistics
    from radcap.datasets.survey import survey_images

    dataset = load_dataset(NAME)
    survey = survey_images(dataset, progress=progress)
    write_lines(report_page(dataset, statistics(dataset, survey), survey).split("\n"), page)
    return splits_table(describe(dataset))
