"""The reader before the models that ship inside, and before what is no image."""

import io
import sys

import numpy as np
import pytest
from PIL import Image

import radcap
from radcap.captioning.grammar import Role
from radcap.core import Missing, UsageError
from radcap.datasets.image_files import image_files
from radcap.detection.ensembles.config import Ensemble
from radcap.detection.models import open_model
from radcap.detection.models.ensemble_model import EnsembleModel
from radcap.detection.models.network_model import NetworkModel
from radcap.explanation.values import Kind
from radcap.reading.opening import Readings
from radcap.reading.reader import Reader, _figure
from radcap.reading.values import RESEARCH_ONLY, Reading, Unread


@pytest.fixture(scope="module")
def reader():
    return radcap.open_reader(maps=False)


@pytest.fixture(scope="module")
def held_out():
    return radcap.load_dataset("radiology-open", split="test")


def noise(folder, name="noise.png"):
    """Colours that no scanner gives."""
    path = folder / name
    pixels = np.random.default_rng(1).integers(0, 255, (64, 64, 3), np.uint8)
    Image.fromarray(pixels).save(path)
    return path


def readings(reader, images):
    """All of them, and all read."""
    found = list(reader(images))
    read = [one for one in found if isinstance(one, Reading)]
    assert read == found
    return read


def test_concepts_and_caption_are_those_of_the_models(reader, held_out):
    some = held_out[:3]
    found = readings(reader, some)
    concepts = radcap.predict("zoo:concepts", some).run(some.ids).cells
    captions = radcap.predict("zoo:captions", some).run(some.ids).cells
    assert [one.image for one in found] == some.ids
    assert {one.image: {seen.cui for seen in one.concepts} for one in found} == {
        image: set((cell or "").split(";")) for image, cell in concepts.items()
    }
    assert {one.image: one.caption for one in found} == captions
    assert all((one.radiology or 0) > 0.5 and one.neighbours and one.picture.ndim == 3 for one in found)
    assert all(not one.evidence and not one.method for one in found)


def test_the_modality_comes_first_and_kinds_by_probability(reader, held_out):
    for one in readings(reader, held_out[:6]):
        roles = [seen.role for seen in one.concepts]
        assert roles == sorted(roles, key=_order)
        for role in set(roles):
            chances = [seen.p or 0.0 for seen in one.of(role)]
            assert chances == sorted(chances, reverse=True)
        assert one.concepts[: bool(one.modality)] == (() if one.modality is None else (one.modality,))


def _order(role):
    return (Role.MODALITY, Role.REGION, Role.DIRECTION, Role.FINDING, Role.OTHER).index(role)


def test_every_statement_of_a_reading_has_a_map_or_a_note(held_out):
    (reading,) = readings(radcap.open_reader(cases=0), held_out[:1])
    assert reading.method == "occlusion"
    assert not reading.neighbours
    assert {one.kind for one in reading.evidence} == {Kind.CONCEPT, Kind.WORD, Kind.SPAN}
    assert all(one.map is not None or one.note for one in reading.evidence)
    for seen in reading.concepts:
        evidence = reading.evidence_of(seen.cui)
        assert evidence is not None
        assert evidence.probability == pytest.approx(seen.p)
    words = {one.place: one.label for one in reading.evidence if one.place is not None}
    assert all(reading.caption[slice(*place)] == label for place, label in words.items())
    assert reading.evidence_of("C0000000") is None


def test_json_has_the_agreed_keys(reader, held_out):
    told = next(reader(held_out[:1])).to_json()
    agreed = {"image", "radiology", "modality", "concepts", "caption", "neighbours", "explanations", "model"}
    assert agreed <= told.keys()
    assert told["model"] == "zoo:captions"
    assert told["use"] == RESEARCH_ONLY
    assert {"cui", "name", "p"} <= told["concepts"][0].keys()


def test_a_detector_alone_reads_without_a_caption(held_out):
    reader = radcap.open_reader("zoo:concepts", cases=1)
    (one,) = readings(reader, held_out[:1])
    assert one.caption == ""
    assert one.concepts
    assert {two.kind for two in one.evidence} == {Kind.CONCEPT}
    assert len(one.neighbours) == 1


def test_what_is_no_radiology_image_is_told_with_its_probability(reader, tmp_path):
    path = noise(tmp_path)
    (one,) = reader(image_files([path]))
    assert isinstance(one, Unread)
    assert one.radiology is not None
    assert one.radiology < 0.5
    assert "does not look like a radiology image (probability" in one.why
    assert one.to_json()["code"] == "not-radiology"
    anyway = Reader(reader.model, reader.name, maps=False, cases=0, anyway=True)
    (read,) = anyway(image_files([path]))
    assert isinstance(read, Reading)
    assert read.radiology == pytest.approx(one.radiology)


