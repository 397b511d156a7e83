"""What the paper reports of its own thirty states: shown beside our figures, never as ours.

Source: Designing Informative Actions: Action Construction for Long-Horizon Research Agents,
arXiv 2611.00773v1.
"""

from collections.abc import Mapping

# The set whose generator was fitted to these figures; other sets have no counterpart.
COMPARED_SET = "g1"
# By baseline, in per cent of the best affordable design, as the paper prints it.
PUBLISHED: Mapping[str, str] = {
    "oracle": "100",
    "oracle_top_prior_target": "100",
    "uniform_affordable": "44.3",
    "top_prior_arm_two_seeds": "10.7",
    "six_arms_five_seeds": "15.2",
    "any_action_name": "13.36",
    "top_prior_target": "25.3\N{EN DASH}25.4",
}
