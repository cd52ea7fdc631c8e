"""The programs that come with the library."""

from __future__ import annotations

import os
from pathlib import Path

from ._errors import Error


def _is_program(path: Path) -> bool:
    """Whether this can be run, and is not the script that pip makes, which calls us and would do so for ever."""
    try:
        with open(path, "rb") as file:
            return os.access(path, os.X_OK) and b"snapcube.__main__" not in file.read(1000)
    except OSError:
        return False


def find_program(name: str) -> str:
    """The path of `snapcube` or `snapcube-train`: that of this package's own installation, else the first on PATH."""
    package = Path(__file__).absolute().parent
    # in a wheel, in a build tree, below a prefix (lib/python3/dist-packages)
    folders = [package / "bin", package.parents[1] / "bin", package.parents[3] / "bin"]
    folders += [Path(folder) for folder in os.get_exec_path()]
    for folder in folders:
        if _is_program(folder / name):
            return str(folder / name)
    raise Error(f"{name}: no such program beside this package or on PATH")
