"""Staff, and checks that passed, for the tests of the study desk."""

from django.contrib.auth.models import Group, Permission, User
from django.forms import Form
from django.test import Client
from django.urls import reverse

from judgments.actions.launch import finish_check, start_check
from judgments.models import CheckKind, ProtocolVersion, Study
from judgments.queries.launch import current_protocol
from tests.builders import NOW

MANAGER = ("run_study", "watch_study", "exclude_participant", "export_study")
ASSISTANT = ("watch_study",)


def make_staff(name: str = "ada", *, permissions: tuple[str, ...] = MANAGER) -> User:
    """Return a member of staff with permissions of their own.

    Groups are made by a migration, and tests with real transactions empty their table.
    """
    user = User.objects.create_user(name, password=name, is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    return user


def make_assistant(name: str = "bob") -> User:
    return make_staff(name, permissions=ASSISTANT)


def log_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def address(name: str, study: Study, *arguments: object) -> str:
    return reverse(f"study-desk:{name}", args=[study.pk, *arguments])


def version_of(study: Study) -> ProtocolVersion:
    version = current_protocol(study)
    assert version is not None
    return version


def pass_checks(study: Study, *kinds: CheckKind) -> None:
    """Let the checks of the current version pass: all, or those of these kinds."""
    version = version_of(study)
    for kind in kinds or CheckKind:
        check = start_check(version=version, kind=kind, staff=None, now=NOW)
        finish_check(check_id=check.pk, is_passed=True, details={}, now=NOW)


def group_permissions(name: str) -> set[str]:
    group = Group.objects.get(name=name)
    return set(group.permissions.values_list("codename", flat=True))


def typed(form: Form) -> dict[str, object]:
    """Return what a browser would send of a form that nobody touched."""
    sent = {}
    for bound in form:
        value = bound.field.prepare_value(bound.initial)
        if value not in (None, False):
            sent[bound.html_name] = "on" if value is True else value
    return sent
