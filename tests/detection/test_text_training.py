"""Models that go by words, from a dataset to a folder that answers, alone and in ensembles."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from captioning_samples_training import captioner, taught
from commands import Command
from text_samples import llava, text
from training_samples import Heard, drawn, member, predict_concepts, tiny, trained, without_valid

from radcap.core import InputError, Missing, UsageError
from radcap.datasets import Dataset
from radcap.datasets.columns import make_table
from radcap.detection.ensembles import Ensemble
from radcap.detection.examples import label_matrix
from radcap.detection.models import ModelFolder, open_model
from radcap.detection.models.ensemble_model import EnsembleModel
from radcap.detection.system import ConceptSystem, Member, tables
from radcap.detection.talk import Talk
from radcap.detection.text import Text
from radcap.detection.text.model import TextModel, open_text_model
from radcap.detection.text.tellers import Captions, open_teller, settled
from radcap.detection.training import one_model
from radcap.detection.training.held_answers import read_held
from radcap.vision.settings import TrainSettings
from radcap.vision.training import pick_place

CPU = pick_place("cpu")
PARTS = {"card.json", "decision.json", "held.safetensors", "labels.csv", "system.toml"}
LEARNT = {"model.safetensors", "words.json"}


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What may tell of images: captions, a captioner, a vision-language model."""
    root = tmp_path_factory.mktemp("words")
    told = taught(captioner("frequent"), root / "captioner", drawn())
    return {"dataset": "dataset", "captioner": str(told.path), "vlm": f"vlm:{llava(root / 'vlm')}"}


def with_captions(data: Dataset, captions: list[list[dict[str, str]]]) -> Dataset:
    """The same images with other captions."""
    columns = {name: data.table.column(name) for name in data.table.column_names}
    return replace(data, table=make_table({**columns, "captions": captions}, len(data)))


def half_told() -> Dataset:
    """Every other image has a caption."""
    cells = drawn().column("captions").to_pylist()
    return with_captions(drawn(), [cell if n % 2 else [] for n, cell in enumerate(cells)])


@pytest.mark.parametrize("words", ["dataset", "captioner", "vlm"])
@pytest.mark.parametrize("reader", ["extractor", "classifier", "parser"])
def test_a_system_of_words_becomes_a_folder_that_answers(
    sources: dict[str, str], words: str, reader: Any, tmp_path: Path
) -> None:
    system = tiny(text=Text(words=sources[words], reader=reader, tokens=6))
    folder = trained(system, tmp_path / "m")
    learns = reader == "classifier"
    assert {one.name for one in folder.path.iterdir()} == PARTS | (LEARNT if learns else set())
    assert folder.system() == system
    card = folder.card()
    assert card["training"] | {"epochs": 0, "stopped": "epochs", "device": "cpu"} == card["training"]
    assert card["text"]["reader"] == reader
    assert ("cross_fitted" in card["held_out"]) == learns
    answers = predict_concepts(folder.path, drawn(), split="test")
    assert answers.ids == tuple(drawn().split("test").ids)
    assert (answers.logits is None) == (answers.probabilities is None) == (not learns)
    run = answers.run(drawn().split("test").ids)
    found = {cui for cell in run.cells.values() for cui in (cell or "").split(";") if cui}
    assert found <= set(folder.labels())
    assert list(run.cells) == drawn().split("test").ids
    held = read_held(folder, drawn().split("valid"))
    if not learns:  # nothing was fitted on them, so the same words are read alike
        again = predict_concepts(folder.path, drawn(), split="valid")
        np.testing.assert_array_equal(again.decided, held.decided)


