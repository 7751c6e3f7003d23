"""The tables of the study of explanations: what they hold, how the rule chooses, and the page of today."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from script_files import SCRIPTS, script

from radcap.core import InputError

keeping, choosing, reporting = (
    script(f"explanations.{name}") for name in ("keeping", "choosing", "reporting")
)
study_script = script("study_explanations")


def row(image, gain, **other):
    """A map of an image; `gain` is its insertion less deletion."""
    told = {"image": image, "label": "disc", "deletion": 0.1, "insertion": 0.1 + gain}
    told |= {"better_than_both": gain > 0.5, "road": gain, "infidelity": 0.01, "sensitivity": 0.2}
    return {**told, "near": True, "overlap": 0.25, "seconds": 0.5, "unused": 1, **other}


def told(model, method, gains, *, ends=(), twins=(), why=""):
    rows = [row(f"image-{place}", gain) for place, gain in enumerate(gains)]
    sanity = {"stages": ["head", "backbone"], "likeness": [[0.9, one] for one in ends]} if ends else None
    return {
        "model": model,
        "method": method,
        "rows": rows,
        "sanity": sanity,
        "twins": list(twins),
        "why": why,
    }


FILES = [
    told("phantom-cnn", "occlusion", [0.8] * 6, ends=[0.1, -0.1], twins=[0.2]),
    told("phantom-cnn", "grad-cam", [0.9, 0.7], ends=[0.0, 0.0]),
    told("phantom-cnn", "hires-cam", [0.4] * 5, ends=[0.2]),
    told("phantom-cnn", "layer-cam", [0.95] * 8, ends=[0.4], twins=[0.5, 0.7]),
    told("phantom-cnn", "chefer", [], why="This model has no attention."),
    told("phantom-cnn", "edges", [0.6] * 8),
    told("phantom-vit", "rollout", [0.1] * 8, ends=[0.1]),
    told("real-cnn", "occlusion", [0.2] * 5, ends=[0.1]),
    told("real-cnn", "occlusion, fine", [0.25] * 7, ends=[0.1]),
    told("real-cnn", "grad-cam", [0.3] * 9, ends=[0.0]),
    told("real-cnn", "hires-cam", [0.1] * 5, ends=[0.1]),
    told("real-cnn", "layer-cam", [0.4] * 5, ends=[-0.8]),
    told("real-cnn", "perfect boxes", []),
    told("real-vit", "chefer", [0.3] * 5, ends=[0.2]),
]
CARDS = {
    "phantom-cnn": {"held_out": {"n": 300, "f1": 0.96421}},
    "twin-cnn": {"held_out": {"n": 300, "f1": 0.35}},
    "real-prefix": {"held_out": {"composed": {"n": 556, "rouge1": {"value": 0.5}, "cider": {"value": 1.9}}}},
}


@pytest.fixture
def figures(tmp_path):
    folder = tmp_path / "work" / "figures"
    folder.mkdir(parents=True)
    for number, one in enumerate(FILES):
        (folder / f"{number:02d}.json").write_text(json.dumps(one), encoding="utf-8")
    (folder.parent / "cards.json").write_text(json.dumps(CARDS), encoding="utf-8")
    return folder


@pytest.fixture
def study(figures):
    return keeping.read_figures(figures)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A page and a copy that may be written."""
    page, copy = tmp_path / "page.md", tmp_path / "copy.json.gz"
    page.write_text(f"before\n{reporting.BEGIN}\nold\n{reporting.END}\nafter\n", encoding="utf-8")
    monkeypatch.setattr(reporting, "PAGE", page)
    monkeypatch.setattr(reporting, "COPY", copy)
    return page, copy


def cells(text):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if "|" in line]


def row_of(text, title, method):
    part = text.split(title)[1].split("####")[0]
    return next(one for one in cells(part) if one[0] == method)


def test_what_does_not_suit_a_model_is_left_out(study):
    assert study.one("phantom-cnn", "chefer") is None
    assert study.one("phantom-cnn", "edges").images == 8
    assert study.cards["real-prefix"] == {"n": 556, "rouge1": 0.5, "cider": 1.9}


def test_means_are_over_maps_and_intervals_over_images():
    gains = [0.2, 0.4, 0.9]
    one = keeping._measured(told("m", "x", gains))
    mean = one.means[keeping.GAIN]
    assert mean.value == pytest.approx(np.mean(gains))
    assert (mean.maps, mean.images) == (3, 3)
    assert one.means["road"].value == pytest.approx(np.mean(gains))
    assert "near" in one.means
    assert keeping._measured({**told("m", "x", []), "sanity": None}).means == {}


@pytest.mark.parametrize(
    ("method", "model", "fails"),
    [
        ("occlusion", "phantom-cnn", ()),
        ("layer-cam", "phantom-cnn", ("labels",)),
        ("layer-cam", "real-cnn", ("weights",)),  # alike upside down is alike too
        ("edges", "phantom-cnn", ()),
    ],
)
def test_half_alike_is_too_much(study, method, model, fails):
    assert study.one(model, method).fails == fails


def test_a_map_that_vanished_was_not_compared(study):
    assert study.one("phantom-cnn", "grad-cam").vanished
    assert not study.one("phantom-cnn", "occlusion").vanished
    assert not study.one("phantom-cnn", "edges").vanished


