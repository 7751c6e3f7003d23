"""The whole report: one safe file that shows every value it was given."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest
from report_values import HOSTILE, SIXTY, THREE, Reading, check_safe, compared, metric, xml

from radcap.core import VERSION
from radcap.report import Change, Table, comparison_page, digits, page, probability, summary
from radcap.report.html import POLICY, facts_list
from radcap.report.markup import visible
from radcap.report.verdict import between
from radcap.stats.comparison import Comparison, Procedure

TWO = metric({"new": 0.5888, "old": 0.5766}, p={("new", "old"): 0.0213})
OTHER = metric({"a": 0.2, "b": 1 / 3, "c": 0.2}, "recall")
BESIDE = Table(("run", "CUIs per image"), (("a", "2.10"),), right=frozenset({"CUIs per image"}))
CHANGES = [
    Change("img_1", 0.25, 0.75, "CT of the chest", "MRI", "CT of the chest", "data:image/png;base64,AAAA"),
    Change("img_2", 0.5, 0.1, "knee", "knee", ""),
]
SEVEN = metric({f"run_{number}": 0.6 - number / 100 for number in range(7)}, p={("run_0", "run_6"): 0.0004})


def headings(found: Reading) -> list[str]:
    return [data for tag, data in found.texts if tag == "h2"]


def whole(comparison: Comparison) -> str:
    return comparison_page(
        comparison,
        title="T",
        facts=[("Edition", "2025")],
        beside=BESIDE,
        changes=CHANGES,
        differences=[0.5, -0.4],
    )


@pytest.mark.parametrize(
    "comparison",
    [
        compared(THREE, OTHER),
        compared(TWO),
        compared(SEVEN),
        compared(metric({"only": 0.5})),
        compared(SIXTY),
    ],
    ids=["three", "two", "seven", "one", "sixty"],
)
def test_every_value_of_the_ranking_metric_is_shown_as_tables_show_it(comparison: Comparison) -> None:
    found = check_safe(whole(comparison))
    text = found.text("td", "th")
    for one in comparison.primary.standings:
        for part in (one.run, digits(one.value), between(one.interval), str(one.rank)):
            assert part in text
    for pair in comparison.primary.pairs:
        for part in (
            digits(pair.difference),
            between(pair.interval),
            probability(pair.p),
            probability(pair.p_holm),
        ):
            assert part in text


def test_the_parts_stand_in_order_and_can_be_jumped_to() -> None:
    found = check_safe(whole(compared(THREE, OTHER)))
    assert headings(found) == [
        "Leaderboard",
        "Pair by pair",
        "What the scores hide",
        "Image by image",
        "Other metrics",
        "How it was computed",
    ]
    targets = [attributes["id"] for _, attributes in found.tags if "id" in attributes]
    assert len(set(targets)) == len(targets)
    links = [attributes["href"] for attributes in found.named("a")]
    assert len(links) == 7
    assert {(link or "").removeprefix("#") for link in links} <= set(targets)


def test_parts_without_content_are_left_out() -> None:
    found = check_safe(comparison_page(compared(metric({"only": 0.5})), title="T"))
    assert headings(found) == ["Leaderboard", "How it was computed"]
    assert "nothing to be compared with" in found.text("p")


def test_two_runs_have_no_rank_chart_and_more_have_one() -> None:
    pages = [check_safe(comparison_page(compared(one), title="T")) for one in (TWO, THREE)]
    assert [len(one.named("svg")) for one in pages] == [2, 4]  # each chart in two forms


def test_up_to_six_runs_pairs_are_a_list_and_beyond_a_matrix_with_the_list_behind_it() -> None:
    few, many = (check_safe(comparison_page(compared(one), title="T")) for one in (THREE, SEVEN))
    assert few.named("details") == []
    assert len(many.named("details")) == 1
    assert "All 21 pairs with their tests" in many.text("summary")
    matrix = next(
        table
        for table in xml(comparison_page(compared(SEVEN), title="T")).iter("table")
        if table.get("class")
    )
    rows = [[cell.text for cell in row.iter("td")] for row in matrix.iter("tr")][1:]
    assert [sum(cell is not None for cell in row) for row in rows] == list(range(7))
    assert rows[6][0] == "0.00040"
    apart = [cell for cell in matrix.iter("td") if "apart" in cell.get("class", "")]
    assert [(cell.text, cell.get("class")) for cell in apart] == [("0.00040", "apart apart3")]
    assert [cell.get("title") for cell in matrix.iter("th") if cell.get("scope") == "row"] == [
        one.run for one in SEVEN.standings
    ]


@pytest.mark.parametrize(("p", "shade"), [(0.04, "apart apart1"), (0.004, "apart apart2"), (0.05, None)])
def test_shades_follow_the_text(p: float, shade: str | None) -> None:
    seven = metric({f"r{number}": -number for number in range(7)}, p={("r0", "r1"): p})
    made = xml(comparison_page(compared(seven), title="T"))
    cells = [cell for cell in made.iter("td") if cell.text == probability(p, 2)]
    assert cells[0].get("class") == shade


def test_a_pair_that_was_not_tested_has_a_dash() -> None:
    made = comparison_page(compared(replace(SEVEN, pairs=SEVEN.pairs[1:])), title="T")
    assert "<td>-</td>" in made


def test_two_runs_are_shown_from_the_runner_up_to_the_leader_unless_named() -> None:
    usual = comparison_page(compared(TWO), title="T", changes=CHANGES, differences=[0.5, -0.4, 0.0])
    assert "Improved most: new scores higher than old" in usual
    assert "new is higher on 1 image, old on 1. On 1 both score the same; these are not drawn." in usual
    named = comparison_page(compared(TWO), title="T", changes=CHANGES, names=("new", "old"))
    assert "Improved most: old scores higher than new" in named
    alone = comparison_page(compared(metric({"only": 0.5})), title="T", changes=CHANGES)
    assert "only scores higher than only" in alone


def test_names_of_concepts_reach_the_cards() -> None:
    change = Change("i", 0.0, 1.0, "C1", "", "C1")
    assert "Made up" in comparison_page(
        compared(TWO), title="T", changes=[change], concept_names={"C1": "Made up"}
    )


def test_other_metrics_have_their_leader_chart_and_matrix() -> None:
    found = check_safe(comparison_page(compared(THREE, OTHER), title="T"))
    assert "b leads in recall with 0.333333" in found.text("span")
    assert "recall: p after Holm's correction. Bold on a shade: separable." in found.text("caption")
    alone = compared(metric({"only": 0.5}), metric({"only": 0.4}, "recall"))
    assert "matrix" not in comparison_page(alone, title="T").partition("</style>")[2]


def test_how_it_was_computed_names_everything_needed_to_do_it_again() -> None:
    procedure = Procedure(resamples=777, permutations=8_888, level=0.9, alpha=0.01, seed=31)
    text = check_safe(comparison_page(compared(THREE, OTHER, procedure=procedure), title="T")).text()
    for part in (
        "777 resamples",
        "8,888 draws",
        "90 %",
        "below 0.01",
        "31",
        str(procedure),
        "(c + 1) / (n + 1)",
        "1, 2, 2, 4",
    ):
        assert part in text
    for one in (THREE, OTHER):
        assert one.signature in text


def test_the_summary_and_the_facts_stand_on_top() -> None:
    comparison = compared(THREE)
    found = check_safe(whole(comparison))
    assert summary(comparison) in found.text("p")
    assert found.text("dt").startswith("Edition")
    assert found.text("dd").startswith("2025")
    assert facts_list([]) == ""


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_in_every_place(text: str) -> None:
    values = {f"{text}{number}": 0.5 - number / 10 for number in range(8)}
    hostile = compared(metric(values, text), metric(values, f"{text}'"))
    change = Change(text, 0.1, 0.9, text, text, text, text)
    table = Table((text, "n"), ((text, text),), text)
    found = check_safe(
        comparison_page(
            hostile,
            title=text,
            facts=[(text, text)],
            beside=table,
            changes=[change],
            differences=[0.1],
            names=(text, text),
        )
    )
    assert found.text("h1") == visible(text)
    assert visible(text) in found.text("title")
    assert found.text("dt").startswith(visible(text))


def test_a_page_is_one_file_that_allows_nothing_from_outside() -> None:
    found = check_safe(page("T", "head <b>", "body &"))
    policies = [
        one["content"] for one in found.named("meta") if one.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policies == [POLICY]
    assert POLICY.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:;")
    assert found.named("html") == [{"lang": "en"}]
    assert found.text("header") == "head <b>"
    assert found.text("main") == "body &"
    assert found.text("footer", "p") == f"Made by radcap {VERSION}."
    assert [one["content"] for one in found.named("meta") if one.get("name") == "viewport"]


def test_the_policy_and_the_encoding_stand_before_anything_they_govern() -> None:
    made = page("T", "")
    assert made.startswith(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8" />\n<meta http-equiv='
    )


def test_headings_skip_no_level_and_everything_wide_scrolls_by_keyboard() -> None:
    found = check_safe(whole(compared(SEVEN, metric({f"run_{n}": n / 10 for n in range(7)}, "recall"))))
    levels = [int(tag[1]) for tag, _ in found.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    boxes = [one for one in found.named("div") if one.get("class") == "scroll"]
    assert len(boxes) == len(found.named("table"))
    assert all(one["tabindex"] == "0" and one["role"] == "region" and one["aria-label"] for one in boxes)
    assert all(one.get("alt") for one in found.named("img"))
    assert {one.get("scope") for one in found.named("th")} == {"row", "col"}


def test_the_same_comparison_gives_the_same_page() -> None:
    assert whole(compared(THREE)) == whole(compared(THREE))


def test_the_method_says_whether_groups_were_drawn() -> None:
    alone, grouped = (comparison_page(replace(compared(THREE), groups=one), title="t") for one in (None, 814))
    assert "bootstrap over images" in alone
    assert "over 814 groups of images, which were drawn and flipped as wholes" in grouped
    assert "|groups:814<" in grouped
    assert "groups" not in alone
