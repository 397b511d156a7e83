"""Proposals as their agent sees them."""

from uuid import UUID

from django.db.models import QuerySet

from catalog.models import ResearchState
from episodes.models import Agent, Proposal
from scoring.readings import ReadingScore
from scoring.responses import Interface, score_response


class ProposalNotFound(Exception):
    """There is no such proposal, or it is another agent's: the caller cannot tell which."""

    code = "not_found"

    def __init__(self) -> None:
        super().__init__("There is no such proposal.")
        self.details: dict[str, object] = {}


def proposals_of(agent: Agent) -> QuerySet[Proposal]:
    """Return the agent's proposals with their states, newest first."""
    proposals = Proposal.objects.filter(agent=agent).select_related("state")
    return proposals.order_by("-created_at", "id")


def find_proposal(*, agent: Agent, proposal_id: UUID) -> Proposal:
    """Return the agent's proposal.

    Raises
    ------
    ProposalNotFound
        If the agent has no such proposal.
    """
    proposal = proposals_of(agent).filter(pk=proposal_id).first()
    if proposal is None:
        raise ProposalNotFound
    return proposal


def open_score(proposal: Proposal) -> ReadingScore | None:
    """Return the score of a proposal to an open state; that of a sealed one is not said."""
    state: ResearchState = proposal.state
    if state.open_prior is None:
        return None
    interface = Interface(proposal.interface)
    return score_response(state.open_prior, state.budget, interface, proposal.response)
