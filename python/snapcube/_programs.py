"""The programs that come with the library."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ._errors import Error


def find_program(name: str) -> str:
    """The path of `snapcube` or `snapcube-train`: that of this package's own installation, else the first on PATH."""
    package = Path(__file__).absolute().parent
    # in a wheel, in a build tree, below a prefix (lib/python3/dist-packages)
    for folder in (package / "bin", package.parents[1] / "bin", package.parents[3] / "bin"):
        if os.access(folder / name, os.X_OK):
            return str(folder / name)
    found = shutil.which(name)
    if found is None:
        raise Error(f"{name}: no such program beside this package or on PATH")
    return found
