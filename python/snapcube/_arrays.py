"""From whatever holds numbers to float32 arrays."""

from __future__ import annotations

import os
from typing import Any, Optional, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from ._errors import InputError, bad

FloatArray = NDArray[np.float32]
#: Anything with numbers in it: NumPy's arrays, lists, and what speaks the buffer protocol or DLPack.
ArrayLike = Any
PathLike = Union[str, "os.PathLike[str]"]
Wavelengths = Optional[Union[Sequence[float], NDArray[np.float64]]]


def as_floats(values: ArrayLike, dimensions: int, name: str) -> FloatArray:
    """A float32 array with this many dimensions: the same memory where it is one already, else a copy.

    Integers and booleans are taken as the numbers they are; nothing is scaled.
    """
    if isinstance(values, (str, bytes)):
        raise bad(name, "an array", f"text ({values[:40]!r})")
    try:
        # Tensors that do not lie in a NumPy array, and know DLPack, are looked at where they are.
        if not isinstance(values, np.ndarray) and not hasattr(values, "__array__") and hasattr(values, "__dlpack__"):
            array = np.from_dlpack(values)
        else:
            array = np.asarray(values)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        raise bad(name, "an array of numbers", f"{type(values).__name__} ({error})") from error
    if array.dtype.kind not in "fiub":
        raise bad(name, "real numbers", f"type {array.dtype}")
    if array.ndim != dimensions:
        raise bad(name, f"{dimensions} dimensions", "×".join(map(str, array.shape)) or "a single number")
    if array.size == 0:
        raise bad(name, "something in it", "×".join(map(str, array.shape)) + ", which is empty")
    with np.errstate(over="ignore"):  # what does not fit becomes infinite, which is refused
        return np.require(array, np.float32, ["ALIGNED"])


def rank(values: ArrayLike) -> int:
    """How many dimensions something has; 0 where it is no array."""
    try:
        return int(np.ndim(values))
    except (TypeError, ValueError):
        return 0


def as_numbers(values: Wavelengths, name: str) -> list[float]:
    """A list of finite numbers; an empty one for None."""
    if values is None:
        return []
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "fiub":  # NumPy would make numbers of dates, texts and complex numbers
            raise bad(name, "real numbers", f"type {given.dtype}")
        numbers = given.astype(np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise bad(name, "numbers", repr(values)) from error
    if numbers.ndim != 1 or not np.isfinite(numbers).all():
        raise bad(name, "a row of finite numbers", "others")
    return [float(number) for number in numbers]


def as_count(value: object, name: str, least: int = 1) -> int:
    """A whole number that C can hold."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise bad(name, "a whole number", repr(value))
    if not least <= int(value) < 2**31:
        raise bad(name, f"{least} … {2**31 - 1}", value)
    return int(value)


def as_seed(value: object) -> int:
    """A seed: 0 … 2⁶⁴−1."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or not 0 <= int(value) < 2**64:
        raise bad("seed", "a whole number from 0 to 2**64 - 1", repr(value))
    return int(value)


def as_path(path: PathLike) -> str:
    """A location as the library takes it."""
    text = os.fspath(path)
    if "\0" in text:
        raise bad("path", "a name of a file", repr(text))
    return text
