"""Lemmas by a spaCy model, made here in the layout of the published ones."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest
import spacy
from spacy.lookups import Lookups
from spacy.tokens import Doc
from stand_in import hide

from radcap.core import InputError, Missing
from radcap.metrics.providers.lemmas import MODEL_VARIABLE, Lemmatiser, load_lemmatiser

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RULES = {"noun": [["s", ""], ["es", ""], ["ies", "y"]], "verb": [["ing", ""], ["s", ""]]}
KNOWN = {"noun": ["lung", "opacity", "mass"], "verb": ["show"]}
EXCEPTIONS = {"noun": {"vertebrae": ["vertebra"]}, "verb": {}}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Parts of speech by rule, lemmas by the rules above, and a recogniser of entities that is not wanted."""
    pipeline = spacy.blank("en")
    pipeline.meta.update(name="tiny", version="1.2.3")
    entities: Any = pipeline.add_pipe("ner")
    entities.add_label("FINDING")
    pipeline.initialize()
    speech: Any = pipeline.add_pipe("attribute_ruler", before="ner")
    speech.add([[{"TEXT": {"REGEX": "."}}]], {"POS": "NOUN"})
    speech.add([[{"LOWER": {"REGEX": "^show"}}]], {"POS": "VERB"})
    tables = Lookups()
    for name, table in {"rules": RULES, "index": KNOWN, "exc": EXCEPTIONS}.items():
        tables.add_table(f"lemma_{name}", table)
    lemmatizer: Any = pipeline.add_pipe("lemmatizer", config={"mode": "rule"}, before="ner")
    lemmatizer.initialize(lookups=tables)
    folder = tmp_path_factory.mktemp("models") / "en_tiny"
    pipeline.to_disk(folder)
    return folder


@pytest.fixture(scope="module")
def lemmatise(model: Path) -> Lemmatiser:
    return load_lemmatiser(model)


@pytest.fixture
def broken(model: Path, tmp_path: Path) -> Path:
    return shutil.copytree(model, tmp_path / "model")


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(MODEL_VARIABLE, raising=False)


def test_lemmas_of_each_text_in_order(lemmatise: Lemmatiser) -> None:
    texts = [["lungs", "showing", "opacities"], [], ["chest", "masses", "vertebrae"]]
    assert lemmatise(texts) == [["lung", "show", "opacity"], [], ["chest", "mass", "vertebra"]]
    assert lemmatise([]) == []


def test_more_texts_than_a_batch_holds(lemmatise: Lemmatiser) -> None:
    texts = [[f"word{place}", "lungs"] for place in range(600)]
    assert lemmatise(texts) == [[f"word{place}", "lung"] for place in range(600)]


def test_spacy_parts_words_by_its_own_rules(lemmatise: Lemmatiser) -> None:
    assert lemmatise([["35cm", "cannot"]]) == [["35", "cm", "can", "not"]]


@pytest.mark.parametrize(
    ("words", "lemmas"),
    [
        (["lungs", " ", "showing"], ["lung", "show"]),
        (["lungs\ud800", "\udfff", "masses"], ["lung", "mass"]),
        (["", "lungs", ""], ["lung"]),
    ],
    ids=["a blank is no word", "half surrogates are dropped", "empty words are none"],
)
def test_odd_words(words: list[str], lemmas: list[str], lemmatise: Lemmatiser) -> None:
    assert lemmatise([words]) == [lemmas]


def test_a_caption_longer_than_what_spacy_takes_by_itself(model: Path) -> None:
    lemmatise = load_lemmatiser(model)
    lemmatise.model.tokenizer = lambda text: Doc(lemmatise.model.vocab, text.split()[:1])
    assert lemmatise([["lungs", "x" * 1_000_001]]) == [["lung"]]


def test_only_what_lemmas_need_is_loaded(model: Path, lemmatise: Lemmatiser) -> None:
    assert spacy.load(model).pipe_names == ["attribute_ruler", "lemmatizer", "ner"]
    assert lemmatise.model.pipe_names == ["attribute_ruler", "lemmatizer"]


