"""The participant's path: one address leads to the page that is next."""

from django.urls import path

from judgments import entering, views

app_name = "judgments"

urlpatterns = [
    path("<slug:slug>/", views.study_page, name="study"),
    path("<slug:slug>/begin/", entering.begin, name="begin"),
    path("<slug:slug>/me/<str:token>/", entering.personal_link, name="personal-link"),
    path("<slug:slug>/last/", views.last_answer, name="last-answer"),
    path("<slug:slug>/leave/", views.leave_page, name="leave"),
    path("<slug:slug>/leave/hand-over/", views.hand_over, name="hand-over"),
    path("<slug:slug>/leave/delete/", views.delete, name="delete"),
]
