"""`manage.py create_study SLUG --title TITLE`: a study with the source study's protocol."""

from argparse import ArgumentParser

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug
from django.utils import timezone

from catalog.models import Scenario
from judgments.actions.studies import SlugTaken, create_study
from judgments.models import Audience
from judgments.protocol_defaults import default_protocol


class Command(BaseCommand):
    help = "Create a study that is not open, with the source study's protocol over all scenarios."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="its name in the address, such as pilot")
        parser.add_argument("--title", required=True, help="what participants read on every page")
        parser.add_argument(
            "--audience",
            choices=Audience.values,
            default=Audience.PEOPLE.value,
            help="who takes part (default: people); robots never take part in a people's study",
        )

    def handle(
        self, *args: object, slug: str, title: str, audience: str, **options: object
    ) -> None:
        try:
            validate_slug(slug)
        except ValidationError as error:
            raise CommandError(f"SLUG: {error.messages[0]}") from error
        if slug == "new" or len(slug) > 50 or not 0 < len(title.strip()) <= 120:
            raise CommandError(
                "SLUG has at most 50 characters and is not “new”; --title has 1 to 120."
            )
        scenarios = Scenario.objects.order_by("domain", "slug").values_list("slug", flat=True)
        if not scenarios:
            raise CommandError("There are no scenarios yet: run `manage.py load_scenarios` first.")
        try:
            study = create_study(
                slug=slug,
                title=title.strip(),
                protocol=default_protocol(scenarios),
                staff=None,
                now=timezone.now(),
                audience=Audience(audience),
            )
        except SlugTaken as error:
            raise CommandError(
                f"There is a study “{slug}” already. Nothing was changed."
            ) from error
        self.stdout.write(
            f"Created {study.slug}, not open: /staff/studies/{study.slug}/ leads to its launch."
        )
