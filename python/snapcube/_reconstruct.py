"""From a measurement to a cube."""

from __future__ import annotations

import logging
import threading
from typing import NamedTuple, Optional, Union

import numpy as np

from . import _core
from ._arrays import ArrayLike, FloatArray, as_floats
from ._camera import Camera
from ._cube import Cube
from ._errors import bad
from ._progress import Follower, ProgressArgument

_log = logging.getLogger("snapcube")

#: A parameter's value: numbers and texts as they are, True and False too.
Setting = Union[str, int, float, bool]


class Parameter(NamedTuple):
    """A parameter of a method."""

    name: str
    default: str
    description: str


class Method(NamedTuple):
    """A method that needs no trained network."""

    name: str
    title: str
    description: str
    parameters: tuple[Parameter, ...]


class Model(NamedTuple):
    """A trained network that is installed."""

    name: str
    path: str
    network: str
    bands: int
    #: pixels from one band to the next
    step: int
    parameters: int
    #: of the file
    bytes: int
    #: why it cannot be used; empty: it can
    error: str


class SparsityMap(NamedTuple):
    """Where a network with a sparsity estimator looked closer."""

    #: the error it expects at each pixel, rows × columns
    values: FloatArray
    #: windows that its first attention layer worked on: (top, left, height, width)
    kept: list[tuple[int, int, int, int]]


def methods() -> list[Method]:
    """The methods that need no trained network, with their parameters."""
    return [
        Method(m["name"], m["title"], m["description"], tuple(Parameter(*p) for p in m["parameters"]))
        for m in _core.methods()
    ]


def models() -> list[Model]:
    """The trained networks in the folder that SNAPCUBE_MODELS names and in the installation."""
    return [Model(**m) for m in _core.models()]


class Reconstructor:
    """A method, ready to work: open it once, and call it for one frame after the other.

    Args:
        method: a method's name ("gap-tv", "twist", "desci"), a model's ("cst-s") or the path of its weights file; None:
            the installed model, or GAP-TV where there is none.
        settings: parameters, as ``snapcube.methods()`` lists them: ``Reconstructor("gap-tv", iterations=60)``. Models
            take scale ("sum", "max"), sparsity, and max_memory in MB.
    """

    def __init__(self, method: Optional[str] = None, **settings: Setting) -> None:
        if method is not None and not isinstance(method, str):
            raise bad("method", "the name of a method or a model", repr(method))
        name = method if method is not None else (_core.default_model() or "gap-tv")
        self._core = _core.Reconstructor(name, {key: _text(key, value) for key, value in settings.items()})
        self._lock = threading.Lock()
        self._user: Optional[int] = None

    @property
    def method(self) -> str:
        """Its name."""
        return self._core.method

    def fits(self, camera: Camera) -> bool:
        """Whether a model takes this camera; always True for methods, and for models of any camera."""
        return self._core.fits(camera._core)

    def reconstruct(self, measurement: ArrayLike, camera: Camera, *, progress: ProgressArgument = None) -> Cube:
        """The cube behind a measurement.

        Other threads of Python run while it computes; a second call with the same reconstructor waits. Ctrl-C stops it.

        Args:
            measurement: detector rows × columns; anything with the buffer protocol or DLPack.
            camera: the one that took it.
            progress: None (a bar after two seconds, where somebody sees it), True, False, or a function that takes a
                ``Progress`` and may return False to stop.

        Returns:
            The cube, rows × columns × bands, with the camera's wavelengths.
        """
        if not isinstance(camera, Camera):
            raise bad("camera", "a snapcube.Camera", type(camera).__name__)
        values = as_floats(measurement, 2, "measurement")
        if self._user == threading.get_ident():
            raise bad("reconstructor", "a call from outside of its own progress function", "one from within")
        with self._lock, Follower(progress, self.method) as function:
            self._user = threading.get_ident()
            try:
                return Cube._wrap(self._core.reconstruct(values, camera._core, function))
            finally:
                self._user = None

    @property
    def sparsity_map(self) -> Optional[SparsityMap]:
        """Of the last reconstruction; None where the method has none."""
        found = self._core.sparsity_map
        return None if found is None else SparsityMap(found[0], [(w[0], w[1], w[2], w[3]) for w in found[1]])

    @property
    def expected_error(self) -> Optional[FloatArray]:
        """Of the last reconstruction: the error that the network expects at each pixel (rows × columns), as the mean over
        the bands of its absolute value, in the cube's units; None where the method has none."""
        return self._core.expected_error

    def __repr__(self) -> str:
        return f"<snapcube.Reconstructor {self.method}>"


def _text(name: str, value: object) -> str:
    """A setting as `--set` takes it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (str, int, float, np.integer, np.floating)):
        return str(value)
    raise bad(name, "a number or a text", repr(value))


def _for_camera(camera: Camera) -> Reconstructor:
    """The best installed model that fits the camera, or GAP-TV where none does."""
    names = _core.default_models()
    for name in names:
        model = Reconstructor(name)
        if model.fits(camera):
            return model
    if names:
        _log.info("%s was trained for another camera: gap-tv is used", names[-1])
    else:
        _log.info("no model is installed: gap-tv is used")
    return Reconstructor("gap-tv")


def reconstruct(
    measurement: ArrayLike,
    camera: Camera,
    method: Optional[str] = None,
    *,
    progress: ProgressArgument = None,
    **settings: Setting,
) -> Cube:
    """The cube behind a measurement, in one call. For many frames, open a ``Reconstructor`` once.

    Args:
        measurement: detector rows × columns.
        camera: the one that took it.
        method: as for ``Reconstructor``; None: the installed model if it was trained for such a camera, else GAP-TV.
        progress: as for ``Reconstructor.reconstruct``.
        settings: parameters of the method, which must then be named.

    Returns:
        The cube, rows × columns × bands.
    """
    if not isinstance(camera, Camera):
        raise bad("camera", "a snapcube.Camera", type(camera).__name__)
    if method is None and settings:
        raise bad("method", "a name, since there are settings", "None")
    chosen = _for_camera(camera) if method is None else Reconstructor(method, **settings)
    return chosen.reconstruct(measurement, camera, progress=progress)
