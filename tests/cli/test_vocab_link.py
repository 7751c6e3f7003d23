"""`radcap vocab link`: texts on a terminal, files of captions, and everything that can be asked wrongly."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from mini_vocabulary import EXAMPLE, write_mini, write_small

from radcap.cli.vocab_linking import link_command
from radcap.cli.vocab_spans import bracketed, coloured, has_colours
from radcap.vocabulary import How, Mention

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Command

CSV = 'ID,Caption\na,CT of the chest\nb,"no effusion. MRI, axial"\nc,nothing\n'


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_mini(tmp_path_factory.mktemp("vocab") / "mini.vocab")


@pytest.fixture
def captions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "captions.csv").write_text(CSV, encoding="utf-8")
    return tmp_path


def test_a_text_is_shown_with_its_concepts(radcap: Command, mini: Path) -> None:
    done = radcap("vocab", "link", EXAMPLE, "--vocab", mini)
    assert (done.code, done.err) == (0, "")
    lines = [" ".join(line.split()) for line in done.out.splitlines() if line.strip()]
    assert lines[0] == "[CT] of the [chest] with left [pleural effusion]"
    assert lines[1] == "place text CUI name type"
    assert lines[3:] == [
        "0-2 CT C0040405 X-Ray Computed Tomography T060 Diagnostic Procedure",
        "10-15 chest C0817096 Chest T029 Body Location or Region",
        "26-42 pleural effusion C0032227 Pleural effusion T047 Disease or Syndrome",
    ]


def test_notes_tell_negation_doubt_abbreviations_and_what_was_dropped(radcap: Command, mini: Path) -> None:
    text = "No pneumothorax. Possible pneumonia. Pulmonary embolism (PE): pleural effusion"
    done = radcap("vocab", "link", text, "--vocab", mini, "--all")
    assert "[-Pneumothorax]".lower() in done.out.lower()
    assert "[?pneumonia]" in done.out
    for note in (
        "negated",
        "uncertain",
        "dropped: inside 'pleural effusion'",
        "the text says it is 'Pulmonary",
    ):
        assert note in done.out
    assert "dropped" not in radcap("vocab", "link", text, "--vocab", mini).out


def test_a_variant_of_a_name_is_noted(radcap: Command, tmp_path: Path) -> None:
    own = write_small(tmp_path / "own.vocab", ("C0000006", "Structure of left ovary"))
    done = radcap("vocab", "link", "the left ovary", "--vocab", own)
    assert done.out.rstrip().endswith("variant")


def test_words_without_quotes_are_one_text_and_quoted_ones_are_several(radcap: Command, mini: Path) -> None:
    one = json.loads(radcap("vocab", "link", *EXAMPLE.split(), "--vocab", mini, "--json").out)
    assert [(each["text"], each["concepts"]) for each in one] == [
        (EXAMPLE, ["C0040405", "C0817096", "C0032227"])
    ]
    two = json.loads(radcap("vocab", "link", "CT scan", "chest", "--vocab", mini, "--json").out)
    assert [each["text"] for each in two] == ["CT scan", "chest"]
    assert two[0]["mentions"][0]["how"] == "name"


def test_a_text_without_concepts_says_so(radcap: Command, mini: Path) -> None:
    done = radcap("vocab", "link", "Nothing [here]\x1b[2J at all", "--vocab", mini)
    assert (done.code, done.out) == (0, "Nothing [here]\\u001b[2J at all\n")
    assert "No concept was found" in done.err


def test_layers_the_first_wins(radcap: Command, mini: Path, tmp_path: Path) -> None:
    own = write_small(tmp_path / "own.vocab", ("C0000007", "chest"))
    done = radcap("vocab", "link", "CT chest", "--vocab", own, "--vocab", mini, "--json")
    assert json.loads(done.out)[0]["concepts"] == ["C0040405", "C0000007"]


def test_the_free_vocabulary_is_the_default(radcap: Command) -> None:
    (found,) = json.loads(radcap("vocab", "link", EXAMPLE, "--json").out)
    assert {"C0817096", "C0032227"} <= set(found["concepts"])


def test_rules_decide_and_a_cut_is_for_files(radcap: Command, mini: Path) -> None:
    done = radcap("vocab", "link", "CT image", "--vocab", mini, "--rules", "rocov2-2023", "--all")
    assert "frequency cut of rocov2-2023 is for whole files" in done.err
    plain = radcap("vocab", "link", "CT image", "--vocab", mini, "--rules", "none")
    assert plain.err == ""


@pytest.mark.parametrize(
    "text",
    [
        "pleural effusion " * 6_000,
        r"$\alpha_{1}$ \textbf{CT} <b>chest</b> &amp; <script>",
        "胸部CT 胸水 Грудная клетка صدر",
        "a\u202eb\u0000c",
        "[[CT]]",
    ],
    ids=["100,000 letters", "markup", "other scripts", "control", "brackets"],
)
def test_odd_texts_are_linked_without_ado(radcap: Command, mini: Path, text: str) -> None:
    done = radcap("vocab", "link", text.replace("\0", " "), "--vocab", mini, "--json")
    assert done.code == 0
    (found,) = json.loads(done.out)
    assert all(found["text"][one["start"] : one["end"]] == one["text"] for one in found["mentions"])


def test_a_file_goes_to_stdout_as_a_run(radcap: Command, mini: Path, captions: Path) -> None:
    done = radcap("vocab", "link", "captions.csv", "--vocab", mini)
    assert done.out == "ID,CUIs\na,C0040405;C0817096\nb,C0013687;C0024485\nc,\n"
    assert "captions.csv: 3 captions, 1 of them without a concept; 4 concepts in 4 mentions" in done.err
    assert sorted(one.name for one in captions.iterdir()) == ["captions.csv"]


def test_a_file_goes_to_files(radcap: Command, mini: Path, captions: Path) -> None:
    done = radcap(
        "vocab",
        "link",
        "captions.csv",
        "--vocab",
        mini,
        "--out",
        "run.csv",
        "--mentions",
        "m.csv",
        "--workers",
        "1",
    )
    assert (done.code, done.out) == (0, "run.csv\nm.csv\n")
    again = radcap("vocab", "link", "captions.csv", "--vocab", mini, "--out", "run.csv")  # over itself
    assert again.code == 0
    assert (captions / "run.csv").read_text().splitlines()[1] == "a,C0040405;C0817096"
    with (captions / "m.csv").open() as file:
        mentions = list(csv.DictReader(file))
    assert [(one["ID"], one["text"], one["negated"]) for one in mentions] == [
        ("a", "CT", "false"),
        ("a", "chest", "false"),
        ("b", "effusion", "true"),
        ("b", "MRI", "false"),
    ]


def test_the_run_passes_the_strictest_check(radcap: Command, mini: Path, captions: Path) -> None:
    radcap("vocab", "link", "captions.csv", "--vocab", mini, "--out", "run.csv")
    checked = radcap(
        "validate", "run.csv", "--task", "concepts", "--ids", "captions.csv", "--edition", "2026", "--json"
    )
    assert {one["level"] for one in json.loads(checked.out)["issues"]} <= {"info"}


def test_a_file_as_json_tells_what_was_done(radcap: Command, mini: Path, captions: Path) -> None:
    done = radcap("vocab", "link", "captions.csv", "--vocab", mini, "--out", "run.csv", "--json")
    said = json.loads(done.out)
    assert (said["captions"], said["concepts"], said["written"]) == (3, 4, ["run.csv"])


def test_rules_cut_a_file_unless_told_not_to(radcap: Command, mini: Path, captions: Path) -> None:
    rules = ("--vocab", mini, "--rules", "rocov2-2023")
    cut = radcap("vocab", "link", "captions.csv", *rules)
    assert cut.out == "ID,CUIs\na,\nb,\nc,\n"
    assert "4 concepts too rare for the rules: --no-cut keeps them" in cut.err
    assert "C0040405" in radcap("vocab", "link", "captions.csv", *rules, "--no-cut").out


def test_crowded_rows_are_told(
    radcap: Command, mini: Path, captions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("radcap.vocabulary.captions.linking.MOST_CUIS", 1)
    done = radcap("vocab", "link", "captions.csv", "--vocab", mini)
    assert "2 captions with more than 100 concepts, one has 2" in done.err


@pytest.mark.parametrize(
    ("content", "expected"),
    [(b"CT scan\n\nchest", "ID,CUIs\n1,C0040405\n2,\n3,C0817096\n"), (b"", "ID,CUIs\n")],
    ids=["lines", "nothing"],
)
def test_stdin_has_one_text_a_line(
    radcap: Command, mini: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, expected: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    done = radcap("vocab", "link", "-", "--vocab", mini)
    assert (done.code, done.out) == (0, expected)
    assert done.err.startswith("stdin: ")


def test_a_closed_stdin_is_an_empty_one(radcap: Command, mini: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert radcap("vocab", "link", "-", "--vocab", mini).out == "ID,CUIs\n"


def test_every_problem_of_a_file_is_listed_and_nothing_is_written(
    radcap: Command, mini: Path, captions: Path
) -> None:
    (captions / "bad.csv").write_text("ID,Caption\na,one\nb\n,x\na,two, three\n", encoding="utf-8")
    done = radcap("vocab", "link", "bad.csv", "--vocab", mini, "--out", "run.csv", "--mentions", "m.parquet")
    assert done.code == 1
    assert [line.split()[0] + " " + line.split()[1] for line in done.out.splitlines()] == [
        "bad.csv:3:1: CAP102",
        "bad.csv:4:1: CAP106",
        "bad.csv:5:1: CAP104",
        "bad.csv:5:1: CAP105",
    ]
    assert "bad.csv has 3 errors. Nothing was linked or written." in done.err
    assert sorted(one.name for one in captions.iterdir()) == ["bad.csv", "captions.csv"]


def test_one_error_is_one(radcap: Command, mini: Path, captions: Path) -> None:
    (captions / "bad.csv").write_text("ID,Caption\na\n", encoding="utf-8")
    assert "has 1 error. Nothing" in radcap("vocab", "link", "bad.csv", "--vocab", mini).err


def test_warnings_are_talk_and_not_data(radcap: Command, mini: Path, captions: Path) -> None:
    rows = "".join(f"a{n},CT, chest\n" for n in range(7))
    (captions / "bare.csv").write_text(f"ID,Caption\n{rows}", encoding="utf-8")
    done = radcap("vocab", "link", "bare.csv", "--vocab", mini)
    assert done.code == 0
    assert done.out.splitlines()[1] == "a0,C0040405;C0817096"
    assert done.err.count("CAP104") == 5
    assert "2 more warnings of this kind." in done.err


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (("absent.csv",), 1, "No file at absent.csv"),
        (("captions.csv", "a text"), 2, "captions.csv is a file, and there is more beside it"),
        (("captions.csv", "captions.csv"), 2, "Give one file"),
        (("-", "captions.csv"), 2, "Give one file"),
        (("captions.csv", "--out", "captions.csv"), 2, "It is not replaced"),
        (("captions.csv", "--mentions", "captions.csv"), 2, "It is not replaced"),
        (("captions.csv", "--out", "run.zip"), 2, "ending in .csv or .txt"),
        (("captions.csv", "--json"), 2, "Say with --out where its rows go"),
        (("a text", "--out", "run.csv"), 2, "are for a file of captions"),
        (("a text", "--mentions", "m.csv"), 2, "are for a file of captions"),
        (("a text", "--rules", "rocov2-2032"), 2, "Nearest is 'rocov2-2023'"),
        (("a text", "--extractor", "medcad"), 2, "Nearest is 'medcat'"),
        (("a text", "--extractor", "medcat"), 3, "model pack is missing"),
        (("a text", "--option", "pack"), 2, "Write NAME=VALUE"),
        (("a text", "--option", "pack=x"), 2, "dictionary has no options"),
        (("a text", "--vocab", "absent.vocab"), 1, "No file at absent.vocab"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_wrong_questions(
    radcap: Command,
    mini: Path,
    captions: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    code: int,
    why: str,
) -> None:
    monkeypatch.delenv("RADCAP_MEDCAT_PACK", raising=False)
    layers = () if "--vocab" in arguments else ("--vocab", mini)
    done = radcap("vocab", "link", *arguments, *layers)
    assert (done.code, done.out) == (code, "")
    assert why in done.err
    assert (captions / "captions.csv").read_text() == CSV


def test_every_problem_of_a_file_of_rules_is_listed(radcap: Command, mini: Path, captions: Path) -> None:
    (captions / "mine.toml").write_text('foo = "bar"\n', encoding="utf-8")
    done = radcap("vocab", "link", "a text", "--rules", "mine.toml", "--vocab", mini)
    assert done.code == 1
    assert "mine.toml:1:1: RUL" in done.out
    assert len(done.out.splitlines()) > 1
    assert "mine.toml cannot be opened" in done.err


@pytest.mark.parametrize(
    ("given", "told"),
    [(("captions.csv.gz",), True), (("chest",), False), (("captions.csv.gz", "chest"), False)],
    ids=["a file", "a word that is a file", "more than one"],
)
def test_the_name_of_another_file_is_a_text_and_that_is_told(
    radcap: Command, mini: Path, captions: Path, given: tuple[str, ...], told: bool
) -> None:
    for name in ("captions.csv.gz", "chest"):
        (captions / name).write_bytes(b"x")
    done = radcap("vocab", "link", *given, "--vocab", mini)
    assert done.code == 0
    assert ("captions.csv.gz is a file, and its name was read as a text" in done.err) is told


def test_outputs_do_not_replace_a_vocabulary_or_rules(radcap: Command, captions: Path) -> None:
    (captions / "own.csv").write_text("x")
    for option in ("--vocab", "--rules"):
        assert (
            "It is not replaced"
            in radcap("vocab", "link", "captions.csv", option, "own.csv", "--out", "own.csv").err
        )


@pytest.mark.parametrize(
    "text", ["see my table.csv", "x" * 5_000 + ".csv", "a\nb.txt"], ids=["a sentence", "long", "two lines"]
)
def test_a_text_that_ends_like_a_file_is_a_text(radcap: Command, mini: Path, text: str) -> None:
    assert json.loads(radcap("vocab", "link", text, "--vocab", mini, "--json").out)[0]["text"] == text


def test_a_file_may_have_blanks_in_its_name(radcap: Command, mini: Path, captions: Path) -> None:
    (captions / "captions.csv").rename(captions / "my captions.CSV")
    assert radcap("vocab", "link", "my captions.CSV", "--vocab", mini).out.startswith("ID,CUIs\n")


# Spans


def mention(
    start: int,
    end: int,
    text: str,
    *types: str,
    negated: bool = False,
    uncertain: bool = False,
    kept: bool = True,
) -> Mention:
    found = text[start:end]
    return Mention(start, end, found, "C0000001", "name", types, How.NAME, negated, uncertain, (), kept)


TEXT = "no mass in lung, stent and x"
FOUND = (
    mention(17, 22, TEXT, "T074"),
    mention(3, 7, TEXT, "T047", negated=True),
    mention(11, 15, TEXT, "T023", uncertain=True),
    mention(11, 13, TEXT, "T023"),  # inside the one before
    mention(8, 10, TEXT, "T023", kept=False),
    mention(27, 28, TEXT),
)


def test_brackets() -> None:
    assert bracketed(TEXT, FOUND) == "no [-mass] in [?lung], [stent] and [x]"
    assert bracketed(TEXT, ()) == TEXT


def test_colours_by_group_with_a_legend() -> None:
    text, legend = coloured(TEXT, FOUND).split("\n")
    assert "\x1b[1;31;9mmass\x1b[0m" in text
    assert "\x1b[1;32;3mlung\x1b[0m" in text
    assert "\x1b[1;35mstent\x1b[0m" in text
    assert text.endswith("\x1b[1;4mx\x1b[0m")
    assert legend == (
        "\x1b[1;31mDisorders\x1b[0m  \x1b[1;32mAnatomy\x1b[0m  \x1b[1;35mDevices\x1b[0m"
        "  \x1b[1;4mno known type\x1b[0m"
    )
    assert coloured(TEXT, ()) == TEXT


def test_a_type_outside_the_network_and_a_group_without_a_colour() -> None:
    found = (mention(0, 2, TEXT, "T999"), mention(3, 7, TEXT, "T094"))
    assert "no known type" in coloured(TEXT, found)
    assert "\x1b[1;4mmass" in coloured(TEXT, found)


@pytest.mark.parametrize(
    ("terminal", "environment", "expected"),
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": ""}, False),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(
    monkeypatch: pytest.MonkeyPatch, terminal: bool, environment: dict[str, str], expected: bool
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    assert has_colours() is expected


def test_on_a_terminal_the_text_is_coloured(
    radcap: Command, mini: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{link_command.__module__}.has_colours", lambda: True)
    done = radcap("vocab", "link", EXAMPLE, "--vocab", mini)
    assert done.out.startswith("\x1b[1;36mCT\x1b[0m of the ")


def test_what_a_terminal_cannot_write_is_spelled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), "ascii"))
    assert bracketed("Sjögren \x1b", ()) == "Sj\\xf6gren \\u001b"


def test_the_group_costs_nothing_until_it_is_used(tmp_path: Path) -> None:
    code = "import radcap.cli.main, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"numpy", "pyarrow", "radcap.vocabulary"}.isdisjoint(done.stdout.split())
