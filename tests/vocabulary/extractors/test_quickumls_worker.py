"""The programs around QuickUMLS, with stand-ins for the library, spaCy and NLTK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from extractor_samples import stand_in_package

from radcap.vocabulary.extractors.workers import quickumls as worker
from radcap.vocabulary.extractors.workers import quickumls_compiler as compiler

if TYPE_CHECKING:
    from pathlib import Path

QUICKUMLS = """
    import nltk, spacy

    class QuickUMLS:
        def __init__(self, folder, **settings):
            self.settings = dict(settings, folder=folder)
            nltk.corpus.stopwords.words()
            self.stop_words = nltk.corpus.stopwords.words("english"), nltk.corpus.stopwords.words("german")
            self.nlp = spacy.load("en_core_web_sm")

        def match(self, text):
            one = {"start": 0, "end": 5, "term": "heart", "semtypes": {"T023"}, "similarity": 1}
            return [[dict(one, cui="C0018787"), dict(one, cui="C1281570")]] if text else []
"""
SPACY = """
    class Pipeline:
        max_length = 1_000_000

    def load(name):
        if {installed}:
            return Pipeline()
        raise OSError(name)

    def blank(language):
        assert language == "en"
        return Pipeline()
"""
NLTK = """
    class stopwords:
        @staticmethod
        def words(language=None):
            if {installed}:
                return ["of"]
            raise LookupError("stopwords")
"""
INSTALL = """
    import os

    def extract_from_mrconso(mrconso, mrsty, opts):
        with open(mrconso) as file:
            for line in file:
                yield line.strip(), opts.language, opts.lowercase, opts.normalize_unicode

    def parse_and_encode_ngrams(names, simstring, cuisty, database_backend):
        os.mkdir(simstring); os.mkdir(cuisty)
        with open(os.path.join(cuisty, database_backend), "w") as file:
            file.write(str(list(names)))
"""
OPTIONS: dict[str, Any] = {
    "data": "folder",
    "overlapping": "score",
    "threshold": 0.7,
    "window": 5,
    "similarity": "jaccard",
    "min_length": 3,
    "types": None,
    "stop_words": ["the"],
}


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    def install(installed: bool, version: str = "1.4.2") -> None:
        files = {"__init__.py": QUICKUMLS, "install.py": INSTALL}
        stand_in_package(monkeypatch, tmp_path, "quickumls", files, version)
        stand_in_package(monkeypatch, tmp_path, "spacy", {"__init__.py": SPACY.format(installed=installed)})
        corpus = {"__init__.py": "from nltk import corpus", "corpus.py": NLTK.format(installed=installed)}
        stand_in_package(monkeypatch, tmp_path, "nltk", corpus)

    return install


def test_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (worker, compiler):
        monkeypatch.setattr(module, "find_spec", lambda name: None if name != "nltk" else name)
        assert module.absent({}) == ["quickumls", "spacy"]


def test_models_and_stop_words_that_are_there_are_used(packages: Any) -> None:
    packages(installed=True)
    tool = worker.open_tool({**OPTIONS, "types": ["T023", "T023"]})
    assert tool.about == {"name": "quickumls", "version": "1.4.2", "notes": []}
    assert tool._matcher.settings["accepted_semtypes"] == {"T023"}
    assert tool._matcher.stop_words == (["of"], ["of"])


def test_what_is_not_there_is_stood_in_for_and_said(packages: Any) -> None:
    packages(installed=False, version="")
    tool = worker.open_tool(OPTIONS)
    assert tool.about["name"] == "QuickUMLS"
    assert [note.split(" ", 3)[:3] for note in tool.about["notes"]] == [
        ["The", "stop", "words"],
        ["The", "spaCy", "model"],
    ]
    assert tool._matcher.stop_words == (["the"], [])
    assert tool._matcher.settings["accepted_semtypes"] is None
    assert tool._matcher.nlp.max_length > 10**9


def test_the_first_concept_of_a_span_is_taken(packages: Any) -> None:
    packages(installed=True)
    assert worker.open_tool(OPTIONS).entities(["heart", ""]) == [
        [
            {
                "start": 0,
                "end": 5,
                "id": "C0018787",
                "name": "heart",
                "types": ["T023"],
                "score": 1.0,
                "others": ["C1281570"],
            }
        ],
        [],
    ]


@pytest.mark.parametrize("lowercase", [True, False])
def test_the_compiler_writes_what_the_command_would(tmp_path: Path, packages: Any, lowercase: bool) -> None:
    packages(installed=True)
    (tmp_path / "MRCONSO.RRF").write_text("one\ntwo\n")
    data = tmp_path / "data"
    data.mkdir()
    given = {"rrf": str(tmp_path), "data": str(data), "lowercase": lowercase, "backend": "unqlite"}
    assert compiler.open_tool({}).compile(given) == 2
    flags = {"language.flag", "database_backend.flag"} | ({"lowercase.flag"} if lowercase else set())
    assert {one.name for one in data.iterdir()} == flags | {"umls-simstring.db", "cui-semtypes.db"}
    assert (data / "database_backend.flag").read_text() == "unqlite"
    said = (data / "cui-semtypes.db" / "unqlite").read_text()
    assert said == str([(name, "ENG", lowercase, False) for name in ("one", "two")])
