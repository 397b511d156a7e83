"""`manage.py revoke_key AGENT NAME`: end a key at once."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from episodes.actions.agents import revoke_key
from episodes.models import AgentKey


class Command(BaseCommand):
    help = "Revoke a key of an agent: it opens nothing from now on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("agent", help="Name of the agent.")
        parser.add_argument("name", help="Name of the key.")

    def handle(self, *args: object, agent: str, name: str, **options: object) -> str:
        try:
            key = AgentKey.objects.get(agent__name=agent, name=name)
        except AgentKey.DoesNotExist:
            raise CommandError(f"Agent {agent!r} has no key named {name!r}.") from None
        revoked = revoke_key(key=key, now=timezone.now())
        return f"{revoked} of {agent} is revoked."
