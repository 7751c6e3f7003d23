"""The search for neighbours, against scikit-learn, faiss and a comparison of every pair."""

from __future__ import annotations

import sys

import faiss
import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors

from radcap.core import InputError, Missing, UsageError
from radcap.detection.retrieval import (
    Metric,
    NeighbourIndex,
    choosing,
    eight_bit,
    faiss_engine,
    products,
    searching,
)
from radcap.detection.retrieval.coarse import PlainProducts
from radcap.detection.retrieval.eight_bit import EightBitProducts, eight_bit_pays
from radcap.detection.retrieval.searching import Search

METRICS = ("cosine", "euclid")


def clustered(count, width, seed=0):
    draw = np.random.default_rng(seed)
    centres = draw.normal(size=(7, width))
    return (centres[draw.integers(0, 7, count)] + 0.5 * draw.normal(size=(count, width))).astype(np.float32)


def index_of(vectors, metric: Metric = "cosine", groups=()):
    count = len(vectors)
    return NeighbourIndex.of(
        vectors, [f"i{place}" for place in range(count)], ["A"], np.ones((count, 1), bool), groups, metric
    )


def reference(vectors, queries, k, metric):
    """Scores and places by scikit-learn, in float64."""
    kind = "cosine" if metric == "cosine" else "euclidean"
    found = NearestNeighbors(n_neighbors=k, metric=kind, algorithm="brute").fit(vectors.astype(float))
    far, places = found.kneighbors(queries.astype(float))
    return (1 - far if metric == "cosine" else -far), places


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("coarse", [PlainProducts, EightBitProducts])
@pytest.mark.parametrize(
    ("count", "width", "k"), [(1000, 64, 10), (777, 130, 1), (300, 5, 100), (40, 256, 40)]
)
def test_it_finds_what_scikit_learn_finds(monkeypatch, metric, coarse, count, width, k):
    monkeypatch.setattr(searching, "_CELLS", 50 * count)  # several blocks
    monkeypatch.setattr("radcap.detection.retrieval.index.products", coarse)
    vectors, queries = clustered(count, width), clustered(120, width, 1)
    found = index_of(vectors, metric).search(queries, k)
    scores, places = reference(vectors, queries, k, metric)
    np.testing.assert_allclose(found.scores, scores, atol=2e-5, rtol=1e-5)
    differ = found.places != places
    assert np.abs(found.scores - scores)[differ].max(initial=0) < 2e-5  # ties alone
    assert differ.mean() < 0.01


@pytest.mark.parametrize("metric", METRICS)
def test_integers_and_floats_give_the_same_answer(metric):
    vectors, queries = clustered(2000, 200), clustered(100, 200, 1)
    search = Search(vectors, queries, 10, metric)
    one, other = (search.exact(kind(vectors, queries, metric)) for kind in (PlainProducts, EightBitProducts))
    np.testing.assert_array_equal(one.places, other.places)
    np.testing.assert_array_equal(one.scores, other.scores)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("coarse", [PlainProducts, EightBitProducts])
@pytest.mark.parametrize("shape", ["spiky", "scaled", "one-hot", "shifted"])
def test_the_slack_holds_for_awkward_vectors(metric, coarse, shape):
    draw = np.random.default_rng(3)
    vectors = draw.normal(size=(400, 150)).astype(np.float32)
    if shape == "spiky":
        vectors **= 5
    if shape == "scaled":
        vectors *= np.exp(draw.normal(size=(400, 1)) * 3).astype(np.float32)
    if shape == "one-hot":
        vectors = np.eye(400, 150, dtype=np.float32)
    if shape == "shifted":
        vectors += 100
    queries = vectors[::7] + draw.normal(size=vectors[::7].shape).astype(np.float32) * np.float32(0.1)
    made = coarse(vectors, queries, metric)
    values = made.block(0, len(queries)).astype(float) * made.unit[:, None] + made.offset[:, None]
    exact = queries.astype(float) @ vectors.T.astype(float)
    if metric == "euclid":
        exact -= ((queries.astype(float) ** 2).sum(1)[:, None] + (vectors.astype(float) ** 2).sum(1)) / 2
    assert (np.abs(values - exact) <= made.slack[:, None]).all()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("approximate", [False, True])
