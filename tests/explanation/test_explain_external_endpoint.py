"""Boxes of a vision model behind an endpoint: a real server in a thread plays it."""

from __future__ import annotations

import base64
import io
import json
import logging
import time

import numpy as np
import pytest
from endpoint_samples import Reply, chat, serving
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from radcap.core import Missing, ToolFailed, UsageError
from radcap.core.endpoints import KEY, OPENAI_KEY
from radcap.core.posting import LIMIT_BYTES, Poster
from radcap.explanation.external.answers import read_answer
from radcap.explanation.external.endpoints import ADDRESS, find_endpoint
from radcap.explanation.external.openai_boxes import OpenAiBoxes, make_openai
from radcap.explanation.external.settings import ProviderSettings
from radcap.explanation.system import ExplainSettings, ExplainSystem

PICTURE = np.arange(40 * 80 * 3, dtype=np.uint8).reshape(40, 80, 3)
GOOD = {"boxes": [{"phrase": "heart", "box": [20, 10, 60, 30], "score": 0.9}]}
TWICE = {
    "boxes": [{"phrase": " HEART ", "box": [40, 20, 120, 60], "score": 0.9}],
    "width": 160,
    "height": 80,
}
SECRET = "sk-very-secret"  # noqa: S105 - of nobody


pytestmark = pytest.mark.loopback


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (ADDRESS, KEY, OPENAI_KEY):
        monkeypatch.delenv(name, raising=False)


def provider(url: str, waits: list[float] | None = None, **changes) -> OpenAiBoxes:
    own = ProviderSettings(
        **({"kind": "openai", "model": "seer", "endpoint": url, "timeout_s": 5.0} | changes)
    )
    made = make_openai(
        ExplainSystem(name="a", task="explain", explain=ExplainSettings("external"), provider=own)
    )
    poster = Poster(made.poster.endpoint, own.timeout_s, own.retries, ([] if waits is None else waits).append)
    return OpenAiBoxes(poster, own)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(GOOD),
        f"```json\n{json.dumps(GOOD)}\n```",
        f"Here [as asked] it is: {json.dumps(GOOD)} Anything else {{?}}",
        json.dumps(GOOD["boxes"]),
        json.dumps(GOOD | {"width": 80, "height": 40}),
        json.dumps(TWICE),
    ],
    ids=["plain", "fenced", "words around", "bare list", "with size", "twice the size"],
)  # fmt: skip
def test_a_good_answer_is_read(content: str) -> None:
    with serving(chat(content)) as (url, asked):
        (found,) = provider(url).boxes(PICTURE, ["heart", "lung"])
    assert (found.phrase, found.score, found.mask) == ("heart", 0.9, None)
    assert (found.box.left, found.box.top, found.box.width, found.box.height) == (0.25, 0.25, 0.5, 0.5)
    assert asked[0].path == "/v1/chat/completions"


def test_the_question_has_phrases_size_and_the_picture_itself() -> None:
    with serving(chat('{"boxes": []}')) as (url, asked):
        assert provider(url, prompt="Seek {phrases}!").boxes(PICTURE, ["heart", 'a "b"']) == []
    text, image = asked[0].body["messages"][0]["content"]
    assert text["text"].startswith('Seek ["heart", "a \\"b\\""]!')
    assert "80 pixels wide and 40 pixels high" in text["text"]
    sent = base64.b64decode(image["image_url"]["url"].removeprefix("data:image/png;base64,"))
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(sent))), PICTURE)
    assert asked[0].body["model"] == "seer"
    assert "Authorization" not in asked[0].headers


def test_a_large_picture_is_sent_smaller_and_its_boxes_come_back_in_place() -> None:
    large = np.zeros((200, 400, 3), np.uint8)
    told = {"boxes": [{"phrase": "heart", "box": [0, 0, 40, 20], "score": 0.5}]}
    with serving(chat(json.dumps(told))) as (url, asked):
        (found,) = provider(url, side=80).boxes(large, ["heart"])
    assert "80 pixels wide and 40 pixels high" in asked[0].body["messages"][0]["content"][0]["text"]
    assert (found.box.width, found.box.height) == (0.5, 0.5)


