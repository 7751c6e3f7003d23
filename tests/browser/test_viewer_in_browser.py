"""The viewer in a real browser: what is clicked is seen, keys suffice, nothing hostile runs."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from explanation_samples import blob, sample_explanation
from PIL import Image
from safe_pages import HOSTILE, WATCH

from radcap.explanation.values import Evidence, Kind
from radcap.explanation.viewer import viewer_page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two plain images, and one of which every text is hostile."""
    bad = HOSTILE[0]
    evil = Evidence("k", Kind.CONCEPT, bad, blob(0.5, 0.5, 0.2), note=bad, place=(0, len(bad)))
    images = [
        sample_explanation("first"),
        sample_explanation("second"),
        sample_explanation(bad, caption=bad, evidence=(evil,), rationale=bad, attribution=bad, model=bad),
    ]
    path = tmp_path_factory.mktemp("viewer") / "viewer.html"
    path.write_text(viewer_page([*images, replace(images[0], image="fourth", evidence=())], bad), "utf-8")
    return path


@pytest.fixture
def page(browser: Any, file: Path) -> Iterator[Any]:
    """The page, watched: it must not complain, ask, or send."""
    context = browser.new_context(viewport={"width": 1100, "height": 800})
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
    """The pixels of the picture that is in sight."""
    shot = page.locator(".image:not([hidden]) .stage").screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int)


def chosen(page: Any) -> str:
    return page.locator('.image:not([hidden]) .statement[aria-pressed="true"]').first.inner_text()


def differ(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one - other).max())


def test_a_clicked_word_shows_its_map(page: Any) -> None:
    before = look(page)
    button = page.locator(".image:not([hidden]) .caption button", has_text="pleural effusion")
    button.click()
    layer = page.locator(f'[data-layer="{button.get_attribute("data-mark")}"]')
    assert layer.is_visible()
    assert page.locator(".image:not([hidden]) .layer:not([hidden])").count() == 1
    assert layer.locator(".heat").evaluate("one => one.naturalWidth") > 0
    after = look(page)
    height, width = after.shape[:2]
    there = (slice(int(0.75 * height), int(0.85 * height)), slice(int(0.7 * width), int(0.8 * width)))
    assert differ(before[there], after[there]) > 60  # the map of the effusion lies at 75 % and 80 %
    assert "pleural effusion" in page.locator("#told").text_content()
    assert page.get_by_text("No better than noise or edges").first.is_visible()


def test_keys_alone_lead_everywhere(page: Any) -> None:
    press = page.keyboard.press
    seen = [chosen(page)]
    for _ in range(8):
        press("ArrowRight")
        seen.append(chosen(page))
    assert len(set(seen)) == 8
    assert seen[0] == seen[-1]  # round about
    press("ArrowLeft")
    assert chosen(page) == seen[-2]
    press("j")
    assert page.locator("#position").text_content() == "2 of 4"
    press("ArrowUp")
    press("k")
    assert page.locator("#position").text_content() == "1 of 4"
    press("?")
    assert page.locator("dialog").is_visible()
    press("h")
    press("Escape")
    assert page.locator('[data-toggle="heat"]').get_attribute("aria-pressed") == "true"
    press("?")
    page.locator("#keys").uncheck()
    page.get_by_role("button", name="Close").click()
    press("h")
    assert page.locator('[data-toggle="heat"]').get_attribute("aria-pressed") == "true"


def test_layers_go_and_come(page: Any) -> None:
    whole = look(page)
    shown = {}
    for key, kind in {"h": ".heat", "c": ".contour", "b": ".box"}.items():
        page.keyboard.press(key)
        shown[key] = look(page)
        assert differ(whole, shown[key]) > 20
        assert not page.locator(f".image:not([hidden]) .layer:not([hidden]) {kind}").first.is_visible()
        page.keyboard.press(key)
    assert differ(whole, look(page)) == 0
    page.keyboard.press("r")
    raw = look(page)
    assert np.ptp(raw, axis=-1).max() <= 3  # the picture is grey; only evidence has colour
    page.get_by_role("button", name="Raw").click()
    assert differ(whole, look(page)) == 0


def test_the_slider_changes_the_opacity(page: Any) -> None:
    slider = page.locator("#opacity")
    slider.fill("0")
    faint = look(page)
    slider.focus()
    mark = chosen(page)
    page.keyboard.press("ArrowRight")  # moves the slider, not the statement
    assert chosen(page) == mark
    assert slider.input_value() == "5"
    for _ in range(3):
        page.keyboard.press("+")
    page.keyboard.press("-")
    assert page.locator("#opacity-told").text_content() == "15 %"
    slider.fill("100")
    assert differ(faint, look(page)) > 60


def test_hostile_text_is_only_shown(page: Any) -> None:
    page.locator(".strip-of-images a").nth(2).click()
    assert page.locator("#position").text_content() == "3 of 4"
    assert HOSTILE[0] in page.locator(".image:not([hidden]) .caption").inner_text()
    assert page.locator("img[onerror], script").count() == 1  # our script
    page.locator(".strip-of-images a").nth(3).click()
    page.keyboard.press("ArrowRight")  # no statement to go to
    assert page.locator(".image:not([hidden]) .warning", has_text="No part of the image").is_visible()


def test_narrow_windows_need_no_sideways_scrolling(page: Any, tmp_path: Path) -> None:
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.screenshot(path=tmp_path / "narrow.png")
    drawn = np.asarray(Image.open(tmp_path / "narrow.png").convert("L"))
    assert drawn.std() > 10


def test_without_a_script_every_image_has_its_first_map(browser: Any, file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert page.locator(".stage").count() == 4
    assert all(page.locator(".stage").nth(place).is_visible() for place in range(4))
    assert page.locator(".layer").nth(1).is_visible()
    assert not page.locator(".controls").is_visible()
    context.close()
