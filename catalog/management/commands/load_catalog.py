"""Publish the committed tasks and the states of G1; a second run changes nothing."""

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from catalog import truth
from catalog.actions.releases import publish_release, publish_structure
from catalog.actions.states import StatesChanged, publish_states
from catalog.actions.tasks import TableIncomplete, TaskChanged, publish_task
from catalog.models import Disclosure
from catalog.research_states import generate_states
from catalog.workflows.conditions import CONDITIONS
from catalog.workflows.source_files import ChangedFile, UnknownFile
from catalog.workflows.tables import MissingTable, read_table

RELEASE = "wwbsite-1"
RELEASE_TITLE = "First release of wwbsite"
STATES = "g1"
STATES_TITLE = "Synthetic states of generator G1"
# One a family: docs/decisions/0003-disclosure.md
OPEN_TASKS = frozenset(
    {
        "digits",
        "diabetes",
        "penguins",
        "nile",
        "rocket",
        "debtags",
        "simulated_sinus__d6",
        "karate__d6",
    }
)


class Command(BaseCommand):
    """Loads all or nothing; exits with 1 and one line on the first disagreement."""

    help = "Publish every committed task and research state. Safe to run again."
    requires_system_checks = ()

    def handle(self, *args: object, **options: object) -> None:
        """Publish each condition under the release, then say how many there are."""
        now = timezone.now()
        n_outcomes = 0
        try:
            with transaction.atomic(durable=True):
                release = publish_release(slug=RELEASE, title=RELEASE_TITLE, now=now)
                for condition in CONDITIONS.values():
                    table = read_table(condition.slug)
                    task = publish_task(
                        condition=condition,
                        table=table,
                        disclosure=(
                            Disclosure.OPEN if condition.slug in OPEN_TASKS else Disclosure.SEALED
                        ),
                        release=release,
                        now=now,
                    )
                    truth.record_outcomes(task, table)
                    n_outcomes += task.n_masks
                states = generate_states()
                # Open, all of them: docs/decisions/0011-research-states.md
                state_set = publish_states(
                    slug=STATES,
                    title=STATES_TITLE,
                    states=states,
                    disclosure=Disclosure.OPEN,
                    now=now,
                )
                truth.record_priors(state_set, [state.prior for state in states])
                current = release.tasks.filter(is_current=True)
                publish_structure(
                    release=release, surfaces={task: truth.surface(task) for task in current}
                )
        except (
            MissingTable,
            ChangedFile,
            UnknownFile,
            TableIncomplete,
            TaskChanged,
            StatesChanged,
            truth.OutcomesChanged,
        ) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{RELEASE}: {len(CONDITIONS)} tasks, {n_outcomes} outcomes")
        self.stdout.write(f"{STATES}: {len(states)} research states")
