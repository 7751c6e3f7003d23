"""The published boards: the shipped tables against the specification, computed ranks against printed ones."""

from __future__ import annotations

import csv
import re
from importlib.resources import files

import pytest

from radcap.core import Task, UsageError
from radcap.metrics import BOARDS, BoardRow, board
from radcap.metrics.edition_tables import board_table
from radcap.stats import ranks

# Section 15 of the specification, word for word: a second source beside the shipped tables.
CONCEPTS_2017 = """
IPL,A,: 1494006128917=.1436 1494006074473=.1418 1494009510297=.1417 1494006054264=.1415 1494009412127=.1414 1494009455073=.1394 1494006225031=.1365 1494006181689=.1364 1494006414840=.1212 1494006360623=.1208
BMET,A,: 1493791786709=.0958 1493791318971=.0880 1493698613574=.0838
NLM,A,: 1494013963830=.0880 1494014008563=.0868 1494013621939=.0811 1494013664037=.0695 1494012725738=.0012
MSU,M,: 1494060724020=.0498 1494049613114=.0461 1494048615677=.0434
UAPT,M,: 1493841144834=.0488 1493995613907=.0463 1493976564810=.0414
MSU,A,: 1494048330426=.0273
NLM,A,Open-i: 1494012568180=.1718 1494012586539=.1648 1494014122269=.1390 1494012605475=.1228 1495446212270=.0162
AAI,A,ImageNet+COCO: 1491857120689=.1583
PRNA,A,ImageNet: 1493823116836=.1208 1493823633136=.0234 1493823760708=.0215
MAMI,M,ImageNet: 1496127572481=.0462 1493631868847=.0000
MUPB,A,ImageNet: 1493803509469=.0028
"""  # noqa: E501
CAPTIONS_2017 = """
ISIA,: 1493921574200=.2600 1493666388885=.2507 1493922473076=.2454 1494002110282=.2386 1493922527122=.2315 1493831729114=.2240 1493745561070=.2193 1493715950351=.1953 1493528631975=.1912 1493831517474=.1684
NLM,: 1494038340934=.2247 1494038056289=.1384 1494037493960=.1131
BMET,: 1493702564824=.0982 1493698682901=.0851 1494020619666=.0826 1493701062845=.0656
NLM,Open-i: 1494014231230=.5634 1494081858362=.3317 1495446212270=.2646
PRNA,ImageNet: 1493825734124=.3211 1493824027725=.2638 1493825504037=.1801 1493824818237=.1107
BCSG,ImageNet: 1493885614229=.0749 1493885575289=.0675 1493885210021=.0624 1493885397459=.0537 1493885352146=.0527 1493885286358=.0411 1493885541193=.0375 1493885499624=.0365 1493885708424=.0326 1493885450000=.0200
"""  # noqa: E501
# team, run, primary, secondary, printed rank, printed rank by the secondary score
CONCEPTS_2022 = """
AUEB-NLP-Group,182358,.4511,.7907,1,6
fdallaserra,182324,.4505,.8222,2,4
CSIRO,182343,.4471,.7936,3,5
eecs-kth,181750,.4360,.8546,4,2
vcmi,182097,.4329,.8634,5,1
PoliMi-ImageClef,182296,.4320,.8512,6,3
SSNSheerinKavitha,181995,.4184,.6544,7,8
IUST_NLPLAB,182307,.3981,.6732,8,7
Morgan_CS,182150,.3520,.6281,9,9
kdelab,182346,.3104,.4120,10,11
SDVA-UCSD,181691,.3079,.5524,11,10
"""
CAPTIONS_2022 = """
IUST_NLPLAB,182275,.4828,.1422,1,8
AUEB-NLP-Group,181853,.3222,.1665,2,5
CSIRO,182268,.3114,.1974,3,2
vcmi,182325,.3058,.1738,4,4
eecs-kth,182337,.2917,.1157,5,9
fdallaserra,182342,.2913,.2012,6,1
kdelab,182351,.2783,.1584,7,6
Morgan_CS,182238,.2549,.1441,8,7
MAI_ImageSem,182105,.2211,.1847,9,3
SSNSheerinKavitha,182248,.1595,.0425,10,10
"""
# team, primary, secondary, ranks; * = the organisers' baseline, unranked
CONCEPTS_2023 = """
AUEB-NLP-Group,.5223,.9258,1,2
KDE-Lab_Med,.5074,.9321,2,1
VCMI,.4998,.9162,3,3
IUST_NLPLAB,.4959,.8804,4,6
Clef-CSE-GAN-Team,.4957,.9106,5,4
CS_Morgan,.4834,.8902,6,5
SSNSheerinKavitha,.4649,.8603,7,7
closeAI2023,.0900,.2152,8,8
SSN_MLRG,.0173,.1122,9,9
*EfficientNet-B0 ImageCLEF,.5099,.9309,,
*EfficientNet-B0 ROCOv2,.5811,.9353,,
*EfficientNetV2-s ImageCLEF,.5215,.9407,,
*EfficientNetV2-s ROCOv2,.5925,.9430,,
"""
CAPTIONS_2023 = """
CSIRO,.6413,.2463,1,3
closeAI2023,.6281,.2401,2,4
AUEB-NLP-Group,.6170,.2130,3,8
PCLmed,.6152,.2528,4,2
VCMI,.6147,.2175,5,7
KDE-Lab_Med,.6145,.2223,6,5
SSN_MLRG,.6019,.2112,7,9
DLNU_CCSE,.6005,.2029,8,10
CS_Morgan,.5819,.1564,9,11
Clef-CSE-GAN-Team,.5816,.2181,10,6
Bluefield-2023,.5780,.1534,11,12
IUST_NLPLAB,.5669,.2898,12,1
SSNSheerinKavitha,.5441,.0866,13,13
*Baseline ImageCLEF,.6217,.2318,,
*Baseline ROCOv2,.6264,.2352,,
"""
# METEOR, CIDEr, SPICE, BERTScore
MORE_2022 = """
IUST_NLPLAB,182275,.0928,.0304,.0072,.5612
AUEB-NLP-Group,181853,.0737,.1902,.0313,.5989
CSIRO,182268,.0841,.2693,.0462,.6234
vcmi,182325,.0746,.2047,.0358,.6044
eecs-kth,182337,.0624,.1317,.0218,.5728
fdallaserra,182342,.0819,.2564,.0464,.6101
kdelab,182351,.0735,.4114,.0512,.6003
Morgan_CS,182238,.0559,.1481,.0232,.5835
MAI_ImageSem,182105,.0675,.2513,.0393,.6059
SSNSheerinKavitha,182248,.0226,.0169,.0072,.5451
"""
# BLEURT, BLEU-1, METEOR, CIDEr, CLIPScore
MORE_2023 = """
CSIRO,.3137,.1615,.0798,.2025,.8147
closeAI2023,.3209,.1846,.0873,.2377,.8075
AUEB-NLP-Group,.2950,.1692,.0720,.1466,.8039
PCLmed,.3166,.2172,.0921,.2315,.8021
VCMI,.3084,.1653,.0734,.1720,.8082
KDE-Lab_Med,.3014,.1565,.0724,.1819,.8062
SSN_MLRG,.2774,.1418,.0615,.1284,.7759
DLNU_CCSE,.2630,.1059,.0557,.1332,.7725
CS_Morgan,.2242,.0566,.0436,.0840,.7593
Clef-CSE-GAN-Team,.2690,.1450,.0702,.1737,.7893
Bluefield-2023,.2716,.1543,.0601,.1009,.7837
IUST_NLPLAB,.2230,.2685,.1004,.1773,.8068
SSNSheerinKavitha,.2152,.0749,.0258,.0143,.6873
*Baseline ImageCLEF,.3093,.1821,.0813,.1968,.8172
*Baseline ROCOv2,.3113,.1772,.0821,.2026,.8207
"""
CONCEPTS_2025 = """
AUEB NLP Group,ensemble_dual_thr_3_5monte_eff_eff_.zip,.5888,.9484
DeepLens,submission,.5766,.9299
mapan,submission,.5660,.9298
UIT-Oggy,submission,.5613,.9104
DS4DH,submission.csv,.5225,.8672
sakthiii,submission,.4003,.9082
JJ-VMed,submission,.3982,.8329
UMUTeam,submission_with_unknown_clean,.2398,.5377
LekshmiscopeVIT,submission.csv,.1494,.2298
"""
CAPTIONS_2025_METRICS = [
    "overall",
    "similarity",
    "bertscore",
    "rouge1",
    "bleurt",
    "relevance",
    "umls_f1",
    "alignscore",
    "factuality",
]
CAPTIONS_2025 = """
UMUTeam,submission.zip,.3432,.9271,.5977,.2594,.3230,.5268,.1816,.1375,.1596
DS4DH,submission.csv.zip,.3362,.9016,.6067,.2516,.3096,.5174,.1682,.1417,.1549
AI Stat Lab,submission.zip,.3229,.8919,.5823,.2440,.3173,.5089,.1524,.1213,.1369
UIT-Oggy,submission_ep2_cleaned.zip,.3211,.8798,.5951,.2535,.3020,.5076,.1672,.1021,.1346
AUEB NLP Group,2-instruct-blip-ft.zip,.3068,.7947,.5884,.2176,.3030,.4759,.1429,.1325,.1377
JJ-VMed,submission.zip,.3043,.8251,.5953,.2389,.3094,.4922,.1366,.0964,.1165
sakthiii,submission,.2746,.7957,.5553,.1607,.2806,.4481,.1094,.0928,.1011
csmorgan,Qwen_2B_Submission_1.zip,.2315,.5704,.5180,.1598,.2385,.3717,.0741,.1087,.0914
"""
CONCEPTS_2026 = """
DS@GT ARC,.5790,.9657
Archimedes/AUEB,.5781,.9591
UIT_Worker,.5725,.9533
SPU/Bashar,.5725,.9419
DeepLens,.5648,
"""
CAPTIONS_2026 = """
AIstatLab,.3755
mendesheitor,.3603
b_wang94,.3571
georkarandreas,.3516
csmorgan,.3458
gfreitas,.3343
tanduy2702,.3193
mihail_tatomir,.3065
"""


