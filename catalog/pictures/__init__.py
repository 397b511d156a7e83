"""Pictures of response surfaces: plain values in, accessible SVG and the table behind it out.

The SVG carries geometry and class names only; static/css/pictures.css gives the looks, so that
the pages keep a content security policy without inline styles.
"""

from catalog.pictures.drawing import Picture, Table
from catalog.pictures.effects import effect_table, effects_picture, task_effects_picture
from catalog.pictures.interactions import interactions_picture, task_interactions_picture
from catalog.pictures.orders import orders_picture
from catalog.pictures.surface import surface_picture

__all__ = [
    "Picture",
    "Table",
    "effect_table",
    "effects_picture",
    "interactions_picture",
    "orders_picture",
    "surface_picture",
    "task_effects_picture",
    "task_interactions_picture",
]
