"""The accounts that a demo installation shows when it starts."""

from datetime import datetime, timedelta

import structlog
from django.contrib.auth.models import User
from django.db import transaction

from episodes.actions.agents import MAX_KEY_DAYS
from episodes.keys import RawKey
from episodes.models import Agent, AgentKey, AgentKind, Scope

AGENT_NAME = "demo"
STAFF_NAME = "staff"

log = structlog.get_logger(__name__)


def ensure_demo_accounts(*, agent_key: RawKey, staff_password: str, now: datetime) -> None:
    """Make the demo agent answer to the key, and the staff user to the password.

    Both belong to the installation, not to the database: one that was restored from a backup, or
    whose key was revoked, gets them back.
    """
    with transaction.atomic(durable=True):
        agent, _ = Agent.objects.update_or_create(
            name=AGENT_NAME,
            defaults={"is_active": True},
            create_defaults={
                "kind": AgentKind.API,
                "description": "Belongs to whoever runs this installation.",
                "created_at": now,
            },
        )
        key = {
            "prefix": agent_key.prefix,
            "digest": agent_key.digest,
            "scopes": list(Scope),
            "expires_at": now + timedelta(days=MAX_KEY_DAYS),
            "revoked_at": None,
        }
        AgentKey.objects.update_or_create(
            agent=agent, name="demo", defaults=key, create_defaults={**key, "created_at": now}
        )
        staff, _ = User.objects.update_or_create(
            username=STAFF_NAME,
            defaults={"is_active": True, "is_staff": True, "is_superuser": True},
        )
        # Setting the same password again would end the sessions of whoever is logged in.
        if not staff.check_password(staff_password):
            staff.set_password(staff_password)
            staff.save(update_fields=["password"])
    log.info("demo_accounts_ensured", agent=AGENT_NAME, staff=STAFF_NAME)
