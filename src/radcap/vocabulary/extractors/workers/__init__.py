"""What runs in processes of other tools, under their interpreters.

Invariant: these files import nothing but the standard library and, by name, the tool they serve; they run on
Python 3.8 and newer.
"""
