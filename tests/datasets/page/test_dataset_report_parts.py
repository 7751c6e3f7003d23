"""The parts of a dataset report: who is drawn, what lies at the ends, charts that hold every value."""

from __future__ import annotations

import base64
import io
import re
from collections import Counter

import numpy as np
import pytest
from dataset_samples import dataset_of, noise, png, row, sample
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from survey_samples import survey_of

from radcap.datasets import Card
from radcap.datasets.page import sections
from radcap.datasets.page.charts import bars_figure, spread_figure, tail_figure, years_figure
from radcap.datasets.page.facets import Facet, facet_classes, facet_inputs, facet_style
from radcap.datasets.page.outliers import outliers
from radcap.datasets.page.sample import allotted, stratified_sample
from radcap.datasets.page.thumbnails import thumbnail
from radcap.datasets.statistics.counting import Count, Partition, distribution
from radcap.datasets.statistics.figures import statistics


def parts(codes: list[int], n: int) -> Partition:
    return Partition(tuple(f"p{place}" for place in range(n)), np.array(codes, np.int64))


CODES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=60)


@settings(max_examples=100, deadline=None)
@given(CODES, st.integers(0, 40))
def test_a_sample_has_no_image_twice_and_every_stratum_it_has_room_for(
    rows: list[tuple[int, int, int]], n: int
) -> None:
    modalities, splits, kinds = (parts(list(one), 4) for one in zip(*rows, strict=True))
    places = stratified_sample(modalities, splits, kinds, n, seed=1).tolist()
    assert len(set(places)) == len(places) == min(n, len(rows))
    strata = {one[:2] for one in rows}
    if n >= len(strata):
        assert {rows[place][:2] for place in places} == strata


def test_a_sample_is_that_of_its_seed() -> None:
    codes = [number % 3 for number in range(90)]
    groups = parts(codes, 3)
    first, again, other = (stratified_sample(groups, groups, groups, 9, seed) for seed in (1, 1, 2))
    assert first.tolist() == again.tolist()
    assert first.tolist() != other.tolist()


def test_kinds_of_captions_take_turns() -> None:
    kinds = parts([1] * 4 + [0] * 96, 2)
    one = parts([0] * 100, 1)
    places = stratified_sample(one, one, kinds, 8, seed=3)
    assert Counter(kinds.codes[places].tolist()) == {0: 4, 1: 4}


def test_rare_strata_get_more_than_their_share() -> None:
    assert allotted(np.array([10_000, 100, 1]), 22).tolist() == [19, 2, 1]
    assert allotted(np.array([], np.int64), 5).tolist() == []


def test_ends_are_those_of_a_sort() -> None:
    dataset = sample(12)
    rng = np.random.default_rng(5)
    widths = rng.permutation(12).astype(np.int32) + 1
    means = rng.permutation(12).astype(np.float32)
    refused = ("", "IMG104", *[""] * 10)
    spreads = rng.permutation(12).astype(np.float32)
    survey = survey_of(
        dataset,
        widths=widths,
        heights=np.full(12, 4, np.int32),
        means=means,
        deviations=spreads,
        refused=refused,
    )
    ends = {end.title: end.images for end in outliers(dataset, survey, most=3)}
    good = [place for place in range(12) if place != 1]
    assert [place for place, _ in ends["Smallest"]] == sorted(good, key=lambda at: widths[at])[:3]
    assert [place for place, _ in ends["Brightest"]] == sorted(good, key=lambda at: -means[at])[:3]
    shapes = sorted(good, key=lambda at: -max(widths[at] / 4, 4 / widths[at]))
    assert [place for place, _ in ends["Most extreme shape"]] == shapes[:3]
    assert ends["Smallest"][0][1] == f"{min(widths[good])} \u00d7 4"
    flat = min(good, key=lambda at: spreads[at])
    assert ends["Flattest"][0] == (flat, f"{spreads[flat]:.1f}")


