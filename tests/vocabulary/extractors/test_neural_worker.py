"""The program around the models, in this process and on real ones, tiny as they are."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from neural_samples import WIDTH, write_models

from radcap.vocabulary.extractors.workers import neural as worker

OPTIONS: dict[str, Any] = {
    "ner": None,
    "linker": None,
    "reranker": None,
    "pooling": "cls",
    "max_tokens": 32,
    "batch": 2,
    "device": "cpu",
    "download": False,
}
NAMES = ["Heart", "heart structure", "chest", "pleural effusion", "CT"]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program sets these for its own process."""
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "TOKENIZERS_PARALLELISM"):
        monkeypatch.setenv(name, "")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return write_models(tmp_path_factory.mktemp("models"))


def opened(folders: dict[str, str], **more: Any) -> worker.Tool:
    return worker.open_tool({**OPTIONS, **folders, **more})


@pytest.fixture(scope="module")
def tool(folders: dict[str, str]) -> worker.Tool:
    before = dict(os.environ)
    try:
        return opened(folders)
    finally:
        os.environ.clear()
        os.environ.update(before)


def spans(tool: worker.Tool, text: str) -> list[str]:
    (found,) = tool.entities([text])
    return [text[one["start"] : one["end"]] for one in found]


def test_the_tagger_marks_words(tool: worker.Tool) -> None:
    assert spans(tool, "CT of the Chest") == ["CT", "of", "Chest"]
    assert spans(tool, "The the") == []
    assert spans(tool, "") == []
    (found,) = tool.entities(["heart"])
    assert found[0]["name"] == "FINDING"
    assert 0.3 < found[0]["score"] < 1


def test_a_long_text_is_read_to_its_end(tool: worker.Tool) -> None:
    """The model takes 38 tokens at once; windows overlap, and what two of them see is told once."""
    text = "the heart, the chest. " * 60
    assert spans(tool, text) == ["heart", ",", "chest", "."] * 60


def test_texts_are_tagged_alike_alone_and_together(tool: worker.Tool) -> None:
    texts = ["heart", "", "CT of the chest and of the heart 😀 é", "the"]
    assert tool.entities(texts) == [tool.entities([text])[0] for text in texts]


def test_names_lie_in_a_file_and_the_nearest_are_found(tool: worker.Tool, tmp_path: Path) -> None:
    path = tmp_path / "names" / "key.f16"
    assert tool.open_names({"path": str(path), "rows": len(NAMES)}) == 0
    assert tool.add_names(NAMES[:3]) == 3
    assert not path.exists()
    assert tool.add_names(NAMES[3:]) == 5
    assert [one.name for one in path.parent.iterdir()] == ["key.f16"]
    vectors = np.fromfile(path, "<f2").reshape(-1, WIDTH).astype(float)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-2)

    found = tool.nearest({"texts": ["heart", "ct", "effusion"], "count": 2})
    assert [len(one) for one in found] == [2, 2, 2]
    assert found[0][0] == [0, pytest.approx(1, abs=2e-3)]
    assert found[1][0] == [4, pytest.approx(1, abs=2e-3)]
    cosines = vectors @ tool._encode(["effusion"]).numpy()[0].astype(float)
    assert found[2][0][0] == int(cosines.argmax())
    assert [value for _, value in found[2]] == pytest.approx(sorted(cosines)[:-3:-1], abs=2e-3)
    assert len(tool.nearest({"texts": ["heart"], "count": 50})[0]) == 5
    assert tool.nearest({"texts": [], "count": 2}) == []
    assert tool.open_names({"path": str(path), "rows": len(NAMES)}) == 5


