"""Conditional effects: one strip a factor, one dot a background; or one strip a task."""

from collections.abc import Mapping, Sequence

from catalog.pictures.drawing import Picture, Table, signed
from catalog.pictures.strips import Strip, strips_picture
from catalog.surfaces import FactorEffects, SurfaceSummary
from scoring.structure import REVERSAL_FLOORS

LONGEST_NAME = 30
FLOOR_WORDS = tuple(f"{floor:.0%}".replace("%", " %") for floor in REVERSAL_FLOORS)


def effects_picture(
    factors: Sequence[FactorEffects],
    names: Mapping[str, str],
    *,
    title: str,
    key: str = "effects",
) -> Picture:
    """Draw every conditional effect around a common zero; `names` gives a factor's by letter."""
    n_reversing = sum(factor.reverses[0] for factor in factors)
    return strips_picture(
        [
            Strip(
                name=f"{factor.letter}  {_shortened(names[factor.letter])}",
                verdict=_verdict(factor),
                values=factor.effects,
            )
            for factor in factors
        ],
        title=title,
        axis_title="change in utility when switched on; bar: mean",
        description=(
            f"One strip for each of {len(factors)} factors, one dot for each background. "
            f"{n_reversing} of the factors help on some backgrounds and hurt on others."
        ),
        table=Table(
            header=("Factor", "Background", "Effect"),
            rows=tuple(
                (factor.letter, background, signed(effect))
                for factor in factors
                for background, effect in zip(factor.backgrounds, factor.effects, strict=True)
            ),
        ),
        key=key,
    )


def effect_table(factors: Sequence[FactorEffects]) -> Table:
    """Return per factor the mean, the extremes, and where the sign reverses."""
    return Table(
        header=(
            "Factor",
            "Mean effect",
            "Lowest",
            "Highest",
            "Helps",
            "Hurts",
            *(f"Reverses above {floor}" for floor in FLOOR_WORDS),
        ),
        rows=tuple(
            (
                factor.letter,
                signed(factor.mean),
                signed(min(factor.effects)),
                signed(max(factor.effects)),
                str(factor.n_helps),
                str(factor.n_hurts),
                *("yes" if reverses else "no" for reverses in factor.reverses),
            )
            for factor in factors
        ),
    )


def task_effects_picture(summaries: Mapping[str, SurfaceSummary]) -> Picture:
    """Draw the conditional effects of every task, as shares of its range of utility."""
    strips = [
        Strip(
            name=slug,
            verdict=f"{sum(f.reverses[0] for f in found.factors)} of {len(found.factors)} reverse",
            values=tuple(
                found.share_of_range(effect)
                for factor in found.factors
                for effect in factor.effects
            ),
        )
        for slug, found in summaries.items()
    ]
    return strips_picture(
        strips,
        title="All conditional effects, task by task",
        axis_title="effect as a share of the task's range of utility; bar: mean",
        description=(
            f"One strip for each of {len(strips)} tasks, one dot for each factor and background, "
            f"{sum(len(strip.values) for strip in strips)} in all."
        ),
        table=Table(
            header=("Task", "Factor", "Background", "Effect", "Share of range"),
            rows=tuple(
                (
                    slug,
                    factor.letter,
                    background,
                    signed(effect),
                    signed(found.share_of_range(effect)),
                )
                for slug, found in summaries.items()
                for factor in found.factors
                for background, effect in zip(factor.backgrounds, factor.effects, strict=True)
            ),
        ),
        key="task-effects",
    )


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _verdict(factor: FactorEffects) -> str:
    n_neither = len(factor.effects) - factor.n_helps - factor.n_hurts
    neither = f", neither {n_neither}" if n_neither else ""
    return f"helps {factor.n_helps}, hurts {factor.n_hurts}{neither}"
