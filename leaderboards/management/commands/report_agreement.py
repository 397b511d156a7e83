"""Print every number of the report on a study."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence

from django.core.management.base import BaseCommand, CommandError

from judgments.models import Study
from leaderboards import actions, queries
from leaderboards.agreement_report import PathsDisagree
from leaderboards.models import AgreementComputation


class Command(BaseCommand):
    help = (
        "Compute the agreement of people and metric in a study again and print every number. Fails "
        "if Postgres and NumPy, or the cells' codes and the single choices, disagree."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare what can be chosen."""
        parser.add_argument("study", metavar="STUDY")
        parser.add_argument(
            "--protocol",
            dest="versions",
            type=int,
            action="append",
            default=[],
            metavar="N",
            help="a protocol version; several are put together. Default: each by itself",
        )
        parser.add_argument("--json", action="store_true", help="one JSON object a report")

    def handle(
        self, *args: object, study: str, versions: Sequence[int], json: bool, **options: object
    ) -> None:
        """Print one report, or one a protocol version."""
        found = Study.objects.filter(pk=study).first()
        if found is None:
            raise CommandError(f"There is no study {study}.")
        answered = queries.answered_versions(found)
        if not answered:
            raise CommandError(f"Nobody who counts has completed a scenario of {study} yet.")
        if unknown := sorted(set(versions) - set(answered)):
            raise CommandError(
                f"--protocol: nobody completed a scenario under {unknown[0]}; there are "
                f"{', '.join(map(str, answered))}."
            )
        for chosen in [versions] if versions else [[version] for version in answered]:
            self._print(_compute(found, chosen), as_json=json)

    def _print(self, computation: AgreementComputation, *, as_json: bool) -> None:
        reading = queries.AgreementReading(computation, shows_metric=True)
        if as_json:
            content = queries.agreement_content(reading)
            self.stdout.write(json.dumps(content, ensure_ascii=False, allow_nan=False))
            return
        for figure, value in reading.figures():
            self.stdout.write(f"{figure} {value}".rstrip() if value else f"{figure} undefined")


def _compute(study: Study, versions: Sequence[int]) -> AgreementComputation:
    try:
        computation = actions.publish_agreement(study=study, versions=versions)
    except (PathsDisagree, queries.MetricsMissing, queries.NothingToReport) as error:
        raise CommandError(f"{study.pk}: {error}") from error
    if queries.codes_are_wrong(study, versions):
        raise CommandError(f"{study.pk}: the codes of cells and the single choices disagree.")
    return computation
