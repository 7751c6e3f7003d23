"""The models in a process of their own, on tiny real ones."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from extractor_samples import tiny_vocabulary, write_tool
from neural_samples import WIDTH, write_models

from radcap.core import Missing
from radcap.vocabulary.extractors import ExtractorFailed, open_extractor
from radcap.vocabulary.extractors import neural as plug_in
from radcap.vocabulary.extractors.entities import IsolatedExtractor

if TYPE_CHECKING:
    from collections.abc import Sequence


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return write_models(tmp_path_factory.mktemp("models"))


def test_captions_become_concepts(
    folders: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path))
    monkeypatch.setattr(plug_in, "_NAMES", 4)
    with open_extractor("neural", [tiny_vocabulary()], {**folders, "threshold": "0.99"}) as extractor:
        assert isinstance(extractor, IsolatedExtractor)
        assert extractor.title.startswith("neural transformers 5.")
        found = list(extractor.extract(["no heart the CT", "", "\ud800 the chest"]))
    assert [(one.text, one.cui, one.negated) for one in found[0][1:]] == [
        ("heart", "C0018787", True),
        ("CT", "C0040405", True),
    ]
    assert found[1] == ()
    assert (found[2][-1].text, found[2][-1].cui) == ("chest", "C0817096")
    assert all(one.score == 0.5 and one.kept for some in found for one in some)  # the reranker's say
    (vectors,) = (tmp_path / "names").iterdir()
    assert vectors.stat().st_size == 9 * WIDTH * 2


def test_a_model_that_is_not_named_is_missing(folders: dict[str, str]) -> None:
    for given, name in (({}, "ner"), ({"ner": folders["ner"]}, "linker")):
        for ask in (
            lambda given=given: open_extractor("neural", [], given),
            lambda given=given: plug_in.check_neural(given),
        ):
            with pytest.raises(Missing, match=f"A model for {name} is missing") as missing:
                ask()
            assert f"RADCAP_NEURAL_{name.upper()}" in missing.value.how


def test_a_check_opens_no_model(
    folders: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(folders["ner"]).parent)
    empty = tmp_path / "empty"
    empty.mkdir()
    plug_in.check_neural({"ner": "ner", "linker": str(empty)})
    with pytest.raises(Missing, match="The model no-one/no-such-model is missing") as missing:
        plug_in.check_neural({"ner": "ner", "linker": "no-one/no-such-model"})
    assert "download=yes" in missing.value.how


@pytest.mark.parametrize(
    ("names", "what"), [(["torch"], "torch"), (["torch", "transformers"], "torch and transformers")]
)
def test_a_library_that_is_absent_is_named(names: Sequence[str], what: str) -> None:
    missing = plug_in._absent(names, Path("python"))
    assert missing.what == what
    assert "radcap[train]" in missing.how


def test_names_that_get_no_vectors_end_the_process(
    folders: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening = "return type('Half', (), {'about': {'fingerprint': 'x'}})()"
    tool = write_tool(tmp_path, "return []", opening=opening)
    monkeypatch.setattr(plug_in, "_TOOL", tool)
    with pytest.raises(ExtractorFailed, match="cannot do 'open_names'"):
        open_extractor("neural", [tiny_vocabulary()], folders)


def test_a_folder_is_named_by_its_full_path(folders: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(folders["ner"]).parent)
    assert plug_in._model("ner") == folders["ner"]
    assert plug_in._model("owner/name") == "owner/name"
    assert plug_in._model(None) is None


def test_what_decides_is_chosen_by_the_options() -> None:
    assert plug_in.NeuralOptions().choosing().rerank_threshold is None
    assert plug_in.NeuralOptions(reranker="r", rerank_threshold=0.2).choosing().rerank_threshold == 0.2
