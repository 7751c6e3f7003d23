from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest
from extractor_samples import QUICK, write_tool
from hypothesis import given
from hypothesis import strategies as st

from radcap.core import Missing
from radcap.vocabulary.extractors import isolated
from radcap.vocabulary.extractors.isolated import (
    ExtractorFailed,
    Isolated,
    check_tool,
    for_tools,
    start_tool,
    tool_file,
)
from radcap.vocabulary.extractors.options import WorkerOptions

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def speaking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Isolated]:
    """A process that runs this program in place of the conversation."""

    def start(program: str) -> Isolated:
        (tmp_path / "conversation.py").write_text(program, encoding="utf-8")
        monkeypatch.setattr(isolated, "_WORKERS", tmp_path)
        return Isolated(write_tool(tmp_path, "return [[] for _ in texts]"), QUICK)

    return start


def test_a_tool_answers(tmp_path: Path) -> None:
    tool = write_tool(tmp_path, "return [[{'start': 0, 'end': len(text)}] for text in texts]")
    with start_tool(tool, QUICK, {"notes": ["blank pipeline"]}) as worker:
        assert worker.title == "Told 1"
        assert worker.notes == ("blank pipeline",)
        assert worker.ask("entities", ["né", "肺"]) == [[{"start": 0, "end": 2}], [{"start": 0, "end": 1}]]


@pytest.mark.parametrize("text", ["\ud800 half", "né 肺 😀", "\x00\x1f\u2028\u0085", 'a "b" \\ c\n\r', ""])
def test_every_text_crosses_unchanged(tmp_path: Path, text: str) -> None:
    with start_tool(write_tool(tmp_path, "return []"), QUICK, {}) as worker:
        assert worker.ask("repeat", [text]) == [text]


def test_what_a_tool_prints_does_not_reach_its_answers(tmp_path: Path) -> None:
    noise = """
        print("loading ..."); sys.stdout.flush()
        os.write(1, b'{"answer": "wrong"}\\n')
        subprocess.run([sys.executable, "-c", "print(1)"], check=True)
        assert sys.stdin.read() == ""
        return [[] for _ in texts]
    """
    with start_tool(write_tool(tmp_path, noise), QUICK, {}) as worker:
        assert worker.ask("entities", ["a"]) == [[]]
        assert worker.ask("repeat", 5) == 5


def test_an_error_stream_of_any_length_is_read(tmp_path: Path) -> None:
    tool = write_tool(tmp_path, "sys.stderr.write('x' * 3_000_000 + chr(10) + 'the end'); sys.exit(4)")
    with start_tool(tool, QUICK, {}) as worker:
        assert worker.ask("entities", ["a"]) == [{"failed": "SystemExit: 4"}]
        assert worker.ask("repeat", 1) == 1


@pytest.mark.parametrize(
    ("entities", "said"),
    [
        ("os._exit(3)", "ended with exit status 3. Its work was stopped."),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "was ended by SIGSEGV"),
        ("os.kill(os.getpid(), 40)", "was ended by signal 40"),
        (
            "sys.stderr.write('no\\n\\n  heap é \\xff'); sys.stderr.flush(); os._exit(1)",
            "last words: no | heap é",
        ),
        ("os._exit(1)", "It said nothing else."),
    ],
)
def test_a_dying_tool_is_told_with_its_last_words(tmp_path: Path, entities: str, said: str) -> None:
    with start_tool(write_tool(tmp_path, entities), QUICK, {}) as worker:
        with pytest.raises(ExtractorFailed, match=r"^Told 1 under ") as failed:
            worker.ask("entities", ["a"])
        assert said in str(failed.value)
        with pytest.raises(ExtractorFailed, match="was closed"):
            worker.ask("entities", ["a"])


def test_words_that_are_no_utf_8_are_shown_all_the_same(tmp_path: Path) -> None:
    tool = write_tool(tmp_path, "os.write(2, b'caf\\xe9 is closed'); os._exit(1)")
    with start_tool(tool, QUICK, {}) as worker, pytest.raises(ExtractorFailed, match="caf\ufffd is closed"):
        worker.ask("entities", ["a"])


