"""How staff log in."""

from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.models import User


class LoginForm(AdminAuthenticationForm):
    """Refuses a name that no user can have, before axes tries to store it as a failed attempt."""

    username = UsernameField(
        max_length=User._meta.get_field("username").max_length,
        widget=forms.TextInput(attrs={"autofocus": True}),
    )
