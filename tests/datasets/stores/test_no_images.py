"""The store of a dataset that came without images."""

import pytest

from radcap.datasets.refusal import ImageRefused
from radcap.datasets.stores import NoImages


def test_a_store_without_images_has_none_and_says_so() -> None:
    store = NoImages()
    assert (store.has("a"), store.path("a"), store.stamp("a"), list(store.keys())) == (False, None, "", [])
    assert store.name("a.png") == "a.png"
    with pytest.raises(ImageRefused, match=r"a\.png") as refused:
        store.read("a.png")
    assert refused.value.code == "IMG101"
