"""Whole files of captions: the same concepts in one process and in two, in order, with and without a cut."""

from __future__ import annotations

import csv
import io
import pickle
from collections import Counter
from typing import TYPE_CHECKING, Self

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mini_vocabulary import EXAMPLE, write_mini

from radcap.core import UsageError
from radcap.vocabulary import How, Linker, Mention, Vocabulary
from radcap.vocabulary.captions import Caption, LinkWork, check_names, link_captions, link_texts, linking
from radcap.vocabulary.captions.batches import Batch, concepts_of
from radcap.vocabulary.captions.mention_tables import MENTIONS, csv_text, drop, mention_table
from radcap.vocabulary.rules import ConceptRules, FrequencyCut, Unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

TEXTS = (
    EXAMPLE,
    "MRI of the lungs",
    "",
    "No pneumothorax; effusion, effusion and pleural effusion",
    "Chest radiograph: possible pneumonia",
)
CAPTIONS = [Caption(f"img_{n}", text) for n, text in enumerate(TEXTS)]
EXPECTED = [
    ("img_0", "C0040405;C0817096;C0032227"),
    ("img_1", "C0024485;C0024109"),
    ("img_2", ""),
    ("img_3", "C0032326;C0013687;C0032227"),
    ("img_4", "C0817096;C1306645;C0032285"),
]


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Linker:
    return Linker([Vocabulary.open(write_mini(tmp_path_factory.mktemp("vocab") / "mini.vocab"))])


