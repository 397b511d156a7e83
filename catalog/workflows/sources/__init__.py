"""The sources by name: which files, how they are read, and what a reader is told about them.

A new source of a known family needs its files with their lines in data/sources/manifest.json and
one entry in its family's module here.
"""

from catalog.workflows.sources import (
    beat_detection,
    classification,
    clustering,
    forecasting,
    graph_link_prediction,
    image_restoration,
    regression,
    retrieval,
)
from catalog.workflows.sources.source import Provenance, Source

__all__ = ["SOURCES", "Provenance", "Source"]

SOURCES: dict[str, Source] = {
    source.name: source
    for module in (
        classification,
        regression,
        clustering,
        forecasting,
        image_restoration,
        retrieval,
        beat_detection,
        graph_link_prediction,
    )
    for source in module.SOURCES
}
