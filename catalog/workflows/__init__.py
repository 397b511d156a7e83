"""Native workflows: data and mask in; prediction, native metric and utility out.

Nothing here knows Django, a clock or global chance.
"""

from catalog.workflows import forecasting, image_restoration
from catalog.workflows.families import Family

FAMILIES: dict[str, Family] = {
    module.FAMILY.name: module.FAMILY for module in (forecasting, image_restoration)
}
