"""Publishing research scenarios with their actions, which people have judged as they stand."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from django.db import transaction

from catalog.models import (
    Action,
    Scenario,
)
from catalog.scenario_texts import Part, ScenarioText


class ScenarioChanged(Exception):
    """A scenario or an action differs from what was published under the same name."""


def publish_scenario(
    *, scenario: ScenarioText, action_texts: Sequence[str], action_seed: int, now: datetime
) -> Scenario:
    """Return the scenario with its actions, made now if there is none of that name.

    Raises
    ------
    ScenarioChanged
        If it was published with other words: people have judged those.
    """
    shown = {
        "domain": scenario.domain,
        "title": scenario.title,
        "question": scenario.question,
        "baseline": scenario.baseline,
        "observations": list(scenario.observations),
        "mechanisms": _as_rows(scenario.mechanisms),
        "interventions": _as_rows(scenario.interventions),
        "action_seed": action_seed,
    }
    with transaction.atomic():
        row, is_new = Scenario.objects.get_or_create(
            slug=scenario.slug, defaults=shown | {"published_at": now}
        )
        if is_new:
            Action.objects.bulk_create(
                Action(scenario=row, number=number, text=text)
                for number, text in enumerate(action_texts)
            )
    changed = [name for name, value in shown.items() if getattr(row, name) != value]
    if list(row.actions.values_list("text", flat=True)) != list(action_texts):
        changed.append("actions")
    if changed:
        raise ScenarioChanged(
            f"{row.slug}: {', '.join(changed)} changed, but the scenario is published; "
            "publish another scenario under a name of its own"
        )
    return row


def _as_rows(parts: Sequence[Part]) -> list[dict[str, str]]:
    return [asdict(part) for part in parts]