def test_words_are_read_as_the_parts_say(sources: dict[str, str], tmp_path: Path) -> None:
    """What a model answers is what its reader finds in what its teller says."""
    folder = trained(tiny(text=Text(words=sources["vlm"], reader="parser", tokens=8)), tmp_path / "m")
    model = open_model(folder.path, "cpu")
    assert isinstance(model, TextModel)
    test = drawn().split("test")
    done: list[int] = []
    answers = model.answers(test, lambda _, n: done.append(n))
    told = open_teller(Text(words=sources["vlm"], tokens=8), CPU).tell(test)
    assert answers.concepts() == [model.reader.concepts(one) for one in told.texts]  # type: ignore[attr-defined]
    assert any(answers.concepts())
    assert done[-1] == len(test)
    assert dict(model.names) == folder.names()
    assert model.labels == folder.labels()


def test_captions_that_name_their_concepts_are_read_well(tmp_path: Path) -> None:
    scores = {}
    for reader in ("extractor", "classifier", "parser"):
        folder = trained(tiny(text=text(reader=reader)), tmp_path / reader)
        scores[reader] = folder.card()["held_out"]["f1"]
    assert scores["classifier"] > 0.85
    assert min(scores.values()) > 0.6


def test_images_without_a_caption_have_no_concept(tmp_path: Path) -> None:
    data = half_told()
    for reader in ("extractor", "classifier", "parser"):
        folder = trained(tiny(text=text(reader=reader)), tmp_path / reader, data)
        test = data.split("test")
        answers = predict_concepts(folder.path, data, split="test")
        has = Captions().tell(test).has_words
        assert answers.ids == tuple(test.ids)
        assert 0 < has.sum() < len(test)
        assert not answers.decided[~has].any()
        assert answers.decided[has].any()
        card = folder.card()
        valid = data.split("valid")
        told = read_held(folder, valid)
        without = ~Captions().tell(valid).has_words
        assert card["text"]["without_words"] == without.sum() > 0
        assert not told.decided[without].any()
        assert card["held_out"]["n"] == len(valid)


def test_figures_of_a_classifier_count_images_without_words(tmp_path: Path) -> None:
    """The mean of the card, counted again by hand from the answers that were kept."""
    data = half_told()
    folder = trained(tiny(text=text(reader="classifier")), tmp_path / "m", data)
    valid = data.split("valid")
    told, truth = read_held(folder, valid), label_matrix(valid, folder.labels())
    both = (told.decided & truth).sum(1)
    total = told.decided.sum(1) + truth.sum(1)
    wanted = np.where(total == 0, 1.0, 2 * both / np.maximum(total, 1)).mean()
    crossed = folder.card()["held_out"]["cross_fitted"]
    assert crossed["f1"] == pytest.approx(wanted)
    assert crossed["low"] <= crossed["f1"] <= crossed["high"]
    assert crossed["n"] == len(valid)


def test_captions_of_one_source_may_be_asked_for(tmp_path: Path) -> None:
    cells = [
        [{"text": "Angiogram.", "source": "generated", "language": "en"}, *cell]
        for cell in drawn().column("captions").to_pylist()
    ]
    data = with_captions(drawn(), cells)
    first = trained(tiny(text=text(reader="parser")), tmp_path / "a", data)
    composed = trained(tiny(text=text(reader="parser", captions="composed")), tmp_path / "b", data)
    plain = trained(tiny(text=text(reader="parser")), tmp_path / "c")
    assert read_held(first, data.split("valid")).concepts()[0] == ["C0002978"]
    assert composed.card()["held_out"] == plain.card()["held_out"]


def test_a_captioner_of_the_zoo_tells(tmp_path: Path) -> None:
    told = open_teller(Text(), CPU).tell(drawn().split("test").take([0]))
    assert told.ids == (drawn().split("test").ids[0],)
    assert told.has_words.all()


def test_a_refit_learns_from_the_captions_of_both_splits(tmp_path: Path) -> None:
    once = trained(tiny(text=text(reader="classifier")), tmp_path / "a")
    both = trained(tiny(text=text(reader="classifier"), train=TrainSettings(refit=True)), tmp_path / "b")
    assert once.card()["held_out"]["f1"] == both.card()["held_out"]["f1"]  # choices came before
    assert (once.path / "decision.json").read_text() == (both.path / "decision.json").read_text()
    assert (once.path / "words.json").read_text() != (both.path / "words.json").read_text()


