"""One question over HTTP, to servers that behave and to others; a real one in a thread plays them."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from urllib.request import build_opener

import pytest
from endpoint_samples import Reply, chat, serving
from hypothesis import given
from hypothesis import strategies as st

from radcap.core import Missing, ToolFailed, UsageError
from radcap.core.endpoints import KEY, OPENAI_KEY, Endpoint, find_endpoint
from radcap.core.posting import LIMIT_BYTES, Poster, written
from radcap.core.timed_http import timed_handlers

pytestmark = pytest.mark.loopback
SECRET = "sk-very-secret"  # noqa: S105 - of nobody


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (KEY, OPENAI_KEY, "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def poster(url: str, waits: list[float] | None = None, timeout_s: float = 5.0, **changes) -> Poster:
    endpoint = find_endpoint(url, "refine", "captions")
    sleep = ([] if waits is None else waits).append
    return Poster(endpoint, timeout_s, **({"retries": 2, "sleep": sleep, "patient": True} | changes))


def dripping(*parts: bytes, times: int = 40):
    """A server that sends a part, and then another one for ever, with pauses between."""

    def act(handler) -> None:
        first, again = parts
        handler.wfile.write(first)
        for _ in range(times):
            try:
                handler.wfile.write(again)
            except OSError:
                return
            time.sleep(0.05)

    return act


SLOW = {
    "headers": dripping(b"HTTP/1.0 200 OK\r\nX-", b"a"),
    "lines of headers": dripping(b"HTTP/1.0 200 OK\r\n", b"X: a\r\n"),
    "body": dripping(b"HTTP/1.0 200 OK\r\n\r\n", b" "),
    "a refusal": dripping(b"HTTP/1.0 400 No\r\n\r\n", b" "),
    "nothing": lambda _: time.sleep(0.6),
}


@pytest.mark.parametrize("name", SLOW)
def test_no_answer_takes_longer_than_it_may(name: str) -> None:
    with serving(Reply(act=SLOW[name])) as (url, asked):
        began = time.monotonic()
        with pytest.raises(ToolFailed, match=r"within 0.2 s\. Try|answers 400: no more than that\."):
            poster(url, timeout_s=0.2, retries=0).post({})
        assert time.monotonic() - began < 1.5
    assert len(asked) == 1


def test_an_answer_that_is_over_is_not_begun_with() -> None:
    with serving(chat("x")) as (url, _), pytest.raises(TimeoutError):
        build_opener(*timed_handlers(time.monotonic() - 1)).open(url, b"{}", timeout=5)


def test_who_is_patient_asks_again_where_nobody_answers() -> None:
    waits: list[float] = []
    gone = Reply(act=lambda handler: handler.connection.close())
    with serving(gone, gone, chat("At last.")) as (url, asked):
        assert written(poster(url, waits).post({"a": 1}), url) == ("At last.", "")
    assert (len(asked), waits) == (3, [1.0, 2.0])
    with serving(gone) as (url, asked), pytest.raises(ToolFailed, match=r"cannot be reached: .* Check"):
        poster(url, patient=False).post({})
    assert len(asked) == 1
    with serving(gone) as (url, asked), pytest.raises(ToolFailed, match="cannot be reached after 3 tries: "):
        poster(url).post({})
    assert len(asked) == 3


def test_what_is_too_much_or_refused_is_not_asked_for_again() -> None:
    for reply, error, told in (
        (Reply(body=b" " * (LIMIT_BYTES + 1)), ToolFailed, "more than 1,000,000 bytes"),
        (
            Reply(307, headers={"Location": "http://127.0.0.1/"}),
            ToolFailed,
            r"Name the right one as \[refine\]",
        ),
        (Reply(401), Missing, "A key is missing"),
    ):
        with serving(reply) as (url, asked), pytest.raises(error, match=told):
            poster(url).post({})
        assert len(asked) == 1


def test_a_secure_address_is_spoken_to_securely() -> None:
    """A server without a certificate is nobody to it, and never sees the question."""
    with serving(chat("x")) as (url, asked), pytest.raises(ToolFailed, match=r"cannot be reached: .*SSL"):
        poster(url.replace("http:", "https:"), retries=0).post({})
    assert asked == []


def test_the_key_stands_in_the_header_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, SECRET)
    with serving(Reply(418, SECRET.encode())) as (url, asked):
        one = poster(url)
        with pytest.raises(ToolFailed, match=r"answers 418: \.\.\.\.") as caught:
            one.post({"model": "m"})
    assert asked[0].headers["Authorization"] == f"Bearer {SECRET}"
    assert SECRET not in repr(one) + str(caught.value) + json.dumps(asked[0].body)


def test_the_table_that_names_an_address_is_told_of() -> None:
    with pytest.raises(UsageError, match="with captions and the key in it"):
        find_endpoint("http://host/v1", "refine", "captions")
    found = find_endpoint("http://host/v1", "refine", "captions", plain_http=True)
    assert found == Endpoint("http://host/v1/chat/completions", local=False, table="refine")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["choices", "message", "content", "finish_reason"]), inner, max_size=3
            )
        ),
        max_leaves=12,
    )
)
def test_whatever_is_answered_a_text_or_a_refusal_comes_out(answer: object) -> None:
    with suppress(ToolFailed):
        text, stopped = written(json.dumps(answer), "http://host")
        assert isinstance(text, str)
        assert isinstance(stopped, str)
