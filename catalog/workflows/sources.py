"""The sources: which files, how they are read, and what a reader is told about them.

A new source of a known family needs its files with their lines in data/sources/manifest.json and
one entry here.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any

from catalog.workflows import FAMILIES, readers, source_files
from catalog.workflows.families import Prepared


class Provenance(StrEnum):
    """What the native table of a source is."""

    PUBLISHED = "published"  # equals the table of the public release
    OURS = "ours"  # our own data set, computed here
    SILVER = "silver"  # scored against a reference made by algorithms
    SIMULATED = "simulated"  # data made by a published model


@dataclass(frozen=True)
class Source:
    """One data set of one family, read from committed files.

    `read` turns the files' bytes, in the order of `files`, into what the family prepares.
    `n_factors` says which conditions exist on it. `cohort` are the sizes after preparation.
    """

    name: str
    title: str
    family: str
    files: tuple[str, ...]
    read: partial[Any]
    n_factors: tuple[int, ...]
    question: str
    input_summary: str
    cohort: dict[str, int] = field(hash=False)
    provenance: Provenance = Provenance.PUBLISHED

    def prepare(self) -> Prepared:
        """Read the committed files, check them, and prepare them for the family's workflow."""
        return FAMILIES[self.family].prepare(self.read(*map(source_files.read, self.files)))


FORECASTING = (
    Source(
        name="co2",
        title="Weekly atmospheric carbon dioxide at Mauna Loa, 1958-2001",
        family="forecasting",
        files=("co2.csv",),
        read=partial(readers.series_column, column="co2"),
        n_factors=(4, 6),
        question="Which options make one-week-ahead forecasts of atmospheric CO2 more accurate?",
        input_summary=(
            "2,284 weekly readings in ppm, 59 of them missing and filled with the reading before; "
            "the first 1,713 train, the last 571 are forecast one week ahead."
        ),
        cohort={"points": 2284, "train": 1713, "missing": 59},
    ),
    Source(
        name="elnino",
        title="Monthly sea surface temperature in the eastern Pacific, 1950-2010",
        family="forecasting",
        files=("elnino.csv",),
        read=partial(readers.series_by_year),
        n_factors=(4,),
        question=(
            "Which options make one-month-ahead forecasts of Pacific sea surface temperature "
            "more accurate?"
        ),
        input_summary=(
            "732 monthly means in degrees Celsius in calendar order; the first 549 train, "
            "the last 183 are forecast one month ahead."
        ),
        cohort={"points": 732, "train": 549, "missing": 0},
    ),
    Source(
        name="nile",
        title="Annual flow of the Nile at Aswan, 1871-1970",
        family="forecasting",
        files=("nile.csv",),
        read=partial(readers.series_column, column="volume"),
        n_factors=(4,),
        question="Which options make one-year-ahead forecasts of the Nile's flow more accurate?",
        input_summary=(
            "100 annual volumes in 10^8 cubic metres; the first 75 train, "
            "the last 25 are forecast one year ahead."
        ),
        cohort={"points": 100, "train": 75, "missing": 0},
    ),
    Source(
        name="sunspots",
        title="Annual sunspot number, 1700-2008",
        family="forecasting",
        files=("sunspots.csv",),
        read=partial(readers.series_column, column="SUNACTIVITY"),
        n_factors=(4,),
        question="Which options make one-year-ahead forecasts of sunspot numbers more accurate?",
        input_summary=(
            "309 annual sunspot numbers; the first 231 train, "
            "the last 78 are forecast one year ahead."
        ),
        cohort={"points": 309, "train": 231, "missing": 0},
    ),
)

IMAGE_RESTORATION = tuple(
    Source(
        name=name,
        title=title,
        family="image_restoration",
        files=(file,),
        read=partial(readers.picture),
        n_factors=n_factors,
        question=f"Which chain of filters brings {subject} closest to the noiseless picture?",
        input_summary=(
            f"A grey picture of {height} x {width} pixels with values in [0, 1], "
            "with normal noise of standard deviation 0.1 added and clipped to [0, 1]."
        ),
        cohort={"height": height, "width": width},
    )
    for name, title, file, n_factors, subject, height, width in (
        (
            "astronaut",
            "Portrait of the astronaut Eileen Collins",
            "astronaut.png",
            (4, 6),
            "a noisy portrait",
            256,
            256,
        ),
        ("coffee", "Cup of coffee", "coffee.png", (4,), "a noisy still life", 171, 256),
        (
            "hubble_deep_field",
            "Hubble eXtreme Deep Field",
            "hubble_deep_field.jpg",
            (4,),
            "a noisy field of galaxies",
            223,
            256,
        ),
        ("rocket", "Rocket on its launch pad", "rocket.jpg", (4,), "a noisy rocket", 171, 256),
    )
)

SOURCES: dict[str, Source] = {source.name: source for source in FORECASTING + IMAGE_RESTORATION}
