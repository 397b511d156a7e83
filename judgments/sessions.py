"""Whose browser this is in a study: the participant of its session, and in which language."""

from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.middleware.csrf import rotate_token
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_http_methods
from rest_framework.throttling import SimpleRateThrottle

from judgments.links import normalise_pid
from judgments.models import Participant, ParticipantKind, Study
from judgments.queries.participants import ParticipantNotFound, find_by_session

LANGUAGES = tuple(code for code, _ in settings.LANGUAGES)


class BeginThrottle(SimpleRateThrottle):
    """Counts who begins from one network address: nobody has an account, and places are few."""

    scope = "begins"

    def get_cache_key(self, request: HttpRequest, view: None) -> str:  # type: ignore[override]
        """Return the counter's name."""
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}  # type: ignore[arg-type]


class SeeOther(HttpResponseRedirect):
    """Leads on by GET, whatever the method was."""

    status_code = 303


def home_of(study: Study) -> str:
    """Return the one address of the path."""
    return reverse("judgments:study", args=[study.pk])


def lead_home(study: Study) -> HttpResponse:
    """Lead to whatever is next on the path."""
    return SeeOther(home_of(study))


def takes_a_form(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Let forms alone do what the view does (decorator).

    A restored tab or a bookmark opens the address of a form like a page: it leads on, not to an
    error.
    """

    @require_http_methods(["GET", "HEAD", "POST"])
    @wraps(view)
    def answer(request: HttpRequest, slug: str) -> HttpResponse:
        if request.method == "POST":
            return view(request, slug)
        return lead_home(get_object_or_404(Study, pk=slug))

    return answer


# One session can belong to one person in each study; another study never sees it.
def _person_key(slug: str) -> str:
    return f"participant:{slug}"


def _link_key(slug: str) -> str:
    return f"personal-link:{slug}"


def _language_key(slug: str) -> str:
    return f"language:{slug}"


def sign_in(request: HttpRequest, participant: Participant) -> None:
    """Give this browser to the participant; nothing of whoever used it before is carried over.

    Pages of that person that are still open in a tab can send no form any more.
    """
    slug = participant.study_id
    request.session.pop(_link_key(slug), None)
    request.session.pop(_language_key(slug), None)
    request.session.cycle_key()
    request.session[_person_key(slug)] = {
        "id": str(participant.pk),
        "epoch": participant.session_epoch,
        "is_preview": participant.kind == ParticipantKind.PREVIEW,
    }
    rotate_token(request)


def sign_out(request: HttpRequest, study: Study) -> None:
    """Leave nothing of who took part in this browser, and no open page that can send a form.

    Staff who end a preview stay logged in, also if the preview was removed meanwhile: what is
    asked is the session, not the row.
    """
    session = request.session.get(_person_key(study.pk))
    if session and not session.get("is_preview"):
        request.session.flush()
    else:
        for key in (_person_key, _link_key, _language_key):
            request.session.pop(key(study.pk), None)
    rotate_token(request)


def current_participant(request: HttpRequest, study: Study) -> Participant | None:
    """Return whose session this is in this study, if anybody's."""
    session = request.session.get(_person_key(study.pk))
    if session is None:
        return None
    try:
        participant = find_by_session(
            study_slug=study.pk, participant_id=session["id"], epoch=session["epoch"]
        )
    except ParticipantNotFound:
        return None
    # The frame of every page of the path asks for it.
    is_preview = participant.kind == ParticipantKind.PREVIEW
    request.is_preview = is_preview  # type: ignore[attr-defined]
    return participant


def is_somebody_else(request: HttpRequest, participant: Participant) -> bool:
    """Tell whether the platform sends another person to this browser."""
    pid = normalise_pid(request.GET.get("PROLIFIC_PID", ""))
    return bool(pid) and pid != participant.platform_pid


def keep_link(request: HttpRequest, study: Study, token: str) -> None:
    """Remember the personal link for as long as this browser is the participant's."""
    link = reverse("judgments:personal-link", args=[study.pk, token])
    request.session[_link_key(study.pk)] = request.build_absolute_uri(link)


def link_of(request: HttpRequest, study: Study) -> str | None:
    """Return the personal link, in the browser where the participant began."""
    link: str | None = request.session.get(_link_key(study.pk))
    return link


def keep_language(request: HttpRequest, study: Study, language: str) -> None:
    """Remember the language that was chosen; anything else than one of ours is left out."""
    if language in LANGUAGES:
        request.session[_language_key(study.pk)] = language


def in_own_language(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Make a page of the path answer in the language of whoever looks at it (decorator).

    Only the path is translated, so no middleware: all other pages stay English. What is not found
    on the path is told here, because the site's own page knows neither language nor study.
    """

    @wraps(view)
    def answer(request: HttpRequest, slug: str, **arguments: str) -> HttpResponse:
        with translation.override(_language(request, slug)):
            try:
                response = view(request, slug, **arguments)
            except Http404:
                response = render(request, "judgments/not_found.html", status=404)
            response.headers.setdefault("Content-Language", translation.get_language() or "")
        patch_vary_headers(response, ("Accept-Language",))
        return response

    return answer


def _language(request: HttpRequest, slug: str) -> str:
    """Return the language asked for now, or chosen before, or preferred by the browser."""
    asked = request.GET.get("language") or request.POST.get("language", "")
    key = _language_key(slug)
    if asked in LANGUAGES:
        if _person_key(slug) in request.session:
            request.session[key] = asked
        return asked
    chosen = request.session.get(key)
    return chosen if chosen in LANGUAGES else translation.get_language_from_request(request)
