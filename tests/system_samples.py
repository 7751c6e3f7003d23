"""The file of a system that trains in a second."""

TINY_SYSTEM = """
name = "mine"
task = "concepts"
[image]
size = 32
[backbone]
frozen = true
[train]
epochs = 1
batch = 16
"""
