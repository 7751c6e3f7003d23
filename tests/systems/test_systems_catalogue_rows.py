"""Every published concept system has a file, which says what is known of it and what it scored."""

from __future__ import annotations

import pytest

from radcap.core import Task
from radcap.detection.system import models
from radcap.metrics import board
from radcap.systems import read_concepts, systems_of

EARLIER = (
    "2017/aai-concepts",
    "2017/bmet-concepts",
    "2017/ipl-concepts",
    "2017/mami-concepts",
    "2017/msu-concepts",
    "2017/mupb-concepts",
    "2017/nlm-cnn-concepts",
    "2017/nlm-concepts",
    "2017/nlm-openi-concepts",
    "2017/prna-concepts",
    "2017/uapt-autoencoder-concepts",
    "2017/uapt-concepts",
    "2019/mean-knn-concepts",
    "2019/tagcxn-concepts",
    "2021/aueb-concepts",
    "2022/aueb-concepts",
    "2022/cmre-uog-concepts",
    "2022/csiro-concepts",
    "2022/eecs-kth-concepts",
    "2022/iust-concepts",
    "2022/kdelab-concepts",
    "2022/morgan-concepts",
    "2022/polimi-concepts",
    "2022/sdva-ucsd-concepts",
    "2022/ssn-concepts",
    "2022/vcmi-concepts",
    "2022/vcmi-retrieval-concepts",
    "2022/vcmi-types-concepts",
    "2024/aueb-concepts",
    "2024/dbs-hhu-concepts",
    "2024/ds-biomed-concepts",
    "2024/ssnmlrgksr-concepts",
)

# --- 2023, 2025, 2026, ROCOv2 and radcap's own: names ---
LATER = (
    "2023/aueb-concepts",
    "2023/baseline-b0-concepts",
    "2023/baseline-v2s-concepts",
    "2023/clef-cse-gan-concepts",
    "2023/closeai-concepts",
    "2023/cs-morgan-concepts",
    "2023/iust-concepts",
    "2023/kde-lab-concepts",
    "2023/ssn-concepts",
    "2023/ssn-mlrg-concepts",
    "2023/vcmi-adversarial-concepts",
    "2023/vcmi-caption-concepts",
    "2023/vcmi-chained-concepts",
    "2023/vcmi-concepts",
    "2023/vcmi-contrastive-concepts",
    "2023/vcmi-merged-concepts",
    "2023/vcmi-retrieval-concepts",
    "2023/vcmi-types-concepts",
    "2025/aueb-concepts",
    "2025/aueb-curriculum-concepts",
    "2025/aueb-sam-concepts",
    "2025/deeplens-concepts",
    "2025/deeplens-kclip-concepts",
    "2025/ds4dh-concepts",
    "2025/ds4dh-masked-concepts",
    "2025/jj-vmed-concepts",
    "2025/jj-vmed-inside-concepts",
    "2025/lekshmiscopevit-concepts",
    "2025/mapan-concepts",
    "2025/organisers-concepts",
    "2025/sakthiii-concepts",
    "2025/uit-oggy-concepts",
    "2025/umuteam-concepts",
    "2026/archimedes-concepts",
    "2026/archimedes-soft-concepts",
    "2026/deeplens-concepts",
    "2026/ds-gt-concepts",
    "2026/ds-gt-knn-concepts",
    "2026/spu-concepts",
    "2026/uit-worker-concepts",
    "radcap/detector-concepts",
    "radcap/frequent-concepts",
    "radcap/fusion-concepts",
    "radcap/lite0-concepts",
    "radcap/quick-concepts",
    "radcap/random-concepts",
    "radcap/top100-concepts",
    "rocov2/baseline-b0-concepts",
    "rocov2/baseline-v2s-concepts",
)

