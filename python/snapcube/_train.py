"""Training, by the program snapcube-train."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Iterator, Sequence, Union

from ._arrays import PathLike, as_path
from ._errors import Error, InputError, Interrupted, bad
from ._programs import find_program

#: An option of `snapcube train`: a text, a number, True for a flag, a list for what may be given several times.
Option = Union[str, int, float, bool, "os.PathLike[str]", Sequence[Union[str, int, float, "os.PathLike[str]"]]]


class Training:
    """A training at work: iterate over it to follow its log.

    ::

        for entry in snapcube.train(data="CAVE", mask="mask.mat", run="runs/mine"):
            print(entry)

    It is a process of its own; ``stop()`` ends it as Ctrl-C does, and ``snapcube.train(resume="runs/mine")`` goes on.
    """

    #: the run's folder
    run: Path

    def __init__(self, command: list[str], run: Path) -> None:
        self.run = run
        self._errors = tempfile.TemporaryFile()
        self._position = self._log_size()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            start_new_session=True,  # Ctrl-C reaches Python, which stops it
        )

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Entries of the log as they come, from the start of this training; ends with it, and raises what wait() raises."""
        try:
            while True:
                ended = self._process.poll() is not None
                entries = self._new_entries()
                yield from entries
                if ended and not entries:
                    break
                if not entries:
                    time.sleep(0.1)
        except KeyboardInterrupt:
            self.stop()
            raise
        self.wait()

    @property
    def is_running(self) -> bool:
        """Whether it still trains."""
        return self._process.poll() is None

    def wait(self) -> Path:
        """Waits for the end; the path of the weights, last.safetensors. Raises InputError or Error when it failed."""
        try:
            code = self._process.wait()
        except KeyboardInterrupt:
            self.stop()
            raise
        if code == 0:
            return self.run / "last.safetensors"
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").replace("\r", "\n").strip().splitlines()
        message = lines[-1] if lines else f"snapcube-train ended with code {code}"
        if code == 2:
            raise InputError(message)
        if code in (130, -signal.SIGINT, -signal.SIGTERM):
            raise Interrupted("the training was stopped")
        raise Error(message)

    def stop(self) -> None:
        """Asks it to end after the step it is at, with a checkpoint, and waits for that."""
        if self.is_running:
            self._process.send_signal(signal.SIGINT)
        self._process.wait()

    def _log_size(self) -> int:
        try:
            return (self.run / "log.jsonl").stat().st_size
        except OSError:
            return 0

    def _new_entries(self) -> list[dict[str, Any]]:
        """Whole lines of the log that were not read yet."""
        if self._log_size() <= self._position:
            return []
        with open(self.run / "log.jsonl", "rb") as log:
            log.seek(self._position)
            text = log.read()
        whole = text[: text.rfind(b"\n") + 1]
        self._position += len(whole)
        return [json.loads(line) for line in whole.splitlines() if line.strip()]

    def __repr__(self) -> str:
        return f"<snapcube.Training {self.run}, {'running' if self.is_running else 'ended'}>"


def train(**options: Option) -> Training:
    """Trains a network with `snapcube-train`, which needs libtorch; docs/training.md tells how.

    Args:
        options: those of `snapcube train`, with "_" for "-": ``train(data="CAVE", mask="mask.mat", run="runs/mine",
            recipe="quick", crop_height=64)``. ``run`` or ``resume`` must be there. True stands for a flag.

    Returns:
        The training, which runs already.
    """
    folder = options.get("run", options.get("resume"))
    if not isinstance(folder, (str, os.PathLike)):
        raise bad("run", "a folder for the run (run=…, or resume=…)", repr(folder))
    arguments: list[str] = []
    for name, value in options.items():
        if value is False or value is None:
            continue
        arguments.append("--" + name.replace("_", "-"))
        if value is True:
            continue
        values = [value] if isinstance(value, (str, int, float, os.PathLike)) else list(value)
        arguments += [_word(v) for v in values]
    return Training([find_program("snapcube-train"), *arguments], Path(as_path(folder)))


def _word(value: Union[str, int, float, PathLike]) -> str:
    return str(value) if isinstance(value, (int, float)) else as_path(value)
