"""The registry of caption metrics: names, what is missing and how to get it, plug-ins, aggregates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from metric_plug_ins import OF_LENGTHS

from radcap.core import Missing, UsageError
from radcap.metrics import (
    AGGREGATES,
    CAPTION_METRICS,
    EDITIONS,
    Measured,
    Resources,
    TextPairs,
    aggregate,
    caption_metric,
    score_captions,
)
from radcap.metrics.aggregates import SIX
from radcap.metrics.metric_tables import metric_states, metric_table

if TYPE_CHECKING:
    from metric_plug_ins import PlugIns

TRUTH = {"b": "CT scan of the abdomen, 3.5 cm mass.", "a": "Chest X-ray", "c": "Axial MRI of the brain"}
SAID = {"a": "chest radiograph", "b": "CT of the liver with a mass", "c": "MRI"}
ABSENT = ["similarity", "bertscore", "bleurt", "umls_f1", "alignscore"]


def nothing_installed(pairs: TextPairs) -> Measured:
    raise Missing("A model", "It reads captions.", "Fetch it.")


# --- names ---


def test_every_name_of_every_edition_stands_in_the_registry() -> None:
    for edition in EDITIONS.values():
        for profile in (edition.official, edition.documented):
            if profile.captions is not None:
                assert set(profile.captions.metrics) <= set(CAPTION_METRICS)
                assert set(profile.captions.aggregates) <= set(AGGREGATES)


def test_the_names_are_those_of_the_interface() -> None:
    assert set(CAPTION_METRICS) == {
        *(
            "rouge1",
            "rouge2",
            "rougeL",
            "bleu",
            "bleu1",
            "bleu2",
            "bleu3",
            "bleu4",
            "cider",
            "meteor",
            "spice",
        ),
        *("bertscore", "bleurt", "alignscore", "similarity", "clipscore", "umls_f1", "medcon"),
        *("refclipscore", "clinical_bleurt", "medbertscore"),
    }
    assert all(metric.name == name and metric.title for name, metric in CAPTION_METRICS.items())


def test_what_is_no_share_of_1_is_never_set_to_1() -> None:
    assert [name for name, metric in CAPTION_METRICS.items() if not metric.is_share] == [
        *("cider", "bleurt", "similarity", "clipscore", "refclipscore", "clinical_bleurt")
    ]


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("rougel", "rougeL"), ("BERTScore", "bertscore"), ("overal", "overall"), ("mean_of_6", "mean_of_six")],
)
def test_an_unknown_metric_is_refused_with_the_nearest_metric_or_figure(name: str, nearest: str) -> None:
    with pytest.raises(
        UsageError, match=rf"no caption metric '{name}'\. Nearest is '{nearest}'.* overall.* all\."
    ):
        score_captions(SAID, TRUTH, metrics=["rouge1", name])


def test_no_metric_at_all_is_refused() -> None:
    with pytest.raises(UsageError, match="No metric is named"):
        score_captions(SAID, TRUTH, metrics=[])


# --- what is missing ---


def test_2025_lists_what_it_cannot_compute_and_its_figures_have_no_value() -> None:
    report = score_captions(SAID, TRUTH, edition="2025")
    assert [score.name for score in report.scores] == ["rouge1"]
    assert [one.name for one in report.missing] == ABSENT
    assert all(
        one.why.startswith(f"A provider of {one.name} is missing. It needs ") for one in report.missing
    )
    assert all("entry point radcap.metric" in one.how for one in report.missing)
    assert all(one.absent for one in report.missing)
    assert report.aggregates == dict.fromkeys(
        ("relevance_platform", "factuality", "relevance", "overall", "overall_platform")
    )
    assert report.ok  # nothing is wrong with the run


def test_named_metrics_are_scored_in_their_order_and_each_once() -> None:
    report = score_captions(SAID, TRUTH, metrics=["rougeL", "rouge1", "rougeL"])
    assert [score.name for score in report.scores] == ["rougeL", "rouge1"]
    assert report.aggregates == {}


def test_a_figure_named_as_a_metric_brings_its_parts() -> None:
    report = score_captions(SAID, TRUTH, metrics=["factuality", "relevance_platform", "rouge2"])
    assert list(report.aggregates) == ["factuality", "relevance_platform"]
    assert [score.name for score in report.scores] == ["rouge1", "rouge2"]
    assert [one.name for one in report.missing] == ["umls_f1", "alignscore", "similarity", "bertscore"]


def test_all_means_every_metric_that_is_ready_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(*_: object) -> None:
        raise Missing("Java", "It is not there.", "Install it.")

    monkeypatch.setattr("radcap.metrics.providers.meteor.check_meteor", absent)
    monkeypatch.setattr("radcap.metrics.providers.spice.check_spice", absent)
    report = score_captions(SAID, TRUTH, metrics=["all"])
    assert [score.name for score in report.scores if score.values] == [
        *("rouge1", "rouge2", "rougeL", "bleu", "bleu1", "bleu2", "bleu3", "bleu4", "cider")
    ]
    assert report.missing == ()
    more = score_captions(SAID, TRUTH, metrics=["all", "bertscore"])
    assert [one.name for one in more.missing] == ["bertscore"]  # by name, so its absence is told
    assert len(more.scores) == len(report.scores)


def test_java_metrics_name_what_they_lack(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(*_: object) -> None:
        raise Missing("Java", "Neither JAVA_HOME nor PATH leads to it.", "Install a Java runtime.")

    monkeypatch.setattr("radcap.metrics.providers.meteor.find_java", absent)
    monkeypatch.setattr("radcap.metrics.providers.spice.find_java", absent)
    report = score_captions(SAID, TRUTH, edition="2022", metrics=["meteor", "spice", "rouge1"])
    assert [(one.name, one.why) for one in report.missing] == [
        (name, "Java is missing. Neither JAVA_HOME nor PATH leads to it.") for name in ("meteor", "spice")
    ]
    assert "rouge1" in report


def test_spice_is_asked_with_the_folder_that_was_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    asked: list[object] = []

    def answer(candidates: list[str], references: list[str], *, corenlp: object) -> list[float]:
        asked.append((candidates[0], references[0], corenlp))
        return [0.25] * len(candidates)

    monkeypatch.setattr("radcap.metrics.providers.spice.spice_scores", answer)
    report = score_captions(
        SAID,
        TRUTH,
        edition="2022",
        metrics=["spice"],
        resources=Resources(corenlp=tmp_path),  # type: ignore[arg-type]
    )
    assert report["spice"].value == 0.25
    assert asked == [("ct liver mass", "ct scan abdomen 35 cm mass", tmp_path)]


# --- plug-ins ---


def test_a_plug_in_that_brings_the_five_absent_metrics_makes_overall_appear(plug_ins: PlugIns) -> None:
    plug_ins(**OF_LENGTHS)
    report = score_captions(SAID, TRUTH, edition="2025")
    assert report.missing == ()
    means = {score.name: score.value for score in report.scores}
    assert list(means) == list(SIX)
    relevance = sum(means[name] for name in SIX[:4]) / 4
    factuality = (means["umls_f1"] + means["alignscore"]) / 2
    assert report.aggregates["relevance"] == pytest.approx(relevance, rel=1e-15)
    assert report.aggregates["overall"] == pytest.approx((relevance + factuality) / 2, rel=1e-15)
    assert report.aggregates["overall_platform"] == aggregate("overall_platform", means)


def test_a_plug_in_is_given_captions_as_its_metric_wants_them(plug_ins: PlugIns) -> None:
    seen: dict[str, TextPairs] = {}

    def provider(name: str) -> object:
        def measure(pairs: TextPairs) -> Measured:
            seen[name] = pairs
            return Measured([0.5] * len(pairs.candidates), marks={"model": name})

        return measure

    plug_ins(**{name: provider(name) for name in ("bertscore", "alignscore", "bleurt")})  # type: ignore[arg-type]
    report = score_captions(SAID, TRUTH, edition="2025", metrics=["bertscore", "alignscore", "bleurt"])
    assert seen["alignscore"].references[0] == "CT scan of the abdomen, 3.5 cm mass."
    assert seen["bertscore"].references[0] == "ct scan of the abdomen numbernumber cm mass"
    assert seen["bleurt"] is seen["bertscore"]  # prepared once
    assert seen["bertscore"].candidates == ["ct of the liver with a mass", "chest radiograph", "mri"]
    assert "|prep:RAW|empty:written|model:alignscore|" in report["alignscore"].signature
    assert "|prep:P23|empty:written|model:bertscore|" in report["bertscore"].signature


def test_a_plug_in_comes_before_what_radcap_computes(plug_ins: PlugIns) -> None:
    plug_ins(rouge1=lambda pairs: Measured([0.125] * len(pairs.candidates)))
    assert score_captions(SAID, TRUTH, metrics=["rouge1"])["rouge1"].value == 0.125


def test_a_plug_in_may_bring_a_metric_of_another_name(plug_ins: PlugIns) -> None:
    plug_ins(radgraph=lambda pairs: Measured([0.5] * len(pairs.candidates), {"radgraph_corpus": 0.75}))
    report = score_captions(SAID, TRUTH, metrics=["radgraph"])
    assert (report["radgraph"].value, report["radgraph_corpus"].value) == (0.5, 0.75)
    assert caption_metric("radgraph").title == "radgraph, by a plug-in"
    with pytest.raises(UsageError, match=r"no caption metric 'radgrap'\. Nearest is 'radgraph'"):
        caption_metric("radgrap")


def test_a_plug_in_that_lacks_something_is_listed_with_its_own_words(plug_ins: PlugIns) -> None:
    plug_ins(bleurt=nothing_installed)
    (missing,) = score_captions(SAID, TRUTH, metrics=["bleurt"]).missing
    assert (missing.why, missing.how) == ("A model is missing. It reads captions.", "Fetch it.")


def test_an_image_without_a_number_leaves_the_metric_unscored_and_blames_no_other_program(
    plug_ins: PlugIns,
) -> None:
    plug_ins(bleurt=lambda pairs: Measured([0.5, math.nan, 0.5]))
    for edition in ("2025", "2018"):  # the quirk of 2018 is that of BLEU alone
        report = score_captions(SAID, TRUTH, edition=edition, metrics=["bleurt", "rouge1"])
        assert [(one.name, one.why) for one in report.missing] == [("bleurt", "It has no number for a.")]
        assert "rouge1" in report


# --- what is ready ---


def test_the_state_of_every_metric(monkeypatch: pytest.MonkeyPatch, plug_ins: PlugIns) -> None:
    def absent(*_: object) -> None:
        raise Missing("Java", "It is not there.", "Install it.")

    monkeypatch.setattr("radcap.metrics.providers.meteor.check_meteor", absent)
    monkeypatch.setattr("radcap.metrics.providers.spice.check_spice", absent)
    monkeypatch.delenv("RADCAP_SPACY_MODEL", raising=False)
    plug_ins(bleurt=OF_LENGTHS["bleurt"])
    states = {state.name: state for state in metric_states(Resources())}
    assert list(states) == [*CAPTION_METRICS, "lemmas"]
    assert [name for name, state in states.items() if not state.ready] == [
        *("meteor", "spice", "bertscore", "alignscore", "similarity", "umls_f1", "medcon"),
        *("clipscore", "refclipscore", "clinical_bleurt", "medbertscore", "lemmas"),
    ]
    assert states["rouge1"].editions == ("2022", "2023", "2024", "2025", "2026", "rocov2", "radcap")
    assert states["bleu"].editions == ("2017", "2018", "2021", "2022")
    assert states["medcon"].editions == ()
    assert states["meteor"].how == "Java is missing. Install it."
    assert states["bleurt"].how == ""
    assert states["meteor"].to_json()["ready"] is False
    rows = {row[0]: row for row in metric_table(list(states.values())).rows}
    assert rows["rouge1"][1:] == ("ROUGE-1 F1", "2022-26, rocov2, radcap", "ready", "")
    assert rows["bleu"][2] == "2017-18, 2021-22"
    assert rows["spice"][2] == "2022"
    assert rows["meteor"][3:] == ("no", "Java, and the METEOR files of pycocoevalcap")
    assert rows["medcon"][2] == "-"


def test_what_is_ready_is_found_without_computing_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object, **__: object) -> None:
        raise AssertionError("a metric was computed")

    for path in ("meteor.meteor_scores", "spice.spice_scores"):
        monkeypatch.setattr(f"radcap.metrics.providers.{path}", never)
    for path in ("meteor.check_meteor", "spice.check_spice"):
        monkeypatch.setattr(f"radcap.metrics.providers.{path}", lambda *_: None)
    states = {state.name: state.ready for state in metric_states(Resources())}
    assert states["meteor"]
    assert states["spice"]
    assert not states["bertscore"]
