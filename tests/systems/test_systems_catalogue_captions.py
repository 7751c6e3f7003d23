"""Every published caption system has a file, which says what is known of it and what it scored."""

from __future__ import annotations

import pytest

from radcap.captioning.pretrained_settings import PRETRAINED
from radcap.captioning.system import CaptionModel, CaptionSystem
from radcap.core import Task
from radcap.metrics import board
from radcap.systems import read_concepts, read_system, systems_of

# A team's best run, or the one that a file is: its row of the board by edition, team and place.
SCORED = {
    "2017/bcsg-captions": ("2017", "BCSG", 0),
    "2017/bmet-captions": ("2017", "BMET", 0),
    "2017/isia-captions": ("2017", "ISIA", 0),
    "2017/nlm-captions": ("2017", "NLM", 0),
    "2017/nlm-openi-captions": ("2017", "NLM", 3),
    "2017/prna-captions": ("2017", "PRNA", 0),
    "2022/aueb-captions": ("2022", "AUEB-NLP-Group", 0),
    "2022/cmre-uog-captions": ("2022", "fdallaserra", 0),
    "2022/csiro-captions": ("2022", "CSIRO", 0),
    "2022/eecs-kth-captions": ("2022", "eecs-kth", 0),
    "2022/iust-captions": ("2022", "IUST_NLPLAB", 0),
    "2022/kdelab-captions": ("2022", "kdelab", 0),
    "2022/mai-imagesem-captions": ("2022", "MAI_ImageSem", 0),
    "2022/morgan-captions": ("2022", "Morgan_CS", 0),
    "2022/ssn-captions": ("2022", "SSNSheerinKavitha", 0),
    "2022/vcmi-captions": ("2022", "vcmi", 0),
    "2023/aueb-captions": ("2023", "AUEB-NLP-Group", 0),
    "2023/baseline-captions": ("2023", "Baseline ImageCLEF", 0),
    "2023/bluefield-captions": ("2023", "Bluefield-2023", 0),
    "2023/clef-cse-gan-captions": ("2023", "Clef-CSE-GAN-Team", 0),
    "2023/closeai-captions": ("2023", "closeAI2023", 0),
    "2023/cs-morgan-captions": ("2023", "CS_Morgan", 0),
    "2023/csiro-captions": ("2023", "CSIRO", 0),
    "2023/dlnu-ccse-captions": ("2023", "DLNU_CCSE", 0),
    "2023/iust-captions": ("2023", "IUST_NLPLAB", 0),
    "2023/kde-lab-captions": ("2023", "KDE-Lab_Med", 0),
    "2023/pclmed-captions": ("2023", "PCLmed", 0),
    "2023/ssn-captions": ("2023", "SSNSheerinKavitha", 0),
    "2023/ssn-mlrg-captions": ("2023", "SSN_MLRG", 0),
    "2023/vcmi-captions": ("2023", "VCMI", 0),
    "2025/ai-stat-lab-captions": ("2025", "AI Stat Lab", 0),
    "2025/aueb-captions": ("2025", "AUEB NLP Group", 0),
    "2025/cs-morgan-captions": ("2025", "csmorgan", 0),
    "2025/ds4dh-captions": ("2025", "DS4DH", 0),
    "2025/jj-vmed-captions": ("2025", "JJ-VMed", 0),
    "2025/sakthiii-captions": ("2025", "sakthiii", 0),
    "2025/uit-oggy-captions": ("2025", "UIT-Oggy", 0),
    "2025/umuteam-captions": ("2025", "UMUTeam", 0),
    "2026/aistatlab-captions": ("2026", "AIstatLab", 0),
    "2026/aueb-captions": ("2026", "georkarandreas", 0),
    "2026/csmorgan-captions": ("2026", "csmorgan", 0),
    "2026/ds-gt-captions": ("2026", "b_wang94", 0),
    "2026/gfreitas-captions": ("2026", "gfreitas", 0),
    "2026/tatomir-captions": ("2026", "mihail_tatomir", 0),
    "2026/ufpe-captions": ("2026", "mendesheitor", 0),
    "2026/uit-highdefinition-captions": ("2026", "tanduy2702", 0),
    "rocov2/baseline-captions": ("2023", "Baseline ROCOv2", 0),
}
# Other systems of a team: with a score that the team or the organisers tell, or with none.
TOLD = {
    "2025/organisers-llama4-captions": {"overall": 0.3101, "similarity": 0.9369, "bleurt": 0.3258},
    "2026/ds-gt-blip-captions": {"overall": 0.3564},
    "2026/ds-gt-medgemma-captions": {"overall": 0.3186},
    "2026/ufpe-base-captions": {"overall": 0.3433},
    "2026/ufpe-clip-captions": {"overall": 0.3554},
}
BESIDE = (
    "2017/mami-captions",
    "2022/vcmi-oscar-captions",
    "2022/vcmi-scst-captions",
    "2023/vcmi-retrieval-captions",
    "2023/vcmi-transformer-captions",
    *(f"2025/ai-stat-lab-{way}-captions" for way in ("centroid", "consensus", "summary")),
    *(
        f"2025/aueb-{way}-captions"
        for way in ("dmmcs", "fuser", "mixer", "multisynthesizer", "rerank", "synthesizer")
    ),
    *(f"2025/cs-morgan-{way}-captions" for way in ("modality", "qwen25", "smolvlm")),
    *(f"2025/cs-morgan-{way}-modality-captions" for way in ("qwen25", "smolvlm")),
    *(f"2025/ds4dh-{way}-captions" for way in ("aligner", "cluster-rag", "rag")),
    *(f"2025/organisers-{way}-captions" for way in ("gemma3", "qwen25")),
)
PUBLISHED = (*SCORED, *TOLD, *BESIDE)
KINDS = {"timm", "package", "base", "weights", "service", "data"}
MOST_WORDS = 4


