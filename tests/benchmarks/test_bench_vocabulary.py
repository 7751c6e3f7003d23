"""The benchmark of the vocabulary: names and texts have the shape they should, ways find what they claim."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any

import pytest
from bench_files import run_script

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Script: TypeAlias = Callable[[str], Any]

TERMS = 5_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("vocabulary") / "names"
    done = run_script("synthetic_vocabulary.py", out, "--terms", str(TERMS), "--captions", "500")
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.slow
def test_the_report_compares_every_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RADCAP_QUICKUMLS_PYTHON", raising=False)
    done = run_script("bench_vocabulary.py", "--quick")
    assert done.returncode == 0, done.stderr
    for row in (
        *("stand-in for QuickUMLS, alike by 0.7", "stand-in for QuickUMLS, alike by 1", "pyahocorasick"),
        *("radcap", "radcap, 1,000", "pyahocorasick, 10,000", "2,000", "two processes"),
    ):
        assert f"| {row} |" in done.stdout
    assert "**A stand-in was\nmeasured**" in done.stdout
    assert done.stdout.count("not at this size") == 4
    assert "extrapolated" not in done.stdout  # sizes so small lie on no line


def test_made_up_names_have_the_shape_of_umls(folder: Path) -> None:
    terms = [line.split("\t") for line in (folder / "terms.tsv").read_text("utf-8").splitlines()]
    names = [name for _, name, _ in terms]
    words = Counter(word for name in names for word in re.findall(r"\w+", name.lower()))
    counts = Counter(len(name.split()) for name in names)
    assert len({name.lower() for name in names}) == TERMS
    assert all(re.fullmatch(r"C\d{7}", cui) and re.fullmatch(r"T\d{3}", tui) for cui, _, tui in terms)
    assert terms[0][:2] == ["C0000726", "Abdomen"]
    assert 1.8 < TERMS / len({cui for cui, _, _ in terms}) < 2.6
    assert set(range(1, 9)) < set(counts)
    assert 3 < mean(len(name.split()) for name in names) < 4.5
    assert sum(n for _, n in words.most_common(40)) > words.total() * 0.25  # a long tail behind few words
    assert len(words) > 3_000
    for form in (r"\w+, \w+", r"Structure of \w+ \w+", r".*\(disorder\)", r"\w+-\w+.*", r"[A-Z]{3,5}"):
        assert any(re.fullmatch(form, name) for name in names), form


def test_made_up_captions_have_the_shape_of_real_ones(folder: Path) -> None:
    captions = (folder / "captions.txt").read_text("utf-8").splitlines()
    words = [len(caption.split()) for caption in captions]
    assert len(captions) == 500
    assert mean(words) == pytest.approx(20, abs=2)
    assert median(words) == pytest.approx(16, abs=2)
    assert 0.2 < mean("(" in caption for caption in captions) < 0.45
    assert 0.03 < mean("no evidence of" in caption for caption in captions) < 0.25
    assert any(re.search(r"\(([A-Z]{2,})\) and the \1\b", caption) for caption in captions)


def test_the_same_seed_gives_the_same_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        out = tmp_path / name
        assert run_script("synthetic_vocabulary.py", out, "--terms", "400", "--captions", "9").returncode == 0
        assert run_script("synthetic_release.py", out / "rrf", "--rows", "50").returncode == 0
        assert run_script("synthetic_release.py", out / "same", "--names", out).returncode == 0
    files = [path.relative_to(tmp_path / "a") for path in sorted((tmp_path / "a").rglob("*.*"))]
    assert len(files) == 6
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_a_made_up_release_is_read_as_a_real_one(script: Script, tmp_path: Path) -> None:
    from radcap.vocabulary.findings import Findings
    from radcap.vocabulary.sources.inputs import Input
    from radcap.vocabulary.sources.rrf.reading import read_umls

    release = script("synthetic_release")
    release.write_release(tmp_path / "META", 2_000)
    rows = [line.split("|") for line in (tmp_path / "META" / "MRCONSO.RRF").read_text("utf-8").splitlines()]
    kept = ("ENG", "0", "N"), ("ENG", "9", "N")  # by the default filters
    wanted = [row for row in rows if (row[1], row[15], row[16]) in kept]
    findings = Findings()
    draft = read_umls(Input(tmp_path / "META", release="made up"), findings, lambda *_: None).draft
    assert draft is not None
    assert 0.4 < len(wanted) / len(rows) < 0.7
    assert draft.names.column("name").to_pylist() == [row[14] for row in wanted]
    assert {row[0] for row in rows} == {
        line.partition("|")[0] for line in (tmp_path / "META" / "MRSTY.RRF").read_text("utf-8").splitlines()
    }
    assert set(findings.counts) == {"VOC113"}  # there is no MRREL.RRF


def test_the_same_names_become_a_release(script: Script, tmp_path: Path) -> None:
    term = script("synthetic_vocabulary").Term
    terms = [
        term("C0000001", "Heart", "T023"),
        term("C0000001", "Cor", "T023"),
        term("C0000002", "X", "T047"),
    ]
    script("synthetic_release").write_same_names(tmp_path / "same", terms)
    rows = [line.split("|") for line in (tmp_path / "same" / "MRCONSO.RRF").read_text("utf-8").splitlines()]
    assert [(row[0], row[1], row[14], row[16], len(row)) for row in rows] == [
        (one.cui, "ENG", one.name, "N", 19) for one in terms
    ]
    types = (tmp_path / "same" / "MRSTY.RRF").read_text("utf-8").splitlines()
    assert [row.split("|")[:2] for row in types] == [["C0000001", "T023"], ["C0000002", "T047"]]


CAPTION = "Pleural effusion and heart failure; no lungs, Effusions (PE)."


@pytest.mark.parametrize(
    ("way", "found"),
    [
        (
            "radcap",
            ["C0000002", "C0000003", "C0000004", "C0000001"],
        ),  # the plural too; 'and' is no abbreviation
        ("ahocorasick", ["C0000002", "C0000003", "C0000005"]),
    ],
)
def test_a_way_builds_opens_and_finds(script: Script, tmp_path: Path, way: str, found: list[str]) -> None:
    term, ways = script("synthetic_vocabulary").Term, script("vocabulary_ways").WAYS
    names = ("Effusion", "Pleural effusion", "Heart failure", "Lung", "AND")
    terms = [term(f"C{n:07d}", name, "T047") for n, name in enumerate(names, 1)]
    path = tmp_path / ways[way].file
    ways[way].build(terms, path)
    [cuis] = ways[way].open(path)([CAPTION])
    assert sorted(cuis) == sorted(found)


def test_of_overlapping_names_the_automaton_keeps_the_longest(script: Script) -> None:
    ways = script("vocabulary_ways")
    hits = [(10, 5, "long"), (4, 11, "inside"), (4, 0, "before"), (3, 15, "behind")]
    assert [cui for *_, cui in ways._apart(hits)] == ["long", "before", "behind"]
    assert ways._at_edges("a lung.", 2, 6)
    assert not ways._at_edges("lungs", 0, 4)
    assert not ways._at_edges("blung", 1, 5)


def test_runs_of_words_are_those_that_quickumls_looks_up(script: Script) -> None:
    windows = script("quickumls_ways").windows
    found = list(windows("The left LUNG, 3 mm", frozenset({"the", "The"})))
    assert [text for _, _, text in found] == [
        *("the left", "the left lung", "the left lung, 3"),
        *("left", "left lung", "left lung, 3", "left lung, 3 mm"),
        *("lung", "lung, 3", "lung, 3 mm", "3 mm"),
    ]
    assert all("The left LUNG, 3 mm"[start:end].lower() == text for start, end, text in found)


@pytest.mark.parametrize("threshold", [0.5, 0.7, 1.0])
def test_the_stand_in_finds_every_name_that_is_alike(script: Script, folder: Path, threshold: float) -> None:
    """Against comparing with each name."""
    ways = script("quickumls_ways")
    lines = (folder / "terms.tsv").read_text("utf-8").splitlines()[:800]
    names = [line.split("\t")[1].lower() for line in lines]
    alike = ways.Alike(names)
    for text in (*names[:300:20], "aortc aneurysm", "pneumnia", "ct"):
        parts = ways.pieces(text)
        by_hand = {
            name: len(parts & other) / len(parts | other) for name in names for other in [ways.pieces(name)]
        }
        wanted = {name: value for name, value in by_hand.items() if value >= threshold}
        assert dict(alike.find(text, threshold)) == pytest.approx(wanted)


def test_of_runs_that_overlap_the_most_alike_stays(script: Script) -> None:
    found = [(0, 4, 0.8, "a"), (0, 9, 1.0, "b"), (5, 9, 1.0, "c"), (10, 12, 0.7, "d")]
    assert [name for *_, name in script("quickumls_ways").select(found)] == ["b", "d"]


PACKAGES = {
    "spacy.py": "blank = str.upper\ndef load(name): raise OSError(name)\n",
    "nltk/__init__.py": "from nltk import corpus\n",
    "nltk/corpus.py": "stopwords = None\n",
    "quickumls/install.py": (
        "import sys\nfrom pathlib import Path\n"
        "def main():\n"
        "    *words, release, out = sys.argv[1:]\n"
        "    print('talks')\n"
        "    (Path(out) / 'db').write_text(' '.join(words) + Path(release, 'MRCONSO.RRF').read_text())\n"
    ),
    "quickumls/__init__.py": (
        "import nltk, spacy\nfrom pathlib import Path\n"
        "class QuickUMLS:\n"
        "    def __init__(self, folder, threshold):\n"
        "        assert 'Abdomen' in Path(folder, 'db').read_text()\n"
        "        assert spacy.load('en_core_web_sm') == 'EN' and 'the' in nltk.corpus.stopwords.words()\n"
        "    def match(self, text):\n"
        "        return text.split()\n"
    ),
}


def test_quickumls_is_measured_where_an_interpreter_has_it(
    script: Script, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a package in its place that has the parts of its interface that are used, as in 1.4.2."""
    for name, text in PACKAGES.items():
        (tmp_path / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / name).write_text(text, encoding="utf-8")
    monkeypatch.setitem(script("stopwatch")._ENVIRONMENT, "PYTHONPATH", str(tmp_path / "site"))
    monkeypatch.setenv("RADCAP_QUICKUMLS_PYTHON", sys.executable)
    runs = script("vocabulary_runs")
    (tmp_path / "runs").mkdir()
    found = runs.Runs(tmp_path / "runs", runs.Sizes((400,), 9, 5, 1, (10, 20), 1)).alike()
    captions = (tmp_path / "runs" / "names-400" / "captions.txt").read_text("utf-8").splitlines()
    assert list(found) == [0.7, 1.0]
    for cost in found.values():
        assert cost["texts"] == 5
        assert cost["mentions"] == sum(len(caption.split()) for caption in captions[:5])
        assert cost["install_bytes"] > 400
        assert cost["install_s"] >= 0
    told = script("bench_vocabulary")._which(found[0.7])
    assert "QuickUMLS is the package itself" in told


