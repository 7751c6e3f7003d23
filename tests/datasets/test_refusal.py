"""Refusals of images as other processes send them."""

import pickle

from radcap.core import Level
from radcap.datasets.refusal import missing_image, refuse


def test_a_refusal_crosses_processes_with_its_code_and_name() -> None:
    before = refuse("IMG109", "a/b.png", why="it is torn")
    after = pickle.loads(pickle.dumps(before))  # noqa: S301, our own bytes
    assert (type(after), str(after), after.code, after.path) == (
        type(before),
        str(before),
        "IMG109",
        "a/b.png",
    )
    assert after.issues == before.issues


def test_a_missing_image_is_an_error_that_names_it() -> None:
    issue = missing_image("a.png").issues[0]
    assert (issue.code, issue.level) == ("IMG101", Level.ERROR)
    assert "a.png" in issue.message
