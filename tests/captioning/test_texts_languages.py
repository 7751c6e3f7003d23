"""Which captions are taken for English. Figures on 22,477 captions stand in the comment below."""

# Measured on the captions of ROCO version 1 (2018), read one by one where they were refused: of 22,477, 290
# are refused and 282 of these are in another language; 8 are English, or 0.04 % of the English ones, and all
# quote titles of books or names in another language. Of 127 captions that another program had found to be in
# another language and that are (121 French), all are refused.

from __future__ import annotations

import pytest
from captioning_samples_texts import real_captions, texts
from hypothesis import given

from radcap.captioning.texts import cleaned, is_english

ENGLISH = [
    "",
    "CT",
    "12 mm",
    "Axial CT, mass",
    "Case no 3 after surgery",
    "Brain MRI. No distant metastases",
    "Original mammogram (im. mdb209).",
    "Café-au-lait spots",
    "Le Fort I osteotomy",
    "Port placement with Da Vinci robot.",
    "Von Willebrand disease, de novo mutation",
    "José Miguel Muñoz González of México.",
    "LA, left atrium; DES, stent; LE, leg",
    "TGF-\u03b2 and \u03b1-SMA, 5 μm, 40 Å, Ménière disease",
    "Reproduced from de Santis et al. (http://en.wikipedia.org/la/le/les)",
    "From the Museo di Storia in Florence, one of the first views of the skull",
]
OTHERS = [
    "Radiographie du thorax de face",
    "Migration de la broche cubitale",
    "FOGD confirmant le trichobézoard",
    "IRM de la masse tumorale",
    "Échographie rénale",
    "Aspect échographique de kystes rénaux",
    "Radiographie thoracique normale",
    "TDM thoracique montrant une lyse sternale, from the right side",
    "Hyperämie an der Sitzfläche nach Entlastung.",
    "Röntgenbild des Thorax mit Infiltrat",
    "Imagem radioscópica do procedimento com o auxílio do ureteroscópio",
    "RM columna cervical. Corte sagital. No se observa realce en los discos",
    "Immagine ecografica della tiroide nel paziente",
    "胸部X線写真",
    "Graves 病",
    "Рентгенограмма грудной клетки",
    "Ακτινογραφία θώρακος",
    "صورة أشعة للصدر",
]


@pytest.mark.parametrize("text", ENGLISH)
def test_english_passes(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize("text", OTHERS)
def test_others_are_refused(text: str) -> None:
    assert not is_english(text)


def test_real_captions_pass() -> None:
    refused = [text for text in real_captions() if not is_english(cleaned(text))]
    assert len(refused) < 0.005 * len(real_captions())


@given(texts)
def test_any_text_gets_an_answer_that_english_words_do_not_harm(text: str) -> None:
    if is_english(text):
        assert is_english(f"{text} which is seen on this view of the chest")
