"""DICOM files with made pixels and a made person, of every pixel format that pydicom decodes alone."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from dataset_samples import noise
from pydicom.dataset import Dataset, FileMetaDataset
from pydicom.sequence import Sequence
from pydicom.uid import UID, ExplicitVRBigEndian, ExplicitVRLittleEndian, ImplicitVRLittleEndian, generate_uid

__all__ = ["GREY_VALUES", "PRIVATE", "dicom_bytes", "dicom_dataset", "item"]

GREY_VALUES = noise(4, 48, 32).astype(np.uint16) * 16  # 12 bits
PRIVATE = ("Doe^Jane", "19700101", "Mercy Hospital", "PID-4711", "Dr^House")


def dicom_dataset(pixels: np.ndarray, photometric: str = "MONOCHROME2", **elements: Any) -> Dataset:
    """A dataset around pixels (rows x columns, frames first, colours last), with details nobody may see."""
    dataset = Dataset()
    dataset.SOPClassUID = UID("1.2.840.10008.5.1.4.1.1.7")
    dataset.SOPInstanceUID = generate_uid(entropy_srcs=["radcap"])
    dataset.PatientName, dataset.PatientBirthDate, dataset.InstitutionName = PRIVATE[:3]
    dataset.PatientID, dataset.ReferringPhysicianName = PRIVATE[3:]
    dataset.Modality, dataset.BodyPartExamined = "CT", "CHEST"
    dataset.ViewPosition, dataset.ImageLaterality = "PA", "L"
    colours = 3 if photometric.startswith(("RGB", "YBR")) else 1
    shape = pixels.shape[:-1] if colours > 1 else pixels.shape
    dataset.SamplesPerPixel, dataset.PhotometricInterpretation = colours, photometric
    if colours > 1:
        dataset.PlanarConfiguration = 0
    if len(shape) == 3:
        dataset.NumberOfFrames = shape[0]
    dataset.Rows, dataset.Columns = shape[-2:]
    bits = 8 * pixels.dtype.itemsize
    dataset.BitsAllocated, dataset.BitsStored, dataset.HighBit = bits, bits, bits - 1
    dataset.PixelRepresentation = int(pixels.dtype.kind == "i")
    dataset.PixelData = pixels.astype(pixels.dtype.newbyteorder("<")).tobytes()
    for name, value in elements.items():
        setattr(dataset, name, value)
    return dataset


def dicom_bytes(
    dataset: Dataset, syntax: UID = ExplicitVRLittleEndian, *, preamble: bool = True, compress: bool = False
) -> bytes:
    dataset.file_meta = FileMetaDataset()
    dataset.file_meta.MediaStorageSOPClassUID = dataset.SOPClassUID
    dataset.file_meta.MediaStorageSOPInstanceUID = dataset.SOPInstanceUID
    dataset.file_meta.TransferSyntaxUID = ExplicitVRLittleEndian if compress else syntax
    if compress:
        dataset.compress(syntax)
    elif "PixelData" in dataset:
        dataset["PixelData"].VR = "OB" if dataset.BitsAllocated <= 8 else "OW"
    if syntax == ExplicitVRBigEndian and "PixelData" in dataset and dataset.BitsAllocated > 8:
        dataset.PixelData = np.frombuffer(dataset.PixelData, "<u2").astype(">u2").tobytes()
    out = io.BytesIO()
    if preamble:
        dataset.save_as(out, enforce_file_format=True)
    else:
        del dataset.file_meta
        dataset.save_as(
            out, implicit_vr=syntax == ImplicitVRLittleEndian, little_endian=True, enforce_file_format=False
        )
    return out.getvalue()


def item(**elements: Any) -> Sequence:
    """A sequence of one item."""
    part = Dataset()
    for name, value in elements.items():
        setattr(part, name, value)
    return Sequence([part])
