"""Publishing of releases, task versions, state sets and scenarios.

What is hidden is written beside them (catalog.truth, catalog.scenario_truth).
"""
