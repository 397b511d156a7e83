"""`manage.py rehearse_study SLUG`: let robots rehearse a study here and now."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from judgments.actions import rehearsals
from judgments.actions.studies import StudyNotFound
from judgments.models import CheckStatus, LaunchCheck
from judgments.rehearsing import give_up, rehearse


class Command(BaseCommand):
    """Fills the launch checks that robots can fill; the same as the button of the study's page."""

    help = (
        "Play a study's current protocol with robots, look for leaks in every page that they saw, "
        "and check the export: three of the checks without which a study cannot be opened."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", metavar="SLUG")

    def handle(self, *args: object, slug: str, **options: object) -> None:
        try:
            rehearsals.request_rehearsal(study_slug=slug, staff=None, now=timezone.now())
        except StudyNotFound:
            raise CommandError(f"There is no study {slug}.") from None
        except rehearsals.NothingToRehearse:
            raise CommandError(
                f"{slug} has no protocol, or is a study of robots, which needs no rehearsal."
            ) from None
        except rehearsals.RehearsalRunning:
            raise CommandError(f"A rehearsal of {slug} is running already.") from None
        rehearsal = rehearsals.claim_rehearsal(study_slug=slug, now=timezone.now())
        if rehearsal is None:
            raise CommandError("A worker was quicker: see the study's page.")
        try:
            rehearse(rehearsal, clock=timezone.now)
        except BaseException as error:
            give_up(rehearsal, cause=f"Broken off: {type(error).__name__}", now=timezone.now())
            raise
        self._tell(rehearsal)

    def _tell(self, rehearsal: rehearsals.Rehearsal) -> None:
        checks = LaunchCheck.objects.filter(pk__in=rehearsal.checks.values()).order_by("pk")
        for check in checks:
            self.stdout.write(f"{check.get_kind_display()}: {check.get_status_display()}")
            self.stdout.write(f"  {check.details['summary']}")
            for fault in check.details["faults"]:
                self.stdout.write(f"  {fault}")
        if any(check.status != CheckStatus.PASSED for check in checks):
            raise CommandError("The study cannot be opened like this.")
