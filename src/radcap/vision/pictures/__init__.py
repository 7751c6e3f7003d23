"""Pictures for a network: decoded once, held where they are used, prepared and varied on the device."""

from radcap.vision.pictures.chance import Chance
from radcap.vision.pictures.mixing import mix
from radcap.vision.pictures.pictures import Pictures, load_pictures
from radcap.vision.pictures.view import View

__all__ = ["Chance", "Pictures", "View", "load_pictures", "mix"]
