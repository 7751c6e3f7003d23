"""Readers who leave, disks that are full, terminals that know no Unicode: exit codes 0 to 3, no traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from corpus_small import GOOD, SMALL, SMALL_IDS, K
from measured import clean_environment

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="streams as on Unix")

RADCAP = f"'{sys.executable}' -m radcap"
VALIDATE = f"{RADCAP} validate bad.csv --task concepts --ids ids.csv"


@pytest.fixture
def task(tmp_path: Path) -> Path:
    (tmp_path / "ids.csv").write_text("\n".join(SMALL_IDS), encoding="utf-8")
    (tmp_path / "good.csv").write_bytes(GOOD[K])
    (tmp_path / "bad.csv").write_bytes(SMALL["terminal commands in a concept"].content)
    (tmp_path / "long.csv").write_bytes(GOOD[K] + b"".join(b"%d\xc3\xa9,x\n" % n for n in range(900)))
    return tmp_path


def shell(folder: Path, line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A line of bash whose exit code is that of `radcap`, also in front of a pipe."""
    return subprocess.run(
        ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"],  # noqa: S607, whichever bash there is
        cwd=folder,
        env=clean_environment(**environment),
        capture_output=True,
        check=False,
        timeout=60,
    )


LEAVING = {
    "a reader of one line": (f"{VALIDATE} | head -n 1", {1}),
    "a reader of one line of many": (f"{VALIDATE.replace('bad', 'long')} --format github | head -n 1", {1}),
    "a reader of one line of JSON": (f"{VALIDATE.replace('bad', 'long')} --json | head -n 1", {1}),
    "a reader of nothing": (f"{VALIDATE} | true", {1}),
    "a reader of nothing, good run": (f"{VALIDATE.replace('bad', 'good')} | true", {0}),
    "a reader of a table": (f"{RADCAP} editions 2025 | head -n 1", {0}),
    "a reader of the help": (f"{RADCAP} validate --help | true", {0, 1}),
    "a reader of talk": (f"{VALIDATE} 2>&1 >/dev/null | true", {1}),
    "a full disk": (f"{VALIDATE} > /dev/full", {2}),
    "a full disk, much to say": (f"{VALIDATE.replace('bad', 'long')} --json > /dev/full", {2}),
    "a full disk for talk": (f"{VALIDATE} 2> /dev/full", {1}),
    "a full disk for all": (f"{VALIDATE} &> /dev/full", {2}),
    "a full disk for a table": (f"{RADCAP} editions > /dev/full", {2}),
    "no stdout": (f"{VALIDATE} >&-", {1}),
    "no stdout for JSON": (f"{VALIDATE} --json >&-", {1}),
    "no stdout for a table": (f"{RADCAP} editions >&-", {0}),
    "no stderr": (f"{VALIDATE} 2>&-", {1}),
    "no stream at all": (f"{VALIDATE} <&- >&- 2>&-", {1}),
    "no stderr, wrong usage": (f"{RADCAP} validate 2>&-", {2}),
}


@pytest.mark.parametrize("name", LEAVING)
def test_the_verdict_does_not_hang_on_who_listens(name: str, task: Path) -> None:
    line, codes = LEAVING[name]
    if "/dev/full" in line and not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    done = shell(task, line)
    assert done.returncode in codes
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr


ENVIRONMENTS = {
    "C": {"LC_ALL": "C"},
    "POSIX, no UTF-8 mode": {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "ASCII": {"PYTHONIOENCODING": "ascii"},
    "Latin-1": {"PYTHONIOENCODING": "latin-1"},
    "UTF-16": {"PYTHONIOENCODING": "utf-16"},
    "no width": {"COLUMNS": "1"},
    "no terminal": {"TERM": "dumb", "NO_COLOR": "1"},
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_any_locale_will_do(name: str, task: Path) -> None:
    environment = ENVIRONMENTS[name]
    encoding = environment.get("PYTHONIOENCODING", "utf-8")
    done = shell(task, VALIDATE, **environment)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert all(line.isprintable() for line in done.stdout.decode(encoding).splitlines())
    done = shell(task, f"{VALIDATE.replace('bad', 'long')} --json", **environment)
    assert json.loads(done.stdout.decode(encoding))["counts"]["RUN205"] == 900
    for line in ("editions 2025", "validate --help"):
        done = shell(task, f"{RADCAP} {line}", **environment)
        assert done.returncode == 0, done.stderr
        assert done.stdout


def test_the_name_of_a_file_may_be_in_no_encoding_at_all(task: Path) -> None:
    name = os.fsdecode(b"\xff\xe9.csv")
    (task / name).write_bytes(b"\xff")
    for encoding in ("utf-8", "ascii"):
        for output in ("text", "json", "github"):
            done = shell(
                task, f"{VALIDATE.replace('bad.csv', '*')} --format {output}", PYTHONIOENCODING=encoding
            )
            assert done.returncode in {1, 2}
            assert b"Traceback" not in done.stderr
