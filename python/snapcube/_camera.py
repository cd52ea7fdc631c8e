"""The camera, and what it would measure."""

from __future__ import annotations

import logging
import os
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import ArrayLike, FloatArray, PathLike, Wavelengths, as_count, as_floats, as_numbers, as_path, as_seed, rank
from ._cube import Cube
from ._errors import bad

_log = logging.getLogger("snapcube")


class Camera:
    """A CASSI camera: a coded aperture, then a disperser, then a detector that sums all bands.

    Args:
        mask: the coded aperture, rows × columns, or the path of a file that holds it; rows × columns × bands for a mask
            of each band, as calibrations measure them.
        bands: how many there are; None: as many as masks, offsets or wavelengths, else 28.
        step: pixels from one band to the next on the detector; of either sign, 0 too.
        axis: in which direction the bands move: "columns" or "rows".
        offsets: measured position of each band in pixels, in place of the step; fractions are fine.
        wavelengths: centre of each band in nm; None: the published ones for 28 bands, else not known.
    """

    __slots__ = ("_core", "_arguments", "_masks")

    def __init__(
        self,
        mask: Union[ArrayLike, PathLike],
        bands: Optional[int] = None,
        step: int = 2,
        axis: str = "columns",
        offsets: Wavelengths = None,
        wavelengths: Wavelengths = None,
    ) -> None:
        if isinstance(mask, (str, os.PathLike)):
            mask = _core.read_mask(as_path(mask))
        places = as_numbers(offsets, "offsets")
        centres = as_numbers(wavelengths, "wavelengths")
        if not isinstance(axis, str):
            raise bad("axis", "'columns' or 'rows'", repr(axis))
        aperture = as_floats(mask, 3 if rank(mask) == 3 else 2, "mask")
        masks = aperture.shape[2] if aperture.ndim == 3 else 0
        count = masks or len(places) or len(centres) or 28 if bands is None else as_count(bands, "bands")
        if masks and count != masks:
            raise bad("bands", f"{masks}, as there are masks", count)
        self._masks = aperture if masks else None
        pixels = as_count(step, "step", -(2**31))
        self._core = _core.Camera(aperture, count, pixels, axis, places, centres)
        self._arguments = (count, pixels, axis, places or None, centres or None)

    @property
    def mask(self) -> FloatArray:
        """The coded aperture, rows × columns; of masks for each band their mean. A copy."""
        return self._core.mask

    @property
    def bands(self) -> int:
        """How many bands there are."""
        return self._core.bands

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of its cubes: (rows, columns, bands)."""
        return self._core.shape

    @property
    def detector_shape(self) -> tuple[int, int]:
        """Of its measurements: (rows, columns)."""
        return self._core.detector_shape

    @property
    def axis(self) -> str:
        """In which direction the bands move: "columns" or "rows"."""
        return self._core.axis

    @property
    def offsets(self) -> NDArray[np.float64]:
        """Position of each band on the detector in pixels; the smallest is 0."""
        return np.array(self._core.offsets)

    @property
    def wavelengths(self) -> Optional[NDArray[np.float64]]:
        """Centre of each band in nm; None where they are not known."""
        numbers = self._core.wavelengths
        return np.array(numbers) if numbers else None

    def forward(self, cube: Union[Cube, ArrayLike]) -> FloatArray:
        """What the detector measures of a cube (rows × columns × bands), without noise; detector rows × columns."""
        return self._core.forward(self._checked(cube, "cube"))

    def adjoint(self, measurement: ArrayLike) -> Cube:
        """The adjoint of ``forward``: every band shifted back and multiplied by the mask."""
        return Cube._wrap(self._core.adjoint(as_floats(measurement, 2, "measurement")))

    def shift_back(self, measurement: ArrayLike) -> Cube:
        """Every band shifted back, without the mask: what networks take as their input."""
        return Cube._wrap(self._core.shift_back(as_floats(measurement, 2, "measurement")))

    def misfit(self, cube: Union[Cube, ArrayLike], measurement: ArrayLike) -> float:
        """The share of a measurement that a cube does not explain, 0 … 1; NaN for a black measurement."""
        return self._core.misfit(self._checked(cube, "cube"), as_floats(measurement, 2, "measurement"))

    def _checked(self, cube: Union[Cube, ArrayLike], name: str) -> FloatArray:
        values = cube.values if isinstance(cube, Cube) else as_floats(cube, 3, name)
        if values.shape != self.shape:
            raise bad(
                name,
                "×".join(map(str, self.shape)) + " (rows, columns, bands)",
                "×".join(map(str, values.shape)),
            )
        return values

    def __reduce__(self) -> tuple[Any, ...]:
        return Camera, (self.mask if self._masks is None else self._masks, *self._arguments)

    def __repr__(self) -> str:
        rows, columns, bands = self.shape
        count, step, axis, offsets, _ = self._arguments
        apart = "at measured offsets" if offsets else f"{step} pixels apart"
        return f"<snapcube.Camera {rows}×{columns}, {bands} bands {apart} along the {axis}>"


def simulate(scene: Union[Cube, ArrayLike], camera: Camera, noise: str = "none", seed: int = 1) -> FloatArray:
    """What a camera measures of a scene.

    A scene with wavelengths that differ from the camera's is resampled to them.

    Args:
        scene: rows × columns × bands.
        camera: its mask has the scene's size.
        noise: "none", or stages joined by "+": "shot11", "gaussian:0.005", "poisson:1000", "quantise:12".
        seed: of the noise; the same seed gives the same noise on every machine.

    Returns:
        The measurement, detector rows × columns.
    """
    centres = camera.wavelengths
    if isinstance(scene, Cube) and scene.wavelengths is not None and centres is not None:
        if not np.array_equal(scene.wavelengths, centres):
            _log.info("scene: %d bands resampled to the camera's %d", scene.bands, camera.bands)
            scene = scene.resample(centres)
    if not isinstance(noise, str):
        raise bad("noise", "text such as 'shot11'", repr(noise))
    return camera._core.simulate(camera._checked(scene, "scene"), noise, as_seed(seed))
