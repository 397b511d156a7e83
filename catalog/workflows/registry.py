"""The eight families by name."""

from catalog.workflows import (
    beat_detection,
    classification,
    clustering,
    forecasting,
    graph_link_prediction,
    image_restoration,
    regression,
    retrieval,
)
from catalog.workflows.families import Family

FAMILIES: dict[str, Family] = {
    module.FAMILY.name: module.FAMILY
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
}
