import hashlib

import numpy as np
import pytest
from PIL import Image
from scipy.ndimage import gaussian_filter, median_filter

from catalog.workflows.image_restoration import Picture, adaptive_wiener, prepare, run
from catalog.workflows.sources import SOURCES


def prepared(name: str) -> Picture:
    picture = SOURCES[name].prepare()
    assert isinstance(picture, Picture)
    return picture


@pytest.mark.parametrize(
    ("name", "clean", "noisy"),
    # workflows.md, "Cohort sizes": SHA-256 of the float64 bytes
    [
        ("astronaut", "abd19f3a", "bb7c61ae"),
        ("coffee", "0be3e30c", "877a85ca"),
        ("hubble_deep_field", "90a3b328", "098d97f5"),
        ("rocket", "baf735d4", "ffb41db6"),
    ],
)
def test_prepared_pictures_have_the_published_bytes(name, clean, noisy):
    picture = prepared(name)
    assert hashlib.sha256(picture.clean.tobytes()).hexdigest().startswith(clean)
    assert hashlib.sha256(picture.noisy.tobytes()).hexdigest().startswith(noisy)


def test_the_shorter_side_is_rounded():
    # 256 * 427 / 640 = 170.8
    assert prepare(Image.new("RGB", (640, 427))).clean.shape == (171, 256)


def test_no_option_leaves_the_noisy_picture():
    picture = prepared("coffee")
    outcome = run(picture, "0000")
    assert np.array_equal(outcome.prediction, picture.noisy)
    rmse = np.sqrt(np.mean((picture.noisy - picture.clean) ** 2))
    assert outcome.native_value == rmse
    assert outcome.utility == 1 / (1 + rmse / 0.1)


def test_filters_follow_each_other_in_the_order_of_their_letters():
    picture = prepared("coffee")
    expected = gaussian_filter(median_filter(picture.noisy, size=3), sigma=0.8)
    assert np.array_equal(run(picture, "1100").prediction, expected.clip(0, 1))


def test_width_and_window_act_only_with_their_filter():
    picture = prepared("coffee")
    bare = run(picture, "001100").prediction_sha256
    assert run(picture, "001111").prediction_sha256 == bare
    assert run(picture, "101101").prediction_sha256 != run(picture, "101100").prediction_sha256


def test_a_flat_window_is_its_mean_and_warns_nobody():
    image = np.zeros((12, 12))
    image[0, 0] = 1.0
    assert adaptive_wiener(image)[8, 8] == 0.0