def lines_of(text: str) -> list[list[str]]:
    return [line.split(",") for line in text.strip().splitlines()]


def runs_of_2017(text: str) -> list[tuple[str, str, str, str, float]]:
    """Team, type, external resource, run, score."""
    rows: list[tuple[str, str, str, str, float]] = []
    for line in text.strip().splitlines():
        head, _, runs = line.partition(": ")
        team, *kind, resource = head.split(",")
        for run in runs.split():
            name, _, value = run.partition("=")
            rows.append((team, kind[0] if kind else "A", resource, name, float(value)))
    return rows


def places(rows: list[BoardRow], metric: str) -> list[int | None]:
    return ranks([row.scores.get(metric) for row in rows])


def bare(name: str) -> str:
    """A baseline's name without the differences of spelling between the sources."""
    return re.sub(r"[^a-z0-9]", "", name.lower().removeprefix("*").replace("baseline", ""))


# --- values ---


@pytest.mark.parametrize(
    ("task", "text", "metric", "runs"),
    [(Task.CONCEPTS, CONCEPTS_2017, "f1", 37), (Task.CAPTIONS, CAPTIONS_2017, "bleu", 34)],
)
def test_2017_every_run_is_as_in_the_specification(task: Task, text: str, metric: str, runs: int) -> None:
    shipped = {
        (row.team, "A" if row.automatic else "M", short(row.external), row.run, row.scores[metric])
        for row in board("2017", task)
    }
    assert len(board("2017", task)) == len(shipped) == runs
    assert shipped == set(runs_of_2017(text))