F1_EARLIER = {  # as printed: F1 over all concepts, F1 over the manual ones; None: not published
    "2017/aai-concepts": (0.1583, None),
    "2017/bmet-concepts": (0.0958, None),
    "2017/ipl-concepts": (0.1436, None),
    "2017/mami-concepts": (0.0462, None),
    "2017/msu-concepts": (0.0498, None),
    "2017/mupb-concepts": (0.0028, None),
    "2017/nlm-concepts": (0.0880, None),
    "2017/nlm-openi-concepts": (0.1718, None),
    "2017/prna-concepts": (0.1208, None),
    "2017/uapt-autoencoder-concepts": (0.0414, None),
    "2017/uapt-concepts": (0.0488, None),
    "2022/aueb-concepts": (0.4511, 0.7907),
    "2022/cmre-uog-concepts": (0.4505, 0.8222),
    "2022/csiro-concepts": (0.4471, 0.7936),
    "2022/eecs-kth-concepts": (0.4360, 0.8546),
    "2022/iust-concepts": (0.3981, 0.6732),
    "2022/kdelab-concepts": (0.3104, 0.4120),
    "2022/morgan-concepts": (0.3520, 0.6281),
    "2022/polimi-concepts": (0.4320, 0.8512),
    "2022/sdva-ucsd-concepts": (0.3079, 0.5524),
    "2022/ssn-concepts": (0.4184, 0.6544),
    "2022/vcmi-concepts": (0.4329, 0.8634),
    "2024/aueb-concepts": (None, 0.9393),
    "2024/ds-biomed-concepts": (0.61998, None),
    "2024/ssnmlrgksr-concepts": (0.600, None),
}

# --- 2023, 2025, 2026 and ROCOv2: scores ---
F1_LATER: dict[str, tuple[float | None, float | None]] = {
    "2023/aueb-concepts": (0.5223, 0.9258),
    "2023/baseline-b0-concepts": (0.5099, 0.9309),
    "2023/baseline-v2s-concepts": (0.5215, 0.9407),
    "2023/clef-cse-gan-concepts": (0.4957, 0.9106),
    "2023/closeai-concepts": (0.0900, 0.2152),
    "2023/cs-morgan-concepts": (0.4834, 0.8902),
    "2023/iust-concepts": (0.4959, 0.8804),
    "2023/kde-lab-concepts": (0.5074, 0.9321),
    "2023/ssn-concepts": (0.4649, 0.8603),
    "2023/ssn-mlrg-concepts": (0.0173, 0.1122),
    "2023/vcmi-concepts": (0.4998, 0.9162),
    "2025/aueb-concepts": (0.5888, 0.9484),
    "2025/deeplens-concepts": (0.5766, 0.9299),
    "2025/ds4dh-concepts": (0.5225, 0.8672),
    "2025/jj-vmed-concepts": (0.3982, 0.8329),
    "2025/lekshmiscopevit-concepts": (0.1494, 0.2298),
    "2025/mapan-concepts": (0.5660, 0.9298),
    "2025/sakthiii-concepts": (0.4003, 0.9082),
    "2025/uit-oggy-concepts": (0.5613, 0.9104),
    "2025/umuteam-concepts": (0.2398, 0.5377),
    "2026/archimedes-concepts": (0.5781, 0.9591),
    "2026/archimedes-soft-concepts": (0.5764, None),
    "2026/deeplens-concepts": (0.5648, None),
    "2026/ds-gt-concepts": (0.5790, 0.9657),
    "2026/ds-gt-knn-concepts": (0.5780, 0.9599),
    "2026/spu-concepts": (0.5725, 0.9419),
    "2026/uit-worker-concepts": (0.5725, 0.9533),
    "rocov2/baseline-b0-concepts": (0.5811, 0.9353),
    "rocov2/baseline-v2s-concepts": (0.5925, 0.9430),
}

UNLISTED = {  # the board has another run of the team; the team tells the score of this one
    "2026/archimedes-soft-concepts",
    "2026/ds-gt-knn-concepts",
}
ROWS = EARLIER + LATER
F1 = F1_EARLIER | F1_LATER
EDITIONS = {one.partition("/")[0] for one in EARLIER}
OWN = "radcap/"
PREFIXES = {"timm", "package", "weights", "service", "vocabulary"}
MOST_WORDS = 4


