"""Files, names and streams of every kind through `radcap read`: a reading, or a sentence and the rest."""

from __future__ import annotations

import errno
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from commands import Command, Done
from image_samples import KINDS
from PIL import Image
from reading_samples import sample_reading
from test_hostile_images import CLAIMS

from radcap.datasets import load_dataset
from radcap.reading import opening
from radcap.reading.values import Reading

UNIX = pytest.mark.skipif(sys.platform == "win32", reason="streams as on Unix")


@pytest.fixture
def read(tmp_path: Path, radcap: Command, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Done]:
    """`radcap read` in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str | Path) -> Done:
        done = radcap("read", *arguments)
        assert "Traceback" not in done.err
        return done

    return call


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The images that a reader without a model was asked for."""
    names: list[str] = []
    monkeypatch.setattr(opening, "open_reader", lambda *_, **__: StandIn(names))
    return names


@dataclass
class StandIn:
    """A reader without a model; it writes down what it was asked for, and can end with an error."""

    asked: list[str]
    at: int = 0
    error: BaseException | None = None
    name: str = "stand-in"
    maps: bool = False
    cases: int = 0
    anyway: bool = False

    def __call__(self, dataset: Any, progress: Any = None) -> Iterator[Reading]:
        for record in dataset:
            self.asked.append(record.image.key)
            if self.error is not None and len(self.asked) == self.at:
                raise self.error
            yield sample_reading(record.image.key, maps=False)


def photograph() -> bytes:
    """One that scikit-learn ships."""
    spec = find_spec("sklearn")
    assert spec is not None
    assert spec.origin is not None
    return (Path(spec.origin).parent / "datasets" / "images" / "flower.jpg").read_bytes()


def in_grey(image: bytes) -> bytes:
    made = io.BytesIO()
    Image.open(io.BytesIO(image)).convert("L").save(made, "PNG")
    return made.getvalue()


def test_the_shipped_model_reads_what_it_can_and_says_why_not_of_the_rest(read: Any) -> None:
    files = {
        "flower.jpg": photograph(),
        "grey.png": in_grey(photograph()),
        "text.txt": b"Chest radiograph of a patient.",
        "empty.png": b"",
        "bomb.png": CLAIMS["png of 30,000 x 30,000"][0](),
        "cut.png": KINDS["png"][:300],
    }
    for name, content in files.items():
        Path(name).write_bytes(content)
    record = next(iter(load_dataset("radiology-open", split="test")[:1]))
    Path("mr.webp").write_bytes(record.image.bytes)
    done = read(*files, "mr.webp", "--no-maps", "--json")
    assert done.code == 1
    *refused, found = map(json.loads, done.out.splitlines())
    assert [one["image"] for one in refused] == list(files)
    for one in refused:
        assert one["error"].endswith("."), one
        assert one["image"] in one["error"]
    for one in refused[:2]:
        assert "does not look like a radiology image (probability " in one["error"]
        assert 0 <= one["radiology"] < 0.5
    assert all(one["code"].startswith("IMG") for one in refused[2:])
    assert (found["image"], found["modality"]["name"]) == ("mr.webp", "Magnetic Resonance Imaging")
    assert found["radiology"] > 0.9
    assert found["caption"].endswith(".")
    assert len(found["neighbours"]) == 3
    assert all(one["attribution"] and one["licence"] for one in found["neighbours"])
    assert done.err == "Not read: 6 of 7 images.\n"


def test_a_photograph_is_read_where_somebody_insists(read: Any) -> None:
    Path("flower.jpg").write_bytes(photograph())
    done = read("flower.jpg", "--anyway", "--no-maps", "--cases", "0")
    assert (done.code, done.err) == (0, "")
    assert "A radiology image: most unlikely" in done.out


def test_places_without_an_image(read: Any, asked: list[str]) -> None:
    Path("none").mkdir()
    Path("none/notes.txt").write_text("nothing")
    for name, told in {
        "none": "The folder none holds no image.",
        "away.png": "away.png is not there.",
        "n" * 5000: "is not there.",
        "a\0b": "is not there.",
        "*.xyz": "No file fits the pattern *.xyz.",
    }.items():
        done = read(name)
        assert (done.code, done.out) == (2, ""), name
        assert told in done.err
    assert not asked


