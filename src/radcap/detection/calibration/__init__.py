"""Logits become probabilities that mean what they say."""

from radcap.detection.calibration.calibrator import Calibrator
from radcap.detection.calibration.config import Calibration
from radcap.detection.calibration.fitting import fit_calibration
from radcap.detection.calibration.reading import calibrator_from_json
from radcap.detection.calibration.reliability import Reliability, brier, ece, reliability

__all__ = [
    "Calibration",
    "Calibrator",
    "Reliability",
    "brier",
    "calibrator_from_json",
    "ece",
    "fit_calibration",
    "reliability",
]