def published(name: str) -> dict[str, float]:
    scores = zip(("f1", "f1_manual"), F1.get(name, (None, None)), strict=True)
    return {metric: value for metric, value in scores if value is not None}


def test_every_row_has_a_file_and_every_file_a_row():
    names = [one.name for one in systems_of("concepts")]
    assert set(ROWS) <= set(names)
    assert [one for one in names if one.partition("/")[0] in EDITIONS] == list(EARLIER)
    assert set(F1) <= set(ROWS)


@pytest.mark.parametrize("name", ROWS)
def test_a_row_says_what_it_is_and_what_is_known_of_it(name):
    system = read_concepts(name)
    assert (system.name, system.edition) == (name, name.partition("/")[0])
    assert system.team
    assert system.source
    assert 1 <= len(system.family.split()) <= MOST_WORDS
    assert system.need in range(4)
    assert system.differs or name.startswith(OWN)
    assert dict(system.published) == published(name)


@pytest.mark.parametrize("name", ROWS)
def test_a_title_is_called_a_title_and_nothing_nothing(name):
    system = read_concepts(name)
    assert (system.known == "title") == system.differs.startswith("Only a title is known: ")
    assert (system.known == "nothing") == system.differs.startswith("Nothing is published beyond the score: ")
    assert (system.known == "code") <= ("code" in system.source)


@pytest.mark.parametrize("name", ROWS)
def test_what_is_needed_is_named(name):
    system = read_concepts(name)
    assert {one.partition(":")[0] for one in system.needs} <= PREFIXES
    looking = [one.backbone for one in models(system).values()]
    leaves = [leaf for one in looking for leaf in (one.part or (one,))]
    named = {one.name for one in leaves if one.weights == "timm"}
    assert {one.removeprefix("timm:") for one in system.needs if one.startswith("timm:")} == named
    if name in EARLIER:
        assert bool(system.need) == bool(system.needs)


@pytest.mark.parametrize("name", [one for one in F1_EARLIER if one.startswith("2017/")])
def test_a_run_of_2017_is_on_the_board_with_what_it_used(name):
    system = read_concepts(name)
    runs = [one for one in board("2017", Task.CONCEPTS) if one.team == system.team]
    run = next(one for one in runs if dict(one.scores) == dict(system.published))
    alike = [one for one in runs if bool(one.external) == bool(run.external)]
    first = max(alike, key=lambda one: one.scores["f1"])
    assert (run == first) != ("second way" in system.differs)
    told = system.differs.split(". ")[0].split(": ")[0]
    assert ("external resources" in told) == bool(run.external)
    assert ("official" in told) == (not run.external)
    assert ("manual help" in told) == (not run.automatic)
    assert ("automatic" in told) == run.automatic
    assert bool(system.need) == bool(run.external)


def test_the_networks_of_nlm_were_official_and_have_no_score_of_their_own():
    alone, under_trees = (read_concepts(f"2017/{one}-concepts") for one in ("nlm-cnn", "nlm"))
    assert (alone.published, alone.need, alone.needs) == ({}, 0, ())
    assert "official, automatic runs" in alone.differs
    assert (alone.learner, alone.data.top) == (None, 100)
    assert (alone.backbone, alone.train) == (under_trees.backbone, under_trees.train)


@pytest.mark.parametrize("name", [one for one in F1_EARLIER if one.startswith("2022/")])
def test_a_score_of_2022_is_that_of_the_board(name):
    system = read_concepts(name)
    (row,) = [one for one in board("2022", Task.CONCEPTS) if one.team == system.team]
    assert dict(row.scores) == dict(system.published)


def test_every_team_of_the_boards_has_a_file():
    for edition in ("2017", "2022"):
        teams = {one.team for one in systems_of("concepts") if one.edition == edition}
        assert {one.team for one in board(edition, Task.CONCEPTS)} == teams


