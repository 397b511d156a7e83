"""Prove that no shown text of a scenario contains the distinctive words of its source."""

from django.core.management.base import BaseCommand, CommandError

from catalog.leaks import distinctive_words, find_leaks
from catalog.queries import shown_passages
from catalog.scenario_truth import ScenarioTruth


class Command(BaseCommand):
    """Exits with 1 and a line for each leak."""

    help = "Scan the published scenarios and actions for words that lead to their papers."

    def handle(self, *args: object, **options: object) -> None:
        """Scan each published scenario against its own source."""
        leaks = []
        truths = ScenarioTruth.objects.select_related("scenario")
        for truth in truths.order_by("pk"):
            words = distinctive_words(
                title=truth.source_title,
                authors=truth.source_authors,
                identifier=truth.source_identifier,
            )
            leaks += [
                f"{truth.scenario_id}: “{leak.found}” in: {leak.passage}"
                for leak in find_leaks(shown_passages(truth.scenario), words)
            ]
        if leaks:
            raise CommandError("\n".join(leaks))
        self.stdout.write(f"{len(truths)} scenarios scanned, no leak")
