"""Tables of the regression family."""

from functools import partial

from catalog.workflows import readers
from catalog.workflows.sources.source import Provenance, Source

SOURCES = (
    Source(
        name="concrete",
        title="Compressive strength of concrete",
        family="regression",
        files=("concrete.csv",),
        read=partial(readers.table),
        n_factors=(4, 6),
        provenance=Provenance.PUBLISHED,
        question=(
            "Which options make ridge regression predict the strength of concrete more accurately?"
        ),
        input_summary=(
            "1,030 mixtures with 8 ingredients and ages, strength in MPa; without repeated rows "
            "1,005 are left, 702 of them train and 303 are predicted."
        ),
        cohort={"raw": 1030, "used": 1005, "train": 702, "evaluation": 303, "features": 8},
    ),
    Source(
        name="auto_mpg",
        title="Auto MPG: fuel economy of cars, 1970-1982",
        family="regression",
        files=("auto_mpg.csv",),
        read=partial(readers.table),
        n_factors=(4,),
        provenance=Provenance.OURS,
        question=(
            "Which options make ridge regression predict the fuel economy of cars more accurately?"
        ),
        input_summary=(
            "392 cars with 7 features, economy in miles a gallon; 274 train and 118 are predicted."
        ),
        cohort={"raw": 392, "used": 392, "train": 274, "evaluation": 118, "features": 7},
    ),
    Source(
        name="biomass",
        title="Heating value of biomass fuels",
        family="regression",
        files=("biomass.csv",),
        read=partial(readers.table),
        n_factors=(4,),
        provenance=Provenance.OURS,
        question=(
            "Which options make ridge regression predict the heating value of biomass more "
            "accurately?"
        ),
        input_summary=(
            "536 fuels with the shares of carbon, hydrogen, oxygen, nitrogen and sulfur, heating "
            "value in MJ/kg; 375 train and 161 are predicted."
        ),
        cohort={"raw": 536, "used": 536, "train": 375, "evaluation": 161, "features": 5},
    ),
    Source(
        name="diabetes",
        title="Diabetes progression after one year",
        family="regression",
        files=("diabetes_data_raw.csv.gz", "diabetes_target.csv.gz"),
        read=partial(readers.table_of_two_files),
        n_factors=(4,),
        provenance=Provenance.OURS,
        question=(
            "Which options make ridge regression predict the progression of diabetes more "
            "accurately?"
        ),
        input_summary=(
            "442 patients with 10 unscaled measurements; 309 train and the progression of 133 is "
            "predicted."
        ),
        cohort={"raw": 442, "used": 442, "train": 309, "evaluation": 133, "features": 10},
    ),
)