def test_only_the_strongest_boxes_of_a_phrase_are_kept() -> None:
    boxes = [{"phrase": "heart", "box": [0, 0, 9, 9], "score": one} for one in (0.2, 0.9, 0.05, 0.4)]
    with serving(chat(json.dumps({"boxes": boxes}))) as (url, _):
        found = provider(url, most=2, threshold=0.3).boxes(PICTURE, ["heart"])
    assert [one.score for one in found] == [0.9, 0.4]


def test_what_is_busy_or_broken_is_asked_again_and_waits_grow() -> None:
    replies = (Reply(429, headers={"Retry-After": "7"}), Reply(503), Reply(500), chat(json.dumps(GOOD)))
    waits: list[float] = []
    with serving(*replies) as (url, asked):
        assert len(provider(url, waits, retries=3).boxes(PICTURE, ["heart"])) == 1
    assert (len(asked), waits) == (4, [7.0, 2.0, 4.0])


def test_a_long_wait_is_cut() -> None:
    waits: list[float] = []
    with serving(Reply(429, headers={"Retry-After": "9999"}), chat(json.dumps(GOOD))) as (url, _):
        provider(url, waits).boxes(PICTURE, ["heart"])
    assert waits == [30.0]


@pytest.mark.parametrize(
    ("reply", "told", "times"),
    [
        (Reply(500, b"out  of\norder"), r"answers 500 after 3 tries: out of order", 3),
        (Reply(400, b"bad model"), r"answers 400: bad model", 1),
        (Reply(307, headers={"Location": "http://example.org/"}), r"to another address, which is not", 1),
        (Reply(302, headers={"Location": "file:///etc/passwd"}), r"to another address, which is not", 1),
        (chat("I cannot help with that."), r"'seer' cannot be used: it holds no JSON\.", 1),
        (chat('{"boxes": 3}'), r"its JSON has no list 'boxes'\.", 1),
        (chat(None), r"it has no choices\[0\].message.content", 1),
        (Reply(body=b"<html>"), r"it has no choices\[0\].message.content", 1),
        (Reply(body=b"[" * 100_000), r"it has no choices\[0\].message.content", 1),
        (Reply(body=b"3"), r"it has no choices\[0\].message.content", 1),
        (Reply(body=b" " * (LIMIT_BYTES + 1)), r"answers more than 1,000,000 bytes", 1),
        (chat('{"width": 40, "height": 40, "boxes": []}'), r"picture of 40 x 40, and 80 x 40 was sent", 1),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused(reply: Reply, told: str, times: int) -> None:
    with serving(reply) as (url, asked), pytest.raises(ToolFailed, match=told):
        provider(url).boxes(PICTURE, ["heart"])
    assert len(asked) == times


@pytest.mark.parametrize("code", [401, 403])
def test_a_refused_key_is_missing(code: int) -> None:
    with serving(Reply(code)) as (url, _), pytest.raises(Missing, match=f"A key is missing.*Set {KEY}"):
        provider(url).boxes(PICTURE, ["heart"])


def _silent(_) -> None:
    time.sleep(0.5)


def _dripping(handler) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(20):
        try:
            handler.wfile.write(b" ")
        except OSError:
            return
        time.sleep(0.05)


def _cut_off(handler) -> None:
    handler.wfile.write(b"nonsense\r\n\r\n")


@pytest.mark.parametrize("act", [_silent, _dripping], ids=["silent", "a drop at a time"])
def test_a_slow_endpoint_is_given_up(act) -> None:
    with serving(Reply(act=act)) as (url, _), pytest.raises(ToolFailed, match=r"did not answer within 0.2 s"):
        provider(url, timeout_s=0.2).boxes(PICTURE, ["heart"])


def test_an_endpoint_that_stalls_before_it_takes_the_question_is_given_up(monkeypatch) -> None:
    """A timeout while connecting comes wrapped."""
    from urllib.error import URLError
    from urllib.request import OpenerDirector

    def late(*_, **__) -> None:
        raise URLError(TimeoutError("timed out"))

    monkeypatch.setattr(OpenerDirector, "open", late)
    with pytest.raises(ToolFailed, match="did not answer within"):
        provider("https://host.invalid").boxes(PICTURE, ["heart"])


def test_no_server_and_no_http_are_told() -> None:
    with serving(Reply(act=_cut_off)) as (url, _), pytest.raises(ToolFailed, match="cannot be reached"):
        provider(url).boxes(PICTURE, ["heart"])
    with pytest.raises(ToolFailed, match=r"cannot be reached: .*refused.* Check the address"):
        provider(url).boxes(PICTURE, ["heart"])  # it is gone by now


def test_a_key_goes_to_the_endpoint_and_nowhere_else(monkeypatch, caplog) -> None:
    monkeypatch.setenv(KEY, f"{SECRET}\n")
    caplog.set_level(logging.DEBUG)
    with serving(Reply(400, f"no such key: {SECRET}".encode())) as (url, asked):
        made = provider(url)
        with pytest.raises(ToolFailed, match=r"answers 400: no such key: \.\.\.") as caught:
            made.boxes(PICTURE, ["heart"])
    assert asked[0].headers["Authorization"] == f"Bearer {SECRET}"
    assert SECRET not in json.dumps(asked[0].body)
    assert SECRET not in repr(made) + str(caught.value) + caplog.text


@pytest.mark.parametrize(
    ("address", "environment", "key"),
    [
        ("https://api.openai.com/v1", {OPENAI_KEY: "a"}, "a"),
        ("https://api.openai.com/v1", {OPENAI_KEY: "a", KEY: "b"}, "b"),
        ("https://api.openai.com.evil.org/v1", {OPENAI_KEY: "a"}, ""),  # not who it is for
        ("https://host/v1", {KEY: "b"}, "b"),
        ("https://host/v1", {}, ""),
        ("", {ADDRESS: "https://host/v1"}, ""),
    ],
)
def test_which_key_goes_where(address, environment, key, monkeypatch) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert find_endpoint(ProviderSettings(endpoint=address)).key == key


def test_a_key_with_a_line_end_is_refused_unseen(monkeypatch) -> None:
    monkeypatch.setenv(KEY, f"{SECRET}\r\nHost: evil")
    with pytest.raises(UsageError, match=f"{KEY} holds signs that no key has") as caught:
        find_endpoint(ProviderSettings(endpoint="https://host"))
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "url", "local"),
    [
        ("https://host/v1/", "https://host/v1/chat/completions", False),
        ("https://host/v1/chat/completions", "https://host/v1/chat/completions", False),
        ("https://host?version=3#x", "https://host/chat/completions?version=3", False),
        ("http://localhost:8000", "http://localhost:8000/chat/completions", True),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1/chat/completions", True),
        ("http://127.0.0.9/v1", "http://127.0.0.9/v1/chat/completions", True),
    ],
)
def test_addresses(address: str, url: str, local: bool) -> None:
    found = find_endpoint(ProviderSettings(endpoint=address))
    assert (found.url, found.local) == (url, local)


