"""Publish the committed research scenarios with their actions; a second run changes nothing."""

from datetime import datetime

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from catalog import scenario_truth
from catalog.actions.scenarios import ScenarioChanged, publish_scenario
from catalog.proposals import PROPOSAL_SEED, build_foil, build_proposals
from catalog.scenario_files import ScenarioSecret, read_scenarios
from catalog.scenario_texts import ScenarioText


class Command(BaseCommand):
    """Loads all or nothing; exits with 1 and one line on the first disagreement."""

    help = "Publish every committed scenario with its four actions. Safe to run again."
    requires_system_checks = ()

    def handle(self, *args: object, **options: object) -> None:
        """Publish each scenario, then say how many there are."""
        now = timezone.now()
        try:
            with transaction.atomic(durable=True):
                n_actions = [_load(text, secret, now) for text, secret in read_scenarios()]
        except (ScenarioChanged, scenario_truth.TruthChanged) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{len(n_actions)} scenarios, {sum(n_actions)} actions")


def _load(text: ScenarioText, secret: ScenarioSecret, now: datetime) -> int:
    compared = build_proposals(text, seed=PROPOSAL_SEED)
    proposals = [*compared, build_foil(text, compared, seed=PROPOSAL_SEED)]
    scenario = publish_scenario(
        scenario=text,
        action_texts=[proposal.text for proposal in proposals],
        action_seed=PROPOSAL_SEED,
        now=now,
    )
    scenario_truth.record_scenario_truth(scenario, secret, proposals)
    return len(compared)