def test_chunks_do_not_change_what_is_nearest(
    tool: worker.Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool.open_names({"path": str(tmp_path / "key.f16"), "rows": len(NAMES)})
    tool.add_names(NAMES)
    whole = tool.nearest({"texts": NAMES, "count": 3})
    monkeypatch.setattr(worker, "_CHUNK", 2)
    parts = tool.nearest({"texts": NAMES, "count": 3})
    for one, other in zip(whole, parts, strict=True):
        assert [row for row, _ in one] == [row for row, _ in other]
        assert [value for _, value in one] == pytest.approx([value for _, value in other], abs=1e-5)


def test_names_go_on_where_a_killed_process_ended(tool: worker.Tool, tmp_path: Path) -> None:
    path = tmp_path / "key.f16"
    tool.open_names({"path": str(path), "rows": len(NAMES)})
    tool.add_names(NAMES)
    whole = path.read_bytes()
    path.unlink()
    (tmp_path / "key.f16.part").write_bytes(whole[: 2 * WIDTH * 2 + 7])  # two rows and a piece
    assert tool.open_names({"path": str(path), "rows": len(NAMES)}) == 2
    assert tool.add_names(NAMES[2:]) == 5
    assert path.read_bytes() == whole


def test_a_part_that_is_whole_is_put_in_place(tmp_path: Path) -> None:
    path = tmp_path / "key.f16"
    (tmp_path / "key.f16.part").write_bytes(b"\x00" * (3 * 4 * 2 + 1))
    assert worker.NameVectors(path, 3, 4).done == 3
    assert path.stat().st_size == 3 * 4 * 2
    assert worker.NameVectors(tmp_path / "none.f16", 0, 4).done == 0


def test_two_writers_do_not_mix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "key.f16"
    first = worker.NameVectors(path, 3, 4)
    with pytest.raises(RuntimeError, match="another process is writing"):
        worker.NameVectors(path, 3, 4)
    first._file.close()
    monkeypatch.setattr(worker, "find_spec", lambda name: None)
    worker.NameVectors(path, 3, 4)._file.close()


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_vectors_do_not_depend_on_company(folders: dict[str, str], pooling: str) -> None:
    tool = opened(folders, pooling=pooling)
    together = tool._encode(["heart", "pleural effusion of the chest", "ct"])
    for place, name in enumerate(["heart", "pleural effusion of the chest", "ct"]):
        assert torch.allclose(together[place].float(), tool._encode([name])[0].float(), atol=2e-3)


def test_pooling_differs_and_so_does_the_fingerprint(folders: dict[str, str], tmp_path: Path) -> None:
    first, mean, short = opened(folders), opened(folders, pooling="mean"), opened(folders, max_tokens=4)
    assert not torch.allclose(first._encode(["ct"]).float(), mean._encode(["ct"]).float(), atol=1e-2)
    prints = {one.about["fingerprint"] for one in (first, mean, short, opened(folders))}
    assert len(prints) == 3
    assert first.about["width"] == WIDTH
    assert first.about["version"].startswith("transformers 5.")
    other = write_models(tmp_path)
    (Path(other["linker"]) / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nheart")
    assert opened({**folders, "linker": other["linker"]}).about["fingerprint"] not in prints


@pytest.mark.parametrize(
    ("labels", "likely", "expected"), [(2, 0.0, 0.5), (2, 2.0, 0.8808), (1, -2.0, 0.1192)]
)
def test_a_reranker_gives_probabilities(tmp_path: Path, labels: int, likely: float, expected: float) -> None:
    tool = opened(write_models(tmp_path, reranker_labels=labels, likely=likely))
    pairs = [["heart " * 100, "Heart"], ["ct", "chest"], ["", ""]]
    assert tool.rerank(pairs) == pytest.approx([expected] * 3, abs=1e-3)
    assert tool.rerank([]) == []


@pytest.mark.parametrize("role", ["ner", "reranker"])
def test_a_model_for_something_else_is_refused(folders: dict[str, str], role: str) -> None:
    """The library would fill its last layer with random numbers."""
    with pytest.raises(ValueError, match=r"has no weights for classifier\.bias"):
        opened({**folders, role: folders["linker"]})


def test_an_encoder_needs_no_pooling_layer(folders: dict[str, str]) -> None:
    assert opened({**folders, "linker": folders["ner"]}).about["width"] == WIDTH


def test_no_reranker_is_needed(folders: dict[str, str]) -> None:
    assert opened(folders, reranker=None)._reranker is None


@pytest.mark.parametrize("error", [None, ImportError, RuntimeError])
def test_a_torchvision_that_cannot_be_imported_is_hidden(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception] | None
) -> None:
    def load(name: str) -> None:
        assert name == "torchvision"
        if error is not None:
            raise error("operator torchvision::nms does not exist")

    monkeypatch.setitem(sys.modules, "torchvision", sys)  # put back after the test
    monkeypatch.setattr(worker, "import_module", load)
    worker._hide_broken_torchvision()
    assert (find_spec("torchvision") is None) is (error is not None)


def test_the_device_is_found(folders: dict[str, str]) -> None:
    assert opened(folders, device="").about["device"] == ("cuda" if torch.cuda.is_available() else "cpu")


def test_what_is_absent(folders: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    given = {**OPTIONS, **folders, "reranker": None}
    assert worker.absent(given) == []
    assert worker.absent({**given, "linker": "no-one/no-such-model"}) == ["model:no-one/no-such-model"]
    assert worker.absent({**given, "ner": "no folder / no name"}) == ["model:no folder / no name"]
    assert worker.absent({**given, "ner": "no-one/no-such-model", "download": True}) == []
    monkeypatch.setattr(worker, "find_spec", lambda name: None)
    assert worker.absent(given) == ["torch", "transformers"]


@pytest.mark.parametrize("download", [True, False])
def test_the_hub_is_asked_only_when_it_may_be(monkeypatch: pytest.MonkeyPatch, download: bool) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE")
    worker._stay_offline({"download": download})
    assert ("HF_HUB_OFFLINE" in os.environ) is not download


def test_a_name_on_the_hub_is_a_copy_of_it(folders: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    asked: list[tuple[str, bool]] = []

    def snapshot(name: str, *, local_files_only: bool) -> str:
        asked.append((name, local_files_only))
        return folders["linker"]

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    assert worker._folder("owner/name", download=False) == folders["linker"]
    assert worker._folder("owner/name", download=True) == folders["linker"]
    assert worker._folder(folders["ner"], download=False) == folders["ner"]
    assert asked == [("owner/name", True), ("owner/name", False)]