def test_plain_http_to_another_machine_is_an_explicit_choice() -> None:
    with pytest.raises(UsageError, match=r"http://host goes unprotected over the network.*plain_http = true"):
        find_endpoint(ProviderSettings(endpoint="http://host/v1"))
    assert find_endpoint(ProviderSettings(endpoint="http://host/v1", plain_http=True)).url.startswith("http:")


@pytest.mark.parametrize(
    "address",
    ["ftp://host", "file:///etc/passwd", "host/v1", "https://", "https://[x", "https://h:99999",
     "https://h/a b", "https://h/\x7f", "https://me:word@host"],
)  # fmt: skip
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="The endpoint"):
        find_endpoint(ProviderSettings(endpoint=address))


def test_what_has_to_be_named_is_missing() -> None:
    with pytest.raises(Missing, match=f"The endpoint is missing.*set {ADDRESS}; its key goes into {KEY}"):
        provider("")
    with pytest.raises(Missing, match="vision model is missing"):
        provider("https://host", model="")


HUGE = "9" * 400
HOSTILE = [
    ('{"boxes": [3]}', "box 1 is no table"),
    ('{"boxes": [{"phrase": "liver", "box": [0, 0, 9, 9]}]}', "box 1: its phrase was not asked for"),
    ('{"boxes": [{"phrase": 3, "box": [0, 0, 9, 9]}]}', "box 1: its phrase was not asked for"),
    ('{"boxes": [{"phrase": "heart"}]}', "box 1: its box is no list of four numbers"),
    ('{"boxes": [{"phrase": "heart", "box": [0, 0, 9]}]}', "box 1: its box is no list of four numbers"),
    ('{"boxes": [{"phrase": "heart", "box": [0, 0, 9, 9, 9]}]}', "box 1: its box is no list of four numbers"),
    ('{"boxes": [{"phrase": "heart", "box": ["0", 0, 9, 9]}]}', "box 1: its box is no list of four numbers"),
    ('{"boxes": [{"phrase": "heart", "box": [true, 0, 9, 9]}]}', "box 1: its box is no list of four numbers"),
    (
        f'{{"boxes": [{{"phrase": "heart", "box": [0, 0, 9, {HUGE}]}}]}}',
        "box 1: its box is no list of four numb",
    ),
    (
        '{"boxes": [{"phrase": "heart", "box": [0, 0, 9, 1e999]}]}',
        "box 1: its box is no list of four numbers",
    ),
    ('{"boxes": [{"phrase": "heart", "box": [9, 9, 0, 0]}]}', "box 1: its box has no area in the picture"),
    ('{"boxes": [{"phrase": "heart", "box": [90, 0, 99, 9]}]}', "box 1: its box has no area in the picture"),
    (
        '{"boxes": [{"phrase": "heart", "box": [0, 0, 9, 9], "score": 2}]}',
        "box 1: its score is no number above 0",
    ),
    (
        '{"boxes": [{"phrase": "heart", "box": [0, 0, 9, 9], "score": null}]}',
        "box 1: its score is no number abo",
    ),
    (
        '{"boxes": [{"phrase": "heart", "box": [0, 0, 9, 9], "score": -1}]}',
        "box 1: its score is no number above",
    ),
    (
        '{"boxes": [{"phrase": "x", "box": 3, "score": "y"}]}',
        "box 1: its phrase was not asked for, its box is no ",
    ),
    ('{"boxes": [{"phrase": "heart", "box": [NaN, 0, 9, 9]}]}', "it holds no JSON"),
    ('{"boxes": [{"phrase": "heart", "box": [0, 0, Infinity, 9]}]}', "it holds no JSON"),
    ("[" * 5000, "it holds no JSON"),
    ('{"boxes": ' * 5000, "it holds no JSON"),
    ("", "it holds no JSON"),
]


