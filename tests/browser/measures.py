"""What to measure on an open page, as JavaScript: what is too wide, too small or covered."""

TARGETS = """() => [...document.querySelectorAll(
        "main :is(button, label:has(input), summary), footer :is(a, label), .languages a, .go-on a"
    )]
    .filter(target => target.checkVisibility())
    .filter(target => target.getBoundingClientRect().height < 44)
    .map(target => target.textContent.trim())"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SMALL_FIELDS = """() => [...document.querySelectorAll("input, textarea, select")]
    .filter(field => field.checkVisibility() && parseFloat(getComputedStyle(field).fontSize) < 16)
    .map(field => field.outerHTML)"""
# What has the keyboard's focus lies below the bar, so that nobody sees it.
COVERED = """() => {
    const focus = document.activeElement.getBoundingClientRect();
    const bar = document.querySelector(".choice-bar");
    if (document.activeElement === document.body) return false;
    if (!bar || bar.contains(document.activeElement) || focus.height === 0) return false;
    const top = bar.getBoundingClientRect().top;
    return focus.top < bar.getBoundingClientRect().bottom && focus.bottom > top + 1;
}"""
