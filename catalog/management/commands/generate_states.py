"""`manage.py generate_states --seed N --slug NAME`: a fresh set of sealed research states."""

from argparse import ArgumentParser

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug
from django.db import transaction
from django.utils import timezone

from catalog import truth
from catalog.actions.states import StatesChanged, publish_states
from catalog.models import Disclosure
from catalog.research_states import G1_SEED, G1_STATES, generate_states

MAX_STATES = 100  # a state is numbered with two digits
MAX_SLUG_LENGTH = 40


class Command(BaseCommand):
    """Stores no seed: whoever knows it knows the states. Keep it apart from the site."""

    help = "Publish sealed research states drawn by generator G1 from a seed of your own."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--seed", type=int, required=True, help="not the published one")
        parser.add_argument("--slug", required=True, help="name of the set")
        parser.add_argument("--count", type=int, default=G1_STATES, help="states (default 30)")

    def handle(self, *args: object, seed: int, slug: str, count: int, **options: object) -> None:
        """Draw and publish; the same seed and name again change nothing."""
        _check(seed, slug, count)
        states = generate_states(seed=seed, n_states=count)
        try:
            with transaction.atomic(durable=True):
                state_set = publish_states(
                    slug=slug,
                    title=f"Sealed states {slug}",
                    states=states,
                    disclosure=Disclosure.SEALED,
                    now=timezone.now(),
                )
                truth.record_priors(state_set, [state.prior for state in states])
        except StatesChanged as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{slug}: {count} sealed research states, version {state_set.version}")


def _check(seed: int, slug: str, count: int) -> None:
    if seed == G1_SEED:
        raise CommandError(f"The states of seed {G1_SEED} are published: take another seed.")
    try:
        validate_slug(slug)
    except ValidationError as error:
        raise CommandError(f"--slug: {error.messages[0]}") from error
    if len(slug) > MAX_SLUG_LENGTH:
        raise CommandError(f"--slug may have at most {MAX_SLUG_LENGTH} characters.")
    if not 1 <= count <= MAX_STATES:
        raise CommandError(f"--count must be from 1 to {MAX_STATES}.")