def captions(name: str) -> CaptionSystem:
    system = read_system(name)
    assert isinstance(system, CaptionSystem)
    return system


def parts(system: CaptionSystem) -> tuple[CaptionModel, ...]:
    return (system, *system.member)


def test_every_row_has_a_file_and_every_file_a_row() -> None:
    found = {one.name for one in systems_of("captions") if not one.name.startswith("radcap/")}
    assert found == set(PUBLISHED)
    teams = {
        (edition, row.team) for edition in ("2017", "2022", "2023", "2025", "2026") for row in rows(edition)
    }
    assert teams == {place[:2] for place in SCORED.values()}


def rows(edition: str):
    return board(edition, Task.CAPTIONS)


def test_scores_are_those_of_the_board_or_told() -> None:
    for name, (edition, team, place) in SCORED.items():
        found = [one for one in rows(edition) if one.team == team][place]
        assert dict(captions(name).published) == dict(found.scores), name
    for name in (*TOLD, *BESIDE):
        assert dict(captions(name).published) == TOLD.get(name, {}), name


def test_a_file_says_what_it_is_and_what_is_known_of_it() -> None:
    for name in PUBLISHED:
        system = captions(name)
        assert (system.name, system.edition) == (name, name.partition("/")[0])
        assert system.team, name
        assert system.source, name
        assert system.differs, name
        assert 1 <= len(system.family.split()) <= MOST_WORDS, name
        assert system.need in range(4)
        assert bool(system.need) == bool(system.needs), name
        assert {one.partition(":")[0] for one in system.needs} <= KINDS, name
        assert (system.known == "title") == system.differs.startswith("Only a title is known: "), name
        nothing = system.differs.startswith("Nothing is published beyond the score: ")
        assert (system.known == "nothing") == nothing, name
        assert (system.known == "code") <= ("code" in system.source), name
        assert system.data.captions == "original", name


def weights_of(model: CaptionModel) -> set[str]:
    """The weights that the tables of a captioner name."""
    named: set[str] = set()
    looks = not (model.detector.model or model.detector.system) or not model.detector.share
    own = model.decoder.kind not in (*PRETRAINED, "template", "frequent")
    if looks and own:
        for one in model.backbone.part or (model.backbone,):
            kind = {"timm": f"timm:{one.name}", "none": ""}.get(one.weights, f"weights:{one.weights}")
            named |= {kind} if kind else set()
    if model.detector.system:
        needs = read_concepts(model.detector.system).needs
        named |= {one for one in needs if one.partition(":")[0] in ("timm", "weights")}
    texts = (model.pretrained.model, model.pretrained.eyes, model.decoder.model, model.rerank.model)
    named |= {f"weights:{one}" for one in texts if one}
    if model.refine.model:
        kind = "service" if model.refine.model.startswith("gpt-") else "weights"
        named.add(f"{kind}:{model.refine.model}")
    return named


