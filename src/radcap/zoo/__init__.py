"""The models that ship inside, by name.

>>> find("zoo:concepts").name
'concepts'
"""

from radcap.zoo.finding import PREFIX, base_folder, find, names
from radcap.zoo.packages import package_file

__all__ = ["PREFIX", "base_folder", "find", "names", "package_file"]
