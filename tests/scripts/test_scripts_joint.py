"""The study of joint networks: its figures on made-up runs, its recipes, and what its page says of them."""

from __future__ import annotations

import csv
import re
import sys
from dataclasses import fields, replace
from itertools import product
from unittest import mock

import numpy as np
import pytest
from captioning_samples_training import TINY, drawn, known_backbone
from dataset_samples import dataset_of, row
from rouge_score.rouge_scorer import RougeScorer
from script_files import script

from radcap.captioning.system import CaptionSystem
from radcap.captioning.training.detectors import concept_system
from radcap.core import Score
from radcap.systems import read_concepts, read_system
from radcap.systems.training import changed

__all__ = ["known_backbone"]  # a fixture that every test here has

study = script("study_joint")

CT, MR, CHEST, HEART = "C0040405", "C0024485", "C0817096", "C0018787"
TRUE = {"CT": "CT of the chest showing pneumonia.", "MR": "MRI of the chest showing edema."}


def told(modality, original):
    texts = [{"text": TRUE[modality], "source": "composed", "language": "en"}]
    more = {"text": "A 5 cm mass, seen before.", "source": "original", "language": "en"}
    return [more, *texts] if original else texts


@pytest.fixture(scope="module")
def data():
    """Eight images in six groups; two have an original caption too, one no manual concept."""
    groups = ("a", "a", "b", "b", "c", "d", "e", "f")
    rows = [
        row(
            f"i{n}",
            "test",
            group=group,
            cui=[(CT, MR)[n % 2], CHEST if n else HEART],
            cui_manual=[(CT, MR)[n % 2], CHEST] if n else [],
            captions=told(("CT", "MR")[n % 2], original=n < 2),
        )
        for n, group in enumerate(groups)
    ]
    return dataset_of(rows)


def write_runs(data, folder, wrong=(1, 3, 4)):
    """The joint runs say what is true, the single ones say CT of everything that is wrong in them."""
    head = {"joint": "Caption", "single": "Caption", "joint-concepts": "CUIs", "concepts": "CUIs"}
    for name, column in head.items():
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(["ID", column])
            for n, one in enumerate(data.ids):
                astray = n in wrong and name in {"single", "concepts"}
                modality, cuis = ("CT", "MR")[n % 2], data.column("cui").to_pylist()[n]
                caption = "Nothing is seen." if astray else TRUE[modality]
                out.writerow([one, caption if column == "Caption" else ";".join(cuis[: 2 - astray])])
    return folder


@pytest.fixture(scope="module")
def runs(data, tmp_path_factory):
    return write_runs(data, tmp_path_factory.mktemp("runs"))


def cells(text):
    """The rows of all tables by their first cell; those of captions are there once for each source."""
    rows = [[one.strip() for one in line.split("|")[1:-1]] for line in text.splitlines() if line[:1] == "|"]
    return [one for one in rows if not set("".join(one)) <= set("-:")]


def exact_p(gap, groups):
    """All ways to flip the groups."""
    sums = np.array([gap[[one == name for one in groups]].sum() for name in sorted(set(groups))])
    flips = np.array(list(product((1, -1), repeat=len(sums)))) @ sums
    return float((np.abs(flips) >= abs(sums.sum()) - 1e-9).mean())


def test_figures_are_those_of_plain_counting(data, runs):
    rows = cells(study.report(data, runs))
    single = np.array([2 / 3 if n in (1, 3, 4) else 1.0 for n in range(8)])
    groups = data.column("group").to_pylist()
    assert rows[1][:4] == ["concepts: F1", "8", "1.0000", f"{single.mean():.4f}"]
    assert rows[1][4].startswith(f"{1 - single.mean():+.4f} [")
    assert float(rows[1][5]) == round(exact_p(1 - single, groups), 3)
    # the image without manual labels is left out; a run that goes astray names the modality alone
    assert rows[2][:4] == ["concepts: F1, manual", "7", "1.0000", f"{(single[1:]).mean():.4f}"]
    agreement = next(one for one in rows if one[0] == study.AGREEMENT)
    assert agreement[1:4] == ["8", "1.0000", f"{5 / 8:.4f}"]


def test_holm_corrects_over_the_five_tests_alone(data, runs):
    rows = cells(study.report(data, runs))
    assert rows[0][-1] == "p, Holm"
    raw, corrected = ([float(one[place]) for one in rows[1:6]] for place in (5, 6))
    assert corrected == [round(min(1.0, 5 * p), 3) for p in raw]  # they are all the same
    assert rows[6][-1] == "p"
    assert rows[7][0] == "captions: ROUGE-1, as written"


@pytest.mark.parametrize(("source", "n"), [("composed", 8), ("original", 2)])
def test_captions_of_two_sources_are_apart(data, runs, source, n):
    figures = study.caption_figures(data, runs, source)
    assert [one.name for one in figures] == [*study.WORDS.values(), study.AGREEMENT]
    assert {len(one.ids) for one in figures} == {n}
    assert all((one.joint == 1).all() for one in figures[::2]) == (source == "composed")


def test_rouge_as_written_is_that_of_its_authors(data, runs):
    found = study.written_figure(data, runs)
    with (runs / "single.csv").open(encoding="utf-8") as file:
        said = {one["ID"]: one["Caption"] for one in csv.DictReader(file)}
    scorer = RougeScorer(["rouge1"])
    true = dict(zip(data.ids, [TRUE[("CT", "MR")[n % 2]] for n in range(8)], strict=True))
    expected = [scorer.score(true[one], said[one])["rouge1"].fmeasure for one in found.ids]
    np.testing.assert_allclose(found.single, expected, atol=1e-12)


