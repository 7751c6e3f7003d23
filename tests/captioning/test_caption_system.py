"""A caption system from its file and back, and what is refused in one."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.captioning.blocks import CAPTIONERS
from radcap.captioning.pretrained_settings import PRETRAINED
from radcap.captioning.settings import (
    CaptionTrainSettings,
    ConditionSettings,
    DecoderSettings,
    DetectorSettings,
    GenerateSettings,
    JointSettings,
)
from radcap.captioning.system import CaptionSystem
from radcap.captioning.system_reading import caption_toml, read_caption_system
from radcap.core import InputError
from radcap.core.tables import parse_toml

HEAD = 'name = "mine"\ntask = "captions"\n'
DETECTOR = "[detector]\nmodel = 'zoo:concepts'\n"


def system_of(text: str) -> CaptionSystem:
    return read_caption_system(parse_toml(HEAD + text))


def problems(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        system_of(text)
    return [f"{one.line}: {one.code} {one.message}" for one in caught.value.issues]


def test_a_file_that_says_nothing_has_every_default() -> None:
    assert system_of("") == CaptionSystem(name="mine", task="captions")


def test_tables_are_read() -> None:
    system = system_of("[decoder]\nkind = 'gru'\nlongest = 90\n[joint]\nmodality = 0.5\n[scst]\nepochs = 2\n")
    assert (system.decoder.kind, system.decoder.longest) == ("gru", 90)
    assert system.joint == JointSettings(modality=0.5)
    assert system.scst.epochs == 2


@pytest.mark.parametrize("kind", CAPTIONERS.table)
def test_every_kind_is_known(kind: str) -> None:
    told = DETECTOR if kind == "template" else ""
    told += "[pretrained]\ngeometry = 'tiny'\n" if kind in PRETRAINED else ""
    assert system_of(f"{told}[decoder]\nkind = '{kind}'").decoder.kind == kind


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "[decoder]\nkind = 'transfomer'",
            "4: SYS204 [decoder] kind is 'transfomer'. Nearest is 'transformer'.",
        ),
        ("[decoder]\nkind = 'nearset'", "4: SYS204 [decoder] kind is 'nearset'. Nearest is 'nearest'."),
        ("[head]\nkind = 'linera'", "4: SYS204 [head] kind is 'linera'. Nearest is 'linear'."),
        ("[head]\npool = 'gme'", "4: SYS204 [head] pool is 'gme'. Nearest is 'gem'."),
        ("[decision]\nrule = 'fixd'", "4: SYS204 [decision] rule is 'fixd'. Nearest is 'fixed'."),
        ("[decoder]\nlayer = 2", "4: SYS201 [decoder] has no key 'layer'. Nearest is 'layers'."),
        ("[generat]\nbeams = 2", "3: SYS201 The file has no key 'generat'. Nearest is 'generate'."),
        ("[loss]\nname = 'bce'", "4: SYS201 [loss] has no key 'name'."),
    ],
)
def test_a_wrong_key_is_refused_with_the_nearest(text: str, told: str) -> None:
    (found,) = problems(text)
    assert found.startswith(told)


CONTRADICTIONS = [
    ("[condition]\nconcepts = 'all'", "condition", "tells what a detector says, and there is none"),
    ("[condition]\nneighbours = 3", "condition", "tells what a detector says, and there is none"),
    ("[generate]\nsupported = true", "generate", "supported asks a detector, and there is none"),
    ("[decoder]\nkind = 'template'", "decoder", "A template says what a detector found"),
    (DETECTOR + "[joint]\nregion = 1.0", "joint", "The encoder is the detector's, and is not trained"),
    (
        DETECTOR + "share = false\n[joint]\nconcepts = 1.0",
        "joint",
        "concepts makes a detector, and there is one already",
    ),
    ("[joint]\ncaption = 0.0", "joint", "caption is 0: nothing would learn to write"),
    ("[image.augment]\nmixup = 0.2", "image", "Captions of mixed images would be lies"),
    ("[image.augment]\ncutmix = 0.2", "image", "Captions of mixed images would be lies"),
    (
        "[decoder]\nkind = 'words'\n[backbone]\nfrozen = true\n[image.augment]\nrotate = 9.0",
        "image",
        "A backbone that is not trained sees each image once",
    ),
    (
        DETECTOR + "[decoder]\nkind = 'words'\n[image.augment]\nrotate = 9.0",
        "image",
        "A backbone that is not trained sees each image once",
    ),
    (
        "[generate]\nlongest = 81",
        "generate",
        "longest is 81, and the decoder writes 80 tokens at most",
    ),
    (
        "[condition]\nprompt = 'Concepts: {concepts}.'",
        "condition",
        "The prompt names {concepts}, and concepts is 'none'",
    ),
    (
        "[condition]\nprompt = 'Like: {neighbours}'",
        "condition",
        "neighbours is 0, and the prompt names {neighbours} or not",
    ),
    (
        DETECTOR + "[condition]\nneighbours = 2\nprompt = 'Write:'",
        "condition",
        "neighbours is 2, and the prompt names {neighbours} or not",
    ),
]


@pytest.mark.parametrize(("text", "table", "told"), CONTRADICTIONS)
def test_tables_that_cannot_go_together_are_refused(text: str, table: str, told: str) -> None:
    (found,) = problems(text)
    assert "SYS205" in found
    assert f"[{table}]" in found
    assert told in found


def test_contradictions_are_told_all_at_once_and_after_what_cannot_be_read() -> None:
    text = (
        "[condition]\nconcepts = 'all'\n[generate]\nsupported = true\nlongest = 99\n[joint]\ncaption = 0.0\n"
    )
    assert [one.split()[1] for one in problems(text)] == ["SYS205"] * 4
    (found,) = problems(text + "[train]\nepoch = 3\n")
    assert "SYS201" in found


@pytest.mark.parametrize(
    "text",
    [
        DETECTOR + "[condition]\nconcepts = 'all'\nneighbours = 2\n[generate]\nsupported = true",
        DETECTOR + "share = false\n[joint]\nmodality = 1.0",
        "[detector]\nmodel = 'concepts'\n[joint]\nconcepts = 1.0",  # as joint training writes it
        "[decoder]\nkind = 'words'\n[image.augment]\nrotate = 9.0",
        "[backbone]\nfrozen = true\n[image.augment]\nrotate = 9.0",
        DETECTOR + "[condition]\nconcepts = 'all'\nprompt = '{concepts}:'",
        DETECTOR + "[condition]\nneighbours = 1\nprompt = 'As {neighbours}:'",
        "[condition]\nprompt = 'Radiology:'",
        "[generate]\nlongest = 80",
    ],
)
def test_what_goes_together_is_read_and_written_as_the_same(text: str) -> None:
    system = system_of(text)
    for full in (False, True):
        assert read_caption_system(parse_toml(caption_toml(system, full=full))) == system


@given(
    width=st.sampled_from([8, 64, 256]),
    longest=st.integers(8, 200),
    drop=st.floats(0, 0.9),
    epochs=st.integers(0, 99),
    prompt=st.text(st.characters(codec="utf-8", exclude_characters="{"), max_size=20),
    share=st.booleans(),
)
def test_any_system_reads_as_it_was_written(
    width: int, longest: int, drop: float, epochs: int, prompt: str, share: bool
) -> None:
    system = CaptionSystem(
        name="any",
        task="captions",
        published={"bleu": 0.5},
        detector=DetectorSettings(model="a folder", share=share),
        decoder=DecoderSettings(width=width, longest=longest, drop=drop),
        condition=ConditionSettings(concepts="all", prompt=prompt),
        train=CaptionTrainSettings(epochs=epochs),
        generate=GenerateSettings(longest=longest),
    )
    for full in (False, True):
        assert read_caption_system(parse_toml(caption_toml(system, full=full))) == system


def test_reading_loads_no_torch() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from radcap.core.tables import parse_toml\n"
        "from radcap.captioning.system_reading import read_caption_system\n"
        "print(read_caption_system(parse_toml(\"name = 'a'\\ntask = 'captions'\")).decoder.kind)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("transformer\n", "")
