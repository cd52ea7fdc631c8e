"""`python3 -m snapcube ...`: the program."""

from __future__ import annotations

import os
import sys

from ._errors import Error
from ._programs import find_program


def main() -> None:
    """Becomes the program `snapcube`."""
    try:
        program = find_program("snapcube")
    except Error as error:
        sys.exit(str(error))
    os.execv(program, ["snapcube", *sys.argv[1:]])


if __name__ == "__main__":
    main()
