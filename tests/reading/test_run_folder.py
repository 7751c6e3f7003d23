"""A folder of readings: it is written as they come, goes on after any end, and touches nothing of others."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from reading_samples import empty_reading
from run_folder_samples import FakeReader

from radcap.core import Missing, UsageError
from radcap.datasets.image_files import image_files
from radcap.reading.page import BATCH
from radcap.reading.run_folder import Written, write_readings
from radcap.reading.run_folder.folder import _PART, page_name
from radcap.reading.run_folder.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from radcap.datasets import Dataset
    from radcap.reading.values import Reading

TESTS = Path(__file__).parents[1]


@pytest.fixture
def images(tmp_path: Path) -> Callable[[int], Dataset]:
    folder = tmp_path / "images"
    folder.mkdir()

    def made(many: int) -> Dataset:
        paths = [folder / f"{number:04}.png" for number in range(many)]
        for path in paths:
            if not path.exists():
                path.write_bytes(b"x")
        return image_files(paths)

    return made


def lines(out: Path) -> list[str]:
    return [json.loads(line)["image"] for line in (out / "readings.jsonl").read_text("utf-8").splitlines()]


def files(out: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in out.iterdir()}


def cards(out: Path, number: int) -> int:
    return (out / page_name(number)).read_text("utf-8").count('class="reading"')


def test_a_run_writes_pages_an_index_and_all_readings(
    images: Callable[[int], Dataset], tmp_path: Path
) -> None:
    seen: list[int] = []
    out = tmp_path / "new" / "out"
    done = write_readings(FakeReader(), images(230), out, progress=lambda _, n: seen.append(n))
    assert sorted(files(out)) == [
        *("index.html", "page-001.html", "page-002.html", "page-003.html", "readings.jsonl", "state.json"),
    ]
    assert [cards(out, number) for number in (1, 2, 3)] == [90, 90, 27]
    assert lines(out) == [f"{number:04}" for number in range(230)]
    assert (done.read, done.kept, len(done.unread)) == (207, 0, 23)
    assert done.start == out / "index.html"
    assert done.pages[2] == out / "page-003.html"
    assert seen == list(range(1, 231))
    middle = (out / "page-002.html").read_text("utf-8")
    assert 'href="page-001.html"' in middle
    assert 'href="page-003.html"' in middle
    assert 'id="reading-101"' in middle
    assert 'href="page-004.html"' not in (out / "page-003.html").read_text("utf-8")
    assert "Unfinished" not in (out / "index.html").read_text("utf-8")


def test_a_small_run_starts_at_its_page(tmp_path: Path, images: Callable[[int], Dataset]) -> None:
    done = write_readings(FakeReader(), images(3), tmp_path / "out")
    assert done.start == tmp_path / "out" / "page-001.html"
    assert Written(tmp_path, (), 0, 0, ()).start == tmp_path / "index.html"


@pytest.mark.parametrize("stop", [0, 99, 100, 101])
def test_an_interrupted_run_goes_on_and_ends_as_one_that_was_not(
    images: Callable[[int], Dataset], tmp_path: Path, stop: int
) -> None:
    dataset, out = images(120), tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        write_readings(FakeReader(stop=stop), dataset, out)
    assert len(lines(out)) == stop
    assert f"Unfinished: {stop} of 120" in (out / "index.html").read_text("utf-8")
    if stop % BATCH:  # what there is of the open page can be looked at
        assert cards(out, stop // BATCH + 1) == sum(n % 10 != 9 for n in range(stop - stop % BATCH, stop))
    again = FakeReader()
    done = write_readings(again, dataset, out)
    assert again.asked == [f"{number:04}" for number in range(stop, 120)]
    assert done.kept + done.read == 108
    assert done.kept == sum(number % 10 != 9 for number in range(stop))
    whole = tmp_path / "whole"
    write_readings(FakeReader(), dataset, whole)
    assert files(out) == files(whole)


def test_a_finished_run_is_not_read_again(images: Callable[[int], Dataset], tmp_path: Path) -> None:
    dataset, out = images(120), tmp_path / "out"
    write_readings(FakeReader(), dataset, out)
    before = files(out)
    again = FakeReader()
    done = write_readings(again, dataset, out)
    assert again.asked == []
    assert (done.read, done.kept, len(done.unread)) == (0, 108, 12)
    assert files(out) == before


KILLED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from pathlib import Path
from radcap.datasets.image_files import image_files
from radcap.reading.run_folder import write_readings
from run_folder_samples import FakeReader
from radcap.reading.run_folder.{module} import {owner}
calls = 0
kept = {owner}.{method}
def dies(*given):
    global calls
    calls += 1
    if calls == {after}:
        {first}os.kill(os.getpid(), signal.SIGKILL)
    return kept(*given)
{owner}.{method} = dies
write_readings(FakeReader(), image_files(sorted(Path(sys.argv[1]).iterdir())), Path(sys.argv[2]))
"""


