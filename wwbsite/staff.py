"""How staff log in."""

from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.models import User
from django.http import HttpRequest
from rest_framework.throttling import BaseThrottle


class LoginForm(AdminAuthenticationForm):
    """Refuses a name that no user can have, before axes tries to store it as a failed attempt."""

    username = UsernameField(
        max_length=User._meta.get_field("username").max_length,
        widget=forms.TextInput(attrs={"autofocus": True}),
    )


def client_address(request: HttpRequest) -> str:
    """Return whose failed attempts are counted together: NUM_PROXIES says which header counts.

    Behind the proxy REMOTE_ADDR is the proxy's: anybody's wrong passwords would lock out all.
    """
    return BaseThrottle().get_ident(request)  # type: ignore[arg-type]  # it reads META only
