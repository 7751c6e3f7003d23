"""QuickUMLS itself, on a vocabulary of radcap that it compiled.

Needs an interpreter that has it: `RADCAP_QUICKUMLS_PYTHON=envs/quickumls/bin/python`. quickumls 1.4.2 and
medspacy-quickumls 3.2 were used, without a spaCy model and without the stop words of NLTK.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from extractor_samples import make_vocabulary, tiny_vocabulary

from radcap.vocabulary.extractors import compile_quickumls, open_extractor
from radcap.vocabulary.extractors.entities import IsolatedExtractor
from radcap.vocabulary.extractors.quickumls import check_quickumls

if TYPE_CHECKING:
    from pathlib import Path

PYTHON = os.environ.get("RADCAP_QUICKUMLS_PYTHON")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON, reason="RADCAP_QUICKUMLS_PYTHON names no interpreter with QuickUMLS"),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quickumls") / "data"
    assert compile_quickumls(tiny_vocabulary(), folder, {"python": str(PYTHON)}) == 9
    return folder


def link(data: Path, text: str, **options: str) -> list[tuple[str, str, float | None]]:
    given = {"python": str(PYTHON), "data": str(data), **options}
    with open_extractor("quickumls", [tiny_vocabulary()], given) as extractor:
        (found,) = extractor.extract([text])
    return [(one.text, one.cui, one.score) for one in found]


def test_names_are_found_and_near_ones_too(data: Path) -> None:
    check_quickumls({"python": str(PYTHON), "data": str(data)})
    text = "Computed tomography of the chest: pleural effusions, \ud800 \x00 heart 😀 heart."
    found = link(data, text)
    assert found[0] == ("Computed tomography", "C0040405", 1.0)
    assert [cui for _, cui, _ in found] == ["C0040405", "C0817096", "C0032227", "C0018787", "C0018787"]
    assert found[2][0] == "pleural effusions"
    assert 0.7 <= (found[2][2] or 0) < 1


def test_its_settings_reach_it(data: Path) -> None:
    text = "pleural effusions of the heart"
    assert [cui for _, cui, _ in link(data, text, threshold="1")] == ["C0018787"]
    assert [cui for _, cui, _ in link(data, text, types="T047")] == ["C0032227"]
    assert link(data, text, window="1", threshold="1", min_length="6") == []


def test_what_stands_in_is_said_and_texts_of_any_length_are_taken(data: Path) -> None:
    given = {"python": str(PYTHON), "data": str(data)}
    with open_extractor("quickumls", [], given) as extractor:
        assert isinstance(extractor, IsolatedExtractor)
        (found,) = extractor.extract(["heart, " * 3_000 + "x" * 1_000_000])
        assert [one.start for one in found] == list(range(0, 21_000, 7))
        assert all("not installed" in note for note in extractor.notes)


def test_names_of_other_scripts_are_compiled(tmp_path: Path) -> None:
    vocabulary = make_vocabulary({1: ["肺がん検診", "Sjögren syndrome"], 2: ["x|y z"]}, [(1, 47)])
    assert compile_quickumls(vocabulary, tmp_path / "data", {"python": str(PYTHON)}) == 3
