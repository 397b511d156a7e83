"""Studies, participants, what they were shown and chose, and what staff did about them."""

from judgments.models.judgments import (
    Cell,
    Choice,
    Item,
    Judgment,
    Layout,
    Revision,
)
from judgments.models.participants import (
    ComprehensionAttempt,
    Consent,
    DeletionReceipt,
    Participant,
    ParticipantKind,
)
from judgments.models.staff import (
    AuditEntry,
    CheckKind,
    CheckStatus,
    Exclusion,
    LaunchCheck,
    PlatformSubmission,
    StaffNote,
)
from judgments.models.studies import (
    Audience,
    BlockedPid,
    ProtocolVersion,
    Study,
)

__all__ = [
    "Audience",
    "AuditEntry",
    "BlockedPid",
    "Cell",
    "CheckKind",
    "CheckStatus",
    "Choice",
    "ComprehensionAttempt",
    "Consent",
    "DeletionReceipt",
    "Exclusion",
    "Item",
    "Judgment",
    "LaunchCheck",
    "Layout",
    "Participant",
    "ParticipantKind",
    "PlatformSubmission",
    "ProtocolVersion",
    "Revision",
    "StaffNote",
    "Study",
]