def short(resource: str) -> str:
    """The external resource in the short form of the specification."""
    return "Open-i" if "open-i" in resource.lower() else re.sub(r"\W+(MS )?", "+", resource)


@pytest.mark.parametrize(
    ("task", "text", "metrics"),
    [
        (Task.CONCEPTS, CONCEPTS_2022, ("f1", "f1_manual")),
        (Task.CAPTIONS, CAPTIONS_2022, ("bleu", "rouge1")),
    ],
)
def test_2022_values_and_printed_ranks_are_as_in_the_specification(
    task: Task, text: str, metrics: tuple[str, str]
) -> None:
    shipped = [
        [row.team, row.run, *(row.scores[name] for name in metrics), row.rank, row.rank_secondary]
        for row in board("2022", task)
    ]
    assert shipped == [
        [team, run, float(first), float(second), int(rank), int(rank2)]
        for team, run, first, second, rank, rank2 in lines_of(text)
    ]


@pytest.mark.parametrize(
    ("task", "text", "metrics"),
    [
        (Task.CONCEPTS, CONCEPTS_2023, ("f1", "f1_manual")),
        (Task.CAPTIONS, CAPTIONS_2023, ("bertscore", "rouge1")),
    ],
)
def test_2023_values_printed_ranks_and_baselines_are_as_in_the_specification(
    task: Task, text: str, metrics: tuple[str, str]
) -> None:
    shipped = [
        [bare(row.team), row.baseline, *(row.scores[name] for name in metrics), row.rank, row.rank_secondary]
        for row in board("2023", task)
    ]
    assert shipped == [
        [
            bare(team),
            team.startswith("*"),
            float(first),
            float(second),
            int(rank) if rank else None,
            int(rank2) if rank2 else None,
        ]
        for team, first, second, rank, rank2 in lines_of(text)
    ]


