"""Tables of the classification family."""

from functools import partial

from catalog.workflows import readers
from catalog.workflows.sources.source import Provenance, Source

SOURCES = (
    Source(
        name="spambase",
        title="Spambase: e-mails described by 57 frequencies",
        family="classification",
        files=("spambase.csv",),
        read=partial(readers.table, labels=("nonspam", "spam")),
        n_factors=(4, 6),
        provenance=Provenance.PUBLISHED,
        question="Which options let logistic regression tell spam from other e-mail best?",
        input_summary=(
            "4,601 e-mails with 57 word and character frequencies and run lengths; without "
            "repeated rows 4,210 are left, 2,947 of them train and 1,263 are classified (spam = "
            "1)."
        ),
        cohort={"raw": 4601, "used": 4210, "train": 2947, "evaluation": 1263, "features": 57},
    ),
    Source(
        name="ionosphere",
        title="Ionosphere: radar returns",
        family="classification",
        files=("ionosphere.csv",),
        read=partial(readers.table, labels=("b", "g")),
        n_factors=(4,),
        provenance=Provenance.PUBLISHED,
        question="Which options let logistic regression tell good from bad radar returns best?",
        input_summary=(
            "351 radar returns with 34 pulse values; without repeated rows 350 are left, 245 of "
            "them train and 105 are classified (good = 1)."
        ),
        cohort={"raw": 351, "used": 350, "train": 245, "evaluation": 105, "features": 34},
    ),
    Source(
        name="breast_diagnostic",
        title="Breast cancer Wisconsin (diagnostic)",
        family="classification",
        files=("breast_cancer.csv",),
        read=partial(readers.table, labels=("1", "0")),
        n_factors=(4,),
        provenance=Provenance.PUBLISHED,
        question="Which options let logistic regression tell malignant from benign tumours best?",
        input_summary=(
            "569 tumours with 30 measurements of cell nuclei; 398 train and 171 are classified "
            "(malignant = 1)."
        ),
        cohort={"raw": 569, "used": 569, "train": 398, "evaluation": 171, "features": 30},
    ),
    Source(
        name="digits",
        title="Handwritten digits, 8 x 8 pixels",
        family="classification",
        files=("digits.csv.gz",),
        read=partial(readers.table, n_header_lines=0),
        n_factors=(4,),
        provenance=Provenance.OURS,
        question="Which options let logistic regression read handwritten digits best?",
        input_summary=(
            "1,797 handwritten digits of 64 grey values from 0 to 16 in ten classes; 1,257 train "
            "and 540 are classified."
        ),
        cohort={"raw": 1797, "used": 1797, "train": 1257, "evaluation": 540, "features": 64},
    ),
)