def test_the_name_says_which_model_it_was(lemmatise: Lemmatiser) -> None:
    assert lemmatise.name == "en_tiny-1.2.3"


def test_the_environment_can_name_the_model(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MODEL_VARIABLE, str(model))
    assert load_lemmatiser()([["masses"]]) == [["mass"]]


def test_no_spacy(monkeypatch: pytest.MonkeyPatch, model: Path) -> None:
    hide("spacy", "radcap.metrics.providers.lemmas", monkeypatch)
    with pytest.raises(Missing, match=r"^spaCy is missing\..*pip install spacy$"):
        load_lemmatiser(model)


@pytest.mark.parametrize("variable", [None, ""])
def test_no_model(variable: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if variable is not None:
        monkeypatch.setenv(MODEL_VARIABLE, variable)
    with pytest.raises(Missing, match=r"^A spaCy model is missing\..*en_core_web_lg\..*RADCAP_SPACY_MODEL"):
        load_lemmatiser()


@pytest.mark.parametrize(
    ("absent", "named"),
    [
        (["config.cfg"], r"model does not hold config\.cfg\."),
        (["meta.json"], r"model does not hold meta\.json\."),
        (["config.cfg", "meta.json"], r"model does not hold config\.cfg or meta\.json\."),
    ],
)
def test_a_folder_that_is_no_model(absent: list[str], named: str, broken: Path) -> None:
    for name in absent:
        (broken / name).unlink()
    with pytest.raises(Missing, match=named):
        load_lemmatiser(broken)


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"nowhere does not hold config\.cfg or meta\.json"):
        load_lemmatiser(tmp_path / "nowhere")


def replaced(name: str, old: str, new: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert old in text
        (folder / name).write_text(text.replace(old, new), encoding="utf-8")

    return change


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda folder: (folder / "config.cfg").write_bytes(b""), r"no \[nlp\] section found"),
        (lambda folder: (folder / "config.cfg").write_bytes(b"\xff\xfe"), "can't decode byte"),
        (lambda folder: (folder / "meta.json").write_bytes(b"{"), "Expected object or value"),
        (lambda folder: (folder / "meta.json").write_bytes(b"[]"), "No valid 'lang' setting"),
        (lambda folder: (folder / "tokenizer").unlink(), "No such file or directory"),
        (lambda folder: (folder / "tokenizer").write_bytes(b"\xc1\xff"), "FormatError"),
        (lambda folder: shutil.rmtree(folder / "lemmatizer"), r"Missing lemmatizer table"),
        (replaced("config.cfg", 'factory = "lemmatizer"', 'factory = "unheard"'), "Can't find factory for"),
        (replaced("config.cfg", 'lang = "en"', 'lang = "zz"'), "Can't import language zz"),
    ],
    ids=[
        "empty configuration",
        "configuration in no encoding",
        "cut meta",
        "meta of another shape",
        "no tokenizer",
        "tokenizer of noise",
        "no tables",
        "unknown component",
        "unknown language",
    ],
)
def test_a_spoilt_model_is_refused_in_one_sentence(
    spoil: Callable[[Path], object], why: str, broken: Path
) -> None:
    spoil(broken)
    with pytest.raises(InputError, match=f"model cannot be loaded as a spaCy model: .*{why}") as caught:
        load_lemmatiser(broken)
    assert len(str(caught.value)) < len(str(broken)) + 400


@pytest.mark.parametrize(("part", "has"), [("sentencizer", "sentencizer"), (None, "nothing")])
def test_a_model_without_lemmas_is_refused(part: str | None, has: str, tmp_path: Path) -> None:
    pipeline = spacy.blank("en")
    if part is not None:
        pipeline.add_pipe(part)
    pipeline.to_disk(tmp_path / "model")
    with pytest.raises(InputError, match=rf"has no lemmatiser \(it has {has}\)"):
        load_lemmatiser(tmp_path / "model")