@pytest.mark.parametrize(
    ("task", "text", "metrics"),
    [
        (Task.CONCEPTS, CONCEPTS_2025, ["f1", "f1_manual"]),
        (Task.CAPTIONS, CAPTIONS_2025, CAPTIONS_2025_METRICS),
    ],
)
def test_2025_values_are_as_in_the_specification(task: Task, text: str, metrics: list[str]) -> None:
    shipped = [(row.team, row.run, dict(row.scores)) for row in board("2025", task)]
    assert shipped == [
        (team, run, dict(zip(metrics, map(float, values), strict=True)))
        for team, run, *values in lines_of(text)
    ]


@pytest.mark.parametrize(
    ("task", "text", "metrics"),
    [
        (Task.CONCEPTS, CONCEPTS_2026, ["f1", "f1_manual"]),
        (Task.CAPTIONS, CAPTIONS_2026, ["overall"]),
    ],
)
def test_2026_top_rows_are_as_in_the_specification(task: Task, text: str, metrics: list[str]) -> None:
    shipped = [(row.team, dict(row.scores)) for row in board("2026", task)]
    assert shipped == [
        (team, {name: float(value) for name, value in zip(metrics, values, strict=True) if value})
        for team, *values in lines_of(text)
    ]


def shipped_table(name: str) -> list[list[str]]:
    text = files("radcap").joinpath("data", "published", name).read_text("utf-8")
    return list(csv.reader(text.splitlines()))[1:]


@pytest.mark.parametrize(
    ("edition", "text", "metrics"),
    [
        ("2022", MORE_2022, ["meteor", "cider", "spice", "bertscore"]),
        ("2023", MORE_2023, ["bleurt", "bleu1", "meteor", "cider", "clipscore"]),
    ],
)
def test_further_caption_scores_are_as_in_the_specification(
    edition: str, text: str, metrics: list[str]
) -> None:
    shipped = [
        [bare(row.team), *(row.scores[name] for name in metrics)] for row in board(edition, Task.CAPTIONS)
    ]
    printed = [[bare(team), *map(float, values[-len(metrics) :])] for team, *values in lines_of(text)]
    assert shipped == printed


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("2025_concepts.csv", "1980 1725 1505 1892 1508 1774 1903 1807 1942"),
        ("2025_captions.csv", "1681 1520 1900 1914 1403 1896 1890 1815"),
    ],
)
def test_2025_submissions_have_the_numbers_of_the_specification(name: str, ids: str) -> None:
    assert " ".join(row[0] for row in shipped_table(name)) == ids


# --- ranks ---


