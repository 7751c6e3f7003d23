"""Progress: a bar on a terminal, nothing at all elsewhere, and never a byte of it among the data."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="terminals as on Unix")

COUNTING = """
import time
from radcap.cli.console import print_lines, progress
with progress({total}) as show:
    print_lines("data" if show else "nobody looks")
    for done in range(1, 4):
        if show:
            show("meteor", done)
            show("spice", 2 * done)
        time.sleep(0.12)  # the bar is drawn ten times a second
print_lines("more data")
"""
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_a_terminal(folder: Path, *command: str, **environment: str) -> tuple[int, str, str]:
    """Exit code, stdout, and what stderr showed: a terminal of its own, while stdout goes to a file."""
    import pty  # Unix alone has it

    ours, theirs = pty.openpty()
    with (folder / "out.txt").open("w+b") as out:
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "100", **environment},
        )
        os.close(theirs)
        shown = b"".join(iter(lambda: _read(ours), b""))
        code = process.wait(60)
        out.seek(0)
        data = out.read().decode()
    os.close(ours)
    return code, data, shown.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # how Linux says that the other side has closed
        return b""


@pytest.mark.parametrize("total", [3, None], ids=["known", "unknown"])
def test_on_a_terminal_each_piece_of_work_has_a_bar_that_goes_when_it_is_done(
    total: int | None, tmp_path: Path
) -> None:
    code, data, shown = on_a_terminal(tmp_path, "-c", COUNTING.format(total=total))
    assert (code, data) == (0, "data\nmore data\n")
    plain = ESCAPES.sub("", shown)
    assert "meteor" in plain
    assert "spice" in plain
    assert ("3/3" if total else "3/?") in plain
    assert "\x1b[2K" in shown  # the lines of the bars are wiped out


def test_into_a_file_there_is_no_bar(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COUNTING.format(total=3)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "nobody looks\nmore data\n", "")


def test_an_error_ends_the_bar_and_comes_through(tmp_path: Path) -> None:
    failing = """
from radcap.cli.console import progress, say
try:
    with progress(9) as show:
        show("meteor", 1)
        raise ValueError("it broke")
except ValueError as error:
    say(f"radcap: {error}")
"""
    code, data, shown = on_a_terminal(tmp_path, "-c", failing)
    assert (code, data) == (0, "")
    assert ESCAPES.sub("", shown).rstrip().endswith("radcap: it broke")
    assert shown.count("\x1b[?25h") == shown.count("\x1b[?25l")  # the cursor is there again


SPEAKS_LIKE_METEOR = """#!{python} -IS
import sys
for line in sys.stdin:
    command, *fields = line.split(" ||| ")
    print("\\n".join(["1.0 1.0"] if command == "SCORE" else ["0.5"] * (len(fields) + 1)), flush=True)
"""


def test_the_bar_of_a_metric_leaves_the_data_whole(captions: Path) -> None:
    java = captions / "home" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(SPEAKS_LIKE_METEOR.format(python=sys.executable), encoding="utf-8")
    java.chmod(0o755)
    score = ("-m", "radcap", "score", "captions", "run.csv", "truth", "--metrics", "meteor,rouge1", "--json")
    code, data, shown = on_a_terminal(captions, *score, JAVA_HOME=str(captions / "home"))
    assert code == 0
    assert [one["name"] for one in json.loads(data)["scores"]] == ["meteor", "meteor_corpus", "rouge1"]
    plain = ESCAPES.sub("", shown)
    assert "meteor" in plain
    assert "3/3" in plain


def test_what_is_found_in_a_run_is_data_beside_a_bar_too(captions: Path) -> None:
    (captions / "worse.csv").write_text("ID,Caption\nimg_1,CT\n", encoding="utf-8")
    compare = ("-m", "radcap", "compare", "worse.csv", "--truth", "truth", "--task", "captions")
    code, data, shown = on_a_terminal(captions, *compare)
    assert code == 1
    assert "worse.csv:0:0: RUN207 2 of 3 ids are absent" in data
    assert "RUN207" not in shown
    assert "1 of 1 run cannot be scored: worse.csv." in shown
