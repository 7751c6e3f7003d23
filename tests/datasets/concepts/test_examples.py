"""Which images and captions stand for a concept."""

from __future__ import annotations

from concept_samples import CT, EFFUSION, LUNG, PNEUMONIA, chest_dataset, chest_vocabulary
from dataset_samples import dataset_of, noise, png, row

from radcap.datasets.concepts import ReadConcepts, read_concepts
from radcap.datasets.concepts.examples import caption_examples, image_examples
from radcap.datasets.concepts.labelling import Labelling
from radcap.datasets.concepts.mentions import Verdict

VOCABULARY = chest_vocabulary()


def read() -> ReadConcepts:
    return read_concepts(chest_dataset(), vocabulary=VOCABULARY)


def test_images_come_from_every_split_and_modality_there_is_room_for() -> None:
    rows = [
        row(f"i{n}", "train" if n < 38 else "test", cui=[CT], modality="DRMR" if n == 5 else "DRCT")
        for n in range(40)
    ]
    labelling = Labelling(dataset_of(rows), VOCABULARY)
    found = image_examples(labelling, 0, n=3)
    assert len(set(found)) == 3
    assert 5 in found
    assert {38, 39} & set(found)
    assert found == image_examples(labelling, 0, n=3)


def test_an_image_that_is_not_there_is_no_example() -> None:
    rows = [row(f"i{n}", cui=[CT]) for n in range(20)]
    labelling = Labelling(dataset_of(rows, {"i7.png": png(noise(7)), "i9.png": png(noise(9))}), VOCABULARY)
    assert sorted(image_examples(labelling, 0)) == [7, 9]
    assert image_examples(Labelling(dataset_of(rows, {}), VOCABULARY), 0) == []


def test_captions_stand_for_each_verdict_with_the_places_that_speak() -> None:
    found = read()
    examples = {one.verdict: one for one in caption_examples(found, found.labelling.code_of[EFFUSION])}
    assert {verdict: one.record.id for verdict, one in examples.items()} == {
        Verdict.BOTH: "a",
        Verdict.MENTIONED_ONLY: "d",
        Verdict.LABELLED_ONLY: "c",
        Verdict.LABELLED_DENIED: "b",
        Verdict.DENIED: "e",
    }
    assert [place.text for place in examples[Verdict.MENTIONED_ONLY].places] == ["hydrothorax"]
    assert examples[Verdict.LABELLED_ONLY].places == ()
    assert examples[Verdict.LABELLED_ONLY].text == "CT of the lungs."
    assert examples[Verdict.DENIED].places[0].negated


def test_a_label_is_marked_at_narrower_concepts_and_inside_longer_names() -> None:
    found = read()
    said = {
        one.record.id: [place.text for place in one.places]
        for cui in (PNEUMONIA, CT)
        for one in caption_examples(found, found.labelling.code_of[cui])
    }
    assert said["d"] == ["viral pneumonia", "pneumonia"]
    assert said["f"] == ["shadow"]


def test_the_caption_that_speaks_is_chosen_among_several() -> None:
    texts = [("Nothing to see.", "en"), ("Ein Lungenbild", "de"), ("The lungs.", "en")]
    captions = [{"text": text, "source": "original", "language": language} for text, language in texts]
    dataset = dataset_of([row("a", cui=[LUNG], captions=captions)], {})
    (one,) = caption_examples(read_concepts(dataset, vocabulary=VOCABULARY), 0)
    assert (one.text, one.row) == ("The lungs.", 0)


def test_examples_are_spread_over_the_dataset() -> None:
    rows = [row(f"i{n}", cui=[LUNG], captions="Lung.") for n in range(9)]
    found = read_concepts(dataset_of(rows, {}), vocabulary=VOCABULARY)
    assert [one.row for one in caption_examples(found, 0)] == [0, 8]


def test_a_caption_of_any_length_is_an_example() -> None:
    endless = "word " * 20_000 + "lung"
    found = read_concepts(dataset_of([row("a", cui=[LUNG], captions=endless)], {}), vocabulary=VOCABULARY)
    (one,) = caption_examples(found, 0)
    assert one.verdict is Verdict.BOTH
    assert one.places == ()  # beyond what is looked at again
