"""Coverage through rows: who leaves gives the scenarios back, and only what is usable counts."""

import random
from collections import Counter

import pytest

from judgments.actions.staff import exclude_participant
from judgments.models import Cell, Participant, ParticipantKind
from judgments.queries.coverage import coverage
from tests.judgments.desk import make_staff
from tests.judgments.studies import join, later, make_study

pytestmark = pytest.mark.django_db(transaction=True)

MINUTES_APART = 7
HOLD_MINUTES = 60


def complete(participant: Participant, n_cells: int, *, now) -> None:
    """Close the first scenarios of a participant, as their sixth answers would."""
    cells = participant.cells.filter(place__lte=n_cells)
    cells.update(completed_at=now, is_usable=True, code=0)


@pytest.mark.parametrize("seed", range(3))
def test_with_a_quarter_leaving_and_being_replaced_the_spread_stays_within_two(seed):
    """Case C25: 18 finish, six at once; previews and excluded people get scenarios and never count.

    Who leaves has done a random part, which counts; the rest comes back after the hold, and only
    then somebody else takes the place. Who came sooner would find the scenarios held, and others
    would be served in their stead: then the spread is 3 in one study of seven (decision 0010).
    """
    study, chance = make_study(), random.Random(seed)
    slugs = study.protocols.get().definition["scenarios"]
    ada = make_staff()
    for k in range(5):
        join(study, now=later(minutes=k), is_preview=True)
    for k in range(2):
        excluded = join(study, now=later(minutes=k)).participant
        complete(excluded, 8, now=later(minutes=k))
        exclude_participant(participant_id=excluded.pk, staff=ada, reason="test", now=later())
    present: list[Participant] = []
    places_back_at: list[int] = []
    n_finished = n_left = events = 0
    while n_finished < 18:
        events += 1
        now = later(minutes=MINUTES_APART * events)
        # Who is at work is seen all the time, so a hold ends for those alone who left.
        Participant.objects.filter(pk__in=[one.pk for one in present]).update(
            last_seen_at=now, hold_until=later(minutes=MINUTES_APART * events + HOLD_MINUTES)
        )
        places_back_at = [minute for minute in places_back_at if minute > MINUTES_APART * events]
        while len(present) < min(6, 18 - n_finished) - len(places_back_at):
            present.append(join(study, now=now).participant)
        if not present:
            continue
        leaver = present.pop(chance.randrange(len(present)))
        if chance.random() < 1 / 4:
            complete(leaver, chance.randrange(8), now=now)
            places_back_at.append(MINUTES_APART * events + HOLD_MINUTES)
            n_left += 1
        else:
            complete(leaver, 8, now=now)
            n_finished += 1
    assert n_left > 0
    end = later(minutes=MINUTES_APART * events + 2 * HOLD_MINUTES)
    counts = coverage(study, slugs, now=end)
    counted = Cell.objects.filter(is_usable=True, participant__exclusions=None)
    counted = counted.exclude(participant__kind=ParticipantKind.PREVIEW)
    assert Counter(counts) == Counter(counted.values_list("scenario", flat=True))
    assert sum(counts.values()) >= 18 * 8
    assert max(counts.values()) - min(counts.values()) <= 2
