"""The local page as a browser meets it: what is answered, and to whom nothing is."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import re
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event, Lock
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from safe_pages import HOSTILE, Tags
from serving_samples import Client, FakeReader, served

from radcap.core import InputError, Missing, UsageError
from radcap.reading.serving import serve
from radcap.reading.serving.examples import Example, Examples
from radcap.reading.values import RESEARCH_ONLY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from radcap.reading.reader import Reader


pytestmark = pytest.mark.loopback


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with served() as made:
        yield made


def wait_until(true: Callable[[], bool], limit_s: float = 20) -> None:
    end = time.monotonic() + limit_s
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


# ---- the page


def test_the_page_holds_what_it_needs(client: Client) -> None:
    got = client.ask("GET", "/", X_Radcap_Token=None)
    page = got.body.decode()
    assert got.status == 200
    assert RESEARCH_ONLY in page
    assert f'data-token="{client.server.site.gate.token}"' in page
    assert page.count("data-example=") == 6
    assert page.count("CC BY 4.0") >= 4  # whose the examples are
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)  # it fetches nothing


def test_the_policy_names_the_style_and_the_script_by_what_they_hold(client: Client) -> None:
    got = client.ask("GET", "/")
    policy = got.headers["Content-Security-Policy"]
    for name in ("script", "style"):
        found = re.findall(rf"<{name}>(.*?)</{name}>", got.body.decode(), re.DOTALL)
        assert len(found) == 1
        code = base64.b64encode(hashlib.sha256(found[0].encode()).digest()).decode()
        assert f"{name}-src 'sha256-{code}'" in policy
    assert policy.startswith("default-src 'none'")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize("path", ["/", "/state", "/nothing"])
def test_every_answer_stays_where_it_is(client: Client, path: str) -> None:
    headers = client.ask("GET", path).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Server"].startswith("radcap/")
    assert "Python" not in headers["Server"]


def test_the_state_tells_when_the_model_is_open() -> None:
    go = Event()

    def opening() -> FakeReader:
        go.wait(20)
        return FakeReader("zoo:concepts")

    with served(opening) as client:
        assert client.ask("GET", "/state").json == {"ready": False}
        go.set()
        wait_until(lambda: client.ask("GET", "/state").json == {"ready": True, "model": "zoo:concepts"})


# ---- readings and reports


def test_an_image_is_read_and_its_reports_can_be_had(client: Client) -> None:
    told = client.read(name="chest%20one.png").json
    assert told["reading"]["image"] == "chest one.png"
    assert told["reading"]["use"] == RESEARCH_ONLY
    assert f'id="reading-{told["number"]}"' in told["card"]
    assert "style=" not in told["card"]  # the policy would refuse it
    for form in ("text", "html", "json", "fhir"):
        got = client.ask("GET", f"/reports/{told['key']}.{form}")
        assert got.status == 200
        assert "Pneumonia" in got.body.decode()
        assert got.headers["Content-Disposition"] == "attachment"
        assert "sandbox" in got.headers["Content-Security-Policy"]


def test_readings_are_numbered(client: Client) -> None:
    first, second = client.read().json["number"], client.read().json["number"]
    assert second == first + 1


def test_reports_of_what_is_not_kept(client: Client) -> None:
    assert "no longer kept" in client.ask("GET", "/reports/none.json").error
    key = client.read().json["key"]
    assert "text, html, json, fhir" in client.ask("GET", f"/reports/{key}.exe").error


def test_what_looks_like_no_radiology_image_is_read_only_when_asked_to(client: Client) -> None:
    got = client.read(name="cat.jpg")
    assert got.status == 422
    assert got.json["anyway"] is True
    assert got.json["error"] == "cat.jpg does not look like a radiology image (probability <1 %)."
    assert client.read(name="cat.jpg", query="?anyway=1").status == 200
    assert client.read(name="cat.jpg").status == 422  # it was for that one


def test_what_is_no_image_is_told_in_a_sentence(client: Client) -> None:
    got = client.read(b"")
    assert got.status == 422
    assert got.json["anyway"] is False
    assert got.json["error"].endswith("Give an image file.")


def test_examples_are_read_with_their_attribution(client: Client) -> None:
    told = client.ask("POST", "/read?example=RadBench_test_000015").json
    assert told["reading"]["image"] == "RadBench_test_000015"
    assert "MedPix" in told["reading"]["attribution"]
    assert told["reading"]["attribution"].endswith("CC0 1.0")
    assert "no such example" in client.ask("POST", "/read?example=../../etc/passwd").error


def test_an_example_that_is_refused() -> None:
    examples = Examples()
    examples.__dict__["all"] = (Example("cat", "Cat", "nobody", b"1"),)  # as if it had been opened
    with served() as client:
        client.server.site = replace(client.server.site, examples=examples)
        assert client.ask("POST", "/read?example=cat").status == 422


# ---- who may ask


def test_other_names_of_this_machine_are_refused(client: Client) -> None:
    port = client.server.server_port
    assert client.ask("GET", "/", Host=f"localhost:{port}").status == 200
    for host in (
        "evil.example",
        f"evil.example:{port}",
        "127.0.0.1",
        "localhost:1",
        "",
        f"[::1]:{port}",
        None,
    ):
        got = client.ask("GET", "/", Host=host)
        assert got.status == 421
        assert "this machine alone" in got.error


def test_two_hosts_are_none(client: Client) -> None:
    with socket.create_connection(("127.0.0.1", client.server.server_port), timeout=20) as line:
        host = f"Host: {client.host}\r\n".encode()
        line.sendall(b"GET / HTTP/1.1\r\n" + host + host + b"\r\n")
        assert b" 421 " in line.makefile("rb").readline()


@pytest.mark.parametrize(
    "wrong",
    [
        {"X_Radcap_Token": None},
        {"X_Radcap_Token": ""},
        {"X_Radcap_Token": "guess"},
        {"X_Radcap_Token": "\xe4\xf6"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
    ids=lambda one: "-".join(f"{name}-{value!a}" for name, value in one.items()),
)
def test_other_pages_are_refused(client: Client, wrong: dict[str, str | None]) -> None:
    for method, path in (("POST", "/read"), ("GET", "/state"), ("GET", "/reports/x.json"), ("POST", "/")):
        got = client.ask(method, path, b"bytes" if method == "POST" else b"", **wrong)
        assert got.status == 403
        assert "Load the page again." in got.error
        assert "Access-Control-Allow-Origin" not in got.headers


def test_a_browser_that_says_where_it_comes_from_is_answered(client: Client) -> None:
    right = {"Origin": f"http://{client.host}", "Sec_Fetch_Site": "same-origin"}
    assert client.ask("POST", "/read", b"1", **right).status == 200
    assert client.ask("GET", "/", Sec_Fetch_Site="none", Sec_Fetch_Dest="document").status == 200


@pytest.mark.parametrize("dest", ["iframe", "image", "script", "empty"])
def test_the_page_is_no_part_of_another(client: Client, dest: str) -> None:
    got = client.ask("GET", "/", Sec_Fetch_Dest=dest)
    assert got.status == 403
    assert b"data-token" not in got.body


# ---- hostile requests


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "HEAD"])
def test_other_methods_are_refused_in_json(client: Client, method: str) -> None:
    got = client.ask(method, "/read")
    assert got.status == 501
    assert method == "HEAD" or "no request that the page makes" in got.error


@pytest.mark.parametrize(
    "path",
    ["/../../etc/passwd", "/%2e%2e/secret", "//state", "/state/", "/reports/a/b", "/local_page.js", "*"],
)
def test_other_places_are_nothing(client: Client, path: str) -> None:
    assert client.ask("GET", path).status in {200, 404} if path == "//state" else 404
    assert b"root:" not in client.ask("GET", path).body


@pytest.mark.parametrize(
    "line",
    [b"\r\n", b"nonsense\r\n", b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n"],
    ids=["empty", "one word", "long"],
)
def test_lines_that_are_no_request(client: Client, line: bytes) -> None:
    with socket.create_connection(("127.0.0.1", client.server.server_port), timeout=20) as sent:
        sent.sendall(line + b"\r\n")
        sent.shutdown(socket.SHUT_WR)
        try:
            told = sent.makefile("rb").read()
        except ConnectionError:
            told = b""
    assert b"Traceback" not in told
    assert client.ask("GET", "/state").status == 200  # it goes on


@pytest.mark.parametrize("length", [None, "", "-1", "1e3", "x", "9" * 40, "٣"], ids=ascii)
def test_a_length_that_is_none(client: Client, length: str | None) -> None:
    told = None if length is None else length.encode().decode("latin-1")
    got = client.ask("POST", "/read", Content_Length=told)
    assert got.status == 411


def test_pieces_without_a_length_are_refused(client: Client) -> None:
    got = client.ask("POST", "/read", Transfer_Encoding="chunked", Content_Length="5")
    assert got.status == 411


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(client: Client) -> None:
    got = client.ask("POST", "/read", Content_Length=str(64 * 2**20 + 1))
    assert got.status == 413
    assert "64 MB" in got.error


def test_a_body_that_ends_too_early(client: Client) -> None:
    with socket.create_connection(("127.0.0.1", client.server.server_port), timeout=20) as line:
        token = client.server.site.gate.token
        head = f"POST /read HTTP/1.1\r\nHost: {client.host}\r\nX-Radcap-Token: {token}\r\n"
        line.sendall(f"{head}Content-Length: 100\r\n\r\nshort".encode())
        line.shutdown(socket.SHUT_WR)
        assert b" 408 " in line.makefile("rb").readline()


@pytest.mark.parametrize(
    "name", [*HOSTILE, "../../etc/passwd", "C:\\a\\b.png", "", "\x00\x1b[31m", "a" * 5000], ids=range(9)
)
def test_hostile_names_are_only_shown(client: Client, name: str) -> None:
    told = client.read(name=quote(name, errors="backslashreplace")[:9000]).json
    image = told["reading"]["image"]
    assert "/" not in image
    assert "\\" not in image or "\\" not in name
    assert 1 <= len(image) <= 200
    tags = Tags(told["card"])
    assert tags.named("script") == []
    assert not [name for _, attributes in tags.tags for name in attributes if name.startswith("on")]


def test_the_body_is_what_was_sent_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    reader, data = FakeReader(), bytes(range(256)) * 1000
    with served(lambda: reader) as client:
        client.read(data, "a.png")
    assert reader.seen == [("a.png", data)]
    assert list(tmp_path.iterdir()) == []


# ---- faults


def test_a_fault_of_ours_is_told_without_details(caplog: pytest.LogCaptureFixture) -> None:
    def fail(data: bytes) -> None:
        raise ZeroDivisionError("secret")

    with caplog.at_level(logging.ERROR), served(lambda: FakeReader(before=fail)) as client:
        got = client.read()
    assert got.status == 500
    assert "ZeroDivisionError" in got.error
    assert b"secret" not in got.body
    assert "secret" in caplog.text


def test_an_error_with_a_sentence_is_told_as_it_is() -> None:
    def fail(data: bytes) -> None:
        raise InputError("The image is odd. Give another.")

    with served(lambda: FakeReader(before=fail)) as client:
        assert client.read().error == "The image is odd. Give another."


def test_a_browser_that_went_away_is_no_fault(capfd: pytest.CaptureFixture[str]) -> None:
    with served() as client:
        client.server.handle_error(None, None)
        assert client.read().status == 200
    assert capfd.readouterr().err == ""


# ---- several at once


def test_one_look_at_a_time_and_a_line_that_has_an_end() -> None:
    go, lock, most, now = Event(), Lock(), [0], [0]

    def look(data: bytes) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        go.wait(20)
        with lock:
            now[0] -= 1

    with served(lambda: FakeReader(before=look)) as client, ThreadPoolExecutor(12) as many:
        asked = [many.submit(client.read, b"1", f"{number}.png") for number in range(12)]
        wait_until(lambda: sum(one.done() for one in asked) >= 3)
        go.set()
        statuses = sorted(one.result().status for one in asked)
    assert most == [1]
    assert statuses == [200] * 9 + [503] * 3


def test_who_waits_when_it_ends_is_told() -> None:
    began, go = Event(), Event()

    def look(data: bytes) -> None:
        began.set()
        go.wait(20)

    with served(lambda: FakeReader(before=look)) as client, ThreadPoolExecutor(3) as many:
        first = many.submit(client.read)
        began.wait(20)
        second = many.submit(client.read)
        desk = client.server.site.desk
        wait_until(lambda: desk._thread._work_queue.qsize() == 1)
        closing = many.submit(desk.close)
        assert "is ending" in second.result().error
        go.set()
        assert first.result().status == 200  # what is under way ends
        closing.result()


# ---- serving as a whole


def test_it_ends_when_it_is_interrupted() -> None:
    told: list[str] = []

    def ready(address: str) -> None:
        told.append(address)
        raise KeyboardInterrupt

    serve(FakeReader, ready=ready)  # pyright: ignore[reportArgumentType]
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", told[0])


def test_it_ends_where_the_model_cannot_be_opened() -> None:
    def opening() -> Reader:
        raise Missing("torch", "Reading needs it.", "Run: pip install 'radcap[read]'")

    with pytest.raises(Missing, match="torch is missing"):
        serve(opening, ready=len)


def test_ports_that_cannot_be_had() -> None:
    def never() -> Reader:
        raise AssertionError

    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(UsageError, match="cannot be used"):
        serve(never, port=taken.getsockname()[1], ready=len)
    with pytest.raises(UsageError, match="no port 70000"):
        serve(never, port=70_000, ready=len)


def test_only_this_machine_is_listened_to(client: Client) -> None:
    assert client.server.socket.getsockname()[0] == "127.0.0.1"
    assert json.loads(client.ask("GET", "/state").body)


def test_the_page_is_there_before_torch_is() -> None:
    code = "import sys, radcap.reading.serving; print('torch' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "False"
