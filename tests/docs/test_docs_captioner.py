"""The page about a captioner shows what its card says, and is written once the captioner ships."""

from __future__ import annotations

import copy
import re
import sys
from importlib import import_module
from types import SimpleNamespace

import pytest
from doc_pages import ROOT
from mkdocs.config import load_config

from radcap.zoo import names


def scores(n, shift):
    """Made-up figures."""
    names = ("rouge1", "rougeL", "bleu4", "cider", "concepts")
    return {
        "n": n,
        **{
            name: {"value": shift + place / 100, "low": shift + place / 200, "high": shift + place / 50}
            for place, name in enumerate(names, 1)
        },
    }


CARD = {
    "name": "radcap/captioner-captions",
    "licence": "CC BY 4.0",
    "intended_use": "Made up for a test.",
    "weights": 2_345_678,
    "tokens": 3000,
    "data": {
        "name": "radiology-open",
        "train": 3_812,
        "held_out": 478,
        "captions": {"composed": 4_290},
        "sources": {"VQA-Med-2019": 3_100},
        "licences": {},
    },
    "stages": {
        "language": {"epochs": 12, "last_loss": 3.25, "held_loss": 3.5, "held_score": None},
        "captions": {"epochs": 9, "last_loss": 1.125, "held_loss": 1.0, "held_score": 0.4321},
    },
    "held_out": {"composed": scores(478, 0.31)},
    "test": {
        "composed": {
            "captioner": scores(695, 0.3),
            "nearest": scores(695, 0.2),
            "frequent": scores(695, 0.1),
        },
        "original": {"captioner": scores(25, 0.05)},
    },
    "tests": {"rouge1": {"nearest": {"difference": 0.1, "low": 0.08, "high": 0.1234, "p": 0.0001}}},
    "modality": {"captioner": 0.951, "detector": 0.953, "n": 690},
    "speed": {"images_per_s": 7.25, "threads": 2, "machine": "two cores"},
    "examples": {
        "good": [{"image": "one", "caption": "CT of the chest.", "truth": "Axial CT of the chest."}],
        "bad": [{"image": "two", "caption": "A | B.", "truth": "MRI.", "why": "another modality"}],
    },
    "limits": ["It knows few findings.", "Not for diagnosis."],
}


@pytest.fixture(scope="module")
def docs():
    """Modules of the folder of the documentation."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        yield import_module
    finally:
        sys.path.remove(str(ROOT / "docs"))


@pytest.fixture
def page(docs):
    return docs("_captioner").captioner_page(CARD)


def table(page, title):
    """The lines of the table under a heading."""
    lines = page.split(f"### {title}\n\n")[1].split("\n\n")[0].splitlines()
    return [[cell.strip(" *") for cell in line.split("|")[1:-1]] for line in lines[2:]]


def test_every_score_of_the_card_is_in_the_table_of_its_source(page):
    for source, title in (("composed", "Composed captions"), ("original", "Original captions")):
        told = {row[0]: row[1:] for row in table(page, title)}
        assert told.keys() == CARD["test"][source].keys()
        for name, figures in CARD["test"][source].items():
            shown = " ".join(told[name])
            assert told[name][0] == str(figures["n"])
            for metric in ("rouge1", "rougeL", "bleu4", "cider", "concepts"):
                one = figures[metric]
                assert f"{one['value']:.4f} [{one['low']:.4f}, {one['high']:.4f}]" in shown


def test_words_and_figures_of_the_card_are_on_the_page(page):
    for words in (
        *CARD["limits"],
        CARD["intended_use"],
        "**Licence.** CC BY 4.0.",
        "2,345,678 weights and 3,000 tokens",
        "| ROUGE-1 | nearest | +0.1000 [+0.0800, +0.1234] | 0.0001 |",
        "in 95.1% of 690 images that have one; the detector it leans on does in 95.3%",
        "| one | CT of the chest. | Axial CT of the chest. |",
        r"| two | A \| B. | MRI. | another modality |",
        "| images a second | 7.25 |",
        "| machine | two cores |",
        "3,812 images of train and 478 of valid",
        "| VQA-Med-2019 | 3,100 |",
        "| language | 12 | 3.25 | 3.5 |  |",
        "*nearest*: the caption of the nearest training image; *frequent*",
    ):
        assert words in page
    assert "| Licence | images |" not in page
    assert not re.search(r"[{}]", page)


def test_a_card_without_rivals_has_no_words_about_them(docs):
    card = copy.deepcopy(CARD)
    card["tests"], card["test"] = {}, {"original": {"captioner": scores(25, 0.05)}}
    page = docs("_captioner").captioner_page(card)
    assert "The others" not in page
    assert "paired tests" not in page
    assert "### Composed captions" not in page


@pytest.mark.parametrize("ships", [False, True])
def test_the_page_is_there_where_the_captioner_is(docs, monkeypatch, ships):
    hooks, made = docs("_hooks"), {}
    monkeypatch.setattr(
        hooks, "names", lambda: ("zoo:captions", "zoo:concepts") if ships else ("zoo:concepts",)
    )
    monkeypatch.setattr(hooks, "shipped_captioner_page", lambda: "a page")
    generated = SimpleNamespace(generated=lambda _, path, content: made.setdefault(path, content))
    monkeypatch.setattr(hooks, "File", generated)
    for name in ("command_line", "api", "issue_codes", "editions", "shipped_detector"):
        monkeypatch.setattr(hooks, f"{name}_page", lambda: "another page")
    hooks.on_files([], None)
    assert made.get("reference/captioner.md") == ("a page" if ships else None)


def test_the_page_is_in_the_navigation_where_the_captioner_is():
    nav = str(load_config(str(ROOT / "mkdocs.yml")).nav)
    assert ("reference/captioner.md" in nav) is ("zoo:captions" in names())


def test_the_page_is_that_of_the_card(docs, monkeypatch, tmp_path):
    hooks = docs("_hooks")
    (tmp_path / "card.json").write_text(hooks.json.dumps(CARD), encoding="utf-8")
    monkeypatch.setattr(hooks, "find", lambda _: tmp_path)
    assert hooks.shipped_captioner_page() == docs("_captioner").captioner_page(CARD)
