"""How somebody gets in: the landing page, its Begin, and the personal link."""

import math
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Mapping

import structlog
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.http import urlencode
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from judgments.actions import path
from judgments.actions.joining import FormUsedUp, PidBlocked, StudyNotOpen, join_study
from judgments.assignment import ChecksMisfit, QuotaUnmet
from judgments.links import MAX_PID, new_token, normalise_pid
from judgments.models import Audience, Study
from judgments.queries.participants import ParticipantNotFound, find_by_link, is_known
from judgments.queries.screens import outline_of
from judgments.sessions import (
    BeginThrottle,
    SeeOther,
    current_participant,
    home_of,
    in_own_language,
    keep_language,
    keep_link,
    lead_home,
    sign_in,
    takes_a_form,
)

PLATFORM_FIELDS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
MAX_SESSION = 80
MAX_KEY = 43
SEED_BITS = 62

log = structlog.get_logger(__name__)


def landing(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what the study is. Looking changes nothing."""
    platform = _platform_of(request.GET.dict(), study)
    page = {"study": study, "platform": platform, "key": new_token()}
    outline = outline_of(study, locale=get_language() or "en", now=timezone.now())
    if outline is not None:
        return render(request, "judgments/landing.html", page | {"outline": outline})
    if is_known(study, platform.get("PROLIFIC_PID", "")):
        return render(request, "judgments/come_back.html", page)
    return render(request, "judgments/not_open.html", page)


@never_cache
@in_own_language
@takes_a_form
def begin(request: HttpRequest, slug: str) -> HttpResponse:
    """Join the study, or come back to it by the platform's id."""
    study = get_object_or_404(Study, pk=slug)
    platform = _platform_of(request.POST.dict(), study)
    pid = platform.get("PROLIFIC_PID", "")
    if _has_begun(request, study, pid):
        return lead_home(study)
    token = _token_of_form(request, study, pid)
    if token is None:
        return _offer_again(request, study, platform)
    throttle = BeginThrottle()
    # Robots of a rehearsal all come from this machine.
    if study.audience == Audience.PEOPLE and not throttle.allow_request(request, None):  # type: ignore[arg-type]  # it reads META only
        return _refuse_for_now(request, study, wait_seconds=throttle.wait())
    try:
        joined = join_study(
            study_slug=study.pk,
            seed=secrets.randbits(SEED_BITS),
            now=timezone.now(),
            token=token,
            platform_pid=pid,
            platform_session=platform.get("SESSION_ID", ""),
        )
    except FormUsedUp:
        return _offer_again(request, study, platform)
    except (StudyNotOpen, PidBlocked, QuotaUnmet, ChecksMisfit) as refusal:
        if isinstance(refusal, QuotaUnmet | ChecksMisfit):
            log.error("protocol_unplayable", study=study.pk, reason=str(refusal))
        page = {"is_blocked": isinstance(refusal, PidBlocked), "study": study}
        return render(request, "judgments/not_open.html", page, status=403)
    sign_in(request, joined.participant)
    keep_language(request, study, request.POST.get("language", ""))
    if joined.token:
        keep_link(request, study, joined.token)
    return lead_home(study)


@never_cache
@require_safe
@in_own_language
def personal_link(request: HttpRequest, slug: str, token: str) -> HttpResponse:
    """Open the session of whose link this is; whoever used this browser before is signed out."""
    study = get_object_or_404(Study, pk=slug)
    try:
        participant = find_by_link(study_slug=study.pk, token=token)
        path.open_link(participant_id=participant.pk, now=timezone.now())
    except ParticipantNotFound as error:
        raise Http404("There is no such link.") from error
    sign_in(request, participant)
    keep_link(request, study, token)
    return lead_home(study)


@never_cache
@in_own_language
def form_expired(request: HttpRequest, slug: str) -> HttpResponse:
    """Answer a form whose token does not fit: often a page of whoever used this browser before.

    A second click on Begin can come when the reply to the first has changed the token already.
    Whose browser it is then goes on; that changes nothing, so it needs no protection.
    """
    match, study = request.resolver_match, Study.objects.filter(pk=slug).first()
    is_begin = match is not None and match.url_name == "begin"
    if study and is_begin and _has_begun(request, study, request.POST.get("PROLIFIC_PID", "")):
        return lead_home(study)
    return render(request, "judgments/form_expired.html", {"slug": slug}, status=403)


def _has_begun(request: HttpRequest, study: Study, pid: str) -> bool:
    """Tell whether this browser is that of somebody in the study, and of nobody else's id."""
    present = current_participant(request, study)
    return present is not None and (not pid or present.platform_pid == normalise_pid(pid))


def _token_of_form(request: HttpRequest, study: Study, pid: str) -> str | None:
    """Return the secret of the personal link that this form makes; None without a key of ours.

    The same form makes the same link however often it is sent, so the database knows the second
    click by it. The secret of the browser's forms is in it, and signing in, handing over and
    deleting change that: what somebody else reads in the page, or finds by going back, makes
    another link.
    """
    key, browser = request.POST.get("key", ""), request.META.get("CSRF_COOKIE", "")
    if not browser or len(key) != MAX_KEY:
        return None
    made_of = "\n".join((study.pk, normalise_pid(pid), browser, key))
    made = salted_hmac("judgments.entering.link", made_of, algorithm="sha256")
    return urlsafe_b64encode(made.digest()).rstrip(b"=").decode()


def _offer_again(request: HttpRequest, study: Study, platform: Mapping[str, str]) -> HttpResponse:
    """Show the landing page with a fresh form."""
    messages.info(request, _("This page was too old. Please press Begin once more."))
    query = f"?{urlencode(platform)}" if platform else ""
    return SeeOther(home_of(study) + query)


def _refuse_for_now(
    request: HttpRequest, study: Study, *, wait_seconds: float | None
) -> HttpResponse:
    seconds = math.ceil(wait_seconds or 1)
    page = {"study": study, "wait_minutes": math.ceil(seconds / 60)}
    reply = render(request, "judgments/too_many.html", page, status=429)
    reply["Retry-After"] = str(seconds)
    return reply


def _platform_of(sent: Mapping[str, str], study: Study) -> dict[str, str]:
    """Return what the platform's link says; what no platform says is refused, never shortened.

    Two ids that differ after their eightieth character would be one person.
    """
    platform = {name: sent[name] for name in PLATFORM_FIELDS if sent.get(name)}
    if platform.get("STUDY_ID") not in (None, study.platform_study_id):
        raise Http404("This link belongs to another study.")
    is_long = (
        len(normalise_pid(platform.get("PROLIFIC_PID", ""))) > MAX_PID
        or len(platform.get("SESSION_ID", "")) > MAX_SESSION
    )
    if is_long or "\0" in "".join(platform.values()):
        raise Http404("This is no link of a platform.")
    return platform
