"""Rules that ship, rules of a user, and every way in which a file can be wrong."""

from __future__ import annotations

import csv
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.core import InputError, UsageError
from radcap.vocabulary.rules import (
    Blacklisted,
    ConceptRules,
    Fate,
    FrequencyCut,
    Remap,
    Unit,
    read_rules,
    rules_names,
)

HEAD = 'name = "mine"\nversion = 1\nsource = "us"\n'
TABLES = Path(__file__).parents[2] / "golden" / "rocov2_tables"


def write(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "mine.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def issues(path: Path | str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_rules(path)
    return [str(one) for one in caught.value.issues]


@pytest.mark.parametrize("name", rules_names())
def test_what_ships_can_be_read_and_is_called_as_its_file(name: str):
    rules = read_rules(name)
    assert rules.name == name
    assert rules.version == 1
    assert rules.source


def test_rocov2_keeps_the_types_its_paper_prints():
    rows = csv.DictReader((TABLES / "top_tuis.csv").read_text("utf-8").splitlines())
    rules = read_rules("rocov2-2023")
    assert rules.named_types == {row["TUI"] for row in rows}
    assert "T054" not in rules.types
    assert all(one.ours for one in rules.blacklist)  # the paper lists none
    assert rules.remaps == (
        Remap(
            "C0994894",
            "Patch Dosage Form is a medicine; the word says how an opacity looks",
            "patchy",
        ),
    )
    assert rules.automatic_modality is Fate.DROP


def test_editions_cut_on_both_sides_of_ten():
    assert read_rules("rocov2-2023").frequency == FrequencyCut(10, True, Unit.IMAGES)
    assert read_rules("imageclef-2025").frequency == FrequencyCut(10, False, Unit.IMAGES)
    assert read_rules("imageclef-2017") == ConceptRules(
        "imageclef-2017", 1, read_rules("imageclef-2017").source
    )


def test_a_file_of_ones_own(tmp_path: Path):
    path = write(
        tmp_path,
        HEAD
        + """
        negated = "drop"
        uncertain = "drop"
        [types]
        named = ["T023"]
        inferred = ["T190"]
        unknown = "drop"
        [frequency]
        threshold = 3
        compare = ">="
        unit = "mentions"
        [manual]
        automatic_modality = "drop"
        [[blacklist]]
        cui = "C0439234"
        reason = "time"
        [[remap]]
        from = "C0000001"
        to = "C0000002"
        name = "Two"
        types = ["T080"]
        reason = "it is two"
        ours = true
        """,
    )
    assert (
        read_rules(path)
        == read_rules(str(path))
        == ConceptRules(
            "mine",
            1,
            "us",
            frozenset({"T023"}),
            frozenset({"T190"}),
            Fate.DROP,
            Fate.DROP,
            Fate.DROP,
            (Blacklisted("C0439234", "", "time"),),
            (Remap("C0000001", "it is two", "", "C0000002", "Two", ("T080",), ours=True),),
            FrequencyCut(3, False, Unit.MENTIONS),
            Fate.DROP,
        )
    )


def test_a_byte_order_mark_is_no_problem(tmp_path: Path):
    assert read_rules(write(tmp_path, b"\xef\xbb\xbf" + HEAD.encode())).name == "mine"


def test_a_name_that_is_none_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match=r"no set of concept rules 'rocov2'. Nearest is 'rocov2-2023'"):
        read_rules("rocov2")


@pytest.mark.parametrize("given", ["missing.toml", Path("missing")])
def test_a_path_without_a_file(given: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert issues(given) == ["0:0: RUL101 It cannot be read: No such file or directory. Check the path."]


def test_a_folder_is_no_file(tmp_path: Path):
    assert issues(tmp_path)[0].startswith("0:0: RUL101 It cannot be read: ")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b'name = "x"\nsource = "\xff"', "2:1: RUL102 Byte 0xFF is no UTF-8."),
        ("name = ", "1:1: RUL103 It is no TOML: "),  # the reader of TOML tells no place at the end
        ("name = 'x'\n= 'y'", "2:1: RUL103 It is no TOML: "),
        ("a = [\n", "2:1: RUL103 It is no TOML: "),
        ("a = " + "[" * 5000, "1:1: RUL103 It is no TOML: lists stand in lists too deep."),
    ],
)
def test_no_toml(tmp_path: Path, text: str | bytes, place: str):
    found = issues(write(tmp_path, text))
    assert len(found) == 1
    assert found[0].startswith(place)