@UNIX
@pytest.mark.skipif(getattr(os, "geteuid", lambda: 0)() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_told(read: Any) -> None:
    Path("closed.png").write_bytes(KINDS["png"])
    Path("closed.png").chmod(0)
    done = read("closed.png", "--no-maps", "--cases", "0")
    assert done.code == 1
    assert "closed.png" in done.err


@UNIX
def test_what_is_no_file_is_told_and_the_rest_is_read(read: Any) -> None:
    """As root too: these say no to everybody, and a pipe would keep us waiting."""
    place = Path("scans")
    (place / "dir.png").mkdir(parents=True)
    os.mkfifo(place / "pipe")
    os.mkfifo(place / "pipe.png")
    links = {"away.png": "nowhere.png", "loop.png": "loop.png", "zero.png": "/dev/zero"}
    if Path("/proc/self/mem").exists():
        links["mem.png"] = "/proc/self/mem"  # may be opened, and cannot be read
    for name, target in links.items():
        (place / name).symlink_to(target)
    record = next(iter(load_dataset("radiology-open", split="test")[:1]))
    (place / "mr.webp").write_bytes(record.image.bytes)
    done = read("scans", "--no-maps", "--cases", "0", "--json")
    told = {Path(one["image"]).name: one for one in map(json.loads, done.out.splitlines())}
    assert done.code == 1
    assert sorted(told) == sorted([*links, "mr.webp", "pipe.png"])
    assert told.pop("mr.webp")["caption"]
    for name, one in told.items():
        assert f"scans/{name}" in one["error"]
        assert one["error"].endswith(".")


@UNIX
def test_names_of_any_bytes_are_shown_and_steer_nothing(read: Any, asked: list[str]) -> None:
    names = [os.fsdecode(b"\xff\xe9.png"), "\x1b]0;x\x07.png", "line\nbreak.png", "-x.png", "\u202eright.png"]
    for name in names:
        Path(name).write_bytes(KINDS["png"])
    done = read("--json", "--", *names)
    assert done.code == 0, done.err
    assert len([json.loads(line) for line in done.out.splitlines()]) == len(names)
    shown = read("--", *names)
    assert {char for char in shown.out if not char.isprintable()} <= {"\n"}
    assert "\\u001b]0;x\\u0007.png" in shown.out
    reports = read("--report", "text", "--out", "reports", "--", *names)
    assert reports.code == 0, reports.err
    assert len(list(Path("reports").iterdir())) == len(names)
    assert len(asked) == 3 * len(names)


@UNIX
@pytest.mark.parametrize("form", [(), ("--json",), ("--report", "text")], ids=["view", "json", "report"])
def test_once_nobody_reads_no_more_is_read(
    form: tuple[str, ...], read: Any, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(9):
        Path(f"{number}.png").touch()
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "w", encoding="utf-8") as gone, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", gone)
        done = read("[0-9].png", *form)
    assert (done.code, done.err) == (0, "")
    assert asked == ["0.png"]


@UNIX
@pytest.mark.parametrize("form", [(), ("--json",), ("--report", "text")], ids=["view", "json", "report"])
def test_a_full_disk_for_stdout(
    form: tuple[str, ...], read: Any, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    for name in ("a.png", "b.png"):
        Path(name).touch()
    with Path("/dev/full").open("w", encoding="utf-8") as full, monkeypatch.context() as patched:
        patched.setattr(sys, "stdout", full)
        done = read("a.png", "b.png", *form)
    assert done.code == 2
    assert "No space left on device" in done.err
    assert asked == ["a.png"]


def test_a_full_disk_for_reports_keeps_the_whole_ones(
    read: Any, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.png", "b.png", "c.png"):
        Path(name).touch()
    real = Path.write_text

    def write_text(self: Path, data: str, *given: Any, **more: Any) -> int:
        if len(asked) < 2:
            return real(self, data, *given, **more)
        real(self, data[:9], *given, **more)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self))

    monkeypatch.setattr(Path, "write_text", write_text)
    done = read("a.png", "b.png", "c.png", "--report", "text", "--out", "reports")
    assert done.code == 2
    assert "No space left on device" in done.err
    assert asked == ["a.png", "b.png"]
    assert [one.name for one in Path("reports").iterdir()] == ["a.txt"]
    assert "IMPRESSION" in Path("reports/a.txt").read_text("utf-8")


def test_ctrl_c_keeps_what_is_done_and_the_same_call_reads_the_rest(
    read: Any, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.png", "b.png", "c.png"):
        Path(name).touch()
    with monkeypatch.context() as patched:
        patched.setattr(
            opening, "open_reader", lambda *_, **__: StandIn(asked, at=2, error=KeyboardInterrupt())
        )
        done = read("a.png", "b.png", "c.png", "--out", "readings")
    assert (done.code, done.out) == (130, "")
    assert "What is done is kept in readings; the same command goes on" in done.err
    assert asked == ["a.png", "b.png"]
    assert "Unfinished: 1 of 3 images" in Path("readings/index.html").read_text("utf-8")
    again = read("a.png", "b.png", "c.png", "--out", "readings")
    assert again.code == 0
    assert "3 images read, 1 of them before" in again.out
    assert asked[2:] == ["b.png", "c.png"]


def test_a_full_disk_for_pages_keeps_what_is_done(
    read: Any, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.png", "b.png", "c.png"):
        Path(name).touch()
    real = os.write

    def write(file: int, data: Any) -> int:
        if len(asked) < 2:
            return real(file, data)
        real(file, bytes(data)[:9])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", write)
        done = read("a.png", "b.png", "c.png", "--out", "readings")
    assert (done.code, done.out) == (3, "")
    assert "No space left on device; done and kept: 1 of 3 images." in done.err
    again = read("a.png", "b.png", "c.png", "--out", "readings")
    assert again.code == 0
    assert "3 images read, 1 of them before" in again.out
    assert asked == ["a.png", "b.png", "b.png", "c.png"]
