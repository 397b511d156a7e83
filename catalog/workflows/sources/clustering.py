"""Tables of the clustering family."""

from functools import partial

from catalog.workflows import readers
from catalog.workflows.sources.source import Provenance, Source

SOURCES = (
    Source(
        name="wine",
        title="Wine: chemical analysis of three cultivars",
        family="clustering",
        files=("wine_data.csv",),
        read=partial(readers.table),
        n_factors=(4, 6),
        provenance=Provenance.PUBLISHED,
        question="Which options make k-means find the three cultivars of wine best?",
        input_summary=(
            "178 wines with 13 chemical measurements, three cultivars; all rows are clustered."
        ),
        cohort={"raw": 178, "used": 178, "features": 13, "classes": 3},
    ),
    Source(
        name="glass",
        title="Glass identification",
        family="clustering",
        files=("glass.csv",),
        read=partial(readers.table),
        n_factors=(4,),
        provenance=Provenance.PUBLISHED,
        question="Which options make k-means find the six types of glass best?",
        input_summary=(
            "214 pieces of glass with 9 chemical measurements, six types; without the repeated row "
            "213 are clustered."
        ),
        cohort={"raw": 214, "used": 213, "features": 9, "classes": 6},
    ),
    Source(
        name="penguins",
        title="Palmer penguins",
        family="clustering",
        files=("penguins.csv",),
        read=partial(
            readers.table,
            columns=(
                "bill_length_mm",
                "bill_depth_mm",
                "flipper_length_mm",
                "body_mass_g",
                "species",
            ),
            labels=("Adelie", "Chinstrap", "Gentoo"),
        ),
        n_factors=(4,),
        provenance=Provenance.OURS,
        question="Which options make k-means find the three species of penguins best?",
        input_summary=(
            "342 penguins with bill length, bill depth, flipper length and body mass, three "
            "species; all are clustered."
        ),
        cohort={"raw": 342, "used": 342, "features": 4, "classes": 3},
    ),
    Source(
        name="pendigits",
        title="Pen-based handwritten digits",
        family="clustering",
        files=("pendigits.csv.gz",),
        read=partial(readers.table, n_header_lines=0),
        n_factors=(4,),
        provenance=Provenance.OURS,
        question="Which options make k-means find the ten pen-written digits best?",
        input_summary=(
            "10,992 digits with 16 pen coordinates from 0 to 100; all are clustered into ten."
        ),
        cohort={"raw": 10992, "used": 10992, "features": 16, "classes": 10},
    ),
)