def test_what_is_the_same_for_all_images_has_no_ends() -> None:
    dataset = dataset_of([row(name, captions="two words", cui=["C1"]) for name in "abc"])
    sides = np.full(3, 64, np.int32)
    survey = survey_of(dataset, widths=sides, heights=sides, means=np.arange(3, dtype=np.float32))
    assert {end.title for end in outliers(dataset, survey)} <= {"Darkest", "Brightest", "Flattest"}
    assert outliers(dataset) == ()


def test_captions_and_concepts_have_ends_without_a_survey() -> None:
    rows = [
        row("a", captions="one two three", cui=["C1", "C2"]),
        row("b", captions="one"),
        row("c", cui=["C1"]),
    ]
    found = {end.title: end.images for end in outliers(dataset_of(rows))}
    assert found == {
        "Longest caption": ((0, "3 words"), (1, "1 word")),
        "Shortest caption": ((1, "1 word"), (0, "3 words")),
        "Most concepts": ((0, "2 concepts"), (2, "1 concept")),
    }


def composed(text: str) -> dict[str, str]:
    return {"text": text, "source": "composed", "language": "en"}


def original(text: str) -> dict[str, str]:
    return {**composed(text), "source": "original"}


def test_captions_of_each_source_have_ends_of_their_own() -> None:
    rows = [
        row("a", captions=[original("one"), composed("one two three four")]),
        row("b", captions=[original("one two"), composed("one two three")]),
        row("c", captions=[composed("one two three")]),
    ]
    found = {end.title: end.images for end in outliers(dataset_of(rows))}
    assert found["Longest original caption"] == ((1, "2 words"), (0, "1 word"))
    assert found["Shortest original caption"] == ((0, "1 word"), (1, "2 words"))
    assert found["Longest composed caption"][0] == (0, "4 words")
    assert found["Shortest composed caption"][0] == (1, "3 words")
    assert not {"Longest caption", "Shortest caption"} & set(found)


def test_the_section_about_captions_tells_each_source_apart() -> None:
    rows = [row("a", captions=[original("one"), composed("one two")]), row("b", captions=[composed("one")])]
    told = str(sections.captions(statistics(dataset_of(rows))))
    assert "1 of 2 images have an original caption. 2 of 2 images have a composed caption." in told
    assert "words per original caption" in told
    assert "composed captions per group" in told
    assert "words per caption" not in told
    plain = str(sections.captions(statistics(dataset_of([row("a", captions="one"), row("b")]))))
    assert "1 of 2 images have a caption." in plain
    assert "words per caption" in plain
    assert "0 of 1 image have a caption." in str(sections.captions(statistics(dataset_of([row("a")]))))


@pytest.mark.parametrize(("width", "height"), [(640, 400), (12, 900), (40, 30)])
@pytest.mark.parametrize("colour", [False, True])
def test_a_thumbnail_is_a_small_webp_of_the_same_shape(width: int, height: int, colour: bool) -> None:
    dataset = dataset_of([row("a")], {"a.png": png(noise(1, width, height, colour))})
    small = thumbnail(dataset.image(0))
    kind, _, code = small.address.partition(";base64,")
    picture = Image.open(io.BytesIO(base64.b64decode(code)))
    assert (kind, picture.format) == ("data:image/webp", "WEBP")
    assert picture.size == (small.width, small.height)
    assert max(picture.size) == min(160, max(width, height))
    assert small.width / small.height == pytest.approx(width / height, rel=0.5)


def test_an_image_that_is_not_there_gives_the_reason() -> None:
    dataset = dataset_of([row("a")], {})
    assert thumbnail(dataset.image(0)).refused == "IMG101"


