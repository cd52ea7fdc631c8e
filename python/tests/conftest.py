"""What several tests need."""

import os
from pathlib import Path

import numpy as np
import pytest

os.environ.setdefault("MPLBACKEND", "Agg")

import snapcube  # noqa: E402


@pytest.fixture(scope="session")
def camera() -> snapcube.Camera:
    return snapcube.Camera(snapcube.random_mask(32, 40), bands=6, wavelengths=np.linspace(450, 650, 6))


@pytest.fixture(scope="session")
def scene() -> snapcube.Cube:
    return snapcube.scene("chart", 32, 40, wavelengths=np.linspace(450, 650, 6))


@pytest.fixture(scope="session")
def shot(scene: snapcube.Cube, camera: snapcube.Camera) -> np.ndarray:
    return snapcube.simulate(scene, camera)


@pytest.fixture(scope="session")
def source() -> Path:
    """The repository."""
    return Path(__file__).resolve().parents[2]
