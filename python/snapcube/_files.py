"""Files in and out."""

from __future__ import annotations

from typing import Literal, NamedTuple, Optional, Union, overload

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import ArrayLike, FloatArray, PathLike, Wavelengths, as_floats, as_numbers, as_path, rank
from ._cube import Cube
from ._errors import bad

#: The order of the axes of a three-dimensional array in a file; "auto": the shortest is the bands'.
Layout = Literal["auto", "rows-columns-bands", "bands-rows-columns", "rows-bands-columns"]
#: How values are stored; "auto": f32 where the format has it, else u16.
SampleType = Literal["auto", "u8", "u16", "f32", "f64"]


class ArrayInfo(NamedTuple):
    """One array of a file."""

    #: empty where the format has no names
    name: str
    shape: tuple[int, ...]
    type: str
    readable: bool


class FileInfo(NamedTuple):
    """What a file holds."""

    path: str
    format: str
    arrays: tuple[ArrayInfo, ...]
    #: in nm; None where it has none
    wavelengths: Optional[NDArray[np.float64]]


@overload
def read(
    location: PathLike, kind: Literal["cube"] = "cube", *, layout: Layout = "auto", wavelengths: Wavelengths = None
) -> Cube: ...


@overload
def read(location: PathLike, kind: Literal["measurement", "mask"]) -> FloatArray: ...


def read(
    location: PathLike, kind: str = "cube", *, layout: Layout = "auto", wavelengths: Wavelengths = None
) -> Union[Cube, FloatArray]:
    """Reads a cube, a measurement or a mask.

    Integers are scaled to 0 … 1 by their type's range, or by the scale that is stored beside them.

    Args:
        location: a file (.mat, .npy, .npz, .h5, .hdr, .tif, .png) or a folder of PNGs; "file:variable" where a file has
            several arrays.
        kind: "cube", "measurement" or "mask".
        layout: the order of a cube's axes in the file.
        wavelengths: of a cube, in nm, to use in place of the file's.

    Returns:
        A ``Cube``, or rows × columns float32 for the other kinds.
    """
    path = as_path(location)
    if kind == "cube":
        return Cube._wrap(_core.read_cube(path, layout, as_numbers(wavelengths, "wavelengths")))
    if kind == "measurement":
        return _core.read_measurement(path)
    if kind == "mask":
        return _core.read_mask(path)
    raise bad("kind", "'cube', 'measurement' or 'mask'", repr(kind))


def write(
    data: Union[Cube, ArrayLike],
    path: PathLike,
    *,
    kind: Optional[Literal["cube", "measurement", "mask"]] = None,
    type: SampleType = "auto",
    variable: str = "",
) -> None:
    """Writes a cube with its wavelengths, a measurement or a mask. The path's extension chooses the format.

    The file is written beside its place and renamed: the old one is intact, or the new one complete.

    Args:
        data: a ``Cube``, or an array with three dimensions for a cube (rows × columns × bands), two for the others.
        path: where to.
        kind: None: a cube for three dimensions, a measurement for two.
        type: how values are stored.
        variable: name of the array in .mat, .npz and .h5.
    """
    place = as_path(path)
    if kind not in (None, "cube", "measurement", "mask"):
        raise bad("kind", "'cube', 'measurement' or 'mask'", repr(kind))
    if kind == "cube" or (kind is None and rank(data) == 3):
        cube = data if isinstance(data, Cube) else Cube(data)
        _core.write_cube(cube.values, as_numbers(cube.wavelengths, "wavelengths"), place, type, variable)
    elif kind == "mask":
        _core.write_mask(as_floats(data, 2, "mask"), place, type, variable)
    else:
        _core.write_measurement(as_floats(data, 2, "measurement"), place, type, variable)


def describe(location: PathLike) -> FileInfo:
    """What a file holds, without reading the values."""
    path, format, arrays, wavelengths = _core.describe(as_path(location))
    infos = tuple(ArrayInfo(name, tuple(shape), kind, readable) for name, shape, kind, readable in arrays)
    return FileInfo(path, format, infos, np.array(wavelengths) if wavelengths else None)
