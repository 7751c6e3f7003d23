"""Pages of readings in a real browser: a word shows its map, keys and filters work, nothing hostile runs."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from explanation_samples import blob
from PIL import Image
from reading_samples import CONCEPTS, empty_reading, sample_reading, sample_unread
from safe_pages import HOSTILE, WATCH

from radcap.explanation.values import Evidence, Kind
from radcap.reading.page import readings_page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plain reading, one in which nothing was found, one whose every text is hostile, and one not read."""
    bad = HOSTILE[0]
    evil = Evidence("k", Kind.SPAN, bad, blob(0.5, 0.5, 0.2), note=bad, place=(0, len(bad)))
    readings = [
        sample_reading("first.png"),
        empty_reading("second.png"),
        sample_reading(
            bad, caption=bad, evidence=(evil,), concepts=CONCEPTS[1:3], attribution=bad, model=bad
        ),
        sample_unread(),
    ]
    path = tmp_path_factory.mktemp("readings") / "page-001.html"
    path.write_text(readings_page("Readings", readings), "utf-8")
    return path


@pytest.fixture
def page(browser: Any, file: Path) -> Iterator[Any]:
    """The page, watched: it must not complain, ask, or send."""
    context = browser.new_context(viewport={"width": 1100, "height": 700})
    wrong: list[str] = []
    context.on(
        "request", lambda one: wrong.append(one.url) if one.url[:5] not in {"file:", "data:"} else None
    )
    context.add_init_script(WATCH)
    opened = context.new_page()
    opened.on("console", lambda message: wrong.append(message.text))
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    opened.goto(file.as_uri())
    yield opened
    context.close()
    assert wrong == []


def look(page: Any) -> np.ndarray:
    """The pixels of the first picture."""
    shot = page.locator("#reading-1 .stage").screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int)


def spot(seen: np.ndarray, across: float, down: float) -> np.ndarray:
    height, width = seen.shape[:2]
    return seen[int(down * height), int(across * width)]


def shown(page: Any) -> list[str]:
    return [one for one in ("1", "2", "3") if page.locator(f"#reading-{one}").is_visible()]


def test_a_clicked_word_shows_its_map_and_where_it_comes_from(page: Any) -> None:
    raw = look(page)
    page.locator("#reading-1 .word", has_text="right lower lobe pneumonia").click()
    seen = look(page)
    assert np.ptp(spot(seen, 0.3, 0.68)) > 60  # the middle of its map is warm, where the picture is grey
    assert np.ptp(spot(seen, 0.9, 0.1)) <= 3
    line = page.locator("#reading-1 .line")
    assert "70 % from the image itself" in line.inner_text()
    page.locator("#reading-1 .one", has_text="Pleural effusion").click()
    other = look(page)
    assert np.ptp(spot(other, 0.75, 0.8)) > 60
    assert page.locator('#reading-1 [aria-pressed="true"]').count() == 1
    page.keyboard.press("Escape")
    assert np.abs(look(page) - raw).max() == 0
    assert "Choose a word" in line.inner_text()


def test_a_keyboard_alone_shows_a_map_and_takes_it_away(page: Any) -> None:
    raw = look(page)
    page.locator("#reading-1 .word").first.focus()
    page.keyboard.press("Enter")
    assert np.abs(look(page) - raw).max() > 60
    page.keyboard.press("Enter")
    assert np.abs(look(page) - raw).max() == 0
    page.keyboard.press("Enter")
    page.locator("#reading-1 .clear").click()
    assert np.abs(look(page) - raw).max() == 0
    page.locator("#reading-1 .word.bare").first.click()
    assert "No map: " in page.locator("#reading-1 .line").inner_text()
    assert not page.locator("#reading-1 canvas").is_visible()


def test_one_slider_sets_the_opacity_of_all_maps(page: Any) -> None:
    raw = look(page)
    page.locator("#reading-1 .word").nth(1).click()
    strong = look(page)
    page.locator("#reading-3 .over input").fill("0")
    assert page.locator("#reading-1 .over input").input_value() == "0"
    assert np.abs(look(page) - raw).max() == 0
    page.locator("#reading-1 .over input").fill("100")
    assert np.abs(look(page) - strong).max() > 20


def test_letters_lead_from_reading_to_reading(page: Any) -> None:
    at = lambda: page.evaluate("document.activeElement.id")  # noqa: E731
    seen = []
    for key in "jjjjk":
        page.keyboard.press(key)
        seen.append(at())
    assert seen == ["reading-1", "reading-2", "reading-3", "reading-3", "reading-2"]
    page.keyboard.press("?")
    assert page.locator("dialog").is_visible()
    page.locator("#keys").uncheck()
    page.locator("[data-help=close]").click()
    page.keyboard.press("j")
    assert at() != "reading-3"


def test_filters_leave_what_fits(page: Any) -> None:
    page.keyboard.press("/")
    page.keyboard.type("jk effusion")  # letters are text here
    assert shown(page) == []
    assert page.locator(".none").is_visible()
    page.locator("#words").fill("PNEUMONIA effusion")
    assert shown(page) == ["1"]
    assert page.locator("#left").inner_text() == "1 of 3 readings"
    page.locator("#words").fill("")
    page.locator("#modality").select_option("not told")
    assert shown(page) == ["2", "3"]
    page.locator("#modality").select_option("")
    page.locator("#findings").check()
    assert shown(page) == ["1"]
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.id") == "reading-1"  # hidden ones are passed over


def test_hostile_text_is_only_shown(page: Any) -> None:
    assert HOSTILE[0] in page.locator("#reading-3 .caption").inner_text()
    page.locator("#reading-3 .word").click()
    assert HOSTILE[0] in page.locator("#reading-3 .line").inner_text()
    assert page.locator("img[onerror], script").count() == 1  # our script


def test_cards_that_come_later_work_too(page: Any) -> None:
    page.evaluate(
        """() => {
          const card = document.getElementById("reading-1").cloneNode(true);
          card.id = "later";
          document.querySelector("main").prepend(card);
          window.radcapReading.attach(card);
          window.radcapReading.attach(card);
        }"""
    )
    page.locator("#later .word").first.click()
    assert page.locator("#later canvas").is_visible()
    assert not page.locator("#reading-1 canvas").is_visible()


@pytest.mark.parametrize("width", [320, 1280])
def test_no_width_needs_sideways_scrolling(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    page.locator("summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_a_script_all_words_are_there(browser: Any, file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator("#reading-1 .stage img").is_visible()
    assert page.locator("#reading-1 .chance").first.is_visible()
    assert not page.locator(".filters").is_visible()
    assert not page.locator("#reading-1 .over").is_visible()
    context.close()