DETAIL = re.compile(r"<title>([\d,]+)(?: to ([\d,]+)| (or more))?: ([\d,]+) images?</title>")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2_000) | st.integers(0, 12), min_size=1, max_size=60))
def test_every_value_stands_in_one_column(values: list[int]) -> None:
    made = spread_figure(distribution(np.array(values)), "title", "unit", "image")
    found = DETAIL.findall(made.partition('class="narrow"')[0])
    total = 0
    for low, high, rest, n in found:
        first = int(low.replace(",", ""))
        last = max(values) if rest else int((high or low).replace(",", ""))
        count = int(n.replace(",", ""))
        assert count == sum(first <= value <= last for value in values)
        total += count
    assert total == len(values)
    assert len(found) <= 60


def test_a_far_tail_is_one_column_that_says_so() -> None:
    values = [*range(50)] * 40 + [700, 800]
    made = spread_figure(distribution(np.array(values)), "title", "unit", "image")
    assert "<title>48 or more: 82 images</title>" in made
    assert "The last, hollow column holds everything from 48 on." in made


def test_charts_of_nothing_are_not_drawn() -> None:
    nothing = distribution(np.array([], np.int64))
    assert spread_figure(nothing, "t", "u", "image") == ""
    assert tail_figure(nothing) == ""
    assert bars_figure([], 0, "t") == ""
    assert years_figure([Count("unknown", 3)]) == ""


def test_years_are_drawn_in_order_and_the_peak_is_told() -> None:
    made = years_figure([Count("2019", 5), Count("2021", 9), Count("no year", 2)])
    assert "From 2019 to 2021, most in 2021." in made
    assert "<title>2019: 5 articles</title>" in made


FACETS = (Facet("Modality", ("CT", "MRI", "CT")), Facet("Split", ("train", "test", "test")))


def test_facets_count_their_cards_and_start_with_all() -> None:
    made = facet_inputs(FACETS)
    assert re.findall(r"<label for=\"([^\"]+)\">([^<]+) <small>(\d+)</small>", made) == [
        ("f0-all", "all", "3"),
        ("f0-0", "CT", "2"),
        ("f0-1", "MRI", "1"),
        ("f1-all", "all", "3"),
        ("f1-0", "test", "2"),
        ("f1-1", "train", "1"),
    ]
    assert re.findall(r'id="([^"]+)" checked', made) == ["f0-all", "f1-all"]


def test_options_come_in_the_order_that_is_given_then_by_number() -> None:
    values = ("other", "test", "test", "train", "more", "more")
    assert Facet("Split", values, ("train", "valid", "test")).options == ("train", "test", "more", "other")


def test_each_choice_hides_the_cards_that_lack_its_class() -> None:
    assert [facet_classes(FACETS, card) for card in range(3)] == ["f0-0 f1-1", "f0-1 f1-0", "f0-0 f1-0"]
    rules = re.findall(
        r"#(f\d-\d):checked\) \.items > li:not\(\.(f\d-\d)\) \{ display: none; \}", facet_style(FACETS)
    )
    assert rules == [(key, key) for key in ("f0-0", "f0-1", "f1-0", "f1-1")]


def test_the_card_is_shown_with_its_limits() -> None:
    card = Card("a", description="What it is.", licence="CC BY 4.0", limitations=("One.", "Two."))
    made = sections.about(card)
    assert "What it is." in made
    assert "<dd>CC BY 4.0</dd>" in made
    assert "<li>One.</li><li>Two.</li>" in made
    assert "Not for clinical use" in sections.about(Card("a"))


def test_parts_without_anything_to_say_are_empty() -> None:
    stats = statistics(dataset_of([row("a")], {}))
    assert sections.concepts(stats) == ""
    assert sections.pixels(stats) == ""


def test_images_that_cannot_be_decoded_are_listed() -> None:
    dataset = sample(4)
    stats = statistics(dataset, survey_of(dataset, refused=("IMG104", "", "", "")))
    assert "IMG104" in sections.pixels(stats)
    assert "3 images could be decoded" in sections.pixels(stats)


def test_many_sources_end_in_one_bar() -> None:
    dataset = dataset_of([row(f"i{n}", source=f"source {n:02d}") for n in range(20)], {})
    made = sections.origin(statistics(dataset))
    assert "8 others: 8 \u00b7 40.0 %" in made
