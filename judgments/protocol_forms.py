"""A protocol as staff type it: one field a part, refused part by part."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundField

from catalog.models import Domain, Scenario
from judgments.assignment import CHECK_KINDS, ChecksMisfit, ItemKind, QuotaUnmet, require_playable
from judgments.forms import QUESTIONS
from judgments.protocol import RETURN_CODES, TEXTS, Protocol, ProtocolInvalid
from judgments.protocol_defaults import LOCALES
from judgments.screen import screen_sha256

LOCALE_NAMES = {"en": "English", "zh-hans": "Chinese"}
ALL, NONE, SOME = "all", "none", "some"
NOT_ASKED = ""
MOST_SECONDS = 7 * 24 * 3600
MOST_WORDS = 8000


class NumbersField(forms.Field):
    """Whole numbers, separated by spaces or commas."""

    widget = forms.TextInput

    def to_python(self, value: Any) -> tuple[int, ...]:  # noqa: ANN401 - as the base class
        """Return the numbers."""
        words = str(value or "").replace(",", " ").replace("+", " ").split()
        if not all(word.isascii() and word.isdigit() and len(word) <= 3 for word in words):
            raise ValidationError("Write whole numbers, separated by spaces, such as 3 3 2.")
        return tuple(int(word) for word in words)

    def prepare_value(self, value: Any) -> Any:  # noqa: ANN401 - as the base class
        """Return stored numbers as they are typed; what was typed stays."""
        return " ".join(map(str, value)) if isinstance(value, (list, tuple)) else value


@dataclass(frozen=True)
class Section:
    """Fields that belong together on the page."""

    title: str
    words: str
    fields: tuple[BoundField, ...]
    is_long: bool = False


def _count(label: str, help_text: str, *, least: int = 0, most: int = 100) -> forms.IntegerField:
    return forms.IntegerField(label=label, help_text=help_text, min_value=least, max_value=most)


def _switch(label: str, help_text: str) -> forms.BooleanField:
    return forms.BooleanField(label=label, help_text=help_text, required=False)


def _words(label: str, *, is_required: bool, rows: int, help_text: str = "") -> forms.CharField:
    return forms.CharField(
        label=label,
        help_text=help_text,
        required=is_required,
        max_length=MOST_WORDS,
        widget=forms.Textarea(attrs={"rows": rows}),
    )


class ProtocolForm(forms.Form):
    """Every part of a protocol; `protocol` is the one made of it once it is valid."""

    quotas = NumbersField(
        label="Scenarios a person, by domain",
        help_text="One number a domain that is used, such as 3 3 2. The smallest goes to the "
        "domain that was served most; the person judges all six pairs of each scenario.",
    )
    instructed = _count(
        "Instructed checks",
        "Ask for a label by name. One check for every four judgments in all, of any kind: "
        "12 for 8 scenarios.",
    )
    dominated = _count(
        "Dominated pairs", "A proposal beside one that it beats. For analysis, never to reject."
    )
    repeat = _count(
        "Repeats",
        "An earlier pair again with sides swapped. At most a third of all checks.",
    )
    allows_equal = _switch(
        "Offer “Both are equal”", "The source study forced a choice. An equal counts half a win."
    )
    allows_cannot_judge = _switch(
        "Offer “I cannot judge”", "A scenario with such an answer is left out, and counted."
    )
    offers_comment = _switch("Offer a comment at each comparison", "Optional for the person.")
    breaks_after = NumbersField(
        label="Breaks after scenario",
        help_text="Such as 2 4 6. Empty for none.",
        required=False,
    )
    minutes = _count("Minutes that it takes", "Told before somebody begins.", least=1, most=600)
    hold_seconds = _count(
        "Hold, in seconds",
        "Somebody idle for longer gives the unfinished scenarios back. 3600 is an hour.",
        least=1,
        most=MOST_SECONDS,
    )
    resume_hours = _count(
        "Hours within which somebody may come back",
        "Who stays away for longer has lost the place; answers of complete scenarios stay.",
        least=1,
        most=24 * 90,
    )
    fast_answer_ms = _count(
        "Fast answer, in milliseconds",
        "Answers that came sooner are kept and flagged.",
        most=600_000,
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        protocol: Protocol,
        **arguments: Any,  # noqa: ANN401 - as the base class
    ) -> None:
        super().__init__(data, initial=_initial(protocol), **arguments)
        self.protocol = protocol
        self._add_scenarios()
        self._add_texts()
        self._add_comprehension()
        self._add_return_codes()

    def _add_scenarios(self) -> None:
        self.by_domain: dict[str, list[str]] = {domain.value: [] for domain in Domain}
        titles = {}
        for slug, domain, title in Scenario.objects.order_by("domain", "slug").values_list(
            "slug", "domain", "title"
        ):
            self.by_domain[domain].append(slug)
            titles[slug] = title
        chosen = set(self.protocol.scenarios)
        for domain, slugs in self.by_domain.items():
            share = chosen & set(slugs)
            which = NONE if not share else ALL if len(share) == len(slugs) else SOME
            self.fields[_domain(domain)] = forms.ChoiceField(
                label="Which",
                choices=[(ALL, f"all {len(slugs)}"), (SOME, "those ticked below"), (NONE, "none")],
                initial=which,
                widget=forms.RadioSelect,
            )
            self.fields[_ticked(domain)] = forms.MultipleChoiceField(
                label=f"Scenarios of {Domain(domain).label}",
                choices=[(slug, titles[slug]) for slug in slugs],
                initial=sorted(share),
                required=False,
                widget=forms.CheckboxSelectMultiple,
            )

    def _add_texts(self) -> None:
        for locale in LOCALES:
            self.fields[f"consent_{locale}"] = _words(
                f"Consent, {LOCALE_NAMES[locale]}",
                is_required=locale == "en",
                rows=14,
                help_text="" if locale == "en" else "Empty: the English text is asked for.",
            )
        for name in TEXTS:
            for locale in LOCALES:
                self.fields[f"{name}_{locale}"] = _words(
                    f"{name.capitalize()}, {LOCALE_NAMES[locale]}",
                    is_required=False,
                    rows=3,
                    help_text=TEXT_HELP[name] if locale == "en" else "",
                )

    def _add_comprehension(self) -> None:
        for name, (question, options) in QUESTIONS.items():
            self.fields[f"comprehension_{name}"] = forms.ChoiceField(
                label=question,
                help_text="The right answer. Two attempts; who fails both is screened out.",
                choices=[(NOT_ASKED, "not asked"), *options],
                required=False,
            )

    def _add_return_codes(self) -> None:
        for end in RETURN_CODES:
            self.fields[_code(end)] = forms.CharField(
                label=f"Code for “{end.replace('-', ' ')}”",
                help_text="As the recruitment platform gives it; empty without a platform.",
                required=False,
                max_length=40,
            )

    def clean(self) -> dict[str, Any]:
        """Make the protocol; what it refuses is said beside the field."""
        cleaned = super().clean() or {}
        # In the order that stands, for a draw depends on it; new ones follow.
        chosen = dict.fromkeys(self._scenarios(cleaned))
        kept = tuple(slug for slug in self.protocol.scenarios if slug in chosen)
        scenarios = (*kept, *(slug for slug in chosen if slug not in kept))
        if not scenarios:
            raise ValidationError("Choose scenarios: a study without any shows nothing.")
        if {"quotas", *CHECK_KINDS} <= set(cleaned):
            self._check_breaks(cleaned)
            self._check_design(cleaned, scenarios)
        if not self.errors:
            self._make_protocol(cleaned, scenarios)
        return cleaned

    def _scenarios(self, cleaned: Mapping[str, Any]) -> Iterator[str]:
        for domain, slugs in self.by_domain.items():
            which = cleaned.get(_domain(domain))
            if which == ALL:
                yield from slugs
            elif which == SOME:
                ticked = set(cleaned.get(_ticked(domain), ()))
                yield from (slug for slug in slugs if slug in ticked)

    def _check_breaks(self, cleaned: Mapping[str, Any]) -> None:
        breaks, n_places = cleaned.get("breaks_after", ()), sum(cleaned["quotas"])
        if list(breaks) != sorted(set(breaks)) or not all(0 < one < n_places for one in breaks):
            self.add_error(
                "breaks_after",
                f"Write rising numbers from 1 to {n_places - 1}: there are {n_places} scenarios.",
            )

    def _check_design(self, cleaned: Mapping[str, Any], scenarios: tuple[str, ...]) -> None:
        domains = {slug: domain for domain, slugs in self.by_domain.items() for slug in slugs}
        try:
            require_playable(
                (domains[slug] for slug in scenarios),
                quotas=cleaned["quotas"],
                checks=_checks(cleaned),
            )
        except QuotaUnmet as error:
            self.add_error("quotas", f"{error}.")
        except ChecksMisfit as error:
            self.add_error("instructed", f"{error}.")

    def _make_protocol(self, cleaned: Mapping[str, Any], scenarios: tuple[str, ...]) -> None:
        try:
            self.protocol = Protocol(
                scenarios=scenarios,
                checks=_checks(cleaned),
                consent=_filled((locale, cleaned[f"consent_{locale}"]) for locale in LOCALES),
                comprehension=_filled(
                    (name, cleaned[f"comprehension_{name}"]) for name in QUESTIONS
                ),
                return_codes={end: cleaned[_code(end)] for end in RETURN_CODES},
                texts={name: texts for name in TEXTS if (texts := _texts(cleaned, name))},
                screen=screen_sha256(),
                **{name: cleaned[name] for name in PLAIN},
            )
        except ProtocolInvalid as error:
            self.add_error(FIELD_OF.get(str(error).split()[0]), f"{error}.")

    def sections(self) -> Iterator[Section]:
        """Yield the fields as the page groups them."""
        for domain, slugs in self.by_domain.items():
            if slugs:
                yield Section(
                    f"Scenarios: {Domain(domain).label}",
                    "",
                    (self[_domain(domain)], self[_ticked(domain)]),
                    is_long=True,
                )
        for title, words, names in SECTIONS:
            yield Section(title, words, tuple(self[name] for name in names))


PLAIN = (
    "quotas",
    "allows_equal",
    "allows_cannot_judge",
    "offers_comment",
    "breaks_after",
    "minutes",
    "hold_seconds",
    "resume_hours",
    "fast_answer_ms",
)
TEXT_HELP = {
    "introduction": "On the first page. Empty: the site's own words.",
    "eligibility": "A question that is answered with yes by those who may take part.",
    "debrief": "After the last answer, below the site's own words.",
    "contact": "Whom to ask, shown with the consent and on the way out.",
}
FIELD_OF = {
    "return_codes": "code_complete",
    "consent": "consent_en",
    "comprehension": f"comprehension_{next(iter(QUESTIONS))}",
}
SECTIONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("How much a person judges", "", ("quotas", "instructed", "dominated", "repeat")),
    (
        "What can be answered",
        "",
        ("allows_equal", "allows_cannot_judge", "offers_comment"),
    ),
    (
        "Time",
        "",
        ("minutes", "breaks_after", "hold_seconds", "resume_hours", "fast_answer_ms"),
    ),
    (
        "Who takes part",
        "",
        (
            "eligibility_en",
            "eligibility_zh-hans",
            *(f"comprehension_{name}" for name in QUESTIONS),
        ),
    ),
    ("Consent", "Each person's answer is stored with the text.", ("consent_en", "consent_zh-hans")),
    (
        "Other texts",
        "",
        tuple(f"{name}_{locale}" for name in TEXTS if name != "eligibility" for locale in LOCALES),
    ),
    (
        "Recruitment platform",
        "The codes of the three ends, all different.",
        tuple(f"code_{end}" for end in RETURN_CODES),
    ),
)


def _initial(protocol: Protocol) -> dict[str, Any]:
    initial: dict[str, Any] = {name: getattr(protocol, name) for name in PLAIN}
    initial |= {ItemKind(kind).value: n for kind, n in protocol.checks.items()}
    initial |= {f"consent_{locale}": text for locale, text in protocol.consent.items()}
    initial |= {f"comprehension_{name}": right for name, right in protocol.comprehension.items()}
    initial |= {_code(end): code for end, code in protocol.return_codes.items()}
    for name, texts in protocol.texts.items():
        initial |= {f"{name}_{locale}": text for locale, text in texts.items()}
    return initial


def _checks(cleaned: Mapping[str, Any]) -> dict[ItemKind, int]:
    return {kind: cleaned[kind.value] for kind in CHECK_KINDS}


def _texts(cleaned: Mapping[str, Any], name: str) -> dict[str, str]:
    return _filled((locale, cleaned[f"{name}_{locale}"]) for locale in LOCALES)


def _filled(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the texts that are not empty; a browser's line ends are those of the stored text."""
    return {key: text.replace("\r\n", "\n") for key, text in pairs if text}


def _domain(domain: str) -> str:
    return f"domain_{domain}"


def _ticked(domain: str) -> str:
    return f"scenarios_{domain}"


def _code(end: str) -> str:
    return f"code_{end}"
