"""Aggregates of 2025 and 2026, section 7: the published figures from their published parts."""

from __future__ import annotations

import pytest
from caption_samples import few
from hypothesis import given
from hypothesis import strategies as st

from radcap.core import Task
from radcap.metrics import AGGREGATES, BoardRow, aggregate, board, edition
from radcap.metrics.aggregates import SIX, parts_of
from radcap.stats import ranks

HALF_A_DIGIT = 0.00005 + 1e-9  # single averages that end in 5, and a float's own width
# Section 7: relevance_platform, overall_platform, mean_of_six, overall (published).
TABLE = {
    "UMUTeam": (0.5947, 0.3771, 0.4044, 0.3432),
    "DS4DH": (0.5866, 0.3708, 0.3966, 0.3362),
    "AI Stat Lab": (0.5727, 0.3548, 0.3849, 0.3229),
    "UIT-Oggy": (0.5761, 0.3554, 0.3833, 0.3211),
    "AUEB NLP Group": (0.5336, 0.3356, 0.3632, 0.3068),
    "JJ-VMed": (0.5531, 0.3348, 0.3670, 0.3043),
    "sakthiii": (0.5039, 0.3025, 0.3324, 0.2746),
    "csmorgan": (0.4161, 0.2537, 0.2782, 0.2315),
}
ROWS = board("2025", Task.CAPTIONS)
EVERY_TEAM = pytest.mark.parametrize("row", ROWS, ids=[row.team for row in ROWS])
WINNER_2026 = {
    "similarity": 1.0104,
    "bertscore": 0.625,
    "rouge1": 0.323,
    "bleurt": 0.356,
    "umls_f1": 0.216,
    "alignscore": 0.129,
}


def formed(name: str, row: BoardRow) -> float:
    value = aggregate(name, {metric: row.scores[metric] for metric in SIX})
    assert value is not None
    return value


# --- 2025 ---


@EVERY_TEAM
@pytest.mark.parametrize("name", ["relevance", "factuality"])
def test_2025_relevance_and_factuality_are_the_published_ones(row: BoardRow, name: str) -> None:
    assert formed(name, row) == pytest.approx(row.scores[name], abs=HALF_A_DIGIT)


@EVERY_TEAM
def test_2025_overall_is_the_published_one_to_four_digits(row: BoardRow) -> None:
    assert round(formed("overall", row), 4) == row.scores["overall"]


@EVERY_TEAM
def test_2025_what_the_platform_and_the_wording_of_the_paper_would_give(row: BoardRow) -> None:
    names = ("relevance_platform", "overall_platform", "mean_of_six", "overall")
    assert tuple(round(formed(name, row), 4) for name in names) == TABLE[row.team]


def test_2025_the_prose_has_two_figures_of_the_platform() -> None:
    teams = {row.team: row for row in ROWS}
    assert round(formed("overall_platform", teams["DS4DH"]), 4) == 0.3708
    assert round(formed("overall_platform", teams["csmorgan"]), 4) == 0.2537  # CS_Morgan there


def order_by(name: str) -> list[str]:
    places = ranks([formed(name, row) for row in ROWS])
    assert sorted(place or 0 for place in places) == list(range(1, 9))
    return [team for _, team in sorted(zip(places, [row.team for row in ROWS], strict=True))]


def test_2025_rank_effect_of_the_platform_figure_swaps_3_and_4() -> None:
    published, platform = order_by("overall"), order_by("overall_platform")
    assert published == list(TABLE)
    assert platform == [*published[:2], published[3], published[2], *published[4:]]
    assert platform[2] == "UIT-Oggy"


def test_2025_rank_effect_of_the_mean_of_six_swaps_5_and_6() -> None:
    published, six = order_by("overall"), order_by("mean_of_six")
    assert six == [*published[:4], published[5], published[4], *published[6:]]
    assert six[4] == "JJ-VMed"


