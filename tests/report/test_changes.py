"""Cards of images on which two runs differ: words, concepts, scores, pictures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_values import HOSTILE, Reading, check_safe, xml

from radcap.report import Change, change_card, change_groups
from radcap.report.concept_chips import concept_chips, is_concepts, true_chips
from radcap.report.markup import visible
from radcap.report.word_diff import caption, word_diff

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

NAMES = ("old", "new")
PNG = "data:image/png;base64,iVBORw0KGgo="
CAPTION = Change("img_1", 0.25, 0.75, "CT of the chest", "MRI of a knee", "CT of the chest, axial", PNG)
CONCEPTS = Change("img_2", 1.0, 0.5, "C0040405;C0817096", "C0040405;C0817096", "C0040405;C9999999")
WORDS = st.lists(st.sampled_from(["a", "A", "ct", "CT,", "of", "(arrow)", "-", "\u00e9", "<b>"]), max_size=8)


def words_in(made: str, *tags: str) -> list[str]:
    parts = [part for part in xml(f"<x>{made}</x>").iter() if part.tag in tags]
    return [word for part in parts for word in _own_text(part).split()]


def _own_text(part: Element) -> str:
    """The text of an element, less what is only said."""
    said = "".join((child.tail or "") for child in part)
    return f"{part.text or ''} {said}"


def test_shared_words_are_marked_added_ones_said_and_missing_ones_listed() -> None:
    assert word_diff("Axial MRI of the chest.", "CT of the large chest") == (
        '<p><ins><span class="said">(added) </span>Axial MRI</ins> '
        "<mark>of the</mark> <mark>chest.</mark></p>"
        '<p class="missing">missing: <del>CT</del> \u00b7 <del>large</del></p>'
    )


def test_a_perfect_caption_misses_nothing() -> None:
    assert word_diff("ct of the CHEST", "CT of the chest.") == "<p><mark>ct of the CHEST</mark></p>"


@settings(max_examples=200, deadline=None)
@given(WORDS, WORDS)
def test_every_word_is_shown_once_and_every_true_word_is_shared_or_missing(
    given_words: list[str], wanted: list[str]
) -> None:
    made = word_diff(" ".join(given_words), " ".join(wanted))
    check_safe(f"<x>{made}</x>")
    assert words_in(made, "mark", "ins") == given_words
    shared, missing = words_in(made, "mark"), words_in(made, "del")
    assert len(shared) + len(missing) == len(wanted)
    loose = [word.strip("(),.").casefold() or word for word in wanted]
    assert sorted(loose) == sorted(word.strip("(),.").casefold() or word for word in (*shared, *missing))


def test_an_endless_caption_is_cut_and_says_so() -> None:
    made = word_diff("word " * 5_000, "truth")
    assert made.count("word") == 200 + 1
    assert "and 4,800 more words" in made
    assert caption("word " * 201).endswith("<em> and 1 more word</em>")
    assert caption("a < b") == "a &lt; b"


def test_empty_captions_are_named() -> None:
    assert caption("  ") == "<em>empty</em>"
    assert word_diff("", "CT") == '<p><em>empty</em></p><p class="missing">missing: <del>CT</del></p>'
    assert word_diff("", "") == "<p><em>empty</em></p>"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("C0040405;C0817096",), True),
        ((" c0040405 ; C1;",), True),
        (("", "", "C1"), True),
        (("CT of the chest",), False),
        (("C1 is a vertebra",), False),
        (("", "CT", "C1"), False),
        (("", ""), False),
    ],
)
def test_cells_tell_whether_they_hold_concepts(cells: tuple[str, ...], expected: bool) -> None:
    assert is_concepts(*cells) is expected


def test_chips_are_hit_wrong_and_missed_with_a_sign_and_a_word() -> None:
    made = concept_chips("C0040405; c9999999", "C0040405;C0817096", {"C0040405": "CT <x>"})
    assert made == (
        '<ul class="chips">'
        '<li class="hit"><span aria-hidden="true">\u2713</span><span class="said">hit: </span>'
        "<code>C0040405</code> CT &lt;x&gt;</li>"
        '<li class="wrong"><span aria-hidden="true">\u2717</span><span class="said">wrong: </span>'
        "<code>C9999999</code></li>"
        '<li class="missed"><span aria-hidden="true">\u25cb</span><span class="said">missed: </span>'
        "<code>C0817096</code></li></ul>"
    )


CUIS = st.sets(st.sampled_from([f"C{number}" for number in range(9)]))


@settings(max_examples=100, deadline=None)
@given(CUIS, CUIS)
def test_chips_are_the_sets(predicted: set[str], truth: set[str]) -> None:
    tree = xml(f"<x>{concept_chips(';'.join(predicted), ';'.join(truth), {})}</x>")
    found: dict[str, set[str]] = {"hit": set(), "wrong": set(), "missed": set()}
    for chip in tree.iter("li"):
        found[chip.get("class", "")].add(chip.findtext("code", ""))
    assert found == {"hit": predicted & truth, "wrong": predicted - truth, "missed": truth - predicted}


def test_chips_of_nothing_and_of_too_much() -> None:
    assert concept_chips("", " ; ", {}) == true_chips("", {}) == "<em>none</em>"
    many = ";".join(f"C{number}" for number in range(100))
    for made in (true_chips(many, {}), concept_chips(many, "", {})):
        assert made.count("<code>") == 60
        assert made.endswith("<li>and 40 more</li></ul>")


def test_a_card_has_id_difference_truth_both_names_and_both_scores() -> None:
    found = check_safe(change_card(CAPTION, NAMES))
    assert found.text("code") == "img_1"
    said = found.text("span").replace("(added)", "").split()
    assert said == ["\u25b2", "+0.500000", "0.250000", "0.750000"]
    assert found.text("bdi") == "old new"
    assert found.text("h5").strip() == "Truth"
    assert "CT of the chest" in found.text("div")
    worse = change_card(CONCEPTS, NAMES)
    assert "\u25bc</span> -0.500000" in worse
    assert worse.count('class="hit"') == 3
    assert "X-ray computed tomography" in worse


def test_names_of_concepts_can_be_given() -> None:
    assert "Another name" in change_card(CONCEPTS, NAMES, {"C0040405": "Another name"})


def test_the_alternative_of_a_picture_is_its_caption_or_its_id() -> None:
    pictures = [CAPTION, replace(CONCEPTS, image=PNG), replace(CAPTION, truth="", image=PNG)]
    alternatives = [Reading(change_card(one, NAMES)).named("img")[0]["alt"] for one in pictures]
    assert alternatives == ["CT of the chest", "Image img_2", "Image img_1"]


@pytest.mark.parametrize(
    "image",
    [
        None,
        "",
        "https://example.org/x.png",
        "file:///etc/passwd",
        "data:text/html;base64,AAAA",
        "data:image/svg+xml;base64,AAAA",
        'data:image/png;base64,AAAA" onerror="x',
        "data:image/png;base64,AAAA\n",
    ],
)
def test_only_a_picture_made_of_dots_inside_the_page_is_shown(image: str | None) -> None:
    assert Reading(change_card(replace(CAPTION, image=image), NAMES)).named("img") == []


def test_groups_keep_the_order_given_and_leave_out_what_did_not_change() -> None:
    changes = [
        replace(CAPTION, id="b"),
        CONCEPTS,
        replace(CAPTION, id="a"),
        replace(CAPTION, id="same", second=0.25),
    ]
    found = check_safe(f"<x>{change_groups(changes, NAMES)}</x>")
    assert [data for tag, data in found.texts if tag == "h3"] == [
        "Improved most: new scores higher than old",
        "Worsened most: new scores lower than old",
    ]
    ids = [data for tag, data in found.texts if tag == "code" and not data.startswith("C")]
    assert ids == ["b", "a", "img_2"]


def test_a_group_without_images_has_no_heading_and_the_legend_fits_the_task() -> None:
    captions, concepts = change_groups([CAPTION], NAMES), change_groups([CONCEPTS], NAMES)
    assert captions.count("<h3>") == concepts.count("<h3>") == 1
    assert "<mark>underlined</mark>" in captions
    assert "\u2713 hit, \u2717 wrong, \u25cb missed." in concepts


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_anywhere_in_a_card(text: str) -> None:
    change = Change(text, 0.1, 0.9, text, text, f"x {text}", text)
    found = check_safe(f"<x>{change_groups([change], (text, text))}</x>")
    assert visible(text) in found.text("code")
    assert found.text("bdi") == f"{visible(text)} {visible(text)}"
    assert found.named("img") == []
