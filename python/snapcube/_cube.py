"""A hyperspectral cube: values and wavelengths."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from . import _core
from ._arrays import ArrayLike, FloatArray, Wavelengths, as_floats, as_numbers
from ._errors import bad

if TYPE_CHECKING:
    import xarray

#: Pictures in notebooks are at most this long.
_LARGEST_PICTURE = 768


class Cube(NDArrayOperatorsMixin):
    """A hyperspectral cube: rows × columns × bands, float32, with the wavelength of each band.

    NumPy takes it wherever it takes an array (``np.asarray(cube)`` copies nothing), indexing gives plain arrays, and so
    does arithmetic: ``cube[..., 10]`` is a band, ``cube - truth`` an array.

    Args:
        values: rows × columns × bands; anything with the buffer protocol or DLPack. Not copied if it is float32.
        wavelengths: centre of each band in nm; None where they are not known.
        bands_first: the values are bands × rows × columns.
    """

    __slots__ = ("_values", "_wavelengths")

    def __init__(self, values: ArrayLike, wavelengths: Wavelengths = None, *, bands_first: bool = False) -> None:
        if wavelengths is None and isinstance(values, Cube):
            wavelengths = values.wavelengths
        array = as_floats(values, 3, "cube")
        self._values: FloatArray = np.moveaxis(array, 0, 2) if bands_first else array
        numbers = as_numbers(wavelengths, "wavelengths")
        if numbers and len(numbers) != self._values.shape[2]:
            raise bad("wavelengths", f"one for each of {self._values.shape[2]} bands", len(numbers))
        self._wavelengths: Optional[NDArray[np.float64]] = np.array(numbers) if numbers else None

    @classmethod
    def _wrap(cls, pair: tuple[FloatArray, list[float]]) -> Cube:
        """What the core returns; nothing is checked."""
        cube = cls.__new__(cls)
        cube._values = pair[0]
        cube._wavelengths = np.array(pair[1]) if pair[1] else None
        return cube

    @property
    def values(self) -> FloatArray:
        """The values, rows × columns × bands; not a copy."""
        return self._values

    @property
    def bands_first(self) -> FloatArray:
        """The values, bands × rows × columns; not a copy."""
        return np.moveaxis(self._values, 2, 0)

    @property
    def wavelengths(self) -> Optional[NDArray[np.float64]]:
        """Centre of each band in nm; None where they are not known."""
        return self._wavelengths

    @property
    def shape(self) -> tuple[int, int, int]:
        """(rows, columns, bands)."""
        rows, columns, bands = self._values.shape
        return rows, columns, bands

    @property
    def ndim(self) -> int:
        """3."""
        return 3

    @property
    def size(self) -> int:
        """How many values there are."""
        return self._values.size

    @property
    def dtype(self) -> np.dtype[np.float32]:
        """float32."""
        return self._values.dtype

    @property
    def bands(self) -> int:
        """How many bands there are."""
        return self._values.shape[2]

    def band(self, wavelength: float) -> FloatArray:
        """The band nearest to a wavelength in nm, rows × columns."""
        return self._values[:, :, self._index(wavelength)]

    def _index(self, wavelength: float) -> int:
        if self._wavelengths is None:
            raise bad("wavelengths", "those of the cube", "none")
        return int(np.abs(self._wavelengths - wavelength).argmin())

    def resample(self, wavelengths: Wavelengths, *, monotone: bool = False) -> Cube:
        """The cube at other wavelengths, which must lie within its own.

        Args:
            wavelengths: those wanted, in nm.
            monotone: by cubics without overshoot instead of straight lines.
        """
        own = as_numbers(self._wavelengths, "wavelengths")
        return Cube._wrap(_core.resample(self._values, own, as_numbers(wavelengths, "wavelengths"), monotone))

    def to_xarray(self) -> xarray.DataArray:
        """An xarray.DataArray with dimensions y, x and wavelength (or band); the values are not copied."""
        import xarray

        if self._wavelengths is None:
            return xarray.DataArray(self._values, dims=("y", "x", "band"), name="cube")
        return xarray.DataArray(
            self._values,
            dims=("y", "x", "wavelength"),
            coords={"wavelength": ("wavelength", self._wavelengths, {"units": "nm"})},
            name="cube",
        )

    # NumPy and friends

    def __array__(self, dtype: Any = None) -> NDArray[Any]:
        return self._values if dtype is None else self._values.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if any(isinstance(out, Cube) for out in options.get("out", ())):
            options["out"] = tuple(out._values if isinstance(out, Cube) else out for out in options["out"])
        plain = [value._values if isinstance(value, Cube) else value for value in inputs]
        return getattr(ufunc, method)(*plain, **options)

    def __dlpack__(self, stream: Any = None) -> Any:
        return self._values.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        kind, number = self._values.__dlpack_device__()
        return int(kind), int(number)

    def __getitem__(self, key: Any) -> Any:
        return self._values[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._values[key] = value

    def __len__(self) -> int:
        return self._values.shape[0]

    def __reduce__(self) -> tuple[Any, ...]:
        return Cube, (np.ascontiguousarray(self.bands_first).transpose(1, 2, 0), self._wavelengths)

    def __repr__(self) -> str:
        rows, columns, bands = self.shape
        text = f"<snapcube.Cube {rows}×{columns}, {bands} bands"
        if self._wavelengths is not None:
            text += f", {self._wavelengths[0]:g}–{self._wavelengths[-1]:g} nm"
        return text + ">"

    def _repr_png_(self) -> Optional[bytes]:
        """What a notebook shows: the colours, or the mean of the bands where the wavelengths are not known."""
        every = -(-max(self.shape[:2]) // _LARGEST_PICTURE)
        values = self._values[::every, ::every]
        if not np.isfinite(values).all():
            return None
        if self._wavelengths is not None:
            return _png(_core.render(values, as_numbers(self._wavelengths, "wavelengths"), 1.0))
        grey = values.mean(axis=2)
        grey = np.clip(grey / max(float(grey.max()), 1e-12), 0, 1) ** (1 / 2.2)
        return _png(np.repeat((grey * 255).astype(np.uint8)[:, :, None], 3, axis=2))


def _png(picture: NDArray[np.uint8]) -> bytes:
    """A PNG file of rows × columns × 3 bytes: every row behind a 0, which stands for "no filter"."""
    rows, columns, _ = picture.shape
    lines = np.zeros((rows, 1 + 3 * columns), dtype=np.uint8)
    lines[:, 1:] = picture.reshape(rows, 3 * columns)

    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    header = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    body = zlib.compress(lines.tobytes(), 6)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")
