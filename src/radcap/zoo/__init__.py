"""The models that ship inside, by name.

>>> find("zoo:concepts").name
'concepts'
"""

from radcap.zoo.finding import find, names

__all__ = ["find", "names"]