BLACK = '[[blacklist]]\ncui = "C0000001"\nreason = "x"\n'
REMAP = '[[remap]]\nfrom = "C0000001"\nreason = "x"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('negatd = "keep"', "4:1: RUL201 There is no key negatd in the file. Nearest is 'negated'. Known: "),
        ("[types]\nnamd = []", "5:1: RUL201 There is no key types.namd in [types]. Nearest is 'named'."),
        (
            "[manual]\nwins = 1",
            "5:1: RUL201 There is no key manual.wins in [manual]. Known: automatic_modality.",
        ),
        (
            "[frequency]\nthreshold = 1\nunits = 2",
            "6:1: RUL201 There is no key frequency.units in [frequency].",
        ),
        (
            BLACK + BLACK.replace("1", "2") + "why = 1",
            "10:1: RUL201 There is no key blacklist.why in [[blacklist]] number 2.",
        ),
        (
            '[[blacklist]]\nreason = "x"',
            "4:1: RUL202 [[blacklist]] number 1 has no blacklist.cui. It is the concept.",
        ),
        (
            "[frequency]\nunit = 'images'",
            "4:1: RUL202 [frequency] has no frequency.threshold. It is how often",
        ),
        (REMAP + 'to = "C0000002"', "4:1: RUL202 [[remap]] number 1 has no remap.name. It is the name of"),
        ('negated = "no"', "4:1: RUL203 negated is 'no'. 'keep' or 'drop' is needed. Correct it."),
        ("negated = 1", "4:1: RUL203 negated is 1. 'keep' or 'drop' is needed."),
        ("types = 1", "4:1: RUL203 types is 1. A table [types] is needed."),
        ("blacklist = 1", "4:1: RUL203 blacklist is 1. Tables [[blacklist]] is needed."),
        ("blacklist = [1]", "4:1: RUL203 blacklist is [1]. Tables [[blacklist]] is needed."),
        ("[blacklist]\ncui = 1", "4:2: RUL203 blacklist is {'cui': 1}. Tables [[blacklist]] is needed."),
        ("[types]\nnamed = 'T023'", "5:1: RUL203 types.named is 'T023'. A list of semantic types is needed."),
        (
            "[frequency]\nthreshold = true",
            "5:1: RUL203 frequency.threshold is True. A whole number from 1 on",
        ),
        ("[frequency]\nthreshold = 0", "5:1: RUL203 frequency.threshold is 0. A whole number from 1 on"),
        ("[frequency]\nthreshold = 1.5", "5:1: RUL203 frequency.threshold is 1.5. A whole number from 1 on"),
        (
            "[frequency]\nthreshold = 2\ncompare = '<'",
            "6:1: RUL203 frequency.compare is '<'. '>' or '>=' is needed.",
        ),
        (BLACK.replace('"x"', '" "'), "6:1: RUL203 blacklist.reason is ' '. A text is needed."),
        (BLACK + "ours = 1", "7:1: RUL203 blacklist.ours is 1. true or false is needed."),
        (
            BLACK.replace("C0000001", "C12"),
            "5:7: RUL204 blacklist.cui is 'C12'. A CUI is C and seven digits.",
        ),
        (
            BLACK.replace("C", "c"),
            "5:7: RUL205 blacklist.cui is 'c0000001', written small. Label files compare it",
        ),
        (
            '[types]\nnamed = [\n  "T023",\n  "T32",\n]',
            "7:3: RUL206 types.named is 'T32'. That is no semantic type.",
        ),
        (
            "[types]\nnamed = [1]",
            "5:1: RUL206 types.named is 1. That is no semantic type. Correct or drop it.",
        ),
        (
            '[types]\nnamed = ["T023", "T023"]',
            "5:10: RUL207 types.named lists T023 again. One of them would be",
        ),
        ('[types]\nnamed = ["T023"]\ninferred = ["T023"]', "6:13: RUL207 types.inferred lists T023 again."),
        (BLACK + BLACK, "8:7: RUL207 blacklist.cui lists C0000001 again."),
        (REMAP + REMAP, "8:8: RUL207 remap.from lists C0000001 again."),
        (
            REMAP + 'name = "x"\nto = "C0000001"',
            "8:6: RUL208 remap.to leads from C0000001 to itself, or to a concept",
        ),
        (REMAP + BLACK, "8:7: RUL209 blacklist.cui lists C0000001, which is always remapped."),
        (
            'blacklist = [{cui = "c0000001", reason = "x"}]',
            "1:1: RUL205 blacklist.cui is 'c0000001', written small.",
        ),
    ],
    ids=lambda text: text.splitlines()[0][:40],
)
def test_one_problem(tmp_path: Path, text: str, expected: str):
    found = issues(write(tmp_path, HEAD + text))
    assert len(found) == 1
    assert found[0].startswith(expected)


def test_a_concept_may_be_remapped_for_two_words_and_blacklisted_for_others(tmp_path: Path):
    text = HEAD + REMAP + 'word = "a"\n' + REMAP + 'word = "b"\n' + BLACK
    assert [one.word for one in read_rules(write(tmp_path, text)).remaps] == ["a", "b"]


def test_all_problems_at_once(tmp_path: Path):
    text = 'version = "one"\nnegated = 2\ntype = 3\n[[blacklist]]\ncui = "x"\n[[blacklist]]\ncui = ""\n'
    path = write(tmp_path, text)
    assert [one.split(": ")[1].split()[0] + " " + one.split(":")[0] for one in issues(path)] == [
        "RUL204 5",
        "RUL202 4",
        "RUL203 7",
        "RUL202 6",
        "RUL202 1",
        "RUL203 1",
        "RUL202 1",
        "RUL203 2",
        "RUL201 3",
    ]
    with pytest.raises(
        InputError, match=rf"{path.name} cannot be opened: blacklist.cui is 'x'.*\(8 more findings\)"
    ):
        read_rules(path)


def test_a_strangers_text_is_shown_safely(tmp_path: Path):
    assert issues(write(tmp_path, HEAD + 'negated = "\\u001b[2J' + "x" * 500 + '"'))[0].startswith(
        "4:1: RUL203 negated is '\\x1b[2Jxxx"
    )


@given(st.text(max_size=80))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str):
    path = tmp_path_factory.getbasetemp() / f"any-{os.getpid()}.toml"
    path.write_text(HEAD + text, "utf-8", errors="replace")
    try:
        name = read_rules(path).name
    except InputError as error:
        name = "mine" if error.issues else ""
    assert name == "mine"
