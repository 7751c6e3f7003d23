"""A language model behind an endpoint: a real server in a thread plays it, well and badly."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

import pytest
import torch
from endpoint_samples import Reply as Sent
from endpoint_samples import chat, serving

from radcap.captioning.joining_settings import RefineSettings
from radcap.captioning.language import Reply, make_generator
from radcap.captioning.language.endpoint import GIVEN_UP, EndpointModel
from radcap.core import Missing, UsageError
from radcap.core.endpoints import KEY, OPENAI_KEY
from radcap.core.posting import Poster
from radcap.vision.training import Place

pytestmark = pytest.mark.loopback
SECRET = "sk-very-secret"  # noqa: S105 - of nobody
CPU = Place(torch.device("cpu"))


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (KEY, OPENAI_KEY, "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def model_at(url: str, waits: list[float] | None = None, **changes: Any) -> EndpointModel:
    keys: dict[str, Any] = {"kind": "rewrite", "model": "writer", "endpoint": url, "timeout_s": 5.0}
    settings = RefineSettings(**keys | changes)
    made: Any = make_generator(settings, CPU, seed=9)
    sleep = ([] if waits is None else waits).append
    return EndpointModel(
        Poster(made.poster.endpoint, settings.timeout_s, settings.retries, sleep, patient=True), settings, 9
    )


def prompt_in(body: dict[str, Any]) -> str:
    return body["messages"][0]["content"]


def test_replies_come_in_the_order_of_the_prompts_and_several_are_asked_at_once() -> None:
    together, most = threading.Barrier(3, timeout=5), 12

    def answer(body: dict[str, Any]) -> Sent:
        together.wait()  # none is answered before three are asked
        return chat(f" <think>hm</think> {prompt_in(body)}! ", finish_reason="stop")

    heard: list[tuple[str, int]] = []
    with serving(answer=answer) as (url, asked):
        model = model_at(url, parallel=3, longest=77)
        prompts = [f"Say {n}" for n in range(most)]
        replies = model.replies(prompts, lambda name, done: heard.append((name, done)))
    assert [one.text for one in replies] == [f"{one}!" for one in prompts]
    assert heard == [("refined", n + 1) for n in range(most)]
    assert (model.name, model.is_instructed) == ("writer", True)
    assert asked[0].path == "/v1/chat/completions"
    wanted = {"model": "writer", "max_tokens": 77, "temperature": 0.0}
    assert {key: asked[0].body[key] for key in wanted} == wanted
    assert "seed" not in asked[0].body


def test_what_is_drawn_has_a_seed() -> None:
    with serving(chat("x")) as (url, asked):
        model_at(url, temperature=0.7).replies(["a"])
    assert (asked[0].body["temperature"], asked[0].body["seed"]) == (0.7, 9)


def _closed(handler: Any) -> None:
    handler.connection.close()


def _dripping(handler: Any) -> None:
    handler.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n")
    for _ in range(20):
        try:
            handler.wfile.write(b" ")
        except OSError:
            return
        time.sleep(0.05)


def _huge(handler: Any) -> None:
    """Twenty megabytes, of which one is read."""
    handler.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n")
    try:
        for _ in range(20):
            handler.wfile.write(b"x" * 1_000_000)
    except OSError:
        return


BAD = {
    "empty": (chat("  \n"), "the answer is empty"),
    "thought alone": (chat("<think>hm</think>"), "the answer is empty"),
    "cut": (chat("CT of the", finish_reason="length"), "the answer was cut at 100 tokens"),
    "filtered": (chat("CT of the", finish_reason="content_filter"), "the answer was cut by a filter"),
    "no text": (chat(None), "it has no choices[0].message.content"),
    "a list": (chat([{"type": "text", "text": "CT"}]), "it has no choices[0].message.content"),
    "a number": (Sent(body=b"3"), "it has no choices[0].message.content"),
    "no JSON": (Sent(body=b"<html>Hello</html>"), "it has no choices[0].message.content"),
    "deep": (Sent(body=b"[" * 100_000), "it has no choices[0].message.content"),
    "long": (chat("CT " * 2000), "the answer has 5,999 letters, and a caption was asked for"),
    "huge": (Sent(act=_huge), "answers more than 1,000,000 bytes"),
    "elsewhere": (Sent(302, headers={"Location": "http://127.0.0.1:1/"}), "to another address, which is not"),
    "wrong": (Sent(400, b"no such \x1b[31m model"), "answers 400: no such \\u001b[31m model"),
    "key": (Sent(401), "A key is missing"),
    "closed": (Sent(act=_closed), "cannot be reached after 2 tries"),
    "slow": (Sent(act=_dripping), "did not answer within 0.2 s after 2 tries"),
    "broken": (Sent(503, b"later"), "answers 503 after 2 tries: later"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_answer_is_a_reason(name: str) -> None:
    sent, told = BAD[name]
    with serving(sent) as (url, _):
        (reply,) = model_at(url, retries=1, timeout_s=0.2).replies(["CT"])
    assert reply.text == ""
    assert told in reply.failed
    assert not reply.failed.endswith(".")


def test_what_is_busy_is_asked_again_and_waited_for() -> None:
    waits: list[float] = []
    busy = (Sent(500), Sent(500), Sent(429, headers={"Retry-After": "7"}), chat("CT of the chest."))
    with serving(*busy) as (url, asked):
        assert model_at(url, waits).replies(["CT"]) == [Reply("CT of the chest.")]
    assert (len(asked), waits) == (4, [1.0, 2.0, 7.0])


def test_a_run_goes_on_where_some_questions_fail() -> None:
    bad = {"3": Sent(500), "7": chat(""), "9": Sent(act=_closed)}

    def answer(body: dict[str, Any]) -> Sent:
        return bad.get(prompt_in(body), chat(f"Caption {prompt_in(body)}."))

    with serving(answer=answer) as (url, _):
        replies = model_at(url, retries=1).replies([str(n) for n in range(12)])
    assert [n for n, one in enumerate(replies) if one.failed] == [3, 7, 9]
    assert all(one.text == f"Caption {n}." for n, one in enumerate(replies) if not one.failed)


def test_nobody_is_asked_for_ever_where_nothing_comes_of_it() -> None:
    with serving(Sent(400)) as (url, asked):
        replies = model_at(url, parallel=2).replies(["a"] * 60)
    assert GIVEN_UP <= len(asked) <= GIVEN_UP + 2
    assert all(one.failed for one in replies)
    assert replies[-1].failed == "it was not asked: 20 questions failed one after another"


def test_an_interrupted_run_asks_no_more() -> None:
    def stop(name: str, done: int) -> None:
        raise KeyboardInterrupt

    with serving(chat("x")) as (url, asked), pytest.raises(KeyboardInterrupt):
        model_at(url, parallel=1).replies(["a"] * 50, stop)
    assert len(asked) < 50


def test_the_key_comes_from_the_environment_and_goes_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(KEY, SECRET)
    caplog.set_level(logging.DEBUG)
    with serving(Sent(400, SECRET.encode()), chat(f"CT. {SECRET}")) as (url, asked):
        model = model_at(url)
        replies = model.replies(["a"]) + model.replies(["a"])
    assert asked[0].headers["Authorization"] == f"Bearer {SECRET}"
    assert replies[1].text == "CT. ..."
    assert SECRET not in repr(model) + repr(replies) + caplog.text


def test_an_address_of_the_environment_is_asked_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(chat("x")) as (url, asked):
        monkeypatch.setenv("RADCAP_ENDPOINT", url)
        with pytest.raises(Missing, match=r"None is named"):
            make_generator(RefineSettings(kind="rewrite"), CPU)
    assert asked == []


def test_what_has_to_be_named_is_told_before_anything_is_sent() -> None:
    with pytest.raises(Missing, match=r"Write \[refine\] model = 'NAME'"):
        model_at("https://host", model="")
    with pytest.raises(UsageError, match="goes unprotected over the network, with captions and the key"):
        model_at("http://host")
    assert model_at("http://host", plain_http=True).poster.endpoint.url.startswith("http://host")
