"""Explaining systems: read, refused, written, changed, never trained."""

from __future__ import annotations

from dataclasses import replace

import pytest

from radcap.core import InputError, UsageError
from radcap.core.tables import parse_toml
from radcap.explanation.external.settings import (
    EntitySettings,
    ProviderSettings,
    SegmenterSettings,
    SpatialSettings,
)
from radcap.explanation.methods import METHODS
from radcap.explanation.system import BoxSettings, ExplainSettings, ExplainSystem
from radcap.explanation.system_reading import explain_toml, read_explain_system
from radcap.systems import read_system
from radcap.systems.training import changed, train

HEAD = 'name = "mine"\ntask = "explain"\n'
EXTERNAL = '[explain]\nkind = "external"\n'
OPENAI = '[provider]\nkind = "openai"\n'


def refused(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_explain_system(parse_toml(HEAD + text, "mine.toml"))
    assert caught.value.path == "mine.toml"
    return [f"{one.line}: {one.message} {one.hint}" for one in caught.value.issues]


def test_every_table_may_be_left_out() -> None:
    system = read_explain_system(parse_toml(HEAD))
    assert system == ExplainSystem(name="mine", task="explain")
    assert (system.explain.kind, system.explain.method, system.explain.targets) == ("model", "auto", ("all",))
    assert (system.boxes.threshold, system.boxes.most) == (0.5, 3)


@pytest.mark.parametrize(
    "system",
    [
        ExplainSystem(name="a", task="explain"),
        ExplainSystem(name="a", task="explain", boxes=BoxSettings(0.3, 5)),
        ExplainSystem(name="a", task="explain", explain=ExplainSettings(method="lrp", targets=("C0040405",))),
        ExplainSystem(
            name="a",
            task="explain",
            published={"overall": 3.2},
            needs=("endpoint:x",),
            explain=ExplainSettings(kind="external"),
            entities=EntitySettings(groups=("DISO",), negated=True, most=3),
            provider=ProviderSettings(kind="openai", model="m", prompt="Find {phrases}\nnow"),
            segmenter=SegmenterSettings("sam", 2),
            spatial=SpatialSettings(words=True, arrows=True, overlap=0.5),
        ),
    ],
)
@pytest.mark.parametrize("full", [False, True])
def test_what_is_written_reads_as_the_same(system: ExplainSystem, full: bool) -> None:
    assert read_explain_system(parse_toml(explain_toml(system, full=full))) == system


@pytest.mark.parametrize("name", ["auto", *METHODS.table])
def test_every_method_can_be_named(name: str) -> None:
    system = read_explain_system(parse_toml(f'{HEAD}[explain]\nmethod = "{name}"\n'))
    assert system.explain.method == name


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[explain]\nmetod = 1", "4: [explain] has no key 'metod'. Nearest is 'method'."),
        ("[explain]\nmethod = 'gradcam'", "4: [explain] method is 'gradcam'. Nearest is 'grad-cam'. Known"),
        ("[explain]\nkind = 'extern'", "4: [explain] kind is 'extern'. Nearest is 'external'."),
        ("[provider]\nkind = 'opneai'", "4: [provider] kind is 'opneai'. Nearest is 'openai'. Known"),
        ("provider = 3", "3: provider is 3. A table is needed."),
        ("[provider]\nkind = 3", "4: [provider] kind is 3. A text in quotes is needed."),
        ("[boxes]\nthreshold = 1", "3: [boxes]: threshold is 1.0. Give a number above 0 and below 1."),
        ("[boxes]\nmost = 0", "3: [boxes]: most is 0. Give 1 to 100."),
        ("[provider]\ntimeout_s = 0", "3: [provider]: timeout_s is 0.0. Give a number above 0."),
        ("[provider]\nprompt = 'Find it'", "3: [provider]: The prompt does not say what to look for."),
        ("[segmenter]\npoints = 99", "3: [segmenter]: points is 99."),
        ("[spatial]\nsize = 0", "3: [spatial]: size is 0.0."),
        ("[entities]\nmost = 0", "3: [entities]: most is 0."),
        (EXTERNAL, "3: [explain]: kind is 'external', and nobody gives boxes. Give [provider] kind: o"),
        (OPENAI, "3: [provider]: It asks another model, and [explain] kind is 'model'. Delete the table, or"),
        ("[spatial]\nwords = true", "3: [spatial]: It asks another model"),
        (EXTERNAL + "method = 'lrp'\n" + OPENAI, "3: [explain]: method and targets are of the model's own"),
        (EXTERNAL + "targets = ['a']\n" + OPENAI, "3: [explain]: method and targets are of the model's own"),
        (EXTERNAL + OPENAI + "[entities]\ngroups = ['DISOR']", "8: [entities] groups[1] is 'DISOR'. Near"),
    ],
)  # fmt: skip
def test_a_wrong_file_is_refused_with_its_line(text: str, told: str) -> None:
    (found,) = refused(text)
    assert found.startswith(told)


def test_all_contradictions_are_told_at_once() -> None:
    told = refused("[provider]\nkind = 'detector'\n[spatial]\nwords = true\n[segmenter]\nmodel = 'x'\n")
    assert len(told) == 3


def test_a_setting_is_changed_and_a_wrong_one_refused() -> None:
    system = read_system("2025/auebnlp-explain")
    assert isinstance(system, ExplainSystem)
    other = changed(system, {"provider.endpoint": "https://host/v1", "boxes.most": "1"})
    provider = replace(system.provider, endpoint="https://host/v1")
    assert other == replace(system, provider=provider, boxes=BoxSettings(most=1))
    with pytest.raises(InputError, match="Nearest is 'endpoint'"):
        changed(system, {"provider.end_point": "x"})


def test_there_is_nothing_to_train(tmp_path) -> None:
    with pytest.raises(UsageError, match=r"nothing to train. Run: radcap explain MODEL IMAGES --method NAME"):
        train("radcap/intrinsic-explain", "nowhere", tmp_path / "m")
    assert not (tmp_path / "m").exists()
