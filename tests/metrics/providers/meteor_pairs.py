"""Captions made up for the comparison with pycocoevalcap: what a run says, what the truth says.

`ODD` are those that the line protocol cannot carry as they are: with them stands what is sent instead.
Values and total of pycocoevalcap:
    python tests/metrics/providers/meteor_pairs.py > tests/metrics/providers/meteor_expected.json
"""

from __future__ import annotations

import json
import platform
import sys
from importlib.metadata import version

__all__ = ["GIVEN", "ODD", "PLAIN", "SENT"]

COMMAND = "python tests/metrics/providers/meteor_pairs.py > tests/metrics/providers/meteor_expected.json"

PLAIN = [
    (
        "Chest X-ray showing a left pleural effusion.",
        "Chest radiograph shows a large left-sided pleural effusion.",
    ),
    (
        "CT scan of the abdomen showing a mass in the liver.",
        "Axial computed tomography demonstrates a hepatic mass.",
    ),
    ("MRI of the brain.", "Sagittal T1-weighted MRI of the brain showing a pituitary adenoma (arrow)."),
    (
        "Ultrasound of the gallbladder with stones.",
        "Ultrasonography reveals gallstones within the gallbladder.",
    ),
    ("Panoramic radiograph showing impacted molars.", "Panoramic radiograph showing impacted third molars."),
    (
        "Coronary angiogram.",
        "Coronary angiography shows severe stenosis of the left anterior descending artery.",
    ),
    ("A lateral view of the knee.", "Lateral radiograph of the right knee showing joint effusion."),
    ("PET-CT showing increased uptake in lymph nodes.", "PET/CT shows FDG-avid mediastinal lymph nodes."),
    ("Chest CT showing ground-glass opacities.", "Chest CT showing bilateral ground-glass opacities."),
    ("Transthoracic echocardiography.", "Transthoracic echocardiogram showing pericardial effusion."),
    ("The mass was located in the right lung.", "A 3.5 cm mass in the right upper lobe of the lung."),
    ("Fracture of the femur.", "Anteroposterior radiograph of the hip showing a fractured femoral neck."),
    ("Normal study.", "No abnormality is seen."),
    ("X-ray of the hand", "Plain X-ray of the left hand, showing erosions of the metacarpal heads"),
    ("Abdominal X-ray with dilated loops of bowel.", "Supine abdominal film: dilated small bowel loops."),
    (
        "MRI lumbar spine showing disc herniation at L4-L5.",
        "Disc herniation at L4/5 on sagittal T2-weighted MRI.",
    ),
    ("Barium swallow.", "Barium esophagogram showing a smooth tapering of the distal oesophagus."),
    ("Mammogram showing a spiculated mass.", "Mammography of the left breast reveals a spiculated lesion."),
    ("Axial CT image of the chest (lung window).", "Axial CT image of the chest (lung window)."),
    ("of the of the of the of the of the", "CT of the head of the patient at the time of the admission"),
    ("Postoperative radiograph.", "Post-operative X-ray of the pelvis after total hip replacement."),
    ("CT angiography of the aorta showing dissection.", "CT angiography: type B dissection of the aorta."),
    ("Optical coherence tomography of the macula.", "OCT shows subretinal fluid at the macula."),
    ("Doppler ultrasound of the carotid artery.", "Colour Doppler image of the internal carotid artery."),
    ("Cerebral angiogram shows an aneurysm.", "Digital subtraction angiography showing a saccular aneurysm."),
    ("A patient with pneumonia.", "Patchy consolidation in both lower lobes, consistent with pneumonia."),
    ("Coronal view.", "Coronal T2 image; the arrow points to the appendix."),
    ("Kidney stone in the left ureter.", "Non-contrast CT: 7 mm calculus in the left proximal ureter."),
    ("Osteolytic lesion in the tibia.", "A lytic lesion of the proximal tibia with a sclerotic rim."),
    (
        "Chest X-ray after intubation.",
        "Chest x-ray (AP): endotracheal tube and central venous line in place.",
    ),
    ("Hydronephrosis.", "Ultrasound of the right kidney showing moderate hydronephrosis."),
    ("Cone beam computed tomography.", "Cone-beam CT: periapical lesion of the maxillary incisor."),
    ("Fetal ultrasound at 20 weeks.", "Ultrasound at 20 weeks' gestation: normal four-chamber view."),
    ("Enlarged heart.", "Cardiomegaly with pulmonary oedema."),
    ("MR angiography.", "Time-of-flight magnetic resonance angiography of the circle of Willis."),
    ("CT: subdural haematoma.", "CT brain scan showing a subdural hematoma with midline shift."),
    ("Pneumothorax on the right side.", "Right-sided pneumothorax (white arrows) with collapsed lung."),
    ("Contrast enhanced CT.", "Contrast-enhanced CT in the portal venous phase."),
    ("Bone scan showing metastases.", "Whole-body bone scintigraphy: multiple metastases in ribs and spine."),
    ("Thyroid nodule.", "Sonogram of the thyroid: hypoechoic nodule, 12 mm \xd7 9 mm."),
    ("Endoscopic view of the stomach.", "Endoscopy: ulcer at the lesser curvature of the stomach."),
    ("The arrows show calcification.", "Arrows indicate calcifications of the aortic valve."),
    ("Ovarian cyst on ultrasound.", "Transvaginal ultrasound shows a 5-cm ovarian cyst."),
    ("Shoulder MRI with a tear.", "MRI of the shoulder: full-thickness tear of the supraspinatus tendon."),
    ("Intracranial haemorrhage.", "Unenhanced head CT reveals intracerebral haemorrhage."),
    ("CT shows nodules in the lungs.", "Multiple pulmonary nodules are shown by CT."),
    ("Dental radiograph.", "Periapical radiograph at the 6-month follow-up."),
    ("Inferior vena cava filter.", "Cavogram: filter in the inferior vena cava, 2nd lumbar level."),
    ("Small bowel obstruction.", "CT showing small-bowel obstruction & transition point."),
    ("Lymphadenopathy of the neck.", "Enlarged cervical lymph nodes (level II) on contrast CT."),
    ("Left ventricle.", "Apical four-chamber view: thrombus in the left ventricular apex."),
    ("Scoliosis.", "Standing whole-spine film showing a 45° thoracic curve."),
    ("Imagen de la tomografía.", "Tomografía computarizada: lesión hepática — “flecha”."),
    ("number mm lesion of number cm", "numbernumber cm lesion in the lnumber vertebra"),
    ("ct axial number mm \u2013 arrow", "ct axial number mm \u2013 “arrow”"),
    ("...", "..."),
    ("Chest CT showing ground-glass opacities.", "Chest CT showing bilateral ground-glass opacities."),
    ("", "Chest X-ray."),
    ("Chest X-ray.", ""),
    ("", ""),
    (" ", "Chest X-ray."),
    ("SCORE", "EVAL"),
    ("a | b || c", "a b c"),
]

