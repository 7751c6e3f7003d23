"""Lists of concepts: beam search against all lists, the loss against a plain loop, steps against lists."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
import torch
from vision_samples import LABELS, WIDTH, tiny_backbone

from radcap.core import UsageError
from radcap.vision.heads import LabelFacts, Taught, make_head
from radcap.vision.heads.sequence import SequenceHead, ordered_lists
from radcap.vision.network import Network
from radcap.vision.settings import HeadSettings

END, BEGIN = LABELS, LABELS + 1
KINDS: list[dict[str, Any]] = [
    {"decoder": "transformer", "heads": 2},
    {"decoder": "transformer", "hidden": (5,), "layers": 1},
    {"decoder": "lstm", "attention": True},
    {"decoder": "lstm", "attention": False, "layers": 1},
    {"decoder": "gru", "attention": True, "layers": 1},
    {"decoder": "gru", "attention": False},
]
NAMES = [" ".join(str(value) for value in one.values()) for one in KINDS]


def made(labels: int = LABELS, seed: int = 0, **settings: Any) -> SequenceHead:
    """A head whose answers differ much from image to image."""
    torch.manual_seed(seed)
    head = make_head(HeadSettings(**({"kind": "sequence", "width": 8} | settings)), WIDTH, labels).eval()
    assert isinstance(head, SequenceHead)
    with torch.no_grad():
        head.out.weight.mul_(8)
        head.decoder.words.weight.mul_(3)
    return head


def drawn(images: int = 3, seed: int = 1) -> torch.Tensor:
    return torch.randn(images, WIDTH, 2, 3, generator=torch.Generator().manual_seed(seed))


@torch.no_grad()
def log_p(head: SequenceHead, features: torch.Tensor, tokens: tuple[int, ...]) -> float:
    """Of one list of one image and its end, read at once."""
    places = torch.cat([head.pool(features)[:, :, None], features.flatten(2)], dim=2).transpose(1, 2)
    given = torch.tensor([[head.labels + 1, *tokens]])
    told = torch.log_softmax(head.out(head.decoder(given, head.bridge(places))), dim=-1)[0]
    wanted = (*tokens, head.labels)
    return sum(float(told[place, token]) for place, token in enumerate(wanted))


def all_lists(labels: int, least: int, length: int) -> list[tuple[int, ...]]:
    return [one for size in range(least, length + 1) for one in permutations(range(labels), size)]


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
@pytest.mark.parametrize(("least", "length"), [(0, 3), (2, 2), (1, 9)])
@torch.no_grad()
def test_with_beams_enough_all_lists_are_found_and_their_shares_are_exact(kind, least, length):
    head, features = made(3, least=least, length=length, beams=60, **kind), drawn(2)
    lists = all_lists(3, least, min(length, 3))
    scores = head.score(features)
    for image in range(2):
        logs = torch.tensor([log_p(head, features[image : image + 1], one) for one in lists])
        shares, best = torch.softmax(logs, 0), lists[int(logs.argmax())]
        for label in range(3):
            within = sum(float(share) for share, one in zip(shares, lists, strict=True) if label in one)
            expected = min(max(((label in best) + within) / 2, 1e-4), 1 - 1e-4)
            assert float(torch.sigmoid(scores[image, label])) == pytest.approx(expected, abs=1e-4)
    found = head.lists(features)
    assert found.scores.isfinite().sum(dim=1).tolist() == [len(lists)] * 2
    assert (found.scores[:, : len(lists)].diff(dim=1) <= 0).all()


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
@torch.no_grad()
def test_few_beams_find_what_a_plain_search_finds(kind):
    head, features = made(beams=2, least=1, length=4, **kind), drawn(4)
    found = head.lists(features)
    for image in range(4):
        expected = plain_search(head, features[image : image + 1], beams=2, least=1, length=4)
        assert found.scores[image].tolist() == pytest.approx([score for score, _ in expected], abs=1e-4)
        told = [set(row.nonzero().flatten().tolist()) for row in found.labels[image]]
        assert told == [set(tokens) for _, tokens in expected]


def plain_search(
    head: SequenceHead, features: torch.Tensor, *, beams: int, least: int, length: int
) -> list[tuple[float, tuple[int, ...]]]:
    """Beam search by hand, to the end, over whole lists."""
    open_lists: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    ended: list[tuple[float, tuple[int, ...]]] = []
    for written in range(length + 1):
        if written >= least:
            ended += [(log_p(head, features, tokens), tokens) for _, tokens in open_lists]
        if written == length:
            break
        grown = [
            (*tokens, label) for _, tokens in open_lists for label in range(LABELS) if label not in tokens
        ]
        scored = sorted(((without_end(head, features, one), one) for one in grown), reverse=True)
        open_lists = scored[:beams]
    return sorted(ended, reverse=True)[:beams]


@torch.no_grad()
def without_end(head: SequenceHead, features: torch.Tensor, tokens: tuple[int, ...]) -> float:
    memory = head._memory(features)
    told = torch.log_softmax(head.out(head.decoder(torch.tensor([[BEGIN, *tokens]]), memory)), dim=-1)[0]
    return sum(float(told[place, token]) for place, token in enumerate(tokens))


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
@torch.no_grad()
def test_token_by_token_is_the_whole_list_at_once(kind):
    head = made(**kind)
    memory = torch.randn(3, 7, 8)
    tokens = torch.randint(LABELS, (3, 2, 5))  # two beams an image
    whole = torch.stack([head.decoder(tokens[:, beam], memory) for beam in range(2)], dim=1)
    state, done = head.decoder.start(memory).take(torch.zeros(3, 2, dtype=torch.long)), []
    swapped = torch.tensor([1, 0]).expand(3, 2)
    for place in range(5):
        vectors, state = head.decoder.step(tokens[:, :, place], state)
        done.append(vectors)
        state, tokens, whole = state.take(swapped), tokens.flip(1), whole.flip(1)
        done = [one.flip(1) for one in done]
    torch.testing.assert_close(torch.stack(done, dim=2), whole)


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
@torch.no_grad()
def test_images_are_answered_as_if_alone(kind):
    head, features = made(length=5, **kind), drawn(5)
    scores = head.score(features)
    alone = torch.cat([head.score(features[image : image + 1]) for image in range(5)])
    torch.testing.assert_close(scores, alone, atol=1e-3, rtol=1e-3)
    assert scores.std(dim=0).amax() > 0.05  # or the images are all alike


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
@pytest.mark.parametrize("end_weight", [1.0, 0.25])
def test_the_loss_is_the_mean_of_a_plain_loop(kind, end_weight):
    head, features = made(length=3, end_weight=end_weight, **kind), drawn(5)
    ranks = torch.tensor([3, 0, 5, 1, 4, 2])
    head.meet(LabelFacts(torch.rand(LABELS), ("",) * LABELS, ranks))
    labels = torch.tensor(
        [[1, 1, 1, 0, 1, 0], [0] * 6, [0, 0, 1, 0, 0, 0], [1] * 6, [0.6, 0.4, 0.5, 0.51, 0, 1]]
    )
    lists = [(1, 0, 4), (), (2,), (1, 3, 5), (3, 5, 0)]  # by rank, three at most, the greater part of a mix
    taught = head.teach(features, labels)
    total, count = 0.0, 0
    for image, tokens in enumerate(lists):
        one = features[image : image + 1]
        concepts = without_end(head, one, tokens)
        total -= concepts + end_weight * (log_p(head, one, tokens) - concepts)
        count += len(tokens) + 1
    assert float(taught.own.detach()) == pytest.approx(total / count, rel=1e-4)
    first = head.teach(features[1:2], labels[1:2])
    torch.testing.assert_close(taught.logits[1:2], first.logits)
    torch.testing.assert_close(taught.vectors, features.mean((2, 3)))


def test_the_logits_of_a_lesson_are_those_of_the_first_concept():
    head, features = made(), drawn(2)
    taught = head(features, torch.ones(2, LABELS))
    assert isinstance(taught, Taught)
    told, _ = head._follow(torch.full((2, 1), BEGIN), head.decoder.start(head._memory(features)))
    expected = torch.softmax(told[:, 0, :-1], dim=-1)
    torch.testing.assert_close(torch.softmax(taught.logits, dim=-1), expected)
    assert head.teaches


def test_lists_are_in_order_and_end():
    order = torch.tensor([2, 0, 3, 1])
    labels = torch.tensor([[1, 0, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0]])
    told = ordered_lists(labels, order, 9)
    assert told.tolist() == [[2, 0, 3, 4], [4, -100, -100, -100], [1, 4, -100, -100]]
    assert ordered_lists(labels, order, 2).tolist() == [[2, 0, 4], [4, -100, -100], [1, 4, -100]]
    assert ordered_lists(labels[1:2], order, 9).tolist() == [[4]]
    assert ordered_lists(labels[:0], order, 9).shape == (0, 1)


def test_the_order_is_by_number_until_labels_are_met_and_is_kept_with_the_weights():
    head, other = made(), made(seed=1)
    assert head.order.tolist() == list(range(LABELS))
    head.meet(LabelFacts(torch.rand(LABELS), ("",) * LABELS, torch.tensor([5, 4, 3, 2, 1, 0])))
    other.load_state_dict(head.state_dict())
    assert other.order.tolist() == [5, 4, 3, 2, 1, 0]


@pytest.mark.parametrize(("least", "length"), [(0, 1), (2, 4), (3, 3), (0, 32)])
@torch.no_grad()
def test_the_best_list_is_what_one_half_decides(least, length):
    head, features = made(least=least, length=length, seed=3), drawn(20)
    scores, lists = head.score(features), head.lists(features)
    assert torch.equal(scores >= 0, lists.labels[:, 0])
    assert scores.isfinite().all()
    counts = lists.labels.sum(dim=2)
    assert (counts >= least).all()
    assert (counts <= length).all()


@torch.no_grad()
def test_a_list_may_be_empty():
    head = made(beams=1)
    head.out.bias[-1] = 100.0
    scores = head.score(drawn())
    torch.testing.assert_close(torch.sigmoid(scores), torch.full((3, LABELS), 1e-4), atol=1e-6, rtol=1e-3)


@torch.no_grad()
def test_a_search_ends_when_nothing_better_can_come(monkeypatch):
    head, steps = made(beams=2), []
    head.out.bias[-1] = 100.0
    real = head.decoder.step
    monkeypatch.setattr(head.decoder, "step", lambda *given: steps.append(1) or real(*given))
    head.score(drawn(8))
    assert len(steps) <= 3


def test_no_image_has_no_answer():
    assert made().score(drawn(0)).shape == (0, LABELS)


def test_answers_have_a_slope_to_the_features():
    features = drawn().requires_grad_()
    made(beams=5).score(features).sum().backward()
    assert features.grad is not None
    assert features.grad.abs().sum() > 0


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_all_weights_learn(kind):
    head = made(pool="gem", count=True, critic=3, **kind).train()
    head.teach(drawn(), torch.eye(LABELS)[:3]).own.backward()
    assert [name for name, weight in head.named_parameters() if weight.grad is None] == []


@torch.no_grad()
def test_count_and_critic_add_to_the_loss():
    labels, features = torch.eye(LABELS)[:3], drawn()
    plain, more = made(), made(count=True, critic=4)
    more.load_state_dict(plain.state_dict(), strict=False)
    taught = more.teach(features, labels)
    own = plain.teach(features, labels).own + more.own_loss(taught.logits, taught.vectors, labels)
    assert float(taught.own) == pytest.approx(float(own))


def test_hidden_tokens_do_not_count_in_training_and_all_do_on_the_whole():
    head = made(hide=0.5)
    labels, features = torch.eye(LABELS)[:3], drawn()
    expected = float(head.teach(features, labels).own.detach())
    assert expected == pytest.approx(float(made().teach(features, labels).own.detach()))
    head.train()
    told = [float(head.teach(features, labels).own.detach()) for _ in range(400)]
    assert len(set(told)) > 10
    assert sum(told) / len(told) == pytest.approx(expected, rel=0.1)


def test_a_list_is_learnt_by_heart():
    head = made(drop=0.1, width=16).train()
    labels = torch.tensor([[1.0, 0, 0, 1, 0, 1], [0, 0, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0]])
    features = drawn()
    optimiser = torch.optim.AdamW(head.parameters(), lr=1e-2)
    for _ in range(60):
        optimiser.zero_grad()
        head.teach(features, labels).own.backward()
        optimiser.step()
    assert torch.equal(head.eval().score(features) > 0, labels > 0)


@pytest.mark.parametrize("kind", KINDS, ids=NAMES)
def test_half_precision_will_do(kind):
    network = Network(tiny_backbone(), made(**kind)).train()
    pixels = torch.rand(2, 3, 16, 16) * 255
    with torch.autocast("cpu", torch.bfloat16):
        taught = network(pixels, torch.ones(2, LABELS))
        assert isinstance(taught, Taught)
        scores = network.eval()(pixels)
    assert taught.own.dtype == taught.logits.dtype == scores.dtype == torch.float32
    taught.own.backward()
    assert scores.isfinite().all()


def test_lists_are_left_to_plain_torch_where_a_network_is_compiled():
    network = Network(tiny_backbone(), made()).eval()
    pixels = torch.rand(2, 3, 16, 16) * 255
    compiled = torch.compile(network, backend="eager")
    with torch.no_grad():
        torch.testing.assert_close(compiled(pixels), network(pixels))
    labels = torch.ones(2, LABELS)
    torch.testing.assert_close(compiled(pixels, labels).own, network(pixels, labels).own)


def test_settings_that_contradict_each_other_are_refused():
    with pytest.raises(UsageError, match=r"least is 4, and length is 3. Give no more than the length"):
        HeadSettings(least=4, length=3)
    with pytest.raises(UsageError, match=r"hide is 1\.0"):
        HeadSettings(hide=1.0)
