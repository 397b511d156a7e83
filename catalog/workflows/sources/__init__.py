"""The sources by name: which files, how they are read, and what a reader is told about them.

A new source of a known family needs its files with their lines in data/sources/manifest.json and
one entry in its family's module here.
"""

from collections.abc import Iterable

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


def by_name(sources: Iterable[Source]) -> dict[str, Source]:
    """Return the sources by name.

    Parameters
    ----------
    sources : iterable of Source

    Returns
    -------
    dict of str to Source
        In the order given.

    Raises
    ------
    ValueError
        If two have the same name.
    """
    found: dict[str, Source] = {}
    for source in sources:
        if source.name in found:
            raise ValueError(
                f"two sources are called {source.name}, in {found[source.name].family} and in "
                f"{source.family}: give one another name"
            )
        found[source.name] = source
    return found


SOURCES = by_name(
    source
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
)
