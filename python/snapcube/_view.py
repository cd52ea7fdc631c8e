"""The viewer."""

from __future__ import annotations

import re
import subprocess
import tempfile
import weakref
from pathlib import Path
from typing import Optional, Union

from ._arrays import ArrayLike
from ._cube import Cube
from ._errors import Error, bad
from ._files import write
from ._programs import find_program


class Viewer:
    """A viewer at work. It ends with ``close()``, at the end of a ``with`` block, and when Python ends."""

    #: where a browser finds it; on this machine only
    url: str

    def __init__(self, process: subprocess.Popen[str], folder: tempfile.TemporaryDirectory[str], url: str) -> None:
        self.url = url
        self._process = process
        self._end = weakref.finalize(self, _end, process, folder)

    @property
    def is_open(self) -> bool:
        """Whether it still answers."""
        return self._process.poll() is None

    def close(self) -> None:
        """Ends the viewer and removes its files."""
        self._end()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<snapcube.Viewer {self.url}>" if self.is_open else "<snapcube.Viewer, closed>"


def _end(process: subprocess.Popen[str], folder: tempfile.TemporaryDirectory[str]) -> None:
    process.terminate()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
    folder.cleanup()


def view(
    *cubes: Union[Cube, ArrayLike],
    truth: Optional[Union[Cube, ArrayLike]] = None,
    measurement: Optional[ArrayLike] = None,
    mask: Optional[ArrayLike] = None,
    names: Optional[list[str]] = None,
    open_browser: bool = True,
) -> Viewer:
    """Opens the viewer on arrays in memory.

    Args:
        cubes: one or several, side by side.
        truth: adds errors, scores and true spectra.
        measurement: what the camera saw.
        mask: the coded aperture.
        names: what the cubes are called in the viewer; None: "cube", or "cube1", "cube2", …
        open_browser: open the page, if there is a screen; its address is ``Viewer.url`` in any case.
    """
    titles = names or (["cube"] if len(cubes) == 1 else [f"cube{i + 1}" for i in range(len(cubes))])
    if len(titles) != len(cubes) or len(set(titles)) != len(titles):
        raise bad("names", f"{len(cubes)} different names", titles)
    for title in titles:
        if not re.fullmatch(r"[\w][\w .+-]*", title):
            raise bad("names", "letters, digits, spaces, '.', '+' and '-'", repr(title))
    folder = tempfile.TemporaryDirectory(prefix="snapcube-view-")
    try:
        arguments = _write_files(Path(folder.name), titles, cubes, truth, measurement, mask)
        if not arguments:
            raise bad("cubes", "a cube, a measurement or a mask to show", "nothing")
        command = [find_program("snapcube"), "view", *arguments, "--open" if open_browser else "--no-open"]
        # What it says goes to a file: it ends when it can write to nobody. A session of its own: Ctrl-C at Python's prompt does not
        # end the viewer.
        with open(Path(folder.name) / "messages", "w+") as messages:
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=messages, text=True, start_new_session=True
            )
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            if not url:
                process.wait()
                messages.seek(0)
                raise Error(f"the viewer did not start: {messages.read().strip()}")
    except BaseException:
        folder.cleanup()
        raise
    return Viewer(process, folder, url)


def _write_files(
    folder: Path,
    titles: list[str],
    cubes: tuple[Union[Cube, ArrayLike], ...],
    truth: Optional[Union[Cube, ArrayLike]],
    measurement: Optional[ArrayLike],
    mask: Optional[ArrayLike],
) -> list[str]:
    """Writes what is to be shown; the program's arguments for it. ENVI: raw values, and it has the wavelengths."""
    arguments = []
    for title, cube in zip(titles, cubes):
        write(cube if isinstance(cube, Cube) else Cube(cube), folder / f"{title}.hdr")
        arguments.append(str(folder / f"{title}.hdr"))
    if truth is not None:
        (folder / "truth").mkdir()
        write(truth if isinstance(truth, Cube) else Cube(truth), folder / "truth" / "truth.hdr")
        arguments += ["--truth", str(folder / "truth" / "truth.hdr")]
    if measurement is not None:
        write(measurement, folder / "measurement.npy", kind="measurement")
        arguments += ["--measurement", str(folder / "measurement.npy")]
    if mask is not None:
        write(mask, folder / "mask.npy", kind="mask")
        arguments += ["--mask", str(folder / "mask.npy")]
    return arguments
