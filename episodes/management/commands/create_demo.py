"""`manage.py create_demo`: the accounts that `make run` prints. Safe to run again."""

import os
from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from episodes.actions.demo import ensure_demo_accounts
from episodes.keys import parse


class Command(BaseCommand):
    help = "Make the demo agent and the staff user match the secrets of this installation."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--agent-key", default=os.environ.get("DEMO_AGENT_KEY", ""))
        parser.add_argument("--staff-password", default=os.environ.get("DEMO_STAFF_PASSWORD", ""))

    def handle(self, *args: object, agent_key: str, staff_password: str, **options: object) -> None:
        key = parse(agent_key)
        if key is None or not staff_password:
            raise CommandError(
                "DEMO_AGENT_KEY must have the form wwb_........_(43 characters), and "
                "DEMO_STAFF_PASSWORD must not be empty; `make run` sets both."
            )
        ensure_demo_accounts(agent_key=key, staff_password=staff_password, now=timezone.now())
