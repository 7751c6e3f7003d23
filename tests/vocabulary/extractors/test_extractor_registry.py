from __future__ import annotations

from importlib.metadata import EntryPoints
from typing import TYPE_CHECKING, Any

import pytest
from extractor_samples import tiny_vocabulary

from radcap.core import Missing, UsageError
from radcap.vocabulary import Linker, extractors
from radcap.vocabulary.extractors import (
    EXTRACTORS,
    Extractor,
    extractor_kind,
    extractor_names,
    open_extractor,
)
from radcap.vocabulary.extractors import extractor as registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from radcap.vocabulary import Mention, Vocabulary


class Silent:
    """A plug-in that finds nothing."""

    def __init__(self, vocabularies: Sequence[Vocabulary], options: Mapping[str, str]) -> None:
        self.given = len(vocabularies), dict(options)

    def extract(self, texts: Iterable[str]) -> Iterator[tuple[Mention, ...]]:
        return (() for _ in texts)

    def __enter__(self) -> Silent:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class _EntryPoint:
    def __init__(self, name: str, factory: Callable[..., Extractor]) -> None:
        self.name, self.group = name, "radcap.extractor"
        self.load = lambda: factory

    def matches(self, **wanted: str) -> bool:
        return all(getattr(self, key) == value for key, value in wanted.items())


@pytest.fixture
def plug_in(monkeypatch: pytest.MonkeyPatch) -> None:
    points: Any = [_EntryPoint("silent", Silent), _EntryPoint("medcat", Silent)]
    monkeypatch.setattr(registry, "entry_points", EntryPoints(points).select)


def test_our_own_linker_is_the_dictionary() -> None:
    with open_extractor("dictionary", [tiny_vocabulary()]) as opened:
        assert isinstance(opened, Linker)
        texts = ["CT of the chest", "", "no pleural effusion"]
        assert [[one.cui for one in found] for found in opened.extract(texts)] == [
            ["C0040405", "C0817096"],
            [],
            ["C0032227"],
        ]


def test_the_dictionary_is_the_free_one_unless_another_is_given() -> None:
    with open_extractor("dictionary") as opened:
        (found,) = opened.extract(["CT of the chest"])
    assert [one.cui for one in found] == ["C0040405", "C0817096"]


def test_the_dictionary_takes_no_options() -> None:
    with pytest.raises(UsageError, match=r"dictionary has no options\. 'pack'"):
        open_extractor("dictionary", [tiny_vocabulary()], {"pack": "x"})


def test_an_unknown_name_lists_the_known() -> None:
    with pytest.raises(UsageError) as refused:
        open_extractor("medcut")
    assert "Nearest is 'medcat'. Known: dictionary, medcat, quickumls, neural" in str(refused.value)


@pytest.mark.usefixtures("plug_in")
def test_a_plug_in_adds_a_name_and_takes_none() -> None:
    assert extractor_names() == ("dictionary", "medcat", "quickumls", "neural", "silent")
    assert extractor_kind("silent").title == "silent, by a plug-in"
    assert extractor_kind("medcat") is EXTRACTORS["medcat"]
    with open_extractor("silent", [tiny_vocabulary()], {"a": "b"}) as opened:
        assert isinstance(opened, Silent)
        assert opened.given == (1, {"a": "b"})
        assert list(opened.extract(["x", "y"])) == [(), ()]


@pytest.mark.parametrize("name", ["medcat", "quickumls", "neural"])
def test_every_tool_says_what_it_needs_and_how_to_get_it(name: str) -> None:
    assert EXTRACTORS[name].needs != "nothing"
    missing = EXTRACTORS[name].why_not()
    assert isinstance(missing, Missing)
    assert f"RADCAP_{name.upper()}_" in missing.how
    with pytest.raises(Missing):
        open_extractor(name, [tiny_vocabulary()])


@pytest.mark.usefixtures("plug_in")
def test_what_needs_nothing_lacks_nothing() -> None:
    assert EXTRACTORS["dictionary"].why_not() is None
    assert extractor_kind("silent").why_not({"a": "b"}) is None


def test_the_exports_are_complete_and_sorted() -> None:
    assert extractors.__all__ == sorted(extractors.__all__)
    assert all(hasattr(extractors, name) for name in extractors.__all__)
