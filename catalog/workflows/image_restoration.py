"""Denoising of a grey picture by a chain of classical filters."""

from dataclasses import dataclass

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter, median_filter
from scipy.signal import wiener

from catalog.workflows.factors import Factor, Switches
from catalog.workflows.families import Family
from catalog.workflows.outcomes import FloatArray, Outcome
from catalog.workflows.stages import Stage, compute


@dataclass(frozen=True)
class Picture:
    """A grey picture with values in [0, 1], and the same picture with noise added.

    Attributes
    ----------
    clean, noisy : ndarray of float, shape (height, width)
        Grey values in [0, 1], 1 = white; the longest side is 256.
    """

    clean: FloatArray
    noisy: FloatArray

    @property
    def cohort(self) -> dict[str, int]:
        """Count the rows and columns of pixels."""
        height, width = self.clean.shape
        return {"height": height, "width": width}


def prepare(picture: Image.Image) -> Picture:
    """Turn a picture grey, resize its longest side to 256, and add noise.

    Parameters
    ----------
    picture : PIL.Image.Image
        Any mode.

    Returns
    -------
    Picture
        Noise: normal, standard deviation 0.1, clipped to [0, 1].

    Examples
    --------
    >>> prepare(Image.new("RGB", (512, 256))).clean.shape
    (128, 256)
    """
    longest = max(picture.size)
    width, height = (round(side * 256 / longest) for side in picture.size)
    grey = picture.convert("L").resize((width, height), Image.Resampling.LANCZOS)
    clean = np.asarray(grey, dtype=np.float64) / 255
    noise = np.random.default_rng(20260907).normal(0.0, 0.1, clean.shape)
    return Picture(clean, noisy=np.clip(clean + noise, 0.0, 1.0))


def run(picture: Picture, mask: str, stage: Stage = compute) -> Outcome:
    """Restore the noisy picture and measure the distance to the clean one.

    Parameters
    ----------
    picture : Picture
        The prepared picture.
    mask : str
        Four or six characters 0 or 1, factor A first.
    stage : Stage
        Calls the stages that several masks share.

    Returns
    -------
    Outcome
        Native value: root mean squared error over all pixels. Prediction: the restored picture.

    Raises
    ------
    IllegalMask
        If the mask is not four or six characters 0 or 1.

    Examples
    --------
    >>> grey = prepare(Image.new("L", (64, 64), 128))
    >>> run(grey, "0100").utility > run(grey, "0000").utility
    True
    """
    on = Switches.of(mask)

    restored = picture.noisy
    if on.A:
        restored = stage(median_filter, restored, size=5 if on.F else 3, mode="reflect")
    if on.B:
        restored = stage(gaussian_filter, restored, sigma=1.6 if on.E else 0.8, mode="reflect")
    if on.C:
        restored = stage(adaptive_wiener, restored)
    if on.D:
        blurred = stage(gaussian_filter, restored, sigma=1.0, mode="reflect")
        restored = restored + 0.5 * (restored - blurred)
    restored = np.clip(restored, 0.0, 1.0)

    rmse = np.sqrt(np.mean((restored - picture.clean) ** 2))
    return Outcome.of(native_value=rmse, utility=1.0 / (1.0 + rmse / 0.1), prediction=restored)


def adaptive_wiener(image: FloatArray) -> FloatArray:
    """Smooth a 5 x 5 window the more, the closer its variance is to the mean variance.

    Parameters
    ----------
    image : ndarray of shape (height, width)

    Returns
    -------
    ndarray of shape (height, width)

    Examples
    --------
    >>> float(adaptive_wiener(np.ones((9, 9)))[4, 4])
    1.0
    """
    # SciPy divides by the local variance before it replaces windows of low variance by their
    # mean, so a flat window warns and is right all the same.
    with np.errstate(divide="ignore", invalid="ignore"):
        restored: FloatArray = wiener(image, mysize=5)
    return restored


FAMILY = Family(
    name="image_restoration",
    title="Image restoration",
    factors=(
        Factor("A", "Median filter", "none", "median over a square window, reflected border"),
        Factor("B", "Gaussian filter", "none", "Gaussian smoothing, reflected border"),
        Factor("C", "Wiener filter", "none", "adaptive Wiener filter, 5 x 5 window"),
        Factor("D", "Unsharp masking", "none", "add half the difference to a Gaussian of sigma 1"),
        Factor("E", "Gaussian width", "sigma 0.8", "sigma 1.6", inactive_when=("B", "0")),
        Factor("F", "Median window", "3 x 3", "5 x 5", inactive_when=("A", "0")),
    ),
    native_metric="root mean squared error over all pixels, grey values in [0, 1]",
    utility_rule="1 / (1 + RMSE / 0.1), RMSE between the restored and the clean picture",
    prepare=prepare,
    run=run,
    code=(prepare, run, adaptive_wiener),
)