def test_faiss_gives_the_same_neighbours(metric, approximate):
    vectors, queries = clustered(500, 32), clustered(50, 32, 1)
    index = index_of(vectors, metric)
    ours, theirs = index.search(queries, 5), index.search(queries, 5, engine="faiss", approximate=approximate)
    np.testing.assert_array_equal(ours.scores[:, 0], theirs.scores[:, 0])
    assert (ours.places == theirs.places).mean() > (0.8 if approximate else 0.999)


def test_the_flat_index_of_faiss_itself_agrees():
    vectors, queries = clustered(500, 32), clustered(50, 32, 1)
    flat = faiss.IndexFlatL2(32)
    flat.add(vectors)
    squares, _ = flat.search(queries, 8)
    found = index_of(vectors, "euclid").search(queries, 8)
    np.testing.assert_allclose(found.scores**2, squares, rtol=1e-4)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("way", [{}, {"engine": "exact"}, {"engine": "faiss"}, {"approximate": True}])
def test_neighbours_of_the_same_group_are_left_out(metric, way):
    vectors = clustered(90, 16)
    groups = [f"g{place % 30}" for place in range(60)] + [""] * 30
    asked = [f"g{place % 30}" for place in range(58)] + ["", "other"]
    found = index_of(vectors, metric, groups).search(vectors[:60], 20, asked, **way)
    scores = reference(vectors, vectors[:60], 90, metric)
    for row in range(60):
        seen = [place for place in scores[1][row] if not asked[row] or groups[place] != asked[row]]
        kept = scores[0][row][np.isin(scores[1][row], seen)][:20]
        np.testing.assert_allclose(found.scores[row], kept, atol=1e-3)
        assert all(groups[place] != asked[row] or not asked[row] for place in found.places[row])


@pytest.mark.parametrize("way", [{}, {"engine": "faiss"}, {"approximate": True}])
def test_where_nothing_is_left_the_place_is_minus_one(way):
    vectors = clustered(6, 8)
    found = index_of(vectors, groups=["a"] * 4 + ["b", "c"]).search(vectors[:2], 9, ["a", ""], **way)
    assert found.places[0, 2:].tolist() == [-1] * 7
    assert set(found.places[0, :2].tolist()) == {4, 5}
    assert np.isneginf(found.scores[0, 2:]).all()
    assert sorted(found.places[1, :6].tolist()) == list(range(6))
    assert found.there.sum(axis=1).tolist() == [2, 6]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("way", [{}, {"engine": "faiss"}, {"approximate": True}])
def test_empty_sides_are_no_error(metric, way):
    empty = index_of(np.zeros((0, 8), np.float32), metric)
    assert len(empty) == 0
    assert empty.search(np.ones((3, 8), np.float32), 2, **way).places.tolist() == [[-1, -1]] * 3
    assert index_of(clustered(5, 8), metric).search(np.zeros((0, 8), np.float32), 2, **way).places.shape == (
        0,
        2,
    )


def test_equal_vectors_stand_in_their_order():
    vectors = np.repeat(clustered(3, 16), 5, axis=0)
    found = index_of(vectors).search(vectors[:1], 5)
    assert found.places.tolist() == [[0, 1, 2, 3, 4]]


def test_a_vector_of_zeros_is_near_to_nothing():
    vectors = clustered(50, 16)
    vectors[3] = 0
    index = index_of(vectors)
    assert index.search(np.zeros((1, 16), np.float32), 3).scores.tolist() == [[0, 0, 0]]
    assert index.search(vectors[:1], 50).scores[0][index.search(vectors[:1], 50).places[0] == 3] == 0


def test_huge_and_tiny_vectors_have_a_direction():
    vectors = clustered(20, 16)
    found = index_of(vectors).search(vectors * np.float32(1e30), 3)
    np.testing.assert_array_equal(
        found.places, index_of(vectors * np.float32(1e-20)).search(vectors, 3).places
    )


def test_half_precision_is_searched_as_float32():
    vectors = clustered(200, 24)
    found = index_of(vectors.astype(np.float16)).search(vectors.astype(np.float16)[:20], 3)
    np.testing.assert_allclose(found.scores[:, 0], 1, atol=1e-5)
    assert found.places[:, 0].tolist() == list(range(20))


def test_the_approximate_search_finds_almost_all():
    vectors, queries = clustered(3000, 400), clustered(50, 400, 1)
    index = index_of(vectors)
    exact, near = index.search(queries, 10), index.search(queries, 10, approximate=True)
    shared = [len(set(one) & set(other)) for one, other in zip(exact.places, near.places, strict=True)]
    assert np.mean(shared) > 9.5


