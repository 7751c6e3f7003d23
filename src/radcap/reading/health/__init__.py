"""What is installed here, and what each part of radcap can do with it."""

from radcap.reading.health.examining import examine
from radcap.reading.health.values import Asset, Extra, Feature, Health, Machine, Package, Place, Verdict

__all__ = ["Asset", "Extra", "Feature", "Health", "Machine", "Package", "Place", "Verdict", "examine"]
