"""Prove that no shown text of a scenario contains the distinctive words of its source."""

from django.core.management.base import BaseCommand, CommandError

from catalog.scenario_cards import scenario_leaks


class Command(BaseCommand):
    """Exits with 1 and a line for each leak."""

    help = "Scan the published scenarios and actions for words that lead to their papers."

    def handle(self, *args: object, **options: object) -> None:
        """Scan each published scenario against its own source."""
        scanned = list(scenario_leaks())
        leaks = [
            f"{scenario}: “{leak.found}” in: {leak.passage}"
            for scenario, found in scanned
            for leak in found
        ]
        if leaks:
            raise CommandError("\n".join(leaks))
        self.stdout.write(f"{len(scanned)} scenarios scanned, no leak")