def test_2025_best_zero_shot_baseline_lies_above_every_team_in_similarity_and_bleurt() -> None:
    assert max(row.scores["similarity"] for row in ROWS) < 0.9369
    assert max(row.scores["bleurt"] for row in ROWS) < 0.3258


# --- 2026 ---


def test_2026_the_winners_figures_come_out_of_its_components() -> None:
    found = {name: aggregate(name, WINNER_2026) for name in ("relevance", "factuality", "overall")}
    assert found["relevance"] == pytest.approx(0.5786, abs=HALF_A_DIGIT)
    assert found["factuality"] == pytest.approx(0.1725, abs=1e-9)
    assert found["overall"] == pytest.approx(0.3755, abs=HALF_A_DIGIT)
    assert board("2026", Task.CAPTIONS)[0].scores["overall"] == 0.3755


# --- definitions ---


def test_similarity_may_exceed_1_and_nothing_is_cut() -> None:
    assert aggregate("relevance", dict.fromkeys(SIX, 1.25)) == 1.25


@pytest.mark.parametrize(
    ("metric", "weight"),
    [*((name, 1 / 8) for name in SIX[:4]), *((name, 1 / 4) for name in SIX[4:])],
)
def test_weights_in_overall(metric: str, weight: float) -> None:
    assert aggregate("overall", {**dict.fromkeys(SIX, 0.0), metric: 1.0}) == weight


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("relevance", "similarity bertscore rouge1 bleurt"),
        ("relevance_platform", "similarity bertscore rouge1"),
        ("factuality", "umls_f1 alignscore"),
        ("overall", "similarity bertscore rouge1 bleurt umls_f1 alignscore"),
        ("overall_platform", "similarity bertscore rouge1 umls_f1 alignscore"),
        ("mean_of_six", "similarity bertscore rouge1 bleurt umls_f1 alignscore"),
        ("rouge1", "rouge1"),
    ],
)
def test_what_a_figure_is_made_of(name: str, parts: str) -> None:
    assert " ".join(parts_of(name)) == parts


@pytest.mark.parametrize("name", AGGREGATES)
def test_a_figure_has_no_value_where_one_of_its_parts_has_none(name: str) -> None:
    values: dict[str, float] = dict.fromkeys(SIX, 0.5)
    assert aggregate(name, values) == 0.5
    for part in parts_of(name):
        assert aggregate(name, {metric: value for metric, value in values.items() if metric != part}) is None


def test_a_metric_is_its_own_figure() -> None:
    assert aggregate("rouge1", {"rouge1": 0.25}) == 0.25
    assert aggregate("rouge1", {}) is None


@few
@given(st.lists(st.lists(st.floats(0, 1), min_size=6, max_size=6), min_size=1, max_size=9))
def test_the_figure_of_all_images_is_the_mean_of_the_figures_of_the_images(rows: list[list[float]]) -> None:
    means = {name: sum(row[place] for row in rows) / len(rows) for place, name in enumerate(SIX)}
    for name in AGGREGATES:
        each = [aggregate(name, dict(zip(SIX, row, strict=True))) or 0.0 for row in rows]
        assert aggregate(name, means) == pytest.approx(sum(each) / len(each), abs=1e-12)


# --- which edition reports which ---


@pytest.mark.parametrize(
    ("name", "profile", "primary", "figures"),
    [
        (
            "2025",
            "official",
            "overall",
            "relevance_platform factuality relevance overall overall_platform",
        ),
        ("2025", "documented", "mean_of_six", "relevance factuality mean_of_six"),
        ("2026", "official", "overall", "relevance factuality overall"),
        ("2026", "documented", "overall", "relevance factuality overall"),
        ("2023", "official", "bertscore", ""),
    ],
)
def test_figures_and_ranking_key_of_an_edition(name: str, profile: str, primary: str, figures: str) -> None:
    captions = edition(name).profile(profile).captions
    assert captions is not None
    assert captions.primary == primary
    assert " ".join(captions.aggregates) == figures
