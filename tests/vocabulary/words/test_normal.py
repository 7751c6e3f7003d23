from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radcap.vocabulary.words import cased, normal, split
from radcap.vocabulary.words.tables import read_pairs

# Spellings that meet, one group a line.
ALIKE = """
edema oedema Oedema OEDEMA œdema Œdema oedemas
hemorrhage haemorrhage haemorrhages Hemorrhages
esophagus oesophagus
metastasis metastases METASTASES
micrometastasis micrometastases
stenosis stenoses
diagnosis diagnoses
analysis analyses
prosthesis prostheses
bronchiectasis bronchiectases
vertebra vertebrae vertebras
stigma stigmata
fibroma fibromas fibromata
biopsy biopsies
artery arteries
mass masses
abscess abscesses
reflex reflexes
patch patches
rash rashes
headache headaches
size sizes
virus viruses
sinus sinuses
plexus plexuses plexi
fetus foetus fetuses foetuses
cause causes
house houses
purpose purposes
dose doses
arthritis arthritides
pneumothorax pneumothoraces
hydrosalpinx hydrosalpinges
streptococcus streptococci
foot feet
tooth teeth
lens lenses
atrium atria
focus foci
nevus naevus nevi naevi
tumor tumour tumours
fiber fibre fibres
center centre centres
centered centred
localized localised
visualization visualisation
labeled labelled
diarrhea diarrhoea
apnea apnoea
leukocyte leucocyte leucocytes
goiter goitre
artifact artefact artefacts
disk disc discs
dilation dilatation
cesarean caesarean caesarian
sjögren sjogren Sjögren's sjogren's SJÖGREN'S
crohn Crohn's CROHN'S
ct CT CTs CT's
fixation ﬁxation
cm2 cm²
straße strasse STRASSE
Łódź lodz
Ångström angstrom
smørrebrød smorrebrod
cœur coeur
İstanbul istanbul
قَلْب قلب
"""
GROUPS = [line.split() for line in ALIKE.strip().split("\n")]
GROUPS += [["Crohn", "Crohn\u2019s", "Crohn\u02bcs", "CROHN\u2019S"]]

# Words that must not meet, though rules for endings come near.
APART = [
    ("T2", "T2s"),
    ("L5", "L"),
    ("12", "1"),
    ("us", "uses"),
    ("us", "use"),
    ("new", "news"),
    ("mean", "means"),
    ("water", "Waters"),
    ("par", "pars"),
    ("do", "does"),
    ("base", "basis"),
    ("mini", "minus"),
    ("pylori", "pylorus"),
    ("media", "medium"),
    ("ileum", "ilium"),
    ("syringe", "syrinx"),
    ("pneumonia", "pneumoniae"),  # of Klebsiella, not several
    ("gonorrhoea", "gonorrhoeae"),
    ("cloaca", "cloacae"),
    ("की", "कु"),  # vowel signs are letters
    ("が", "か"),
    ("й", "к"),
]


@pytest.mark.parametrize("words", GROUPS, ids=lambda words: words[0])
def test_spellings_that_meet(words: list[str]) -> None:
    assert len({normal(word) for word in words}) == 1


@pytest.mark.parametrize(("one", "other"), APART)
def test_words_that_do_not_meet(one: str, other: str) -> None:
    assert normal(one) != normal(other)


@pytest.mark.parametrize("table", ["plurals.csv", "spelling.csv"])
def test_the_tables_hold_small_letters_in_order_and_lead_nowhere_else(table: str) -> None:
    pairs = read_pairs(table)
    assert list(pairs) == sorted(pairs)
    for given_, meant in pairs.items():
        assert given_ == given_.lower()
        assert meant == meant.lower()
        if table == "plurals.csv":
            assert normal(meant) == normal(given_), "a plural meets its singular"


def test_spelling_reaches_the_plurals() -> None:
    assert normal("haemangiomata") == normal("hemangioma")


@pytest.mark.parametrize("word", ["pus", "gas", "his", "has", "os", "s", "bus"])
def test_short_words_are_no_plurals(word: str) -> None:
    assert normal(word) == word


@pytest.mark.parametrize(
    ("word", "kept"),
    [
        ("CTs", "CT"),
        ("CT's", "CT"),
        ("US", "US"),
        ("Us", "Us"),
        ("ribs", "ribs"),
        ("Aβ", "Aβ"),
        ("C\u00adT", "CT"),
        ("Éa", "Ea"),
        ("Æ", "AE"),
    ],
)
def test_a_word_in_its_own_case(word: str, kept: str) -> None:
    assert cased(word) == kept


@given(st.text(st.characters(codec=None), min_size=1, max_size=30))
def test_accents_composed_or_not_and_signs_without_width_make_no_difference(text: str) -> None:
    for word in split(text)[1::2]:
        assert normal(word)
        assert normal(word[0] + "\u00ad\u200b" + word[1:]) == normal(word)
        decomposed = unicodedata.normalize("NFD", word)
        if split(decomposed)[1::2] == [decomposed]:
            assert normal(decomposed) == normal(word)


@pytest.mark.parametrize(
    "word", ["a" * 1_000_000, "oed" * 300_000, "é" * 500_000, "e" + "\u0301" * 1_000_000]
)
def test_a_word_of_any_length(word: str) -> None:
    assert normal(word)
