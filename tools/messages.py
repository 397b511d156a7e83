"""Find the words of the participant's path, and renew and compile their translations.

    python -m tools.messages

A message that is new comes without a translation, and tests/judgments/test_languages.py fails until
it has one. Babel does what the programs of gettext would do, so no machine needs those.
"""

import io
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import django
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
LOCALES = ("zh_Hans",)
# Only participants are spoken to in their language, so only what they meet is looked at.
SOURCES = (
    *sorted(ROOT.glob("templates/judgments/*.html")),
    *sorted(ROOT.glob("judgments/*.py")),
)
_KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2)}
# The files differ only where their words do.
_DATE = datetime(2026, 11, 30, tzinfo=UTC)


def folder(locale: str) -> Path:
    """Return where the translations into a language are."""
    return ROOT / "locale" / locale / "LC_MESSAGES"


def find_messages() -> Iterator[str | tuple[str, ...]]:
    """Yield every message of the path, with its plural where it has one."""
    if not settings.configured:
        settings.configure()
        django.setup()
    for path in SOURCES:
        source = path.read_text("utf-8")
        if path.suffix == ".html":
            # Django turns a template into calls of gettext; their indentation means nothing.
            source = re.sub(r"(?m)^\s+", "", templatize(source))
        for _, message, _, _ in extract("python", io.BytesIO(source.encode()), _KEYWORDS):
            yield message


def renewed(locale: str) -> Catalog:
    """Return the messages of the path with the translations that there are."""
    catalog = Catalog(
        locale=locale,
        header_comment="# The participant's path; written by tools/messages.py.",
        project="wwbsite",
        version="1",
        msgid_bugs_address="wwbsite",
        last_translator="wwbsite",
        language_team="wwbsite",
        creation_date=_DATE,
        revision_date=_DATE,
        fuzzy=False,
    )
    known = read_catalog(locale)
    for message in find_messages():
        key = message if isinstance(message, str) else message[0]
        translation = known.get(key)
        catalog.add(message, translation.string if translation else "")
    return catalog


def read_catalog(locale: str) -> Catalog:
    """Return the translations as they are stored."""
    path = folder(locale) / "django.po"
    if not path.exists():
        return Catalog(locale=locale)
    with path.open("rb") as file:
        return read_po(file, locale=locale)


def untranslated(catalog: Catalog) -> list[str]:
    """Return the messages without a translation, or with a wrong one."""
    return [
        str(message.id)
        for message in catalog
        if message.id and (message.fuzzy or not _is_whole(message) or message.check(catalog))
    ]


def _is_whole(message: Message) -> bool:
    string = message.string
    return bool(string) and (isinstance(string, str) or all(string or ()))


def compiled(catalog: Catalog) -> bytes:
    """Return the catalogue as Django reads it."""
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def main() -> None:
    """Renew the translations of every language and say what is missing."""
    for locale in LOCALES:
        catalog = renewed(locale)
        folder(locale).mkdir(parents=True, exist_ok=True)
        with (folder(locale) / "django.po").open("wb") as file:
            write_po(file, catalog, width=100)
        (folder(locale) / "django.mo").write_bytes(compiled(catalog))
        missing = untranslated(catalog)
        print(f"{locale}: {len(catalog)} messages, {len(missing)} without a translation")
        for message in missing:
            print(f"  {message}")


if __name__ == "__main__":
    main()
