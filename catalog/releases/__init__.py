"""Releases of the public benchmark: a folder in; checked plain values, or a list of faults, out."""

from catalog.releases.faults import Fault, ReleaseRefused
from catalog.releases.instances import Instance, ReleasedFactor
from catalog.releases.reading import PublicRelease, read_release

__all__ = [
    "Fault",
    "Instance",
    "PublicRelease",
    "ReleaseRefused",
    "ReleasedFactor",
    "read_release",
]
