"""BLEU as the editions 2017 to 2022 formed it: the rule, the quirk of 2018, the word list that won 2022."""

from __future__ import annotations

from collections import Counter

import pytest
from caption_samples import real_captions

from radcap.core import UsageError
from radcap.metrics import Preparation, ScoreReport, edition, prepare, score_captions
from radcap.metrics.bleu_rules import BleuRule

TRUTH = {
    "a": "chest xray show left pleural effus",
    "b": "brain mri axial",
    "c": "ct scan abdomen mass liver",
    "d": "left lung mass",
}
SAID = {  # another order than the truth
    "d": "left lung",
    "c": "ct scan abdomen mass liver",
    "b": "brain mri",
    "a": "chest chest chest xray",
}
A = 0.38753858253732953  # section 5, truncating


def scored(edition: str, rule: str | None = None, profile: str = "official") -> ScoreReport:
    return score_captions(SAID, TRUTH, edition=edition, profile=profile, metrics=["bleu"], bleu_rule=rule)


# --- which rule ---


@pytest.mark.parametrize("profile", ["official", "documented"])
@pytest.mark.parametrize("name", ["2017", "2018", "2021", "2022"])
def test_the_editions_use_the_truncating_rule(name: str, profile: str) -> None:
    captions = edition(name).profile(profile).captions
    assert captions is not None
    assert captions.bleu_rule is BleuRule.TRUNCATING
    assert (captions.primary, captions.metrics[0]) == ("bleu", "bleu")


@pytest.mark.parametrize("name", ["2017", "2018", "2021", "2022"])
def test_the_value_of_an_image_and_the_rule_in_the_signature(name: str) -> None:
    truncating, vanishing = scored(name)["bleu"], scored(name, "vanishing")["bleu"]
    assert truncating.values[0] == A
    assert vanishing.values[0] == 5.780789590099596e-155
    assert "|nltk:truncating|" in truncating.signature
    assert "|nltk:vanishing|" in vanishing.signature
    assert truncating.ids == tuple(TRUTH)


def test_an_unknown_rule_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no BLEU rule 'truncate'\. Nearest is 'truncating'"):
        scored("2017", "truncate")


# --- fewer than four tokens under NLTK up to 3.2.1 ---


@pytest.mark.parametrize(
    ("name", "profile"),
    [("2017", "official"), ("2018", "documented"), ("2021", "official"), ("2022", "official")],
)
def test_the_dividing_rule_scores_no_run_with_a_short_caption(name: str, profile: str) -> None:
    report = scored(name, "dividing", profile)
    assert "bleu" not in report
    (missing,) = report.missing
    assert missing.name == "bleu"
    assert missing.why == "NLTK divides by zero at b: it has fewer than four tokens."
    assert missing.how == "Choose the rule truncating or vanishing."
    assert not missing.absent  # nothing needs to be installed


def test_the_dividing_rule_scores_a_run_without_short_captions() -> None:
    long = {image_id: f"{caption} seen axial view" for image_id, caption in TRUTH.items()}
    report = score_captions(long, long, edition="2017", bleu_rule="dividing")
    assert report["bleu"].values == (1.0, 1.0, 1.0, 1.0)


def test_2018_adds_the_score_of_the_row_before_in_the_order_of_the_run_and_0_in_the_first() -> None:
    score = scored("2018", "dividing")["bleu"]
    # the run goes d (short: 0, nothing before it), c (1), b (short: c's 1 again), a
    assert dict(zip(score.ids, score.values, strict=True)) == {"d": 0.0, "c": 1.0, "b": 1.0, "a": A}
    assert score.value == (0.0 + 1.0 + 1.0 + A) / 4


def test_2018_two_captions_of_which_nothing_is_left_score_1_before_nltk_is_asked() -> None:
    report = score_captions(
        {"a": "the", "b": "x y"}, {"a": "of.", "b": "ct"}, edition="2018", bleu_rule="dividing"
    )
    assert report["bleu"].values == (1.0, 1.0)  # b has no score of its own and takes a's


def test_2018_under_the_rule_of_its_day_never_reaches_the_quirk() -> None:
    score = scored("2018")["bleu"]
    assert score.values == scored("2017")["bleu"].values
    assert score.value == scored("2017")["bleu"].value


# --- the secondary score of 2018 ---


def test_2018_the_secondary_score_is_0_for_every_run() -> None:
    secondary = score_captions(TRUTH, TRUTH, edition="2018")["secondary"]
    assert (secondary.value, secondary.n, secondary.values) == (0.0, 4, (0.0,) * 4)
    assert secondary.is_constant
    assert secondary.signature.startswith("secondary|edition:2018|profile:official|constant:0|")
    assert secondary.ids == tuple(TRUTH)


def test_2018_the_constant_stands_only_where_the_edition_was_asked_for_as_it_is() -> None:
    assert "secondary" not in scored("2018")
    assert "secondary" not in score_captions(TRUTH, TRUTH, edition="2018", profile="documented")
    assert "secondary" not in score_captions(TRUTH, TRUTH, edition="2017")


# --- a word list beats captions ---


def run_of_words(words: int) -> tuple[dict[str, str], dict[str, str]]:
    """One string of the most frequent stems for every image, and the truth."""
    captions = real_captions()
    stems = Counter(stem for one in prepare(captions, Preparation.P17) for stem in one.split())
    constant = " ".join(stem for stem, _ in stems.most_common(words))
    truth = {str(place): caption for place, caption in enumerate(captions)}
    return dict.fromkeys(truth, constant), truth


@pytest.mark.parametrize("words", [10, 15, 26])
def test_one_word_list_for_every_image_scores_high_by_the_rule_of_2017_and_nothing_by_the_next(
    words: int,
) -> None:
    said, truth = run_of_words(words)
    values = {
        rule: score_captions(said, truth, edition="2021", bleu_rule=rule)["bleu"].value
        for rule in ("truncating", "vanishing")
    }
    shifted = dict(zip(truth, [*list(truth.values())[1:], truth["0"]], strict=True))
    written = score_captions(shifted, truth, edition="2021")["bleu"].value  # another image's caption
    assert values["truncating"] > 2 * written
    assert values["truncating"] > 0.25
    assert values["vanishing"] < 1e-9


def test_a_longer_word_list_scores_higher() -> None:
    found = [score_captions(*run_of_words(words), edition="2021")["bleu"].value for words in (10, 15, 20, 26)]
    assert found == sorted(found)
