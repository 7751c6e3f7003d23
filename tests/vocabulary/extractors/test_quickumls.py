"""QuickUMLS behind a tool that answers in its place; `test_real_quickumls` has the library itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from extractor_samples import tiny_vocabulary, write_tool

from radcap.core import Missing, UsageError
from radcap.vocabulary.extractors import compile_quickumls, open_extractor
from radcap.vocabulary.extractors import quickumls as plug_in
from radcap.vocabulary.extractors.isolated import Tool

FOUND = """
    assert self.options["types"] == ["T023", "T047"] and len(self.options["stop_words"]) == 179
    assert (self.options["threshold"], self.options["window"]) == (1.0, 5)
    return [
        [{"start": 3, "end": 8, "id": "C0018787", "name": "heart", "score": 1.0, "others": ["C1281570"]}]
        for text in texts
    ]
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name in ("umls-simstring.db", "cui-semtypes.db"):
        (tmp_path / "data" / name).mkdir(parents=True)
    return tmp_path / "data"


def test_its_choice_and_what_else_it_could_be(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        plug_in, "_TOOL", Tool("QuickUMLS", write_tool(tmp_path, FOUND).file, plug_in._absent)
    )
    options = {"data": str(data), "threshold": "1", "types": "T023,T047"}
    plug_in.check_quickumls(options)
    with open_extractor("quickumls", [tiny_vocabulary()], options) as extractor:
        ((found,),) = extractor.extract(["no heart"])
    assert (found.cui, found.name, found.types, found.others) == (
        "C0018787",
        "Heart",
        ("T023",),
        ("C1281570",),
    )
    assert (found.negated, found.score, found.why) == (True, 1.0, "Told 1, jaccard 1")


@pytest.mark.parametrize(
    ("given", "why"), [({}, "needs a folder"), ({"data": "no/such"}, "umls-simstring.db or cui-semtypes.db")]
)
def test_data_that_are_not_there_are_missing(given: dict[str, str], why: str) -> None:
    with pytest.raises(Missing, match=why) as missing:
        open_extractor("quickumls", [], given)
    assert "quickumls.install" in missing.value.how


def test_this_environment_has_no_quickumls(data: Path, tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"^QuickUMLS is missing\. .* has no package quickumls\."):
        plug_in.check_quickumls({"data": str(data)})
    with pytest.raises(Missing, match="pip install quickumls"):
        compile_quickumls(tiny_vocabulary(), tmp_path / "new", {})
    assert not (tmp_path / "new").exists()


def test_a_package_it_needs_is_named() -> None:
    assert plug_in._absent(["spacy", "nltk"], Path("python")).what == "spacy and nltk"


def test_data_are_compiled_beside_and_put_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = write_tool(tmp_path, "return []").file
    text = told.read_text("utf-8") + (
        "    def compile(self, given):\n"
        "        names = open(given['rrf'] + '/MRCONSO.RRF', encoding='utf-8').readlines()\n"
        "        open(given['data'] + '/made', 'w').write(given['backend'] + str(given['lowercase']))\n"
        "        return len(names)\n"
    )
    told.write_text(text, encoding="utf-8")
    monkeypatch.setattr(plug_in, "_COMPILER", Tool("QuickUMLS", told, plug_in._absent))
    data = tmp_path / "below" / "data"
    assert compile_quickumls(tiny_vocabulary(), data, {}, lowercase=False) == 9
    assert [one.name for one in data.iterdir()] == ["made"]
    assert (data / "made").read_text() == "unqliteFalse"
    assert [one.name for one in data.parent.iterdir()] == ["data"]
    with pytest.raises(UsageError, match="There is something at"):
        compile_quickumls(tiny_vocabulary(), data, {})
