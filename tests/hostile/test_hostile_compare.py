"""Runs of any name and any score beside each other: nothing is altered, obeyed or run in any output."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from checks import assert_printable
from corpus_captions import CAPTIONS, PLAIN, UNREADABLE
from measured import clean_environment

from radcap.core import InputError, Task
from radcap.metrics import RefusedRuns, compare
from radcap.metrics.comparison_report import comparison_html
from radcap.stats import Procedure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commands import Command

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="names as on Unix")

NAMES = {
    "markup": "<b onclick=alert(1)>x&amp;",
    "rich markup": "[red]x[bold]",
    "a line end": "a\nb",
    "terminal commands": "\x1b[2J\x1b]0;x\x07",
    "right to left": "\u202evsc.a",
    "no UTF-8": os.fsdecode(b"\xff\xfe"),
    "an emoji": "\U0001f600",
    "Chinese": "\u80f8\u90e8",
    "LaTeX": r"\input{x} $a_b^c$ % # & ~",
    "Markdown": "a|b `c` *d*",
    "CSV": 'a"b,c',
    "a formula": "=SUM(A1)",
    "an at sign": "@x",
    "minus one": "-1",
    "percent signs": "%s{0}%0A",
    "a quote": "'\"",
    "200 letters": "x" * 200,
}
NAME = pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
QUICK = ("--resamples", "40", "--permutations", "40")
COMPARE = ("--truth", "truth.csv", "--task", "captions", "--metrics", "rouge1", *QUICK)
PROCEDURE = Procedure(resamples=40, permutations=40)
TRUTH = {"img_1": PLAIN, "img_2": "MRI of the brain", "img_3": "Plain film"}


def lines_of(cells: Mapping[str, str]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows([("ID", "Caption"), *cells.items()])
    return out.getvalue()


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "truth.csv").write_text(lines_of(TRUTH), encoding="utf-8")
    (tmp_path / "other.csv").write_text(lines_of({**TRUTH, "img_1": "x"}), encoding="utf-8")
    return tmp_path


class Page(HTMLParser):
    """The text of a page, and whatever could act."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text: list[str] = []
        self.tags: set[str] = set()
        self.acting: list[str] = []
        self.sources: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.acting += [name for name, _ in attrs if name.startswith("on")]
        self.sources += [value or "" for name, value in attrs if name in {"src", "href", "data", "srcset"}]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def assert_harmless(text: str) -> Page:
    page = Page(text)
    assert not page.tags & {"script", "iframe", "object", "embed", "form", "b", "base"}
    assert page.acting == []
    assert all(source.startswith(("#", "data:")) for source in page.sources)
    assert_printable(text)
    return page


# --- names of runs ---


@NAME
def test_a_run_of_any_name_is_compared(name: str, task: Path, radcap: Command) -> None:
    Path(f"{name}.csv").write_text(lines_of(TRUTH), encoding="utf-8")
    runs = ("compare", f"./{name}.csv", "other.csv", *COMPARE)
    for output in ("table", "csv", "markdown", "latex", "json"):
        done = radcap(*runs, "--format", output, "--report", "page.html")
        assert done.code == 0
        assert_printable(done.out, done.err)
        check = {"csv": _check_csv, "markdown": _check_markdown, "latex": _check_latex, "json": _check_json}
        check.get(output, _check_table)(done.out, name)
    page = assert_harmless(Path("page.html").read_text("utf-8"))
    assert any(_shown(name.replace("\n", " "))[:5] in text for text in page.text)
    assert sorted(path.name for path in task.iterdir()) == sorted(
        [f"{name}.csv", "other.csv", "page.html", "truth.csv"]
    )


