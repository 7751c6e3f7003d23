"""What pages state in tables agrees with the code."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import get_args, get_type_hints

import pytest
from doc_pages import ROOT
from typer.main import get_command

import radcap
from radcap.captioning.blocks import CAPTIONERS, RERANKERS
from radcap.captioning.joining_settings import JoinSettings
from radcap.captioning.settings import ConditionSettings, GenerateSettings, ScstSettings
from radcap.captioning.system import CaptionSystem
from radcap.cli.main import app
from radcap.core import Task
from radcap.detection.calibration.config import METHODS
from radcap.detection.decisions import RULES
from radcap.detection.ensembles import ENSEMBLES
from radcap.detection.retrieval import RETRIEVALS
from radcap.detection.system import ConceptSystem
from radcap.explanation.families import DEFAULTS
from radcap.explanation.methods import METHODS as ATTRIBUTIONS
from radcap.formats import dialect
from radcap.report import board_table, pair_table

DOCS = ROOT / "docs"


def rows_of(page, first_cell):
    """The body of the table whose header begins so, as lists of cells."""
    lines = iter(page.read_text("utf-8").splitlines())
    for line in lines:
        if line.startswith(f"| {first_cell} |"):
            next(lines)
            break
    found = []
    for line in lines:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    assert found, f"{page.name} has no table {first_cell!r}"
    return found


def commands(command, words=("radcap",)):
    """Every command that does something, as it is typed."""
    children = getattr(command, "commands", {})
    if not children:
        yield " ".join(words), command
    for name, child in children.items():
        yield from commands(child, (*words, name))


COMMANDS = dict(commands(get_command(app)))


def test_home_lists_every_command():
    listed = [row[0].strip("`") for row in rows_of(DOCS / "index.md", "Command")]
    assert sorted(listed) == sorted(COMMANDS)


def test_readme_lists_every_command_and_every_package():
    rows = dict(rows_of(ROOT / "README.md", "Package"))
    packages = {f"`radcap.{path.parent.name}`" for path in (ROOT / "src" / "radcap").glob("*/__init__.py")}
    assert set(rows) == packages
    for command in COMMANDS:
        assert f"`{command.removeprefix('radcap ')}`" in rows["`radcap.cli`"]


def test_design_lists_every_package_in_the_order_of_layers():
    listed = [row[0].strip("`") for row in rows_of(DOCS / "explanation" / "design.md", "Layer")]
    contract = (ROOT / "pyproject.toml").read_text("utf-8").split("layers = [")[1].split("]")[0]
    built = {path.parent.name for path in (ROOT / "src" / "radcap").glob("*/__init__.py")}
    order = [name for name in re.findall(r"[a-z]+", contract) if name in built]
    assert listed == order


@pytest.mark.parametrize(
    ("command", "page"),
    [
        ("radcap validate", "validate-and-fix.md"),
        ("radcap score concepts", "score.md"),
        ("radcap score captions", "score-captions.md"),
        ("radcap metrics status", "score-captions.md"),
        ("radcap compare", "compare.md"),
        *((name, "datasets.md") for name in COMMANDS if name.startswith("radcap dataset")),
        *((name, "vocabulary.md") for name in COMMANDS if name.startswith("radcap vocab")),
        *((name, "systems.md") for name in COMMANDS if name.startswith("radcap systems")),
        *((name, "train.md") for name in COMMANDS if name in {"radcap train", "radcap predict"}),
        *((name, "caption.md") for name in COMMANDS if name.startswith("radcap models")),
        ("radcap explain", "explain.md"),
    ],
)
def test_how_to_names_every_option(command, page):
    text = (DOCS / "how-to" / page).read_text("utf-8")
    options = {name for parameter in COMMANDS[command].params for name in parameter.opts if name[0] == "-"}
    assert [name for name in sorted(options) if name not in text] == []


def names_of(kind):
    """The keys of a table of a system file."""
    return {one.name for one in fields(kind)}


def tables_of(kind):
    """The tables of a system file, less the keys that stand above them."""
    above = {"name", "edition", "team", "task", "source", "published", "needs", "differs"}
    return {f"[{name}]" for name in names_of(kind) - above}


@pytest.mark.parametrize(
    ("page", "tables", "names"),
    [
        ("explanation/decisions.md", ["Threshold rule", "Joint rule"], {*RULES.table} - {"expected-f1"}),
        ("explanation/decisions.md", ["Method"], {*METHODS}),
        ("how-to/train.md", ["`rule` of `[ensemble]`"], {*ENSEMBLES.table}),
        ("how-to/train.md", ["`rule` of `[retrieval]`"], {*RETRIEVALS.table}),
        ("how-to/caption.md", ["`kind` of `[decoder]`"], {*CAPTIONERS.table}),
        (
            "how-to/caption.md",
            ["`method` of `[generate]`"],
            get_args(get_type_hints(GenerateSettings)["method"]),
        ),
        ("how-to/caption.md", ["Key of `[condition]`"], names_of(ConditionSettings)),
        ("how-to/caption.md", ["Key of `[scst]`"], names_of(ScstSettings)),
        ("how-to/caption.md", ["Key of `[join]`"], names_of(JoinSettings)),
        ("how-to/caption.md", ["`by` of `[rerank]`"], {*RERANKERS.table}),
        ("how-to/explain.md", ["Method"], {*ATTRIBUTIONS.table}),
        ("explainability.md", ["Family"], {*DEFAULTS}),
        (
            "how-to/systems.md",
            ["Table of captions"],
            tables_of(CaptionSystem) - tables_of(ConceptSystem),
        ),
    ],
)
def test_pages_name_every_block(page, tables, names):
    firsts = [row[0] for table in tables for row in rows_of(DOCS / page, table)]
    assert sorted(re.findall(r"`(.+?)`", " ".join(firsts))) == sorted(names)


def test_defaults_of_the_study_are_those_of_the_code():
    rows = rows_of(DOCS / "explainability.md", "Family")
    told = {family: row[1].strip("`") for row in rows for family in re.findall(r"`(.+?)`", row[0])}
    assert told == dict(DEFAULTS)


SEVEN = rows_of(DOCS / "explanation" / "scoring.md", "Truth")
EARLY = [(year, profile) for year in ("2017", "2018") for profile in ("official", "documented")]
LATE = [str(year) for year in range(2022, 2027)]
COLUMNS = {
    2: EARLY,
    3: [(year, "official") for year in LATE],
    4: [(year, "documented") for year in LATE],
}


def test_seven_cases_are_listed():
    assert len(SEVEN) == 7


@pytest.mark.parametrize("row", SEVEN, ids=lambda row: f"{row[0]} {row[1]}".replace("`", ""))
@pytest.mark.parametrize("column", COLUMNS)
def test_seven_cases_score_as_the_table_says(row, column):
    truth = "" if row[0] == "empty" else row[0].strip("`")
    for text in re.findall(r"`(.+?)`", row[1]):
        cell = None if text == "id" else text.removeprefix("id,")
        for edition, profile in COLUMNS[column]:
            f1 = radcap.score_concepts(
                {"case": cell, "other": "C9"},
                {"case": truth, "other": "C9"},
                edition=edition,
                profile=profile,
            )["f1"]
            values = dict(zip(f1.ids, f1.values, strict=True))
            if row[column] == "left out":
                assert "case" not in values
            else:
                assert values["case"] == pytest.approx(float(row[column]), abs=5e-5)


SIGNS = {"tab": "\t", "comma": ",", r"`\|`": "|"}


@pytest.mark.parametrize(
    "row", rows_of(DOCS / "how-to" / "old-editions.md", "Editions"), ids=lambda row: row[0]
)
def test_old_editions_are_read_as_the_table_says(row):
    years = [int(year) for year in re.findall(r"\d{4}", row[0])]
    for year in range(years[0], years[-1] + 1):
        form = dialect(str(year), Task.CONCEPTS)
        assert {sign for word, sign in SIGNS.items() if word in row[1]} == set(form.separators)
        assert ("no quoting" in row[1]) is not form.quoting
        assert ("order of the truth" in row[1]) is form.ordered
        assert (row[2] == "none") is (form.header == "none")
        assert ("zip" in row[3]) is form.zipped


def test_citation_and_readme_name_the_same_data_paper():
    doi = re.findall(r"10\.\d{4,}/[\w.-]+", (ROOT / "CITATION.cff").read_text("utf-8"))
    assert doi
    assert all(one in (ROOT / "README.md").read_text("utf-8") for one in doi)


def test_columns_of_a_comparison_are_explained():
    page = DOCS / "how-to" / "compare.md"
    lines = page.read_text("utf-8").split("## Read the pairs")
    truth, runs = {"1": "ct", "2": "mri"}, {"a": {"1": "ct", "2": "ct"}, "b": {"1": "ct", "2": "mri"}}
    comparison = radcap.compare(runs, truth, "captions", metrics=["rouge1"]).comparison
    board, pairs = board_table(comparison).columns, pair_table(comparison.primary).columns
    for name in set(board) - {"rouge1"}:
        assert f"`{name}`" in lines[0]
    for name in set(pairs) - {"first", "second"}:
        assert f"`{name}`" in lines[1]


def test_defaults_of_a_comparison_are_those_of_the_table():
    procedure = radcap.Procedure()
    rows = {row[0]: row[1] for row in rows_of(DOCS / "how-to" / "compare.md", "Option")}
    for option, default in (
        ("`--resamples N`", f"{procedure.resamples:,}"),
        ("`--permutations N`", f"{procedure.permutations:,}"),
        ("`--level X`", f"{procedure.level}"),
        ("`--alpha X`", f"{procedure.alpha}"),
        ("`--seed N`", f"{procedure.seed}"),
    ):
        assert f"; {default}" in rows[option]


def test_numbers_of_the_demo_are_those_of_its_data():
    demo = ROOT / "src" / "radcap" / "data" / "demo"
    captions = len((demo / "captions.csv").read_text("utf-8").splitlines()) - 1
    concepts = len((demo / "concepts.csv").read_text("utf-8").splitlines()) - 1
    attribution = (demo / "captions_attribution.csv").read_text("utf-8").splitlines()[1:]
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"{captions} captions" in readme
    assert f"{concepts} images" in readme
    assert f"those of {captions}\n" in (ROOT / "NOTICE").read_text("utf-8")
    assert len(attribution) == captions
    assert {line.rsplit(",", 1)[1] for line in attribution} == {"CC BY"}