_LONG = [f"finding{place % 700}" for place in range(10_000)]  # 109,000 characters and more
_WORD = "x" * 100_000

# candidate, reference, candidate as sent, reference as sent
ODD = [
    ("mass|||in the lung", "mass in the ||||| lung", "mass in the lung", "mass in the lung"),
    ("mass\nin\r\nthe\tlung\r", "SCORE ||| mass\nEVAL |||\n", "mass in the lung", "SCORE mass EVAL"),
    ("a \x00mass\x0b\x0c\x1f\x7f\x85\x9f in", "a\u2028mass\u2029in", "a mass in", "a mass in"),
    ("half \ud83d a pair\udc00", "half a pair", "half a pair", "half a pair"),
    (
        "a whole \U0001f9b4 pair",
        "a whole \U0001f9b4 pair",
        "a whole \U0001f9b4 pair",
        "a whole \U0001f9b4 pair",
    ),
    ("\n", "|||", " ", " "),
    (" ".join(_LONG), " ".join(_LONG[::-1]), " ".join(_LONG[:1000]), " ".join(_LONG[:-1001:-1])),
    (_WORD, f"{_WORD} y", _WORD, f"{_WORD} y"),
    ("!" * 2_000, "What a finding!", "!" * 1_000, "What a finding!"),
]

GIVEN = [*PLAIN, *(pair[:2] for pair in ODD)]
SENT = [*PLAIN, *(pair[2:] for pair in ODD)]


def main() -> None:
    from pycocoevalcap.meteor.meteor import Meteor  # pyright: ignore[reportMissingTypeStubs]

    true = {place: [reference] for place, (_, reference) in enumerate(SENT)}
    said = {place: [candidate] for place, (candidate, _) in enumerate(SENT)}
    total, values = Meteor().compute_score(true, said)
    made = {
        "command": COMMAND,
        "python": platform.python_version(),
        "pycocoevalcap": version("pycocoevalcap"),
        "total": total,
        "values": values,
    }
    json.dump(made, sys.stdout, indent=1)
    print()  # noqa: T201, the file ends with a line end


if __name__ == "__main__":
    main()