def _shown(name: str) -> str:
    r"""As data is printed: `\uXXXX` for what steers a terminal or is no character."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in name)


def _check_table(out: str, name: str) -> None:
    assert _shown(name)[:20] in out
    assert "other" in out


def _check_csv(out: str, name: str) -> None:
    rows = list(csv.DictReader(io.StringIO(out, newline="")))
    assert [row["rank"] for row in rows] == ["1", "2"]
    plain = name if name.isprintable() or "\n" in name else _shown(name)
    assert [row["run"] for row in rows] == [plain, "other"]  # a formula too: a file of data is no spreadsheet


def _check_markdown(out: str, name: str) -> None:
    lines = out.splitlines()
    assert len(lines) == 4
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {7}


def _check_latex(out: str, name: str) -> None:
    body = out.splitlines()
    assert len([line for line in body if line.endswith(r" \\")]) == 3
    bare = re.sub(r"\\[{}$&#%_]|\\text[a-z]+\{\}|\\symbol\{34\}", "", out)  # what is escaped
    row = next(line for line in bare.splitlines() if line.startswith("1 & ")).removesuffix(r" \\")
    assert row.count("&") == 5
    assert not re.search(r"[{}$#%_^~\\]", row.replace("-{}", "-").replace(",{}", ","))


def _check_json(out: str, name: str) -> None:
    standings = json.loads(out)["metrics"][0]["standings"]
    assert [one["run"] for one in standings] == [name, "other"]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_any_encoding_of_the_terminal_will_do(encoding: str, task: Path) -> None:
    runs = [f"./{NAMES[name]}.csv" for name in ("an emoji", "no UTF-8", "right to left", "terminal commands")]
    for run in runs:
        Path(run).write_text(lines_of(TRUTH), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "radcap", "compare", *runs, *COMPARE],
        capture_output=True,
        check=False,
        env=clean_environment(PYTHONIOENCODING=encoding),
    )
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
    assert_printable(done.stdout.decode(encoding))


def test_one_name_in_many_folders_is_told_apart(task: Path, radcap: Command) -> None:
    runs = [Path(folder, "run.csv") for folder in ("a", "b", "a/../b", "b/c")]
    for run in runs:
        run.parent.mkdir(parents=True, exist_ok=True)
        run.write_text(lines_of(TRUTH), encoding="utf-8")
    found = json.loads(radcap("compare", *runs, runs[0], *COMPARE, "--json").out)["metrics"][0]
    assert len({one["run"] for one in found["standings"]}) == 5
    assert {pair["p"] for pair in found["pairs"]} == {1.0}


# --- captions and ids on the page ---


def test_captions_of_any_kind_are_shown_and_not_obeyed(task: Path) -> None:
    ids = [f"img_{number}" for number in range(len(CAPTIONS))]
    hostile = dict(zip(ids, CAPTIONS.values(), strict=True))
    plain = dict.fromkeys(ids, PLAIN)
    for truth, runs in ((plain, {"a": hostile, "b": plain}), (hostile, {"a": hostile, "b": plain})):
        found = compare(runs, truth, "captions", metrics=["rouge1"], procedure=PROCEDURE)
        assert_harmless(comparison_html(found, "<script>x</script>"))


IDS = (
    *("..", "../secret", "a/b", "/etc/passwd", "a\\b", "x" * 300),  # no name of a file in that folder
    *("a.b.c", "a..b", ".hidden", "%2e%2e", "~", "é"),
)  # as many as a page shows


def test_an_id_never_leads_out_of_the_folder_of_pictures(task: Path, radcap: Command) -> None:
    for place in ("pictures", "pictures/a"):
        (task / place).mkdir()
    secret, picture = b"\x89PNG secret", b"\x89PNG picture"
    for outside in ("secret.png", "b.png", "pictures/a/b.png"):
        (task / outside).write_bytes(secret)
    for inside in IDS[6:]:
        (task / "pictures" / f"{inside}.png").write_bytes(picture)
    (task / "pictures" / "~.jpg").mkdir()  # looked for first, and no file
    (task / "truth.csv").write_text(lines_of(dict.fromkeys(IDS, PLAIN)), encoding="utf-8")
    for name, text in {"a": PLAIN, "b": "MRI"}.items():
        (task / f"{name}.csv").write_text(lines_of(dict.fromkeys(IDS, text)), encoding="utf-8")
    done = radcap("compare", "a.csv", "b.csv", *COMPARE, "--report", "page.html", "--images", "pictures")
    assert (done.code, done.err) == (0, "The page is page.html.\n")
    text = Path("page.html").read_text("utf-8")
    assert "secret" not in re.sub(r"\.\./secret", "", text)
    shown = [one for one in assert_harmless(text).sources if one.startswith("data:image")]
    assert len(shown) == 6
    assert len(set(shown)) == 1


def test_a_picture_too_large_or_locked_is_left_out(task: Path, radcap: Command) -> None:
    (task / "pictures").mkdir()
    (task / "pictures" / "img_1.png").write_bytes(bytes(3 * 1024 * 1024))
    runs = ("compare", "other.csv", "truth.csv", *COMPARE, "--report", "page.html", "--images", "pictures")
    assert radcap(*runs).code == 0
    assert Path("page.html").stat().st_size < 200_000
    (task / "pictures" / "img_1.png").unlink()
    (task / "pictures" / "img_1.jpg").symlink_to("img_1.jpg")  # a link to itself
    assert radcap(*runs).code == 0


# --- scores with nothing to tell ---


def found_of(runs: Mapping[str, Mapping[str, str]], truth: Mapping[str, str]) -> Any:
    compared = compare(runs, truth, Task.CAPTIONS, metrics=["rouge1", "bleu", "cider"], procedure=PROCEDURE)
    assert_harmless(comparison_html(compared, "title"))
    return json.loads(json.dumps(compared.to_json(), allow_nan=False))  # strict: NaN is no JSON


@pytest.mark.parametrize("images", [1, 2])
def test_one_or_two_images_separate_nothing(images: int) -> None:
    truth = {f"img_{number}": PLAIN for number in range(images)}
    found = found_of({"right": truth, "wrong": dict.fromkeys(truth, "zebra")}, truth)
    for metric in found["metrics"]:
        (pair,) = metric["pairs"]
        assert pair["p"] == 1.0 if images == 1 or metric["metric"] == "cider" else pair["p"] >= 0.5
        assert {one["letters"] for one in metric["standings"]} == {"a"}
    rouge = found["metrics"][0]
    assert [(one["run"], one["value"], one["rank"]) for one in rouge["standings"]] == [
        ("right", 1.0, 1),
        ("wrong", 0.0, 2),
    ]


@pytest.mark.parametrize(("text", "value"), [("zebra", 0.0), (PLAIN, 1.0)], ids=["all zero", "all equal"])
def test_runs_without_any_difference_share_all(text: str, value: float) -> None:
    truth = {f"img_{number}": PLAIN for number in range(20)}
    found = found_of({name: dict.fromkeys(truth, text) for name in "abc"}, truth)
    for metric in found["metrics"]:
        assert {(one["rank"], one["letters"]) for one in metric["standings"]} == {(1, "a")}
        assert {(one["p"], one["p_holm"], one["ties"]) for one in metric["pairs"]} == {(1.0, 1.0, 20)}
    assert {one["value"] for one in found["metrics"][0]["standings"]} == {value}
    interval = found["metrics"][0]["standings"][0]["interval"]
    assert (interval["low"], interval["high"]) == (value, value)


@pytest.mark.parametrize("resamples", [1, 2, 1000])
def test_few_resamples_are_still_numbers(resamples: int) -> None:
    truth = {f"img_{number}": PLAIN for number in range(3)}
    runs = {"a": truth, "b": dict.fromkeys(truth, "CT")}
    procedure = Procedure(resamples=resamples, permutations=1)
    found = compare(runs, truth, Task.CAPTIONS, metrics=["rouge1"], procedure=procedure).to_json()
    for one in json.loads(json.dumps(found, allow_nan=False))["metrics"][0]["standings"]:
        alike = pytest.approx(one["value"], abs=1e-12)  # every image has the same value
        assert (one["interval"]["low"], one["interval"]["high"]) == (alike, alike)


def test_an_interval_of_nothing_is_null_and_no_word_that_json_lacks(task: Path, radcap: Command) -> None:
    ids = [f"img_{number}" for number in range(40)]
    for name, cells in {"concepts": ["C0040405"] * 40, "concepts_manual": ["C0040405", *[""] * 39]}.items():
        lines = [f"{one},{cell}\n" for one, cell in zip(ids, cells, strict=True)]
        (task / f"{name}.csv").write_text("".join(["ID,CUIs\n", *lines]), encoding="utf-8")
    ends: list[float | None] = []
    for seed in range(8):  # the one image that counts for f1_manual is not in every resample
        done = radcap("compare", "concepts.csv", "--truth", task, "--task", "concepts", "--json",
                      "--resamples", "1", "--permutations", "1", "--seed", str(seed))  # fmt: skip
        found = json.loads(done.out, parse_constant=pytest.fail)
        metrics = {one["metric"]: one["standings"][0] for one in found["metrics"]}
        ends.append(metrics["f1_manual"]["interval"]["low"])
    assert set(ends) == {None, 1.0}


# --- the wrong runs ---


def test_values_that_cannot_be_scored_are_named_after_their_runs() -> None:
    runs: dict[str, Any] = {"good": TRUTH, "short": {"img_1": "CT"}, "odd": {**TRUTH, "img_1": 5}}
    with pytest.raises(RefusedRuns) as raised:
        compare(runs, TRUTH, "captions", procedure=PROCEDURE)
    assert str(raised.value).startswith(
        "2 of 3 runs cannot be scored: short, odd. Found 2 images not in the run"
    )
    assert "The value of 'img_1' is 5." in str(raised.value)
    assert list(raised.value.errors) == ["short", "odd"]


def test_a_faulty_truth_is_no_fault_of_the_runs(task: Path) -> None:
    (task / "twice.csv").write_text("ID,Caption\nimg_1,CT\nimg_1,CT\n", encoding="utf-8")
    for truth, why in (("twice.csv", "img_1 stands on lines 2, 3"), ("absent", "No truth at absent")):
        with pytest.raises(InputError, match=why) as raised:
            compare(["other.csv", "truth.csv"], truth, "captions")
        assert not isinstance(raised.value, RefusedRuns)


@pytest.mark.parametrize("name", sorted(UNREADABLE))
def test_what_no_file_holds_is_refused_in_any_of_them(name: str, task: Path, radcap: Command) -> None:
    text = lines_of({**TRUTH, "img_2": CAPTIONS[name]}).encode("utf-8", "surrogatepass")
    Path("bad.csv").write_bytes(text)
    done = radcap("compare", "other.csv", "bad.csv", *COMPARE)
    assert done.code == 1
    assert "1 of 2 runs cannot be scored: bad.csv." in done.err
    done = radcap("compare", "other.csv", "--truth", "bad.csv", *COMPARE[2:])
    assert done.code == 1
    assert "bad.csv cannot serve as truth: line 3: " in done.err
    assert_printable(done.out, done.err)
