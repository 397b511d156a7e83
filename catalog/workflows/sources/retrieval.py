"""Collections of the retrieval family."""

from functools import partial

from catalog.workflows import readers
from catalog.workflows.sources.source import Provenance, Source

SOURCES = (
    Source(
        name="semanlink",
        title="Semanlink: web documents with human tags",
        family="retrieval",
        files=("semanlink_docs.json.gz", "semanlink_tags.json.gz"),
        read=partial(readers.tagged_documents),
        n_factors=(4, 6),
        provenance=Provenance.OURS,
        question=(
            "Which term weights rank the documents that people gave a tag highest for that tag?"
        ),
        input_summary=(
            "7,245 documents (title, comment, summary) and 64 tags as queries; a document is "
            "relevant to the tags that people gave it."
        ),
        cohort={"documents": 7245, "queries": 64, "relevant": 790},
    ),
    Source(
        name="debtags",
        title="Debian packages with human-curated facet tags",
        family="retrieval",
        files=("debtags.json.gz",),
        read=partial(readers.collection),
        n_factors=(4,),
        provenance=Provenance.OURS,
        question=(
            "Which term weights rank the Debian packages that people gave a tag highest for that "
            "tag?"
        ),
        input_summary=(
            "4,000 package descriptions and 64 tags as queries; a package is relevant to the tags "
            "that people gave it."
        ),
        cohort={"documents": 4000, "queries": 64, "relevant": 839},
    ),
)
