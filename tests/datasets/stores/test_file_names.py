from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from radcap.datasets.stores.file_names import cased_name, image_ending, is_image, safe_name, stem_of


@pytest.mark.parametrize(
    ("name", "stem", "ending", "image"),
    [
        ("x.jpg", "x", ".jpg", True),
        ("X.JPEG", "X", ".JPEG", True),
        ("1.2.840.dcm", "1.2.840", ".dcm", True),
        ("1.2.840", "1.2.840", "", False),
        ("x.csv", "x.csv", "", False),
        ("._x.jpg", "._x", ".jpg", False),  # what a Mac leaves beside every file
    ],
)
def test_an_ending_is_that_of_an_image_or_part_of_the_id(name: str, stem: str, ending: str, image: bool):
    assert (stem_of(name), image_ending(name), is_image(name)) == (stem, ending, image)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Sample_000001", "Sample_000001"),
        ("../x", "%2E.%2Fx"),
        ("a\\b:c", "a%5Cb%3Ac"),
        ("50%", "50%25"),
        ("", "%"),
        ("con", "%con"),
        ("ä b", "ä b"),
        ("dot.", "dot%2E"),
    ],
)
def test_a_name_is_safe_and_stays_the_id_where_that_is_plain(text: str, wanted: str):
    assert safe_name(text) == wanted


@settings(max_examples=100)
@given(st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=400), unique=True, max_size=6))
def test_different_ids_have_different_names_that_fit_a_disk(ids: list[str]):
    for make in (safe_name, cased_name):
        names = [make(one) for one in ids]
        assert len(set(names)) == len(ids)
        assert all(len(name.encode()) <= 181 and "/" not in name and "\0" not in name for name in names)


def test_ids_that_differ_in_case_can_have_names_that_differ_otherwise():
    assert cased_name("Abc").casefold() != cased_name("abc").casefold()
