#!/usr/bin/env python3
"""Expected values for tests/optics/spectrum_test.cpp, from scipy's PchipInterpolator and numpy's interp.

    ./make_resample.py > resample.tsv

Columns: spectrum, target wavelength, linear, monotone. The spectra are formulas that the test repeats.
"""
import numpy as np
from scipy.interpolate import PchipInterpolator

PUBLISHED = [453.5, 457.5, 462.0, 466.0, 471.5, 476.5, 481.5, 487.0, 492.5, 498.0, 504.0, 510.0, 516.0, 522.5,
             529.5, 536.5, 544.0, 551.5, 558.5, 567.5, 575.5, 584.5, 594.5, 604.0, 614.5, 625.0, 636.5, 648.0]


def lcg(count):
    state, values = 12345, []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        values.append(state / 2**32)
    return values


EVEN = 400 + 10.0 * np.arange(31)
UNEVEN = np.array([450.0, 455.5, 470.0, 480.25, 520.0, 600.0, 650.0])
CASES = {
    "ramp": (EVEN, [i * i / 900 for i in range(31)], PUBLISHED),  # monotone
    "jumps": (EVEN, lcg(31), PUBLISHED),  # an extremum at nearly every band
    "uneven": (UNEVEN, lcg(7), [450.0, 450.1, 455.5, 463.0, 475.0, 500.0, 599.0, 601.0, 645.0, 650.0]),
    "two": ([450.0, 470.0], lcg(2), [450.0, 463.0, 470.0]),
    "three": ([450.0, 470.0, 475.0], lcg(3), [450.0, 463.0, 470.0, 474.5, 475.0]),
    # An end where the limit of three secants acts: flat, then a steep fall.
    "steep": ([450.0, 460.0, 461.0], [0.5, 0.51, 0.0], [452.0, 455.0, 459.0, 460.5]),
}

print("# spectrum\twavelength\tlinear\tmonotone")
for name, (grid, values, targets) in CASES.items():
    values = np.float32(values).astype(float)
    monotone = PchipInterpolator(grid, values)
    for t in targets:
        print(name, t, repr(float(np.interp(t, grid, values))), repr(float(monotone(t))), sep="\t")
