"""Pictures of the image restoration family."""

from functools import partial

from catalog.workflows import readers
from catalog.workflows.sources.source import Provenance, Source

SOURCES = tuple(
    Source(
        name=name,
        title=title,
        family="image_restoration",
        files=(file,),
        read=partial(readers.picture),
        n_factors=n_factors,
        provenance=Provenance.PUBLISHED,
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
