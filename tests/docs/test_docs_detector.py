"""What pages say about the shipped detector is what its card says, and the card is what it does."""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module

import pytest
from doc_pages import ROOT
from test_docs_facts import rows_of

import radcap as package
from radcap.datasets import load_dataset
from radcap.detection.models import ModelFolder
from radcap.zoo import find

FOLDER = ModelFolder(find("zoo:concepts"))
CARD = FOLDER.card()


@pytest.fixture(scope="module")
def page():
    """The page as the site has it, before it becomes HTML."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        return import_module("_hooks").shipped_detector_page()
    finally:
        sys.path.remove(str(ROOT / "docs"))


def figures(part):
    """Every number of a part of the card, however deep."""
    if isinstance(part, dict):
        return [one for value in part.values() for one in figures(value)]
    if isinstance(part, list):
        return [one for value in part for one in figures(value)]
    return [part] if isinstance(part, int | float) else []


@pytest.mark.parametrize("part", ["f1", "f1_manual", "by_modality", "by_source"])
def test_every_score_of_the_card_is_on_the_page(page, part):
    shown = set(re.findall(r"\d\.\d{4}", page))
    values = [one for one in figures(CARD["test"][part]) if isinstance(one, float)]
    assert values
    assert [one for one in values if f"{one:.4f}" not in shown] == []


def test_rows_of_the_tables_are_those_of_the_card(page):
    for source, one in CARD["left_out_sources"]["sources"].items():
        assert f"| {source} | {one['n']:,} | {one['accuracy']:.3f} |" in page
    smaller = {
        name: one for name, one in CARD["left_out_sources"]["sources"].items() if "VQA-Med" not in name
    }
    right = sum(round(one["n"] * one["accuracy"]) for one in smaller.values())
    n = sum(one["n"] for one in smaller.values())
    assert f"| pooled, without VQA-Med-2019 | {n:,} | {right / n:.3f} |" in page
    made = CARD["left_out_networks"]
    for source, found in made["other_seeds"].items():
        assert f"| {source} | {', '.join(f'{one:.3f}' for one in found)} |" in page
    for way, accuracy in made["other_ways"]["accuracy"].items():
        assert f"| {way} | {accuracy:.3f} |" in page
    for source, n in CARD["data"]["sources"].items():
        assert f"| {source} | {n:,} |" in page
    gate = CARD["not_radiology"]["test"]
    assert f"| radiology, refused | {gate['radiology_images']} | {gate['radiology_refused']:.1%} |" in page
    for one in ("others_taken_for_radiology", "grey_others_taken_for_radiology"):
        assert f"| {gate['other_images']} | {gate[one]:.1%} |" in page


def test_words_of_the_card_are_on_the_page(page):
    for words in (*CARD["limits"], CARD["intended_use"], CARD["licence"], CARD["attribution"]):
        assert words in page
    for one in CARD["recipe"].values():
        assert all(part in page for part in ([one] if isinstance(one, str) else one))
    assert "{" not in page


def test_images_left_without_the_largest_source_are_counted(page):
    data = load_dataset("radiology-open")
    rows = zip(data.column("source").to_pylist(), data.column("modality").to_pylist(), strict=True)
    rest = [kind for source, kind in rows if source != "VQA-Med-2019"]
    assert f"{rest.count('MR')} MRI images are left, and {rest.count('US')} of ultrasound" in page


def test_the_chart_has_a_dot_for_each_bin(page):
    bins = CARD["test"]["calibration"]["bins"]
    assert page.count("<circle") == len(bins)
    assert f"said {bins[-1]['mean_p']:.2f}, there {bins[-1]['observed']:.2f}." in page


def test_readme_and_changelog_say_what_the_card_says():
    readme = ROOT / "README.md"
    rows = {row[0]: row[1:] for row in rows_of(readme, "Concepts")}
    for name, key in (("all", "f1"), ("manual", "f1_manual")):
        one = CARD["test"][key]
        assert rows[name] == [f"{one['value']:.4f}", f"{one['low']:.4f} to {one['high']:.4f}"]
    size = f"{CARD['size_bytes']['model.safetensors'] / 1e6:.1f} MB"
    assert (
        f"has {size}, was trained on {CARD['data']['train'] + CARD['data']['valid']:,}"
        in readme.read_text("utf-8")
    )
    changes = " ".join((ROOT / "CHANGELOG.md").read_text("utf-8").split())
    f1, manual = (CARD["test"][key]["value"] for key in ("f1", "f1_manual"))
    assert f"a detector of {CARD['labels']} concepts in {size}, F1 {f1:.4f}" in changes
    assert f"and {manual:.4f} on manual concepts" in changes


def test_size_and_labels_are_those_of_the_files():
    assert CARD["size_bytes"]["model.safetensors"] == FOLDER.weights.stat().st_size
    assert CARD["labels"] == len(FOLDER.labels())


@pytest.mark.slow
def test_the_card_is_what_the_detector_does(radcap, tmp_path):
    done = radcap(
        "predict",
        "zoo:concepts",
        "radiology-open",
        "--split",
        "test",
        "--out",
        tmp_path / "run.csv",
        "--json",
    )
    told = json.loads(done.out)
    test = load_dataset("radiology-open").split("test")
    truth = {one.id: ";".join(one.concepts) for one in test}
    report = package.score_concepts(tmp_path / "run.csv", truth, edition="2025")
    assert report["f1"].value == pytest.approx(CARD["test"]["f1"]["value"], abs=0.002)
    refused = CARD["not_radiology"]["test"]["radiology_refused"]
    assert len(told["not_radiology"]) == pytest.approx(refused * len(test), abs=2)
