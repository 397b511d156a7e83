"""What the paper reports of its own 36 tables: shown beside our figures, never as ours.

Source: WhatWorkedBench: Benchmarking Experimental Understanding in AI Agents, 2026.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedControl:
    """Family-macro recovery of one control; None where the paper gives no figure."""

    recovery: float
    native_recovery: float | None = None
    n_exact: int | None = None
    n_strict: int | None = None


# By track, budget and method.
PUBLISHED: Mapping[tuple[str, int, str], PublishedControl] = {
    ("d4", 8, "design_degree2"): PublishedControl(0.612, 0.633, 15, 3),
    ("d4", 8, "gp_effect_variance"): PublishedControl(0.701, 0.712, 16, 1),
    ("d6-paired", 20, "design_degree2"): PublishedControl(0.157),
    ("d6-paired", 20, "code_canonical_design_degree2"): PublishedControl(0.389),
    ("d6-paired", 20, "gp_effect_variance"): PublishedControl(0.248),
    ("d6-paired", 20, "gp_code_effect_variance"): PublishedControl(0.462),
    ("d6-paired", 32, "design_degree2"): PublishedControl(0.445),
    ("d6-paired", 32, "code_canonical_design_degree2"): PublishedControl(0.650),
    ("d6-paired", 32, "gp_effect_variance"): PublishedControl(0.537),
    ("d6-paired", 32, "gp_code_effect_variance"): PublishedControl(0.697),
    ("d6-added", 20, "design_degree2"): PublishedControl(0.0439),
    ("d6-added", 20, "gp_effect_variance"): PublishedControl(0.0435),
}