def test_2017_the_official_list_is_ranked_apart_from_external_resources() -> None:
    rows = board("2017", Task.CONCEPTS)
    official = [row for row in rows if not row.external]
    external = [row for row in rows if row.external]
    assert (len(official), len(external)) == (25, 12)
    place = dict(zip([row.run for row in official], places(official, "f1"), strict=True))
    assert sorted(filter(None, place.values())) == [*range(1, 13), 12, *range(14, 26)]
    assert place["1494006128917"] == 1
    assert place["1493791318971"] == place["1494013963830"] == 12  # BMET and NLM, both .0880
    assert place["1494014008563"] == 14
    assert place["1494012725738"] == 25
    place = dict(zip([row.run for row in external], places(external, "f1"), strict=True))
    assert [row.team for row in sorted(external, key=lambda row: place[row.run] or 0)] == (
        ["NLM", "NLM", "AAI", "NLM", "NLM", "PRNA", "MAMI", "PRNA", "PRNA", "NLM", "MUPB", "MAMI"]
    )
    together = dict(zip([row.run for row in rows], places(list(rows), "f1"), strict=True))
    assert together["1494006128917"] == 4  # what one list for all would have said of the winner


def test_2017_captions_with_the_official_data_are_ranked_apart_as_well() -> None:
    rows = board("2017", Task.CAPTIONS)
    official = [row for row in rows if not row.external]
    external = [row for row in rows if row.external]
    assert places(official, "bleu") == list(range(1, 18))  # no ties, in the printed order
    assert places(external, "bleu") == list(range(1, 18))
    assert [(row.team, row.scores["bleu"]) for row in (official[0], external[0])] == [
        ("ISIA", 0.2600),
        ("NLM", 0.5634),  # what retrieval over the articles themselves can do
    ]
    assert places(list(rows), "bleu")[0] == 6  # one list for all would have five external runs above


@pytest.mark.parametrize(
    ("edition", "task", "primary", "secondary"),
    [
        ("2022", Task.CONCEPTS, "f1", "f1_manual"),
        ("2022", Task.CAPTIONS, "bleu", "rouge1"),
        ("2023", Task.CONCEPTS, "f1", "f1_manual"),
        ("2023", Task.CAPTIONS, "bertscore", "rouge1"),
    ],
)
def test_computed_ranks_equal_the_printed_ones(
    edition: str, task: Task, primary: str, secondary: str
) -> None:
    ranked = [row for row in board(edition, task) if not row.baseline]
    assert places(ranked, primary) == [row.rank for row in ranked]
    assert places(ranked, secondary) == [row.rank_secondary for row in ranked]


def test_2023_baselines_would_change_the_ranks_and_therefore_have_none() -> None:
    rows = list(board("2023", Task.CONCEPTS))
    assert [row.rank for row in rows if row.baseline] == [None] * 4
    assert places(rows, "f1")[0] == 3  # two baselines stand above the winner


@pytest.mark.parametrize(("task", "metric"), [(Task.CONCEPTS, "f1"), (Task.CAPTIONS, "overall")])
def test_2025_the_printed_order_is_that_of_the_computed_ranks(task: Task, metric: str) -> None:
    rows = list(board("2025", task))
    assert places(rows, metric) == list(range(1, len(rows) + 1))


def test_2026_the_printed_order_of_captions_is_that_of_the_computed_ranks() -> None:
    assert places(list(board("2026", Task.CAPTIONS)), "overall") == list(range(1, 9))


@pytest.mark.parametrize(
    ("metric", "order"),
    [
        ("relevance", [1, 2, 3, 4, 6, 5, 7, 8]),
        ("factuality", [1, 2, 4, 5, 3, 6, 7, 8]),
        ("bertscore", [2, 1, 6, 4, 5, 3, 7, 8]),
        ("alignscore", [2, 1, 4, 6, 3, 7, 8, 5]),
    ],
)
def test_2025_ranks_by_other_columns_of_the_captions(metric: str, order: list[int]) -> None:
    assert places(list(board("2025", Task.CAPTIONS)), metric) == order


