"""Figures: every form of picture and caption, and what must be said in words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from explanation_samples import CAPTION, blob, sample_evidence, sample_explanation
from PIL import Image

from radcap.explanation.faithfulness.values import Sanity
from radcap.explanation.pictures import boxes_of, figure, lettering
from radcap.explanation.pictures.badge import badge
from radcap.explanation.pictures.caption_block import caption_block
from radcap.explanation.pictures.colours import TAGS, WARNING, tag
from radcap.explanation.pictures.key import key, speaks_against
from radcap.explanation.pictures.layout import below, beside, framed
from radcap.explanation.pictures.lettering import drawable, text_block, text_width, wrapped
from radcap.explanation.pictures.numbers import number_of, numbers_of, pieces
from radcap.explanation.pictures.panel import panel, panel_size
from radcap.explanation.pictures.sentences import (
    NOTHING,
    faithfulness_verdict,
    kind_words,
    origin_sentence,
    place_note,
    sanity_sentence,
    warnings,
    without_map,
)
from radcap.explanation.values import Evidence, Explanation, Kind, Origin

FAILED = Sanity(("all",), (0.93,))


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every text that is drawn as a block."""
    texts: list[str] = []
    real = lettering.wrapped

    def noted(text: str, size: int, width: int, most: int = 99) -> list[str]:
        texts.append(text)
        return real(text, size, width, most)

    monkeypatch.setattr(lettering, "wrapped", noted)
    return texts


def holds(image: Image.Image, colour: tuple[int, int, int]) -> bool:
    return bool((np.asarray(image) == colour).all(axis=-1).any())


def many(count: int) -> tuple[Evidence, ...]:
    relevance = blob(0.4, 0.4, 0.2)
    return tuple(
        Evidence(f"k{n}", Kind.CONCEPT, f"finding {n}", relevance, cui=f"C{n}", boxes=boxes_of(relevance))
        for n in range(count)
    )


@pytest.mark.parametrize(
    "size", [(128, 128), (200, 50), (50, 200), (3, 5), (1, 1), (900, 1400)], ids=lambda size: f"{size}"
)
def test_pictures_of_any_form_give_a_figure(size: tuple[int, int]) -> None:
    made = figure(sample_explanation(size=size))
    assert 760 <= made.width <= 2600
    assert 300 <= made.height <= 1600


def test_the_figure_names_all_that_a_reader_needs(said: list[str]) -> None:
    made = figure(sample_explanation())
    for colour in TAGS[:3]:
        assert holds(made, colour)
    text = "\n".join(said)
    for wanted in (
        "p 0.87",
        "pleural effusion",
        "not localisable: the whole image is one",
        "Better than noise and edges, by 0.20.",
        "No better than noise or edges (-0.10)",
        "Method: hires-cam",
        "Computed from the model zoo:captions itself.",
        "Passes its sanity check",
        "“small” and “a”: the word follows",
        "“catheter”: no part of the image was found",
        "In the viewer: maps of 1 single word.",
        "Why: Pneumonia is said",
        "The picture was cut",
        "Drawn for tests, CC0",
        "Research software, not for diagnosis.",
        "against:",
    ):
        assert wanted in text
    assert NOTHING not in text
    assert not holds(text_block("", 10, 10), WARNING)


def test_another_models_maps_and_a_failed_check_are_warned_of(said: list[str]) -> None:
    made = figure(sample_explanation(origin=Origin.EXTERNAL, sanity=FAILED, evidence=many(1)))
    text = "\n".join(said)
    assert text.count("Drawn by another model: says nothing about the model that wrote the caption.") == 1
    assert text.count("FAILS its sanity check") == 1
    assert "itself" not in text
    assert "against:" not in text
    assert holds(made, WARNING)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 11])
def test_any_number_of_statements(count: int, said: list[str]) -> None:
    made = figure(sample_explanation(evidence=many(count)))
    assert made.width <= 2100
    assert ("and 3 more in the viewer" in said) == (count == 11)
    assert sum(text.startswith("finding") for text in said) == min(count, 8)


def test_without_any_map_the_figure_says_so(said: list[str]) -> None:
    figure(sample_explanation(evidence=(), rationale=" ", caption=" "))
    assert NOTHING in said
    assert "No caption." in said
    assert not any(text.startswith(("Why", "Lines", "relevance")) for text in said)


def test_many_reasons_are_counted(said: list[str]) -> None:
    lacking = tuple(Evidence(f"k{n}", Kind.WORD, "w", None, note=f"reason {n}") for n in range(9))
    figure(sample_explanation(evidence=lacking))
    assert "In the viewer: 3 more reasons for missing maps." in said


@pytest.mark.parametrize(
    "caption",
    ["放射線 肺炎", "\x1b[31m \x00 \u202e odd \ud800", "w" * 400, "a\nb\tc", "é ? \u2013 naïve", "🫁"],
)
def test_any_caption_is_drawn(caption: str) -> None:
    whole = replace(many(1)[0], place=(-3, 10_000))
    drawn = figure(sample_explanation(caption=caption, evidence=(whole,)))
    assert len(set(drawn.convert("L").tobytes())) > 16  # a picture, and no blank


def test_letters_that_the_font_lacks_are_announced(said: list[str]) -> None:
    figure(sample_explanation(caption="放?"))
    assert any("Letters drawn as ?" in text for text in said)
    said.clear()
    figure(sample_explanation(caption="why?"))
    assert not any("Letters drawn as ?" in text for text in said)


