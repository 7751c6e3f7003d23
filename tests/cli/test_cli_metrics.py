"""`radcap metrics status`: what is ready here, who used it, and how to get the rest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from radcap.metrics import CAPTION_METRICS, EDITIONS

if TYPE_CHECKING:
    from pathlib import Path

    from commands import Command

KEYS = {"name": str, "title": str, "editions": list, "needs": str, "ready": bool, "how": str}
OWN = ["rouge1", "rouge2", "rougeL", "bleu", "bleu1", "bleu2", "bleu3", "bleu4", "cider"]
MODELS = ["bertscore", "bleurt", "alignscore", "similarity", "umls_f1", "medcon", "clipscore"]


@pytest.fixture(autouse=True)
def no_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RADCAP_SPACY_MODEL", "RADCAP_CORENLP"):
        monkeypatch.delenv(name, raising=False)


def test_json_is_one_value_per_metric(radcap: Command) -> None:
    done = radcap("metrics", "status", "--json")
    assert (done.code, done.err) == (0, "")
    states = json.loads(done.out)
    assert [{key: type(value) for key, value in one.items()} for one in states] == [KEYS] * len(states)
    assert [one["name"] for one in states] == [*CAPTION_METRICS, "lemmas"]
    assert all((one["how"] == "") == one["ready"] for one in states)


def test_what_needs_no_model_is_ready_and_what_needs_one_is_not(radcap: Command) -> None:
    states = {one["name"]: one["ready"] for one in json.loads(radcap("metrics", "status", "--json").out)}
    assert [name for name, ready in states.items() if ready][:9] == OWN
    assert not any(states[name] for name in MODELS)


def test_the_editions_are_those_that_score_it(radcap: Command) -> None:
    states = {one["name"]: one["editions"] for one in json.loads(radcap("metrics", "status", "--json").out)}
    assert states.pop("lemmas") == ["2022"]
    for name, used in states.items():
        found = [
            edition.name
            for edition in EDITIONS.values()
            if edition.official.captions and name in edition.official.captions.metrics
        ]
        assert used == found
    assert states["bleu"] == ["2017", "2018", "2021", "2022"]
    assert states["rouge2"] == []


def test_the_table_has_a_row_for_each_and_the_way_to_get_the_rest(radcap: Command) -> None:
    done = radcap("metrics", "status")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    first = [line.split()[0] for line in lines if line.startswith("  ") and line.strip()]
    assert first == ["metric", *CAPTION_METRICS, "lemmas"]
    ways = [line.partition(": ")[0] for line in lines if ": " in line and not line.startswith(" ")]
    assert set(MODELS) <= set(ways)
    assert not set(OWN) & set(ways)


def test_meteor_without_its_program_is_not_ready(radcap: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("radcap.metrics.providers.java.find_spec", lambda _: None)
    states = {one["name"]: one for one in json.loads(radcap("metrics", "status", "--json").out)}
    assert not states["meteor"]["ready"]
    assert "pip install 'radcap[metrics]'" in states["meteor"]["how"]


@pytest.mark.parametrize("given", ["option", "variable"])
def test_corenlp_is_looked_for_where_it_is_said_to_be(
    given: str, radcap: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nlp").mkdir()
    more = ("--corenlp", tmp_path / "nlp") if given == "option" else ()
    if given == "variable":
        monkeypatch.setenv("RADCAP_CORENLP", str(tmp_path / "nlp"))
    for name in ("stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar"):
        states = {one["name"]: one for one in json.loads(radcap("metrics", "status", *more, "--json").out)}
        assert not states["spice"]["ready"]
        (tmp_path / "nlp" / name).write_bytes(b"")
    after = {one["name"]: one for one in json.loads(radcap("metrics", "status", *more, "--json").out)}
    assert "Stanford CoreNLP" not in after["spice"]["how"]  # Java or its script engine may still be lacking


def test_an_unknown_command_is_2(radcap: Command) -> None:
    for arguments in (("metrics", "state"), ("metrics", "status", "--colour"), ("metrics", "status", "bleu")):
        done = radcap(*arguments)
        assert (done.code, done.out) == (2, "")
        assert done.err


@pytest.mark.parametrize("given", ["option", "variable"])
def test_the_lemmas_of_2022_are_ready_where_a_model_folder_is_named(
    given: str, radcap: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = {one["name"]: one for one in json.loads(radcap("metrics", "status", "--json").out)}
    assert "--spacy-model" in states["lemmas"]["how"]
    for name in ("config.cfg", "meta.json"):
        (tmp_path / name).write_text("", encoding="utf-8")
    more = ("--spacy-model", tmp_path) if given == "option" else ()
    if given == "variable":
        monkeypatch.setenv("RADCAP_SPACY_MODEL", str(tmp_path))
    states = {one["name"]: one for one in json.loads(radcap("metrics", "status", "--json", *more).out)}
    assert states["lemmas"]["ready"]
