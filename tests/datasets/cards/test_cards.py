from __future__ import annotations

import json
from pathlib import Path

import pytest

from radcap.core import InputError
from radcap.datasets.cards.card import CARD_FILE, Card, read_card

FULL = Card(
    "open",
    title="Open radiology",
    licence="CC BY 4.0",
    limitations=("few", "small"),
    known_issues=("DAT206",),
    counts={"train": 3},
    licences={"CC BY 4.0": 3},
)


def test_a_card_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / CARD_FILE).write_text(json.dumps(FULL.to_json()), "utf-8")
    assert read_card(tmp_path, "other") == FULL


def test_a_card_tells_only_what_it_knows() -> None:
    assert Card("x").to_json() == {"name": "x"}
    assert FULL.to_json()["limitations"] == ["few", "small"]


def test_a_folder_without_card_has_a_bare_one(tmp_path: Path) -> None:
    assert read_card(tmp_path, "x") == Card("x")


def test_keys_of_a_later_version_are_left_alone_and_a_missing_name_is_given(tmp_path: Path) -> None:
    (tmp_path / CARD_FILE).write_text('{"title": "T", "colour": 3}', "utf-8")
    assert read_card(tmp_path, "x") == Card("x", title="T")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "is no JSON"),
        (b"\xff\xfe{}", "is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b"1" * 5_000, "is no JSON"),
        (b"[]", "it is no JSON object"),
        (b'{"name": 3}', "'name' is no text"),
        (b'{"limitations": "few"}', "'limitations' is no list of texts"),
        (b'{"known_issues": [1]}', "'known_issues' is no list of texts"),
        (b'{"counts": {"train": "3"}}', "'counts' is no table of counts"),
        (b'{"counts": {"train": true}}', "'counts' is no table of counts"),
        (b'{"title": null, "sources": []}', "'title' is no text, 'sources' is no table of counts"),
    ],
)
def test_a_card_that_is_none_is_refused_with_all_that_is_wrong(
    tmp_path: Path, content: bytes, said: str
) -> None:
    (tmp_path / CARD_FILE).write_bytes(content)
    with pytest.raises(InputError) as refused:
        read_card(tmp_path, "x")
    assert said in str(refused.value)
    assert CARD_FILE in str(refused.value)


def test_a_huge_card_is_refused_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "card.json").write_text('{"name": "' + "x" * 1_000_000 + '"}', "utf-8")
    with pytest.raises(InputError, match="1,000,012 bytes"):
        read_card(tmp_path, "name")
