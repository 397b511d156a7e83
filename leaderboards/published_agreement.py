"""What the paper reports of its own study: shown beside our figures, never as ours.

Source: Designing Informative Actions: Action Construction for Long-Horizon Research Agents,
arXiv 2611.00773v1.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedAgreement:
    """One figure of the paper, as it prints it."""

    name: str
    value: float
    of: str


HUMAN_METRIC = PublishedAgreement(
    name="human-metric, mean within scenarios",
    value=0.733,
    of="18 people, 60 scenarios",
)
