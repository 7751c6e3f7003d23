from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from radcap.core import UsageError
from radcap.vocabulary.extractors.medcat import MedcatOptions
from radcap.vocabulary.extractors.neural import NeuralOptions
from radcap.vocabulary.extractors.options import WorkerOptions, read_options, variable
from radcap.vocabulary.extractors.quickumls import QuickumlsOptions


def test_texts_become_values() -> None:
    given = {"data": "d", "threshold": "0.5", "window": "3", "types": "T023, T047", "python": "envs/q/python"}
    read = read_options("quickumls", QuickumlsOptions, given)
    assert (read.data, read.threshold, read.window, read.tuis) == (Path("d"), 0.5, 3, ["T023", "T047"])
    assert read.python == Path("envs/q/python")
    assert QuickumlsOptions().tuis is None


@pytest.mark.parametrize(
    ("text", "value"),
    [("yes", True), ("TRUE", True), ("1", True), ("no", False), ("false", False), ("0", False)],
)
def test_yes_and_no(text: str, value: bool) -> None:
    assert read_options("neural", NeuralOptions, {"download": text}).download is value


def test_names_of_models_stay_texts() -> None:
    assert read_options("neural", NeuralOptions, {"ner": "owner/name"}).ner == "owner/name"


def test_the_environment_stands_below_what_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable("medcat", "pack"), "from/environment.zip")
    monkeypatch.setenv(variable("medcat", "timeout_s"), "7")
    monkeypatch.setenv(variable("medcat", "start_s"), "")
    assert variable("medcat", "pack") == "RADCAP_MEDCAT_PACK"
    read = read_options("medcat", MedcatOptions, {"pack": "given.zip"})
    assert (read.pack, read.timeout_s, read.start_s) == (Path("given.zip"), 7.0, WorkerOptions().start_s)


@pytest.mark.parametrize(
    ("extractor", "kind", "given", "said"),
    [
        ("medcat", MedcatOptions, {"pak": "x"}, "There is no option of medcat 'pak'. Nearest is 'pack'."),
        ("medcat", MedcatOptions, {"pack": "  "}, "The option pack is empty."),
        ("medcat", MedcatOptions, {"timeout_s": "soon"}, "timeout_s='soon' is not a number."),
        ("medcat", MedcatOptions, {"timeout_s": "nan"}, "timeout_s='nan' is not a number."),
        ("medcat", MedcatOptions, {"timeout_s": "0"}, "timeout_s=0 is not between 0.001 and 1e+06."),
        ("medcat", MedcatOptions, {"start_s": "-1"}, "start_s=-1 is not between"),
        ("medcat", MedcatOptions, {"on_error": "skipp"}, "There is no on_error 'skipp'. Nearest is 'skip'."),
        ("quickumls", QuickumlsOptions, {"window": "2.5"}, "window='2.5' is not a whole number."),
        ("quickumls", QuickumlsOptions, {"window": "0"}, "window=0 is not between 1 and 100."),
        ("quickumls", QuickumlsOptions, {"min_length": "0"}, "min_length=0 is not between"),
        ("quickumls", QuickumlsOptions, {"threshold": "1.5"}, "threshold=1.5 is not between 0 and 1."),
        ("quickumls", QuickumlsOptions, {"similarity": "cosin"}, "Nearest is 'cosine'."),
        ("quickumls", QuickumlsOptions, {"overlapping": "x"}, "Known: score, length."),
        ("quickumls", QuickumlsOptions, {"types": "T047,disease"}, "types='disease' is no semantic type."),
        ("neural", NeuralOptions, {"download": "maybe"}, "download='maybe' is not yes or no."),
        ("neural", NeuralOptions, {"threshold": "2"}, "threshold=2 is not between -1 and 1."),
        ("neural", NeuralOptions, {"rerank_threshold": "2"}, "rerank_threshold=2 is not between 0 and 1."),
        ("neural", NeuralOptions, {"candidates": "0"}, "candidates=0 is not between"),
        ("neural", NeuralOptions, {"max_tokens": "1"}, "max_tokens=1 is not between"),
        ("neural", NeuralOptions, {"context": "-1"}, "context=-1 is not between"),
        ("neural", NeuralOptions, {"batch": "0"}, "batch=0 is not between"),
        ("neural", NeuralOptions, {"pooling": "max"}, "There is no pooling 'max'."),
    ],
)
def test_what_cannot_be_meant_is_refused(
    extractor: str, kind: type[WorkerOptions], given: dict[str, str], said: str
) -> None:
    with pytest.raises(UsageError) as refused:
        read_options(extractor, kind, given)
    assert said in str(refused.value)


def test_an_option_of_an_extractor_without_any_is_refused() -> None:
    @dataclass(frozen=True)
    class Nothing:
        pass

    assert read_options("dictionary", Nothing, {}) == Nothing()
    with pytest.raises(UsageError, match=r"^dictionary has no options\. 'x' means nothing to it\."):
        read_options("dictionary", Nothing, {"x": "y"})
