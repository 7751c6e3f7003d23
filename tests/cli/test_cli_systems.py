"""`radcap systems`: the list, one system as a file, and files that are refused."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from radcap.captioning.system import CaptionSystem
from radcap.core.tables import to_plain
from radcap.detection.system import ConceptModel
from radcap.explanation.system import ExplainSystem
from radcap.systems import read_captions, read_system, showing, system_names, systems
from radcap.systems.board.captions.kept import KeptCaptions
from radcap.systems.board.kept import KeptScore
from radcap.systems.main_scores import main_measure, main_score
from radcap.systems.needing import what_is_needed

if TYPE_CHECKING:
    from commands import Command

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "systems.md"
BAD = 'name = "a"\ntask = "concepts"\n[train]\nlearning_rate = 1\n[head]\nkind = "linera"\n'


def test_every_system_is_a_line(radcap: Command) -> None:
    done = radcap("systems", "list")
    assert (done.code, done.err) == (0, "")
    firsts = [line.split()[0] for line in done.out.splitlines() if line.strip()]
    tasks = ("-concepts", "-captions", "-explain")
    assert [one for one in firsts if one.endswith(tasks) and ":" not in one] == list(system_names())
    assert next(line.split() for line in done.out.splitlines() if line.strip()) == [
        "name", "edition", "team", "task", "published", "needs",
    ]  # fmt: skip
    assert "f1 0.5888, f1_manual 0.9484 " in done.out
    assert "bleu 0.3222, rouge1 0.1665" in done.out


def test_the_list_as_json(radcap: Command) -> None:
    told = json.loads(radcap("systems", "list", "--json").out)
    assert [one["name"] for one in told] == list(system_names())
    every = {"name", "edition", "team", "task", "source", "published", "needs", "differs"}
    ranked = {"family", "known", "need", "status", "measured"}
    for one in told:
        assert set(one) == (every if one["task"] == "explain" else every | ranked)


def test_concept_systems_are_listed_with_what_was_measured_here(
    radcap: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = KeptScore(0.51234, 0.49, 0.53, 0.9, 2, "ab", "small", borrowed=False)
    kept = {"2025/aueb-concepts": plain, "2023/closeai-concepts": replace(plain, f1=0.7, borrowed=True)}
    monkeypatch.setattr(showing, "kept_scores", lambda: kept)
    lines = [
        line for line in radcap("systems", "list", "--task", "concepts").out.splitlines() if line.strip()
    ]
    assert lines[0].split() == [
        *("name", "edition", "team", "family", "known", "published", "here", "status")
    ]
    found = {words[0]: line for line in lines if (words := line.split())}
    assert found["2025/aueb-concepts"].split("CNNs")[1].split()[:5] == [
        "code",
        "0.5888",
        "0.5123",
        "needs",
        "weights",
    ]
    assert " title " in found["2023/closeai-concepts"]
    assert " 0.7000*  " in found["2023/closeai-concepts"]
    assert " paper " not in found["radcap/random-concepts"]
    assert found["radcap/random-concepts"].rstrip().endswith("runs here")
    assert found["2026/uit-worker-concepts"].rstrip().endswith("needs weights densenet121")
    told = json.loads(radcap("systems", "list", "--task", "concepts", "--json").out)
    rows = {one["name"]: one for one in told}
    assert rows["2025/aueb-concepts"]["measured"] == asdict(plain)
    assert rows["radcap/random-concepts"]["measured"] is None
    assert rows["radcap/random-concepts"]["status"] == "runs here"


def test_caption_systems_are_listed_with_the_score_that_their_edition_ranked_by(
    radcap: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = KeptCaptions(0.31234, 0.29, 0.33, {"cider": 0.4}, 2, "ab", "small", borrowed=False)
    kept = {"2022/iust-captions": plain, "radcap/nearest-captions": replace(plain, borrowed=True)}
    monkeypatch.setattr(showing, "kept_captions", lambda: kept)
    done = radcap("systems", "list", "--task", "captions")
    lines = [line for line in done.out.splitlines() if line.strip()]
    assert lines[0].split() == [
        *("name", "edition", "team", "family", "known", "published", "here", "status")
    ]
    found = {words[0]: line for line in lines if (words := line.split())}
    assert found["2022/iust-captions"].split()[-6:-3] == ["bleu", "0.4828", "0.3123"]
    assert " 0.3123*  " in found["radcap/nearest-captions"]
    assert "bleu" not in found["radcap/nearest-captions"]
    assert "BERTScore in 2023" in " ".join(done.err.split())
    told = json.loads(radcap("systems", "list", "--task", "captions", "--json").out)
    rows = {one["name"]: one for one in told}
    assert rows["2022/iust-captions"]["measured"] == asdict(plain)
    assert rows["2022/iust-captions"]["known"] == "paper"
    assert rows["radcap/template-captions"]["measured"] is None


@pytest.mark.parametrize(
    ("edition", "measure"),
    [("2017", "bleu"), ("2022", "bleu"), ("2023", "bertscore"), ("2025", "overall"), ("2026", "overall"),
     ("2020", None), ("1999", None)],
)  # fmt: skip
def test_what_an_edition_ranked_captions_by(edition: str, measure: str | None) -> None:
    assert main_measure(edition) == measure
    system = replace(read_captions("2022/iust-captions"), edition=edition, published={"overall": 0.3})
    assert main_score(system) == (0.3 if measure == "overall" else None)


@pytest.mark.parametrize(
    ("needs", "told"),
    [
        ((), "runs here"),
        (("package:numpy",), "runs here"),
        (("package:no-such-package", "service:gpt-4o"), "needs package no-such-package; service gpt-4o"),
        (("timm:a.in1k", "timm:a.in21k", "timm:b"), "needs weights a, b"),
    ],
)
def test_what_a_system_needs_of_each_kind_in_one_place(needs: tuple[str, ...], told: str) -> None:
    assert what_is_needed(needs) == told


@pytest.mark.parametrize("task", ["concepts", "captions", "explain"])
def test_the_list_of_one_task(task: str, radcap: Command) -> None:
    told = json.loads(radcap("systems", "list", "--task", task, "--json").out)
    assert [one["name"] for one in told] == [one for one in system_names() if one.endswith(f"-{task}")]
    lines = radcap("systems", "list", "--task", task).out.splitlines()
    assert sum(" " + one["name"] in line for line in lines for one in told) == len(told)


@pytest.mark.parametrize("task", ["explanation", ""])
def test_an_unknown_task_is_wrong_usage(task: str, radcap: Command) -> None:
    done = radcap("systems", "list", "--task", task)
    assert (done.code, done.out) == (2, "")
    assert f"There is no task {task!r}." in done.err
    assert "Known: concepts, captions, explain." in done.err


def test_an_explaining_system_is_shown_and_not_trained(radcap: Command, tmp_path: Path) -> None:
    shown = radcap("systems", "show", "2025/auebnlp-explain").out
    assert '[provider]\nkind = "openai"\nmodel = "gpt-4o"\n' in shown
    full = radcap("systems", "show", "radcap/intrinsic-explain", "--full").out
    assert all(f"[{one.name}]" in full for one in fields(ExplainSystem) if "Settings" in str(one.type))
    done = radcap("train", "2025/auebnlp-explain", "--data", tmp_path / "data", "--out", tmp_path / "model")
    assert (done.code, done.out) == (2, "")
    assert "nothing to train. Run: radcap explain MODEL IMAGES --method NAME." in done.err


@pytest.mark.parametrize("options", [(), ("--full",)], ids=["short", "full"])
def test_what_is_shown_is_a_file_that_reads_as_the_same_system(
    options: tuple[str, ...], radcap: Command, tmp_path: Path
) -> None:
    for system in systems()[::5]:  # of all of them the texts are read again elsewhere
        done = radcap("systems", "show", system.name, *options)
        assert done.code == 0
        (tmp_path / "shown.toml").write_text(done.out, encoding="utf-8")
        shown = read_system(tmp_path / "shown.toml")
        if options and isinstance(system, CaptionSystem) and isinstance(shown, CaptionSystem):
            # a chat without a prompt of its own shows what it is asked
            asked = replace(system.condition, prompt=shown.condition.prompt)
            assert shown == replace(system, condition=asked)
        else:
            assert shown == system


def test_full_shows_every_key(radcap: Command) -> None:
    name = "radcap/quick-concepts"
    assert "early_stop" not in radcap("systems", "show", name).out
    assert "early_stop = 0\n" in radcap("systems", "show", name, "--full").out


@pytest.mark.parametrize("name", ["2025/aueb-concepts", "2022/iust-captions", "2025/jjvmed-explain"])
def test_a_system_as_json(name: str, radcap: Command) -> None:
    told = json.loads(radcap("systems", "show", name, "--json").out)
    assert told == to_plain(read_system(name))
    assert told["task"] == name.rpartition("-")[2]


def test_a_caption_system_is_shown_by_the_keys_that_differ(radcap: Command) -> None:
    short = radcap("systems", "show", "radcap/template-captions").out
    assert '[decoder]\nkind = "template"\n' in short
    assert "[generate]" not in short
    full = radcap("systems", "show", "radcap/template-captions", "--full").out
    assert 'method = "beam"\n' in full
    assert all(f"[{one.name}]" in full for one in fields(CaptionSystem) if "Settings" in str(one.type))


def test_a_caption_system_whose_tables_contradict_each_other_is_refused(
    radcap: Command, tmp_path: Path
) -> None:
    (tmp_path / "a.toml").write_text('name = "a"\ntask = "captions"\n[decoder]\nkind = "template"\n')
    done = radcap("systems", "show", tmp_path / "a.toml")
    assert done.code == 1
    assert done.out.startswith(f"{tmp_path / 'a.toml'}:3:1: SYS205 ")
    assert "Give [detector] model." in done.out


def test_a_wrong_file_has_all_its_problems_listed(radcap: Command, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(BAD, encoding="utf-8")
    done = radcap("systems", "show", path)
    assert done.code == 1
    first, second = done.out.splitlines()
    assert first.startswith(
        f"{path}:4:1: SYS201 [train] has no key 'learning_rate'. Nearest is 'lr'. Known: "
    )
    assert second.startswith(f"{path}:6:1: SYS204 [head] kind is 'linera'. Nearest is 'linear'.")
    assert done.err.startswith(f"radcap: {path} cannot be used: line 4: [train] has no key")


def test_a_wrong_file_as_json(radcap: Command, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(BAD, encoding="utf-8")
    done = radcap("systems", "show", tmp_path / "a.toml", "--json")
    assert done.code == 1
    assert [one["code"] for one in json.loads(done.out)["issues"]] == ["SYS201", "SYS204"]


def test_an_unknown_system_is_wrong_usage(radcap: Command) -> None:
    done = radcap("systems", "show", "2025/aueb")
    assert (done.code, done.out) == (2, "")
    assert "Nearest is '2025/aueb-concepts'." in done.err


def test_the_how_to_page_names_every_option_and_every_table() -> None:
    text = PAGE.read_text("utf-8")
    tables = [
        *(f"| `[{one.name}]` |" for one in fields(ConceptModel)),
        *(f"| `[{one.name}]` |" for one in fields(CaptionSystem) if "Settings" in str(one.type)),
        *(f"| `[{one.name}]` |" for one in fields(ExplainSystem) if "Settings" in str(one.type)),
        "| `[[member]]` |",
        "| `[ensemble]` |",
    ]
    assert [one for one in (*tables, "--full", "--json", "--task") if one not in text] == []
