"""Django's admin for what the staff pages do not show: facts to look at, none to change.

Everything here follows the permission to watch studies. What the private fields hold (expected
answers, codes, platform ids, the tokens of links) is left out of every page, filter and lookup for
whoever may not run a study.
"""

from typing import Any

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from catalog.admin import ReadOnlyAdmin
from judgments.models import (
    AuditEntry,
    BlockedPid,
    Cell,
    ComprehensionAttempt,
    Consent,
    DeletionReceipt,
    Exclusion,
    Item,
    Judgment,
    LaunchCheck,
    Participant,
    PlatformSubmission,
    ProtocolVersion,
    Revision,
    StaffNote,
    Study,
)
from judgments.staff_access import RUN, WATCH


class WatchedAdmin(ReadOnlyAdmin):
    """Rows that whoever watches studies may look at.

    `private` names what only those see who run studies; `needed` is what the page itself asks for;
    `consented` leads to the participant, of whom nothing is shown before consent.
    """

    private: tuple[str, ...] = ()
    needed = WATCH
    consented = ""

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return request.user.has_perm(self.needed)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        return rows.filter(**{self.consented: True}) if self.consented else rows

    def get_exclude(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:  # noqa: ANN401
        return self._hidden(request)

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        hidden = self._hidden(request)
        return [column for column in super().get_list_display(request) if column not in hidden]

    def get_list_filter(self, request: HttpRequest) -> list[Any]:
        hidden = self._hidden(request)
        return [one for one in super().get_list_filter(request) if one not in hidden]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Refuse every lookup by address that is no filter of the page.

        Django allows any on a row's own columns, so a code could be guessed letter by letter.
        """
        is_filter = lookup.partition("__")[0] in self.get_list_filter(request)
        return is_filter and super().lookup_allowed(lookup, value, request)

    def _hidden(self, request: HttpRequest) -> tuple[str, ...]:
        return () if request.user.has_perm(RUN) else self.private


class RunAdmin(WatchedAdmin):
    """Rows of which every column is private."""

    needed = RUN


@admin.register(Study)
class StudyAdmin(WatchedAdmin):
    list_display = ["slug", "title", "audience", "opened_at", "closed_at", "published_at"]
    list_filter = ["audience"]
    search_fields = ["slug", "title"]
    private = ("platform_study_id",)


@admin.register(ProtocolVersion)
class ProtocolVersionAdmin(WatchedAdmin):
    list_display = ["study", "number", "sha256", "created_at"]
    list_filter = ["study"]
    # It has the codes, and the right answers of the comprehension check.
    private = ("definition",)


@admin.register(LaunchCheck)
class LaunchCheckAdmin(WatchedAdmin):
    list_display = ["protocol", "kind", "status", "started_at", "finished_at"]
    list_filter = ["kind", "status"]
    list_select_related = ["protocol"]
    private = ("details",)


@admin.register(Participant)
class ParticipantAdmin(WatchedAdmin):
    list_display = ["id", "study", "kind", "platform_pid", "joined_at", "last_seen_at"]
    list_filter = ["study", "kind"]
    # From the seed everything can be drawn again, the expected answers too.
    private = ("platform_pid", "platform_session", "completion_code", "seed", "token_sha256")
    consented = "consent__is_given"


@admin.register(Consent)
class ConsentAdmin(WatchedAdmin):
    list_display = ["participant", "is_given", "locale", "answered_at"]
    list_filter = ["locale"]
    consented = "is_given"


@admin.register(ComprehensionAttempt)
class ComprehensionAttemptAdmin(WatchedAdmin):
    list_display = ["participant", "number", "is_passed", "answered_at"]
    list_filter = ["is_passed"]
    private = ("answers",)
    consented = "participant__consent__is_given"


@admin.register(Cell)
class CellAdmin(WatchedAdmin):
    list_display = ["participant", "scenario", "place", "completed_at", "is_usable"]
    list_filter = ["is_usable"]
    private = ("orientation", "code")
    consented = "participant__consent__is_given"


@admin.register(Item)
class ItemAdmin(WatchedAdmin):
    list_display = ["participant", "position", "kind", "left", "right", "shown_at"]
    list_filter = ["kind"]
    list_select_related = ["left", "right"]
    # The pair of a check tells what is expected as well as the field itself does.
    private = ("kind", "expected", "repeat_of", "left", "right")
    consented = "participant__consent__is_given"


@admin.register(Judgment)
class JudgmentAdmin(WatchedAdmin):
    list_display = ["participant", "item", "choice", "answered_at", "active_ms", "is_fast"]
    list_filter = ["is_fast", "has_impossible_timing", "layout"]
    private = ("chosen",)
    consented = "participant__consent__is_given"


@admin.register(Revision)
class RevisionAdmin(WatchedAdmin):
    list_display = ["judgment", "choice_before", "choice_after", "revised_at"]
    consented = "judgment__participant__consent__is_given"


@admin.register(Exclusion)
class ExclusionAdmin(WatchedAdmin):
    list_display = ["participant", "reason", "excluded_by", "excluded_at", "undone_at"]
    consented = "participant__consent__is_given"


@admin.register(StaffNote)
class StaffNoteAdmin(WatchedAdmin):
    list_display = ["participant", "staff", "written_at"]
    consented = "participant__consent__is_given"


@admin.register(DeletionReceipt)
class DeletionReceiptAdmin(WatchedAdmin):
    list_display = ["id", "study", "deleted_at", "n_judgments"]
    list_filter = ["study"]


@admin.register(AuditEntry)
class AuditEntryAdmin(WatchedAdmin):
    list_display = ["at", "study", "event", "staff", "participant_id", "reason"]
    list_filter = ["study", "event"]
    list_select_related = ["study", "staff"]
    private = ("details",)


@admin.register(BlockedPid)
class BlockedPidAdmin(RunAdmin):
    list_display = ["study", "platform_pid"]
    list_filter = ["study"]


@admin.register(PlatformSubmission)
class PlatformSubmissionAdmin(RunAdmin):
    list_display = ["study", "platform_pid", "status", "listed_at"]
    list_filter = ["study", "status"]
