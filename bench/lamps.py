"""lamps.py IN.npy OUT: the cube IN (height × width × 28 published bands, taken under daylight) under other lamps.

Writes OUT/LAMP/NAME.npy for each lamp, scaled to the cube's own largest value. Needs NumPy.
"""
import os
import sys

import numpy as np

WAVELENGTHS = np.array([
    453.5, 457.5, 462, 466, 471.5, 476.5, 481.5, 487, 492.5, 498, 504, 510, 516, 522.5, 529.5, 536.5, 544, 551.5, 558.5,
    567.5, 575.5, 584.5, 594.5, 604, 614.5, 625, 636.5, 648])


def black_body(kelvin):
    """Planck's law, to a factor."""
    metres = WAVELENGTHS * 1e-9
    return metres**-5 / np.expm1(1.4388e-2 / (metres * kelvin))


def peak(centre, width):
    return np.exp(-0.5 * ((WAVELENGTHS - centre) / width)**2)


# Relative to the daylight (6,500 K) that the scenes were taken under.
LAMPS = {
    "bulb": black_body(2856) / black_body(6500),
    "sky": black_body(15000) / black_body(6500),
    "led": 0.25 + peak(455, 12) + 0.75 * peak(570, 50),
    "fluorescent": 0.25 + 0.5 * peak(490, 8) + peak(545, 7) + peak(612, 8),
}

source, out = sys.argv[1:]
cube = np.load(source)
for name, lamp in LAMPS.items():
    relit = cube * lamp
    relit *= cube.max() / relit.max()
    os.makedirs(os.path.join(out, name), exist_ok=True)
    np.save(os.path.join(out, name, os.path.basename(source)), relit.astype(np.float32))
