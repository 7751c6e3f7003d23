"""Images: one safe decoder, resizing and recoding, and a cache that is opened as one array."""

from radcap.datasets.images.cache import ImageCache, cache_images, open_cache
from radcap.datasets.images.cache_lock import CacheBusy
from radcap.datasets.images.coding import Coding, encode, recode
from radcap.datasets.images.decoding import decode
from radcap.datasets.images.dicom import DicomFacts, DicomImage, read_dicom
from radcap.datasets.images.fitting import Fitted, fit
from radcap.datasets.images.limits import LIMITS, ImageLimits
from radcap.datasets.images.sniffing import ending_of, kind_of

__all__ = [
    "LIMITS",
    "CacheBusy",
    "Coding",
    "DicomFacts",
    "DicomImage",
    "Fitted",
    "ImageCache",
    "ImageLimits",
    "cache_images",
    "decode",
    "encode",
    "ending_of",
    "fit",
    "kind_of",
    "open_cache",
    "read_dicom",
    "recode",
]