def test_images_that_cannot_be_read_stand_in_their_places(reader, held_out, tmp_path):
    good = tmp_path / "good.webp"
    good.write_bytes(held_out[0].image.bytes)
    text = tmp_path / "text.png"
    text.write_text("no image at all")
    tiny = tmp_path / "tiny.png"
    Image.fromarray(np.zeros((4, 4), np.uint8)).save(tiny)
    empty = tmp_path / "empty.jpg"
    empty.touch()
    seen = []
    found = list(reader(image_files([text, good, empty]), lambda what, n: seen.append((what, n))))
    assert [type(one) for one in found] == [Unread, Reading, Unread]
    assert [one.image for one in found] == [str(text), str(good), str(empty)]
    refused = found[0]
    assert isinstance(refused, Unread)
    assert refused.code.startswith("IMG")
    assert "text.png" in refused.why
    assert seen == [("images", 1), ("images", 2), ("images", 3)]
    anyway = Reader(reader.model, reader.name, maps=False, cases=0, anyway=True)
    (small,) = anyway(image_files([tiny]))
    assert isinstance(small, Unread)
    assert "4 x 4 pixels" in small.why


def test_a_file_that_is_gone_when_it_is_read(reader, held_out, tmp_path):
    path = tmp_path / "gone.webp"
    path.write_bytes(held_out[0].image.bytes)
    images = image_files([path])
    path.unlink()
    (one,) = reader(images)
    assert isinstance(one, Unread)
    assert "gone.webp" in one.why


def test_bytes_are_read_as_a_file_is(reader, held_out):
    record = held_out[0]
    one = reader.read_bytes(record.image.bytes, "held.webp")
    assert isinstance(one, Reading)
    assert one.image == "held.webp"
    assert one.caption == readings(reader, held_out[:1])[0].caption


def test_one_file_gives_a_reading_and_several_give_readings(reader, held_out, tmp_path):
    paths = []
    for record in held_out[:2]:
        paths.append(tmp_path / record.image.name)
        paths[-1].write_bytes(record.image.bytes)
    one, many = radcap.read(paths[0], model=reader), radcap.read(tmp_path, model=reader)
    assert isinstance(one, Reading)
    assert isinstance(many, Readings)
    assert [two.image for two in many] == [str(path) for path in sorted(paths)]
    assert len(many[:1]) == 1
    assert many.to_json()[0]["caption"] == one.caption
    assert len(many.to_json()) == 2
    listed = radcap.read(paths, model=reader)
    assert isinstance(listed, Readings)
    assert listed.to_json() == many.to_json()
    split = radcap.read(held_out[:1], split="test", model=reader)
    assert isinstance(split, Readings)
    assert len(split) == 1


def test_notebooks_show_readings(reader, held_out):
    (one,) = readings(reader, held_out[:1])
    many = Readings((one, Unread("<b>", "Not <i>read</i>.")))
    shown = one._repr_html_()
    assert "data:image/webp" in shown
    assert one.concepts[0].cui in shown
    table = many._repr_html_()
    assert RESEARCH_ONLY in shown
    assert RESEARCH_ONLY in table
    assert "2 images" in table
    assert "<b>" not in table
    assert "Not &lt;i&gt;" in table


def test_a_model_without_concepts_is_refused(monkeypatch):
    class Mute:
        labels = ()

    monkeypatch.setattr("radcap.systems.predicting.opened_model", lambda *_: Mute())
    with pytest.raises(UsageError, match="names no concepts"):
        radcap.open_reader("mine")


def test_without_torch_the_way_to_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "radcap.reading.looking", None)
    with pytest.raises(Missing, match=r"radcap\[read\]"):
        radcap.open_reader()


def test_ensembles_read_too(held_out):
    member = open_model("zoo:concepts")
    assert isinstance(member, NetworkModel)
    decided = member.calibrator, member.rule
    made = Ensemble("mean-logit")
    ensemble = EnsembleModel({"a": member, "b": member}, made, member.labels, member.names, *decided)
    (one,) = readings(Reader(ensemble, "two", maps=False), held_out[:1])
    assert one.concepts
    assert not one.neighbours


@pytest.mark.parametrize(("p", "told"), [(0.1349, "0.13"), (0.0042, "0.004"), (0.0, "below 0.001")])
def test_probabilities_in_refusals(p, told):
    assert _figure(p) == told


def test_a_large_picture_is_made_small(reader, held_out):
    picture = held_out[0].image.load().convert("L").resize((1200, 900))
    held = io.BytesIO()
    picture.save(held, "png")
    one = Reader(reader.model, "m", maps=False, cases=0, anyway=True).read_bytes(held.getvalue(), "large.png")
    assert isinstance(one, Reading)
    assert max(one.picture.shape[:2]) == 320
