"""What the package `abbreviations` finds in sentences of our own. No radcap here.

python -m venv DIR && DIR/bin/pip install abbreviations==0.2.5
cd tests/golden/vocabulary && DIR/bin/python make_abbreviation_goldens.py > abbreviations.json
"""

from __future__ import annotations

import json
import logging
import platform
import sys
from importlib.metadata import version

COMMAND = "DIR/bin/python make_abbreviation_goldens.py > abbreviations.json"
TEXTS = (
    "Occlusion of the superior mesenteric artery (SMA) on the arterial phase.",
    "Thrombus in the inferior vena cava (IVC) below the renal veins.",
    "The left anterior descending artery (LAD) is calcified.",
    "Axial computed tomography (CT) of the upper abdomen.",
    "Magnetic resonance imaging (MRI) of the left knee shows a bone bruise.",
    "Contrast-enhanced magnetic resonance angiography (CE-MRA) of both legs.",
    "Positron emission tomography/computed tomography (PET/CT) after therapy.",
    "Fluid-attenuated inversion recovery (FLAIR) image at the level of the pons.",
    "Hepatocellular carcinoma (HCC) in segment VI.",
    "Endoscopic retrograde cholangiopancreatography (ERCP) with a dilated common bile duct (CBD).",
    "Large pericardial effusion (PE) with collapse of the right atrium (RA).",
    "Patent ductus arteriosus (PDA) between the aorta (Ao) and the pulmonary artery (PA).",
    "Ultrasound of the gallbladder (GB) with one stone.",
    "Chronic obstructive pulmonary disease (COPD) with a flat diaphragm.",
    "Transjugular intrahepatic portosystemic shunt (TIPS) in good position.",
    "Optical coherence tomography (OCT) of the right eye.",
    "Fat in the anterior mediastinum, seen in high-resolution CT (HRCT).",
    "Acute respiratory distress syndrome (ARDS) on day three.",
    "A mass of the lower pole of the left kidney (arrow).",
    "Two ring-shaped calcifications of the aortic wall (arrowheads).",
    "Coronal view (A) and axial view (B) of the same nodule.",
    "Fracture of the scaphoid (white arrow) and of the radius (black arrow).",
    "Erosion of the clivus (asterisk).",
    "Fluid in the pouch of Douglas (star).",
    "The screws of the lower row (5 mm) are loose.",
    "The tip lies in the superior vena cava (SVC, arrow).",
    "The tip lies in the superior vena cava (SVC; long arrow).",
    "Dilated right ventricle (arrow, RV) in the short axis.",
    "SMA (superior mesenteric artery) with a filling defect.",
    "The CBD (common bile duct) measures 14 mm.",
    "A DSA (digital subtraction angiography) of the left vertebral artery.",
    "RCA (right coronary artery) arising from the left sinus.",
    "CT (arterial phase) with a blush in the spleen.",
    "MRI (coronal plane) of both hips.",
    "STIR (short tau inversion recovery) image of the sacrum.",
    "Ground-glass opacity (GGO) in the right upper lobe (RUL).",
    "18F-fluorodeoxyglucose positron emission tomography (18F-FDG-PET) of a relapse.",
    "Kirschner wire (K-wire) through the distal phalanx.",
    "Spoiled gradient echo (SPGR) sequence after gadolinium.",
    "Three-dimensional (3D) reconstruction of the skull base.",
    "True lumen (tl) and false lumen (fl) of the dissection.",
    "Maximum intensity projection (MIP) of the portal vein (PV) and the splenic vein (SV).",
    "Left ventricular outflow tract (LVOT) obstruction; note the interventricular septum (IVS).",
    "Anteroposterior (AP) radiograph of the pelvis.",
    "Arteriovenous malformation [AVM] of the left frontal lobe.",
    "Pleural effusion (see Figure 2) and ascites.",
    "Nodules of both lungs (n = 12) at follow-up.",
    "Sclerosis of the left sacroiliac joint (grade 3).",
    "Tumour (T) invading the renal vein (V).",
    "Non-small cell lung cancer (NSCLC) with lymph nodes (LNs).",
    "Small bowel obstruction (SBO) caused by a gallstone (Rigler's triad).",
    "Diffusion-weighted imaging (DWI) and apparent diffusion coefficient (ADC) map.",
    "Deep vein thrombosis ('DVT') of the left leg.",
    "A patient with atrial fibrillation (AF). The left atrium (LA) is large.",
    "Cystic lesion of the pancreas. Main duct (MD) is normal.",
    "Ejection fraction (EF: 35%) and enlarged chambers.",
    "Apical view. LA, left atrium; LV, left ventricle; Ao, aorta.",
    "Apical view. LA: left atrium, LV: left ventricle, MV: mitral valve.",
    "Short axis. RV = right ventricle; PA = pulmonary artery.",
    "Plate made by a company (Synthes, Solothurn, CH) on the tibia.",
    "Abscess of the left psoas muscle, no abbreviation at all.",
    "Aneurysm (An) of the anterior communicating artery (ACoA).",
)


def main() -> None:
    from abbreviations import schwartz_hearst  # pyright: ignore[reportMissingImports]

    logging.disable(logging.CRITICAL)
    cases = [
        {"text": text, "pairs": schwartz_hearst.extract_abbreviation_definition_pairs(doc_text=text)}
        for text in TEXTS
    ]
    found = {
        "tool": f"abbreviations {version('abbreviations')}",
        "command": COMMAND,
        "python": platform.python_version(),
        "cases": cases,
    }
    json.dump(found, sys.stdout, indent=1)
    sys.stdout.write("\n")


main()
