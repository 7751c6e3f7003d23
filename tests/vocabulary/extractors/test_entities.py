from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from extractor_samples import write_tool
from hypothesis import given
from hypothesis import strategies as st

from radcap.vocabulary import Mention
from radcap.vocabulary.extractors import ExtractorFailed, Skipped
from radcap.vocabulary.extractors.entities import Entity, IsolatedExtractor, _batches
from radcap.vocabulary.extractors.isolated import start_tool
from radcap.vocabulary.extractors.options import WorkerOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


def plain(texts: Sequence[str], found: Sequence[Sequence[Entity]]) -> Iterator[tuple[Mention, ...]]:
    for text, some in zip(texts, found, strict=True):
        yield tuple(Mention(one.start, one.end, text[one.start : one.end], "C1", "") for one in some)


def opened(folder: Path, entities: str, *, batch: int = 64, **options: Any) -> IsolatedExtractor:
    limits = WorkerOptions(**options)
    worker = start_tool(write_tool(folder, entities), limits, {"notes": ["odd"]})
    return IsolatedExtractor(worker, limits, plain, batch)


WORDS = """
    import re
    return [
        [{"start": m.start(), "end": m.end()} for m in reversed(list(re.finditer("[a-z]+", text)))]
        for text in texts
    ]
"""


def test_entities_become_mentions_in_the_order_of_texts(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    texts = ["left lung", "", "\ud800 heart \x00 😀 aorta", *["x"] * 9]
    with caplog.at_level(logging.WARNING), opened(tmp_path, WORDS, batch=2) as extractor:
        found = [[one.text for one in some] for some in extractor.extract(iter(texts))]
    assert found == [["left", "lung"], [], ["heart", "aorta"], *[["x"]] * 9]
    assert (extractor.title, extractor.notes) == ("Told 1", ("odd",))
    assert "Told 1: odd" in caplog.text


def test_nothing_is_asked_without_texts(tmp_path: Path) -> None:
    with opened(tmp_path, "os._exit(1)") as extractor:
        assert list(extractor.extract([])) == []


FAILING = """
    if "bad" in texts:
        raise ValueError("too odd")
    return [[{"start": 0, "end": 1}] for _ in texts]
"""


def test_a_text_the_tool_cannot_take_stops_the_work(tmp_path: Path) -> None:
    with opened(tmp_path, FAILING, batch=2) as extractor:
        found = extractor.extract(["a", "b", "c", "bad", "d"])
        assert len([next(found), next(found)]) == 2
        with pytest.raises(
            ExtractorFailed, match=r"cannot take text 4, 'bad': ValueError: too odd.*on_error=skip"
        ):
            next(found)


def test_or_is_skipped_and_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), opened(tmp_path, FAILING, batch=2, on_error="skip") as extractor:
        assert [len(one) for one in extractor.extract(["a", "b", "c", "bad", "d"])] == [1, 1, 1, 0, 1]
    assert extractor.skipped == [Skipped(3, "bad", "ValueError: too odd")]
    assert "cannot take text 4" in caplog.text


@pytest.mark.parametrize(
    "answer",
    [
        "[]",
        "[[], []]",
        "{}",
        "'x'",
        "[5]",
        "[[5]]",
        "[[{}]]",
        "[{'start': 0}]",
        "[[{'start': 0, 'end': 5}]]",
        "[[{'start': -1, 'end': 1}]]",
        "[[{'start': 2, 'end': 1}]]",
        "[[{'start': 0.0, 'end': 1}]]",
        "[[{'start': True, 'end': 1}]]",
        "[[{'start': 0, 'end': 1, 'score': '1'}]]",
        "[[{'start': 0, 'end': 1, 'types': 5}]]",
        "[[{'start': 0, 'end': 1, 'meta': 5}]]",
    ],
)
def test_an_answer_that_makes_no_sense_stops_the_tool(tmp_path: Path, answer: str) -> None:
    with opened(tmp_path, f"return {answer}") as extractor:
        with pytest.raises(ExtractorFailed, match=r"answered .*Its work was stopped"):
            list(extractor.extract(["abc"]))
        with pytest.raises(ExtractorFailed, match="was closed"):
            list(extractor.extract(["abc"]))


def test_all_that_a_tool_says_is_read() -> None:
    said = {
        "start": 0,
        "end": 6,
        "id": 80891009,
        "name": "Heart",
        "types": ["T023"],
        "score": 1,
        "others": ["C1"],
        "meta": {"Presence": True},
    }
    assert Entity.read(said, " heart ") == Entity(
        1, 6, "80891009", "Heart", ("T023",), 1.0, ("C1",), (("Presence", "True"),)
    )


@pytest.mark.parametrize("score", [float("nan"), float("inf"), None])
def test_a_score_that_is_no_number_is_none(score: float | None) -> None:
    assert Entity.read({"start": 0, "end": 1, "score": score}, "a") == Entity(0, 1)


@given(st.text(alphabet=" \t\n\u00a0ab"), st.integers(0, 12), st.integers(0, 12))
def test_blanks_at_the_ends_of_a_span_go(text: str, start: int, end: int) -> None:
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    read = Entity.read({"start": start, "end": end}, text)
    assert (text[read.start : read.end] if read else "") == text[start:end].strip()


@given(st.lists(st.integers(0, 300_000), max_size=30), st.integers(1, 8))
def test_batches_are_small_whole_and_in_order(lengths: list[int], most: int) -> None:
    texts = ["x" * length for length in lengths]
    batches = list(_batches(texts, most))
    assert [text for batch in batches for text in batch] == texts
    assert all(len(batch) <= most for batch in batches)
    assert all(len(batch) == 1 or sum(map(len, batch)) <= 200_000 for batch in batches)
    assert all(batches)
