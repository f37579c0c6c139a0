"""Functions that a user gives, by `file.py:name` or as an object: found, checked, with hints for near names.

What it is for (a placement policy, a packer's policy) is said by the room that takes it; compiling is `compiled`'s.
"""

from loadmaster.rules.find import Reference, sources
from loadmaster.rules.near import near_to, no_such, pick

__all__ = ["Reference", "near_to", "no_such", "pick", "sources"]