@pytest.mark.parametrize(
    ("module", "owner", "method", "after", "first", "least"),
    [
        ("journal", "Journal", "append", 240, "", 119),  # between a card and its reading
        pytest.param(  # a page is there, and its cards too
            *("book", "Book", "_write_page", 1, "kept(*given); ", 99), marks=pytest.mark.slow
        ),
    ],
    ids=["between-the-two-files", "after-a-page"],
)
def test_kill_9_loses_nothing_that_was_done(
    images: Callable[[int], Dataset],
    tmp_path: Path,
    module: str,
    owner: str,
    method: str,
    after: int,
    first: str,
    least: int,
) -> None:
    dataset, out = images(130), tmp_path / "out"
    script = KILLED.format(
        module=module, owner=owner, method=method, after=after, first=first, tests=str(TESTS)
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "images"), str(out)], timeout=120, check=False
    )
    assert ended.returncode == -signal.SIGKILL
    (out / f"{_PART}left").write_bytes(b"of a file that was about to be written")
    again = FakeReader()
    write_readings(again, dataset, out)
    assert len(again.asked) <= 130 - least
    whole = tmp_path / "whole"
    write_readings(FakeReader(), dataset, whole)
    assert files(out) == files(whole)


@pytest.mark.parametrize("part", ["readings.jsonl", "unfinished.jsonl"])
def test_a_torn_last_line_is_read_again(images: Callable[[int], Dataset], tmp_path: Path, part: str) -> None:
    dataset, out = images(130), tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        write_readings(FakeReader(stop=120), dataset, out)
    os.truncate(out / part, (out / part).stat().st_size - 7)
    again = FakeReader()
    write_readings(again, dataset, out)
    assert again.asked == [f"{number:04}" for number in range(119, 130)]
    assert lines(out) == [f"{number:04}" for number in range(130)]
    assert cards(out, 2) == 27


@pytest.mark.parametrize(
    "rubbish", [b"\x00\xff\n", b"[1]\n", b'{"number": 3}\n', b""], ids=["bytes", "list", "other", "gone"]
)
def test_a_damaged_list_of_cards_costs_one_page_at_most(
    images: Callable[[int], Dataset], tmp_path: Path, rubbish: bytes
) -> None:
    dataset, out = images(130), tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        write_readings(FakeReader(stop=120), dataset, out)
    (out / "unfinished.jsonl").write_bytes(rubbish)
    again = FakeReader()
    write_readings(again, dataset, out)
    assert again.asked[0] == "0100"
    assert [cards(out, number) for number in (1, 2)] == [90, 27]


def test_pages_that_are_gone_are_made_again_or_told(images: Callable[[int], Dataset], tmp_path: Path) -> None:
    dataset, out = images(230), tmp_path / "out"
    write_readings(FakeReader(), dataset, out)
    (out / "page-003.html").unlink()
    again = FakeReader()
    write_readings(again, dataset, out)
    assert len(again.asked) == 30
    (out / "page-001.html").unlink()
    done = write_readings(FakeReader(), dataset, out)
    assert [one.name for one in done.pages] == ["page-002.html", "page-003.html"]
    assert "the page is gone" in (out / "index.html").read_text("utf-8")
    assert len(lines(out)) == 230


def test_without_the_first_page_an_unfinished_run_begins_anew(
    images: Callable[[int], Dataset], tmp_path: Path
) -> None:
    dataset, out = images(130), tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        write_readings(FakeReader(stop=120), dataset, out)
    (out / "page-001.html").unlink()
    again = FakeReader()
    write_readings(again, dataset, out)
    assert len(again.asked) == 130


def full(code: int, after: int) -> Callable[..., int]:
    """A disk that takes so many bytes more, then part of a write, then no more."""
    room, write = [after], os.write

    def writes(file: int, data: bytes) -> int:
        if file <= 2:
            return write(file, data)
        if not room[0]:
            raise OSError(code, os.strerror(code))
        taken = min(room[0], len(data))
        room[0] -= taken
        return write(file, data[:taken])

    return writes