def test_integers_are_taken_for_large_work_only(monkeypatch):
    assert not eight_bit_pays(10, 10, 10)
    monkeypatch.setattr(eight_bit, "_WORTH", 0)
    monkeypatch.setattr(eight_bit, "_faster_here", lambda: True)
    vectors = clustered(30, 16)
    assert isinstance(products.products(vectors, vectors, "cosine"), EightBitProducts)
    monkeypatch.setattr(eight_bit, "_faster_here", lambda: False)
    assert isinstance(products.products(vectors, vectors, "cosine"), PlainProducts)
    monkeypatch.setattr(eight_bit, "find_spec", lambda name: None)
    assert not eight_bit_pays(10, 10, 10)


@pytest.mark.parametrize(("whole", "faster"), [(1.0, True), (2.5, False)])
def test_this_processor_is_measured_once(monkeypatch, whole, faster):
    seconds = iter([whole] * 3 + [3.0] * 3)

    def timed(work):
        assert work().shape == eight_bit._PROBE[::2]
        return next(seconds)

    monkeypatch.setattr(eight_bit, "_seconds", timed)
    assert eight_bit._faster_here.__wrapped__() is faster


def test_seconds_are_those_of_the_processor():
    assert eight_bit._seconds(lambda: sum(range(100_000))) > 0


def test_without_faiss_it_is_missing(monkeypatch):
    monkeypatch.setattr(faiss_engine, "find_spec", lambda name: None)
    with pytest.raises(Missing, match="pip install faiss-cpu"):
        index_of(clustered(5, 8)).search(clustered(5, 8), 1, engine="faiss")


def test_a_small_search_loads_neither_torch_nor_faiss():
    import subprocess

    code = (
        "import sys, numpy as np\n"
        "from radcap.detection.retrieval import NeighbourIndex\n"
        "import radcap.detection.ensembles\n"
        "x = np.random.default_rng(0).normal(size=(50, 8)).astype('f4')\n"
        "NeighbourIndex.of(x, ['i'] * 50, ['A'], np.ones((50, 1), bool)).search(x, 3)\n"
        "print([name for name in ('torch', 'faiss', 'scipy', 'safetensors') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("queries", "k", "groups", "error", "said"),
    [
        (np.ones((1, 9), np.float32), 1, None, UsageError, "9 dimensions and the index 8"),
        (np.ones(8, np.float32), 1, None, UsageError, "shape (8,)"),
        (np.ones((1, 8), int), 1, None, UsageError, "are int64"),
        (np.ones((1, 8), np.float32), 0, None, UsageError, "k is 0"),
        (np.ones((1, 8), np.float32), 1, ["a", "b"], UsageError, "1 queries have 2 groups"),
        (np.ones((1, 8), np.float32), 1, ["a"], UsageError, "knows no groups"),
        (
            np.full((3, 8), np.nan, np.float32),
            1,
            None,
            InputError,
            "3 of 3 rows hold NaN or infinity, e.g. rows 0, 1, 2",
        ),
    ],
)
def test_wrong_questions_are_refused(queries, k, groups, error, said):
    with pytest.raises(error) as refused:
        index_of(clustered(5, 8)).search(queries, k, groups)
    assert said in str(refused.value)


def test_a_wrong_index_is_refused_with_every_reason():
    vectors = clustered(5, 8)
    with pytest.raises(UsageError) as refused:
        NeighbourIndex.of(vectors, ["x"], ["A"], np.ones((4, 1), bool), ["g"])
    for said in ("1 ids", "labels of shape (4, 1)", "1 groups"):
        assert said in str(refused.value)
    vectors[2, 3] = np.inf
    with pytest.raises(InputError, match="1 of 5 rows hold NaN or infinity"):
        index_of(vectors)


def test_rows_that_only_add_up_to_infinity_are_fine():
    big = np.full((2, 8), 3e38, np.float32)
    assert index_of(big).search(big, 1).scores[0, 0] == pytest.approx(1)


def test_groups_of_columns_hide_nothing():
    values = np.random.default_rng(0).normal(size=(20, 103)).astype(np.float32)
    choice = choosing.Choice(values.copy(), 3)
    rows, columns = choice.others(np.full(20, -np.inf, np.float32))
    for row in range(20):
        found = sorted([*choice.first[row].tolist(), *columns[rows == row].tolist()])
        assert found == list(range(103))
