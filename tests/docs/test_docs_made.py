"""What the code writes into pages is complete, and what pages say in code exists."""

from __future__ import annotations

import re
import sys
from importlib import import_module

import pytest
from doc_pages import PAGES, ROOT
from test_docs_facts import COMMANDS, DOCS, rows_of

from radcap.core import Task
from radcap.metrics import AGGREGATES, CAPTION_METRICS, aggregate, differences
from radcap.metrics.boards import board

CATALOGUES = (
    *("radcap.core.tables.codes", "radcap.datasets.codes", "radcap.formats.codes"),
    *("radcap.vocabulary.captions.codes", "radcap.vocabulary.codes", "radcap.vocabulary.rules.codes"),
)
MARK = re.compile(r"<!-- made by the code: (.+?) -->")


@pytest.fixture(scope="module")
def docs():
    """Modules of the folder of the documentation."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        yield import_module
    finally:
        sys.path.remove(str(ROOT / "docs"))


def name_of(page):
    return str(page.relative_to(ROOT))


def told(page):
    """A page as one line of text, so that a name may be broken over lines."""
    return " ".join(page.read_text("utf-8").split())


def test_every_mark_is_made_and_every_maker_is_asked(docs):
    hooks = docs("_hooks")
    marks = [mark for page in PAGES for mark in MARK.findall(page.read_text("utf-8"))]
    assert sorted(marks) == sorted(hooks.MADE)
    assert MARK.pattern.replace("?", "") in hooks.MARK.pattern


def test_a_mark_that_nobody_knows_stops_the_build(docs):
    with pytest.raises(KeyError, match="nothing"):
        docs("_hooks").on_page_markdown("<!-- made by the code: nothing -->", None, None, None)


def test_architecture_names_every_package_and_nothing_imports_upwards(docs):
    made = docs("_architecture")
    picture, table = made.architecture_picture(), made.package_table()
    built = {path.parent.name for path in (ROOT / "src" / "radcap").glob("*/__init__.py")}
    order = [one.name for one in made.packages()]
    assert set(order) == built
    assert all(f">{name}</text>" in picture and f"| `{name}` |" in table for name in built)
    upwards = [
        (one.name, name)
        for place, one in enumerate(made.packages())
        for name in one.imports
        if name in order[:place]
    ]
    assert upwards == []
    assert all(one.lines > 0 and one.modules > 0 for one in made.packages())


def test_every_difference_says_what_radcap_does_and_who_says_so(docs):
    made = docs("_contradictions")
    handled = made.handlings()
    assert sorted(handled) == [one.number for one in differences()]
    assert all(words.strip() for pair in handled.values() for words in pair)
    page = made.difference_tables()
    assert all(f"| **{one.number}.** " in page for one in differences())


def test_values_that_part_are_those_of_both_profiles(docs):
    rows = docs("_contradictions").parted_values().splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert {"2018", "2022", "2023, 2024", "2025", "2023 to 2026"} <= {row[1] for row in cells}
    assert all(row[2] != row[3] for row in cells)
    assert ["captions, ranked by", "2025", "overall", r"mean\_of\_six"] in cells


def test_three_figures_of_2025_give_the_three_orders_that_the_page_tells():
    rows = [row for row in board("2025", Task.CAPTIONS) if not row.baseline]
    order = {}
    for name in ("overall", "overall_platform", "mean_of_six"):
        values = [
            aggregate(name, {key: row.scores[key] for key in row.scores if key not in AGGREGATES})
            for row in rows
        ]
        order[name] = sorted(range(len(rows)), key=lambda place: -(values[place] or 0))
    published = list(range(len(rows)))
    assert order["overall"] == published
    assert order["overall_platform"] == [0, 1, 3, 2, *published[4:]]
    assert order["mean_of_six"] == [*published[:4], 5, 4, *published[6:]]


def test_every_kind_of_evidence_is_explained(docs):
    from radcap.datasets.leaks import Evidence

    made = docs("_leaks")
    assert list(made.MEANINGS) == [one.value for one in Evidence]
    assert made.evidence_table().count("| no |") == 2


def test_limits_are_told_with_their_figures(docs):
    page = docs("_limits").limits_table()
    for words in ("| 39,534 |", "256 MiB", "64,000,000", "100 members, 250 to 1"):
        assert words in page


def test_what_ships_inside_is_told_with_licence_and_limits(docs):
    from radcap.zoo import find, names

    made = docs("_inside")
    page = made.inside_page()
    for model in names():
        card = made._json(find(model) / "card.json")
        for words in (card["licence"], card["intended_use"], *card["limits"]):
            assert docs("_markdown").plain(words) in page
        assert f"### {model}\n" in page
    data = ROOT / "src" / "radcap" / "data"
    folders = {path.name for path in data.iterdir() if path.is_dir()} - {"__pycache__"}
    assert folders == {"radiology_open", "vocabulary", *made.SMALL}
    assert "| VQA-Med-2019 | 3,684 |" in page
    assert all(
        one["title"] in page for one in made._json(data / "vocabulary" / "free" / "sources.json")["sources"]
    )


def test_words_of_the_glossary_are_in_order_and_in_use():
    glossary = DOCS / "glossary.md"
    words = [row[0] for row in rows_of(glossary, "Word")]
    assert words == sorted(words, key=str.lower)
    assert len(words) == len(set(words))
    used = " ".join(told(page) for page in PAGES if page != glossary).lower()
    assert [word for word in words if word.lower() not in used] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_codes_that_a_page_names_exist(page):
    known = {one.code for name in CATALOGUES for one in import_module(name).CATALOGUE}
    named = set(re.findall(r"`((?:RUN|TRU|DAT|IMG|VOC|RUL|CAP|SYS)\d{3})`", page.read_text("utf-8")))
    assert named <= known


def commands_in(page):
    """What a page would have its reader type: code in lines, and blocks of commands."""
    text = page.read_text("utf-8")
    blocks = re.findall(r"^```(?:sh|shell|bash)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    outside = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line.split("#")[0] for block in blocks for line in block.replace("\\\n", " ").splitlines()]
    spans = [" ".join(span.split()) for span in re.findall(r"`(radcap [^`]+)`", outside)]
    return [
        part.strip()
        for line in (*lines, *spans)
        for part in re.split(r"[|;]|&&", line)
        if part.strip().startswith("radcap ")
    ]


def is_right(typed):
    """Whether a command, or a group of them, has that name and these options."""
    words = typed.split()
    tried = [" ".join(words[:n]) for n in (3, 2)]
    found = [command for name, command in COMMANDS.items() if name in tried]
    if not found:
        groups = {name.rpartition(" ")[0] for name in COMMANDS}
        return words[1].startswith("-") or (tried[1] in groups and len(words) == 2)
    options = {one for parameter in found[0].params for one in (*parameter.opts, *parameter.secondary_opts)}
    asked = {word.split("=")[0] for word in words if re.match(r"--[a-z]", word)}
    return asked <= {*options, "--help"}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_and_options_that_a_page_names_exist(page):
    assert [typed for typed in commands_in(page) if not is_right(typed)] == []


def test_keys_of_the_official_result_lead_to_scores_that_exist():
    rows = rows_of(DOCS / "how-to" / "from-the-official-scripts.md", "The evaluator of 2025 and 2026 returns")
    named = {word for row in rows for word in re.findall(r"`(\w+)`", row[1])}
    assert named <= {*AGGREGATES, *CAPTION_METRICS, "f1", "f1_manual"}


def test_metrics_that_are_explained_exist():
    names = {row[0].strip("`") for row in rows_of(DOCS / "explanation" / "what-scores-mean.md", "Name")}
    assert names <= {*CAPTION_METRICS, "f1", "f1_manual", "f1_macro"}