def test_rule_takes_the_best_that_passes_with_enough_images(study):
    found = choosing.candidates(study, "cnn")
    assert [(one.method, one.mean and round(one.mean, 3)) for one in found] == [
        ("occlusion", 0.5),  # of 0.8 and 0.2
        ("hires-cam", 0.25),
        ("grad-cam", None),  # two phantoms are too few
        ("occlusion, fine", None),
    ]
    assert choosing.models_of("vit") == ("real-vit",)
    assert [one.method for one in choosing.candidates(study, "vit")] == ["chefer"]


def test_methods_are_compared_on_what_both_were_tried_on(study):
    gap = choosing.less(study.one("real-cnn", "grad-cam"), study.one("real-cnn", "occlusion"))
    assert (round(gap.value, 6), gap.images) == (0.1, 5)
    assert choosing.less(None, study.one("real-cnn", "occlusion")) is None
    assert choosing.score(None) is None


def test_tables_say_what_was_measured(study):
    text = reporting.report(study)
    phantoms, real = text.split("### On bundled images")
    title = "#### cnn: a convolutional network that names concepts"
    first = row_of(phantoms, title, "occlusion")
    assert first[1:4] == ["6", "0.80 [0.80, 0.80]", "0.80 [0.80, 0.80]"]
    assert first[-3:] == ["0.00 (2)", "0.20 (1)", "passes"]
    assert row_of(phantoms, title, "grad-cam")[2] == "0.80 (2)"
    assert row_of(phantoms, title, "layer-cam")[-1] == "fails: labels"
    assert row_of(phantoms, title, "edges")[-3:] == ["1 by construction"] * 2 + ["fails: no model made it"]
    shipped = f"{title}, `zoo:concepts`"
    assert row_of(real, shipped, "grad-cam")[-3:] == [
        "0.00 (1), no map left",
        "open: nothing to compare",
        "0.500",
    ]
    assert "perfect boxes" not in real
    assert "rollout" not in text  # phantom-vit learnt nothing


def test_choice_shows_the_default_wherever_it_stands(study):
    choice = cells(reporting.report(study).split("### What the rule chooses")[1].split("###")[0])
    rows = {(one[0], one[1]): one[2:] for one in choice[2:]}
    assert rows["cnn", "occlusion"][:4] == ["0.800", "0.200", "0.500", "1., the default"]
    assert rows["cnn", "occlusion, fine"][1:4] == ["0.250", "-", "too few images"]
    assert rows["cnn", "occlusion, fine"][4:] == ["-", "+0.05 [+0.05, +0.05], 5 images"]
    assert rows["vit", "chefer"][:4] == ["-", "0.300", "0.300", "1., the default"]


def test_report_is_written_and_made_again_from_its_copy(figures, place, tmp_path):
    page, copy = place
    text = reporting.write_report(figures, write=True)
    assert page.read_text("utf-8") == (
        f"before\n{reporting.BEGIN}\n\n{text.strip()}\n\n{reporting.END}\nafter\n"
    )
    first = copy.read_bytes()
    reporting.write_report(figures, write=True)
    assert copy.read_bytes() == first
    assert reporting.write_report(tmp_path / "nothing", write=True) == text
    assert reporting.write_report(tmp_path / "nothing", write=False) == text


def test_cards_may_lie_in_the_folders_of_models(figures):
    (figures.parent / "cards.json").unlink()
    for name in ("phantom-cnn", "twin-cnn"):
        folder = figures.parent / name
        folder.mkdir()
        (folder / "card.json").write_text(json.dumps(CARDS[name]), encoding="utf-8")
    assert keeping.read_figures(figures).cards == {
        "phantom-cnn": {"n": 300, "f1": 0.9642},
        "twin-cnn": {"n": 300, "f1": 0.35},
    }


def test_a_copy_that_is_none_is_refused(tmp_path):
    path = tmp_path / "copy.json.gz"
    path.write_bytes(b"nothing")
    with pytest.raises(InputError, match="cannot be read as figures"):
        keeping.read_copy(path)


def test_report_needs_no_folder(monkeypatch, capsys):
    monkeypatch.setattr(reporting, "write_report", lambda figures, *, write: f"{figures.name} {write}")
    assert study_script.main(["report"]) == 0
    assert capsys.readouterr().out == "figures False\n"


PUBLISHED = (SCRIPTS.parent / "docs" / "explainability.md").read_text("utf-8")


def test_page_has_the_tables_of_today():
    shown = PUBLISHED.split(reporting.BEGIN)[1].split(reporting.END)[0]
    again = "If the new tables are right: .venv/bin/python scripts/study_explanations.py report --write"
    assert reporting.COPY.stat().st_size < 150_000
    assert cells(reporting.report(keeping.read_copy(reporting.COPY))) == cells(shown), again


def test_figures_in_the_words_of_the_page_stand_in_its_tables():
    prose, rest = PUBLISHED.split(reporting.BEGIN)
    tables, after = rest.split(reporting.END)
    said = re.findall(r"-?\d\.\d+ \[-?\d\.\d+, -?\d\.\d+\]", " ".join((prose + after).split()))
    assert said
    assert [one for one in said if one not in tables] == []
