"""A reading in a terminal: the words, the widths, the colours, and pictures by each protocol."""

from __future__ import annotations

import base64
import io
import re
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PIL import Image
from reading_samples import empty_reading, sample_reading

from radcap.captioning.grammar import Role
from radcap.cli.read_view import bar, shown_map, view
from radcap.cli.terminal_picture import Way, drawn, side_by_side, way_here
from radcap.explanation.values import Case
from radcap.reading.telling import certainty, kind_of, origin_of, percent, radiology_sentence
from radcap.reading.values import Seen

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


class Screen(io.StringIO):
    """A terminal as stdout."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes stdout a terminal of so many columns."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)

    def make(columns: int) -> None:
        monkeypatch.setattr(sys, "stdout", Screen())
        monkeypatch.setenv("COLUMNS", str(columns))

    return make


@pytest.mark.parametrize(
    ("p", "word", "figure"),
    [
        (None, "decided", "-"),
        (1.0, "almost certain", ">99 %"),
        (0.95, "almost certain", "95 %"),
        (0.9499, "almost certain", "95 %"),  # the word fits the number that is printed
        (0.7, "likely", "70 %"),
        (0.45, "as likely as not", "45 %"),
        (0.1, "very unlikely", "10 %"),
        (0.0, "most unlikely", "<1 %"),
    ],
)
def test_words_for_probabilities(p: float | None, word: str, figure: str) -> None:
    assert (certainty(p), percent(p)) == (word, figure)


def test_other_words() -> None:
    assert [kind_of(role) for role in Role] == ["modality", "view", "region", "finding", "other"]
    assert origin_of(Case("a", 1.0, licence="CC0")) == "CC0"
    assert origin_of(Case("a", 1.0, attribution="Doe, CC BY 4.0", licence="CC BY 4.0")) == "Doe, CC BY 4.0"
    assert origin_of(Case("a", 1.0)) == ""
    assert radiology_sentence(None) == ""
    assert radiology_sentence(0.6) == "a radiology image: likely (60 %)"


def test_everything_of_a_reading_is_told_in_order() -> None:
    text = view(sample_reading())
    parts = (
        *(
            "chest.png",
            "A radiology image: almost certain (>99 %)",
            "modality  Plain x-ray",
            "region    Chest",
        ),
        *("view      Sagittal", "finding   Pneumonia", "C0032285  87 %", "other     Catheter"),
        *("Chest radiograph showing", "0.93  case-1", "Pneumonia of the lower lobe. (original caption)"),
        *("Doe et al. 2020 (CC BY 4.0)", "0.88  case-2", "cut to a square", "Image: Drawn for tests, CC0"),
    )
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "\x1b" not in text
    assert "          Pleural effusion" in text  # its kind stands above


def test_a_long_name_and_a_long_word_share_a_line_of_eighty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    seen = Seen("C0024485", "Magnetic Resonance Imaging", 0.5, Role.MODALITY)
    lines = view(replace(sample_reading(), concepts=(seen,))).splitlines()
    assert "modality  Magnetic Resonance Imaging  C0024485  50 %  ███  as likely as not" in lines


def test_nothing_seen_is_said() -> None:
    text = view(empty_reading())
    assert "No concept was decided for." in text
    assert "No caption was written." in text
    assert "Nearest" not in text
    bare = replace(empty_reading(), radiology=None, attribution="")
    assert "radiology image" not in view(bare)
    assert "Image:" not in view(bare)


@pytest.mark.parametrize("columns", [40, 56, 75, 80, 120])
def test_it_fits_the_terminal(columns: int, screen: Any) -> None:
    screen(columns)
    long = Seen("C0024485", "Magnetic Resonance Imaging of quite some length", 0.51, Role.FINDING)
    found = replace(sample_reading(), concepts=(*sample_reading().concepts, long))
    text = view(found)
    assert "\x1b[1m" in text
    plain = ESCAPES.sub("", text)
    assert max(map(len, plain.splitlines())) <= columns
    for seen in sample_reading().concepts:
        assert f"{seen.cui}  " in plain
    assert ("modality" in plain) == (columns >= 76)


def test_names_cannot_steer_a_terminal(screen: Any) -> None:
    screen(80)
    hostile = replace(
        sample_reading("\x1b]0;owned\x07\u202e\n.png"),
        caption="a\x1b[2Jb",
        attribution="[bold]me[/bold] :smile:",
        neighbours=(Case("\x9b31m", 0.5, "c\rd"),),
    )
    text = view(hostile)
    assert {char for char in ESCAPES.sub("", text) if not char.isprintable()} == {"\n"}
    assert "\\u001b]0;owned\\u0007\\u202e\\u000a.png" in text
    assert "[bold]me[/bold] :smile:" in text


def test_bars_have_eighths_where_the_encoding_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (bar(1.0, 3), bar(0.0, 3), bar(1 / 24, 3), bar(7.0, 2)) == ("███", "", "▏", "██")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    assert (bar(1.0, 3), bar(0.4, 10)) == ("###", "####")
    assert view(sample_reading("\u80ba.png")).isascii()


def test_the_map_that_is_shown_is_that_of_a_finding() -> None:
    assert getattr(shown_map(sample_reading()), "key", "") == "pneumonia"
    assert shown_map(sample_reading(maps=False)) is None


ENVIRONMENTS = {
    "kitty": ({"TERM": "xterm-kitty"}, Way.KITTY),
    "a window of kitty": ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, Way.KITTY),
    "ghostty": ({"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, Way.KITTY),
    "iTerm2": ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, Way.ITERM),
    "iTerm2 from afar": ({"TERM": "xterm-256color", "LC_TERMINAL": "iTerm2"}, Way.ITERM),
    "WezTerm": ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, Way.ITERM),
    "true colour": ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, Way.BLOCKS),
    "tmux in kitty": ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1", "COLORTERM": "24bit"}, Way.BLOCKS),
    "no colour wanted": ({"TERM": "xterm", "COLORTERM": "truecolor", "NO_COLOR": "1"}, Way.NEVER),
    "sixteen colours": ({"TERM": "xterm"}, Way.NEVER),
    "dumb": ({"TERM": "dumb", "COLORTERM": "truecolor"}, Way.NEVER),
    "nothing known": ({}, Way.NEVER),
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_picture_is_shown_where_the_terminal_says_it_can(name: str) -> None:
    environment, way = ENVIRONMENTS[name]
    assert way_here(Way.AUTO, environment, True, "utf-8") is way
    assert way_here(Way.AUTO, environment, False, "utf-8") is Way.NEVER
    assert way_here(Way.BLOCKS, environment, False, "ascii") is Way.BLOCKS
    assert way_here(Way.AUTO, environment, True, "ascii") in (Way.KITTY, Way.ITERM, Way.NEVER)


def noise(height: int = 90, width: int = 120) -> Any:
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8)


def test_kitty_gets_the_whole_picture_in_pieces() -> None:
    sent = drawn(noise(), Way.KITTY, 50)
    pieces = re.findall(r"\x1b_G(.*?);(.*?)\x1b\\", sent)
    assert "".join(f"\x1b_G{head};{piece}\x1b\\" for head, piece in pieces) == sent
    assert pieces[0][0] == "a=T,f=100,q=2,c=50,m=1"
    assert [head for head, _ in pieces[1:]] == ["m=1"] * (len(pieces) - 2) + ["m=0"]
    assert max(len(piece) for _, piece in pieces) == 4096
    png = base64.b64decode("".join(piece for _, piece in pieces))
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(png))), noise())
    assert ",m=0;" in drawn(noise(2, 2), Way.KITTY, 50)


def test_iterm_gets_the_picture_at_once() -> None:
    sent = drawn(noise(), Way.ITERM, 50)
    found = re.fullmatch(r"\x1b\]1337;File=inline=1;size=(\d+);width=50;preserveAspectRatio=1:(.*)\x07", sent)
    assert found
    png = base64.b64decode(found[2])
    assert len(png) == int(found[1])
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(png))), noise())


def test_half_blocks_are_two_pixels_each() -> None:
    picture = np.zeros((4, 2, 3), np.uint8)
    picture[1] = (1, 2, 3)
    cell, black = "\x1b[38;2;0;0;0;48;2;1;2;3m\u2580", "\x1b[38;2;0;0;0;48;2;0;0;0m\u2580"
    assert drawn(picture, Way.BLOCKS, 2) == f"{cell * 2}\x1b[0m\n{black * 2}\x1b[0m"
    assert drawn(noise(1, 900), Way.BLOCKS, 10).count("\n") == 0
    assert side_by_side(picture, picture).shape == (4, 12, 3)