@pytest.mark.parametrize(
    ("edition", "metric", "best", "place_of_the_winner"),
    [
        ("2022", "meteor", "IUST_NLPLAB", 1),  # the word list, again
        ("2022", "cider", "kdelab", 9),  # where a word list earns nothing
        ("2022", "spice", "kdelab", 9),
        ("2022", "bertscore", "CSIRO", 9),
        ("2023", "bleurt", "closeAI2023", 3),
        ("2023", "bleu1", "IUST_NLPLAB", 6),
        ("2023", "meteor", "IUST_NLPLAB", 4),
        ("2023", "cider", "closeAI2023", 3),
        ("2023", "clipscore", "CSIRO", 1),
    ],
)
def test_ranks_by_the_columns_beside_the_board(
    edition: str, metric: str, best: str, place_of_the_winner: int
) -> None:
    rows = [row for row in board(edition, Task.CAPTIONS) if not row.baseline]
    found = places(rows, metric)
    assert rows[found.index(1)].team == best
    assert found[0] == place_of_the_winner


def test_2023_bleu_beside_the_board_is_bleu1_and_no_sentence_bleu() -> None:
    assert "bleu" not in board("2023", Task.CAPTIONS)[0].scores
    assert "bleu1" not in board("2022", Task.CAPTIONS)[0].scores


def test_2025_ranks_by_the_secondary_score() -> None:
    assert places(list(board("2025", Task.CONCEPTS)), "f1_manual") == [1, 2, 3, 4, 6, 5, 7, 8, 9]


def test_2026_rows_3_and_4_tie_at_four_digits_and_a_missing_secondary_score_has_no_rank() -> None:
    rows = list(board("2026", Task.CONCEPTS))
    assert places(rows, "f1") == [1, 2, 3, 3, 5]
    assert places(rows, "f1_manual") == [1, 2, 3, 4, None]


# --- the board as value and table ---


def test_an_edition_without_published_board_is_refused_with_those_that_have_one() -> None:
    with pytest.raises(
        UsageError, match=r"no published board of 2024 here\. Known: 2017, 2022, 2023, 2025, 2026"
    ):
        board("2024", Task.CONCEPTS)


def test_a_board_is_asked_for_by_the_word_of_the_task_too() -> None:
    assert board("2022", "captions") == board("2022", Task.CAPTIONS)
    with pytest.raises(UsageError, match=r"no task 'caption'\. Nearest is 'captions'"):
        board("2022", "caption")


def test_a_row_as_json_has_its_scores_by_name() -> None:
    assert board("2022", Task.CONCEPTS)[0].to_json() == {
        "team": "AUEB-NLP-Group",
        "run": "182358",
        "f1": 0.4511,
        "f1_manual": 0.7907,
        "external": "",
        "automatic": True,
        "baseline": False,
        "rank": 1,
        "rank_secondary": 6,
    }


@pytest.mark.parametrize("edition", BOARDS)
@pytest.mark.parametrize("task", Task)
def test_the_table_of_a_board_has_every_row_once(edition: str, task: Task) -> None:
    table = board_table(edition, task)
    assert sorted(row[1] for row in table.rows) == sorted(row.team for row in board(edition, task))


def test_the_table_of_2017_ranks_both_lists_from_1() -> None:
    rows = board_table("2017", Task.CONCEPTS).rows
    assert [row[0] for row in rows if row[-1] == "-"][:3] == ["1", "2", "3"]
    assert sum(row[0] == "1" for row in rows) == 2


def test_the_table_of_captions_has_the_columns_beside_the_board() -> None:
    assert board_table("2022", Task.CAPTIONS).columns == (
        *("rank", "team", "bleu", "rouge1", "meteor", "cider", "spice", "bertscore", "external data"),
    )
    assert board_table("2023", Task.CAPTIONS).columns[2:-1] == (
        *("bertscore", "rouge1", "bleurt", "bleu1", "meteor", "cider", "clipscore"),
    )


def test_the_table_of_2023_shows_baselines_below_without_rank() -> None:
    rows = board_table("2023", Task.CONCEPTS).rows
    assert [row[0] for row in rows] == [*"123456789", "-", "-", "-", "-"]
    assert {row[-1] for row in rows[9:]} == {"organisers' baseline"}


def test_the_table_of_2026_shows_the_tie_and_the_missing_score() -> None:
    rows = board_table("2026", Task.CONCEPTS).rows
    assert [row[0] for row in rows] == ["1", "2", "3", "3", "5"]
    assert rows[-1][3] == "-"