@pytest.mark.parametrize("reader", ["extractor", "classifier"])
def test_without_a_held_out_split_nothing_is_judged(reader: Any, tmp_path: Path) -> None:
    heard = Heard()
    system = tiny(text=text(reader=reader), train=TrainSettings(refit=True))
    folder = trained(system, tmp_path / "m", without_valid(), heard.talk)
    assert heard.has("There is no split 'valid' to judge the words on")
    assert folder.card()["held_out"] is None
    assert not (folder.path / "held.safetensors").exists()
    answers = predict_concepts(folder.path, without_valid(), split="test")
    assert answers.decided.any()
    if reader == "classifier":
        assert answers.logits is not None
        np.testing.assert_array_equal(answers.decided, answers.logits >= 0)


def test_images_that_will_not_decode_are_told_of(sources: dict[str, str], tmp_path: Path) -> None:
    data = drawn(100, broken=2, missing=1)
    planted = {one for one, fault in zip(data.ids, data.column("planted").to_pylist(), strict=True) if fault}
    system = tiny(text=Text(words=sources["vlm"], reader="parser", tokens=8))
    folder = trained(replace(system, data=replace(system.data, held="test")), tmp_path / "m", data)
    assert set(folder.card()["data"]["refused"]) == planted
    assert folder.card()["held_out"]["n"] == len(data.split("test")) - len(planted)
    answers = predict_concepts(folder.path, data, split="test")
    assert set(answers.refused) == planted
    assert planted.isdisjoint(answers.ids)


def ensemble(rule: str, *texts: Text) -> ConceptSystem:
    words = [Member(name=f"words-{n}", **tables(tiny(text=one))) for n, one in enumerate(texts)]
    joined: Any = Ensemble(rule=rule)
    return tiny("both", ensemble=joined, member=(member("network"), *words))


@pytest.mark.parametrize("rule", ["union", "fallback", "mean-logit"])
def test_words_join_a_network_in_an_ensemble(rule: str, tmp_path: Path) -> None:
    texts = (text(reader="extractor"), text(reader="classifier"))
    folder = trained(ensemble(rule, *texts), tmp_path / "m", half_told())
    assert folder.member("words-1").is_whole
    assert set(folder.card()["members"]) == {"network", "words-0", "words-1"}
    model = open_model(folder.path, "cpu")
    assert isinstance(model, EnsembleModel)
    assert [type(one).__name__ for one in model.members.values()] == [
        "NetworkModel",
        "TextModel",
        "TextModel",
    ]
    test = half_told().split("test")
    answers = model.answers(test)
    assert answers.ids == tuple(test.ids)  # those without a caption too
    if rule == "union":
        parts = [one.answers(test).decided for one in model.members.values()]
        np.testing.assert_array_equal(answers.decided, np.any(parts, axis=0))


