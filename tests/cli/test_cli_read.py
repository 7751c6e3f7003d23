"""radcap read: what goes out in which form, and what is refused; the reader itself is a fake."""

from __future__ import annotations

import io
import json
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import Command, Done
from reading_samples import broken_unread, sample_reading, sample_unread

from radcap.core import UsageError
from radcap.reading import opening, serving
from radcap.reading.values import RESEARCH_ONLY, Reading, Unread


class FakeReader:
    """Takes names for what they say: a cat is no radiology image, and what is broken is not read."""

    def __init__(self, model: str, **options: Any) -> None:
        self.model, self.options = model, options
        self.name, self.maps, self.cases = model, options["maps"], options["cases"]
        self.anyway = options["anyway"]
        self.asked = 0

    def __call__(self, dataset: Any, progress: Any = None) -> Iterator[Reading | Unread]:
        for record in dataset:
            self.asked += 1
            if progress is not None:
                progress("images", self.asked)
            yield self.one(record.image.key)

    def one(self, name: str) -> Reading | Unread:
        stem = Path(name).stem
        if stem == "stop":
            raise KeyboardInterrupt
        if stem == "cat":
            return sample_unread(name)
        return broken_unread(name) if stem == "broken" else sample_reading(name, self.options["maps"])


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[FakeReader]:
    """The readers that were opened."""
    made: list[FakeReader] = []

    def fake(model: str, **options: Any) -> FakeReader:
        made.append(FakeReader(model, **options))
        return made[-1]

    monkeypatch.setattr(opening, "open_reader", fake)
    return made


