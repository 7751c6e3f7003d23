"""Licences: families whatever the spelling, strictest of several, terms by year."""

from __future__ import annotations

import numpy as np
import pytest
from dataset_samples import dataset_of, row

from radcap.datasets import Dataset
from radcap.datasets.columns import make_table
from radcap.datasets.statistics.counting import Count
from radcap.datasets.statistics.licence_terms import licence_of
from radcap.datasets.statistics.licences import LicenceYear, licence_statistics


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("CC BY 4.0", "CC BY"),
        ("CC BY", "CC BY"),
        ("cc-by-3.0", "CC BY"),
        ("CC_BY_NC", "CC BY-NC"),
        ("CC BY-NC 4.0", "CC BY-NC"),
        ("CC BY-NC-SA", "CC BY-NC-SA"),
        ("CC BY-NC-ND 3.0 IGO", "CC BY-NC-ND"),
        ("CC BY-ND 4.0", "CC BY-ND"),
        ("CC BY-SA 3.0", "CC BY-SA"),
        ("CC BY-ND-NC 1.0", "CC BY-NC-ND"),
        ("https://creativecommons.org/licenses/by/4.0/", "CC BY"),
        ("http://creativecommons.org/licenses/by-nc-nd/4.0/legalcode", "CC BY-NC-ND"),
        ("Creative Commons Attribution 4.0 International", "CC BY"),
        ("Creative Commons Attribution-NonCommercial-ShareAlike 4.0", "CC BY-NC-SA"),
        ("Creative Commons Attribution Non-Commercial No Derivatives License", "CC BY-NC-ND"),
        ("Creative Commons Attribution License (CC BY-NC)", "CC BY-NC"),
        ("CC BY Sanders and Nda", "CC BY"),
        ("CC0 1.0", "CC0"),
        ("cc0", "CC0"),
        ("CC-Zero", "CC0"),
        ("https://creativecommons.org/publicdomain/zero/1.0/", "CC0"),
        ("Public, no restrictions (NIH)", "no restrictions"),
        ("Public Domain", "no restrictions"),
        ("all rights reserved", "other"),
        ("no", "other"),
        ("TDM", "other"),
        ("ccbywhatever", "other"),
        ("", "not stated"),
        ("  ", "not stated"),
    ],
)
def test_a_licence_belongs_to_a_family(text: str, family: str) -> None:
    found = licence_of(text)
    assert str(found) == family
    assert found.non_commercial == ("-NC" in family)
    assert found.share_alike == ("-SA" in family)
    assert found.no_derivatives == ("-ND" in family)


@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("free use, no derivatives", True),
        ("own terms (ND)", True),
        ("own terms", False),
        ("second hand", False),
    ],
)
def test_other_licences_may_forbid_changed_copies_too(text: str, fixed: bool) -> None:
    found = licence_of(text)
    assert (found.family, found.no_derivatives) == ("other", fixed)


ROWS = [
    ("CC BY 4.0", "2019"),
    ("CC BY 3.0", "2020"),
    ("CC BY-NC-ND 4.0", "2020"),
    ("CC BY-SA 4.0", "2020"),
    ("CC BY-NC-SA 4.0", ""),
    ("", "2019"),
]


def test_terms_are_counted_over_all_and_by_year() -> None:
    dataset = dataset_of([row(f"i{n}", licence=text, year=year) for n, (text, year) in enumerate(ROWS)])
    found = licence_statistics(dataset, "year")
    assert found.families[0] == Count("CC BY", 2)
    assert sum(one.n for one in found.families) == len(ROWS)
    assert (found.non_commercial, found.share_alike, found.no_derivatives, found.not_stated) == (2, 2, 1, 1)
    assert found.by_year == (LicenceYear("2019", 2, 0, 0), LicenceYear("2020", 3, 1, 1))
    assert [one.name for one in found.texts] == sorted(text for text, _ in ROWS if text)


def test_without_years_there_is_no_table_by_year() -> None:
    assert licence_statistics(dataset_of([row("a")])).by_year == ()


def test_licences_of_roco_v1_give_the_measured_mix() -> None:
    """81,807 radiology images of ROCO v1, as its licence list was counted."""
    mix = {
        "CC BY": 34_363,
        "CC BY-NC-SA": 14_894,
        "CC BY-NC": 12_788,
        "": 9_866,
        "CC BY-NC-ND": 9_628,
        "CC BY-ND": 149,
        "CC BY-SA": 65,
        "CC0": 54,
    }
    texts = np.repeat(list(mix), list(mix.values())).tolist()
    dataset = Dataset("roco", make_table({"licence": texts}, len(texts)))
    found = licence_statistics(dataset)
    assert {one.name: one.n for one in found.families} == {text or "not stated": n for text, n in mix.items()}
    assert found.no_derivatives == 9_628 + 149
    assert found.share_alike == 14_894 + 65
    assert found.non_commercial == 14_894 + 12_788 + 9_628
    assert len(dataset) == 81_807
    assert mix["CC BY"] + mix["CC BY-NC"] == 47_151
