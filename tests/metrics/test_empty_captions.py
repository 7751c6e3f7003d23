"""Empty captions, section 9, and the evaluators that break down on them, section 8 (rows 14 to 16 and 22).

E = empty as written, N = not; truth first, as in the table of the specification.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from metric_plug_ins import OF_LENGTHS
from nltk.tokenize.punkt import PunktSentenceTokenizer

from radcap.core import Level, Run, Task
from radcap.formats import write_run
from radcap.metrics import Measured, ScoreReport, score_captions

if TYPE_CHECKING:
    from pathlib import Path

    from metric_plug_ins import PlugIns

ALIKE = "left lung mass of the apex"
PAIRS = {  # kind -> truth, candidate
    "E/E": ("", ""),
    "N/E": (ALIKE, ""),
    "E/N": ("", ALIKE),
    "N/N": (ALIKE, ALIKE),
    "both blank": (".", "-"),  # nothing is left of either after P17, P22c and P23
}
TRUTH = {kind: truth for kind, (truth, _) in PAIRS.items()}
SAID = {kind: said for kind, (_, said) in PAIRS.items()}
WITHOUT_BLANKS = ["N/E", "E/N", "N/N"]


def report_of(edition: str, profile: str, metrics: list[str], kinds: list[str] | None = None) -> ScoreReport:
    chosen = list(PAIRS) if kinds is None else kinds
    return score_captions(
        {kind: SAID[kind] for kind in chosen},
        {kind: TRUTH[kind] for kind in chosen},
        edition=edition,
        profile=profile,
        metrics=metrics,
    )


def by_kind(report: ScoreReport, metric: str) -> dict[str, float]:
    return dict(zip(report[metric].ids, report[metric].values, strict=True))


# --- BLEU 2017 to 2022: two empty token lists score 1 ---


@pytest.mark.parametrize("rule", ["truncating", "vanishing"])
@pytest.mark.parametrize("profile", ["official", "documented"])
@pytest.mark.parametrize("edition", ["2017", "2018", "2021"])
def test_bleu_of_empty_captions(edition: str, profile: str, rule: str) -> None:
    report = score_captions(SAID, TRUTH, edition=edition, profile=profile, metrics=["bleu"], bleu_rule=rule)
    expected = {"E/E": 1.0, "N/E": 0.0, "E/N": 0.0, "N/N": 1.0, "both blank": 1.0}
    assert by_kind(report, "bleu") == expected


@pytest.mark.parametrize("metric", ["bleu", "rouge1"])
def test_2022_official_scores_empty_captions_after_preparation(metric: str) -> None:
    expected = {"E/E": 1.0, "N/E": 0.0, "E/N": 0.0, "N/N": 1.0, "both blank": 1.0}
    assert by_kind(report_of("2022", "official", [metric]), metric) == expected


def test_2017_captions_of_stop_words_alone_are_empty_token_lists() -> None:
    report = score_captions({"a": "The", "b": "of"}, {"a": "of the", "b": "CT"}, edition="2017")
    assert report["bleu"].values == (1.0, 0.0)


# --- ROUGE 2025 and 2026: only captions that are written empty score 1 ---


@pytest.mark.parametrize("metric", ["rouge1", "rouge2", "rougeL"])
@pytest.mark.parametrize("profile", ["official", "documented"])
@pytest.mark.parametrize("edition", ["2025", "2026", "radcap"])
def test_rouge_of_empty_captions(edition: str, profile: str, metric: str) -> None:
    expected = {"E/E": 1.0, "N/E": 0.0, "E/N": 0.0, "N/N": 1.0, "both blank": 0.0}
    assert by_kind(report_of(edition, profile, [metric]), metric) == expected


def test_what_is_no_share_keeps_its_own_value_on_empty_captions() -> None:
    assert by_kind(report_of("2025", "official", ["cider"]), "cider")["E/E"] == 0.0


@pytest.mark.parametrize(
    ("metric", "value"), [("umls_f1", 1.0), ("bertscore", 1.0), ("bleurt", -0.5), ("similarity", -0.5)]
)
def test_2025_two_empty_captions_score_1_where_the_rule_stands_before_the_scorer(
    plug_ins: PlugIns, metric: str, value: float
) -> None:
    plug_ins(**{metric: lambda pairs: Measured([-0.5] * len(pairs.candidates))})
    found = by_kind(report_of("2025", "official", [metric]), metric)
    assert found == {"E/E": value, "N/E": -0.5, "E/N": -0.5, "N/N": -0.5, "both blank": -0.5}


# --- 2023 and 2024: the evaluator fails where nothing is left of either caption (row 22) ---


@pytest.mark.parametrize("kind", ["E/E", "both blank"])
@pytest.mark.parametrize("edition", ["2023", "2024", "rocov2"])
def test_2023_official_evaluator_fails_on_two_empty_captions(
    plug_ins: PlugIns, edition: str, kind: str
) -> None:
    plug_ins(bertscore=OF_LENGTHS["bertscore"])
    report = report_of(edition, "official", ["bertscore", "rouge1", "bleu1", "cider"], ["N/N", kind])
    assert [one.name for one in report.missing] == ["bertscore", "rouge1"]
    for one in report.missing:
        assert one.why == (
            f"The official evaluator fails: Nothing is left of either caption of {kind!r} after preparation. "
            f"The evaluator of {edition} fails."
        )
        assert one.how == "Mend the captions, or score with --profile documented."
        assert not one.absent
    assert {"bleu1", "cider"} <= {score.name for score in report.scores}  # they came from elsewhere
    (issue,) = [issue for issue in report.issues if issue.code == "TRU104"]
    assert (issue.level, issue.line, issue.column) == (Level.ERROR, 0, 0)  # of the pair, not of a line
    assert not report.ok


@pytest.mark.parametrize("edition", ["2023", "2024"])
def test_2023_official_evaluator_names_every_image_it_fails_on(edition: str) -> None:
    report = report_of(edition, "official", ["rouge1"])
    assert [issue.message.split(" after")[0] for issue in report.issues if issue.code == "TRU104"] == [
        "Nothing is left of either caption of 'E/E'",
        "Nothing is left of either caption of 'both blank'",
    ]


@pytest.mark.parametrize("edition", ["2023", "2024", "rocov2"])
def test_2023_documented_scores_1_for_captions_written_empty(edition: str) -> None:
    report = report_of(edition, "documented", ["rouge1"])
    expected = {"E/E": 1.0, "N/E": 0.0, "E/N": 0.0, "N/N": 1.0, "both blank": 0.0}
    assert by_kind(report, "rouge1") == expected
    assert report.missing == ()
    assert "TRU104" not in {issue.code for issue in report.issues}


@pytest.mark.parametrize("edition", ["2023", "2024"])
def test_2023_official_evaluator_stands_one_empty_side(edition: str) -> None:
    report = report_of(edition, "official", ["rouge1"], WITHOUT_BLANKS)
    assert by_kind(report, "rouge1") == {"N/E": 0.0, "E/N": 0.0, "N/N": 1.0}
    assert report.ok


# --- 2025 and 2026: AlignScore fails on an empty candidate (row 16) ---


@pytest.mark.parametrize("edition", ["2025", "2026"])
def test_2025_official_alignscore_fails_on_an_empty_candidate_and_the_rest_is_scored(
    plug_ins: PlugIns, edition: str
) -> None:
    plug_ins(**OF_LENGTHS)
    report = report_of(edition, "official", ["overall"], WITHOUT_BLANKS)
    (missing,) = report.missing
    assert (missing.name, missing.how) == (
        "alignscore",
        "Mend the captions, or score with --profile documented.",
    )
    assert missing.why == ("The official evaluator fails: AlignScore cannot read the empty caption of 'N/E'.")
    assert not missing.absent
    assert len(report.scores) == 5
    assert report.aggregates == {"overall": None}
    assert [(issue.code, issue.level) for issue in report.issues] == [("RUN401", Level.ERROR)]
    assert not report.ok


def test_2025_documented_alignscore_is_scored(plug_ins: PlugIns) -> None:
    plug_ins(**OF_LENGTHS)
    report = report_of("2025", "documented", ["alignscore"], WITHOUT_BLANKS)
    assert report.missing == ()
    assert by_kind(report, "alignscore")["N/E"] == 0.0  # no word, so nothing of the length


def test_2025_official_alignscore_stands_two_empty_captions_and_an_empty_truth(plug_ins: PlugIns) -> None:
    plug_ins(**OF_LENGTHS)
    report = report_of("2025", "official", ["alignscore"], ["E/E", "E/N", "N/N"])
    assert by_kind(report, "alignscore")["E/E"] == 1.0
    assert report.missing == ()


@pytest.mark.parametrize("blank", [" ", "\t \n", "\u00a0"])
def test_2025_official_alignscore_fails_on_a_candidate_of_blanks_as_well(
    plug_ins: PlugIns, blank: str
) -> None:
    """It splits the candidate into sentences, and blanks have none."""
    assert PunktSentenceTokenizer().tokenize(blank) == []
    plug_ins(**OF_LENGTHS)
    for truth in ("CT", ""):
        report = score_captions({"a": blank}, {"a": truth}, metrics=["alignscore"])
        assert [one.name for one in report.missing] == ["alignscore"]
        assert [issue.code for issue in report.issues] == ["RUN401"]


@pytest.mark.parametrize("edition", ["2025", "2026"])
def test_2025_a_file_with_an_empty_caption_is_scored_and_not_fine(edition: str, tmp_path: Path) -> None:
    truth = write_run(Run(Task.CAPTIONS, {"a": "CT", "b": "MRI"}), tmp_path / "captions.csv", edition=edition)
    run = write_run(Run(Task.CAPTIONS, {"a": "", "b": "MRI"}), tmp_path / "run.zip", edition=edition)
    report = score_captions(run, truth, edition=edition, metrics=["rouge1"])
    assert report["rouge1"].values == (0.0, 1.0)
    assert [(issue.code, issue.line, issue.level) for issue in report.issues] == [("RUN401", 2, Level.ERROR)]
    assert not report.ok


@pytest.mark.parametrize("edition", ["2017", "2022", "2024", "radcap"])
def test_an_empty_caption_is_a_warning_elsewhere(edition: str) -> None:
    report = report_of(edition, "official", ["rouge1"], WITHOUT_BLANKS)
    assert [(issue.code, issue.level) for issue in report.issues] == [("RUN401", Level.WARNING)]
    assert report.ok
