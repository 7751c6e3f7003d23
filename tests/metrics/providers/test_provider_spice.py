"""SPICE: what it is asked, how its answer is read, and clear words when it cannot run."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from stand_in import hide, put_java

from radcap.core import Missing, UsageError
from radcap.metrics.providers.java import JavaFailed, find_jar
from radcap.metrics.providers.spice import CORENLP_VARIABLE, check_spice, spice_scores

# Answers in the layout of SPICE 1.0, with an F score of words instead of propositions, the last image first.
STAND_IN = """
import json
if sys.argv[1:] == ["-version"]:
    sys.exit('openjdk version "RELEASE" 2020-01-14')
options = sys.argv[sys.argv.index("edu.anu.spice.SpiceScorer") + 1:]
asked, answered = options[0], options[options.index("-out") + 1]
with open(os.path.join(os.path.dirname(sys.argv[0]), "told"), "w") as log:
    json.dump({"argv": sys.argv[1:], "asked": open(asked).read(), "folder": os.path.dirname(asked)}, log)
results = []
for item in reversed(json.load(open(asked))):
    said, true = set(item["test"].split()), set(item["refs"][0].split())
    tp = len(said & true)
    f = 2 * tp / (len(said) + len(true)) if true else None
    every = {"tp": tp, "fp": len(said) - tp, "fn": len(true) - tp, "pr": f, "re": f, "f": f, "numImages": 1}
    results.append({"image_id": item["image_id"], "scores": {"All": every}})
with open(answered, "w") as file:
    json.dump(results, file, indent=2)
