"""Agents and keys: the actions and the commands that call them."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from episodes.actions.agents import (
    InvalidAgent,
    NameTaken,
    create_agent,
    issue_key,
    revoke_key,
)
from episodes.keys import RawKey
from episodes.models import Agent, AgentKey, AgentKind, Scope
from tests.api_client import Api, refusal
from tests.builders import NOW, make_agent

pytestmark = pytest.mark.django_db


def run(*command: str, **options: Any) -> str:
    """Return what the command printed on stdout."""
    out = StringIO()
    call_command(*command, stdout=out, **options)
    return out.getvalue()


# --- Actions --------------------------------------------------------------------------------
def test_a_new_agent_is_active_and_has_no_key():
    agent = create_agent(name="walker", description="ours", now=NOW)
    assert (agent.kind, agent.is_active, agent.created_at) == (AgentKind.API, True, NOW)
    assert not agent.keys.exists()


def test_an_issued_key_is_stored_as_its_digest_alone():
    issued = issue_key(agent=make_agent(), name="laptop", days=30, now=NOW)
    row = AgentKey.objects.get()
    assert (row.digest, row.prefix) == (issued.raw.digest, issued.raw.prefix)
    assert row.expires_at == NOW + timedelta(days=30)
    assert row.scopes == ["episodes:read", "episodes:write"]
    secret = issued.raw.text[12:]
    stored = AgentKey.objects.values_list().get()
    assert secret not in str(stored)


@pytest.mark.parametrize(
    "name",
    ["", "x" * 81, "x" * 300, "two\nlines", "nul\0", "right\u202eto left", " padded", "\ud800"],
)
def test_a_name_that_would_not_fit_or_would_disguise_itself_is_refused_by_field(name):
    with pytest.raises(InvalidAgent, match=r"^name must"):
        create_agent(name=name, now=NOW)
    with pytest.raises(InvalidAgent, match=r"^name must"):
        issue_key(agent=make_agent(), name=name, days=1, now=NOW)


@pytest.mark.parametrize("name", ["<svg onload=alert(1)>", "[x](javascript:alert(1))", "Ö 中"])
def test_markup_and_other_scripts_are_just_names(name):
    assert create_agent(name=name, now=NOW).name == name


def test_names_of_agents_and_of_an_agents_keys_are_taken_once():
    agent = make_agent("walker")
    issue_key(agent=agent, name="laptop", days=1, now=NOW)
    with pytest.raises(NameTaken):
        create_agent(name="walker", now=NOW)
    with pytest.raises(NameTaken):
        issue_key(agent=agent, name="laptop", days=1, now=NOW)
    issue_key(agent=make_agent("other"), name="laptop", days=1, now=NOW)


@pytest.mark.parametrize(
    "arguments", [{"days": 0}, {"days": 3651}, {"scopes": []}, {"scopes": ["x"]}]
)
def test_a_key_without_an_end_or_a_scope_is_refused(arguments):
    with pytest.raises(InvalidAgent):
        issue_key(agent=make_agent(), name="laptop", now=NOW, **{"days": 1, **arguments})


def test_a_revoked_key_opens_nothing_at_once_and_keeps_its_first_time():
    issued = issue_key(agent=make_agent(), name="laptop", days=1, now=timezone.now())
    api = Api(issued.raw.text)
    assert api.get("episodes/").status_code == 200
    revoke_key(key=issued.row, now=NOW)
    assert refusal(api.get("episodes/")) == (401, "revoked_key")
    assert revoke_key(key=issued.row, now=NOW + timedelta(1)).revoked_at == NOW


# --- Commands -------------------------------------------------------------------------------
def test_create_agent_prints_a_working_key_and_nothing_else():
    printed = run("create_agent", "walker")
    assert printed.endswith("\n")
    assert len(printed.split()) == 1
    assert Api(printed.strip()).get("episodes/").json()["results"] == []


def test_create_agent_takes_scopes_days_and_a_description():
    run("create_agent", "walker", "--scopes", "episodes:read", "--days", "7", "--description", "x")
    key = AgentKey.objects.get()
    assert (key.scopes, key.agent.description) == ([Scope.READ], "x")
    assert key.expires_at - key.created_at == timedelta(days=7)


@pytest.mark.parametrize("arguments", [["walker"], ["x" * 300], ["new", "--days", "0"]])
def test_create_agent_that_cannot_says_one_line_and_leaves_nothing(arguments):
    make_agent("walker")
    with pytest.raises(CommandError) as refusal:
        run("create_agent", *arguments)
    assert len(str(refusal.value).splitlines()) == 1
    assert Agent.objects.count() == 1


def test_issue_key_and_revoke_key_work_by_names():
    run("create_agent", "walker")
    key = run("issue_key", "walker", "cluster").strip()
    assert Api(key).get("episodes/").status_code == 200
    assert "walker is revoked" in run("revoke_key", "walker", "cluster")
    assert Api(key).get("episodes/").status_code == 401
    for command in (
        ["issue_key", "nobody", "x"],
        ["issue_key", "walker", "cluster"],
        ["revoke_key", "walker", "x"],
    ):
        with pytest.raises(CommandError):
            run(*command)


def test_create_demo_makes_the_accounts_match_the_installation_again_and_again():
    for password in ("first secret", "second secret"):
        key = RawKey.generate().text
        for _ in range(2):
            AgentKey.objects.update(revoked_at=NOW)
            run("create_demo", agent_key=key, staff_password=password)
            assert Api(key).get("episodes/").status_code == 200
            assert User.objects.get().check_password(password)
    assert (Agent.objects.count(), AgentKey.objects.count()) == (1, 1)


def test_create_demo_keeps_a_password_that_is_right_already():
    key = RawKey.generate().text
    run("create_demo", agent_key=key, staff_password="secret")
    before = User.objects.get().password
    run("create_demo", agent_key=key, staff_password="secret")
    assert User.objects.get().password == before


@pytest.mark.parametrize(("key", "password"), [("short", "secret"), (RawKey.generate().text, "")])
def test_create_demo_without_proper_secrets_says_which(key, password):
    with pytest.raises(CommandError, match="DEMO_AGENT_KEY"):
        run("create_demo", agent_key=key, staff_password=password)
