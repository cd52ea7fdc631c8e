"""Hyperspectral cubes from one snapshot of a CASSI camera.

::

    import snapcube

    camera = snapcube.Camera("mask.mat", bands=28, step=2)
    cube = snapcube.reconstruct(snapcube.read("shot.mat", "measurement"), camera)
    snapcube.write(cube, "cube.h5")

Arrays are float32, rows × columns × bands. What the library has to say goes to ``logging.getLogger("snapcube")``.
"""

from ._camera import Camera, simulate
from ._core import __version__
from ._cube import Cube
from ._errors import Error, InputError, Interrupted
from ._files import ArrayInfo, FileInfo, describe, read, write
from ._measures import (
    Scores,
    metrics,
    preview,
    psnr_per_band,
    published_wavelengths,
    random_mask,
    render,
    scene,
    ssim_per_band,
)
from ._progress import Progress
from ._reconstruct import Method, Model, Parameter, Reconstructor, SparsityMap, methods, models, reconstruct
from ._train import Training, train
from ._view import Viewer, view

__all__ = [
    "ArrayInfo",
    "Camera",
    "Cube",
    "Error",
    "FileInfo",
    "InputError",
    "Interrupted",
    "Method",
    "Model",
    "Parameter",
    "Progress",
    "Reconstructor",
    "Scores",
    "SparsityMap",
    "Training",
    "Viewer",
    "__version__",
    "describe",
    "methods",
    "metrics",
    "models",
    "preview",
    "psnr_per_band",
    "published_wavelengths",
    "random_mask",
    "read",
    "reconstruct",
    "render",
    "scene",
    "simulate",
    "ssim_per_band",
    "train",
    "view",
    "write",
]