@pytest.fixture
def read(
    tmp_path: Path, radcap: Command, opened: list[FakeReader], monkeypatch: pytest.MonkeyPatch
) -> Command:
    """`radcap read` in a folder with files whose names say what the reader makes of them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    for name in ("a", "b", "cat", "broken", "stop"):
        Path(f"{name}.png").touch()

    def call(*arguments: str | Path) -> Done:
        done = radcap("read", *arguments)
        assert "Traceback" not in done.err
        return done

    return call


def test_a_view_of_each_image_and_once_what_it_is_for(read: Command, opened: list[FakeReader]) -> None:
    done = read("a.png", "b.png")
    assert (done.code, done.err) == (0, "")
    first, second = done.out.index("a.png"), done.out.index("b.png")
    assert first < done.out.index("Plain x-ray") < second
    assert done.out.count("right lower lobe pneumonia with") == 2
    assert done.out.count(RESEARCH_ONLY) == 1
    assert done.out.rstrip().endswith(RESEARCH_ONLY)
    assert "--out DIR writes a page with maps" in done.out
    assert opened[0].options == {"maps": False, "cases": 3, "anyway": False, "device": "auto"}
    assert opened[0].model == "zoo:captions"


def test_what_is_not_read_is_talk_and_a_finding(read: Command) -> None:
    done = read("cat.png", "a.png", "broken.png")
    assert done.code == 1
    assert "cat.png does not look like a radiology image (probability 0.002)" in done.err
    assert "broken.png cannot be read (IMG003)" in done.err
    assert "Not read: 2 of 3 images." in done.err
    assert "cat" not in done.out
    assert "Pneumonia" in done.out
    alone = read("cat.png")
    assert (alone.code, alone.out) == (1, "")


def test_json_is_a_value_on_a_line_for_each_image(read: Command, opened: list[FakeReader]) -> None:
    done = read(
        "a.png", "cat.png", "--json", "--model", "mine", "--anyway", "--cases", "1", "--device", "cpu"
    )
    first, second = map(json.loads, done.out.splitlines())
    assert done.code == 1
    assert (first["image"], first["modality"]["cui"], first["use"]) == ("a.png", "C1306645", RESEARCH_ONLY)
    assert first["explanations"]
    assert (second["image"], second["radiology"]) == ("cat.png", 0.002)
    assert (opened[0].model, opened[0].options["cases"]) == ("mine", 1)
    assert opened[0].options == {"maps": True, "cases": 1, "anyway": True, "device": "cpu"}
    alone = read("a.png", "--json", "--no-maps")
    assert (alone.code, alone.out.count("\n")) == (0, 1)
    assert json.loads(alone.out)["explanations"] == []


def test_a_picture_that_is_asked_for_has_its_map(read: Command, opened: list[FakeReader]) -> None:
    done = read("a.png", "--picture", "blocks")
    assert opened[0].options["maps"]
    assert "\x1b[38;2;" in done.out
    assert "right where 'right lower lobe pneumonia' comes from (hires-cam)" in done.out
    assert "--out DIR" not in done.out
    without = read("a.png", "--picture", "kitty", "--no-maps")
    assert "\x1b_Ga=T,f=100,q=2,c=72,m=" in without.out
    assert "there is no map to show" in without.out
    assert "\x1b" not in read("a.png", "--picture", "auto").out


def test_reports_on_stdout(read: Command) -> None:
    text = read("a.png", "b.png", "--report", "text")
    assert (text.code, text.err) == (0, "")
    assert text.out.count("IMPRESSION") == 2
    assert text.out.count("=" * 80) == 1
    one = read("a.png", "--report", "fhir")
    assert json.loads(one.out)["resourceType"]
    several = read("a.png", "cat.png", "b.png", "--report", "fhir")
    assert several.code == 1
    assert [json.loads(line) for line in several.out.splitlines()][1]["resourceType"]
    page = read("a.png", "--report", "html").out
    assert page.lower().startswith("<!doctype html>")
    refused = read("a.png", "b.png", "--report", "html")
    assert (refused.code, refused.out) == (2, "")
    assert "there are 2 images. Give --out DIR too." in refused.err


def test_reports_as_files(read: Command) -> None:
    Path("deep").mkdir()
    Path("deep/a.jpg").touch()
    done = read("a.png", "deep/a.jpg", "cat.png", "--report", "json", "--out", "reports")
    assert done.code == 1
    assert f"reports: 2 reports. {RESEARCH_ONLY}" in done.out
    files = sorted(Path("reports").iterdir())
    assert [one.name for one in files] == ["a-2.json", "a.json"]
    assert all(json.loads(one.read_text("utf-8")) for one in files)
    again = read("b.png", "--report", "text", "--out", "reports")
    assert (again.code, "reports is not empty" in again.err) == (2, True)
    onto = read("b.png", "--report", "text", "--out", "a.png")
    assert (onto.code, "a.png is a file" in onto.err) == (2, True)


def test_a_folder_of_pages(read: Command) -> None:
    done = read("a.png", "cat.png", "b.png", "--out", "readings")
    assert done.code == 1
    assert done.out.startswith("readings: 2 images read\nLook at readings/")
    assert RESEARCH_ONLY in done.out
    assert "cat.png does not look like a radiology image" in done.err
    page = Path(done.out.splitlines()[1].split()[2])
    assert "Pneumonia" in page.read_text("utf-8")
    again = read("a.png", "cat.png", "b.png", "--out", "readings", "--json")
    told = json.loads(again.out)
    assert (again.code, told["out"], told["read"], told["kept"]) == (1, "readings", 0, 2)
    assert [one["image"] for one in told["unread"]] == ["cat.png"]
    assert told["pages"] == [str(page)]
    kept = read("a.png", "cat.png", "b.png", "--out", "readings")
    assert "readings: 2 images read, 2 of them before" in kept.out


def test_of_many_that_were_not_read_some_are_named(read: Command) -> None:
    names = [f"{number}/cat.png" for number in range(7)]
    for name in names:
        Path(name).parent.mkdir()
        Path(name).touch()
    done = read(*names, "--out", "readings")
    assert done.code == 1
    assert done.err.count("does not look like") == 5
    assert "2 more images not read; readings has the reasons." in done.err


def test_an_interrupt_keeps_what_was_done(read: Command) -> None:
    done = read("a.png", "stop.png", "b.png", "--json")
    assert done.code == 130
    assert json.loads(done.out)["image"] == "a.png"
    assert read("a.png", "stop.png", "--report", "text", "--out", "reports").code == 130
    assert [one.name for one in Path("reports").iterdir()] == ["a.txt"]


def test_names_come_from_stdin(read: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def listing(text: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))

    listing(b"b.png\n\na.png\r\n")
    done = read("-", "cat.png", "--json")
    assert [json.loads(line)["image"] for line in done.out.splitlines()] == ["b.png", "a.png", "cat.png"]
    listing(b"")
    nothing = read("-")
    assert (nothing.code, "The list names no image" in nothing.err) == (2, True)
    monkeypatch.setattr(sys, "stdin", None)
    closed = read("-")
    assert (closed.code, "stdin is closed" in closed.err) == (2, True)


def test_ten_thousand_names_and_no_reading_is_kept(
    read: Command, opened: list[FakeReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    alive, most = [0], [0]
    real = FakeReader.one

    def gone() -> None:
        alive[0] -= 1

    def one(self: FakeReader, name: str) -> Reading | Unread:
        if self.asked % 1000:
            return sample_unread(name)
        made = real(self, name)
        assert isinstance(made, Reading)
        weakref.finalize(made.picture, gone)
        alive[0] += 1
        most[0] = max(most[0], alive[0])
        return made

    monkeypatch.setattr(FakeReader, "one", one)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a.png\n" * 10_000)))
    done = read("-", "--json")
    assert (done.code, done.out.count("\n"), opened[0].asked) == (1, 10_000, 10_000)
    assert done.err == "Not read: 9,990 of 10,000 images.\n"
    assert most[0] <= 2


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((), "No image was named"),
        (("a.png", "--serve"), "Leave the images out, or --serve."),
        (("--serve", "--json", "--out", "x"), "Leave --json, --out out."),
        (("a.png", "--port", "80"), "Give --serve too."),
        (("a.png", "--json", "--report", "json"), "give --report json alone"),
        (("a.png", "--json", "--picture", "kitty"), "--picture belongs to the view"),
        (("a.png", "--out", "x", "--picture", "blocks"), "--picture belongs to the view"),
        (("a.png", "--report", "pdf"), "--report"),
        (("a.png", "--cases", "-1"), "--cases"),
        (("a.png", "--split", "test"), "There is no split 'test'"),
        (("missing.png", "a.png", "no*.png"), "missing.png is not there. No file fits the pattern no*.png."),
    ],
    ids=lambda one: " ".join(one) if isinstance(one, tuple) else "",
)
def test_what_cannot_be_answered_is_refused_before_any_work(
    given: tuple[str, ...], told: str, read: Command, opened: list[FakeReader]
) -> None:
    done = read(*given)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert not opened
    assert not Path("x").exists()


def test_a_page_of_this_machine_is_served_until_it_is_stopped(
    read: Command, opened: list[FakeReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def serve(factory: Any, *, port: int, ready: Any) -> None:
        asked.append(port)
        factory()
        ready("http://127.0.0.1:9/")
        raise KeyboardInterrupt

    monkeypatch.setattr(serving, "serve", serve)
    done = read("--serve", "--port", "9", "--cases", "0")
    assert (done.code, done.out) == (0, "http://127.0.0.1:9/\n")
    assert RESEARCH_ONLY in done.err
    assert done.err.endswith("Ended.\n")
    assert asked == [9]
    assert opened[0].options["cases"] == 0


def test_an_unknown_model_is_refused(read: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise UsageError("There is no model 'x'.")

    monkeypatch.setattr(opening, "open_reader", refuse)
    assert read("a.png", "--model", "x")[:2] == (2, "")