def test_a_hanging_tool_is_stopped(tmp_path: Path) -> None:
    limits = WorkerOptions(start_s=120, timeout_s=0.3)
    with start_tool(write_tool(tmp_path, "time.sleep(60)"), limits, {}) as worker:
        began = time.monotonic()
        with pytest.raises(ExtractorFailed, match=r"no answer for 0\.3 s.*Give it more time"):
            worker.ask("entities", ["a"])
        assert time.monotonic() - began < 40


def test_a_question_that_nobody_takes_is_timed_too(speaking: Callable[[str], Isolated]) -> None:
    """A pipe holds 64 KiB: writing more to a process that does not read would block for ever."""
    program = "import time; time.sleep(60)"
    with speaking(program) as worker, pytest.raises(ExtractorFailed, match="no answer for"):
        worker._ask({"given": "x" * 1_000_000}, 0.3)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"loading\n", "answered b'loading"),
        (b"[1]\n", "answered b'\\[1\\]"),
        (b"\xff\xfe\n", "answered b'\\\\xff"),
        (b"[" * 100_000 + b"\n", "answered b'\\[\\["),
        (b"{}\n", "answered {}"),
        (b'{"ready": 5}\n', "answered {'ready': 5}"),
        (b'{"missing": 5}\n', "answered {'missing': 5}"),
        (b'{"failed": "ValueError: no pack"}\n', "failed: ValueError: no pack. It was not opened."),
        (b"", "ended with exit status 0"),
        (b'{"ready"', "answered b'{\"ready\"'"),
    ],
)
def test_nonsense_is_refused(speaking: Callable[[str], Isolated], answer: bytes, said: str) -> None:
    program = f"import sys; sys.stdin.readline(); sys.stdout.buffer.write({answer!r})"
    with speaking(program) as worker, pytest.raises(ExtractorFailed, match=said):
        worker.greet({})


def test_an_endless_answer_is_cut(
    speaking: Callable[[str], Isolated], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolated, "_LONGEST", 1_000)
    program = "import sys; sys.stdin.readline(); sys.stdout.write('x' * 100_000)"
    with speaking(program) as worker, pytest.raises(ExtractorFailed, match="more than 1,000 bytes"):
        worker.greet({})


def test_a_process_that_only_stops_to_answer_is_ended(
    speaking: Callable[[str], Isolated], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolated, "_PATIENCE_S", 0.2)
    with speaking("import os, time; os.close(1); time.sleep(60)") as worker:
        with pytest.raises(ExtractorFailed, match="closed its answers"):
            worker.greet({})
        assert worker._process.poll() == -signal.SIGKILL


