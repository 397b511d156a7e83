"""What a study lacks before people may join it."""

from dataclasses import dataclass
from datetime import datetime

from judgments.models import CheckKind, CheckStatus, LaunchCheck, ProtocolVersion, Study


@dataclass(frozen=True)
class Missing:
    """A check that does not stand as passed, and how its newest run ended, if there is one."""

    kind: CheckKind
    status: CheckStatus | None

    def __str__(self) -> str:
        if self.status is None:
            return f"{self.kind.label}: not run on this version"
        return f"{self.kind.label}: {'still running' if self.status == 'running' else 'failed'}"


def current_protocol(study: Study) -> ProtocolVersion | None:
    """Return the version under which the next participant joins."""
    return study.protocols.order_by("number").last()


def open_protocol(study: Study, *, now: datetime) -> ProtocolVersion | None:
    """Return the version under which somebody can join now; None while the study is not open."""
    is_open = study.is_open and study.opened_at is not None and study.opened_at <= now
    return current_protocol(study) if is_open else None


def newest_checks(version: ProtocolVersion) -> dict[CheckKind, LaunchCheck]:
    """Return the newest run of each kind on this version."""
    checks = version.launch_checks.order_by("id")
    return {CheckKind(check.kind): check for check in checks}


def missing_checks(version: ProtocolVersion) -> tuple[Missing, ...]:
    """Return the checks that keep a version from being launched, in the order of their kinds."""
    newest = newest_checks(version)
    found = {kind: CheckStatus(check.status) for kind, check in newest.items()}
    return tuple(
        Missing(kind, found.get(kind))
        for kind in CheckKind
        if found.get(kind) != CheckStatus.PASSED
    )
