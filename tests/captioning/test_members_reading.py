"""Files of caption systems with members: read, expanded, refused, changed, written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.captioning.joining_settings import JoinSettings, RerankSettings
from radcap.captioning.members import asked, holds, resolve
from radcap.captioning.settings import CaptionDataSettings, PostSettings
from radcap.captioning.system import CaptionSystem, caption_tables, shared
from radcap.captioning.system_reading import caption_toml, read_caption_system
from radcap.core import InputError, unknown_name
from radcap.core.tables import parse_toml
from radcap.systems import read_system, written
from radcap.systems.catalogue import read_captions
from radcap.systems.training import changed

HEAD = 'name = "mine"\ntask = "captions"\n'
FILES = {
    "other": "[decoder]\nkind = 'gru'\n[post]\nwords = 9\n",
    "joined": "[[member]]\n[[member]]\n",
}
BUCKETS = "[join]\nrule = 'router'\n[[member]]\nname = 'a'\n[member.data]\nmost = 9\n[[member]]\nname = 'b'\n"


def system_of(text: str) -> CaptionSystem:
    return read_caption_system(parse_toml(HEAD + text))


def find(name: str) -> CaptionSystem:
    if name not in FILES:
        raise unknown_name("system", name, FILES)
    return system_of(FILES[name])


def resolved(text: str) -> CaptionSystem:
    return resolve(system_of(text), find, text=HEAD + text, path="a.toml")


def problems(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        resolved(text)
    return [f"{one.line}: {one.code} {one.message} {one.hint}".strip() for one in caught.value.issues]


def test_what_a_member_does_not_say_the_tables_of_its_file_say() -> None:
    system = resolved(
        "[decoder]\nwidth = 64\n[[member]]\nname = 'x'\n[member.decoder]\nkind = 'lstm'\n[[member]]"
    )
    first, second = system.member
    assert (first.name, first.decoder.kind, first.decoder.width) == ("x", "lstm", 64)
    assert (second.name, second.decoder) == ("transformer", system.decoder)


def test_tables_of_the_whole_are_not_those_of_members() -> None:
    system = resolved(
        "[post]\nwords = 20\n[rerank]\nby = 'centroid'\n[refine]\nkind = 'fuse'\n"
        "[[member]]\n[[member]]\n[member.post]\nwords = 7\n"
    )
    first, second = system.member
    assert (system.post.words, first.post, second.post.words) == (20, PostSettings(), 7)
    assert (first.rerank, first.refine.kind) == (RerankSettings(), "none")
    assert shared(system).post == PostSettings()


def test_a_file_gives_its_tables_and_its_name() -> None:
    first, second = resolved("[[member]]\nfile = 'other'\n[[member]]\nfile = 'other'\nname = 'b'").member
    assert (first.name, first.file, second.name) == ("mine", "", "b")
    assert caption_tables(second) == caption_tables(system_of(FILES["other"]))


def test_members_without_a_name_are_called_by_their_decoder() -> None:
    last = "[[member]]\n[member.decoder]\nkind = 'gru'"
    text = f"[[member]]\n[[member]]\nname = 'transformer-2'\n[[member]]\n{last}"
    assert [one.name for one in resolved(text).member] == [
        "transformer",
        "transformer-2",
        "transformer-3",
        "gru",
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "[[member]]\nfile = 'othr'",
            "4: SYS302 Member 1 cannot be had: There is no system 'othr'. Nearest is 'other'.",
        ),
        ("[[member]]\n[[member]]\nfile = 'joined'", "5: SYS303 Member 2 is 'joined', which has members"),
        ("[[member]]\nfile = 'other'\n[member.data]\nwords = 3", "3: SYS301 Member 1 names the file 'other'"),
        ("[[member]]\nname = 'a'\n[[member]]\nname = 'a'", "6: SYS205 Member 2: Its name 'a' is that of"),
        (
            "[[member]]\n[member.decoder]\nkind = 'gro'",
            "5: SYS204 [member.decoder] of member 1 kind is 'gro'.",
        ),
        ("[[member]]\n[member.join]\nrule = 'pool'", "4: SYS201 [member] of member 1 has no key 'join'."),
        ("[[member]]\n[[member.post]]\nwords = 3", "4: SYS205 [[member.post]]: One such table is read."),
        ("[join]\nlearner = 'svn'", "4: SYS204 [join] learner is 'svn'. Nearest is 'svm'."),
        (
            "[[member]]\n[member.generate]\nsupported = true",
            "4: SYS205 [member.generate] of member 1: supported",
        ),
        (
            "[[member]]\n[member.decoder]\nkind = 'words'\n[member.rerank]\nby = 'centroid'",
            "6: SYS205 [member.rerank] of member 1: A captioner of the kind 'words' has one draft",
        ),
        (
            "[rerank]\nby = 'alignment'\n[decoder]\nkind = 'chat'\n[pretrained]\ngeometry = 'tiny'",
            "3: SYS205 [rerank]: The kind 'chat' has no",
        ),
        ("[join]\nrule = 'pool'\nappend = ['a']", "3: SYS205 [join]: There is no [[member]] to join."),
        (
            "[refine]\nkind = 'rewrite'\nmodel = 'consensus'\n[[member]]\n[[member]]",
            "3: SYS205 [refine]: 'consensus' chooses among several texts, and rewrite has one.",
        ),
        (
            "[join]\nappend = ['b', 'neer']\n[[member]]\nname = 'near'\n[[member]]\nname = 'b'",
            "4: SYS204 [join] append[2] is 'neer'. Nearest is 'near'. Known: near, b.",
        ),
        ("[join]\nappend = ['a']\n[[member]]\nname = 'a'", "4: SYS205 [join]: append names every member"),
        (
            "[join]\nrule = 'concatenate'\nappend = ['a']\n[[member]]\nname = 'a'\n[[member]]",
            "5: SYS205 [join]: The captions of all members follow each other anyway.",
        ),
        (
            "[join]\nrule = 'concatenate'\n[rerank]\nby = 'centroid'\n[[member]]\n[[member]]",
            "5: SYS205 [rerank]: All captions are taken",
        ),
        (
            (
                "[join]\nrule = 'router'\nappend = ['b']\n[[member]]\n[member.data]\nmost = 3\n"
                "[[member]]\nname = 'b'"
            ),
            "3: SYS205 [join]: A router chooses between members, and there is one.",
        ),
        (BUCKETS, "9: SYS205 Member 2: The router asks it for captions of some lengths"),
        (
            BUCKETS + "[member.data]\nleast = 9",
            "9: SYS205 Member 2: It learns from captions of 9 words, as 'a'",
        ),
        (
            BUCKETS + "[member.data]\nleast = 10\n[decoder]\nkind = 'random'",
            "3: SYS205 [join]: It goes by vectors of images",
        ),
        (
            "[rerank]\nby = 'alignment'\n[decoder]\nkind = 'frequent'\n[[member]]\n[[member]]",
            "3: SYS205 [rerank]: It goes by vectors of images, and no member looks",
        ),
    ],
)
def test_what_would_fail_after_training_is_refused_before(text: str, told: str) -> None:
    found = problems(text)
    assert len(found) == 1, found
    assert found[0].startswith(told), found[0]


def test_what_can_be_joined_is_not_refused() -> None:
    more = "[member.data]\nleast = 10\n[[member]]\nfile = 'other'\nname = 'c'\n"
    system = resolved(BUCKETS.replace("[[", "append = ['c']\n[[", 1) + more)
    assert [one.name for one in asked(system)] == ["a", "b"]
    assert resolved(
        "[rerank]\nby = 'alignment'\nmodel = 'x'\n[decoder]\nkind = 'frequent'\n[[member]]"
    ).member


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 70))
def test_a_bucket_holds_the_lengths_that_it_says(least: int, most: int, words: int) -> None:
    if 0 < most < least:
        return
    data = CaptionDataSettings(least=least, most=most)
    assert holds(data, words) == (words in range(least, (most or 1000) + 1))


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        "[post]\nwords = 5\n[[member]]\nfile = 'other'\n[[member]]\n[member.post]\nwords = 8\n",
        (
            "[join]\nrule = 'concatenate'\n[decoder]\nkind = 'gru'\n"
            "[[member]]\n[[member]]\n[member.decoder]\nwidth = 8"
        ),
    ],
)
def test_what_is_written_reads_as_the_same(text: str, full: bool) -> None:
    system = resolved(text)
    assert resolve(read_caption_system(parse_toml(caption_toml(system, full=full))), find) == system
    unresolved = system_of(text)
    assert read_caption_system(parse_toml(caption_toml(unresolved))) == unresolved


def on_disk(folder: Path, name: str, text: str, task: str = "captions") -> Path:
    path = folder / f"{name}.toml"
    path.write_text(f'name = "{name}"\ntask = "{task}"\n{text}', encoding="utf-8")
    return path


def test_files_are_found_beside_the_file_and_in_the_catalogue(tmp_path: Path) -> None:
    on_disk(tmp_path, "b", "[decoder]\nkind = 'gru'\n")
    path = on_disk(tmp_path, "a", "[[member]]\nfile = 'b.toml'\n[[member]]\nfile = 'radcap/quick-captions'\n")
    system = read_captions(path)
    assert [one.name for one in system.member] == ["b", "radcap/quick-captions"]
    assert system.member[1].backbone == read_captions("radcap/quick-captions").backbone
    on_disk(tmp_path, "again", written(system).partition("\n\n")[2])
    assert read_captions(tmp_path / "again.toml").member == system.member


def test_files_that_lead_back_or_are_of_another_task_are_refused(tmp_path: Path) -> None:
    on_disk(tmp_path, "b", "[[member]]\nfile = 'c.toml'\n")
    on_disk(tmp_path, "c", "[[member]]\nfile = 'a.toml'\n[[member]]\nfile = 'boxes.toml'\n[[member]]\n")
    on_disk(tmp_path, "boxes", "", "explain")
    on_disk(tmp_path, "seer", "", "concepts")
    files = ["b.toml", "seer.toml", "boxes.toml"]
    path = on_disk(tmp_path, "a", "".join(f"[[member]]\nfile = '{one}'\n" for one in files))
    with pytest.raises(InputError) as caught:
        read_system(path)
    told = [f"{one.code} {one.message}" for one in caught.value.issues]
    assert told[0].startswith("SYS304 Member 1 is 'b.toml', which leads back to this file.")
    assert told[1] == (
        "SYS302 Member 2 cannot be had: seer.toml is a system of the task concepts. "
        "A caption system is wanted here."
    )
    assert told[2].startswith("SYS302 Member 3 cannot be had: boxes.toml is a system of the task explain.")


def test_a_changed_setting_reaches_every_member(tmp_path: Path) -> None:
    text = "[[member]]\nname = 'a'\n[member.train]\nepochs = 4\n[[member]]\n[member.post]\nwords = 8\n"
    system = read_captions(on_disk(tmp_path, "s", text))
    found = changed(
        system, {"train.epochs": "7", "post.words": "30", "join.rule": "concatenate", "name": "n"}
    )
    assert isinstance(found, CaptionSystem)
    assert [one.train.epochs for one in (found, *found.member)] == [7, 7, 7]
    assert [one.post.words for one in (found, *found.member)] == [30, 55, 8]
    assert found.join == JoinSettings("concatenate")
    assert [one.name for one in (found, *found.member)] == ["n", "a", "transformer"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"decoder.layer": "3"}, "SYS201 [decoder] has no key 'layer'."),
        ({"join.append": "['z']"}, "SYS204 [join] append[1] is 'z'."),
        ({"join.rule": "router"}, "SYS205 Member 1: The router asks it"),
    ],
)
def test_a_wrong_change_is_told_once(change: dict[str, str], told: str, tmp_path: Path) -> None:
    # the second member has a bucket
    system = read_captions(on_disk(tmp_path, "s", "[[member]]\n[[member]]\n[member.data]\nleast = 4\n"))
    with pytest.raises(InputError) as caught:
        changed(system, change)
    (issue,) = caught.value.issues
    assert f"{issue.code} {issue.message}".startswith(told)
