"""Completion: what could be typed next, and a real shell that asks for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from radcap.cli.completion import candidates
from radcap.cli.main import app
from radcap.metrics import EDITIONS
from radcap.zoo import names

if TYPE_CHECKING:
    from commands import Command

# Bash parts words at colons, as COMP_WORDBREAKS says.
ASK = """
source <(radcap completion bash)
COMP_LINE="$1" COMP_POINT=${#1}
_radcap_completion radcap
printf '%s\\n' "${COMPREPLY[@]}"
complete -p radcap
"""


def answers(line: str) -> list[str]:
    return [one.partition("\t")[0] for one in candidates(app, line)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("radcap val", ["validate"]),
        ("radcap score ", ["concepts", "captions"]),
        ("radcap validate run.csv --task ", ["concepts", "captions"]),
        ("radcap validate --fo", ["--force", "--format"]),
        ("radcap train radcap/quick-co", ["radcap/quick-concepts"]),
        ("radcap predict zoo:concepts ra", ["radiology-open"]),
        ("radcap predict zoo:concepts d --device c", ["cpu", "cuda"]),
        ("radcap score captions run.csv truth --metrics rouge1,bleu", None),
        ("radcap validate ", []),  # a file: the shell's matter
        ("radcap validate 'run of mine", []),
    ],
)
def test_what_could_stand_at_the_end(line: str, expected: list[str] | None) -> None:
    if expected is None:
        assert {"rouge1,bleu", "rouge1,bleu1"} <= set(answers(line))
    else:
        assert answers(line) == expected


def test_names_are_those_that_exist() -> None:
    assert answers("radcap predict ") == list(names())
    assert answers("radcap score concepts run.csv truth --edition ") == list(EDITIONS)
    assert answers("radcap editions ") == list(EDITIONS)
    assert "radcap/quick-concepts" in answers("radcap systems show ")


def test_a_command_comes_with_what_it_does() -> None:
    assert list(candidates(app, "radcap met")) == ["metrics\tWhich metrics are ready, and how to get..."]


def test_an_unknown_shell_is_refused(process: Command) -> None:
    assert process("completion", "tcsh").code == 2


@pytest.fixture
def on_path(tmp_path: Path) -> dict[str, str]:
    """An environment whose `radcap` is the one that is tested."""
    program = tmp_path / "radcap"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m radcap "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("line", "expected"),
    [("radcap edit", ["editions"]), ("radcap predict zoo:conc", ["concepts"]), ("radcap validate ", [""])],
    ids=["command", "after a colon", "files"],
)
def test_bash_completes(line: str, expected: list[str], on_path: dict[str, str]) -> None:
    done = subprocess.run(
        ["bash", "--norc", "-c", ASK, "bash", line],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
        env=on_path,
    )
    *found, registered = done.stdout.splitlines()
    assert found == expected
    assert registered == "complete -o default -F _radcap_completion radcap"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_take_their_script(shell: str, process: Command) -> None:
    script = process("completion", shell)
    assert script.code == 0
    assert "RADCAP_COMPLETE_LINE" in script.out
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    checked = subprocess.run([shell, "-n", "-c", script.out], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_zsh_is_given_names_with_what_they_do(on_path: dict[str, str]) -> None:
    ask = (
        "compdef() { :; }; _files() { print files }; _describe() { print -l ${(P)2} }\n"
        'eval "$(radcap completion zsh)"\n'
        "words=(radcap edit); CURRENT=2; _radcap_completion\n"
    )
    done = subprocess.run(["zsh", "-f", "-c", ask], capture_output=True, text=True, check=True, env=on_path)  # noqa: S607
    assert done.stdout.startswith("editions:What an edition measures")


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_fish_completes(on_path: dict[str, str]) -> None:
    ask = "radcap completion fish | source; complete --do-complete 'radcap edit'"
    done = subprocess.run(["fish", "-c", ask], capture_output=True, text=True, check=True, env=on_path)  # noqa: S607
    assert "editions" in done.stdout
