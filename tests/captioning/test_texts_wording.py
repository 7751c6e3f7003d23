"""Beginnings that are taken away, and one name for each modality."""

from __future__ import annotations

from itertools import product

import pytest
from captioning_samples_texts import real_captions
from hypothesis import example, given
from hypothesis import strategies as st

from radcap.captioning.naming import modalities_named
from radcap.captioning.settings import PostSettings
from radcap.captioning.texts import cleaned, finished
from radcap.captioning.texts.modality_names import modality_names, one_name
from radcap.captioning.texts.repetition import without_repeats
from radcap.core import UsageError

PREFIXES = ("The image shows", "this is", "Caption of the", "A", "Figure.", "Answer -")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The image shows a mass.", "Mass."),
        ("THE IMAGE SHOWS: this is an effusion", "An effusion."),
        ("this is This Is the chest", "The chest."),
        ("Thistle of the field", "Thistle of the field."),
        ("Abdominal mass", "Abdominal mass."),
        ("a, A a mass", "Mass."),
        ("Figure. CT", "CT."),
        ("figure", "Radiology image."),
        ("(a) Answer - CT", "CT."),
        ("CT. The image shows a mass", "CT. The image shows a mass."),
    ],
)
def test_beginnings_are_taken_away_as_often_as_they_come(text: str, expected: str) -> None:
    assert finished(text, PostSettings(prefixes=PREFIXES)) == expected


def test_a_beginning_has_a_letter() -> None:
    with pytest.raises(UsageError, match=r"prefixes has ' - ', without a letter. Give words."):
        PostSettings(prefixes=("The", " - "))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Computed tomography scan of the chest", "CT of the chest"),
        ("axial Computed Tomography (CT) scan", "axial CT"),
        ("CT (computed tomography) of the head", "CT of the head"),
        ("A magnetic resonance imaging of an x ray", "An MRI of an X-ray"),
        ("an Radiograph and a sonogram", "an X-ray and an ultrasound"),
        ("Sonography. Ultrasonography of the liver", "Ultrasound. Ultrasound of the liver"),
        ("chest radiographs and CT scans", "chest X-rays and CTs"),
        ("MR imaging scan", "MRI"),
        ("PET CT image", "PET/CT"),
        ("positron emission tomography-computed tomography (PET-CT)", "PET/CT"),
        ("CT angiogram, CT of the brain", "CT angiogram, CT of the brain"),
        ("magnetic resonance cholangiopancreatography", "magnetic resonance cholangiopancreatography"),
        ("micro-CT scan, radiographically", "micro-CT scan, radiographically"),
        ("", ""),
    ],
)
def test_a_modality_has_one_name(text: str, expected: str) -> None:
    assert one_name(text) == expected


def test_a_name_stands_for_no_fewer_words_and_no_name_is_another_of_anything() -> None:
    names = modality_names()
    others = {one.lower() for some in names.values() for one in some}
    assert not others & {one.lower() for one in names}
    assert sum(map(len, names.values())) == len(others)
    for name, some in names.items():
        assert all(len(name.split()) <= len(one.split()) for one in some)
        assert all(one_name(one) == name for one in (name, *some))
        assert all(one_name(f"{one} ({two})") == name for one, two in product((name, *some), repeat=2))


def test_a_caption_names_the_same_modalities_as_before() -> None:
    changed = 0
    for caption in map(cleaned, real_captions()):
        assert modalities_named(one_name(caption)) == modalities_named(caption), caption
        changed += one_name(caption) != caption
    assert changed > 20


NAMES = [*modality_names(), *(one for some in modality_names().values() for one in some)]
WORDS = sorted({word for name in NAMES for word in name.split()})
parts = st.one_of(st.sampled_from(NAMES), st.sampled_from([*WORDS, "a", "An", "(", ")", "of", "CT."]))
beginnings = st.sampled_from(["the image shows", "This is", "A", "figure", "Answer", ":", "1", "-", "?"])
written = st.lists(st.one_of(parts, beginnings), max_size=14).map(" ".join)
plain = st.sampled_from(["CT", "of", "the", "chest", "and", "a", "mass", "in", "it", "."])


@given(written)
def test_a_second_time_no_name_changes_and_no_word_comes_in(text: str) -> None:
    once = one_name(text)
    assert one_name(once) == once
    assert len(once.split()) <= len(text.split())


@given(written, st.integers(1, 12), st.booleans(), st.lists(st.sampled_from(PREFIXES), max_size=4))
@example("Figure", 55, False, ["Figure."])
@example("MR imaging (MRI) scan imaging", 55, True, [])
def test_what_is_finished_stays(text: str, words: int, modality: bool, prefixes: list[str]) -> None:
    settings = PostSettings(words=words, modality=modality, prefixes=tuple(prefixes))
    result = finished(text, settings)
    assert finished(result, settings) == result
    assert len(result.split()) <= words
    body = result.casefold()
    if result != "Radiology image.":
        assert not any(body.startswith(f"{one.casefold().rstrip(' .-')} ") for one in prefixes)
    if modality:
        assert one_name(without_repeats(result)) == result


@given(st.lists(plain, max_size=12).map(" ".join))
def test_words_are_only_taken_away_where_no_name_is_asked_for(text: str) -> None:
    result = finished(text, PostSettings(prefixes=PREFIXES))
    rest = iter(text.lower().replace(".", "").split())
    if result != "Radiology image.":
        assert all(word in rest for word in result.lower().replace(".", "").split())
