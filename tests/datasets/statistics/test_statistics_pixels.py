"""Sizes and intensities from a survey: quantiles as numpy has them, every image of the same weight."""

from __future__ import annotations

import numpy as np
import pytest
from dataset_samples import dataset_of, row, sample
from survey_samples import survey_of

from radcap.core import UsageError
from radcap.datasets import Dataset
from radcap.datasets.columns import make_table
from radcap.datasets.statistics.counting import Count
from radcap.datasets.statistics.modalities import modality_partition
from radcap.datasets.statistics.pixels import Binned, PixelStatistics, pixel_statistics
from radcap.datasets.statistics.splits import split_partition
from radcap.datasets.survey.survey import BINS


def counted(dataset, **columns) -> PixelStatistics:
    survey = survey_of(dataset, **columns)
    return pixel_statistics(dataset, survey, modality_partition(dataset), split_partition(dataset))


def test_quantiles_are_those_of_the_images_of_a_part() -> None:
    dataset = sample()
    widths = np.arange(12, dtype=np.int32) * 10
    found = counted(dataset, widths=widths)
    ct = widths[[one.modality == "DRCT" for one in dataset]]
    test = widths[[one.split == "test" for one in dataset]]
    assert found.size.width.median == np.median(widths)
    assert found.size_by_modality["DRCT"].width.q95 == pytest.approx(np.quantile(ct, 0.95))
    assert found.size_by_split["test"].width.maximum == test.max()
    assert found.size_by_split["test"].images == 3
    assert sum(found.widths.counts) == 12
    assert (found.widths.low, found.widths.high) == (0, 110)
    assert found.heights == Binned(10, 10, (12,))


def test_each_image_weighs_the_same_in_an_intensity_histogram() -> None:
    dataset = dataset_of([row("a", modality="CT"), row("b", modality="MR")])
    histograms = np.zeros((2, BINS), np.uint32)
    histograms[0, 0], histograms[1, [0, 127]] = 10, (500_000, 500_000)
    found = counted(dataset, histograms=histograms)
    assert (found.intensity[0], found.intensity[127]) == (0.75, 0.25)
    assert found.intensity_by_modality["MR"][127] == 0.5
    assert sum(found.intensity_by_split["train"]) == pytest.approx(1)


def test_grey_and_colour_add_up_as_in_the_paper() -> None:
    dataset = Dataset("rocov2", make_table({}, 79_789))
    found = counted(dataset, colour=np.arange(79_789) >= 34_693)
    assert (found.grey, found.colour, found.decoded) == (34_693, 45_096, 79_789)


def test_formats_and_bytes_are_counted() -> None:
    found = counted(sample(8), kinds=("JPEG",) * 6 + ("PNG",) * 2)
    assert found.kinds == (Count("JPEG", 6), Count("PNG", 2))
    assert found.bytes_total == 8_000
    assert found.bytes.median == 1_000


def test_images_that_cannot_be_decoded_are_counted_and_left_out() -> None:
    dataset = dataset_of([row("a", modality="CT"), row("b", modality="MR"), row("c", modality="CT")])
    widths = np.array([100, 0, 300], np.int32)
    found = counted(dataset, refused=("", "IMG104", ""), widths=widths)
    assert found.decoded == 2
    assert found.refused == (Count("IMG104", 1),)
    assert found.size.width.minimum == 100
    assert list(found.size_by_modality) == ["CT"]


def test_no_image_can_be_decoded() -> None:
    found = counted(sample(4), refused=("IMG101",) * 4)
    assert (found.decoded, found.grey, found.size.width.maximum, found.widths.counts) == (0, 0, 0, ())
    assert set(found.intensity) == {0.0}


def test_a_survey_of_other_images_is_refused() -> None:
    dataset = sample()
    other = survey_of(dataset[:5])
    with pytest.raises(UsageError, match=r"of 5 images does not belong to sample.*Survey this dataset"):
        pixel_statistics(dataset, other, modality_partition(dataset), split_partition(dataset))
