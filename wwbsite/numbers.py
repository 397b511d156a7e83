"""How templates write signed numbers: `{% load numbers %}`."""

from django import template
from django.template.defaultfilters import floatformat

MINUS = "\N{MINUS SIGN}"

register = template.Library()


@register.filter
def minus(value: object) -> str:
    """Return a number's text with a minus sign where it has a hyphen; nothing is not negative."""
    text = str(value)
    return text.replace("-", MINUS, 1) if text.strip("-0.") else text.lstrip("-")


@register.filter
def signed(value: object, digits: int) -> str:
    """Return the number with so many decimals and a minus sign, as a page shows differences."""
    return minus(floatformat(value, digits))
