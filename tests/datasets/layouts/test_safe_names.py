"""File names for ids of any kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.datasets.layouts.safe_names import FileNames, plain


@pytest.mark.parametrize("text", ["a", "ROCOv2_2023_train_000001", "1.2.840.113", "x_", "a-b", "x" * 200])
def test_a_plain_id_is_its_own_name(text: str):
    assert FileNames().give(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        ".x",
        "-x",
        "a/b",
        "a\\b",
        "a b",
        "x.",
        "ä",
        "x" * 201,
        "CON",
        "nul.txt",
        "Metadata",
        "a\n",
    ],
)
def test_any_other_id_gets_a_name_of_its_digest(text: str):
    assert not plain(text)
    assert FileNames().give(text).startswith("id-")


def test_names_that_differ_in_capitals_alone_are_kept_apart():
    names = FileNames()
    assert names.give("Scan") == "Scan"
    assert names.give("scan").startswith("id-")
    first = names.give("a/b")
    assert names.give("a/b") == first + "-2"
    assert names.give("a/b") == first + "-2-2"


def test_dots_may_be_forbidden():
    assert FileNames(dots=False).give("1.2").startswith("id-")


def test_a_split_without_name_has_files_too():
    assert FileNames.of(["train", "", "a.b"]) | {"a.b": ""} == {"train": "train", "": "unnamed", "a.b": ""}


@given(ids=st.lists(st.text(), unique=True, max_size=20))
def test_no_two_ids_share_a_name(ids: list[str]):
    names = FileNames()
    given_names = [names.give(one) for one in ids]
    assert len({one.casefold() for one in given_names}) == len(ids)
    assert all(plain(one) for one in given_names)