def test_habits_are_counted(data, runs):
    lines = study.habits_table(runs)
    assert lines[2:5] == [
        "| different captions | 2 | 3 |",
        f"| words a caption | 6.00 | {(5 * 6 + 3 * 3) / 8:.2f} |",
        f"| concepts an image | 2.00 | {13 / 8:.2f} |",
    ]
    assert lines[-2] == "The same from both: 5 of 8 captions, 5 of 8 sets of concepts."


def test_other_images_are_no_pair():
    one, other = (Score("f1", 1.0, 1, "", (image,), (1.0,)) for image in "ab")
    with pytest.raises(ValueError, match="same images"):
        study.Paired.of("F1", one, other)


def test_single_networks_differ_from_the_joint_one_in_their_tasks_alone():
    joint = read_system("radcap/joint-captions")
    captions = changed(joint, study.NETWORKS["captions"].changes)
    assert isinstance(joint, CaptionSystem)
    assert isinstance(captions, CaptionSystem)
    assert [one.name for one in fields(joint) if getattr(joint, one.name) != getattr(captions, one.name)] == [
        "joint"
    ]
    assert [getattr(captions.joint, one.name) for one in fields(captions.joint)] == [1, 0, 0, 0, 0, 0]
    theirs, ours = concept_system(joint), read_concepts(study.NETWORKS["concepts"].system)
    assert (ours.train.early_stop, ours.train.keep) == (0, "last")  # so what is watched decides nothing
    assert replace(theirs, name="", train=replace(theirs.train, watch="f1")) == replace(ours, name="")


def test_networks_are_trained_and_asked(tmp_path, capsys):
    small = {"image.size": "32", "backbone.name": TINY, "backbone.weights": "none", "train.epochs": "1"}
    writer = {
        "decoder.width": "16",
        "decoder.layers": "1",
        "tokenizer.size": "300",
        "generate.method": "greedy",
    }
    quick = {
        name: replace(one, changes={**one.changes, **small, **(writer if name != "concepts" else {})})
        for name, one in study.NETWORKS.items()
    }
    assert len(study.missing(tmp_path)) == 4
    with mock.patch.dict(study.NETWORKS, quick):
        study.make_runs(drawn(), tmp_path)
    assert study.missing(tmp_path) == []
    assert sorted(one.name for one in (tmp_path / "models").iterdir()) == sorted(study.NETWORKS)
    rows = {one.stem: one.read_text("utf-8").splitlines() for one in tmp_path.glob("*.csv")}
    assert {len(some) for some in rows.values()} == {1 + len(drawn().split("test"))}
    assert (rows["joint"][0], rows["concepts"][0]) == ("ID,Caption", "ID,CUIs")
    heard = capsys.readouterr()
    assert "epoch 1 of 1" in heard.err
    assert heard.out == ""


@pytest.fixture
def page(tmp_path, monkeypatch):
    path = tmp_path / "page.md"
    path.write_text(f"before\n{study.BEGIN}\nold\n<!-- to here -->\nafter\n", encoding="utf-8")
    monkeypatch.setattr(study, "PAGE", path)
    return path


def test_what_is_printed_is_written(data, runs, page, monkeypatch, capsys):
    monkeypatch.setattr(study, "load_dataset", lambda name: data)
    monkeypatch.setattr(sys, "argv", ["study_joint.py", str(runs), "--write"])
    study.main()
    printed = capsys.readouterr().out.strip()
    assert printed == study.report(data, runs).strip()
    assert page.read_text("utf-8") == f"before\n{study.BEGIN}\n\n{printed}\n\n<!-- to here -->\nafter\n"


def test_runs_that_are_not_there_are_named(data, page, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(study, "load_dataset", lambda name: data)
    monkeypatch.setattr(sys, "argv", ["study_joint.py", str(tmp_path)])
    with pytest.raises(SystemExit) as left:
        study.main()
    assert left.value.code == 2
    assert "joint.csv, single.csv, joint-concepts.csv, concepts.csv" in capsys.readouterr().err


def test_training_comes_before_scoring(data, page, tmp_path, monkeypatch, capsys):
    made = []
    monkeypatch.setattr(study, "load_dataset", lambda name: data)
    monkeypatch.setattr(
        study, "make_runs", lambda some, folder: made.append(len(some)) or write_runs(data, folder)
    )
    monkeypatch.setattr(sys, "argv", ["study_joint.py", str(tmp_path), "--train"])
    study.main()
    assert made == [8]
    assert "old" in page.read_text("utf-8")
    assert capsys.readouterr().out.startswith("**Test")


PUBLISHED = study.PAGE.read_text("utf-8")


def test_the_page_has_the_tables_that_the_script_prints(data, runs):
    printed, shown = (cells(text) for text in (study.report(data, runs), PUBLISHED.split(study.BEGIN)[1]))
    assert [one[0] for one in shown] == [one[0] for one in printed]
    assert [len(one) for one in shown] == [len(one) for one in printed]


def test_what_the_page_says_of_differences_stands_in_its_tables():
    prose, tables = " ".join(PUBLISHED.split()).split(study.BEGIN)
    said = re.findall(r"[+-]\d\.\d{4} \[[+-]\d\.\d{4}, [+-]\d\.\d{4}\]", prose)
    shown = re.findall(r"[+-]\d\.\d{4} \[[+-]\d\.\d{4}, [+-]\d\.\d{4}\]", tables)
    assert sorted(said) == sorted(shown)  # each is told once, and none is left out
