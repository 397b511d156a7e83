"""The hidden outcomes. An import contract lists the few modules that may read them."""

from collections.abc import Iterable

import numpy as np
from django.db import models
from django.db.models import Q
from numpy.typing import NDArray
from scoring.masks import all_masks

from catalog.models import Task


class Outcome(models.Model):
    """What one configuration of one task version gave; never changed, never listed."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="+")
    mask = models.CharField(max_length=8)
    utility = models.FloatField()
    native_value = models.FloatField()
    prediction_sha256 = models.CharField(max_length=64)

    class Meta:
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


def surface(task: Task) -> NDArray[np.float64]:
    """Return all utilities, shape (2^d,), ordered by mask index.

    Raises
    ------
    OutcomeMissing
        If any mask has no outcome.
    """
    revealed = reveal(task, all_masks(task.n_factors))
    return np.array(list(revealed.values()), dtype=np.float64)