def rows(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_is_written_in_the_order_of_the_file(
    mini: Linker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    monkeypatch.setattr(linking, "_CAPTIONS", 2)
    told: list[tuple[str, int]] = []
    linked = link_captions(
        CAPTIONS,
        LinkWork(mini),
        tmp_path / "out.csv",
        workers=workers,
        told=lambda *both: told.append(both),
    )
    assert rows(tmp_path / "out.csv") == [["ID", "CUIs"], *map(list, EXPECTED)]
    assert told == [("linking", 2), ("linking", 4), ("linking", 5)]
    assert linked.to_json() == {
        "captions": 5,
        "without": 1,
        "concepts": 9,
        "kept": 12,
        "dropped": 0,
        "rare": 0,
        "crowded": 0,
        "most": 3,
    }


def test_no_caption_gives_an_empty_run(mini: Linker, tmp_path: Path) -> None:
    linked = link_captions([], LinkWork(mini), tmp_path / "out.csv")
    assert rows(tmp_path / "out.csv") == [["ID", "CUIs"]]
    assert (linked.captions, linked.most) == (0, 0)


@pytest.mark.parametrize(
    ("unit", "kept"),
    [
        (Unit.IMAGES, {"C0817096": 2, "C0032227": 2}),
        (Unit.MENTIONS, {"C0817096": 2, "C0032227": 2, "C0013687": 2}),
    ],
)
def test_rare_concepts_are_cut_by_the_counts_of_the_whole_file(
    mini: Linker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unit: Unit, kept: dict[str, int]
) -> None:
    monkeypatch.setattr(linking, "_CAPTIONS", 2)
    cut = FrequencyCut(2, above=False, unit=unit)
    work = LinkWork(mini, trace=True, tabled=True)
    linked = link_captions(
        CAPTIONS, work, tmp_path / "out.csv", tmp_path / "mentions.csv", cut=cut, workers=1
    )
    found = Counter(cui for _, cell in rows(tmp_path / "out.csv")[1:] for cui in cell.split(";") if cui)
    assert set(found) == set(kept)
    table = rows(tmp_path / "mentions.csv")
    assert Counter(row[4] for row in table if row[10] == "true") == kept
    assert [row[11] for row in table if row[4] == "C0024485"] == [f"rare: 1 {unit.value}, fewer than 2"]
    assert (linked.concepts, linked.rare) == (len(kept), 9 - len(kept))
    assert linked.kept == sum(kept.values())
    assert linked.dropped == len(table) - 1 - linked.kept


def test_both_forms_of_the_table_of_mentions_hold_the_same(mini: Linker, tmp_path: Path) -> None:
    captions = [Caption('a,"b"', 'CT of a "chest"'), Caption("c", "no\npneumothorax")]
    for name in ("mentions.csv", "mentions.parquet"):
        link_captions(captions, LinkWork(mini, tabled=True), None, tmp_path / name)
    text = rows(tmp_path / "mentions.csv")
    assert text[0] == MENTIONS.names
    assert text[1] == [
        *('a,"b"', "0", "2", "CT", "C0040405", "X-Ray Computed Tomography", "T060", "name"),
        *("false", "false", "true", "longest match"),
    ]
    read = pq.read_table(tmp_path / "mentions.parquet")
    assert read.schema.equals(MENTIONS)
    assert [[_cell(value) for value in row.values()] for row in read.to_pylist()] == text[1:]
    assert [row[8] for row in text[1:]] == ["false", "false", "true"]


def _cell(value: object) -> str:
    if isinstance(value, list):
        return ";".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_dropped_mentions_are_in_the_table_only_where_they_are_wanted(mini: Linker, tmp_path: Path) -> None:
    rules = ConceptRules("own", 1, "here", named_types=frozenset({"T047"}))
    for trace, expected in ((False, {"true"}), (True, {"true", "false"})):
        work = LinkWork(mini, rules, trace, tabled=True)
        linked = link_captions(CAPTIONS[:1], work, None, tmp_path / "mentions.csv")
        assert {row[10] for row in rows(tmp_path / "mentions.csv")[1:]} == expected
        assert linked.dropped == 2 + trace  # by type; and one inside a longer one
    whys = {row[11] for row in rows(tmp_path / "mentions.csv")[1:]}
    assert "semantic type T060 is not kept" in whys
    assert "inside 'pleural effusion'" in whys


def test_captions_with_more_concepts_than_evaluators_take_are_counted(
    mini: Linker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("radcap.vocabulary.captions.linking.MOST_CUIS", 2)
    linked = link_captions(CAPTIONS, LinkWork(mini), tmp_path / "out.csv")
    assert (linked.crowded, linked.most) == (3, 3)


def test_nothing_is_left_where_linking_fails(mini: Linker, tmp_path: Path) -> None:
    def captions() -> Iterator[Caption]:
        yield CAPTIONS[0]
        raise ValueError("the disk went away")

    with pytest.raises(ValueError, match="went away"):
        link_captions(captions(), LinkWork(mini, tabled=True), tmp_path / "a.csv", tmp_path / "b.parquet")
    assert list(tmp_path.iterdir()) == []


class Other:
    """An extractor of another kind: it gives dropped mentions by itself and cannot travel."""

    def extract(self, texts: Iterable[str]) -> Iterator[tuple[Mention, ...]]:
        for text in texts:
            word = text[:2]
            yield (
                Mention(0, 2, word, "C0000009", "nine", how=How.MODEL, why="said so"),
                Mention(0, 2, word, "C0000008", "eight", how=How.MODEL, kept=False, why="too far"),
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


def test_another_extractor_works_in_this_process(tmp_path: Path) -> None:
    work = LinkWork(Other(), trace=True)
    assert not work.can_travel
    linked = link_captions(CAPTIONS, work, tmp_path / "out.csv", workers=2)
    assert {cell for _, cell in rows(tmp_path / "out.csv")[1:]} == {"C0000009"}
    assert linked.dropped == 5
    assert [len(one) for one in link_texts(Other(), ["CT"], trace=True)] == [2]


def test_work_and_batches_travel(mini: Linker) -> None:
    work = LinkWork(mini, tabled=True)
    there = pickle.loads(pickle.dumps(work))  # noqa: S301
    back = pickle.loads(pickle.dumps(there(CAPTIONS)))  # noqa: S301
    assert back.concepts == work(CAPTIONS).concepts
    assert back.mentions.equals(work(CAPTIONS).mentions)


def test_rules_decide_over_texts(mini: Linker) -> None:
    rules = ConceptRules("own", 1, "here", named_types=frozenset({"T029"}))
    (found,) = link_texts(mini, [EXAMPLE], rules)
    assert concepts_of(found) == ("C0817096",)
    assert len(found) == 3


@pytest.mark.parametrize(
    ("out", "mentions", "why"),
    [
        ("run.zip", None, r"The concepts cannot go to run.zip. Name a file ending in .csv or .txt."),
        (None, "m.xlsx", r"The mentions cannot go to m.xlsx. Name a file ending in .csv or .parquet."),
        ("a.csv", "a.csv", "cannot both go to .*a.csv. Name two files."),
    ],
)
def test_names_that_say_something_else_are_refused(
    tmp_path: Path, out: str | None, mentions: str | None, why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        check_names(tmp_path / out if out else None, tmp_path / mentions if mentions else None)
    check_names(None, None)
    check_names(tmp_path / "a.CSV", tmp_path / "b.parquet")


def test_dropping_from_an_empty_table_changes_nothing() -> None:
    empty = mention_table([], [])
    assert drop(empty, {"C0000001": "rare"}) is empty
    assert csv_text(empty) == ""


CUIS = st.sampled_from(["C0000001", "C0000002", "C0000003"])
MENTION = st.builds(
    Mention,
    start=st.integers(0, 9),
    end=st.integers(9, 20),
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    cui=CUIS,
    name=st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    types=st.lists(st.sampled_from(["T023", "T047"]), max_size=2).map(tuple),
    kept=st.booleans(),
    why=st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
)


@settings(max_examples=50, deadline=None)
@given(found=st.lists(st.lists(MENTION, max_size=4), max_size=4), rare=st.frozensets(CUIS))
def test_cutting_a_batch_is_cutting_its_mentions(found: list[list[Mention]], rare: frozenset[str]) -> None:
    ids = tuple(f"img_{n}" for n in range(len(found)))
    whole = Batch(
        ids,
        tuple(map(concepts_of, found)),
        Counter(one.cui for some in found for one in some if one.kept),
        sum(not one.kept for some in found for one in some),
        mention_table(ids, found),
    )
    after = whole.without(dict.fromkeys(rare, "rare"))
    left = [[one for one in some if one.kept and one.cui not in rare] for some in found]
    assert after.concepts == tuple(map(concepts_of, left))
    assert after.kept.total() + after.dropped == sum(map(len, found))
    assert after.mentions.column("kept").to_pylist() == [
        one.kept and one.cui not in rare for some in found for one in some
    ]
    unchanged = [one.why for some in found for one in some if not (one.kept and one.cui in rare)]
    assert [
        why
        for why, gone in zip(after.mentions.column("why").to_pylist(), _gone(found, rare), strict=True)
        if not gone
    ] == unchanged


def _gone(found: list[list[Mention]], rare: frozenset[str]) -> list[bool]:
    return [one.kept and one.cui in rare for some in found for one in some]


@settings(max_examples=50, deadline=None)
@given(found=st.lists(MENTION, min_size=1, max_size=4))
def test_every_cell_of_the_text_form_reads_back(found: list[Mention]) -> None:
    text = csv_text(mention_table(["id"], [found]))
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert [[row[3], row[5], row[11]] for row in read] == [[one.text, one.name, one.why] for one in found]
