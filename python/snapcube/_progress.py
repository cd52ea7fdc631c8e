"""How far a reconstruction is."""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, NamedTuple, Optional, Union


class Progress(NamedTuple):
    """What a progress function is given."""

    #: steps done
    iteration: int
    #: most there will be
    total: int
    #: ‖y − Φx‖ / ‖y‖: how far the cube is from explaining the measurement; 0 or NaN where a method has none
    residual: float


#: True: a bar. False: nothing. None: a bar for what takes longer than two seconds, where somebody can see it.
#: A function: called with a Progress; it stops the reconstruction by returning False.
ProgressArgument = Union[None, bool, Callable[[Progress], Optional[bool]]]

_Function = Callable[[int, int, float], Optional[bool]]

#: A bar that nobody asked for appears after so many seconds.
_PATIENCE = 2.0
_WIDTH = 40


def _notebook() -> bool:
    """Whether this is a notebook's kernel."""
    if "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


class Bar:
    """A line that is drawn again and again, in a terminal or in a notebook. Leaves nothing behind in a terminal."""

    def __init__(self, label: str, patience: float) -> None:
        self._label = label
        self._shown_from = time.monotonic() + patience
        self._last = 0.0
        self._handle: Any = None
        self._notebook = _notebook()
        self._drawn = False

    def update(self, iteration: int, total: int, residual: float) -> Optional[bool]:
        """Draws the bar, at most ten times a second."""
        now = time.monotonic()
        if now < self._shown_from or now - self._last < 0.1:
            return None
        self._last = now
        share = iteration / max(total, 1)
        filled = round(share * _WIDTH)
        self._draw(f"{self._label}  {'█' * filled}{'░' * (_WIDTH - filled)} {100 * share:3.0f} %")
        return None

    def _draw(self, text: str) -> None:
        self._drawn = True
        if not self._notebook:
            sys.stderr.write("\r" + text)
            sys.stderr.flush()
            return
        from IPython.display import display

        content = {"text/plain": text}
        if self._handle is None:
            self._handle = display(content, raw=True, display_id=True)
        else:
            self._handle.update(content, raw=True)

    def close(self) -> None:
        """Takes the bar away."""
        if not self._drawn:
            return
        if self._handle is not None:
            self._handle.update({"text/plain": f"{self._label}: done"}, raw=True)
        elif not self._notebook:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class Follower:
    """What the core calls, for one reconstruction."""

    function: Optional[_Function]

    def __init__(self, progress: ProgressArgument, label: str) -> None:
        self._bar: Optional[Bar] = None
        self.function = None
        if callable(progress):
            told = progress

            def tell(iteration: int, total: int, residual: float) -> Optional[bool]:
                return told(Progress(iteration, total, residual))

            self.function = tell
        elif progress or (progress is None and _seen()):
            self._bar = Bar(label, 0.0 if progress else _PATIENCE)
            self.function = self._bar.update

    def __enter__(self) -> Optional[_Function]:
        return self.function

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _seen() -> bool:
    """Whether somebody sees what is drawn."""
    return _notebook() or (sys.stderr is not None and sys.stderr.isatty())
