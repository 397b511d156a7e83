"""Series of the forecasting family."""

from functools import partial

from catalog.workflows import readers
from catalog.workflows.sources.source import Provenance, Source

SOURCES = (
    Source(
        name="co2",
        title="Weekly atmospheric carbon dioxide at Mauna Loa, 1958-2001",
        family="forecasting",
        files=("co2.csv",),
        read=partial(readers.series_column, column="co2"),
        n_factors=(4, 6),
        provenance=Provenance.PUBLISHED,
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
        provenance=Provenance.PUBLISHED,
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
        provenance=Provenance.PUBLISHED,
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
        provenance=Provenance.PUBLISHED,
        question="Which options make one-year-ahead forecasts of sunspot numbers more accurate?",
        input_summary=(
            "309 annual sunspot numbers; the first 231 train, "
            "the last 78 are forecast one year ahead."
        ),
        cohort={"points": 309, "train": 231, "missing": 0},
    ),
)
