"""The explainability table of 2025, section 13: its arithmetic, item by item."""

from __future__ import annotations

from decimal import Decimal

import pytest

from radcap.metrics.explainability import (
    ITEMS,
    block_means,
    explainability,
    half_up,
    mean_rating,
    overall_rating,
)

# Section 13, a second source beside the shipped table: eight items, two block means, overall.
PUBLISHED = {
    "AUEB NLP Group": ([4.5, 2.7, 2.6, 3.3, 3.1, 2.8, 2.6, 4.0], [3.3, 2.8], 3.2),
    "JJ-VMed": ([3.4, 2.4, 2.8, 4.1, 1.9, 1.9, 1.9, 2.0], [3.2, 1.9], 2.6),
}


def test_the_shipped_table_is_that_of_the_specification() -> None:
    assert {
        row.team: (list(row.items.values()), list(row.blocks.values()), row.overall)
        for row in explainability()
    } == PUBLISHED


def test_the_form_has_four_items_on_captions_three_on_visualisations_and_one_on_the_method() -> None:
    assert list(ITEMS.values()) == ["caption"] * 4 + ["visual"] * 3 + ["method"]


@pytest.mark.parametrize("team", range(2))
def test_block_means_rounded_half_up_are_the_published_ones(team: int) -> None:
    row = explainability()[team]
    rounded = {block: half_up(mean) for block, mean in block_means(row.items).items()}
    assert {block: rounded[block] for block in row.blocks} == row.blocks
    assert rounded["method"] == row.items["appropriateness of methodology"]


def test_block_means_before_rounding() -> None:
    first, second = (block_means(row.items) for row in explainability())
    assert (first["caption"], second["caption"]) == (Decimal("3.275"), Decimal("3.175"))
    assert round(first["visual"], 2) == Decimal("2.83")
    assert second["visual"] == Decimal("1.9")


def test_overall_is_the_unweighted_mean_of_the_eight_items() -> None:
    first, second = explainability()
    assert overall_rating(first.items) == Decimal("3.20")
    assert overall_rating(second.items) == Decimal("2.55")
    assert (half_up(overall_rating(first.items)), half_up(overall_rating(second.items))) == (
        first.overall,
        second.overall,
    )


def test_the_mean_of_the_three_blocks_would_be_another_figure() -> None:
    first = explainability()[0]
    blocks = mean_rating(float(mean) for mean in block_means(first.items).values())
    assert round(blocks, 2) == Decimal("3.37")
    assert half_up(blocks) != first.overall


@pytest.mark.parametrize(("mean", "printed"), [("2.55", 2.6), ("2.549", 2.5), ("3.25", 3.3), ("3.2", 3.2)])
def test_a_half_is_rounded_up(mean: str, printed: float) -> None:
    assert half_up(Decimal(mean)) == printed


def test_ratings_of_images_are_averaged_exactly() -> None:
    assert mean_rating([1, 2, 2, 5]) == Decimal("2.5")
    assert mean_rating([0.1] * 10) == Decimal("0.1")  # floats would give another last digit


@pytest.mark.parametrize("team", range(2))
def test_a_row_as_json(team: int) -> None:
    told = explainability()[team].to_json()
    assert list(told) == ["team", "items", "blocks", "overall"]
    assert PUBLISHED[told["team"]] == (
        list(told["items"].values()),
        list(told["blocks"].values()),
        told["overall"],
    )