def test_what_is_needed_is_what_the_tables_name() -> None:
    for name in PUBLISHED:
        system = captions(name)
        needed = set[str]().union(*(weights_of(one) for one in parts(system)))
        if system.member:  # which have tables of their own, where the whole has no more than the joining
            needed = set[str]().union(*(weights_of(one) for one in (*system.member, joining(system))))
        told = {one for one in system.needs if one.partition(":")[0] != "data" and one != "service:Open-i"}
        assert told == needed, name


def joining(system: CaptionSystem) -> CaptionModel:
    return CaptionModel(rerank=system.rerank, refine=system.refine)


def test_a_detector_is_one_network() -> None:
    for name in PUBLISHED:
        for one in parts(captions(name)):
            if one.detector.system:
                assert not read_concepts(one.detector.system).member, name


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("2022/iust-captions", {"decoder.kind": "words", "decoder.words": 26}),
        ("2022/csiro-captions", {"generate.no_repeat": 3, "image.size": 384}),
        (
            "2023/csiro-captions",
            {"scst.metric": "bertscore", "scst.epochs": 3, "scst.lr": 5e-6, "scst.top_k": 50},
        ),
        ("2023/csiro-captions", {"generate.beams": 4, "generate.longest": 256, "train.early_stop": 8}),
        (
            "rocov2/baseline-captions",
            {"train.epochs": 2, "train.optimiser": "adafactor", "generate.longest": 128},
        ),
        (
            "2025/ds4dh-captions",
            {"train.lr": 5e-6, "train.batch": 15, "generate.beams": 5, "generate.shortest": 5},
        ),
        (
            "2025/ds4dh-cluster-rag-captions",
            {"condition.neighbours": 3, "condition.alike": 0.9, "condition.clusters": 100},
        ),
        ("2025/aueb-dmmcs-captions", {"generate.dmmcs": 0.15, "generate.beams": 5, "generate.longest": 120}),
        ("2025/aueb-synthesizer-captions", {"refine.similar": 0.75, "post.words": 50}),
        (
            "2025/aueb-rerank-captions",
            {"generate.samples": 4, "generate.top_p": 0.9, "generate.temperature": 0.8},
        ),
        (
            "2025/aueb-mixer-captions",
            {"scst.mix": 1.0, "scst.mix_end": 0.0, "scst.top_p": 0.95, "scst.temperature": 0.6},
        ),
        ("2025/ai-stat-lab-captions", {"rerank.by": "alignment", "decoder.bridge": "q-former"}),
        ("2026/aueb-captions", {"decoder.queries": 32, "generate.beams": 5, "backbone.frozen": True}),
        (
            "2026/ufpe-captions",
            {"condition.neighbours": 3, "generate.temperature": 0.1, "pretrained.train": False},
        ),
    ],
)
def test_settings_that_are_published(name: str, settings: dict[str, object]) -> None:
    for key, wanted in settings.items():
        found: object = captions(name)
        for part in key.split("."):
            found = getattr(found, part)
        assert found == wanted, key


def test_the_router_of_isia_has_a_member_for_each_length() -> None:
    system = captions("2017/isia-captions")
    ends = [(one.data.least, one.data.most) for one in system.member[:-1]]
    assert ends == [(1, 10), (11, 20), (21, 35), (36, 0)]
    assert (system.join.rule, system.join.append) == ("router", (system.member[-1].name,))
    assert system.member[-1].decoder.kind == "nearest"


def test_the_prompt_of_cs_morgan_is_the_published_form() -> None:
    prompt = captions("2025/cs-morgan-modality-captions").condition.prompt
    assert prompt == "{modality} image: {image}. Describe the medical image."