@pytest.mark.parametrize(("text", "told"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_answers_are_problems_in_words(text: str, told: str) -> None:
    answer = read_answer(text, ["heart"], 80, 40)
    assert answer.boxes == ()
    assert answer.problems[0].startswith(told)


def test_boxes_end_at_the_picture_and_good_ones_stay_beside_bad_ones(caplog) -> None:
    boxes = [{"phrase": "heart", "box": [-50, -1e300, 40, 1e300]}, *[{"phrase": "heart"}] * 7]
    with serving(chat(json.dumps({"boxes": boxes, "width": "wide", "height": -3}))) as (url, _):
        (found,) = provider(url).boxes(PICTURE, ["heart"])
    assert (found.box.left, found.box.top, found.box.width, found.box.height) == (0, 0, 0.5, 1)
    assert found.score == 1.0
    assert "7 boxes were left out: box 2: its box is no list" in caplog.text
    assert "and 2 more" in caplog.text


def test_a_flood_of_boxes_is_cut() -> None:
    boxes = [{"phrase": "heart", "box": [0, 0, 9, 9]}] * 300
    answer = read_answer(json.dumps(boxes), ["heart"], 80, 40)
    assert len(answer.boxes) == 200
    assert answer.problems == ("it has 300 boxes, of which 200 were read",)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from(["boxes", "phrase", "box", "score", "width", "height"]), inner, max_size=5
        )
    ),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60) | JSON.map(json.dumps))
def test_whatever_is_answered_boxes_are_boxes(text: str) -> None:
    for one in read_answer(text, ["heart", ""], 80, 40).boxes:
        assert 0 < one.score <= 1
        assert min(one.box.width, one.box.height) > 0
        assert min(one.box.left, one.box.top) >= 0
        assert one.box.left + one.box.width <= 1 + 1e-9
        assert one.box.top + one.box.height <= 1 + 1e-9
