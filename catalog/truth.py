"""The hidden outcomes. An import contract lists the few modules that may read them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from django.db import models
from django.db.models import Q
from numpy.typing import NDArray

from catalog.effect_tables import Outcomes
from catalog.models import Task
from scoring.masks import all_masks

if TYPE_CHECKING:
    # For its name alone: the module computes, and would load every learner into every process.
    from catalog.workflows.tables import Table


class Outcome(models.Model):
    """What one configuration of one task version gave; never changed, never listed."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="+")
    mask = models.CharField(max_length=8)
    utility = models.FloatField()
    native_value = models.FloatField()
    prediction_sha256 = models.CharField(max_length=64)

    class Meta:
        # Its own word: who is given every "view" permission shall not see these with them.
        default_permissions = ()
        permissions = [("export_outcomes", "Can see and export the outcomes of sealed tasks")]
        constraints = [
            models.UniqueConstraint(fields=["task", "mask"], name="outcome_once"),
            # PostgreSQL sorts NaN above every number, so the upper bound refuses it as well.
            models.CheckConstraint(
                condition=Q(utility__gte=0, utility__lte=1), name="outcome_utility_in_unit_interval"
            ),
        ]

    def __str__(self) -> str:
        # Not even the admin's log may print a value.
        return f"outcome {self.pk}"


class OutcomeMissing(Exception):
    """The task has no outcome for a legal mask: the catalogue is not loaded whole."""


class OutcomesChanged(Exception):
    """A table differs from the outcomes that were published under the same version."""


def record_outcomes(task: Task, table: "Table") -> None:
    """Write the table as the outcomes of a task that has none; else check that it is the same.

    Raises
    ------
    OutcomesChanged
        If a mask has another outcome than the one published; the message shows no value.
    """
    given = {
        mask: (utility, table.native_value[mask], table.prediction_sha256[mask])
        for mask, utility in table.utility.items()
    }
    rows = Outcome.objects.filter(task=task).values_list(
        "mask", "utility", "native_value", "prediction_sha256"
    )
    published = {mask: tuple(outcome) for mask, *outcome in rows}
    if not published:
        Outcome.objects.bulk_create(
            Outcome(
                task=task, mask=mask, utility=utility, native_value=native, prediction_sha256=sha
            )
            for mask, (utility, native, sha) in given.items()
        )
        return
    for mask in sorted(given.keys() | published.keys()):
        if given.get(mask) != published.get(mask):
            raise OutcomesChanged(
                f"{task.slug}: the outcome of mask {mask} changed under the same version "
                f"{task.version[:12]}, which is published; "
                "`manage.py replay` tells which table is right"
            )


def reveal(task: Task, masks: Iterable[str]) -> dict[str, float]:
    """Return the utilities of the masks, in the order asked.

    Raises
    ------
    OutcomeMissing
        If a mask has no outcome.
    """
    asked = list(masks)
    found = dict(Outcome.objects.filter(task=task, mask__in=asked).values_list("mask", "utility"))
    if missing := [mask for mask in asked if mask not in found]:
        raise OutcomeMissing(f"{task.slug}: no outcome for {', '.join(missing)}")
    return {mask: found[mask] for mask in asked}


def outcomes(task: Task) -> Outcomes:
    """Return all outcomes of a task.

    Raises
    ------
    OutcomeMissing
        If any mask has no outcome.
    """
    rows = list(
        Outcome.objects.filter(task=task)
        .order_by("mask")
        .values_list("mask", "utility", "native_value", "prediction_sha256")
    )
    if [mask for mask, *_ in rows] != list(all_masks(task.n_factors)):
        raise OutcomeMissing(f"{task.slug}: {len(rows)} of {task.n_masks} outcomes")
    return Outcomes(
        utilities={mask: utility for mask, utility, _, _ in rows},
        native_values={mask: native_value for mask, _, native_value, _ in rows},
        prediction_sha256={mask: sha256 for mask, _, _, sha256 in rows},
    )


def surface(task: Task) -> NDArray[np.float64]:
    """Return all utilities, shape (2^d,), ordered by mask index.

    Raises
    ------
    OutcomeMissing
        If any mask has no outcome.
    """
    revealed = reveal(task, all_masks(task.n_factors))
    return np.array(list(revealed.values()), dtype=np.float64)
