"""What a caption may claim: the grounds of an image, the judge, and captions that never go beyond."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest
import torch
from captioning_samples_models import captioner, real
from hypothesis import given
from hypothesis import strategies as st

from radcap.captioning.building import make_top
from radcap.captioning.generation import Candidate
from radcap.captioning.grammar import LEADING_WORDS, Role, plain_words, role_of, words_of
from radcap.captioning.grammar.concepts import known_concepts
from radcap.captioning.models import open_captioner
from radcap.captioning.models import scribe as scribe_module
from radcap.captioning.models.scribe import Page, Scribe
from radcap.captioning.models.support import Grounds, Judge, grounds_of
from radcap.captioning.naming import claims, finding_phrases
from radcap.captioning.settings import GenerateSettings, PostSettings
from radcap.captioning.texts import finished
from radcap.captioning.tokens import train_bpe
from radcap.detection.models.answers import Answers
from radcap.vision.training.devices import pick_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from radcap.captioning.models import CaptionFolder
    from radcap.captioning.tokens import Tokenizer

CT, MRI, XRAY, SCINTI = "C0040405", "C0024485", "C1306645", "C0034606"
CHEST, AXIAL = "C0817096", "C0205131"
EFFUSION, PNEUMOTHORAX = "C0032227", "C0032326"
LABELS = (EFFUSION, CT, CHEST, XRAY, PNEUMOTHORAX, AXIAL, SCINTI)
NAMES = {cui: one.phrase for cui, one in known_concepts().items()}
PHRASES = [one for cui, one in NAMES.items() if role_of(cui) is Role.FINDING]
MACHINES = [
    "CT",
    "MR image",
    "radiograph",
    "X-ray",
    "ultrasound",
    "PET/CT",
    "bone scan",
    "T2-weighted",
    "CTA",
]


def answers(*rows: Sequence[float], decided: Sequence[Sequence[int]] | None = None, **more: Any) -> Answers:
    p = np.array(rows, np.float32)
    chosen = p >= 0.5 if decided is None else np.array(decided, np.bool_)
    given: dict[str, Any] = {"probabilities": p} | more
    return Answers(tuple(f"i{row}" for row in range(len(rows))), LABELS, chosen, **given)


def judge_of(tokenizer: Tokenizer, **post: Any) -> Judge:
    return Judge.of(tokenizer, {}, PostSettings(**post), NAMES)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    """Most words are one piece, so that chance writes words."""
    texts = [f"{machine} showing {one}." for one in PHRASES for machine in MACHINES]
    return train_bpe(texts, 3000)


def test_findings_are_supported_from_the_threshold_on_and_the_first_modality_is() -> None:
    told = answers(
        [0.5, 0.2, 0.9, 0.3, 0.8, 0.9, 0.1], [0.49, 0.9, 0.1, 0.95, 0, 0, 0], [0, 0.1, 0, 0.1, 0, 0, 0.2]
    )
    first, second, third = grounds_of(told, NAMES, 0.5)
    assert list(first.supported) == [XRAY, PNEUMOTHORAX, EFFUSION]  # the modality, then the most probable
    assert first.supported[PNEUMOTHORAX] == pytest.approx(0.8)
    assert list(second.supported) == [XRAY]
    assert list(third.supported) == [SCINTI]  # it is none of the challenge, and one all the same
    assert first.decided == (CHEST, AXIAL, PNEUMOTHORAX, EFFUSION)
    assert list(grounds_of(told, NAMES, 0.81)[0].supported) == [XRAY]


def test_a_finding_that_the_detector_does_not_decide_for_is_not_supported() -> None:
    told = answers([0.9, 0.1, 0, 0.9, 0.8, 0, 0], decided=[[1, 0, 0, 1, 0, 0, 0]])
    assert list(grounds_of(told, NAMES, 0.5)[0].supported) == [XRAY, EFFUSION]


def test_two_findings_support_what_they_are_called_together() -> None:
    pneumonia, covid, both = "C0032285", "C5203670", "C5244027"
    sure = np.array([[0.9, 0.7]], np.float32)
    told = Answers(("i",), (covid, pneumonia), np.ones((1, 2), np.bool_), probabilities=sure)
    (grounds,) = grounds_of(told, {}, 0.5)
    assert list(grounds.supported) == [covid, pneumonia, both]
    assert grounds.supported[both] == pytest.approx(0.7)
    assert next(grounds.plain({})) == "Radiology image showing COVID-19 pneumonia."
    assert both not in grounds_of(told, {}, 0.8)[0].supported


def test_a_detector_that_only_decides_supports_what_it_decides_for() -> None:
    told = answers([0.0] * 7, [0.0] * 7, decided=[[1, 1, 0, 0, 0, 0, 0], [0] * 7], probabilities=None)
    first, second = grounds_of(told, NAMES, 0.5)
    assert first.supported == {CT: 1.0, EFFUSION: 1.0}
    assert second == Grounds((), {})


def test_without_modalities_none_is_supported() -> None:
    told = Answers(("i",), (EFFUSION,), np.ones((1, 1), np.bool_), probabilities=np.ones((1, 1), np.float32))
    assert grounds_of(told, NAMES, 0.5) == [Grounds((EFFUSION,), {EFFUSION: 1.0})]
    assert grounds_of(Answers((), (EFFUSION,), np.zeros((0, 1), np.bool_)), NAMES, 0.5) == []


def test_concepts_that_no_file_knows_are_judged_by_their_given_names() -> None:
    told = Answers(("i",), ("C9999999",), np.ones((1, 1), np.bool_))
    assert grounds_of(told, {"C9999999": "something odd"}, 0.5) == [Grounds(("C9999999",), {})]


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ("Chest radiograph with a pneumothorax.", ()),
        ("Chest radiograph with a pleural effusion.", (EFFUSION, "effusion", "pleural")),
        ("Chest radiograph without pleural effusion.", ("effusion", "pleural")),  # nor is it denied
        ("Axial CT of the chest with a pneumothorax.", (CT,)),
        ("MRI of the chest.", (MRI,)),
        ("Chest radiograph of a zebra.", ("a", "zebra")),
        ("Chest radiograph of the chest with a pneumothorax.", ("chest",)),
        ("The chest.", ()),
        ("", ()),
    ],
)
def test_what_is_said_without_support_is_told(
    text: str, refused: tuple[str, ...], tokenizer: Tokenizer
) -> None:
    grounds = Grounds((), {XRAY: 0.9, PNEUMOTHORAX: 0.8})
    assert judge_of(tokenizer).refused(text, grounds) == tuple(sorted(refused))


def test_a_caption_is_judged_as_it_is_handed_in(tokenizer: Tokenizer) -> None:
    text = "Pneumothorax was not seen on the chest radiograph."
    assert claims(text) == {XRAY}
    assert finished(text, PostSettings(words=3)) == "Pneumothorax."
    assert judge_of(tokenizer, words=3).refused(text, Grounds((), {XRAY: 1.0})) == (
        PNEUMOTHORAX,
        "pneumothorax",
    )


@pytest.mark.parametrize(
    ("supported", "decided", "said"),
    [
        ({XRAY: 1.0, EFFUSION: 1.0}, (CHEST,), "Chest radiograph showing a pleural effusion."),
        ({XRAY: 1.0}, (CHEST, PNEUMOTHORAX, CT), "Chest radiograph."),
        ({}, (CHEST, AXIAL), "Transverse chest radiology image."),
        ({}, (PNEUMOTHORAX,), ""),
        ({}, (), ""),
    ],
)
def test_the_plain_sentence_says_what_is_supported_and_where_it_is(
    supported: dict[str, float], decided: tuple[str, ...], said: str, tokenizer: Tokenizer
) -> None:
    assert judge_of(tokenizer).plain(Grounds(decided, supported)) == said


def test_a_plain_sentence_that_names_more_than_it_should_loses_findings(tokenizer: Tokenizer) -> None:
    places = {name: cui for cui, name in NAMES.items()}
    found = {places[one]: 1.0 for one in ("agenesis of the corpus callosum", "neurofibromatosis type 1")}
    grounds = Grounds((), {XRAY: 1.0, **found})
    said = [judge_of(tokenizer, words=words).plain(grounds) for words in (55, 6, 5)]
    assert said[0].startswith("Radiograph showing agenesis of the corpus callosum and ")
    assert claims(finished(said[0], PostSettings(words=6))) - grounds.supported.keys()
    assert said[1:] == ["Radiograph.", "Radiograph."]


def test_a_region_that_no_list_knows_is_left_out_before_the_modality_is(tokenizer: Tokenizer) -> None:
    thumb, names = "C0040067", {**NAMES, "C0040067": "Thumb"}
    judge = Judge.of(tokenizer, {}, PostSettings(), names)
    grounds = Grounds((thumb,), {XRAY: 1.0, PNEUMOTHORAX: 0.9})
    assert next(grounds.plain(names)) == "Radiograph of the thumb showing a pneumothorax."
    assert judge.plain(grounds) == "Radiograph."


FINDINGS = sorted(cui for cui in NAMES if role_of(cui) is Role.FINDING)
OTHERS = sorted(set(NAMES) - set(FINDINGS))
MODALITIES = sorted(cui for cui in NAMES if role_of(cui) is Role.MODALITY)


@given(
    findings=st.lists(st.sampled_from(FINDINGS), max_size=6, unique=True),
    others=st.lists(st.sampled_from(OTHERS), max_size=4, unique=True),
    modality=st.lists(st.sampled_from(MODALITIES), max_size=1),
    words=st.integers(1, 60),
)
def test_no_plain_sentence_claims_more_than_is_supported(
    findings: list[str], others: list[str], modality: list[str], words: int, tokenizer: Tokenizer
) -> None:
    grounds = Grounds((*findings, *others), dict.fromkeys([*modality, *findings], 1.0))
    judge = judge_of(tokenizer, words=words)
    assert claims(finished(judge.plain(grounds), judge.post)) <= grounds.supported.keys()


def scribe_of(
    tokenizer: Tokenizer, judge: Judge, generate: GenerateSettings, kind: str = "transformer"
) -> Scribe:
    torch.manual_seed(0)
    system = captioner("chance", kind, generate=generate, post=judge.post)
    top = make_top(system, tokenizer, LABELS, 8).eval()
    with torch.no_grad():
        for one in top.parameters():
            one.normal_()  # writes anything, with much to choose from
    return Scribe(system, top.writer, tokenizer, LABELS, pick_place("cpu"), None, judge)


def random_grounds(lots: random.Random) -> Grounds:
    supported = [*lots.sample(MODALITIES, 1), *lots.sample(FINDINGS, lots.randint(0, 4))]
    return Grounds(tuple(lots.sample(OTHERS, 2)), dict.fromkeys(supported, 0.9))


def words_for(grounds: Grounds) -> set[str]:
    """Those of the picture, of the findings that are supported, and of what leads to them."""
    told = " ".join([*plain_words(), *LEADING_WORDS, *(NAMES[cui] for cui in grounds.supported)])
    return {"radiology", "image", *words_of(told.lower())}


def random_text(lots: random.Random) -> str:
    """Words of findings and machines, some negated, with stops and junk anywhere."""
    parts = lots.choices(
        ["showing", "no", "without", "was not seen", ".", ",", "and", "(a)", "Figure 1."], k=6
    )
    parts += [*lots.sample(PHRASES, 3), *lots.sample(MACHINES, 2)]
    lots.shuffle(parts)
    return " ".join(parts)


@pytest.mark.parametrize("words", [4, 9, 55])
@pytest.mark.parametrize("method", ["beam", "mbr"])
def test_whatever_is_drafted_no_caption_claims_what_is_not_supported(
    method: Literal["beam", "mbr"], words: int, tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    lots = random.Random(words)  # noqa: S311 - no secret
    judge = judge_of(tokenizer, words=words)
    settings: Any = GenerateSettings(method=method, longest=16, supported=True)
    scribe = scribe_of(tokenizer, judge, settings)

    def drafted(decoder: object, memory: Sequence[object], *_: object, **__: object) -> list[list[Candidate]]:
        rows = ([tuple(tokenizer.encode(random_text(lots))) for _ in range(3)] for _ in range(len(memory)))
        return [[Candidate(one, -1.0, -1.0) for one in row] for row in rows]

    monkeypatch.setattr(scribe_module, "write", drafted)
    ways = set[str]()
    for start in range(0, 200, 20):
        ids = tuple(f"i{start + row}" for row in range(20))
        grounds = [random_grounds(lots) for _ in ids]
        lines = scribe.lines(Page(ids, torch.randn(20, 8, 1, 1), grounds))
        assert tuple(one.image for one in lines) == ids
        for line, known in zip(lines, grounds, strict=True):
            assert claims(line.caption) <= known.supported.keys(), line
            assert set(words_of(line.caption.lower())) <= words_for(known), line
            assert 1 <= len(line.caption.split()) <= words
            assert dict(line.concepts) == dict(known.supported)
            fine = [one for one in line.drafts if not one.refused]
            assert bool(fine) == (line.by == method)
            if fine:
                assert line.caption == finished(fine[0].text, judge.post)
        ways |= {one.by for one in lines}
    assert "plain, since no draft was supported" in ways


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_a_random_writer_never_claims_what_is_not_supported(kind: str, tokenizer: Tokenizer) -> None:
    """With the ban of phrases while it writes, and a word or two of many findings in most drafts."""
    lots = random.Random(5)  # noqa: S311 - no secret
    judge = Judge.of(tokenizer, finding_phrases(PHRASES), PostSettings(), NAMES)
    settings = GenerateSettings(method="mbr", samples=3, longest=10, supported=True, temperature=3.0)
    scribe = scribe_of(tokenizer, judge, settings, kind)
    ids = tuple(f"{kind}{row}" for row in range(48))
    grounds = [random_grounds(lots) for _ in ids]
    lines = scribe.lines(Page(ids, torch.randn(len(ids), 8, 2, 2), grounds))
    for line, known in zip(lines, grounds, strict=True):
        assert claims(line.caption) <= known.supported.keys(), line
    assert any(one.refused for line in lines for one in line.drafts)  # modalities are not banned, but judged


def test_without_the_check_drafts_are_taken_as_they_come(tokenizer: Tokenizer) -> None:
    scribe = scribe_of(tokenizer, judge_of(tokenizer), GenerateSettings(method="greedy", longest=10))
    lines = replace(scribe, judge=None).lines(Page(("a", "b"), torch.randn(2, 8, 2, 2)))
    assert [one.by for one in lines] == ["greedy", "greedy"]
    assert all(draft.refused == () for one in lines for draft in one.drafts)
    assert all(not one.concepts and not one.neighbours for one in lines)


def test_a_writer_that_says_nothing_leaves_the_fallback(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = judge_of(tokenizer, fallback="An image")
    scribe = scribe_of(tokenizer, judge, GenerateSettings(method="greedy", longest=10))
    for drafts, checker in (([], None), ([Candidate((), 0.0, 0.0)], judge), ([], judge)):
        monkeypatch.setattr(scribe_module, "write", lambda *_, drafts=drafts, **__: [drafts])
        [line] = replace(scribe, judge=checker).lines(
            Page(("a",), torch.zeros(1, 8, 1, 1), [Grounds((), {})])
        )
        assert line.caption == "An image."


def test_captions_of_a_trained_captioner_claim_what_its_detector_supports(
    captioners: dict[str, CaptionFolder],
) -> None:
    for name in ("writer", "apart"):
        said = open_captioner(captioners[name].path, "cpu").answers(real())
        assert len(said.lines) == len(real())
        for line in said.lines:
            assert claims(line.caption) <= line.concepts.keys(), line
            assert line.drafts