NETWORKS = {  # the networks that are known: members, their backbone
    "2017/aai-concepts": (0, "resnet50"),
    "2017/nlm-cnn-concepts": (0, "resnet50"),
    "2019/tagcxn-concepts": (0, "densenet121"),
    "2022/aueb-concepts": (2, "tf_efficientnetv2_b0"),
    "2022/cmre-uog-concepts": (5, "densenet201"),
    "2022/csiro-concepts": (43, "densenet161"),
    "2022/eecs-kth-concepts": (0, "densenet161"),
    "2022/iust-concepts": (0, "resnet50"),
    "2022/polimi-concepts": (0, "resnext50_32x4d"),
    "2022/vcmi-concepts": (2, "densenet121"),
    "2024/ssnmlrgksr-concepts": (0, "densenet121"),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_that_are_known(name):
    system = read_concepts(name)
    named = {one.backbone.name.partition(".")[0] for one in models(system).values()}
    assert (len(system.member), named) == (NETWORKS[name][0], {NETWORKS[name][1]})
    seeds = [one.train.seed for one in system.member]
    assert len(set(seeds)) == len(seeds) or system.ensemble.rule == "fallback"


RULES = {  # the rule that joins members, and the neighbours' rules in their order
    "2017/ipl-concepts": ("mean-probability", ["probabilistic", "probabilistic"]),
    "2019/mean-knn-concepts": ("mean-logit", ["mean-at-k"]),
    "2021/aueb-concepts": ("mean-logit", ["frequency"]),
    "2022/cmre-uog-concepts": ("union", ["frequency"] * 5),
    "2022/kdelab-concepts": ("majority", ["mean-at-k"] * 3),
    "2022/sdva-ucsd-concepts": ("fallback", ["duplicate-answer", None, None]),
    "2022/ssn-concepts": ("fallback", [None, "mean-at-k"]),
    "2022/vcmi-concepts": ("fallback", [None, "mean-at-k"]),
    "2024/aueb-concepts": ("union", [None, "frequency", "learned"]),
}


@pytest.mark.parametrize("name", RULES)
def test_what_neighbours_say_and_what_joins_them(name):
    system = read_concepts(name)
    rules = [one.retrieval.rule if one.retrieval else None for one in models(system).values()]
    assert (system.ensemble.rule, rules) == RULES[name]


def test_neighbours_of_2021_and_2022_count_by_half_and_by_three_tenths():
    for name, share in (("2021/aueb-concepts", 0.5), ("2022/cmre-uog-concepts", 0.3)):
        for one in models(read_concepts(name)).values():
            assert one.retrieval is not None
            assert (one.retrieval.k, one.retrieval.share) == (100, share)


def test_numbers_that_are_known():
    csiro, iust = read_concepts("2022/csiro-concepts"), read_concepts("2022/iust-concepts")
    assert (csiro.ensemble.rule, csiro.decision.rule) == ("mean-probability", "top-share")
    assert csiro.decision.share == 0.01
    assert (iust.image.grey, iust.image.clahe > 0, iust.head.drop) == (True, True, 0.5)
    assert (iust.train.lr, iust.train.batch, iust.train.epochs) == (5e-4, 64, 50)
    classifier, neighbours = read_concepts("2022/vcmi-concepts").member
    assert (classifier.data.top, classifier.decision.threshold) == (100, 0.5)
    assert (classifier.decision.rule, classifier.loss.name) == ("fixed", "asymmetric")
    assert (classifier.train.optimiser, classifier.train.lr, neighbours.data.top) == ("adam", 1e-4, 0)
    contrast, types = (read_concepts(f"2022/vcmi-{one}-concepts") for one in ("retrieval", "types"))
    assert (contrast.head.width, contrast.loss.name) == (256, "contrastive")
    assert (types.head.kind, types.head.by, types.head.groups) == ("grouped", "kind", 9)
    mami = read_concepts("2017/mami-concepts").head
    assert (mami.decoder, mami.width, mami.layers, mami.beams) == ("lstm", 256, 2, 3)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("nlm", "trees"), ("uapt", "perceptron"), ("uapt-autoencoder", "perceptron")],
)
def test_classic_learners_of_2017(name, kind):
    system = read_concepts(f"2017/{name}-concepts")
    assert system.learner is not None
    assert system.learner.kind == kind
    assert (system.backbone.weights, system.need, system.needs) == ("none", 0, ())