def test_an_interrupt_ends_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the late answer would be taken for that of the next question."""
    with start_tool(write_tool(tmp_path, "return []"), QUICK, {}) as worker:
        answers = Mock(get=Mock(side_effect=KeyboardInterrupt))
        monkeypatch.setattr(worker, "_answers", answers)
        with pytest.raises(KeyboardInterrupt):
            worker.ask("repeat", 1)
        with pytest.raises(ExtractorFailed, match="was closed"):
            worker.ask("repeat", 2)


def test_questions_of_two_threads_do_not_mix(tmp_path: Path) -> None:
    slow = "time.sleep(0.01); return texts"
    with start_tool(write_tool(tmp_path, slow), QUICK, {}) as worker, ThreadPoolExecutor(4) as threads:
        asked = [[str(number)] for number in range(20)]
        assert list(threads.map(lambda given: worker.ask("entities", given), asked)) == asked


def test_a_child_of_the_tool_that_stays_holds_nothing_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolated, "_PATIENCE_S", 0.2)
    tool = write_tool(tmp_path, "return [subprocess.Popen(['sleep', '60']).pid]")
    worker = start_tool(tool, QUICK, {})
    (child,) = worker.ask("entities", ["a"])
    worker.close()
    worker.close()
    os.kill(child, signal.SIGKILL)
    worker._said.join(10)
    assert worker._process.stderr is not None
    worker._process.stderr.close()


@pytest.mark.parametrize(
    ("absent", "opening", "error", "said"),
    [
        ("['medcat', 'spacy']", "pass", Missing, "medcat and spacy is missing. Absent. Get it."),
        ("[]", "import no_such_package", Missing, "no_such_package is missing"),
        ("[]", "raise ImportError('install the extra')", Missing, "install the extra"),
        ("[]", "raise ValueError('no pack')", ExtractorFailed, "ValueError: no pack. It was not opened."),
        ("[]", "sys.exit('spacy download')", ExtractorFailed, "SystemExit: spacy download"),
        ("1 / 0", "pass", ExtractorFailed, "ZeroDivisionError"),
        ("[]", "return type('Odd', (), {'about': {1: object()}})()", ExtractorFailed, "TypeError"),
        ("[]", "os._exit(9)", ExtractorFailed, "exit status 9"),
        ("[", "pass", ExtractorFailed, "SyntaxError"),
    ],
)
def test_a_tool_that_cannot_be_opened_says_why(
    tmp_path: Path, absent: str, opening: str, error: type[Exception], said: str
) -> None:
    tool = write_tool(tmp_path, "return []", absent=absent, opening=opening)
    with pytest.raises(error) as caught:
        start_tool(tool, QUICK, {})
    assert said in str(caught.value)


def test_a_check_opens_nothing(tmp_path: Path) -> None:
    check_tool(write_tool(tmp_path, "return []", opening="raise ValueError"), QUICK, {})
    with pytest.raises(Missing, match="thing is missing"):
        check_tool(write_tool(tmp_path, "return []", absent="['thing']"), QUICK, {})


def test_a_failing_question_leaves_the_tool_open(tmp_path: Path) -> None:
    with start_tool(write_tool(tmp_path, "return []"), QUICK, {}) as worker:
        with pytest.raises(ExtractorFailed, match=r"AttributeError.*cannot do 'fly'"):
            worker.ask("fly", 1)
        assert worker.ask("repeat", 2) == 2


def test_an_interpreter_is_found_by_name_or_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = write_tool(tmp_path, "return []")
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    for python in (Path(Path(sys.executable).name), Path(sys.executable)):
        with start_tool(tool, WorkerOptions(python=python), {}) as worker:
            assert worker.ask("repeat", 1) == 1


@pytest.mark.parametrize("name", ["no/such/python", "~/no/such/python"])
def test_an_absent_interpreter_is_missing(tmp_path: Path, name: str) -> None:
    with pytest.raises(Missing, match="no program of that name"):
        Isolated(write_tool(tmp_path, "return []"), WorkerOptions(python=Path(name)))


def test_a_program_without_interpreter_asks_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(Missing, match="of this program is missing"):
        Isolated(write_tool(tmp_path, "return []"), QUICK)


def test_a_file_that_is_no_program_is_missing(tmp_path: Path) -> None:
    odd = tmp_path / "python"
    odd.write_bytes(b"\x7fELF nothing")
    odd.chmod(0o755)
    with pytest.raises(Missing, match="cannot be started"):
        Isolated(write_tool(tmp_path, "return []"), WorkerOptions(python=odd))


def test_the_tool_ends_with_its_parent_even_while_it_works(tmp_path: Path) -> None:
    tool = write_tool(tmp_path, "time.sleep(600)")
    code = f"""
import sys, threading
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from radcap.vocabulary.extractors.isolated import Tool, start_tool
from radcap.vocabulary.extractors.options import WorkerOptions
worker = start_tool(Tool("Told", Path({str(tool.file)!r}), None), WorkerOptions(), {{}})
print(worker._process.pid, flush=True)
worker.ask("entities", ["a"])
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        time.sleep(0.2)
        parent.kill()
    for _ in range(100):
        if not _runs(child):
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("the tool outlived its parent")


def _runs(process: int) -> bool:
    """Whether it is there, and no mere entry that nobody asked for."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@given(st.text(st.characters()))
def test_places_stay_when_signs_are_replaced(text: str) -> None:
    fit = for_tools(text)
    assert len(fit) == len(text)
    fit.encode("utf-8")
    assert "\x00" not in fit
    assert all(one == other for one, other in zip(text, fit, strict=True) if other not in " \ufffd")


def test_radcap_has_a_program_for_each_tool() -> None:
    for name in ("conversation", "medcat", "neural", "quickumls", "quickumls_compiler"):
        assert tool_file(name).is_file()
