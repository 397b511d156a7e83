"""Staff's side of the studies."""

from django.urls import path, re_path

from judgments.staff_views import checks, exporting, monitor, people, previews, protocols, studies

app_name = "study-desk"

urlpatterns = [
    path("", studies.list_page, name="list"),
    path("new/", studies.create_page, name="create"),
    path("<slug:slug>/", studies.study_page, name="study"),
    path("<slug:slug>/settings/", studies.settings_page, name="settings"),
    path("<slug:slug>/protocol/", protocols.versions_page, name="protocol"),
    path("<slug:slug>/protocol/edit/", protocols.edit_page, name="edit"),
    path("<slug:slug>/certificate/", checks.certificate_page, name="certificate"),
    path("<slug:slug>/certificate/run/", checks.certify, name="certify"),
    path("<slug:slug>/checks/", studies.checks_panel, name="checks"),
    path("<slug:slug>/rehearse/", checks.rehearse, name="rehearse"),
    path("<slug:slug>/preview/", previews.start, name="preview"),
    path("<slug:slug>/preview/remove/", previews.remove, name="remove-previews"),
    path("<slug:slug>/export/", exporting.export_page, name="export"),
    path("<slug:slug>/export/dictionary/", exporting.dictionary_page, name="export-dictionary"),
    re_path(
        r"^(?P<slug>[-\w]+)/(?P<change>open|close|publish)/$",
        studies.change_state,
        name="change-state",
    ),
    path("<slug:slug>/monitor/", monitor.monitor_page, name="monitor"),
    path("<slug:slug>/audit/", monitor.audit_page, name="audit"),
    path("<slug:slug>/recruitment/", monitor.recruitment_page, name="recruitment"),
    path("<slug:slug>/people/<uuid:participant_id>/", people.person_page, name="person"),
    path("<slug:slug>/people/<uuid:participant_id>/note/", people.write_note, name="note"),
    path("<slug:slug>/people/<uuid:participant_id>/exclude/", people.exclude_page, name="exclude"),
    path("<slug:slug>/people/<uuid:participant_id>/undo/", people.undo_page, name="undo"),
]
