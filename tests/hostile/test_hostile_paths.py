"""Odd places and odd names: a readable sentence, an exit code of 0 to 3, nothing written elsewhere."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from checks import assert_printable
from corpus_small import GOOD, HEADERS, SMALL, SMALL_IDS, C, K
from corpus_zips import ZIPS, zip_bytes
from measured import measure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from commands import Command, Done

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pipes, devices and names as on Unix")

NAMES = {
    "line end": "a\nb.csv",
    "terminal commands": "\x1b[2J\x1b]0;x\x07.csv",
    "colons": "a:1:1: RUN101 b.csv",
    "a command for a build server": "::error::b.csv",
    "percent signs": "%0A{0}%s.csv",
    "an emoji": "\U0001f600.csv",
    "right to left": "\u202evsc.a",
    "no UTF-8": os.fsdecode(b"\xff\xfe.csv"),
    "blanks": "  .csv ",
    "a dash": "./-x.csv",
    "255 bytes": "x" * 251 + ".csv",
}


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ids, labels and a good run, in which the command is called."""
    for name, content in {"ids.csv": b"\n".join(map(str.encode, SMALL_IDS)), "run.csv": GOOD[K]}.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "truth").mkdir()
    (tmp_path / "truth" / "concepts.csv").write_bytes(GOOD[K])
    (tmp_path / "truth" / "concepts_manual.csv").write_bytes(GOOD[K])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files_below(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def assert_sentence(done: Done, *codes: int) -> None:
    assert done.code in codes
    assert "Traceback" not in done.err
    assert_printable(done.out, done.err)


VALIDATE = ("--task", "concepts", "--ids", "ids.csv")


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("output", ["text", "json", "github", "sarif"])
def test_a_run_of_any_name_is_read(name: str, output: str, task: Path, radcap: Command) -> None:
    Path(name).write_bytes(GOOD[K])
    assert_sentence(radcap("validate", name, *VALIDATE, "--format", output), 0)
    assert_sentence(radcap("score", "concepts", name, "truth"), 0)
    Path(name).write_bytes(SMALL["terminal commands in an id"].content)
    done = radcap("validate", name, *VALIDATE, "--format", output)
    assert_sentence(done, 1)
    starts = ("::error file=", "::warning file=", "::notice file=")
    assert output != "github" or all(line.startswith(starts) for line in done.out.splitlines())


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_ids_truth_and_copy_may_have_any_name(name: str, task: Path, radcap: Command) -> None:
    Path(name).write_bytes(GOOD[K])
    assert_sentence(radcap("validate", "run.csv", "--task", "concepts", "--ids", name), 0)
    assert_sentence(radcap("validate", "run.csv", "--task", "concepts", "--truth", name), 0)
    assert_sentence(radcap("score", "concepts", "run.csv", name, "--manual", name), 0)
    Path(name).write_bytes(b"\xff\0\n")
    assert_sentence(radcap("validate", "run.csv", "--task", "concepts", "--ids", name), 1)
    assert_sentence(radcap("score", "concepts", "run.csv", name), 1)
    Path(name).unlink()
    done = radcap("validate", "run.csv", *VALIDATE, "--fix", name)
    assert_sentence(done, 0, 2)  # 2: its temporary name would be longer than a name may be
    assert Path(name).exists() is (done.code == 0)


@pytest.mark.parametrize("name", ["x" * 256, "x/" * 2000 + "x", "absent/\x1b[2J", "run.csv/x", "a\nb"])
def test_a_run_that_cannot_be_there_is_a_sentence(name: str, task: Path, radcap: Command) -> None:
    assert_sentence(radcap("validate", name, *VALIDATE), 1, 2)
    assert_sentence(radcap("score", "concepts", name, "truth"), 1, 2)
    assert_sentence(radcap("validate", "run.csv", "--task", "concepts", "--ids", name), 1, 2)
    assert_sentence(radcap("validate", "run.csv", "--task", "concepts", "--truth", name), 1, 2)
    assert_sentence(radcap("score", "concepts", "run.csv", name), 1, 2)
    assert_sentence(radcap("score", "concepts", "run.csv", "truth", "--manual", name), 1, 2)


DEVICES = ("pipe", "folder", "/dev/zero", "/dev/full", "/dev/null", "/dev/urandom", "/dev/stdin")


@pytest.mark.parametrize("place", DEVICES)
def test_what_is_no_file_is_not_waited_for(place: str, task: Path) -> None:
    os.mkfifo(task / "pipe")
    (task / "folder").mkdir()
    for arguments in (
        ("validate", place, *VALIDATE),
        ("validate", "run.csv", "--task", "concepts", "--ids", place),
        ("score", "concepts", "run.csv", place),
    ):
        done = measure(task, *arguments)
        assert done.code in {1, 2}
        assert b"Traceback" not in done.err
        assert done.err


@pytest.mark.parametrize(
    "place", ["/proc/self/environ", "/proc/self/mem", "/sys/kernel/mm/transparent_hugepage/enabled"]
)
def test_a_file_that_is_not_as_long_as_it_says_is_read_as_it_is(
    place: str, task: Path, radcap: Command
) -> None:
    if not Path(place).exists():
        pytest.skip(f"no {place} here")
    assert_sentence(radcap("validate", place, *VALIDATE), 1, 2)
    assert_sentence(radcap("score", "concepts", "run.csv", place), 1, 2)


def test_a_file_of_a_terabyte_of_nothing_is_not_read_to_its_end(task: Path) -> None:
    with Path("sparse.csv").open("wb") as file:
        file.truncate(1 << 40)
    done = measure(task, "validate", "sparse.csv", *VALIDATE)
    assert done.code == 1
    assert b"RUN113" in done.out


HOSTILE_TRUTH = {
    "empty": b"",
    "blank": b"\n\n\n",
    "header only": HEADERS[K],
    "binary": bytes(range(256)) * 20,
    "one NUL": b"\0",
    "repeated": b"img_1,C1\n" * 3,
    "empty ids": b",C1\n,C2\n",
    "open quote": b'img_1,"C1\nimg_2,C1\n',
    "a long line": b"x" * 10_000_000,
    "many columns": b"," * 1_000_000,
    "UTF-16": GOOD[K].decode().encode("utf-16"),
    "terminal commands": b"\x1b[2J\x1b]0;x\x07,C1\n" * 2,
    "surrogates": b"\xed\xa0\x80,C1\n",
    "a broken zip": b"PK\3\4" + bytes(100),
    "a bomb": zip_bytes("members beyond the limit"),
}


@pytest.mark.parametrize("name", HOSTILE_TRUTH)
def test_a_hostile_truth_is_refused_in_a_sentence(name: str, task: Path, radcap: Command) -> None:
    Path("truth/concepts.csv").write_bytes(HOSTILE_TRUTH[name])
    Path("ids.csv").write_bytes(HOSTILE_TRUTH[name])
    for arguments in (
        ("validate", "run.csv", *VALIDATE),
        ("validate", "run.csv", "--task", "concepts", "--truth", "truth"),
        ("validate", "run.csv", *VALIDATE, "--fix", "out.csv"),
        ("score", "concepts", "run.csv", "truth"),
        ("score", "concepts", "run.csv", "truth/concepts.csv"),
        ("score", "concepts", "run.csv", "truth", "--json"),
    ):
        assert_sentence(radcap(*arguments), 1, 2)
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("name", HOSTILE_TRUTH)
def test_hostile_manual_labels_and_vocabularies_are_no_crash(name: str, task: Path, radcap: Command) -> None:
    Path("truth/concepts_manual.csv").write_bytes(HOSTILE_TRUTH[name])
    assert_sentence(radcap("score", "concepts", "run.csv", "truth"), 0, 1, 2)
    vocabulary = ("--vocabulary", "truth/concepts_manual.csv")
    assert_sentence(radcap("validate", "run.csv", *VALIDATE, *vocabulary), 0, 1, 2)


@pytest.fixture
def victim(task: Path) -> Iterator[Path]:
    """A file that must be the same afterwards."""
    path = task / "victim.txt"
    path.write_text("precious")
    yield path
    assert path.read_text() == "precious"


FIX = ("validate", "run.csv", *VALIDATE, "--fix")


def test_a_copy_never_takes_the_place_of_what_is_there(task: Path, victim: Path, radcap: Command) -> None:
    (task / "to_victim").symlink_to(victim)
    (task / "to_run").symlink_to("run.csv")
    before = files_below(task)
    for place in ("run.csv", "./run.csv", "to_run", "truth", ".", "..", "victim.txt", "to_victim", "ids.csv"):
        assert_sentence(radcap(*FIX, place), 2)
    for place in ("run.csv", "./run.csv", "to_run", "truth", "."):
        assert_sentence(radcap(*FIX, place, "--force"), 2)
    assert files_below(task) == before


def test_a_link_is_replaced_and_not_followed(task: Path, victim: Path, radcap: Command) -> None:
    (task / "link.csv").symlink_to(victim)
    (task / "dangling.csv").symlink_to(task / "nowhere.csv")
    assert_sentence(radcap(*FIX, "link.csv", "--force"), 0)
    assert_sentence(radcap(*FIX, "dangling.csv"), 0, 2)
    assert not (task / "link.csv").is_symlink()
    assert not (task / "nowhere.csv").exists()


def test_a_copy_makes_its_folder_and_leaves_no_half_file(task: Path, radcap: Command) -> None:
    assert_sentence(radcap(*FIX, "new/folder/out.csv"), 0)
    assert [path.name for path in Path("new/folder").iterdir()] == ["out.csv"]
    for place in ("run.csv/out.csv", "/proc/radcap/out.csv", "/proc/self/out.csv", "x" * 250 + ".csv"):
        assert_sentence(radcap(*FIX, place), 0, 2)
    assert not list(task.glob(".*"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_rights_is_a_sentence(task: Path, radcap: Command) -> None:
    locked = task / "locked"
    locked.mkdir(mode=0o555)
    assert_sentence(radcap(*FIX, "locked/out.csv"), 2)
    locked.chmod(0o000)
    assert_sentence(radcap("validate", "locked/run.csv", *VALIDATE), 1, 2)
    locked.chmod(0o700)


@pytest.mark.parametrize("name", [name for name, packed in ZIPS.items() if packed.code])
def test_an_archive_writes_nothing(name: str, task: Path, radcap: Command) -> None:
    inner = task / "a" / "b"
    inner.mkdir(parents=True)
    (inner / "run.zip").write_bytes(zip_bytes(name))
    before = files_below(task)
    assert_sentence(radcap("validate", inner / "run.zip", *VALIDATE), 1)
    assert_sentence(radcap("validate", inner / "run.zip", *VALIDATE, "--fix", "out.csv"), 1)
    assert files_below(task) == before


PER_IMAGE = ("score", "concepts", "run.csv", "truth", "--per-image")
PER_IMAGE_CODES = {
    ".csv": 2,
    "a\nb.csv": 0,
    "\x1b[2J.csv": 0,
    "new/a.csv": 0,
    "a.parquet": 0,
    "a.PARQUET": 0,
    "a.txt": 2,
    "a": 2,
    "": 2,
    ".": 2,
    "truth": 2,
    "run.csv/a.csv": 2,
    "/proc/radcap/a.csv": 2,
    "x" * 251 + ".csv": 0,
    "x" * 252 + ".csv": 2,
}


@pytest.mark.parametrize("place", PER_IMAGE_CODES)
def test_per_image_scores_go_to_a_proper_name_or_nowhere(place: str, task: Path, radcap: Command) -> None:
    before = files_below(task)
    done = radcap(*PER_IMAGE, place)
    assert_sentence(done, PER_IMAGE_CODES[place])
    assert (files_below(task) != before) is (done.code == 0)


@pytest.mark.parametrize("word", ["x" * 100_000, "\x1b[2J", "2025\n", "２０２５", "", "20" * 50_000, "%s{0}"])  # noqa: RUF001
def test_an_edition_of_any_name_is_refused_in_a_sentence(word: str, task: Path, radcap: Command) -> None:
    for arguments in (
        ("validate", "run.csv", *VALIDATE, "--edition", word),
        ("score", "concepts", "run.csv", "truth", "--edition", word),
        ("score", "concepts", "run.csv", "truth", "--cuis", word),
        ("editions", word),
    ):
        done = radcap(*arguments)
        assert_sentence(done, 2)
        assert done.err


def test_a_formula_is_a_caption_like_any_other(task: Path, radcap: Command) -> None:
    Path("run.csv").write_bytes(SMALL["formulas"].content)
    done = radcap("validate", "run.csv", "--task", C, "--ids", "ids.csv", "--fix", "out.csv")
    assert_sentence(done, 0)
    assert Path("out.csv").read_bytes() == SMALL["formulas"].content
