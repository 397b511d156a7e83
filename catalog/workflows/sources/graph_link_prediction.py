"""Graphs of the graph link prediction family."""

from functools import partial

from catalog.workflows import readers
from catalog.workflows.sources.source import Provenance, Source

SOURCES = (
    Source(
        name="graph_lesmis",
        title="Les Miserables: characters who appear together",
        family="graph_link_prediction",
        files=("lesmis.json",),
        read=partial(readers.graph, seed=369610197),
        n_factors=(6,),
        provenance=Provenance.PUBLISHED,
        question=(
            "Which similarities of characters reveal hidden co-appearances in Les Miserables best?"
        ),
        input_summary=(
            "77 nodes and 254 edges, 152 of them observed; 102 pairs of nodes to learn from and "
            "102 to rank, half of them hidden edges."
        ),
        cohort={"nodes": 77, "edges": 254, "observed": 152, "calibration": 102, "test": 102},
    ),
    Source(
        name="karate",
        title="Zachary's karate club",
        family="graph_link_prediction",
        files=("karate.json",),
        read=partial(readers.graph),
        n_factors=(6,),
        provenance=Provenance.OURS,
        question="Which similarities of members reveal hidden friendships in a karate club best?",
        input_summary=(
            "34 nodes and 78 edges, 46 of them observed; 32 pairs of nodes to learn from and 32 to "
            "rank, half of them hidden edges."
        ),
        cohort={"nodes": 34, "edges": 78, "observed": 46, "calibration": 32, "test": 32},
    ),
    Source(
        name="celegans_neural",
        title="Neural network of C. elegans",
        family="graph_link_prediction",
        files=("celegans_neural.json",),
        read=partial(readers.graph),
        n_factors=(6,),
        provenance=Provenance.OURS,
        question="Which similarities of neurons reveal hidden connections in a worm best?",
        input_summary=(
            "297 nodes and 2,148 edges, 1,288 of them observed; 860 pairs of nodes to learn from "
            "and 860 to rank, half of them hidden edges."
        ),
        cohort={"nodes": 297, "edges": 2148, "observed": 1288, "calibration": 860, "test": 860},
    ),
    Source(
        name="drosophila_mushroom_body",
        title="Mushroom body of a fruit fly larva, left hemisphere",
        family="graph_link_prediction",
        files=("drosophila_mushroom_body_left.json",),
        read=partial(readers.graph),
        n_factors=(6,),
        provenance=Provenance.OURS,
        question=(
            "Which similarities of neurons reveal hidden connections in a fruit fly larva best?"
        ),
        input_summary=(
            "209 nodes and 5,559 edges, 3,335 of them observed; 2,224 pairs of nodes to learn from "
            "and 2,224 to rank, half of them hidden edges."
        ),
        cohort={"nodes": 209, "edges": 5559, "observed": 3335, "calibration": 2224, "test": 2224},
    ),
)
