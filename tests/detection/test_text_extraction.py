"""Concepts by extractors, restricted to labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest

from radcap.core import Missing, UsageError
from radcap.detection.text import extraction
from radcap.detection.text.extraction import ExtractorReader, check_extractor
from radcap.vocabulary import Mention
from radcap.vocabulary.extractors import ExtractorKind

CT, CHEST, EFFUSION = "C0040405", "C0817096", "C0032227"


def test_the_dictionary_finds_labels_and_leaves_out_what_is_denied() -> None:
    reader = ExtractorReader("dictionary", {}, (CT, EFFUSION))
    found = reader.read(["CT of the chest", "", "CT without pleural effusion", "pleural effusion"])
    np.testing.assert_array_equal(found, [[1, 0], [0, 0], [1, 0], [0, 1]])
    assert found.dtype == np.bool_


class Said:
    """An extractor that says what it is told to."""

    def __init__(self, *mentions: Mention) -> None:
        self.mentions, self.closed = mentions, False

    def extract(self, texts: Iterable[str]) -> Iterator[tuple[Mention, ...]]:
        return (self.mentions for _ in texts)

    def __enter__(self) -> Said:
        return self

    def __exit__(self, *_: Any) -> None:
        self.closed = True


def test_of_several_concepts_of_the_same_words_the_label_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    tool = Said(
        Mention(0, 2, "CT", "C0000001", "other", others=("C0000002", CT)),
        Mention(0, 2, "chest", CHEST, "chest", kept=False),
        Mention(0, 2, "effusion", EFFUSION, "effusion", uncertain=True),
        Mention(0, 2, "none", "C0000009", "no label"),
    )
    monkeypatch.setattr(extraction, "open_extractor", lambda *_: tool)
    found = ExtractorReader("any", {}, (CT, CHEST, EFFUSION)).read(["a", "b"])
    np.testing.assert_array_equal(found, [[1, 0, 1], [1, 0, 1]])
    assert tool.closed


def test_what_an_extractor_lacks_is_told_before_a_text_is_read() -> None:
    check_extractor("dictionary", {})
    with pytest.raises(UsageError, match="dictionary has no options"):
        check_extractor("dictionary", {"a": "b"})
    with pytest.raises(UsageError, match=r"There is no extractor 'dictionry'. Nearest is 'dictionary'"):
        check_extractor("dictionry", {})
    with pytest.raises(Missing, match="is missing"):
        check_extractor("neural", {})


def test_an_extractor_that_lacks_nothing_is_not_opened_for_that(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = ExtractorKind("whole", "lacks nothing", path="nowhere:open", check="builtins:dict")
    monkeypatch.setattr(extraction, "extractor_kind", lambda _: kind)
    check_extractor("whole", {"a": "b"})
    with pytest.raises(ModuleNotFoundError):
        kind.open((), {})
