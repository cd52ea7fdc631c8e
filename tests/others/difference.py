#!/usr/bin/env python3
"""difference.py WHAT OURS.npy THEIRS.npy: prints the largest difference; fails if it is beyond the rounding of floats."""
import sys

import numpy as np

what, ours, theirs = sys.argv[1], np.load(sys.argv[2]), np.load(sys.argv[3])
assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
largest = np.abs(ours - theirs).max()
print(f"{what}: largest difference {largest:.1e}, of values up to {np.abs(ours).max():.2g}")
sys.exit(not largest <= 1e-4 * np.abs(ours).max())
