import hashlib
import struct

import numpy as np

from catalog.workflows.outcomes import prediction_sha256


def test_floats_are_hashed_as_little_endian_doubles_rounded_to_six_decimals():
    expected = hashlib.sha256(struct.pack("<2d", 0.123457, -1.5)).hexdigest()
    assert prediction_sha256(np.array([0.12345678, -1.5])) == expected
    assert prediction_sha256(np.array([0.12345678, -1.5], dtype=">f8")) == expected


def test_negative_zero_is_hashed_as_zero():
    expected = hashlib.sha256(struct.pack("<d", 0.0)).hexdigest()
    assert prediction_sha256(np.array([-0.0])) == expected
    assert prediction_sha256(np.array([-4e-7])) == expected


def test_labels_are_hashed_as_little_endian_64_bit_integers():
    expected = hashlib.sha256(struct.pack("<3q", 0, 2, 1)).hexdigest()
    assert prediction_sha256(np.array([0, 2, 1], dtype=np.int32)) == expected


def test_a_transposed_array_is_hashed_in_c_order():
    matrix = np.array([[1.0, 2.0], [3.0, 4.0]])
    expected = hashlib.sha256(struct.pack("<4d", 1, 3, 2, 4)).hexdigest()
    assert prediction_sha256(matrix.T) == expected


def test_ranked_ids_are_hashed_joined_by_newlines():
    expected = hashlib.sha256("d2\nd10\né".encode()).hexdigest()
    assert prediction_sha256(np.array([["d2", "d10", "é"]])) == expected
