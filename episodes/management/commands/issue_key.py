"""`manage.py issue_key AGENT NAME`: one more key; it is all that stdout gets."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from episodes.actions.agents import AgentRefused, issue_key
from episodes.models import Agent, Scope


class Command(BaseCommand):
    help = "Give an agent one more key and print it, which is shown this once."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("agent", help="Name of the agent.")
        parser.add_argument("name", help="Name of the new key, such as laptop.")
        parser.add_argument("--scopes", nargs="+", choices=Scope.values, default=Scope.values)
        parser.add_argument("--days", type=int, default=365, help="How long the key is valid.")

    def handle(
        self, *args: object, agent: str, name: str, scopes: list[str], days: int, **options: object
    ) -> str:
        try:
            key = issue_key(
                agent=Agent.objects.get(name=agent),
                name=name,
                scopes=scopes,
                days=days,
                now=timezone.now(),
            )
        except Agent.DoesNotExist:
            raise CommandError(f"No agent is named {agent!r}.") from None
        except AgentRefused as error:
            raise CommandError(str(error)) from None
        return key.raw.text