@pytest.mark.parametrize(
    ("text", "drawn"),
    [("plain ?", "plain ?"), ("naïve é", "naive e"), ("a\u2013b", "a-b"), ("放", "?"), ("\x07", r"\u0007")],
)
def test_letters_become_plain_ones_or_a_question(text: str, drawn: str) -> None:
    assert drawable(text) == drawn


def test_lines_fit_and_the_last_ends_in_an_ellipsis() -> None:
    lines = wrapped("one two three four five " + "x" * 60, 20, 100)
    assert all(text_width(line, 20) <= 100 for line in lines)
    assert "".join(lines).replace(" ", "") == "onetwothreefourfive" + "x" * 60
    cut = wrapped("one two three four five", 20, 60, most=2)
    assert len(cut) == 2
    assert cut[1].endswith("…")
    assert wrapped("wwwwwwwww", 20, 1, most=1) == ["…"]
    assert wrapped(" ", 20, 100) == []


def test_pieces_put_together_are_the_caption() -> None:
    made = pieces("abcdef", [_placed(1, 4), _placed(3, 5), _placed(1, 2), replace(_placed(0, 1), place=None)])
    assert "".join(piece.text for piece in made) == "abcdef"
    assert [(piece.text, piece.numbers, piece.begins) for piece in made] == [
        ("a", (), ()),
        ("b", (1, 3), (1, 3)),
        ("c", (1,), ()),
        ("d", (1, 2), (2,)),
        ("e", (2,), ()),
        ("f", (), ()),
    ]


def _placed(first: int, last: int) -> Evidence:
    return Evidence("k", Kind.SPAN, "l", blob(0.5, 0.5, 0.2, (8, 8)), place=(first, last))


def test_a_caption_has_the_colours_of_its_statements_and_wraps() -> None:
    shown = sample_explanation().shown
    wide, narrow = caption_block(CAPTION, shown, 1200), caption_block(CAPTION, shown, 200)
    assert narrow.height > wide.height
    assert all(holds(wide, tag(number)) for number in (1, 2, 3))
    assert caption_block("abcdef", [_placed(0, 3), _placed(2, 4)], 300).height == wide.height
    assert caption_block("", (), 300).height == 0


def test_badges_of_two_digits_are_wider() -> None:
    assert badge(12, 20).width > badge(9, 20).width
    assert holds(badge(1, 20), tag(1))


def test_every_kind_has_words() -> None:
    assert len({kind_words(kind) for kind in Kind}) == len(Kind)


def test_one_number_for_a_concept_and_its_words() -> None:
    assert numbers_of(sample_explanation()) == {"C0032285": 1, "C0032227": 2, "C1306645": 3}
    marked = [number_of(numbers_of(sample_explanation()), one) for one in sample_evidence()]
    assert marked == [3, 1, 1, 2, None, None, None, None]


@pytest.mark.parametrize(
    ("size", "shape"), [((100, 100), (300, 300)), ((100, 400), (112, 450)), ((400, 100), (450, 112))]
)
def test_long_pictures_may_be_longer(size: tuple[int, int], shape: tuple[int, int]) -> None:
    assert panel_size(*size, 300) == shape
    assert panel_size(1, 10_000, 300)[0] == 1


@pytest.mark.parametrize(
    ("sanity", "start"),
    [
        (None, "Sanity check: not run."),
        (Sanity((), ()), "Sanity check: no layer could be made noise."),
        (Sanity(("all",), (0.1,)), "Passes its sanity check"),
        (FAILED, "FAILS its sanity check"),
    ],
)
def test_what_is_said_of_the_sanity_check(sanity: Sanity | None, start: str) -> None:
    assert sanity_sentence(sanity).startswith(start)
    made = sample_explanation(sanity=sanity)
    assert bool(warnings(made)) == start.startswith(("FAILS", "Sanity check: no layer"))
    assert "itself" in origin_sentence(made)


def test_what_is_said_of_places_and_missing_maps() -> None:
    plain = Evidence("k", Kind.WORD, "l", None)
    assert place_note(plain) == ""
    assert place_note(replace(plain, localisable=False)) == "not localisable: it has no single place"
    assert len(without_map(sample_evidence())) == 2
    assert [faithfulness_verdict(one.faithfulness)[:6] for one in sample_evidence() if one.faithfulness] == [
        "Better",
        "No bet",
    ]


def test_a_key_is_narrow_where_it_must_be() -> None:
    made: Explanation = sample_explanation()
    assert speaks_against(made)
    assert key(made, 400).width <= 400
    assert key(made, 900).height < key(made, 400).height


def test_a_panel_without_a_map_is_the_picture() -> None:
    made, title = sample_explanation(size=(30, 30)), Image.new("RGB", (200, 25))
    bare = replace(made.shown[0], map=None, boxes=(), faithfulness=None, note="")
    drawn = panel(made.picture, bare, 1, 30, title)
    assert (np.asarray(drawn)[31:, :30] == made.picture).all()


def test_layout_keeps_everything() -> None:
    part, none = Image.new("RGB", (10, 4), (1, 2, 3)), Image.new("RGB", (99, 0))
    assert below([part, none, part], 5).size == (10, 13)
    assert beside([part, part], 5).size == (25, 4)
    assert framed(part, 2, 20).size == (24, 8)
    assert below([], 5).height == beside([], 5).height == 0
