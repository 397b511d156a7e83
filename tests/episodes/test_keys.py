"""The shape of a key, and that it is never shown by accident."""

import hashlib

from episodes.keys import RawKey, parse


def test_a_key_has_a_name_part_of_8_and_a_secret_of_43_characters():
    marker, name, secret = RawKey.generate().text.split("_", 2)
    assert (marker, len(name), len(secret)) == ("wwb", 8, 43)


def test_a_generated_key_reads_back_and_no_two_are_equal():
    keys = [RawKey.generate() for _ in range(100)]
    assert [parse(key.text) for key in keys] == keys
    assert len({key.prefix for key in keys}) == 100


def test_the_digest_is_sha_256_of_the_whole_key():
    key = RawKey("wwb_abcdefgh_" + "x" * 43)
    assert key.digest == hashlib.sha256(b"wwb_abcdefgh_" + b"x" * 43).hexdigest()


def test_printing_a_key_object_shows_only_its_prefix():
    key = RawKey.generate()
    assert key.text[12:] not in f"{key} {key!r} {[key]}"


def test_text_of_another_shape_is_no_key():
    key = RawKey.generate().text
    assert [parse(text) for text in ("", key[:-1], key + "x", key + "\n", f" {key}", "é" * 56)] == [
        None
    ] * 6