def test_a_full_disk_is_told_and_the_run_goes_on(
    images: Callable[[int], Dataset], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset, out = images(30), tmp_path / "out"
    with monkeypatch.context() as patched:
        patched.setattr("radcap.reading.run_folder.journal.os.write", full(errno.ENOSPC, 30_000))
        with pytest.raises(Missing, match=r"No space left on device; done and kept: .* of 30 images") as told:
            write_readings(FakeReader(), dataset, out)
    assert "give the same command again" in str(told.value)
    done = len(lines(out))  # complete lines alone
    assert 0 < done < 30
    again = FakeReader()
    write_readings(again, dataset, out)
    assert len(again.asked) == 30 - done
    assert len(lines(out)) == 30


def test_other_errors_of_the_disk_are_told_as_they_are(
    images: Callable[[int], Dataset], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("radcap.reading.run_folder.journal.os.write", full(errno.EIO, 0))
    with pytest.raises(OSError, match="Input/output error"):
        write_readings(FakeReader(), images(3), tmp_path / "out")


CHANGES = {
    "model": ({"name": "zoo:other"}, "the model zoo:other instead of zoo:fake"),
    "maps": ({"maps": False}, "maps: False instead of True"),
    "cases": ({"cases": 0}, "0 nearest cases instead of 3"),
    "anyway": ({"anyway": True}, "reading anyway: True instead of False"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_another_run_in_the_same_folder_is_refused(
    images: Callable[[int], Dataset], tmp_path: Path, name: str
) -> None:
    changed, sentence = CHANGES[name]
    dataset, out = images(3), tmp_path / "out"
    write_readings(FakeReader(), dataset, out)
    before = files(out)
    with pytest.raises(UsageError, match="holds readings of another run") as told:
        write_readings(FakeReader(**changed), dataset, out)
    assert sentence in str(told.value)
    assert files(out) == before


def test_other_images_in_the_same_folder_are_refused(
    images: Callable[[int], Dataset], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    write_readings(FakeReader(), images(3), out)
    with pytest.raises(UsageError, match="now asked: 4 images instead of 3"):
        write_readings(FakeReader(), images(4), out)
    (tmp_path / "images" / "0001.png").write_bytes(b"changed")
    with pytest.raises(UsageError, match="images that changed"):
        write_readings(FakeReader(), images(3), out)


def test_an_image_that_went_away_has_no_stamp(images: Callable[[int], Dataset], tmp_path: Path) -> None:
    dataset = images(3)
    (tmp_path / "images" / "0001.png").unlink()
    assert write_readings(FakeReader(), dataset, tmp_path / "out").read == 3


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"model": "zoo:fake"}'], ids=["empty", "torn", "list", "foreign"]
)
def test_a_damaged_state_is_refused_and_nothing_replaced(
    images: Callable[[int], Dataset], tmp_path: Path, text: str
) -> None:
    out = tmp_path / "out"
    write_readings(FakeReader(), images(3), out)
    (out / "state.json").write_text(text, "utf-8")
    before = files(out)
    with pytest.raises(UsageError, match="damaged, or not ours"):
        write_readings(FakeReader(), images(3), out)
    assert files(out) == before


def test_folders_of_others_and_files_are_refused(images: Callable[[int], Dataset], tmp_path: Path) -> None:
    foreign = tmp_path / "mine"
    foreign.mkdir()
    (foreign / "readings.jsonl").write_text("precious", "utf-8")
    with pytest.raises(UsageError, match=r"e\.g\. readings\.jsonl"):
        write_readings(FakeReader(), images(3), foreign)
    assert files(foreign) == {"readings.jsonl": b"precious"}
    with pytest.raises(UsageError, match="is a file"):
        write_readings(FakeReader(), images(3), foreign / "readings.jsonl")


def test_two_at_once_are_refused(images: Callable[[int], Dataset], tmp_path: Path) -> None:
    dataset, out = images(3), tmp_path / "out"

    def second(_: str, __: int) -> None:
        with pytest.raises(UsageError, match="by another radcap read"):
            write_readings(FakeReader(), dataset, out)

    done = write_readings(FakeReader(), dataset, out, progress=second)
    assert done.read == 3


def test_a_journal_keeps_values_in_order(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "a.jsonl")
    for number in range(4):
        journal.append({"n": number, "text": "\udc80 \u00e9"})
    journal.cut(3)
    assert [one["n"] for one in journal] == [0, 1, 2]
    journal.append({"n": 9})
    journal.close()
    assert [one["n"] for one in Journal(tmp_path / "a.jsonl")] == [0, 1, 2, 9]


def test_an_empty_reading_has_its_place(tmp_path: Path, images: Callable[[int], Dataset]) -> None:
    @dataclass
    class Nothing(FakeReader):
        def __call__(self, dataset: Dataset, progress: object = None) -> Iterator[Reading]:
            yield from (empty_reading(one.id) for one in dataset)

    done = write_readings(Nothing(), images(2), tmp_path / "out")
    assert done.read == 2
    assert "No caption." in done.pages[0].read_text("utf-8")


@pytest.mark.slow
def test_real_images_are_read_into_a_folder(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from radcap.datasets import load_dataset
    from radcap.reading.opening import open_reader

    dataset = load_dataset("radiology-open", "test")[:2]
    done = write_readings(open_reader("zoo:captions"), dataset, tmp_path / "out")
    assert done.read == 2
    page = done.start.read_text("utf-8")
    assert page.count("data-map=") > 4
    assert "Nearest training images" in page
    assert all(record.attribution in page.replace("&amp;", "&") for record in dataset)