def test_a_whole_member_is_not_trained_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = ensemble("union", text(reader="classifier"))
    with monkeypatch.context() as patched:
        patched.setattr("radcap.detection.training.system_training.join", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            trained(system, tmp_path / "m")
    before = (tmp_path / "m" / "members" / "words-0" / "card.json").read_text()
    heard = Heard()
    folder = trained(system, tmp_path / "m", talk=heard.talk)
    assert heard.has("words-0 is trained already")
    assert (folder.member("words-0").path / "card.json").read_text() == before


def test_a_path_is_the_same_from_wherever_the_model_is_opened(
    sources: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(sources["captioner"]).parent)
    folder = trained(tiny(text=Text(words="captioner")), tmp_path / "m")
    monkeypatch.chdir(tmp_path)
    told = folder.system().text
    assert told is not None
    assert told.words == sources["captioner"]
    assert predict_concepts(folder.path, drawn(), split="test").ids
    assert settled("vlm:x") == f"vlm:{tmp_path}/x"


def refused(system: ConceptSystem, out: Path, data: Dataset | None = None) -> None:
    trained(system, out, data)


def test_words_that_cannot_be_had_are_refused_before_anything_is_trained(
    sources: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(one_model, "judge", lambda *_: pytest.fail("a network was trained"))
    wrong: dict[str, tuple[Text, type[Exception], str]] = {
        "captioner": (Text(words="nowhere"), UsageError, r"nowhere is no model folder: it has no card.json"),
        "zoo": (
            Text(words="zoo:caption"),
            UsageError,
            r"There is no model 'zoo:caption'. Nearest is 'zoo:captions'",
        ),
        "detector": (
            Text(words="zoo:concepts"),
            UsageError,
            r"concepts cannot be used: it detects concepts, and a captioner is wanted. .*zoo:captions\.",
        ),
        "vlm": (Text(words="vlm:nowhere"), Missing, r"nowhere is missing. .* vision-language model"),
        "no folder": (Text(words="vlm:"), Missing, r"as the folder of a vision-language model"),
        "extractor": (text(extractor="dictionry"), UsageError, r"There is no extractor 'dictionry'"),
        "options": (text(options={"a": "b"}), UsageError, r"dictionary has no options"),
        "medcat": (text(extractor="neural"), Missing, r"is missing"),
        "source": (text(captions="originl"), UsageError, r"There is no source of captions 'originl'"),
        "none": (
            text(captions="original"),
            UsageError,
            r"None of \d+ images of the split 'valid' of synthetic has a caption of the source 'original'",
        ),
        "to learn": (
            Text(words=sources["captioner"], reader="classifier", captions="original"),
            UsageError,
            r"None of \d+ images of the split 'train'",
        ),
    }
    for name, (one, kind, why) in wrong.items():
        with pytest.raises(kind, match=why):
            refused(tiny(text=one), tmp_path / name)
        with pytest.raises(kind, match=why):
            refused(ensemble("union", one), tmp_path / f"{name} in an ensemble")
        assert not list(tmp_path.rglob("card.json"))


def test_a_dataset_without_captions_has_no_words(tmp_path: Path) -> None:
    silent = with_captions(drawn(), [[] for _ in drawn().ids])
    with pytest.raises(UsageError, match=r"has a caption. Give a dataset with captions, or write other"):
        trained(tiny(text=text()), tmp_path / "m", silent)


def test_a_model_that_says_nothing_at_all_is_refused(tmp_path: Path) -> None:
    silent = llava(tmp_path / "vlm", words=())
    with pytest.raises(UsageError, match=r"has no word for any of \d+ images of the split 'valid'"):
        trained(tiny(text=Text(words=f"vlm:{silent}", reader="parser", tokens=1)), tmp_path / "m")


def test_a_parser_over_labels_without_names_is_told_of(tmp_path: Path) -> None:
    heard = Heard()
    nameless = replace(drawn(), names={})
    trained(tiny(text=text(reader="parser")), tmp_path / "m", nameless, heard.talk)
    assert heard.has("The dataset names none of its labels: the parser finds them by their CUIs alone")


def test_a_captioner_without_its_packages_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(_: str) -> Any:
        raise ModuleNotFoundError("No module named 'timm'", name="timm")

    monkeypatch.setattr("radcap.detection.text.tellers.load_dotted", absent)
    with pytest.raises(Missing, match=r"timm is missing. A captioner needs it"):
        open_teller(Text(), CPU)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> ModelFolder:
    return trained(tiny(text=text(reader="classifier")), tmp_path_factory.mktemp("whole") / "m")


@pytest.mark.parametrize("name", ["words.json", "labels.csv", "system.toml", "decision.json"])
def test_a_folder_whose_texts_were_changed_is_refused(whole: ModelFolder, name: str, tmp_path: Path) -> None:
    shutil.copytree(whole.path, tmp_path / "m")
    (tmp_path / "m" / name).write_text("{}")
    with pytest.raises(InputError, match=f"{name} cannot be used: it is not the file that card.json"):
        open_model(tmp_path / "m", "cpu")


@pytest.mark.parametrize("name", ["words.json", "model.safetensors"])
def test_a_folder_that_lacks_a_part_is_refused(whole: ModelFolder, name: str, tmp_path: Path) -> None:
    shutil.copytree(whole.path, tmp_path / "m")
    (tmp_path / "m" / name).unlink()
    with pytest.raises(InputError, match=r"The model is damaged or not whole"):
        open_model(tmp_path / "m", "cpu")


def test_a_folder_of_a_network_is_none_of_words(tmp_path: Path) -> None:
    folder = trained(tiny(), tmp_path / "m")
    with pytest.raises(InputError, match=r"it has no table \[text\]"):
        open_text_model(folder, CPU)


def test_other_processes_write_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from radcap.detection.text.training import make_text_model
    from radcap.detection.training.parts import Parts
    from radcap.detection.training.shelf import Shelf
    from radcap.vision.training import Place

    system, second = tiny(text=text()), Place(CPU.device, rank=1, world=2)
    parts = Parts.of(drawn(), system.data)
    maker = one_model.ModelMaker(
        system, parts, ModelFolder(tmp_path / "m"), second, Talk(), drawn().names, Shelf(0)
    )
    answers = make_text_model(maker)
    assert answers is not None
    assert answers.ids == tuple(drawn().split("valid").ids)
    assert not (tmp_path / "m").exists()


def test_a_file_of_a_system_trains_and_predicts_on_the_command_line(radcap: Command, tmp_path: Path) -> None:
    drawn().save(tmp_path / "data")
    (tmp_path / "mine.toml").write_text(
        'name = "mine"\ntask = "concepts"\n\n[text]\nwords = "dataset"\nreader = "classifier"\n'
    )
    done = radcap("train", tmp_path / "mine.toml", "--data", tmp_path / "data", "--out", tmp_path / "m")
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "m" / "card.json").read_text())["held_out"]["f1"] > 0.8
    run = tmp_path / "run.csv"
    done = radcap("predict", tmp_path / "m", tmp_path / "data", "--split", "test", "--out", run)
    assert done.code == 0, done.err
    assert len(run.read_text().splitlines()) >= len(drawn().split("test"))
    (tmp_path / "ids.csv").write_text("\n".join(["ID", *drawn().split("test").ids]) + "\n")
    done = radcap("validate", run, "--task", "concepts", "--ids", tmp_path / "ids.csv")
    assert done.code == 0, done.out + done.err
    (tmp_path / "bad.toml").write_text('name = "bad"\ntask = "concepts"\n[text]\nwords = "zoo:none"\n')
    done = radcap("train", tmp_path / "bad.toml", "--data", tmp_path / "data", "--out", tmp_path / "n")
    assert done.code == 2
    assert "zoo:none" in done.err


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"words": ""}, "words is empty"),
        ({"tokens": 0}, r"tokens is 0. Give 1 to 10,000"),
        ({"tokens": 10**9}, r"tokens is 1000000000. Give 1 to 10,000"),
        ({"cutoff": 0.0}, r"cutoff is 0.0. Give a number above 0, and 1 at most"),
        ({"cutoff": 1.1}, r"cutoff is 1.1"),
    ],
)
def test_settings_out_of_range_are_refused(given: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        Text(**given)


def test_captions_come_in_the_order_of_the_dataset() -> None:
    done: list[tuple[str, int]] = []
    told = Captions().tell(drawn(), lambda *given: done.append(given))
    assert done == [("images", len(drawn()))]
    wanted = [one.caption for one in drawn()]
    assert list(told.texts) == wanted
    assert pa.array(told.ids).to_pylist() == drawn().ids
