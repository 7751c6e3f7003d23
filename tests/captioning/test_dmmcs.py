"""Captions that are drawn to the names of decided concepts, held against the formula said plainly."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
import pytest
import torch
from captioning_samples_generation import one_thread
from captioning_samples_training import captioner, detector, drawn, known_backbone, taught
from hypothesis import given
from hypothesis import strategies as st

import radcap
from radcap.captioning.decoders import Decoder, Memory, State
from radcap.captioning.generation import FORBIDDEN, marks_of, write
from radcap.captioning.generation.dmmcs import Guide, weight_of
from radcap.captioning.models import CaptionAnswers
from radcap.captioning.settings import DetectorSettings, GenerateSettings
from radcap.captioning.system_reading import read_caption_system
from radcap.captioning.texts.concept_medians import ConceptMedians, fit_medians, load_medians
from radcap.captioning.texts.words import begun_words, spoken_words
from radcap.captioning.tokens import BpeTokenizer, train_bpe
from radcap.core import InputError
from radcap.core.tables import parse_toml

__all__ = ["known_backbone", "one_thread"]

LIVER, LUNG, CT, NEVER = "C0023884", "C0024109", "C0040405", "C0000001"
NAMES = {LIVER: "Liver", LUNG: "Lung structure", CT: "X-Ray Computed Tomography", NEVER: "Zygote"}
CAPTIONS = [
    *["Axial CT of the abdomen with a mass in the liver.", "CT showing a cyst of the liver."] * 3,
    *["Axial CT of the chest with a nodule in the lung.", "CT showing a mass of the lung."] * 3,
]
TRUTH = np.array([[place % 12 < 6, place % 12 >= 6, True, False] for place in range(12)])
TOKENIZER = train_bpe(CAPTIONS, 330)
MARKS = marks_of(TOKENIZER)


@pytest.fixture(scope="module")
def medians() -> ConceptMedians:
    return fit_medians(CAPTIONS, TRUTH, NAMES)


def nearest(medians: ConceptMedians, name: str, text: str) -> float:
    """The largest cosine of a name with a word of a text, from word to word."""
    words = spoken_words(text)
    found = medians.vectors.cosines([name], words)[0].tolist() if words else []
    return max([0.0, *found])


def plain_distance(medians: ConceptMedians, cuis: list[str], text: str) -> float:
    known = [medians.concepts[cui] for cui in cuis if cui in medians.concepts]
    return sum((nearest(medians, one.name, text) - one.median) ** 2 for one in known)


def test_medians_are_those_of_the_captions_that_carry_a_concept(medians: ConceptMedians) -> None:
    assert set(medians.concepts) == {LIVER, LUNG, CT}  # no caption says the other
    assert medians.concepts[CT].name == "CT"  # as the grammar calls it: the name has no word that is known
    for column, cui in enumerate(NAMES):
        if cui in medians.concepts:
            one = medians.concepts[cui]
            carry = [caption for caption, row in zip(CAPTIONS, TRUTH, strict=True) if row[column]]
            wanted = median(nearest(medians, one.name, caption) for caption in carry)
            assert one.median == pytest.approx(wanted, abs=1e-5)
    assert medians.concepts[LIVER].median == pytest.approx(1, abs=1e-5)


def test_a_concept_without_a_caption_has_no_median() -> None:
    truth = TRUTH.copy()
    truth[:, 1] = False
    assert set(fit_medians(CAPTIONS, truth, NAMES).concepts) == {LIVER, CT}


@given(st.lists(st.text(alphabet=" aB2-'/.é_\u0130", max_size=4), max_size=8))
def test_words_of_pieces_are_those_of_the_whole(pieces: list[str]) -> None:
    said: list[str] = []
    tail = ""
    for piece in pieces:
        finished, tail = begun_words(tail + piece)
        said += finished
    assert [*said, *spoken_words(tail)] == spoken_words("".join(pieces))


@pytest.mark.parametrize("alpha", [0.15, 0.6])
@pytest.mark.parametrize("begun", ["", "CT of the", "Axial CT of the li", "mass of the liver."])
def test_candidates_are_ordered_as_the_published_score_orders_them(
    begun: str, alpha: float, medians: ConceptMedians
) -> None:
    guide = Guide.of(medians, TOKENIZER, GenerateSettings(dmmcs=alpha, beams=1))
    tokens = TOKENIZER.encode(begun)
    written = torch.tensor([tokens, tokens], dtype=torch.long).reshape(2, len(tokens))
    ruled = torch.randn(2, TOKENIZER.size, generator=torch.Generator().manual_seed(1)).log_softmax(1)
    told = [[LIVER, CT], [LUNG, NEVER]]
    weighed = guide.weight(told)(written, ruled, torch.tensor([1, 0]))
    for row, cuis in ((0, told[1]), (1, told[0])):
        candidates = ruled[row].topk(32).indices.tolist()
        published: list[float] = []
        for token in candidates:
            distance = plain_distance(medians, cuis, TOKENIZER.decode([*tokens, token]))
            likelihood = ((1 - alpha) * -float(ruled[row, token]) - 2) / 20
            published.append(-(alpha * distance / 1.5 + likelihood))
        ours = weighed[row, candidates]
        assert torch.allclose(ours * (1 - alpha) / 20 + 0.1, torch.tensor(published), atol=1e-5)
        others = torch.ones(TOKENIZER.size, dtype=torch.bool)
        others[candidates] = False
        assert weighed[row][others].isneginf().all()
    assert weight_of(alpha) == pytest.approx(alpha / 1.5 / ((1 - alpha) / 20))


def test_what_is_forbidden_stays_forbidden_and_the_end_says_nothing(medians: ConceptMedians) -> None:
    guide = Guide.of(medians, TOKENIZER, GenerateSettings(dmmcs=0.5))
    ruled = torch.full((1, TOKENIZER.size), FORBIDDEN)
    ruled[0, MARKS.end] = -1.0
    written = torch.tensor([TOKENIZER.encode("the liver")])
    weighed = guide.weight([[LIVER]])(written, ruled, torch.tensor([0]))
    assert weighed[0, MARKS.end] == pytest.approx(-1.0, abs=1e-4)  # said: no distance
    assert (weighed[0].isfinite() == ruled[0].isfinite()).all()
    other = guide.weight([[LUNG]])(written, ruled, torch.tensor([0]))
    distance = plain_distance(medians, [LUNG], "the liver")
    assert other[0, MARKS.end] == pytest.approx(-1.0 - weight_of(0.5) * distance, abs=1e-4)


@dataclass(frozen=True, eq=False)
class Place:
    step: int

    def take(self, rows: torch.Tensor) -> Place:
        return self


class Undecided(Decoder):
    """Finds each of some captions as likely, the first a little more; what is neither is unlikely."""

    def __init__(self, tokenizer: BpeTokenizer, captions: list[str]) -> None:
        super().__init__()
        rows = [[*tokenizer.encode(one), tokenizer.end] for one in captions]
        self.table = torch.full((max(map(len, rows)) + 1, tokenizer.size), -6.0)
        for place, row in enumerate(rows):
            for step, token in enumerate(row):
                self.table[step, token] = max(float(self.table[step, token]), 3.0 - 0.3 * place)

    def begin(self, memory: Memory, longest: int) -> State:
        return Place(0)

    def step(self, state: State, tokens: torch.Tensor) -> tuple[torch.Tensor, State]:
        assert isinstance(state, Place)
        row = self.table[min(state.step, len(self.table) - 1)]
        return row.expand(len(tokens), -1), Place(state.step + 1)

    def likelihood(self, tokens: tuple[int, ...]) -> float:
        logs = self.table.double().log_softmax(1)
        whole = [*tokens, TOKENIZER.end]
        return sum(float(logs[min(step, len(logs) - 1), token]) for step, token in enumerate(whole))


@pytest.mark.parametrize("method", ["greedy", "beam", "sample"])
def test_the_words_of_a_planted_tag_appear_and_likelihoods_are_the_decoders(
    method: str, medians: ConceptMedians
) -> None:
    decoder = Undecided(TOKENIZER, ["CT showing a mass.", "CT showing the liver.", "CT showing the lung."])
    settings = GenerateSettings(
        method=method,  # type: ignore[arg-type]
        beams=5,
        longest=14,
        dmmcs=0.6,
        no_repeat=0,
        samples=2,
        temperature=0.1,
    )
    memory = Memory(torch.zeros(4, 1, 1), torch.ones(4, 1, dtype=torch.bool))
    weight = Guide.of(medians, TOKENIZER, settings).weight([[LIVER], [LUNG], [], [NEVER]])
    found = write(decoder, memory, settings, MARKS, weights=(weight,), seeds=[1, 2, 3, 4])
    plain = write(decoder, memory, settings, MARKS, seeds=[1, 2, 3, 4])
    said = [TOKENIZER.decode(some[0].tokens) for some in found]
    assert "liver" in said[0]
    assert "lung" in said[1]
    assert found[2:] == plain[2:]  # without a tag that is known nothing is weighed
    for one in (one for some in found for one in some):
        assert one.log_probability == pytest.approx(decoder.likelihood(one.tokens), abs=1e-3)


def test_medians_are_saved_and_opened(medians: ConceptMedians, tmp_path: Path) -> None:
    medians.save(tmp_path)
    opened = load_medians(tmp_path)
    assert opened.concepts == medians.concepts
    assert opened.vectors.words == medians.vectors.words
    tags = opened.tags([LIVER, NEVER, LUNG])
    assert len(tags) == 2
    assert np.array_equal(tags.centroids, medians.tags([LIVER, LUNG]).centroids)


ROW = {"name": "Liver", "median": 0.5}


@pytest.mark.parametrize(
    "text",
    [
        *("{", "[]", "[" * 9999, '{"C1": 3}'),
        *(
            json.dumps({"C1": {**ROW, key: value}})
            for key, value in (("name", 3), ("median", 1), ("median", -0.5), ("median", float("nan")))
        ),
    ],
)
def test_medians_that_are_none_are_refused(text: str, medians: ConceptMedians, tmp_path: Path) -> None:
    medians.save(tmp_path)
    (tmp_path / "medians.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"medians.json cannot be used.* damaged: get it again"):
        load_medians(tmp_path)


@pytest.fixture(scope="module")
def seer(tmp_path_factory: pytest.TempPathFactory, known_backbone: None) -> Path:
    return detector(tmp_path_factory.mktemp("seer") / "d").path


def test_a_captioner_keeps_what_it_is_guided_by(seer: Path, tmp_path: Path) -> None:
    told = GenerateSettings(method="beam", beams=2, longest=10, dmmcs=0.3)
    folder = taught(captioner(detector=DetectorSettings(str(seer)), generate=told), tmp_path / "m")
    kept = load_medians(folder.path)
    fit = drawn().split("train")
    names = folder.names()
    truth = np.array([[cui in row for cui in names] for row in fit.column("cui").to_pylist()])
    wanted = fit_medians([record.captions[0].text for record in fit], truth, names)
    assert kept.concepts == wanted.concepts
    assert {"dmmcs.json", "medians.json"} <= set(folder.card()["files"])
    answers = radcap.predict(folder.path, drawn(), split="test")
    assert isinstance(answers, CaptionAnswers)
    assert all(draft.log_probability for line in answers.lines for draft in line.drafts)
    (folder.path / "medians.json").unlink()
    with pytest.raises(InputError, match=r"medians\.json"):
        radcap.predict(folder.path, drawn(), split="test")


def test_without_a_detector_nothing_can_be_weighed() -> None:
    with pytest.raises(InputError) as caught:
        read_caption_system(parse_toml('name = "x"\ntask = "captions"\n[generate]\ndmmcs = 0.15'))
    assert "dmmcs weighs decided concepts, and nothing decides" in caught.value.issues[0].message
