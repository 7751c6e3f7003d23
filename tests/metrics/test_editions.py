"""Editions as values: the facts of sections 1.1 and 10, both profiles of each, and their disagreements."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from radcap.core import Task, UsageError, cui_set
from radcap.formats import dialect
from radcap.metrics import AGGREGATES, EDITIONS, EmptyTruth, ProfileName, differences, edition, score_concepts

NAMES = [*(str(year) for year in range(2017, 2027)), "rocov2", "radcap"]
LEFT_OUT, COUNTED, UNKNOWN = "left out", "never left out", "n/d"


class Fact(NamedTuple):
    """A row of section 1.1, with the number of runs of section 10."""

    edition: str
    test_images: str
    secondary: str | None  # the set, or 'constant 0'
    empty_truth: str
    max_cuis: int | None
    max_runs: int | None
    captions: str | None  # the primary caption score of section 1.2


FACTS = [
    Fact("2017", "10,000", None, LEFT_OUT, None, 10, "bleu"),
    Fact("2018", "10,000", "constant 0", LEFT_OUT, 1286, 10, "bleu"),
    Fact("2019", "10,000", None, LEFT_OUT, None, None, None),
    Fact("2020", "3,534", None, UNKNOWN, 150, 10, None),
    Fact("2021", "444", None, UNKNOWN, None, 10, "bleu"),
    Fact("2022", "7,645", "constant 0", COUNTED, 100, 10, "bleu"),
    Fact("2023", "10,400", "manual14", COUNTED, 100, 10, "bertscore"),
    Fact("2024", "not published", "manual14", COUNTED, 100, 10, "bertscore"),
    Fact("2025", "19,267", "manual15", COUNTED, 100, 30, "overall"),
    Fact("2026", "15,249", "manual15", COUNTED, 100, None, "overall"),
]
BY_EDITION = pytest.mark.parametrize("fact", FACTS, ids=[fact.edition for fact in FACTS])


def test_there_are_ten_years_and_two_named_editions() -> None:
    assert list(EDITIONS) == NAMES
    assert [one.name for one in EDITIONS.values()] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_edition_has_both_profiles(name: str) -> None:
    one = edition(name)
    assert one.profile("official") is one.profile(ProfileName.OFFICIAL) is one.official
    assert one.profile("documented") is one.profile(ProfileName.DOCUMENTED) is one.documented
    for profile in ProfileName:
        report = score_concepts({"a": "C1"}, {"a": "C1"}, edition=name, profile=profile)
        assert (report["f1"].value, report.profile) == (1.0, profile.value)


@BY_EDITION
def test_number_of_test_images(fact: Fact) -> None:
    assert fact.test_images in edition(fact.edition).images.rpartition("/")[2]


@BY_EDITION
def test_secondary_score(fact: Fact) -> None:
    secondary = edition(fact.edition).official.concepts.secondary
    if fact.secondary is None:
        assert secondary is None
    elif fact.secondary == "constant 0":
        assert secondary is not None
        assert secondary.cuis is None
    else:
        assert secondary is not None
        assert secondary.cuis is cui_set(fact.secondary)
        assert secondary.empty_truth is EmptyTruth.SKIP


@BY_EDITION
def test_an_image_with_empty_truth(fact: Fact) -> None:
    report = score_concepts({"a": "C1", "b": "C1"}, {"a": "C1", "b": ""}, edition=fact.edition)
    if fact.empty_truth == LEFT_OUT:
        assert report["f1"].n == 1
    elif fact.empty_truth == COUNTED:
        assert report["f1"].n == 2
    else:
        assert edition(fact.edition).official.inferred


@BY_EDITION
def test_most_cuis_per_image(fact: Fact) -> None:
    assert dialect(fact.edition, Task.CONCEPTS).max_cuis == fact.max_cuis


@BY_EDITION
def test_graded_runs_per_team(fact: Fact) -> None:
    assert dialect(fact.edition, Task.CONCEPTS).max_runs == fact.max_runs


@BY_EDITION
def test_caption_subtask(fact: Fact) -> None:
    for profile in (edition(fact.edition).official, edition(fact.edition).documented):
        assert (profile.captions is None) == (fact.captions is None)
    captions = edition(fact.edition).official.captions
    assert fact.captions == (None if captions is None else captions.primary)
    held = fact.captions is not None
    assert ("captions" in edition(fact.edition).to_json()["files"]) is held


def test_where_no_code_is_public_the_official_profile_is_inferred() -> None:
    assert [name for name in NAMES if edition(name).official.inferred] == ["2019", "2020", "2021"]
    assert not any(edition(name).documented.inferred for name in NAMES)


# Section 1.2, per edition and profile: primary, secondary, also published, preparation, figures.
CAPTIONS = {
    ("2017", "official"): ("bleu", None, "", "P17"),
    ("2017", "documented"): ("bleu", None, "", "P17"),
    ("2018", "official"): ("bleu", None, "", "P17"),
    ("2018", "documented"): ("bleu", None, "", "P17"),
    ("2021", "official"): ("bleu", None, "", "P17"),
    ("2021", "documented"): ("bleu", None, "", "P17"),
    ("2022", "official"): ("bleu", "rouge1", "meteor cider spice bertscore", "P22c"),
    ("2022", "documented"): ("bleu", "rouge1", "meteor cider spice bertscore", "P22"),
    ("2023", "official"): ("bertscore", "rouge1", "bleurt bleu1 meteor cider clipscore", "P23"),
    ("2023", "documented"): ("bertscore", "rouge1", "bleurt bleu1 meteor cider clipscore", "P23"),
    ("2024", "official"): (
        "bertscore",
        "rouge1",
        "bleurt bleu1 meteor cider clipscore refclipscore clinical_bleurt medbertscore",
        "P23",
    ),
    ("2025", "official"): ("overall", None, "similarity bertscore rouge1 bleurt umls_f1 alignscore", "P23"),
    ("2025", "documented"): (
        "mean_of_six",
        None,
        "similarity bertscore rouge1 bleurt umls_f1 alignscore",
        "P23",
    ),
    ("2026", "official"): ("overall", None, "similarity bertscore rouge1 bleurt umls_f1 alignscore", "P23"),
    ("radcap", "official"): ("overall", None, "similarity bertscore rouge1 bleurt umls_f1 alignscore", "P23"),
    ("rocov2", "official"): ("bertscore", "rouge1", "bleurt bleu1 meteor cider clipscore", "P23"),
}


@pytest.mark.parametrize(("name", "profile"), CAPTIONS)
def test_caption_metrics_and_preparation_of_an_edition(name: str, profile: str) -> None:
    captions = edition(name).profile(profile).captions
    assert captions is not None
    primary, secondary, others, preparation = CAPTIONS[name, profile]
    ranked = [one for one in (primary, secondary) if one is not None and one not in AGGREGATES]
    assert (captions.primary, captions.secondary) == (primary, secondary)
    assert list(captions.metrics) == [*ranked, *others.split()]
    assert captions.preparation == preparation


@pytest.mark.parametrize("name", ["2025", "2026"])
def test_2025_and_2026_prepare_three_metrics_and_give_three_the_captions_as_written(name: str) -> None:
    captions = edition(name).official.captions
    assert captions is not None
    assert {metric: captions.preparation_of(metric).value for metric in captions.metrics} == {
        **dict.fromkeys(("bertscore", "rouge1", "bleurt"), "P23"),
        **dict.fromkeys(("similarity", "umls_f1", "alignscore"), "RAW"),
    }


def test_2025_is_ranked_by_overall_in_fact_and_by_the_mean_of_six_on_paper() -> None:
    official, documented = edition("2025").official.captions, edition("2025").documented.captions
    assert official is not None
    assert documented is not None
    assert (official.primary, documented.primary) == ("overall", "mean_of_six")


def test_the_tolerant_edition_counts_an_image_without_concepts_and_drops_empty_parts() -> None:
    report = score_concepts({"a": "C1;", "b": "", "c": "C1"}, {"a": "C1", "b": "", "c": ""}, edition="radcap")
    assert report["f1"].values == (1.0, 1.0, 0.0)


def test_an_unknown_edition_is_refused_with_the_nearest() -> None:
    with pytest.raises(
        UsageError, match=r"no edition 'rocov'\. Nearest is 'rocov2'\. Known: 2017, .*, radcap"
    ):
        edition("rocov")


def test_an_unknown_profile_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no profile 'document'\. Nearest is 'documented'"):
        edition("2025").profile("document")


@pytest.mark.parametrize("name", NAMES)
def test_an_edition_as_json_tells_scores_files_and_sets(name: str) -> None:
    told = json.loads(json.dumps(edition(name).to_json()))
    assert list(told) == ["name", "title", "images", "official", "documented", "files"]
    form = dialect(name, Task.CONCEPTS)
    assert told["files"]["concepts"] == {
        "separators": list(form.separators),
        "header": form.header.value,
        "columns": ["ID", "CUIs"],
        "quoting": form.quoting,
        "zip": form.zipped,
        "ordered": form.ordered,
        "max_cuis": form.max_cuis,
        "max_runs": form.max_runs,
    }
    for profile in ("official", "documented"):
        assert list(told[profile]) == ["inferred", "concepts", "captions"]
        assert set(told[profile]["concepts"]["rules"]) == {
            "strip",
            "blank_is_concept",
            "keep_empty_parts",
            "empty_truth",
            "skip_ids_with_id",
        }


def test_the_secondary_sets_in_json() -> None:
    told = edition("rocov2").to_json()["official"]["concepts"]["secondary"]
    assert [(one["name"], one["cuis"]["name"], one["empty_truth"]) for one in told] == [
        ("f1_manual", "rocov2-manual", "skip"),
        ("f1_manual_no_direction", "rocov2-manual-no-direction", "skip"),
    ]
    assert edition("2018").to_json()["official"]["concepts"]["secondary"][0]["cuis"] is None
    assert edition("2017").to_json()["official"]["concepts"]["secondary"] == []


# --- where code and documents disagree ---


def years(text: str) -> list[str]:
    first, _, last = text.partition("-")
    return [str(year) for year in range(int(first), int(last or first) + 1)]


# number, years, a word of the code's side, a word of the documents' side: the rows of section 8
DIFFERENCES = [
    (1, "2025", "mean of BERTScore, ROUGE and Similarity", "all six"),
    (2, "2025-2026", "F1", "recall with idf"),
    (3, "2025-2026", "BLEURT-20-D12", "BLEURT-20"),
    (4, "2025-2026", "base checkpoint", "size not stated"),
    (5, "2025-2026", "127 types", "66 types"),
    (6, "2025", "not computed", "task page"),
    (7, "2025", "first row is data", "ID,Caption"),
    (8, "2025", "unquoted comma", "two columns"),
    (9, "2022-2026", "trailing ';' costs precision", "empty truth is excluded"),
    (10, "2023-2026", "leave the mean", "filter both sides"),
    (11, "2025", "15 CUIs with breast", "no breast"),
    (12, "2023-2026", "contains 'ID'", "optional"),
    (13, "2025-2026", "any exception scores 1", "nothing"),
    (14, "2025", "both empty score 1", "nothing"),
    (15, "2026", "scores 0", "nothing"),
    (16, "2025-2026", "evaluation fails", "nothing"),
    (17, "2025", "six metrics", "leftover of 2024"),
    (18, "2017-2025", "not pinned", "0.17.1-2"),
    (19, "2025", "one padded batch", "no effect"),
    (20, "2022", "no lemma is applied", "spaCy"),
    (21, "2022", "0.0", "curated subset"),
    (22, "2023-2024", "TypeError", "nothing"),
    (23, "2023", "loads nothing", "nothing"),
    (24, "2018", "2018-05-03", "';'"),
    (25, "2018", "row before", "id alone is allowed"),
    (26, "2025", "eight items", "creativity"),
    (27, "2025", "151", "149"),
    (28, "2025", "6th", "eighth"),
    (29, "2023", ".6264/.2352", ".6241/.2325"),
    (30, "2022", ".6281", ".6280"),
]


def test_the_differences_are_the_thirty_of_the_specification_each_once() -> None:
    assert [one.number for one in differences()] == list(range(1, 31))


@pytest.mark.parametrize(
    ("number", "when", "official", "documented"), DIFFERENCES, ids=[f"row {row[0]}" for row in DIFFERENCES]
)
def test_a_difference_names_its_years_and_both_sides(
    number: int, when: str, official: str, documented: str
) -> None:
    (one,) = [one for one in differences() if one.number == number]
    assert [name for name in one.editions if name.isdigit()] == years(when)
    assert official in one.official
    assert documented in one.documented
    assert set(one.editions) <= set(NAMES)
    assert one.task in {"concepts", "captions", "explain", "all"}
    assert one.to_json()["number"] == number


@pytest.mark.parametrize("name", NAMES)
def test_the_differences_of_an_edition_are_those_whose_years_hold_it(name: str) -> None:
    expected = {number for number, when, _, _ in DIFFERENCES if name in years(when)}
    expected |= {29} if name == "rocov2" else set()  # it tells of the baselines on that very set
    assert {one.number for one in differences(name)} == expected
