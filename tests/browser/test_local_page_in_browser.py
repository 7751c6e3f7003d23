"""The local page in a real browser: drop, read, click, save, with the mouse and without."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PIL import Image
from safe_pages import HOSTILE, WATCH
from serving_samples import served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from serving_samples import Client

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")

DROP = """(files) => {
  const held = new DataTransfer();
  for (const [name, text] of files) held.items.add(new File([text], name));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: held, bubbles: true, cancelable: true }));
}"""
PASTE = """(name) => {
  const held = new DataTransfer();
  held.items.add(new File(["bytes"], name));
  document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: held, bubbles: true }));
}"""


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with served() as made:
        yield made


@pytest.fixture
def page(browser: Any, client: Client) -> Iterator[Any]:
    """The page, watched: it asks its own server alone, and breaks no rule."""
    context = browser.new_context(viewport={"width": 1100, "height": 800})
    home = client.server.site.gate.address
    own = (home, f"blob:{home}", "data:")
    wrong: list[str] = []
    context.on("request", lambda one: None if one.url.startswith(own) else wrong.append(one.url))
    context.add_init_script(WATCH)
    opened = context.new_page()
    # a browser writes down each answer that is no success, and some of ours are to be none
    opened.on("console", lambda told: None if "status of 4" in told.text else wrong.append(told.text))
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    opened.goto(home)
    opened.locator(".state.ready").wait_for()
    yield opened
    context.close()
    assert wrong == []


def look(page: Any) -> np.ndarray:
    shot = page.locator(".reading .stage").first.screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int)


def told(page: Any, part: str) -> None:
    sync_api.expect(page.locator("#told")).to_contain_text(part)


def test_a_dropped_image_is_read_and_a_clicked_word_shows_its_map(page: Any) -> None:
    page.evaluate(DROP, [["chest.png", "bytes"]])
    page.locator(".reading").wait_for()
    told(page, "chest.png is read: Plain x-ray, Chest")
    assert page.locator("#line li").count() == 0
    before = look(page)
    page.locator(".reading .word", has_text="pleural effusion").click()
    assert page.locator(".reading .stage canvas").is_visible()
    assert np.abs(look(page) - before).max() > 60
    assert "pleural effusion" in page.locator(".reading .line").inner_text()
    page.locator(".reading .over input").fill("0")
    assert np.abs(look(page) - before).max() <= 3
    assert "Doe et al." in page.locator(".reading .near").inner_text()  # whose the nearest case is


def test_several_images_come_in_turn_and_refusals_stay(page: Any) -> None:
    page.evaluate(DROP, [["one.png", "1"], ["cat.jpg", "2"], ["empty.png", ""], ["two.png", "3"]])
    page.locator(".reading").nth(1).wait_for()
    wrong = page.locator("#line .wrong")
    sync_api.expect(wrong).to_have_count(2)
    assert "does not look like a radiology image (probability <1 %)" in wrong.first.inner_text()
    assert "Give an image file." in wrong.last.inner_text()
    assert wrong.last.get_by_role("button", name="Read it all the same").count() == 0
    wrong.first.get_by_role("button", name="Read it all the same").click()
    page.locator(".reading").nth(2).wait_for()
    assert page.locator(".reading h2 code").all_inner_texts() == ["cat.jpg", "two.png", "one.png"]
    page.get_by_role("button", name="Dismiss empty.png").click()
    assert not page.locator("#line-section").is_visible()


def test_keys_alone_suffice(page: Any) -> None:
    page.locator("#files").focus()
    focused = "document.activeElement"
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate(f"{focused}.dataset.example ?? ''"):
            break
    page.keyboard.press("Enter")
    page.locator(".reading").wait_for()
    for _ in range(20):  # readings stand before the examples
        page.keyboard.press("Shift+Tab")
        if page.evaluate(f"{focused}.matches('.reading .word[data-map]')"):
            break
    page.keyboard.press("Enter")
    assert page.locator(".reading .stage canvas").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator(".reading .stage canvas").is_visible()
    page.get_by_role("button", name="Remove RadBench").press("Enter")
    assert page.locator(".reading").count() == 0
    assert page.evaluate(f"{focused}.id") == "files"


def test_what_is_saved_is_the_reading_and_its_reports(page: Any) -> None:
    page.evaluate(PASTE, "a b.png")
    page.locator(".reading").wait_for()
    saved = {}
    names = ["Reading (JSON)", "Report (text)", "Report (HTML)", "Report (JSON)", "Report (FHIR)"]
    for name in [*names, "Save all as JSON lines"]:
        with page.expect_download() as coming:
            page.get_by_role("button", name=name).click()
        saved[coming.value.suggested_filename] = Path(coming.value.path()).read_text("utf-8")
    assert list(saved)[:3] == ["a-b.reading.json", "a-b.report.txt", "a-b.report.html"]
    assert json.loads(saved["a-b.reading.json"])["image"] == "a b.png"
    assert json.loads(saved["a-b.report.fhir.json"])["resourceType"]
    assert [json.loads(one)["image"] for one in saved["readings.jsonl"].splitlines()] == ["a b.png"]


def test_files_that_are_too_large_are_not_sent(page: Any) -> None:
    page.evaluate("document.getElementById('desk').dataset.limit")  # it is told to the page
    large = "(files) => { Object.defineProperty(File.prototype, 'size', { value: 65 * 2 ** 20 }); }"
    page.evaluate(large, [])
    page.evaluate(DROP, [["big.png", "1"]])
    sync_api.expect(page.locator("#line .wrong")).to_contain_text("larger than 64 MB")
    page.evaluate(DROP, [])
    told(page, "Addresses are not fetched.")


def test_hostile_names_are_only_shown(page: Any) -> None:
    page.evaluate(DROP, [[HOSTILE[0].replace("/", ""), "1"], [f"cat{HOSTILE[0].replace('/', '')}", "1"]])
    page.locator(".reading").wait_for()
    page.locator("#line .wrong").wait_for()
    assert page.locator("img[onerror]").count() == 0
    assert page.locator("script").count() == 1


def test_narrow_windows_need_no_sideways_scrolling(page: Any) -> None:
    page.set_viewport_size({"width": 320, "height": 700})
    page.evaluate(DROP, [["chest.png", "1"], ["cat.jpg", "1"]])
    page.locator(".reading").wait_for()
    page.locator("#line .wrong").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_the_page_says_that_the_server_has_ended(browser: Any) -> None:
    with served() as short:
        page = browser.new_context().new_page()
        page.goto(short.server.site.gate.address)
        page.locator(".state.ready").wait_for()
    page.evaluate(DROP, [["chest.png", "1"]])
    sync_api.expect(page.locator("#line .wrong")).to_contain_text("radcap has ended")
    assert page.get_by_role("button", name="Try again").is_visible()
    page.context.close()
