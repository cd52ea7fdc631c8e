"""What can go wrong."""

from __future__ import annotations

from typing import Any, Optional


class Error(RuntimeError):
    """Something could not be done: a file cannot be written, a program is missing."""


class InputError(Error, ValueError):
    """Bad input. The message names the file, the field, what was expected and what was found.

    Attributes:
        file: where it came from; None for arrays.
        field: what is wrong with it: an argument, a variable, a property.
        expected: what should have been there.
        found: what was there.
    """

    file: Optional[str]
    field: Optional[str]
    expected: Optional[str]
    found: Optional[str]

    def __init__(
        self,
        message: str,
        file: Optional[str] = None,
        field: Optional[str] = None,
        expected: Optional[str] = None,
        found: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.file = file
        self.field = field
        self.expected = expected
        self.found = found

    def __reduce__(self) -> tuple[Any, ...]:
        return InputError, (str(self), self.file, self.field, self.expected, self.found)


class Interrupted(Error):
    """A progress function returned False."""


def bad(field: str, expected: str, found: object) -> InputError:
    """An InputError about an argument."""
    return InputError(f"{field}: expected {expected}, found {found}", None, field, expected, str(found))
