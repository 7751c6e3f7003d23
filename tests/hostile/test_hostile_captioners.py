"""Folders of captioners that are damaged, cut off or put together: one sentence, and nothing is written."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from captioning_samples_models import real

from radcap.captioning.models import CaptionFolder
from radcap.captioning.tokens import train_bpe
from radcap.detection.retrieval import load_index, save_index
from radcap.vision.weight_files import read_weight_file, write_weight_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from commands import Command, Done

    Change = Callable[[CaptionFolder], object]

NEEDED = [
    *(
        ("writer", name)
        for name in (
            *("card.json", "system.toml", "labels.csv", "tokenizer.json", "model.safetensors"),
            *("findings.json", "captions.json", "neighbours/index.json", "neighbours/index.safetensors"),
            *("concepts/card.json", "concepts/model.safetensors", "concepts/labels.csv"),
            *("concepts/decision.json", "concepts/system.toml"),
        )
    ),
    *(("words", name) for name in ("model.safetensors", "words.json")),
    *(("nearest", name) for name in ("model.safetensors", "captions.json")),
    *(("frequent", name) for name in ("captions.json", "system.toml")),
    ("template", "concepts/model.safetensors"),
]
DAMAGES: dict[str, Callable[[bytes], bytes] | None] = {
    "missing": None,
    "most": lambda held: held[: len(held) - len(held) // 20 - 1],
    "garbage": lambda _: bytes(range(256)) * 8,
    "list": lambda _: b"[1, 2]\n",
    "deep": lambda _: b"[" * 100_000,
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    real().split("test")[:2].save(folder)
    return folder


@pytest.fixture
def asked(captioners: dict[str, CaptionFolder], data: Path, tmp_path: Path, radcap: Command) -> Any:
    """Asks a changed copy of a captioner, as a user does."""

    def ask(kind: str, change: Change) -> Done:
        folder = CaptionFolder(Path(shutil.copytree(captioners[kind].path, tmp_path / "model")))
        change(folder)
        out, log = tmp_path / "run.csv", tmp_path / "log.jsonl"
        done = radcap("predict", folder.path, data, "--out", out, "--log", log, "--device", "cpu")
        assert done.code == 0 or not (out.exists() or log.exists())
        return done

    return ask


def refused(done: Done, *words: str, code: int = 1) -> None:
    assert done.code == code, done.err
    assert done.out == ""
    [line] = done.err.splitlines()
    assert line.startswith("radcap: ")
    assert line.endswith((".", ")"))
    assert [one for one in words if one not in line] == [], line


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(("kind", "name"), NEEDED, ids=[f"{kind} {name}" for kind, name in NEEDED])
def test_a_damaged_part_is_named(kind: str, name: str, damage: str, asked: Any) -> None:
    change = DAMAGES[damage]

    def spoil(folder: CaptionFolder) -> None:
        path = folder.path / name
        if change is None:
            path.unlink()
        else:
            path.write_bytes(change(path.read_bytes()))

    done = asked(kind, spoil)
    if (name, damage) == ("card.json", "missing"):
        refused(done, "is no model folder: it has no card.json", code=2)
    else:
        refused(done, Path(name).name.partition(".")[0])


def by_hand(folder: CaptionFolder, **changes: Any) -> None:
    """A card that knows nothing of its files, as one that somebody wrote."""
    card = {key: value for key, value in folder.card().items() if key not in ("files", "detector")} | changes
    folder.write("card.json", json.dumps(card))


@pytest.mark.parametrize(
    ("card", "told"),
    [
        ({}, "it is not the card of a captioner"),
        ({"task": "prose"}, "it is not the card of a captioner"),
        ({"task": ["captions"]}, "it is not the card of a captioner"),
        ({"task": "concepts"}, "task is 'captions'"),
    ],
)
def test_a_card_of_no_captioner_is_refused(
    card: dict[str, Any], told: str, asked: Any, radcap: Command
) -> None:
    def change(folder: CaptionFolder) -> None:
        folder.write("card.json", json.dumps(card))

    done = asked("alone", change)
    if card.get("task") == "concepts":  # --log is for captions
        refused(done, "the model names concepts. Use --scores.", code=2)
    else:
        refused(done, "card.json cannot be used", told)


@pytest.mark.parametrize("name", ["system.toml", "labels.csv", "tokenizer.json", "findings.json"])
def test_a_text_that_was_changed_is_refused(name: str, asked: Any) -> None:
    def change(folder: CaptionFolder) -> None:
        folder.write(name, folder.read(name) + "\n\n")

    refused(
        asked("writer", change), f"{name} cannot be used: it is not the file that card.json was written for"
    )


def changed(folder: CaptionFolder, before: str, after: str) -> None:
    """Another setting, in one place."""
    text = folder.read("system.toml")
    assert text.count(before) == 1
    folder.write("system.toml", text.replace(before, after))


def other_weights(folder: CaptionFolder) -> None:
    path = folder.concepts.weights
    held = read_weight_file(path)
    write_weight_file({name: one + 1 for name, one in held.items()}, path)


def other_detector(folder: CaptionFolder) -> None:
    """It leans on the detector inside, and its card says otherwise."""
    folder.write(
        "system.toml", folder.read("system.toml").replace('model = "concepts"', 'model = "zoo:concepts"')
    )
    by_hand(folder, detector={"model": "zoo:concepts", "weights": "0" * 64})


def no_detector(folder: CaptionFolder) -> None:
    shutil.rmtree(folder.concepts.path)


def unknown_detector(folder: CaptionFolder) -> None:
    by_hand(folder)
    folder.write(
        "system.toml", folder.read("system.toml").replace('model = "concepts"', 'model = "zoo:none"')
    )


@pytest.mark.parametrize(
    ("change", "words", "code"),
    [
        (
            other_weights,
            ("concepts/model.safetensors", "it is not the file that", "was written for"),
            1,
        ),
        (other_detector, ("card.json", "it was trained over other weights than those of"), 1),
        (no_detector, ("concepts/card.json cannot be used: it is not there",), 1),
        (unknown_detector, ("There is no model 'zoo:none'",), 2),
    ],
)
def test_a_detector_that_is_another_is_refused(
    change: Change, words: tuple[str, ...], code: int, asked: Any
) -> None:
    refused(asked("writer", change), *words, code=code)


def larger_tokenizer(folder: CaptionFolder) -> None:
    train_bpe(["CT of the chest."], 300).save(folder.tokenizer)


def fewer_labels(folder: CaptionFolder) -> None:
    names = folder.names()
    folder.write_labels(tuple(names)[1:], names)


def no_labels(folder: CaptionFolder) -> None:
    (folder.path / "labels.csv").unlink()


def other_width(folder: CaptionFolder) -> None:
    changed(folder, "width = 16", "width = 32")


def fewer_weights(folder: CaptionFolder) -> None:
    held = read_weight_file(folder.weights)
    first = next(name for name in held if name.endswith(".weight"))
    write_weight_file({name: one for name, one in held.items() if name != first}, folder.weights)


def more_weights(folder: CaptionFolder) -> None:
    write_weight_file({**read_weight_file(folder.weights), "more": torch.ones(1)}, folder.weights)


def no_phrases(folder: CaptionFolder) -> None:
    folder.write("findings.json", '{"C0032227": "effusion"}')


def fewer_captions(folder: CaptionFolder) -> None:
    folder.write_list("captions.json", ["one"])


def no_texts(folder: CaptionFolder) -> None:
    folder.write("captions.json", '{"values": [1, 2]}')


def no_values(folder: CaptionFolder) -> None:
    folder.write("captions.json", "{}")


def narrow_index(folder: CaptionFolder) -> None:
    index = load_index(folder.neighbours)
    save_index(replace(index, vectors=index.vectors[:, :8]), folder.neighbours)


def no_index(folder: CaptionFolder) -> None:
    shutil.rmtree(folder.neighbours)


FIT = "model.safetensors cannot be used: it does not fit the files beside it"


@pytest.mark.parametrize(
    ("kind", "change", "told"),
    [
        ("writer", larger_tokenizer, FIT),
        ("writer", fewer_labels, FIT),
        ("writer", no_labels, FIT),
        ("writer", other_width, FIT),
        ("writer", fewer_weights, FIT),
        ("writer", more_weights, FIT),
        ("alone", fewer_weights, FIT),
        ("alone", more_weights, FIT),
        ("writer", no_phrases, "findings.json cannot be used: it holds no list of words for each concept"),
        ("writer", fewer_captions, "captions.json cannot be used: it has 1 captions for 60 images"),
        ("writer", no_texts, "captions.json cannot be used: it holds no list of texts under 'values'"),
        ("writer", no_values, "captions.json cannot be used: it holds no list of texts under 'values'"),
        ("writer", narrow_index, "neighbours cannot be used: its vectors are those of another model"),
        ("writer", no_index, "neighbours cannot be used"),
        ("nearest", narrow_index, "neighbours cannot be used: its vectors are those of another model"),
        ("agreed", narrow_index, "neighbours cannot be used: its vectors are those of another model"),
        ("nearest", fewer_weights, FIT),
        ("words", fewer_weights, FIT),
        ("words", lambda one: one.write_list("words.json", ["chest", "ct"]), FIT),
        ("words", lambda one: one.write_list("words.json", []), "words.json cannot be used: it holds no"),
        ("frequent", lambda one: one.write_list("captions.json", []), "it holds no caption"),
    ],
)
def test_parts_that_do_not_fit_are_refused_where_no_card_knows_them(
    kind: str, change: Change, told: str, asked: Any
) -> None:
    def both(folder: CaptionFolder) -> None:
        by_hand(folder)
        change(folder)

    refused(asked(kind, both), told, "The model is damaged or not whole: get it again.")


def test_a_captioner_without_words_for_findings_still_answers(asked: Any) -> None:
    def change(folder: CaptionFolder) -> None:
        by_hand(folder)
        (folder.path / "findings.json").unlink()

    assert asked("writer", change).code == 0


def leaning_on(folder: CaptionFolder, model: str) -> None:
    """A captioner whose words are those of a language model."""
    by_hand(folder)
    changed(folder, 'kind = "lstm"', 'kind = "lm"')
    changed(folder, 'model = ""\nlora', f'model = "{model}"\nlora')
    assert folder.system().decoder.model == model


@pytest.mark.parametrize("with_tokenizer", [True, False])
def test_a_language_model_that_is_not_there_is_told_how_to_get(
    with_tokenizer: bool, asked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "cache"))

    def change(folder: CaptionFolder) -> None:
        leaning_on(folder, "smollm2-135m")
        if not with_tokenizer:
            folder.tokenizer.unlink()

    done = asked("alone", change)
    refused(done, "The language model smollm2-135m is missing", "Run: radcap models get captions-lm.", code=3)


def test_a_folder_of_a_language_model_that_is_gone_is_wrong_usage(asked: Any) -> None:
    done = asked("alone", lambda folder: leaning_on(folder, "no/such/folder"))
    refused(done, "[decoder] model is 'no/such/folder', which is no folder here", code=2)


def test_a_language_model_without_some_of_its_files_is_refused(asked: Any, tmp_path: Path) -> None:
    base = tmp_path / "base"
    base.mkdir()
    (base / "config.json").write_text('{"model_type": "llama"}')
    shards = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    (base / "model.safetensors.index.json").write_text(json.dumps({"weight_map": shards}))
    write_weight_file({"a": torch.ones(1)}, base / shards["a"])
    done = asked("alone", lambda folder: leaning_on(folder, base.as_posix()))
    refused(done, f"{base / shards['b']} is refused: it is not there", "1 of them are absent")


def test_weights_that_are_no_numbers_are_told(asked: Any) -> None:
    def change(folder: CaptionFolder) -> None:
        held = read_weight_file(folder.weights)
        write_weight_file({name: one * float("nan") for name, one in held.items()}, folder.weights)

    refused(asked("alone", change), "The decoder gave logits that are no numbers", code=2)
