"""The map of URLs."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path

from episodes import urls as episode_urls
from leaderboards.queries.reports import load_report
from wwbsite import api_schema, faults, pages
from wwbsite.staff import LoginForm

admin.site.login_form = LoginForm

api_patterns: list[URLPattern | URLResolver] = [
    path("", include("catalog.api_urls")),
    path("", include("episodes.api_urls")),
    path("", include("leaderboards.api_urls")),
    path("schema/", api_schema.schema_view, name="schema"),
]

urlpatterns = [
    path("", pages.home, name="home"),
    path("catalog/", include("catalog.urls")),
    path("states/", include("catalog.state_urls")),
    path("", include(episode_urls.patterns(load_report))),
    path("leaderboards/", include("leaderboards.urls")),
    path("study/", pages.study, name="study"),
    path("study/", include("leaderboards.study_urls")),
    path("study/", include("judgments.urls")),
    path("staff/studies/", include("judgments.staff_urls")),
    path("staff/scenarios/", include("judgments.scenario_urls")),
    path("methods/", pages.methods, name="methods"),
    path("privacy/", pages.privacy, name="privacy"),
    path("api/", pages.api_guide, name="api-guide"),
    path("api/docs/", pages.api_docs, name="api-docs"),
    path("api/v1/", include((api_patterns, "api-v1"))),
    re_path("^api/", faults.unknown_path),
    path("healthz", pages.healthz, name="healthz"),
    path("admin/", admin.site.urls),
]

handler400 = "wwbsite.faults.bad_request"
handler500 = "wwbsite.faults.server_error"
