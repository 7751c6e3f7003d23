"""MedCAT itself: a concept database and a vocabulary made with the library, saved as a pack, linked with.

Needs an interpreter that has the library: `RADCAP_MEDCAT_PYTHON=envs/medcat/bin/python`. Release 2.9.0 was
used with its tokenizer of regular expressions; release 1.16.12 with a blank spaCy pipeline.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from extractor_samples import tiny_vocabulary

from radcap.vocabulary.extractors import open_extractor
from radcap.vocabulary.extractors.medcat import check_medcat

PYTHON = os.environ.get("RADCAP_MEDCAT_PYTHON")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON, reason="RADCAP_MEDCAT_PYTHON names no interpreter with MedCAT"),
]

BUILD = """
import csv, sys
from importlib.metadata import version

import numpy as np

folder = sys.argv[1]
is_new = int(version("medcat").split(".")[0]) >= 2
with open(folder + "/concepts.csv", "w", newline="") as file:
    rows = csv.writer(file)
    rows.writerow(["cui", "name", "name_status", "type_ids"])
    rows.writerows([
        ("C0032227", "Pleural effusion", "P", "T047"),
        ("C0032227", "effusion of pleura", "A", "T047"),
        ("C0040405", "computed tomography", "P", "T060"),
        ("C0817096", "Chest", "P", "T029"),
        ("80891009", "Heart structure", "P", "T023"),
        ("80891009", "heart", "A", "T023"),
        ("11111", "unmapped thing", "P", "T023"),
    ])
from medcat.cat import CAT
from medcat.config import Config
from medcat.vocab import Vocab
if is_new:
    from medcat.model_creation.cdb_maker import CDBMaker
    config = Config()
    config.general.nlp.provider = "regex"
else:
    import spacy
    from medcat.cdb_maker import CDBMaker
    spacy.blank("en").to_disk(folder + "/blank")
    config = Config()
    config.general.spacy_model = folder + "/blank"
    config.preprocessing.min_len_normalize = 1_000  # a blank pipeline has no lemmas
cdb = CDBMaker(config).prepare_csvs([folder + "/concepts.csv"])
vocab = Vocab()
words = "pleural effusion computed tomography chest heart of the with and shows a left in large".split()
for i, word in enumerate(words):
    vocab.add_word(word, cnt=10, vec=np.random.RandomState(i).rand(7))
if is_new:
    cat = CAT(cdb, vocab, config)
    cat.save_model_pack(folder, pack_name="tiny", add_hash_to_pack_name=False)
else:
    vocab.make_unigram_table()
    cat = CAT(cdb=cdb, vocab=vocab, config=config)
    cat.create_model_pack(folder, "tiny")
"""


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a pack that the library made."""
    folder = tmp_path_factory.mktemp("medcat")
    subprocess.run([str(PYTHON), "-c", BUILD, str(folder)], check=True, capture_output=True)
    (packed,) = folder.glob("tiny*.zip")
    return packed.with_suffix("")


@pytest.mark.parametrize("suffix", ["", ".zip"])
def test_a_real_pack_finds_real_concepts(
    pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path))
    options = {"python": str(PYTHON), "pack": f"{pack}{suffix}"}
    check_medcat(options)
    texts = [
        "Computed tomography of the chest shows no large pleural effusion. The heart is seen.",
        "",
        "\ud83d é 😀 \x00 pleural effusion",
        "the unmapped thing",
    ]
    with open_extractor("medcat", [tiny_vocabulary()], options) as extractor:
        found = list(extractor.extract(texts))
    assert [[(one.text, one.cui, one.negated) for one in some] for some in found] == [
        [
            ("Computed tomography", "C0040405", False),
            ("chest", "C0817096", False),
            ("pleural effusion", "C0032227", True),
            ("heart", "C0018787", False),
        ],
        [],
        [("pleural effusion", "C0032227", False)],
        [("unmapped thing", "11111", False)],
    ]
    assert [one.kept for one in found[3]] == [False]
    assert {one.why for one in found[0]} == {extractor.title}  # type: ignore[attr-defined]
    assert all(one.score == 1.0 for one in found[0])
    assert found[0][3].others == ("C1281570",)
