"""Make catalog/data/sources/debtags.json.gz from Debian's package descriptions and their tags.

Run once on Debian 12, with the tag vocabulary of the package `debtags`:

    apt-get update -o Acquire::Languages=en
    apt-cache pkgnames | sort | xargs apt-cache show --no-all-versions > packages.txt
    apt-get download debtags && dpkg-deb -x debtags_*.deb debtags
    python tools/prepare_debtags.py packages.txt debtags/usr/share/debtags/vocabulary OUTPUT

A document is a package (name: short and long description), a query is a tag (its facet's and its
own short description), and a package is relevant to the tags that people gave it.
"""

import gzip
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

N_PACKAGES = 4000


def paragraphs(text: str) -> Iterator[dict[str, str]]:
    """Parse Debian control paragraphs into their fields."""
    for paragraph in re.split(r"\n\n+", text.strip()):
        fields = re.split(r"\n(?=\S)", paragraph)
        yield {name: value.strip() for name, _, value in (field.partition(":") for field in fields)}


def one_line(text: str) -> str:
    """Join a description's lines; a dot alone stands for an empty line."""
    return " ".join(word for word in text.split() if word != ".")


def tagged_packages(text: str) -> dict[str, tuple[str, set[str]]]:
    """Return description and tags of the packages that come first by the hash of their name."""
    packages = {
        fields["Package"]: (
            one_line(fields["Description-en"]),
            set(re.split(r",\s+", fields["Tag"])),
        )
        for fields in paragraphs(text)
        if "Tag" in fields and "Description-en" in fields
    }
    by_hash = sorted(packages, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    return {name: packages[name] for name in sorted(by_hash[:N_PACKAGES])}


def tag_texts(text: str) -> dict[str, str]:
    """Return for each tag of the vocabulary the short descriptions of its facet and itself."""
    entries = list(paragraphs(text))
    short = {
        entry[kind]: entry["Description"].splitlines()[0]
        for entry in entries
        for kind in ("Facet", "Tag")
        if kind in entry
    }
    return {
        entry["Tag"]: f"{short[entry['Tag'].partition('::')[0]]}: {short[entry['Tag']]}"
        for entry in entries
        if "Tag" in entry and not entry["Tag"].endswith("::TODO")  # a note to taggers, no topic
    }


def main(packages_file: str, vocabulary_file: str, output: str) -> None:
    """Write documents, queries and relevance as one gzipped JSON file, equal for equal input."""
    packages = tagged_packages(Path(packages_file).read_text(encoding="utf-8"))
    queries = tag_texts(Path(vocabulary_file).read_text(encoding="utf-8"))
    relevant = {
        tag: [name for name, (_, tags) in packages.items() if tag in tags] for tag in queries
    }
    used = [tag for tag, names in relevant.items() if names]
    content = {
        "documents": {name: description for name, (description, _) in packages.items()},
        "queries": {tag: queries[tag] for tag in used},
        "relevant": {tag: relevant[tag] for tag in used},
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    Path(output).write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{len(packages)} packages, {len(used)} tags, {output}")


if __name__ == "__main__":
    main(*sys.argv[1:])
