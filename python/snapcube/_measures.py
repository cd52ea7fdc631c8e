"""How good a cube is, and what it looks like; scenes and masks to try things with."""

from __future__ import annotations

from typing import Literal, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import ArrayLike, FloatArray, Wavelengths, as_count, as_floats, as_numbers, as_seed
from ._cube import Cube
from ._errors import bad

#: Three ways to compute PSNR and SSIM are in use and differ by some tenths of a dB: name the one you print.
Protocol = Literal["toolbox", "uint8", "float"]


class Scores(NamedTuple):
    """How close a cube is to the truth."""

    #: mean over the bands, dB
    psnr: float
    #: mean over the bands; NaN for an image smaller than its window of 11×11 ("uint8", "float")
    ssim: float
    #: spectral angle, mean over the pixels, degrees
    sam: float
    ergas: float
    #: on 0 … 255
    rmse: float
    #: NaN for an image smaller than its window of 32×32
    uiqi: float


def _values(cube: Union[Cube, ArrayLike], name: str) -> FloatArray:
    return cube.values if isinstance(cube, Cube) else as_floats(cube, 3, name)


def metrics(cube: Union[Cube, ArrayLike], truth: Union[Cube, ArrayLike], protocol: Protocol = "toolbox") -> Scores:
    """How close a cube is to the truth; both rows × columns × bands, of the same shape.

    Args:
        cube: the reconstruction.
        truth: what it should be.
        protocol: "toolbox", "uint8" or "float"; docs/metrics.md tells them apart.
    """
    return Scores(*_core.score(_values(cube, "cube"), _values(truth, "truth"), protocol))


def psnr_per_band(
    cube: Union[Cube, ArrayLike], truth: Union[Cube, ArrayLike], protocol: Protocol = "toolbox"
) -> NDArray[np.float64]:
    """PSNR of each band in dB; a perfect band counts 100."""
    return np.array(_core.per_band(_values(cube, "cube"), _values(truth, "truth"), "psnr", protocol))


def ssim_per_band(
    cube: Union[Cube, ArrayLike], truth: Union[Cube, ArrayLike], protocol: Protocol = "toolbox"
) -> NDArray[np.float64]:
    """SSIM of each band."""
    return np.array(_core.per_band(_values(cube, "cube"), _values(truth, "truth"), "ssim", protocol))


def render(cube: Cube, exposure: float = 1.0) -> NDArray[np.uint8]:
    """The colours a person would see: rows × columns × 3 bytes, sRGB. The cube must have wavelengths.

    Args:
        cube: reflectances; 1 is white.
        exposure: a factor on the values.
    """
    whole = cube if isinstance(cube, Cube) else Cube(cube)
    return _core.render(whole.values, as_numbers(whole.wavelengths, "wavelengths"), float(exposure))


def preview(
    cube: Cube,
    *,
    measurement: Optional[ArrayLike] = None,
    truth: Optional[Union[Cube, ArrayLike]] = None,
    title: str = "",
) -> NDArray[np.uint8]:
    """One picture that shows a reconstruction: measurement, colours, all bands and, with a truth, the errors.

    Returns:
        rows × columns × 3 bytes, sRGB.
    """
    whole = cube if isinstance(cube, Cube) else Cube(cube)
    return _core.preview(
        whole.values,
        as_numbers(whole.wavelengths, "wavelengths"),
        title,
        None if measurement is None else as_floats(measurement, 2, "measurement"),
        None if truth is None else _values(truth, "truth"),
    )


def scene(
    name: str = "chart", rows: int = 256, columns: int = 256, *, wavelengths: Wavelengths = None, seed: int = 1
) -> Cube:
    """A synthetic scene: "chart", "still-life", "texture" or "resolution".

    Args:
        name: which one.
        rows: its height.
        columns: its width.
        wavelengths: of its bands in nm, 380 … 780; None: the 28 published ones.
        seed: of what is random in it.
    """
    if not isinstance(name, str):
        raise bad("name", "the name of a scene", repr(name))
    centres = as_numbers(wavelengths, "wavelengths") or _core.published_wavelengths()
    return Cube._wrap(_core.scene(name, as_count(rows, "rows"), as_count(columns, "columns"), centres, as_seed(seed)))


def random_mask(
    rows: int = 256, columns: int = 256, *, kind: Literal["binary", "grey"] = "binary", density: float = 0.5, seed: int = 1
) -> FloatArray:
    """A coded aperture of independent pixels, rows × columns.

    Args:
        rows: its height.
        columns: its width.
        kind: "binary" (0 or 1) or "grey".
        density: its mean, between 0 and 1.
        seed: the same seed gives the same mask on every machine.
    """
    if kind not in ("binary", "grey"):
        raise bad("kind", "'binary' or 'grey'", repr(kind))
    size = as_count(rows, "rows"), as_count(columns, "columns")
    return _core.random_mask(*size, kind == "grey", float(density), as_seed(seed))


def published_wavelengths() -> NDArray[np.float64]:
    """The published centres of the 28 bands, 453.5 … 648 nm."""
    return np.array(_core.published_wavelengths())
