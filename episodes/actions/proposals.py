"""Writing what an agent proposes for a research state."""

from dataclasses import dataclass
from datetime import datetime

import structlog
from django.db import transaction

from catalog.models import ResearchState
from episodes.models import Agent, Proposal, ProposalStatus
from scoring.responses import Interface, InvalidResponseError, parse

MAX_REPETITIONS = 3
MAX_RESPONSE_CHARACTERS = 20_000

log = structlog.get_logger(__name__)


class RepetitionsExceeded(Exception):
    """The agent has answered this state under this interface as often as anybody may."""

    code = "repetitions_exceeded"

    def __init__(self) -> None:
        super().__init__(
            f"You have answered this state under this interface {MAX_REPETITIONS} times, which is "
            "the most. Nothing was stored."
        )
        self.details = {"max_repetitions": MAX_REPETITIONS}


class ProposalKeyReused(Exception):
    """The key belongs to an earlier proposal with another content."""

    code = "idempotency_key_reused"

    def __init__(self) -> None:
        super().__init__(
            "This Idempotency-Key was used for another proposal. Reuse a key only to repeat the "
            "same request; take a new one for a new proposal. Nothing was stored."
        )
        self.details: dict[str, object] = {}


@dataclass(frozen=True)
class RecordedProposal:
    """A stored proposal, and whether it was there before this request."""

    proposal: Proposal
    replayed: bool


def record_proposal(
    *,
    agent: Agent,
    state: ResearchState,
    interface: Interface,
    response: str,
    idempotency_key: str | None = None,
    now: datetime,
) -> RecordedProposal:
    """Store the response as it was sent, read strictly; an invalid one is stored with its reason.

    Raises
    ------
    RepetitionsExceeded, ProposalKeyReused
        Nothing is stored.
    """
    with transaction.atomic(durable=True):
        # One agent's proposals are numbered one after another.
        Agent.objects.select_for_update(no_key=True).get(pk=agent.pk)
        proposal = _earlier_proposal(agent, idempotency_key, (state.pk, interface, response))
        replayed = proposal is not None
        if proposal is None:
            status, reason = _read(interface, response)
            proposal = Proposal.objects.create(
                agent=agent,
                state=state,
                interface=interface,
                repetition=_next_repetition(agent, state, interface),
                response=response,
                status=status,
                reason=reason,
                idempotency_key=idempotency_key,
                created_at=now,
            )
    log.info(
        "proposal_recorded",
        proposal_id=str(proposal.id),
        state=state.pk,
        interface=interface,
        status=proposal.status,
        replayed=replayed,
    )
    return RecordedProposal(proposal, replayed)


def _earlier_proposal(
    agent: Agent, idempotency_key: str | None, content: tuple[str, Interface, str]
) -> Proposal | None:
    if idempotency_key is None:
        return None
    proposal = Proposal.objects.filter(agent=agent, idempotency_key=idempotency_key).first()
    if proposal and (proposal.state_id, proposal.interface, proposal.response) != content:
        raise ProposalKeyReused
    return proposal


def _next_repetition(agent: Agent, state: ResearchState, interface: Interface) -> int:
    n_before = Proposal.objects.filter(agent=agent, state=state, interface=interface).count()
    if n_before >= MAX_REPETITIONS:
        raise RepetitionsExceeded
    return n_before + 1


def _read(interface: Interface, response: str) -> tuple[ProposalStatus, str]:
    try:
        parse(interface, response)
    except InvalidResponseError as error:
        return ProposalStatus.INVALID, str(error)
    return ProposalStatus.VALID, ""
