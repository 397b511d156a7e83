"""`manage.py create_agent NAME`: a new agent; its key is all that stdout gets."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from episodes.actions.agents import AgentRefused, check_days, create_agent, issue_key
from episodes.models import Scope


class Command(BaseCommand):
    help = "Create an agent and print its key, which is shown this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--description", default="")
        parser.add_argument("--scopes", nargs="+", choices=Scope.values, default=Scope.values)
        parser.add_argument("--days", type=int, default=365, help="How long the key is valid.")

    def handle(
        self,
        *args: object,
        name: str,
        description: str,
        scopes: list[str],
        days: int,
        **options: object,
    ) -> str:
        now = timezone.now()
        try:
            check_days(days)  # before there is an agent that would be left without a key
            agent = create_agent(name=name, description=description, now=now)
            key = issue_key(agent=agent, name="first", scopes=scopes, days=days, now=now)
        except AgentRefused as error:
            raise CommandError(str(error)) from None
        return key.raw.text