print("SPICE evaluation took: 1.2 s")
"""
JAVA_11 = STAND_IN.replace("RELEASE", "11.0.2")


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go, so that what is left behind is seen; and nothing from the environment."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.delenv(CORENLP_VARIABLE, raising=False)
    return folder


@pytest.fixture
def corenlp(tmp_path: Path) -> Path:
    folder = tmp_path / "corenlp"
    folder.mkdir()
    for name in ("stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar", "joda-time.jar"):
        (folder / name).touch()
    return folder


def told(java: Path) -> dict[str, str]:
    return json.loads(java.with_name("told").read_text(encoding="utf-8"))


def test_scores_come_in_the_order_of_the_captions(
    corenlp: Path, scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_java(tmp_path, JAVA_11, monkeypatch)
    candidates = ["a mass", "a b c d", "", "a", "same words"]
    references = ["a mass", "a x y z", "a", "", "same words here too"]
    scores = spice_scores(candidates, references, corenlp=corenlp)
    assert scores == [1.0, 0.25, 0.0, 0.0, pytest.approx(2 / 3)]
    assert all(type(score) is float for score in scores)
    assert list(scratch.iterdir()) == []


def test_no_captions_have_no_scores(corenlp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_java(tmp_path, JAVA_11, monkeypatch)
    assert spice_scores([], [], corenlp=corenlp) == []


def test_what_spice_is_asked(corenlp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = put_java(tmp_path, JAVA_11, monkeypatch)
    spice_scores(['a "mass"\n\ud800', "ödem"], ["x", "y"], corenlp=corenlp)
    asked = told(java)["asked"]
    assert asked.isascii()
    assert json.loads(asked) == [
        {"image_id": 0, "test": 'a "mass"\n\ud800', "refs": ["x"]},
        {"image_id": 1, "test": "ödem", "refs": ["y"]},
    ]
    arguments = told(java)["argv"]
    assert "-silent" in arguments
    assert "-cache" not in arguments
    assert "-Dfile.encoding=UTF-8" in arguments
    names = [Path(one).name for one in arguments[arguments.index("-cp") + 1].split(":")]
    assert names[0] == "spice-1.0.jar"
    assert {"SceneGraphParser-1.0.jar", "Meteor-1.5.jar", "stanford-corenlp-3.6.0-models.jar"} <= set(names)


def test_parses_are_kept_where_asked(corenlp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = put_java(tmp_path, JAVA_11, monkeypatch)
    cache = tmp_path / "parses" / "2022"
    spice_scores(["a"], ["b"], corenlp=corenlp, cache=cache)
    arguments = told(java)["argv"]
    assert arguments[arguments.index("-cache") + 1] == str(cache)
    assert cache.is_dir()


def test_the_environment_can_name_the_folder(
    corenlp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_java(tmp_path, JAVA_11, monkeypatch)
    monkeypatch.setenv(CORENLP_VARIABLE, str(corenlp))
    assert spice_scores(["a"], ["a"]) == [1.0]
    check_spice()


def test_no_corenlp_says_where_to_get_it() -> None:
    with pytest.raises(Missing, match=r"^Stanford CoreNLP 3\.6 is missing\..*2015-12-09.*RADCAP_CORENLP"):
        check_spice()


@pytest.mark.parametrize("absent", ["stanford-corenlp-3.6.0.jar", "stanford-corenlp-3.6.0-models.jar"])
def test_a_folder_that_lacks_a_part(absent: str, corenlp: Path) -> None:
    (corenlp / absent).unlink()
    with pytest.raises(Missing, match=rf"corenlp does not hold {absent}\. "):
        spice_scores(["a"], ["b"], corenlp=corenlp)


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"nowhere does not hold stanford-corenlp-3.6.0.jar or stanford-"):
        check_spice(tmp_path / "nowhere")


def test_no_pycocoevalcap(corenlp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hide("pycocoevalcap", "radcap.metrics.providers.java", monkeypatch)
    with pytest.raises(Missing, match=r"pip install 'radcap\[metrics\]'"):
        check_spice(corenlp)


@pytest.mark.parametrize("release", ["15", "17.0.15"])
def test_a_java_without_javascript_is_refused_before_any_parsing(
    release: str, corenlp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = put_java(tmp_path, STAND_IN.replace("RELEASE", release), monkeypatch)
    with pytest.raises(Missing, match=r"^Java 8 to 14 is missing\..*nashorn-core"):
        spice_scores(["a"], ["a"], corenlp=corenlp)
    assert not java.with_name("told").exists()
    (corenlp / "nashorn-core-15.4.jar").touch()
    assert spice_scores(["a"], ["a"], corenlp=corenlp) == [1.0]


@pytest.mark.parametrize("release", ["1.8.0_392", "14.0.2"])
def test_a_java_with_javascript_will_do(
    release: str, corenlp: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_java(tmp_path, STAND_IN.replace("RELEASE", release), monkeypatch)
    check_spice(corenlp)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (
            "sys.exit('Error: Could not score batched file input:\\n\\tat x')",
            "Could not score batched file input",
        ),
        ("sys.exit(0)", "its results cannot be read"),
        ("results = []", "its results cannot be read"),
        ("results = [{'image_id': 0, 'scores': {}}]", "its results cannot be read"),
        ("results = [7]", "its results cannot be read"),
        ("open(answered, 'w').write('['); sys.exit(0)", "its results cannot be read"),
    ],
    ids=["it fails", "no file", "an image is absent", "a score is absent", "another shape", "cut"],
)
def test_an_answer_that_is_none(
    answer: str, why: str, corenlp: Path, scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_java(tmp_path, JAVA_11.replace("with open(answered", f"{answer}\nwith open(answered"), monkeypatch)
    with pytest.raises(JavaFailed, match=f"^SPICE 1.0 failed under .*{why}"):
        spice_scores(["a"], ["a"], corenlp=corenlp)
    assert list(scratch.iterdir()) == []


def test_a_java_that_cannot_be_started(
    corenlp: Path, scratch: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = put_java(tmp_path, "", monkeypatch)
    java.write_bytes(b"\x00 for another machine")
    (corenlp / "nashorn-core-15.4.jar").touch()
    with pytest.raises(JavaFailed, match=r"^SPICE 1\.0 failed under .*Exec format error"):
        spice_scores(["a"], ["a"], corenlp=corenlp)
    assert list(scratch.iterdir()) == []


def test_the_real_program_without_real_models(corenlp: Path, scratch: Path) -> None:
    """The real Java and the real jar, up to the point where the real CoreNLP is needed."""
    (corenlp / "nashorn-core-15.4.jar").touch()
    before = sorted(find_jar("spice/spice-1.0.jar").parent.rglob("*"))
    with pytest.raises(JavaFailed, match=r"edu[./]stanford[./]nlp") as caught:
        spice_scores(["a mass in the lung"], ["mass of the lung"], corenlp=corenlp)
    assert "\n" not in str(caught.value)
    assert list(scratch.iterdir()) == []
    assert sorted(find_jar("spice/spice-1.0.jar").parent.rglob("*")) == before


def test_captions_that_cannot_be_paired() -> None:
    with pytest.raises(UsageError, match="cannot be paired"):
        spice_scores(["a"], [])
