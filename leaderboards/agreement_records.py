"""What a report on agreement is made from, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from judgments.queries.checks import CheckOutcomes
from scoring.masks import Floats
from scoring.ranks import Integers

METRICS = ("gated", "ungated")
EVERYBODY, WITHOUT_FLAGGED = "everybody", "without_flagged"


@dataclass(frozen=True, eq=False)
class Material:
    """The scenarios in their order, and what is behind their four actions.

    `metrics` has one array (n_scenarios, 4) a name of METRICS. `names` and `shorts` have the number
    of the action name and of the minimally specified design in each scenario.
    """

    scenarios: tuple[str, ...]
    domains: tuple[str, ...]
    papers: tuple[str, ...]
    metrics: Mapping[str, Floats]
    names: tuple[int, ...]
    shorts: tuple[int, ...]


@dataclass(frozen=True)
class Correlations:
    """How far people's ranks and one metric agree, as Postgres has it; nan is undefined."""

    within: tuple[float, ...]
    mean_within: float
    pooled: float
    n_defined: int


@dataclass(frozen=True, eq=False)
class RankSums:
    """Sums of people's doubled mid-ranks, (n_scenarios, 4), and the people of each scenario."""

    sums: Integers
    counts: Integers


@dataclass(frozen=True, eq=False)
class Answers:
    """The cells that count: who, in which scenario, and six outcomes in the order of the pairs.

    An outcome is 2 if the lower-numbered action was chosen, 0 if the other was, 1 if both tie.
    """

    participants: Integers
    scenarios: Integers
    doubled_outcomes: Integers
    people: tuple[str, ...]


@dataclass(frozen=True)
class CellCounts:
    """What became of the scenarios that people were given."""

    n_given: int
    n_ranked: int
    n_ranked_with_ties: int
    n_cannot_judge: int
    n_incomplete: int
    n_not_begun: int


@dataclass(frozen=True, eq=False)
class Group:
    """Everybody who counts, or those of them without a flag."""

    name: str
    n_people: int
    answers: Answers
    correlations: Mapping[str, Correlations]
    rank_sums: RankSums
    cells: CellCounts
    checks: CheckOutcomes
    n_left: int
    n_sided: int


@dataclass(frozen=True, eq=False)
class AgreementRecords:
    """Everything that goes into one report."""

    material: Material
    groups: tuple[Group, ...]
    n_excluded: int
    n_flagged: int
    input_digest: str
    facts_until: datetime
