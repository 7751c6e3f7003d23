"""The values of a board of captions, counted again by other ways, and what tables and page make of them."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from board_samples import ANGIO, CT, MARK, MRI, US, XRAY
from caption_board_samples import said, with_captions, writer

from radcap.core import UsageError
from radcap.datasets.caption_truth import caption_truth
from radcap.detection.examples import groups_of
from radcap.metrics import CaptionMetric, Measured, TextPairs, caption_metrics, compare, score_captions
from radcap.stats import Procedure
from radcap.systems.board.captions import kept
from radcap.systems.board.captions.board import FLOOR, CaptionBoard, make_caption_board
from radcap.systems.board.captions.intervals import figures
from radcap.systems.board.captions.kept import KEPT_FILE, KeptCaptions, kept_captions, to_keep
from radcap.systems.board.captions.page import caption_page
from radcap.systems.board.captions.samples import samples, shown_systems
from radcap.systems.board.captions.scores import (
    FREE,
    MEASURES,
    METEOR,
    Measure,
    missing_metrics,
    score_runs,
)
from radcap.systems.board.captions.tables import (
    changes_table,
    costs_table,
    every_table,
    floor_table,
    measures_table,
    missing_table,
    modality_table,
    ranking_table,
    ranks_table,
    told_table,
    untrained_table,
)
from radcap.systems.board.captions.writing import write_caption_board
from radcap.systems.board.lessons import cost_table, edition_table, family_table
from radcap.systems.board.results import BoardFolder, Result
from radcap.vocabulary import link

MANY = 40
_ORDER = (CT, XRAY, MRI, US, ANGIO)
_SAID = ("CT", "Radiograph", "MRI", "Ultrasound", "Angiogram")
_SHOWS = ("pneumonia", "a fracture", "edema", "no abnormality", "pleural effusion", "a large mass")
MANUAL = [[_ORDER[n % 4]] for n in range(MANY - 2)] + [[ANGIO], []]
COMPOSED = [f"{_SAID[n % 4]} of the chest shows {_SHOWS[n % 6]}." for n in range(MANY)]
ORIGINAL = [f"A patient with {_SHOWS[n % 6]} on the left side" if n % 4 == 0 else "" for n in range(MANY)]
GROUPS = [f"case_{n // 2}" if n % 3 else "" for n in range(MANY)]
DATA = with_captions({"original": ORIGINAL, "composed": COMPOSED}, MANUAL, GROUPS)
GOOD = [one if n % 3 else _SAID[n % 4] + " of the chest." for n, one in enumerate(COMPOSED)]
LIST = "ct mri radiograph ultrasound of the chest shows pneumonia fracture edema effusion mass"
RUNS = {
    "2022/words": [LIST] * MANY,
    "2022/good": GOOD,
    "2025/again": GOOD,
    FLOOR[0]: ["Ultrasound."] * MANY,
    FLOOR[2]: [COMPOSED[n - 1] for n in range(MANY)],
    "radcap/own": [f"{_SAID[n % 4]} of the chest." for n in range(MANY)],
}
TOLD = {
    "2022/good": {"none": ["Chest."] * MANY, "true": COMPOSED},
    "radcap/own": {"none": RUNS["radcap/own"], "true": RUNS["radcap/own"]},
}
SYSTEMS = [
    writer("words", "2022/words", edition="2022", team="W", family="words", published={"bleu": 0.48}),
    writer("lstm", "2022/good", edition="2022", team="G", family="recurrent", published={"bleu": 0.32}),
    writer("gru", "2025/again", edition="2025", team="A", published={"rouge1": 0.2}),
    writer("frequent", FLOOR[0], edition="radcap"),
    writer("nearest", FLOOR[2], edition="radcap"),
    writer("lstm", "radcap/own", edition="radcap"),
    writer("lstm", "2025/gone", edition="2025"),
    writer("lstm", "2025/never", edition="2025"),
]
WITHOUT_JAVA = tuple(one for one in MEASURES if one != METEOR)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> BoardFolder:
    facts = {
        "borrowed": {FLOOR[2]: True},
        "changes": {"2022/good": ("composed captions", "10 epochs for 20")},
        "members": {"2022/good": 3},
        "parameters": {"2022/good": 3_412_000},
        "images_per_s": {"2022/good": 12.34},
    }
    board = said(tmp_path_factory.mktemp("board"), RUNS, DATA, TOLD, **facts)
    board.write(Result("2025/gone", MARK, "tiny", why_not="Weights are missing."))
    return board


def board_of(folder: BoardFolder, measures: Sequence[Measure] = MEASURES) -> CaptionBoard:
    marks = {one.name: MARK for one in SYSTEMS}
    return make_caption_board(SYSTEMS, folder, DATA, marks, "composed", measures)


@pytest.fixture(scope="module")
def board(folder: BoardFolder) -> CaptionBoard:
    return board_of(folder, measures=WITHOUT_JAVA)


@pytest.mark.parametrize("source", ["composed", "original"])
def test_scores_are_those_of_the_scorer_on_each_source_apart(source: str, board: CaptionBoard) -> None:
    truth = caption_truth(DATA, source)
    for row in board.rows:
        run = dict(zip(DATA.ids, RUNS[row.name], strict=True))
        for one in WITHOUT_JAVA:
            if one == FREE:
                continue
            report = score_captions(run, truth, edition=one.edition, metrics=one.metric)
            assert row.figures[source][one.name].value == pytest.approx(report[one.metric].value)
    assert board.images == {"original": 10, "composed": MANY}


def test_the_word_list_comes_first_by_bleu_and_not_by_rouge(board: CaptionBoard) -> None:
    """BLEU of 2022 leaves out orders of n-grams without a match."""
    row = board.row("2022/words")
    assert row.ranks["bleu_2022"] < row.ranks["rouge1"]
    assert row.ranks["rouge1"] == row.rank
    values = [one.figures["composed"]["rouge1"].value for one in board.rows]
    ranked = scipy.stats.rankdata([-one for one in values], "min").tolist()
    assert [one.ranks["rouge1"] for one in board.rows] == ranked


def concepts_f1(said: str, true: str) -> float:
    ours, theirs = ({one.cui for one in link(text)} for text in (said, true))
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours | theirs else 0.0


def test_concepts_of_the_free_vocabulary_by_hand(board: CaptionBoard) -> None:
    for name, texts in RUNS.items():
        values = [concepts_f1(*both) for both in zip(texts, COMPOSED, strict=True)]
        figure = board.row(name).figures["composed"][FREE.name]
        assert figure.value == pytest.approx(sum(values) / MANY)
        assert 0 < figure.value < 1


def test_letters_ranks_and_intervals_are_those_of_a_comparison(
    board: CaptionBoard, folder: BoardFolder
) -> None:
    groups = dict(zip(DATA.ids, groups_of(DATA, DATA.ids), strict=True))
    runs = {name: folder.run(name) for name in RUNS}
    truth = caption_truth(DATA, "composed")
    compared = compare(runs, truth, "captions", edition="2025", metrics=["rouge1"], groups=groups)
    for one in compared.comparison.primary.standings:
        row = board.row(one.run)
        known = row.figures["composed"]["rouge1"]
        assert (row.score, row.rank, row.letters) == (one.value, one.rank, one.letters)
        assert (known.value, known.low, known.high) == pytest.approx(
            (one.value, one.interval.low, one.interval.high)
        )
        assert board.values[one.run] == compared.score(one.run).values
    assert board.ids == compared.score("2022/good").ids
    assert board.groups == {"original": 10, "composed": len(set(groups.values()))}


def test_intervals_of_columns_are_drawn_alike() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.random(30), rng.random(30)
    groups = [str(n // 3) for n in range(30)]
    found = figures({"a": a.tolist(), "b": b.tolist(), "less": (a - b).tolist()}, groups)
    assert found["less"].value == pytest.approx(a.mean() - b.mean())
    assert found["a"].low < found["a"].value < found["a"].high
    means = a.reshape(10, 3).mean(axis=1)
    drawn = rng.integers(0, 10, (20_000, 10))
    low, high = np.quantile(means[drawn].mean(axis=1), [0.025, 0.975])
    assert (found["a"].low, found["a"].high) == pytest.approx((low, high), abs=0.01)
    assert Procedure().level == 0.95


def test_what_concepts_are_worth_is_a_difference_of_the_same_images(board: CaptionBoard) -> None:
    told = board.row("2022/good").told
    assert set(told) == {"rouge1", "umls_f1_free", "cider"}
    truth = dict(zip(DATA.ids, COMPOSED, strict=True))
    values: dict[str, Sequence[float]] = {}
    for what, texts in (("none", TOLD["2022/good"]["none"]), ("predicted", GOOD), ("true", COMPOSED)):
        run = dict(zip(DATA.ids, texts, strict=True))
        values[what] = score_captions(run, truth, edition="2025", metrics="rouge1")["rouge1"].values
    one = told["rouge1"]
    assert (one.none, one.predicted, one.true) == pytest.approx(
        tuple(np.mean(values[what]) for what in ("none", "predicted", "true"))
    )
    assert one.true == 1.0
    assert one.gain.value == pytest.approx(one.predicted - one.none)
    assert one.gap.value == pytest.approx(one.true - one.predicted)
    assert one.gap.low < one.gap.value < one.gap.high
    same = board.row("radcap/own").told["rouge1"]
    assert (same.gain.low, same.gain.high, same.gap.value) == (0, 0, 0)
    assert board.row("2022/words").told == {}


def letters(pairs: TextPairs) -> Measured:
    """Stands for METEOR, which takes Java seconds to begin: the share of letters that are alike."""
    pairs_of = zip(pairs.candidates, pairs.references, strict=True)
    return Measured([len(set(a) & set(b)) / max(1, len(set(a) | set(b))) for a, b in pairs_of])


def test_meteor_is_measured_for_all_runs_at_once(
    folder: BoardFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in = CaptionMetric("meteor", "METEOR", f"{__name__}:letters")
    monkeypatch.setitem(caption_metrics.CAPTION_METRICS, "meteor", stand_in)  # type: ignore[arg-type]
    truth = caption_truth(DATA, "composed")
    scored = score_runs({name: folder.run(name) for name in RUNS}, truth, (METEOR,))
    for name in RUNS:
        alone = score_captions(folder.run(name), truth, edition="2025", metrics="meteor")["meteor"]
        assert scored.scores[name]["meteor"].values == alone.values
        assert scored.scores[name]["meteor"].value == pytest.approx(alone.value)


@pytest.mark.slow
def test_meteor_itself_is_measured_for_all_runs_at_once(folder: BoardFolder) -> None:
    truth = caption_truth(DATA, "composed")
    scored = score_runs({name: folder.run(name) for name in list(RUNS)[:2]}, truth, (METEOR,))
    for name, one in scored.scores.items():
        alone = score_captions(folder.run(name), truth, edition="2025", metrics="meteor")["meteor"]
        assert one["meteor"].values == alone.values


def test_what_cannot_be_measured_is_listed_and_left_out(
    folder: BoardFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = CaptionMetric("meteor", "METEOR", needs="Java")
    monkeypatch.setitem(caption_metrics.CAPTION_METRICS, "meteor", absent)  # type: ignore[arg-type]
    made = board_of(folder)
    assert [one.name for one in made.measures] == [one.name for one in WITHOUT_JAVA]
    missing = {one.name: one for one in made.missing}
    assert {"meteor", "bertscore", "bleurt", "similarity", "alignscore", "umls_f1", "spice"} <= set(missing)
    assert missing["umls_f1"].why.endswith("It needs a MedCAT model pack under the UMLS licence.")
    assert made.to_json()["overall"] is None
    (java,) = (why for name, why in missing_table(made).rows if name == "meteor")
    assert java.endswith("It needs Java.")
    assert {one.name for one in missing_metrics()} == set(missing)


def test_a_folder_without_a_score_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"holds no score yet\. Run: radcap systems reproduce --out DIR\."):
        board_of(BoardFolder(tmp_path))


def told_of(table: Any, name: str) -> dict[str, str]:
    place = table.columns.index("system")
    row = next(one for one in table.rows if one[place].removesuffix(" *") == name)
    return dict(zip(table.columns, row, strict=True))


def test_the_ranking_as_a_table(board: CaptionBoard) -> None:
    table = ranking_table(board)
    row = board.row("2022/good")
    told = told_of(table, "2022/good")
    assert (told["rank"], told["published"], told["family"]) == ("1", "bleu 0.3200", "recurrent")
    assert told["ROUGE-1"] == f"{row.score:.4f}"
    assert told["BLEU 2022"] == f"{row.figures['composed']['bleu_2022'].value:.4f}"
    assert told_of(table, "2025/again")["published"] == ""  # its edition ranked by the overall score
    assert [one[1] for one in table.rows if one[1].endswith(" *")] == [f"{FLOOR[2]} *"]
    assert table.right == set(table.columns) - {"system", "family", "letters"}


def test_other_tables(board: CaptionBoard) -> None:
    floor = floor_table(board)
    assert [one[0] for one in floor.rows] == ["2022/good", FLOOR[0], f"{FLOOR[2]} *"]
    below = sum(one.score < board.row(FLOOR[0]).score for one in board.rows)
    assert told_of(floor, FLOOR[0])["below it"] == str(below)
    ranks = ranks_table(board)
    assert ranks.columns[2:] == ("by BLEU 2022", "by ROUGE-1", "by UMLS F1 (free)")
    assert [int(one[2]) for one in ranks.rows] == sorted(one.ranks["bleu_2022"] for one in board.rows)
    told = told_table(board)
    assert len(told.rows) == 6
    assert told.rows[0][0] == "2022/good"
    gap = board.row("2022/good").told["rouge1"].gap
    assert told.rows[0][-1] == f"{gap.value:+.4f} ({gap.low:+.3f} to {gap.high:+.3f})"
    assert modality_table(board).columns == ("system", "X-ray (10)", "CT (10)", "MRI (9)", "US (9)")
    own = told_of(modality_table(board), "radcap/own")
    assert own["CT (10)"] == f"{board.row('radcap/own').by_modality['CT']:.3f}"
    assert told_of(costs_table(board), "2022/good") == {
        "system": "2022/good", "members": "3", "parameters": "3.4 M", "seconds": "60", "captions/s": "12.3",
    }  # fmt: skip
    assert ("2022/good", "composed captions; 10 epochs for 20") in changes_table(board).rows
    assert untrained_table(board).rows == (
        ("2025/gone", "Weights are missing."), ("2025/never", "Not trained yet."),
    )  # fmt: skip
    originals = measures_table(board, "original")
    assert len(originals.rows) == len(board.rows)
    figure = board.row("2022/good").figures["original"]["rouge1"]
    assert originals.rows[0][-1] == f"{figure.low:.3f}-{figure.high:.3f}"


def test_editions_families_and_costs_are_told_as_on_the_board_of_concepts(board: CaptionBoard) -> None:
    (first, second) = edition_table(board).rows
    assert first[:4] == ("2022", "2", "W", "2022/good")
    assert second[:4] == ("2025", "1", "", "2025/again")
    assert edition_table(board).columns[4:6] == ("its ROUGE-1", "median ROUGE-1")
    assert {one[0] for one in family_table(board).rows} == {"words", "recurrent", "other"}
    assert [one[0] for one in cost_table(board).rows] == ["one model", "2 or 3 members"]


def test_files_hold_every_value(board: CaptionBoard, folder: BoardFolder, tmp_path: Path) -> None:
    page = write_caption_board(board, (), tmp_path)
    assert page.read_text("utf-8") == caption_page(board, ())
    with (tmp_path / "board.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * len(board.rows) == len(every_table(board).rows)
    one = next(one for one in rows if one["system"] == "2022/good" and one["captions"] == "original")
    figure = board.row("2022/good").figures["original"]["cider"]
    assert (one["images"], one["cider_low"]) == ("10", f"{figure.low:.6f}")
    told = json.loads((tmp_path / "board.json").read_text("utf-8"))
    assert told["source"] == "composed"
    assert [one["name"] for one in told["rows"]] == [one.name for one in board.rows]
    assert told["rows"][0]["told"]["rouge1"]["true"] == 1.0
    assert told["rows"][0]["figures"]["original"]["cider"]["low"] == figure.low
    assert "values" not in told


def test_a_page_has_what_there_is(board: CaptionBoard) -> None:
    text = caption_page(board, ())
    for key in ("ranking", "floor", "told", "orders", "editions", "families", "modalities", "costs",
                "measures-composed", "measures-original", "missing", "changes", "untrained"):  # fmt: skip
        assert f'id="{key}"' in text
    assert 'id="samples"' not in text
    assert "A star marks systems" in text
    assert "of the two orders" in text
    named = set(re.findall(r'class="label">([^<]*)</text>', text)) & {one.name for one in board.rows}
    assert named == {"2022/good", FLOOR[0], FLOOR[2]}
    assert "://" not in text.replace("http://www.w3.org/2000/svg", "")
    bare = replace(
        board,
        measures=tuple(one for one in board.measures if one.name != "bleu_2022"),
        rows=tuple(
            replace(one, told={}, result=replace(one.result, borrowed=False)) for one in board.rows[:1]
        ),
        not_trained=(),
        missing=(),
    )
    left = caption_page(bare, ())
    for key in ("told", "orders", "missing", "untrained"):
        assert f'id="{key}"' not in left
    assert "A star marks systems" not in left
    alone = replace(board, rows=board.rows[:1])
    assert "of the two orders" not in caption_page(alone, ())


def test_systems_that_are_shown_are_the_best_of_each_edition_and_the_floor(board: CaptionBoard) -> None:
    assert shown_systems(board) == ["2022/good", "2025/again", "radcap/own", FLOOR[0], FLOOR[2]]


def test_kept_scores_are_those_of_the_board(
    board: CaptionBoard, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = to_keep(board)
    assert (told["data"], told["captions"], told["images"]) == ("made", "composed", MANY)
    one = KeptCaptions(**told["systems"]["2022/good"])
    assert one.rouge1 == round(board.row("2022/good").score, 4)
    assert one.measures["cider"] == round(board.row("2022/good").figures["composed"]["cider"].value, 4)
    assert one.to_json() == told["systems"]["2022/good"]
    (tmp_path / KEPT_FILE).write_text(json.dumps(told))
    monkeypatch.setattr(kept, "files", lambda _: tmp_path)
    assert kept_captions.__wrapped__()["2022/good"] == one


def test_the_file_that_ships_is_read() -> None:
    assert all(one.low <= one.rouge1 <= one.high for one in kept_captions().values())


def test_samples_are_the_median_images_of_their_modality(board: CaptionBoard, folder: BoardFolder) -> None:
    found = samples(board, folder, DATA)
    assert [one.modality for one in found] == list(board.modalities)
    shown = shown_systems(board)
    for one in found:
        assert [each.system for each in one.said] == shown
        place = DATA.ids.index(one.record.id)
        assert one.true["composed"] == COMPOSED[place]
        assert [each.caption for each in one.said] == [RUNS[name][place] for name in shown]
        assert [each.value for each in one.said] == [board.values[name][place] for name in shown]
        short = {"CT": CT, "X-ray": XRAY, "MRI": MRI, "US": US}[one.modality]
        others = [n for n, cuis in enumerate(MANUAL) if cuis == [short]]
        means = sorted(sum(board.values[name][n] for name in shown) for n in others)
        assert sum(board.values[name][place] for name in shown) == means[len(means) // 2]