def test_whole_sizes_are_those_of_the_goals(script: Script) -> None:
    sizes = script("vocabulary_runs").Sizes.of(script("settings").FULL)
    assert sizes.terms[-1] == 1_000_000
    assert sizes.rows == (500_000, 1_000_000, 2_000_000)
    assert sizes.captions >= 10_000


def test_the_cost_of_a_whole_release_goes_on_as_the_last_two_sizes(script: Script) -> None:
    bench = script("bench_vocabulary")
    costs = [
        {"read_s": n, "wall_s": 3 * n, "read_mib": 100 + 50 * n, "peak_mib": 200 + n, "bytes": 0, "names": n}
        for n in (1.0, 2.0)
    ]
    sizes = (1_000_000, costs[0]), (2_000_000, costs[1])
    whole = bench._continued(*sizes)
    assert whole["read_s"] == pytest.approx(17)
    assert whole["read_mib"] == pytest.approx(950)
    row = bench._release_row(*sizes[1], bench._added(*sizes[0], *sizes[1]))
    assert row == ("2,000,000", "0", "2", "2.00", "200 (52)", "6.00", "202 (1)")


def test_a_way_that_finds_nothing_fails_loudly(script: Script) -> None:
    bench, failed = script("bench_vocabulary"), script("stopwatch").Failed

    class Runs:
        ways, large, quickumls = ("radcap",), 10, None
        sizes = script("vocabulary_runs").Sizes((10,), 1, 1, 1, (1, 2), 1)

        def alike(self) -> dict[float, dict[str, float]]:
            nothing: dict[str, float] = {"texts": 1, "mentions": 0, "cpu_s": 1, "wall_s": 1}
            return {0.7: nothing, 1.0: nothing}

        def link(self, *_: object) -> dict[str, float]:
            return {"texts": 1, "mentions": 1, "cpu_s": 1, "wall_s": 1}

        def command(self, workers: int) -> Any:
            return script("stopwatch").Measured(1.0, 1.0, 1.0, 1, 0, f"{workers}")

    with pytest.raises(failed, match="found no name"):
        bench._speed(Runs(), full=False)
    with pytest.raises(failed, match="Two processes wrote another run"):
        bench._command(Runs())
