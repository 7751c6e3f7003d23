"""Cards and pages of readings: what they hold, in which order, and that text of others stays text."""

from __future__ import annotations

import base64
import re
from dataclasses import replace

import numpy as np
import pytest
from explanation_samples import blob
from reading_samples import broken_unread, empty_reading, sample_reading, sample_unread
from safe_pages import HOSTILE, Tags, safe

from radcap.captioning.grammar import Role
from radcap.explanation.values import Case, Evidence, Kind
from radcap.reading.page import (
    CARD_SCRIPT,
    CARD_STYLE,
    Around,
    Census,
    Entry,
    batch_page,
    card,
    entry_of,
    index_page,
    readings_page,
)
from radcap.reading.page.maps import SIDE, map_code
from radcap.reading.page.whence import concept_line, word_line
from radcap.reading.values import RESEARCH_ONLY, Seen
from radcap.report.markup import Markup


def words(markup: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", markup))


def buttons(markup: str) -> list[dict[str, str | None]]:
    return [one for one in Tags(markup).named("button") if "data-line" in one]


def test_a_map_is_a_grid_of_bytes_in_the_form_of_the_picture() -> None:
    size, _, text = map_code(blob(0.25, 0.75, 0.1, (100, 200))).partition(" ")
    cells = np.frombuffer(base64.b64decode(text), np.uint8).reshape(SIDE // 2, SIDE)
    assert size == f"{SIDE}x{SIDE // 2}"
    assert cells.max() == 255
    assert np.unravel_index(cells.argmax(), cells.shape) in {(5, 3), (6, 3), (5, 4), (6, 4)}
    assert cells[0, -1] == 128  # far away nothing speaks
    against = map_code(-blob(0.5, 0.5, 0.1)).partition(" ")[2]
    assert min(base64.b64decode(against)) == 1


def test_a_card_tells_all_of_a_reading() -> None:
    made = card(sample_reading(), 7)
    told = words(made)
    safe(made)
    for text in (
        "chest.png",
        "Plain x-ray",
        "very likely",
        "98 %",
        "Pneumonia",
        "Doe et al. 2020",
        "CC BY 4.0",
    ):
        assert text in told
    assert "Author and licence not stated." in told
    assert "Image: Drawn for tests, CC0" in told
    assert "maps by hires-cam" in told
    order = [made.index(f'<span class="name">{one.name}') for one in sample_reading().concepts]
    assert order == sorted(order)
    article = Tags(made).named("article")[0]
    assert article["id"] == "reading-7"
    assert article["data-modality"] == "Plain x-ray"
    assert article["data-findings"] == "3"


def test_words_with_evidence_are_buttons_and_the_caption_stays_whole() -> None:
    reading = sample_reading()
    made = card(reading, 1)
    caption = made.split('<p class="caption">')[1].split("</p>")[0]
    assert re.sub(r"<[^>]*>", "", caption) == reading.caption
    lines = [one["data-line"] or "" for one in buttons(caption)]
    assert any("70 % from the image itself, 30 % from the told concept pneumonia." in one for one in lines)
    bare = [one for one in buttons(caption) if "data-map" not in one]
    assert len(bare) == 2
    assert all("No map: " in (one["data-line"] or "") and "bare" in (one["class"] or "") for one in bare)


def test_concepts_take_the_evidence_of_their_words_where_they_have_none() -> None:
    made = card(sample_reading(), 1)
    named = {one["title"]: one for one in buttons(made) if one.get("title")}
    assert set(named) == {"C1306645", "C0032285", "C0032227", "C0085590"}
    assert "data-map" in named["C0032227"]  # only a span of the caption has its map
    assert "data-map" not in named["C0085590"]


def test_without_maps_nothing_can_be_clicked() -> None:
    made = card(sample_reading(maps=False), 1)
    assert buttons(made) == []
    assert "Maps were not asked for." in made
    assert "range" not in made
    silent = card(sample_reading(maps=False, method="hires-cam"), 1)
    assert "Nothing was said that could be shown" in silent


def test_an_empty_reading_says_so() -> None:
    told = words(card(replace(empty_reading(), radiology=None, attribution=""), 2))
    assert "No caption." in told
    assert "No concept was found likely enough to tell." in told
    assert "Nearest" not in told
    assert "Model zoo:captions." in told


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_text_of_others_is_only_text(number: int) -> None:
    bad = HOSTILE[number]
    evidence = Evidence("k", Kind.SPAN, bad, blob(0.5, 0.5, 0.2), note=bad, place=(0, len(bad)), cui="C1")
    reading = sample_reading(
        bad,
        caption=bad,
        concepts=(Seen("C1", bad, 0.5, Role.MODALITY),),
        evidence=(evidence,),
        attribution=bad,
        notes=(bad,),
        neighbours=(Case(bad, 0.5, bad, bad, (bad,), bad, bad),),
    )
    page = readings_page(bad, [reading, replace(sample_unread(bad), why=bad)])
    body = page.split("<main", 1)[1].split("<script>")[0]
    assert "<img src=x" not in page
    assert "<b>" not in body
    assert Tags(page).named("script") == [{}]
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200f\u202a-\u202e]", page)


def test_lines_say_what_a_map_does_not() -> None:
    seen = Seen("C1", "Glioma", 0.82, Role.FINDING)
    relevance = blob(0.5, 0.5, 0.2)
    assert concept_line(seen, None) == (
        "Glioma, very likely (82 %). No map: no part of the image was found to speak for it."
    )
    whole = Evidence("k", Kind.CONCEPT, "", relevance, localisable=False)
    assert word_line(whole) == "k. Not localisable: it has no single place."
    told = Evidence("k", Kind.WORD, "axial", relevance, paths=(("the image itself", 1.0),))
    assert word_line(told) == "axial. 100 % from the image itself."


def test_a_page_has_filters_contents_and_what_was_not_read() -> None:
    page = readings_page(
        "Readings",
        [sample_reading(), empty_reading(), sample_unread(), broken_unread()],
        first=101,
        around=Around("index.html", "page-001.html", "page-003.html"),
    )
    told = words(page)
    assert page.count(RESEARCH_ONLY) == 1
    assert "Images 101 to 104: 2 images read, 2 not read." in told
    assert "Not read: 2 images" in told
    assert "cat.jpg does not look like a radiology image (probability 0.002)." in told
    assert {one.get("value") for one in Tags(page).named("option")} == {"", "Plain x-ray", "not told"}
    links = [one["href"] for one in Tags(page).named("a")]
    assert links.count("page-001.html") == links.count("page-003.html") == links.count("index.html") == 2
    assert links.count("#reading-101") == 2  # contents and card
    assert "default-src &#x27;none&#x27;" in page
    assert "content-visibility: auto" in page


def test_a_page_of_one_of_none_and_of_unread_alone() -> None:
    one = readings_page("Readings", [sample_reading()])
    assert "1 image read." in words(one)
    assert "<details" not in one
    assert 'aria-label="Pages"' not in one
    assert "There is no image to show." in readings_page("Readings", [])
    unread = readings_page("Readings", [replace(sample_unread("x"), why="The file is empty.")])
    assert 'id="words"' not in unread
    assert "x : The file is empty." in words(unread)


def test_an_entry_survives_a_file() -> None:
    entry = entry_of(sample_reading(), 3)
    again = Entry.from_json(entry.to_json())
    assert again == entry
    assert isinstance(again.card, Markup)
    assert batch_page("a", [again]) == batch_page("a", [entry])
    assert entry_of(sample_unread(), 4).card == ""


def test_an_index_counts_and_says_what_is_unfinished() -> None:
    census = Census()
    for one in [sample_reading(), empty_reading(), sample_unread()] * 40:
        census.add(one.to_json())
    assert (census.read, census.done, len(census.unread)) == (80, 120, 40)
    assert census.unread[0] == sample_unread()
    page = index_page("Readings", census, 130, ["page-001.html", ""], [("Model", "zoo:captions")])
    told = words(page)
    assert "80 images read, 40 not read." in told
    assert "Unfinished: 120 of 130 images are done." in told
    assert "Images 1 to 100 Plain x-ray 34, not told 33 and not read 33" in told
    assert "Images 101 to 120 (the page is gone)" in told
    assert re.search(r"Plain x-ray\s+40\s+50 %", told)
    assert re.search(r"Pneumonia\s+40\s+50 %", told)
    assert page.count(RESEARCH_ONLY) == 1


def test_an_index_of_many_shows_some_and_of_nothing_little() -> None:
    census = Census()
    for number in range(520):
        census.add(sample_unread(f"{number}.jpg").to_json())
    assert "20 more are in readings.jsonl." in index_page("Readings", census, 520, [])
    names = [Seen(f"C{number}", f"finding {number}", 0.5, Role.FINDING) for number in range(40)]
    few = Census()
    few.add(sample_reading(concepts=tuple(names)).to_json())
    page = index_page("Readings", few, 1, ["page-001.html"])
    assert "The 30 commonest of 40" in page
    assert "Unfinished" not in page
    assert ">Image 1<" in page
    assert "Pages" not in words(index_page("Readings", Census(), 0, []))


def test_style_and_script_are_whole() -> None:
    assert "COLOURS" not in CARD_SCRIPT
    assert "radcapReading" in CARD_SCRIPT
    assert ".reading" in CARD_STYLE
