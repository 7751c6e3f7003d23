"""Tables of a TOML file: every kind of key in and out, and every way to get one wrong."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_schemas import Colour, Extra, Inner, Item, Needs, Outer, Typo

from radcap.core import InputError
from radcap.core.tables import (
    TableFindings,
    TableReader,
    nearest,
    parse_toml,
    read_table,
    read_toml,
    to_plain,
    to_toml,
)
from radcap.core.tables.codes import CATALOGUE
from radcap.core.tables.places import key_places
from radcap.core.tables.schema import wanted


def read(text: str, schema: type = Outer, **options):
    return read_table(schema, tomllib.loads(text), text=text, **options)


def problems(text: str, schema: type = Outer, **options) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(text, schema, **options)
    return [str(one) for one in caught.value.issues]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", Outer()),
        ("lr = 1", Outer(lr=1.0)),
        ("epochs = 3\ncompile = true", Outer(epochs=3, compile=True)),
        ("optimiser = 'sgd'\nlevel = 2", Outer(optimiser="sgd", level=2)),
        ("colour = 'red'", Outer(colour=Colour.RED)),
        ("hidden = [512, 256]\nwords = []", Outer(hidden=(512, 256), words=())),
        ("pairs = [[1, 'a'], [2, 'b']]", Outer(pairs=((1, "a"), (2, "b")))),
        ("published = {f1 = 0.5, f1_manual = 1}", Outer(published={"f1": 0.5, "f1_manual": 1.0})),
        ("groups = {a = ['x'], b = []}", Outer(groups={"a": ("x",), "b": ()})),
        ("[parts.a]\n[parts.b]\nk = 2", Outer(parts={"a": Extra(), "b": Extra(2)})),
        ("threshold = 0.5", Outer(threshold=0.5)),
        ("threshold = [0.5, 1]", Outer(threshold=(0.5, 1.0))),
        ("[inner]\nzoom = [0.9, 1]", Outer(inner=Inner((0.9, 1.0), flip=0.5))),
        ("[extra]", Outer(extra=Extra())),
        (
            "[[item]]\nfile = 'a'\nseed = 1\n[[item]]\n[item.inner]\nflip = 1",
            Outer(item=(Item("a", 1), Item(inner=Inner(flip=1.0)))),
        ),
        ("item = []", Outer()),
    ],
)
def test_a_table_becomes_its_value(text, value):
    found = read(text)
    assert found == value
    assert type(found.lr) is float


def test_keys_that_are_not_written_come_from_the_base():
    base = Outer(epochs=5, inner=Inner((0.5, 2.0), 0.1), extra=Extra(3), item=(Item("a"),))
    found = read("lr = 2.0\n[inner]\nflip = 0.2\n[extra]\n", base=base)
    assert found == Outer(epochs=5, lr=2.0, inner=Inner((0.5, 2.0), 0.2), extra=Extra(3), item=(Item("a"),))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("lr = '1e-3'", "1:1: SYS203 lr is '1e-3'. A number is needed. Correct it."),
        ("lr = true", "1:1: SYS203 lr is true. A number is needed. Correct it."),
        ("lr = nan", "1:1: SYS203 lr is nan. A number is needed. Correct it."),
        ("lr = -inf", "1:1: SYS203 lr is -inf. A number is needed. Correct it."),
        ("lr = {}", "1:1: SYS203 lr is {}. A number is needed. Correct it."),
        ("epochs = true", "1:1: SYS203 epochs is true. A whole number is needed. Correct it."),
        ("epochs = 20.0", "1:1: SYS203 epochs is 20.0. A whole number is needed. Correct it."),
        ("compile = 1", "1:1: SYS203 compile is 1. True or false is needed. Correct it."),
        ("name = 1979-05-27", "1:1: SYS203 name is 1979-05-27. A text in quotes is needed. Correct it."),
        ("hidden = 512", "1:1: SYS203 hidden is 512. An array of whole numbers is needed. Correct it."),
        ("hidden = [1, 'a']", "1:1: SYS203 hidden[2] is 'a'. A whole number is needed. Correct it."),
        ("pairs = 1", "1:1: SYS203 pairs is 1. An array of values is needed. Correct it."),
        ("pairs = [[1, 2]]", "1:1: SYS203 pairs[1][2] is 2. A text in quotes is needed. Correct it."),
        ("published = 1", "1:1: SYS203 published is 1. A table is needed. Correct it."),
        (
            "threshold = 'x'",
            "1:1: SYS203 threshold is 'x'. A number or an array of numbers is needed. Correct it.",
        ),
        ("inner = 1", "1:1: SYS203 inner is 1. A table is needed. Correct it."),
        ("item = 1", "1:1: SYS203 item is 1. An array of tables is needed. Correct it."),
        ("item = [1]", "1:1: SYS203 item[1] is 1. A table is needed. Correct it."),
        (
            "\n[inner]\nzoom = [1]",
            "3:1: SYS203 [inner] zoom is [1]. An array of 2 numbers is needed. Correct it.",
        ),
        ("published = {f1 = 'x'}", "1:1: SYS203 [published] f1 is 'x'. A number is needed. Correct it."),
        (
            "optimiser = 'adm'",
            "1:1: SYS204 optimiser is 'adm'. Nearest is 'adam'. Known: adam, adamw, sgd.",
        ),
        ("optimiser = 1", "1:1: SYS204 optimiser is 1. Known: adam, adamw, sgd."),
        ("level = true", "1:1: SYS204 level is true. Known: 1, 2."),
        ("colour = 'green'", "1:1: SYS204 colour is 'green'. Nearest is 'grey'. Known: grey, red."),
        (
            "[inner]\nzoom = [2, 1]",
            "1:1: SYS205 [inner]: zoom is [2.0, 1.0]. The smaller factor comes first.",
        ),
        (
            "[[item]]\n[[item]]\n  [item.inner]\n  flop = 1",
            "4:3: SYS201 [item.inner] of item 2 has no key 'flop'. Nearest is 'flip'. Known: zoom, flip.",
        ),
        ("made = 1\nzzz = 1", "1:1: SYS201 The file has no key 'made'. Nearest is 'name'."),
    ],
)
def test_a_problem_says_where_what_and_what_to_do(text, told):
    assert problems(text)[0].startswith(told)


def test_all_problems_are_told_in_the_order_of_the_file():
    text = "[inner]\nflip = 'x'\n[extra]\nn = 1\n[[item]]\nseed = 'y'\nflie = ''\n"
    told = problems(text)
    assert [one.split()[:2] for one in told] == [
        ["2:1:", "SYS203"],
        ["4:1:", "SYS201"],
        ["6:1:", "SYS203"],
        ["7:1:", "SYS201"],
    ]
    with pytest.raises(
        InputError, match=r"a.toml cannot be used: line 2: \[inner\] flip .* \(3 more findings\)$"
    ):
        read(text, path="a.toml")


def test_a_table_is_called_as_the_caller_calls_it():
    with pytest.raises(InputError) as caught:
        read_table(Outer, {"learning_rate": 1}, "[train]")
    told = "[train] has no key 'learning_rate'. Nearest is 'lr'. Known: name, epochs, lr"
    assert str(caught.value).startswith(told)
    assert caught.value.issues[0].line == 0


def test_a_key_without_default_must_be_written():
    told = problems("size = 'x'", Needs)
    assert told == [
        "0:0: SYS202 The file lacks the key 'name'. Write it: a text in quotes is needed.",
        "1:1: SYS203 size is 'x'. A whole number is needed. Correct it.",
    ]
    assert read("name = 'a'", Needs) == Needs("a")
    assert wanted(Literal["a", "b"] | int) == "one of a, b or a whole number"
    assert read("size = 2", Needs, base=Needs("b")) == Needs("b", 2)


def test_a_key_in_the_wrong_table_is_sent_to_its_own():
    mapping = {"flip": 1, "k": 2, "inner": {"k": 1, "epochs": 2}}
    findings = TableFindings()
    TableReader(findings, Outer).read(Outer, mapping)
    told = [one.message for one in findings.issues]
    assert told == [
        "The file has no key 'flip'.",  # [inner] and [first.inner]: nobody knows which
        "The file has no key 'k'.",
        "[inner] has no key 'k'.",
        "[inner] has no key 'epochs'. It belongs into the top of the file.",
    ]
    findings = TableFindings()
    TableReader(findings, Needs).read(Needs, {"name": "a", "zoom": 1})
    assert findings.issues[0].message == "The file has no key 'zoom'. It belongs into [inner]."


def test_a_range_is_checked_beside_an_unknown_key_but_not_over_a_bad_value():
    assert len(problems("[inner]\nzoom = [2, 1]\nx = 1")) == 2
    assert len(problems("[inner]\nzoom = [2, 1]\nflip = 'x'")) == 1


def test_a_schema_that_no_file_can_fill_is_our_mistake():
    with pytest.raises(TypeError, match="complex"):
        read("when = 1", Typo)


DEEP = 60


@pytest.mark.parametrize(
    "text",
    [
        f"lr = 1{'0' * 400}",
        f"{'x' * 100_000} = 1",
        f"optimiser = '{'a' * 100_000}'",
        f"hidden = [{'1, ' * 10_000}'x']",
        f"epochs = {'[' * DEEP}{']' * DEEP}",
        '"a\\nb\\u001b" = 1',
        '"" = 1',
    ],
    ids=["huge number", "long key", "long choice", "long array", "deep", "control signs", "empty key"],
)
def test_hostile_values_are_refused_in_a_short_line(text):
    (told,) = problems(text)
    assert len(told) < 400
    assert told.isprintable()


def test_values_too_long_or_too_deep_to_show_are_not_shown():
    deep: list = []
    for _ in range(sys.getrecursionlimit()):
        deep = [deep]
    for value in (deep, [10**5000]):
        with pytest.raises(InputError, match="epochs is too long to show"):
            read_table(Outer, {"epochs": value})
    with pytest.raises(InputError, match="lr is too long to show"):
        read_table(Outer, {"lr": 10**5000})


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("learning_rate", ("epochs", "lr"), "lr"),
        ("wd", ("width", "weight_decay"), "weight_decay"),
        ("Epoch", ("epochs", "lr"), "epochs"),
        ("early-stop", ("early_stop",), "early_stop"),
        ("zzz", ("epochs", "lr"), None),
        ("_", ("epochs",), None),
    ],
)
def test_nearest(name, known, found):
    assert nearest(name, known) == found


PLACES = '''\
top = """
[not.a.table]
key = 1
"""
"quo.ted" = 1 # [comment]
a.b = 2
[ x . y ] # said
  z = \'\'\'one\'\'\'
w = """ \'\'\' """
list = [
  [1, 2],
  [1, 2]
]
v = 1
[[m]]
[[m]]
k = 1
[m.n]
k = 2
[[m.o]]
q = 3
'''


def test_places_of_keys_are_those_an_editor_shows():
    assert key_places(PLACES) == {
        ("top",): (1, 1),
        ("quo.ted",): (5, 1),
        ("a", "b"): (6, 1),
        ("x", "y"): (7, 1),
        ("x", "y", "z"): (8, 3),
        ("x", "y", "w"): (9, 1),
        ("x", "y", "list"): (10, 1),
        ("x", "y", "v"): (14, 1),
        ("m", 0): (15, 1),
        ("m", 1): (16, 1),
        ("m", 1, "k"): (17, 1),
        ("m", 1, "n"): (18, 1),
        ("m", 1, "n", "k"): (19, 1),
        ("m", 1, "o", 0): (20, 1),
        ("m", 1, "o", 0, "q"): (21, 1),
    }


@given(st.text(alphabet="ab=[]\"'.#\n ", max_size=60))
def test_places_are_found_in_any_text(text):
    assert all(1 <= line <= text.count("\n") + 1 for line, _ in key_places(text).values())


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
numbers = st.floats(allow_nan=False, allow_infinity=False)
inners = st.builds(lambda a, b, flip: Inner((min(a, b), max(a, b)), flip), numbers, numbers, numbers)
extras = st.none() | st.builds(Extra, st.integers())
items = st.builds(Item, words, st.none() | st.integers(), inners, extras)
outers = st.builds(
    Outer,
    name=words,
    epochs=st.integers(),
    lr=numbers,
    compile=st.booleans(),
    optimiser=st.sampled_from(["adam", "adamw", "sgd"]),
    colour=st.sampled_from(Colour),
    level=st.sampled_from([1, 2]),
    hidden=st.lists(st.integers()).map(tuple),
    words=st.lists(words, max_size=3).map(tuple),
    pairs=st.lists(st.tuples(st.integers(), words), max_size=2).map(tuple),
    published=st.dictionaries(words, numbers, max_size=2),
    groups=st.dictionaries(words, st.lists(words, max_size=2).map(tuple), max_size=2),
    parts=st.dictionaries(words, st.builds(Extra, st.integers()), max_size=2),
    threshold=st.none() | numbers | st.lists(numbers, max_size=2).map(tuple),
    inner=inners,
    extra=extras,
    first=items,
    item=st.lists(items, max_size=2).map(tuple),
)


@given(outers, st.booleans())
def test_what_is_written_reads_as_the_same_value(value, full):
    assert read(to_toml(value, full=full)) == value


def _without_none(value: Outer, base: Outer) -> bool:
    """A key that holds None cannot undo the base: TOML has no null."""
    keys = ((value, base, "threshold"), (value, base, "extra"))
    first = ((value.first, base.first, "seed"), (value.first, base.first, "extra"))
    return all(getattr(a, key) is not None or getattr(b, key) is None for a, b, key in (*keys, *first))


@given(outers, outers)
def test_what_is_written_over_a_base_reads_over_it_as_the_same_value(value, base):
    if _without_none(value, base):
        assert read(to_toml(value, base), base=base) == value


def test_only_what_differs_is_written():
    value = Outer(name='a "b"\n\x7f', lr=1e-5, inner=Inner(flip=0.5), extra=Extra(), item=(Item(seed=1),))
    assert to_toml(value) == ('name = "a \\"b\\"\\n\\u007f"\nlr = 1e-05\n\n[extra]\n\n[[item]]\nseed = 1\n')
    assert to_toml(Outer()) == ""
    assert to_toml(Outer(first=Item(inner=Inner(flip=1.0)))) == "\n[first.inner]\nflip = 1.0\n"
    assert to_toml(Outer(words=()), full=False) == "words = []\n"
    assert "epochs = 20\n" in to_toml(Outer(), full=True)


def test_a_value_may_stand_inside_a_table():
    written = "[[member]]\n" + to_toml(Item("a", inner=Inner(flip=1.0)), at=("member",))
    assert tomllib.loads(written) == {"member": [{"file": "a", "inner": {"flip": 1.0}}]}


def test_plain_values_are_those_of_json():
    plain = to_plain(Outer(colour=Colour.RED, item=(Item("a"),)))
    assert plain["colour"] == "red"
    assert type(plain["colour"]) is str
    assert plain["item"] == [
        {"file": "a", "seed": None, "inner": {"zoom": [1.0, 1.0], "flip": 0.0}, "extra": None}
    ]
    assert "made" not in plain


@pytest.mark.parametrize(
    ("held", "told"),
    [
        (b"a = \xff", "1:1: SYS102 Byte 0xFF is no UTF-8. Save the file as UTF-8."),
        (b"a = 1\nb = \n", "2:5: SYS103 It is no TOML: invalid value. Correct the line."),
        (b"a = [1,\n", "2:1: SYS103 It is no TOML: invalid value. Correct the line."),
        (b"a = " + b"1" * 5000, "1:1: SYS103 It is no TOML: exceeds the limit"),
        (b"a = " + b"[" * 100_000, "1:1: SYS103 It is no TOML: arrays stand in arrays too deep."),
        (b"#" * 1_000_001, "0:0: SYS104 It has more than 1,000,000 bytes."),
    ],
)
def test_a_file_that_is_no_toml_is_refused_with_its_line(held, told, tmp_path):
    (tmp_path / "a.toml").write_bytes(held)
    with pytest.raises(InputError) as caught:
        read_toml(tmp_path / "a.toml", "a.toml")
    assert str(caught.value.issues[0]).startswith(told)
    assert str(caught.value).startswith("a.toml cannot be used: ")
    assert caught.value.path == "a.toml"


def test_a_file_with_a_mark_is_read(tmp_path):
    (tmp_path / "a.toml").write_bytes("\ufeffa = 1\r\n".encode())
    assert read_toml(tmp_path / "a.toml", "a.toml").values == {"a": 1}


def test_no_file_and_no_text():
    with pytest.raises(
        InputError,
        match=r"^nowhere.toml cannot be used: It cannot be read: No such file or directory\. Check",
    ):
        read_toml(Path("nowhere.toml"), "nowhere.toml")
    with pytest.raises(InputError, match=r"^line 1: It is no TOML: invalid value"):
        parse_toml("a =")


def test_codes_are_unique_and_sorted():
    codes = [one.code for one in CATALOGUE]
    assert codes == sorted(set(codes))
    assert {one.levels for one in CATALOGUE} == {"E"}
